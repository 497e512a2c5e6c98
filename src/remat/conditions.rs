//! Which conditions are computed again behind a loop, so that they take no register in it?
//!
//! A thread has [seven registers](PREDICATES) for conditions. `ptxas` keeps every further one that is live in a loop in a register
//! of its own, and computes none again. So it is if accesses in front of a loop and behind it are guarded alike, one for each
//! element of a thread: LLVM computes the guards once. nvcc's front end computes them again.
//!
//! 1. **Candidates** are comparisons of integers from in front of a loop, of the same loop around it, that have uses behind it and
//!    none in it. An operand may be a value and something added to it, which is then added again.
//! 2. **Gain.** More conditions are live in the loop than there are registers besides that of its own test, and without the
//!    candidates no more. What these are computed from is needed in the loop or behind it anyway.
//!
//! The copies are computed from a value that goes through a `mov` of inline PTX: LLVM would find that they are what it has. They run
//! as often as what they guard, and never in the loop.
//!
//! Source: Briggs, Cooper and Torczon 1992 for rematerialisation; the choice is ours.

use crate::mutants::{self, Mutant};
use crate::settings::Profit;
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_analysis::cfg::Cycle;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::chip::PREDICATES;
use warpwise_analysis::pressure::uses::{UseSite, reloads};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, Function, RawOpcode};
use warpwise_ir::types::TypeKind;

/// Conditions that a loop can keep for free: one register is for its own test.
const FREE: usize = PREDICATES as usize - 1;
/// Most pairs of a loop and a condition that are looked at.
const MAX_PAIRS: usize = 1 << 16;

/// A condition that is computed again.
pub struct Recomputed {
    pub condition: Inst,
    /// The sums that it compares, and the values that these and it are computed from.
    sums: Vec<Inst>,
    leaves: Vec<Value>,
    sites: Vec<UseSite>,
}

/// What is computed again behind one loop.
pub struct Relieved {
    pub header: Block,
    /// Number of conditions that are live in it.
    pub live: usize,
    pub conditions: Vec<Recomputed>,
}

/// Most conditions of a loop at which it is left alone.
fn free(profit: Profit) -> usize {
    if profit.is_always() { 0 } else { FREE }
}

/// Whether a kernel has enough conditions to be looked at. Asked of LLVM's own instructions, before it is imported.
pub fn may_gain(function: Function<'_>, profit: Profit) -> bool {
    let is_far = |inst: handle::Inst<'_>| {
        let mut users = inst.value().users().filter_map(handle::Value::as_inst);
        users.any(|user| user.block() != inst.block())
    };
    let mut far = function.insts().filter(|&inst| inst.opcode() == RawOpcode::LLVMICmp && is_far(inst));
    far.nth(free(profit)).is_some()
}

/// What is computed again, loop by loop.
pub fn plan(outline: &Outline, profit: Profit) -> Vec<Relieved> {
    let (func, cycles) = (&outline.func, &outline.cfg().cycles);
    let is_condition =
        |&inst: &Inst| func.int_bits(func.result(inst)) == Some(1) && outline.is_reachable(func.insts[inst].block);
    let mut conditions: Vec<Inst> = func.insts.keys().filter(is_condition).collect();
    if conditions.len() * cycles.len() > MAX_PAIRS {
        return Vec::new();
    }
    let mut relieved = Vec::new();
    for cycle in cycles.iter().filter(|&cycle| cycles.is_reducible(cycle)) {
        if let Some(found) = relieve(outline, cycle, &conditions, profit) {
            conditions.retain(|&inst| found.conditions.iter().all(|again| again.condition != inst));
            relieved.push(found);
        }
    }
    relieved
}

/// What is computed again behind a loop, if that saves registers in it.
fn relieve(outline: &Outline, cycle: Cycle, conditions: &[Inst], profit: Profit) -> Option<Relieved> {
    let (func, cycles) = (&outline.func, &outline.cfg().cycles);
    let header = cycles.header(cycle);
    let is_before = |inst: Inst| outline.dominators().strictly_dominates(func.insts[inst].block, header);
    let mut before = conditions.iter().copied().filter(|&inst| is_before(inst)).peekable();
    before.peek()?;
    let behind = reached(outline, header);
    let with_sites = |inst| (inst, reloads(outline, func.result(inst), |block| behind.contains(&block)));
    let live: Vec<(Inst, Vec<UseSite>)> = before.map(with_sites).filter(|(_, sites)| !sites.is_empty()).collect();
    let count = live.len();
    if count <= free(profit) {
        return None;
    }
    let around = cycles.parent(cycle);
    let again = |(condition, sites): (Inst, Vec<UseSite>)| {
        let (sums, leaves) = computed_from(outline, condition)?;
        let is_here = |block: Block| cycles.cycle_of(block) == around;
        let stays_here = is_here(func.insts[condition].block) && sites.iter().all(|site| is_here(site.block));
        stays_here.then_some(Recomputed { condition, sums, leaves, sites })
    };
    let conditions: Vec<Recomputed> = live.into_iter().filter_map(again).collect();
    let taken: FxHashSet<Inst> = conditions.iter().map(|again| again.condition).collect();
    let leaves: FxHashSet<Value> = conditions.iter().flat_map(|again| &again.leaves).copied().collect();
    let is_needed = |&leaf: &Value| is_needed(outline, leaf, &behind, &taken);
    let pays = count - conditions.len() <= FREE && leaves.iter().all(is_needed);
    (!conditions.is_empty() && (pays || profit.is_always())).then_some(Relieved { header, live: count, conditions })
}

