//! Which work that all threads of the grid repeat does one thread of each block for the others?
//! (Coutinho et al., PACT 2011, section 6, "external sharing", without the host.)
//!
//! The work is that of [`GridWork`](crate::cost::grid_work): pure computations from arguments and dimensions of the launch.
//! The kernel gets a new entry block. The first thread of the block computes the work and stores its results to shared
//! memory; after a barrier all threads load them.
//!
//! **Legality.** The barrier is the first thing that a launch executes, so every thread of the block reaches it, and no use
//! of barrier 0 by the program can overlap with it. That needs a kernel that is only launched. Instructions that some
//! launches never execute must have no undefined behaviour on any operands: no division by what might be zero, no load
//! from outside of an argument; `noundef` is taken back. Those of the entry block that are executed in any case may divide
//! by anything. The instructions stay the same, on each other's results, so every result has the same bits.
//!
//! Only with `-warpwise-hoist-grid`, because whether it pays was not measured ([`plan`] says what is assumed).

mod apply;
mod plan;
mod reject;

use crate::analyses::{Analyses, Edit, FunctionAnalyses, Kept, Options, SteeredFunction};
use crate::gpu::Chip;
use crate::gpu::chip::STATIC_SHARED;
use crate::gpu::occupancy::expected_threads;
use crate::ir::names::Names;
use crate::llvm::remark::{Host, Kind};
use crate::settings::Transform;
use crate::shared_memory::budget::SharedBudget;
use crate::shared_memory::room::{NoShared, taken_by_block};
use reject::Reject;

/// Registers of a thread for which the number of resident blocks is compared. With fewer, no more blocks would fit.
const LEAST_REGISTERS: u32 = 32;

/// Whether a function is examined.
pub fn wants(steered: &SteeredFunction<'_>, _: &Analyses<'_>, options: &Options) -> bool {
    options.hoist_grid && steered.body().is_ptx_kernel()
}

/// Plans for one kernel.
pub fn plan<'m>(
    steered: &SteeredFunction<'m>,
    analyses: &mut FunctionAnalyses<'m>,
    options: &Options,
    host: &Host<'_>,
) -> Option<Edit<'m>> {
    let about = steered.emitted;
    let frequencies = analyses.frequencies();
    let (facts, handles) = analyses.facts_and_handles();
    let threads = expected_threads(&facts.geometry);
    let found = plan::plan(facts, handles, &frequencies, threads, options.hoist_all);
    let planned = found.and_then(|plan| match plan.results.is_empty() {
        true => Ok(plan),
        false => room(steered, analyses, options, plan.bytes).map(|()| plan).map_err(Reject::NoShared),
    });
    let plan = match planned {
        Ok(plan) if plan.results.is_empty() => return None,
        Ok(plan) => plan,
        Err(reason) => {
            let message = format!("work that all threads of the grid repeat stays in every thread: {reason}");
            host.emit(Kind::Missed, about, None, reason.name(), &message);
            return None;
        }
    };
    let names = Names::new(&analyses.outline().func, &analyses.handles);
    let first = analyses.outline().func.result(plan.results[0].def);
    let text = || format!("value {} is computed once in a block", names.value(&analyses.handles, first));
    // results depend on each other: all of them are one plan
    if !host.admits(Transform::Steer.pass(), about, None, text) {
        return None;
    }
    host.emit(Kind::Passed, about, None, "GridWorkHoisted", &plan.sentence());
    Some(Edit {
        edits_body: true,
        takes: (0, 0),
        apply: Box::new(move |analyses, editor| {
            apply::apply(analyses.outline(), &analyses.handles, &plan, editor);
        }),
        kept: Kept::Nothing,
    })
}

/// Whether the kernel may take so many more bytes of shared memory.
fn room<'m>(
    steered: &SteeredFunction<'m>,
    analyses: &FunctionAnalyses<'m>,
    options: &Options,
    bytes: u64,
) -> Result<(), NoShared> {
    let outline = analyses.outline();
    let used = taken_by_block(outline, &analyses.handles, steered.emitted, options.dynamic_shared)?;
    let budget = SharedBudget {
        chip: Chip::of(&analyses.handles.function.string_attribute("target-cpu").unwrap_or_default()),
        threads: outline.geometry.thread_bound(),
        registers: LEAST_REGISTERS,
        wanted_blocks: outline.geometry.min_blocks,
        own: used,
        used,
        any_block: !outline.geometry.is_bounded(),
        limit: STATIC_SHARED,
        keeps_all: false,
    };
    Ok(budget.check(bytes)?)
}
