//! `warpwise time`: how long does each kernel of a program take?

use crate::launch::{self, Options};
use crate::{model, text};
use anyhow::{Result, bail};
use clap::Args;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// GPU time of every kernel of a CUDA program, whichever compiler built it.
///
/// The program runs as usual, and its exit status is passed on. When it has ended, even if it was killed or stopped by
/// Ctrl-C, a table is printed to standard error.
#[derive(Args)]
pub struct TimeArgs {
    /// Also write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Time every launch, even if that slows the program down
    #[arg(long)]
    all: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// Runs the subcommand.
pub fn run(args: &TimeArgs) -> Result<ExitCode> {
    let Some((name, arguments)) = args.command.split_first() else { bail!("no program given") };
    let program = launch::find_program(name)?;
    text::check_json(args.json.as_deref())?;
    if std::io::stderr().is_terminal() {
        eprintln!("{} runs; the times of its kernels follow when it has ended, or at Ctrl-C", program.display());
    }
    let finished = launch::run(&program, arguments, &Options { all: args.all, ..Options::default() })?;
    let command = args.command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let run = model::run(command, launch::ending(finished.status), finished.wall.as_secs_f64(), &finished.left);
    text::write_json(args.json.as_deref(), &run)?;
    let code = launch::exit_code(finished.status);
    if run.kernels.is_empty() {
        let ended = if code == 0 { String::new() } else { format!("; it ended with {}", run.ended) };
        bail!("{}{ended}", launch::why_nothing(&program, &finished.left));
    }
    eprint!("{}", text::of_run(&run));
    Ok(ExitCode::from(code))
}
