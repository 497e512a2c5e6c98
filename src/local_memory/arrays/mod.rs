//! `free-arrays`: which stack objects would be in registers if loops of constant trip count were unrolled?
//!
//! An array that is indexed by a loop's counter is in local memory unless the loop is unrolled completely: then every
//! access goes to a constant place, and LLVM makes registers of the object. LLVM's unroller looks at the size of the
//! loop alone, and for NVPTX has no preference for loops that keep an object in memory; nvcc unrolls them.
//!
//! 1. For each object, [`index`] finds the loops whose counters its addresses depend on, or what else they depend on.
//! 2. [`plan`] decides from read-only facts: size, registers, occupancy.
//! 3. LLVM unrolls the loops, and its `sroa` makes registers of the objects.
//!
//! It runs after LLVM has inlined, before branches are fused and before objects are moved to shared memory.

mod index;
pub mod plan;
#[cfg(any(feature = "mutants", test))]
mod planted;

use crate::analyses::Analyses;
use crate::driver::{self, Decision, FunctionPass};
use crate::local_memory::inventory::allocas;
use crate::settings::Results;
use crate::settings::transform::ARRAYS;
use plan::Plan;
use std::fmt;
use warpwise_analysis::divergence;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{PassManager, Reshape};

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, options: divergence::Options, results: Results, manager: &PassManager<'_>) -> bool {
    driver::run(&Arrays { results }, module, options, manager)
}

/// The pass.
struct Arrays {
    /// Whether multiply-adds may change.
    results: Results,
}

impl<'m> FunctionPass<'m> for Arrays {
    type Plan = Plan<'m>;
    const WORD: &'static str = ARRAYS;
    const THEN: Option<Reshape> = Some(Reshape::FreeArrays);

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, Plan<'m>>> {
        if allocas(function).next().is_none() || function.blocks().nth(1).is_none() {
            return Vec::new();
        }
        let freed =
            |plan: Plan<'m>| Some(Decision::plan(*plan.objects.first()?, "ArraysFreed", plan.to_string(), plan));
        plan::plan(analyses.of(function), self.results).0.and_then(freed).into_iter().collect()
    }

    fn apply(&self, plans: Vec<Plan<'m>>, editor: &mut Editor<'m>) {
        for plan in plans {
            #[cfg(any(feature = "mutants", test))]
            planted::before(editor, &plan);
            plan.stores.iter().for_each(|&store| editor.store_in_place(store));
            plan.pins.iter().for_each(|pins| pins.apply(editor));
            plan.latches.iter().for_each(|&latch| editor.ask_to_unroll_fully(latch));
        }
    }
}

impl fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { objects, latches, bytes, instructions, before, after, .. } = self;
        let plural =
            |count: usize, word: &str| if count == 1 { format!("a {word}") } else { format!("{count} {word}s") };
        write!(
            f,
            "{} unrolled completely, {instructions} instructions afterwards: {} of {bytes} bytes can be in registers \
             (about {after} instead of {before})",
            plural(latches.len(), "loop"),
            plural(objects.len(), "stack object"),
        )
    }
}
