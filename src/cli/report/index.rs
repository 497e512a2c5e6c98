//! What does the report of a whole project contain? One row per kernel, worst first; the files that failed; and what
//! the default pipeline did, as text, as JSON and for pages. The order depends on the contents only.

use super::advice::{Advice, AdviceKind, CycleCosts};
use super::against::{self, Change};
use super::launch::{self, Statement};
use super::model::{FunctionReport, LineOf};
use super::seen::{Seen, SeenKernels};
use super::times::Times;
use super::todo::{self, Action};
use serde::{Deserialize, Serialize};
use warpwise_analysis::counts::table::{FunctionTable, Table};
use warpwise_analysis::explain::symbol::kernel_symbol;
use warpwise_ir::phrase::counted;
use warpwise_ir::source::Sources;
use warpwise_listing::Resources;

/// What is cached for one translation unit.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Unit {
    pub kernels: Vec<KernelRow>,
    pub deeds: Vec<Deed>,
    /// The source for a page, as in [`crate::map_report::page::unit`].
    pub page: serde_json::Value,
    /// Files that clang read.
    pub dependencies: Vec<String>,
}

/// How often one remark was emitted for one function.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Deed {
    pub symbol: String,
    pub remark: String,
    /// Whether it is a transformation; otherwise a refusal.
    pub is_done: bool,
    /// None in code without debug information.
    pub place: Option<LineOf>,
    pub text: String,
    pub count: u32,
}

/// How often a remark was emitted.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    pub remark: String,
    pub count: u32,
}

/// What ptxas says of a kernel: registers and bytes of stack and spills for each thread, bytes of shared memory for each
/// block.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    pub registers: u32,
    pub stack: u32,
    pub spills: u32,
    pub shared: u32,
}

impl From<Resources> for Machine {
    fn from(from: Resources) -> Machine {
        let Resources { registers, stack, spill_stores, spill_loads, shared } = from;
        Machine { registers, stack, spills: spill_stores + spill_loads, shared }
    }
}

/// The figures of one kernel.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct KernelRow {
    pub name: String,
    pub symbol: String,
    /// File and line of the definition, which may be in a header.
    pub place: Option<LineOf>,
    pub branches: u32,
    pub divergent_branches: u32,
    pub local_arrays: u32,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    /// Accesses with more sectors or bank conflicts than necessary.
    pub bad_strides: u32,
    /// Remarks with their counts.
    pub done: Vec<Tally>,
    pub refused: Vec<Tally>,
    /// What ptxas says of the kernel without the plugin, and with it.
    pub machine: Option<[Machine; 2]>,
    /// Estimated issue cycles of one warp.
    pub cycles: f64,
    /// What of them is lost without the plugin, and with it.
    pub costs: [Option<CycleCosts>; 2],
    pub advice: Vec<Advice>,
    /// What can be stated about launches.
    pub statements: Vec<Statement>,
}

impl KernelRow {
    /// Of a kernel about which there is no report.
    pub fn of_table(table: &Table, kernel: &FunctionTable) -> KernelRow {
        KernelRow {
            name: kernel_symbol(&kernel.symbol),
            symbol: kernel.symbol.clone(),
            place: kernel.place.map(|(file, line)| LineOf { file: table.file(file).to_owned(), line }),
            branches: kernel.branches.len() as u32,
            divergent_branches: kernel.branches.iter().filter(|branch| branch.is_divergent).count() as u32,
            statements: launch::statements(table, kernel, &[], None, &mut Sources::default()),
            ..KernelRow::default()
        }
    }

    /// From the kernel's report, and what was done to the kernel; statements are left out.
    pub fn new(kernel: &FunctionReport, deeds: &[Deed], machine: Option<[Machine; 2]>) -> KernelRow {
        let words = |is_done| {
            let mut tallies: Vec<Tally> = Vec::new();
            for deed in deeds.iter().filter(|deed| deed.symbol == kernel.symbol && deed.is_done == is_done) {
                match tallies.iter_mut().find(|tally| tally.remark == deed.remark) {
                    Some(tally) => tally.count += deed.count,
                    None => tallies.push(Tally { remark: deed.remark.clone(), count: deed.count }),
                }
            }
            tallies
        };
        // what the plugin has moved to shared memory, or ptxas keeps in registers, is done
        let is_moved = deeds.iter().any(|d| d.symbol == kernel.symbol && d.is_done && d.remark.starts_with("StackTo"))
            || machine.is_some_and(|[_, after]| after.stack == 0);
        let is_open = |advice: &&Advice| match advice.kind {
            AdviceKind::Local => !is_moved,
            _ => !is_fused(advice, kernel, deeds),
        };
        KernelRow {
            name: kernel.name.clone(),
            symbol: kernel.symbol.clone(),
            place: kernel.place.clone(),
            branches: kernel.branches.total,
            divergent_branches: kernel.branches.divergent.len() as u32,
            local_arrays: kernel.locals.len() as u32,
            local_bytes: kernel.locals.iter().map(|local| local.bytes).sum(),
            bad_strides: kernel.accesses.iter().filter(|access| access.is_costly).count() as u32,
            done: words(true),
            refused: words(false),
            cycles: kernel.cycles,
            costs: [Some(kernel.costs), None],
            statements: Vec::new(),
            advice: kernel.advice.iter().filter(is_open).cloned().collect(),
            machine,
        }
    }
}

