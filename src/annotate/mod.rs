//! annotate-uniform: how are LLVM and ptxas told what the warp agrees on, and what nobody writes?
//!
//! [`plan`] reads facts, [`apply`] edits. [`claim`] defines `!warpwise.uniform`, and [`verify`] checks it. [`readonly`]
//! and [`products`] decide which loads are marked invariant. docs/ANNOTATE.md has the measurements.

pub mod apply;
pub mod claim;
pub mod plan;
pub mod products;
pub mod readonly;
pub mod verify;

use crate::analyses::{Analyses, Kept};
use crate::driver;
use crate::settings::{Settings, Transform};
use claim::Claims;
use readonly::ReadOnlyMemory;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::PassManager;

/// Runs the pass over a module; returns whether it changed.
pub fn run<'m>(module: Module<'m>, settings: &Settings, manager: &PassManager<'_>) -> bool {
    let mut analyses = Analyses::new(module, settings.analysis());
    if settings.verify {
        verify::verify(&mut analyses, manager);
        return false;
    }
    let mut memory = ReadOnlyMemory::new(settings.assume_restrict);
    let mut unclaimed = Vec::new();
    let plan = |&function: &Function<'m>, analyses: &mut Analyses<'m>| {
        let (facts, handles) = analyses.of(function).facts_and_handles();
        let mut invariants = plan::plan(facts, handles, &mut memory, settings);
        invariants.retain(|invariant| {
            let how = if invariant.needs_space { ", from global memory as all callers say" } else { "" };
            let message = || format!("load reads memory that the kernel never writes: marked invariant{how}");
            driver::admits(function, Some(handles.inst(invariant.load)), "InvariantLoad", message, manager)
        });
        let claims = || "values annotated as uniform".to_owned();
        if Claims::any(facts) && !manager.admits(function, None, claims) {
            unclaimed.push(function);
        }
        (!invariants.is_empty()).then_some(invariants)
    };
    let apply = |function, invariants: Vec<_>, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>| {
        apply::apply(editor, &analyses.of(function).handles, &invariants);
        Some((function, Kept::Everything))
    };
    let functions: Vec<Function<'m>> = driver::editable(module, Transform::Annotate.word(), manager).collect();
    let edited = driver::run_phase(functions.iter().copied(), &mut analyses, plan, apply);
    let claims = |&function: &Function<'m>, analyses: &mut Analyses<'m>| {
        let Claims { made, stale } = Claims::of(analyses.of(function).facts());
        // claims that no longer hold are removed in any case
        Some(Claims { made: if unclaimed.contains(&function) { Vec::new() } else { made }, stale })
    };
    let write = |function, claims, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>| {
        let (facts, handles) = analyses.of(function).facts_and_handles();
        apply::apply_claims(editor, &facts.func, handles, &claims).then_some((function, Kept::Everything))
    };
    !driver::run_phase(functions, &mut analyses, claims, write).is_empty() || !edited.is_empty()
}
