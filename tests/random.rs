//! Does code pass the checks that need no GPU, and do both builds of random CUDA sources compute the same on the lockstep
//! machine? `scripts/agree random` has more sources, all variants, and a GPU.
//!
//! The static checks (`benches/random/src/checks.rs`): no load that ptxas drops for an undefined register, no store that
//! it converts, no multiply-add that vanishes or appears.

use crate::common::benchmarks::has_cuda;
use crate::common::{cuda_tree, plugin, root, stderr, stdout, warpwise};
use assert_cmd::Command;
use std::path::PathBuf;

/// The program, which `cargo build --workspace` puts beside the plugin.
fn random(command: &str) -> Command {
    let program = plugin().with_file_name("warpwise-random");
    assert!(program.is_file(), "{} is not built: cargo build --release --workspace", program.display());
    let mut random = Command::new(program);
    random.arg(command).arg("--plugin").arg(plugin()).arg("--cuda").arg(cuda_tree()).args(["--jobs", "1"]);
    random
}

fn passes(mut command: Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}

fn sources(folder: &str, found: &mut Vec<PathBuf>) {
    let folder = root().join(folder);
    let mut entries: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "Inputs") {
            sources(&path.to_string_lossy(), found);
        } else if path.extension().is_some_and(|ext| ext == "ll" || ext == "cu") {
            found.push(path);
        }
    }
}

fn code_passes(folders: &[&str], one_in: usize) {
    if !has_cuda() {
        return;
    }
    let mut files = Vec::new();
    folders.iter().for_each(|folder| sources(folder, &mut files));
    let mut command = random("static");
    command.args(files.iter().step_by(one_in));
    passes(command);
}

#[test]
fn code_of_some_lit_files_passes() {
    code_passes(&["llvm-tests"], 8);
}

#[test]
#[ignore = "long"]
fn code_of_all_lit_files_passes() {
    code_passes(&["llvm-tests"], 1);
}

#[test]
fn code_of_some_examples_passes() {
    code_passes(&["examples"], 2);
}

#[test]
#[ignore = "long"]
fn code_of_other_programs_passes() {
    code_passes(&["examples", "benches/agree", "benches/versions", "benches/tune"], 1);
}

#[test]
fn code_of_some_benchmarks_passes() {
    code_passes(&["benches/gpu/kernels"], 32);
}

#[test]
#[ignore = "long"]
fn code_of_all_benchmarks_passes() {
    code_passes(&["benches/gpu/kernels"], 1);
}

fn random_code_passes(seeds: &str) {
    if has_cuda() {
        let mut command = random("static");
        command.args(["--seeds", seeds]);
        passes(command);
    }
}

// in pieces that run side by side
#[test]
fn random_code_passes_0() {
    random_code_passes("0..48");
}

#[test]
fn random_code_passes_1() {
    random_code_passes("48..96");
}

fn random_code_runs(seeds: &str, variants: &[&str]) {
    if has_cuda() {
        let mut command = random("machine");
        command.args(["--seeds", seeds, "--warpwise"]).arg(warpwise().get_program()).arg("--variant").args(variants);
        passes(command);
    }
}

#[test]
fn random_code_runs_on_the_lockstep_machine() {
    random_code_runs("0..16", &["default"]);
}

const REWRITINGS: [&str; 8] =
    ["dead-uniform", "dead-divergent", "swap", "opaque", "rotate", "peel", "helpers", "return"];

#[test]
fn rewritten_code_runs_on_the_lockstep_machine() {
    random_code_runs("0..1", &REWRITINGS);
}

#[test]
#[ignore = "long"]
fn more_random_code_passes() {
    random_code_passes("96..200");
    random_code_runs("16..32", &["default"]);
    random_code_runs("1..4", &REWRITINGS);
}
