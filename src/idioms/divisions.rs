//! Which divisions would LLVM do ahead of a uniform branch that leads around them?
//!
//! SimplifyCFG takes a division of floating-point numbers for four cheap instructions and executes it ahead of the branch,
//! with a select behind it; InstCombine then writes `c ? x / y : x` as `x / (c ? y : 1)`. On a GPU it is some ten to thirty
//! instructions, and where all lanes of a warp branch alike, the branch saves them. Undoing that late would find only half
//! of it, so the branch is told to LLVM as one that nearly never leads to the division, which is as much as it asks before
//! it speculates; the weights are taken away at the end. Weights change no results.

use crate::analyses::{Analyses, Kept};
use crate::driver;
use crate::settings::Results;
use crate::settings::transform::IDIOMS;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;
use warpwise_analysis::contraction::raw::Ends;
use warpwise_analysis::divergence;
use warpwise_ir::entity;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{
    LLVMAlloca, LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMCall, LLVMFDiv, LLVMLoad, LLVMStore,
};
use warpwise_ir::llvm::handle::{self, Block, Function, Inst, Module, Value, ValueKind};
use warpwise_ir::llvm::remark::{Kind, PassManager, Reshape};

/// What is said of a branch that stays.
const KEPT: &str = "a uniform branch around a division stays: LLVM would divide ahead of it";
/// What is said of one that does not.
const UNDECIDED: &str = "a division is done ahead of its uniform branch: with the branch, other products and sums could \
                         become multiply-adds";

/// The weights of a marked branch, that of the division first.
const WEIGHTS: [u32; 2] = [1, (1 << 20) - 1];
/// Values that a condition is looked through for.
const MAX_SLICE: usize = 64;
/// Instructions beside a division that LLVM would execute ahead of a branch.
const MAX_BESIDE: usize = 8;

/// Marks branches around divisions that may be uniform, before LLVM has speculated; returns whether any is marked.
pub fn mark(module: Module<'_>, manager: &PassManager<'_>) -> bool {
    let branches = driver::editable(module, IDIOMS, manager).flat_map(Function::blocks).filter_map(Block::terminator);
    let found: Vec<(Inst<'_>, bool)> =
        branches.filter_map(|branch| Some((branch, leads_to_division(branch)?))).collect();
    let (mut editor, kind) = (Editor::new(module), kind(module));
    for &(branch, is_first) in &found {
        let [rare, usual] = WEIGHTS;
        let node = editor.branch_weights(if is_first { [rare, usual] } else { [usual, rare] });
        editor.set_metadata(branch, kind, node);
    }
    !found.is_empty()
}

/// Leaves only those marked that are uniform, if that is sure to round as without; returns whether the module changed.
pub fn settle(module: Module<'_>, results: Results, manager: &PassManager<'_>) -> bool {
    let all = module.functions().map(|function| (function, marked(function)));
    let all: Vec<(Function<'_>, Vec<Inst<'_>>)> = all.filter(|(_, marked)| !marked.is_empty()).collect();
    if all.is_empty() {
        return false;
    }
    let mut analyses = Analyses::new(module, divergence::Options::default());
    let mut editor = Editor::new(module);
    for (function, mut marked) in all {
        let kept = keep(function, &marked, results, &mut analyses, manager);
        marked.retain(|branch| !kept.contains(branch));
        if !kept.is_empty() {
            results.pins(function, Ends::Objects(&[])).iter().flatten().for_each(|pins| pins.apply(&mut editor));
        }
        clear(&mut editor, &marked);
        if !marked.is_empty() {
            manager.reshape(function, Reshape::CleanUp);
        }
        analyses.edited(function, Kept::Nothing);
    }
    true
}

/// Those of the marked branches of a function that are to stay.
fn keep<'m>(
    function: Function<'m>,
    marked: &[Inst<'m>],
    results: Results,
    analyses: &mut Analyses<'m>,
    manager: &PassManager<'_>,
) -> Vec<Inst<'m>> {
    if !driver::may_change(function, IDIOMS, manager) {
        return Vec::new();
    }
    let (facts, handles) = analyses.of(function).facts_and_handles();
    let is_uniform = |branch: &Inst<'m>| {
        let index = handles.blocks.iter().position(|&block| block == branch.block());
        index.is_some_and(|index| !facts.is_divergent_branch(entity::Block::new(index)))
    };
    let uniform = marked.iter().copied().filter(is_uniform);
    if results.pins(function, Ends::Objects(&[])).is_none() {
        uniform.for_each(|branch| {
            manager.emit(Kind::Missed, function, Some(branch), "BranchContraction", UNDECIDED);
        });
        return Vec::new();
    }
    uniform
        .filter(|&branch| driver::admits(function, Some(branch), "BranchKept", || KEPT.to_owned(), manager))
        .collect()
}

