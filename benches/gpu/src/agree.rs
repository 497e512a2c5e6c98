//! Does the GPU compute what the lockstep machine computed?
//!
//! `scripts/agree` builds a folder of cases. Each has `NAME/launch.json` with inputs and results, as `warpwise simt
//! --record` writes them; `NAME/kernel.cubin`, made from the same IR that the machine ran; and `NAME/judge`, with lines
//! that say how to compare an argument (the default is bit by bit):
//!
//! - `ulp ARG N`: floats may differ by N units in the last place;
//! - `counts ARG`: visits and splits of branches, counted by the program: compared bit by bit, and listed separately in
//!   the table;
//! - `free-counts ARG`: counts for which ptxas may choose other reconvergence points: differences are only reported.
//!
//! Global variables that the kernel changed are compared, too. Counters of a divergence map (`__warpwise_map_*`) are
//! stored in several replicas; their sums are compared, as free counts.
//!
//! A fault ends a CUDA context, and a kernel may hang. So [`run`] processes the cases in child processes and starts a
//! new one after each case that could not be run.

use crate::cuda::{Buffer, Device, Module, Shape};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A case that takes longer is considered to hang: the machine ran it in seconds, and a GPU needs less than one.
const PATIENCE: Duration = Duration::from_secs(30);
/// Names of a divergence map's symbols: the common prefix, the suffix of the counters, and that of the table.
const MAP: &str = "__warpwise_map_";
const COUNTERS: &str = "_counters";
const TABLE: &str = "_table";

#[derive(Deserialize)]
struct Launch {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    args: Vec<Arg>,
    globals: Vec<Global>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Arg {
    Value(Vec<u8>),
    Buffer { element: String, before: String, after: String },
}

#[derive(Deserialize)]
struct Global {
    name: String,
    after: String,
}

/// How one argument is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Judge {
    #[default]
    Exact,
    Ulp(u64),
    Counts,
    FreeCounts,
}

/// The result of a case.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    pub case: String,
    /// Why it could not be run; then everything else is empty.
    pub failed: Option<String>,
    /// Number of bytes compared bit by bit, and the differences.
    pub exact_bytes: usize,
    pub wrong: Vec<String>,
    /// Floats compared in ulp: their number, the largest distance found, and the distance allowed.
    pub floats: usize,
    pub worst_ulp: u64,
    pub allowed_ulp: u64,
    /// Number of count words compared, and the differences, which are no failure for free counts.
    pub counts: usize,
    pub counts_differ: Vec<String>,
    pub counts_free: bool,
}

impl Verdict {
    fn is_good(&self) -> bool {
        self.failed.is_none() && self.wrong.is_empty() && (self.counts_free || self.counts_differ.is_empty())
    }
}

/// The whole run, as results.json holds it.
#[derive(Serialize)]
struct Results {
    device: String,
    driver: String,
    verdicts: Vec<Verdict>,
}

/// Runs every case in a folder whose name contains `only`, prints a table and writes `out`; returns whether all agree.
pub fn run(folder: &Path, only: &str, out: &Path) -> Result<bool> {
    let cases = cases(folder, only)?;
    ensure!(!cases.is_empty(), "no case in {}", folder.display());
    let (mut verdicts, mut device) = (Vec::new(), String::new());
    while verdicts.len() < cases.len() {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("agree-worker")
            .arg(folder)
            .args(&cases[verdicts.len()..])
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start a worker")?;
        let before = verdicts.len();
        for line in BufReader::new(child.stdout.take().context("a worker without output")?).lines() {
            let line = line?;
            match line.split_once('\t') {
                Some(("device", name)) => name.clone_into(&mut device),
                Some(("verdict", json)) => {
                    let verdict: Verdict = serde_json::from_str(json)?;
                    println!("{}", row(&verdict));
                    verdicts.push(verdict);
                }
                _ => {}
            }
        }
        let status = child.wait()?;
        if verdicts.len() == before {
            ensure!(!device.is_empty(), "the GPU cannot be used");
            let case = cases[before].clone();
            let failed = Some(format!("the worker ended with {status}"));
            verdicts.push(Verdict { case, failed, ..Verdict::default() });
            println!("{}", row(&verdicts[before]));
        }
    }
    let bad = verdicts.iter().filter(|v| !v.is_good()).count();
    let sum = |of: fn(&Verdict) -> usize| verdicts.iter().map(of).sum::<usize>();
    let (device, driver) = device.split_once('\t').unwrap_or((&device, ""));
    println!(
        "{device}, {driver}: {} cases, {bad} differ; {} bytes bit by bit, {} floats in ulp, {} counts",
        verdicts.len(),
        sum(|v| v.exact_bytes),
        sum(|v| v.floats),
        sum(|v| v.counts)
    );
    let results = Results { device: device.to_owned(), driver: driver.to_owned(), verdicts };
    fs::write(out, serde_json::to_string_pretty(&results)?).with_context(|| out.display().to_string())?;
    Ok(bad == 0)
}

