//! `warpwise tune`: what was measured of kernels on a GPU?

mod measured;

use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Show, merge or print what programs built with -warpwise-tune have measured.
#[derive(Args)]
pub struct TuneArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// What was measured of each kernel, and as which alternative it would be built
    Show {
        /// Choice files; several count as one
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write what several choice files have measured into one
    Merge {
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where it goes
        #[arg(long, short)]
        output: PathBuf,
    },
    /// What was measured, and the decisions, as JSON
    Json {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Runs the command.
pub fn run(args: &TuneArgs) -> Result<()> {
    match &args.what {
        What::Show { files } => measured::show(files),
        What::Merge { files, output } => measured::merge(files, output),
        What::Json { files } => measured::json(files),
    }
}
