//! What is the text of a line of a source file? Files are read once; a file that cannot be read has no lines.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Whose sources are spoken of?
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Whose {
    /// Not those of the system, of CUDA, of a compiler.
    #[default]
    Own,
    All,
    /// Those in this folder.
    Under(PathBuf),
}

impl Whose {
    /// `own`, `all`, or a folder.
    pub fn named(text: &str) -> Whose {
        match text {
            "own" => Whose::Own,
            "all" => Whose::All,
            folder => Whose::Under(plain(Path::new(folder))),
        }
    }

    /// Whether it is said what stands in a file, as a compiler names it: from a folder, or by its whole path.
    pub fn holds(&self, folder: &str, file: &str) -> bool {
        match self {
            Whose::All => true,
            Whose::Own => is_own(file),
            Whose::Under(top) => plain(&Path::new(folder).join(file)).starts_with(top),
        }
    }
}

/// Which place is shown to a person of a chain of places, from an instruction's own to that of the outermost call that
/// was inlined: the innermost in the user's sources; if none is there, the innermost in the file of the outermost.
pub fn shown<F: AsRef<str>>(chain: &[(F, u32)]) -> Option<usize> {
    let outermost = chain.last()?.0.as_ref();
    let innermost =
        |is_meant: &dyn Fn(&str) -> bool| chain.iter().position(|(file, line)| *line > 0 && is_meant(file.as_ref()));
    innermost(&is_own).or_else(|| innermost(&|file| file == outermost))
}

/// A line of a file, without the folders: `a.cu:7`.
pub fn place(file: &str, line: u32) -> String {
    format!("{}:{line}", file.rsplit('/').next().unwrap_or(file))
}

/// A path from the root, without `.` and `..`; links are not followed.
fn plain(path: &Path) -> PathBuf {
    let mut plain = std::env::current_dir().unwrap_or_default();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Whether a file is the user's, as far as its name tells.
pub fn is_own(file: &str) -> bool {
    !is_foreign(file)
}

/// Whether a header is the system's, a compiler's, CUDA's or CCCL's, by its name alone.
fn is_foreign(file: &str) -> bool {
    const ROOTS: [&str; 2] = ["/usr/", "/rustc/"];
    const PARTS: [&str; 7] = [
        "/lib/clang/", "/include/c++/", "/include/cccl/", "/include/cub/", "/include/thrust/", "/include/cuda/",
        "/include/openmp_wrappers/",
    ];
    let is_version = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    // cuda, cuda-13.0, cu13
    let is_tree = |name: &str| name.strip_prefix("cuda").or(name.strip_prefix("cu")).is_some_and(is_version);
    let names: Vec<&str> = file.split('/').collect();
    ROOTS.iter().any(|root| file.starts_with(root))
        || PARTS.iter().any(|part| file.contains(part))
        || names.windows(2).any(|pair| is_tree(pair[0]) && matches!(pair[1], "include" | "targets"))
        || names.last().is_some_and(|name| name.starts_with("__clang_"))
}

/// The files read so far.
#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Vec<String>>,
    /// File in whose folder relative names are looked up, too.
    input: PathBuf,
}

impl Sources {
    /// Relative names are looked up in the current folder, then in the folder of `input`, then in the parents of the
    /// current one, because clang names a file relative to the folder in which it was run.
    pub fn beside(input: &Path) -> Sources {
        Sources { files: HashMap::new(), input: input.to_path_buf() }
    }

    /// The text of a line (counted from 1), without trailing whitespace.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        if !self.files.contains_key(file) {
            let lines = self.read(file);
            self.files.insert(file.to_owned(), lines);
        }
        let index = (line as usize).checked_sub(1)?;
        self.files[file].get(index).map(|text| text.trim_end())
    }

    fn read(&self, file: &str) -> Vec<String> {
        let here = std::env::current_dir().unwrap_or_default();
        let folders = self.input.parent().into_iter().chain(here.ancestors().skip(1));
        let places = std::iter::once(PathBuf::from(file)).chain(folders.map(|folder| folder.join(file)));
        let bytes = places.filter(|path| path.is_file()).find_map(|path| std::fs::read(path).ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_place_in_the_users_sources_is_shown() {
        let (own, header, cuda) = ("k.cu", "inc/wave.h", "/opt/cuda-13.0/include/cuda_fp16.hpp");
        for (chain, expected) in [
            (&[(cuda, 3), (header, 7), (own, 9)][..], Some(1)),
            (&[(header, 0), (own, 9)], Some(1)),
            (&[("/opt/cuda/include/a.h", 1), (cuda, 3), (cuda, 5)], Some(1)),
            (&[(own, 0)], None),
            (&[], None),
        ] {
            assert_eq!(shown(chain), expected, "{chain:?}");
        }
    }

    #[test]
    fn headers_of_others_are_told_by_their_names() {
        let own = |file: &str| Whose::Own.holds("/home/u/p", file);
        for file in
            ["k.cu", "src/k.cu", "../include/k.h", "/home/u/p/cuda/k.cuh", "/home/u/cub/mine.h", "/work/cu/k.cu"]
        {
            assert!(own(file), "{file}");
        }
        for file in [
            "/usr/include/math.h",
            "/opt/llvm/lib/clang/22/include/__clang_cuda_math.h",
            "/opt/cuda-13.0/include/cuda_fp16.hpp",
            "/x/nvidia/cu13/include/cub/block.cuh",
            "/opt/cuda/targets/x86_64-linux/include/sm_60_atomic_functions.h",
            "deps/cccl/include/thrust/sort.h",
            "/rustc/0123/library/core/src/ptr.rs",
        ] {
            assert!(!own(file) && Whose::All.holds("/", file), "{file}");
        }
        let under = Whose::named("/home/u/./p/src");
        assert!(under.holds("/home/u/p", "src/k.cu") && under.holds("/tmp", "/home/u/x/../p/src/a/k.cu"));
        assert!(!under.holds("/home/u/p", "k.cu") && !under.holds("/home/u/p", "src/../k.cu"));
    }
}
