//! Which loops does LLVM give too few copies, or too many, although their trip count is constant or known to be small?
//!
//! LLVM counts every instruction of every copy. What is computed from the counter alone is a constant in each copy, though,
//! and the constant part of an address belongs to the access. A loop over the bits of a number, or over a table, is as
//! large as what it does with them; nvcc unrolls it. LLVM's later unroller would make a few copies that still count.
//! A loop of which only a small bound is known becomes as many copies, each of which tests whether it is the last; LLVM does so
//! for other targets. What is too large for that may still get [more copies](super::part) than LLVM makes, and what may run few
//! iterations [fewer](super::few).

use super::few::{self, Few};
use super::part;
use super::reject::Reject;
use crate::analyses::Analyses;
use crate::driver::{Decision, FunctionPass};
use crate::settings::{Results, Transform};
use rustc_hash::FxHashMap;
use std::fmt;
use std::rc::Rc;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_analysis::cost::frequency::Turns;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::gpu::prices::{
    PART_LEFT_TO_PTXAS, UNROLL_FACTOR, UNSEEN_REGISTERS, WHOLE_MAX_BOUND, WHOLE_MAX_INSTRUCTIONS, WHOLE_MIN_SHARE,
};
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::unroll::Then;
use warpwise_ir::llvm::handle::{self, Function};
use warpwise_ir::llvm::remark::Reshape;

/// The pass.
pub struct Whole {
    /// Whether multiply-adds may change.
    pub results: Results,
}

/// How many copies a loop gets.
#[derive(Clone, Copy)]
pub enum Copies {
    /// One for each iteration.
    All,
    /// One for each iteration that there can be.
    Bound,
    /// So many, and what may happen then.
    Count(u32, Then),
    /// As few as for few iterations, where there are few.
    Apart,
}

/// A loop to be unrolled completely.
struct Plan {
    turns: u64,
    is_exact: bool,
    /// Instructions of an iteration, and those of them that each copy has.
    all: u64,
    kept: u64,
}

impl<'m> FunctionPass<'m> for Whole {
    /// The branch that ends the loop, how many copies it gets, and what has to be written out in the function before.
    type Plan = (handle::Inst<'m>, Copies, Rc<Vec<Pins<'m>>>);
    const WORD: &'static str = Transform::Unroll.word();
    const THEN: Option<Reshape> = Some(Reshape::FreeArrays);

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, Self::Plan>> {
        let known = analyses.of(function);
        let cycles = &known.outline().cfg().cycles;
        let innermost: Vec<Cycle> = cycles.innermost().collect();
        if innermost.is_empty() {
            return Vec::new();
        }
        let frequencies = known.frequencies();
        let (outline, handles) = (known.outline(), &known.handles);
        let (mut whole, mut parts, mut fews) = (Vec::new(), Vec::new(), Vec::new());
        for cycle in innermost {
            let header = outline.cfg().cycles.header(cycle);
            let known = frequencies.turns(header).filter(|_| !frequencies.is_cold(header));
            let Some(Turns { exact, most, .. }) = known else { continue };
            let Some(latch) = free_latch(outline, handles, cycle, exact.is_some()) else { continue };
            let at = handles.inst(outline.func.terminator(latch));
            let (all, kept) = sizes(outline, cycle, Known::Constant);
            let plan = exact.or(most).map(|turns| Plan { turns, is_exact: exact.is_some(), all, kept });
            if let Some(plan) = plan.filter(Plan::pays) {
                whole.push((cycle, at, plan));
            } else if let Some(turns) = exact {
                let kept = sizes(outline, cycle, Known::Offset).1;
                parts.extend(part::candidate(outline, cycle, turns, (all, kept)).map(|part| (at, part)));
            } else if Few::is_short(all) && has_one_exit(outline, cycle) {
                fews.push((at, Few { cycle, latch, instructions: all }));
            }
        }
        let refuse = |at, why: Reject| Decision::refusal(at, why.name(), format!("loop is not unrolled: {why}"));
        let mut decisions = Vec::new();
        let is_bounded = whole.iter().any(|(.., plan)| !plan.is_exact);
        let budget = is_bounded.then(|| register_budget(None, &known.facts().geometry)).flatten();
        if let Some(budget) = budget {
            let (facts, pressure) = known.facts_and_pressure();
            whole.retain(|(cycle, at, plan)| {
                let why = plan.crowds(facts, *cycle, pressure, budget);
                decisions.extend(why.map(|why| refuse(*at, why)));
                why.is_none()
            });
        }
        let mut found: Vec<_> = whole.into_iter().map(|(_, at, plan)| (at, plan.to_string(), plan.copies())).collect();
        let size = parts.iter().map(|(_, part)| part.size()).fold(0, u64::saturating_add);
        let then = if size <= PART_LEFT_TO_PTXAS { Then::Open } else { Then::Done };
        found.extend(parts.into_iter().map(|(at, part)| (at, part.to_string(), part.copies(then))));
        if !fews.is_empty() {
            let (facts, handles) = known.facts_and_handles();
            let found_by =
                |(at, few): (_, Few)| few.copies(facts, handles).map(|copies| (at, few.text(copies), copies));
            found.extend(fews.into_iter().filter_map(found_by));
        }
        if found.is_empty() {
            return decisions;
        }
        if let Some(pins) = self.results.pins(function, Ends::Objects(&[])).map(Rc::new) {
            let plan = |(at, text, copies)| Decision::plan(at, "LoopUnrolled", text, (at, copies, pins.clone()));
            decisions.extend(found.into_iter().map(plan));
        } else {
            // LLVM unrolls those of few iterations
            let stays = found
                .into_iter()
                .filter(|(.., copies)| !matches!(copies, Copies::Count(_, Then::Remainder) | Copies::Apart));
            decisions.extend(stays.map(|(at, ..)| refuse(at, Reject::Contraction)));
        }
        decisions
    }

