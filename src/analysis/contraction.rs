//! Which products and sums become one multiply-add?
//!
//! Where the flags of a product and of a sum that uses it allow contraction, the two become one `fma`, which rounds once
//! instead of twice. Three passes do that, one after the other:
//!
//! - LLVM's `nvptx-ir-peephole` joins a sum of floats or doubles with a product that nothing else uses, wherever in the function
//!   it is; of two with the first. It sees through nothing;
//! - LLVM's instruction selection joins a sum with a product of its own block, whatever else uses the product; of two with the
//!   one that has fewer uses there, else the first;
//! - `ptxas` joins a product with the only instruction that uses it, if that is a sum, wherever it is; of halves only in its own
//!   block. Sums of other blocks that share a product it sometimes joins and sometimes not.
//!
//! A double that is rounded to `float` and then to `half` LLVM's back end rounds once where the flags allow it and both are in
//! one block; what is said of products and sums below holds for such pairs, too.
//!
//! The last two see through a change of sign, and none through a phi or a select. (`ptxas` of CUDA 13.0 for sm_90, tried with
//! branches, loops and barriers between the two; floats and doubles; not if either has a rounding mode of its own, which is
//! how LLVM prints it without the flag. The peephole as in LLVM 22 and 23.)
//!
//! Where `ptxas` unrolls a loop, there are no phis between a product of one iteration and a sum of the next, and the two are
//! joined. Whether it unrolls one depends on whatever is in it, so no code changes there ([`raw::undecided`]).
//!
//! A product that one sum uses is thus joined whatever later passes move. What may change its fate is a phi or a select
//! that comes between it and the sum, or a use that is no sum.
//!
//! Nobody can foresee what LLVM's later passes do around code that has changed: they copy a small block to the ways that lead to
//! it, so that a sum of a phi meets a product (early tail duplication); they move sums that all ways to a block end
//! with into that block, and away from their products; they move a sum to the only way on which a phi is not constant; they
//! move products to their users, if these are in one block. Random CUDA sources found all of these, one by one. So where
//! branches are taken out of the code, no product or sum of a multiply-add may be in reach ([`Joins::may_change`]).

pub mod raw;

use crate::cfg::Cycle;
use crate::divergence::Outline;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::LazyCell;
use std::hash::BuildHasher;
use warpwise_ir::entity::{Block, Inst, Type, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle::{self, RawOpcode};

/// Two instructions that become one, which rounds once, where the flags of both allow it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// A product and a sum.
    MultiplyAdd,
    /// A double that is rounded to `float`, and then to `half`.
    Narrowings,
}

impl Pair {
    pub const ALL: [Pair; 2] = [Pair::MultiplyAdd, Pair::Narrowings];

    /// Whether an instruction may be the first of the pair.
    pub fn begins_with(self, inst: handle::Inst<'_>) -> bool {
        let is_first = match self {
            Pair::MultiplyAdd => inst.opcode() == RawOpcode::LLVMFMul,
            Pair::Narrowings => inst.opcode() == RawOpcode::LLVMFPTrunc,
        };
        is_first && inst.allows_contraction()
    }

    /// Whether an instruction may be the second of the pair.
    pub fn ends_with(self, inst: handle::Inst<'_>) -> bool {
        let is_second = match self {
            Pair::MultiplyAdd => matches!(inst.opcode(), RawOpcode::LLVMFAdd | RawOpcode::LLVMFSub),
            Pair::Narrowings => inst.opcode() == RawOpcode::LLVMFPTrunc,
        };
        is_second && inst.allows_contraction()
    }
}

/// The products and sums of one function.
#[derive(Clone, Copy)]
pub struct Joins<'a, 'm> {
    pub outline: &'a Outline,
    pub handles: &'a Handles<'m>,
    /// Whether LLVM still unrolls loops and simplifies.
    is_early: bool,
}

impl<'a, 'm> Joins<'a, 'm> {
    /// The products and sums of a function that LLVM has simplified.
    pub fn new(outline: &'a Outline, handles: &'a Handles<'m>) -> Self {
        Joins { outline, handles, is_early: false }
    }

