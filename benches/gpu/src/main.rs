//! The `warpwise-bench` command: which benchmarks are built, run and printed?

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use warpwise_bench::manifest::{Measured, Outcome};
use warpwise_bench::{agree, bundle, markdown, plot, supervise, table, variants, worker};

/// GPU benchmarks of warpwise: builds them into a folder, runs them, draws the results.
#[derive(Parser)]
#[command(name = "warpwise-bench", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build every kernel in every variant into one folder; no GPU needed.
    Build(Build),
    /// Run a folder that `build` made on this machine's GPU. A run that was stopped goes on when it is called again.
    Run(Run),
    /// Print a results file's tables.
    Table {
        results: PathBuf,
        /// As docs/BENCHMARKS.md shows them.
        #[arg(long)]
        markdown: bool,
    },
    /// Draw a results file's speed-ups, a chart a section.
    Plot {
        results: Option<PathBuf>,
        /// A JSON list of {series, size, seconds}: also draw time against size.
        #[arg(long)]
        scaling: Option<PathBuf>,
        /// Show these variants only (`nvcc,smem,warpwise,by_hand`).
        #[arg(long, value_delimiter = ',')]
        variants: Vec<String>,
        /// Where the charts go.
        #[arg(long, default_value = ".")]
        out: PathBuf,
    },
    /// Print what each kernel is launched on, as JSON.
    List {
        /// Folder with a folder of .cu files per section.
        kernels: PathBuf,
    },
    /// Compare this machine's GPU with what the lockstep machine computed, in a folder that scripts/agree made.
    Agree {
        folder: PathBuf,
        /// Only cases whose name contains this.
        #[arg(long, default_value = "")]
        only: String,
        /// Where the results go.
        #[arg(long, default_value = "agree.json")]
        out: PathBuf,
    },
    /// Runs cases; `agree` starts these.
    #[command(hide = true)]
    AgreeWorker { folder: PathBuf, cases: Vec<String> },
    /// Runs an order from standard input; `run` starts these.
    #[command(hide = true)]
    Worker,
}

#[derive(clap::Args)]
struct Build {
    /// Folder with a folder of .cu files per section.
    #[arg(long)]
    kernels: PathBuf,
    /// The folder to make.
    #[arg(long)]
    out: PathBuf,
    /// Where products are kept between builds.
    #[arg(long)]
    cache: PathBuf,
    /// Prefix of LLVM 22.
    #[arg(long)]
    llvm: PathBuf,
    /// A CUDA tree that also holds nvdisasm.
    #[arg(long)]
    cuda: PathBuf,
    /// libwarpwise.so; variants that need it are left out without it.
    #[arg(long)]
    plugin: Option<PathBuf>,
    #[arg(long, default_value = "sm_90")]
    arch: String,
    /// Only this section (may be given again).
    #[arg(long = "section")]
    sections: Vec<String>,
    /// Only this kernel (may be given again).
    #[arg(long)]
    only: Vec<String>,
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The commit to record.
    #[arg(long, default_value = "")]
    commit: String,
}

