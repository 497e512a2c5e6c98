//! Which results of the grid's work are shared by a block, and does it pay?
//!
//! At first all work that may be hoisted is; its results are what other instructions use. A result whose own work, which
//! no other result needs, costs less than the load that would replace it is *left* in every thread, which then uses
//! what it is computed from. That is repeated until all results are worth their slots.
//!
//! **Gain**, in issue cycles of a warp: what the work costs now, times its executions, less a barrier, a load for every
//! result, and the warp's share of what one thread does. How long the block waits for that thread is the same
//! as before, since every warp would have to wait for its own results.

use super::reject::Reject;
use crate::cost::frequency::Frequencies;
use crate::cost::grid_work::{LEAST_CYCLES, Sources, is_division};
use crate::cost::issue::Costs;
use crate::divergence::{Facts, Outline};
use crate::entity::{Inst, Value};
use crate::geometry::WARP_SIZE;
use crate::gpu::prices::{BLOCK_BARRIER, DIVERGENT_BRANCH, LATENCY_HIDDEN_BY, LOAD_ISSUE, SHARED_LATENCY, STORE_ISSUE};
use crate::ir::call::Callee;
use crate::ir::handles::Handles;
use crate::ir::inst::{Flags, Opcode};
use crate::ir::types::TypeKind;
use crate::llvm::handle::{AttrPlace, attribute_kind};
use crate::objects::copied::is_only_read;
use crate::phrase::plural;
use rustc_hash::FxHashSet;

/// Issue cycles of the load of one result.
const RELOAD: u32 = LOAD_ISSUE + SHARED_LATENCY / LATENCY_HIDDEN_BY;

/// A result that is shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedResult {
    pub def: Inst,
    /// Size and alignment of its slot, and where that is in the variable.
    pub bytes: u64,
    pub offset: u64,
}

/// What one thread of a block computes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HoistPlan {
    /// The instructions, operands first: the work, and what it reads of arguments and dimensions.
    pub chain: Vec<Inst>,
    pub results: Vec<SharedResult>,
    /// Bytes of shared memory.
    pub bytes: u64,
    /// Instructions that cost anything.
    pub instructions: usize,
    /// Issue cycles of a warp, before and after.
    pub before: f64,
    pub after: f64,
}

impl HoistPlan {
    /// The sentence of the remark.
    pub fn sentence(&self) -> String {
        let (instructions, results) = (self.instructions, self.results.len());
        format!(
            "{instructions} instruction{} that all threads of the grid would repeat {} executed by one thread of each block: \
             {results} result{} in {} bytes of shared memory, {:.0} instead of {:.0} issue cycles of a warp (not measured)",
            plural(instructions),
            if instructions == 1 { "is" } else { "are" },
            plural(results),
            self.bytes,
            self.after,
            self.before
        )
    }
}

struct Planner<'a, 'm> {
    facts: &'a Facts,
    handles: &'a Handles<'m>,
    costs: Costs,
    /// Instructions of the entry block that every thread executes.
    always: FxHashSet<Inst>,
    /// Work that may be hoisted, and whatever of it that needs.
    movable: FxHashSet<Inst>,
    /// Of that, what is computed in every thread, whoever else computes it.
    left: FxHashSet<Inst>,
}

/// The plan for a kernel whose blocks have so many threads; without results if there is nothing to hoist.
pub fn plan(
    facts: &Facts,
    handles: &Handles<'_>,
    frequencies: &Frequencies<'_>,
    threads: u32,
    hoists_all: bool,
) -> Result<HoistPlan, Reject> {
    let mut planner = Planner {
        facts,
        handles,
        costs: Costs::of(handles.function),
        always: always_executed(facts),
        movable: FxHashSet::default(),
        left: FxHashSet::default(),
    };
    let work = Sources::of(facts).work(facts);
    // operands first, except around blocks that are out of order: those are not worth a second round
    for &inst in &work {
        if planner.may_move(inst) && facts.func.operands(inst).iter().all(|&operand| planner.is_there(operand)) {
            planner.movable.insert(inst);
        }
    }
    let results = planner.keep_what_pays(if hoists_all { 0 } else { RELOAD });
    let cycles =
        |inst: Inst| f64::from(planner.costs.inst(&facts.func, inst)) * frequencies.of(facts.func.insts[inst].block);
    let refused = || {
        let dear = work.iter().filter(|&&inst| !planner.movable.contains(&inst) && cycles(inst) >= LEAST_CYCLES);
        let found = dear.copied().find(|&inst| !planner.may_move(inst))?;
        Some(Reject::Speculation { what: planner.name_of(found).to_owned() })
    };
    if results.is_empty() {
        return refused().map_or_else(|| Ok(HoistPlan::default()), Err);
    }
    let plan = planner.lay_out(&results, cycles, threads);
    if hoists_all {
        return Ok(plan);
    }
    let warps = threads.div_ceil(WARP_SIZE);
    match plan.before {
        before if before < LEAST_CYCLES => refused().map_or_else(|| Ok(HoistPlan::default()), Err),
        _ if warps <= 1 => Err(Reject::OneWarp { threads }),
        before if before - plan.after < LEAST_CYCLES => {
            Err(Reject::Cheap { before, after: plan.after, results: plan.results.len() })
        }
        _ => Ok(plan),
    }
}

