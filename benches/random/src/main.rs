//! The `warpwise-random` command: random CUDA sources, generated, built, compared.

mod ast;
mod carried;
mod checks;
mod compile;
mod expr;
mod kernel;
mod machine;
mod ptx;
mod reduce;
mod rewrite;
mod rng;
mod run;
mod scope;
mod stmt;
mod together;
mod types;
mod units;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Random CUDA sources, free of undefined behaviour and of races: do they compute the same with warpwise as without?
#[derive(Parser)]
#[command(name = "warpwise-random", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the source of a seed, or of several.
    Show {
        #[arg(value_parser = seeds)]
        seeds: Range<u64>,
    },
    /// Compile kernels with and without the plugin into a folder; no GPU needed. A build that was stopped goes on.
    Build(Build),
    /// Compare both builds of a folder on this machine's GPU.
    Run {
        folder: PathBuf,
        /// Where the results go.
        #[arg(long, default_value = "random.json")]
        out: PathBuf,
        #[command(flatten)]
        tools: compile::Tools,
    },
    /// Check code without a GPU: loads that ptxas drops, multiply-adds that vanish or appear.
    Static(Static),
    /// Compare both builds on the lockstep machine, which needs no GPU.
    Machine(Machine),
    /// Reduce the kernel of a seed while something is wrong with it.
    Reduce(Reduce),
    /// Print what a folder holds.
    Summary { folder: PathBuf },
    /// Launches from an entry point of a job on; `run` starts these.
    #[command(hide = true)]
    Worker { folder: PathBuf, job: usize, entry: usize },
    /// List the variants.
    Variants,
}

#[derive(clap::Args)]
struct Build {
    folder: PathBuf,
    /// Seeds, as 0..1000.
    #[arg(long, value_parser = seeds)]
    seeds: Range<u64>,
    /// What to compare; `variants` lists them.
    #[arg(long = "variant", default_value = "default", num_args = 1..)]
    variants: Vec<String>,
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Stop after this many seconds.
    #[arg(long, default_value_t = u64::MAX)]
    seconds: u64,
    #[command(flatten)]
    tools: compile::Tools,
}

#[derive(clap::Args)]
struct Static {
    /// CUDA sources, IR or PTX.
    files: Vec<PathBuf>,
    /// Random sources, as 0..200.
    #[arg(long, value_parser = seeds)]
    seeds: Option<Range<u64>>,
    /// What to compare; `variants` lists them.
    #[arg(long = "variant", default_value = "default", num_args = 1..)]
    variants: Vec<String>,
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    #[command(flatten)]
    tools: compile::Tools,
}

fn check(options: &Static) -> Result<()> {
    let Static { seeds, variants, jobs, tools, .. } = options;
    let variants = variants.iter().map(|name| compile::find(name)).collect::<Result<Vec<_>>>()?;
    let folder = tempfile::tempdir()?;
    let mut files = options.files.clone();
    for unit in seeds.iter().flat_map(|seeds| seeds.start / kernel::UNIT..seeds.end.div_ceil(kernel::UNIT)) {
        let file = folder.path().join(format!("{unit}.cu"));
        std::fs::write(&file, units::source(unit, seeds.as_ref().unwrap_or(&(0..0)), None).0)?;
        files.push(file);
    }
    let wrong = checks::files(tools, &variants, *jobs, &files)?;
    println!("{} files checked, {wrong} wrong", files.len());
    ensure!(wrong == 0, "the code is wrong");
    Ok(())
}

#[derive(clap::Args)]
struct Machine {
    /// Random sources, as 0..200.
    #[arg(long, value_parser = seeds)]
    seeds: Range<u64>,
    /// What to compare; `variants` lists them.
    #[arg(long = "variant", default_value = "default", num_args = 1..)]
    variants: Vec<String>,
    /// The warpwise command.
    #[arg(long, env = "WARPWISE")]
    warpwise: PathBuf,
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    #[command(flatten)]
    tools: compile::Tools,
}

