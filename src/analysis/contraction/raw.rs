//! What has to be written out so that the same products and sums are joined once code around them has changed? Asked of LLVM's own
//! instructions, before a function is imported.
//!
//! Where LLVM moves an instruction of code that has changed cannot be foreseen. So what its back end would join in the blocks
//! as they are becomes one `llvm.fma`, and a product that is rounded because it goes through an object or to another function
//! becomes a multiplication that is never joined. Whether a sum takes another block's product that has other uses is up to
//! `ptxas`, and to the code around them.

use super::joins::Join;
use super::memory::{Loads, place, stored};
use super::{Pair, undecided};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;
use warpwise_ir::call::is_absolute;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Block, Function, Inst, RawOpcode, TypeKind, Value};

/// What is written out in a function.
#[derive(Debug)]
pub struct Pins<'m> {
    pub function: Function<'m>,
    pub(super) joins: Vec<Join<'m>>,
    /// Sums that keep their own rounding.
    pub(super) sums: Vec<Inst<'m>>,
    /// Products that do.
    pub(super) alone: Vec<Inst<'m>>,
}

impl<'m> Pins<'m> {
    /// Nothing.
    pub(super) fn none(function: Function<'m>) -> Pins<'m> {
        Pins { function, joins: Vec::new(), sums: Vec::new(), alone: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.joins.is_empty() && self.sums.is_empty() && self.alone.is_empty()
    }

    /// What is to be written out before some functions change, or their code comes together, so that later passes and `ptxas`
    /// round as they do without the change; `None` if that cannot be, as for a float that was rounded to `float` and may be
    /// rounded to `half`, and for what fast-math flags let LLVM compute in another order.
    pub fn of_all(functions: &[Function<'m>], ends: Ends<'_, 'm>) -> Option<Vec<Pins<'m>>> {
        Pins::of_each(functions, |function| Pins::of(function, ends))
    }

    /// The same, if `of` says what is to be written out in one of them.
    pub fn of_each(
        functions: &[Function<'m>],
        mut of: impl FnMut(Function<'m>) -> Option<Pins<'m>>,
    ) -> Option<Vec<Pins<'m>>> {
        let stays = |function: Function<'_>| function.insts().any(is_loose) || undecided::may_fold(function);
        if may_pair(functions, Pair::Narrowings) || functions.iter().any(|&function| stays(function)) {
            return None;
        }
        if !may_pair(functions, Pair::MultiplyAdd) {
            return Some(Vec::new());
        }
        let mut pins: Vec<Pins<'m>> = functions.iter().map(|&function| of(function)).collect::<Option<_>>()?;
        pins.retain(|pins| !pins.is_empty());
        Some(pins)
    }

    /// What is to be written out; `None` if it cannot be foreseen what is joined: a sum uses a product, and is not joined for sure;
    /// phis are between a product and a sum, which LLVM copies to the ways that lead to a small block; so is memory that stays,
    /// without a barrier, since LLVM may find what is loaded to be the product; LLVM may compute a product
    /// [elsewhere](Products::may_move); or the flags allow more than joining.
    fn of(function: Function<'m>, ends: Ends<'_, 'm>) -> Option<Pins<'m>> {
        let insts = || function.blocks().flat_map(|block| block.insts());
        let mut pins = Pins::none(function);
        let loaded = Loads::of(function);
        for sum in insts().filter(|&inst| Pair::MultiplyAdd.ends_with(inst)) {
            if is_behind_phis(sum) {
                return None;
            }
            let Some(join) = Join::of(sum) else {
                if added(sum).next().is_some() {
                    return None;
                }
                continue;
            };
            if !join.can_be_written() {
                return None;
            }
            pins.joins.push(join);
        }
        let mut products = Products::of(function);
        let is_sum = |user: Inst<'m>| Pair::MultiplyAdd.ends_with(user);
        for inst in products.list.clone() {
            if meets(inst.value(), is_sum) && products.may_move(inst) {
                return None;
            }
            let adds_it = |sum: Inst<'m>| added(sum).any(|product| product == inst);
            let ends_here = |user: Inst<'m>| ends.has(user);
            let is_unsure = |user: Inst<'m>| !ends_here(user) && loaded.may_get(user);
            if meets(inst.value(), is_unsure) {
                return None;
            }
            if meets(inst.value(), |user| ends_here(user) || is_sum(user) && !adds_it(user)) {
                if !Editor::rounds_alone(inst.ty()) {
                    return None;
                }
                pins.alone.push(inst);
            }
        }
        Some(pins)
    }

    /// What is to be written out so that it does not matter how often, and in which block, some products of a function are computed;
    /// `None` if sums may use them of which that is not sure.
    pub fn of_products(function: Function<'m>, products: impl IntoIterator<Item = Inst<'m>>) -> Option<Pins<'m>> {
        let is_sum = |user: Inst<'m>| Pair::MultiplyAdd.ends_with(user);
        let mut sums: FxHashSet<Inst<'m>> = FxHashSet::default();
        for used in products {
            let adds_it = |sum: Inst<'m>| added(sum).any(|product| product == used);
            if meets(used.value(), |user| is_sum(user) && !adds_it(user)) {
                return None;
            }
            let negations = used.value().users().filter_map(Value::as_inst).filter(|user| !is_sum(*user));
            let users =
                [used].into_iter().chain(negations).flat_map(|inst| inst.value().users()).filter_map(Value::as_inst);
            sums.extend(users.filter(|&user| is_sum(user) && adds_it(user)));
        }
        let joins: Vec<Join<'m>> = sums.into_iter().map(Join::of).collect::<Option<_>>()?;
        joins.iter().all(Join::can_be_written).then_some(Pins { joins, ..Pins::none(function) })
    }

    /// Writes it out.
    pub fn apply(&self, editor: &mut Editor<'m>) {
        for &Join { sum, product, operand, is_negated } in &self.joins {
            editor.join(sum, operand, product, is_negated);
        }
        self.sums.iter().chain(&self.alone).for_each(|&inst| editor.round_alone(inst));
    }
}

/// Where products that are rounded there end.
#[derive(Clone, Copy, Debug)]
pub enum Ends<'a, 'm> {
    /// In calls, whose code comes together: in arguments, results, and whatever memory the two share.
    Calls,
    /// In objects that become registers.
    Objects(&'a [Inst<'m>]),
}

impl<'m> Ends<'_, 'm> {
    /// Whether an instruction ends what it uses.
    pub(super) fn has(self, user: Inst<'m>) -> bool {
        match self {
            Ends::Calls => leaves(user),
            Ends::Objects(objects) => stored(user)
                .is_some_and(|(_, root)| root.is_some_and(|root| objects.iter().any(|object| object.value() == root))),
        }
    }
}

/// What a value may be, seen through what passes it on.
pub(super) fn all_sources<'m>(value: Value<'m>) -> impl Iterator<Item = Inst<'m>> {
    sources(value, passes_on)
}

/// What a value may be, seen through certain instructions, these included.
pub(super) fn sources<'m>(value: Value<'m>, is_seen_through: fn(Inst<'m>) -> bool) -> impl Iterator<Item = Inst<'m>> {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        let Some(inst) = value.as_inst() else { continue };
        if seen.insert(inst) && is_seen_through(inst) {
            open.extend(inst.operands());
        }
    }
    seen.into_iter()
}

/// The products of a function.
struct Products<'m> {
    list: Vec<Inst<'m>>,
    /// Those that have a factor that may be one with such a number.
    users: FxHashMap<u64, Vec<Inst<'m>>>,
    numbers: Numbers<'m>,
    /// The blocks with which loops begin that count something.
    headers: Vec<Block<'m>>,
}

