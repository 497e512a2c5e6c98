//! annotate-uniform: how are LLVM and ptxas told what the warp agrees on?
//!
//! [`plan`] reads facts, [`apply`] edits. [`claim`] defines `!warpwise.uniform`, and [`verify`] checks it. [`ptxas`]
//! finds what ptxas does not know, [`sites`] decides what pays, [`readonly`] what is legal. docs/ANNOTATE.md has the measurements.

pub mod apply;
pub mod claim;
pub mod plan;
pub mod products;
pub mod ptxas;
pub mod readonly;
pub mod sites;
pub mod verify;

use crate::analyses::{Analyses, Kept};
use crate::driver;
use crate::settings::{Settings, Transform};
use claim::Claims;
use plan::Plan;
use readonly::ReadOnlyMemory;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{Host, Kind};

/// Runs the pass over a module; returns whether it changed.
pub fn run<'m>(module: Module<'m>, settings: &Settings, host: &Host<'_>) -> bool {
    let mut analyses = Analyses::new(module, settings.analysis());
    if settings.verify {
        verify::verify(&mut analyses, host);
        return false;
    }
    let mut memory = ReadOnlyMemory::new(settings.assume_restrict);
    let (mut narrows, mut unclaimed) = (false, Vec::new());
    let plan = |&function: &Function<'m>, analyses: &mut Analyses<'m>| {
        let (facts, handles) = analyses.of(function).facts_and_handles();
        let mut plan = plan::plan(facts, handles, &mut memory, settings);
        decide(facts, handles, &mut plan, host);
        narrows |= plan.narrows(facts);
        let claims = || "values annotated as uniform".to_owned();
        if Claims::any(facts) && !host.admits(function, None, claims) {
            unclaimed.push(function);
        }
        Some(plan)
    };
    let apply = |function, plan, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>| {
        let (facts, handles) = analyses.of(function).facts_and_handles();
        apply::apply(editor, facts, handles, &plan).map(|kept| (function, kept))
    };
    let functions: Vec<Function<'m>> = driver::editable(module, Transform::Annotate.word(), host).collect();
    let edited = driver::run_phase(functions.iter().copied(), &mut analyses, plan, apply);
    if narrows {
        // annotations must hold for anyone who analyses the module as it is now
        analyses = Analyses::new(module, settings.analysis());
    }
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

/// Says what is decided about a function, and leaves in the plan what is carried out.
fn decide(facts: &Facts, handles: &Handles<'_>, plan: &mut Plan<'_>, host: &Host<'_>) {
    let (func, function) = (&facts.func, handles.function);
    let branch = |block: Block| Some(handles.inst(func.terminator(block)));
    let admits = |at, name, message: &dyn Fn() -> String| driver::admits(function, at, name, message, host);
    let vote = || "branch is uniform: voted on, so that ptxas knows".to_owned();
    plan.votes.retain(|&block| admits(branch(block), "UniformVote", &vote));
    plan.invariants.retain(|invariant| {
        let how = if invariant.needs_space { ", from global memory as all callers say" } else { "" };
        let message = || format!("load reads memory that the kernel never writes: marked invariant{how}");
        admits(Some(handles.inst(invariant.load)), "InvariantLoad", &message)
    });
    if host.wants(Kind::Missed) {
        for &(block, reject) in &plan.rejects {
            host.emit(Kind::Missed, function, branch(block), reject.name(), &reject.to_string());
        }
    }
}
