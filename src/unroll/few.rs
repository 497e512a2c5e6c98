//! Which loops of unknown trip count does LLVM give too many copies?
//!
//! LLVM makes eight of a short loop, and does what remains one by one: up to seven iterations, which is all where there are
//! few. nvcc makes four. So do we where the number of iterations is [few more often than not](super::trips): loaded, or a
//! thread's share of a block's work; or where lanes leave apart, so that a warp executes the longest remainder of all. What
//! then remains, up to three iterations, is unrolled, too.
//!
//! The trip count of a loop within another may be stated by the launch, as the size of a filter is: few or many, for all
//! threads alike. Such a loop gets a body of its own for fewer iterations than LLVM makes copies; for more it stays as LLVM has
//! it. It is the only innermost loop of its kernel, and the copies find what they access beside each other: otherwise
//! registers are needed in which more warps would fit.

use super::body::Body;
use super::origin::Origin;
use super::trips;
use super::whole::Copies;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::prices::{PART_OF_LLVM, UNROLL_FACTOR};
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::ConstData;
use warpwise_ir::llvm::edit::unroll::Then;

/// Iterations below which LLVM's copies of an iteration are not executed at all.
pub const MANY: u32 = 8;

/// A loop that may run few iterations.
pub struct Few {
    pub cycle: Cycle,
    pub latch: Block,
    /// Instructions of an iteration.
    pub instructions: u64,
}

impl Few {
    /// Whether LLVM makes at least four copies.
    pub fn is_short(instructions: u64) -> bool {
        instructions * u64::from(UNROLL_FACTOR) < PART_OF_LLVM
    }

    /// How many copies it gets, if others than LLVM makes. Its iterations are counted one by one, so that their number costs
    /// little to compute.
    pub fn copies(&self, facts: &Facts, handles: &Handles<'_>) -> Option<Copies> {
        let body = Body::of(facts, self.cycle, self.latch);
        let counter = body.counter()?;
        if body.func.constant(counter.step) != Some(ConstData::Int(1)) {
            return None;
        }
        let origin = Origin::of(&body, body.starts(counter.phi).chain([counter.bound]));
        if origin.is_loaded || origin.is_divided || origin.is_of_grid || facts.is_divergent_branch(counter.exit) {
            return Some(Copies::Count(UNROLL_FACTOR, Then::Remainder));
        }
        // in kernels of many loops, the copies of all cost registers, and where more are at work at once, warps
        let is_only = facts.cfg().cycles.innermost().nth(1).is_none();
        let counts_before = || handles.inst(facts.func.terminator(self.latch)).counts_before();
        (is_only && trips::is_nested(&body) && body.is_beside() && counts_before()).then_some(Copies::Apart)
    }

    /// What is said of that.
    pub fn text(&self, copies: Copies) -> String {
        let instructions = self.instructions;
        match copies {
            Copies::Apart => format!(
                "loop of {instructions} instructions has a body of its own for fewer than {MANY} iterations, unrolled by {UNROLL_FACTOR}, with what remains"
            ),
            _ => format!(
                "loop of {instructions} instructions unrolled by {UNROLL_FACTOR}, with what remains: it may run few iterations"
            ),
        }
    }
}
