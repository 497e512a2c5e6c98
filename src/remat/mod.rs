//! Which values are rematerialised at their uses, so that fewer registers are needed?
//!
//! Those of loops that keep more values live than there are registers, and [conditions] that only what is behind a loop needs.
//! That needs neither memory nor a launch bound.

pub mod apply;
mod candidates;
mod conditions;
mod hide;
pub mod plan;
mod report;

use crate::analyses::{Analyses, Kept};
use crate::settings::Results;
use crate::versions::{Edit, SteeredFunction};
use warpwise_analysis::contraction::undecided::is_undecided;
use warpwise_analysis::gpu::occupancy::register_budget;

/// Plans for one kernel.
pub fn plan<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    let settings = steered.settings;
    if !(settings.candidates.constant && steered.body().is_ptx_kernel() && steered.states_registers()) {
        return None;
    }
    let analyses = analyses.of(steered.body());
    let registers = register_budget(settings.regs, &analyses.outline().geometry)?;
    let frequencies = analyses.frequencies();
    let (outline, pressure) = analyses.pressure();
    let mut plan = plan::plan(outline, &frequencies, pressure, registers);
    if settings.results == Results::Same && !plan.values.is_empty() && is_undecided(steered.body()) {
        return None;
    }
    let result = |inst| analyses.outline().func.result(inst);
    plan.values
        .retain(|value| steered.admits(analyses, result(value.def), "value", "is computed again where it is used"));
    report::recomputed(steered.emitted, &plan, steered.manager);
    (!plan.values.is_empty()).then(|| Edit {
        takes: (0, 0),
        apply: Box::new(move |analyses, editor| apply::apply(analyses.outline(), &analyses.handles, &plan, editor)),
        kept: Kept::Nothing,
    })
}

/// Plans for the conditions of one kernel, whether or not its registers are bounded.
pub fn plan_conditions<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    let (settings, body) = (steered.settings, steered.body());
    let profit = settings.candidates.profit;
    if !(settings.candidates.constant && body.is_ptx_kernel() && conditions::may_gain(body, profit)) {
        return None;
    }
    let analyses = analyses.of(body);
    let mut relieved = conditions::plan(analyses.outline(), profit);
    if relieved.is_empty() || settings.results == Results::Same && is_undecided(body) {
        return None;
    }
    relieved.retain(|found| report::admits_conditions(analyses, found, steered));
    (!relieved.is_empty()).then(|| Edit {
        takes: (0, 0),
        apply: Box::new(move |analyses, editor| {
            conditions::apply(analyses.outline(), &analyses.handles, &relieved, editor);
        }),
        kept: Kept::Nothing,
    })
}
