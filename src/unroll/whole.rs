//! Which loops of constant trip count are unrolled completely, although LLVM finds them too large, or not knowing the count?
//!
//! LLVM counts every instruction of every copy. What is computed from the counter alone is a constant in each copy, though,
//! and the constant part of an address belongs to the access. A loop over the bits of a number, or over a table, is as
//! large as what it does with them; nvcc unrolls it. LLVM's later unroller would make a few copies that still count.
//! A loop of which only a small bound is known becomes as many copies, each of which tests whether it is the last; LLVM does so
//! for other targets.

use crate::analyses::Analyses;
use crate::driver::{Decision, FunctionPass};
use crate::settings::{Results, Transform};
use rustc_hash::FxHashMap;
use std::fmt;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::contraction::raw::Ends;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_analysis::gpu::prices::{WHOLE_MAX_BOUND, WHOLE_MAX_INSTRUCTIONS, WHOLE_MIN_SHARE};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, Function};
use warpwise_ir::llvm::remark::Reshape;

/// The pass.
pub struct Whole {
    /// Whether multiply-adds may change.
    pub results: Results,
}

/// A loop to be unrolled completely.
struct Plan {
    latch: Block,
    turns: u64,
    is_exact: bool,
    /// Instructions of an iteration, and those of them that each copy has.
    all: u64,
    kept: u64,
}

impl<'m> FunctionPass<'m> for Whole {
    /// The branch that ends the loop, and whether its trip count is constant.
    type Plan = (handle::Inst<'m>, bool);
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
        let decide = |cycle: Cycle| {
            let header = outline.cfg().cycles.header(cycle);
            let known = frequencies.turns(header).filter(|_| !frequencies.is_cold(header))?;
            let bound = || known.most.filter(|&most| most <= WHOLE_MAX_BOUND);
            let plan = judge(outline, handles, cycle, known.exact.or_else(bound)?, known.exact.is_some())?;
            let latch = handles.inst(outline.func.terminator(plan.latch));
            Some(Decision::plan(latch, "LoopUnrolled", plan.to_string(), (latch, plan.is_exact)))
        };
        let found: Vec<_> = innermost.into_iter().filter_map(decide).collect();
        let may_change = found.is_empty() || self.results.pins(function, Ends::Objects(&[])).is_some();
        if may_change { found } else { Vec::new() }
    }

    fn apply(&self, latches: Vec<Self::Plan>, editor: &mut Editor<'m>) {
        let pins =
            latches.first().and_then(|(latch, _)| self.results.pins(latch.block().function(), Ends::Objects(&[])));
        pins.iter().flatten().for_each(|pins| pins.apply(editor));
        for (latch, is_exact) in latches {
            if is_exact { editor.ask_to_unroll_fully(latch) } else { editor.ask_to_unroll_to_bound(latch) }
        }
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

/// Whether a loop is unrolled, if results stay the same.
fn judge(outline: &Outline, handles: &Handles<'_>, cycle: Cycle, turns: u64, is_exact: bool) -> Option<Plan> {
    let func = &outline.func;
    let cycles = &outline.cfg().cycles;
    let latch = cycles.only_latch(&func.graph, cycle)?;
    let insts = || cycles.blocks(cycle).iter().flat_map(|&block| func.block_insts(block));
    // what is done about stack objects is decided with them; the few iterations of the others free none
    let is_on_stack = |inst: Inst| {
        let root = func.accessed(inst).and_then(|address| func.def(func.pointer_root(address)));
        root.is_some_and(|root| func.insts[root].opcode == Opcode::Alloca)
    };
    let stays = |inst: Inst| {
        is_exact && is_on_stack(inst) || may_synchronise(func, inst) || handles.inst(inst).defined_callee().is_some()
    };
    let is_free = cycles.is_reducible(cycle)
        && (!is_exact || cycles.exit_edges(&func.graph, cycle).count() == 1)
        && !handles.inst(func.terminator(latch)).unroll_is_decided()
        && !insts().any(stays);
    if !is_free {
        return None;
    }
    let (all, kept) = sizes(outline, cycle);
    let plan = Plan { latch, turns, is_exact, all, kept };
    let is_small = kept.saturating_mul(turns) <= WHOLE_MAX_INSTRUCTIONS;
    // what is left of a loop of a few iterations is tests
    (is_small && (!is_exact || (all - kept) * 100 >= all * WHOLE_MIN_SHARE)).then_some(plan)
}

/// What a value of a loop is in a copy of an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// A constant.
    Constant,
    /// A constant number away from what does not change in the loop.
    Offset,
}

/// The instructions of an iteration, and those of them that are left in a copy.
fn sizes(outline: &Outline, cycle: Cycle) -> (u64, u64) {
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
    for inst in cycles.blocks(cycle).iter().flat_map(|&block| func.block_insts(block)) {
        let operands = func.operands(inst);
        let known: Option<Vec<Known>> = operands.iter().map(|&value| of(&found, value)).collect();
        let is_constant = known.as_ref().is_some_and(|known| known.iter().all(|&one| one == Known::Constant));
        let value = match func.insts[inst].opcode {
            Opcode::Br => continue,
            Opcode::Phi => {
                if is_counter(outline, cycle, inst) {
                    found.insert(func.result(inst), Known::Constant);
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
