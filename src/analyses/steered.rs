//! What is planned for, and what comes of a plan?

use super::{Analyses, FunctionAnalyses, Options};
use crate::entity::{Block, Inst};
use crate::gpu::Chip;
use crate::gpu::chip::MAX_REGISTERS;
use crate::gpu::occupancy::register_budget;
use crate::llvm::edit::Editor;
use crate::llvm::handle::Function;
use crate::shared_memory::budget::SharedBudget;
use crate::shared_memory::room::{NoShared, taken};

/// Registers a thread is assumed to use at least; fewer allow no more blocks than can be resident anyway.
const LEAST_REGISTERS: u32 = 32;

/// A function to plan for.
pub struct SteeredFunction<'m> {
    /// The function that stays, to which remarks belong.
    pub emitted: Function<'m>,
    /// What is planned is a second body of a kernel, for blocks of at most so many threads.
    pub version: Option<u32>,
    /// That body, as soon as some plan edits it; a function of its own until all is done.
    pub copy: Option<Function<'m>>,
}

impl<'m> SteeredFunction<'m> {
    /// The function as it is.
    pub fn of(emitted: Function<'m>) -> Self {
        SteeredFunction { emitted, version: None, copy: None }
    }
    /// What is planned for and edited.
    pub fn body(&self) -> Function<'m> {
        self.copy.unwrap_or(self.emitted)
    }
    /// Whether it is said how many registers the function may use. A bound on the block is one of a version, not of the
    /// function.
    pub fn states_registers(&self, options: &Options) -> bool {
        let has = |name: &&str| self.emitted.string_attribute(name).is_some();
        let of_block = || options.analysis.block.is_some() || ["nvvm.maxntid", "nvvm.reqntid"].iter().any(has);
        options.regs.is_some() || has(&"nvvm.maxnreg") || (self.version.is_none() && of_block())
    }
    /// Has a second body planned under its bound: facts without one hold under it too.
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
    /// The function to edit, which what is known is known of: for a second body the copy, made if there is none yet.
    /// `None` where it cannot be made: what was planned under a bound must not come to the kernel itself.
    pub fn body_to_edit(&mut self, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>) -> Option<Function<'m>> {
        if self.version.is_some() && self.copy.is_none() {
            let copy = editor.copy_function(self.emitted)?;
            analyses.copied(self.emitted, copy);
            self.copy = Some(copy);
        }
        Some(self.body())
    }
}

/// Carries out a plan on the function that it was made for, or on its exact copy.
type Apply<'m> = Box<dyn FnOnce(&FunctionAnalyses<'m>, &mut Editor<'m>) + 'm>;

/// What a plan wants done.
pub struct Edit<'m> {
    /// It edits the body that was planned for, and not only what stays.
    pub edits_body: bool,
    pub apply: Apply<'m>,
    pub kept: Kept,
}

/// What is known of a function after an edit.
pub enum Kept {
    Nothing,
    /// No loop needs more registers than so many.
    AtMost(u32),
    /// Everything; instructions of some blocks stand in another order.
    Reordered(Vec<(Block, Vec<Inst>)>),
}
