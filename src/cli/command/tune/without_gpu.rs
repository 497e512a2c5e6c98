//! `warpwise tune FILE.cu`: with which budget and switches does `ptxas` keep most of a kernel out of local memory?
//!
//! For each choice, the file is compiled by clang with the plugin and assembled. The best choice has the fewest bytes
//! in local memory over all kernels, then the most resident warps, then the fewest registers.

use super::super::cuda::{find_clang, find_cuda, find_plugin, tree_flags};
use super::super::kept::{self, Answers, identity};
use super::super::project::progress;
use super::super::unit::dependencies;
use crate::ptxas::{Measurements, assemble};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use warpwise_analysis::explain::symbol::kernel_symbol;
use warpwise_analysis::gpu::Chip;
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::USUAL_THREADS;
use warpwise_timer::launch::{is_interrupted, watch_signals};

/// What is tried on which file.
#[derive(Args)]
pub struct StaticArgs {
    /// The CUDA source.
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// Ask ptxas only and run nothing (the default)
    #[arg(long = "static")]
    is_static: bool,
    /// Shape of every block: X, XxY or XxYxZ.
    #[arg(long)]
    block: Option<warpwise_ir::geometry::BlockShape>,
    /// Register limits to try besides the kernels' own.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_REGISTERS)))]
    regs: Vec<u32>,
    /// The chip.
    #[arg(long, default_value = warpwise_ir::llvm::target::USUAL)]
    arch: String,
    /// Keep what was found in this folder: a later run, of this command or one that tries more, goes on from there.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Write the flags of the best choice here, for clang's `@FILE`.
    #[arg(long)]
    write: Option<PathBuf>,
    /// Further flags for clang.
    #[arg(last = true)]
    flags: Vec<String>,
}

/// One choice to try.
struct Choice {
    label: String,
    clang: Vec<String>,
    ptxas: Vec<String>,
}

impl Choice {
    fn new(label: &str, words: &[&str]) -> Choice {
        let clang = words.iter().flat_map(|word| ["-mllvm".to_owned(), (*word).to_owned()]).collect();
        Choice { label: label.to_owned(), clang, ptxas: Vec::new() }
    }

    fn limited(&self, registers: u32) -> Choice {
        let mut clang = self.clang.clone();
        if !clang.is_empty() {
            clang.extend(["-mllvm".to_owned(), format!("-warpwise-regs={registers}")]);
        }
        let label = format!("{}, {registers} registers", self.label);
        Choice { label, clang, ptxas: vec![format!("-maxrregcount={registers}")] }
    }
}

fn choices(regs: &[u32]) -> Vec<Choice> {
    let plain = [
        Choice { label: "clang".to_owned(), clang: Vec::new(), ptxas: Vec::new() },
        Choice::new("steer", &["-warpwise-steer"]),
        Choice::new("stack objects", &["-warpwise-steer=stack"]),
        Choice::new("warp slots", &["-warpwise-steer=uniform,affine"]),
        Choice::new("thread slots", &["-warpwise-steer=divergent"]),
    ];
    let limited: Vec<Choice> =
        regs.iter().flat_map(|&limit| plain.iter().map(move |choice| choice.limited(limit))).collect();
    plain.into_iter().chain(limited).collect()
}

/// Sums over the kernels of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
struct Score {
    local: u64,
    /// Fewer is better, so that the smallest score is the best.
    idle_warps: u32,
    registers: u32,
}

