//! `warpwise map`: what did programs with counters count? Shown as tables, as JSON, as an HTML page.

use super::{replace, say, say_json, write};
use crate::map_report::{page, show};
use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use warpwise_analysis::counts;

/// Divergence maps: where warps split, counted by a program compiled with -mllvm -warpwise-profile-generate.
#[derive(Args)]
pub struct MapArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Branches sorted by splits, and totals of kernels
    Show {
        /// Map files; counts of the same code are added up
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Every branch that was reached, not only the first thirty
        #[arg(long)]
        all: bool,
    },
    /// Add maps up into one
    Merge {
        /// Map files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where the sum goes
        #[arg(long, short)]
        output: PathBuf,
    },
    /// What changed from one map to another, line by line
    Diff {
        /// Map file of the first build
        before: PathBuf,
        /// Map file of the second build
        after: PathBuf,
        /// JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Everything as JSON
    Json {
        /// Map files; counts of the same code are added up
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// One self-contained page: source, control flow, branches
    Html {
        /// Map files; counts of the same code are added up
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where the page goes
        #[arg(long, short, default_value = "divergence.html")]
        output: PathBuf,
    },
}

/// Number of rows shown without `--all`.
const ROWS: usize = 30;

/// Runs the subcommand.
pub fn run(args: &MapArgs) -> Result<()> {
    match &args.what {
        What::Show { files, all } => say(&summary(files)?.text(if *all { usize::MAX } else { ROWS })),
        What::Json { files } => say_json(&summary(files)?),
        What::Diff { before, after, json } => {
            let [first, second] = [before, after].map(|file| summary(std::slice::from_ref(file)));
            let changes = show::difference(&first?, &second?);
            let is_strange = changes.iter().all(|change| change.before.is_none() || change.after.is_none());
            if is_strange && !changes.is_empty() {
                bail!("{} and {} have no branch in common", before.display(), after.display());
            }
            match json {
                true => say_json(&changes),
                false => say(&show::difference_text(&changes)),
            }
        }
        // all files are read before anything is written
        What::Merge { files, output } => replace(output, &counts::read_all(files)?.0.encode()),
        What::Html { files, output } => {
            let (map, modules) = counts::read_all(files)?;
            write(output, page::of_map(&map.runs, &modules))
        }
    }
}

fn summary(files: &[PathBuf]) -> Result<show::Summary> {
    let (map, modules) = counts::read_all(files)?;
    Ok(show::summary(&map.runs, &modules))
}
