//! How are many kernels built? In units of [`UNIT`] kernels, each unit once for every variant; what the plugin left as
//! it was is not assembled, because equal PTX needs no comparison. The folder holds two cubins for each unit and
//! variant, and a line about it in `jobs.jsonl`, behind which a build that was stopped goes on.

use crate::checks;
use crate::compile::{Built, LEVEL, Plain, Tools, Variant};
use crate::kernel::{Kernel, UNIT, prelude};
use crate::ptx;
use crate::rewrite::Rewriting;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A unit in a variant.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct Job {
    pub unit: u64,
    pub variant: String,
    pub kernels: usize,
    /// Entry points to compare with the plain kernel of the seed.
    pub entries: Vec<(u64, String)>,
    /// How many kernels each remark said was changed.
    pub done: BTreeMap<String, usize>,
    /// What the plugin [changes](checks::changes) that it must not.
    pub seen: Vec<String>,
    /// Why it could not be built.
    pub failed: Option<String>,
}

impl Job {
    pub fn cubin(&self, folder: &Path, kind: &str) -> PathBuf {
        folder.join(format!("{}.{}.{kind}.cubin", self.unit, self.variant))
    }
}

pub const JOBS: &str = "jobs.jsonl";

pub fn jobs(folder: &Path) -> Result<Vec<Job>> {
    let path = folder.join(JOBS);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    // a build that was stopped may have left half a line
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Runs `work` on several threads, until one fails.
pub fn parallel(jobs: usize, work: impl Fn() -> Result<()> + Sync) -> Result<()> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(&work)).collect();
        workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|_| anyhow::bail!("a worker panicked")))
    })
}

/// The text of a unit's kernels, of those in a range, rewritten or not; and their number.
pub fn source(unit: u64, seeds: &Range<u64>, rewriting: Option<Rewriting>) -> (String, usize) {
    let definitions = rewriting.map_or("", Rewriting::definitions);
    let (mut text, mut count) = (format!("{definitions}{}", prelude(unit)), 0);
    for seed in (unit * UNIT..(unit + 1) * UNIT).filter(|seed| seeds.contains(seed)) {
        let mut source = Kernel::new(seed).source;
        if let Some(rewriting) = rewriting {
            rewriting.apply(&mut source, seed);
        }
        text.push_str(&source.print());
        count += 1;
    }
    (text, count)
}

pub struct Options<'a> {
    pub tools: &'a Tools,
    pub folder: &'a Path,
    pub seeds: Range<u64>,
    pub variants: &'a [Variant],
    pub jobs: usize,
    pub time: Duration,
}

/// Builds until all is built or the time is over.
pub fn build(options: &Options) -> Result<()> {
    let Options { folder, seeds, .. } = options;
    fs::create_dir_all(folder)?;
    let built: HashSet<(u64, String)> =
        jobs(folder).unwrap_or_default().into_iter().map(|job| (job.unit, job.variant)).collect();
    let list = Mutex::new(OpenOptions::new().create(true).append(true).open(folder.join(JOBS))?);
    let next = AtomicU64::new(seeds.start / UNIT);
    let end = seeds.end.div_ceil(UNIT);
    let start = Instant::now();
    parallel(options.jobs, || {
        let temporary = tempfile::tempdir()?;
        while start.elapsed() < options.time {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= end {
                break;
            }
            let missing: Vec<_> =
                options.variants.iter().filter(|v| !built.contains(&(unit, v.name.to_owned()))).collect();
            one(options, temporary.path(), unit, &missing, &list)?;
        }
        Ok(())
    })
}

fn one(options: &Options, temporary: &Path, unit: u64, variants: &[&Variant], list: &Mutex<File>) -> Result<()> {
    let (text, kernels) = source(unit, &options.seeds, None);
    let file = temporary.join(format!("{unit}.cu"));
    fs::write(&file, text)?;
    let mut plain = Plain::new();
    for variant in variants {
        let mut job = Job { unit, variant: variant.name.to_owned(), kernels, ..Job::default() };
        let mut attempt = || -> Result<()> {
            let before = plain.of(variant, || {
                let built = options.tools.ptx(&file, variant, false, temporary);
                Ok(built.context("without the plugin")?.ptx)
            })?;
            let ours = match variant.rewriting {
                Some(_) => {
                    let other = temporary.join(format!("{unit}.{}.cu", variant.name));
                    fs::write(&other, source(unit, &options.seeds, variant.rewriting).0)?;
                    other
                }
                None => file.clone(),
            };
            compare(options, &mut job, before, variant, (&ours, temporary))
        };
        if let Err(why) = attempt() {
            job.failed = Some(format!("{why:#}"));
        }
        let line = serde_json::to_string(&job)? + "\n";
        let mut list = list.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
        list.write_all(line.as_bytes())?;
    }
    Ok(fs::remove_file(file)?)
}

fn compare(options: &Options, job: &mut Job, plain: &str, variant: &Variant, file: (&Path, &Path)) -> Result<()> {
    let ours = options.tools.ptx(file.0, variant, true, file.1)?;
    assemble(options.tools, options.folder, variant, job, (plain, ours))
}

/// Builds the only kernel of a source into its folder.
pub fn one_kernel(tools: &Tools, variant: &Variant, plain: &str, file: (&Path, &Path), seed: u64) -> Result<Job> {
    let mut job = Job { unit: seed / UNIT, variant: variant.name.to_owned(), kernels: 1, ..Job::default() };
    let ours = tools.ptx(file.0, variant, true, file.1)?;
    assemble(tools, file.1, variant, &mut job, (plain, ours))?;
    fs::write(file.1.join(JOBS), serde_json::to_string(&job)?)?;
    Ok(job)
}

/// Assembles the kernels that were changed.
fn assemble(
    tools: &Tools,
    folder: &Path,
    variant: &Variant,
    job: &mut Job,
    (plain, ours): (&str, Built),
) -> Result<()> {
    if variant.rewriting.is_none() {
        job.seen = checks::changes(plain, &ours);
    }
    let Built { ptx: ours, done, versions } = ours;
    let mut kernels: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for (function, remark) in done {
        if let Some(seed) = ptx::owner(&function) {
            kernels.entry(remark).or_default().insert(seed);
        }
    }
    job.done = kernels.into_iter().map(|(remark, seeds)| (remark, seeds.len())).collect();
    let mut changed = match variant.level {
        Some(_) => ptx::entries(plain).into_iter().map(|entry| entry.0).collect(),
        None => ptx::changed(plain, &ours),
    };
    // clang alone gets these wrong, and the plugin mends them: there is nothing to compare with
    let wrong: BTreeSet<u64> = checks::mistaken(plain).iter().filter_map(|line| ptx::owner(line)).collect();
    changed.retain(|seed| !wrong.contains(seed));
    let cubin = job.cubin(folder, "plain");
    let assembles = |seeds: &BTreeSet<u64>| tools.assemble(&ptx::keep(plain, seeds), &cubin, LEVEL);
    // ptxas crashes on some of clang's own code
    let is_assembled = changed.is_empty() || assembles(&changed).is_ok();
    if !is_assembled {
        changed.retain(|&seed| assembles(&BTreeSet::from([seed])).is_ok());
    }
    if changed.is_empty() {
        return Ok(());
    }
    if !is_assembled {
        assembles(&changed)?;
    }
    let ours = ptx::keep(&ours, &changed);
    job.entries = ptx::entries(&ours);
    job.entries.retain(|(_, entry)| !versions.contains(entry));
    tools.assemble(&ours, &job.cubin(folder, "ours"), variant.level.unwrap_or(LEVEL))
}
