//! Where do stack objects and register-pressure victims of a kernel cost least?
//!
//! NVPTX has virtual registers: spilling happens in `ptxas`, after us, into local memory. So the work is done on IR: what
//! would end in local memory is moved away before `ptxas` sees it.
//!
//! 1. **Constants** ([`constant`]): stack objects that are filled with constants and only read become constants of the
//!    program, in kernels and in device functions.
//! 2. **Recomputation** ([`recompute`], [`apply_recompute`], [`advance`]): in loops that keep more values alive than there are
//!    registers, values are computed again at their uses, or instructions stand earlier. That needs no memory.
//! 3. **Stack objects** ([`plan_stack`], [`apply_stack`]): allocas that survived optimisation, and copies of by-value
//!    arguments ([`byval`]), go to shared memory, one copy per thread or per warp.
//! 4. **Register pressure** ([`pressure`], [`plan_victims`], [`apply_victims`]): in the same loops, values wait in shared
//!    memory between definition and use.
//!
//! A kernel whose launches are not bounded is not edited itself: a copy of it is planned for blocks of at most
//! [`VERSION_THREADS`] threads, and becomes its second body, behind a test at entry, if anything could be moved ([`target`]).
//! All kernels of a phase are planned on one analysis, then edited; facts are stale after that. Slots belong to a launch,
//! not to an activation, so device functions get none; functions marked `optnone` are left alone.
//!
//! Source: Sampaio 2013, chapter 4 (uniform spills in shared memory, affine rematerialisation). Ours: the place before
//! the register allocator, stack objects, interleaved slots, the shared-memory and occupancy budget, versions.

pub mod advance;
pub mod apply_recompute;
pub mod apply_stack;
pub mod apply_victims;
pub mod budget;
pub mod byval;
pub mod constant;
pub mod object;
pub mod plan_stack;
pub mod plan_victims;
pub mod pressure;
pub mod recompute;
pub mod reject;
mod report;
pub mod shared;
pub mod slots;
pub mod target;
pub mod truth;
pub mod victims;

use crate::divergence::{Facts, ModuleAnalysis};
use crate::kernel::handles::Handles;
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Module, RawOpcode};
use crate::llvm::remark::Host;
use crate::pipeline::{Settings, is_enabled};
use budget::{Machine, NoRoom, SharedBudget};
use plan_stack::StackPlan;
use plan_victims::VictimPlan;
use pressure::Pressure;
use reject::Reject;
use rustc_hash::FxHashSet;
use target::Target;

/// Registers a thread is assumed to use at least; fewer allow no more blocks than can be resident anyway.
const LEAST_REGISTERS: u32 = 32;
/// Threads that a version of an unbounded kernel has slots for: the first of these whose slots cost no occupancy.
pub const VERSION_THREADS: [u32; 3] = [256, 128, 64];
/// Asks `ptxas` to spill to shared memory; it wants PTX 9.0.
const SMEM_PRAGMA: &str = ".pragma \"enable_smem_spilling\";";

/// The pass.
pub fn run(module: Module<'_>, settings: &Settings, host: &Host<'_>) -> bool {
    let mut left_alone = FxHashSet::default();
    if let Some(ptxas) = &settings.ptxas {
        let nobody = FxHashSet::default();
        left_alone = truth::refused(module, settings, ptxas, host, |copy| {
            run_except(copy, settings, &Host::silent(), &nobody);
        });
    }
    run_except(module, settings, host, &left_alone)
}

fn run_except(module: Module<'_>, settings: &Settings, host: &Host<'_>, left_alone: &FxHashSet<String>) -> bool {
    let functions = editable(module, left_alone);
    let mut changed = settings.victims.stack && byval::copy_to_stack(module, &functions);
    changed |= settings.victims.stack && constant_objects(module, &functions, settings, host);
    if settings.victims.constant {
        changed |= recomputations(module, &functions, settings, host);
    }
    let mut targets = target::targets(module, settings, functions);
    if settings.victims.stack {
        stack_objects(module, &mut targets, settings, host);
    }
    if settings.victims.any_register() || settings.ptxas_smem {
        register_pressure(module, &mut targets, settings, host);
    }
    changed |= targets.iter().any(|target| target.changed);
    target::settle(module, targets);
    changed
}

/// Functions that may be edited.
fn editable<'m>(module: Module<'m>, left_alone: &FxHashSet<String>) -> Vec<Function<'m>> {
    let may = |function: &Function<'_>| {
        !function.is_declaration() && is_enabled(*function, "steer") && !left_alone.contains(&function.name())
    };
    module.functions().filter(may).collect()
}

fn is_called(function: Function<'_>) -> bool {
    function.value().users().any(|user| {
        user.as_inst()
            .is_some_and(|inst| inst.opcode() == RawOpcode::LLVMCall && inst.called_function() == Some(function))
    })
}

