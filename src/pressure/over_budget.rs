//! Which cycles need more registers than there are, and how many?
//!
//! A cycle never needs more with more values taken out of registers: what was found out once is a bound, and is counted again only where it
//! could still be the most.

use super::{Held, Pressure};
use crate::cfg::Cycle;
use crate::divergence::Outline;

/// The cycles that need more registers than there are.
pub struct Needs {
    /// Most first.
    spilling: Vec<(u32, Cycle)>,
    /// The most registers that any cycle needs, and the most of those that fit.
    pub most: u32,
    pub fitting: u32,
    /// Registers that there are.
    pub registers: u32,
}

/// A cycle that needs too many, and how many as far as is known.
#[derive(Clone, Copy)]
pub struct Tight {
    pub cycle: Cycle,
    pub units: u32,
    /// Values that were taken out of registers when that was found out: it needs no more with others.
    taken: usize,
    pub is_relieved: bool,
}

impl Tight {
    /// What it needs now.
    pub fn units(&mut self, outline: &Outline, pressure: &Pressure, held: &mut Held, taken: usize) -> u32 {
        if self.taken != taken {
            (self.units, self.taken) = (pressure.of_cycle(outline, self.cycle, held), taken);
        }
        self.units
    }
}

impl Needs {
    /// Finds them.
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
    /// Those cycles, nothing taken yet.
    pub fn tight(&self) -> Vec<Tight> {
        let begin = |&(units, cycle): &(u32, Cycle)| Tight { cycle, units, taken: 0, is_relieved: false };
        self.spilling.iter().map(begin).collect()
    }
}

/// Of the cycles that were not relieved, the one that needs most.
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
        // it needs no more now than it did
        if most.as_ref().is_none_or(|most| found.units >= most.units) {
            found.units(outline, pressure, held, taken);
            if most.as_ref().is_none_or(|most| rank(found) > rank(most)) {
                most = Some(found);
            }
        }
    }
    most
}
