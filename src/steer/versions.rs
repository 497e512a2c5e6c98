//! Which kernels get a second body?
//!
//! Most public kernels state no limit on their block size, and a thread for which the plan has no slot must never use
//! one. A kernel without such a bound is therefore planned as if no block had more than [`VERSION_THREADS`] threads. It
//! is copied only if a plan edits anything; [`add_bodies`] then places the copy behind the test `32 <=
//! ntid.x·ntid.y·ntid.z <= N` at the kernel's entry, which is uniform and executed once.

use crate::analyses::{Analyses, Options, SteeredFunction};
use crate::llvm::edit::Editor;
use crate::llvm::handle::Module;
use crate::mutants::{self, Mutant};
use crate::stack;

/// Threads for which the version of an unbounded kernel has slots. Smaller blocks of at least a warp use this version
/// too. Larger blocks only pay for the test, so a lower number would do more harm than good.
const VERSION_THREADS: u32 = 256;
/// Largest kernel that is copied, in basic blocks. Slots are not worth doubling the code of a very large kernel.
const MAX_COPIED_BLOCKS: u32 = 2000;

/// Marks kernels without a launch bound to be planned as second bodies, if there is anything to move.
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

/// Adds the second bodies that were made to their kernels.
pub fn add_bodies(module: Module<'_>, functions: &[SteeredFunction<'_>]) {
    let mut editor = Editor::new(module);
    for steered in functions {
        if let (Some(copy), Some(threads)) = (steered.copy, steered.version) {
            let threads = if mutants::on(Mutant::AnyBlock) { u32::MAX } else { threads };
            editor.add_version(steered.emitted, copy, threads);
            editor.has_effects(steered.emitted);
            debug_assert!(editor.verifies(steered.emitted));
        }
    }
}
