//! What changed from one build to another? By kernel, and by line where the estimated cycles differ, each with the passes
//! that did something there in one of the builds only.
//!
//! Kernels correspond by name, files by name, and lines as a diff aligns them (patience): between lines that stayed, as
//! many lines of code as before are the same lines, rewritten; otherwise they are gone and new.

use super::details::legend;
use super::index::{Row, Unit};
use super::model::LineOf;
use serde::Serialize;
use serde_json::Value;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warpwise_timer::names::alike;

/// The smallest change of a line that is told, as a share of its kernel's cycles.
const MIN_SHARE: f64 = 0.005;
/// Maximum number of lines of a kernel in a terminal.
const LINES: usize = 8;

/// A kernel in two builds, or a line of it.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Change {
    pub kernel: String,
    /// None: the whole kernel.
    pub place: Option<LineOf>,
    pub text: String,
    /// What has a number, and the number before and after; `None`: it is not there.
    pub figures: Vec<(&'static str, [Option<f64>; 2])>,
    /// What was done here in one of the builds only: `fuse-branches: BranchFused`.
    pub by: Vec<String>,
}

/// A build: its kernels and its sources.
#[derive(Clone, Copy)]
pub struct Build<'b> {
    pub rows: &'b [Row],
    pub units: &'b [(String, Unit)],
}

/// The cycles of a file's lines, by their numbers, with the file's own name.
type Cycles<'b> = (&'b str, BTreeMap<usize, f64>);

impl<'b> Build<'b> {
    /// The first source with a kernel, and the kernel there.
    fn find(&self, kernel: &str) -> Option<(&'b Value, &'b Value)> {
        self.units.iter().find_map(|(_, unit)| {
            let is_own = |one: &&Value| one["symbol"].as_str().is_some_and(|symbol| alike(symbol) == kernel);
            Some((&unit.page, unit.page["functions"].as_array()?.iter().find(is_own)?))
        })
    }

    /// What was done to a kernel, or on a line of it: `fuse-branches: BranchFused`.
    fn done(&self, kernel: &str, place: Option<&LineOf>, legend: &Value) -> BTreeSet<String> {
        let deeds = self.units.iter().flat_map(|(_, unit)| &unit.deeds).filter(|deed| deed.is_done);
        let deeds =
            deeds.filter(|deed| alike(&deed.symbol) == kernel && (place.is_none() || deed.place.as_ref() == place));
        deeds.map(|deed| format!("{}: {}", legend[&deed.remark][0].as_str().unwrap_or("?"), deed.remark)).collect()
    }
}

/// The lines of a kernel by file, without folders; the source itself may have another name, and is called "".
fn files<'b>((page, kernel): (&'b Value, &'b Value), is_built: bool) -> BTreeMap<&'b str, Cycles<'b>> {
    let of_line = |line: &Value| {
        let cycles = if is_built { line["after"].as_f64().unwrap_or(0.0) } else { line["cycles"].as_f64()? };
        Some((line["line"].as_u64().filter(|&number| number > 0)? as usize, cycles))
    };
    let files = kernel["lines"].as_object().into_iter().flatten().map(|(file, lines)| {
        let name = if page["title"] == file.as_str() { "" } else { file.rsplit('/').next().unwrap_or(file) };
        (name, (file.as_str(), lines.as_array().into_iter().flatten().filter_map(of_line).collect()))
    });
    files.collect()
}

/// Lines of a file before and after, by their numbers.
fn aligned(texts: [&[&str]; 2], code: [&BTreeMap<usize, f64>; 2]) -> Vec<[Option<usize>; 2]> {
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, texts[0], texts[1]) {
        let (tag, old, new) = op.as_tag_tuple();
        let lines = |side: usize, range: Range<usize>| {
            let is_told = |line: &usize| tag == DiffTag::Equal || code[side].contains_key(line);
            range.map(|index| index + 1).filter(is_told).collect::<Vec<_>>()
        };
        let (old, new) = (lines(0, old), lines(1, new));
        if old.len() == new.len() {
            pairs.extend(old.into_iter().zip(new).map(|(old, new)| [Some(old), Some(new)]));
        } else {
            pairs.extend(old.into_iter().map(|line| [Some(line), None]));
            pairs.extend(new.into_iter().map(|line| [None, Some(line)]));
        }
    }
    pairs
}