impl<'m> Products<'m> {
    fn of(function: Function<'m>) -> Products<'m> {
        let insts = function.blocks().flat_map(|block| block.insts());
        let list: Vec<Inst<'m>> = insts.filter(|&inst| Pair::MultiplyAdd.begins_with(inst)).collect();
        let mut users: FxHashMap<u64, Vec<Inst<'m>>> = FxHashMap::default();
        let mut numbers = Numbers::default();
        for &product in &list {
            let mut found: FxHashSet<u64> = FxHashSet::default();
            for factor in factors(product) {
                found.insert(numbers.of(factor));
                found.extend(numbers.of_sources(factor));
            }
            found.into_iter().for_each(|number| users.entry(number).or_default().push(product));
        }
        let comes_back = |phi: Inst<'m>| {
            let mut ways = (0..phi.incoming_count()).map(|index| phi.incoming(index).1);
            ways.any(|from| is_always_before(phi.block(), from))
        };
        let headers = function.blocks().filter(|block| block.phis().next().is_some_and(comes_back)).collect();
        Products { list, users, numbers, headers }
    }

    /// Whether LLVM may compute a product in another block than its own, or once with another: in blocks in front of it, if some way
    /// to it has the value (partial redundancy elimination, of which GVN does some in the back end, too), or once for all sides of
    /// a branch. The value is there if the factors of another product are computed alike, or may be those that the phis of the
    /// block are on that way. Of values that are computed alike, but apart, LLVM has found out what it could within a block.
    /// A product that is [the same in the next iteration](recurs) is there twice once LLVM has unrolled the loop.
    fn may_move(&mut self, product: Inst<'m>) -> bool {
        if recurs(product, &self.headers) {
            return true;
        }
        let [a, b] = factors(product);
        let home = product.block();
        let is_phi = |factor: Value<'m>| {
            factor.as_inst().is_some_and(|inst| inst.opcode() == RawOpcode::LLVMPHI && inst.block() == home)
        };
        let numbers = &mut self.numbers;
        let [ours, theirs] =
            [a, b].map(|factor| if is_phi(factor) { numbers.of_sources(factor) } else { FxHashSet::default() });
        let numbered = [a, b].map(|factor| numbers.of(factor));
        let mut is_alike = |factor: u64, with: Value<'m>, ways: &FxHashSet<u64>| {
            factor == numbers.of(with) || !ways.is_empty() && !ways.is_disjoint(&numbers.of_sources(with))
        };
        let mut are_alike = |other: Inst<'m>| {
            let [c, d] = factors(other);
            let mut are = |c, d| is_alike(numbered[0], c, &ours) && is_alike(numbered[1], d, &theirs);
            other != product && (are(c, d) || are(d, c))
        };
        let others = numbered.iter().chain(&ours).chain(&theirs).filter_map(|number| self.users.get(number)).flatten();
        let alike: Vec<Inst<'m>> = others.copied().filter(|&other| are_alike(other)).collect();
        let before = || home.function().blocks().filter(|&block| block.successors().any(|succ| succ == home));
        let has = |block: Block<'m>| alike.iter().any(|other| other.block() == block);
        let is_hoisted =
            |way: Block<'m>| way.successors().all(|side| side == home || has(side)) && way.successors().count() > 1;
        // where a factor is computed anew, so is the product
        let anew = || [a, b].into_iter().filter_map(Value::as_inst).map(Inst::block);
        let mut comes_along = |other: Inst<'m>| {
            let from = other.block();
            let is_apart = |factor: Value<'m>| ![a, b].contains(&factor) && numbered.contains(&self.numbers.of(factor));
            if factors(other).into_iter().any(is_apart) {
                from != home && before().any(|way| is_always_before(from, way))
            } else {
                from == home || leads(from, home, None) && anew().all(|def| leads(from, home, Some(def)))
            }
        };
        alike.iter().any(|&other| comes_along(other)) || !alike.is_empty() && before().any(is_hoisted)
    }
}