fn on_machine(options: &Machine) -> Result<()> {
    let Machine { seeds, variants, warpwise, jobs, tools } = options;
    let variants = variants.iter().map(|name| compile::find(name)).collect::<Result<Vec<_>>>()?;
    let counts = machine::compare(tools, warpwise, &variants, seeds, *jobs)?;
    counts.differ.iter().for_each(|line| println!("{line}"));
    let differ = counts.differ.len();
    println!("{} the same, {differ} differ, {} left out", counts.same, counts.left_out);
    ensure!(differ == 0, "the builds differ");
    Ok(())
}

#[derive(clap::Args)]
struct Reduce {
    seed: u64,
    #[arg(long, default_value = "default")]
    variant: String,
    /// Whether both builds differ on this machine's GPU; else whether a static check fails.
    #[arg(long)]
    run: bool,
    /// Stop after this many seconds.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    #[command(flatten)]
    tools: compile::Tools,
}

fn shrink(options: &Reduce) -> Result<()> {
    let Reduce { seed, tools, .. } = options;
    let variant = compile::find(&options.variant)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.cu");
    let is_wrong = |source: &ast::Source| -> Result<bool> {
        std::fs::write(&file, kernel::prelude(seed / kernel::UNIT) + &source.print())?;
        let plain = tools.ptx(&file, variant, false, folder.path())?.ptx;
        if !options.run {
            let ours = tools.ptx(&file, variant, true, folder.path())?;
            return Ok(!checks::check(tools, &plain, &ours, folder.path())?.is_empty());
        }
        let job = units::one_kernel(tools, variant, &plain, (&file, folder.path()), *seed)?;
        Ok(job.failed.is_some() || !run::launches(folder.path())?.differences.is_empty())
    };
    let source = kernel::Kernel::new(*seed).source;
    ensure!(is_wrong(&source)?, "nothing is wrong with {seed}");
    // an edit that no compiler accepts is none
    let small =
        reduce::reduce(source, Duration::from_secs(options.seconds), &mut |source| is_wrong(source).unwrap_or(false));
    print!("{}{}", kernel::prelude(seed / kernel::UNIT), small.print());
    Ok(())
}

fn seeds(text: &str) -> Result<Range<u64>> {
    let number = |text: &str| text.parse().with_context(|| format!("'{text}' is no seed"));
    let range = match text.split_once("..") {
        Some((start, end)) => number(start)?..number(end)?,
        None => number(text)?..number(text)? + 1,
    };
    ensure!(!range.is_empty(), "no seed in '{text}'");
    Ok(range)
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Show { seeds } => {
            print!("{}", kernel::prelude(seeds.start / kernel::UNIT));
            seeds.for_each(|seed| print!("{}", kernel::Kernel::new(seed).source.print()));
        }
        Command::Build(Build { folder, seeds, variants, jobs, seconds, tools }) => {
            let variants = variants.iter().map(|name| compile::find(name).copied()).collect::<Result<Vec<_>>>()?;
            let time = Duration::from_secs(seconds);
            let options = units::Options { tools: &tools, folder: &folder, seeds, variants: &variants, jobs, time };
            units::build(&options)?;
            run::print(&run::summary(&units::jobs(&folder)?));
        }
        Command::Run { folder, out, tools } => ensure!(run::run(&tools, &folder, &out)?, "the builds differ"),
        Command::Static(options) => check(&options)?,
        Command::Machine(options) => on_machine(&options)?,
        Command::Reduce(options) => shrink(&options)?,
        Command::Summary { folder } => run::print(&run::summary(&units::jobs(&folder)?)),
        Command::Worker { folder, job, entry } => run::worker(&folder, (job, entry))?,
        Command::Variants => compile::VARIANTS.iter().for_each(|v| println!("{:12} {}", v.name, v.help)),
    }
    Ok(())
}
