//! How long does each transform take compared with the analysis on which it is based? Measured on the ladder of
//! generated kernels and on every file named on the command line (`scripts/bench passes FILE.ll …`). For profiling,
//! `--files` leaves out the ladder and `--only=PASS` the other transforms.
//!
//! A run parses the module again, analyses all its functions, and then runs the transform, which analyses them again.
//! Times are CPU time of the thread; a figure is the median of [`RUNS`] runs after a warm-up, or of [`SHORT_RUNS`] if a
//! run takes microseconds. Ratios are formed within each run, so that both parts are measured under the same
//! conditions.

#[path = "ladder.rs"]
mod ladder;

use cpu_time::ThreadTime;
use std::path::PathBuf;
use warpwise::pipeline::Session;
use warpwise::registry::Pass;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::llvm::remark::PassManager;

/// Runs of which the median is reported.
const RUNS: usize = 9;
/// The same for short runs.
const SHORT_RUNS: usize = 41;
/// Up to this many instructions a run counts as short.
const SHORT: usize = 2_000;
/// Sizes of the generated kernels, in instructions.
const LADDER: [usize; 3] = [1_000, 10_000, 100_000];
/// A transform, and the parameters that make it do as much as possible.
const PASSES: [(&str, &str); 4] = [
    ("annotate-uniform", "block=256;assume-restrict"),
    ("fuse-branches", ""),
    ("steer-spills", "regs=32;block=256"),
    ("divergence-map", ""),
];

enum Source {
    Ladder(usize),
    File(PathBuf),
}

impl Source {
    fn name(&self) -> String {
        match self {
            Source::Ladder(size) => format!("ladder {size}"),
            Source::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    fn read(&self) -> Result<OwnedModule, String> {
        match self {
            Source::Ladder(size) => OwnedModule::from_text(&ladder::ladder(*size, 1), "ladder"),
            Source::File(path) => OwnedModule::from_file(path),
        }
        .map_err(|e| e.to_string())
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A separate function, so that it shows up in a profile.
#[inline(never)]
fn analyse(module: Module<'_>, bodies: &[Function<'_>]) {
    let analysis = ModuleAnalysis::new(module, Options::default());
    for &function in bodies {
        std::hint::black_box(analysis.facts(function));
    }
}

/// A separate function like [`analyse`].
#[inline(never)]
fn transform(pass: Pass, module: Module<'_>, parameters: &str) {
    std::hint::black_box(pass.run(module, parameters, &Session::default(), &PassManager::silent()))
        .expect("the parameters are right");
}

fn measure(source: &Source, passes: &[(&str, &str)]) -> Result<(), String> {
    let mut analysis = Vec::new();
    let mut row = String::new();
    let mut instructions: usize = 0;
    for (name, parameters) in passes {
        let Some(pass) = Pass::of_name(name) else { continue };
        let mut ratios = Vec::new();
        for run in 0.. {
            let module = source.read()?;
            let bodies: Vec<_> = module.handle().functions().filter(|function| !function.is_declaration()).collect();
            instructions = bodies.iter().flat_map(|function| function.blocks()).map(|b| b.insts().count()).sum();
            let start = ThreadTime::now();
            analyse(module.handle(), &bodies);
            let alone = start.elapsed().as_nanos().max(1) as f64;
            drop(bodies);
            let start = ThreadTime::now();
            transform(pass, module.handle(), parameters);
            if run > 0 {
                ratios.push(start.elapsed().as_nanos() as f64 / alone);
                analysis.push(alone);
            }
            if run == if instructions <= SHORT { SHORT_RUNS } else { RUNS } {
                break;
            }
        }
        row += &format!(" {:.2} |", median(ratios));
    }
    let each = median(analysis) / instructions.max(1) as f64;
    println!("| {} | {instructions} | {each:.0} |{row}", source.name());
    Ok(())
}

fn main() -> Result<(), String> {
    let only = std::env::args().find_map(|argument| argument.strip_prefix("--only=").map(str::to_owned));
    let wanted = |name: &str| Pass::of_name(name).is_some() && only.as_ref().is_none_or(|only| only == name);
    let passes: Vec<(&str, &str)> = PASSES.into_iter().filter(|(name, _)| wanted(name)).collect();
    let names: Vec<&str> = passes.iter().map(|(name, _)| *name).collect();
    println!("| module | instructions | analysis, ns each | {} |", names.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(names.len()));
    let ladder: &[usize] = if std::env::args().any(|argument| argument == "--files") { &[] } else { &LADDER };
    let files = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    for source in ladder.iter().copied().map(Source::Ladder).chain(files.map(|file| Source::File(file.into()))) {
        measure(&source, &passes)?;
    }
    Ok(())
}