/// Whether a product may be the same in the next iteration of a loop, of which these blocks are the headers: no factor follows
/// from what the loop counts, but for loads, of which LLVM may see that they give the same; or the loop may pass on a factor as
/// it is, where the other factor is the same, too.
fn recurs<'m>(product: Inst<'m>, headers: &[Block<'m>]) -> bool {
    let [a, b] = factors(product);
    let is_steady = |value: Value<'_>, header: Block<'_>| {
        let (mut open, mut seen) = (vec![value], FxHashSet::default());
        while let Some(value) = open.pop() {
            let Some(inst) =
                value.as_inst().filter(|inst| inst.block() == header || !is_always_before(inst.block(), header))
            else {
                continue;
            };
            let counts = inst.opcode() == RawOpcode::LLVMPHI && headers.contains(&inst.block());
            if counts || inst.opcode() == RawOpcode::LLVMCall {
                return false;
            }
            open.extend(inst.operands().filter(|&operand| seen.insert(operand)));
        }
        true
    };
    let mut around = headers.iter().filter(|&&header| is_around(header, product.block()));
    around.any(|&header| is_steady(a, header) && is_steady(b, header))
        || [(a, b), (b, a)].into_iter().any(|(factor, other)| {
            let mut phis = sources(factor, chooses).filter(|inst| inst.opcode() == RawOpcode::LLVMPHI);
            phis.any(|phi| {
                let comes_again = phi.operands().any(|value| sources(value, chooses).any(|inst| inst == phi));
                comes_again && (other == factor || is_steady(other, phi.block()))
            })
        })
}

