//! Which kernels get a version for some of their launches?
//!
//! **Second bodies.** Most public kernels state no limit on their block size, and a thread for which the plan has no slot
//! must never use one. A kernel without such a bound is therefore planned as if no block had more than
//! [`VERSION_THREADS`] threads. It is copied only if a plan edits anything; [`finish`] then places the copy behind the
//! test `32 <= ntid.x·ntid.y·ntid.z <= N` at the kernel's entry, which is uniform and executed once.
//!
//! **Versions that are chosen at the launch** take their place with `-warpwise-versions`, and are also made if a kernel
//! has dynamic shared memory of unknown size. The copy becomes a kernel of its own, whose slots are behind the program's
//! own dynamic shared memory; the kernel stays as it is. [`finish`] writes the [table](launch_table) from which the host
//! learns when to launch it and with how much memory.

use crate::analyses::{Analyses, PlannedVersion, SteeredFunction, Version};
use crate::local_memory::stack;
use crate::mutants::{self, Mutant};
use crate::shared_memory::layout::AREA_ALIGN;
use crate::shared_memory::room::NoVersion;
use crate::shared_memory::usage::shared_use;
use crate::versions;
use warpwise_analysis::gpu::prices::{MAX_COPIED_BLOCKS, VERSION_THREADS};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::launch_table::{self, Fact, is_version, say, table_of};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::Host;

/// Marks kernels to be planned as versions, if there is anything to move.
pub fn plan_as_versions<'m>(functions: &mut [SteeredFunction<'_, 'm>], analyses: &mut Analyses<'m>) {
    for steered in functions.iter_mut().filter(|steered| steered.version.is_none()) {
        let Some(version) = version_of_kernel(steered, analyses) else { continue };
        if versions::entry_of(steered.emitted).is_some() {
            // it is the copy of a kernel itself
            steered.copy = Some(steered.emitted);
        }
        steered.version = Some(version);
    }
}

fn version_of_kernel<'m>(steered: &SteeredFunction<'_, 'm>, analyses: &mut Analyses<'m>) -> Option<Version> {
    let SteeredFunction { emitted: function, options, .. } = *steered;
    let has = |name: &str| function.string_attribute(name).is_some();
    let is_unbounded = options.analysis.block.is_none() && !has("nvvm.maxntid") && !has("nvvm.reqntid");
    let states_registers = options.regs.is_some() || has("nvvm.maxnreg");
    // register pressure alone is worth no version by an estimate: on an H200 such a version lost 4 %
    let pressure = options.candidates.any_register() && states_registers && !options.versions;
    let may_gain = pressure || (options.candidates.stack && stack::has_objects(function));
    if !function.is_ptx_kernel() || !may_gain || has_slots(function) {
        return None;
    }
    if !options.versions {
        let fits = function.block_count() <= MAX_COPIED_BLOCKS && function.can_be_copied();
        return (is_unbounded && fits).then_some(Version::SecondBody { threads: VERSION_THREADS });
    }
    let mut is_dynamic = || {
        let known = analyses.of(function);
        shared_use(&known.outline().func, &known.handles).dynamic
    };
    (is_unbounded || (options.dynamic_shared.is_none() && is_dynamic())).then(|| Version::AtLaunch(at_launch(function)))
}

/// Whether a function is a version that has slots already.
fn has_slots(function: Function<'_>) -> bool {
    versions::entry_of(function).is_some_and(|entry| entry.warp_bytes > 0)
}

/// The version of a kernel that is chosen at the launch; a version that another transform made is one itself.
fn at_launch(kernel: Function<'_>) -> Result<PlannedVersion, NoVersion> {
    let name = if versions::entry_of(kernel).is_some() {
        kernel.name()
    } else if versions::all_of(kernel).iter().any(|&(version, _)| has_slots(version)) {
        return Err(NoVersion::Taken { name: table_of(&kernel.name()) });
    } else {
        versions::next_name(kernel)?
    };
    Ok(PlannedVersion { name, ..PlannedVersion::default() })
}

/// Puts the versions that were made to where they belong.
pub fn finish(module: Module<'_>, functions: &[SteeredFunction<'_, '_>], host: &Host<'_>) {
    let mut editor = Editor::new(module);
    for steered in functions {
        let Some(copy) = steered.copy else { continue };
        match &steered.version {
            Some(Version::SecondBody { threads }) => {
                let threads = if mutants::on(Mutant::AnyBlock) { u32::MAX } else { *threads };
                editor.add_version(steered.emitted, copy, threads);
                editor.has_effects(steered.emitted);
                debug_assert!(editor.verifies(steered.emitted));
            }
            Some(Version::AtLaunch(Ok(version))) if version.warp_bytes > 0 => {
                enter(&mut editor, steered.emitted, copy, version, host);
            }
            Some(Version::AtLaunch(_)) | None => {}
        }
    }
}

/// Enters a version with slots in the table by which the host finds it.
fn enter<'m>(
    editor: &mut Editor<'m>,
    emitted: Function<'m>,
    copy: Function<'m>,
    version: &PlannedVersion,
    host: &Host<'_>,
) {
    let known = versions::entry_of(emitted);
    let mut facts = known.as_ref().map_or_else(Vec::new, |entry| entry.facts.clone());
    // a few lanes alone access few lines of local memory
    if !facts.iter().any(|fact| matches!(*fact, Fact::ThreadsAtLeast(least) if least >= WARP_SIZE)) {
        facts.push(Fact::ThreadsAtLeast(WARP_SIZE));
    }
    let launches = say(&facts);
    let entry = launch_table::LaunchVersion {
        facts,
        warp_bytes: if mutants::on(Mutant::VersionShort) { version.warp_bytes / 2 } else { version.warp_bytes },
        fixed_bytes: 0,
        align: AREA_ALIGN,
        keep: version.keep.max(known.as_ref().map_or(0, |entry| entry.keep)),
    };
    let symbol = emitted.name();
    let made_for = known.and_then(|_| emitted.module().function(is_version(&symbol)?.0));
    let kernel = made_for.unwrap_or(emitted);
    editor.link_like(kernel, copy.value());
    versions::record(editor, copy, &entry);
    versions::write_table(editor, kernel);
    let bytes = version.warp_bytes.div_ceil(u64::from(WARP_SIZE));
    let gains = format!("{bytes} bytes of dynamic shared memory a thread behind the program's own");
    versions::say_made(kernel, (&version.name, copy), &launches, &gains, host);
}
