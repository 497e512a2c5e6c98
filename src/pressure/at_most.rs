//! How many registers can a function need at most, at a glance?
//!
//! The most that stretches of values overlap ([`crate::pressure::stretches`]), and what melding may add, is a bound for every
//! block.

use crate::divergence::Facts;
use crate::entity::Inst;
use crate::pressure::stretches::most_at_once;
use crate::pressure::{LOCAL_CAP, type_units};

/// Units that the largest stretch of a function and its blocks' own values need together, melded or not.
pub fn at_most(facts: &Facts) -> u32 {
    let func = &facts.func;
    let cycles = &facts.cfg().cycles;
    let units = |inst: Inst| {
        let info = func.type_info(func.result(inst));
        type_units(info.kind, info.store_size)
    };
    let reachable = func.insts.keys().filter(|&inst| cycles.is_reachable(func.insts[inst].block));
    let largest = reachable.map(units).max().unwrap_or(0);
    // a block has values of its own; one more of the widest is in the hands of the instruction
    most_at_once(func, cycles, units) + LOCAL_CAP + largest
}
