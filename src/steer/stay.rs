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
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::gpu::prices::{SINKING_LOADS, UNSEEN_REGISTERS};
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, RawOpcode};

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

/// Whether a function has a load in front of a branch. Asked of LLVM's own instructions, before it is imported.
pub fn may_gain(function: Function<'_>) -> bool {
    function.blocks().any(|block| {
        block.successors().nth(1).is_some() && block.insts().any(|inst| inst.opcode() == RawOpcode::LLVMLoad)
    })
}

/// The loads that stay, block by block. `regs` is the number of registers, if that is stated: they have to do.
pub fn plan(analyses: &mut FunctionAnalyses<'_>, regs: Option<u32>) -> Vec<Stay> {
    let (facts, pressure) = analyses.facts_and_pressure();
    let after = Dominators::backward(&facts.func.graph, &facts.cfg().cycles);
    let blocks = || facts.func.blocks.keys().filter(|&block| facts.is_reachable(block));
    let found: Vec<Stay> = blocks().filter_map(|block| in_block(facts, &after, block)).collect();
    if found.is_empty() {
        return found;
    }
    let budget = register_budget(regs, &facts.geometry).unwrap_or(MAX_REGISTERS);
    let mut everything = pressure.everything();
    let most = blocks().map(|block| pressure.of_block(facts, block, &mut everything)).max().unwrap_or(0);
    if most + UNSEEN_REGISTERS > budget { Vec::new() } else { found }
}

/// The loads of a block that stay there.
fn in_block(facts: &Facts, after: &Dominators, block: Block) -> Option<Stay> {
    let func = &facts.func;
    if !func.graph.is_branch(block) {
        return None;
    }
    let mut stay = None;
    for load in func.block_insts(block).rev().take_while(|&inst| !stops(func, inst)) {
        if !func.is_plain_load(load) {
            continue;
        }
        match goal(facts, after, load, block) {
            Goal::Here => {}
            Goal::Side => return None,
            Goal::Behind if is_far(facts, load) => stay.get_or_insert(Stay { last: load, loads: 0 }).loads += 1,
            Goal::Behind => {}
        }
    }
    stay.filter(|stay: &Stay| stay.loads > SINKING_LOADS)
}

/// Where `MachineSink` would bring a load of a block.
fn goal(facts: &Facts, after: &Dominators, load: Inst, block: Block) -> Goal {
    let (func, dominators) = (&facts.func, facts.dominators());
    let users = facts.users(func.result(load));
    let block_of = |&user: &Inst| func.insts[user].block;
    // a phi's use is on an edge: where that begins is not asked
    if users.is_empty() || users.iter().any(|user| func.insts[*user].opcode == Opcode::Phi) {
        return Goal::Here;
    }
    let common = users.iter().map(block_of).map(Some).reduce(|a, b| dominators.common(a?, b?)).flatten();
    let Some(common) = common.filter(|&common| common != block) else { return Goal::Here };
    let Some(next) =
        std::iter::once(common).chain(dominators.above(common)).find(|&at| dominators.idom(at) == Some(block))
    else {
        return Goal::Here;
    };
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
