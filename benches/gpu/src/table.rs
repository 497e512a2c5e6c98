//! How is a run printed as text?
//!
//! For each section: times; speed-ups over clang and nvcc; counts in the machine code of each variant; geometric means
//! and distributions; and what failed, and why.

use crate::manifest::{Build, Cubin, Outcome, Results};
use crate::stats::{geometric_mean, quantile};
use crate::variants::{REFERENCE, SECTIONS, VARIANTS, Variant};
use crate::worker::AGAIN;
use std::fmt::Write;

/// The whole report.
pub fn report(results: &Results) -> String {
    let mut out = String::new();
    let mut failures = Vec::new();
    for section in sections(results) {
        writeln!(out, "== {} ==\n", section.section).expect("writing to a string");
        out += &section.times();
        out += &section.code();
        for base in [REFERENCE, "nvcc"] {
            out += &section.summary(base).map_or(String::new(), |table| table.print());
        }
        failures.extend(section.failures());
    }
    if !failures.is_empty() {
        out += "== not right ==\n\n";
        out += &failures.join("\n");
        out.push('\n');
    }
    out
}

/// The sections in which something was measured.
pub fn sections(results: &Results) -> impl Iterator<Item = Section<'_>> {
    let sections = SECTIONS.iter().map(move |&section| {
        let measured = |name: &str| results.measured.iter().any(|m| m.section == section && m.kernel == name);
        let kernels = results.manifest.kernels.iter().filter(|k| k.section == section && measured(&k.name));
        Section { results, section, kernels: kernels.map(|k| k.name.as_str()).collect() }
    });
    sections.filter(|section| !section.kernels.is_empty())
}

/// One section of a run.
pub struct Section<'a> {
    pub results: &'a Results,
    pub section: &'static str,
    /// Its kernels that were measured.
    pub kernels: Vec<&'a str>,
}

