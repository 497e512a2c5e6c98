//! `warpwise fuzz`: does the random kernel of a seed behave the same in every way of running it?

use super::project::{locked, numbers_in_parallel, progress, unlocked};
use super::{read, write};
use anyhow::{Context as _, anyhow, bail};
use clap::{Parser, Subcommand};
use std::cell::Cell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use warpwise::abi::load::transform;
use warpwise::settings::Transform;
use warpwise_oracle::fuzz::drive::{self, Failure, Plan, Plugin, Tally};
use warpwise_oracle::fuzz::{Knobs, Launch, Mode, generate};
use warpwise_timer::launch::{is_interrupted, stopped_by, watch_signals};

/// The passes of this build.
const PLUGIN: Plugin = Plugin { run: transform, counts: Transform::Map.pass() };

#[derive(Parser)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the kernel of a seed as LLVM IR, its launch in a comment, or save it.
    Gen {
        #[arg(long)]
        seed: u64,
        #[command(flatten)]
        knobs: KnobArgs,
        /// Write here instead of to standard output.
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    Run(RunArgs),
    /// Make the same comparisons for a module that carries its launch in a comment, as `gen` writes them.
    Check {
        /// Textual IR with its launch in a comment.
        file: PathBuf,
        #[command(flatten)]
        plan: PlanArgs,
        /// Take the launch from this file's comment instead.
        #[arg(long)]
        launch: Option<PathBuf>,
        /// Succeed only if there is a failure of this `KIND@STAGE`, as printed: the test for llvm-reduce.
        #[arg(long)]
        interesting: Option<String>,
    },
    /// Make deliberate mistakes in the analysis and the transforms, one at a time, and see how soon the checks notice.
    #[cfg(feature = "mutants")]
    Mutants {
        /// Seconds for each mistake.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        #[arg(long, default_value_t = 1)]
        jobs: usize,
        /// This mistake only.
        #[arg(long)]
        only: Option<String>,
    },
    Mutate(super::mutate::MutateArgs),
    Survive(super::mutate::SurviveArgs),
}

/// Run the kernels of a range of seeds in every way and compare what they leave in memory.
#[derive(Parser)]
struct RunArgs {
    /// `A..B`, the second excluded.
    #[arg(long, value_parser = parse_range)]
    seeds: (u64, u64),
    #[command(flatten)]
    knobs: KnobArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// Number of kernels that are run at once.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Stop at the first failure.
    #[arg(long)]
    first: bool,
    /// Stop after so many seconds, whatever seeds are left.
    #[arg(long)]
    seconds: Option<u64>,
    /// Save the kernels that fail into this folder.
    #[arg(long)]
    save: Option<PathBuf>,
}

/// How to generate.
#[derive(Parser, Clone)]
struct KnobArgs {
    /// Kind of kernel; for a range of seeds, all kinds in turn without it.
    #[arg(long, value_parser = parse_mode)]
    mode: Option<Mode>,
    /// Overflowing flags, undef and poison too.
    #[arg(long)]
    allow_poison: bool,
    /// Values that depend on the schedule too.
    #[arg(long)]
    schedule_dependent: bool,
}

impl KnobArgs {
    fn knobs(&self, mode: Mode) -> Knobs {
        let mut knobs = Knobs::of_mode(mode);
        knobs.allow_poison = self.allow_poison;
        knobs.schedule_dependent = self.schedule_dependent;
        knobs
    }
}

/// Which comparisons to make.
#[derive(Parser, Clone)]
struct PlanArgs {
    /// Interleavings of the independent scheduler.
    #[arg(long)]
    schedules: Option<u64>,
    /// Run before and after this pipeline (as `opt -passes=` takes it) instead of the usual ones; `none` for no pipeline.
    #[arg(long)]
    pipeline: Vec<String>,
    /// Run before and after this pipeline with passes of ours and make no other comparison: `steer-spills<regs=24>`,
    /// `default<O2>,fuse-branches`; `{block}` in it stands for the block of each launch. With --check: check the claims
    /// on what it leaves.
    #[arg(long)]
    passes: Vec<String>,
    /// Do not check the analysis's claims.
    #[arg(long)]
    no_claims: bool,
    /// Check the analysis's claims and nothing else, under lockstep and `--schedules` interleavings (none by default).
    #[arg(long)]
    check: bool,
}

