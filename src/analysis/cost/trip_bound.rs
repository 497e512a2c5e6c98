//! How often is a block visited at most for each entry of its function?
//!
//! [`TripBounds`] multiplies the bounds that [`Frequencies`] gives for loops, and names the cycles whose bounds are not
//! sufficient for a caller that counts visits. A cycle with several entries has no bound.

use super::frequency::Frequencies;
use crate::cfg::Cycles;
use crate::cfg::cycles::Cycle;

/// Upper bounds for the cycles of a function.
pub struct TripBounds {
    /// Most iterations for each entry, by cycle; `u64::MAX` if unknown.
    most: Vec<u64>,
}

impl TripBounds {
    /// Bounds every cycle of a function.
    pub fn new(cycles: &Cycles, frequencies: &Frequencies<'_>) -> TripBounds {
        let most = |cycle: Cycle| {
            let turns = frequencies.turns(cycles.header(cycle)).filter(|_| cycles.is_reducible(cycle));
            turns.and_then(|turns| turns.most).unwrap_or(u64::MAX)
        };
        TripBounds { most: cycles.iter().map(most).collect() }
    }

    /// Most visits of a block that is in these cycles, for each entry of the function.
    pub fn visits(&self, cycles: &Cycles, innermost: Option<Cycle>) -> u64 {
        let around = innermost.into_iter().flat_map(|cycle| cycles.ancestors(cycle));
        around.fold(1u64, |product, cycle| product.saturating_mul(self.most[cycle.as_u32() as usize]))
    }

    /// The cycles at whose headers counters must be checked, given the innermost cycles around counted branches, so
    /// that no branch is visited more than `limit` times between two checks or without any.
    pub fn checks(&self, cycles: &Cycles, counted: impl Fn(Cycle) -> bool, limit: u64) -> Vec<Cycle> {
        let mut visits = vec![0u64; cycles.len()];
        let mut checks = Vec::new();
        for cycle in cycles.iter().rev() {
            let index = cycle.as_u32() as usize;
            let each = visits[index].max(u64::from(counted(cycle)));
            let all = if each == 0 { 0 } else { each.saturating_mul(self.most[index]) };
            if all > limit {
                checks.push(cycle);
            } else if let Some(parent) = cycles.parent(cycle) {
                let sum = &mut visits[parent.as_u32() as usize];
                *sum = (*sum).max(all);
            }
        }
        checks.reverse();
        checks
    }
}
