//! Which loads stay where they are, since LLVM's back end would move them behind branches?
//!
//! `MachineSink` moves an instruction from block to block down to its users, a load too if no store is in the way. Into one side
//! of a branch that saves work. But it also goes on across branches that join again, to a user that every lane comes to: then
//! the load starts when those branches are done, and its time is spent behind them instead of beside them.
//!
//! A statement without text that may write memory, at the end of the block, keeps the loads of a block that
//!
//! 1. would sink: no store is behind them, no user is in their block or in the next one on the way to all of their users,
//! 2. would save nothing: those blocks post-dominate theirs,
//! 3. take long: lanes load from different places of memory that is far away, and there are more than [`SINKING_LOADS`].
//!
//! If another load of the block could move to one side of a branch, LLVM may have them all.

use super::ahead::{is_far, stops};
use crate::analyses::FunctionAnalyses;
use warpwise_analysis::cfg::dominators::Dominators;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::gpu::prices::{SINKING_LOADS, UNSEEN_REGISTERS};
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, Function, RawOpcode};

/// The loads of one block that stay there.
pub struct Stay {
    /// The last of them in function order.
    pub last: Inst,
    pub loads: usize,
}

/// Where a load would go.
enum Goal {
    /// Nowhere.
    Here,
    /// To where only some lanes come.
    Side,
    /// To where all lanes come that execute it.
    Behind,
}

/// Whether a function has enough loads in front of a branch. Asked of LLVM's own instructions, before it is imported.
pub fn may_gain(function: Function<'_>) -> bool {
    let is_load = |inst: &handle::Inst<'_>| inst.opcode() == RawOpcode::LLVMLoad;
    function
        .blocks()
        .any(|block| block.successors().nth(1).is_some() && block.insts().filter(is_load).nth(SINKING_LOADS).is_some())
}

/// The loads that stay, block by block. `regs` is the number of registers, if that is stated: they have to do.
pub fn plan(analyses: &mut FunctionAnalyses<'_>, regs: Option<u32>) -> Vec<Stay> {
    let outline = analyses.outline();
    let after = Dominators::backward(&outline.func.graph, &outline.cfg().cycles);
    let blocks = outline.func.blocks.keys().filter(|&block| outline.is_reachable(block));
    let sinking: Vec<_> = blocks.filter_map(|block| in_block(outline, &after, block)).collect();
    if sinking.is_empty() {
        return Vec::new();
    }
    let (facts, pressure) = analyses.facts_and_pressure();
    let budget = register_budget(regs, &facts.geometry).unwrap_or(MAX_REGISTERS);
    if pressure.largest_of_blocks(facts) + UNSEEN_REGISTERS > budget {
        return Vec::new();
    }
    let far = |mut loads: Vec<Inst>| {
        loads.retain(|&load| is_far(facts, load));
        (loads.len() > SINKING_LOADS).then(|| Stay { last: loads[0], loads: loads.len() })
    };
    sinking.into_iter().filter_map(far).collect()
}

/// The loads of a block that would sink and save nothing, the last one first; `None` if they are few, or one could move to a
/// side.
fn in_block(outline: &Outline, after: &Dominators, block: Block) -> Option<Vec<Inst>> {
    let func = &outline.func;
    if !func.graph.is_branch(block) {
        return None;
    }
    let mut sinking = Vec::new();
    let movable = func.block_insts(block).rev().take_while(|&inst| !stops(func, inst));
    for load in movable.filter(|&inst| func.is_plain_load(inst)) {
        match goal(outline, after, load, block) {
            Goal::Here => {}
            Goal::Side => return None,
            Goal::Behind => sinking.push(load),
        }
    }
    (sinking.len() > SINKING_LOADS).then_some(sinking)
}

/// Where `MachineSink` would bring a load of a block.
fn goal(outline: &Outline, after: &Dominators, load: Inst, block: Block) -> Goal {
    let (func, dominators) = (&outline.func, outline.dominators());
    let users = outline.users(func.result(load));
    let block_of = |&user: &Inst| func.insts[user].block;
    // a phi's use is on an edge: where that begins is not asked
    if users.iter().any(|&user| func.insts[user].opcode == Opcode::Phi) {
        return Goal::Here;
    }
    let common = users.iter().map(block_of).map(Some).reduce(|a, b| dominators.common(a?, b?)).flatten();
    let next = common.and_then(|common| dominators.above(common).find(|&at| dominators.idom(at) == Some(block)));
    let (Some(common), Some(next)) = (common, next) else { return Goal::Here };
    if !after.dominates(common, block) || !after.dominates(next, block) {
        return Goal::Side;
    }
    if users.iter().any(|user| block_of(user) == next) { Goal::Here } else { Goal::Behind }
}

/// Keeps the loads.
pub fn apply<'m>(handles: &Handles<'m>, found: &[Stay], editor: &mut Editor<'m>) {
    for stay in found {
        let terminator = handles.inst(stay.last).block().terminator();
        editor.before(terminator.expect("a block that branches")).statement("", "~{memory}");
    }
}
