//! Which values are kept in shared memory between definition and use, in loops that need more registers than are
//! available?

pub mod apply;
pub mod candidates;
pub mod plan;
mod reject;
mod report;

use crate::analyses::{Analyses, Edit, Edited, FunctionAnalyses, Kept, Options, SteeredFunction};
use crate::geometry::{Geometry, WARP_SIZE};
use crate::gpu::occupancy::register_budget;
use crate::llvm::handle::Function;
use crate::llvm::remark::Host;
use crate::pressure::over_budget::Needs;
use crate::settings::Transform;
use crate::shared_memory::room::NoShared;
use crate::shared_memory::usage::shared_use;
use candidates::SlotOwner;
use plan::SlotPlan;
use reject::Reject;

/// Makes `ptxas` spill to shared memory; requires PTX 9.0.
const SMEM_PRAGMA: &str = ".pragma \"enable_smem_spilling\";";
/// The first version of PTX with this pragma, times ten.
const PRAGMA_SINCE: u32 = 90;

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
    if plan.after > plan.budget && options.ptxas_smem {
        match ptxas_can_spill_to_shared(analyses) {
            Ok(()) => {
                let text = || "ptxas may spill to shared memory".to_owned();
                asks = host.admits(Transform::Steer.pass(), steered.emitted, None, text);
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
            if let Some(entry) = about.blocks().next().filter(|_| asks) {
                editor.after_phis(entry).statement(SMEM_PRAGMA);
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

/// Whether `ptxas` accepts [`SMEM_PRAGMA`] for a kernel.
fn ptxas_can_spill_to_shared(analyses: &FunctionAnalyses<'_>) -> Result<(), Reject> {
    let features = analyses.handles.function.string_attribute("target-features").unwrap_or_default();
    let version = features.split(',').filter_map(|word| word.strip_prefix("+ptx")?.parse::<u32>().ok()).max();
    if version.is_none_or(|version| version < PRAGMA_SINCE) {
        return Err(Reject::OldPtx);
    }
    match shared_use(&analyses.outline().func, &analyses.handles).dynamic {
        true => Err(NoShared::Dynamic.into()),
        false => Ok(()),
    }
}
