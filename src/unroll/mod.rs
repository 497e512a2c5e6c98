//! `unroll-loops`: which loops of unknown trip count does LLVM's unroller copy, so that their loads overlap?
//!
//! nvcc unrolls most such loops by four; LLVM has no preference of its own for NVPTX and leaves them. [`plan`] decides by
//! facts; a plan marks the loop by `llvm.loop.unroll.count`, as `#pragma unroll 4` does, and LLVM's unroller carries it out,
//! only on loops that are marked. Off unless asked for, or measured: `ptxas` unrolls some of these loops itself.

mod plan;
mod reject;

use crate::cost::frequency::Frequencies;
use crate::divergence::{self, ModuleAnalysis};
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Module};
use crate::llvm::remark::{Host, Kind, Reshape};
use crate::settings::{Settings, Transform, is_enabled};
use plan::{Decision, FACTOR};

/// The options of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub analysis: divergence::Options,
}

impl From<&Settings> for Options {
    fn from(settings: &Settings) -> Options {
        Options { analysis: settings.analysis() }
    }
}

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, options: &Options, host: &Host<'_>) -> bool {
    let analysis = ModuleAnalysis::new(module, options.analysis);
    let enabled = |function: &Function<'_>| !function.is_declaration() && is_enabled(*function, Transform::Unroll);
    // plan everything before editing: the facts of one function may depend on the bodies of others
    let mut plans = Vec::new();
    for function in module.functions().filter(enabled) {
        let (facts, handles) = analysis.facts(function);
        let frequencies = Frequencies::new(function);
        let latch = |block| handles.inst(facts.func.terminator(block));
        for Decision { header, outcome } in
            plan::plan(&facts, function, &frequencies, |block| latch(block).unroll_is_decided())
        {
            let at = Some(handles.inst(facts.func.terminator(header)));
            match outcome {
                Ok(plan) if host.admits(Transform::Unroll.pass(), function, at, || "loop unrolled".to_owned()) => {
                    let (loads, instructions) = (plan.loads, plan.instructions);
                    let message = format!(
                        "loop of {instructions} instructions unrolled by {FACTOR}: {loads} load{} of an iteration can overlap with \
                         those of others (not measured)",
                        if loads == 1 { "" } else { "s" }
                    );
                    host.emit(Kind::Passed, function, at, "LoopUnrolled", &message);
                    plans.push((function, latch(plan.latch)));
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
    plans.iter().for_each(|&(_, latch)| editor.ask_to_unroll(latch, FACTOR));
    let mut functions: Vec<Function<'_>> = plans.iter().map(|&(function, _)| function).collect();
    functions.dedup();
    functions.iter().for_each(|&function| host.reshape(function, Reshape::Unroll));
    !plans.is_empty()
}