    /// The products and sums of a function that LLVM still simplifies.
    pub fn early(outline: &'a Outline, handles: &'a Handles<'m>) -> Self {
        Joins { outline, handles, is_early: true }
    }

    /// Whether it is a sum or a difference that may be joined.
    pub fn is_sum(&self, inst: Inst) -> bool {
        Pair::MultiplyAdd.ends_with(self.handles.inst(inst))
    }

    /// Whether it is a product that may be joined.
    pub fn is_product(&self, inst: Inst) -> bool {
        Pair::MultiplyAdd.begins_with(self.handles.inst(inst))
    }

    /// The product that a value is, perhaps with the opposite sign, if it may be joined.
    pub fn product(&self, value: Value) -> Option<Inst> {
        self.outline.func.float_product(value).filter(|&product| self.is_product(product))
    }

    /// What uses a product, or its negation: sums and others.
    pub fn users(&self, product: Inst) -> Vec<Inst> {
        let func = &self.outline.func;
        let (mut open, mut users) = (vec![product], Vec::new());
        while let Some(inst) = open.pop() {
            for &user in self.outline.users(func.result(inst)) {
                if func.insts[user].opcode == Opcode::FNeg {
                    open.push(user);
                } else if !users.contains(&user) {
                    users.push(user);
                }
            }
        }
        users
    }

    /// Whether the sum that uses a product is joined with it, if it is with any.
    pub fn is_joined(&self, product: Inst, sum: Inst) -> bool {
        let block = |inst: Inst| self.outline.func.insts[inst].block;
        block(product) == block(sum) || self.users(product).len() == 1
    }

    /// Whether it is a product that only a sum uses: `ptxas` joins the two wherever they are.
    pub fn is_lone_product(&self, inst: Inst) -> bool {
        self.is_product(inst) && matches!(self.users(inst)[..], [user] if self.is_sum(user))
    }

    /// Whether what is passed on of a product may become an operand of a sum.
    pub fn may_meet_sum(&self, product: Inst) -> bool {
        self.may_meet(product, |user| self.is_sum(user))
    }

    /// Whether what is passed on of a result may become an operand of a certain instruction.
    fn may_meet(&self, first: Inst, is_second: impl Fn(Inst) -> bool) -> bool {
        let func = &self.outline.func;
        let (mut open, mut seen) = (vec![first], FxHashSet::default());
        while let Some(inst) = open.pop() {
            for &user in self.outline.users(func.result(inst)) {
                let opcode = func.insts[user].opcode;
                if is_second(user) {
                    return true;
                }
                if (opcode == Opcode::Phi || opcode.passes_on_product()) && seen.insert(user) {
                    open.push(user);
                }
            }
        }
        false
    }

    /// Whether it narrows a float that may be narrowed again, or that was narrowed before.
    fn narrows_twice(&self, inst: Inst) -> bool {
        let func = &self.outline.func;
        let narrows = |inst: Inst| Pair::Narrowings.begins_with(self.handles.inst(inst));
        let is_again = || func.def(func.operands(inst)[0]).is_some_and(narrows);
        narrows(inst) && (is_again() || self.may_meet(inst, narrows))
    }

