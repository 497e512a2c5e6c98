//! Where do stack objects and register-pressure victims of a kernel cost least?
//!
//! NVPTX has virtual registers: spilling happens in `ptxas`, after us, into local memory. So the work is done on IR: what
//! would end in local memory is moved away before `ptxas` sees it.
//!
//! 1. **Constants** (`constant`): stack objects that are filled with constants and only read become constants of the
//!    program, in kernels and in device functions.
//! 2. **Recomputation** (`recompute`, `apply_recompute`, `advance`): in loops that keep more values alive than there are
//!    registers, values are computed again at their uses, or instructions stand earlier. That needs no memory.
//! 3. **Stack objects** (`plan_stack`, `apply_stack`): allocas that survived optimisation, and copies of by-value
//!    arguments (`byval`), go to shared memory, one copy per thread or per warp, unless only rare code uses them.
//! 4. **Register pressure** (`pressure`, `plan_victims`, `apply_victims`): in the same loops, values wait in shared
//!    memory between definition and use.
//!
//! A kernel whose launches are not bounded is not edited itself: a copy of it is planned for blocks of at most
//! [`VERSION_THREADS`] threads, and becomes its second body, behind a test at entry, if anything could be moved (`target`).
//! All kernels of a phase are planned, then edited. Phases share what is known of a function until it is edited
//! (`study`). Slots belong to a launch, not to an activation, so device functions get none; functions marked `optnone`
//! are left alone.
//!
//! Source: Sampaio 2013, chapter 4 (uniform spills in shared memory, affine rematerialisation). Ours: the place before
//! the register allocator, stack objects, interleaved slots, the shared-memory and occupancy budget, versions.

pub mod options;
mod report;
pub mod versions;

use crate::analyses::{Edited, Studies, Study};
use crate::geometry::Geometry;
use crate::gpu::chip::{Chip, MAX_REGISTERS};
use crate::gpu::occupancy::register_budget;
use crate::gpu::prices::LOADS_IN_FLIGHT;
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Module, RawOpcode};
use crate::llvm::remark::{Host, Kind};
use crate::pressure::excess::Needs;
use crate::ptxas as truth;
use crate::remat::{apply as apply_recompute, plan as recompute, schedule as advance};
use crate::settings::{Transform, is_enabled};
use crate::shared_memory::budget::{NoRoom, SharedBudget};
use crate::shared_memory::usage as shared;
use crate::slots::apply as apply_victims;
use crate::slots::plan::{self as plan_victims, VictimPlan};
use crate::stack::plan::{self as plan_stack, StackPlan};
use crate::stack::reject::Reject;
use crate::stack::{apply as apply_stack, byval};
pub use options::Options;
use rustc_hash::FxHashSet;
use versions::{self as target, Target};

/// Registers a thread is assumed to use at least; fewer allow no more blocks than can be resident anyway.
const LEAST_REGISTERS: u32 = 32;
/// Threads that a version of an unbounded kernel has slots for. Smaller blocks use it too; larger ones only pay, so that fewer
/// threads would do more harm than good.
pub const VERSION_THREADS: u32 = 256;
/// Asks `ptxas` to spill to shared memory; it wants PTX 9.0.
const SMEM_PRAGMA: &str = ".pragma \"enable_smem_spilling\";";

/// The pass.
pub fn run(module: Module<'_>, options: &Options, host: &Host<'_>) -> bool {
    let mut left_alone = FxHashSet::default();
    if let Some(ptxas) = &options.ptxas {
        let nobody = FxHashSet::default();
        left_alone = truth::refused(module, options.analysis.block, ptxas, host, |copy| {
            run_except(copy, options, &Host::silent(), &nobody);
        });
    }
    run_except(module, options, host, &left_alone)
}

