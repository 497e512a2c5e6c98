//! Which uses of a value come after a loop has begun?

use super::pressure::Pressure;
use crate::cfg::Cycle;
use crate::divergence::Facts;
use crate::kernel::entity::{Block, Inst, Value};
use crate::kernel::inst::Opcode;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;

/// One use that is reloaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UseSite {
    pub inst: Inst,
    pub operand: u32,
    /// Where the reload stands: the block of the instruction, or the edge's block of a phi.
    pub block: Block,
    /// The instruction it stands before, and the place of that.
    pub before: Inst,
    pub place: u32,
}

/// The blocks of a cycle and those that a path from its header leads to.
pub fn reached_from(facts: &Facts, cycle: Cycle) -> FixedBitSet {
    let cycles = &facts.cfg().cycles;
    let graph = &facts.kernel.graph;
    let mut reached = FixedBitSet::with_capacity(graph.block_count());
    let mut stack = vec![cycles.header(cycle)];
    while let Some(block) = stack.pop() {
        for &next in graph.succs(block) {
            if !reached.put(next.index()) {
                stack.push(next);
            }
        }
    }
    reached.extend(cycles.blocks(cycle).iter().map(|block| block.index()));
    reached
}

/// The uses that a path from the header of one of the cycles leads to.
pub fn reloads(facts: &Facts, pressure: &Pressure, value: Value, relieved: &[&FixedBitSet]) -> Vec<UseSite> {
    let kernel = &facts.kernel;
    // in the block of the definition the register is there anyway
    let home = kernel.def(value).map(|def| kernel.insts[def].block);
    let mut sites = Vec::new();
    let mut last = None;
    // in function order, once for each operand
    for &inst in facts.users(value) {
        if last.replace(inst) == Some(inst) {
            continue;
        }
        let data = &kernel.insts[inst];
        let is_phi = data.opcode == Opcode::Phi;
        let after = |block: Block| {
            home != Some(block)
                && relieved.iter().any(|reached| reached.contains(block.index()))
                && facts.is_reachable(block)
        };
        if !is_phi && !after(data.block) {
            continue;
        }
        for (operand, _) in kernel.operands(inst).iter().enumerate().filter(|&(_, &used)| used == value) {
            let block = if is_phi { kernel.incoming(inst)[operand] } else { data.block };
            if !is_phi || after(block) {
                let before = if is_phi { kernel.terminator(block) } else { inst };
                sites.push(UseSite { inst, operand: operand as u32, block, before, place: pressure.place(before) });
            }
        }
    }
    sites
}

/// Whether [`reloads`] finds any.
pub fn is_reloaded(facts: &Facts, value: Value, reached: &FixedBitSet) -> bool {
    let kernel = &facts.kernel;
    let home = kernel.def(value).map(|def| kernel.insts[def].block);
    let after = |block: Block| home != Some(block) && reached.contains(block.index()) && facts.is_reachable(block);
    facts.users(value).iter().any(|&inst| {
        let data = &kernel.insts[inst];
        if data.opcode != Opcode::Phi {
            return after(data.block);
        }
        let edges = kernel.operands(inst).iter().zip(kernel.incoming(inst));
        edges.filter(|&(&used, _)| used == value).any(|(_, &from)| after(from))
    })
}
