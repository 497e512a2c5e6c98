//! Which commands can a user run?

mod commands;
pub mod cuda;
mod doctor;
mod flags;
mod fuzz;
mod kept;
pub mod map;
mod mutate;
pub mod nvcc;
mod optimizer;
mod project;
mod record;
pub mod report;
pub mod simt;
mod simt_args;
mod tune;
mod unit;
mod words;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What a warp agrees on: divergence reports, a lockstep machine, divergence maps and tuning for CUDA kernels.
#[derive(Parser)]
#[command(name = "warpwise", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// One variant per subcommand, each implemented in a file beside this one.
#[derive(Subcommand)]
enum Command {
    Compare(warpwise_timer::compare::CompareArgs),
    /// Check which LLVM, CUDA and GPU are found, and whether they fit together.
    Doctor,
    Flags(flags::FlagsArgs),
    /// Test the analysis and the passes on random kernels and odd modules.
    Fuzz(fuzz::Args),
    Simt(Box<simt::SimtArgs>),
    Map(map::MapArgs),
    Nvcc(nvcc::NvccArgs),
    Llc(optimizer::LlcArgs),
    Opt(optimizer::OptArgs),
    Report(report::ReportArgs),
    Time(warpwise_timer::time::TimeArgs),
    Tune(tune::TuneArgs),
    #[command(hide = true)]
    Unit(unit::UnitArgs),
}

/// Writes to standard output if more is to be done afterwards. It is not an error if the reader has gone away.
fn say(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("cannot write the output"),
        _ => Ok(()),
    }
}

/// The same of something as JSON.
fn say_json(what: &impl serde::Serialize) -> Result<()> {
    say(&format!("{}\n", serde_json::to_string_pretty(what)?))
}

/// Writes a file.
fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, contents).with_context(|| format!("cannot write {}", path.display()))
}

/// Reads a text.
fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A folder that is deleted when it is dropped.
fn temporary_folder() -> Result<tempfile::TempDir> {
    tempfile::tempdir().context("cannot make a temporary folder")
}

/// Writes a file that changes as a whole: nothing is lost if the disk is full.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fails = || format!("cannot write {}", path.display());
    let mut draft = tempfile::NamedTempFile::new_in(folder).with_context(fails)?;
    draft.write_all(bytes).with_context(fails)?;
    draft.persist(path).with_context(fails)?;
    Ok(())
}

/// Parses the command line, runs the command, and turns an error into one clear message and a non-zero exit status.
pub fn main() -> ExitCode {
    end_quietly_when_nobody_reads();
    match dispatch() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("warpwise: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// When started as `warpwise-nvcc`, `warpwise-opt` or `warpwise-llc`, the command is the compiler driver, the optimizer or
/// the code generator, for builds and programs that require a name of one word.
fn dispatch() -> Result<ExitCode> {
    let mut arguments = std::env::args_os();
    let program = arguments.next().map(std::path::PathBuf::from).unwrap_or_default();
    match program.file_name().and_then(std::ffi::OsStr::to_str) {
        Some(nvcc::PROGRAM) => nvcc::drive(arguments.collect()),
        Some(tool @ (warpwise_opt::OPT | warpwise_opt::LLC)) => Ok(optimizer::drive(tool, arguments.collect())),
        _ => run(Cli::parse().command),
    }
}

/// Exit status that a shell reports for a program that was ended by a closed pipe.
const CLOSED_PIPE: i32 = 128 + 13;

/// `print!` panics if standard output is closed (`warpwise … | head -1`) or full, which is not a bug of ours.
fn end_quietly_when_nobody_reads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        match panic.payload_as_str().and_then(|text| text.strip_prefix("failed printing to stdout: ")) {
            Some(why) if why.contains("Broken pipe") => std::process::exit(CLOSED_PIPE),
            Some(why) => {
                eprintln!("warpwise: cannot write to standard output: {why}");
                std::process::exit(1)
            }
            None => usual(panic),
        }
    }));
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Compare(args) => warpwise_timer::compare::run(&args),
        Command::Doctor => doctor::run(),
        Command::Flags(args) => flags::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Fuzz(args) => fuzz::run(args),
        Command::Simt(args) => simt::run(&args),
        Command::Time(args) => warpwise_timer::time::run(&args),
        Command::Tune(args) => tune::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Nvcc(args) => nvcc::drive(args.arguments),
        Command::Llc(args) => Ok(optimizer::drive(warpwise_opt::LLC, args.arguments)),
        Command::Opt(args) => Ok(optimizer::drive(warpwise_opt::OPT, args.arguments)),
        Command::Map(args) => map::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Report(args) => report::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Unit(args) => unit::run(&args).map(|()| ExitCode::SUCCESS),
    }
}
