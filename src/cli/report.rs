//! `warpwise report`: what is uniform, affine and divergent in this source, line by line, and what does it cost?
//!
//! A `.cu` file is compiled twice: to device IR, which is what the report speaks of (before any transform of ours), and,
//! where `--ptx` asks for it, to PTX with the plugin loaded. At -O0 variables live in memory; they are promoted to values
//! first, or the report would speak of nothing but loads and stores.

use super::cuda::{compile_device_ir, find_clang, find_cuda};
use crate::divergence::{ModuleAnalysis, Options};
use crate::kernel::geometry::BlockShape;
use crate::llvm::optimise::optimise;
use crate::llvm::owned::OwnedModule;
use crate::map;
use crate::report::{html, json, model, source::Sources, text};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Report what is uniform, affine and divergent in a CUDA source or in LLVM IR, with source lines.
#[derive(Args)]
pub struct ReportArgs {
    /// CUDA source (.cu), textual IR (.ll) or bitcode (.bc).
    file: PathBuf,
    /// Also compile to PTX with the plugin loaded, and leave it here.
    #[arg(long, value_name = "OUT.ptx")]
    ptx: Option<PathBuf>,
    /// One JSON document instead of text.
    #[arg(long)]
    json: bool,
    /// One self-contained page instead of text, left here.
    #[arg(long, value_name = "OUT.html", conflicts_with = "json")]
    html: Option<PathBuf>,
    /// Shape of every block: X, XxY or XxYxZ.
    #[arg(long)]
    block: Option<BlockShape>,
    /// Only these functions, by symbol or by plain name.
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// Flags for clang; later flags win over warpwise's own (sm_90, -O3, -g1).
    #[arg(last = true, value_name = "CLANG FLAGS")]
    flags: Vec<String>,
}

/// Runs the subcommand.
pub fn run(args: &ReportArgs) -> Result<()> {
    let is_cuda = args.file.extension().is_some_and(|extension| extension == "cu");
    if !is_cuda && (args.ptx.is_some() || !args.flags.is_empty()) {
        bail!("--ptx and clang flags are for CUDA sources, and {} is none (.cu)", args.file.display());
    }
    let flags = ClangFlags::new(&args.flags)?;
    let mut notes = Vec::new();
    let (_folder, module) = if is_cuda {
        let (folder, ir) = compile_device_ir(&args.file, &flags.for_ir())?;
        let module = OwnedModule::from_file(&ir)?;
        if flags.is_unoptimised {
            optimise(&module, "function(mem2reg)").map_err(anyhow::Error::msg)?;
            notes.push(
                "compiled without optimisation; variables are shown as if they were kept in registers".to_owned(),
            );
        }
        (Some(folder), module)
    } else {
        (None, OwnedModule::from_file(&args.file)?)
    };
    if !module.handle().is_nvptx() {
        bail!("{} is code for '{}', and warpwise looks at NVPTX only", args.file.display(), module.handle().triple());
    }
    let analysis = ModuleAnalysis::new(module.handle(), Options { block: args.block.or(flags.block), simple: false });
    if let Some(page) = &args.html {
        let text = html::of_table(&map::describe(&analysis, &args.file), &args.file);
        return std::fs::write(page, text).with_context(|| format!("cannot write {}", page.display()));
    }
    let mut report = model::build(&analysis, &args.file.display().to_string(), &mut Sources::beside(&args.file));
    keep_named(&mut report, &args.functions)?;
    report.notes = notes;
    if args.json {
        print!("{}", json::render(&report)?);
    } else {
        print!("{}", text::render(&report));
    }
    match &args.ptx {
        Some(ptx) => compile_ptx(&args.file, ptx, &flags),
        None => Ok(()),
    }
}

fn keep_named(report: &mut model::Report, names: &[String]) -> Result<()> {
    for name in names {
        if !report.functions.iter().any(|function| function.symbol == *name || function.name == *name) {
            bail!("{} has no function '{name}' with a body", report.input);
        }
    }
    if !names.is_empty() {
        report.functions.retain(|function| names.contains(&function.symbol) || names.contains(&function.name));
    }
    Ok(())
}

