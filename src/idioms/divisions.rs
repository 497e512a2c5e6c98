//! Which divisions would LLVM do ahead of a uniform branch that leads around them?
//!
//! SimplifyCFG takes a division of floating-point numbers for four cheap instructions and executes it ahead of the branch,
//! with a select behind it; InstCombine then writes `c ? x / y : x` as `x / (c ? y : 1)`. On a GPU it is some ten to thirty
//! instructions, and where all lanes of a warp branch alike, the branch saves them. Undoing that late would find only half
//! of it, so the branch is told to LLVM as one that nearly never leads to the division, which is as much as it asks before
//! it speculates; the weights are taken away at the end. Weights change no results by themselves.

use crate::analyses::{Analyses, Kept};
use crate::driver;
use crate::settings::Results;
use crate::settings::transform::IDIOMS;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_analysis::contraction::undecided::depends_on_blocks;
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
const UNDECIDED: &str = "a division is done ahead of a branch that may be uniform: with the branch, other products and \
                         sums could become multiply-adds";

/// The weights of a marked branch, that of the division first.
const WEIGHTS: [u32; 2] = [1, (1 << 20) - 1];
/// The same, if the division is on the second way.
const TURNED: [u32; 2] = [WEIGHTS[1], WEIGHTS[0]];
/// Values that a condition is looked through for.
const MAX_SLICE: usize = 64;
/// Instructions beside a division that LLVM would execute ahead of a branch.
const MAX_BESIDE: usize = 8;

/// Marks branches around divisions that may be uniform, before LLVM has speculated; returns whether any is marked. LLVM arranges
/// other blocks by the marks, too, loops above all, so none is set where it [matters](depends_on_blocks).
pub fn mark(module: Module<'_>, results: Results, manager: &PassManager<'_>) -> bool {
    let (mut editor, kind) = (Editor::new(module), kind(module));
    let weigh = |branch| Some((branch, if leads_to_division(branch, kind)? { WEIGHTS } else { TURNED }));
    let stays = |function| results == Results::Same && together(function).into_iter().any(depends_on_blocks);
    let mut found: Vec<(Inst<'_>, [u32; 2])> = Vec::new();
    for function in driver::editable(module, IDIOMS, manager) {
        let branches: Vec<_> = function.blocks().filter_map(Block::terminator).filter_map(weigh).collect();
        if branches.is_empty() || !stays(function) {
            found.extend(branches);
        } else {
            branches.iter().for_each(|&(branch, _)| refuse(function, branch, manager));
        }
    }
    for &(branch, weights) in &found {
        let node = editor.branch_weights(weights);
        editor.set_metadata(branch, kind, node);
    }
    !found.is_empty()
}

/// The functions whose code may come together with that of one: what calls it, and what that calls.
fn together<'m>(function: Function<'m>) -> FxHashSet<Function<'m>> {
    let (mut open, mut found) = (vec![function], FxHashSet::default());
    while let Some(function) = open.pop() {
        if found.insert(function) {
            open.extend(function.calls().map(|call| call.block().function()));
            open.extend(function.callees());
        }
    }
    found
}

/// What is done about the marked branches of a function: which lose their marks, and what is written out before.
struct Plan<'m> {
    given_up: Vec<Inst<'m>>,
    pins: Vec<Pins<'m>>,
}

/// Leaves only those marked that are uniform, if that is sure to round as without; returns whether the module changed.
pub fn settle<'m>(module: Module<'m>, results: Results, manager: &PassManager<'_>) -> bool {
    let all = module.functions().map(|function| (function, marked(function)));
    let all: Vec<(Function<'m>, Vec<Inst<'m>>)> = all.filter(|(_, marked)| !marked.is_empty()).collect();
    if all.is_empty() {
        return false;
    }
    let mut analyses = Analyses::new(module, divergence::Options::default());
    let mut changed = Vec::new();
    let plan = |(function, marked): &(Function<'m>, Vec<Inst<'m>>), analyses: &mut Analyses<'m>| {
        Some(plan(*function, marked, results, analyses, manager))
    };
    let apply = |(function, _), Plan { given_up, pins }: Plan<'m>, _: &mut Analyses<'m>, editor: &mut Editor<'m>| {
        pins.iter().for_each(|pins| pins.apply(editor));
        clear(editor, &given_up);
        changed.extend((!given_up.is_empty()).then_some(function));
        Some((function, Kept::Nothing))
    };
    driver::run_phase(all, &mut analyses, plan, apply);
    changed.into_iter().for_each(|function| manager.reshape(function, Reshape::CleanUp));
    true
}

/// Decides about the marked branches of a function.
fn plan<'m>(
    function: Function<'m>,
    marked: &[Inst<'m>],
    results: Results,
    analyses: &mut Analyses<'m>,
    manager: &PassManager<'_>,
) -> Plan<'m> {
    let may_change = driver::may_change(function, IDIOMS, manager);
    let pins = may_change.then(|| results.pins(function, Ends::Objects(&[]))).flatten();
    let (facts, handles) = analyses.of(function).facts_and_handles();
    let blocks = handles.blocks.iter().enumerate();
    let blocks = blocks.filter(|&(index, _)| !facts.is_divergent_branch(entity::Block::new(index)));
    let uniform: FxHashSet<Block<'m>> = blocks.map(|(_, &block)| block).collect();
    let is_kept = |branch: Inst<'m>| {
        if !may_change || !uniform.contains(&branch.block()) {
            return false;
        }
        if pins.is_none() {
            refuse(function, branch, manager);
        }
        pins.is_some() && driver::admits(function, Some(branch), "BranchKept", || KEPT.to_owned(), manager)
    };
    let (kept, given_up): (Vec<_>, Vec<_>) = marked.iter().partition(|&&branch| is_kept(branch));
    Plan { given_up, pins: pins.filter(|_| !kept.is_empty()).unwrap_or_default() }
}

fn refuse<'m>(function: Function<'m>, branch: Inst<'m>, manager: &PassManager<'_>) {
    manager.emit(Kind::Missed, function, Some(branch), "BranchContraction", UNDECIDED);
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
        is(WEIGHTS) || is(TURNED)
    };
    function.blocks().filter_map(Block::terminator).filter(is_marked).collect()
}

/// Whether a branch leads around a division, and has it on its first way; `None` if it does not, nobody would execute the
/// division ahead of it, lanes may part there, or its weights are known.
fn leads_to_division(branch: Inst<'_>, weights: u32) -> Option<bool> {
    let condition = branch.branch_condition()?;
    let ways: Vec<Block<'_>> = branch.successors().collect();
    let &[first, second] = ways.as_slice() else { return None };
    let is_around = |side: Block<'_>, other: Block<'_>| {
        let meets = |join: Block<'_>| join == other || other.successors().any(|at| at == join);
        side.only_successor().is_some_and(meets) && side.branches().count() == 1 && divides(side)
    };
    let is_first = is_around(first, second);
    let is_marked = (is_first || is_around(second, first))
        && branch.metadata(weights).is_none()
        && may_agree(condition, branch.block().function());
    is_marked.then_some(is_first)
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
    function.calls().filter_map(move |call| Some((call.operand(index?), call.block().function())))
}
