//! Which loops gain from being unrolled although nobody knows their trip count?
//!
//! Candidates are innermost loops with loads from global or shared memory at addresses that change from iteration to
//! iteration, or with divisions, roots and the like, and about which neither the source nor LLVM has decided: no pragma,
//! no small constant trip count.
//!
//! **Legality** is LLVM's: its unroller makes the copies and the loop for the remainder. What it would have to leave in
//! order is refused here: what waits for other lanes, and calls. A loop that [steps over threads](Way::Grouped) is put in
//! groups of iterations, each of which starts where all of them would run; any loop of its shape allows that.
//!
//! **Profit**: after unrolling, the loads and divisions of [`UNROLL_FACTOR`] iterations can be in flight at once, if
//!
//! 1. none needs what an earlier iteration loaded, computed, or may have stored,
//! 2. an iteration is a single block: no instruction moves across a branch,
//! 3. the trip count is [sure](super::trips) to be the same for all lanes and not the share of a thread in a block's work,
//!    or costs next to nothing where it is small: in groups,
//! 4. `ptxas` does not unroll it anyway, as it does short loops whose branch goes on if the condition holds,
//! 5. the copies fit the instruction cache, and their results the registers without spilling, or losing half of the warps.

use super::body::{Body, Counter};
use super::reject::Reject;
use super::trips::Way;
use super::{loads, trips};
use crate::settings::{Results, Settings};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use warpwise_analysis::access::{Space, space_of};
use warpwise_analysis::contraction::undecided::{is_undecided, may_fold};
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::Chip;
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::gpu::prices::{
    KEPT_PART, SUM_MAX_REGISTERS, UNROLL_FACTOR, UNROLL_MAX_INSTRUCTIONS, UNROLL_MIN_TURNS, UNSEEN_REGISTERS,
};
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};

/// A loop that is to be unrolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnrollPlan {
    pub latch: Block,
    pub way: Way,
    /// Loads of one iteration that can overlap with those of others.
    pub loads: usize,
    /// Divisions, roots and the like that can overlap with those of others.
    pub slow: usize,
    /// Instructions of one iteration.
    pub instructions: usize,
}

/// What a decision needs to know about the function.
pub struct Context<'a, 'm> {
    pub facts: &'a Facts,
    pub handles: &'a Handles<'m>,
    pub settings: &'a Settings,
    /// Whether it has a stack object.
    has_stack: bool,
    /// The registers of the function, computed for the first loop that needs them.
    pressure: OnceCell<Pressure>,
}

impl<'a, 'm> Context<'a, 'm> {
    pub fn new(facts: &'a Facts, handles: &'a Handles<'m>, settings: &'a Settings) -> Self {
        let has_stack = facts.func.insts.values().any(|inst| inst.opcode == Opcode::Alloca);
        Context { facts, handles, settings, has_stack, pressure: OnceCell::new() }
    }
}

/// The decisions about the candidates of a function, by the header of the loop.
pub fn plan(context: &Context<'_, '_>, frequencies: &Frequencies<'_>) -> Vec<(Block, Result<UnrollPlan, Reject>)> {
    let facts = context.facts;
    let cycles = &facts.cfg().cycles;
    let mut decisions = Vec::new();
    for cycle in cycles.innermost() {
        let header = cycles.header(cycle);
        let Some(latch) = cycles.only_latch(&facts.func.graph, cycle) else { continue };
        let turns = frequencies.turns(header);
        let is_short = turns.is_none_or(|turns| {
            turns.exact.is_some_and(|exact| exact < UNROLL_MIN_TURNS)
                || turns.most.is_some_and(|most| most < 2 * u64::from(UNROLL_FACTOR))
        });
        let is_decided = || context.handles.inst(facts.func.terminator(latch)).unroll_is_decided();
        if !cycles.is_reducible(cycle) || is_short || frequencies.is_cold(header) || is_decided() {
            continue;
        }
        let body = Body::of(facts, cycle, latch);
        let slow: Vec<Inst> = body.insts.iter().copied().filter(|&inst| body.is_slow(inst)).collect();
        if !slow.is_empty() || body.insts.iter().any(|&inst| body.is_load(inst)) {
            let is_constant = turns.is_some_and(|turns| turns.exact.is_some());
            let outcome = check(context, &body, &slow, is_constant).and_then(|plan| {
                let may_change = context.settings.results == Results::Contract;
                if may_change
                    || !is_undecided(context.handles.function)
                        && !may_fold(context.handles.function)
                        && !body.changes_contraction(context.handles, is_constant)
                {
                    let always = context.settings.unroll_profit.is_always();
                    let is_left = plan.way == Way::Counted && !always && body.is_left_to_ptxas();
                    if is_left { Err(Reject::Ptxas) } else { Ok(plan) }
                } else {
                    Err(Reject::Contraction)
                }
            });
            decisions.push((header, outcome));
        }
    }
    decisions
}

