//! Which values are kept in shared memory between definition and use, in loops that need more registers than are
//! available?

pub mod apply;
pub mod candidates;
pub mod plan;
pub mod pragma;
mod reject;
mod report;

use crate::analyses::{Analyses, Edit, Edited, FunctionAnalyses, Kept, Options, SteeredFunction};
use candidates::SlotOwner;
use plan::SlotPlan;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::pressure::over_budget::Needs;
use warpwise_ir::geometry::{Geometry, WARP_SIZE};
use warpwise_ir::llvm::handle::Function;
use warpwise_ir::llvm::remark::Host;

/// Number of registers that a function may use.
fn budget(steered: &SteeredFunction<'_>, geometry: &Geometry, options: &Options) -> Option<u32> {
    match steered.is_second_body() {
        true => options.regs.or(geometry.max_registers),
        false => register_budget(options.regs, geometry),
    }
}

/// Whether a function is examined.
pub fn wants<'m>(steered: &SteeredFunction<'m>, analyses: &Analyses<'m>, options: &Options) -> bool {
    let function = steered.body();
    let is_asked = options.candidates.any_register() || options.ptxas_smem;
    is_asked && function.is_ptx_kernel() && steered.states_registers(options) && {
        let fits = |edited: &Edited| {
            budget(steered, &edited.geometry, options).is_some_and(|registers| edited.at_most <= registers)
        };
        !analyses.since_edited(function).is_some_and(fits)
    }
}

/// Plans for one kernel.
pub fn plan<'m>(
    steered: &SteeredFunction<'m>,
    analyses: &mut FunctionAnalyses<'m>,
    options: &Options,
    host: &Host<'_>,
) -> Option<Edit<'m>> {
    let registers = budget(steered, &analyses.outline().geometry, options)?;
    if !analyses.outline().func.is_kernel {
        return None;
    }
    let (outline, pressure) = analyses.pressure();
    let needs = Needs::of(outline, pressure, registers);
    if needs.are_met() {
        return None;
    }
    steered.bind(analyses);
    let mut room = match steered.room(analyses, options) {
        Ok(room) => room,
        Err(reason) => {
            report::left(analyses, steered.emitted, registers, &reason.into(), host);
            return None;
        }
    };
    let frequencies = analyses.frequencies();
    let (facts, pressure) = analyses.facts_and_pressure();
    let mut plan = plan::plan(facts, &frequencies, pressure, &needs, options.candidates, &mut room);
    limit(analyses, steered.emitted, &mut plan, host);
    report::eased(analyses.outline(), steered, &plan, host);
    let mut asks = false;
    if plan.after > plan.budget && options.ptxas_smem && steered.version.is_none() {
        match pragma::check(analyses.outline(), &analyses.handles) {
            Ok(()) => {
                let text = || "ptxas may spill to shared memory".to_owned();
                asks = host.admits(steered.emitted, None, text);
            }
            Err(reason) => report::left(analyses, steered.emitted, registers, &reason, host),
        }
    }
    let (about, ground) = (steered.emitted, steered.ground(analyses.outline()));
    (asks || !plan.values.is_empty()).then(|| Edit {
        edits_body: !plan.values.is_empty(),
        takes: if plan.values.is_empty() { (0, 0) } else { (plan.bytes(WARP_SIZE), 1) },
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

/// Removes the plans that a limit excludes.
fn limit<'m>(analyses: &FunctionAnalyses<'m>, about: Function<'m>, plan: &mut SlotPlan, host: &Host<'_>) {
    let Some(limit) = analyses.limit(about, host) else { return };
    plan.values.retain(|spilled| {
        let becomes = match spilled.owner {
            SlotOwner::Warp => "waits in a slot per warp",
            SlotOwner::Thread => "waits in a slot per thread",
        };
        limit.admits_result(spilled.def, "value", becomes)
    });
}
