//! `unroll-loops`: which loops of unknown trip count does LLVM's unroller copy, so that their loads overlap?
//!
//! nvcc unrolls most such loops by four; LLVM has no preference of its own for NVPTX and leaves them. [`plan`] decides by
//! facts; a plan marks the loop by `llvm.loop.unroll.count`, as `#pragma unroll 4` does, and LLVM's unroller carries it
//! out, only on loops that are marked; loops that step over threads are put in groups (`src/ir/llvm/groups.cpp`). `ptxas`
//! unrolls some loops itself, which is why only those are changed that are sure to gain.

mod body;
mod loads;
mod origin;
mod plan;
#[cfg(any(feature = "mutants", test))]
mod planted;
mod reject;
mod trips;

use crate::settings::Results;
use crate::settings::{Settings, Transform, is_enabled};
use plan::{Context, Decision, FACTOR, UnrollPlan};
use trips::Way;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::{self, ModuleAnalysis};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{Host, Kind, Reshape};
use warpwise_ir::phrase::counted;

/// The options of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Also loops that are not sure to gain.
    pub always: bool,
    /// Whether multiply-adds may change.
    pub results: Results,
    /// Limit of the registers of a thread, if stated.
    pub regs: Option<u32>,
}

impl From<&Settings> for Options {
    fn from(settings: &Settings) -> Options {
        Options {
            analysis: settings.analysis(),
            always: settings.always || settings.unrolls_always,
            results: settings.results,
            regs: settings.regs,
        }
    }
}

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, options: &Options, host: &Host<'_>) -> bool {
    let analysis = ModuleAnalysis::new(module, options.analysis);
    let enabled = |function: &Function<'_>| !function.is_declaration() && is_enabled(*function, Transform::Unroll);
    // plan everything before editing: the facts of one function may depend on the bodies of others
    let mut plans = Vec::new();
    for function in module.functions().filter(enabled) {
        let (outline, handles) = analysis.outline(function);
        if outline.cfg().cycles.is_empty() {
            continue;
        }
        let facts = analysis.solve(outline, function);
        let frequencies = Frequencies::new(function);
        let latch = |block| handles.inst(facts.func.terminator(block));
        let context = Context::new(&facts, &handles, options);
        for Decision { header, outcome } in plan::plan(&context, &frequencies) {
            let at = Some(handles.inst(facts.func.terminator(header)));
            match outcome {
                Ok(plan) if host.admits(Transform::Unroll.pass(), function, at, || "loop unrolled".to_owned()) => {
                    host.emit(Kind::Passed, function, at, "LoopUnrolled", &sentence(&plan));
                    plans.push((function, latch(plan.latch), plan.way));
                }
                Ok(_) => {}
                Err(reject) => {
                    let message = format!("loop is not unrolled: {reject}");
                    host.emit(Kind::Missed, function, at, reject.name(), &message);
                }
            }
        }
    }
    drop(analysis);
    let mut editor = Editor::new(module);
    for &(_, latch, way) in &plans {
        #[cfg(any(feature = "mutants", test))]
        planted::before(&mut editor, latch);
        match way {
            Way::Counted => editor.ask_to_unroll(latch, FACTOR),
            Way::Grouped => {
                editor.run_in_groups(latch, FACTOR);
                #[cfg(any(feature = "mutants", test))]
                planted::behind(&mut editor, latch);
            }
        }
    }
    let mut functions: Vec<Function<'_>> = plans.iter().map(|&(function, ..)| function).collect();
    functions.dedup();
    functions.iter().for_each(|&function| host.reshape(function, Reshape::Unroll));
    !plans.is_empty()
}

/// What is done to a loop.
fn sentence(plan: &UnrollPlan) -> String {
    let UnrollPlan { way, loads, slow, instructions, .. } = *plan;
    let of = match (loads, slow) {
        (_, 0) => counted(loads, "load"),
        (0, _) => counted(slow, "slow computation"),
        _ => format!("{} and {}", counted(loads, "load"), counted(slow, "slow computation")),
    };
    let way = if way == Way::Grouped { " in groups" } else { "" };
    format!(
        "loop of {instructions} instructions unrolled by {FACTOR}{way}: {of} of an iteration can overlap with those of others (not measured)"
    )
}
