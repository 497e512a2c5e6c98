//! How is divergence shown to a person? On one self-contained page: source with figures beside it, control flow,
//! branches.
//!
//! The page is a fixed text ([`PAGE`]: markup, style, script) into which one JSON document is inserted. The script
//! inserts everything that comes from a program as text, never as markup. The page loads nothing from the network.

use super::layout::{self, Drawing};
use super::show;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use warpwise_analysis::counts::table::{BlockTable, FunctionTable, NamedPlace, Table};
use warpwise_analysis::counts::{BranchCounts, Counted};
use warpwise_analysis::explain::symbol::kernel_symbol;
use warpwise_ir::source::Sources;

/// Markup, style and script.
const PAGE: &str = include_str!("page.html");
/// Placeholder for the data.
const PLACE: &str = "\"DATA\"";

#[derive(Serialize)]
struct Page<'a> {
    title: String,
    /// Whether there are counts.
    measured: bool,
    /// How many branches called divergent never split.
    precision: Option<String>,
    runs: &'a [String],
    functions: Vec<FunctionPage<'a>>,
    /// Lines of every file that could be read.
    files: BTreeMap<&'a str, Vec<String>>,
    /// Kernels, memory accesses, local objects, and what was done and refused.
    details: &'a serde_json::Value,
}

#[derive(Serialize)]
struct FunctionPage<'a> {
    name: String,
    symbol: &'a str,
    is_kernel: bool,
    /// Number of uniform, affine and divergent values.
    values: [u32; 3],
    file: Option<&'a str>,
    lines: Vec<LinePage<'a>>,
    launches: Option<u64>,
    drawing: Drawing,
    blocks: &'a [BlockTable],
    branches: Vec<BranchPage<'a>>,
}

#[derive(Serialize)]
struct LinePage<'a> {
    file: &'a str,
    line: u32,
    notes: &'a [String],
}

#[derive(Serialize)]
struct BranchPage<'a> {
    block: u32,
    place: Option<NamedPlace<'a>>,
    location: String,
    is_divergent: bool,
    /// Why it diverges, and under which launches it would not.
    why: Option<String>,
    depth: u32,
    targets: &'a [u32],
    counts: Option<Counts>,
}

#[derive(Serialize)]
struct Counts {
    rate: f64,
    idle: f64,
    #[serde(flatten)]
    counts: BranchCounts,
}

/// The page for a map.
pub fn of_map(runs: &[String], modules: &[Counted]) -> String {
    let names: BTreeSet<&str> = modules.iter().map(|module| module.table.source.as_str()).collect();
    let title = names.into_iter().collect::<Vec<_>>().join(", ");
    let functions = modules.iter().flat_map(|module| {
        let table = &module.table;
        table.functions.iter().map(move |f| function_page(table, f, Some(module)))
    });
    let functions = functions.collect();
    let tables = modules.iter().map(|module| (&module.table, Path::new(&module.table.source)));
    let precision = Some(show::summary(runs, modules).precision.sentence());
    render(&Page {
        title,
        measured: true,
        precision,
        runs,
        functions,
        files: files(tables),
        details: &serde_json::Value::Null,
    })
}

/// The page for a module without counts; `details` is what a report knows besides the branches.
pub fn of_table(table: &Table, input: &Path, details: &serde_json::Value) -> String {
    let functions = table.functions.iter().map(|f| function_page(table, f, None)).collect();
    let title = input.display().to_string();
    render(&Page {
        title,
        measured: false,
        precision: None,
        runs: &[],
        functions,
        files: files([(table, input)].into_iter()),
        details,
    })
}

fn function_page<'a>(table: &'a Table, function: &'a FunctionTable, module: Option<&Counted>) -> FunctionPage<'a> {
    let next: Vec<Vec<u32>> = function.blocks.iter().map(|block| block.next.clone()).collect();
    let lines = function.lines.iter();
    let branches = function.branches.iter().map(|branch| BranchPage {
        block: branch.block,
        place: table.shown(branch),
        location: table.location(branch),
        is_divergent: branch.is_divergent,
        why: show::reasons(module, function, branch),
        depth: branch.depth,
        targets: &branch.targets,
        counts: module.and_then(|module| module.of(branch)).map(|c| Counts {
            rate: c.split_rate(),
            idle: c.lanes_idle(),
            counts: c,
        }),
    });
    FunctionPage {
        name: kernel_symbol(&function.symbol),
        symbol: &function.symbol,
        is_kernel: function.is_kernel,
        values: function.values,
        file: function.place.map(|(file, _)| table.file(file)),
        lines: lines.map(|l| LinePage { file: table.file(l.file), line: l.line, notes: &l.notes }).collect(),
        launches: module.and_then(|module| module.launches(function)),
        drawing: layout::draw(&next),
        blocks: &function.blocks,
        branches: branches.collect(),
    }
}

/// The current source files, looked up relative to a file for each table; if a source is gone, the lines stored in the
/// table.
fn files<'a>(tables: impl Iterator<Item = (&'a Table, &'a Path)>) -> BTreeMap<&'a str, Vec<String>> {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (table, beside) in tables {
        let mut sources = Sources::beside(beside);
        for function in &table.functions {
            let of_lines = function.lines.iter().map(|line| line.file).chain(function.place.map(|place| place.0));
            let of_branches = function.branches.iter().filter_map(|branch| table.shown(branch));
            for name in of_lines.map(|file| table.file(file)).chain(of_branches.map(|place| place.file)) {
                files.entry(name).or_insert_with(|| {
                    let mut lines: Vec<String> =
                        (1..).map_while(|line| sources.line(name, line).map(str::to_owned)).collect();
                    if lines.is_empty() {
                        for line in function.lines.iter().filter(|line| table.file(line.file) == name) {
                            let index = line.line.saturating_sub(1) as usize;
                            lines.resize(lines.len().max(index + 1), String::new());
                            lines[index].clone_from(&line.text);
                        }
                    }
                    lines
                });
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
        let page = of_table(&table, Path::new("</script><b>.cu"), &serde_json::Value::Null);
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
