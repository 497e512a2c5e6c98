//! `inline-calls`: which calls keep a stack object in memory that would be in registers if they were inlined?
//!
//! LLVM inlines by size. What it leaves takes the address of its caller's objects, which then have to be in local memory:
//! a large function that a kernel calls once, with a reference to a struct. If every use of the object, here and in the
//! callee, is at a constant place, inlining frees it; and if nothing that a kernel reaches calls the function a second
//! time, no code is copied that one kernel runs. nvcc inlines such functions, since it makes them local; clang leaves them visible, so
//! that LLVM does not know of the single call. The function itself stays as it is, so that other modules may call it.
//!
//! 1. [`calls`] lists what kernels reach, callees first, and counts calls.
//! 2. For each caller, [`plan`] chooses calls from read-only facts: [`inventory`](super::inventory) says how an object is used,
//!    [`products`] how results keep their bits.
//! 3. LLVM inlines, and its pipeline for one function simplifies the caller, before callers of that one are looked at.

pub mod calls;
pub mod plan;
#[cfg(any(feature = "mutants", test))]
mod planted;
pub mod products;

use crate::analyses::Analyses;
use crate::driver::{self, Decision, FunctionPass};
use crate::settings::Results;
use crate::settings::enabled::read_annotations;
use crate::settings::transform::INLINE;
use calls::Calls;
use plan::Plan;
pub use plan::Stage;
use products::Joined;
use std::cell::RefCell;
use std::fmt;
use warpwise_analysis::divergence;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{PassManager, Reshape};

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, stage: Stage, results: Results, manager: &PassManager<'_>) -> bool {
    let mut changed = read_annotations(module);
    let calls = &Calls::of(module);
    let joined = RefCell::new((results == Results::Same).then(|| Joined::new(stage, manager)));
    let pass = Inline { calls, stage, joined };
    let mut analyses = Analyses::new(module, divergence::Options::default());
    for &caller in calls.functions() {
        let is_inlined = driver::run_on(&pass, [caller], &mut analyses, manager);
        if is_inlined && stage == Stage::Late {
            manager.reshape(caller, Reshape::Simplify);
        }
        changed |= is_inlined;
    }
    changed
}

/// The pass.
struct Inline<'a, 'm> {
    calls: &'a Calls<'m>,
    stage: Stage,
    /// What is joined in functions; `None` if that may change.
    joined: RefCell<Option<Joined<'a, 'm>>>,
}

impl<'m> FunctionPass<'m> for Inline<'_, 'm> {
    type Plan = Plan<'m>;
    const WORD: &'static str = INLINE;
    const THEN: Option<Reshape> = None;

    fn plan(&self, caller: Function<'m>, _: &mut Analyses<'m>) -> Vec<Decision<'m, Self::Plan>> {
        let (plans, _) = plan::plan(caller, self.calls, self.stage, self.joined.borrow_mut().as_mut());
        plans.into_iter().map(|plan| Decision::plan(plan.call, "CallInlined", plan.to_string(), plan)).collect()
    }

    fn apply(&self, plans: Vec<Self::Plan>, editor: &mut Editor<'m>) {
        if let Some(joined) = self.joined.borrow_mut().as_mut() {
            joined.forget(plans.iter().flat_map(|plan| plan.changed()));
        }
        let mut pinned: Vec<Function<'m>> = Vec::new();
        for pins in plans.iter().flat_map(|plan| &plan.pins) {
            if !pinned.contains(&pins.function) {
                pins.apply(editor);
                pinned.push(pins.function);
            }
        }
        for Plan { call, .. } in plans {
            #[cfg(any(feature = "mutants", test))]
            let shared = planted::before(editor, call);
            editor.inline(call);
            #[cfg(any(feature = "mutants", test))]
            planted::after(editor, &shared);
        }
    }
}

impl fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { objects, bytes, instructions, .. } = self;
        let freed = if *objects == 1 { "a stack object".to_owned() } else { format!("{objects} stack objects") };
        write!(
            f,
            "call inlined, the only one of a function of {instructions} instructions: {freed} of {bytes} bytes can be in registers"
        )
    }
}
