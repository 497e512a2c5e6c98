//! How often is a block visited at most, for one entry of its function?
//!
//! [`TripBounds`] multiplies what [`Frequencies`] knows of the turns of loops at most, and names the cycles whose bound is not
//! enough for somebody who counts visits. A cycle that is entered at several blocks has no bound.

use super::frequency::Frequencies;
use crate::cfg::Cycles;
use crate::cfg::cycles::Cycle;

/// Bounds of a function's cycles.
pub struct TripBounds {
    /// Most iterations an entry, by cycle; `u64::MAX` where nothing is known.
    most: Vec<u64>,
}

impl TripBounds {
    /// Looks at every cycle of a function.
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

    /// Cycles at whose headers counters are looked at, given the innermost cycles around counted branches: between two
    /// looks, or without any, no branch is visited more than `limit` times.
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