fn run_except(module: Module<'_>, options: &Options, host: &Host<'_>, left_alone: &FxHashSet<String>) -> bool {
    let functions = editable(module, left_alone);
    let copied = if options.victims.stack { byval::copy_to_stack(module, &functions) } else { Vec::new() };
    let mut studies = Studies::new(module, options.analysis);
    let mut changed = options.victims.stack && constant_objects(module, &functions, &mut studies, options, host);
    if options.victims.constant {
        changed |= recomputations(module, &functions, &mut studies, options, host);
    }
    let mut targets = target::targets(module, options, functions, &mut studies);
    studies.grown();
    if options.victims.stack {
        stack_objects(module, &mut targets, &mut studies, options, host);
        take_back(module, &copied, &targets, &mut studies);
    }
    if options.victims.any_register() || options.ptxas_smem {
        register_pressure(module, &mut targets, &mut studies, options, host);
    }
    changed |= targets.iter().any(|target| target.changed);
    target::settle(module, targets);
    drop(studies);
    changed
}

/// Copies of arguments that stayed where they are go again, in both bodies of a kernel.
fn take_back<'m>(
    module: Module<'m>,
    copied: &[(Function<'m>, u32)],
    targets: &[Target<'m>],
    studies: &mut Studies<'m>,
) {
    for &(func, index) in copied {
        let Some(target) = targets.iter().find(|target| target.emitted() == func) else { continue };
        for body in [Some(target.function), target.original].into_iter().flatten() {
            if byval::take_back(module, body, index) {
                studies.edited(body);
            }
        }
    }
}

/// Functions that may be edited.
fn editable<'m>(module: Module<'m>, left_alone: &FxHashSet<String>) -> Vec<Function<'m>> {
    let may = |function: &Function<'_>| {
        !function.is_declaration() && is_enabled(*function, Transform::Steer) && !left_alone.contains(&function.name())
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
fn room(study: &mut Study<'_>, target: &Target<'_>, options: &Options) -> Result<SharedBudget, Reject> {
    let outline = study.outline();
    if !outline.func.is_kernel {
        return Err(Reject::DeviceFunction);
    }
    if is_called(target.emitted()) {
        return Err(Reject::Called);
    }
    let geometry = outline.geometry;
    if geometry.exact.is_none() && geometry.max_threads.is_none() {
        return Err(Reject::NoBound { fits: 0 });
    }
    let used = shared::shared_use(&outline.func, &study.handles);
    if let Some(callee) = used.unknown {
        return Err(Reject::UnknownCallee { callee });
    }
    let dynamic = match (used.dynamic, options.dynamic_shared) {
        (false, _) => 0,
        (true, Some(bytes)) => u64::from(bytes),
        (true, None) => return Err(Reject::DynamicShared),
    };
    let most = register_budget(options.regs, &geometry).unwrap_or(MAX_REGISTERS).max(LEAST_REGISTERS);
    let cpu = study.handles.function.string_attribute("target-cpu").unwrap_or_default();
    Ok(SharedBudget {
        chip: Chip::of(&cpu),
        threads: geometry.thread_bound(),
        registers: study.pressure().1.across_boundaries().clamp(LEAST_REGISTERS, most),
        wanted_blocks: geometry.min_blocks,
        own: used.bytes + dynamic,
        used: used.bytes + dynamic,
        any_block: target.original.is_some(),
    })
}

/// Carries out the plans of a phase, each on its function as it was when it was planned.
fn carry_out<'m, P>(
    module: Module<'m>,
    studies: &mut Studies<'m>,
    plans: &[(Function<'m>, P)],
    apply: impl Fn(&Study<'m>, &P, &mut Editor<'m>),
) {
    let mut editor = Editor::new(module);
    for (function, plan) in plans {
        apply(studies.of(*function), plan, &mut editor);
        debug_assert!(editor.verifies(*function));
    }
}

/// Phase 1.
fn constant_objects<'m>(
    module: Module<'m>,
    functions: &[Function<'m>],
    studies: &mut Studies<'m>,
    options: &Options,
    host: &Host<'_>,
) -> bool {
    let mut plans: Vec<(Function<'m>, StackPlan)> = Vec::new();
    for &function in functions {
        // the picture is wanted anyway
        let has_stores = if is_eased(function, options) {
            plan_stack::shows_constant_stores(&studies.of(function).outline().func)
        } else {
            plan_stack::has_constant_stores(function)
        };
        if !has_stores {
            continue;
        }
        let study = studies.of(function);
        let plan = plan_stack::plan_constants(study);
        report::stack(study.outline(), &study.handles, &plan, host);
        if !plan.moves.is_empty() {
            plans.push((function, plan));
        }
    }
    carry_out(module, studies, &plans, |study, plan, editor| {
        apply_stack::apply(study.outline(), &study.handles, plan, editor);
        editor.reads_globals(study.handles.function);
    });
    plans.iter().for_each(|(function, _)| studies.edited(*function));
    !plans.is_empty()
}

/// Whether a function says by itself how many registers it may use.
fn states_registers(function: Function<'_>, options: &Options) -> bool {
    let names = ["nvvm.maxnreg", "nvvm.maxntid", "nvvm.reqntid"];
    options.regs.is_some()
        || options.analysis.block.is_some()
        || names.iter().any(|name| function.string_attribute(name).is_some())
}

/// Whether phase 2 looks at a function.
fn is_eased(function: Function<'_>, options: &Options) -> bool {
    options.victims.constant && function.is_ptx_kernel() && states_registers(function, options)
}

/// Phase 2.
fn recomputations<'m>(
    module: Module<'m>,
    functions: &[Function<'m>],
    studies: &mut Studies<'m>,
    options: &Options,
    host: &Host<'_>,
) -> bool {
    let mut plans = Vec::new();
    for &function in functions.iter().filter(|function| is_eased(**function, options)) {
        let study = studies.of(function);
        let Some(registers) = register_budget(options.regs, &study.outline().geometry) else { continue };
        let (outline, pressure) = study.pressure();
        let plan = recompute::plan(outline, pressure, registers);
        // copies stand before uses: one or the other in a kernel
        let advance = if plan.values.is_empty() {
            advance::plan(outline, pressure, registers)
        } else {
            advance::AdvancePlan::default()
        };
        report::recomputed(function, &plan, host);
        report::advanced(function, &advance, host);
        if !plan.values.is_empty() || !advance.moves.is_empty() {
            plans.push((function, (plan, advance)));
        }
    }
    carry_out(module, studies, &plans, |study, (plan, advance), editor| {
        apply_recompute::apply(study.outline(), &study.handles, plan, editor);
        advance::apply(&study.handles, advance, editor);
    });
    // what only stands elsewhere is known as before: the picture of its registers has the new order
    let recomputed = plans.iter().filter(|(_, (plan, _))| !plan.values.is_empty());
    recomputed.for_each(|(function, ..)| studies.edited(*function));
    !plans.is_empty()
}

/// Phase 3.
fn stack_objects<'m>(
    module: Module<'m>,
    targets: &mut [Target<'m>],
    studies: &mut Studies<'m>,
    options: &Options,
    host: &Host<'_>,
) {
    let mut plans: Vec<(Function<'m>, (StackPlan, u32))> = Vec::new();
    for target in targets.iter_mut() {
        if !target::has_stack_objects(target.function, studies) {
            continue;
        }
        let study = studies.of(target.function);
        target.bind(study);
        let mut room = room(study, target, options);
        let mut plan = plan_stack::plan(study, &mut room, options.victims.rare);
        if target.original.is_some() && plan.moves.is_empty() {
            let objects = study.objects();
            for (alloca, reason) in &mut plan.refusals {
                if let Reject::NoRoom(NoRoom::Limit { .. } | NoRoom::Occupancy { .. }) = reason {
                    let object = objects.iter().find(|object| object.0 == *alloca);
                    let size = object.and_then(|(_, object)| object.as_ref().ok()).map_or(1, |object| object.size);
                    *reason = plan_stack::no_bound(size);
                }
            }
        }
        target.changed |= !plan.moves.is_empty();
        let mut at_most = 0;
        if !plan.moves.is_empty() {
            let (outline, pressure) = study.pressure();
            at_most = pressure.at_most() + plan_stack::most_added(outline, pressure, &plan) + LOADS_IN_FLIGHT;
        }
        if host.wants(Kind::Passed) || host.wants(Kind::Missed) {
            // the copy has the original's instructions in the order in which they stand now
            let emitted = target.emitted();
            target.original.into_iter().for_each(|original| studies.edited(original));
            studies.of(emitted);
            if let (Some(planned), Some(emitted)) = (studies.known(target.function), studies.known(emitted)) {
                report::stack(planned.outline(), &emitted.handles, &plan, host);
            }
        }
        if !plan.moves.is_empty() {
            plans.push((target.function, (plan, at_most)));
        }
    }
    carry_out(module, studies, &plans, |study, (plan, _), editor| {
        apply_stack::apply(study.outline(), &study.handles, plan, editor);
        editor.has_effects(study.handles.function);
    });
    plans.iter().for_each(|(function, (_, at_most))| studies.edited_within(*function, *at_most));
}

/// Phase 4.
fn register_pressure<'m>(
    module: Module<'m>,
    targets: &mut [Target<'m>],
    studies: &mut Studies<'m>,
    options: &Options,
    host: &Host<'_>,
) {
    let bounded = |target: &&mut Target<'_>| {
        if !target.function.is_ptx_kernel() {
            return false;
        }
        match target.original {
            // a bound on the block is one of the version, not of the function
            Some(_) => options.regs.is_some() || target.function.string_attribute("nvvm.maxnreg").is_some(),
            None => states_registers(target.function, options),
        }
    };
    let mut plans: Vec<(Function<'m>, VictimPlan)> = Vec::new();
    let mut asking = Vec::new();
    for target in targets.iter_mut().filter(bounded) {
        let registers = |geometry: &Geometry| match target.original {
            Some(_) => options.regs.or(geometry.max_registers),
            None => register_budget(options.regs, geometry),
        };
        let fits = |edited: &Edited| registers(&edited.geometry).is_some_and(|registers| edited.at_most <= registers);
        if studies.since_edited(target.function).is_some_and(fits) {
            continue;
        }
        let study = studies.of(target.function);
        let known = registers(&study.outline().geometry);
        let Some(registers) = known.filter(|_| study.outline().func.is_kernel) else { continue };
        let (outline, pressure) = study.pressure();
        let needs = Needs::of(outline, pressure, registers);
        if needs.are_met() {
            continue;
        }
        target.bind(study);
        let about = target.emitted();
        let mut room = match room(study, target, options) {
            Ok(room) => room,
            Err(reject) => {
                let (outline, pressure) = study.pressure();
                report::no_room(outline, pressure, about, registers, &reject, host);
                continue;
            }
        };
        let (facts, pressure) = study.facts_and_pressure();
        let plan = plan_victims::plan(facts, pressure, &needs, options.victims, &mut room);
        let outline = study.outline();
        report::victims(outline, about, &plan, host);
        if plan.after > plan.budget && options.ptxas_smem {
            match ptxas_can_spill_to_shared(study) {
                Ok(()) => asking.push(about),
                Err(reject) => {
                    let (outline, pressure) = study.pressure();
                    report::no_room(outline, pressure, about, registers, &reject, host);
                }
            }
        }
        target.changed |= !plan.victims.is_empty();
        if !plan.victims.is_empty() {
            plans.push((target.function, plan));
        }
    }
    carry_out(module, studies, &plans, |study, plan, editor| {
        apply_victims::apply(study.outline(), &study.handles, plan, editor);
        editor.has_effects(study.handles.function);
    });
    plans.iter().for_each(|(function, _)| studies.edited(*function));
    let mut editor = Editor::new(module);
    for func in asking {
        let entry = func.blocks().next().expect("a defined function has a block");
        editor.after_phis(entry).statement(SMEM_PRAGMA);
        for target in targets.iter_mut().filter(|target| target.function == func) {
            target.changed = true;
        }
    }
}

/// Whether `ptxas` takes [`SMEM_PRAGMA`] for a kernel.
fn ptxas_can_spill_to_shared(study: &Study<'_>) -> Result<(), Reject> {
    let features = study.handles.function.string_attribute("target-features").unwrap_or_default();
    let version = features.split(',').filter_map(|word| word.strip_prefix("+ptx")?.parse::<u32>().ok()).max();
    if version.is_none_or(|version| version < 90) {
        return Err(Reject::OldPtx);
    }
    if shared::shared_use(&study.outline().func, &study.handles).dynamic { Err(Reject::DynamicShared) } else { Ok(()) }
}
