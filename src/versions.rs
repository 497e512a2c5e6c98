//! Which kernels may have versions that the host chooses at the launch, and how is one made? For every transform that makes
//! some ([VERSIONS.md](../docs/VERSIONS.md)).
//!
//! A version is a kernel of its own, with an [attribute](ATTRIBUTE) that says for which launches it is: from there on the
//! analysis takes these facts as true in it, and every transform treats it like any other kernel. The table of the kernel is
//! made from the attributes of its versions, anew whenever one of them changes.

use crate::mutants::{self, Mutant};
use crate::shared_memory::room::{NoShared, NoVersion};
use warpwise_analysis::gpu::prices::MAX_COPIED_BLOCKS;
use warpwise_ir::launch_table::{ATTRIBUTE, Fact, LaunchVersion, MAX_VERSIONS, table_of, version_of};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{Host, Kind};

/// The entry of a version in its kernel's table; `None` if the function is no version.
pub fn entry_of(function: Function<'_>) -> Option<LaunchVersion> {
    let text = function.string_attribute(ATTRIBUTE).filter(|_| function.is_ptx_kernel())?;
    LaunchVersion::of_attribute(&text)
}

/// The versions that a kernel has so far, in their order.
pub fn all_of<'m>(kernel: Function<'m>) -> Vec<(Function<'m>, LaunchVersion)> {
    let (symbol, module) = (kernel.name(), kernel.module());
    let found = |number| {
        let version = module.function(&version_of(&symbol, number))?;
        Some((version, entry_of(version)?))
    };
    (1..=MAX_VERSIONS).map_while(found).collect()
}

/// Whether the host may launch a copy of a kernel in its place.
pub fn check_copy(kernel: Function<'_>) -> Result<(), NoVersion> {
    let blocks = kernel.block_count();
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
    Ok(())
}

/// The symbol of the next version of a kernel, or why it may have none.
pub fn next_name(kernel: Function<'_>) -> Result<String, NoVersion> {
    check_copy(kernel)?;
    let (symbol, module) = (kernel.name(), kernel.module());
    let known = all_of(kernel).len();
    if known == MAX_VERSIONS {
        return Err(NoVersion::Enough);
    }
    let name = version_of(&symbol, known + 1);
    let table = Some(table_of(&symbol)).filter(|_| known == 0);
    check_free(module, std::iter::once(name.clone()).chain(table))?;
    Ok(name)
}

/// Whether a module has none of these symbols.
pub fn check_free(module: Module<'_>, mut symbols: impl Iterator<Item = String>) -> Result<(), NoVersion> {
    let is_taken = |name: &String| module.global(name).is_some() || module.function(name).is_some();
    match symbols.find(is_taken) {
        Some(name) => Err(NoVersion::Taken { name }),
        None => Ok(()),
    }
}

/// The entry of a version that is the kernel's code under these facts and needs no memory of its own. It runs only if as many
/// of its blocks fit on a multiprocessor as of the kernel.
pub fn without_slots(facts: Vec<Fact>) -> LaunchVersion {
    LaunchVersion { facts, warp_bytes: 0, fixed_bytes: 0, align: 1, keep: 1 }
}

/// Says that a kernel has a version for such launches, and what that gains.
pub fn say_made(kernel: Function<'_>, version: (&str, Function<'_>), launches: &str, gains: &str, host: &Host<'_>) {
    let (name, version) = version;
    let instructions = version.blocks().flat_map(|block| block.insts()).count();
    let message = format!("version {name} for launches in which {launches}: {instructions} more instructions, {gains}");
    host.emit(Kind::Passed, kernel, None, "VersionMade", &message);
}

/// Says why a kernel has no version for such launches.
pub fn say_refused(kernel: Function<'_>, launches: &str, reason: &str, host: &Host<'_>) {
    let message = format!("no version for launches in which {launches}: {reason}");
    host.emit(Kind::Missed, kernel, None, NoShared::VERSION_REFUSED, &message);
}

/// Makes a copy of a kernel the version that runs in launches of which the facts of `entry` hold; `None` if it cannot be
/// copied. The table is written by [`write_table`].
pub fn add<'m>(
    editor: &mut Editor<'m>,
    kernel: Function<'m>,
    name: &str,
    entry: &LaunchVersion,
) -> Option<Function<'m>> {
    let copy = editor.copy_kernel(kernel, name)?;
    editor.link_like(kernel, copy.value());
    record(editor, copy, entry);
    Some(copy)
}

/// Says of a version for which launches it is.
pub fn record<'m>(editor: &mut Editor<'m>, version: Function<'m>, entry: &LaunchVersion) {
    editor.set_string_attribute(version, ATTRIBUTE, &entry.attribute());
}

/// Writes the table by which the host finds the versions of a kernel, in place of any that there is.
pub fn write_table<'m>(editor: &mut Editor<'m>, kernel: Function<'m>) {
    let mut entries: Vec<LaunchVersion> = all_of(kernel).into_iter().map(|(_, entry)| entry).collect();
    for entry in &mut entries {
        if mutants::on(Mutant::VersionAnyLaunch) {
            entry.facts.clear();
        }
        for fact in &mut entry.facts {
            if let Fact::BlockMultiple { of, .. } = fact
                && mutants::on(Mutant::VersionHalf)
            {
                *of /= 2;
            }
        }
    }
    let name = table_of(&kernel.name());
    editor.launch_table(kernel, &name, &warpwise_ir::launch_table::encode(&entries));
}
