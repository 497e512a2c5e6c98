//! How many plans of the transforms are carried out? All, unless `-warpwise-limit` selects the first few, for
//! bisection.
//!
//! A plan is the smallest change that makes sense on its own: one branch fused, one object moved, one value in a slot.
//! Transforms count their plans before they edit anything, in the order in which they would carry them out. The count
//! continues from pass to pass of a module. What a plan is does not depend on the limit until it is reached: the first
//! `N` plans are the same for every limit of at least `N`.

use super::handle::{Function, Inst};
use super::remark::{Kind, PassManager};
use std::cell::Cell;

/// The plans of a module counted so far.
#[derive(Debug, Default)]
pub struct Plans {
    /// Number of plans that are carried out; `None` for all.
    limit: Option<u32>,
    counted: Cell<u32>,
}

impl Plans {
    /// No plans yet.
    pub fn new(limit: Option<u32>) -> Plans {
        Plans { limit, counted: Cell::new(0) }
    }
}

impl PassManager<'_> {
    /// Counts and announces a plan of the pass for a function; returns whether to carry it out.
    pub fn admits(&self, function: Function<'_>, at: Option<Inst<'_>>, what: impl FnOnce() -> String) -> bool {
        let Some((plans, limit)) = self.plans.and_then(|plans| Some((plans, plans.limit?))) else { return true };
        let number = plans.counted.get().saturating_add(1);
        plans.counted.set(number);
        let is_admitted = number <= limit;
        let kind = if function.is_ptx_kernel() { "kernel" } else { "function" };
        let pass = self.pass;
        let message = format!("plan {number} of {pass} in {kind} {}: {}", function.name(), what());
        if is_admitted {
            self.emit(Kind::Passed, function, at, "Plan", &message);
        } else {
            self.emit(Kind::Missed, function, at, "PlanLeftOut", &format!("{message}; left out, the limit is {limit}"));
        }
        is_admitted
    }
}
