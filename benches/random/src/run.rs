//! Do both builds of every kernel compute the same on this machine's GPU, bit by bit?
//!
//! A worker, a child process, launches each entry point in each of its kernel's shapes; a fault ends a CUDA context and
//! a kernel may hang, so the parent starts another behind the kernel that ended one. Memory that differs is compared
//! with that of another launch of the plain kernel: if that differs as well, the source is to blame.

use crate::checks;
use crate::compile::{Tools, find};
use crate::expr::INPUTS;
use crate::kernel::{ATOMIC_WORDS, Kernel, OUT_WORDS, Shape, UNIT};
use crate::rng::Rng;
use crate::units::{self, Job, jobs};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use warpwise_bench::cuda::{Buffer, Device, Function, Module, Shape as Launch};

/// Seconds in which a kernel must end: a GPU needs a thousandth of one.
const PATIENCE: u64 = 20;

/// Bytes of stack for each thread: both builds recurse, with frames of different sizes.
const STACK: usize = 16 << 10;

/// What a worker says, a line each.
#[derive(Serialize, Deserialize, Clone, Debug)]
enum Word {
    Device(String),
    /// It begins with this entry point.
    Begin {
        job: usize,
        entry: usize,
    },
    /// It launched it so often, and so many shapes do not fit.
    Done {
        launches: usize,
        too_large: usize,
    },
    Found(Difference),
}

/// An entry point that did not compute what the plain kernel did.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Difference {
    pub seed: u64,
    pub variant: String,
    pub entry: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub what: String,
}

/// The whole run, as it is written.
#[derive(Serialize, Default, Debug)]
pub struct Report {
    pub device: String,
    pub variants: BTreeMap<String, Counts>,
    pub differences: Vec<Difference>,
    /// Differences in kernels whose build without the plugin is [no measure](other_build).
    pub assembler: Vec<Difference>,
    pub not_built: Vec<String>,
    /// What is seen to be wrong in the code itself, whatever it computed.
    pub seen: Vec<String>,
}

#[derive(Serialize, Default, Debug)]
pub struct Counts {
    pub kernels: usize,
    /// Kernels whose PTX the plugin changed, entry points compared, launches compared, and shapes too large for one of them.
    pub changed: usize,
    pub entries: usize,
    pub launches: usize,
    pub too_large: usize,
    /// Kernels with a difference.
    pub differ: usize,
    /// For each remark that says what was done, in how many kernels.
    pub done: BTreeMap<String, usize>,
}

/// Runs a folder; whether all agree.
pub fn run(tools: &Tools, folder: &Path, out: &Path) -> Result<bool> {
    let mut report = launches(folder)?;
    write(&report, out)?;
    for difference in std::mem::take(&mut report.differences) {
        println!("{} {}: differs; looking at clang's own code", difference.variant, difference.entry);
        let other = other_build(tools, folder, &difference).with_context(|| format!("seed {}", difference.seed))?;
        if let Some(other) = other {
            println!("{} {}: not compared, {other}", difference.variant, difference.entry);
            report.variants.entry(difference.variant.clone()).or_default().differ -= 1;
            report.assembler.push(difference);
        } else {
            report.differences.push(difference);
        }
        write(&report, out)?;
    }
    print(&report);
    Ok(report.differences.is_empty() && report.not_built.is_empty() && report.seen.is_empty())
}

fn write(report: &Report, out: &Path) -> Result<()> {
    fs::write(out, serde_json::to_string_pretty(report)?).with_context(|| out.display().to_string())
}

