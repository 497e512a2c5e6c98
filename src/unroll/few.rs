//! Which loops of unknown trip count does LLVM give too many copies?
//!
//! LLVM makes eight of a short loop, and does what remains one by one: up to seven iterations, which is all where there are
//! few. nvcc makes four. So do we where the number of iterations is [few more often than not](super::trips): loaded, or a
//! thread's share of a block's work; or where lanes leave apart, so that a warp executes the longest remainder of all. What
//! then remains, up to three iterations, is unrolled, too.

use super::body::Body;
use super::origin::Origin;
use std::fmt;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::prices::{PART_OF_LLVM, UNROLL_FACTOR};
use warpwise_ir::entity::Block;
use warpwise_ir::inst::ConstData;

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

    /// Whether its iterations are counted one by one, so that their number costs little to compute, and are few more often than
    /// not.
    pub fn pays(&self, facts: &Facts) -> bool {
        let body = Body::of(facts, self.cycle, self.latch);
        let Some(counter) = body.counter() else { return false };
        if body.func.constant(counter.step) != Some(ConstData::Int(1)) {
            return false;
        }
        let origin = Origin::of(&body, body.starts(counter.phi).chain([counter.bound]));
        origin.is_loaded || origin.is_divided || origin.is_of_grid || facts.is_divergent_branch(counter.exit)
    }
}

impl fmt::Display for Few {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "loop of {} instructions unrolled by {UNROLL_FACTOR}, with what remains: it may run few iterations",
            self.instructions
        )
    }
}
