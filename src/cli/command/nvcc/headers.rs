//! Which headers does a source that is written for nvcc need before it, so that clang accepts it?
//!
//! What nvcc declares and clang does not ([`NAME`]); one of clang's own headers, with the compare-and-swap that CUDA
//! documents and short code for functions on halves and bytes of words; and stand-ins for the headers of the CUDA tree
//! that clang includes before every source and nvcc does not. A macro of the command line, such as `-DN=1024`, may stand
//! for a name in them, so they are included without those macros.

use anyhow::Result;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What nvcc declares and clang does not, included before every CUDA source.
const DECLARED: &str = include_str!("nvcc.h");
/// Its name.
pub const NAME: &str = "warpwise_nvcc.h";
/// Flag of compiles whose output nobody runs: they get through variables that clang cannot keep in managed memory.
const ONLY_LOOKS: &str = "-DWARPWISE_ONLY_LOOKS";
/// What stands before clang's header of the same name, which `__clang_cuda_runtime_wrapper.h` includes.
const FUNCTIONS: &str = concat!(include_str!("simd.h"), include_str!("atomics.h"));
/// Its name.
const FUNCTIONS_NAME: &str = "__clang_cuda_device_functions.h";
/// Headers that clang's `__clang_cuda_runtime_wrapper.h` includes and nvcc's prologue does not: of CUDA, and of clang.
const CLANGS_OWN: [&str; 3] = ["cuda.h", "curand_mtgp32_kernel.h", "__clang_cuda_texture_intrinsics.h"];
/// Headers that those include, whose names matter too.
const BEHIND: [&str; 2] = ["curand.h", "curand_mtgp32.h"];

/// Writes the headers to a folder, which has to be searched before all others.
///
/// # Errors
/// The folder cannot be written to.
pub fn write(folder: &Path, cuda: &Path, clang: &Path, arguments: &[impl AsRef<OsStr>]) -> Result<()> {
    let put = |name: &str, text: &str| crate::command::write(&folder.join(name), text);
    put(NAME, DECLARED)?;
    let defined = defined(arguments);
    put(FUNCTIONS_NAME, &without(&hidden(&defined, &[FUNCTIONS.to_owned()]), FUNCTIONS))?;
    if defined.is_empty() {
        return Ok(());
    }
    let places = [Some(cuda.join("include")), clangs_headers(clang)];
    let text_of = |name: &str| {
        places.iter().flatten().find_map(|place| std::fs::read_to_string(place.join(name)).ok()).unwrap_or_default()
    };
    let texts: Vec<String> = CLANGS_OWN.iter().chain(&BEHIND).map(|name| text_of(name)).collect();
    let hidden = hidden(&defined, &texts);
    for (name, text) in CLANGS_OWN.iter().zip(&texts) {
        if !hidden.is_empty() && !text.is_empty() {
            // it includes the one of its name in a later folder
            let rest = without(&hidden, &format!("#include_next <{name}>\n"));
            put(name, &format!("#pragma GCC system_header\n{rest}"))?;
        }
    }
    Ok(())
}

/// [Writes](write()) the headers and gives clang's flags for them. `only_looks`: nobody runs what is compiled, so that
/// headers of GCC whose library clang has not, such as `omp.h`, do.
///
/// # Errors
/// The folder cannot be written to.
pub fn flags(
    folder: &Path,
    cuda: &Path,
    clang: &Path,
    arguments: &[impl AsRef<OsStr>],
    only_looks: bool,
) -> Result<Vec<String>> {
    write(folder, cuda, clang, arguments)?;
    let mut words = Vec::from(["-I", &folder.to_string_lossy(), "-include", NAME].map(str::to_owned));
    if only_looks {
        words.push(ONLY_LOOKS.to_owned());
        for folder in gccs_headers() {
            words.extend(["-idirafter".to_owned(), folder.to_string_lossy().into_owned()]);
        }
    }
    Ok(words)
}