impl PlanArgs {
    fn plan(&self) -> Plan {
        let mut plan = Plan {
            schedules: self.schedules.unwrap_or(u64::from(!self.check)),
            only_claims: self.check,
            claims: !self.no_claims,
            passes: self.passes.clone(),
            plugin: PLUGIN,
            ..Plan::default()
        };
        if !self.pipeline.is_empty() {
            plan.pipelines = self.pipeline.iter().filter(|p| *p != "none").cloned().collect();
        }
        plan
    }
}

pub fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let ends = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    ends.filter(|(a, b)| a < b).ok_or_else(|| "a range is written A..B, with A less than B".to_owned())
}

fn parse_mode(name: &str) -> Result<Mode, String> {
    Mode::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Mode::ALL.into_iter().map(Mode::name).collect();
        format!("no such mode; there are {}", names.join(", "))
    })
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    #[cfg(feature = "mutants")]
    warpwise_analysis::mutants::activate_named().map_err(|e| anyhow!(e))?;
    match args.command {
        Command::Gen { seed, knobs, output } => {
            let text = generate(seed, &knobs.knobs(knobs.mode.unwrap_or(Mode::General))).ir;
            match output {
                Some(path) => write(&path, text)?,
                None => print!("{text}"),
            }
        }
        Command::Run(run) => return run.all(),
        Command::Check { file, plan, launch, interesting } => {
            let text = read(&file)?;
            let from = launch.as_ref().unwrap_or(&file);
            let launch = Launch::from_comment(&read(from)?).map_err(|e| anyhow!("{}: {e}", from.display()))?;
            let result = drive::check(&text, &launch, &plan.plan());
            if let Err(failure) = &result {
                println!("{}: {failure}", name_of(failure));
            }
            let good = match interesting {
                Some(wanted) => result.is_err_and(|failure| name_of(&failure) == wanted),
                None => result.is_ok(),
            };
            return Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        #[cfg(feature = "mutants")]
        Command::Mutants { seconds, jobs, only } => return Ok(run_mutants(seconds, jobs, only.as_deref())),
        Command::Mutate(args) => return super::mutate::mutate(&args),
        Command::Survive(args) => return super::mutate::survive(&args),
    }
    Ok(ExitCode::SUCCESS)
}

/// `KIND@STAGE`.
fn name_of(failure: &Failure) -> String {
    format!("{}@{}", failure.kind, failure.stage)
}

thread_local! {
    /// The kernel that this thread is at.
    static SEED: Cell<Option<(u64, Mode)>> = const { Cell::new(None) };
}

/// A panic in a transform ends the process, so report first which kernel caused it.
fn name_seeds_that_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if let Some((seed, mode)) = SEED.get() {
            println!("seed {seed} mode {}: panic", mode.name());
        }
        usual(panic);
    }));
}

impl RunArgs {
    /// Claims hold of values that depend on the schedule or are undefined too, so their check takes such kernels in turn.
    fn knobs_of(&self, seed: u64) -> Knobs {
        let mut knobs = self.knobs.knobs(self.knobs.mode.unwrap_or_else(|| drive::mode_of(seed)));
        if self.plan.check {
            let varied = drive::varied_knobs(seed, knobs.mode);
            knobs.allow_poison |= varied.allow_poison;
            knobs.schedule_dependent |= varied.schedule_dependent;
        }
        knobs
    }

    /// Prints the counts of so many kernels.
    fn report(&self, tally: &Tally, kernels: u64, failed: usize, time: Duration) {
        let seconds = time.as_secs_f64();
        if !self.plan.passes.is_empty() {
            println!("{} modules changed by the passes", tally.transformed);
            if tally.versions > 0 {
                println!("{} launches ran a version of the kernel", tally.versions);
            }
        }
        println!(
            "{kernels} kernels, {} launches, {:.1} million lane instructions, {} claims in {seconds:.1} s; {} failed",
            tally.launches,
            tally.lane_steps as f64 / 1e6,
            tally.claims,
            failed
        );
    }

