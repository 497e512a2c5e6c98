//! Under which symbols do clang and nvcc define the host side of a kernel, and how does an object get both?
//!
//! A launch calls a function on the host, whose address also identifies the kernel to the runtime. nvcc names it like
//! the kernel (`_Z5scalePfi`), clang puts `__device_stub__` in front of the name (`_Z20__device_stub__scalePfi`). It
//! takes the same arguments in the same way, so a second symbol of the same function lets objects of one compiler
//! launch kernels in objects of the other. Static functions, and thus template instantiations of a recent nvcc, are
//! not launched from elsewhere and get none.

use crate::command::cuda::{MAJOR, runs};
use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, SymbolSection};
use std::path::{Path, PathBuf};
use std::process::Command;
use warpwise_analysis::explain::symbol::kernel_symbol;

/// In front of a kernel's name in clang's symbols.
const CLANGS: &str = "__device_stub__";
/// In front of a kernel's symbol in the name of a function that nvcc generates for each kernel.
const NVCCS: &str = "__device_stub_";

/// The name of a function without scopes and template arguments: `inner` for `_ZN1n5innerEPf`.
fn base_name(symbol: &str) -> String {
    let name = kernel_symbol(symbol);
    let (mut depth, mut start, mut end) = (0u32, 0, name.len());
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'<' => {
                if depth == 0 {
                    end = at;
                }
                depth += 1;
            }
            b'>' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => (start, end) = (at + 1, name.len()),
            _ => {}
        }
    }
    name.get(start..end).unwrap_or_default().to_owned()
}

/// The symbol with the function's own name replaced, if that can be done.
fn renamed(symbol: &str, old: &str, new: &str) -> Option<String> {
    if symbol == old {
        return Some(new.to_owned());
    }
    let pattern = format!("{}{old}", old.len());
    let replace = |at: usize| format!("{}{}{new}{}", &symbol[..at], new.len(), &symbol[at + pattern.len()..]);
    symbol.match_indices(&pattern).map(|(at, _)| replace(at)).find(|candidate| base_name(candidate) == new)
}

/// nvcc's symbol for the kernel that clang calls by this symbol; none if it is not a kernel's.
fn of_nvcc(symbol: &str) -> Option<String> {
    let base = base_name(symbol);
    renamed(symbol, &base, base.strip_prefix(CLANGS)?)
}

/// Clang's symbol for the kernel that nvcc calls by this symbol.
fn of_clang(symbol: &str) -> Option<String> {
    let base = base_name(symbol);
    renamed(symbol, &base, &format!("{CLANGS}{base}"))
}

/// The kernel for which nvcc generated this function: `_Z5scalePfi` for `_Z25__device_stub__Z5scalePfiPfi`.
fn kernel_of(stub: &str) -> Option<&str> {
    let counted = stub.strip_prefix("_ZL").or_else(|| stub.strip_prefix("_Z"))?;
    let digits = counted.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = counted.get(..digits)?.parse().ok()?;
    counted.get(digits..digits.checked_add(length)?)?.strip_prefix(NVCCS)
}

/// The symbols by which the other compiler would call the kernels of an object, each as `objcopy --add-symbol` takes it, too.
fn missing(bytes: &[u8]) -> Result<Vec<(String, String)>> {
    let file = object::File::parse(bytes)?;
    let known = |wanted: &str| file.symbols().find(|symbol| symbol.name() == Ok(wanted));
    let mut names: Vec<(String, String)> = Vec::new();
    for name in file.symbols().filter_map(|symbol| symbol.name().ok()) {
        // in its stubs, and nowhere else, nvcc mangles the name of an extern "C" kernel, too
        let nvccs = kernel_of(name).into_iter().flat_map(|kernel| [kernel.to_owned(), base_name(kernel)]);
        let mut nvccs = nvccs.filter(|kernel| known(kernel).is_some()).peekable();
        if nvccs.peek().is_some() {
            names.extend(nvccs.filter_map(|kernel| of_clang(&kernel).map(|other| (kernel, other))));
        } else if let Some(other) = of_nvcc(name) {
            names.push((name.to_owned(), other));
        }
    }
    let mut missing: Vec<(String, String)> = Vec::new();
    for (name, other) in names {
        let Some(symbol) = known(&name).filter(|symbol| symbol.is_definition() && symbol.is_global()) else { continue };
        let SymbolSection::Section(index) = symbol.section() else { continue };
        let section = file.section_by_index(index)?.name()?.to_owned();
        let is_only = file.sections().filter(|other| other.name() == Ok(&section)).count() == 1;
        // GCC may split a stub, and the part that is seldom run is named like it
        let is_new = known(&other).is_none() && missing.iter().all(|(name, _)| *name != other);
        if is_only && is_new {
            let (at, binding) = (symbol.address(), if symbol.is_weak() { "weak" } else { "global" });
            let argument = format!("{other}={section}:{at:#x},{binding},function");
            missing.push((other, argument));
        }
    }
    Ok(missing)
}

/// The command that lets objects of the other compiler launch the kernels of this object; none if nothing is missing.
///
/// # Errors
/// There is no objcopy, or the file is not an object.
pub fn command(object: &Path, clang: &Path) -> Result<Option<Command>> {
    let bytes = std::fs::read(object).with_context(|| format!("cannot read {}", object.display()))?;
    let missing = missing(&bytes).with_context(|| format!("{} is not an object file", object.display()))?;
    if missing.is_empty() {
        return Ok(None);
    }
    let mut command = Command::new(find_objcopy(clang)?);
    command.args(missing.iter().flat_map(|(_, argument)| ["--add-symbol", argument])).arg(object);
    Ok(Some(command))
}

/// The objcopy beside clang, or one on PATH.
fn find_objcopy(clang: &Path) -> Result<PathBuf> {
    let beside = clang.with_file_name("llvm-objcopy");
    let known = [beside, format!("llvm-objcopy-{MAJOR}").into(), "objcopy".into()];
    known.into_iter().find(|path| runs(path)).context("there is no objcopy; install binutils")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_compilers_symbol_gives_the_others() {
        for (clang, nvcc) in [
            ("_Z20__device_stub__scalePfi", "_Z5scalePfi"),
            ("_ZN1n20__device_stub__innerEPf", "_ZN1n5innerEPf"),
            ("_ZN2n120__device_stub__innerEPf", "_ZN2n15innerEPf"),
            ("_Z19__device_stub__tmplIfEvPT_", "_Z4tmplIfEvPT_"),
            ("_ZN1n16__device_stub__nIN1n1nEEEvPT_", "_ZN1n1nIN1n1nEEEvPT_"),
            ("__device_stub__plainc", "plainc"),
        ] {
            assert_eq!(of_nvcc(clang).as_deref(), Some(nvcc));
            assert_eq!(of_clang(nvcc).as_deref(), Some(clang));
        }
        for none in ["_Z5scalePfi", "_Z4mainv", "main", "_Z99x", "__device_stub"] {
            assert_eq!(of_nvcc(none), None);
        }
    }

    #[test]
    fn the_stub_of_nvcc_names_its_kernel() {
        assert_eq!(kernel_of("_Z25__device_stub__Z5scalePfiPfi"), Some("_Z5scalePfi"));
        assert_eq!(kernel_of("_ZL23__device_stub__Z4statPfPf"), Some("_Z4statPf"));
        assert_eq!(kernel_of("_Z27__wrapper__device_stub_tmplIiEvRPT_"), None);
        assert_eq!(kernel_of("_Z5scalePfi"), None);
        assert_eq!(kernel_of("_Z99x"), None);
    }
}
