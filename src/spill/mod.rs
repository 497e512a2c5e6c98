//! Where do stack objects and register-pressure victims of a kernel cost least?
//!
//! NVPTX has virtual registers: spilling happens in `ptxas`, after us, into local memory. So the work is done on IR: what
//! would end in local memory is moved away before `ptxas` sees it.
//!
//! 1. **Stack objects** ([`plan_stack`], [`apply_stack`]): allocas that survived optimisation go to shared memory, one copy
//!    per thread or per warp.
//! 2. **Register pressure** ([`pressure`], [`plan_victims`], [`apply_victims`]): in loops that keep more values alive than
//!    there are registers, values wait in shared memory between definition and use.
//!
//! All kernels of a phase are planned on one analysis, then edited; facts are stale after that. Device functions are
//! left alone (slots belong to a launch, not to an activation), and so are functions marked `optnone`.
//!
//! Source: Sampaio 2013, chapter 4 (uniform spills in shared memory, affine rematerialisation). Ours: the place before
//! the register allocator, stack objects, interleaved slots, the shared-memory and occupancy budget.

pub mod apply_stack;
pub mod apply_victims;
pub mod budget;
pub mod object;
pub mod plan_stack;
pub mod plan_victims;
pub mod pressure;
pub mod reject;
pub mod shared;
pub mod slots;

use crate::divergence::{Facts, ModuleAnalysis, Options};
use crate::kernel::handles::Handles;
use crate::kernel::names::Names;
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Module, RawOpcode};
use crate::llvm::remark::{Host, Kind};
use crate::pipeline::{Settings, is_enabled};
use budget::{Machine, SharedBudget};
use plan_stack::{Placement, StackPlan};
use plan_victims::{Home, VictimPlan};
use reject::Reject;

/// Registers a thread is assumed to use at least; fewer allow no more blocks than can be resident anyway.
const LEAST_REGISTERS: u32 = 32;

/// The pass.
pub fn run(module: Module<'_>, settings: &Settings, host: &Host<'_>) -> bool {
    let moved = stack_objects(module, settings, host);
    register_pressure(module, settings, host) || moved
}

fn options(settings: &Settings) -> Options {
    Options { block: settings.block, simple: settings.simple }
}

