//! Which cycles need more registers than the budget, and how many?
//!
//! Taking more values out of registers never increases what a cycle needs. So a number computed earlier is an upper
//! bound, and is computed again only if the cycle could still be the one that needs most.

use super::{Held, Pressure};
use crate::cfg::Cycle;
use crate::divergence::Outline;

/// The cycles that need more registers than the budget.
pub struct Needs {
    /// The one that needs most comes first.
    spilling: Vec<(u32, Cycle)>,
    /// Maximum number of registers that any cycle needs, and the maximum among those that fit the budget.
    pub most: u32,
    pub fitting: u32,
    /// The budget, in registers.
    pub registers: u32,
}

/// A cycle over budget, and an upper bound of what it needs.
#[derive(Clone, Copy)]
pub struct Tight {
    pub cycle: Cycle,
    pub units: u32,
    /// Number of values that had been taken out of registers when that was computed.
    taken: usize,
    pub is_relieved: bool,
}

impl Tight {
    /// What it needs now, in registers.
    pub fn units(&mut self, outline: &Outline, pressure: &Pressure, held: &mut Held, taken: usize) -> u32 {
        if self.taken != taken {
            (self.units, self.taken) = (pressure.of_cycle(outline, self.cycle, held), taken);
        }
        self.units
    }
}

impl Needs {
    /// Finds the cycles over budget.
    pub fn of(outline: &Outline, pressure: &Pressure, registers: u32) -> Needs {
        let mut spilling = pressure.of_cycles(outline);
        let most = spilling.iter().map(|found| found.0).max().unwrap_or(0);
        let spills = |&(units, cycle): &(u32, Cycle)| units + pressure.reserve(outline, cycle) > registers;
        let fitting = spilling.iter().filter(|found| !spills(found)).map(|found| found.0).max().unwrap_or(0);
        spilling.retain(spills);
        spilling.sort_by_key(|&(units, cycle)| (std::cmp::Reverse(units), cycle));
        Needs { spilling, most, fitting, registers }
    }
    /// Whether there are none.
    pub fn are_met(&self) -> bool {
        self.spilling.is_empty()
    }
    /// The cycles, with nothing taken out of registers yet.
    pub fn tight(&self) -> Vec<Tight> {
        let begin = |&(units, cycle): &(u32, Cycle)| Tight { cycle, units, taken: 0, is_relieved: false };
        self.spilling.iter().map(begin).collect()
    }
}

/// Among the cycles not relieved yet, the one that needs most registers.
pub fn worst<'a>(
    outline: &Outline,
    pressure: &Pressure,
    tight: &'a mut [Tight],
    held: &mut Held,
    taken: usize,
) -> Option<&'a mut Tight> {
    let cycles = &outline.cfg().cycles;
    let rank = |found: &Tight| (found.units, cycles.depth(found.cycle), std::cmp::Reverse(found.cycle));
    let mut most: Option<&mut Tight> = None;
    for found in tight.iter_mut().filter(|found| !found.is_relieved) {
        // it does not need more now than before
        if most.as_ref().is_none_or(|most| found.units >= most.units) {
            found.units(outline, pressure, held, taken);
            if most.as_ref().is_none_or(|most| rank(found) > rank(most)) {
                most = Some(found);
            }
        }
    }
    most
}
