//! About how many registers does a function keep busy across block boundaries? A quick overestimate.

use crate::divergence::Facts;
use crate::ir::types::TypeKind;
use crate::pressure::stretches::most_at_once;

/// The most 32-bit registers that are held at once between blocks.
pub fn busy(facts: &Facts) -> u32 {
    let func = &facts.func;
    most_at_once(func, &facts.cfg().cycles, |inst| {
        let ty = &func.types[func.insts[inst].ty];
        match ty.kind {
            TypeKind::Void => 0,
            _ if func.int_bits(func.result(inst)) == Some(1) => 0,
            _ => ty.store_size.div_ceil(4).min(4) as u32,
        }
    })
}
