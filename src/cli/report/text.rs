//! How is the report printed for people? What to do first; on demand the source with classes, branches and memory.

use super::model::{AccessReport, Agreement, FunctionReport, LineOf, Report, ValueReport};
use super::todo;
use std::fmt::Write;
use warpwise_ir::phrase::counted;

/// Width of the class column.
const CLASS: usize = 9;

/// Maximum number of costly accesses that are listed of a function.
const ACCESSES: usize = 12;

/// Explanation of the words.
const LEGEND: &str = "
uniform: all lanes of a warp hold one value; affine: a fixed multiple of the thread index, plus something uniform;
divergent: neither is certain. A line has the worst class of what it computes.
";

/// What to do first; with the inventory, also each function with every line, branch, access and object.
pub fn render(report: &Report, is_measured: bool, has_inventory: bool) -> String {
    let mut out = String::new();
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let cycles = (!is_measured).then(|| report.functions.iter().map(|function| function.cycles).sum());
    match report.functions.is_empty() {
        true => out += &format!("{} has no device function with a body\n", report.input),
        false => out += &todo::text(&report.todo, cycles, report.notes.len(), "--block X; --inventory: all"),
    }
    for function in report.functions.iter().filter(|_| has_inventory) {
        out.push('\n');
        head(&mut out, function);
        lines(&mut out, function);
        branches(&mut out, function);
        memory(&mut out, function);
        locals(&mut out, function);
    }
    if has_inventory {
        out.push_str(LEGEND);
    }
    out
}

fn head(out: &mut String, function: &FunctionReport) {
    let kind = if function.is_kernel { "kernel" } else { "device function" };
    let place = function.place.as_ref().map_or(String::new(), |place| format!(" at {}:{}", place.file, place.line));
    let shape = function.block.as_ref().map(|shape| format!("blocks of {shape} threads"));
    let block = shape.as_deref().unwrap_or("block shape unknown");
    let _ = writeln!(out, "{kind} {}{place}, {block}", function.name);
    let divergent = function.branches.divergent.len();
    let _ = match (function.branches.total, divergent) {
        (0, _) => writeln!(out, "  branches: none"),
        (total, 0) => writeln!(out, "  branches: {total}, all uniform"),
        (total, 1) => writeln!(out, "  branches: {total}, 1 of them diverges"),
        (total, _) => writeln!(out, "  branches: {total}, {divergent} of them diverge"),
    };
}

fn lines(out: &mut String, function: &FunctionReport) {
    if function.lines.is_empty() {
        let _ = writeln!(out, "  no source lines: compile with -g1 to see them");
        return;
    }
    let own_file = function.place.as_ref().map(|place| place.file.as_str());
    let number = function.lines.iter().map(|line| line.place.line.to_string().len()).max().unwrap_or(1).max(4);
    out.push('\n');
    let mut file = own_file;
    for line in &function.lines {
        if file != Some(&line.place.file) {
            file = Some(&line.place.file);
            let _ = writeln!(out, "  in {}:", line.place.file);
        }
        let text = line.text.as_deref().unwrap_or("");
        let class = line.class.word();
        let _ = writeln!(out, "  {:>number$}  {class:<CLASS$}  {text}", line.place.line);
        for value in &line.values {
            if value.class == Agreement::Uniform && value.detail == value.expression {
                continue;
            }
            let ValueReport { expression: what, class, detail } = value;
            let says_no_more = detail == what || *class == Agreement::Divergent && detail.starts_with("differs");
            let detail = if says_no_more { String::new() } else { format!(": {detail}") };
            let _ = writeln!(out, "  {:>number$}  {:CLASS$}    `{what}` is {}{detail}", "", "", class.word());
        }
        for note in &line.notes {
            let _ = writeln!(out, "  {:>number$}  {:CLASS$}  ! {note}", "", "");
        }
    }
}

/// A place for a reader of a function: its line, with the file's name if that is not the function's own.
fn at(place: Option<&LineOf>, function: &FunctionReport) -> String {
    let own = function.place.as_ref().map(|place| &place.file);
    match place {
        None => "no line".to_owned(),
        Some(place) if own.is_some_and(|own| *own != place.file) => warpwise_ir::source::place(&place.file, place.line),
        Some(place) => format!("line {}", place.line),
    }
}

fn branches(out: &mut String, function: &FunctionReport) {
    // branches with a line appear in the listing
    for branch in function.branches.divergent.iter().filter(|branch| branch.place.is_none()) {
        let _ = writeln!(out, "  branch without a source line: {}", branch.why);
    }
}

fn memory(out: &mut String, function: &FunctionReport) {
    if function.accesses.is_empty() {
        return;
    }
    // those that cost no more than they must are only counted; an unrolled loop would say the same thing many times
    let mut said: Vec<(String, u32)> = Vec::new();
    for access in function.accesses.iter().filter(|access| is_worth_a_line(access)) {
        let text = memory_line(access, function);
        match said.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => said.push((text, 1)),
        }
    }
    let found = if said.is_empty() { "none found costly" } else { "to look at:" };
    let _ = writeln!(out, "\n  memory accesses: {}, {found}", function.accesses.len());
    for (text, count) in said.iter().take(ACCESSES) {
        let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
        let _ = writeln!(out, "    {text}{times}");
    }
    if said.len() > ACCESSES {
        let _ = writeln!(out, "    and {} more: --json lists all", said.len() - ACCESSES);
    }
}

/// Whether an access costs more than it must, may do so, or writes one address from all lanes.
fn is_worth_a_line(access: &AccessReport) -> bool {
    let all_write = access.stride == Some(0) && access.action == "store" && access.space != "local";
    access.is_costly || access.text.is_none() || all_write
}

fn memory_line(access: &AccessReport, function: &FunctionReport) -> String {
    let AccessReport { place, space, action, bytes, address, text, .. } = access;
    let (place, bytes) = (at(place.as_ref(), function), counted(*bytes, "byte"));
    let text = text.as_deref().unwrap_or("lanes an unknown distance apart");
    format!("{place}: {space} {action} of {bytes}, `{address}`: {text}")
}

fn locals(out: &mut String, function: &FunctionReport) {
    if function.locals.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  objects in local memory");
    for local in &function.locals {
        let place = local.place.as_ref().map_or(String::new(), |place| format!(" ({})", at(Some(place), function)));
        let _ = writeln!(out, "    `{}`{place}: {}", local.name, counted(local.bytes, "byte"));
    }
}