/// The shared memory a kernel may still take, or why it may take none.
fn room(
    facts: &Facts,
    handles: &Handles<'_>,
    target: &Target<'_>,
    settings: &Settings,
) -> Result<SharedBudget, Reject> {
    if !facts.kernel.is_kernel {
        return Err(Reject::DeviceFunction);
    }
    if is_called(target.emitted()) {
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
        registers: Pressure::new(facts).across_boundaries().clamp(LEAST_REGISTERS, most),
        own: used.bytes + dynamic,
        used: used.bytes + dynamic,
        any_block: target.original.is_some(),
    })
}

/// Phase 1.
fn constant_objects<'m>(module: Module<'m>, functions: &[Function<'m>], settings: &Settings, host: &Host<'_>) -> bool {
    let with_stores = |function: &Function<'_>| plan_stack::has_constant_stores(*function);
    let functions: Vec<Function<'_>> = functions.iter().copied().filter(with_stores).collect();
    if functions.is_empty() {
        return false;
    }
    let analysis = ModuleAnalysis::new(module, settings.analysis());
    let mut plans: Vec<(Facts, Handles<'_>, StackPlan)> = Vec::new();
    for function in functions {
        let (facts, handles) = analysis.facts(function);
        let bounded =
            facts.kernel.is_kernel && (facts.geometry.exact.is_some() || facts.geometry.max_threads.is_some());
        let plan = plan_stack::plan_constants(&facts, &handles, bounded);
        report::stack(&facts, &handles, &plan, host);
        plans.push((facts, handles, plan));
    }
    let mut editor = Editor::new(module);
    for (facts, handles, plan) in &plans {
        apply_stack::apply(facts, handles, plan, facts.geometry.thread_bound(), &mut editor);
        if !plan.moves.is_empty() {
            editor.reads_globals(handles.function);
            debug_assert!(editor.verifies(handles.function));
        }
    }
    plans.iter().any(|(_, _, plan)| !plan.moves.is_empty())
}

/// Whether a function says by itself how many registers it may use.
fn states_registers(function: Function<'_>, settings: &Settings) -> bool {
    let names = ["nvvm.maxnreg", "nvvm.maxntid", "nvvm.reqntid"];
    settings.regs.is_some()
        || settings.block.is_some()
        || names.iter().any(|name| function.string_attribute(name).is_some())
}

/// Phase 2.
fn recomputations<'m>(module: Module<'m>, functions: &[Function<'m>], settings: &Settings, host: &Host<'_>) -> bool {
    let bounded = |function: &Function<'_>| function.is_ptx_kernel() && states_registers(*function, settings);
    let functions: Vec<Function<'_>> = functions.iter().copied().filter(bounded).collect();
    if functions.is_empty() {
        return false;
    }
    let analysis = ModuleAnalysis::new(module, settings.analysis());
    let mut plans = Vec::new();
    for function in functions {
        let (facts, handles) = analysis.facts(function);
        let Some(registers) = budget::register_budget(settings.regs, &facts.geometry) else { continue };
        let pressure = Pressure::new(&facts);
        let plan = recompute::plan(&facts, &pressure, registers);
        // copies stand before uses: one or the other in a kernel
        let advance = if plan.values.is_empty() {
            advance::plan(&facts, &pressure, registers)
        } else {
            advance::AdvancePlan::default()
        };
        drop(pressure);
        report::recomputed(function, &plan, host);
        report::advanced(function, &advance, host);
        if !plan.values.is_empty() || !advance.moves.is_empty() {
            plans.push((facts, handles, plan, advance));
        }
    }
    let mut editor = Editor::new(module);
    for (facts, handles, plan, advance) in &plans {
        apply_recompute::apply(facts, handles, plan, &mut editor);
        advance::apply(handles, advance, &mut editor);
        debug_assert!(editor.verifies(handles.function));
    }
    !plans.is_empty()
}

/// Phase 3.
fn stack_objects<'m>(module: Module<'m>, targets: &mut [Target<'m>], settings: &Settings, host: &Host<'_>) {
    let with_objects = |target: &&mut Target<'_>| plan_stack::has_stack_objects(target.function);
    if !targets.iter_mut().any(|target| with_objects(&target)) {
        return;
    }
    let analysis = ModuleAnalysis::new(module, settings.analysis());
    let mut plans: Vec<(Facts, Handles<'_>, StackPlan)> = Vec::new();
    for target in targets.iter_mut().filter(with_objects) {
        let (mut facts, handles) = analysis.facts(target.function);
        let mut plan = StackPlan::default();
        for bound in target.bounds() {
            target.bind(bound, &mut facts);
            plan = plan_stack::plan(&facts, &handles, &mut room(&facts, &handles, target, settings));
            if !plan.moves.is_empty() {
                break;
            }
        }
        if target.original.is_some() && plan.moves.is_empty() {
            target.threads = None;
            for (alloca, reason) in &mut plan.refusals {
                if let Reject::NoRoom(NoRoom::Limit { .. } | NoRoom::Occupancy { .. }) = reason {
                    *reason = plan_stack::no_bound(object::object_of(&facts, &handles, *alloca).map_or(1, |o| o.size));
                }
            }
        }
        target.changed |= !plan.moves.is_empty();
        match target.original {
            // the copy has the original's instructions in the same order
            Some(original) => report::stack(&facts, &analysis.facts(original).1, &plan, host),
            None => report::stack(&facts, &handles, &plan, host),
        }
        plans.push((facts, handles, plan));
    }
    let mut editor = Editor::new(module);
    for (facts, handles, plan) in &plans {
        apply_stack::apply(facts, handles, plan, facts.geometry.thread_bound(), &mut editor);
        if !plan.moves.is_empty() {
            editor.uses_shared_memory(handles.function);
            debug_assert!(editor.verifies(handles.function));
        }
    }
}

/// Phase 4.
fn register_pressure<'m>(module: Module<'m>, targets: &mut [Target<'m>], settings: &Settings, host: &Host<'_>) {
    let bounded = |target: &&mut Target<'_>| {
        let names: &[&str] = match target.original {
            Some(_) => &["nvvm.maxnreg"],
            None => &["nvvm.maxnreg", "nvvm.maxntid", "nvvm.reqntid"],
        };
        settings.regs.is_some()
            || (settings.block.is_some() && target.original.is_none())
            || names.iter().any(|name| target.function.string_attribute(name).is_some())
    };
    if !targets.iter_mut().any(|target| bounded(&target)) {
        return;
    }
    let analysis = ModuleAnalysis::new(module, settings.analysis());
    let mut plans: Vec<(Facts, Handles<'_>, VictimPlan)> = Vec::new();
    let mut asking = Vec::new();
    for target in targets.iter_mut().filter(bounded) {
        let (mut facts, handles) = analysis.facts(target.function);
        let known = match target.original {
            Some(_) => settings.regs.or(facts.geometry.max_registers),
            None => budget::register_budget(settings.regs, &facts.geometry),
        };
        let Some(registers) = known.filter(|_| facts.kernel.is_kernel) else { continue };
        let (mut plan, mut reason) = (None, None);
        for bound in target.bounds() {
            target.bind(bound, &mut facts);
            match room(&facts, &handles, target, settings) {
                Ok(mut room) => {
                    let found = plan_victims::plan(&facts, registers, settings.victims, &mut room);
                    let is_empty = found.victims.is_empty();
                    plan = Some(found);
                    if !is_empty {
                        break;
                    }
                }
                Err(reject) => reason = Some(reject),
            }
        }
        let about = target.emitted();
        let Some(plan) = plan else {
            if let Some(reject) = reason {
                report::no_room(&facts, about, registers, &reject, host);
            }
            continue;
        };
        report::victims(&facts, about, &plan, host);
        if plan.after > plan.budget && settings.ptxas_smem {
            match ptxas_can_spill_to_shared(handles.function) {
                Ok(()) => asking.push(about),
                Err(reject) => report::no_room(&facts, about, registers, &reject, host),
            }
        }
        if plan.victims.is_empty() && target.original.is_some() && !target.changed {
            target.threads = None;
        }
        target.changed |= !plan.victims.is_empty();
        plans.push((facts, handles, plan));
    }
    let mut editor = Editor::new(module);
    for (facts, handles, plan) in &plans {
        apply_victims::apply(facts, handles, plan, facts.geometry.thread_bound(), &mut editor);
        if !plan.victims.is_empty() {
            editor.uses_shared_memory(handles.function);
            debug_assert!(editor.verifies(handles.function));
        }
    }
    for kernel in asking {
        let entry = kernel.blocks().next().expect("a defined function has a block");
        editor.after_phis(entry).statement(SMEM_PRAGMA);
        for target in targets.iter_mut().filter(|target| target.function == kernel) {
            target.changed = true;
        }
    }
}

/// Whether `ptxas` takes [`SMEM_PRAGMA`] for a kernel.
fn ptxas_can_spill_to_shared(kernel: Function<'_>) -> Result<(), Reject> {
    let features = kernel.string_attribute("target-features").unwrap_or_default();
    let version = features.split(',').filter_map(|word| word.strip_prefix("+ptx")?.parse::<u32>().ok()).max();
    if version.is_none_or(|version| version < 90) {
        return Err(Reject::OldPtx);
    }
    if shared::shared_use(kernel).dynamic { Err(Reject::DynamicShared) } else { Ok(()) }
}