    fn apply(&self, plans: Vec<Self::Plan>, editor: &mut Editor<'m>) {
        // those of the function, whichever of its loops it is
        plans.iter().take(1).flat_map(|(.., pins)| pins.iter()).for_each(|pins| pins.apply(editor));
        for (latch, copies, _) in plans {
            match copies {
                Copies::All => editor.ask_to_unroll_fully(latch),
                Copies::Bound => editor.ask_to_unroll_to_bound(latch),
                Copies::Count(count, then) => editor.ask_to_unroll(latch, count, then),
                Copies::Apart => editor.unroll_few_apart(latch, few::MANY, UNROLL_FACTOR),
            }
        }
    }
}

impl Plan {
    fn copies(&self) -> Copies {
        if self.is_exact { Copies::All } else { Copies::Bound }
    }

    fn pays(&self) -> bool {
        let Plan { turns, is_exact, all, kept } = *self;
        // what is left of a loop of a few iterations is tests
        let gains = if is_exact { (all - kept) * 100 >= all * WHOLE_MIN_SHARE } else { turns <= WHOLE_MAX_BOUND };
        gains && kept.saturating_mul(turns) <= WHOLE_MAX_INSTRUCTIONS
    }

    /// Whether a budget of registers is too small for the addresses of all copies that a bounded loop gets within another, in front
    /// of which LLVM computes them.
    fn crowds(&self, outline: &Outline, cycle: Cycle, pressure: &Pressure, budget: u32) -> Option<Reject> {
        outline.cfg().cycles.parent(cycle).filter(|_| !self.is_exact)?;
        let accesses = outline.insts_in(cycle).filter(|&inst| outline.func.accessed(inst).is_some()).count() as u32;
        let before = pressure.largest(outline) + UNSEEN_REGISTERS;
        let after = before + 2 * accesses * (self.turns as u32 - 1);
        (after > budget).then_some(Reject::Pressure { before, after })
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { turns, is_exact, all, kept, .. } = self;
        let bound = if *is_exact { "" } else { "at most " };
        write!(
            f,
            "loop of {bound}{turns} iterations unrolled completely: {kept} of {all} instructions do not follow from its counter alone"
        )
    }
}