/// Takes all marks away; returns whether there were any.
pub fn forget(module: Module<'_>) -> bool {
    let all: Vec<Inst<'_>> = module.functions().flat_map(marked).collect();
    clear(&mut Editor::new(module), &all);
    !all.is_empty()
}

fn clear<'m>(editor: &mut Editor<'m>, branches: &[Inst<'m>]) {
    let kind = kind(editor.module());
    branches.iter().for_each(|&branch| editor.clear_metadata(branch, kind));
}

fn kind(module: Module<'_>) -> u32 {
    handle::metadata_kind(module, "prof")
}

fn marked(function: Function<'_>) -> Vec<Inst<'_>> {
    let kind = kind(function.module());
    let is_marked = |branch: &Inst<'_>| {
        let weights: Vec<u64> = branch
            .metadata(kind)
            .into_iter()
            .flat_map(Value::md_operands)
            .flatten()
            .filter_map(Value::const_u64)
            .collect();
        let is = |wanted: [u32; 2]| weights.iter().copied().eq(wanted.map(u64::from));
        is(WEIGHTS) || is([WEIGHTS[1], WEIGHTS[0]])
    };
    function.blocks().filter_map(Block::terminator).filter(is_marked).collect()
}

/// Whether a branch leads around a division, and has it on its first way; `None` if it does not, nobody would execute the
/// division ahead of it, lanes may part there, or its weights are known.
fn leads_to_division(branch: Inst<'_>) -> Option<bool> {
    let condition = branch.branch_condition()?;
    if branch.metadata(kind(branch.block().function().module())).is_some() {
        return None;
    }
    let ways: Vec<Block<'_>> = branch.successors().collect();
    let &[first, second] = ways.as_slice() else { return None };
    let is_around = |side: Block<'_>, other: Block<'_>| {
        let mut next = side.terminator().into_iter().flat_map(Inst::successors);
        let join = next.next();
        let meets = |way: Block<'_>| way.terminator().into_iter().flat_map(Inst::successors).any(|at| Some(at) == join);
        next.next().is_none() && (join == Some(other) || meets(other)) && is_entered_once(side) && divides(side)
    };
    let is_first = is_around(first, second);
    (is_first || is_around(second, first))
        .then_some(is_first)
        .filter(|_| may_agree(condition, branch.block().function()))
}

fn is_entered_once(block: Block<'_>) -> bool {
    block.as_value().users().filter_map(Value::as_inst).count() == 1
}

/// Whether a block has a division that takes many instructions, and nothing that LLVM would not execute ahead of a branch.
fn divides(block: Block<'_>) -> bool {
    let is_division = |inst: &Inst<'_>| inst.opcode() == LLVMFDiv && !inst.is_reassociable();
    let stays =
        |inst: &Inst<'_>| matches!(inst.opcode(), LLVMCall | LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg);
    let insts = || block.insts();
    insts().any(|inst| is_division(&inst)) && !insts().any(|inst| stays(&inst)) && insts().count() <= MAX_BESIDE
}

/// Whether a condition could be the same for all lanes: nothing that it is computed from, in the callers too, says which
/// lane it is.
fn may_agree(condition: Value<'_>, function: Function<'_>) -> bool {
    let (mut open, mut seen) = (vec![(condition, function)], FxHashSet::default());
    while let Some((value, function)) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        let inst = value.as_inst();
        let is_own =
            |inst: Inst<'_>| matches!(inst.opcode(), LLVMCall | LLVMAlloca | LLVMAtomicRMW | LLVMAtomicCmpXchg);
        if inst.is_some_and(is_own) || seen.len() > MAX_SLICE {
            return false;
        }
        open.extend(inst.into_iter().flat_map(Inst::operands).map(|operand| (operand, function)));
        if value.kind() == ValueKind::Argument {
            open.extend(passed(value, function));
        }
    }
    true
}

/// What calls in the module pass for an argument, and who calls.
fn passed<'m>(argument: Value<'m>, function: Function<'m>) -> impl Iterator<Item = (Value<'m>, Function<'m>)> {
    let index = (0..function.param_count()).find(|&index| function.param(index) == argument);
    let calls = function.value().users().filter_map(Value::as_inst);
    let calls = calls.filter(move |call| call.opcode() == LLVMCall && call.called_function() == Some(function));
    calls.filter_map(move |call| Some((call.operand(index?), call.block().function())))
}
