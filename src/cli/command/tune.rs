//! `warpwise tune`: what was measured of kernels on a GPU?

use super::{replace, write};
use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpwise::choices::rule::{Verdict, verdict};
use warpwise::choices::{Alternative, Choices, Decision, Measured, PLAIN, decide};
use warpwise_analysis::explain::symbol::kernel_symbol;

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
        What::Show { files } => show(files),
        What::Merge { files, output } => merge(files, output),
        What::Json { files } => json(files),
    }
}

/// Reads all files as one.
fn read(files: &[PathBuf]) -> Result<Choices> {
    let mut all = Choices::default();
    for file in files {
        all = all.with(Choices::read(file)?);
    }
    Ok(all)
}

/// The codes of kernels that were measured, each with what was measured of it.
fn kernels(choices: &Choices) -> Vec<Vec<&Measured>> {
    let same = |a: &Measured, b: &Measured| (&a.of.kernel, &a.of.hash) == (&b.of.kernel, &b.of.hash);
    choices.all().chunk_by(same).map(|measured| measured.iter().collect()).collect()
}

/// One table for each kernel and code, with a row for each alternative and block.
fn show(files: &[PathBuf]) -> Result<()> {
    let choices = read(files)?;
    let mut text = String::new();
    for measured in kernels(&choices) {
        let Some(first) = measured.first() else { continue };
        let decision = match decide(&measured) {
            Decision::Plain => "stays as it is".to_owned(),
            Decision::Alternative { name, saves } => format!("'{name}' saves {:.1} % of its time", saves * 100.0),
        };
        let _ = writeln!(text, "{} (code {}): {decision}", kernel_symbol(&first.of.kernel), first.of.hash);
        for measured in &measured {
            let [x, y, z] = measured.of.block;
            let _ = writeln!(
                text,
                "  {}, block {x}x{y}x{z}, {} bytes of dynamic shared memory, {} launches",
                measured.of.gpu, measured.of.shared, measured.launches
            );
            measured.alternatives.iter().for_each(|alternative| text += &row(measured, alternative));
        }
    }
    print!("{text}");
    Ok(())
}

/// A row of the table: time, and for alternatives gain and standard error, in microseconds.
fn row(measured: &Measured, alternative: &Alternative) -> String {
    let Alternative { name, time, gain } = alternative;
    let start = format!("    {name:<16} {:>12.3} us ({} rounds)", time.mean, time.count);
    if name == PLAIN {
        return start + "\n";
    }
    let says = match verdict(measured, name) {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "no difference beyond noise",
        Verdict::Unknown => "too few rounds",
    };
    format!("{start}, gains {:.3} +- {:.3} us: {says}\n", gain.mean, gain.error())
}

fn merge(files: &[PathBuf], output: &Path) -> Result<()> {
    let text = read(files)?.text();
    if output.exists() && !output.is_file() {
        return write(output, text);
    }
    replace(output, text.as_bytes())
}

fn json(files: &[PathBuf]) -> Result<()> {
    let choices = read(files)?;
    let decisions: Vec<_> = kernels(&choices)
        .into_iter()
        .filter_map(|measured| {
            let of = &measured.first()?.of;
            let (name, saves) = match decide(&measured) {
                Decision::Plain => (PLAIN.to_owned(), 0.0),
                Decision::Alternative { name, saves } => (name, saves),
            };
            Some(json!({ "kernel": of.kernel, "hash": of.hash, "choice": name, "saves": saves }))
        })
        .collect();
    println!("{:#}", json!({ "measured": choices.json(), "choices": decisions }));
    Ok(())
}
