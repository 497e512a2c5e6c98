//! For which function body is a plan made, and what does the plan do to it?

use super::{Analyses, FunctionAnalyses, Options};
use crate::entity::{Block, Inst};
use crate::gpu::Chip;
use crate::gpu::chip::MAX_REGISTERS;
use crate::gpu::occupancy::register_budget;
use crate::llvm::edit::Editor;
use crate::llvm::handle::Function;
use crate::shared_memory::budget::SharedBudget;
use crate::shared_memory::room::{NoShared, taken};

/// Number of registers that a thread is assumed to use at least. With fewer, no more blocks would fit, because the
/// number of resident blocks is limited anyway.
const LEAST_REGISTERS: u32 = 32;

/// A function for which plans are made.
pub struct SteeredFunction<'m> {
    /// The function in the module, to which remarks belong.
    pub emitted: Function<'m>,
    /// If set, plans are for a second body of the kernel, for blocks of at most this many threads.
    pub version: Option<u32>,
    /// That body, once some plan edits it. It is a function of its own until everything is done.
    pub copy: Option<Function<'m>>,
}

impl<'m> SteeredFunction<'m> {
    /// The function itself.
    pub fn of(emitted: Function<'m>) -> Self {
        SteeredFunction { emitted, version: None, copy: None }
    }
    /// The body that is planned for and edited.
    pub fn body(&self) -> Function<'m> {
        self.copy.unwrap_or(self.emitted)
    }
    /// Whether the number of registers of the function is bounded by the user or the kernel. A bound on the block
    /// belongs to a version, not to the function.
    pub fn states_registers(&self, options: &Options) -> bool {
        let has = |name: &&str| self.emitted.string_attribute(name).is_some();
        let of_block = || options.analysis.block.is_some() || ["nvvm.maxntid", "nvvm.reqntid"].iter().any(has);
        options.regs.is_some() || has(&"nvvm.maxnreg") || (self.version.is_none() && of_block())
    }
    /// Restricts the facts to the bound of the second body: facts without a bound also hold under it.
    pub fn bind(&self, analyses: &mut FunctionAnalyses<'m>) {
        if let Some(threads) = self.version {
            analyses.bind(threads);
        }
    }
    /// The shared memory that the kernel may still take, or why it may take none.
    pub fn room(&self, analyses: &mut FunctionAnalyses<'m>, options: &Options) -> Result<SharedBudget, NoShared> {
        let outline = analyses.outline();
        let geometry = outline.geometry;
        let taken = taken(outline, &analyses.handles, self.emitted, options.dynamic_shared)?;
        let most = register_budget(options.regs, &geometry).unwrap_or(MAX_REGISTERS).max(LEAST_REGISTERS);
        Ok(SharedBudget {
            chip: Chip::of(&analyses.handles.function.string_attribute("target-cpu").unwrap_or_default()),
            threads: geometry.thread_bound(),
            registers: analyses.pressure().1.across_boundaries().clamp(LEAST_REGISTERS, most),
            wanted_blocks: geometry.min_blocks,
            own: taken,
            used: taken,
            any_block: self.version.is_some(),
        })
    }
    /// The function to edit, for which the analyses hold. For a second body that is the copy, which is created if
    /// necessary; `None` if it cannot be created, since what was planned under a bound must not be applied to the
    /// kernel itself.
    pub fn body_to_edit(&mut self, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>) -> Option<Function<'m>> {
        if self.version.is_some() && self.copy.is_none() {
            let copy = editor.copy_function(self.emitted)?;
            analyses.copied(self.emitted, copy);
            self.copy = Some(copy);
        }
        Some(self.body())
    }
}

/// Applies a plan to the function for which it was made, or to its exact copy.
type Apply<'m> = Box<dyn FnOnce(&FunctionAnalyses<'m>, &mut Editor<'m>) + 'm>;

/// The effect of a plan.
pub struct Edit<'m> {
    /// Whether it edits the body that was planned for, and not only the rest of the module.
    pub edits_body: bool,
    pub apply: Apply<'m>,
    pub kept: Kept,
}

/// What still holds about a function after an edit.
pub enum Kept {
    Nothing,
    /// No loop needs more registers than this.
    AtMost(u32),
    /// Everything; the instructions of some blocks are in another order.
    Reordered(Vec<(Block, Vec<Inst>)>),
}
