//! What goes wrong if threads are coarsened with a mistake? The deliberate ones, for [`crate::mutants`].

use crate::mutants::{self, Mutant};
use warpwise_ir::llvm::edit::coarsen::Coarsening;

/// A plan with the mistake that is enabled.
pub fn changed(mut plan: Coarsening<'_>) -> Coarsening<'_> {
    if mutants::on(Mutant::CoarsenApart) {
        plan.accesses.iter_mut().for_each(|access| access.apart *= 2);
    }
    if mutants::on(Mutant::CoarsenFirst) {
        plan.tests.retain(|test| !test.at_last);
        plan.rising.clear();
    }
    if mutants::on(Mutant::CoarsenAligned) {
        plan.pointers.clear();
        plan.numbers.clear();
    }
    if mutants::on(Mutant::CoarsenAnyBlock) {
        plan.block_size = 0;
    }
    if mutants::on(Mutant::CoarsenWraps) {
        plan.rising.clear();
    }
    plan
}
