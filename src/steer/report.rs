//! What is the user told? One remark for every stack object and for every kernel under pressure.

use crate::divergence::Outline;
use crate::entity::Inst;
use crate::ir::handles::Handles;
use crate::ir::names::Names;
use crate::llvm::handle::Function;
use crate::llvm::remark::{Host, Kind};
use crate::objects::{Object, object_of};
use crate::pressure::Pressure;
use crate::remat::plan::RecomputePlan;
use crate::remat::schedule::AdvancePlan;
use crate::slots::plan::{Home, VictimPlan};
use crate::stack::plan::{Placement, StackPlan};
use crate::stack::reject::Reject;

/// What was done about register pressure, and what was not.
pub fn victims(outline: &Outline, about: Function<'_>, plan: &VictimPlan, host: &Host<'_>) {
    let VictimPlan { before, after, budget, .. } = plan;
    if !plan.victims.is_empty() {
        let of = |home| plan.victims.iter().filter(|victim| victim.home == home).count();
        let (warp, thread) = (of(Home::Warp), of(Home::Thread));
        let threads = outline.geometry.thread_bound();
        let message = format!(
            "register pressure of {before} for {budget} registers eased to {after}: {warp} values in a slot per warp, {thread} in a slot per thread, {} bytes of shared memory for {threads} threads",
            plan.bytes(threads)
        );
        host.emit(Kind::Passed, about, None, "PressureEased", &message);
    }
    if after > budget {
        let message = format!(
            "register pressure of {after} stays above {budget} registers: nothing else can wait in shared memory"
        );
        host.emit(Kind::Missed, about, None, "PressureStays", &message);
    }
}

/// What is computed again instead of being kept.
pub fn recomputed(about: Function<'_>, plan: &RecomputePlan, host: &Host<'_>) {
    let RecomputePlan { before, after, budget, values, .. } = plan;
    if values.is_empty() {
        return;
    }
    let instructions: usize = values.iter().map(|again| again.chain.len()).sum();
    let message = format!(
        "register pressure of {before} for {budget} registers eased to {after}: {} values are computed again where they are used, {instructions} instructions in all",
        values.len()
    );
    host.emit(Kind::Passed, about, None, "PressureRecomputed", &message);
}

/// What stands earlier than it did.
pub fn advanced(about: Function<'_>, plan: &AdvancePlan, host: &Host<'_>) {
    let AdvancePlan { before, after, budget, moves } = plan;
    if moves.is_empty() {
        return;
    }
    let message = format!(
        "register pressure of {before} for {budget} registers eased to {after}: {} instructions stand earlier",
        moves.len()
    );
    host.emit(Kind::Passed, about, None, "PressureAdvanced", &message);
}

/// Why nothing was done about register pressure.
pub fn no_room(
    outline: &Outline,
    pressure: &Pressure,
    about: Function<'_>,
    registers: u32,
    reject: &Reject,
    host: &Host<'_>,
) {
    if !host.wants(Kind::Missed) {
        return;
    }
    let needed = pressure.largest(outline);
    if needed > registers {
        let message = format!("register pressure of {needed} for {registers} registers is left to ptxas: {reject}");
        host.emit(Kind::Missed, about, None, reject.name(), &message);
    }
}

/// What became of a kernel's stack objects. `handles` are those of the function that stays.
pub fn stack(outline: &Outline, handles: &Handles<'_>, plan: &StackPlan, host: &Host<'_>) {
    if !host.wants(Kind::Passed) && !host.wants(Kind::Missed) {
        return;
    }
    let names = Names::new(&outline.func, handles);
    for planned in &plan.moves {
        let object = &planned.object;
        let what = describe(outline, handles, &names, object.alloca, object.size);
        let copies = match &planned.placement {
            Placement::Thread { .. } => "one copy per thread".to_owned(),
            Placement::Warp { barriers } if barriers.is_empty() => "one copy per warp".to_owned(),
            Placement::Warp { barriers } => format!("one copy per warp, {} writes wait for the warp", barriers.len()),
            Placement::Constant { together, .. } => {
                let memory = if *together { "constant" } else { "global" };
                let message = format!(
                    "{what}{} is never changed: moved from local memory to a constant in {memory} memory",
                    because(outline, handles, &names, object)
                );
                let at = place_of(outline, handles, object.alloca);
                host.emit(Kind::Passed, handles.function, at, "StackToConstant", &message);
                continue;
            }
        };
        let threads = outline.geometry.thread_bound();
        let message = format!(
            "{what}{} moved from local to shared memory: {copies}, {} bytes for {threads} threads",
            because(outline, handles, &names, object),
            planned.bytes
        );
        host.emit(Kind::Passed, handles.function, place_of(outline, handles, object.alloca), "StackToShared", &message);
    }
    for (alloca, reason) in &plan.refusals {
        let object = object_of(outline, handles, *alloca);
        let size = object.as_ref().map(|object| object.size).unwrap_or(0);
        let what = describe(outline, handles, &names, *alloca, size);
        let why = object.map(|object| because(outline, handles, &names, &object)).unwrap_or_default();
        // no one line is the reason where all uses are
        let of_all = matches!(reason, Reject::Rare { .. } | Reject::Seldom { .. } | Reject::Cached { .. });
        let line = reason.at().filter(|_| !of_all);
        let line = line.and_then(|inst| line_of(handles, inst)).map(|line| format!(" at {line}"));
        let stays = match reason {
            Reject::InRegisters { .. } => "is left to ptxas",
            _ => "stays in local memory",
        };
        let message = format!("{what} {stays}{why}: {reason}{}", line.unwrap_or_default());
        let at = reason.at().map(|inst| handles.inst(inst)).or(place_of(outline, handles, *alloca));
        host.emit(Kind::Missed, handles.function, at, reason.name(), &message);
    }
}

fn line_of(handles: &Handles<'_>, inst: Inst) -> Option<String> {
    let location = handles.inst(inst).debug_loc()?;
    (location.line() != 0).then(|| format!("line {}", location.line()))
}

fn describe(outline: &Outline, handles: &Handles<'_>, names: &Names, alloca: Inst, size: u64) -> String {
    let name = names.value(handles, outline.func.result(alloca));
    let ty = handles.inst(alloca).allocated_type().print();
    if size == 0 { format!("stack object {name} ({ty})") } else { format!("stack object {name} ({ty}, {size} bytes)") }
}

/// Why the object is not in registers, as far as one can say.
fn because(outline: &Outline, handles: &Handles<'_>, names: &Names, object: &Object) -> String {
    let Some((gep, index)) = object.variable_index(outline) else { return String::new() };
    let name = names.value(handles, index);
    match line_of(handles, gep) {
        Some(line) => format!(" (indexed by {name} at {line})"),
        None => format!(" (indexed by {name})"),
    }
}

/// Where to point at: the first access, since allocas have no line.
fn place_of<'m>(outline: &Outline, handles: &Handles<'m>, alloca: Inst) -> Option<crate::llvm::handle::Inst<'m>> {
    let users = outline.users(outline.func.result(alloca));
    users.iter().map(|&inst| handles.inst(inst)).find(|inst| inst.debug_loc().is_some())
}
