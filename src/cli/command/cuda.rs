//! How does the command compile a `.cu` file to device IR? It finds the clang of its LLVM and a CUDA tree, and compiles
//! into a temporary folder.
//!
//! clang: `WARPWISE_CLANG`, then `LLVM_SYS_221_PREFIX/bin/clang++`, then Debian's prefix, then `clang++-22` on PATH.
//! CUDA: `WARPWISE_CUDA`, `CUDA_HOME`, `CUDA_PATH`, then `.cache/cuda/nvidia/cu13` here or in a parent folder
//! (installed by `scripts/setup`), then the tree of the nvcc or ptxas on PATH, then /usr/local/cuda.

use super::nvcc::headers;
use super::temporary_folder;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use warpwise_ir::llvm::dialect;
use warpwise_opt::CONTAINS_LLVM;
use warpwise_timer::launch::installed;

const PLUGIN: &str = "libwarpwise.so";
const CACHED_TREE: &str = ".cache/cuda/nvidia/cu13";

/// The LLVM of the plugin, and the variable with its prefix. A command that contains LLVM comes with the plugin for 22.
pub const MAJOR: u32 = if CONTAINS_LLVM { 22 } else { dialect::MAJOR };
const PREFIX: &str = if CONTAINS_LLVM { "LLVM_SYS_221_PREFIX" } else { dialect::PREFIX };

/// Names a clang++, before all others.
pub const CLANG_VARIABLE: &str = "WARPWISE_CLANG";

/// The clang++ of that LLVM.
pub fn find_clang() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(CLANG_VARIABLE).map(PathBuf::from) {
        if path.is_file() {
            return Ok(path);
        }
        bail!(
            "{CLANG_VARIABLE} is {}, but there is no such file; set it to the clang++ of LLVM {MAJOR}",
            path.display()
        );
    }
    let prefixed = std::env::var_os(PREFIX).map(|prefix| Path::new(&prefix).join("bin/clang++"));
    let known = prefixed.into_iter().chain([PathBuf::from(format!("/usr/lib/llvm-{MAJOR}/bin/clang++"))]);
    let on_path = || Some(PathBuf::from(format!("clang++-{MAJOR}"))).filter(|path| runs(path));
    known.into_iter().find(|path| path.is_file()).or_else(on_path).with_context(|| {
        format!("no clang++ of LLVM {MAJOR} found; install clang-{MAJOR} or set {CLANG_VARIABLE} to it")
    })
}

/// Whether a tool is there and works.
pub fn runs(tool: &Path) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Whether a file is a CUDA source, by its name.
pub fn is_cuda(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "cu")
}

/// The plugin that belongs to this command: beside it (in a build), or in `../lib` (in an installation).
pub fn find_plugin() -> Result<PathBuf> {
    installed(PLUGIN)
}

/// The first of these overrides what commands say.
pub const TREE_VARIABLE: &str = "WARPWISE_CUDA";
/// Environment variables that name a CUDA tree, ours first.
pub const TREE_VARIABLES: [&str; 3] = [TREE_VARIABLE, "CUDA_HOME", "CUDA_PATH"];
const LIBDEVICE: &str = "nvvm/libdevice/libdevice.10.bc";
const USUAL_TREE: &str = "/usr/local/cuda";

/// A CUDA tree with `include` and `nvvm/libdevice`.
///
/// # Errors
/// A variable names something else, or there is none in any of the usual places.
pub fn find_cuda() -> Result<PathBuf> {
    let usable = |tree: &Path| tree.join(LIBDEVICE).is_file();
    for variable in TREE_VARIABLES {
        if let Some(tree) = std::env::var_os(variable).map(PathBuf::from) {
            if usable(&tree) {
                return Ok(tree);
            }
            bail!("{variable} is {}, but there is no {LIBDEVICE} in it", tree.display());
        }
    }
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    let beside_me = std::env::current_exe().ok();
    let cached = [Some(here), beside_me]
        .into_iter()
        .flatten()
        .flat_map(|start| start.ancestors().map(|folder| folder.join(CACHED_TREE)).collect::<Vec<_>>());
    let known = cached.chain(trees_on_path()).chain([PathBuf::from(USUAL_TREE)]);
    known.into_iter().find(|tree| usable(tree)).with_context(|| {
        format!("no CUDA tree found; set CUDA_HOME to one, put its bin folder on PATH, or fetch one with scripts/setup to {CACHED_TREE}")
    })
}

