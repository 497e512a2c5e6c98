//! Which remarks are emitted about stack objects? One for every object that moves to shared memory, becomes a constant, or
//! stays; what stays has the best remedy that failed.

use super::inline::calls::Calls;
use super::inline::plan::Stage;
use super::inline::products::Joined;
use super::reject::Reject;
use super::stack::plan::{Placement, StackPlan};
use super::{arrays, copies, inline, split};
use crate::analyses::FunctionAnalyses;
use crate::settings::transform::{ARRAYS, IDIOMS, INLINE};
use crate::settings::{Results, is_enabled};
use crate::shared_memory::room::NoShared;
use crate::versions::SteeredFunction;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::{Escape, Object, Unfollowed};
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::{self, AttrPlace, attribute_kind};
use warpwise_ir::llvm::remark::{Kind, PassManager};
use warpwise_ir::names::Names;

/// Reports what was done with the stack objects of a function.
pub fn objects<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut FunctionAnalyses<'m>, plan: &StackPlan) {
    let manager = steered.manager;
    if !manager.wants(Kind::Passed) && !manager.wants(Kind::Missed) {
        return;
    }
    let objects = analyses.objects();
    let stays = !plan.refusals.is_empty() && manager.wants(Kind::Missed);
    let unfreed = if stays { out_of_registers(analyses, plan, steered.settings.results, manager) } else { Vec::new() };
    let (outline, handles) = (analyses.outline(), &analyses.handles);
    let names = analyses.names();
    for planned in &plan.moves {
        let object = &planned.object;
        let (name, becomes) = match &planned.placement {
            Placement::Constant { together, .. } => {
                let memory = if *together { "constant" } else { "global" };
                let becomes = format!("is never changed: moved from local memory to a constant in {memory} memory");
                ("StackToConstant", becomes)
            }
            slots => {
                let copies = match slots {
                    Placement::Warp { barriers } if barriers.is_empty() => "one copy per warp".to_owned(),
                    Placement::Warp { barriers } => {
                        format!("one copy per warp, {} writes wait for the warp", barriers.len())
                    }
                    _ => "one copy per thread".to_owned(),
                };
                let room = match steered.launch_version() {
                    Some(version) => {
                        format!("in {version}, {} bytes for each warp", planned.bytes_for(WARP_SIZE))
                    }
                    None => format!("{} bytes for {} threads", planned.bytes, outline.geometry.thread_bound()),
                };
                let gain = planned.gain.map(|gain| format!(", gain {gain:.2}")).unwrap_or_default();
                ("StackToShared", format!("moved from local to shared memory: {copies}, {room}{gain}"))
            }
        };
        let what = describe(outline, handles, names, object.address, object.size);
        let message = format!("{what}{} {becomes}", because(outline, handles, names, object));
        manager.emit(Kind::Passed, handles.function, place_of(outline, handles, object.address), name, &message);
    }
    for (address, reason) in &plan.refusals {
        let object = objects.iter().find(|object| object.0 == *address).and_then(|object| object.1.as_ref().ok());
        let size = object.map_or(0, |object| object.size);
        let what = describe(outline, handles, names, *address, size);
        // a second body in which nothing moves is not created
        let reason = match reason {
            Reject::NoShared(NoShared::NoRoom(_)) if steered.is_second_body() && plan.moves.is_empty() => {
                Reject::NoShared(NoShared::no_bound(size))
            }
            reason => reason.clone(),
        };
        let why = object.map(|object| because(outline, handles, names, object)).unwrap_or_default();
        let line = reason.at().filter(|_| !reason.is_of_all_uses());
        let line = line.and_then(|inst| line_of(handles, inst)).map(|line| format!(" at {line}"));
        let (name, stays) = match reason {
            Reject::InRegisters { .. } => ("StackInRegisters", "is left to ptxas"),
            _ => ("StackStays", "stays in local memory"),
        };
        let value = handles.value(*address);
        let best = unfreed.iter().find(|(object, _)| *object == value);
        let best = best.map(|(_, why)| format!("not in registers: {why}; not in shared memory: ")).unwrap_or_default();
        let message = format!("{what} {stays}{why}: {best}{reason}{}", line.unwrap_or_default());
        let at = reason.at().map(|inst| handles.inst(inst)).or(place_of(outline, handles, *address));
        manager.emit(Kind::Missed, handles.function, at, name, &message);
    }
}