/// What differs on the lines of a kernel, by how much.
fn lines(builds: [Build<'_>; 2], kernel: &Change, symbol: &str, is_built: bool, legend: &Value) -> Vec<Change> {
    let [Some(old), Some(new)] = builds.map(|build| build.find(symbol)) else { return Vec::new() };
    let (both, none) = ([old, new].map(|source| files(source, is_built)), BTreeMap::new());
    let totals = both.each_ref().map(|files| files.values().flat_map(|(_, lines)| lines.values()).sum::<f64>());
    let mut list = Vec::new();
    for name in both[0].keys().chain(both[1].keys()).copied().collect::<BTreeSet<&str>>() {
        let of = both.each_ref().map(|files| files.get(name));
        let code = of.map(|file| file.map_or(&none, |(_, lines)| lines));
        let text = |side: usize| -> Vec<&str> {
            let lines = of[side].and_then(|(file, _)| [old, new][side].0["files"][*file].as_array());
            lines.into_iter().flatten().map(|line| line.as_str().unwrap_or_default().trim()).collect()
        };
        let texts = [text(0), text(1)];
        for pair in aligned([&texts[0], &texts[1]], code) {
            let each = |side: usize| {
                let line = pair[side]?;
                let place = LineOf { file: of[side]?.0.to_owned(), line: line as u32 };
                Some((place, code[side].get(&line).copied(), texts[side][line - 1]))
            };
            let sides = [each(0), each(1)];
            let cycles = sides.each_ref().map(|side| side.as_ref()?.1);
            let moved = (cycles[0].unwrap_or(0.0) - cycles[1].unwrap_or(0.0)).abs();
            if moved < MIN_SHARE * totals[0].max(totals[1]).max(1.0) {
                continue;
            }
            let by = by(builds, symbol, sides.each_ref().map(|side| side.as_ref().map(|side| &side.0)), legend);
            let [old, new] = sides;
            let Some((place, _, text)) = new.or(old) else { continue };
            let (kernel, text) = (kernel.kernel.clone(), text.to_owned());
            let change = Change { kernel, place: Some(place), text, figures: vec![("cycles", cycles)], by };
            list.push((moved, change));
        }
    }
    list.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.place.cmp(&b.1.place)));
    list.into_iter().map(|(_, change)| change).collect()
}

