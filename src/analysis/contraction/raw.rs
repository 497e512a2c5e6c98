//! What has to be written out so that the same products and sums are joined once code around them has changed? Asked of LLVM's own
//! instructions, before a function is imported.
//!
//! Where LLVM moves an instruction of code that has changed cannot be foreseen. So what its back end would join in the blocks
//! as they are becomes one `llvm.fma`, and a product that goes to memory or another function, and is rounded there, becomes a
//! multiplication that is never joined. A sum of another block's product that has other uses stays as it is.

use super::Pair;
use rustc_hash::FxHashSet;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Block, Function, Inst, RawOpcode, TypeKind, Value};

/// What is written out in a function.
#[derive(Debug)]
pub struct Pins<'m> {
    pub function: Function<'m>,
    joins: Vec<Join<'m>>,
    /// Products that keep their own rounding.
    alone: Vec<Inst<'m>>,
}

/// A sum and the product that it is joined with.
#[derive(Clone, Copy, Debug)]
struct Join<'m> {
    sum: Inst<'m>,
    product: Inst<'m>,
    /// Which operand of the sum it is.
    operand: u32,
    /// Whether its sign is changed in between.
    is_negated: bool,
}

impl<'m> Pins<'m> {
    /// What is to be written out in functions whose code comes together; `None` also if a float that was rounded to `float` may be
    /// rounded to `half` then, which cannot be written out.
    pub fn of_all(functions: &[Function<'m>]) -> Option<Vec<Pins<'m>>> {
        if may_pair(functions, Pair::Narrowings) { None } else { functions.iter().copied().map(Pins::of).collect() }
    }

    /// What is to be written out; `None` if it cannot be foreseen what is joined: a product that leaves the function may also meet
    /// a sum of another block, or one behind a phi; the flags allow more than joining; or there is no such instruction.
    fn of(function: Function<'m>) -> Option<Pins<'m>> {
        let insts = || function.blocks().flat_map(|block| block.insts());
        let mut pins = Pins { function, joins: Vec::new(), alone: Vec::new() };
        for sum in insts().filter(|&inst| Pair::MultiplyAdd.ends_with(inst)) {
            let Some(join) = Join::of(sum) else { continue };
            if sum.is_reassociable() || join.product.is_reassociable() || !Editor::rounds_alone(sum.ty()) {
                return None;
            }
            pins.joins.push(join);
        }
        let joined: FxHashSet<Inst<'m>> = pins.joins.iter().map(|join| join.sum).collect();
        let products: Vec<Inst<'m>> = insts().filter(|&inst| Pair::MultiplyAdd.begins_with(inst)).collect();
        for &product in products.iter().filter(|product| meets(product.value(), leaves)) {
            // what is not written out LLVM may join, or not; if the product is exact, only another could matter
            let is_met = |sum: Inst<'m>, other: Inst<'m>| !is_exact(other) && meets(other.value(), |user| user == sum);
            let may_matter = |sum: Inst<'m>| !is_exact(product) || products.iter().any(|&other| is_met(sum, other));
            let is_open = |user: Inst<'m>| Pair::MultiplyAdd.ends_with(user) && !joined.contains(&user);
            if meets(product.value(), |user| is_open(user) && may_matter(user)) || !Editor::rounds_alone(product.ty()) {
                return None;
            }
            pins.alone.push(product);
        }
        Some(pins)
    }

    /// Writes it out.
    pub fn apply(&self, editor: &mut Editor<'m>) {
        for &Join { sum, product, operand, is_negated } in &self.joins {
            editor.join(sum, operand, product, is_negated);
        }
        self.alone.iter().for_each(|&product| editor.round_alone(product));
    }
}

impl<'m> Join<'m> {
    /// What the back end makes of a sum ([rules](super)). Nothing is sure of products with other uses that LLVM may still take
    /// out of a loop.
    fn of(sum: Inst<'m>) -> Option<Join<'m>> {
        let its_own = |operand: u32| {
            let inst = sum.operand(operand).as_inst().filter(|&inst| Pair::MultiplyAdd.begins_with(inst))?;
            let is_alone = inst.value().users().count() == 1;
            is_alone.then_some(Join { sum, product: inst, operand, is_negated: false })
        };
        if matches!(sum.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind)
            && let Some(join) = its_own(0).or_else(|| its_own(1))
        {
            return Some(join);
        }
        let join = |operand: u32| {
            let (mut value, mut is_negated) = (sum.operand(operand), false);
            loop {
                let inst = value.as_inst().filter(|inst| inst.block() == sum.block())?;
                if Pair::MultiplyAdd.begins_with(inst) {
                    return Some(Join { sum, product: inst, operand, is_negated });
                }
                if inst.opcode() != RawOpcode::LLVMFNeg {
                    return None;
                }
                (value, is_negated) = (inst.operand(0), !is_negated);
            }
        };
        let found = [join(0), join(1)];
        if !found.iter().flatten().all(|join| stays(join.product)) {
            return None;
        }
        match found {
            [Some(first), Some(second)] if uses(first.product) > uses(second.product) => Some(second),
            [first, second] => first.or(second),
        }
    }
}

/// Uses of a product in its block, and one for all elsewhere.
fn uses(product: Inst<'_>) -> usize {
    let users = || product.value().users().filter_map(Value::as_inst);
    let is_near = |user: &Inst<'_>| user.block() == product.block() && user.opcode() != RawOpcode::LLVMPHI;
    let near = users().filter(is_near).count();
    near + usize::from(near < users().count())
}

/// Whether a product stays in the innermost loop around it, since it is computed from a phi or a call there.
fn stays(product: Inst<'_>) -> bool {
    let home = product.block();
    if !comes_back(home, None) {
        return true;
    }
    let (mut open, mut seen) = (vec![product], FxHashSet::default());
    while let Some(inst) = open.pop() {
        let block = inst.block();
        if matches!(inst.opcode(), RawOpcode::LLVMPHI | RawOpcode::LLVMCall) {
            if block == home || !comes_back(home, Some(block)) {
                return true;
            }
        } else {
            let factors = (0..inst.operand_count()).filter_map(|index| inst.operand(index).as_inst());
            open.extend(factors.filter(|&factor| seen.insert(factor)));
        }
    }
    false
}

/// Whether a block can be reached from itself, without going through another.
fn comes_back<'m>(block: Block<'m>, without: Option<Block<'m>>) -> bool {
    let next = |block: Block<'m>| block.terminator().into_iter().flat_map(Inst::successors);
    let (mut open, mut seen) = (Vec::from_iter(next(block)), FxHashSet::default());
    while let Some(reached) = open.pop() {
        if reached == block {
            return true;
        }
        if Some(reached) != without && seen.insert(reached) {
            open.extend(next(reached));
        }
    }
    false
}

/// Whether a product of `float` or `double` only moves the exponent of a number that was an integer, and so has one rounding
/// whether it is joined or not: by a power of two that is at most 1, and as long as one of these numbers is normal. Random
/// numbers are brought to [0, 1) in this way.
fn is_exact(product: Inst<'_>) -> bool {
    let is_integer = |value: Value<'_>| {
        let converts = |inst: Inst<'_>| matches!(inst.opcode(), RawOpcode::LLVMUIToFP | RawOpcode::LLVMSIToFP);
        value.as_inst().is_some_and(converts)
    };
    let is_power = |value: Value<'_>| {
        let is_power = |number: f64| number.to_bits() << (u64::BITS - f64::MANTISSA_DIGITS + 1) == 0;
        let is_small = |number: f64| (f64::from(f32::MIN_POSITIVE)..=1.0).contains(&number.abs());
        value.float_constant().is_some_and(|number| is_power(number) && is_small(number))
    };
    let is_wide = matches!(product.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind);
    is_wide && [[0, 1], [1, 0]].iter().any(|&[a, b]| is_integer(product.operand(a)) && is_power(product.operand(b)))
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
fn meets<'m>(value: Value<'m>, is_it: impl Fn(Inst<'m>) -> bool) -> bool {
    use RawOpcode::*;
    let moves = [LLVMInsertValue, LLVMExtractValue, LLVMInsertElement, LLVMExtractElement, LLVMShuffleVector];
    let passes = [LLVMPHI, LLVMFNeg, LLVMSelect, LLVMFreeze, LLVMBitCast, LLVMFPExt];
    let is_passed_on = |inst: Inst<'_>| moves.contains(&inst.opcode()) || passes.contains(&inst.opcode());
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        for user in value.users().filter_map(Value::as_inst) {
            if is_it(user) {
                return true;
            }
            if is_passed_on(user) && seen.insert(user.value()) {
                open.push(user.value());
            }
        }
    }
    false
}
