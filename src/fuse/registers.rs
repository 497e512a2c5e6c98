//! How many registers can a function need at most, at a glance?
//!
//! The most that stretches of values overlap ([`crate::kernel::stretches`]), and what melding may add, is a bound for every
//! block.

use crate::divergence::Facts;
use crate::kernel::entity::Inst;
use crate::kernel::stretches::most_at_once;
use crate::spill::pressure::{LOCAL_CAP, type_units};

/// Units that the largest stretch of a function and its blocks' own values need together, melded or not.
pub fn at_most(facts: &Facts) -> u32 {
    let kernel = &facts.kernel;
    let cycles = &facts.cfg().cycles;
    let units = |inst: Inst| {
        let info = kernel.type_info(kernel.result(inst));
        type_units(info.kind, info.store_size)
    };
    let reachable = kernel.insts.keys().filter(|&inst| cycles.is_reachable(kernel.insts[inst].block));
    let largest = reachable.map(units).max().unwrap_or(0);
    // a block has values of its own; one more of the widest is in the hands of the instruction
    most_at_once(kernel, cycles, units) + LOCAL_CAP + largest
}
