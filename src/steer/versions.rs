//! Which kernels get a second body?
//!
//! Most public kernels say nothing about their block's size, and no slot may be given to a thread that does not exist in
//! the plan. So a kernel without a bound is planned as if no block had more than so many threads. Only if a plan edits
//! anything it is copied, and [`add_bodies`] puts the copy behind `ntid.x·ntid.y·ntid.z <= N` at the kernel's entry: a uniform
//! test, taken once.

use crate::analyses::{Analyses, Options, SteeredFunction};
use crate::llvm::edit::Editor;
use crate::llvm::handle::Module;
use crate::stack;

/// Threads that a version of an unbounded kernel has slots for. Smaller blocks use it too; larger ones only pay, so that fewer
/// threads would do more harm than good.
const VERSION_THREADS: u32 = 256;
/// Most blocks of a kernel that is copied: twice the code of a huge kernel is worth no slots.
const MAX_COPIED_BLOCKS: u32 = 2000;

/// Has kernels without a launch bound planned as second bodies, if they have anything to move.
pub fn plan_as_versions<'m>(functions: &mut [SteeredFunction<'m>], options: &Options, analyses: &mut Analyses<'m>) {
    for steered in functions.iter_mut().filter(|steered| wants_version(steered, options)) {
        steered.version = Some(VERSION_THREADS);
        analyses.bring_in_order(steered.emitted);
    }
}

fn wants_version(steered: &SteeredFunction<'_>, options: &Options) -> bool {
    let function = steered.emitted;
    let has = |name: &str| function.string_attribute(name).is_some();
    let is_unbounded = options.analysis.block.is_none() && !has("nvvm.maxntid") && !has("nvvm.reqntid");
    let pressure = options.candidates.any_register() && (options.regs.is_some() || has("nvvm.maxnreg"));
    function.is_ptx_kernel()
        && is_unbounded
        && (pressure || (options.candidates.stack && stack::has_objects(function)))
        && function.block_count() <= MAX_COPIED_BLOCKS
        && function.can_be_copied()
}

/// Gives kernels the second bodies that were made for them.
pub fn add_bodies(module: Module<'_>, functions: &[SteeredFunction<'_>]) {
    let mut editor = Editor::new(module);
    for steered in functions {
        if let (Some(copy), Some(threads)) = (steered.copy, steered.version) {
            editor.add_version(steered.emitted, copy, threads);
            editor.has_effects(steered.emitted);
            debug_assert!(editor.verifies(steered.emitted));
        }
    }
}
