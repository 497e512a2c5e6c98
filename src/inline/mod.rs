//! `inline-calls`: which calls keep a stack object in memory that would be in registers if they were inlined?
//!
//! LLVM inlines by size. What it leaves takes the address of its caller's objects, which then have to be in local memory:
//! a large function that a kernel calls once, with a reference to a struct. If every use of the object, here and in the
//! callee, is at a constant place, inlining frees it; and if nothing that a kernel reaches calls the function a second
//! time, no code is copied that runs. nvcc inlines such functions, since it makes them local; clang leaves them visible, so
//! that LLVM does not know of the single call. The function itself stays as it is, so that other modules may call it.
//!
//! 1. [`calls`] lists what kernels reach, callees first, and counts calls.
//! 2. For each caller, [`plan`] chooses calls from read-only facts: [`uses`](crate::uses) say how an object is used, [`products`] how
//!    results keep their bits.
//! 3. LLVM inlines, and its pipeline for one function simplifies the caller, before callers of that one are looked at.

mod calls;
mod plan;
#[cfg(any(feature = "mutants", test))]
mod planted;
mod products;
mod reject;

use crate::driver::{self, Decision, Said};
use crate::recursion::is_left_alone;
use crate::settings::Results;
use crate::settings::enabled::read_annotations;
use calls::Calls;
use plan::Plan;
pub use plan::Stage;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{Host, Reshape};

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, stage: Stage, results: Results, host: &Host<'_>) -> bool {
    let mut changed = read_annotations(module);
    let calls = Calls::of(module);
    for &caller in calls.functions() {
        changed |= inline_in(module, caller, &calls, stage, results, host);
    }
    changed
}

/// Inlines calls in one function; returns whether it changed.
fn inline_in<'m>(
    module: Module<'m>,
    caller: Function<'m>,
    calls: &Calls<'m>,
    stage: Stage,
    results: Results,
    host: &Host<'_>,
) -> bool {
    if is_left_alone(caller, host) {
        return false;
    }
    let decisions = plan::plan(caller, calls, stage, results).into_iter();
    // LLVM may still inline what is refused early
    let decisions = decisions.filter(|(_, outcome)| outcome.is_ok() || stage == Stage::Late);
    let decisions = decisions.map(|(at, outcome)| Decision { at, outcome: outcome.map(|plan| (at, plan)) });
    let plans = driver::admitted(caller, decisions, host);
    if plans.is_empty() {
        return false;
    }
    let mut editor = Editor::new(module);
    let mut products: Vec<Inst<'m>> = plans.iter().flat_map(|(_, plan)| plan.products.iter().copied()).collect();
    products.sort_unstable();
    products.dedup();
    products.into_iter().for_each(|product| editor.round_alone(product));
    for (call, _) in plans {
        #[cfg(any(feature = "mutants", test))]
        let shared = planted::before(&mut editor, call);
        editor.inline(call);
        #[cfg(any(feature = "mutants", test))]
        planted::after(&mut editor, &shared);
    }
    drop(editor);
    if stage == Stage::Late {
        host.reshape(caller, Reshape::Simplify);
    }
    true
}

impl Said for (Inst<'_>, Plan<'_>) {
    fn name(&self) -> &'static str {
        "CallInlined"
    }

    fn message(&self) -> String {
        let Plan { objects, bytes, instructions, .. } = &self.1;
        let freed = if *objects == 1 { "a stack object".to_owned() } else { format!("{objects} stack objects") };
        format!(
            "call inlined, the only one of a function of {instructions} instructions: {freed} of {bytes} bytes can be in registers"
        )
    }
}
