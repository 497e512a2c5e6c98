//! Which loops does LLVM leave whole that test the same condition in every iteration?
//!
//! LLVM takes such a test out of a loop, with a copy of the loop for each outcome (Frances Allen and John Cocke, *A
//! Catalogue of Optimizing Transformations*, 1972, "unswitching"), but not on targets where lanes may part, because its
//! loop passes do not know whether they do (`SimpleLoopUnswitch.cpp` asks for divergence analysis). Where all lanes of a
//! warp agree, no lane pays for the other copy, and what is left of the loop is shorter and often a single block, which is
//! unrolled. LLVM's own pass does it, under its own bound on the size, while conditions on which lanes may differ are hidden
//! from it. What waits for other lanes is not copied.

use crate::analyses::Analyses;
use crate::driver::{Decision, FunctionPass};
use crate::settings::{Results, Transform};
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, Function};
use warpwise_ir::llvm::remark::Reshape;
use warpwise_ir::types::TypeKind;

/// What is said of a loop.
const MESSAGE: &str = "a condition that all lanes and iterations share is tested before the loop";
/// What is said of one that stays.
const UNDECIDED: &str = "a condition stays in its loop: without it, other products and sums could become multiply-adds";

/// The pass.
pub struct Unswitch {
    /// Whether multiply-adds may change.
    pub results: Results,
}

/// What is done about a function: the branches that end loops to be unswitched, with whether lanes leave together; what
/// tests conditions on which lanes may differ; and what has to be written out before.
pub struct Plan<'m> {
    pins: Vec<Pins<'m>>,
    latches: Vec<(handle::Inst<'m>, bool)>,
    varying: Vec<handle::Inst<'m>>,
}

impl<'m> FunctionPass<'m> for Unswitch {
    type Plan = Plan<'m>;
    const WORD: &'static str = Transform::Unroll.word();
    const THEN: Option<Reshape> = Some(Reshape::Unswitch);

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, Plan<'m>>> {
        let known = analyses.of(function);
        let outline = known.outline();
        let cycles = &outline.cfg().cycles;
        let innermost = cycles.innermost().filter(|&cycle| tests(outline, cycle).next().is_some());
        let innermost: Vec<Cycle> = innermost.collect();
        if innermost.is_empty() {
            return Vec::new();
        }
        let frequencies = known.frequencies();
        let (facts, handles) = known.facts_and_handles();
        let is_hot = |cycle: Cycle| !frequencies.is_cold(facts.cfg().cycles.header(cycle));
        // as far out as it stays the same
        let around = |cycle: Cycle| facts.cfg().cycles.ancestors(cycle).map_while(|cycle| Shared::of(facts, cycle));
        let found: Vec<Shared> = innermost.into_iter().filter(|&cycle| is_hot(cycle)).flat_map(around).collect();
        let Some(at) = found.first().map(|shared| handles.inst(facts.func.terminator(shared.latch))) else {
            return Vec::new();
        };
        let Some(pins) = self.results.pins(function, Ends::Objects(&[])) else {
            return vec![Decision::refusal(at, "UnswitchContraction", UNDECIDED.to_owned())];
        };
        let latch = |shared: &Shared| (handles.inst(facts.func.terminator(shared.latch)), shared.ends_together);
        let latches = found.iter().map(latch).collect();
        let varying = found.iter().flat_map(|shared| &shared.varying).map(|&inst| handles.inst(inst)).collect();
        vec![Decision::plan(at, "LoopUnswitched", MESSAGE.to_owned(), Plan { pins, latches, varying })]
    }

    fn apply(&self, plans: Vec<Plan<'m>>, editor: &mut Editor<'m>) {
        for Plan { pins, latches, varying } in plans {
            pins.iter().for_each(|pins| pins.apply(editor));
            for (latch, ends_together) in latches {
                editor.ask_to_unswitch(latch);
                if !ends_together {
                    editor.ask_not_to_unroll(latch);
                }
            }
            varying.into_iter().for_each(|inst| editor.keep_in_loop(inst));
        }
    }
}

/// A loop that tests a condition on which all lanes agree in all iterations, and in which nothing waits.
struct Shared {
    latch: Block,
    /// Whether lanes leave it in the same iteration. Otherwise each would execute the remainder of the others if LLVM
    /// unrolled what is left of it.
    ends_together: bool,
    /// What tests a condition that is the same in all iterations, but perhaps not for all lanes.
    varying: Vec<Inst>,
}

impl Shared {
    fn of(facts: &Facts, cycle: Cycle) -> Option<Shared> {
        let func = &facts.func;
        let cycles = &facts.cfg().cycles;
        let latch = cycles.only_latch(&func.graph, cycle)?;
        let (same, varying): (Vec<Inst>, Vec<Inst>) =
            tests(facts, cycle).partition(|&inst| facts.class(func.operands(inst)[0]).is_uniform());
        let is_shared = cycles.is_reducible(cycle)
            && !same.is_empty()
            && !facts.insts_in(cycle).any(|inst| may_synchronise(func, inst));
        is_shared.then_some(Shared { latch, ends_together: facts.exit_scope(cycle).is_some(), varying })
    }
}

/// What tests a condition in a loop that is the same in all iterations: selects, and branches that stay in it.
fn tests(outline: &Outline, cycle: Cycle) -> impl Iterator<Item = Inst> {
    let func = &outline.func;
    let cycles = &outline.cfg().cycles;
    let is_inside = move |block: Block| cycles.contains(cycle, block);
    let is_invariant = move |value: Value| {
        func.constant(value).is_none() && func.def(value).is_none_or(|def| !is_inside(func.insts[def].block))
    };
    let stays_inside = move |inst: Inst| func.graph.succs(func.insts[inst].block).iter().all(|&to| is_inside(to));
    let tests = move |inst: Inst| match func.insts[inst].opcode {
        Opcode::CondBr => stays_inside(inst),
        Opcode::Select => func.types[func.type_of(func.operands(inst)[0])].kind == TypeKind::Int(1),
        _ => false,
    };
    outline.insts_in(cycle).filter(move |&inst| tests(inst) && is_invariant(func.operands(inst)[0]))
}
