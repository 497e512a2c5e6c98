//! What is done with a module that must survive it? One stage after another, each on a fresh copy.
//!
//! A failing stage may end the process by a signal, an abort or a panic, so stages are run in processes of their own.

use crate::report::{model, text};
use std::path::Path;
use warpwise::abi::load::transform;
use warpwise_analysis::divergence::print::Printer;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_ir::llvm::image;
use warpwise_ir::llvm::mutate::listen;
use warpwise_ir::llvm::owned::OwnedModule;

/// The analysis, printed, and the report, with unknown and with known block shape.
const ANALYSIS: &str = "analysis";
/// The import into the lockstep machine.
const MACHINE: &str = "machine";
/// Every transform by itself with the parameters that make it do most, the default pipeline, and all of them in
/// sequence.
const PIPELINES: [&str; 15] = [
    "unroll-loops<always>",
    "inline-calls",
    "free-arrays",
    "idioms",
    "unswitch-loops",
    "unroll-whole",
    "annotate-uniform<verify;block=64x4>",
    "fuse-branches<always>",
    "steer-spills<regs=24>",
    "steer-spills<regs=32;block=256;dynamic-shared=0;victims=all>",
    "divergence-map<all>",
    "warpwise",
    "warpwise<fuse;map;block=128>,warpwise-remarks",
    "function(loop-simplify),fuse-branches<always>,verify,fuse-branches<always>",
    "annotate-uniform,verify,fuse-branches<always>,verify,steer-spills<regs=24;block=64>,verify,divergence-map<flush-after=2>",
];

/// The names of all stages, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    [ANALYSIS, MACHINE].into_iter().chain(PIPELINES)
}

/// Runs one stage on a module; returns the message of LLVM's verifier about the result, if there is one. A stage may
/// also be any pipeline.
pub fn run(bitcode: &[u8], stage: &str) -> Result<(), String> {
    let module = OwnedModule::from_bitcode(bitcode, "module").map_err(|e| e.to_string())?;
    listen(&module);
    match stage {
        ANALYSIS => analyse(&module),
        MACHINE => _ = std::hint::black_box(image::import(module.handle(), "module")),
        _ => return transform_as_told(&module, stage),
    }
    Ok(())
}

/// Modules for another target must not change.
fn transform_as_told(module: &OwnedModule, passes: &str) -> Result<(), String> {
    let device = module.inkwell().get_triple().as_str().to_string_lossy().starts_with("nvptx");
    let before = (!device).then(|| module.handle().print());
    transform(module, passes)?;
    match before {
        Some(before) if !passes.contains("loop-simplify") && before != module.handle().print() => {
            Err("a module for another target was changed".to_owned())
        }
        _ => Ok(()),
    }
}

fn analyse(module: &OwnedModule) {
    for block in ["", "64", "33x2x3"] {
        let analysis = ModuleAnalysis::new(module.handle(), Options { block: block.parse().ok() });
        for function in module.handle().functions().filter(|function| !function.is_declaration()) {
            let (facts, handles) = analysis.facts(function);
            std::hint::black_box(Printer::new(&facts, &handles).function());
        }
        if block.is_empty() {
            let report = model::build(&analysis, Path::new("module"));
            std::hint::black_box(text::render(&report, false, true));
        }
    }
}
