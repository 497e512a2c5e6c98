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

use crate::driver::{self, Decision, FunctionPass, Said, Unit};
use crate::settings::Results;
use plan::Plan;
use reject::Reject;
use warpwise_analysis::divergence;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{Host, Reshape};

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, options: divergence::Options, results: Results, host: &Host<'_>) -> bool {
    driver::run(&Arrays { results }, module, options, host)
}

/// The pass.
struct Arrays {
    /// Whether multiply-adds may change.
    results: Results,
}

impl FunctionPass for Arrays {
    type Plan<'m> = Plan<'m>;
    type Refusal<'m> = Stays;
    const THEN: Option<Reshape> = Some(Reshape::FreeArrays);

    fn wants(&self, function: Function<'_>) -> bool {
        plan::may_have_any(function)
    }

    fn plan<'m>(&self, unit: &Unit<'_, 'm>) -> Vec<Decision<'m, Plan<'m>, Stays>> {
        let (outline, handles) = unit.analysis().outline(unit.function);
        let decided = plan::plan(&outline, &handles, self.results);
        let stays = |(object, reject): (Inst<'m>, Reject)| {
            Decision::refusal(object, Stays { bytes: object.allocated_bytes().unwrap_or(0), reject })
        };
        let plan = decided.plan.and_then(|plan| Some(Decision::plan(*plan.objects.first()?, plan)));
        decided.refusals.into_iter().map(stays).chain(plan).collect()
    }

    fn apply<'m>(&self, plan: &Plan<'m>, editor: &mut Editor<'m>) {
        #[cfg(any(feature = "mutants", test))]
        planted::before(editor, plan);
        plan.products.iter().for_each(|&product| editor.round_alone(product));
        plan.latches.iter().for_each(|&latch| editor.ask_to_unroll_fully(latch));
    }
}

/// An object that stays in memory.
struct Stays {
    bytes: u64,
    reject: Reject,
}

impl Said for Stays {
    fn name(&self) -> &'static str {
        self.reject.name()
    }

    fn message(&self) -> String {
        format!("loops are not unrolled for the stack object of {} bytes: {}", self.bytes, self.reject)
    }
}

impl Said for Plan<'_> {
    fn name(&self) -> &'static str {
        "ArraysFreed"
    }

    fn message(&self) -> String {
        let Plan { objects, latches, bytes, instructions, before, after, .. } = self;
        let plural =
            |count: usize, word: &str| if count == 1 { format!("a {word}") } else { format!("{count} {word}s") };
        format!(
            "{} unrolled completely, {instructions} instructions afterwards: {} of {bytes} bytes can be in registers \
             (about {after} instead of {before})",
            plural(latches.len(), "loop"),
            plural(objects.len(), "stack object"),
        )
    }
}
