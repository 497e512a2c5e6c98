//! `free-arrays`: which stack objects would be in registers if loops of constant trip count were unrolled?
//!
//! An array that is indexed by a loop's counter is in local memory unless the loop is unrolled completely: then every
//! access goes to a constant place, and LLVM makes registers of the object. LLVM's unroller looks at the size of the
//! loop alone, and for NVPTX has no preference for loops that keep an object in memory; nvcc unrolls them.
//!
//! 1. For each object, [`index`] finds the loops whose counters its addresses depend on, or what else they depend on.
//! 2. [`plan`] decides from read-only facts: size, registers, occupancy; [`products`] says how results keep their bits.
//! 3. LLVM unrolls the loops, and its `sroa` makes registers of the objects.
//!
//! It runs after LLVM has inlined, before branches are fused and before objects are moved to shared memory.

mod index;
mod plan;
#[cfg(any(feature = "mutants", test))]
mod planted;
mod products;
mod reject;

use crate::settings::FREE_ARRAYS;
use crate::settings::Results;
use plan::Plan;
use warpwise_analysis::divergence::{self, ModuleAnalysis};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{Host, Kind, Reshape};

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, options: divergence::Options, results: Results, host: &Host<'_>) -> bool {
    let wanted: Vec<Function<'_>> = module.functions().filter(|&function| plan::may_have_any(function)).collect();
    if wanted.is_empty() {
        return false;
    }
    let analysis = ModuleAnalysis::new(module, options);
    let plans: Vec<(Function<'_>, Plan<'_>)> = wanted
        .into_iter()
        .filter_map(|function| Some((function, plan_of(&analysis, function, results, host)?)))
        .collect();
    drop(analysis);
    for (function, plan) in &plans {
        let mut editor = Editor::new(module);
        #[cfg(any(feature = "mutants", test))]
        planted::before(&mut editor, plan);
        plan.products.iter().for_each(|&product| editor.round_alone(product));
        plan.latches.iter().for_each(|&latch| editor.ask_to_unroll_fully(latch));
        drop(editor);
        host.reshape(*function, Reshape::FreeArrays);
    }
    !plans.is_empty()
}

/// What is done in one function; says so, and why other objects stay.
fn plan_of<'m>(
    analysis: &ModuleAnalysis<'m>,
    function: Function<'m>,
    results: Results,
    host: &Host<'_>,
) -> Option<Plan<'m>> {
    let (outline, handles) = analysis.outline(function);
    let decided = plan::plan(&outline, &handles, results);
    for (object, reject) in decided.refusals {
        let message = format!("loops are not unrolled for the stack object {}: {reject}", described(object));
        host.emit(Kind::Missed, function, Some(object), reject.name(), &message);
    }
    let plan = decided.plan?;
    let first = *plan.objects.first()?;
    let admitted = host.admits(FREE_ARRAYS, function, Some(first), || "loops unrolled".to_owned());
    if admitted {
        host.emit(Kind::Passed, function, Some(first), "ArraysFreed", &message(&plan));
    }
    admitted.then_some(plan)
}

/// An object as it is allocated.
fn described(object: Inst<'_>) -> String {
    format!("of {} bytes", object.allocated_bytes().unwrap_or(0))
}

fn message(plan: &Plan<'_>) -> String {
    let Plan { objects, latches, bytes, instructions, before, after, .. } = plan;
    let plural = |count: usize, word: &str| if count == 1 { format!("a {word}") } else { format!("{count} {word}s") };
    format!(
        "{} unrolled completely, {instructions} instructions afterwards: {} of {bytes} bytes can be in registers \
         (about {after} instead of {before})",
        plural(latches.len(), "loop"),
        plural(objects.len(), "stack object"),
    )
}
