//! Which uses of a value come after a loop has been entered?

use crate::cfg::Cycle;
use crate::divergence::Outline;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;

/// One use that is to be reloaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UseSite {
    pub inst: Inst,
    pub operand: u32,
    /// Block of the reload: the block of the instruction, or for a phi the block of the edge.
    pub block: Block,
    /// The instruction before which the reload is inserted.
    pub before: Inst,
}

/// The blocks of an outermost cycle and those reachable from it. Cost: linear in edges.
pub fn reached_from(outline: &Outline, outermost: Cycle) -> FixedBitSet {
    let cycles = &outline.cfg().cycles;
    let graph = &outline.func.graph;
    let mut reached = FixedBitSet::with_capacity(graph.block_count());
    let blocks = |cycle| cycles.blocks(cycle).iter().map(|block| block.index());
    reached.extend(blocks(outermost));
    // in this order, only cycles lead back
    let mut at = cycles.range(outermost).end as usize;
    while let Some(&block) = cycles.order().get(at) {
        let is_reached = |block: Block| graph.preds(block).iter().any(|from| reached.contains(from.index()));
        match cycles.outermost_of(block) {
            None => {
                if is_reached(block) {
                    reached.insert(block.index());
                }
                at += 1;
            }
            Some(cycle) => {
                if cycles.entries(cycle).iter().any(|&entry| is_reached(entry)) {
                    reached.extend(blocks(cycle));
                }
                at = cycles.range(cycle).end as usize;
            }
        }
    }
    reached
}

/// Visits the uses of a value in a set of blocks, in function order: the instruction, the operand, and the block for a
/// reload (that of the instruction, or for a phi that of the edge). Uses in the block of the definition are left out,
/// since the register is available there. Stops early and returns false if the visitor does.
pub fn each_use(
    outline: &Outline,
    value: Value,
    is_in: impl Fn(Block) -> bool,
    mut visit: impl FnMut(Inst, u32, Block) -> bool,
) -> bool {
    let func = &outline.func;
    let home = func.def(value).map(|def| func.insts[def].block);
    let wanted = |block: Block| home != Some(block) && is_in(block);
    let mut last = None;
    for &inst in outline.users(value) {
        // once for each operand
        if last.replace(inst) == Some(inst) {
            continue;
        }
        let data = &func.insts[inst];
        if data.opcode == Opcode::Phi {
            let edges = func.operands(inst).iter().zip(func.incoming(inst));
            for (operand, (&used, &from)) in (0u32..).zip(edges) {
                if used == value && wanted(from) && !visit(inst, operand, from) {
                    return false;
                }
            }
        } else if wanted(data.block) {
            for (operand, &used) in (0u32..).zip(func.operands(inst)) {
                if used == value && !visit(inst, operand, data.block) {
                    return false;
                }
            }
        }
    }
    true
}

/// These uses, with their reloads.
pub fn reloads(outline: &Outline, value: Value, after: impl Fn(Block) -> bool) -> Vec<UseSite> {
    let func = &outline.func;
    let mut sites = Vec::new();
    each_use(outline, value, after, |inst, operand, block| {
        let before = if func.insts[inst].opcode == Opcode::Phi { func.terminator(block) } else { inst };
        sites.push(UseSite { inst, operand, block, before });
        true
    });
    sites
}