/// Why the build without the plugin is no measure, if it is none: it has what ptxas is [known](checks::mistaken) to get wrong, or
/// computes something else at another level of ptxas, or alone in its module. What is in a module with a kernel decides
/// about its code, and with it which products ptxas makes part of a multiply-add.
fn other_build(tools: &Tools, folder: &Path, difference: &Difference) -> Result<Option<String>> {
    let alone = tempfile::tempdir()?;
    let alone = alone.path();
    let variant = find(&difference.variant)?;
    let variants = variant.at_other_levels();
    let seeds = difference.seed..difference.seed + 1;
    let source = alone.join("source.cu");
    fs::write(&source, units::source(difference.seed / UNIT, &seeds, variant.rewriting).0)?;
    if let Some(mistake) = checks::mistaken(&tools.ptx(&source, variant, false, alone)?.ptx).into_iter().next() {
        return Ok(Some(mistake));
    }
    let (one, time) = (1, Duration::MAX);
    units::build(&units::Options { tools, folder: alone, seeds, variants: &variants, jobs: one, time })?;
    let is_compared =
        |job: &Job| job.variant == difference.variant && job.entries.iter().any(|(seed, _)| *seed == difference.seed);
    if let (Some(compared), Some(built)) = (jobs(folder)?.into_iter().find(is_compared), jobs(alone)?.first()) {
        let entries = vec![(difference.seed, Kernel::new(difference.seed).name)];
        let job = Job { variant: "alone in its module".to_owned(), entries, ..built.clone() };
        fs::copy(compared.cubin(folder, "plain"), job.cubin(alone, "plain"))?;
        fs::copy(built.cubin(alone, "plain"), job.cubin(alone, "ours"))?;
        writeln!(
            fs::OpenOptions::new().append(true).open(alone.join(units::JOBS))?,
            "{}",
            serde_json::to_string(&job)?
        )?;
    }
    let other = launches(alone)?.differences.into_iter().next();
    Ok(other.map(|found| format!("clang's own code differs from itself: {}", found.variant)))
}

/// Launches what a folder holds.
pub fn launches(folder: &Path) -> Result<Report> {
    let jobs = jobs(folder)?;
    let mut report = summary(&jobs);
    let (mut at, mut current) = ((0, 0), None);
    loop {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("worker")
            .arg(folder)
            .args([at.0.to_string(), at.1.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start a worker")?;
        for line in BufReader::new(child.stdout.take().context("a worker without output")?).lines() {
            match serde_json::from_str(&line?) {
                Ok(Word::Device(name)) => report.device = name,
                Ok(Word::Begin { job, entry }) => current = Some((job, entry)),
                Ok(Word::Done { launches, too_large }) => {
                    if let Some((job, _)) = current.take() {
                        let counts = report.variants.entry(jobs[job].variant.clone()).or_default();
                        counts.launches += launches;
                        counts.too_large += too_large;
                    }
                }
                Ok(Word::Found(difference)) => note(&mut report, difference),
                Err(_) => {}
            }
        }
        let status = child.wait()?;
        ensure!(!report.device.is_empty(), "the GPU cannot be used");
        let Some((job, entry)) = current.take() else { break };
        let (seed, name) = jobs[job].entries[entry].clone();
        let what = format!("the worker ended with {status}");
        let variant = jobs[job].variant.clone();
        note(&mut report, Difference { seed, variant, entry: name, grid: [0; 3], block: [0; 3], what });
        at = (job, entry + 1);
    }
    Ok(report)
}

fn note(report: &mut Report, difference: Difference) {
    let Difference { variant, entry, grid, block, what, .. } = &difference;
    println!("{variant} {entry} grid {grid:?} block {block:?}: {what}");
    report.variants.entry(variant.clone()).or_default().differ += 1;
    report.differences.push(difference);
}

/// What the build says of itself.
pub fn summary(jobs: &[Job]) -> Report {
    let mut report = Report::default();
    for job in jobs {
        let counts = report.variants.entry(job.variant.clone()).or_default();
        counts.kernels += job.kernels;
        let mut seeds: Vec<u64> = job.entries.iter().map(|e| e.0).collect();
        seeds.dedup();
        counts.changed += seeds.len();
        counts.entries += job.entries.len();
        for (remark, kernels) in &job.done {
            *counts.done.entry(remark.clone()).or_default() += kernels;
        }
        report.seen.extend(job.seen.iter().map(|what| format!("{}: {what}", job.variant)));
        report.not_built.extend(job.failed.iter().map(|why| format!("{} {}: {why}", job.unit, job.variant)));
    }
    report
}

pub fn print(report: &Report) {
    for (name, counts) in &report.variants {
        let Counts { kernels, changed, entries, launches, too_large, differ, done } = counts;
        println!(
            "{name}: {kernels} kernels, {changed} changed, {entries} entry points in {launches} launches ({too_large} \
             too large), {differ} differ"
        );
        let done: Vec<String> = done.iter().map(|(remark, kernels)| format!("{remark} {kernels}")).collect();
        println!("  {}", done.join(", "));
    }
    for line in &report.seen {
        println!("seen in the code: {line}");
    }
    for line in &report.not_built {
        println!("not built: {line}");
    }
}

/// The child: from an entry point of a job on.
pub fn worker(folder: &Path, from: (usize, usize)) -> Result<()> {
    let device = Device::open()?;
    device.set_stack(STACK)?;
    say(&Word::Device(format!("{}, {}", device.name, device.driver)))?;
    let progress = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&progress);
    std::thread::spawn(move || {
        let mut last = u64::MAX;
        loop {
            let now = seen.load(Ordering::Relaxed);
            if now == last {
                eprintln!("no end after {PATIENCE} s");
                std::process::abort(); // leaving in order waits for the kernel
            }
            last = now;
            std::thread::sleep(Duration::from_secs(PATIENCE));
        }
    });
    let inputs = Inputs::new(&device)?;
    for (number, job) in jobs(folder)?.iter().enumerate().skip(from.0) {
        let first = if number == from.0 { from.1 } else { 0 };
        if job.entries.len() <= first || job.failed.is_some() {
            continue;
        }
        let module = |kind: &str| -> Result<Module> { device.module(&fs::read(job.cubin(folder, kind))?) };
        let (plain, ours) = (module("plain")?, module("ours")?);
        for (at, (seed, entry)) in job.entries.iter().enumerate().skip(first) {
            say(&Word::Begin { job: number, entry: at })?;
            let kernel = Kernel::new(*seed);
            let pair = [(plain, kernel.name.as_str()), (ours, entry.as_str())];
            let word = each_shape(&device, &inputs, &kernel, pair, &job.variant, &progress)?;
            say(&word)?;
        }
        device.unload(plain)?;
        device.unload(ours)?;
    }
    Ok(())
}

fn say(word: &Word) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(word)?)?;
    Ok(out.flush()?)
}

