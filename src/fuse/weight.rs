//! How often does a warp that splits execute the blocks of the two sides?
//!
//! The numbers of a [plan](super::plan) are costs for each execution of its branch, so what a block costs or saves is
//! multiplied by how often it runs.

use super::pairing::Context;
use super::region::Region;
use warpwise_ir::geometry::WARP_SIZE;

/// Lanes on each side of a branch that splits a warp in half.
const LANES_OF_A_SIDE: i32 = WARP_SIZE as i32 / 2;

/// Largest cost of a block that is distinguished, in issue cycles: the sum over a function's blocks fits into 32 bits.
const MAX_CYCLES: f64 = 1e5;

/// How often a warp whose lanes split executes each block of a pair, for each time it enters their side.
///
/// A warp executes a block if one of its lanes does. Half of the lanes are taken to be on each side and to decide the
/// branches there by themselves; the number of iterations of a loop is taken to be the same for all.
#[derive(Clone, Copy)]
pub struct Weight {
    pub sides: [f64; 2],
}

impl Weight {
    /// LLVM is asked only about regions of several pairs.
    pub fn of(context: &Context<'_, '_>, region: &Region, index: usize) -> Weight {
        if index == 0 {
            return Weight { sides: [1.0; 2] };
        }
        let of = |side: usize| {
            let blocks = [0, index].map(|pair| region.pairs[pair].sides[side]);
            let compare = |[first, here]: [f64; 2]| if first > 0.0 { here / first } else { 1.0 };
            let lane = compare(blocks.map(|block| context.frequencies.share(block))).min(1.0);
            let turns = compare(blocks.map(|block| context.frequencies.turns_around(block)));
            turns * (1.0 - (1.0 - lane).powi(LANES_OF_A_SIDE))
        };
        Weight { sides: [of(0), of(1)] }
    }

    /// Executions that both sides have and melding joins.
    pub fn both(self) -> f64 {
        self.sides[0].min(self.sides[1])
    }

    /// Executions of the melded block.
    pub fn either(self) -> f64 {
        self.sides[0].max(self.sides[1])
    }
}

/// A cost in issue cycles of code that is executed this often, as a cost for each execution of the branch.
pub fn cycles(cost: u32, executions: f64) -> u32 {
    (f64::from(cost) * executions).round().min(MAX_CYCLES) as u32
}