/// Whether an instruction is one of its operands as it is.
fn chooses(inst: Inst<'_>) -> bool {
    matches!(inst.opcode(), RawOpcode::LLVMPHI | RawOpcode::LLVMSelect)
}

/// The two factors of a product.
fn factors<'m>(product: Inst<'m>) -> [Value<'m>; 2] {
    [0, 1].map(|index| product.operand(index))
}

/// Whether all ways from the start of the function to a block go through another, or it is the same.
pub(super) fn is_always_before<'m>(block: Block<'m>, reached: Block<'m>) -> bool {
    let mut open: Vec<Block<'m>> = block.function().blocks().take(1).filter(|&first| first != block).collect();
    let mut seen = FxHashSet::default();
    while let Some(from) = open.pop() {
        if from == reached {
            return block == reached;
        }
        if seen.insert(from) {
            open.extend(from.successors().filter(|&to| to != block));
        }
    }
    true
}

/// Whether a block is in the loop that a header begins.
pub(super) fn is_around<'m>(header: Block<'m>, block: Block<'m>) -> bool {
    leads(block, header, None) && is_always_before(header, block)
}

/// What a value may be, if it is a product, and what passes that on.
pub(super) fn computed<'m>(value: Value<'m>) -> impl Iterator<Item = Inst<'m>> {
    all_sources(value).filter(|&inst| Pair::MultiplyAdd.begins_with(inst) || passes_on(inst))
}

/// Whether it is a sum of what may be a product, with phis in between, or selects of another block.
pub(super) fn is_behind_phis(sum: Inst<'_>) -> bool {
    let is_product = |inst| Pair::MultiplyAdd.begins_with(inst);
    let is_far = |inst: Inst<'_>| inst.opcode() == RawOpcode::LLVMPHI || inst.block() != sum.block();
    let mut operands = [0, 1].into_iter().map(|index| sum.operand(index)).filter(|&value| product(value).is_none());
    Pair::MultiplyAdd.ends_with(sum)
        && operands.any(|value| computed(value).any(is_product) && computed(value).any(is_far))
}

/// A number that values have in common if they are computed alike; loads as if memory did not change, but for stack objects,
/// of which LLVM has already seen that.
#[derive(Default)]
pub(super) struct Numbers<'m> {
    known: FxHashMap<Value<'m>, u64>,
    of_sources: FxHashMap<Value<'m>, FxHashSet<u64>>,
}

impl<'m> Numbers<'m> {
    pub fn of(&mut self, value: Value<'m>) -> u64 {
        if let Some(&number) = self.known.get(&value) {
            return number;
        }
        // code that is never reached may go round; a value of which the number is being found has its own for now
        let (mut open, mut begun) = (vec![value], FxHashSet::default());
        while let Some(&at) = open.last() {
            let operands = computed_from(at);
            if !self.known.contains_key(&at) && begun.insert(at) {
                open.extend(operands);
                continue;
            }
            open.pop();
            if !self.known.contains_key(&at) {
                let number = |operand| self.known.get(&operand).copied().unwrap_or_else(|| own(operand));
                let operands: Vec<u64> = operands.map(number).collect();
                let computed = at.as_inst().filter(|_| !operands.is_empty());
                let number =
                    computed.map_or_else(|| own(at), |inst| FxBuildHasher.hash_one((inst.opcode() as u32, operands)));
                self.known.insert(at, number);
            }
        }
        self.known[&value]
    }

