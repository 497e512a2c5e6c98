//! What should be done first? At most ten lines, worth the most first; actions that are alike share one.
//!
//! The worth of an advice is its share of its kernel's cycles times the kernel's weight: measured milliseconds if the
//! kernel was timed (`--times`), else the cycles of one warp. Kernels that a timed run did not launch come last. Advice
//! about one line is one action, from however many instantiations and files. CUDA, its libraries and the system's headers
//! are left out.

use super::advice::{Advice, AdviceKind};
use super::times::Times;
use anyhow::{Context, Result};
use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use warpwise_ir::source::is_own;

/// Maximum number of actions in documents and pages, and of lines in a terminal, with the head and what is below.
const MAX_ACTIONS: usize = 10;

/// Name and symbol of a kernel, with its advice.
pub type Subject<'a> = (&'a str, &'a str, &'a [Advice]);

/// One entry of the list.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Action {
    pub place: String,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    pub kind: AdviceKind,
    pub what: String,
    #[serde(skip)]
    pub short: String,
    pub action: String,
    /// Share of the kernel's estimated cycles, 0 to 1; the largest of several kernels.
    pub share: f64,
    /// Cycles of one warp.
    pub cycles: f64,
    /// Milliseconds of the measured run, if the kernel was measured.
    pub milliseconds: Option<f64>,
}

/// All actions.
pub fn actions<'a>(subjects: impl Iterator<Item = Subject<'a>>, times: Option<&Times>) -> Vec<Action> {
    let mut list: Vec<Action> = Vec::new();
    let is_library = |symbol: &str| symbol.starts_with("__internal_") || symbol.starts_with("__nv_");
    for (name, symbol, advice) in subjects.filter(|(_, symbol, _)| !is_library(symbol)) {
        let time = times.and_then(|times| times.of(symbol));
        // nobody edits the headers of CUDA
        let is_own = |advice: &&Advice| advice.place.as_ref().is_none_or(|place| is_own(&place.file));
        for advice in advice.iter().filter(is_own) {
            let place = advice.place.as_ref();
            let place = place.map_or_else(|| name.to_owned(), |place| format!("{}:{}", place.file, place.line));
            let milliseconds = time.map(|time| time * advice.share);
            let known = list.iter_mut().find(|known| known.kind == advice.kind && known.place == place);
            let Some(known) = known else {
                let Advice { kind, what, short, action, share, cycles, .. } = advice.clone();
                let kernels = vec![name.to_owned()];
                list.push(Action { place, kernels, kind, what, short, action, share, cycles, milliseconds });
                continue;
            };
            if !known.kernels.iter().any(|known| known == name) {
                known.kernels.push(name.to_owned());
            }
            known.share = known.share.max(advice.share);
            known.cycles = known.cycles.max(advice.cycles);
            known.milliseconds = known.milliseconds.into_iter().chain(milliseconds).reduce(|a, b| a + b);
        }
    }
    list.sort_by(|a, b| by_worth(&[a], &[b]));
    list
}

/// Serializes the first of the list.
pub fn first<S: Serializer>(actions: &[Action], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(actions.iter().take(MAX_ACTIONS))
}

/// What is measured comes first, then what costs the most cycles.
fn by_worth(a: &[&Action], b: &[&Action]) -> Ordering {
    let cycles = |line: &[&Action]| line.iter().map(|action| action.cycles).sum::<f64>();
    let times = milliseconds(b).unwrap_or(-1.0).total_cmp(&milliseconds(a).unwrap_or(-1.0));
    times.then(cycles(b).total_cmp(&cycles(a))).then_with(|| a[0].place.cmp(&b[0].place))
}

/// Together, if one of them is measured.
fn milliseconds(line: &[&Action]) -> Option<f64> {
    line.iter().filter_map(|action| action.milliseconds).reduce(|a, b| a + b)
}

/// The lines: actions that differ in their places only, worth the most first.
fn lines(actions: &[Action]) -> Vec<Vec<&Action>> {
    let mut lines: Vec<Vec<&Action>> = Vec::new();
    for action in actions {
        match lines.iter_mut().find(|line| line[0].short == action.short && line[0].action == action.action) {
            Some(line) => line.push(action),
            None => lines.push(vec![action]),
        }
    }
    lines.sort_by(|a, b| by_worth(a, b));
    lines
}

/// Milliseconds, or else the share of these cycles.
fn worth(line: &[&Action], of: Option<f64>) -> String {
    let cycles = line.iter().map(|action| action.cycles).sum::<f64>();
    match (milliseconds(line), of) {
        (Some(time), _) => format!("{time:.3}"),
        (None, Some(all)) => format!("{:.1} %", 100.0 * cycles / all.max(cycles)),
        (None, None) => "–".to_owned(),
    }
}

/// "a.cu:7 +3": the first place with a line, and how many others there are; what is too long loses its beginning.
fn places(line: &[&Action]) -> String {
    let others = line.iter().filter(|action| action.place != line[0].place).count();
    let more = if others > 0 { format!(" +{others}") } else { String::new() };
    let has_line = |place: &&str| place.rsplit(':').next().is_some_and(|line| line.parse::<u32>().is_ok());
    let place = line.iter().map(|action| &*action.place).find(has_line).unwrap_or(&line[0].place);
    let place = place.rsplit('/').next().unwrap_or_default();
    let skipped = (place.chars().count() + more.len()).saturating_sub(22);
    let start = if skipped > 0 { "…" } else { "" };
    format!("{start}{}{more}", place.chars().skip(skipped + start.chars().count()).collect::<String>())
}

/// A table for a terminal: at most ten lines of 110 characters. `of`: cycles of all kernels, unless there are times;
/// `above`: lines that stand above it; `more`: how to see the rest.
pub fn text(actions: &[Action], of: Option<f64>, above: usize, more: &str) -> String {
    let lines = lines(actions);
    if lines.is_empty() {
        return format!("nothing to do that is worth a per cent of any kernel; \x1b[2m{more}\x1b[0m\n");
    }
    let unit = if of.is_some() { "share" } else { "ms" };
    let mut text = format!("\x1b[2m#  {unit:>9}  {:22}  {:32}  do\x1b[0m\n", "place", "what");
    for (number, line) in (1..).zip(&lines[..lines.len().min(MAX_ACTIONS - 2 - above)]) {
        let (worth, places, Action { short, action, .. }) = (worth(line, of), places(line), line[0]);
        // lines that are worth nothing are not first
        if number > 1 && worth.bytes().all(|byte| !(b'1'..=b'9').contains(&byte)) {
            break;
        }
        text += &format!("{number}  \x1b[1m{worth:>9}\x1b[0m  \x1b[36m{places:22}\x1b[0m  {short:32}  {action}\n");
    }
    let unit = if of.is_some() { "share: of all estimated cycles (--times TIMES: ms); " } else { "" };
    text + &format!("\x1b[2m{unit}--why N: reasons; {more}\x1b[0m\n")
}

/// Everything about one line of the table: each place with its worth and its reason.
pub fn why(actions: &[Action], number: usize) -> Result<String> {
    let lines = lines(actions);
    let line = lines.get(number.wrapping_sub(1));
    let line = line.with_context(|| format!("there is no line {number} to explain: there are {}", lines.len()))?;
    let mut text = format!("{}: {}\n", line[0].short, line[0].action);
    for Action { place, kernels, what, share, milliseconds, .. } in line {
        let time = milliseconds.map_or_else(String::new, |time| format!("{time:.3} ms, "));
        text += &format!("  {place}, {time}{:.0} % of {}: {what}\n", 100.0 * share, kernels.join(", "));
    }
    Ok(text)
}