/// The folders of GCC's own headers, `/usr/lib/gcc/TRIPLE/VERSION/include`.
fn gccs_headers() -> impl Iterator<Item = PathBuf> {
    let below = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let versions = below(PathBuf::from("/usr/lib/gcc")).flat_map(below);
    versions.map(|version| version.join("include")).filter(|folder| folder.is_dir())
}

/// The folder of clang's own headers: `lib/clang/22/include` beside the `bin` that holds clang, with links resolved.
fn clangs_headers(clang: &Path) -> Option<PathBuf> {
    let versions = clang.canonicalize().ok()?.parent()?.parent()?.join("lib/clang");
    let mut folders = std::fs::read_dir(versions).ok()?.filter_map(|entry| Some(entry.ok()?.path().join("include")));
    folders.find(|folder| folder.is_dir())
}

/// The names of the files in the folder that [`write()`] may have written.
pub fn names() -> impl Iterator<Item = &'static str> {
    [NAME, FUNCTIONS_NAME].into_iter().chain(CLANGS_OWN)
}

/// The macros that `-D` defines, joined or not.
fn defined(arguments: &[impl AsRef<OsStr>]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut words = arguments.iter().map(|word| word.as_ref().to_string_lossy());
    while let Some(word) = words.next() {
        let Some(rest) = word.strip_prefix("-D") else { continue };
        let definition = if rest.is_empty() { words.next().unwrap_or_default() } else { rest.into() };
        let name: String = definition.chars().take_while(|&letter| is_of_a_name(letter)).collect();
        found.extend((!name.is_empty()).then_some(name));
    }
    found
}

/// Those that stand for a name in the headers, and that no directive of the headers asks about.
fn hidden<'a>(defined: &'a BTreeSet<String>, headers: &[String]) -> Vec<&'a str> {
    let names = |is_directive: bool| {
        let lines = headers.iter().flat_map(|text| text.lines());
        let chosen = lines.filter(move |line| line.trim_start().starts_with('#') == is_directive);
        chosen.flat_map(|line| line.split(|letter| !is_of_a_name(letter))).collect::<BTreeSet<_>>()
    };
    let (asked, used) = (names(true), names(false));
    defined.iter().map(String::as_str).filter(|name| used.contains(name) && !asked.contains(name)).collect()
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Lines of a header for which these macros are not defined.
fn without(hidden: &[&str], lines: &str) -> String {
    let each = |line: &dyn Fn(&str) -> String| hidden.iter().map(|hidden| line(hidden)).collect::<String>();
    let before = each(&|hidden| format!("#pragma push_macro(\"{hidden}\")\n#undef {hidden}\n"));
    let after = each(&|hidden| format!("#pragma pop_macro(\"{hidden}\")\n"));
    format!("{before}{lines}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn macros_are_hidden_where_a_header_uses_their_name() {
        let defined = defined(&words("-DN=3 -D M -O3 -DCUDA_API=1 -DUNUSED -DF(x)=x"));
        let names: Vec<&str> = defined.iter().map(String::as_str).collect();
        assert_eq!(names, ["CUDA_API", "F", "M", "N", "UNUSED"]);
        let header =
            "#if defined(CUDA_API) && M\nint f(size_t N, int M, int CUDA_API);\n  # define F(x) x\n".to_owned();
        assert_eq!(hidden(&defined, &[header]), ["N"]);
    }

    #[test]
    fn stand_ins_are_written_only_where_they_are_needed() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("include")).unwrap();
        std::fs::write(tree.path().join("include/cuda.h"), "void f(size_t N);\n").unwrap();
        for (line, is_needed) in [("-O3", false), ("-DM=1", false), ("-DN=1", true)] {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), tree.path(), Path::new("/nowhere/bin/clang++"), &words(line)).unwrap();
            assert!(folder.path().join(NAME).is_file());
            assert_eq!(folder.path().join("cuda.h").is_file(), is_needed, "{line}");
            assert!(!folder.path().join("curand_mtgp32_kernel.h").exists());
        }
    }
}
