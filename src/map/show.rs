//! How is a map shown as text? As tables of one map, or of the differences between two.

use crate::counts::table::{BranchTable, FunctionTable, Table};
use crate::counts::{BranchCounts, Counted};
use crate::explain::symbol::kernel_symbol;
use crate::source::place;
use serde::Serialize;
use std::fmt::Write;

/// Share of all splits that the hottest branches have together.
const HOT: f64 = 0.9;

/// One line of the table: a branch and its counts.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub func: String,
    pub symbol: String,
    /// Number of the branch in its function.
    pub branch: usize,
    /// The block that it ends.
    pub block: String,
    /// The `file:line` that a reader expects.
    pub line: String,
    /// With column and call sites.
    pub location: String,
    /// Whether the analysis calls it divergent.
    pub is_divergent: bool,
    pub why: Option<String>,
    pub visits: u64,
    pub splits: u64,
    pub split_rate: f64,
    pub lanes: u64,
    /// Average number of lanes missing from a warp of 32 in a visit.
    pub lanes_idle: f64,
    pub targets: Vec<String>,
    pub taken: Vec<u64>,
}

/// Sums of a function.
#[derive(Clone, Debug, Serialize)]
pub struct Total {
    pub func: String,
    pub symbol: String,
    pub launches: Option<u64>,
    pub branches: usize,
    pub counted: usize,
    /// Number of branches that the analysis calls divergent.
    pub divergent: usize,
    /// Number of those that were visited and never split.
    pub never_split: usize,
    pub visits: u64,
    pub splits: u64,
}

/// Everything that `warpwise map json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Which runs: strings of `key=value` lines.
    pub runs: Vec<String>,
    pub functions: Vec<Total>,
    /// Sorted by splits, then visits.
    pub branches: Vec<Row>,
    /// How many rows, from the top, have nine tenths of all splits.
    pub hottest: usize,
    /// Number of branches proven uniform that split: errors of the analysis.
    pub mistakes: usize,
}

/// Summarises all modules of a map.
pub fn summary(runs: &[String], modules: &[Counted]) -> Summary {
    let mut functions = Vec::new();
    let mut branches = Vec::new();
    for module in modules {
        for function in &module.table.functions {
            functions.push(total(module, function));
            let counted = function.branches.iter().enumerate();
            branches.extend(
                counted.filter_map(|(i, branch)| Some(row(&module.table, function, i, branch, module.of(branch)?))),
            );
        }
    }
    branches.sort_by(|a, b| (b.splits, b.visits, &a.symbol, a.branch).cmp(&(a.splits, a.visits, &b.symbol, b.branch)));
    let all: u64 = branches.iter().map(|row| row.splits).sum();
    let mut sum = 0;
    let hottest = branches
        .iter()
        .take_while(|row| {
            let wanted = row.splits > 0 && (sum as f64) < HOT * all as f64;
            sum += row.splits;
            wanted
        })
        .count();
    let mistakes = branches.iter().filter(|row| row.splits > 0 && !row.is_divergent).count();
    Summary { runs: runs.to_vec(), functions, branches, hottest, mistakes }
}

fn total(module: &Counted, function: &FunctionTable) -> Total {
    let counts: Vec<(&BranchTable, BranchCounts)> =
        function.branches.iter().filter_map(|branch| Some((branch, module.of(branch)?))).collect();
    let divergent = || counts.iter().filter(|entry| entry.0.is_divergent);
    Total {
        func: kernel_symbol(&function.symbol),
        symbol: function.symbol.clone(),
        launches: module.launches(function),
        branches: function.branches.len(),
        counted: counts.len(),
        divergent: divergent().count(),
        never_split: divergent().filter(|entry| entry.1.visits > 0 && entry.1.splits == 0).count(),
        visits: counts.iter().map(|entry| entry.1.visits).sum(),
        splits: counts.iter().map(|entry| entry.1.splits).sum(),
    }
}

fn row(table: &Table, function: &FunctionTable, number: usize, branch: &BranchTable, counts: BranchCounts) -> Row {
    let block = |index: u32| function.blocks[index as usize].name.clone();
    let line = table.shown(branch).map_or_else(|| "(no line)".to_owned(), |at| place(at.file, at.line));
    Row {
        func: kernel_symbol(&function.symbol),
        symbol: function.symbol.clone(),
        branch: number,
        block: block(branch.block),
        line,
        location: table.location(branch),
        is_divergent: branch.is_divergent,
        why: branch.why.clone(),
        split_rate: counts.split_rate(),
        lanes_idle: counts.lanes_idle(),
        targets: branch.targets.iter().map(|&target| block(target)).collect(),
        visits: counts.visits,
        splits: counts.splits,
        lanes: counts.lanes,
        taken: counts.taken,
    }
}

