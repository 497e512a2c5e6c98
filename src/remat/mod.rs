//! Which values are rematerialised at their uses, and which instructions are scheduled earlier, so that fewer registers are wanted?
//!
//! In loops that keep more values alive than there are registers. Needs neither memory nor a launch bound.

pub mod apply;
mod chains;
mod hide;
pub mod plan;
mod report;
pub mod schedule;

use crate::analyses::{Analyses, Edit, FunctionAnalyses, Kept, Options, SteeredFunction};
use crate::gpu::occupancy::register_budget;
use crate::llvm::remark::Host;

/// Whether a function is looked at.
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
    let plan = plan::plan(outline, &frequencies, pressure, registers);
    report::recomputed(steered.emitted, &plan, host);
    // copies stand before uses: one or the other in a kernel
    if !plan.values.is_empty() {
        return Some(Edit {
            edits_body: true,
            apply: Box::new(move |analyses, editor| apply::apply(analyses.outline(), &analyses.handles, &plan, editor)),
            kept: Kept::Nothing,
        });
    }
    let mut schedule = schedule::plan(outline, pressure, registers);
    report::scheduled(steered.emitted, &schedule, host);
    let orders = std::mem::take(&mut schedule.orders);
    (!schedule.moves.is_empty()).then(|| Edit {
        edits_body: true,
        apply: Box::new(move |analyses, editor| schedule::apply(&analyses.handles, &schedule, editor)),
        kept: Kept::Reordered(orders),
    })
}
