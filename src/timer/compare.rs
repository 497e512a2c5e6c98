//! `warpwise compare`: is another build of a program faster, kernel by kernel, and does it compute the same?
//!
//! The builds run alternately, so that both see the same clocks and neighbours, and in reverse order in every second
//! round. A ratio is formed within a round; a difference counts only if it exceeds the spread of the ratio over the
//! rounds. What a build copies back from the device, prints and returns is compared with the other build only if it is
//! the same in all of its own runs.

use crate::copies::Copied;
use crate::kept::Kept;
use crate::launch::{self, Finished, Options};
use crate::model::{self, Run};
use crate::{names, text};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, UNIX_EPOCH};

/// Run two builds of a CUDA program alternately: the ratio of their times by kernel, and whether they compute the same.
///
/// Copies from the device, standard output and exit status are compared; if a build differs from itself between rounds,
/// only that is reported. Standard input is empty. The exit status is 1 if the builds differ.
#[derive(Args)]
pub struct CompareArgs {
    /// The build to compare with
    a: OsString,
    /// The other build; a ratio above 1 means that it is faster
    b: OsString,
    /// Number of runs of each build
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Do not compare what is copied back from the device
    #[arg(long)]
    times_only: bool,
    /// Time every launch, even if that slows the programs down
    #[arg(long)]
    all: bool,
    /// Stop a run that takes longer than this
    #[arg(long, value_name = "SECONDS")]
    limit: Option<u64>,
    /// Also write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep each round in this file; if it has rounds of the same builds and arguments, go on after them
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Arguments for both builds, after `--`
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

/// The result, in the format "warpwise-compare", version 1.
#[derive(Serialize)]
struct Comparison {
    format: &'static str,
    version: u32,
    a: String,
    b: String,
    arguments: Vec<String>,
    rounds: usize,
    is_interrupted: bool,
    kernels: Vec<Row>,
    copies: Answer,
    output: Answer,
    status: Answer,
    runs_of_a: Vec<Run>,
    runs_of_b: Vec<Run>,
}

/// One kernel, or all kernels together.
#[derive(Serialize)]
struct Row {
    name: String,
    /// Median over the rounds, in nanoseconds; absent if the build has no such kernel.
    a_ns: Option<f64>,
    b_ns: Option<f64>,
    /// A divided by B: median, lowest and highest over the rounds.
    ratio: Option<[f64; 3]>,
    verdict: &'static str,
}

/// Whether the builds agree in one respect.
#[derive(Serialize)]
pub(crate) struct Answer {
    /// `same`, `different`, or `unknown`.
    pub verdict: &'static str,
    pub text: String,
}

impl Answer {
    /// Of what is known.
    pub fn of(is_same: bool, text: String) -> Answer {
        Answer { verdict: if is_same { "same" } else { "different" }, text }
    }
}

/// One run and what it printed.
#[derive(Serialize, Deserialize)]
pub(crate) struct Ran {
    run: Run,
    copied: Copied,
    output: Vec<u8>,
}

/// Runs the subcommand.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let programs = [launch::find_program(&args.a)?, launch::find_program(&args.b)?];
    text::check_json(args.json.as_deref())?;
    let rounds = rounds(args, &programs)?;
    let comparison = compared(args, rounds);
    text::write_json(args.json.as_deref(), &comparison)?;
    print!("{}", report(&comparison));
    let is_different =
        [&comparison.copies, &comparison.output, &comparison.status].iter().any(|answer| answer.verdict == "different");
    Ok(if is_different { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs all rounds; returns those that were complete when Ctrl-C was pressed.
fn rounds(args: &CompareArgs, programs: &[PathBuf; 2]) -> Result<Vec<[Ran; 2]>> {
    let folder =
        tempfile::Builder::new().prefix("warpwise-compare-").tempdir().context("cannot make a temporary folder")?;
    let start = Instant::now();
    let bar = ProgressBar::with_draw_target(Some(u64::from(args.rounds) * 2), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} run {pos} of {len}, {elapsed}") {
        bar.set_style(style);
    }
    let kept = args.keep.as_deref().map(|path| Kept::open(path, &question(args, programs)?)).transpose()?;
    let (mut kept, rounds) = kept.unzip();
    let mut rounds = rounds.unwrap_or_default();
    bar.inc(2 * rounds.len() as u64);
    'all: for round in rounds.len() as u32..args.rounds {
        let mut pair = [None, None];
        for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            if bar.is_hidden() && start.elapsed() > Duration::from_secs(2) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.set_message(["A", "B"][which]);
            let ran = one(args, &programs[which], folder.path())?;
            bar.inc(1);
            if launch::is_interrupted() {
                break 'all;
            }
            pair[which] = Some(ran);
        }
        if let [Some(a), Some(b)] = pair {
            let pair = [a, b];
            kept.as_mut().map_or(Ok(()), |kept| kept.add(&pair))?;
            rounds.push(pair);
        }
    }
    bar.finish_and_clear();
    ensure!(!rounds.is_empty(), "stopped before the first round was complete: there is nothing to compare");
    Ok(rounds)
}

