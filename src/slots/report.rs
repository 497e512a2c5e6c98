//! Which remarks are emitted about slots? One for every kernel under register pressure.

use super::candidates::SlotOwner;
use super::plan::SlotPlan;
use super::reject::Reject;
use crate::analyses::FunctionAnalyses;
use crate::versions::SteeredFunction;
use warpwise_analysis::divergence::Outline;
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::llvm::handle::Function;
use warpwise_ir::llvm::remark::{Kind, PassManager};

/// Reports what was moved to slots.
pub fn eased(outline: &Outline, steered: &SteeredFunction<'_, '_>, plan: &SlotPlan) {
    let SteeredFunction { emitted: about, manager, .. } = *steered;
    let SlotPlan { before, after, budget, .. } = plan;
    if !plan.values.is_empty() {
        let of = |owner| plan.values.iter().filter(|value| value.owner == owner).count();
        let (warp, thread) = (of(SlotOwner::Warp), of(SlotOwner::Thread));
        let room = match steered.launch_version() {
            Some(version) => {
                format!("{} bytes of shared memory for each warp in {version}", plan.bytes(WARP_SIZE))
            }
            None => {
                let threads = outline.geometry.thread_bound();
                format!("{} bytes of shared memory for {threads} threads", plan.bytes(threads))
            }
        };
        let message = format!(
            "register pressure of {before} for {budget} registers eased to {after}: {warp} values in a slot per warp, {thread} in a slot per thread, {room}"
        );
        manager.emit(Kind::Passed, about, None, "PressureEased", &message);
    }
    if after > budget {
        let message = format!(
            "register pressure of {after} stays above {budget} registers: nothing else can wait in shared memory"
        );
        manager.emit(Kind::Missed, about, None, "PressureStays", &message);
    }
}

/// Reports why nothing was moved.
pub fn left(
    analyses: &mut FunctionAnalyses<'_>,
    about: Function<'_>,
    registers: u32,
    reason: &Reject,
    manager: &PassManager<'_>,
) {
    if !manager.wants(Kind::Missed) {
        return;
    }
    let (outline, pressure) = analyses.pressure();
    let needed = pressure.largest(outline);
    if needed > registers {
        let message = format!("register pressure of {needed} for {registers} registers is left to ptxas: {reason}");
        manager.emit(Kind::Missed, about, None, reason.name(), &message);
    }
}
