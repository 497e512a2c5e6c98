//! Which values are kept in shared memory between definition and use, in loops that need more registers than are
//! available?

pub mod apply;
pub mod candidates;
pub mod plan;
pub mod pragma;
mod reject;
mod report;

use crate::analyses::{Analyses, Edited, Kept};
use crate::settings::Results;
use crate::versions::{Edit, SteeredFunction};
use candidates::SlotOwner;
use plan::Spilled;
use reject::Reject;
use warpwise_analysis::contraction::Joins;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::pressure::over_budget::Needs;
use warpwise_ir::geometry::{Geometry, WARP_SIZE};

/// Number of registers that a function may use.
fn budget(steered: &SteeredFunction<'_, '_>, geometry: &Geometry) -> Option<u32> {
    let settings = steered.settings;
    match steered.is_second_body() {
        true => settings.regs.or(geometry.max_registers),
        false => register_budget(settings.regs, geometry),
    }
}

/// Whether a function is examined.
fn wants<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &Analyses<'m>) -> bool {
    let (function, settings) = (steered.body(), steered.settings);
    let is_asked = settings.candidates.any_register() || settings.ptxas_smem;
    let fits = |edited: &Edited| budget(steered, &edited.geometry).is_some_and(|registers| edited.at_most <= registers);
    is_asked
        && function.is_ptx_kernel()
        && steered.states_registers()
        && !analyses.since_edited(function).is_some_and(fits)
}

/// Plans for one kernel.
pub fn plan<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    if !wants(steered, analyses) {
        return None;
    }
    let SteeredFunction { emitted: about, settings, manager, .. } = *steered;
    let analyses = analyses.of(steered.body());
    let registers = budget(steered, &analyses.outline().geometry)?;
    if !analyses.outline().func.is_kernel {
        return None;
    }
    let (outline, pressure) = analyses.pressure();
    let needs = Needs::of(outline, pressure, registers);
    if needs.are_met() {
        return None;
    }
    steered.bind(analyses);
    let mut room = match steered.room(analyses) {
        Ok(room) => room,
        Err(reason) => {
            report::left(analyses, about, registers, &reason.into(), manager);
            return None;
        }
    };
    let frequencies = analyses.frequencies();
    let (facts, pressure) = analyses.facts_and_pressure();
    let mut plan = plan::plan(facts, &frequencies, pressure, &needs, settings.candidates, &mut room);
    let outline = analyses.outline();
    let joins = Joins::new(outline, &analyses.handles);
    let is_lone = |value: &Spilled| joins.is_lone_product(value.def);
    let parts = || joins.part_at(&plan.touched(outline)) || plan.values.iter().any(is_lone);
    if settings.results == Results::Same && parts() {
        report::left(analyses, about, registers, &Reject::Contraction, manager);
        return None;
    }
    plan.values.retain(|spilled| {
        let becomes = match spilled.owner {
            SlotOwner::Warp => "waits in a slot per warp",
            SlotOwner::Thread => "waits in a slot per thread",
        };
        steered.admits(analyses, outline.func.result(spilled.def), "value", becomes)
    });
    report::eased(outline, steered, &plan);
    let mut asks = false;
    if plan.after > plan.budget && settings.ptxas_smem && steered.version.is_none() {
        match pragma::check(analyses.outline(), &analyses.handles) {
            Ok(()) => {
                asks = manager.admits(about, None, || "ptxas may spill to shared memory".to_owned());
            }
            Err(reason) => report::left(analyses, about, registers, &reason, manager),
        }
    }
    let ground = steered.ground(analyses.outline());
    (asks || !plan.values.is_empty()).then(|| Edit {
        takes: (plan.bytes(WARP_SIZE), 1),
        apply: Box::new(move |analyses, editor| {
            if !plan.values.is_empty() {
                apply::apply(analyses.outline(), &analyses.handles, &plan, ground, editor);
                editor.has_effects(analyses.handles.function);
            }
            if asks {
                pragma::allow(editor, about);
            }
        }),
        kept: Kept::Nothing,
    })
}
