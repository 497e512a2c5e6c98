//! Which kernels may have versions, and how is one made? For every transform that makes some
//! ([VERSIONS.md](../../docs/VERSIONS.md)).
//!
//! A version is a copy of a kernel for some of its launches. Who chooses it there decides what becomes of the copy:
//!
//! | chosen by | the copy is | made by |
//! |---|---|---|
//! | a test at the kernel's entry | a second body of the kernel | `steer-spills` |
//! | the host, if blocks have at least a warp | a kernel of its own, in the table of the kernel's versions | `steer-spills` |
//! | the host, after measuring | a kernel of its own, in the table of the kernel's alternatives | tuning |
//!
//! A kernel of its own has an [attribute](ATTRIBUTE) that says how much memory it has, and every transform treats it like any
//! other kernel. The table is made from the attribute.

mod steered;

pub use steered::{Edit, SteeredFunction};

use crate::mutants::{self, Mutant};
use crate::shared_memory::layout::AREA_ALIGN;
use crate::shared_memory::room::NoVersion;
use warpwise_analysis::gpu::prices::{MAX_COPIED_BLOCKS, VERSION_THREADS};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::launch_table::{
    ATTRIBUTE, LaunchVersion, MAX_ALTERNATIVES, Tuning, alternative_of, encode, table_of, tuning_of, version_of,
};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{Kind, PassManager};

/// A version of a kernel that is to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct Version<'m> {
    /// What runs in other launches.
    kernel: Function<'m>,
    /// Its symbol, if the host chooses it; a second body has none.
    pub name: Option<String>,
    /// How much memory it has.
    pub entry: LaunchVersion,
    /// Its code, once there is any. A second body is a function of its own until it is [finished](Version::finish).
    body: Option<Function<'m>>,
}