/// Whether a branch that an advice is about was fused.
fn is_fused(advice: &Advice, kernel: &FunctionReport, deeds: &[Deed]) -> bool {
    let is_fusion = |deed: &Deed| matches!(deed.remark.as_str(), "BranchFused" | "BranchesConverted");
    let is_same = |deed: &Deed| deed.symbol == kernel.symbol && deed.place == advice.place && is_fusion(deed);
    advice.kind == AdviceKind::Branch && advice.place.is_some() && deeds.iter().any(is_same)
}

/// Whether an advice is about branches that never split when they were counted.
fn is_never_split(advice: &Advice, seen: &Seen) -> bool {
    let place = advice.place.as_ref();
    advice.kind == AdviceKind::Branch && place.is_some_and(|place| seen.never_splits(&place.file, place.line))
}

/// A kernel of a file.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Row {
    pub file: String,
    /// Page with the report of the file, relative to the index.
    pub page: String,
    /// Number of translation units with the same kernel, from a header, compiled to the same figures.
    pub units: u32,
    /// Measured, if it was launched in the run that was timed.
    pub milliseconds: Option<f64>,
    /// What its divergent branches did in the runs of a map.
    pub seen: Option<Seen>,
    #[serde(flatten)]
    pub kernel: KernelRow,
}

impl Row {
    /// A kernel of one file.
    pub fn new(file: &str, page: &str, kernel: KernelRow) -> Row {
        Row { file: file.to_owned(), page: page.to_owned(), units: 1, milliseconds: None, seen: None, kernel }
    }
}

/// A file that could not be analysed.
#[derive(Serialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Failure {
    pub file: String,
    pub reason: String,
}

/// The whole project.
#[derive(Serialize, Clone, PartialEq, Debug, Default)]
pub struct Index {
    pub project: String,
    /// Number of translation units analysed.
    pub units: usize,
    /// What to do first.
    #[serde(serialize_with = "todo::first")]
    pub todo: Vec<Action>,
    /// Whether there are measured times.
    pub is_measured: bool,
    /// Whether there is a divergence map.
    pub has_map: bool,
    pub kernels: Vec<Row>,
    pub failures: Vec<Failure>,
    /// What changed from another build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
    /// What else a reader of a page should know.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Index {
    /// Makes one kernel of those that several files have from a header, and sorts: by measured time, then by cycles that
    /// could be saved, then by divergent branches, local arrays and bad strides; ties by name. Branches that never
    /// split in the runs of a map are no advice.
    pub fn finish(&mut self, times: Option<&Times>, map: Option<&SeenKernels>) {
        self.is_measured = times.is_some();
        self.has_map = map.is_some_and(SeenKernels::has_map);
        let mut kernels: Vec<Row> = Vec::new();
        for mut row in std::mem::take(&mut self.kernels) {
            match kernels.iter_mut().find(|known| known.kernel == row.kernel && row.kernel.place.is_some()) {
                Some(known) => known.units += 1,
                None => {
                    row.milliseconds = times.and_then(|times| times.of(&row.kernel.symbol));
                    kernels.push(row);
                }
            }
        }
        for row in &mut kernels {
            row.seen = map.and_then(|map| map.get(&row.kernel.symbol)).cloned();
            if let Some(seen) = &row.seen {
                row.kernel.advice.retain(|advice| !is_never_split(advice, seen));
                row.kernel.statements.extend(launch::never_split(seen, &row.kernel.statements));
            }
        }
        let saved = |row: &Row| row.kernel.advice.iter().map(|advice| advice.cycles).sum::<f64>();
        kernels.sort_by(|a, b| {
            let figures = |row: &Row| {
                (row.kernel.divergent_branches, row.kernel.local_arrays, row.kernel.local_bytes, row.kernel.bad_strides)
            };
            let names = |row: &Row| (row.file.clone(), row.kernel.place.clone(), row.kernel.symbol.clone());
            let time = |row: &Row| row.milliseconds.unwrap_or(-1.0);
            let by_worth = time(b).total_cmp(&time(a)).then(saved(b).total_cmp(&saved(a)));
            by_worth.then(figures(b).cmp(&figures(a))).then_with(|| names(a).cmp(&names(b)))
        });
        let subjects = kernels.iter().map(|Row { kernel, .. }| (&*kernel.name, &*kernel.symbol, &*kernel.advice));
        self.todo = todo::actions(subjects, times);
        self.kernels = kernels;
        self.failures.sort();
    }

    /// The index as text for a terminal.
    pub fn to_text(&self) -> String {
        if let Some(changes) = &self.changes {
            return against::text(changes);
        }
        let mut text =
            format!("{}: {} in {}\n", self.project, counted(self.kernels.len(), "kernel"), counted(self.units, "file"));
        if !self.kernels.is_empty() {
            let cycles = (!self.is_measured).then(|| self.kernels.iter().map(|row| row.kernel.cycles).sum());
            text += &todo::text(&self.todo, cycles, 1, "--html DIR; --json: all");
        }
        if !self.failures.is_empty() {
            text += &format!("\n{} could not be looked at:\n", counted(self.failures.len(), "file"));
        }
        for failure in &self.failures {
            text += &format!("  {}: {}\n", failure.file, failure.reason.lines().next().unwrap_or(""));
            // warnings may come first
            let first = failure.reason.lines().position(|line| line.contains("error:")).unwrap_or(0).max(1);
            for line in failure.reason.lines().skip(first).take(3) {
                text += &format!("    {line}\n");
            }
        }
        text
    }
}
