//! annotate-uniform: how are LLVM and ptxas told what the warp agrees on?
//!
//! [`plan`] reads facts, [`apply`] edits. [`claim`] defines `!warpwise.uniform`, and [`verify`] checks it. [`ptxas`]
//! finds what ptxas does not know, [`sites`] and [`shuffles`] decide what pays, [`lane_zero`] and [`readonly`] what is
//! legal. docs/ANNOTATE.md has the measurements.

pub mod apply;
pub mod claim;
pub mod lane_zero;
pub mod options;
pub mod plan;
pub mod products;
pub mod ptxas;
pub mod readonly;
pub mod shuffles;
pub mod sites;
pub mod verify;

use crate::driver;
use crate::settings::Transform;
use claim::Claims;
pub use options::Options;
use plan::Plan;
use readonly::ReadOnlyMemory;
use warpwise_analysis::divergence::{Facts, ModuleAnalysis};
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::Module;
use warpwise_ir::llvm::remark::{Host, Kind};

/// Runs the pass over a module; returns whether it changed.
pub fn run(module: Module<'_>, options: &Options, host: &Host<'_>) -> bool {
    let analysis = ModuleAnalysis::new(module, options.analysis);
    let mut memory = ReadOnlyMemory::new(options.assume_restrict);
    let bodies = module.functions().filter(|function| !function.is_declaration());
    if options.verify {
        let (mut wrong, mut last) = (0, None);
        for function in bodies {
            let (facts, handles) = analysis.facts(function);
            let here = verify::verify(&facts, &handles, host);
            wrong += here;
            last = last.filter(|_| here == 0).or(Some(function));
        }
        if let Some(function) = last.filter(|_| wrong > 0) {
            let message = format!("{wrong} annotation(s) !warpwise.uniform are not true");
            host.emit(Kind::Error, function, None, "Annotations", &message);
        }
        return false;
    }
    // plan everything before editing: the facts of one function may depend on the bodies of others
    let mut plans: Vec<(Facts, Handles<'_>, Plan)> = driver::editable(module, Transform::Annotate.word(), host)
        .map(|function| {
            let (facts, handles) = analysis.facts(function);
            let plan = plan::plan(&facts, &handles, analysis.intrinsics(), &mut memory, options);
            (facts, handles, plan)
        })
        .collect();
    plans.iter_mut().for_each(|(facts, handles, plan)| decide(facts, handles, plan, host));
    let mut editor = Editor::new(module);
    let mut changed = false;
    let narrows = plans.iter().any(|(facts, _, plan)| plan.narrows(facts));
    for (facts, handles, plan) in &plans {
        changed |= apply::apply(&mut editor, facts, handles, plan);
        if !narrows {
            changed |= apply::apply_claims(&mut editor, &facts.func, handles, &plan.claims);
        }
        debug_assert!(editor.verifies(handles.function), "annotate-uniform broke '{}'", handles.function.name());
    }
    if narrows {
        // annotations must hold for anyone who analyses the module as it is now
        let fresh = ModuleAnalysis::new(module, options.analysis);
        for (_, handles, plan) in &plans {
            let (facts, handles) = fresh.facts(handles.function);
            let mut claims = Claims::of(&facts);
            if plan.claims_left_out {
                claims.made.clear();
            }
            changed |= apply::apply_claims(&mut editor, &facts.func, &handles, &claims);
        }
    }
    changed
}

/// Says what is decided about a function, and leaves in the plan what is carried out.
fn decide(facts: &Facts, handles: &Handles<'_>, plan: &mut Plan, host: &Host<'_>) {
    let (func, function) = (&facts.func, handles.function);
    let branch = |block: Block| Some(handles.inst(func.terminator(block)));
    let admits = |at, name, message: &dyn Fn() -> String| driver::admits(function, at, name, message, host);
    let vote = || "branch is uniform: voted on, so that ptxas knows".to_owned();
    plan.votes.retain(|&block| admits(branch(block), "UniformVote", &vote));
    plan.shuffles.retain(|shuffle| {
        let place = if shuffle.at_entry { " at the entry" } else { "" };
        let branches = shuffle.branches;
        let message =
            || format!("value is uniform: read from lane 0{place}, so that ptxas knows {branches} branch(es)");
        admits(func.def(shuffle.value).map(|inst| handles.inst(inst)), "UniformShuffle", &message)
    });
    plan.invariants.retain(|invariant| {
        let how = if invariant.needs_space { ", from global memory as all callers say" } else { "" };
        let message = || format!("load reads memory that the kernel never writes: marked invariant{how}");
        admits(Some(handles.inst(invariant.load)), "InvariantLoad", &message)
    });
    // claims that no longer hold are removed in any case
    let claims = || "values annotated as uniform".to_owned();
    plan.claims_left_out = !plan.claims.made.is_empty() && !host.admits(function, None, claims);
    if plan.claims_left_out {
        plan.claims.made.clear();
    }
    if host.wants(Kind::Missed) {
        for &(block, reject) in &plan.rejects {
            host.emit(Kind::Missed, function, branch(block), reject.name(), &reject.to_string());
        }
    }
}