/// Compares two builds of a kernel in all its shapes.
fn each_shape(
    device: &Device,
    inputs: &Inputs,
    kernel: &Kernel,
    pair: [(Module, &str); 2],
    variant: &str,
    progress: &AtomicU64,
) -> Result<Word> {
    let (mut launches, mut too_large) = (0, 0);
    for (number, &shape) in kernel.shapes.iter().enumerate() {
        let threads = shape.block.iter().product::<u32>();
        let shared = kernel.dynamic_shared * threads;
        let functions = [device.entry(pair[0].0, pair[0].1, shared)?, device.entry(pair[1].0, pair[1].1, shared)?];
        if device.max_threads(functions[0])? < threads || device.max_threads(functions[1])? < threads {
            too_large += 1;
            continue;
        }
        let launch = |function| inputs.launch(device, function, shape, shared, number as u32);
        let (before, after) = (launch(functions[0])?, launch(functions[1])?);
        progress.fetch_add(1, Ordering::Relaxed);
        launches += 1;
        if before == after {
            continue;
        }
        let again = [launch(functions[0])?, launch(functions[1])?];
        let what = match [again[0] == before, again[1] == after] {
            [false, _] => "the plain kernel differs from itself".to_owned(),
            [true, false] => differences(&before, &after) + "; launched again, ours differs from itself",
            [true, true] => differences(&before, &after),
        };
        say(&Word::Found(Difference {
            seed: kernel.name[1..].parse()?,
            variant: variant.to_owned(),
            entry: pair[1].1.to_owned(),
            grid: shape.grid,
            block: shape.block,
            what,
        }))?;
        break;
    }
    Ok(Word::Done { launches, too_large })
}