/// What the rounds of a file must have been measured with.
fn question(args: &CompareArgs, programs: &[PathBuf; 2]) -> Result<String> {
    let mut parts = Vec::new();
    for program in programs {
        let program = std::path::absolute(program).with_context(|| format!("cannot find {}", program.display()))?;
        let file = std::fs::metadata(&program).with_context(|| format!("cannot read {}", program.display()))?;
        let made = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        parts.push(format!("{} {} {}", program.display(), file.len(), made.as_nanos()));
    }
    parts.push(format!("{} {}", args.times_only, args.all));
    parts.extend(args.arguments.iter().map(|argument| argument.to_string_lossy().into_owned()));
    serde_json::to_string(&parts).context("cannot write down what is compared")
}

fn one(args: &CompareArgs, program: &Path, folder: &Path) -> Result<Ran> {
    let (output, errors) = (folder.join("output"), folder.join("errors"));
    let limit = args.limit.map(Duration::from_secs);
    let options =
        Options { hash: !args.times_only, all: args.all, capture: Some((output.clone(), errors.clone())), limit };
    let Finished { status, wall, left, is_cut } = launch::run(program, &args.arguments, &options)?;
    ensure!(!is_cut, "{} took longer than {} s and was stopped", program.display(), args.limit.unwrap_or(0));
    let command = std::iter::once(program.as_os_str()).chain(args.arguments.iter().map(OsString::as_os_str));
    let command = command.map(|part| part.to_string_lossy().into_owned()).collect();
    let run = model::run(command, launch::ending(status), wall.as_secs_f64(), &left);
    if run.kernels.is_empty() && !launch::is_interrupted() {
        let said = std::fs::read(&errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.map_or(String::new(), |line| format!("; the last that it said was: {line}"));
        bail!("{}; it ended with {}{last}", launch::why_nothing(program, &left), run.ended);
    }
    let output = std::fs::read(&output).with_context(|| format!("cannot read {}", output.display()))?;
    Ok(Ran { run, copied: Copied::of(&left), output })
}

fn compared(args: &CompareArgs, rounds: Vec<[Ran; 2]>) -> Comparison {
    let shown = |text: &OsString| text.to_string_lossy().into_owned();
    let copies = if args.times_only {
        Answer { verdict: "unknown", text: "not looked at".to_owned() }
    } else {
        judge_copies(&rounds)
    };
    let output = judge(&rounds, |a, b| Answer::of(a.output == b.output, first_difference(&a.output, &b.output)));
    let status = judge(&rounds, |a, b| {
        let (a, b) = (&a.run.ended, &b.run.ended);
        Answer::of(a == b, if a == b { a.clone() } else { format!("{a} against {b}") })
    });
    let (kernels, count) = (rows(&rounds), rounds.len());
    let (runs_of_a, runs_of_b) = rounds.into_iter().map(|[a, b]| (a.run, b.run)).unzip();
    Comparison {
        format: "warpwise-compare",
        version: 1,
        a: shown(&args.a),
        b: shown(&args.b),
        arguments: args.arguments.iter().map(shown).collect(),
        rounds: count,
        is_interrupted: launch::is_interrupted(),
        kernels,
        copies,
        output,
        status,
        runs_of_a,
        runs_of_b,
    }
}

/// Compares the first runs of both builds. A build that differs from itself cannot be compared with the other.
fn judge(rounds: &[[Ran; 2]], compare: impl Fn(&Ran, &Ran) -> Answer) -> Answer {
    let first = &rounds[0];
    let is_other = |which: usize, round: &[Ran; 2]| compare(&first[which], &round[which]).verdict == "different";
    let text = match [0, 1].map(|which| rounds.iter().any(|round| is_other(which, round))) {
        [false, false] => return compare(&first[0], &first[1]),
        [true, false] => "A differs from itself between runs, so it is not compared with B",
        [false, true] => "B differs from itself between runs, so it is not compared with A",
        [true, true] => "A and B each differ from themselves between runs, so they are not compared",
    };
    Answer { verdict: "unknown", text: text.to_owned() }
}

fn judge_copies(rounds: &[[Ran; 2]]) -> Answer {
    let mut answer = judge(rounds, |a, b| a.copied.compare(&b.copied));
    let managed: u64 = rounds[0].iter().flat_map(|ran| &ran.run.processes).map(|process| process.managed_bytes).sum();
    if managed > 0 {
        answer.text += "; what the host reads of managed memory is not looked at";
    }
    answer
}

fn first_difference(a: &[u8], b: &[u8]) -> String {
    if a == b {
        return format!("the same, {} bytes", a.len());
    }
    let (a, b) = (String::from_utf8_lossy(a), String::from_utf8_lossy(b));
    let common = a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count();
    let line = |text: &str| text.lines().nth(common).map(|line| line.chars().take(100).collect::<String>());
    match [line(&a), line(&b)] {
        [None, None] => "DIFFERENT in how lines end".to_owned(),
        lines => {
            let [a, b] = lines.map(|line| line.unwrap_or_else(|| "(end)".to_owned()));
            format!("DIFFERENT from line {} on:\n    A: {a}\n    B: {b}", common + 1)
        }
    }
}

/// One row per kernel, the most expensive of A first, and a last row for all kernels.
fn rows(rounds: &[[Ran; 2]]) -> Vec<Row> {
    let mut times: BTreeMap<String, [Vec<Option<f64>>; 2]> = BTreeMap::new();
    for (index, round) in rounds.iter().enumerate() {
        for (which, ran) in round.iter().enumerate() {
            for kernel in ran.run.kernels.iter().filter(|kernel| kernel.timed > 0) {
                let name = if kernel.kind == "graph" { kernel.name.clone() } else { names::alike(&kernel.mangled) };
                let entry = times.entry(name).or_insert_with(|| [vec![None; rounds.len()], vec![None; rounds.len()]]);
                *entry[which][index].get_or_insert(0.0) += kernel.total_ns;
            }
        }
    }
    let mut rows: Vec<Row> = times.iter().map(|(name, of)| row(name.clone(), of)).collect();
    rows.sort_by(|one, other| {
        let weight = |row: &Row| row.a_ns.or(row.b_ns).unwrap_or(0.0);
        weight(other).total_cmp(&weight(one)).then_with(|| one.name.cmp(&other.name))
    });
    let all = [0, 1].map(|which| {
        let sum = |round: &[Ran; 2]| Some(round[which].run.kernels.iter().map(|kernel| kernel.total_ns).sum());
        rounds.iter().map(sum).collect()
    });
    rows.push(row("all kernels".to_owned(), &all));
    rows
}

fn row(name: String, [a, b]: &[Vec<Option<f64>>; 2]) -> Row {
    let middle = |values: &[Option<f64>]| spread(values.iter().copied().flatten().collect()).map(|[middle, ..]| middle);
    let pairs = a.iter().zip(b).filter_map(|(a, b)| Some((*a)? / (*b)?));
    let ratio = spread(pairs.filter(|ratio| ratio.is_finite()).collect());
    let verdict = match ratio {
        Some([_, least, _]) if least > 1.0 => "faster",
        Some([_, _, most]) if most < 1.0 => "slower",
        Some(_) => "within spread",
        None if middle(a).is_none() => "only in B",
        None if middle(b).is_none() => "only in A",
        None => "unknown",
    };
    Row { name, a_ns: middle(a), b_ns: middle(b), ratio, verdict }
}

/// Median, lowest and highest value.
fn spread(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let (least, most) = (*values.first()?, *values.last()?);
    let middle = (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0;
    Some([middle, least, most])
}

fn report(comparison: &Comparison) -> String {
    let rows: Vec<Vec<String>> = comparison.kernels.iter().map(cells).collect();
    let arguments = comparison.arguments.iter().map(|argument| format!(" {argument}")).collect::<String>();
    let count = comparison.rounds;
    let stopped = if comparison.is_interrupted { ", stopped early" } else { "" };
    let plural = if count == 1 { "" } else { "s" };
    let header = ["A ms", "B ms", "A/B", "least", "most", "B is", "kernel"];
    format!(
        "A: {}{arguments}\nB: {}{arguments}\n{count} round{plural}{stopped}; above 1, B is faster\n\n{}\ncopied back: {}\nstandard \
         output: {}\nended: {}\n",
        comparison.a,
        comparison.b,
        text::table(&header, &rows),
        comparison.copies.text,
        comparison.output.text,
        comparison.status.text
    )
}

fn cells(row: &Row) -> Vec<String> {
    let time = |time: Option<f64>| time.map_or("-".to_owned(), text::milliseconds);
    let ratio = |index: usize| row.ratio.map_or("-".to_owned(), |ratio| format!("{:.3}", ratio[index]));
    vec![time(row.a_ns), time(row.b_ns), ratio(0), ratio(1), ratio(2), row.verdict.to_owned(), row.name.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_must_exceed_the_spread() {
        let times = |values: &[f64]| values.iter().map(|value| Some(*value)).collect::<Vec<_>>();
        let row = |a: &[f64], b: &[f64]| row("k".to_owned(), &[times(a), times(b)]);
        assert_eq!(row(&[2.0, 2.2, 2.1], &[1.0, 1.0, 1.0]).verdict, "faster");
        assert_eq!(row(&[2.0, 2.2, 2.1], &[2.1, 2.1, 2.1]).verdict, "within spread");
        assert_eq!(row(&[2.0], &[3.0]).verdict, "slower");
        let only = super::row("k".to_owned(), &[vec![None], vec![Some(1.0)]]);
        assert_eq!((only.verdict, only.ratio), ("only in B", None));
    }

    #[test]
    fn the_first_line_that_differs_is_shown() {
        assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), "the same, 4 bytes");
        assert!(first_difference(b"a\nb\n", b"a\nc\n").contains("line 2 on:\n    A: b\n    B: c"));
        assert!(first_difference(b"a\n", b"a").contains("how lines end"));
    }
}
