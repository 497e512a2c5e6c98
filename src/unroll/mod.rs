//! `unroll-loops`: which loops of unknown trip count does LLVM's unroller copy, so that their loads overlap?
//!
//! nvcc unrolls most such loops by four; LLVM has no preference of its own for NVPTX and leaves them. [`plan`] decides by
//! facts; a plan marks the loop by `llvm.loop.unroll.count`, as `#pragma unroll 4` does, and LLVM's unroller carries it
//! out, only on loops that are marked; loops that step over threads are put in groups (`src/ir/llvm/groups.cpp`). `ptxas`
//! unrolls some loops itself, which is why only those are changed that are sure to gain.

pub mod body;
mod few;
mod loads;
mod origin;
mod part;
mod plan;
#[cfg(any(feature = "mutants", test))]
mod planted;
mod reject;
mod trips;
mod unswitch;
mod whole;

use crate::analyses::Analyses;
use crate::driver::{self, Decision, FunctionPass};
use crate::settings::{Results, Settings, Transform};
use plan::{Context, UnrollPlan};
use reject::Reject;
use std::fmt;
use trips::Way;
use warpwise_analysis::divergence;
use warpwise_analysis::gpu::prices::UNROLL_FACTOR;
use warpwise_ir::entity::Block;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::unroll::Then;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{PassManager, Reshape};
use warpwise_ir::phrase::counted;

/// The pass, with these settings.
struct Loops<'a>(&'a Settings);

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, settings: &Settings, manager: &PassManager<'_>) -> bool {
    driver::run(&Loops(settings), module, settings.analysis(), manager)
}

/// Unrolls loops completely whose counter is most of what they compute; returns whether the module changed.
pub fn run_whole(module: Module<'_>, results: Results, manager: &PassManager<'_>) -> bool {
    driver::run(&whole::Whole { results }, module, divergence::Options::default(), manager)
}

/// Takes conditions out of loops on which all lanes agree; returns whether the module changed.
pub fn run_unswitch(module: Module<'_>, results: Results, manager: &PassManager<'_>) -> bool {
    driver::run(&unswitch::Unswitch { results }, module, divergence::Options::default(), manager)
}

impl<'m> FunctionPass<'m> for Loops<'_> {
    type Plan = (Inst<'m>, Way);
    const WORD: &'static str = Transform::Unroll.word();
    const THEN: Option<Reshape> = Some(Reshape::Unroll);

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, (Inst<'m>, Way)>> {
        let known = analyses.of(function);
        if known.outline().cfg().cycles.is_empty() {
            return Vec::new();
        }
        let frequencies = known.frequencies();
        let (facts, handles) = known.facts_and_handles();
        let branch = |block| handles.inst(facts.func.terminator(block));
        let of_loop = |(header, outcome): (Block, Result<UnrollPlan, Reject>)| match outcome {
            Ok(plan) => {
                Decision::plan(branch(header), "LoopUnrolled", plan.to_string(), (branch(plan.latch), plan.way))
            }
            Err(reject) => Decision::refusal(branch(header), reject.name(), format!("loop is not unrolled: {reject}")),
        };
        plan::plan(&Context::new(facts, handles, self.0), &frequencies).into_iter().map(of_loop).collect()
    }

    fn apply(&self, plans: Vec<(Inst<'m>, Way)>, editor: &mut Editor<'m>) {
        for (latch, way) in plans {
            #[cfg(any(feature = "mutants", test))]
            planted::before(editor, latch);
            match way {
                Way::Counted => editor.ask_to_unroll(latch, UNROLL_FACTOR, Then::Done),
                Way::Grouped => {
                    editor.run_in_groups(latch, UNROLL_FACTOR);
                    #[cfg(any(feature = "mutants", test))]
                    planted::behind(editor, latch);
                }
            }
        }
    }
}

impl fmt::Display for UnrollPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnrollPlan { way, loads, slow, instructions, .. } = *self;
        let of = match (loads, slow) {
            (_, 0) => counted(loads, "load"),
            (0, _) => counted(slow, "slow computation"),
            _ => format!("{} and {}", counted(loads, "load"), counted(slow, "slow computation")),
        };
        let way = if way == Way::Grouped { " in groups" } else { "" };
        write!(
            f,
            "loop of {instructions} instructions unrolled by {UNROLL_FACTOR}{way}: {of} of an iteration can overlap with those of others (not measured)"
        )
    }
}
