//! Which calls of a function are inlined? Decided from facts, before anything is changed.

use super::calls::{Calls, Count};
use super::products::Joined;
use crate::local_memory::inventory::{Uses, allocas};
use crate::local_memory::reject::Reject;
use crate::settings::is_enabled;
use crate::settings::transform::INLINE;
use warpwise_analysis::contraction::raw::Pins;
use warpwise_analysis::gpu::prices::{INLINE_MAX_INSTRUCTIONS, LARGE_FOR_LLVM};
use warpwise_ir::llvm::handle::{AttrPlace, Function, Inst, Value, attribute_kind};

/// How many calls deep the functions are looked at that LLVM is going to inline.
const MAX_LEVELS: u32 = 8;

/// When calls are inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Before LLVM inlines: the calls of functions that it is going to find too large, so that all of its passes see the
    /// caller with them. In a caller that is itself called several times, LLVM would inline only the small function, and
    /// each copy would have the objects for its call.
    Early,
    /// After LLVM has inlined.
    Late,
}

/// A call to be inlined.
#[derive(Debug)]
pub struct Plan<'m> {
    pub call: Inst<'m>,
    /// Stack objects that can be in registers then, and their bytes.
    pub objects: usize,
    pub bytes: u64,
    /// Size of the function that is called.
    pub instructions: usize,
    /// What is written out in the caller and the callee first.
    pub pins: Vec<Pins<'m>>,
}

impl<'m> Plan<'m> {
    /// The functions that the plan changes.
    pub fn changed(&self) -> impl Iterator<Item = Function<'m>> {
        self.pins.iter().map(|pins| pins.function).chain([self.call.block().function()])
    }
}

/// A stack object of the caller, or its copy of an argument that it gets by value.
struct Object<'m> {
    address: Value<'m>,
    bytes: u64,
    /// The calls that take its address.
    calls: Vec<Inst<'m>>,
    /// Whether it is in registers if all of these calls are inlined.
    is_freed: bool,
}

/// What is decided about a caller: calls to be inlined, and objects that would be in registers if one were that stays.
pub type Decided<'m> = (Vec<Plan<'m>>, Vec<(Value<'m>, Reject)>);

/// Decides about the calls in a function that take the address of a stack object. `joined` says what is joined in functions; `None` if
/// that may change.
pub fn plan<'m>(
    caller: Function<'m>,
    calls: &Calls<'m>,
    stage: Stage,
    mut joined: Option<&mut Joined<'_, 'm>>,
) -> Decided<'m> {
    let objects: Vec<Object<'m>> = sizes(caller).filter_map(|(address, bytes)| object(address, bytes, stage)).collect();
    let mut sites: Vec<Inst<'m>> = Vec::new();
    for &call in objects.iter().flat_map(|object| &object.calls) {
        if !sites.contains(&call) && (stage == Stage::Late || is_large(call)) {
            sites.push(call);
        }
    }
    let forbidden: Vec<(Inst<'m>, Reject)> =
        sites.iter().filter_map(|&call| Some((call, obstacle(call, calls)?))).collect();
    let may = |call: &Inst<'m>| forbidden.iter().all(|(other, _)| other != call);
    let (mut plans, mut refusals) = (Vec::new(), Vec::new());
    for call in sites {
        let of_call = || objects.iter().filter(|object| object.is_freed && object.calls.contains(&call));
        let freed = of_call().filter(|object| object.calls.iter().all(may));
        let outcome = match forbidden.iter().find(|(other, _)| *other == call) {
            Some((_, reject)) => Err(reject.clone()),
            None => plan_call(call, freed, joined.as_deref_mut()),
        };
        match outcome {
            Ok(plan) => plans.extend(plan),
            Err(reject) => refusals.extend(of_call().map(|object| (object.address, reject.clone()))),
        }
    }
    (plans, refusals)
}

