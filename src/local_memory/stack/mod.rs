//! Which stack objects leave local memory?
//!
//! Objects that are filled with constants and then only read become constants of the program, in kernels and in device
//! functions. Other objects of kernels go to shared memory, one copy per thread or per warp, unless only cold code uses them.

pub mod apply;
mod apply_access;
mod apply_joined;
mod cache;
mod gain;
pub mod plan;

use crate::analyses::{Analyses, FunctionAnalyses, Kept};
use crate::local_memory::reject::Reject;
use crate::local_memory::report;
use crate::settings::Results;
use crate::shared_memory::layout::Ground;
use crate::versions::{Edit, SteeredFunction};
use plan::{Move, Placement, StackPlan};
use std::collections::BTreeSet;
use warpwise_analysis::contraction::raw;
use warpwise_analysis::contraction::undecided::is_undecided;
use warpwise_analysis::gpu::prices::LOADS_IN_FLIGHT;
use warpwise_ir::entity;
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, RawOpcode};

/// Whether a function has stack objects.
pub fn has_objects(function: Function<'_>) -> bool {
    function.insts().any(|inst| inst.opcode() == RawOpcode::LLVMAlloca)
}

/// Plans which objects become constants.
pub fn plan_constants<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    if !(steered.settings.candidates.stack && has_objects(steered.body())) {
        return None;
    }
    let analyses = analyses.of(steered.body());
    let mut plan = plan::plan_constants(analyses);
    keep_joins(steered, analyses, &mut plan);
    admit(steered, analyses, &mut plan);
    report::objects(steered, analyses, &plan);
    edit(plan, Ground::Static { threads: 0 }, Kept::Nothing, Editor::reads_globals)
}

/// Plans which objects go to shared memory.
pub fn plan_objects<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    let candidates = steered.settings.candidates;
    if !(candidates.stack && has_objects(steered.body())) {
        return None;
    }
    let analyses = analyses.of(steered.body());
    steered.bind(analyses);
    let mut room = steered.room(analyses);
    let mut plan = plan::plan(analyses, &mut room, candidates.profit.is_always());
    keep_joins(steered, analyses, &mut plan);
    admit(steered, analyses, &mut plan);
    report::objects(steered, analyses, &plan);
    let mut kept = Kept::Nothing;
    if !plan.moves.is_empty() {
        let (outline, pressure) = analyses.pressure();
        kept = Kept::AtMost(pressure.at_most() + plan::most_added(outline, pressure, &plan) + LOADS_IN_FLIGHT);
    }
    edit(plan, steered.ground(analyses.outline()), kept, Editor::has_effects)
}

/// Removes moves that would change multiply-adds: all where [other code](is_undecided) decides about them, and those of
/// objects that are filled or copied [between a product and a sum](raw::parts).
fn keep_joins<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &FunctionAnalyses<'m>, plan: &mut StackPlan) {
    if steered.settings.results == Results::Contract || plan.moves.is_empty() {
        return;
    }
    let undecided = is_undecided(steered.body());
    let StackPlan { moves, refusals } = plan;
    moves.retain(|planned| {
        let mut accesses = planned.object.accesses.iter().map(|access| analyses.handles.inst(access.inst));
        let stays = undecided || accesses.any(raw::parts);
        refusals.extend(stays.then_some((planned.object.address, Reject::Contraction)));
        !stays
    });
}

/// Removes the plans that a limit excludes.
fn admit<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &FunctionAnalyses<'m>, plan: &mut StackPlan) {
    plan.moves.retain(|planned| {
        let becomes = match planned.placement {
            Placement::Thread { .. } => "goes to shared memory, one copy per thread",
            Placement::Warp { .. } => "goes to shared memory, one copy per warp",
            Placement::Constant { .. } => "becomes a constant",
        };
        steered.admits(analyses, planned.object.address, "stack object", becomes)
    });
}

/// The edit for a plan that moves anything. `attributes` adds the function attributes that hold after it.
fn edit<'m>(
    plan: StackPlan,
    ground: Ground,
    kept: Kept,
    attributes: fn(&mut Editor<'m>, Function<'m>),
) -> Option<Edit<'m>> {
    let part = plan.moves.iter().map(|planned| planned.part).max()?;
    // a copy of no bytes between two objects is a marker of both
    let markers: BTreeSet<entity::Inst> =
        plan.moves.iter().flat_map(|planned| planned.object.markers.iter().copied()).collect();
    Some(Edit {
        takes: (plan.bytes(WARP_SIZE), part.into()),
        apply: Box::new(move |analyses, editor| {
            let (joined, moves): (Vec<Move>, Vec<Move>) =
                plan.moves.into_iter().partition(|planned| planned.object.is_joined);
            let (outline, handles) = (analyses.outline(), &analyses.handles);
            markers.iter().for_each(|&marker| editor.erase(handles.inst(marker)));
            apply_joined::apply(outline, handles, &joined, editor);
            apply::apply(outline, handles, &StackPlan { moves, ..StackPlan::default() }, ground, editor);
            attributes(editor, analyses.handles.function);
        }),
        kept,
    })
}
