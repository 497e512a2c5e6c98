//! `steer-spills`: where do stack objects and values under register pressure cost least?
//!
//! PTX has virtual registers; the real spilling happens later, in `ptxas`, and goes to local memory. So the work is
//! done on IR: what would end up in local memory is removed before `ptxas` sees it. In [`PHASES`]:
//!
//! 1. **Constants** ([`stack`]): stack objects that are filled with constants and then only read become constants of
//!    the program; others that need no memory of their own disappear, too.
//! 2. **Rematerialisation** ([`remat`]): conditions are recomputed behind loops, and values at their uses.
//! 3. **Loads** ([`ahead`]) start in front of divisions, behind which `ptxas` would leave them.
//! 4. **Loads** ([`stay`]) stay in front of branches, behind which LLVM's back end would move them.
//! 5. **Stack objects** ([`stack`]): objects that survived optimisation move to shared memory.
//! 6. **Slots** ([`slots`]): values are kept in shared memory between definition and use.
//! 7. **Loads** ([`flight`]) of loops get registers in which more of them are in flight at once.
//!
//! In the two phases before the last, plans for a kernel without a launch bound are for a [version](Version): a thread for which the
//! plan has no slot must never use one. By default that is a second body for blocks of a usual size. With
//! `-warpwise-versions` it is a kernel of its own that the host may choose, whose slots are behind the program's own dynamic
//! shared memory; kernels that have dynamic shared memory of unknown size get one too. The copy is only made if a plan edits
//! anything. Slots belong to a launch, not to an activation, so device functions get none.
//!
//! Source: Sampaio 2013, chapter 4 (uniform spills in shared memory, affine rematerialisation). Our additions: doing
//! this before register allocation, stack objects, interleaved slots, the budget of shared memory and occupancy,
//! versions.

mod ahead;
mod flight;
mod stay;

use crate::analyses::{Analyses, Kept};
use crate::driver::Decision;
use crate::local_memory::stack;
use crate::settings::{Settings, Transform};
use crate::shared_memory::room::NoVersion;
use crate::shared_memory::usage::shared_use;
use crate::versions::{self, Edit, SteeredFunction, Version};
use crate::{driver, remat, slots};
use warpwise_analysis::gpu::chip::SURE_REGISTERS;
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::PassManager;
use warpwise_ir::phrase::counted;

/// One phase over every function.
struct Phase {
    /// What is done to a function, if anything.
    plan: for<'m> fn(&SteeredFunction<'_, 'm>, &mut Analyses<'m>) -> Option<Edit<'m>>,
    /// From this phase on, plans for a kernel may be for a version of it.
    in_versions: bool,
}

/// The phases in their order.
const PHASES: [Phase; 8] = [
    Phase { plan: stack::plan_constants, in_versions: false },
    Phase { plan: remat::plan_conditions, in_versions: false },
    Phase { plan: remat::plan, in_versions: false },
    Phase { plan: plan_ahead, in_versions: false },
    Phase { plan: plan_stay, in_versions: false },
    Phase { plan: stack::plan_objects, in_versions: true },
    Phase { plan: slots::plan, in_versions: true },
    Phase { plan: plan_flight, in_versions: false },
];

/// Runs the pass over a module.
pub fn run(module: Module<'_>, settings: &Settings, manager: &PassManager<'_>) -> bool {
    let mut analyses = Analyses::new(module, settings.analysis());
    let steered = |emitted| SteeredFunction { emitted, version: None, settings, manager };
    let mut functions: Vec<_> = driver::editable(module, Transform::Steer.word(), manager).map(steered).collect();
    let mut changed = false;
    for Phase { plan, in_versions } in &PHASES {
        if *in_versions {
            for steered in functions.iter_mut().filter(|steered| steered.version.is_none()) {
                steered.version = version_of(steered, &mut analyses);
            }
        }
        let plan = |steered: &&mut _, analyses: &mut _| plan(steered, analyses);
        changed |= !driver::run_phase(&mut functions, &mut analyses, plan, carry_out).is_empty();
    }
    drop(analyses);
    let mut editor = Editor::new(module);
    for version in functions.into_iter().filter_map(|steered| steered.version?.ok()) {
        let bytes = version.entry.warp_bytes.div_ceil(u64::from(WARP_SIZE));
        if version.name.is_none() || bytes > 0 {
            let gains = format!("{bytes} bytes of dynamic shared memory a thread behind the program's own");
            version.finish(&gains, &mut editor, manager);
        }
    }
    changed
}

