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

/// The blocks of an outermost cycle and those that a path from it leads to. Cost: linear in edges.
pub fn reached_from(facts: &Facts, outermost: Cycle) -> FixedBitSet {
    let cycles = &facts.cfg().cycles;
    let graph = &facts.kernel.graph;
    let mut reached = FixedBitSet::with_capacity(graph.block_count());
    let blocks = |cycle| cycles.blocks(cycle).iter().map(|block| block.index());
    reached.extend(blocks(outermost));
    // nothing but cycles leads back in this order
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

/// The uses of a value in blocks of a set, by instruction and operand, and the block where the value would be put: that of
/// the instruction, or the edge's block of a phi. Not those in the block of the definition: the register is there anyway.
pub fn uses_in<'a>(
    facts: &'a Facts,
    value: Value,
    is_in: impl Fn(Block) -> bool + Copy + 'a,
) -> impl Iterator<Item = (Inst, u32, Block)> + 'a {
    let kernel = &facts.kernel;
    let home = kernel.def(value).map(|def| kernel.insts[def].block);
    let wanted = move |block: Block| home != Some(block) && is_in(block);
    // in function order, once for each operand
    let users = facts.users(value).chunk_by(|a, b| a == b).map(|same| same[0]);
    let phi = move |inst: Inst| kernel.insts[inst].opcode == Opcode::Phi;
    users.filter(move |&inst| phi(inst) || wanted(kernel.insts[inst].block)).flat_map(move |inst| {
        let operands = (0u32..).zip(kernel.operands(inst)).filter(move |&(_, &used)| used == value);
        operands.filter_map(move |(operand, _)| {
            let block = if phi(inst) { kernel.incoming(inst)[operand as usize] } else { kernel.insts[inst].block };
            wanted(block).then_some((inst, operand, block))
        })
    })
}

/// Those uses in function order, and where they are put.
pub fn reloads(facts: &Facts, pressure: &Pressure, value: Value, after: impl Fn(Block) -> bool + Copy) -> Vec<UseSite> {
    let kernel = &facts.kernel;
    let site = |(inst, operand, block): (Inst, u32, Block)| {
        let before = if kernel.insts[inst].opcode == Opcode::Phi { kernel.terminator(block) } else { inst };
        UseSite { inst, operand, block, before, place: pressure.place(before) }
    };
    uses_in(facts, value, after).map(site).collect()
}