/// Kernels that may be edited.
fn kernels(module: Module<'_>) -> Vec<Function<'_>> {
    module.functions().filter(|&function| !function.is_declaration() && is_enabled(function, "steer")).collect()
}

fn is_called(function: Function<'_>) -> bool {
    function.value().users().any(|user| {
        user.as_inst()
            .is_some_and(|inst| inst.opcode() == RawOpcode::LLVMCall && inst.called_function() == Some(function))
    })
}

/// The shared memory a kernel may still take, or why it may take none.
fn room(facts: &Facts, handles: &Handles<'_>, settings: &Settings) -> Result<SharedBudget, Reject> {
    if is_called(handles.function) {
        return Err(Reject::Called);
    }
    let geometry = &facts.geometry;
    if geometry.exact.is_none() && geometry.max_threads.is_none() {
        return Err(Reject::NoBound { fits: 0 });
    }
    let used = shared::shared_use(handles.function);
    if let Some(callee) = used.unknown {
        return Err(Reject::UnknownCallee { callee });
    }
    let dynamic = match (used.dynamic, settings.dynamic_shared) {
        (false, _) => 0,
        (true, Some(bytes)) => u64::from(bytes),
        (true, None) => return Err(Reject::DynamicShared),
    };
    let most = budget::register_budget(settings.regs, geometry).unwrap_or(budget::MAX_REGISTERS).max(LEAST_REGISTERS);
    let cpu = handles.function.string_attribute("target-cpu").unwrap_or_default();
    Ok(SharedBudget {
        machine: Machine::of(&cpu),
        threads: geometry.thread_bound(),
        registers: pressure::Pressure::new(facts).across_boundaries().clamp(LEAST_REGISTERS, most),
        used: used.bytes + dynamic,
    })
}

fn stack_objects(module: Module<'_>, settings: &Settings, host: &Host<'_>) -> bool {
    let with_objects: Vec<Function<'_>> =
        kernels(module).into_iter().filter(|&function| plan_stack::has_stack_objects(function)).collect();
    if with_objects.is_empty() {
        return false;
    }
    let analysis = ModuleAnalysis::new(module, options(settings));
    let mut plans: Vec<(Facts, Handles<'_>, StackPlan)> = Vec::new();
    for function in with_objects {
        let (facts, handles) = analysis.facts(function);
        if !facts.kernel.is_kernel {
            continue;
        }
        let mut room = room(&facts, &handles, settings);
        let plan = plan_stack::plan(&facts, &handles, &mut room);
        report_stack(&facts, &handles, &plan, host);
        plans.push((facts, handles, plan));
    }
    let mut editor = Editor::new(module);
    let mut changed = false;
    for (facts, handles, plan) in &plans {
        apply_stack::apply(facts, handles, plan, facts.geometry.thread_bound(), &mut editor);
        if plan.moves.is_empty() {
            continue;
        }
        editor.uses_shared_memory(handles.function);
        changed = true;
        debug_assert!(editor.verifies(handles.function));
    }
    changed
}

fn register_pressure(module: Module<'_>, settings: &Settings, host: &Host<'_>) -> bool {
    let bounded = |function: &Function<'_>| {
        let own = ["nvvm.maxnreg", "nvvm.maxntid", "nvvm.reqntid"];
        settings.regs.is_some()
            || settings.block.is_some()
            || own.iter().any(|name| function.string_attribute(name).is_some())
    };
    let functions: Vec<Function<'_>> = kernels(module).into_iter().filter(bounded).collect();
    if functions.is_empty() {
        return false;
    }
    let analysis = ModuleAnalysis::new(module, options(settings));
    let mut plans: Vec<(Facts, Handles<'_>, VictimPlan)> = Vec::new();
    for function in functions {
        let (facts, handles) = analysis.facts(function);
        if !facts.kernel.is_kernel {
            continue;
        }
        let Some(registers) = budget::register_budget(settings.regs, &facts.geometry) else { continue };
        let mut room = match room(&facts, &handles, settings) {
            Ok(room) => room,
            Err(reject) => {
                report_no_room(&facts, &handles, registers, &reject, host);
                continue;
            }
        };
        let plan = plan_victims::plan(&facts, registers, &mut room);
        report_victims(&facts, &handles, &plan, host);
        plans.push((facts, handles, plan));
    }
    let mut editor = Editor::new(module);
    let mut changed = false;
    for (facts, handles, plan) in &plans {
        apply_victims::apply(facts, handles, plan, facts.geometry.thread_bound(), &mut editor);
        if plan.victims.is_empty() {
            continue;
        }
        editor.uses_shared_memory(handles.function);
        changed = true;
        debug_assert!(editor.verifies(handles.function));
    }
    changed
}

fn report_victims(facts: &Facts, handles: &Handles<'_>, plan: &VictimPlan, host: &Host<'_>) {
    let VictimPlan { before, after, budget, .. } = plan;
    if !plan.victims.is_empty() {
        let of = |home| plan.victims.iter().filter(|victim| victim.home == home).count();
        let (warp, thread) = (of(Home::Warp), of(Home::Thread));
        let threads = facts.geometry.thread_bound();
        let message = format!(
            "register pressure of {before} for {budget} registers eased to {after}: {warp} values in a slot per warp, {thread} in a slot per thread, {} bytes of shared memory for {threads} threads",
            plan.bytes(threads)
        );
        host.emit(Kind::Passed, handles.function, None, "PressureEased", &message);
    }
    if *after + plan_victims::RESERVE > *budget {
        let message = format!(
            "register pressure of {after} stays above {budget} registers: nothing else can wait in shared memory"
        );
        host.emit(Kind::Missed, handles.function, None, "PressureStays", &message);
    }
}

fn report_no_room(facts: &Facts, handles: &Handles<'_>, registers: u32, reject: &Reject, host: &Host<'_>) {
    if !host.wants(Kind::Missed) {
        return;
    }
    let needed = pressure::Pressure::new(facts).largest();
    if needed + plan_victims::RESERVE > registers {
        let message = format!("register pressure of {needed} for {registers} registers is left to ptxas: {reject}");
        host.emit(Kind::Missed, handles.function, None, reject.name(), &message);
    }
}

fn report_stack(facts: &Facts, handles: &Handles<'_>, plan: &StackPlan, host: &Host<'_>) {
    if !host.wants(Kind::Passed) && !host.wants(Kind::Missed) {
        return;
    }
    let names = Names::new(&facts.kernel, handles);
    for planned in &plan.moves {
        let object = &planned.object;
        let what = describe(facts, handles, &names, object.alloca, object.size);
        let copies = match &planned.placement {
            Placement::Thread { .. } => "one copy per thread".to_owned(),
            Placement::Warp { barriers } if barriers.is_empty() => "one copy per warp".to_owned(),
            Placement::Warp { barriers } => format!("one copy per warp, {} writes wait for the warp", barriers.len()),
        };
        let threads = facts.geometry.thread_bound();
        let message = format!(
            "{what}{} moved from local to shared memory: {copies}, {} bytes for {threads} threads",
            because(facts, handles, &names, object),
            planned.bytes
        );
        host.emit(Kind::Passed, handles.function, place_of(facts, handles, object.alloca), "StackToShared", &message);
    }
    for (alloca, reason) in &plan.refusals {
        let object = object::object_of(facts, handles, *alloca);
        let size = object.as_ref().map(|object| object.size).unwrap_or(0);
        let what = describe(facts, handles, &names, *alloca, size);
        let why = object.map(|object| because(facts, handles, &names, &object)).unwrap_or_default();
        let line = reason.at().and_then(|inst| line_of(handles, inst)).map(|line| format!(" at {line}"));
        let message = format!("{what} stays in local memory{why}: {reason}{}", line.unwrap_or_default());
        let at = reason.at().map(|inst| handles.inst(inst)).or(place_of(facts, handles, *alloca));
        host.emit(Kind::Missed, handles.function, at, reason.name(), &message);
    }
}

fn line_of(handles: &Handles<'_>, inst: crate::kernel::entity::Inst) -> Option<String> {
    let location = handles.inst(inst).debug_loc()?;
    (location.line() != 0).then(|| format!("line {}", location.line()))
}

fn describe(
    facts: &Facts,
    handles: &Handles<'_>,
    names: &Names,
    alloca: crate::kernel::entity::Inst,
    size: u64,
) -> String {
    let name = names.value(handles, facts.kernel.result(alloca));
    let ty = handles.inst(alloca).allocated_type().print();
    if size == 0 { format!("stack object {name} ({ty})") } else { format!("stack object {name} ({ty}, {size} bytes)") }
}

/// Why the object is not in registers, as far as one can say.
fn because(facts: &Facts, handles: &Handles<'_>, names: &Names, object: &object::Object) -> String {
    let Some((gep, index)) = object.variable_index(facts) else { return String::new() };
    let name = names.value(handles, index);
    match line_of(handles, gep) {
        Some(line) => format!(" (indexed by {name} at {line})"),
        None => format!(" (indexed by {name})"),
    }
}

/// Where to point at: the first access, since allocas have no line.
fn place_of<'m>(
    facts: &Facts,
    handles: &Handles<'m>,
    alloca: crate::kernel::entity::Inst,
) -> Option<crate::llvm::handle::Inst<'m>> {
    let users = facts.users(facts.kernel.result(alloca));
    users.iter().map(|&inst| handles.inst(inst)).find(|inst| inst.debug_loc().is_some())
}
