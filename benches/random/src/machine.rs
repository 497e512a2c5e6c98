//! Does the lockstep machine compute the same with both builds? It runs IR, needs no GPU, tries several schedulers and
//! looks for races, so it also says whether the sources are what they should be. It joins products and sums as LLVM's back
//! end and `ptxas` would, so that one that vanishes or appears shows.

use crate::compile::{Plain, Tools, Variant};
use crate::expr::INPUTS;
use crate::kernel::{ATOMIC_WORDS, Kernel, OUT_WORDS, UNIT};
use crate::{run, units};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Threads of a block at most: the machine runs them one after the other.
const THREADS: u32 = 128;
const BLOCKS: u32 = 2;

/// What the machine does not know, and what a source is not to blame for.
const UNKNOWN: &str = "the machine does not know";

#[derive(Default)]
pub struct Counts {
    pub same: usize,
    pub left_out: usize,
    /// A line for each kernel.
    pub differ: Vec<String>,
}

/// Compares every kernel in every variant.
pub fn compare(
    tools: &Tools,
    warpwise: &Path,
    variants: &[&Variant],
    seeds: &Range<u64>,
    jobs: usize,
) -> Result<Counts> {
    let (next, counts) = (AtomicU64::new(seeds.start / UNIT), Mutex::new(Counts::default()));
    units::parallel(jobs, || {
        let folder = tempfile::tempdir()?;
        loop {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= seeds.end.div_ceil(UNIT) {
                return Ok(());
            }
            let mut plain = Plain::new();
            for &variant in variants {
                let before = plain.of(variant, || module(tools, unit, seeds, (variant, false), folder.path()))?;
                let ours = module(tools, unit, seeds, (variant, true), folder.path())?;
                for seed in (unit * UNIT..(unit + 1) * UNIT).filter(|seed| seeds.contains(seed)) {
                    let said = one(warpwise, seed, before, &ours)?;
                    let mut counts = counts.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
                    match said {
                        None => counts.same += 1,
                        Some(why) if why.contains(UNKNOWN) => counts.left_out += 1,
                        Some(why) => counts.differ.push(format!("k{seed} {}: {why}", variant.name)),
                    }
                }
            }
        }
    })?;
    counts.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))
}

/// The IR of a unit with the flags of a variant: clang's own, or with the plugin and as the variant rewrites it.
fn module(
    tools: &Tools,
    unit: u64,
    seeds: &Range<u64>,
    (variant, is_ours): (&Variant, bool),
    folder: &Path,
) -> Result<PathBuf> {
    let source = folder.join(format!("{unit}.{}.{}.cu", variant.name, if is_ours { "ours" } else { "plain" }));
    std::fs::write(&source, units::source(unit, seeds, variant.rewriting.filter(|_| is_ours)).0)?;
    tools.ir(&source, variant, is_ours)
}

/// What is wrong with a kernel, if anything.
fn one(warpwise: &Path, seed: u64, plain: &Path, ours: &Path) -> Result<Option<String>> {
    let kernel = Kernel::new(seed);
    let threads = |block: &[u32; 3]| block.iter().product::<u32>();
    let mut blocks: Vec<[u32; 3]> = kernel.shapes.iter().map(|shape| shape.block).collect();
    blocks.push([64, 1, 1]);
    let block = blocks.into_iter().find(|block| threads(block) <= THREADS).unwrap_or([64, 1, 1]);
    let [n, m, fa, p] = run::values(0);
    let mut command = Command::new(warpwise);
    command
        .args(["simt", "--contract", "--race", "global", "--grid", &BLOCKS.to_string()])
        .arg("--compare")
        .args([plain, ours]);
    command.args(["-k", &kernel.name, "--block", &format!("{}x{}x{}", block[0], block[1], block[2]).replace('x', ",")]);
    command.args(["--dynamic-shared", &(kernel.dynamic_shared * threads(&block)).to_string()]);
    let words = (BLOCKS * threads(&block)) as usize * OUT_WORDS;
    let buffers = [
        format!("u32[{words}]:fill:7"),
        format!("u32[{INPUTS}]:random:1"),
        format!("f32[{INPUTS}]:random:2"),
        format!("f64[{INPUTS}]:random:3"),
        format!("u8[{INPUTS}]:random:4"),
        format!("u32[{ATOMIC_WORDS}]:fill:5"),
    ];
    let values = [n, m, fa, p].map(|bytes| {
        bytes.iter().fold("bytes:".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    });
    for argument in buffers.iter().chain(&values) {
        command.arg("-a").arg(argument);
    }
    let output = command.output().with_context(|| format!("cannot start {}", warpwise.display()))?;
    let said = [output.stdout, output.stderr].concat();
    Ok((!output.status.success()).then(|| String::from_utf8_lossy(&said).trim().replace('\n', "; ")))
}
