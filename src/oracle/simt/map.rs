//! Where do warps split? An observer that counts, for every branch, the warps that reach it, the warps that split, and
//! the lanes that go to each successor.

use super::observe::{Observer, StepContext};
use serde::Serialize;
use std::collections::BTreeMap;
use warpwise_ir::llvm::image::{FuncId, ModuleImage};

/// Counts of one branch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Counts {
    visits: u64,
    splits: u64,
    /// Number of lanes that reached it.
    lanes: u64,
    /// Successor block and lanes, in successor order.
    taken: Vec<(u32, u64)>,
}

/// Collects counts while a kernel runs.
#[derive(Clone, Debug, Default)]
pub struct DivergenceMap {
    branches: BTreeMap<(FuncId, u32), Counts>,
}

/// One branch of the finished map.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BranchCount {
    pub function: String,
    /// Ordinal of the branch in its function.
    pub inst: u32,
    /// Block it ends.
    pub block: String,
    pub text: String,
    /// `file:line:column` with inlined call sites, empty without debug info.
    pub location: String,
    /// Number of warps, or groups of their lanes, that reached it.
    pub visits: u64,
    /// Number of visits in which lanes took different successors.
    pub splits: u64,
    /// Number of lanes that reached it.
    pub lanes: u64,
    /// Successor block and lanes that went there.
    pub taken: Vec<(String, u64)>,
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

impl DivergenceMap {
    /// All branches that were executed, in module order.
    pub fn branches(&self, image: &ModuleImage) -> Vec<BranchCount> {
        let mut list = Vec::new();
        for (&(func, inst), counts) in &self.branches {
            let function = &image.functions[func.index()];
            let branch = &function.insts[inst as usize];
            let name = |block: u32| function.blocks[block as usize].name.clone();
            list.push(BranchCount {
                function: function.name.clone(),
                inst,
                block: name(function.block_of(inst)),
                text: branch.text.trim_end_matches('[').trim_end().to_owned(),
                location: branch.loc.map(|loc| image.describe_location(loc)).unwrap_or_default(),
                visits: counts.visits,
                splits: counts.splits,
                lanes: counts.lanes,
                taken: counts.taken.iter().map(|&(block, lanes)| (name(block), lanes)).collect(),
            });
        }
        list
    }
}
