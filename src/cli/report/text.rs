//! How is the report printed for people? A summary, the annotated source, then branches, memory accesses and local
//! arrays.

use super::model::{AccessReport, Agreement, FunctionReport, LineOf, Report};
use super::todo;
use std::fmt::Write;

/// Width of the class column.
const CLASS: usize = 9;

/// Maximum number of costly accesses that are listed of a function.
const ACCESSES: usize = 12;

/// Explanation of the words.
const LEGEND: &str = "
uniform: all lanes of a warp hold one value; affine: a fixed multiple of the thread index, plus something uniform;
divergent: neither is certain. A line has the worst class of what it computes.
";

/// How to see the rest.
const MORE: &str = "\n--inventory shows every line with its class, every branch, access and object\n";

/// What would make the answers more precise.
const SHAPELESS: &str =
    "--block X[xYxZ] states the shape of all blocks, without which less is known of memory accesses and branches\n";

/// What to do first, and the summary of each function; with the inventory, also every line, branch, access and object.
pub fn render(report: &Report, is_measured: bool, has_inventory: bool) -> String {
    let mut out = String::new();
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    match report.functions.is_empty() {
        true => out += &format!("{} has no device function with a body\n", report.input),
        false => out += &todo::text(&report.todo, is_measured),
    }
    for (index, function) in report.functions.iter().enumerate() {
        if index == 0 || has_inventory {
            out.push('\n');
        }
        head(&mut out, function);
        if !has_inventory {
            continue;
        }
        lines(&mut out, function);
        branches(&mut out, function);
        memory(&mut out, function);
        locals(&mut out, function);
    }
    if !report.functions.is_empty() {
        out.push_str(if has_inventory { LEGEND } else { MORE });
    }
    if report.functions.iter().any(|function| function.is_kernel && function.block.is_none()) {
        out.push_str(SHAPELESS);
    }
    out
}

fn head(out: &mut String, function: &FunctionReport) {
    let kind = if function.is_kernel { "kernel" } else { "device function" };
    let place = function.place.as_ref().map_or(String::new(), |place| format!(" at {}:{}", place.file, place.line));
    let block = match &function.block {
        Some(shape) => format!("blocks of {shape} threads"),
        None => "block shape unknown".to_owned(),
    };
    let _ = writeln!(out, "{kind} {}{place}, {block}", function.name);
    let values = function.values;
    let _ = writeln!(
        out,
        "  values:   {} uniform, {} affine, {} divergent",
        values.uniform, values.affine, values.divergent
    );
    let divergent = function.branches.divergent.len();
    let _ = match (function.branches.total, divergent) {
        (0, _) => writeln!(out, "  branches: none"),
        (total, 0) => writeln!(out, "  branches: {total}, all uniform"),
        (total, 1) => writeln!(out, "  branches: {total}, 1 of them diverges"),
        (total, _) => writeln!(out, "  branches: {total}, {divergent} of them diverge"),
    };
    if !function.accesses.is_empty() {
        let total = plural(function.accesses.len(), "access", "accesses");
        let _ = writeln!(out, "  memory:   {total}, {}", costs(&function.accesses));
    }
}

/// How many accesses are costly, and of how many that is not known: those that the inventory lists.
fn costs(accesses: &[AccessReport]) -> String {
    let count = |holds: fn(&AccessReport) -> bool| accesses.iter().filter(|access| holds(access)).count();
    let is_local = |access: &AccessReport| access.space == "local" && is_worth_a_line(access);
    let costly = count(|access| access.is_costly && access.space != "local");
    let local = accesses.iter().filter(|access| is_local(access)).count();
    let unknown = count(|access| access.text.is_none() && access.space != "local");
    let parts =
        [(costly, "costly"), (local, "to local memory"), (unknown, "whose lanes are an unknown distance apart")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() { "none found costly".to_owned() } else { parts.join(", ") }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
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
            let what = &value.expression;
            let word = value.class.word();
            if value.detail == *what || value.class == Agreement::Divergent && value.detail.starts_with("differs") {
                let _ = writeln!(out, "  {:>number$}  {:CLASS$}    `{what}` is {word}", "", "");
            } else {
                let _ = writeln!(out, "  {:>number$}  {:CLASS$}    `{what}` is {word}: {}", "", "", value.detail);
            }
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
    let mut placeless = function.branches.divergent.iter().filter(|branch| branch.place.is_none()).peekable();
    if placeless.peek().is_some() {
        let _ = writeln!(out, "\n  divergent branches without a source line");
    }
    for branch in placeless {
        let _ = writeln!(out, "    {}", branch.why);
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
    if !said.is_empty() {
        let _ = writeln!(out, "\n  memory accesses to look at");
    }
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
    let what = format!(
        "{}: {} {} of {}, `{}`",
        at(access.place.as_ref(), function),
        access.space,
        access.action,
        plural(access.bytes as usize, "byte", "bytes"),
        access.address
    );
    format!("{what}: {}", access.text.as_deref().unwrap_or("lanes an unknown distance apart"))
}

fn locals(out: &mut String, function: &FunctionReport) {
    if function.locals.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  objects in local memory");
    for local in &function.locals {
        let place = local.place.as_ref().map_or(String::new(), |place| format!(" ({})", at(Some(place), function)));
        let _ = writeln!(out, "    `{}`{place}: {}", local.name, plural(local.bytes as usize, "byte", "bytes"));
    }
}