/// Plans for the loads of one function that start in front of a division.
fn plan_ahead<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    let (settings, body) = (steered.settings, steered.body());
    if !ahead::may_gain(body) {
        return None;
    }
    let analyses = analyses.of(body);
    let found = ahead::plan(analyses, settings.regs, settings.candidates.profit.is_always());
    let decisions = found.into_iter().map(|found| {
        let (start, them) = if found.loads == 1 { ("starts", "it") } else { ("start", "them") };
        let loads = counted(found.loads, "load");
        let message = format!("{loads} {start} in front of a division, behind which ptxas would leave {them}");
        Decision::plan(analyses.handles.inst(found.division), "LoadsAhead", message, found)
    });
    edit_loads(steered, decisions.collect(), ahead::apply)
}

/// Plans for the loads of one function that stay in front of a branch.
fn plan_stay<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    let (settings, body) = (steered.settings, steered.body());
    if !stay::may_gain(body) {
        return None;
    }
    let analyses = analyses.of(body);
    let found = stay::plan(analyses, settings.regs);
    let decisions = found.into_iter().map(|found| {
        let loads = found.loads;
        let message = format!("{loads} loads stay in front of a branch, behind which LLVM's back end would move them");
        Decision::plan(analyses.handles.inst(found.last), "LoadsStay", message, found)
    });
    edit_loads(steered, decisions.collect(), stay::apply)
}

/// Plans for the registers of a kernel whose loops have loads that would be in flight in them.
fn plan_flight<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Edit<'m>> {
    let function = steered.emitted;
    if steered.version.is_some() || steered.states_registers() || !flight::may_gain(function) {
        return None;
    }
    let analyses = analyses.of(function);
    let found = flight::plan(analyses)?;
    let at = analyses.handles.inst(analyses.outline().func.terminator(found.block));
    let loads = found.loads;
    let decision = if found.is_sure {
        let message = format!(
            "up to {SURE_REGISTERS} registers, which blocks of any size have, for {loads} loads and more of a loop that are in flight at once"
        );
        Decision::plan(at, "LoadsInFlight", message, found)
    } else {
        let message = format!(
            "{loads} loads and more of a loop could be in flight at once in {SURE_REGISTERS} registers, with fewer warps: __launch_bounds__(1024, 1) tells whether that is faster"
        );
        Decision::refusal(at, "LoadsWait", message)
    };
    edit_loads(steered, vec![decision], flight::apply)
}

/// The edit of what is decided about loads.
fn edit_loads<'m, T: 'm>(
    steered: &SteeredFunction<'_, 'm>,
    decisions: Vec<Decision<'m, T>>,
    apply: fn(&Handles<'m>, &[T], &mut Editor<'m>),
) -> Option<Edit<'m>> {
    let found = driver::admitted(steered.emitted, decisions, steered.manager);
    (!found.is_empty()).then(|| Edit {
        takes: (0, 0),
        apply: Box::new(move |analyses, editor| apply(&analyses.handles, &found, editor)),
        kept: Kept::Nothing,
    })
}

/// The version for which a kernel is planned, if there is anything to move and its launches are not known.
fn version_of<'m>(
    steered: &SteeredFunction<'_, 'm>,
    analyses: &mut Analyses<'m>,
) -> Option<Result<Version<'m>, NoVersion>> {
    let SteeredFunction { emitted: function, settings, .. } = *steered;
    let has = |name: &str| function.string_attribute(name).is_some();
    let is_unbounded = settings.block.is_none() && !has("nvvm.maxntid") && !has("nvvm.reqntid");
    let states_registers = settings.regs.is_some() || has("nvvm.maxnreg");
    // register pressure alone is worth no version by an estimate: on an H200 such a version lost 4 %
    let pressure = settings.candidates.any_register() && states_registers && !settings.makes_versions();
    let may_gain = pressure || (settings.candidates.stack && stack::has_objects(function));
    if !function.is_ptx_kernel() || !may_gain || versions::entry_of(function).is_some() {
        return None;
    }
    if !settings.makes_versions() {
        return is_unbounded.then(|| Version::at_entry(function)).flatten().map(Ok);
    }
    let mut is_dynamic = || {
        let known = analyses.of(function);
        shared_use(&known.outline().func, &known.handles).dynamic
    };
    (is_unbounded || (settings.dynamic_shared.is_none() && is_dynamic())).then(|| Version::with_slots(function))
}

/// Applies a plan to the body that it is for.
fn carry_out<'m>(
    steered: &mut SteeredFunction<'_, 'm>,
    edit: Edit<'m>,
    analyses: &mut Analyses<'m>,
    editor: &mut Editor<'m>,
) -> Option<(Function<'m>, Kept)> {
    let body = steered.body_to_edit(analyses, editor)?;
    steered.take(edit.takes.0, edit.takes.1);
    (edit.apply)(analyses.of(body), editor);
    Some((body, edit.kept))
}
