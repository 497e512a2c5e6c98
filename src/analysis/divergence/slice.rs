//! From which instructions are the conditions of a function computed?
//!
//! A rule sees the operands of its instruction, their operands, and the gates, which only branches narrow. So a solve that
//! visits nothing but terminators and what their conditions are computed from, directly or not, finds the same for all
//! branches as one that visits everything. It leaves out what is only stored or returned, which in many kernels is most.

use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_ir::Func;
use warpwise_ir::entity::Inst;

/// The terminators of a function, and the instructions from which their operands are computed.
pub(super) fn of_branches(func: &Func) -> FixedBitSet {
    let mut slice = FixedBitSet::with_capacity(func.insts.len());
    let mut open: Vec<Inst> = Vec::with_capacity(func.blocks.len());
    for block in func.blocks.keys().filter(|&block| func.graph.is_branch(block)) {
        let end = func.terminator(block);
        slice.insert(end.index());
        open.push(end);
    }
    while let Some(inst) = open.pop() {
        for def in func.operands(inst).iter().filter_map(|&operand| func.def(operand)) {
            if !slice.put(def.index()) {
                open.push(def);
            }
        }
    }
    slice
}
