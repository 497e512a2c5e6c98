//! About how many registers does a function keep busy across block boundaries? A quick overestimate.

use crate::divergence::Facts;
use crate::kernel::stretches::most_at_once;
use crate::kernel::types::TypeKind;

/// The most 32-bit registers that are held at once between blocks.
pub fn busy(facts: &Facts) -> u32 {
    let kernel = &facts.kernel;
    most_at_once(kernel, &facts.cfg().cycles, |inst| {
        let ty = &kernel.types[kernel.insts[inst].ty];
        match ty.kind {
            TypeKind::Void => 0,
            _ if kernel.int_bits(kernel.result(inst)) == Some(1) => 0,
            _ => ty.store_size.div_ceil(4).min(4) as u32,
        }
    })
}
