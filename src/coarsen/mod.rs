//! `coarsen-threads`: which kernels have so little in flight that four neighbouring threads are better done by one?
//!
//! A kernel that reads and writes an element of 1 to 4 bytes a thread cannot keep memory busy: with all threads that fit on a
//! multiprocessor of an H100, 8 KB are in flight, and its memory takes twice that. So the work of four neighbouring threads is
//! done by one, with accesses that are four times as wide (thread coarsening: Magni, Dubach and O'Boyle, SC 2013). Others
//! launch fewer threads for that; here launches stay as they are, so that the host, graphs and libraries need know nothing:
//! of four neighbouring blocks the first does the work of all, and the others end at once. Whether it may is decided anew by
//! each block, from the launch and the arguments alone, so that the four decide alike; where it may not, the kernel runs as it
//! is. Threads that neither wait for others nor have memory of their own do not see that they run one after the other.

mod plan;
#[cfg(any(feature = "mutants", test))]
mod planted;
mod reject;
mod steps;

use crate::analyses::Analyses;
use crate::driver::{self, Decision, FunctionPass};
use crate::settings::{Settings, Transform};
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::coarsen::Coarsening;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{PassManager, Reshape};

/// The pass, with these settings.
struct Coarsen<'a>(&'a Settings);

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, settings: &Settings, manager: &PassManager<'_>) -> bool {
    driver::run(&Coarsen(settings), module, settings.analysis(), manager)
}

impl<'m> FunctionPass<'m> for Coarsen<'_> {
    type Plan = (Coarsening<'m>, Vec<Pins<'m>>);
    const WORD: &'static str = Transform::Coarsen.word();
    const THEN: Option<Reshape> = None;

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, Self::Plan>> {
        if !function.is_ptx_kernel() {
            return Vec::new();
        }
        let known = analyses.of(function);
        let Some(outcome) = plan::plan(known.outline(), self.0.coarsen_profit) else { return Vec::new() };
        let at = known.handles.inst(plan::place(known.outline()));
        let pinned = outcome.and_then(|plan| {
            let pins = self.0.results.pins(function, Ends::Objects(&[])).ok_or(reject::Reject::Contraction)?;
            Ok((plan, pins))
        });
        vec![match pinned {
            Ok((plan, pins)) => {
                Decision::plan(at, "Coarsened", plan.to_string(), (plan.with_handles(&known.handles), pins))
            }
            Err(why) => Decision::refusal(at, why.name(), format!("threads are not coarsened: {why}")),
        }]
    }

    fn apply(&self, plans: Vec<Self::Plan>, editor: &mut Editor<'m>) {
        for (coarsening, pins) in plans {
            pins.iter().for_each(|pins| pins.apply(editor));
            #[cfg(any(feature = "mutants", test))]
            let coarsening = planted::changed(coarsening);
            editor.coarsen(&coarsening);
        }
    }
}