    /// Those of what a value may be, seen through phis and selects.
    fn of_sources(&mut self, value: Value<'m>) -> FxHashSet<u64> {
        if let Some(known) = self.of_sources.get(&value) {
            return known.clone();
        }
        let (mut open, mut seen, mut found) = (vec![value], FxHashSet::default(), FxHashSet::default());
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            match value.as_inst() {
                Some(inst) if inst.opcode() == RawOpcode::LLVMPHI => {
                    open.extend(inst.operands());
                }
                Some(inst) if inst.opcode() == RawOpcode::LLVMSelect => open.extend([inst.operand(1), inst.operand(2)]),
                _ => _ = found.insert(self.of(value)),
            }
        }
        self.of_sources.insert(value, found.clone());
        found
    }
}

/// A number that no other value has.
fn own(value: Value<'_>) -> u64 {
    FxBuildHasher.hash_one(value)
}

/// What a value is computed from, if another that is computed so is the same.
fn computed_from<'m>(value: Value<'m>) -> impl Iterator<Item = Value<'m>> {
    use RawOpcode::{LLVMAlloca, LLVMCall, LLVMLoad, LLVMPHI};
    let is_object = |value: Value<'m>| value.as_inst().is_some_and(|inst| inst.opcode() == LLVMAlloca);
    let is_own = |inst: &Inst<'m>| match inst.opcode() {
        LLVMPHI | LLVMCall | LLVMAlloca => true,
        LLVMLoad => place(inst.value(), inst.operand(0)).1.is_some_and(is_object),
        _ => false,
    };
    let inst = value.as_inst().filter(|inst| !is_own(inst));
    inst.into_iter().flat_map(|inst| inst.operands())
}

/// The product that a value is, perhaps with the opposite sign, if it may be joined; it may be the absolute value of a square,
/// which `ptxas` sees through.
pub fn product(value: Value<'_>) -> Option<Inst<'_>> {
    let negated =
        value.as_inst().filter(|inst| inst.opcode() == RawOpcode::LLVMFNeg).map_or(value, |inst| inst.operand(0));
    let absolute = negated.as_inst().filter(|&inst| is_absolute(inst)).map(|inst| inst.operand(0));
    let found = absolute.unwrap_or(negated).as_inst().filter(|&inst| Pair::MultiplyAdd.begins_with(inst))?;
    let [a, b] = factors(found);
    (absolute.is_none() || a == b).then_some(found)
}

/// The products that are operands of a sum, as it may be joined with them.
pub(super) fn added<'m>(sum: Inst<'m>) -> impl Iterator<Item = Inst<'m>> {
    [0, 1].into_iter().filter_map(move |index| product(sum.operand(index)))
}

/// Whether a product or sum is a float or a double, which are joined wherever they are.
pub(super) fn is_wide(inst: Inst<'_>) -> bool {
    matches!(inst.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind)
}

/// Whether there is an operation on a range of memory between a product and a sum of its block: the back end makes a loop of it.
pub(super) fn are_parted(product: Inst<'_>, sum: Inst<'_>) -> bool {
    product.block().insts().skip_while(|&inst| inst != product).take_while(|&inst| inst != sum).any(is_range)
}

/// Whether an instruction is part of a multiply-add that is made of a product and a sum, or has been [written out](Pins).
pub fn is_part(inst: Inst<'_>) -> bool {
    let is_written = || calls(inst, "llvm.fma.") && !inst.has_contract();
    let adds = |user: Inst<'_>| Pair::MultiplyAdd.ends_with(user);
    Pair::MultiplyAdd.begins_with(inst) && meets(inst.value(), adds)
        || adds(inst) && added(inst).next().is_some()
        || is_written()
}

/// Whether an instruction is an operation on a range of memory.
fn is_range(inst: Inst<'_>) -> bool {
    calls(inst, "llvm.mem")
}