impl Planner<'_, '_> {
    /// Whether one thread may execute it at the start of every launch.
    fn may_move(&self, inst: Inst) -> bool {
        is_plain(self.facts, self.facts.func.result(inst))
            && !self.facts.may_be_contracted(inst)
            && (self.always.contains(&inst) || self.is_speculatable(inst))
    }

    /// Whether it has no undefined behaviour, whatever its operands are.
    fn is_speculatable(&self, inst: Inst) -> bool {
        let func = &self.facts.func;
        if !matches!(func.insts[inst].opcode, Opcode::UDiv | Opcode::URem | Opcode::SDiv | Opcode::SRem) {
            return true;
        }
        // minus one may overflow
        let divisor = self.handles.inst(inst).operand(1).const_i64();
        divisor.is_some_and(|divisor| divisor != 0 && divisor != -1)
    }

    /// Whether a value is there at the start of the kernel, or is computed there.
    fn is_there(&self, value: Value) -> bool {
        match self.facts.func.def(value) {
            Some(def) => self.movable.contains(&def) || self.leaf(def).is_some(),
            None => true,
        }
    }

    /// A dimension of the launch, or a part of an argument that is read where everybody reads it: the instructions that
    /// get it, operands first.
    fn leaf(&self, inst: Inst) -> Option<Vec<Inst>> {
        let func = &self.facts.func;
        match func.insts[inst].opcode {
            Opcode::Call if func.operands(inst).is_empty() => match func.call(inst).callee {
                Callee::Intrinsic(_) => Some(vec![inst]),
                _ => None,
            },
            Opcode::Load => self.argument_load(inst),
            _ => None,
        }
    }

    /// The load of a part of an argument that is passed by value and never written, and the steps to its address.
    fn argument_load(&self, load: Inst) -> Option<Vec<Inst>> {
        let func = &self.facts.func;
        let (mut chain, mut address, mut offset) = (vec![load], func.operands(load)[0], 0i64);
        while let Some(def) = func.def(address) {
            match func.insts[def].opcode {
                Opcode::Gep if func.gep(def).terms.is_empty() => offset = offset.checked_add(func.gep(def).offset)?,
                _ => return None,
            }
            address = *func.operands(def).first()?;
            chain.push(def);
        }
        chain.reverse();
        let index = func.as_param(address).filter(|&index| func.params[index as usize].byval)?;
        let layout = self.handles.function.module().layout();
        let whole = self.handles.function.type_attribute(AttrPlace::Param(index), attribute_kind("byval"))?;
        let end = offset.checked_add_unsigned(layout.store_size(self.handles.inst(load).ty())?)?;
        let is_inside = offset >= 0 && end.cast_unsigned() <= layout.alloc_size(whole)?;
        let is_special = func.insts[load].flags.intersects(Flags::VOLATILE | Flags::ATOMIC);
        (is_inside && !is_special && is_only_read(self.handles.function.param(index))).then_some(chain)
    }

    /// Leaves results that cost less than `least` cycles by themselves, and returns the others, in order.
    fn keep_what_pays(&mut self, least: u32) -> Vec<Inst> {
        loop {
            let results = self.results();
            let is_kept = |&inst: &Inst| {
                slot_bytes(self.facts, self.facts.func.result(inst)).is_some()
                    && self.own_cycles(&results, inst) >= least
            };
            // the last first: what it uses may become a result in its place
            match results.iter().rev().copied().find(|inst| !is_kept(inst)) {
                Some(left) => self.left.insert(left),
                None => return results,
            };
        }
    }

    /// The instructions that are not left, and that something uses that stays, in order.
    fn results(&self) -> Vec<Inst> {
        let stays = |user: &Inst| !self.movable.contains(user) || self.left.contains(user);
        let is_result = |inst: &&Inst| {
            !self.left.contains(*inst) && self.facts.users(self.facts.func.result(**inst)).iter().any(stays)
        };
        let mut results: Vec<Inst> = self.movable.iter().filter(is_result).copied().collect();
        results.sort_unstable();
        results
    }