fn cases(folder: &Path, only: &str) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().join("launch.json").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(only))
        .collect();
    names.sort();
    Ok(names)
}

/// A line of the table.
fn row(verdict: &Verdict) -> String {
    let Verdict { case, failed, exact_bytes, wrong, floats, worst_ulp, allowed_ulp, counts, .. } = verdict;
    let mut parts = Vec::new();
    if let Some(why) = failed {
        parts.push(format!("FAILED: {why}"));
    } else {
        if *exact_bytes > 0 {
            let judged = if wrong.is_empty() { "identical" } else { "compared" };
            parts.push(format!("{exact_bytes} bytes {judged}"));
        }
        if *floats > 0 {
            parts.push(format!("{floats} floats within {worst_ulp} ulp (allowed {allowed_ulp})"));
        }
        if *counts > 0 {
            let differ = &verdict.counts_differ;
            parts.push(match differ.first() {
                None => format!("{counts} counts equal"),
                Some(first) => format!("{} of {counts} counts differ: {first}", differ.len()),
            });
        }
        parts.extend(wrong.first().map(|first| format!("WRONG {} times: {first}", wrong.len())));
    }
    format!("{:4} {case:32} {}", if verdict.is_good() { "ok" } else { "BAD" }, parts.join(", "))
}

/// The child process: runs cases until one cannot be run, and prints each verdict as a line.
pub fn worker(folder: &Path, cases: &[String]) -> Result<()> {
    let device = Device::open()?;
    say(&format!("device\t{}\t{}", device.name, device.driver));
    for case in cases {
        let (done, alarm) = std::sync::mpsc::channel::<()>();
        let name = case.clone();
        std::thread::spawn(move || {
            if alarm.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let failed = Some(format!("no end after {} s", PATIENCE.as_secs()));
                tell(&Verdict { case: name, failed, ..Verdict::default() });
                std::process::exit(1);
            }
        });
        let verdict = one(&device, folder, case);
        drop(done);
        let failed = verdict.is_err();
        tell(&verdict.unwrap_or_else(|why| Verdict {
            case: case.clone(),
            failed: Some(format!("{why:#}")),
            ..Verdict::default()
        }));
        if failed {
            std::process::exit(1);
        }
    }
    Ok(())
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // nobody reads the output any more: the parent is gone
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn tell(verdict: &Verdict) {
    if let Ok(json) = serde_json::to_string(verdict) {
        say(&format!("verdict\t{json}"));
    }
}

