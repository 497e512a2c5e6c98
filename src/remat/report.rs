//! Which remarks are emitted about rematerialisation? One for every kernel whose pressure was reduced.

use super::plan::RematPlan;
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
