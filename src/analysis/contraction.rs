//! Which products and sums become one multiply-add?
//!
//! Where the flags of a product and of a sum that uses it allow contraction, the two become one `fma`, which rounds once
//! instead of twice; if clang compiles CUDA the back end joins them whatever their flags say, in the code of libdevice and where a
//! pragma forbids it, too ([`joins_all`](warpwise_ir::llvm::handle::joins_all)). Three passes do that, one after the other:
//!
//! - LLVM's `nvptx-ir-peephole` joins a sum of floats or doubles with a product that nothing else uses, wherever in the function
//!   it is; of two with the first. It sees through nothing;
//! - LLVM's instruction selection joins a sum with a product of its own block, whatever else uses the product; of two with the
//!   one that has fewer uses there, else the first;
//! - `ptxas` joins a product with the only instruction that uses it, if that is a sum of its block, as it is where LLVM has moved
//!   the product there, and with all sums that use it, wherever they are, if a factor is a constant and nothing else uses it. With
//!   sums of other blocks it joins another product if it turns the branches in between into predicates.
//!
//! A double that is rounded to `float` and then to `half` LLVM's back end rounds once where the flags allow it and both are in
//! one block; what is said of products and sums below holds for such pairs, too.
//!
//! The last two see through a change of sign, `ptxas` also through the absolute value of a square of floats, and none through a
//! phi or a select. (`ptxas` of CUDA 13.0 for sm_90, tried with branches, loops and barriers between the two; floats and doubles;
//! not if either has a rounding mode of its own, which is how LLVM prints it without the flag. The peephole as in LLVM 22 and 23.)
//!
//! Where `ptxas` unrolls a loop, there are no phis between a product of one iteration and a sum of the next, nor, if it unrolls
//! the whole loop, between a product in front of it and a sum of the first; the two are joined. Whether it unrolls one depends on
//! whatever is in it, so no code changes there ([`undecided::is_undecided`]).
//!
//! A product that one sum uses is thus joined whatever later passes move. What may change its fate is a phi or a select
//! that comes between it and the sum, or a use that is no sum.
//!
//! Nobody can foresee what LLVM's later passes do around code that has changed: they copy a small block to the ways that lead to
//! it, so that a sum of a phi meets a product (early tail duplication); they move sums that all ways to a block end
//! with into that block, and away from their products; they move a sum to the block that ends the function, or to the only way
//! on which a phi is not constant; they move products to their users, if these are in one block. Random CUDA sources found all
//! of these, one by one. So before branches, loops, calls or objects go, what is joined for sure is
//! [written out](raw::Pins), and where nothing is sure, they stay.
//!
//! What LLVM makes of a function that does not change need not be foreseen where nothing else of its pipeline is still to come
//! than is run on a copy: before calls are inlined, and before branches go that repeat earlier ones, LLVM [is asked](lowered).
//! Then all sums that may get a product are written out, those that are rounded alone, too.

mod joins;
pub mod lowered;
mod memory;
pub mod raw;
pub mod shortening;
pub mod undecided;

use crate::cfg::Cycle;
use crate::divergence::Outline;
use rustc_hash::FxHashSet;
use warpwise_ir::entity::{Block, Inst};
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
}

impl<'a, 'm> Joins<'a, 'm> {
    pub fn new(outline: &'a Outline, handles: &'a Handles<'m>) -> Self {
        Joins { outline, handles }
    }

    /// Whether it is a sum or a difference that may be joined.
    pub fn is_sum(&self, inst: Inst) -> bool {
        Pair::MultiplyAdd.ends_with(self.handles.inst(inst))
    }

    /// Whether it is a product that may be joined.
    pub fn is_product(&self, inst: Inst) -> bool {
        Pair::MultiplyAdd.begins_with(self.handles.inst(inst))
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

    /// Whether it is a product that only a sum uses: `ptxas` joins the two wherever they are.
    pub fn is_lone_product(&self, inst: Inst) -> bool {
        self.is_product(inst) && matches!(self.users(inst)[..], [user] if self.is_sum(user))
    }

    /// Whether what is passed on of a product may become an operand of a sum.
    pub fn may_meet_sum(&self, product: Inst) -> bool {
        let func = &self.outline.func;
        let (mut open, mut seen) = (vec![product], FxHashSet::default());
        while let Some(inst) = open.pop() {
            for &user in self.outline.users(func.result(inst)) {
                if self.is_sum(user) {
                    return true;
                }
                if self.passes_on(user) && seen.insert(user) {
                    open.push(user);
                }
            }
        }
        false
    }

    /// Whether some blocks have one of a product and a sum of it that may come together although they are in different blocks, or
    /// [other code](raw::undecided) there decides. How much else is in a block decides whether LLVM moves the one to the other;
    /// it moves no product into a loop, nor one out that the loop uses, and none past a phi.
    pub fn part_at(&self, blocks: &FxHashSet<Block>) -> bool {
        let func = &self.outline.func;
        let cycles = &self.outline.cfg().cycles;
        let block = |inst: Inst| func.insts[inst].block;
        let is_in = |inst: Inst, cycle: Option<Cycle>| cycle.is_some_and(|cycle| cycles.contains(cycle, block(inst)));
        let is_here = |inst: Inst| blocks.contains(&block(inst));
        let parts = |product: Inst| {
            let (users, around) = (self.users(product), cycles.cycle_of(block(product)));
            let may_come = |sum: Inst| {
                let into = cycles.cycle_of(block(sum));
                let enters = into.is_some() && !is_in(product, into);
                let stays = !is_in(sum, around) && users.iter().any(|&user| is_in(user, around));
                block(product) != block(sum) && !enters && !stays
            };
            let mut sums = users.iter().copied().filter(|&user| self.is_sum(user));
            sums.any(|sum| (is_here(product) || is_here(sum)) && may_come(sum))
        };
        func.insts.keys().any(|inst| self.is_product(inst) && parts(inst))
            || undecided::is_undecided(self.handles.function)
    }

    /// Whether the result of an instruction may be a product that is an operand.
    fn passes_on(&self, inst: Inst) -> bool {
        raw::passes_on(self.handles.inst(inst))
    }
}