impl<'m> Version<'m> {
    /// A second body for blocks from a warp to [`VERSION_THREADS`] threads; `None` if the kernel cannot be copied.
    pub fn at_entry(kernel: Function<'m>) -> Option<Version<'m>> {
        check_code(kernel).ok()?;
        Some(Version { kernel, name: None, entry: WITHOUT_SLOTS, body: None })
    }

    /// The version with slots that the host chooses, or why the kernel may have none. It runs only if as many of its blocks fit
    /// on a multiprocessor as of the kernel.
    pub fn with_slots(kernel: Function<'m>) -> Result<Version<'m>, NoVersion> {
        let name = free_name(kernel)?;
        Ok(Version { kernel, name: Some(name), entry: WITHOUT_SLOTS, body: None })
    }

    /// Makes the copy, to be edited like any function; `None` if the kernel cannot be copied.
    pub fn copy(&mut self, editor: &mut Editor<'m>) -> Option<Function<'m>> {
        self.body = match &self.name {
            Some(name) => copy_of(self.kernel, name, editor),
            None => editor.copy_function(self.kernel),
        };
        self.body
    }

    /// Puts the copy, once it is edited, to where it is chosen, and says what that gains.
    pub fn finish(mut self, gains: &str, editor: &mut Editor<'m>, manager: &PassManager<'_>) {
        let (kernel, Some(body)) = (self.kernel, self.body) else { return };
        let Some(name) = self.name else {
            let threads = if mutants::on(Mutant::AnyBlock) { u32::MAX } else { VERSION_THREADS };
            editor.add_version(kernel, body, threads);
            editor.has_effects(kernel);
            debug_assert!(editor.verifies(kernel));
            return;
        };
        self.entry.align = AREA_ALIGN;
        self.entry.warp_bytes /= if mutants::on(Mutant::VersionShort) { 2 } else { 1 };
        editor.set_string_attribute(body, ATTRIBUTE, &self.entry.attribute());
        write_table(editor, kernel);
        let instructions = body.insts().count();
        let message = format!(
            "version {name} for blocks of at least {WARP_SIZE} threads: {instructions} more instructions, {gains}"
        );
        manager.emit(Kind::Passed, kernel, None, "VersionMade", &message);
    }
}

/// The entry of a version that is the kernel's code.
const WITHOUT_SLOTS: LaunchVersion = LaunchVersion { warp_bytes: 0, align: 1, keep: 1 };

/// The entry of a version in its kernel's table; `None` if the function is no version.
pub fn entry_of(function: Function<'_>) -> Option<LaunchVersion> {
    let text = function.string_attribute(ATTRIBUTE).filter(|_| function.is_ptx_kernel())?;
    LaunchVersion::of_attribute(&text)
}

/// The version that the host may choose for a kernel.
pub fn of<'m>(kernel: Function<'m>) -> Option<(Function<'m>, LaunchVersion)> {
    let version = kernel.module().function(&version_of(&kernel.name()))?;
    Some((version, entry_of(version)?))
}

/// The symbol of a version of a kernel that has none, or why it may have none.
fn free_name(kernel: Function<'_>) -> Result<String, NoVersion> {
    check_copy(kernel)?;
    let symbol = kernel.name();
    let name = version_of(&symbol);
    check_free(kernel.module(), [name.clone(), table_of(&symbol)])?;
    Ok(name)
}

/// Whether a kernel may have alternatives that are measured.
pub fn check_alternatives(kernel: Function<'_>) -> Result<(), NoVersion> {
    check_copy(kernel)?;
    let symbol = kernel.name();
    let alternatives = (1..=MAX_ALTERNATIVES).map(|number| alternative_of(&symbol, number));
    check_free(kernel.module(), alternatives.chain([tuning_of(&symbol), table_of(&symbol)]))
}

/// Whether the host may launch a copy of a kernel in its place.
fn check_copy(kernel: Function<'_>) -> Result<(), NoVersion> {
    if kernel.is_local() {
        return Err(NoVersion::Local);
    }
    if kernel.is_replaceable() {
        return Err(NoVersion::Replaceable);
    }
    check_code(kernel)
}

/// Whether the code of a kernel can be copied.
fn check_code(kernel: Function<'_>) -> Result<(), NoVersion> {
    match kernel.block_count() {
        blocks if blocks > MAX_COPIED_BLOCKS => Err(NoVersion::Large { blocks }),
        _ if !kernel.can_be_copied() => Err(NoVersion::Uncopyable),
        _ => Ok(()),
    }
}

/// Whether a module has none of these symbols.
fn check_free(module: Module<'_>, symbols: impl IntoIterator<Item = String>) -> Result<(), NoVersion> {
    let is_taken = |name: &String| module.global(name).is_some() || module.function(name).is_some();
    match symbols.into_iter().find(is_taken) {
        Some(name) => Err(NoVersion::Taken { name }),
        None => Ok(()),
    }
}

/// A copy of a kernel as a kernel of its own; `None` if it cannot be copied.
pub fn copy_of<'m>(kernel: Function<'m>, name: &str, editor: &mut Editor<'m>) -> Option<Function<'m>> {
    let copy = editor.copy_kernel(kernel, name)?;
    editor.link_like(kernel, copy.value());
    Some(copy)
}

/// Makes the version of a kernel a function without a name that no table lists.
pub fn detach<'m>(kernel: Function<'m>, editor: &mut Editor<'m>) -> Option<(Function<'m>, LaunchVersion)> {
    let found = of(kernel)?;
    if let Some(table) = kernel.module().global(&table_of(&kernel.name())) {
        editor.erase_global(table);
    }
    editor.set_name(found.0.value(), "");
    Some(found)
}

/// Makes a version that was [detached](detach) from a copy of a kernel one of the kernel; returns whether it may have it.
pub fn attach<'m>(kernel: Function<'m>, version: Function<'m>, editor: &mut Editor<'m>) -> bool {
    let Ok(name) = free_name(kernel) else { return false };
    editor.set_name(version.value(), &name);
    write_table(editor, kernel);
    true
}

/// Names the alternatives of a kernel whose code has this hash, and writes the table by which the host finds them.
pub fn list_alternatives<'m>(
    kernel: Function<'m>,
    hash: u64,
    all: impl IntoIterator<Item = (Function<'m>, (String, LaunchVersion))>,
    editor: &mut Editor<'m>,
) {
    let symbol = kernel.name();
    let mut tuning = Tuning { hash, alternatives: Vec::new() };
    for (number, (function, alternative)) in (1..).zip(all) {
        editor.set_name(function.value(), &alternative_of(&symbol, number));
        tuning.alternatives.push(alternative);
    }
    editor.launch_table(kernel, &tuning_of(&symbol), &tuning.encode());
}

/// Writes the table by which the host finds the version of a kernel.
fn write_table<'m>(editor: &mut Editor<'m>, kernel: Function<'m>) {
    if let Some((_, entry)) = of(kernel) {
        editor.launch_table(kernel, &table_of(&kernel.name()), &encode(&entry));
    }
}