/// The allocas of a function that one of the remedies would bring into registers, and why it does not.
fn out_of_registers<'m>(
    analyses: &mut FunctionAnalyses<'m>,
    plan: &StackPlan,
    results: Results,
    manager: &PassManager<'_>,
) -> Vec<(handle::Value<'m>, Reject)> {
    let function = analyses.handles.function;
    let mut found = Vec::new();
    let of_alloca = |(alloca, reject): (handle::Inst<'m>, Reject)| (alloca.value(), reject);
    if is_enabled(function, IDIOMS) {
        let copied = split::find(function, &copies::Context::new(), results).err().unwrap_or_default();
        found.extend(copied.into_iter().map(|alloca| (alloca.value(), Reject::Contraction)));
    }
    let is_inlined = |(_, reason): &(Value, Reject)| match *reason {
        Reject::Unfollowed(Unfollowed::Escapes { how: Escape::Passed, at }) => {
            analyses.handles.inst(at).defined_callee().is_some()
        }
        _ => false,
    };
    if is_enabled(function, INLINE) && plan.refusals.iter().any(is_inlined) {
        let mut joined = (results == Results::Same).then(|| Joined::new(Stage::Late, manager));
        found.extend(inline::plan::plan(function, &Calls::of(function.module()), Stage::Late, joined.as_mut()).1);
    }
    if is_enabled(function, ARRAYS) {
        found.extend(arrays::plan::plan(analyses, results).1.into_iter().map(of_alloca));
    }
    found
}

fn line_of(handles: &Handles<'_>, inst: Inst) -> Option<String> {
    let location = handles.inst(inst).debug_loc()?;
    (location.line() != 0).then(|| format!("line {}", location.line()))
}

fn describe(outline: &Outline, handles: &Handles<'_>, names: &Names, address: Value, size: u64) -> String {
    let name = called(handles, names, address);
    let ty = match (outline.func.def(address), outline.func.as_param(address)) {
        (Some(alloca), _) => Some(handles.inst(alloca).allocated_type()),
        (None, Some(index)) => handles.function.type_attribute(AttrPlace::Param(index), attribute_kind("byval")),
        (None, None) => None,
    };
    let ty = ty.map(|ty| ty.print()).unwrap_or_default();
    if size == 0 { format!("stack object {name} ({ty})") } else { format!("stack object {name} ({ty}, {size} bytes)") }
}

/// What the source calls a value if IR has no name for it and debug information has; else as LLVM prints it.
fn called(handles: &Handles<'_>, names: &Names, value: Value) -> String {
    let source = handles.value(value).variable();
    if source.is_empty() || handles.value(value).has_name() { names.value(handles, value) } else { source }
}

/// Describes why the object is not in registers, as far as is known.
fn because(outline: &Outline, handles: &Handles<'_>, names: &Names, object: &Object) -> String {
    let Some((gep, index)) = object.variable_index(outline) else { return String::new() };
    let name = called(handles, names, index);
    match line_of(handles, gep) {
        Some(line) => format!(" (indexed by {name} at {line})"),
        None => format!(" (indexed by {name})"),
    }
}

/// The instruction to which the remark points: the first use, since allocas and arguments have no source line.
fn place_of<'m>(outline: &Outline, handles: &Handles<'m>, address: Value) -> Option<handle::Inst<'m>> {
    let users = outline.users(address);
    users.iter().map(|&inst| handles.inst(inst)).find(|inst| inst.debug_loc().is_some())
}
