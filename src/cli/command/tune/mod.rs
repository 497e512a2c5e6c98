//! `warpwise tune`: what was measured of kernels on a GPU, or what `ptxas` says of them without one?

mod measured;
mod without_gpu;

use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Show, merge or print what programs built with -warpwise-tune have measured; or try budgets and switches of steer-spills
/// on a CUDA file, as ptxas sees them.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TuneArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    without_gpu: without_gpu::StaticArgs,
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
        Some(What::Show { files }) => measured::show(files),
        Some(What::Merge { files, output }) => measured::merge(files, output),
        Some(What::Json { files }) => measured::json(files),
        None => without_gpu::run(&args.without_gpu),
    }
}
