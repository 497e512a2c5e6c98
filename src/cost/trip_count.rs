//! How often does a loop iterate for each entry, and which constants does it count with?
//!
//! The count is that of [`Frequencies`], for loops whose only exit is in their header or their latch, so that every
//! iteration passes it once. Two such loops count alike if a phi of each header has the same constants as start, step
//! and bound.
//!
//! Cost: linear in the edges of the cycle.

use super::frequency::Frequencies;
use crate::cfg::Cycles;
use crate::cfg::cycles::Cycle;
use crate::entity::{Block, Value};
use crate::ir::Func;
use crate::ir::inst::{ConstData, Opcode, Predicate};

/// The number of iterations of a loop for each entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TripCount {
    /// Executions of the header.
    pub header: u64,
    /// Executions of the code after the exit.
    pub whole: u64,
    pub exit: Block,
    /// Index of the successor of the exit that leaves the loop.
    pub leaves: usize,
    constants: Option<Constants>,
}

/// Start, step and bound, and the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Constants {
    start: u64,
    step: u64,
    bound: u64,
    predicate: Predicate,
    /// The comparison uses the value of the next iteration.
    is_next: bool,
}

impl TripCount {
    /// For a reducible cycle with one latch.
    pub fn of(
        func: &Func,
        cycles: &Cycles,
        frequencies: &Frequencies<'_>,
        cycle: Cycle,
        latch: Block,
    ) -> Option<TripCount> {
        let mut exits = cycles.exit_edges(&func.graph, cycle);
        let (exit, target) = exits.next()?;
        if exits.next().is_some() || (exit != cycles.header(cycle) && exit != latch) {
            return None;
        }
        let leaves = func.graph.succs(exit).iter().position(|&to| to == target)?;
        if func.insts[func.terminator(exit)].opcode != Opcode::CondBr {
            return None;
        }
        let header = frequencies.turns(cycles.header(cycle))?.exact?;
        let whole = if exit == latch { header } else { header - 1 };
        Some(TripCount { header, whole, exit, leaves, constants: Constants::of(func, cycles, cycle, exit) })
    }

    /// Whether both loops are known to count with the same start, step and bound.
    pub fn counts_like(&self, other: &TripCount) -> bool {
        self.constants.is_some() && self.constants == other.constants
    }
}

impl Constants {
    fn of(func: &Func, cycles: &Cycles, cycle: Cycle, exit: Block) -> Option<Constants> {
        let test = func.def(func.condition(func.terminator(exit))?)?;
        if func.insts[test].opcode != Opcode::ICmp {
            return None;
        }
        let predicate = Predicate::from_sub(func.insts[test].sub)?;
        let &[a, b] = func.operands(test) else { return None };
        let (counter, bound, predicate) = match (number(func, a), number(func, b)) {
            (None, Some(bound)) => (a, bound, predicate),
            (Some(bound), None) => (b, bound, predicate.swapped()),
            _ => return None,
        };
        let def = func.def(counter)?;
        let is_next = func.insts[def].opcode != Opcode::Phi;
        let phi = if is_next { func.def(*func.operands(def).first()?)? } else { def };
        if func.insts[phi].opcode != Opcode::Phi || func.insts[phi].block != cycles.header(cycle) {
            return None;
        }
        let (mut next, mut start) = (None, None);
        for (&value, &from) in func.operands(phi).iter().zip(func.incoming(phi)) {
            let known = if cycles.contains(cycle, from) { &mut next } else { &mut start };
            let value = if cycles.contains(cycle, from) { u64::from(value.as_u32()) } else { number(func, value)? };
            if known.replace(value).is_some_and(|other| other != value) {
                return None;
            }
        }
        let update = func.def(Value::from_u32(u32::try_from(next?).ok()?))?;
        let &[old, by] = func.operands(update) else { return None };
        let fits = func.insts[update].opcode == Opcode::Add && old == func.result(phi) && (!is_next || update == def);
        fits.then_some(Constants { start: start?, step: number(func, by)?, bound, predicate, is_next })
    }
}

fn number(func: &Func, value: Value) -> Option<u64> {
    match func.constant(value) {
        Some(ConstData::Int(number)) => Some(number),
        _ => None,
    }
}