/// The CUDA tree that flags of clang name with `--cuda-path=`, or else the one that is found.
///
/// # Errors
/// No flag names one, and none is found.
pub fn find_cuda_of(flags: &[impl AsRef<str>]) -> Result<PathBuf> {
    let named = flags.iter().rev().find_map(|flag| flag.as_ref().strip_prefix("--cuda-path="));
    named.map_or_else(find_cuda, |tree| Ok(PathBuf::from(tree)))
}

/// CUDA trees whose `bin` folder, with links resolved, contains the nvcc or ptxas on PATH.
fn trees_on_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let tools = std::env::split_paths(&path).flat_map(|folder| [folder.join("nvcc"), folder.join("ptxas")]);
    let real = tools.filter_map(|tool| tool.canonicalize().ok());
    real.filter_map(|tool| tool.ancestors().nth(2).map(Path::to_owned)).collect()
}

/// The CUDA tree to which a tool in its `bin` folder belongs.
pub fn tree_of(tool: &Path) -> Option<PathBuf> {
    let tree = tool.parent()?.parent()?;
    tree.join(LIBDEVICE).is_file().then(|| tree.to_owned())
}

/// The flags for a CUDA tree: its path, and the folder of `cuda/std`, Thrust and CUB, in which clang 22 does not look
/// by itself and which cooperative groups need from CUDA 13 on.
pub fn tree_flags(cuda: &Path) -> Vec<String> {
    let mut flags = vec![format!("--cuda-path={}", cuda.display())];
    let cccl = cuda.join("include/cccl");
    if cccl.is_dir() {
        flags.extend(["-isystem".to_owned(), cccl.display().to_string()]);
    }
    flags
}

/// Compiles a CUDA file to device IR (`sm_90`, -O3, line tables). Returns the temporary folder, which is deleted when
/// it is dropped, and the path of the IR in it: bitcode, because in text a newer LLVM takes debug information for broken
/// that was right. Later flags override earlier ones, so `extra` may contain `-O0`.
pub fn compile_device_ir(path: &Path, extra: &[&str]) -> Result<(TempDir, PathBuf)> {
    ensure!(path.is_file(), "cannot read {}: no such file", path.display());
    let folder = temporary_folder()?;
    let stem = path.file_stem().unwrap_or_else(|| "kernel".as_ref());
    let output = folder.path().join(stem).with_extension("bc");
    compile_device(path, Made::Bitcode, &[&["-g1"], extra].concat(), &output)?;
    Ok((folder, output))
}

/// What a compile of the device side makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// LLVM's, to look at.
    Bitcode,
    Ptx,
}

/// Compiles the device side of a CUDA file (`sm_90`, -O3); later flags override earlier ones. What clang refuses may be
/// written for nvcc, so it is tried with what nvcc declares, too. Gives what clang said.
pub fn compile_device(source: &Path, made: Made, flags: &[&str], output: &Path) -> Result<String> {
    let (clang, cuda) = (find_clang()?, find_cuda_of(flags)?);
    let form: &[&str] = if made == Made::Bitcode { &["-emit-llvm", "-c"] } else { &["-S"] };
    let compile = |before: &[String]| -> Result<(bool, String)> {
        let result = Command::new(&clang)
            .args(["-x", "cuda"])
            .arg(source)
            .args(["-Wno-unknown-cuda-version", "--cuda-gpu-arch=sm_90", "-O3"])
            .args(form)
            .args(tree_flags(&cuda))
            .arg("--cuda-device-only")
            .args(before)
            .args(flags)
            .arg("-o")
            .arg(output)
            .output()
            .with_context(|| format!("cannot run {}", clang.display()))?;
        Ok((result.status.success(), String::from_utf8_lossy(&result.stderr).into_owned()))
    };
    let (is_done, said) = compile(&[])?;
    if is_done {
        return Ok(said);
    }
    let folder = temporary_folder()?;
    match compile(&headers::flags(folder.path(), &cuda, &clang, flags, made == Made::Bitcode)?)? {
        (true, said) => Ok(said),
        (false, _) => bail!("clang cannot compile {}:\n{}", source.display(), said.trim_end()),
    }
}
