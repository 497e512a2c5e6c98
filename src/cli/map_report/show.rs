//! How is a map shown as text? As tables of one map, or of the differences between two.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use warpwise_analysis::counts::condition::Predicate;
use warpwise_analysis::counts::table::{BranchTable, ConditionTable, FunctionTable};
use warpwise_analysis::counts::{BranchCounts, Counted};
use warpwise_analysis::explain::symbol::kernel_symbol;
use warpwise_ir::phrase::percent;
use warpwise_ir::source::place;

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
    /// Launches in which the analysis calls it uniform.
    pub conditions: Vec<ConditionRow>,
    /// Whether one of the conditions held in every launch.
    pub is_uniform_as_launched: bool,
    pub visits: u64,
    pub splits: u64,
    pub split_rate: f64,
    pub lanes: u64,
    /// Average number of lanes missing from a warp of 32 in a visit.
    pub lanes_idle: f64,
    pub targets: Vec<String>,
    pub taken: Vec<u64>,
}

impl Row {
    /// Whether the analysis calls the branch divergent, and it was visited and never split.
    fn never_split(&self) -> bool {
        self.is_divergent && self.visits > 0 && self.splits == 0
    }
}

/// A property of a launch, and how often launches had it.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionRow {
    pub text: String,
    pub predicate: Predicate,
    /// Number of launches that had it; `None` if nothing tested it.
    pub held: Option<u64>,
    /// Number of launches.
    pub launches: Option<u64>,
}

/// How many of the branches that the analysis calls divergent never split, and how many of these it calls uniform for
/// launches such as those that were counted?
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Precision {
    /// Number of counted branches that were executed.
    pub executed: u32,
    /// Number of those that are called divergent.
    pub divergent: u32,
    /// Number of those that never split.
    pub never_split: u32,
    /// The same as a share of `divergent`, from 0 to 1.
    pub never_split_share: f64,
    /// Number of those with a condition that held in every launch.
    pub uniform_as_launched: u32,
    /// Number of those without.
    pub left: u32,
    /// The same as a share of the divergent branches without such a condition, from 0 to 1.
    pub left_share: f64,
    /// Number of branches that split although such a condition held: errors of the analysis.
    pub split_against_condition: u32,
}

impl Precision {
    fn of(rows: &[Row]) -> Precision {
        let count =
            |is_one: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| row.visits > 0 && is_one(row)).count() as u32;
        let divergent = count(&|row| row.is_divergent);
        let never_split = count(&Row::never_split);
        let uniform_as_launched = count(&|row| row.never_split() && row.is_uniform_as_launched);
        let left = never_split - uniform_as_launched;
        let share = |part: u32, of: u32| f64::from(part) / f64::from(of.max(1));
        Precision {
            executed: count(&|_| true),
            divergent,
            never_split,
            never_split_share: share(never_split, divergent),
            uniform_as_launched,
            left,
            left_share: share(left, divergent - uniform_as_launched),
            split_against_condition: count(&|row| row.splits > 0 && row.is_uniform_as_launched),
        }
    }

    /// One sentence.
    pub fn sentence(&self) -> String {
        let Precision { executed, divergent, never_split, uniform_as_launched, left, .. } = *self;
        format!(
            "counted branches: {executed} executed, {divergent} called divergent, {never_split} of these never split ({:.1} %); \
             uniform by a condition that held in every launch: {uniform_as_launched}, which leaves {left} of {} ({:.1} %)",
            100.0 * self.never_split_share,
            divergent - uniform_as_launched,
            100.0 * self.left_share
        )
    }
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
    /// Number of those with a condition that held in every launch.
    pub uniform_as_launched: usize,
    pub visits: u64,
    pub splits: u64,
}

/// Everything that `warpwise map json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Which runs: strings of `key=value` lines.
    pub runs: Vec<String>,
    pub functions: Vec<Total>,
    pub precision: Precision,
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
            let counted = function.branches.iter().enumerate();
            let rows = counted.filter_map(|(i, branch)| Some(row(module, function, i, branch, module.of(branch)?)));
            let rows: Vec<Row> = rows.collect();
            functions.push(total(module, function, &rows));
            branches.extend(rows);
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
    let precision = Precision::of(&branches);
    Summary { runs: runs.to_vec(), functions, precision, branches, hottest, mistakes }
}

/// Sums over the rows of a function.
fn total(module: &Counted, function: &FunctionTable, rows: &[Row]) -> Total {
    let never_split = || rows.iter().filter(|row| row.never_split());
    Total {
        func: kernel_symbol(&function.symbol),
        symbol: function.symbol.clone(),
        launches: module.launches(function),
        branches: function.branches.len(),
        counted: rows.len(),
        divergent: rows.iter().filter(|row| row.is_divergent).count(),
        never_split: never_split().count(),
        uniform_as_launched: never_split().filter(|row| row.is_uniform_as_launched).count(),
        visits: rows.iter().map(|row| row.visits).sum(),
        splits: rows.iter().map(|row| row.splits).sum(),
    }
}