/// What was done in one of the builds only; on a line, where it is in both.
fn by(builds: [Build<'_>; 2], symbol: &str, places: [Option<&LineOf>; 2], legend: &Value) -> Vec<String> {
    let is_line = places != [None; 2];
    let done = |side: usize| match is_line && places[side].is_none() {
        true => BTreeSet::new(),
        false => builds[side].done(symbol, places[side], legend),
    };
    let (old, new) = (done(0), done(1));
    let gone = old.difference(&new).map(|one| format!("no more {one}"));
    new.difference(&old).cloned().chain(gone).collect()
}

/// Everything that differs, the kernels by how much, each followed by its lines.
pub fn changes(before: Build<'_>, after: Build<'_>) -> Vec<Change> {
    let (legend, builds) = (legend(), [before, after]);
    let by_name = |build: Build<'_>| build.rows.iter().map(|row| alike(&row.kernel.symbol)).collect::<Vec<_>>();
    let names = builds.map(by_name);
    let mut kernels: Vec<(f64, Vec<Change>)> = Vec::new();
    for symbol in names.iter().flatten().collect::<BTreeSet<_>>() {
        let find = |side: usize| Some(&builds[side].rows[names[side].iter().position(|name| name == symbol)?]);
        let rows = [find(0), find(1)];
        let Some(kernel) = rows[1].or(rows[0]).map(|row| row.kernel.name.clone()) else { continue };
        // as the plugin leaves the code, where that is known of both
        let is_built = rows.iter().flatten().all(|row| row.kernel.costs[1].is_some());
        let machine = |row: &Row| Some(row.kernel.machine?[1]);
        let figure = |name, of: &dyn Fn(&Row) -> Option<f64>| (name, rows.map(|row| of(row?)));
        let mut figures = vec![
            figure("ms", &|row| row.milliseconds),
            figure("cycles", &|row| Some(row.kernel.costs[usize::from(is_built)]?.cycles)),
            figure("registers", &|row| Some(f64::from(machine(row)?.registers))),
            figure("spills", &|row| Some(f64::from(machine(row)?.spills))),
            figure("shared", &|row| Some(f64::from(machine(row)?.shared))),
            figure("divergent branches", &|row| Some(f64::from(row.kernel.divergent_branches))),
        ];
        figures.retain(|(_, [before, after])| before != after);
        let moved = figures.first().map_or(0.0, |(_, [a, b])| (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs());
        let whole =
            Change { kernel, place: None, text: String::new(), figures, by: by(builds, symbol, [None; 2], &legend) };
        let list = lines(builds, &whole, symbol, is_built, &legend);
        if !whole.figures.is_empty() || !list.is_empty() {
            kernels.push((moved, std::iter::once(whole).chain(list).collect()));
        }
    }
    kernels.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1[0].kernel.cmp(&b.1[0].kernel)));
    kernels.into_iter().flat_map(|(_, changes)| changes).collect()
}

/// The changes for a terminal.
pub fn text(changes: &[Change]) -> String {
    let number = |number: Option<f64>| match number {
        None => "–".to_owned(),
        Some(number) if number.fract() == 0.0 => number.to_string(),
        Some(number) => format!("{number:.3}"),
    };
    let mut text = if changes.is_empty() { "nothing changed\n".to_owned() } else { String::new() };
    let mut shown = 0;
    for Change { kernel, place, text: source, figures, by } in changes {
        let figures = figures.iter().map(|(name, [a, b])| format!("{name} {} → {}", number(*a), number(*b)));
        let figures = figures.collect::<Vec<_>>().join(", ");
        let by = if by.is_empty() { String::new() } else { format!("  ({})", by.join(", ")) };
        shown = if place.is_none() { 0 } else { shown + 1 };
        match place {
            None => text += &format!("\x1b[1m{kernel}\x1b[0m  {figures}{by}\n"),
            Some(place) if shown <= LINES => {
                let place = warpwise_ir::source::place(&place.file, place.line);
                let source: String = source.chars().take(44).collect();
                text += &format!("  \x1b[36m{place:22}\x1b[0m  {source:44}  {figures}{by}\n");
            }
            Some(_) => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_correspond_between_those_that_stayed() {
        let old = ["a = 0;", "sum += x[i];", "b = 1;", "sum += x[i];", "c = y[4 * i];", "}"];
        // an equal line above the others, a comment, and a line that was rewritten below another
        let new = ["sum += x[i];", "a = 0;", "sum += x[i];", "b = 1;", "sum += x[i];", "// y", "c = y[i];", "}"];
        let code = |lines: &[usize]| lines.iter().map(|&line| (line, 1.0)).collect::<BTreeMap<usize, f64>>();
        let (before, after) = (code(&[1, 2, 3, 4, 5]), code(&[1, 2, 3, 4, 5, 7]));
        let pairs = aligned([&old, &new], [&before, &after]);
        let expected = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 7), (6, 8)];
        let expected = expected.map(|(old, new)| [Some(old).filter(|&line| line > 0), Some(new)]);
        assert_eq!(pairs, expected);
    }
}
