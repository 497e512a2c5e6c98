//! `warpwise doctor`: which of the tools that warpwise needs are there, which do not fit, and what works without the others?
//!
//! Each line is `ok`, `none` (missing: some commands do not work) or `FAULT`; the exit status is 1 if there is a fault.

use super::cuda::{
    CLANG_VARIABLE, MAJOR as LLVM_MAJOR, Made, TREE_VARIABLES, compile_device, find_clang, find_cuda, find_plugin,
};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use warpwise_ir::llvm::dialect;

/// The first CUDA release whose ptxas accepts the PTX that this LLVM writes (PTX 8.8).
const PTXAS_LEAST: (u32, u32) = (12, 9);

const PROBE: &str = "__global__ void probe(float *p, int n) { int i = threadIdx.x; if (i < n) p[i] = i; }\n";

/// Runs the subcommand.
pub fn run() -> Result<ExitCode> {
    let mut is_well = true;
    let mut say = |name: &str, found: Result<String>| match found {
        Ok(text) => println!("ok     {name}: {text}"),
        Err(error) => {
            is_well = false;
            println!("FAULT  {name}: {error:#}");
        }
    };
    println!("ok     warpwise: {}, built for LLVM {LLVM_MAJOR}", env!("CARGO_PKG_VERSION"));
    say("LLVM library", library());
    say("plugin", find_plugin().map(|path| path.display().to_string()));
    let (has_clang, has_tree) = (find_clang().is_ok(), find_cuda().is_ok());
    match find_clang() {
        Err(error) if !is_set(&[CLANG_VARIABLE]) => println!("none   clang: {error:#}"),
        found => say("clang", found.and_then(|path| clang(&path))),
    }
    if let Some(text) = other_clang() {
        println!("none   clang++ on PATH: {text}");
    }
    match find_cuda() {
        Err(error) if !is_set(&TREE_VARIABLES) => println!("none   CUDA tree: {error:#}"),
        found => say("CUDA tree", found.map(|path| path.display().to_string())),
    }
    let ptxas = has_tree.then(ptxas);
    if let Some(ptxas) = &ptxas {
        say("ptxas", ptxas.as_ref().map(|(_, text)| text.clone()).map_err(|error| anyhow::anyhow!("{error:#}")));
    }
    if has_clang && has_tree {
        let ptxas = ptxas.and_then(Result::ok).map(|(path, _)| path);
        say("a kernel compiles with the plugin", probe(ptxas.as_deref()));
    } else {
        println!("ok     without clang and a CUDA tree: `opt`; `report`, `simt` and `fuzz` of IR; `time`, `compare`");
        println!("none   what compiles CUDA, such as `nvcc` and `report FILE.cu`: needs both");
    }
    match gpu() {
        Some(text) => println!("ok     GPU: {text}"),
        None => println!("none   GPU: no NVIDIA driver here; only running kernels needs one"),
    }
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether one of these variables names a tool; then it is no tool that is merely missing.
fn is_set(variables: &[&str]) -> bool {
    variables.iter().any(|variable| std::env::var_os(variable).is_some())
}

fn library() -> Result<String> {
    let (major, minor, patch) = warpwise_ir::llvm::version();
    ensure!(major == dialect::MAJOR, "{major}.{minor}.{patch} is loaded");
    Ok(format!("{major}.{minor}.{patch}"))
}

fn said(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))?;
    if !output.status.success() {
        bail!("{} fails: {}", command.get_program().to_string_lossy(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The dotted number after a word: "version 22.1.8" → [22, 1].
fn number_after(text: &str, word: &str) -> Option<(u32, u32)> {
    let rest = text.split_once(word)?.1.trim_start();
    let mut parts = rest.split(|character: char| !character.is_ascii_digit()).map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// What a tool says of its version behind a word.
fn version(tool: &Path, word: &str) -> Result<(u32, u32)> {
    let text = said(Command::new(tool).arg("--version"))?;
    number_after(&text, word).with_context(|| format!("{} does not say its version", tool.display()))
}

fn clang(path: &Path) -> Result<String> {
    match version(path, "version ")? {
        (LLVM_MAJOR, minor) => Ok(format!("{}, {LLVM_MAJOR}.{minor}", path.display())),
        (major, minor) => bail!("{} is {major}.{minor}: a plugin for {LLVM_MAJOR} does not load", path.display()),
    }
}

/// What builds would call as `clang++`, if that does not load the plugin.
fn other_clang() -> Option<String> {
    let ours = find_clang().ok()?;
    match version(Path::new("clang++"), "version ") {
        Ok((LLVM_MAJOR, _)) => None,
        Ok((major, minor)) => {
            Some(format!("is {major}.{minor}, which the plugin does not load into: call {}", ours.display()))
        }
        Err(_) => Some(format!("there is none: call {}", ours.display())),
    }
}

fn ptxas() -> Result<(PathBuf, String)> {
    let path = find_cuda()?.join("bin/ptxas");
    let (major, minor) = version(&path, "release ")?;
    if (major, minor) < PTXAS_LEAST {
        let (least, minor_least) = PTXAS_LEAST;
        bail!(
            "{} is of CUDA {major}.{minor}, and LLVM {LLVM_MAJOR} writes PTX for {least}.{minor_least} and later",
            path.display()
        );
    }
    let text = format!("{}, CUDA {major}.{minor}", path.display());
    Ok((path, text))
}

/// Tests the whole path: source → PTX with the plugin → machine code.
fn probe(ptxas: Option<&Path>) -> Result<String> {
    let folder = super::temporary_folder()?;
    let (source, ptx) = (folder.path().join("probe.cu"), folder.path().join("probe.ptx"));
    std::fs::write(&source, PROBE)?;
    let plugin = format!("-fpass-plugin={}", find_plugin()?.display());
    let heard = compile_device(&source, Made::Ptx, &["-Rpass-analysis=warpwise", &plugin], &ptx)?;
    ensure!(heard.contains("branch diverges"), "the plugin said nothing of a divergent branch");
    let Some(ptxas) = ptxas else { return Ok("to PTX".to_owned()) };
    said(Command::new(ptxas).args(["-arch=sm_90", "-o", "/dev/null"]).arg(&ptx))?;
    Ok("to PTX and to machine code for sm_90".to_owned())
}

fn gpu() -> Option<String> {
    let version = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let driver = version.lines().next().unwrap_or("").trim().to_owned();
    Some(match said(Command::new("nvidia-smi").args(["--query-gpu=name", "--format=csv,noheader"])) {
        Ok(names) => format!("{}; {driver}", names.trim().replace('\n', ", ")),
        Err(_) => driver,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(number_after("Debian clang version 22.1.8 (x)", "version "), Some((22, 1)));
        assert_eq!(number_after("release 13.0, V13.0.88", "release "), Some((13, 0)));
        assert_eq!(number_after("nothing", "release "), None);
    }
}
