//! How is everything about kernels shown to a person? On self-contained pages: kernels, source with figures beside it,
//! control flow, branches, memory, what was done and refused.
//!
//! A page is a fixed text ([`PAGE`], with its style and script) into which JSON documents are inserted: one about all
//! kernels, and one for each source ([`unit`]) that the page holds. The script inserts everything that comes from a
//! program as text, never as markup. A page loads nothing from the network.

use super::layout;
use super::show;
use crate::report::details;
use crate::report::index::{Deed, Index, KernelRow, Row};
use crate::report::model::{FunctionReport, LineOf, Report};
use crate::report::seen::{SeenKernels, key};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use warpwise_analysis::counts::Counted;
use warpwise_analysis::counts::table::{BranchTable, FunctionTable, Table};
use warpwise_analysis::explain::symbol::kernel_symbol;
use warpwise_ir::source::Sources;

/// Markup, style and script.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Where style, data and script go.
const PLACES: [&str; 3] = ["/* STYLE */", "<!-- DATA -->", "/* SCRIPT */"];

/// What a report knows of a source: the code before the plugin and, where a build was compiled, after it, with what was
/// done and refused.
pub type Reported<'r> = (&'r Report, Option<&'r Report>, &'r [Deed]);

/// The page for a map.
pub fn of_map(runs: &[String], modules: &[Counted]) -> String {
    let names: BTreeSet<&str> = modules.iter().map(|module| module.table.source.as_str()).collect();
    let mut index = Index { project: names.into_iter().collect::<Vec<_>>().join(", "), ..Index::default() };
    index.notes = runs.iter().map(|run| run.replace('=', " ").replace('\n', ", ")).collect();
    index.notes.push(show::summary(runs, modules).precision.sentence());
    let mut units = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        let (table, name) = (&module.table, format!("module {number}"));
        let kernels = table.functions.iter().filter(|function| function.is_kernel);
        index.kernels.extend(kernels.map(|one| Row::new(&table.source, &name, KernelRow::of_table(table, one))));
        units.push((name, unit(table, Path::new(&table.source), Some(module), None)));
    }
    let seen = SeenKernels::of(modules);
    index.finish(None, Some(&seen));
    render(&index, "", units.iter_mut().map(|(name, unit)| (name.as_str(), with_counts(unit, Some(&seen)))))
}

/// A source of a page, with conditions as a map's module counted them, and with what a report knows.
pub fn unit(table: &Table, input: &Path, module: Option<&Counted>, report: Option<Reported<'_>>) -> Value {
    let functions = table.functions.iter().map(|function| {
        let [before, after] = [report.map(|(before, ..)| before), report.and_then(|(_, after, _)| after)];
        let reports = [before, after].map(|report| report?.functions.iter().find(|one| one.symbol == function.symbol));
        function_page(table, function, module, reports)
    });
    let functions: Vec<Value> = functions.collect();
    let files = files(table, input, &functions);
    let details = report.map_or(Value::Null, |(before, _, deeds)| details::of(before, deeds));
    json!({"title": input.display().to_string(), "functions": functions, "files": files, "details": details})
}

/// The source with what was counted and measured of its functions.
pub fn with_counts<'u>(unit: &'u mut Value, seen: Option<&SeenKernels>) -> &'u Value {
    let Some(seen) = seen else { return unit };
    let symbols = unit["functions"].as_array().into_iter().flatten().filter_map(|function| function["symbol"].as_str());
    let counts = symbols.filter_map(|symbol| Some((symbol.to_owned(), seen.of_lines(symbol)?))).collect();
    unit["counts"] = Value::Object(counts);
    unit
}

/// A function, with what is known of each line by file, how it is drawn, and its branches: each with the key of its counts,
/// why it diverges, and under which launches it would not.
fn function_page(
    table: &Table,
    function: &FunctionTable,
    module: Option<&Counted>,
    reports: [Option<&FunctionReport>; 2],
) -> Value {
    let next: Vec<Vec<u32>> = function.blocks.iter().map(|block| block.next.clone()).collect();
    let divergent: Vec<u32> = function.branches.iter().filter(|one| one.is_divergent).map(|one| one.block).collect();
    let branch = |branch: &BranchTable| {
        let (place, location) = (table.shown(branch), table.location(branch));
        json!({
            "block": branch.block, "place": place.map(|at| LineOf { file: at.file.to_owned(), line: at.line }),
            "key": key(&location), "location": location, "is_divergent": branch.is_divergent,
            "why": show::reasons(module, function, branch), "depth": branch.depth, "targets": branch.targets,
        })
    };
    json!({
        "name": kernel_symbol(&function.symbol), "symbol": function.symbol, "is_kernel": function.is_kernel,
        "values": function.values,
        "place": function.place.map(|(file, line)| LineOf { file: table.file(file).to_owned(), line }),
        "lines": lines(table, function, reports), "drawing": layout::draw(&next, &divergent), "blocks": function.blocks,
        "branches": function.branches.iter().map(branch).collect::<Vec<_>>(),
    })
}