impl Summary {
    /// The summary as text, with at most this many rows.
    pub fn text(&self, most: usize) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{:<28} {:>9} {:>9} {:>8} {:>11} {:>15} {:>15} {:>7}",
            "kernel", "launches", "branches", "counted", "never split", "visits", "splits", "rate"
        );
        for total in &self.functions {
            let launches = total.launches.map_or("-".to_owned(), |launches| launches.to_string());
            let _ = writeln!(
                out,
                "{:<28} {launches:>9} {:>9} {:>8} {:>11} {:>15} {:>15} {:>5.1} %",
                total.func,
                total.branches,
                total.counted,
                total.never_split,
                total.visits,
                total.splits,
                percent(total.splits, total.visits)
            );
        }
        let met: Vec<&Row> = self.branches.iter().filter(|row| row.visits > 0).collect();
        let _ = writeln!(
            out,
            "\n{:<24} {:<20} {:<12} {:>15} {:>15} {:>7} {:>6}",
            "line", "kernel", "block", "visits", "splits", "rate", "idle"
        );
        for (position, row) in met.iter().take(most).enumerate() {
            if position == self.hottest && position > 0 {
                let _ = writeln!(out, "--- the {position} above hold {:.0} % of all splits", 100.0 * HOT);
            }
            let _ = writeln!(
                out,
                "{:<24} {:<20} {:<12} {:>15} {:>15} {:>5.1} % {:>6.1}{}",
                row.line,
                row.func,
                row.block,
                row.visits,
                row.splits,
                100.0 * row.split_rate,
                row.lanes_idle,
                if row.splits > 0 && !row.is_divergent { "  ! proven uniform, and split" } else { "" }
            );
        }
        if met.len() > most {
            let _ = writeln!(out, "… {} more (--all shows them)", met.len() - most);
        }
        let never = self.branches.len() - met.len();
        if never > 0 {
            let _ = writeln!(out, "{never} counted branches were never reached");
        }
        if self.mistakes > 0 {
            let _ = writeln!(
                out,
                "! {} branches that the analysis calls uniform split: please report this as a mistake of warpwise",
                self.mistakes
            );
        }
        out
    }
}

fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

/// The counts of a branch in two maps.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    pub func: String,
    pub line: String,
    /// Visits and splits before; `None` if the branch is new.
    pub before: Option<[u64; 2]>,
    /// Visits and splits after; `None` if the branch is gone.
    pub after: Option<[u64; 2]>,
}

/// Compares two maps line by line. Branches of a function on the same line are taken together, since another build may
/// have unrolled and inlined differently. Sorted by the change of splits.
pub fn difference(before: &Summary, after: &Summary) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (rows, is_after) in [(&before.branches, false), (&after.branches, true)] {
        for row in rows {
            let known = changes.iter().position(|change| change.func == row.func && change.line == row.line);
            let index = known.unwrap_or_else(|| {
                let (func, line) = (row.func.clone(), row.line.clone());
                changes.push(Change { func, line, before: None, after: None });
                changes.len() - 1
            });
            let change = &mut changes[index];
            let sum = if is_after { &mut change.after } else { &mut change.before };
            let sum = sum.get_or_insert_default();
            sum[0] += row.visits;
            sum[1] += row.splits;
        }
    }
    let moved = |change: &Change| {
        let splits = |counts: Option<[u64; 2]>| counts.map_or(0, |counts| counts[1]);
        splits(change.before).abs_diff(splits(change.after))
    };
    changes.sort_by_key(|change| (std::cmp::Reverse(moved(change)), change.func.clone(), change.line.clone()));
    changes
}

/// A comparison as text.
pub fn difference_text(changes: &[Change]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<24} {:<20} {:>15} {:>15} {:>15} {:>15}",
        "line", "kernel", "visits before", "after", "splits before", "after"
    );
    let show = |counts: Option<[u64; 2]>, which: usize| counts.map_or("-".to_owned(), |c| c[which].to_string());
    for change in changes {
        let (b, a) = (change.before, change.after);
        let _ = writeln!(
            out,
            "{:<24} {:<20} {:>15} {:>15} {:>15} {:>15}",
            change.line,
            change.func,
            show(b, 0),
            show(a, 0),
            show(b, 1),
            show(a, 1)
        );
    }
    out
}
