//! How often is code executed per call of its function? Guessed from the loops around it.
//!
//! Every loop is assumed to iterate a fixed number of times, and nesting beyond some depth is ignored. Code outside
//! loops is executed once.

use crate::divergence::Outline;
use crate::entity::Block;

/// Assumptions about loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guess {
    /// Iterations of each loop.
    iterations: u64,
    /// Maximum nesting depth that counts.
    max_depth: u32,
}

/// For loops in IR, before `ptxas` unrolls them.
const IN_IR: Guess = Guess { iterations: 10, max_depth: 6 };
/// For loops in machine code, after `ptxas` has unrolled them.
pub const IN_MACHINE_CODE: Guess = Guess { iterations: 8, max_depth: 4 };

impl Guess {
    /// Number of executions of code at this loop depth.
    pub const fn executions(self, depth: u32) -> u64 {
        let depth = if depth < self.max_depth { depth } else { self.max_depth };
        self.iterations.pow(depth)
    }
}

/// Number of executions of a block per call.
pub fn of_block(outline: &Outline, block: Block) -> f64 {
    IN_IR.executions(depth(outline, block)) as f64
}

/// Whether a block is in any loop.
pub fn is_in_loop(outline: &Outline, block: Block) -> bool {
    depth(outline, block) > 0
}

fn depth(outline: &Outline, block: Block) -> u32 {
    let cycles = &outline.cfg().cycles;
    cycles.cycle_of(block).map_or(0, |cycle| cycles.depth(cycle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_counts_up_to_a_depth() {
        assert_eq!([0, 1, 6, 7].map(|depth| IN_IR.executions(depth)), [1, 10, 1_000_000, 1_000_000]);
        assert_eq!([0, 2, 9].map(|depth| IN_MACHINE_CODE.executions(depth)), [1, 64, 4096]);
    }
}