/// What is known of each line: figures and classes of a report, or the notes of a table.
fn lines(
    table: &Table,
    function: &FunctionTable,
    [before, after]: [Option<&FunctionReport>; 2],
) -> BTreeMap<String, Vec<Value>> {
    let mut lines: BTreeMap<LineOf, Value> = BTreeMap::new();
    let Some(report) = before else {
        for line in &function.lines {
            let place = LineOf { file: table.file(line.file).to_owned(), line: line.line };
            lines.insert(place, json!({"notes": line.notes}));
        }
        return by_file(lines);
    };
    for (place, figures) in &report.figures {
        lines.insert(place.clone(), serde_json::to_value(figures).expect("figures are plain data"));
    }
    for line in &report.lines {
        let known = lines.entry(line.place.clone()).or_default();
        known["class"] = json!(line.class);
        if !line.notes.is_empty() {
            known["notes"] = json!(line.notes);
        }
        let told = line.values.iter().filter(|value| value.detail != value.expression);
        known["values"] = told.map(|value| json!([value.expression, value.class, value.detail])).collect();
    }
    for (place, figures) in after.iter().flat_map(|after| &after.figures) {
        lines.entry(place.clone()).or_default()["after"] = json!(figures.costs.cycles);
    }
    by_file(lines)
}

fn by_file(lines: BTreeMap<LineOf, Value>) -> BTreeMap<String, Vec<Value>> {
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (place, mut value) in lines {
        value["line"] = place.line.into();
        files.entry(place.file).or_default().push(value);
    }
    files
}

/// The current source files, looked up relative to the input; if a source is gone, the lines stored in the table.
fn files(table: &Table, input: &Path, functions: &[Value]) -> BTreeMap<String, Vec<String>> {
    let mut sources = Sources::beside(input);
    let of_lines = functions.iter().filter_map(|function| function["lines"].as_object()).flat_map(|lines| lines.keys());
    let branches = functions.iter().filter_map(|function| function["branches"].as_array()).flatten();
    let of_places = functions.iter().chain(branches).filter_map(|placed| placed["place"]["file"].as_str());
    let names: BTreeSet<&str> = of_lines.map(String::as_str).chain(of_places).collect();
    let text = |name: &str| {
        let mut lines: Vec<String> = (1..).map_while(|line| sources.line(name, line).map(str::to_owned)).collect();
        let stored = table.functions.iter().flat_map(|function| &function.lines);
        for line in stored.filter(|line| table.file(line.file) == name && line.line > 0) {
            let index = line.line as usize - 1;
            lines.resize(lines.len().max(index + 1), String::new());
            if lines[index].is_empty() {
                lines[index].clone_from(&line.text);
            }
        }
        (name.to_owned(), lines)
    };
    names.into_iter().map(text).collect()
}

/// A page about an index, with the sources that it holds, each by the name under which rows of the index refer to it.
/// `up`: the page about all sources, if it is another one.
pub fn render<'u>(index: &Index, up: &str, units: impl Iterator<Item = (&'u str, &'u Value)>) -> String {
    let index = json!({"index": index, "notes": index.notes, "legend": details::legend(), "up": up});
    let document = |name: &str, value: &Value| {
        // inside a script element nothing may look like markup
        let text = value.to_string().replace('<', "\\u003c");
        let name = name.replace('&', "&amp;").replace('"', "&quot;");
        format!("<script type=\"application/json\" id=\"{name}\">{text}</script>\n")
    };
    let data: String = units.map(|(name, unit)| document(name, unit)).collect();
    let parts = [STYLE, &format!("{}{data}", document("index", &index)), SCRIPT];
    let mut page = String::new();
    let mut rest = PAGE;
    for (place, part) in PLACES.into_iter().zip(parts) {
        let (before, after) = rest.split_once(place).expect("the page has its places");
        page += before;
        page += part;
        rest = after;
    }
    page + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_source_ends_the_script() {
        let mut table = Table::new("</script><b>.cu");
        table.producer = "<!--".to_owned();
        let unit = unit(&table, Path::new("</script><b>.cu"), None, None);
        let index = Index { project: "</script><!--".to_owned(), ..Index::default() };
        let page = render(&index, "", [("\"></script>", &unit)].into_iter());
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count() + 3);
        assert!(PLACES.iter().all(|place| !page.contains(place)) && !page.contains("<!--"), "{page}");
    }

    #[test]
    fn the_page_asks_no_network_and_its_script_is_short() {
        for word in ["http://", "https://", "src=", "@import", "url("] {
            for part in [PAGE, STYLE, SCRIPT] {
                assert!(!part.replace("http://www.w3.org/2000/svg", "").contains(word), "{word}");
            }
        }
        assert!(SCRIPT.lines().count() <= 600);
    }
}
