//! Which calls of a function are inlined? Decided from facts, before anything is changed.

use super::calls::Calls;
use super::products;
use super::reject::Reject;
use crate::settings::transform::INLINE;
use crate::settings::{Results, is_enabled};
use crate::uses::Uses;
use warpwise_analysis::contraction::raw::Pins;
use warpwise_analysis::gpu::prices::{INLINE_MAX_INSTRUCTIONS, LARGE_FOR_LLVM};
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode};

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
    /// Stack objects that can be in registers then, and their bytes.
    pub objects: usize,
    pub bytes: u64,
    /// Size of the function that is called.
    pub instructions: usize,
    /// What is written out in the caller and the callee first.
    pub pins: Vec<Pins<'m>>,
}

/// A stack object of the caller.
struct Object<'m> {
    bytes: u64,
    /// The calls that take its address.
    calls: Vec<Inst<'m>>,
    /// Whether it is in registers if all of these calls are inlined.
    is_freed: bool,
}

/// The calls in a function that take the address of a stack object, with a plan or the reason why they stay.
pub fn plan<'m>(
    caller: Function<'m>,
    calls: &Calls<'m>,
    stage: Stage,
    results: Results,
) -> Vec<(Inst<'m>, Result<Plan<'m>, Reject>)> {
    let allocas = caller.blocks().take(1).flat_map(|block| block.insts());
    let objects: Vec<Object<'m>> =
        allocas.filter(|inst| inst.opcode() == RawOpcode::LLVMAlloca).filter_map(|inst| object(inst, stage)).collect();
    let mut sites: Vec<Inst<'m>> = Vec::new();
    for &call in objects.iter().flat_map(|object| &object.calls) {
        if !sites.contains(&call) && (stage == Stage::Late || is_large(call)) {
            sites.push(call);
        }
    }
    let forbidden: Vec<(Inst<'m>, Reject)> =
        sites.iter().filter_map(|&call| Some((call, obstacle(call, calls)?))).collect();
    let may = |call: &Inst<'m>| forbidden.iter().all(|(other, _)| other != call);
    let frees = |object: &&Object<'m>| object.is_freed && object.calls.iter().all(may);
    let judge = |&call: &Inst<'m>| {
        let of_call = || objects.iter().filter(|object| object.calls.contains(&call));
        let reject = forbidden.iter().find(|(other, _)| *other == call).map(|&(_, reject)| reject);
        if !of_call().any(|object| object.is_freed) {
            return (call, Err(Reject::FreesNothing));
        }
        if let Some(reject) = reject {
            return (call, Err(reject));
        }
        (call, plan_call(call, of_call().filter(frees), stage, results))
    };
    sites.iter().map(judge).collect()
}

/// The plan for a call that nothing forbids, given the objects that it frees.
fn plan_call<'a, 'm: 'a>(
    call: Inst<'m>,
    freed: impl Iterator<Item = &'a Object<'m>>,
    stage: Stage,
    results: Results,
) -> Result<Plan<'m>, Reject> {
    let (mut objects, mut bytes) = (0, 0);
    for object in freed {
        objects += 1;
        bytes += object.bytes;
    }
    let Some(callee) = call.defined_callee().filter(|_| objects > 0) else { return Err(Reject::FreesNothing) };
    let mut plan = Plan { objects, bytes, instructions: size(callee), pins: Vec::new() };
    if results == Results::Same {
        plan.pins = products::pins(call, callee, stage).ok_or(Reject::Contraction)?;
    }
    Ok(plan)
}

/// How an alloca of constant size is used, if its address is passed to functions with a body.
fn object<'m>(alloca: Inst<'m>, stage: Stage) -> Option<Object<'m>> {
    alloca.operand(0).const_u64()?;
    let bytes = alloca.allocated_bytes()?;
    let Uses { passed, is_chosen, has_others, .. } = Uses::of(alloca.value());
    let mut object = Object { bytes, calls: Vec::new(), is_freed: !(has_others || is_chosen) };
    for (call, index, _) in passed {
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
    let pass_on = |&(call, index, _): &(Inst<'_>, u32, i64)| callee_frees(call, index, stage, level + 1);
    may_pass && !uses.has_others && !uses.is_chosen && uses.passed.iter().all(pass_on)
}

/// Whether LLVM finds a function too large to inline, if everything is inlined into it.
fn is_large(call: Inst<'_>) -> bool {
    call.defined_callee()
        .is_some_and(|function| !function.is_always_inlined() && whole_size(function, MAX_LEVELS) > LARGE_FOR_LLVM)
}

/// Number of instructions of a function with those of all that it calls.
fn whole_size(function: Function<'_>, levels: u32) -> usize {
    let insts = function.blocks().flat_map(|block| block.insts());
    let inner =
        insts.filter_map(Inst::defined_callee).map(|next| if levels > 0 { whole_size(next, levels - 1) } else { 0 });
    size(function).saturating_add(inner.fold(0, usize::saturating_add))
}

/// What forbids inlining a call, whatever it would free.
fn obstacle(call: Inst<'_>, calls: &Calls<'_>) -> Option<Reject> {
    let Some(function) = call.defined_callee() else { return Some(Reject::Forbidden) };
    let count = calls.count(function);
    let instructions = size(function);
    if !call.may_be_inlined() || !function.is_only_called_directly() || !is_enabled(function, INLINE) {
        Some(Reject::Forbidden)
    } else if count != 1 {
        Some(Reject::Often { calls: count })
    } else if instructions > INLINE_MAX_INSTRUCTIONS {
        Some(Reject::Large { instructions })
    } else {
        None
    }
}

/// Number of instructions.
fn size(function: Function<'_>) -> usize {
    function.blocks().map(|block| block.insts().count()).sum()
}
