//! Where does a loop's trip count come from: from the arguments of the launch, or from what is only known when it runs?
//!
//! What the loop counts with is followed back to where it begins. A trip count that the launch states is the same for all
//! threads, and large more often than not; one that is loaded, or the share of a thread in the work of its block, is
//! often a handful.

use super::body::{Body, Counter};
use super::origin::Origin;
use super::reject::Reject;
use warpwise_analysis::access::has_form;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::inst::ConstData;

/// How a loop is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By LLVM's unroller, which divides to compute the trip count.
    Counted,
    /// In groups of iterations with one test each: it steps over threads, and may have few iterations.
    Grouped,
}

/// Whether all lanes do the same number of iterations, or nearly so.
pub fn check_lanes(body: &Body<'_>, counter: &Counter) -> Result<Way, Reject> {
    if !body.facts.is_divergent_branch(counter.exit) {
        Ok(Way::Counted)
    } else if is_strided(body, counter) {
        Ok(Way::Grouped)
    } else {
        Err(Reject::Divergent)
    }
}

/// Whether a trip count is sure enough, and the loop is where the time goes. What is constant is sure.
pub fn check(body: &Body<'_>, counter: &Counter, is_constant: bool) -> Result<Way, Reject> {
    let cycles = &body.facts.cfg().cycles;
    let deepest = cycles.iter().map(|cycle| cycles.depth(cycle)).max();
    if deepest > Some(cycles.depth(body.cycle)) {
        return Err(Reject::Outer);
    }
    if is_constant {
        return Ok(Way::Counted);
    }
    let is_around = |around: Cycle| around != body.cycle && !strides_over_grid(body, around);
    let is_nested = cycles.ancestors(body.cycle).any(is_around);
    let way = check_lanes(body, counter)?;
    if way == Way::Grouped || Origin::of(body, [counter.step]).is_of_grid {
        // ptxas unrolls by four what steps by a constant
        let is_left = is_nested || body.func.constant(counter.step).is_some();
        return if is_left { Err(Reject::Strided) } else { Ok(Way::Grouped) };
    }
    let origin = Origin::of(body, body.starts(counter.phi).chain([counter.bound, counter.step]));
    if origin.is_loaded {
        Err(Reject::Loaded)
    } else if origin.is_divided || origin.is_of_grid {
        Err(Reject::Divided)
    } else if is_nested {
        Err(Reject::Nested)
    } else {
        Ok(Way::Counted)
    }
}

/// Whether a loop strides over the grid, so that most threads do one iteration of it.
fn strides_over_grid(body: &Body<'_>, around: Cycle) -> bool {
    let mut latches = body.facts.cfg().cycles.latches(&body.func.graph, around);
    let (Some(latch), None) = (latches.next(), latches.next()) else { return false };
    let counter = Body::of(body.facts, around, latch).counter();
    counter.is_some_and(|counter| Origin::of(body, [counter.step]).is_of_grid)
}

/// Whether lanes begin one after the other and then step over each other, so that they do the same number of iterations,
/// or one less.
fn is_strided(body: &Body<'_>, counter: &Counter) -> bool {
    let is_uniform = |value| body.facts.class(value).is_uniform();
    let is_wide = match body.func.constant(counter.step) {
        Some(ConstData::Int(step)) => step >= u64::from(WARP_SIZE),
        _ => true,
    };
    is_wide
        && is_uniform(counter.step)
        && is_uniform(counter.bound)
        && body.starts(counter.phi).all(|start| has_form(body.facts, start, counter.exit))
}