    /// Issue cycles of the instructions that one result needs and no other.
    fn own_cycles(&self, results: &[Inst], result: Inst) -> u32 {
        let others = self.needed(results.iter().copied().filter(|&other| other != result));
        let own = self.needed(std::iter::once(result));
        own.difference(&others).map(|&inst| self.costs.inst(&self.facts.func, inst)).sum()
    }

    /// Movable instructions that these results need.
    fn needed(&self, results: impl Iterator<Item = Inst>) -> FxHashSet<Inst> {
        let mut work: Vec<Inst> = results.collect();
        let mut needed = FxHashSet::default();
        while let Some(inst) = work.pop() {
            if needed.insert(inst) {
                let defs = self.facts.func.operands(inst).iter().filter_map(|&operand| self.facts.func.def(operand));
                work.extend(defs.filter(|def| self.movable.contains(def)));
            }
        }
        needed
    }

    fn lay_out(&self, results: &[Inst], cycles: impl Fn(Inst) -> f64, threads: u32) -> HoistPlan {
        let func = &self.facts.func;
        let needed = self.needed(results.iter().copied());
        let mut plan = HoistPlan::default();
        let mut entered = FxHashSet::default();
        for &result in results {
            self.enter(&needed, result, &mut entered, &mut plan.chain);
        }
        let mut slots: Vec<SharedResult> = results
            .iter()
            .filter_map(|&def| Some(SharedResult { def, bytes: slot_bytes(self.facts, func.result(def))?, offset: 0 }))
            .collect();
        // the widest first, so that each is aligned
        slots.sort_by_key(|slot| std::cmp::Reverse(slot.bytes));
        for slot in &mut slots {
            slot.offset = plan.bytes;
            plan.bytes += slot.bytes;
        }
        plan.results = slots;
        plan.instructions = needed.iter().filter(|&&inst| self.costs.inst(func, inst) > 0).count();
        plan.before = needed.difference(&self.left).map(|&inst| cycles(inst)).sum();
        let once: u32 = needed.iter().map(|&inst| self.costs.inst(func, inst)).sum();
        let count = plan.results.len() as u32;
        let of_one = f64::from(once + STORE_ISSUE * count) / f64::from(threads.div_ceil(WARP_SIZE));
        plan.after = of_one + f64::from(BLOCK_BARRIER + DIVERGENT_BRANCH + RELOAD * count);
        plan
    }

    /// Appends an instruction behind its operands.
    fn enter(&self, needed: &FxHashSet<Inst>, inst: Inst, entered: &mut FxHashSet<Inst>, chain: &mut Vec<Inst>) {
        // (instruction, whether its operands are there)
        let mut work = vec![(inst, false)];
        while let Some((inst, is_ready)) = work.pop() {
            if is_ready {
                chain.push(inst);
                continue;
            }
            if !entered.insert(inst) {
                continue;
            }
            work.push((inst, true));
            for def in self.facts.func.operands(inst).iter().filter_map(|&operand| self.facts.func.def(operand)) {
                match needed.contains(&def) {
                    true => work.push((def, false)),
                    false => chain.extend(self.leaf(def).into_iter().flatten().filter(|&step| entered.insert(step))),
                }
            }
        }
    }

    fn name_of(&self, inst: Inst) -> &'static str {
        match is_division(self.facts, inst) {
            true => "a division",
            false => "a call",
        }
    }
}

/// Instructions of the entry block before the first that might not return.
fn always_executed(outline: &Outline) -> FxHashSet<Inst> {
    let func = &outline.func;
    let returns = |inst: &Inst| {
        func.insts[*inst].opcode != Opcode::Call
            || (matches!(func.call(*inst).callee, Callee::Intrinsic(_)) && func.call(*inst).will_return)
    };
    func.block_insts(func.graph.entry()).take_while(returns).collect()
}

/// Whether a value is a number of a usual width.
fn is_plain(outline: &Outline, value: Value) -> bool {
    matches!(outline.func.type_info(value).kind, TypeKind::Int(1 | 8 | 16 | 32 | 64) | TypeKind::Float(16 | 32 | 64))
}

/// Bytes of the slot of a result; `None` for truth values, which are compared again in every thread.
fn slot_bytes(outline: &Outline, value: Value) -> Option<u64> {
    match outline.func.type_info(value).kind {
        TypeKind::Int(1) => None,
        TypeKind::Int(bits) | TypeKind::Float(bits) => Some(u64::from(bits / 8)),
        _ => None,
    }
}
