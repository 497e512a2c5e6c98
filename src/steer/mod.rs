//! `steer-spills`: where do stack objects and values under register pressure cost least?
//!
//! PTX has virtual registers; the real spilling happens later, in `ptxas`, and goes to local memory. So the work is
//! done on IR: what would end up in local memory is removed before `ptxas` sees it. In [`PHASES`]:
//!
//! 1. **Constants** ([`stack`]): stack objects that are filled with constants and then only read become constants of
//!    the program; others that need no memory of their own disappear, too.
//! 2. **Rematerialisation** ([`remat`]): values are recomputed at their uses.
//! 3. **Stack objects** ([`stack`]): objects that survived optimisation move to shared memory.
//! 4. **Slots** ([`slots`]): values are kept in shared memory between definition and use.
//!
//! In the last two phases, a kernel without a launch bound gets plans for a [version](versions) for some launches: a
//! second body for small blocks, or a kernel of its own that the host may choose.
//! In each phase all functions are planned before any is edited, so every plan sees the module as it was at the start
//! of the phase. What is known about a function holds until it is edited ([`Analyses`]). Slots belong to a launch, not
//! to an activation, so device functions get none; functions marked `optnone` are left alone.
//!
//! Source: Sampaio 2013, chapter 4 (uniform spills in shared memory, affine rematerialisation). Our additions: doing
//! this before register allocation, stack objects, interleaved slots, the budget of shared memory and occupancy,
//! versions.

mod versions;

pub use crate::analyses::Options;
use crate::analyses::{Analyses, Edit, FunctionAnalyses, Kept, SteeredFunction};
use crate::recursion::is_left_alone;
use crate::settings::{Transform, is_enabled};
use crate::{remat, slots, stack};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::Host;

/// One pass over every function.
struct Phase {
    /// Whether the phase applies to a function at all; checked before anything is computed about it.
    wants: for<'a, 'm> fn(&'a SteeredFunction<'m>, &'a Analyses<'m>, &'a Options) -> bool,
    plan: for<'a, 'm> fn(
        &'a SteeredFunction<'m>,
        &'a mut FunctionAnalyses<'m>,
        &'a Options,
        &'a Host<'_>,
    ) -> Option<Edit<'m>>,
    /// From this phase on, kernels without a launch bound are planned as versions.
    in_versions: bool,
}

/// The phases in their order.
const PHASES: [Phase; 4] = [
    Phase { wants: stack::may_need_no_memory, plan: stack::plan_constants, in_versions: false },
    Phase { wants: remat::wants, plan: remat::plan, in_versions: false },
    Phase { wants: stack::wants_objects, plan: stack::plan_objects, in_versions: true },
    Phase { wants: slots::wants, plan: slots::plan, in_versions: true },
];

/// Runs the pass over a module.
pub fn run(module: Module<'_>, options: &Options, host: &Host<'_>) -> bool {
    let mut analyses = Analyses::new(module, options.analysis);
    let mut functions: Vec<SteeredFunction<'_>> = editable(module, host).map(SteeredFunction::of).collect();
    let mut changed = false;
    for phase in &PHASES {
        if phase.in_versions {
            versions::plan_as_versions(&mut functions, options, &mut analyses);
        }
        changed |= run_phase(phase, module, &mut functions, &mut analyses, options, host);
    }
    drop(analyses);
    versions::finish(module, &functions, host);
    changed
}

/// Functions that may be edited.
fn editable<'m>(module: Module<'m>, host: &Host<'_>) -> impl Iterator<Item = Function<'m>> {
    let may = |&function: &Function<'m>| is_enabled(function, Transform::Steer) && !is_left_alone(function, host);
    module.functions().filter(|function| !function.is_declaration()).filter(may)
}

/// Plans every function, then edits those that have a plan; returns whether there are any.
fn run_phase<'m>(
    phase: &Phase,
    module: Module<'m>,
    functions: &mut [SteeredFunction<'m>],
    analyses: &mut Analyses<'m>,
    options: &Options,
    host: &Host<'_>,
) -> bool {
    let mut edits = Vec::new();
    for steered in functions {
        if (phase.wants)(steered, analyses, options)
            && let Some(edit) = (phase.plan)(steered, analyses.of(steered.body()), options, host)
        {
            edits.push((steered, edit));
        }
    }
    let mut editor = Editor::new(module);
    let mut edited = Vec::new();
    for (steered, Edit { edits_body, takes, apply, kept }) in edits {
        let body = if edits_body { steered.body_to_edit(analyses, &mut editor) } else { Some(steered.body()) };
        let Some(body) = body else { continue };
        steered.take(takes.0, takes.1);
        apply(analyses.of(body), &mut editor);
        debug_assert!(editor.verifies(body));
        edited.push((body, kept));
    }
    let changed = !edited.is_empty();
    // facts about one function depend on others as they were
    for (body, kept) in edited {
        match kept {
            Kept::Nothing => analyses.edited(body),
            Kept::AtMost(registers) => analyses.edited_within(body, registers),
        }
    }
    changed
}
