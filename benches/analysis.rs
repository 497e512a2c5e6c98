//! How long does the analysis take compared with LLVM's own, and how much memory does it need? Measured on the ladder
//! of generated kernels and on every file named on the command line (`scripts/bench analysis FILE.ll …` adds the
//! examples).
//!
//! LLVM's runs in opt, which says by itself how long it and the dominators and cycles that it needs take; ours, with its
//! import from LLVM, in this process. A figure is the mean of [`RUNS`] runs, of [`SHORT_RUNS`] if a run takes microseconds,
//! or of `--runs=N`; in this process a warm-up comes before. `--files` leaves out the ladder;
//! `--points=FILE` writes the ladder's times to a file that `scripts/bench plot --scaling FILE` draws. Memory is the
//! peak that warpwise allocates beyond the module itself, counted by the allocator in a separate run.

#[path = "ladder.rs"]
mod ladder;

use cpu_time::ThreadTime;
use std::path::Path;
use std::process::Command;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_ir::llvm::owned::OwnedModule;

/// Runs of which the mean is reported.
const RUNS: u32 = 11;
/// The same for short runs.
const SHORT_RUNS: u32 = 101;
/// Up to this many instructions a run counts as short.
const SHORT: usize = 2_000;
/// Sizes of the generated kernels, in instructions.
const LADDER: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

fn analyse(module: &OwnedModule) {
    let analysis = ModuleAnalysis::new(module.handle(), Options::default());
    for function in module.handle().functions().filter(|function| !function.is_declaration()) {
        std::hint::black_box(analysis.facts(function));
    }
}

/// Nanoseconds of a run of LLVM's analysis and what it needs over all functions, by opt's `-time-passes`.
fn theirs(module: &OwnedModule, runs: u32) -> Result<u64, String> {
    let file = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
    std::fs::write(file.path(), module.to_bitcode()).map_err(|e| e.to_string())?;
    let passes = vec!["function(invalidate<all>,require<uniformity>)"; runs as usize].join(",");
    let opt = std::env::var("LLVM_SYS_221_PREFIX").map_err(|_| "LLVM_SYS_221_PREFIX is not set")? + "/bin/opt";
    let target = ["-mtriple=nvptx64-nvidia-cuda", "-time-passes", "-disable-output", "-disable-verify"];
    let ran = Command::new(&opt).arg(format!("-passes={passes}")).args(target).arg(file.path()).output();
    let ran = ran.map_err(|e| format!("cannot run {opt}: {e}"))?;
    let said = String::from_utf8_lossy(&ran.stderr);
    let needed = ["UniformityInfoAnalysis", "DominatorTreeAnalysis", "PostDominatorTreeAnalysis", "CycleAnalysis"];
    let seconds = said.lines().map(|line| {
        let is_needed = needed.iter().any(|name| line.ends_with(&format!(" {name}")));
        is_needed.then(|| line.split_whitespace().next()?.parse::<f64>().ok()).flatten().unwrap_or(0.0)
    });
    Ok((seconds.sum::<f64>() * 1e9 / f64::from(runs)) as u64)
}

/// The same of ours.
fn ours(module: &OwnedModule, runs: u32) -> u64 {
    analyse(module);
    let start = ThreadTime::now();
    (0..runs).for_each(|_| analyse(module));
    start.elapsed().as_nanos() as u64 / u64::from(runs)
}

/// Maximum number of bytes that one analysis of the module allocates, on a thread that has analysed nothing yet and so
/// keeps no tables.
fn peak_bytes(module: &OwnedModule) -> usize {
    struct Lent<'a>(&'a OwnedModule);
    // SAFETY: the thread that owns the module waits.
    #[allow(unsafe_code)]
    unsafe impl Send for Lent<'_> {}
    let lent = Lent(module);
    let peak = move || {
        let Lent(module) = { lent };
        warpwise_ir::memory::peak_bytes(|| analyse(module))
    };
    std::thread::scope(|scope| scope.spawn(peak).join()).unwrap_or(0)
}

/// Prints a row; returns the number of instructions and the nanoseconds that LLVM and we took.
fn measure(name: &str, module: &OwnedModule) -> Result<[u64; 3], String> {
    let handle = module.handle();
    let bodies: Vec<_> = handle.functions().filter(|function| !function.is_declaration()).collect();
    let instructions: usize = bodies.iter().flat_map(|function| function.blocks()).map(|b| b.insts().count()).sum();
    let peak = peak_bytes(module);
    let asked = std::env::args().find_map(|argument| argument.strip_prefix("--runs=")?.parse().ok());
    let runs = asked.unwrap_or(if instructions <= SHORT { SHORT_RUNS } else { RUNS });
    let (theirs, ours) = (theirs(module, runs)?, ours(module, runs));
    let each = |ns: u64| ns as f64 / instructions.max(1) as f64;
    println!(
        "| {name} | {instructions} | {:.1} | {:.1} | {:.2} | {:.0} |",
        each(theirs),
        each(ours),
        ours as f64 / theirs.max(1) as f64,
        peak as f64 / instructions.max(1) as f64
    );
    Ok([instructions as u64, theirs, ours])
}

fn main() -> Result<(), String> {
    println!(
        "| module | instructions | LLVM uniformity, ns each | affine-divergence, ns each | ratio | peak bytes each |"
    );
    println!("|---|---|---|---|---|---|");
    let (mut at_10k, mut at_1m) = (None, None);
    let mut points = Vec::new();
    let ladder: &[usize] = if std::env::args().any(|argument| argument == "--files") { &[] } else { &LADDER };
    for &size in ladder {
        let text = ladder::ladder(size, 1);
        let module = OwnedModule::from_text(&text, "ladder").map_err(|e| e.to_string())?;
        drop(text);
        let [instructions, theirs, ours] = measure(&format!("ladder {size}"), &module)?;
        for (series, ns) in [("LLVM's uniformity", theirs), ("affine-divergence", ours)] {
            points.push(serde_json::json!({ "series": series, "size": instructions, "seconds": ns as f64 * 1e-9 }));
        }
        let each = ours as f64 / instructions as f64;
        match size {
            10_000 => at_10k = Some(each),
            1_000_000 => at_1m = Some(each),
            _ => {}
        }
    }
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let module = OwnedModule::from_file(Path::new(&path)).map_err(|e| e.to_string())?;
        measure(Path::new(&path).file_name().unwrap_or_default().to_string_lossy().as_ref(), &module)?;
    }
    if let (Some(small), Some(large)) = (at_10k, at_1m) {
        println!("\ntime an instruction at 1,000,000 over that at 10,000: {:.2}", large / small);
    }
    if let Some(file) = std::env::args().find_map(|argument| argument.strip_prefix("--points=").map(str::to_owned)) {
        let text = serde_json::to_string_pretty(&points).map_err(|e| e.to_string())?;
        std::fs::write(&file, text).map_err(|e| format!("cannot write {file}: {e}"))?;
    }
    Ok(())
}