/// The plan for a call that nothing forbids, given the objects that it frees, if there are any.
fn plan_call<'a, 'm: 'a>(
    call: Inst<'m>,
    freed: impl Iterator<Item = &'a Object<'m>>,
    joined: Option<&mut Joined<'_, 'm>>,
) -> Result<Option<Plan<'m>>, Reject> {
    let (mut objects, mut bytes) = (0, 0);
    for object in freed {
        objects += 1;
        bytes += object.bytes;
    }
    let Some(callee) = call.defined_callee().filter(|_| objects > 0) else { return Ok(None) };
    let mut plan = Plan { call, objects, bytes, instructions: size(callee), pins: Vec::new() };
    if let Some(joined) = joined {
        plan.pins = joined.pins(call, callee).ok_or(Reject::Contraction)?;
    }
    Ok(Some(plan))
}

/// The stack objects of constant size in a function, and what it gets by value, with their bytes.
fn sizes<'m>(function: Function<'m>) -> impl Iterator<Item = (Value<'m>, u64)> {
    let of_alloca = |alloca: Inst<'m>| {
        alloca.operand(0).const_u64()?;
        Some((alloca.value(), alloca.allocated_bytes()?))
    };
    let by_value = attribute_kind("byval");
    let of_argument = move |index| {
        let ty = function.type_attribute(AttrPlace::Param(index), by_value)?;
        Some((function.param(index), function.module().layout().alloc_size(ty)?))
    };
    allocas(function).filter_map(of_alloca).chain((0..function.param_count()).filter_map(of_argument))
}

/// How an object is used, if its address is passed to functions with a body.
fn object<'m>(address: Value<'m>, bytes: u64, stage: Stage) -> Option<Object<'m>> {
    let Uses { passed, is_chosen, has_others, .. } = Uses::of(address);
    let mut object = Object { address, bytes, calls: Vec::new(), is_freed: !(has_others || is_chosen) };
    for (call, index) in passed {
        object.is_freed &= callee_frees(call, index, stage, 0);
        if !object.calls.contains(&call) {
            object.calls.push(call);
        }
    }
    (!object.calls.is_empty()).then_some(object)
}

/// Whether what an argument of a call points to could be in registers, by its uses in the function and in what LLVM will have
/// inlined into it.
fn callee_frees(call: Inst<'_>, index: u32, stage: Stage, level: u32) -> bool {
    let Some(function) = call.defined_callee().filter(|function| index < function.param_count()) else { return false };
    let uses = Uses::of(function.param(index));
    let may_pass = uses.passed.is_empty() || (stage == Stage::Early && level < MAX_LEVELS);
    let pass_on = |&(call, index): &(Inst<'_>, u32)| callee_frees(call, index, stage, level + 1);
    may_pass && !uses.has_others && !uses.is_chosen && uses.passed.iter().all(pass_on)
}

/// Whether LLVM finds a function too large to inline, if everything is inlined into it.
fn is_large(call: Inst<'_>) -> bool {
    call.defined_callee()
        .is_some_and(|function| !function.is_always_inlined() && whole_size(function, MAX_LEVELS) > LARGE_FOR_LLVM)
}

/// Number of instructions of a function with those of all that it calls.
fn whole_size(function: Function<'_>, levels: u32) -> usize {
    let inner = function.callees().map(|next| if levels > 0 { whole_size(next, levels - 1) } else { 0 });
    size(function).saturating_add(inner.fold(0, usize::saturating_add))
}

/// What forbids inlining a call, whatever it would free.
fn obstacle(call: Inst<'_>, calls: &Calls<'_>) -> Option<Reject> {
    let Some(function) = call.defined_callee() else { return Some(Reject::Forbidden) };
    let Count { in_kernel, all } = calls.count(function);
    let instructions = size(function).saturating_mul(all.max(1));
    if !call.may_be_inlined() || !function.is_only_called_directly() || !is_enabled(function, INLINE) {
        Some(Reject::Forbidden)
    } else if in_kernel > 1 {
        Some(Reject::Often { calls: in_kernel })
    } else if instructions > INLINE_MAX_INSTRUCTIONS {
        Some(Reject::Callee { instructions })
    } else {
        None
    }
}

/// Number of instructions.
fn size(function: Function<'_>) -> usize {
    function.insts().count()
}