fn differences(before: &[u32], after: &[u32]) -> String {
    let differ: Vec<usize> = (0..before.len()).filter(|&i| before[i] != after[i]).collect();
    let first = differ[0];
    format!("{} words differ, the first at {first}: {:#x}, not {:#x}", differ.len(), after[first], before[first])
}

/// Buffers on the device, the same for all kernels.
struct Inputs {
    read: [Buffer; 4],
    out: Buffer,
    atomics: Buffer,
}

impl Inputs {
    fn new(device: &Device) -> Result<Inputs> {
        let read = contents().map(|bytes| {
            let buffer = device.alloc(bytes.len())?;
            device.upload(buffer, &bytes)?;
            anyhow::Ok(buffer)
        });
        let [i, f, d, b] = read;
        let (out, atomics) = (device.alloc(4 * 1024 * OUT_WORDS * 4)?, device.alloc(ATOMIC_WORDS * 4)?);
        Ok(Inputs { read: [i?, f?, d?, b?], out, atomics })
    }

    /// What the kernel wrote.
    fn launch(&self, device: &Device, function: Function, shape: Shape, shared: u32, number: u32) -> Result<Vec<u32>> {
        let out = Buffer { address: self.out.address, bytes: shape.threads() * OUT_WORDS * 4 };
        device.fill(out, 0xaa)?;
        device.fill(self.atomics, 0x55)?;
        let pointer = |buffer: Buffer| buffer.address.to_le_bytes().to_vec();
        let [i, f, d, b] = self.read;
        let mut params: Vec<Vec<u8>> = [out, i, f, d, b, self.atomics].map(pointer).to_vec();
        params.extend(values(number));
        device.launch(function, Launch { grid: shape.grid, block: shape.block, shared }, &mut params)?;
        device.synchronize()?;
        let words = [device.download(out)?, device.download(self.atomics)?].concat();
        Ok(words.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
    }
}

/// The contents of `I`, `F`, `D` and `B`.
pub fn contents() -> [Vec<u8>; 4] {
    let mut rng = Rng::new(0);
    let mut integers = Vec::new();
    let mut floats: Vec<f32> = Vec::new();
    for _ in 0..INPUTS {
        let small = rng.below(64) as u32;
        integers.push(if rng.chance(50) { small } else { rng.below(1 << 32) as u32 });
        let float = (rng.below(20_000) as f32 - 10_000.0) / 128.0;
        floats.push(if rng.chance(3) { rng.pick(&[0.0, -0.0, f32::INFINITY, f32::NAN, 1e-40, 3e38]) } else { float });
    }
    let doubles = floats.iter().flat_map(|&f| (f64::from(f) * 1.1).to_le_bytes()).collect();
    let bytes = (0..INPUTS).map(|_| rng.below(256) as u8).collect();
    let words = |all: &mut dyn Iterator<Item = [u8; 4]>| all.flatten().collect::<Vec<u8>>();
    [
        words(&mut integers.iter().map(|i| i.to_le_bytes())),
        words(&mut floats.iter().map(|f| f.to_le_bytes())),
        doubles,
        bytes,
    ]
}

/// `n`, `m`, `fa` and `p` of a launch, as their bytes.
pub fn values(number: u32) -> [Vec<u8>; 4] {
    let (n, m) = (3 + 4 * number as i32, 17 + number as i32);
    let mut arg = Vec::new();
    (0..8i32).for_each(|i| arg.extend((i * 37 - 100).to_le_bytes()));
    [1.5f32, -0.25, 9.0, 1e6].iter().for_each(|f| arg.extend(f.to_le_bytes()));
    (0..6i16).for_each(|i| arg.extend((i * 1000 - 2500).to_le_bytes()));
    (0..12u8).for_each(|i| arg.push(i * 21));
    arg.extend(0x0123_4567_89ab_cdefu64.to_le_bytes());
    [n.to_le_bytes().to_vec(), m.to_le_bytes().to_vec(), 2.75f32.to_le_bytes().to_vec(), arg]
}
