//! Which loops of constant trip count get more copies than LLVM makes, though not one for each iteration?
//!
//! LLVM copies such a loop until the copies have 75 instructions, a quarter of what it allows for complete unrolling, and
//! counts in each copy what becomes part of an address. nvcc goes further, as far as the trip count divides: the copies need
//! no test between them, and there is no remainder. What takes a result in 64 bits from a pipe that is busy for two cycles
//! gains nothing: what counts and tests is executed beside it.
//!
//! `ptxas` unrolls loops of constant trip count completely where LLVM has not said that they are done, which is left to it as
//! long as the code fits the instruction cache.

use super::whole::Copies;
use std::fmt;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::prices::{PART_MAX_COPIES, PART_MAX_INSTRUCTIONS, PART_OF_LLVM};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::unroll::Then;
use warpwise_ir::types::TypeKind;

/// A loop whose trip count the number of copies divides.
pub struct Part {
    turns: u64,
    copies: u64,
    /// Instructions of an iteration that each copy has.
    kept: u64,
}

/// As many copies of an iteration as fit, if LLVM makes fewer: `all` instructions, `kept` of which each copy has.
pub fn candidate(outline: &Outline, cycle: Cycle, turns: u64, (all, kept): (u64, u64)) -> Option<Part> {
    let func = &outline.func;
    // only the last copy tests whether the loop ends
    let kept = kept.saturating_sub(1).max(1);
    let up_to = |most: u64| (2..=turns.min(most)).rev().find(|&copies| turns.is_multiple_of(copies));
    let copies = up_to(PART_MAX_COPIES.min(PART_MAX_INSTRUCTIONS / kept))?;
    let is_wide = outline.insts_in(cycle).any(|inst| {
        let kind = func.type_info(func.result(inst)).kind;
        kind == TypeKind::Float(64) && !matches!(func.insts[inst].opcode, Opcode::Load | Opcode::Phi)
    });
    let is_more = Some(copies) > up_to(PART_OF_LLVM / all);
    (is_more && !is_wide).then_some(Part { turns, copies, kept })
}

impl Part {
    /// The instructions of all iterations.
    pub fn size(&self) -> u64 {
        self.turns.saturating_mul(self.kept)
    }

    /// The copies that it gets, with what may happen to them then.
    pub fn copies(&self, then: Then) -> Copies {
        if self.copies == self.turns { Copies::All } else { Copies::Count(self.copies as u32, then) }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Part { turns, copies, kept, .. } = self;
        write!(
            f,
            "loop of {turns} iterations unrolled by {copies}, with {kept} instructions in each copy, and no remainder"
        )
    }
}