    fn all(&self) -> anyhow::Result<ExitCode> {
        let is_varied = self.knobs.allow_poison || self.knobs.schedule_dependent;
        if !self.plan.passes.is_empty() && !self.plan.check && is_varied {
            bail!(
                "the results of kernels with --allow-poison or --schedule-dependent may differ between two correct \
                 builds, so --passes has nothing to compare: leave one of them out, or add --check, which checks the \
                 analysis's claims"
            );
        }
        let plan = self.plan.plan();
        let start = Instant::now();
        name_seeds_that_panic();
        watch_signals();
        let bar = progress((self.seeds.1 - self.seeds.0) as usize);
        let stop = AtomicBool::new(false);
        let totals = Mutex::new((Tally::default(), 0u64, Vec::new()));
        let late = || self.seconds.is_some_and(|limit| start.elapsed().as_secs() >= limit);
        let is_over = || stop.load(Ordering::Relaxed) || late() || is_interrupted();
        let next = numbers_in_parallel(self.jobs, self.seeds, 1, is_over, |seed| {
            let knobs = self.knobs_of(seed);
            let mode = knobs.mode;
            SEED.set(Some((seed, mode)));
            let result = drive::run(seed, &knobs, &plan);
            let mut totals = locked(&totals);
            totals.1 += 1;
            bar.inc(1);
            match result {
                Ok(tally) => totals.0 += tally,
                Err(failure) => {
                    let said = format!("seed {seed} mode {}: {}: {failure}", mode.name(), name_of(&failure));
                    bar.suspend(|| println!("{said}"));
                    totals.2.push((seed, mode));
                    stop.fetch_or(self.first, Ordering::Relaxed);
                }
            }
        });
        bar.finish_and_clear();
        let (tally, kernels, failures) = unlocked(totals);
        self.report(&tally, kernels, failures.len(), start.elapsed());
        let rest = (next, self.seeds.1);
        if rest.0 < rest.1 {
            println!("{}", left(rest));
        }
        if let Some(folder) = &self.save {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            for &(seed, mode) in &failures {
                let path = folder.join(format!("{}-{seed}.ll", mode.name()));
                let text = generate(seed, &self.knobs_of(seed)).ir;
                write(&path, text)?;
            }
        }
        Ok(status(failures.is_empty()))
    }
}

/// To this the exit status of a program adds the signal that ended it.
const STOPPED: u8 = 128;

/// The exit status of fuzzing.
pub fn status(nothing_failed: bool) -> ExitCode {
    match stopped_by() {
        _ if !nothing_failed => ExitCode::FAILURE,
        Some(signal) => ExitCode::from(STOPPED + signal),
        None => ExitCode::SUCCESS,
    }
}

/// Which seeds were not tried, and how to go on.
pub fn left((from, to): (u64, u64)) -> String {
    format!("seeds from {from} on are left: --seeds {from}..{to} goes on")
}

/// `warpwise fuzz mutants`: how soon is each deliberate mistake detected?
#[cfg(feature = "mutants")]
fn run_mutants(seconds: u64, jobs: usize, only: Option<&str>) -> ExitCode {
    use warpwise_analysis::mutants::{Mutant, activate};
    use warpwise_oracle::fuzz::planted::place_of;
    let mut missed = 0;
    println!("{:<18} {:>8} {:>8}  first violation", "mistake", "seconds", "kernels");
    let chosen = |mutant: &Mutant| only.is_none_or(|name| format!("{mutant:?}").eq_ignore_ascii_case(name));
    for mutant in Mutant::ALL.iter().copied().filter(chosen) {
        let place = place_of(mutant, PLUGIN);
        activate(Some(mutant));
        let start = Instant::now();
        let found: Mutex<Option<(u64, String)>> = Mutex::new(None);
        let is_over = || locked(&found).is_some() || start.elapsed().as_secs() >= seconds;
        let kernels = numbers_in_parallel(jobs, (0, u64::MAX), 1, is_over, |seed| {
            let Some(failure) = place.notices(seed) else { return };
            let text = failure.to_string();
            let line = text.split_once(": ").map_or(text.as_str(), |(_, rest)| rest);
            let line = line.lines().next().unwrap_or_default().to_owned();
            locked(&found).get_or_insert((seed, line));
        });
        let name = format!("{mutant:?}");
        let time = start.elapsed().as_secs_f64();
        match unlocked(found) {
            Some((seed, line)) => println!("{name:<18} {time:>8.2} {kernels:>8}  seed {seed}: {line}"),
            None => {
                missed += 1;
                println!("{name:<18} {time:>8.2} {kernels:>8}  not seen");
            }
        }
    }
    activate(None);
    println!("{missed} mistakes not seen within {seconds} s each");
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