/// Tries all choices and prints what ptxas says of each.
pub fn run(args: &StaticArgs) -> Result<()> {
    let Some(file) = args.file.as_deref() else { bail!("no file is named") };
    if !file.is_file() {
        bail!("cannot read {}: no such file", file.display());
    }
    let cuda = find_cuda()?;
    let ptxas = cuda.join("bin/ptxas");
    if !ptxas.is_file() {
        bail!("there is no {}", ptxas.display());
    }
    let answers = args.cache.as_deref().map(Answers::of).transpose()?;
    let tried = Tried { args, file, ptxas: &ptxas, clang: find_clang()?, cuda, identity: identity()? };
    let mut best: Option<(Score, Choice)> = None;
    let mut shown: Vec<(String, String)> = Vec::new();
    println!(
        "{:<28} {:<24} {:>9} {:>6} {:>7} {:>7} {:>6}",
        "choice", "kernel", "registers", "stack", "spilled", "shared", "warps"
    );
    watch_signals();
    let bar = progress(choices(&args.regs).len());
    for mut choice in choices(&args.regs) {
        bar.set_message(choice.label.clone());
        if let Some(block) = args.block.filter(|_| !choice.clang.is_empty()) {
            choice.clang.extend(["-mllvm".to_owned(), format!("-warpwise-block={block}")]);
        }
        let measured = match &answers {
            Some(answers) => answers.get(&tried.key(&choice), Path::new(""), || tried.measure(&choice)),
            None => tried.measure(&choice).map(|(measured, _)| measured),
        };
        let (score, rows) = match measured {
            Err(_) if is_interrupted() => break, // the terminal sends Ctrl-C to clang and ptxas too
            measured => measured?,
        };
        bar.suspend(|| match shown.iter().find(|(_, known)| *known == rows) {
            Some((label, _)) => println!("{:<28} the same as {label}", choice.label),
            None => rows.lines().for_each(|row| println!("{:<28} {row}", choice.label)),
        });
        bar.inc(1);
        shown.push((choice.label.clone(), rows));
        if best.as_ref().is_none_or(|(known, _)| score < *known) {
            best = Some((score, choice));
        }
        if is_interrupted() {
            break;
        }
    }
    bar.finish_and_clear();
    if is_interrupted() {
        let how = match answers {
            Some(_) => "the same command goes on from here",
            None => "with --cache DIR, a later run goes on from there",
        };
        println!("stopped: of what was tried so far ({how})");
    }
    let Some((_, best)) = best else { bail!("stopped before anything was tried") };
    let flags = match best.clang.as_slice() {
        [] if best.ptxas.is_empty() => "nothing that was tried does better".to_owned(),
        [] => best.ptxas.join(" "),
        words => words.join(" "),
    };
    println!("best: {}: {flags}", best.label);
    if let Some(path) = &args.write {
        let limit = best.ptxas.iter().map(|flag| format!("-Xcuda-ptxas {flag}"));
        let lines: Vec<String> = best.clang.chunks(2).map(|pair| pair.join(" ")).chain(limit).collect();
        std::fs::write(path, lines.join("\n") + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    if is_interrupted() {
        bail!("not everything was tried");
    }
    Ok(())
}

/// The score of a choice, and a row for each kernel.
fn rows_of(measured: &Measurements, chip: Chip, threads: u32) -> (Score, String) {
    let mut score = Score { local: 0, idle_warps: 0, registers: 0 };
    let mut rows = String::new();
    for (name, kernel) in measured {
        let blocks = chip.resident_blocks(threads, kernel.resources.registers, kernel.resources.shared.into());
        let warps = blocks * threads.div_ceil(32);
        rows += &format!(
            "{:<24} {:>9} {:>6} {:>7} {:>7} {:>6}\n",
            kernel_symbol(name),
            kernel.resources.registers,
            kernel.resources.stack,
            kernel.resources.spill_stores + kernel.resources.spill_loads,
            kernel.resources.shared,
            warps
        );
        score.local += kernel.local();
        score.idle_warps += (chip.threads / 32).saturating_sub(warps);
        score.registers += kernel.resources.registers;
    }
    (score, rows)
}

/// What is the same for every choice.
struct Tried<'a> {
    args: &'a StaticArgs,
    file: &'a Path,
    ptxas: &'a Path,
    clang: PathBuf,
    cuda: PathBuf,
    identity: String,
}

impl Tried<'_> {
    /// A hash of all that decides what comes out, but the contents of the files.
    fn key(&self, choice: &Choice) -> String {
        let args = self.args;
        let block = args.block.map(|shape| shape.to_string()).unwrap_or_default();
        let folder = std::env::current_dir().unwrap_or_default();
        let paths = [&folder, self.file, self.ptxas, &self.clang, &self.cuda].map(|path| path.display().to_string());
        let words = [&self.identity, &args.arch, &block].into_iter().chain(&paths);
        let words = words.chain(&choice.clang).chain(&choice.ptxas).chain(&args.flags);
        kept::key(words.map(String::as_str))
    }

    /// The score of a choice and its rows, and the files that clang read.
    fn measure(&self, choice: &Choice) -> Result<((Score, String), Vec<String>)> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let list = folder.path().join("dependencies");
        let ptx = self.compile(choice, &folder.path().join("kernel.ptx"), &list)?;
        let measured = assemble(self.ptxas, &ptx, &self.args.arch, &choice.ptxas).map_err(anyhow::Error::msg)?;
        let threads = self.args.block.map_or(USUAL_THREADS, |shape| shape.threads());
        Ok((rows_of(&measured, Chip::of(&self.args.arch), threads), dependencies(&list)?))
    }

    fn compile(&self, choice: &Choice, ptx: &Path, list: &Path) -> Result<String> {
        let mut command = Command::new(&self.clang);
        command
            .args(["-x", "cuda"])
            .arg(self.file)
            .args(["-Wno-unknown-cuda-version", "-O3", "-S", "--cuda-device-only", "-MD", "-MF"])
            .arg(list)
            .arg(format!("--cuda-gpu-arch={}", self.args.arch))
            .args(tree_flags(&self.cuda));
        if !choice.clang.is_empty() {
            command.arg(format!("-fpass-plugin={}", find_plugin()?.display()));
        }
        let output = command.args(&choice.clang).args(&self.args.flags).arg("-o").arg(ptx).output();
        let output = output.with_context(|| format!("cannot run {}", self.clang.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("clang cannot compile {} to PTX:\n{}", self.file.display(), said.trim_end());
        }
        std::fs::read_to_string(ptx).with_context(|| format!("cannot read {}", ptx.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_tried_with_every_switch() {
        let all = choices(&[32, 64]);
        assert_eq!(all.len(), 15);
        assert!(all[5].ptxas == ["-maxrregcount=32"] && all[5].clang.is_empty());
        assert!(all[6].clang.contains(&"-warpwise-regs=32".to_owned()));
        let better = Score { local: 0, idle_warps: 8, registers: 40 };
        assert!(better < Score { local: 4, idle_warps: 0, registers: 32 });
    }
}
