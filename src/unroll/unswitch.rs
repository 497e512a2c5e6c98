//! Which innermost loops does LLVM leave whole that test the same condition in every iteration?
//!
//! LLVM takes such a test out of a loop, with a copy of the loop for each outcome (Frances Allen and John Cocke, *A
//! Catalogue of Optimizing Transformations*, 1972, "unswitching"), but not on targets where lanes may part, because its
//! loop passes do not know whether they do (`SimpleLoopUnswitch.cpp` asks for divergence analysis). Where all lanes of a
//! warp agree, no lane pays for the other copy, and what is left of the loop is shorter and often a single block, which is
//! unrolled. LLVM's own pass does it, under its own bound on the size, for loops in which every such condition is uniform.
//! What waits for other lanes is not copied: LLVM refuses.

use crate::analyses::Analyses;
use crate::driver::{Decision, FunctionPass};
use crate::settings::{Results, Transform};
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::contraction::raw::Ends;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, Function};
use warpwise_ir::llvm::remark::Reshape;

/// What is said of a loop.
const MESSAGE: &str = "a condition that all lanes and iterations share is tested before the loop";
/// What is said of one that stays.
const UNDECIDED: &str = "a condition stays in its loop: without it, other products and sums could become multiply-adds";

/// The pass.
pub struct Unswitch {
    /// Whether multiply-adds may change.
    pub results: Results,
}

impl<'m> FunctionPass<'m> for Unswitch {
    type Plan = handle::Inst<'m>;
    const WORD: &'static str = Transform::Unroll.word();
    const THEN: Option<Reshape> = Some(Reshape::Unswitch);

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, handle::Inst<'m>>> {
        let known = analyses.of(function);
        let cycles = &known.outline().cfg().cycles;
        let innermost: Vec<Cycle> = cycles.iter().filter(|&cycle| cycles.descendants(cycle).count() == 1).collect();
        if innermost.is_empty() {
            return Vec::new();
        }
        let frequencies = known.frequencies();
        let (facts, handles) = known.facts_and_handles();
        let is_hot = |cycle: Cycle| !frequencies.is_cold(facts.cfg().cycles.header(cycle));
        let latch = |cycle: Cycle| handles.inst(facts.func.terminator(latch(facts, cycle).expect("it has one")));
        let found: Vec<_> =
            innermost.into_iter().filter(|&cycle| is_hot(cycle) && pays(facts, cycle)).map(latch).collect();
        let may_change = found.is_empty() || self.results.pins(function, Ends::Objects(&[])).is_some();
        let decide = |latch| match may_change {
            true => Decision::plan(latch, "LoopUnswitched", MESSAGE.to_owned(), latch),
            false => Decision::refusal(latch, "UnswitchContraction", UNDECIDED.to_owned()),
        };
        found.into_iter().map(decide).collect()
    }

    fn apply(&self, latches: Vec<handle::Inst<'m>>, editor: &mut Editor<'m>) {
        let pins = latches.first().and_then(|latch| self.results.pins(latch.block().function(), Ends::Objects(&[])));
        pins.iter().flatten().for_each(|pins| pins.apply(editor));
        latches.into_iter().for_each(|latch| editor.ask_to_unswitch(latch));
    }
}

/// The only latch of a loop.
fn latch(facts: &Facts, cycle: Cycle) -> Option<Block> {
    let mut latches = facts.cfg().cycles.latches(&facts.func.graph, cycle);
    latches.next().filter(|_| latches.next().is_none())
}

/// Whether a loop tests a condition that is always the same in it, lanes agree on all of these, and nothing waits.
fn pays(facts: &Facts, cycle: Cycle) -> bool {
    let func = &facts.func;
    let cycles = &facts.cfg().cycles;
    let insts = || cycles.blocks(cycle).iter().flat_map(|&block| func.block_insts(block));
    let is_invariant = |value: Value| {
        func.constant(value).is_none()
            && func.def(value).is_none_or(|def| !cycles.contains(cycle, func.insts[def].block))
    };
    let tested = |inst: Inst| match func.insts[inst].opcode {
        Opcode::CondBr => func.graph.succs(func.insts[inst].block).iter().all(|&to| cycles.contains(cycle, to)),
        Opcode::Select => true,
        _ => false,
    };
    let conditions: Vec<Value> = insts()
        .filter(|&inst| tested(inst))
        .map(|inst| func.operands(inst)[0])
        .filter(|&value| is_invariant(value))
        .collect();
    cycles.is_reducible(cycle)
        && !conditions.is_empty()
        && latch(facts, cycle).is_some()
        && conditions.iter().all(|&condition| facts.class(condition).is_uniform())
        && !insts().any(|inst| may_synchronise(func, inst))
}