#[derive(clap::Args)]
struct Run {
    /// The folder.
    bundle: PathBuf,
    /// Where the results go.
    #[arg(long, default_value = "results.json")]
    out: PathBuf,
    /// Only this section (may be given again).
    #[arg(long = "section")]
    sections: Vec<String>,
    /// Only this kernel (may be given again).
    #[arg(long)]
    only: Vec<String>,
    /// Milliseconds of timed launches a kernel may take, all variants together.
    #[arg(long, default_value_t = 600.0)]
    budget_ms: f64,
    /// Launches every variant on the small size of its kernel and measures nothing: for compute-sanitizer.
    #[arg(long)]
    small: bool,
    /// Seconds of silence after which a kernel counts as hanging.
    #[arg(long, default_value_t = 20)]
    silence: u64,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Build(options) => build(options),
        Command::Run(options) => run(options),
        Command::Table { results, markdown } => print_table(&results, markdown),
        Command::Plot { results, scaling, variants, out } => draw(results, scaling, &variants, &out),
        Command::List { kernels } => list(&kernels),
        Command::Agree { folder, only, out } => agree(&folder, &only, &out),
        Command::AgreeWorker { folder, cases } => agree::worker(&folder, &cases),
        Command::Worker => worker::main(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn build(options: Build) -> Result<()> {
    let Build { kernels, out, cache, llvm, cuda, plugin, arch, sections, only, jobs, commit } = options;
    let options = bundle::Options { kernels, out, cache, llvm, cuda, plugin, arch, sections, only, jobs, commit };
    let left_out = bundle::build(&options)?;
    for line in &left_out {
        eprintln!("left out: {line}");
    }
    let manifest = worker::load_manifest(&options.out)?;
    let built: usize = manifest.kernels.iter().flat_map(|k| &k.builds).filter(|b| b.made.is_ok()).count();
    let all: usize = manifest.kernels.iter().map(|k| k.builds.len()).sum();
    let kernels = manifest.kernels.len();
    println!("{}: {kernels} kernels, {built} variants, {} left out", options.out.display(), all - built);
    Ok(())
}

fn run(options: Run) -> Result<()> {
    let Run { bundle, out, sections, only, budget_ms, small, silence } = options;
    let silence = Duration::from_secs(silence);
    let part = (!small).then(|| out.with_extension("part.json"));
    let options = supervise::Options { bundle, sections, only, budget_ms, small, silence, part };
    let results = supervise::run(&options)?;
    if small {
        let built: Vec<_> = results.measured.iter().filter(|m| !m.outcome.is_unbuilt()).collect();
        let wrong: Vec<_> = built.iter().filter(|m| !matches!(m.outcome, Outcome::Ran { .. })).collect();
        for Measured { section, kernel, variant, outcome } in &wrong {
            println!("{section} {kernel} {variant}: {outcome:?}");
        }
        println!("{} variants on small sizes, {} wrong or failed", built.len(), wrong.len());
        ensure!(wrong.is_empty(), "some variants are wrong");
        return Ok(());
    }
    supervise::save(&results, &out)?;
    if let Some(part) = &options.part {
        let _ = std::fs::remove_file(part);
    }
    print!("{}", table::report(&results));
    Ok(())
}

fn agree(folder: &Path, only: &str, out: &Path) -> Result<()> {
    ensure!(agree::run(folder, only, out)?, "the GPU and the machine differ");
    Ok(())
}

fn print_table(path: &Path, for_document: bool) -> Result<()> {
    let results = load(path)?;
    print!("{}", if for_document { markdown::report(&results) } else { table::report(&results) });
    Ok(())
}

fn draw(results: Option<PathBuf>, scaling: Option<PathBuf>, shown: &[String], out: &Path) -> Result<()> {
    ensure!(results.is_some() || scaling.is_some(), "nothing to draw: name a results file, or give --scaling");
    for id in shown {
        ensure!(variants::find(id).is_some(), "there is no variant '{id}'");
    }
    std::fs::create_dir_all(out)?;
    let write = |name: &str, svg: &str| -> Result<()> {
        let path = out.join(name);
        std::fs::write(&path, svg).with_context(|| path.display().to_string())?;
        println!("{}", path.display());
        Ok(())
    };
    if let Some(path) = results {
        for (section, svg) in plot::speedups(&load(&path)?, shown) {
            write(&format!("{section}.svg"), &svg)?;
        }
    }
    match scaling {
        Some(path) => write("scaling.svg", &plot::scaling(&load::<Vec<plot::Point>>(&path)?)?),
        None => Ok(()),
    }
}

fn list(kernels: &Path) -> Result<()> {
    let descriptions = bundle::descriptions(kernels)?;
    println!("{}", serde_json::to_string_pretty(&descriptions)?);
    Ok(())
}

fn load<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| format!("{} cannot be read", path.display()))
}