    /// Whether other products and sums could be joined if some blocks become part of the one in front of them, and with that
    /// perhaps of the one behind them. True if in doubt:
    ///
    /// - a block has a sum of a product, perhaps through phis, or a product that a sum may use;
    /// - a block uses such a product from elsewhere, or passes it on to a phi behind it;
    /// - a product of a block, which all lanes then compute, may replace an equal one elsewhere;
    /// - a sum behind the blocks uses a product from elsewhere, or one that LLVM computes elsewhere if
    ///   [some way has it](raw::Products::may_move);
    /// - another way to a block behind them passes such a sum or product on to a phi there;
    /// - only the blocks, or phis behind them, need such a sum or product, wherever it is computed;
    /// - what only branches in front of the blocks need uses such a product, which it no longer does once both ways are alike;
    /// - LLVM is still to order the products of a sum behind the blocks ([`Joins::may_reorder`]);
    /// - they stand between a product and a sum that uses it;
    /// - LLVM may still [move a sum away](Joins::leaving) from a product in front of the blocks to what is behind it;
    /// - one of these instructions may be computed otherwise in other surroundings, because of its fast-math flags;
    /// - LLVM is still to move products and sums of different blocks to each other, or a product out of a loop that it then unrolls
    ///   ([`Joins::has_open_pair`]);
    /// - two ways compute a product, of which LLVM makes one in front of both ([`Joins::has_twins`]);
    /// - a block is one of those where [what else is in them](raw::undecided) decides.
    pub fn may_change(&self, inside: &FxHashSet<Block>) -> bool {
        use Opcode::{Call, FAdd, FDiv, FMul, FRem, FSub, FpCast};
        let func = &self.outline.func;
        let is_loose = |inst: Inst| {
            let is_rounding = matches!(func.insts[inst].opcode, FAdd | FSub | FMul | FDiv | FRem | Call);
            is_rounding && self.handles.inst(inst).is_reassociable()
        };
        let may_matter = |inst: Inst| matches!(func.insts[inst].opcode, FMul | FpCast) || is_loose(inst);
        if !func.insts.keys().any(may_matter) {
            return false;
        }
        let behind: FxHashSet<Block> = inside.iter().flat_map(|&block| func.graph.succs(block)).copied().collect();
        if self.has_open_pair() || self.has_twins() || self.are_undecided(inside.iter()) {
            return true;
        }
        let block = |inst: Inst| func.insts[inst].block;
        let is_inside = |inst: Inst| inside.contains(&block(inst));
        let is_exit_phi = |inst: Inst| func.insts[inst].opcode == Opcode::Phi && behind.contains(&block(inst));
        let is_free = |inst: Inst| self.is_product(inst) && self.may_meet_sum(inst);
        let through_memory = LazyCell::new(|| self.through_memory());
        let is_part = |inst: Inst| {
            let is_sum = self.is_sum(inst) && self.products(inst).next().is_some();
            let is_pair = is_sum || is_free(inst) || self.narrows_twice(inst);
            is_pair || through_memory.contains(&inst) || is_loose(inst)
        };

        let products: Vec<Inst> = func.insts.keys().filter(|&inst| self.is_product(inst)).collect();
        let (ours, others): (Vec<Inst>, Vec<Inst>) = products.into_iter().partition(|&inst| is_inside(inst));
        let phis = || behind.iter().flat_map(|&block| func.phis(block));
        let conditions = LazyCell::new(|| {
            let dominators = self.outline.dominators();
            let leads = |&b: &Block| !inside.contains(&b) && inside.iter().any(|&inner| dominators.dominates(b, inner));
            self.needed(func.graph.blocks().filter(leads).map(|block| func.terminator(block)))
        });
        let is_reached = |&product: &Inst| {
            let comes_in = |user: Inst| is_inside(user) || is_exit_phi(user) || conditions.contains(&user);
            !conditions.contains(&product) && self.may_meet(product, comes_in) && self.may_meet_sum(product)
        };
        let factors = |&inst: &Inst| {
            let mut factors = [func.operands(inst)[0], func.operands(inst)[1]];
            factors.sort_unstable();
            factors
        };
        let computed: FxHashSet<[Value; 2]> = ours.iter().map(factors).collect();
        let all = LazyCell::new(|| raw::Products::of(self.handles.function));
        let may_move = |inst: Inst| is_free(inst) && all.may_move(self.handles.inst(inst));
        let adds_far = |sum: Inst| self.is_sum(sum) && self.products(sum).any(|product| block(product) != block(sum));
        // what the phis behind the blocks get from elsewhere
        let passed = phis().flat_map(|phi| func.operands(phi));
        let needing = inside.iter().flat_map(|&block| func.block_insts(block)).chain(phis());
        inside.iter().flat_map(|&block| func.block_insts(block)).any(is_part)
            || others.iter().any(is_reached)
            || others.iter().any(|product| computed.contains(&factors(product)))
            || behind.iter().flat_map(|&block| func.block_insts(block)).any(|inst| {
                adds_far(inst) || may_move(inst) || self.narrows_twice(inst) || through_memory.contains(&inst)
            })
            || passed.filter_map(|&value| func.def(value)).any(is_part)
            || self.needed(needing).into_iter().any(is_part)
            || others.iter().any(|&product| self.is_parted(product, inside))
            || others.iter().any(|&product| self.is_followed(product, inside) && !self.leaving(product).is_empty())
            || self.may_reorder(phis())
    }

