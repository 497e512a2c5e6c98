//! Where does a loop's trip count come from: from the arguments of the launch, or from what is only known when it runs?
//!
//! What the loop counts with is followed back to where it begins. A trip count that the launch states is the same for all
//! threads, and large more often than not; one that is loaded, or the share of a thread in the work of its block, is
//! often a handful.

use super::body::{Body, Counter};
use super::origin::Origin;
use super::reject::Reject;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::inst::ConstData;

/// Whether all lanes do the same number of iterations, or nearly so.
pub fn check_lanes(body: &Body<'_>, counter: &Counter) -> Result<(), Reject> {
    let is_even = !body.facts.is_divergent_branch(counter.exit) || is_strided(body, counter);
    if is_even { Ok(()) } else { Err(Reject::Divergent) }
}

/// Whether a trip count is sure enough, and the loop is where the time goes. What is constant is sure.
pub fn check(body: &Body<'_>, counter: &Counter, is_constant: bool) -> Result<(), Reject> {
    let cycles = &body.facts.cfg().cycles;
    let deepest = cycles.iter().map(|cycle| cycles.depth(cycle)).max();
    if deepest > Some(cycles.depth(body.cycle)) {
        return Err(Reject::Outer);
    }
    if is_constant {
        return Ok(());
    }
    if body.facts.is_divergent_branch(counter.exit) {
        return check_lanes(body, counter).and(Err(Reject::Strided));
    }
    let origin = Origin::of(body, body.starts(counter.phi).chain([counter.bound, counter.step]));
    if Origin::of(body, [counter.step]).is_of_grid {
        Err(Reject::Strided)
    } else if origin.is_loaded {
        Err(Reject::Loaded)
    } else if origin.is_divided || origin.is_of_grid {
        Err(Reject::Divided)
    } else if cycles.ancestors(body.cycle).any(|around| around != body.cycle && !strides_over_grid(body, around)) {
        Err(Reject::Nested)
    } else {
        Ok(())
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
        && body.starts(counter.phi).all(|start| body.facts.form(start).is_some())
}
