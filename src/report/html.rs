//! How does a person look at divergence? One self-contained page: source with figures beside it, control flow, branches.
//!
//! The page is a fixed text ([`PAGE`]: markup, style, script) with one JSON document put in; everything that comes from a
//! program is set as text by the script, never as markup. It asks nothing of any network.

use super::layout::{self, Drawing};
use super::model::FunctionReport;
use super::source::Sources;
use crate::map::file::{BranchCounts, Counted};
use crate::map::table::{BranchTable, FunctionTable, PlaceTable, Table};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Markup, style and script.
const PAGE: &str = include_str!("page.html");
/// Where the data goes.
const PLACE: &str = "\"DATA\"";

#[derive(Serialize)]
struct Page<'a> {
    title: String,
    /// Whether anything was measured.
    measured: bool,
    runs: &'a [String],
    functions: Vec<FunctionPage<'a>>,
    /// Lines of every file that could be read.
    files: BTreeMap<String, Vec<String>>,
}

#[derive(Serialize)]
struct FunctionPage<'a> {
    report: &'a FunctionReport,
    launches: Option<u64>,
    drawing: Drawing,
    blocks: Vec<BlockPage<'a>>,
    branches: Vec<BranchPage<'a>>,
}

#[derive(Serialize)]
struct BlockPage<'a> {
    name: &'a str,
    lines: [u32; 2],
    size: u32,
}

#[derive(Serialize)]
struct BranchPage<'a> {
    block: u32,
    place: Option<&'a PlaceTable>,
    location: String,
    is_divergent: bool,
    why: Option<&'a str>,
    depth: u32,
    targets: &'a [u32],
    counts: Option<Counts>,
}

#[derive(Serialize)]
struct Counts {
    visits: u64,
    splits: u64,
    rate: f64,
    idle: f64,
    taken: Vec<u64>,
}

impl From<BranchCounts> for Counts {
    fn from(counts: BranchCounts) -> Counts {
        let (rate, idle) = (counts.split_rate(), counts.lanes_idle());
        Counts { visits: counts.visits, splits: counts.splits, rate, idle, taken: counts.taken }
    }
}

/// The page of a map.
pub fn of_map(runs: &[String], modules: &[Counted]) -> String {
    let names: BTreeSet<&str> = modules.iter().map(|module| module.table.source.as_str()).collect();
    let title = names.into_iter().collect::<Vec<_>>().join(", ");
    let functions = modules
        .iter()
        .flat_map(|module| {
            let counts = |branch: &BranchTable| module.of(branch);
            module.table.functions.iter().map(move |f| function_page(f, module.launches(f), counts))
        })
        .collect();
    let tables: Vec<&Table> = modules.iter().map(|module| &module.table).collect();
    render(&Page { title, measured: true, runs, functions, files: files(&tables, Path::new("")) })
}

/// The page of a module that nobody ran.
pub fn of_table(table: &Table, input: &Path) -> String {
    let functions = table.functions.iter().map(|f| function_page(f, None, |_| None)).collect();
    let title = input.display().to_string();
    render(&Page { title, measured: false, runs: &[], functions, files: files(&[table], input) })
}

fn function_page<'a>(
    function: &'a FunctionTable,
    launches: Option<u64>,
    counts: impl Fn(&BranchTable) -> Option<BranchCounts>,
) -> FunctionPage<'a> {
    let next: Vec<Vec<u32>> = function.blocks.iter().map(|block| block.next.clone()).collect();
    let blocks = function.blocks.iter();
    let blocks = blocks.map(|block| BlockPage { name: &block.name, lines: block.lines, size: block.size });
    let branches = function.branches.iter().map(|branch| BranchPage {
        block: branch.block,
        place: branch.shown(),
        location: branch.location(),
        is_divergent: branch.is_divergent,
        why: branch.why.as_deref(),
        depth: branch.depth,
        targets: &branch.targets,
        counts: counts(branch).map(Counts::from),
    });
    FunctionPage {
        report: &function.report,
        launches,
        drawing: layout::draw(&next),
        blocks: blocks.collect(),
        branches: branches.collect(),
    }
}

/// The sources as they are now; where a file is gone, the lines that the report kept.
fn files(tables: &[&Table], input: &Path) -> BTreeMap<String, Vec<String>> {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for table in tables {
        let beside = if input.as_os_str().is_empty() { Path::new(&table.source) } else { input };
        let mut sources = Sources::beside(beside);
        for function in &table.functions {
            let report = &function.report;
            let of_branches = function.branches.iter().filter_map(BranchTable::shown).map(|place| place.file.as_str());
            let names: BTreeSet<&str> = report
                .lines
                .iter()
                .map(|line| line.place.file.as_str())
                .chain(report.place.iter().map(|place| place.file.as_str()))
                .chain(of_branches)
                .collect();
            for name in names {
                if files.contains_key(name) {
                    continue;
                }
                let mut lines: Vec<String> =
                    (1..).map_while(|line| sources.line(name, line).map(str::to_owned)).collect();
                if lines.is_empty() {
                    for line in report.lines.iter().filter(|line| line.place.file == *name) {
                        let index = line.place.line.saturating_sub(1) as usize;
                        lines.resize(lines.len().max(index + 1), String::new());
                        lines[index] = line.text.clone().unwrap_or_default();
                    }
                }
                files.insert(name.to_owned(), lines);
            }
        }
    }
    files
}

fn render(page: &Page<'_>) -> String {
    let data = serde_json::to_string(page).expect("a page is plain data");
    // inside a script element nothing may look like markup
    PAGE.replacen(PLACE, &data.replace('<', "\\u003c"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_source_ends_the_script() {
        let mut table = Table::new("</script><b>.cu");
        table.producer = "<!--".to_owned();
        let page = of_table(&table, Path::new("</script><b>.cu"));
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        assert!(!page.contains(PLACE));
    }

    #[test]
    fn the_page_asks_no_network() {
        for word in ["http://", "https://", "src=", "@import", "url("] {
            let allowed = word.starts_with("http") && PAGE.contains("http://www.w3.org/2000/svg");
            assert!(!PAGE.replace("http://www.w3.org/2000/svg", "").contains(word), "{word} {allowed}");
        }
    }
}