    /// Whether a product of halves, or one with several uses once loops are unrolled and what does not change in them is in front of
    /// them, meets a sum of another block.
    /// Such a sum is joined only if LLVM moves one of them to the other, which depends on which of its passes sees the function in which shape.
    fn has_open_pair(&self) -> bool {
        let func = &self.outline.func;
        let block = |inst: Inst| func.insts[inst].block;
        let cycle = |inst: Inst| self.outline.cfg().cycles.cycle_of(block(inst));
        let is_one = |product: Inst| {
            self.is_lone_product(product) && self.users(product).into_iter().all(|sum| cycle(sum) == cycle(product))
        };
        let is_open = |product: Inst| {
            let handle = self.handles.inst(product);
            let leaves = !raw::stays(handle);
            (leaves || !is_one(product) || !raw::is_wide(handle))
                && self.may_meet(product, |user| self.is_sum(user) && (leaves || block(user) != block(product)))
        };
        func.insts.keys().any(|inst| self.is_product(inst) && is_open(inst))
    }

    /// Whether [what else is in them](raw::undecided) decides in some blocks.
    pub fn are_undecided<'b>(&self, mut blocks: impl Iterator<Item = &'b Block>) -> bool {
        let undecided = raw::undecided(self.handles.function, self.is_early);
        !undecided.is_empty() && blocks.any(|&block| undecided.contains(&self.handles.block(block)))
    }

    /// Whether two ways of a branch compute the same product, which sums of both use: SimplifyCFG makes one of the two in front
    /// of the branch, which no sum is joined with, if LLVM cannot tell which way is taken and nothing else is in between.
    fn has_twins(&self) -> bool {
        let func = &self.outline.func;
        let dominators = self.outline.dominators();
        // equal numbers for what is computed alike; loads as if memory did not change
        let mut numbers: FxHashMap<Value, u64> = FxHashMap::default();
        let mut first: FxHashMap<u64, Block> = FxHashMap::default();
        for &block in self.outline.cfg().order.rpo() {
            for inst in func.block_insts(block) {
                let opcode = func.insts[inst].opcode;
                if matches!(opcode, Opcode::Phi | Opcode::Call) {
                    continue;
                }
                let number = |value: &Value| numbers.get(value).copied().unwrap_or(u64::from(value.as_u32()));
                let operands: Vec<u64> = func.operands(inst).iter().map(number).collect();
                let number = FxBuildHasher.hash_one((opcode, operands));
                numbers.insert(func.result(inst), number);
                let is_free = self.is_product(inst) && self.may_meet_sum(inst);
                if is_free && !dominators.dominates(*first.entry(number).or_insert(block), block) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether some blocks have one of a product and a sum that may meet although they are in different blocks, or
    /// [other code](raw::undecided) there decides. How much else is in a block decides whether LLVM moves the one to the other;
    /// it moves no product into a loop, nor one out that the loop uses.
    pub fn part_at(&self, blocks: &FxHashSet<Block>) -> bool {
        let func = &self.outline.func;
        let cycles = &self.outline.cfg().cycles;
        let block = |inst: Inst| func.insts[inst].block;
        let is_in = |inst: Inst, cycle: Option<Cycle>| cycle.is_some_and(|cycle| cycles.contains(cycle, block(inst)));
        let may_come = |product: Inst, sum: Inst| {
            let (around, into) = (cycles.cycle_of(block(product)), cycles.cycle_of(block(sum)));
            let enters = into.is_some() && !is_in(product, into);
            let stays = !is_in(sum, around) && self.users(product).into_iter().any(|user| is_in(user, around));
            block(product) != block(sum) && !enters && !stays
        };
        let parts = |inst: Inst| {
            self.is_product(inst) && self.may_meet(inst, |user| self.is_sum(user) && may_come(inst, user))
                || self.is_sum(inst) && self.products(inst).any(|product| may_come(product, inst))
        };
        blocks.iter().flat_map(|&block| func.block_insts(block)).any(parts) || self.are_undecided(blocks.iter())
    }

    /// Products that are stored and sums of what is loaded, where LLVM may find what is loaded to be the product: both have
    /// one type, and their addresses may come from the same pointer.
    fn through_memory(&self) -> FxHashSet<Inst> {
        let func = &self.outline.func;
        // an object or a pointer; `None` for one of several
        let root = |pointer: Value| {
            let root = func.pointer_root(pointer);
            let is_one = |def| !matches!(func.insts[def].opcode, Opcode::Phi | Opcode::Select | Opcode::Load);
            func.def(root).is_none_or(is_one).then_some(root)
        };
        let place = |inst: Inst, pointer: Value| (inst, (func.type_of(func.result(inst)), root(pointer)));
        let (mut products, mut sums) = (Vec::new(), Vec::new());
        for inst in func.insts.keys() {
            let operands = func.operands(inst);
            if func.insts[inst].opcode == Opcode::Store {
                let stored = self.sources(operands[0]).into_iter().filter(|&def| self.is_product(def));
                products.extend(stored.map(|product| place(product, operands[1])));
            } else if self.is_sum(inst) {
                let sources = operands.iter().flat_map(|&value| self.sources(value));
                let loads = sources.filter(|&def| func.insts[def].opcode == Opcode::Load);
                sums.extend(loads.map(|load| place(inst, func.operands(load)[0])));
            }
        }
        let (stored, loaded) = (Places::of(&products), Places::of(&sums));
        let met = products.iter().filter(|&&(_, place)| loaded.may_hold(place));
        met.chain(sums.iter().filter(|&&(_, place)| stored.may_hold(place))).map(|&(inst, _)| inst).collect()
    }

    /// The instructions whose result a value may be, its sign perhaps changed.
    fn sources(&self, value: Value) -> Vec<Inst> {
        let func = &self.outline.func;
        let (mut open, mut seen) = (vec![value], FxHashSet::default());
        while let Some(value) = open.pop() {
            let Some(def) = func.def(value) else { continue };
            if seen.insert(def) && (func.insts[def].opcode == Opcode::Phi || func.insts[def].opcode.passes_on_product())
            {
                open.extend(func.operands(def));
            }
        }
        seen.into_iter().collect()
    }

    /// Whether blocks stand between a product and a sum that uses it, and so keep the two apart: without them, LLVM moves such
    /// a sum up to the product.
    fn is_parted(&self, product: Inst, inside: &FxHashSet<Block>) -> bool {
        let block = |inst: Inst| self.outline.func.insts[inst].block;
        let is_far =
            |&user: &Inst| self.is_sum(user) && block(user) != block(product) && !self.is_followed(user, inside);
        let users = self.users(product);
        users.len() > 1 && users.iter().any(is_far) && self.is_followed(product, inside)
    }

    /// Whether all ways to one of some blocks go through an instruction.
    fn is_followed(&self, inst: Inst, blocks: &FxHashSet<Block>) -> bool {
        let dominators = self.outline.dominators();
        let home = self.outline.func.insts[inst].block;
        blocks.iter().any(|&block| dominators.dominates(home, block))
    }

    /// The sums that LLVM may move away from a product of their block which has other uses: nothing in the block needs them,
    /// but for objects that may become registers. InstCombine moves such a sum to the block that needs it, if that ends the
    /// function; and it does if what is between its start and its end goes.
    pub fn leaving(&self, product: Inst) -> Vec<Inst> {
        let func = &self.outline.func;
        let home = func.insts[product].block;
        let is_object = |pointer: Value| {
            let root = func.def(func.pointer_root(pointer));
            root.is_some_and(|root| func.insts[root].opcode == Opcode::Alloca)
        };
        let leaves = |sum: Inst| {
            let (mut open, mut seen) = (vec![sum], FxHashSet::default());
            while let Some(inst) = open.pop() {
                let users = self.outline.users(func.result(inst)).iter().copied();
                for user in users.filter(|&user| func.insts[user].block == home) {
                    let operands = func.operands(user);
                    match func.insts[user].opcode {
                        Opcode::Phi => {}
                        Opcode::Store if operands[0] == func.result(inst) && is_object(operands[1]) => {}
                        opcode if opcode.is_computation() || opcode == Opcode::Call => {
                            open.extend(seen.insert(user).then_some(user));
                        }
                        _ => return false,
                    }
                }
            }
            true
        };
        let mut users = self.users(product);
        if users.len() == 1 {
            return Vec::new();
        }
        users.retain(|&user| self.is_sum(user) && func.insts[user].block == home && leaves(user));
        users
    }

    /// Blocks, and all of every loop around one of them: with another shape, a loop is rotated, unrolled, or left by what does
    /// not change in it, by LLVM or by `ptxas`.
    pub fn with_loops(&self, inside: &FxHashSet<Block>) -> FxHashSet<Block> {
        let cycles = &self.outline.cfg().cycles;
        let around = inside.iter().filter_map(|&block| cycles.outermost_of(block));
        around.flat_map(|cycle| cycles.blocks(cycle)).chain(inside).copied().collect()
    }

    /// What is computed elsewhere and only some instructions need: LLVM moves it to what needs it, and away from what it uses.
    fn needed(&self, users: impl Iterator<Item = Inst>) -> FxHashSet<Inst> {
        let func = &self.outline.func;
        let mut open: Vec<Inst> = users.collect();
        let mut needing: FxHashSet<Inst> = open.iter().copied().collect();
        let mut needed = FxHashSet::default();
        while let Some(inst) = open.pop() {
            for def in func.operands(inst).iter().filter_map(|&value| func.def(value)) {
                let is_pinned = func.insts[def].opcode == Opcode::Phi || needing.contains(&def);
                if !is_pinned && self.outline.users(func.result(def)).iter().all(|user| needing.contains(user)) {
                    needing.insert(def);
                    needed.insert(def);
                    open.push(def);
                }
            }
        }
        needed
    }

    /// Whether LLVM is still to order the two products of a sum, of which the back end takes the first, and one of them is
    /// computed from a phi that perhaps becomes a select. Reassociate puts first what is computed first; a phi is so at the
    /// start of its block, a select as soon as its operands are.
    fn may_reorder(&self, phis: impl Iterator<Item = Inst>) -> bool {
        let func = &self.outline.func;
        let has_choice = |sum: Inst| {
            let is_product = |&value: &Value| self.product(value).is_some();
            func.insts[sum].opcode == Opcode::FAdd && self.is_sum(sum) && func.operands(sum).iter().all(is_product)
        };
        if !func.insts.keys().any(has_choice) {
            return false;
        }
        let (mut open, mut seen): (Vec<Inst>, FxHashSet<Inst>) = (phis.collect(), FxHashSet::default());
        while let Some(inst) = open.pop() {
            for &user in self.outline.users(func.result(inst)) {
                if has_choice(user) {
                    return true;
                }
                if !matches!(func.insts[user].opcode, Opcode::Phi | Opcode::Load) && seen.insert(user) {
                    open.push(user);
                }
            }
        }
        false
    }

    /// The products that operands of a sum may be, or become: LLVM makes one of two that meet in a phi, and takes away the
    /// phis of loops that it unrolls.
    fn products(&self, sum: Inst) -> impl Iterator<Item = Inst> {
        let sources = self.outline.func.operands(sum).iter().flat_map(|&value| self.sources(value));
        sources.filter(|&def| self.is_product(def))
    }
}

/// A type, and an object or pointer; `None` is one of several.
type Place = (Type, Option<Value>);

/// Where floats are.
struct Places(FxHashSet<Place>);

impl Places {
    fn of(found: &[(Inst, Place)]) -> Places {
        Places(found.iter().map(|&(_, place)| place).collect())
    }

    /// Whether what is at a place may be one of them.
    fn may_hold(&self, (ty, root): Place) -> bool {
        match root {
            Some(_) => self.0.contains(&(ty, root)) || self.0.contains(&(ty, None)),
            None => self.0.iter().any(|&(other, _)| other == ty),
        }
    }
}
