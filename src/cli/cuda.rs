//! How does the command turn a `.cu` file into device IR? Find clang 22 and a CUDA tree, and compile into a temporary
//! folder.
//!
//! clang: `WARPWISE_CLANG`, then `LLVM_SYS_221_PREFIX/bin/clang++`, then Debian's prefix, then `clang++-22` on PATH.
//! CUDA: `WARPWISE_CUDA`, then `.cache/cuda/nvidia/cu13` here or in a parent folder (what `scripts/setup` fetches).

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const USUAL_CLANG: &str = "/usr/lib/llvm-22/bin/clang++";
const PLUGIN: &str = "libwarpwise.so";
const CACHED_TREE: &str = ".cache/cuda/nvidia/cu13";

/// The clang++ of LLVM 22.
pub fn find_clang() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("WARPWISE_CLANG").map(PathBuf::from) {
        if path.is_file() {
            return Ok(path);
        }
        bail!("WARPWISE_CLANG is {}, but there is no such file; set it to the clang++ of LLVM 22", path.display());
    }
    let prefixed = std::env::var_os("LLVM_SYS_221_PREFIX").map(|prefix| Path::new(&prefix).join("bin/clang++"));
    for path in prefixed.into_iter().chain([PathBuf::from(USUAL_CLANG)]) {
        if path.is_file() {
            return Ok(path);
        }
    }
    let on_path = PathBuf::from("clang++-22");
    if Command::new(&on_path).arg("--version").output().is_ok_and(|out| out.status.success()) {
        return Ok(on_path);
    }
    bail!("no clang++ of LLVM 22 found; install clang-22 or set WARPWISE_CLANG to it")
}

/// The plugin that belongs to this command: beside it (a build), or in `../lib` (an installation).
pub fn find_plugin() -> Result<PathBuf> {
    let command = std::env::current_exe().context("cannot tell where warpwise is")?;
    let beside = command.with_file_name(PLUGIN);
    let installed = command.parent().and_then(Path::parent).map(|prefix| prefix.join("lib").join(PLUGIN));
    match [Some(&beside), installed.as_ref()].into_iter().flatten().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => bail!(
            "there is no {PLUGIN} beside the command ({}) nor in the lib folder of its prefix; build it with cargo build \
             --release, or lay it out with scripts/install",
            beside.display()
        ),
    }
}

/// A CUDA tree with `include` and `nvvm/libdevice`.
pub fn find_cuda() -> Result<PathBuf> {
    let usable = |tree: &Path| tree.join("nvvm/libdevice/libdevice.10.bc").is_file();
    if let Some(tree) = std::env::var_os("WARPWISE_CUDA").map(PathBuf::from) {
        if usable(&tree) {
            return Ok(tree);
        }
        bail!("WARPWISE_CUDA is {}, but there is no nvvm/libdevice/libdevice.10.bc in it", tree.display());
    }
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    let beside_me = std::env::current_exe().ok();
    for start in [Some(here), beside_me].into_iter().flatten() {
        if let Some(tree) = start.ancestors().map(|dir| dir.join(CACHED_TREE)).find(|tree| usable(tree)) {
            return Ok(tree);
        }
    }
    bail!("no CUDA tree found; set WARPWISE_CUDA to one, or put it at {CACHED_TREE}")
}

/// What tells clang of a CUDA tree: its path, and the folder of `cuda/std`, Thrust and CUB, which clang 22 does not look
/// into by itself and cooperative groups need from CUDA 13 on.
pub fn tree_flags(cuda: &Path) -> Vec<String> {
    let mut flags = vec![format!("--cuda-path={}", cuda.display())];
    let cccl = cuda.join("include/cccl");
    if cccl.is_dir() {
        flags.extend(["-isystem".to_owned(), cccl.display().to_string()]);
    }
    flags
}

/// Compiles a CUDA file to device IR (`sm_90`, -O3, line tables) and returns the folder that holds it and its path.
/// Later flags win, so `extra` may say `-O0`. The folder is deleted when the first part is dropped.
pub fn compile_device_ir(path: &Path, extra: &[&str]) -> Result<(TempDir, PathBuf)> {
    if !path.is_file() {
        bail!("cannot read {}: no such file", path.display());
    }
    let clang = find_clang()?;
    let cuda = find_cuda()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let stem = path.file_stem().unwrap_or_else(|| "kernel".as_ref());
    let output = folder.path().join(stem).with_extension("ll");
    let result = Command::new(&clang)
        .args(["-x", "cuda"])
        .arg(path)
        .args(["-Wno-unknown-cuda-version", "--cuda-gpu-arch=sm_90", "-O3", "-g1", "-S", "-emit-llvm"])
        .args(tree_flags(&cuda))
        .arg("--cuda-device-only")
        .args(extra)
        .arg("-o")
        .arg(&output)
        .output()
        .with_context(|| format!("cannot run {}", clang.display()))?;
    if !result.status.success() {
        let said = String::from_utf8_lossy(&result.stderr);
        bail!("clang cannot compile {}:\n{}", path.display(), said.trim_end());
    }
    Ok((folder, output))
}