/// Whether to unroll a loop with these slow computations.
fn check(context: &Context<'_, '_>, body: &Body<'_>, slow: &[Inst], is_constant: bool) -> Result<UnrollPlan, Reject> {
    let counter = body.counter().ok_or(Reject::Uncounted)?;
    if body.insts.iter().any(|&inst| body.waits(inst)) {
        return Err(Reject::Waits);
    }
    let cycles = &body.facts.cfg().cycles;
    let always = context.settings.unroll_profit.is_always();
    if cycles.blocks(body.cycle).len() > 1 && !always {
        return Err(Reject::Branches);
    }
    let way = if always { trips::check_lanes(body, &counter) } else { trips::check(body, &counter, is_constant) }?;
    let latch = || context.handles.inst(body.func.terminator(body.latch));
    let way = match way {
        Way::Grouped if !latch().runs_in_groups() && always => Way::Counted,
        Way::Grouped if !latch().runs_in_groups() => return Err(Reject::Strided),
        _ => way,
    };
    if !always && context.has_stack {
        return Err(Reject::Stack);
    }
    if !always && way == Way::Grouped {
        trips::check_objects(body, context.handles, &counter)?;
    }
    let all = || body.insts.iter().copied().filter(|&inst| body.is_load(inst)).collect();
    if !always && slow.iter().any(|&inst| body.is_wide(inst)) {
        return Err(Reject::Wide);
    }
    let loads: Vec<Inst> = if always { all() } else { loads::check(body, way)? };
    if loads.is_empty() && slow.is_empty() {
        return Err(Reject::Near);
    }
    let chained = body.depend_on_loads();
    let free: Vec<Inst> = loads.into_iter().filter(|&load| !chained.contains(&body.address(load))).collect();
    let carried = body.depend_on_results();
    let is_free = |&&inst: &&Inst| !body.func.operands(inst).iter().any(|operand| carried.contains(operand));
    let slow: Vec<Inst> = slow.iter().filter(is_free).copied().collect();
    if free.is_empty() && slow.is_empty() {
        return Err(Reject::Chained);
    }
    let stored: Vec<Space> = body.insts.iter().copied().filter_map(|inst| body.stored_space(inst)).collect();
    let may_overlap = |&load: &Inst| {
        let space = space_of(body.func, body.address(load));
        (way == Way::Grouped && body.is_never_written(load))
            || body.func.insts[load].flags.contains(Flags::INVARIANT)
            || stored.iter().all(|&other| other != space && ![other, space].contains(&Space::Generic))
    };
    let loads: Vec<Inst> = free.into_iter().filter(may_overlap).collect();
    if loads.is_empty() && slow.is_empty() {
        return Err(Reject::Stores);
    }
    let instructions = body.size();
    if instructions > UNROLL_MAX_INSTRUCTIONS {
        return Err(Reject::Large { instructions });
    }
    check_registers(context, body, &counter, way, (&loads, &slow))?;
    Ok(UnrollPlan { latch: body.latch, way, loads: loads.len(), slow: slow.len(), instructions })
}

/// Whether the registers for the results of the other iterations cause neither spills nor the loss of half of the warps.
/// A loop in groups may run too few iterations to make up for the loss of any; but if it only adds up, `ptxas` gets by with
/// fewer than are counted here.
fn check_registers(
    context: &Context<'_, '_>,
    body: &Body<'_>,
    counter: &Counter,
    way: Way,
    (loads, slow): (&[Inst], &[Inst]),
) -> Result<(), Reject> {
    let pressure = context.pressure.get_or_init(|| Pressure::new(body.facts));
    let units = |inst: Inst| pressure.units(body.func.result(inst));
    let is_tight = way == Way::Grouped && !context.settings.unroll_profit.is_always();
    let mut before = pressure.largest(body.facts);
    let mut more: u32 = loads.iter().chain(slow).map(|&inst| units(inst)).sum();
    if is_tight {
        before += UNSEEN_REGISTERS;
        // results take the place of their address, and a wide counter is there once for each
        let mut at: FxHashMap<Value, u32> = FxHashMap::default();
        loads.iter().for_each(|&load| *at.entry(body.base(load)).or_default() += units(load));
        more = at.into_values().map(|units| units.max(2)).chain(slow.iter().map(|&inst| units(inst))).sum();
        more += 2 * (units(counter.phi) - 1);
    }
    let after = before + (UNROLL_FACTOR - 1) * more;
    let geometry = &body.facts.geometry;
    let budget = register_budget(context.settings.regs, geometry).unwrap_or(MAX_REGISTERS);
    let is_sum = before <= SUM_MAX_REGISTERS && body.insts.iter().all(|&inst| body.stored_space(inst).is_none());
    let part = if is_tight && !is_sum { 1 } else { KEPT_PART };
    let keeps_blocks =
        || Chip::of(&context.handles.function.target_cpu()).keeps_blocks(geometry, [before, after], part);
    if after > budget || !keeps_blocks() { Err(Reject::Pressure { before, after }) } else { Ok(()) }
}