fn one(device: &Device, folder: &Path, case: &str) -> Result<Verdict> {
    let at = folder.join(case);
    let read = |name: &str| fs::read(at.join(name)).with_context(|| format!("{case}/{name}"));
    let launch: Launch = serde_json::from_slice(&read("launch.json")?).context("launch.json")?;
    let judges = judges(&fs::read_to_string(at.join("judge")).unwrap_or_default())?;
    let (module, function) = device.load(&read("kernel.cubin")?, &launch.kernel, launch.dynamic_shared)?;
    let (mut params, mut buffers) = (Vec::new(), Vec::new());
    for (number, arg) in launch.args.iter().enumerate() {
        match arg {
            Arg::Value(bytes) => params.push(bytes.clone()),
            Arg::Buffer { element, before, after } => {
                let bytes = read(before)?;
                let buffer = device.alloc(bytes.len())?;
                device.upload(buffer, &bytes)?;
                params.push(buffer.address.to_le_bytes().to_vec());
                buffers.push((number, element, after, buffer));
            }
        }
    }
    let shape = Shape { grid: launch.grid, block: launch.block, shared: launch.dynamic_shared };
    device.launch(function, shape, &mut params)?;
    device.synchronize()?;
    let mut verdict = Verdict { case: case.to_owned(), ..Verdict::default() };
    for (number, element, after, buffer) in buffers {
        let judge = judges.get(&number).copied().unwrap_or_default();
        let found = device.download(buffer)?;
        verdict.compare(&format!("argument {number}"), judge, element, &read(after)?, &found)?;
        device.free(buffer)?;
    }
    for Global { name, after } in &launch.globals {
        let expected = read(after)?;
        let symbol = device.global(module, name)?;
        let found = device.download(Buffer { address: symbol.address, bytes: expected.len().min(symbol.bytes) })?;
        if let Some(unit) = map_unit(name) {
            let words = replica_words(device, module, &format!("{unit}{TABLE}"))?;
            let (expected, found) = (sums(&expected, words), sums(&found, words));
            verdict.compare(name, Judge::FreeCounts, "u64", &expected, &found)?;
        } else {
            verdict.compare(name, Judge::Exact, "u8", &expected, &found)?;
        }
    }
    Ok(verdict)
}

fn judges(text: &str) -> Result<BTreeMap<usize, Judge>> {
    let mut all = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (arg, judge) = match words.as_slice() {
            ["ulp", arg, most] => (arg, Judge::Ulp(most.parse()?)),
            ["counts", arg] => (arg, Judge::Counts),
            ["free-counts", arg] => (arg, Judge::FreeCounts),
            _ => bail!("cannot read '{line}'"),
        };
        all.insert(arg.parse().with_context(|| format!("'{arg}' is no argument's number"))?, judge);
    }
    Ok(all)
}

/// The translation unit of these counters: `__warpwise_map_SUFFIX` for `__warpwise_map_SUFFIX_counters`.
fn map_unit(name: &str) -> Option<&str> {
    name.strip_suffix(COUNTERS).filter(|unit| unit.starts_with(MAP))
}

/// Number of 64-bit words of a replica, from the header of a map's table.
fn replica_words(device: &Device, module: Module, table: &str) -> Result<usize> {
    let symbol = device.global(module, table)?;
    let header = device.download(Buffer { address: symbol.address, bytes: 24.min(symbol.bytes) })?;
    let words = header.get(20..24).context("a table without a header")?;
    Ok(u32::from_le_bytes([words[0], words[1], words[2], words[3]]) as usize)
}

/// Sums of the words over the replicas.
fn sums(bytes: &[u8], words: usize) -> Vec<u8> {
    let mut sums = vec![0u64; words.max(1)];
    for (i, word) in bytes.chunks_exact(8).enumerate() {
        let slot = &mut sums[i % words.max(1)];
        *slot = slot.wrapping_add(bits(word));
    }
    sums.into_iter().flat_map(u64::to_le_bytes).collect()
}

