//! Which remarks are emitted about rematerialisation? One for every kernel whose pressure was reduced, and for every loop that
//! keeps fewer conditions.

use super::conditions::Relieved;
use super::plan::RematPlan;
use crate::analyses::FunctionAnalyses;
use crate::driver;
use crate::versions::SteeredFunction;
use warpwise_analysis::gpu::chip::PREDICATES;
use warpwise_ir::llvm::handle::Function;
use warpwise_ir::llvm::remark::{Kind, PassManager};

/// Reports values that are rematerialised instead of being kept in registers.
pub fn recomputed(about: Function<'_>, plan: &RematPlan, manager: &PassManager<'_>) {
    let RematPlan { before, after, budget, values, .. } = plan;
    if values.is_empty() {
        return;
    }
    let instructions: usize = values.iter().map(|value| value.chain.len()).sum();
    let message = format!(
        "register pressure of {before} for {budget} registers eased to {after}: {} values are rematerialised at their uses, {instructions} instructions in all",
        values.len()
    );
    manager.emit(Kind::Passed, about, None, "PressureRematerialised", &message);
}

/// Whether conditions are computed again behind a loop; says so.
pub fn admits_conditions<'m>(
    analyses: &FunctionAnalyses<'m>,
    found: &Relieved,
    steered: &SteeredFunction<'_, 'm>,
) -> bool {
    let &Relieved { header, live, ref conditions } = found;
    let at = analyses.handles.inst(analyses.outline().func.terminator(header));
    let message = || {
        format!(
            "{live} conditions are live in a loop, and there are {PREDICATES} registers for them: {} are computed again behind it",
            conditions.len()
        )
    };
    driver::admits(steered.emitted, Some(at), "ConditionsRecomputed", message, steered.manager)
}
