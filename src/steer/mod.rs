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
//! Slots belong to a launch, not to an activation, so device functions get none.
//!
//! Source: Sampaio 2013, chapter 4 (uniform spills in shared memory, affine rematerialisation). Our additions: doing
//! this before register allocation, stack objects, interleaved slots, the budget of shared memory and occupancy,
//! versions.

mod versions;

pub use crate::analyses::Options;
use crate::analyses::{Analyses, Edit, Kept, SteeredFunction};
use crate::local_memory::stack;
use crate::settings::Transform;
use crate::{driver, remat, slots};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::Host;

/// One phase over every function.
struct Phase {
    /// What is done to a function, if anything.
    plan: for<'m> fn(&SteeredFunction<'_, 'm>, &mut Analyses<'m>) -> Option<Edit<'m>>,
    /// From this phase on, kernels without a launch bound are planned as versions.
    in_versions: bool,
}

/// The phases in their order.
const PHASES: [Phase; 4] = [
    Phase { plan: stack::plan_constants, in_versions: false },
    Phase { plan: remat::plan, in_versions: false },
    Phase { plan: stack::plan_objects, in_versions: true },
    Phase { plan: slots::plan, in_versions: true },
];

/// Runs the pass over a module.
pub fn run(module: Module<'_>, options: &Options, host: &Host<'_>) -> bool {
    let mut analyses = Analyses::new(module, options.analysis);
    let steered = |emitted| SteeredFunction { emitted, version: None, copy: None, options, host };
    let mut functions: Vec<_> = driver::editable(module, Transform::Steer.word(), host).map(steered).collect();
    let mut changed = false;
    for Phase { plan, in_versions } in &PHASES {
        if *in_versions {
            versions::plan_as_versions(&mut functions, &mut analyses);
        }
        let plan = |steered: &&mut _, analyses: &mut _| plan(steered, analyses);
        changed |= !driver::run_phase(&mut functions, &mut analyses, plan, carry_out).is_empty();
    }
    drop(analyses);
    versions::finish(module, &functions, host);
    changed
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
