//! Where do warps split? An observer that counts, for every branch, the warps that reach it, the warps that split, and
//! the lanes that go to each successor.

use super::observe::{Observer, StepContext};
use std::collections::HashMap;
use warpwise_ir::llvm::image::FuncId;

/// Counts of one branch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BranchCounts {
    /// Number of warps, or groups of their lanes, that reached it.
    pub visits: u64,
    /// Number of visits in which lanes took different successors.
    pub splits: u64,
    /// Number of lanes that reached it.
    pub lanes: u64,
    /// Successor block and lanes that went there, in successor order.
    pub taken: Vec<(u32, u64)>,
}

/// Collects counts while a kernel runs.
#[derive(Clone, Debug, Default)]
pub struct DivergenceMap {
    /// The branches that were executed, by function and ordinal in it.
    pub branches: HashMap<(FuncId, u32), BranchCounts>,
}

impl Observer for DivergenceMap {
    fn branch(&mut self, at: &StepContext<'_>, targets: &[(u32, u32)]) {
        let counts = self.branches.entry((at.func, at.inst)).or_default();
        if counts.taken.is_empty() {
            counts.taken = targets.iter().map(|&(block, _)| (block, 0)).collect();
        }
        counts.visits += 1;
        // a block that is listed twice is one target
        let mut ways = targets.iter().filter(|target| target.1 != 0).map(|target| target.0);
        let first = ways.next();
        counts.splits += u64::from(ways.any(|way| Some(way) != first));
        counts.lanes += u64::from(at.active.count_ones());
        for (taken, target) in counts.taken.iter_mut().zip(targets) {
            taken.1 += u64::from(target.1.count_ones());
        }
    }
}
