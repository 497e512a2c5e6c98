//! The `warpwise-time` command: `warpwise time` and `warpwise compare` for machines without LLVM.

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use warpwise_timer::{compare, time};

/// GPU time of every kernel of any CUDA program, or of two builds of one, compared
#[derive(Parser)]
#[command(name = "warpwise-time", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Time(time::TimeArgs),
    Compare(compare::CompareArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Time(args) => time::run(&args),
        Command::Compare(args) => compare::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("warpwise-time: {error:#}");
        ExitCode::FAILURE
    })
}
