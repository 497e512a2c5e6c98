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

/// Most conditions of a loop at which it is left alone.
fn free(profit: Profit) -> usize {
    if profit.is_always() { 0 } else { FREE }
}

/// Most pairs of a loop and a condition that are looked at.
const MAX_PAIRS: usize = 1 << 16;

/// A condition that is computed again.
pub struct Recomputed {
    pub condition: Inst,
    /// What is added to its operands; then the comparison itself.
    chain: Vec<Inst>,
    sites: Vec<UseSite>,
}

/// What is computed again behind one loop.
pub struct Relieved {
    pub header: Block,
    /// Number of conditions that are live in it.
    pub live: usize,
    pub conditions: Vec<Recomputed>,
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
    let is_condition = |&inst: &Inst| bits(outline, inst) == Some(1) && outline.is_reachable(func.insts[inst].block);
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
    let is_live = |inst: &Inst| !reloads(outline, func.result(*inst), |block| behind.contains(&block)).is_empty();
    let live: Vec<Inst> = before.filter(is_live).collect();
    if live.len() <= free(profit) {
        return None;
    }
    let around = cycles.parent(cycle);
    let again = |&condition: &Inst| {
        let sites = reloads(outline, func.result(condition), |block| behind.contains(&block));
        let is_in_place = |site: &UseSite| cycles.cycle_of(site.block) == around;
        let chain = chain(outline, condition)?;
        let is_here = cycles.cycle_of(func.insts[condition].block) == around;
        (is_here && sites.iter().all(is_in_place)).then_some(Recomputed { condition, chain, sites })
    };
    let conditions: Vec<Recomputed> = live.iter().filter_map(again).collect();
    let leaves: FxHashSet<Value> = conditions.iter().flat_map(|again| leaves(outline, &again.chain)).collect();
    let taken: FxHashSet<Inst> = conditions.iter().map(|again| again.condition).collect();
    let is_needed = |&leaf: &Value| is_needed(outline, leaf, &behind, &taken);
    let pays = live.len() - conditions.len() <= FREE && leaves.iter().all(is_needed);
    (!conditions.is_empty() && (pays || profit.is_always())).then_some(Relieved {
        header,
        live: live.len(),
        conditions,
    })
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

/// What is computed again for a condition, operands first; `None` if that is not a comparison of integers that a thread computes.
fn chain(outline: &Outline, condition: Inst) -> Option<Vec<Inst>> {
    let func = &outline.func;
    if func.insts[condition].opcode != Opcode::ICmp {
        return None;
    }
    let added = |&value: &Value| func.def(value).filter(|&def| adds(outline, def));
    let mut chain: Vec<Inst> = func.operands(condition).iter().filter_map(added).collect();
    chain.push(condition);
    let leaves = leaves(outline, &chain);
    let is_register = |&leaf: &Value| func.def(leaf).is_some_and(|def| matches!(bits(outline, def), Some(32 | 64)));
    (!leaves.is_empty() && leaves.iter().all(is_register)).then_some(chain)
}

/// Whether something that needs no register is added to a value.
fn adds(outline: &Outline, inst: Inst) -> bool {
    let func = &outline.func;
    let is_sum = matches!(func.insts[inst].opcode, Opcode::Add | Opcode::Sub | Opcode::Or);
    is_sum && func.operands(inst).iter().filter(|&&value| func.def(value).is_some()).count() == 1
}

/// The computed values that a chain begins with.
fn leaves(outline: &Outline, chain: &[Inst]) -> FxHashSet<Value> {
    let func = &outline.func;
    let operands = chain.iter().flat_map(|&inst| func.operands(inst)).copied();
    operands.filter(|&value| func.def(value).is_some_and(|def| !chain.contains(&def))).collect()
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

/// Bits of an instruction's result, if it is an integer.
fn bits(outline: &Outline, inst: Inst) -> Option<u32> {
    match outline.func.types[outline.func.insts[inst].ty].kind {
        TypeKind::Int(bits) => Some(bits),
        _ => None,
    }
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
                copy(outline, handles, &again.chain, editor)
            });
            editor.set_operand(handles.inst(site.inst), site.operand, copy);
            editor.replace_in_records_behind(condition.value(), copy);
        }
        if condition.value().users().next().is_none() {
            editor.erase(condition);
        }
    }
}

/// A chain at the editor's place, from a value that LLVM takes for another.
fn copy<'m>(outline: &Outline, handles: &Handles<'m>, chain: &[Inst], editor: &mut Editor<'m>) -> handle::Value<'m> {
    let func = &outline.func;
    let mut copies: FxHashMap<Value, handle::Value<'m>> = FxHashMap::default();
    let leaf = leaves(outline, chain).into_iter().min();
    copies.extend(leaf.map(|leaf| (leaf, editor.opaque(handles.value(leaf)))));
    let mut last = None;
    for &inst in chain {
        let copy = editor.clone_here(handles.inst(inst), "");
        for (index, operand) in (0..).zip(func.operands(inst)) {
            if let Some(&new) = copies.get(operand) {
                editor.set_operand(copy, index, new);
            }
        }
        copies.insert(func.result(inst), copy.value());
        last = Some(copy);
    }
    let last = last.expect("a chain ends with its comparison");
    if mutants::on(Mutant::ConditionOperand) {
        editor.set_operand(last, 1, last.operand(0));
    }
    last.value()
}
