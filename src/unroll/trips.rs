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
use warpwise_analysis::gpu::occupancy::expected_threads;
use warpwise_analysis::gpu::prices::UNROLL_FACTOR;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{ConstData, Opcode};
use warpwise_ir::llvm::handle::ValueKind;

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
    let is_nested = is_nested(body);
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

/// Whether the objects that loops with the same end index have places for many iterations of each thread: all threads of a
/// block together do no more than one for each place.
pub fn check_objects(body: &Body<'_>, handles: &Handles<'_>, counter: &Counter) -> Result<(), Reject> {
    let cycles = &body.facts.cfg().cycles;
    let places = |cycle: Cycle| {
        let latch = cycles.latches(&body.func.graph, cycle).next()?;
        let other = Body::of(body.facts, cycle, latch);
        let counts = other.counter().filter(|counts| counts.bound == counter.bound)?;
        other.insts.iter().filter_map(|&inst| places_of(&other, handles, inst, counts.phi)).min()
    };
    let Some(places) = cycles.iter().filter_map(places).min() else { return Ok(()) };
    let turns = places.div_ceil(u64::from(expected_threads(&body.facts.geometry)));
    if turns < 2 * u64::from(UNROLL_FACTOR) { Err(Reject::Few { turns }) } else { Ok(()) }
}

/// The number of elements of the variable that an access indexes by a counter.
fn places_of(body: &Body<'_>, handles: &Handles<'_>, access: Inst, counter: Inst) -> Option<u64> {
    let func = body.func;
    let address = func.accessed(access)?;
    let gep = func.def(address).filter(|&def| func.insts[def].opcode == Opcode::Gep)?;
    let is_counter = |value: Value| {
        let is_cast = |&def: &Inst| matches!(func.insts[def].opcode, Opcode::SExt | Opcode::ZExt);
        let inner = func.def(value).filter(is_cast).map_or(value, |def| func.operands(def)[0]);
        inner == func.result(counter)
    };
    let mut terms = func.gep(gep).terms.iter();
    let term = terms.find(|term| is_counter(func.operands(gep)[term.operand as usize]))?;
    let mut object = handles.value(func.pointer_root(address));
    if object.kind() == ValueKind::ConstantExpr {
        object = object.operand(0);
    }
    let ty = (object.kind() == ValueKind::GlobalVariable).then(|| object.global_value_type()).flatten()?;
    let bytes = handles.function.module().layout().alloc_size(ty);
    // dynamic shared memory has none
    bytes.filter(|&bytes| bytes > 0)?.checked_div(term.stride)
}

/// Whether a loop is in another that most threads do more than one iteration of.
pub fn is_nested(body: &Body<'_>) -> bool {
    let is_around = |around: Cycle| around != body.cycle && !strides_over_grid(body, around);
    body.facts.cfg().cycles.ancestors(body.cycle).any(is_around)
}

/// Whether a loop strides over the grid, so that most threads do one iteration of it.
fn strides_over_grid(body: &Body<'_>, around: Cycle) -> bool {
    let Some(latch) = body.facts.cfg().cycles.only_latch(&body.func.graph, around) else { return false };
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
