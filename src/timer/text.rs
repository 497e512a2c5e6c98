//! How are the figures printed for a person? As a table with one line per kernel, and the name last because it may be
//! long.

use crate::model::{KernelTimes, Run, Shape};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::Path;

/// Fails, before programs run for hours, if the file for the figures cannot be written.
pub fn check_json(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.map(|_| ()).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes figures to a file, if one is given.
pub fn write_json(path: Option<&Path>, figures: &impl serde::Serialize) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let json = serde_json::to_string_pretty(figures).context("cannot write the figures as JSON")?;
    std::fs::write(path, json + "\n").with_context(|| format!("cannot write {}", path.display()))
}

/// Formats rows of cells. All columns are right-aligned except the last, which may have any width.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&header).chain(rows) {
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if index + 1 == row.len() {
                let _ = writeln!(text, "{cell}");
            } else {
                let _ = write!(text, "{cell:>width$}  ");
            }
        }
    }
    text
}

/// Nanoseconds as milliseconds.
pub fn milliseconds(nanoseconds: f64) -> String {
    format!("{:.3}", nanoseconds / 1e6)
}

fn microseconds(nanoseconds: f64) -> String {
    format!("{:.2}", nanoseconds / 1e3)
}

/// `256`, `16x16`, `8x8x4`.
pub fn block(block: [u32; 3]) -> String {
    match block {
        [0, _, _] => "-".to_owned(),
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x}x{y}"),
        [x, y, z] => format!("{x}x{y}x{z}"),
    }
}

/// The whole report.
pub fn of_run(run: &Run) -> String {
    let header = [
        "share", "total ms", "launches", "median us", "least us", "block", "regs", "local", "shared", "occupancy",
        "kernel",
    ];
    let devices: std::collections::BTreeSet<u32> = run.kernels.iter().map(|kernel| kernel.device).collect();
    let rows: Vec<Vec<String>> = run.kernels.iter().map(|kernel| row(kernel, devices.len() > 1)).collect();
    let mut text = format!("{}: {}, {:.2} s", run.command.join(" "), run.ended, run.wall_seconds);
    for device in gpus(run) {
        let _ = write!(text, ", {device}");
    }
    let _ = write!(text, "\n\n{}\n", table(&header, &rows));
    for note in notes(run) {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn gpus(run: &Run) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for device in run.processes.iter().flat_map(|process| &process.devices) {
        let name = format!("{} (sm_{})", device.name, device.capability);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn row(kernel: &KernelTimes, has_devices: bool) -> Vec<String> {
    let is_known = kernel.timed > 0;
    let known = |text: String| if is_known { text } else { "?".to_owned() };
    let is_graph = kernel.kind == "graph";
    let resource = |value: u32| if is_graph { "-".to_owned() } else { value.to_string() };
    let first = kernel.shapes.first();
    let shared = match first.map_or(0, |shape| shape.dynamic_shared_bytes) {
        0 => resource(kernel.static_shared_bytes),
        dynamic => format!("{}+{dynamic}", kernel.static_shared_bytes),
    };
    let mut name = kernel.name.clone();
    let marks = [
        (kernel.is_cooperative, "cooperative".to_owned()),
        (kernel.is_clustered, format!("clusters of {}", first.map_or(0, |shape| shape.cluster))),
        (kernel.is_programmatic, "overlapping".to_owned()),
        (has_devices, format!("GPU {}", kernel.device)),
    ];
    let marks: Vec<String> = marks.into_iter().filter_map(|(is_on, mark)| is_on.then_some(mark)).collect();
    if !marks.is_empty() {
        let _ = write!(name, " [{}]", marks.join(", "));
    }
    vec![
        known(format!("{:.1}%", kernel.share * 100.0)),
        known(format!("{}{}", if kernel.timed < kernel.launches { "~" } else { "" }, milliseconds(kernel.total_ns))),
        kernel.launches.to_string(),
        known(microseconds(kernel.median_ns)),
        known(microseconds(kernel.least_ns)),
        shapes(kernel),
        resource(kernel.registers),
        resource(kernel.local_bytes),
        shared,
        first.and_then(|shape| shape.occupancy).map_or("-".to_owned(), |part| format!("{:.0}%", part * 100.0)),
        name,
    ]
}

/// The most frequent block shape, and how many others there are.
fn shapes(kernel: &KernelTimes) -> String {
    let blocks: std::collections::BTreeSet<[u32; 3]> = kernel.shapes.iter().map(|shape: &Shape| shape.block).collect();
    let first = kernel.shapes.first().map_or("-".to_owned(), |shape| block(shape.block));
    match blocks.len() {
        0 | 1 => first,
        count => format!("{first} (+{})", count - 1),
    }
}

fn notes(run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let total: f64 = run.kernels.iter().map(|kernel| kernel.total_ns).sum();
    let launches: u64 = run.kernels.iter().map(|kernel| kernel.launches).sum();
    let timed: u64 = run.kernels.iter().map(|kernel| kernel.timed).sum();
    let processes = match run.processes.len() {
        1 => String::new(),
        count => format!(" in {count} processes"),
    };
    notes.push(format!("GPU time {} ms in {launches} launches{processes}", milliseconds(total)));
    let unread: u64 = run.kernels.iter().map(|kernel| kernel.unread).sum();
    if timed + unread < launches {
        notes.push(format!(
            "~ {timed} of {launches} launches were timed, so as not to slow the program down, and stand for the others; --all \
             times every one"
        ));
    }
    if unread > 0 {
        notes.push(format!(
            "{unread} launches were under way when the program ended; their time is taken from the others"
        ));
    }
    let captured: u64 = run.processes.iter().map(|process| process.captured_launches).sum();
    if captured > 0 {
        notes.push(format!("{captured} launches became parts of graphs, which are timed as a whole"));
    }
    for process in run.processes.iter().filter(|process| process.driver_error != 0) {
        notes.push(format!(
            "process {}: the driver reported error {}; what came after is not timed",
            process.process, process.driver_error
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_aligned() {
        let rows = [vec!["1".to_owned(), "a".to_owned()], vec!["222".to_owned(), "long name".to_owned()]];
        assert_eq!(table(&["ms", "kernel"], &rows), " ms  kernel\n  1  a\n222  long name\n");
    }

    #[test]
    fn blocks_are_short() {
        assert_eq!(block([256, 1, 1]), "256");
        assert_eq!(block([16, 16, 1]), "16x16");
        assert_eq!(block([8, 8, 4]), "8x8x4");
        assert_eq!(block([0, 0, 0]), "-");
    }
}
