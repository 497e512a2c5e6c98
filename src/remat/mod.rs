//! Which values are rematerialised at their uses, so that fewer registers are needed?
//!
//! Those of loops that keep more values live than there are registers. That needs neither memory nor a launch bound.

pub mod apply;
mod candidates;
mod hide;
pub mod plan;
mod report;

use crate::analyses::{Analyses, Edit, FunctionAnalyses, Kept, Options, SteeredFunction};
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_ir::llvm::remark::Host;

/// Whether a function is examined.
pub fn wants(steered: &SteeredFunction<'_>, _: &Analyses<'_>, options: &Options) -> bool {
    options.candidates.constant && steered.body().is_ptx_kernel() && steered.states_registers(options)
}

/// Plans for one kernel.
pub fn plan<'m>(
    steered: &SteeredFunction<'m>,
    analyses: &mut FunctionAnalyses<'m>,
    options: &Options,
    host: &Host<'_>,
) -> Option<Edit<'m>> {
    let registers = register_budget(options.regs, &analyses.outline().geometry)?;
    let frequencies = analyses.frequencies();
    let (outline, pressure) = analyses.pressure();
    let mut plan = plan::plan(outline, &frequencies, pressure, registers);
    if let Some(limit) = analyses.limit(steered.emitted, host) {
        plan.values.retain(|value| limit.admits_result(value.def, "value", "is computed again where it is used"));
    }
    report::recomputed(steered.emitted, &plan, host);
    (!plan.values.is_empty()).then(|| Edit {
        edits_body: true,
        takes: (0, 0),
        apply: Box::new(move |analyses, editor| apply::apply(analyses.outline(), &analyses.handles, &plan, editor)),
        kept: Kept::Nothing,
    })
}