impl Verdict {
    fn compare(&mut self, what: &str, judge: Judge, element: &str, expected: &[u8], found: &[u8]) -> Result<()> {
        ensure!(expected.len() == found.len(), "{what} has {} bytes, not {}", found.len(), expected.len());
        let bytes = element.trim_start_matches(['i', 'u', 'f']).parse::<usize>().context("element type")? / 8;
        let mut differences = Vec::new();
        for (i, (e, f)) in expected.chunks(bytes).zip(found.chunks(bytes)).enumerate() {
            let distance = if e == f { 0 } else { distance(element, e, f) };
            let limit = if let Judge::Ulp(most) = judge { most } else { 0 };
            if judge == Judge::Ulp(limit) {
                self.worst_ulp = self.worst_ulp.max(distance);
            }
            if distance > limit {
                differences.push(format!("{what}[{i}] is {}, not {}", show(element, f), show(element, e)));
            }
        }
        let elements = expected.len() / bytes;
        match judge {
            Judge::Exact => self.exact_bytes += expected.len(),
            Judge::Ulp(most) => {
                self.floats += elements;
                self.allowed_ulp = self.allowed_ulp.max(most);
            }
            Judge::Counts | Judge::FreeCounts => {
                self.counts += elements;
                self.counts_free |= judge == Judge::FreeCounts;
                self.counts_differ.append(&mut differences);
            }
        }
        self.wrong.append(&mut differences);
        Ok(())
    }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Number of floats between two values, or 1 for different integers; any two NaNs are equal.
fn distance(element: &str, a: &[u8], b: &[u8]) -> u64 {
    let (a, b) = (bits(a), bits(b));
    let width = match element {
        "f16" => 16,
        "f32" => 32,
        "f64" => 64,
        _ => return u64::from(a != b),
    };
    let infinity: u64 = match width {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    let magnitude = |x: u64| x & (u64::MAX >> (65 - width));
    let nan = |x: u64| magnitude(x) > infinity;
    if nan(a) || nan(b) {
        return if nan(a) && nan(b) { 0 } else { u64::MAX };
    }
    // As positions on the number line, both zeros at 0.
    let place = |x: u64| if x >> (width - 1) & 1 == 1 { -i128::from(magnitude(x)) } else { i128::from(magnitude(x)) };
    // Two zeros of different sign are one apart.
    u64::try_from((place(a) - place(b)).unsigned_abs()).unwrap_or(u64::MAX).max(u64::from(a != b))
}

fn show(element: &str, bytes: &[u8]) -> String {
    let value = bits(bytes);
    match element {
        "f32" => format!("{} ({value:#010x})", f32::from_bits(value as u32)),
        "f64" => format!("{} ({value:#018x})", f64::from_bits(value)),
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_floats() {
        let of = |a: f32, b: f32| distance("f32", &a.to_le_bytes(), &b.to_le_bytes());
        assert_eq!(of(1.0, 1.0 + f32::EPSILON), 1);
        assert_eq!(of(0.0, -0.0), 1);
        assert_eq!(of(-f32::from_bits(1), f32::from_bits(1)), 2);
        assert_eq!(of(f32::NAN, -f32::NAN), 0);
        assert_eq!(of(f32::NAN, 1.0), u64::MAX);
        assert_eq!(distance("f64", &1f64.to_le_bytes(), &f64::from_bits(1f64.to_bits() + 5).to_le_bytes()), 5);
        assert_eq!(distance("i32", &[1, 0, 0, 0], &[9, 0, 0, 0]), 1);
    }

    #[test]
    fn verdicts_tell_counts_from_memory() {
        let mut verdict = Verdict::default();
        verdict.compare("argument 0", Judge::Exact, "u32", &[1, 0, 0, 0], &[1, 0, 0, 0]).unwrap();
        verdict.compare("argument 1", Judge::FreeCounts, "u32", &[1, 0, 0, 0], &[2, 0, 0, 0]).unwrap();
        assert!(verdict.is_good() && verdict.counts_differ.len() == 1);
        verdict.compare("argument 2", Judge::Ulp(1), "f32", &1f32.to_le_bytes(), &1.1f32.to_le_bytes()).unwrap();
        assert!(!verdict.is_good() && row(&verdict).starts_with("BAD"));
        assert!(verdict.compare("argument 3", Judge::Exact, "u32", &[1], &[1, 2]).is_err());
    }

    #[test]
    fn judges_are_read() {
        let judges = judges("ulp 1 2\ncounts 3\n\nfree-counts 4\n").unwrap();
        assert_eq!((judges[&1], judges[&3], judges[&4]), (Judge::Ulp(2), Judge::Counts, Judge::FreeCounts));
        assert!(super::judges("ulp 1").is_err());
    }

    #[test]
    fn replicas_are_summed() {
        let words: Vec<u8> = [1u64, 2, 3, 4].iter().flat_map(|w| w.to_le_bytes()).collect();
        let expected: Vec<u8> = [4u64, 6].iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(sums(&words, 2), expected);
    }
}
