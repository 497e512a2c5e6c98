//! Which of two groups of lanes is further behind? The order that makes lanes reconverge.

use super::cfg::Flow;
use smallvec::SmallVec;

/// Iteration counts, outermost cycle first.
pub(super) type Counts = SmallVec<[u32; 4]>;

/// No token: nothing to reconverge with.
pub(super) const ROOT: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) mask: u32,
    pub(super) block: u32,
    /// Next micro-operation.
    pub(super) pc: u32,
    pub(super) counts: Counts,
    pub(super) token: u32,
}

/// Whether group `a` is further behind than `b`.
pub(super) fn behind(flow: &Flow, a: &Group, b: &Group) -> bool {
    let (x, y) = (&flow.cycles[a.block as usize], &flow.cycles[b.block as usize]);
    for (level, _) in x.iter().zip(y).enumerate().take_while(|(_, (p, q))| p == q) {
        if a.counts[level] != b.counts[level] {
            return a.counts[level] < b.counts[level];
        }
    }
    flow.order[a.block as usize] < flow.order[b.block as usize]
}