impl Section<'_> {
    /// Variants in which some kernel of the section was built.
    pub fn variants(&self) -> Vec<&'static Variant> {
        let built = |v: &&Variant| self.kernels.iter().any(|k| self.cubin(k, v.id).is_some());
        VARIANTS.iter().filter(|v| v.sections.contains(&self.section)).filter(built).collect()
    }

    fn build(&self, kernel: &str, variant: &str) -> Option<&Build> {
        let kernels = &self.results.manifest.kernels;
        let kernel = kernels.iter().find(|k| k.section == self.section && k.name == kernel)?;
        kernel.builds.iter().find(|b| b.variant == variant)
    }

    /// The assembled kernel of a variant, if it could be built.
    pub fn cubin(&self, kernel: &str, variant: &str) -> Option<&Cubin> {
        self.build(kernel, variant)?.made.as_ref().ok()
    }

    /// Milliseconds, and the speed-up over the reference in parentheses.
    fn times(&self) -> String {
        let variants = self.variants();
        let mut table = Table::new("ms (times clang's speed)");
        table.head.push("noise".into());
        table.head.extend(variants.iter().map(|v| v.label.to_owned()));
        for kernel in &self.kernels {
            let noise = self.results.speedup(self.section, kernel, AGAIN, REFERENCE);
            let mut row = vec![noise.map_or(String::new(), |n| format!("{:+.1}%", (n - 1.0) * 100.0))];
            row.extend(variants.iter().map(|v| self.time(kernel, v.id)));
            table.rows.push(((*kernel).to_owned(), row));
        }
        table.print()
    }

    fn time(&self, kernel: &str, variant: &str) -> String {
        match self.results.outcome(self.section, kernel, variant) {
            None => String::new(),
            Some(outcome) if outcome.is_unbuilt() => "-".into(),
            Some(Outcome::Failed { .. }) => "failed".into(),
            Some(Outcome::Wrong { .. }) => "wrong".into(),
            Some(Outcome::Ran { time, relative_error, .. }) => {
                let ms = format!("{:.4}", time.median);
                let mark = if *relative_error > 0.0 { "~" } else { "" };
                match self.results.speedup(self.section, kernel, variant, REFERENCE) {
                    Some(speedup) if variant != REFERENCE => format!("{mark}{ms} ({speedup:.2})"),
                    _ => ms,
                }
            }
        }
    }

    /// Registers/stack/spilled bytes/shared memory, blocks on a multiprocessor, BSSY/BSYNC, instructions.
    fn code(&self) -> String {
        let variants = self.variants();
        let mut table = Table::new("registers/stack/spilled/shared b=blocks per multiprocessor s=BSSY i=instructions");
        table.head.extend(variants.iter().map(|v| v.label.to_owned()));
        for kernel in &self.kernels {
            let cell = |v: &&Variant| {
                let Some(cubin) = self.cubin(kernel, v.id) else { return "-".into() };
                let c = cubin.counts;
                let blocks = match self.results.outcome(self.section, kernel, v.id) {
                    Some(Outcome::Ran { occupancy, .. }) => occupancy.to_string(),
                    _ => "?".into(),
                };
                let spilled = c.spill_stores + c.spill_loads;
                let mut text = format!("{}/{}/{spilled}/{} b{blocks} s{}", c.registers, c.stack, c.shared, c.bssy);
                write!(text, " i{}", c.instructions).expect("writing to a string");
                text
            };
            table.rows.push(((*kernel).to_owned(), variants.iter().map(cell).collect()));
        }
        table.print()
    }

    /// Geometric mean and distribution of the speed-ups over `base`.
    pub fn summary(&self, base: &str) -> Option<Table> {
        let mut table = Table::new(&format!("speed-ups over {base}"));
        let head = ["kernels", "geomean", "least", "lower quartile", "median", "upper quartile", "most", "below 0.98"];
        table.head.extend(head.map(str::to_owned));
        for variant in self.variants().iter().filter(|v| v.id != base && v.id != REFERENCE) {
            let mut gains: Vec<f64> =
                self.kernels.iter().filter_map(|k| self.results.speedup(self.section, k, variant.id, base)).collect();
            gains.sort_by(f64::total_cmp);
            if gains.is_empty() {
                continue;
            }
            let mut row = vec![gains.len().to_string(), format!("{:.3}", geometric_mean(&gains))];
            row.extend([0.0, 0.25, 0.5, 0.75, 1.0].map(|q| format!("{:.3}", quantile(&gains, q))));
            row.push(gains.iter().filter(|&&g| g < 0.98).count().to_string());
            table.rows.push((variant.label.to_owned(), row));
        }
        (!table.rows.is_empty()).then_some(table)
    }

    fn failures(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for measured in self.results.measured.iter().filter(|m| m.section == self.section) {
            let what = match &measured.outcome {
                Outcome::Ran { .. } => continue,
                unbuilt if unbuilt.is_unbuilt() => continue,
                Outcome::Failed { why } => why.clone(),
                Outcome::Wrong { first, elements } => format!("{elements} wrong elements: {first}"),
            };
            lines.push(format!("{} {} {}: {what}", measured.section, measured.kernel, measured.variant));
        }
        lines
    }
}

/// Columns as wide as their widest cell: names left, the rest right.
pub struct Table {
    /// The corner, then the columns.
    pub head: Vec<String>,
    /// Name, then a cell a column.
    pub rows: Vec<(String, Vec<String>)>,
}

impl Table {
    /// No columns and no rows yet.
    pub fn new(corner: &str) -> Table {
        Table { head: vec![corner.to_owned()], rows: Vec::new() }
    }

    fn print(&self) -> String {
        let corner = self.head[0].as_str();
        let first = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let widths: Vec<usize> = (1..self.head.len())
            .map(|i| self.rows.iter().map(|(_, row)| row[i - 1].len()).chain([self.head[i].len()]).max().unwrap_or(0))
            .collect();
        let mut out = format!("{corner}\n{:first$}", "");
        for (head, width) in self.head[1..].iter().zip(&widths) {
            write!(out, "  {head:>width$}").expect("writing to a string");
        }
        out.push('\n');
        for (name, row) in &self.rows {
            write!(out, "{name:first$}").expect("writing to a string");
            for (cell, width) in row.iter().zip(&widths) {
                write!(out, "  {cell:>width$}").expect("writing to a string");
            }
            out.push('\n');
        }
        out.push('\n');
        out
    }

    /// The same as Markdown; the corner is omitted if it explains the cells instead of naming the rows.
    pub fn markdown(&self) -> String {
        let corner = if self.head[0].contains(' ') { "" } else { self.head[0].as_str() };
        let line = |first: &str, rest: &[String]| format!("| {first} | {} |\n", rest.join(" | "));
        let mut out = line(corner, &self.head[1..]) + "|" + &"---|".repeat(self.head.len()) + "\n";
        out.extend(self.rows.iter().map(|(name, row)| line(name, row)));
        out
    }
}