/// The blocks of a loop, and those behind it in the same iteration of the loop around it.
fn reached(outline: &Outline, header: Block) -> FxHashSet<Block> {
    let (mut open, mut reached) = (vec![header], FxHashSet::from_iter([header]));
    while let Some(from) = open.pop() {
        let next = outline.func.graph.succs(from).iter().copied();
        open.extend(next.filter(|&to| !outline.dominators().dominates(to, header) && reached.insert(to)));
    }
    reached
}

/// The sums that a condition compares, and the values that these and it are computed from; `None` if it is not a comparison of
/// integers that a thread computes.
fn computed_from(outline: &Outline, condition: Inst) -> Option<(Vec<Inst>, Vec<Value>)> {
    let func = &outline.func;
    if func.insts[condition].opcode != Opcode::ICmp {
        return None;
    }
    let sum = |&value: &Value| func.def(value).filter(|&def| adds(outline, def));
    let sums: Vec<Inst> = func.operands(condition).iter().filter_map(sum).collect();
    let operands = sums.iter().chain([&condition]).flat_map(|&inst| func.operands(inst)).copied();
    let is_leaf = |value: &Value| func.def(*value).is_some_and(|def| !sums.contains(&def));
    let leaves: Vec<Value> = operands.filter(is_leaf).collect();
    let is_register = |&leaf: &Value| matches!(func.type_info(leaf).kind, TypeKind::Int(32 | 64));
    (!leaves.is_empty() && leaves.iter().all(is_register)).then_some((sums, leaves))
}

/// Whether something that needs no register is added to a value.
fn adds(outline: &Outline, inst: Inst) -> bool {
    let func = &outline.func;
    let is_sum = matches!(func.insts[inst].opcode, Opcode::Add | Opcode::Sub | Opcode::Or);
    is_sum && func.operands(inst).iter().filter(|&&value| func.def(value).is_some()).count() == 1
}

/// Whether a value, or an index or address that differs from it by what needs no register, is used in or behind a loop by others
/// than some conditions.
fn is_needed(outline: &Outline, leaf: Value, behind: &FxHashSet<Block>, conditions: &FxHashSet<Inst>) -> bool {
    let func = &outline.func;
    let (mut open, mut seen) = (vec![leaf], FxHashSet::from_iter([leaf]));
    while let Some(value) = open.pop() {
        for &user in outline.users(value) {
            let data = &func.insts[user];
            if conditions.contains(&user) {
                continue;
            }
            if behind.contains(&data.block) {
                return true;
            }
            let is_moved = matches!(data.opcode, Opcode::SExt | Opcode::ZExt | Opcode::Gep) || adds(outline, user);
            if is_moved && seen.insert(func.result(user)) {
                open.push(func.result(user));
            }
        }
    }
    false
}

/// Computes the conditions again where they are used.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, relieved: &[Relieved], editor: &mut Editor<'m>) {
    for again in relieved.iter().flat_map(|found| &found.conditions) {
        let condition = handles.inst(again.condition);
        let mut sites = again.sites.clone();
        sites.sort_by_key(|site| (site.block, site.before));
        let mut made: FxHashMap<Block, handle::Value<'m>> = FxHashMap::default();
        for site in sites {
            let copy = *made.entry(site.block).or_insert_with(|| {
                editor.before(handles.inst(site.before));
                copy(outline, handles, again, editor)
            });
            editor.set_operand(handles.inst(site.inst), site.operand, copy);
            editor.replace_in_records_behind(condition.value(), copy);
        }
        if condition.value().users().next().is_none() {
            editor.erase(condition);
        }
    }
}

/// A condition at the editor's place, computed from a value that LLVM takes for another.
fn copy<'m>(
    outline: &Outline,
    handles: &Handles<'m>,
    again: &Recomputed,
    editor: &mut Editor<'m>,
) -> handle::Value<'m> {
    let func = &outline.func;
    let mut copies: FxHashMap<Value, handle::Value<'m>> = FxHashMap::default();
    copies.extend(again.leaves.iter().min().map(|&leaf| (leaf, editor.opaque(handles.value(leaf)))));
    let mut copy = |inst: Inst| {
        let copy = editor.clone_here(handles.inst(inst), "");
        for (index, operand) in (0..).zip(func.operands(inst)) {
            if let Some(&new) = copies.get(operand) {
                editor.set_operand(copy, index, new);
            }
        }
        copies.insert(func.result(inst), copy.value());
        copy
    };
    again.sums.iter().for_each(|&sum| _ = copy(sum));
    let copied = copy(again.condition);
    if mutants::on(Mutant::ConditionOperand) {
        editor.set_operand(copied, 1, copied.operand(0));
    }
    copied.value()
}
