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

use crate::analyses::{Analyses, Options, PlannedVersion, SteeredFunction, Version};
use crate::geometry::WARP_SIZE;
use crate::launch_table::{self, Fact, table_of, version_of};
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Module};
use crate::llvm::remark::{Host, Kind};
use crate::mutants::{self, Mutant};
use crate::shared_memory::layout::AREA_ALIGN;
use crate::shared_memory::room::NoVersion;
use crate::shared_memory::usage::shared_use;
use crate::stack;

/// Threads for which the version of an unbounded kernel has slots. Smaller blocks of at least a warp use this version
/// too. Larger blocks only pay for the test, so a lower number would do more harm than good.
const VERSION_THREADS: u32 = 256;
/// Largest kernel that is copied, in basic blocks. Slots are not worth doubling the code of a very large kernel.
const MAX_COPIED_BLOCKS: u32 = 2000;

/// Marks kernels to be planned as versions, if there is anything to move.
pub fn plan_as_versions<'m>(functions: &mut [SteeredFunction<'m>], options: &Options, analyses: &mut Analyses<'m>) {
    for steered in functions.iter_mut().filter(|steered| steered.version.is_none()) {
        let Some(version) = version_of_kernel(steered, options, analyses) else { continue };
        steered.version = Some(version);
        analyses.bring_in_order(steered.emitted);
    }
}

fn version_of_kernel<'m>(
    steered: &SteeredFunction<'m>,
    options: &Options,
    analyses: &mut Analyses<'m>,
) -> Option<Version> {
    let function = steered.emitted;
    let has = |name: &str| function.string_attribute(name).is_some();
    let is_unbounded = options.analysis.block.is_none() && !has("nvvm.maxntid") && !has("nvvm.reqntid");
    let states_registers = options.regs.is_some() || has("nvvm.maxnreg") || (options.versions && !is_unbounded);
    let pressure = options.candidates.any_register() && states_registers;
    let may_gain = pressure || (options.candidates.stack && stack::has_objects(function));
    if !function.is_ptx_kernel() || !may_gain {
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

/// The version of a kernel that is chosen at the launch.
fn at_launch(kernel: Function<'_>) -> Result<PlannedVersion, NoVersion> {
    let (symbol, blocks) = (kernel.name(), kernel.block_count());
    let name = version_of(&symbol, 1);
    let table = table_of(&symbol);
    let module = kernel.module();
    let is_taken = |name: &String| module.global(name).is_some() || module.function(name).is_some();
    if kernel.is_local() {
        return Err(NoVersion::Local);
    }
    if kernel.is_replaceable() {
        return Err(NoVersion::Replaceable);
    }
    if blocks > MAX_COPIED_BLOCKS {
        return Err(NoVersion::Large { blocks });
    }
    if !kernel.can_be_copied() {
        return Err(NoVersion::Uncopyable);
    }
    if let Some(taken) = [&name, &table].into_iter().find(|name| is_taken(name)) {
        return Err(NoVersion::Taken { name: taken.clone() });
    }
    Ok(PlannedVersion { name, ..PlannedVersion::default() })
}

/// Puts the versions that were made to where they belong.
pub fn finish(module: Module<'_>, functions: &[SteeredFunction<'_>], host: &Host<'_>) {
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
            Some(Version::AtLaunch(Ok(version))) => add_table(&mut editor, steered.emitted, copy, version, host),
            Some(Version::AtLaunch(Err(_))) | None => {}
        }
    }
}

/// The table by which the host finds a version.
fn add_table<'m>(
    editor: &mut Editor<'m>,
    kernel: Function<'m>,
    copy: Function<'m>,
    version: &PlannedVersion,
    host: &Host<'_>,
) {
    // a few lanes alone access few lines of local memory
    let facts = vec![Fact::ThreadsAtLeast(WARP_SIZE)];
    let entry = launch_table::LaunchVersion {
        facts,
        warp_bytes: if mutants::on(Mutant::VersionShort) { version.warp_bytes / 2 } else { version.warp_bytes },
        fixed_bytes: 0,
        align: AREA_ALIGN,
        keep: version.keep,
    };
    let symbol = kernel.name();
    editor.launch_table(kernel, &table_of(&symbol), &launch_table::encode(&[entry]));
    editor.link_like(kernel, copy.value());
    let instructions = copy.blocks().flat_map(|block| block.insts()).count();
    let message = format!(
        "version {} for launches with blocks of {WARP_SIZE} threads and more: {instructions} more instructions, {} bytes of dynamic shared memory a thread behind the program's own",
        version.name,
        version.warp_bytes.div_ceil(u64::from(WARP_SIZE))
    );
    host.emit(Kind::Passed, kernel, None, "VersionMade", &message);
}