/// The user's flags, told apart by what they mean to us.
struct ClangFlags {
    /// As given, behind a reset of the architecture where they name one: clang adds architectures up.
    all: Vec<String>,
    /// Without options of the plugin, which the compile to IR does not load.
    plain: Vec<String>,
    /// `-mllvm -warpwise-block=…`.
    block: Option<BlockShape>,
    is_unoptimised: bool,
}

impl ClangFlags {
    fn new(given: &[String]) -> Result<ClangFlags> {
        let names_architecture =
            |flag: &String| flag.starts_with("--cuda-gpu-arch=") || flag.starts_with("--offload-arch=");
        let mut all = Vec::new();
        if given.iter().any(names_architecture) && !given.iter().any(|flag| flag == "--no-cuda-gpu-arch=all") {
            all.push("--no-cuda-gpu-arch=all".to_owned());
        }
        all.extend(given.iter().cloned());
        let mut flags = ClangFlags { plain: Vec::new(), block: None, is_unoptimised: false, all };
        let mut rest = flags.all.iter().peekable();
        while let Some(flag) = rest.next() {
            match rest.peek() {
                Some(option) if flag == "-mllvm" && option.starts_with("-warpwise-") => {
                    if let Some(shape) = option.strip_prefix("-warpwise-block=") {
                        flags.block = Some(shape.parse()?);
                    }
                    rest.next();
                }
                _ => flags.plain.push(flag.clone()),
            }
        }
        let level = flags.plain.iter().rev().find(|flag| flag.starts_with("-O"));
        flags.is_unoptimised = level.is_some_and(|level| level == "-O0");
        Ok(flags)
    }

    fn for_ir(&self) -> Vec<&str> {
        let ours = ["-fno-discard-value-names", "-Xclang", "-disable-O0-optnone"];
        ours.into_iter().chain(self.plain.iter().map(String::as_str)).collect()
    }
}

fn compile_ptx(source: &Path, ptx: &Path, flags: &ClangFlags) -> Result<()> {
    let clang = find_clang()?;
    let plugin = std::env::current_exe().context("cannot tell where warpwise is")?.with_file_name("libwarpwise.so");
    if !plugin.is_file() {
        bail!(
            "there is no libwarpwise.so beside the command ({}); build it with cargo build --release",
            plugin.display()
        );
    }
    let result = Command::new(&clang)
        .args(["-x", "cuda"])
        .arg(source)
        .args(["-Wno-unknown-cuda-version", "--cuda-gpu-arch=sm_90", "-O3", "-g1", "-S"])
        .arg(format!("--cuda-path={}", find_cuda()?.display()))
        .arg("--cuda-device-only")
        .arg(format!("-fpass-plugin={}", plugin.display()))
        .args(&flags.all)
        .arg("-o")
        .arg(ptx)
        .output()
        .with_context(|| format!("cannot run {}", clang.display()))?;
    let said = String::from_utf8_lossy(&result.stderr);
    if !result.status.success() {
        bail!("clang cannot compile {} to PTX:\n{}", source.display(), said.trim_end());
    }
    eprint!("{said}"); // remarks and warnings the user's flags asked for
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(flags: &[&str]) -> ClangFlags {
        ClangFlags::new(&flags.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn flags_are_told_apart() {
        let flags =
            parse(&["-O1", "-mllvm", "-warpwise-block=64x2", "-mllvm", "-other", "--offload-arch=sm_80", "-O0"]);
        assert_eq!(flags.all[0], "--no-cuda-gpu-arch=all");
        assert_eq!(flags.plain, ["--no-cuda-gpu-arch=all", "-O1", "-mllvm", "-other", "--offload-arch=sm_80", "-O0"]);
        assert_eq!(flags.block.unwrap().y, 2);
        assert!(flags.is_unoptimised);
        assert!(!parse(&["-O0", "-O2"]).is_unoptimised);
        assert!(ClangFlags::new(&["-mllvm".to_owned(), "-warpwise-block=0".to_owned()]).is_err());
    }
}
