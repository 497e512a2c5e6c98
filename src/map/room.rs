//! About how many registers does a function keep busy across block boundaries? A quick overestimate.
//!
//! Every value that another block uses is taken to live from its block to the last one that uses it, in an order in which
//! cycles are contiguous; a value that a cycle uses and does not define lives to the cycle's end. One walk over operands,
//! where exact liveness would cost several times the analysis.

use crate::divergence::Facts;
use crate::kernel::entity::{Block, Inst};
use crate::kernel::inst::Opcode;
use crate::kernel::types::TypeKind;
use cranelift_entity::EntityRef;

/// The most 32-bit registers that are held at once between blocks.
pub fn busy(facts: &Facts) -> u32 {
    let kernel = &facts.kernel;
    let cycles = &facts.cfg().cycles;
    let mut ends = vec![0u32; kernel.insts.len()];
    let mut used = |def: Inst, at: Block| {
        let home = kernel.insts[def].block;
        if home == at || !cycles.is_reachable(at) || !cycles.is_reachable(home) {
            return;
        }
        let around = cycles.cycle_of(at).into_iter().flat_map(|cycle| cycles.ancestors(cycle));
        let outer = around.take_while(|&cycle| !cycles.contains(cycle, home)).last();
        let end = outer.map_or(cycles.position(at) + 1, |cycle| cycles.range(cycle).end);
        ends[def.index()] = ends[def.index()].max(end);
    };
    for inst in kernel.insts.keys() {
        let data = &kernel.insts[inst];
        let operands = kernel.operands(inst);
        if data.opcode == Opcode::Phi {
            for (&value, &from) in operands.iter().zip(kernel.incoming(inst)) {
                // the phi's own register takes over at the edge
                if let Some(def) = kernel.def(value) {
                    used(def, from);
                }
            }
        } else {
            operands.iter().filter_map(|&value| kernel.def(value)).for_each(|def| used(def, data.block));
        }
    }
    let mut changes = vec![0i64; cycles.order().len() + 1];
    for (inst, &end) in kernel.insts.keys().zip(&ends) {
        let start = cycles.position(kernel.insts[inst].block);
        if end <= start {
            continue;
        }
        let ty = &kernel.types[kernel.insts[inst].ty];
        let units = match ty.kind {
            TypeKind::Void => 0,
            _ if kernel.int_bits(kernel.result(inst)) == Some(1) => 0,
            _ => ty.store_size.div_ceil(4).min(4),
        };
        changes[start as usize] += units as i64;
        changes[end as usize] -= units as i64;
    }
    let mut held = 0;
    let most = changes.iter().map(|change| {
        held += change;
        held
    });
    most.max().unwrap_or(0).clamp(0, u32::MAX.into()) as u32
}
