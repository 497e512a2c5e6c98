//! What is planned and edited for each function: the function itself, or a copy that becomes a second body.
//!
//! Most public kernels say nothing about their block's size, and no slot may be given to a thread that does not exist in
//! the plan. So a kernel without a bound is copied, the copy is planned as if no block had more than so many threads, and
//! [`settle`] puts it behind `ntid.x·ntid.y·ntid.z <= N` at the kernel's entry: a uniform test, taken once. Copies that
//! were of no use go again.

use super::{Options, VERSION_THREADS};
use crate::analyses::{Studies, Study};
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Module};
use crate::stack::plan as plan_stack;

/// Most blocks of a kernel that is copied: twice the code of a huge kernel is worth no slots.
const MAX_COPIED_BLOCKS: u32 = 2000;

/// One function to plan for.
pub struct Target<'m> {
    /// What is planned and edited.
    pub function: Function<'m>,
    /// The kernel whose second body it becomes.
    pub original: Option<Function<'m>>,
    pub changed: bool,
}

impl<'m> Target<'m> {
    /// The function that stays, to which remarks belong.
    pub fn emitted(&self) -> Function<'m> {
        self.original.unwrap_or(self.function)
    }
    /// Plans a second body under its bound: facts without one hold under it too.
    pub fn bind(&self, study: &mut Study<'_>) {
        if self.original.is_some() {
            study.bind(VERSION_THREADS);
        }
    }
}

/// Every function, kernels without a launch bound as a copy if they have anything to move.
pub fn targets<'m>(
    module: Module<'m>,
    options: &Options,
    functions: Vec<Function<'m>>,
    studies: &mut Studies<'m>,
) -> Vec<Target<'m>> {
    let mut editor = Editor::new(module);
    let mut targets = Vec::new();
    for function in functions {
        let copy = if wants_copy(function, options, studies) { editor.copy_function(function) } else { None };
        let target = Target { function, original: None, changed: false };
        targets.push(match copy {
            Some(copy) => {
                studies.copied(function, copy);
                Target { function: copy, original: Some(function), ..target }
            }
            None => target,
        });
    }
    targets
}

/// Whether a function has stack objects at all.
pub fn has_stack_objects<'m>(function: Function<'m>, studies: &Studies<'m>) -> bool {
    match studies.known(function) {
        Some(study) => plan_stack::shows_stack_objects(&study.outline().func),
        None => plan_stack::has_stack_objects(function),
    }
}

fn wants_copy<'m>(function: Function<'m>, options: &Options, studies: &Studies<'m>) -> bool {
    let has = |name: &str| function.string_attribute(name).is_some();
    let unbounded = options.analysis.block.is_none() && !has("nvvm.maxntid") && !has("nvvm.reqntid");
    let objects = || options.victims.stack && has_stack_objects(function, studies);
    let pressure = options.victims.any_register() && (options.regs.is_some() || has("nvvm.maxnreg"));
    function.is_ptx_kernel() && unbounded && (pressure || objects()) && function.block_count() <= MAX_COPIED_BLOCKS
}

/// Gives kernels their second bodies; forgets the copies that are none.
pub fn settle(module: Module<'_>, targets: Vec<Target<'_>>) {
    let mut editor = Editor::new(module);
    for target in targets {
        let Some(original) = target.original else { continue };
        if target.changed {
            editor.add_version(original, target.function, VERSION_THREADS);
            editor.has_effects(original);
            debug_assert!(editor.verifies(original));
        } else {
            editor.drop_copy(target.function);
        }
    }
}