fn row(module: &Counted, function: &FunctionTable, number: usize, branch: &BranchTable, counts: BranchCounts) -> Row {
    let table = &module.table;
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
        conditions: conditions(module, function, branch),
        is_uniform_as_launched: module.is_uniform_as_launched(function, branch),
        split_rate: counts.split_rate(),
        lanes_idle: counts.lanes_idle(),
        targets: branch.targets.iter().map(|&target| block(target)).collect(),
        visits: counts.visits,
        splits: counts.splits,
        lanes: counts.lanes,
        taken: counts.taken,
    }
}

/// The conditions of a branch.
fn conditions(module: &Counted, function: &FunctionTable, branch: &BranchTable) -> Vec<ConditionRow> {
    let row = |condition: &ConditionTable| {
        let ConditionTable { text, predicate, .. } = condition.clone();
        ConditionRow { text, predicate, held: module.held(condition), launches: module.launches(function) }
    };
    branch.conditions.iter().map(|&number| row(&function.conditions[number as usize])).collect()
}

/// Why a branch diverges, and under which launches it would not: `…; uniform if A (in 3 of 4 launches), or if B`.
pub fn reasons(module: Option<&Counted>, function: &FunctionTable, branch: &BranchTable) -> Option<String> {
    let text = |&number: &u32| {
        let condition = &function.conditions[number as usize];
        let launches = module.and_then(|module| Some((module.held(condition)?, module.launches(function)?)));
        let launches = launches.map(|(held, launches)| format!(" (in {held} of {launches} launches)"));
        condition.text.clone() + &launches.unwrap_or_default()
    };
    let conditions: Vec<String> = branch.conditions.iter().map(text).collect();
    let when = (!conditions.is_empty()).then(|| format!("uniform if {}", conditions.join(", or if ")));
    let parts: Vec<String> = branch.why.iter().cloned().chain(when).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
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
        for Total { func, launches, branches, counted, never_split, visits, splits, .. } in &self.functions {
            let launches = launches.map_or("-".to_owned(), |launches| launches.to_string());
            let rate = percent(*splits, *visits);
            let _ = writeln!(
                out,
                "{func:<28} {launches:>9} {branches:>9} {counted:>8} {never_split:>11} {visits:>15} {splits:>15} {rate:>5.1} %"
            );
        }
        if self.precision.executed > 0 {
            let _ = writeln!(out, "\n{}", self.precision.sentence());
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
            let Row { line, func, block, visits, splits, lanes_idle, .. } = row;
            let mistake = if *splits > 0 && !row.is_divergent { "  ! proven uniform, and split" } else { "" };
            let _ = writeln!(
                out,
                "{line:<24} {func:<20} {block:<12} {visits:>15} {splits:>15} {:>5.1} % {lanes_idle:>6.1}{mistake}",
                100.0 * row.split_rate
            );
        }
        if met.len() > most {
            let _ = writeln!(out, "… {} more (--all shows them)", met.len() - most);
        }
        let never = self.branches.len() - met.len();
        if never > 0 {
            let _ = writeln!(out, "{never} counted branches were never reached");
        }
        if self.precision.split_against_condition > 0 {
            let _ = writeln!(
                out,
                "! {} branches split although a condition held under which the analysis calls them uniform: please report \
                 this as a mistake of warpwise",
                self.precision.split_against_condition
            );
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
    let mut counts: BTreeMap<(&str, &str), [Option<[u64; 2]>; 2]> = BTreeMap::new();
    for (side, rows) in [&before.branches, &after.branches].into_iter().enumerate() {
        for row in rows {
            let sum = counts.entry((&row.func, &row.line)).or_default()[side].get_or_insert_default();
            sum[0] += row.visits;
            sum[1] += row.splits;
        }
    }
    let changes = counts.into_iter().map(|((func, line), [before, after])| {
        let (func, line) = (func.to_owned(), line.to_owned());
        Change { func, line, before, after }
    });
    let mut changes: Vec<Change> = changes.collect();
    let splits = |counts: Option<[u64; 2]>| counts.map_or(0, |counts| counts[1]);
    changes.sort_by_key(|change| std::cmp::Reverse(splits(change.before).abs_diff(splits(change.after))));
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
    for Change { line, func, before, after } in changes {
        let [visits, new_visits] = [before, after].map(|counts| show(*counts, 0));
        let [splits, new_splits] = [before, after].map(|counts| show(*counts, 1));
        let _ = writeln!(out, "{line:<24} {func:<20} {visits:>15} {new_visits:>15} {splits:>15} {new_splits:>15}");
    }
    out
}
