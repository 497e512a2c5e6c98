//! What is a quick upper bound of the registers that a function needs? For callers to which a bound is enough.
//!
//! Every value is assumed to be live in one interval: from its block to the last block that uses it, in an order in
//! which cycles are contiguous. A value that a cycle uses but does not define is assumed to be live to the end of the
//! outermost such cycle. Real [liveness](super::liveness) is contained in these intervals, and costs several times as
//! much. Cost: linear in operands, times the nesting depth of cycles.

use super::type_units;
use crate::cfg::Cycles;
use crate::divergence::Outline;
use crate::gpu::prices::REORDERED_AWAY;
use cranelift_entity::EntityRef;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::inst::Opcode;
use warpwise_ir::types::TypeKind;

/// Upper bound of the registers of any block: those held between blocks, plus those of its own values.
pub fn at_most(outline: &Outline) -> u32 {
    let (func, cycles) = (&outline.func, &outline.cfg().cycles);
    let units = |inst: Inst| {
        let info = func.type_info(func.result(inst));
        type_units(info.kind, info.store_size)
    };
    let reachable = func.insts.keys().filter(|&inst| cycles.is_reachable(func.insts[inst].block));
    let largest = reachable.map(units).max().unwrap_or(0);
    // the values of the block, and one more of the widest for the current instruction
    most_at_once(func, cycles, units) + REORDERED_AWAY + largest
}

/// Upper bound of the registers held at once between blocks. A value wider than four registers counts as four.
pub fn between_blocks(outline: &Outline) -> u32 {
    let func = &outline.func;
    most_at_once(func, &outline.cfg().cycles, |inst| {
        let ty = &func.types[func.insts[inst].ty];
        match ty.kind {
            TypeKind::Void | TypeKind::Int(1) => 0,
            _ => ty.store_size.div_ceil(4).min(4) as u32,
        }
    })
}

/// Upper bound of the units held at once across block boundaries; `units` gives those of a result.
fn most_at_once(func: &Func, cycles: &Cycles, units: impl Fn(Inst) -> u32) -> u32 {
    let mut ends = vec![0u32; func.insts.len()];
    let mut used = |def: Inst, at: Block| {
        let home = func.insts[def].block;
        let position = cycles.position(at);
        if home == at || position == u32::MAX || !cycles.is_reachable(home) {
            return;
        }
        let end = cycles.end_of_use(at, |cycle| cycles.contains(cycle, home));
        ends[def.index()] = ends[def.index()].max(end);
    };
    for &block in cycles.order() {
        for inst in func.block_insts(block) {
            let operands = func.operands(inst);
            if func.insts[inst].opcode == Opcode::Phi {
                for (&value, &from) in operands.iter().zip(func.incoming(inst)) {
                    // from the edge on, the phi's own register holds the value
                    if let Some(def) = func.def(value) {
                        used(def, from);
                    }
                }
            } else {
                operands.iter().filter_map(|&value| func.def(value)).for_each(|def| used(def, block));
            }
        }
    }
    let mut changes = vec![0i64; cycles.order().len() + 1];
    for (inst, &end) in func.insts.keys().zip(&ends) {
        let start = cycles.position(func.insts[inst].block);
        if end <= start {
            continue;
        }
        let units = i64::from(units(inst));
        changes[start as usize] += units;
        changes[end as usize] -= units;
    }
    let mut held = 0;
    let most = changes.iter().map(|change| {
        held += change;
        held
    });
    most.max().unwrap_or(0).clamp(0, u32::MAX.into()) as u32
}