/// Whether an instruction calls a function whose name begins so.
pub(super) fn calls(inst: Inst<'_>, start: &str) -> bool {
    let callee = if inst.opcode() == RawOpcode::LLVMCall { inst.called_function() } else { None };
    callee.is_some_and(|callee| callee.name().starts_with(start))
}

/// Whether it is an operation on a range of memory that parts a product of its block from a sum there.
pub fn parts(range: Inst<'_>) -> bool {
    let mut before = range.block().insts().take_while(|&inst| inst != range);
    is_range(range)
        && before.any(|inst| {
            let is_sum = |user: Inst<'_>| Pair::MultiplyAdd.ends_with(user) && user.block() == range.block();
            Pair::MultiplyAdd.begins_with(inst) && meets(inst.value(), |user| is_sum(user) && are_parted(inst, user))
        })
}

/// Whether a block can be reached from itself, without going through another.
pub fn comes_back<'m>(block: Block<'m>, without: Option<Block<'m>>) -> bool {
    leads(block, block, without)
}

/// Whether a way leads from the end of a block to the start of another, without going through a third.
pub(super) fn leads<'m>(from: Block<'m>, to: Block<'m>, without: Option<Block<'m>>) -> bool {
    let (mut open, mut seen) = (Vec::from_iter(from.successors()), FxHashSet::default());
    while let Some(reached) = open.pop() {
        if reached == to {
            return true;
        }
        if Some(reached) != without && seen.insert(reached) {
            open.extend(reached.successors());
        }
    }
    false
}

/// Whether LLVM may compute something of a function in another order, or what is rounded to `half` with one rounding.
pub(super) fn is_loose_in(function: Function<'_>) -> bool {
    may_pair(&[function], Pair::Narrowings) || function.insts().any(is_loose)
}

/// Whether LLVM may compute it in another order with others.
pub(super) fn is_loose(inst: Inst<'_>) -> bool {
    use RawOpcode::{LLVMCall, LLVMFAdd, LLVMFDiv, LLVMFMul, LLVMFRem, LLVMFSub};
    let rounds = matches!(inst.opcode(), LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMCall);
    rounds && inst.is_reassociable()
}

/// Whether an instruction passes a value to memory or to another function.
fn leaves(user: Inst<'_>) -> bool {
    matches!(user.opcode(), RawOpcode::LLVMStore | RawOpcode::LLVMRet) || user.defined_callee().is_some()
}

/// Whether some functions have both of a pair, wherever.
pub fn may_pair(functions: &[Function<'_>], pair: Pair) -> bool {
    let is_float = |value: Value<'_>| value.ty().kind() == TypeKind::LLVMFloatTypeKind;
    let fits = |float: Value<'_>| pair == Pair::MultiplyAdd || is_float(float);
    let any = |is_it: &dyn Fn(Inst<'_>) -> bool| {
        functions.iter().flat_map(|function| function.blocks()).flat_map(|block| block.insts()).any(is_it)
    };
    any(&|inst| pair.begins_with(inst) && fits(inst.value()))
        && any(&|inst| pair.ends_with(inst) && fits(inst.operand(0)))
}

/// Whether such an instruction may use a value, or what it is passed on as.
pub(super) fn meets<'m>(value: Value<'m>, is_it: impl Fn(Inst<'m>) -> bool) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        for user in value.users().filter_map(Value::as_inst) {
            if is_it(user) {
                return true;
            }
            if passes_on(user) && seen.insert(user.value()) {
                open.push(user.value());
            }
        }
    }
    false
}

/// Whether the result of an instruction may be what an operand is, perhaps with another sign, type or place.
pub fn passes_on(inst: Inst<'_>) -> bool {
    use RawOpcode::*;
    let moves = [LLVMInsertValue, LLVMExtractValue, LLVMInsertElement, LLVMExtractElement, LLVMShuffleVector];
    let passes = [LLVMPHI, LLVMFNeg, LLVMSelect, LLVMFreeze, LLVMBitCast, LLVMFPExt, LLVMFPTrunc];
    moves.contains(&inst.opcode()) || passes.contains(&inst.opcode()) || is_absolute(inst)
}