/// The only latch of a loop about whose copies nobody has decided, and which LLVM's unroller can copy.
fn free_latch(outline: &Outline, handles: &Handles<'_>, cycle: Cycle, is_exact: bool) -> Option<Block> {
    let func = &outline.func;
    let cycles = &outline.cfg().cycles;
    let latch = cycles.only_latch(&func.graph, cycle)?;
    // what is done about stack objects is decided with them; the few iterations of the others free none
    let is_on_stack = |inst: Inst| {
        let root = func.accessed(inst).and_then(|address| func.def(func.pointer_root(address)));
        root.is_some_and(|root| func.insts[root].opcode == Opcode::Alloca)
    };
    // copies do in the same order what a lane does to memory
    let waits = |inst: Inst| func.insts[inst].opcode != Opcode::AtomicRmw && may_synchronise(func, inst);
    let stays =
        |inst: Inst| is_exact && is_on_stack(inst) || waits(inst) || handles.inst(inst).defined_callee().is_some();
    let is_free = cycles.is_reducible(cycle)
        && (!is_exact || has_one_exit(outline, cycle))
        && !handles.inst(func.terminator(latch)).unroll_is_decided()
        && !outline.insts_in(cycle).any(stays);
    is_free.then_some(latch)
}

fn has_one_exit(outline: &Outline, cycle: Cycle) -> bool {
    outline.cfg().cycles.exit_edges(&outline.func.graph, cycle).count() == 1
}

/// What a value of a loop is in a copy of an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// A constant.
    Constant,
    /// A constant number away from what does not change in the loop.
    Offset,
}

/// The instructions of an iteration, and those of them that are left in a copy in which the counter is so.
fn sizes(outline: &Outline, cycle: Cycle, counter: Known) -> (u64, u64) {
    let func = &outline.func;
    let cycles = &outline.cfg().cycles;
    let is_inside = |inst: Inst| cycles.contains(cycle, func.insts[inst].block);
    let mut found: FxHashMap<Value, Known> = FxHashMap::default();
    let of = |found: &FxHashMap<Value, Known>, value: Value| match func.def(value) {
        _ if func.constant(value).is_some() => Some(Known::Constant),
        Some(def) if is_inside(def) => found.get(&value).copied(),
        _ => Some(Known::Offset),
    };
    let (mut all, mut kept) = (0, 0);
    for inst in outline.insts_in(cycle) {
        let operands = func.operands(inst);
        let known: Option<Vec<Known>> = operands.iter().map(|&value| of(&found, value)).collect();
        let is_constant = known.as_ref().is_some_and(|known| known.iter().all(|&one| one == Known::Constant));
        let value = match func.insts[inst].opcode {
            Opcode::Br => continue,
            Opcode::Phi => {
                if is_counter(outline, cycle, inst) {
                    found.insert(func.result(inst), counter);
                }
                continue;
            }
            Opcode::CondBr
                if is_constant
                    || func.graph.succs(func.insts[inst].block).iter().any(|&to| !cycles.contains(cycle, to)) =>
            {
                Some(Known::Constant)
            }
            opcode if is_constant && opcode.is_value_of_operands() => Some(Known::Constant),
            Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::SExt | Opcode::ZExt | Opcode::Gep => {
                known.map(|_| Known::Offset)
            }
            _ => None,
        };
        all += 1;
        match value {
            Some(value) => _ = found.insert(func.result(inst), value),
            None => kept += 1,
        }
    }
    (all, kept)
}

/// Whether a phi of the header starts with a constant, and a constant is added in each iteration.
fn is_counter(outline: &Outline, cycle: Cycle, phi: Inst) -> bool {
    let func = &outline.func;
    let adds = |value: Value| {
        let add = func.def(value).filter(|&def| func.insts[def].opcode == Opcode::Add);
        add.is_some_and(|add| {
            func.operands(add)[0] == func.result(phi) && func.constant(func.operands(add)[1]).is_some()
        })
    };
    let mut ways = func.operands(phi).iter().zip(func.incoming(phi));
    let is_inside = |from: Block| outline.cfg().cycles.contains(cycle, from);
    ways.all(|(&value, &from)| if is_inside(from) { adds(value) } else { func.constant(value).is_some() })
}
