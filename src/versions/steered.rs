//! For which function body is a plan made, and what does the plan do to it?

use super::Version;
use crate::analyses::{Analyses, FunctionAnalyses, Kept};
use crate::settings::Settings;
use crate::shared_memory::budget::SharedBudget;
use crate::shared_memory::layout::Ground;
use crate::shared_memory::room::{NoShared, NoVersion, taken, taken_by_version};
use crate::shared_memory::usage::may_wait_for_blocks;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::Chip;
use warpwise_analysis::gpu::chip::{MAX_REGISTERS, STATIC_SHARED};
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::gpu::prices::{MIN_REGISTERS, USUAL_THREADS, VERSION_THREADS};
use warpwise_ir::entity::Value;
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::Function;
use warpwise_ir::llvm::remark::PassManager;

/// A function for which plans are made.
pub struct SteeredFunction<'a, 'm> {
    /// The function in the module, to which remarks belong.
    pub emitted: Function<'m>,
    pub settings: &'a Settings,
    pub manager: &'a PassManager<'a>,
    /// If set, plans are for a version of the kernel, which is copied once some plan edits it; or why there is none.
    pub version: Option<Result<Version<'m>, NoVersion>>,
}

impl<'m> SteeredFunction<'_, 'm> {
    /// The body that is planned for and edited.
    pub fn body(&self) -> Function<'m> {
        self.made().and_then(|version| version.body).unwrap_or(self.emitted)
    }
    /// Whether the number of registers of the function is bounded by the user or the kernel. A bound on the block
    /// belongs to a version, not to the function.
    pub fn states_registers(&self) -> bool {
        let has = |name: &&str| self.emitted.string_attribute(name).is_some();
        let of_block = || self.settings.block.is_some() || ["nvvm.maxntid", "nvvm.reqntid"].iter().any(has);
        self.settings.regs.is_some() || has(&"nvvm.maxnreg") || (!self.is_second_body() && of_block())
    }
    /// The version that plans are for.
    fn made(&self) -> Option<&Version<'m>> {
        self.version.as_ref()?.as_ref().ok()
    }
    /// Whether plans are for a second body.
    pub fn is_second_body(&self) -> bool {
        self.made().is_some_and(|version| version.name.is_none())
    }
    /// The symbol of the version that plans are for, if the host chooses it.
    pub fn launch_version(&self) -> Option<&str> {
        self.made()?.name.as_deref()
    }
    /// Records what a plan takes of the memory of each warp, and how many blocks must stay for it to pay.
    pub fn take(&mut self, warp_bytes: u64, keep: u64) {
        if let Some(Ok(Version { entry, name: Some(_), .. })) = &mut self.version {
            entry.warp_bytes += warp_bytes;
            entry.keep = entry.keep.max(keep);
        }
    }
    /// What slots stand on.
    pub fn ground(&self, outline: &Outline) -> Ground {
        match self.made().filter(|version| version.name.is_some()) {
            Some(version) => Ground::Dynamic { taken: version.entry.warp_bytes },
            None => Ground::Static { threads: outline.geometry.thread_bound() },
        }
    }
    /// Restricts the facts to the bound of the second body: facts without a bound also hold under it.
    pub fn bind(&self, analyses: &mut FunctionAnalyses<'m>) {
        if self.is_second_body() {
            analyses.bind(VERSION_THREADS);
        }
    }
    /// The shared memory that the kernel may still take, or why it may take none.
    pub fn room(&self, analyses: &mut FunctionAnalyses<'m>) -> Result<SharedBudget, NoShared> {
        let (outline, settings) = (analyses.outline(), self.settings);
        let geometry = outline.geometry;
        let chip = Chip::of(&analyses.handles.function.string_attribute("target-cpu").unwrap_or_default());
        let is_bounded = geometry.is_bounded();
        let threads = match self.launch_version() {
            Some(_) if !is_bounded => USUAL_THREADS,
            _ => geometry.thread_bound(),
        };
        let (taken, limit) = match &self.version {
            Some(Err(reason)) => return Err(NoShared::NoVersion(reason.clone())),
            Some(Ok(Version { entry, name: Some(_), .. })) => {
                let own = taken_by_version(outline, &analyses.handles, settings.dynamic_shared)?;
                let warps = u64::from(threads.div_ceil(WARP_SIZE));
                (own + entry.warp_bytes * warps, chip.shared_bytes - chip.reserved_bytes)
            }
            _ => (taken(outline, &analyses.handles, self.emitted, settings.dynamic_shared)?, STATIC_SHARED),
        };
        let most = register_budget(settings.regs, &geometry).unwrap_or(MAX_REGISTERS).max(MIN_REGISTERS);
        Ok(SharedBudget {
            chip,
            threads,
            registers: analyses.pressure().1.across_boundaries().clamp(MIN_REGISTERS, most),
            wanted_blocks: geometry.min_blocks,
            own: taken,
            used: taken,
            any_block: self.is_second_body(),
            limit,
            keeps_all: self.launch_version().is_some() && may_wait_for_blocks(self.emitted),
        })
    }
    /// The function to edit, for which the analyses hold. For a version that is the copy, which is created if
    /// necessary; `None` if it cannot be created, since what was planned under a bound must not be applied to the
    /// kernel itself.
    pub fn body_to_edit(&mut self, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>) -> Option<Function<'m>> {
        if let Some(version) = &mut self.version {
            let version = version.as_mut().ok()?;
            if version.body.is_none() {
                let copy = version.copy(editor)?;
                analyses.copied(self.emitted, copy);
            }
        }
        Some(self.body())
    }
    /// Whether the plan for a value is carried out.
    pub fn admits(&self, analyses: &FunctionAnalyses<'m>, value: Value, what: &str, becomes: &str) -> bool {
        let text = || format!("{what} {} {becomes}", analyses.names().value(&analyses.handles, value));
        self.manager.admits(self.emitted, None, text)
    }
}

/// Applies a plan to the function for which it was made, or to its exact copy.
type Apply<'m> = Box<dyn FnOnce(&FunctionAnalyses<'m>, &mut Editor<'m>) + 'm>;

/// The effect of a plan.
pub struct Edit<'m> {
    /// Bytes of shared memory that it takes for each warp of a version that is chosen at the launch, and of how many
    /// resident blocks one must stay.
    pub takes: (u64, u64),
    pub apply: Apply<'m>,
    pub kept: Kept,
}
