//! What was measured of each line of a kernel? From a table of lines as `ncu --csv --page source --print-source cuda,sass`
//! writes it, and `warpwise simt --lines`.
//!
//! A table has a section for each kernel and file: a row `Kernel Name` (or `Function Name`), a row `File Path`, a row with
//! the names of the columns, which begins with `Line No`, and a row for each line, among which ncu also writes the machine
//! code, without numbers of lines. Columns that a table lacks are unknown, not zero.

use super::times::plain;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use warpwise_ir::source::place;
use warpwise_timer::names::alike;

/// What was counted of one line, over all launches; a pair is what was needed and what was done.
#[derive(Serialize, Clone, Copy, PartialEq, Debug, Default)]
pub struct LineCounts {
    /// Instructions that warps executed, and lanes that took part in them.
    pub instructions: Option<f64>,
    pub lanes: Option<f64>,
    /// Sectors of global memory.
    pub sectors: Option<[f64; 2]>,
    /// Phases of shared memory.
    pub phases: Option<[f64; 2]>,
    /// Samples of warps that stood there.
    pub samples: Option<f64>,
    pub registers: Option<f64>,
}

/// Names of the columns; behind `Ideal` what is needed.
pub const INSTRUCTIONS: &str = "Instructions Executed";
pub const LANES: &str = "Thread Instructions Executed";
pub const SECTORS: &str = "L2 Theoretical Sectors Global";
pub const PHASES: &str = "L1 Wavefronts Shared";
const SAMPLES: [&str; 2] = ["Warp Stall Sampling (All Samples)", "# Samples"];
const REGISTERS: &str = "Live Registers";

/// Lines, as `file:line` without folders, of kernels, by names as in [`plain`].
pub type Lines = BTreeMap<String, BTreeMap<String, LineCounts>>;

/// Reads a table of lines into others.
///
/// # Errors
/// The file cannot be read, or is no such table.
pub fn read(path: &Path, into: &mut Lines) -> Result<()> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let (mut kernel, mut file, mut columns) = (String::new(), String::new(), None::<csv::StringRecord>);
    let mut has_any = false;
    for row in reader.records() {
        let row = row.with_context(|| format!("{} is no table", path.display()))?;
        match row.get(0).unwrap_or_default() {
            "Kernel Name" | "Function Name" => (kernel, columns) = (plain(&alike(&row[row.len().min(2) - 1])), None),
            "File Path" => (file, columns) = (row[row.len().min(2) - 1].to_owned(), None),
            "Line No" | "# Line" => columns = Some(row),
            "Address" | "# Address" => columns = None,
            first => {
                let (Some(columns), Ok(line)) = (&columns, first.trim().parse()) else { continue };
                let known = into.entry(kernel.clone()).or_default().entry(place(&file, line)).or_default();
                known.add(&|name: &str| {
                    let at = columns.iter().position(|column| column == name)?;
                    row.get(at)?.replace(',', "").trim().parse().ok()
                });
                has_any = true;
            }
        }
    }
    if !has_any {
        bail!(
            "{} has no lines of a source: `ncu --import REPORT --csv --page source --print-source cuda,sass` writes them for a \
             program with line tables (-lineinfo, -g1), and `warpwise simt --lines` does",
            path.display()
        );
    }
    Ok(())
}

impl LineCounts {
    fn add(&mut self, cell: &dyn Fn(&str) -> Option<f64>) {
        let add =
            |sum: &mut Option<f64>, more: Option<f64>| *sum = sum.iter().chain(&more).copied().reduce(|a, b| a + b);
        add(&mut self.instructions, cell(INSTRUCTIONS));
        add(&mut self.lanes, cell(LANES));
        add(&mut self.samples, SAMPLES.into_iter().find_map(cell));
        self.registers = self.registers.into_iter().chain(cell(REGISTERS)).reduce(f64::max);
        for (pair, name) in [(&mut self.sectors, SECTORS), (&mut self.phases, PHASES)] {
            let done = cell(name).filter(|&done| done > 0.0);
            let spared = || Some(done? - cell(&format!("{name} Excessive"))?);
            if let Some(more) = cell(&format!("{name} Ideal")).or_else(spared).zip(done) {
                let [needed, known] = pair.unwrap_or_default();
                *pair = Some([needed + more.0, known + more.1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_nsight_compute_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.csv");
        let text = "==PROF== Disconnected\n\"Kernel Name\",\"k(float *, int)\"\n\"File Path\",\"/src/a.cu\"\n\
            \"Line No\",\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"Thread Instructions Executed\",\
            \"L2 Theoretical Sectors Global\",\"L2 Theoretical Sectors Global Excessive\"\n\
            \"7\",\"-\",\"p[i * 8] = 1;\",\"9\",\"1,000\",\"24000\",\"32\",\"28\"\n\
            \"-\",\"0x10\",\"ST.E [R2], R4\",\"9\",\"1000\",\"24000\",\"32\",\"28\"\n\
            \"8\",\"-\",\"}\",\"0\",\"\",\"\",\"0\",\"0\"\n";
        std::fs::write(&path, text).unwrap();
        let mut lines = Lines::new();
        read(&path, &mut lines).unwrap();
        let line = &lines["k"]["a.cu:7"];
        assert_eq!((line.instructions, line.lanes, line.samples), (Some(1000.0), Some(24000.0), Some(9.0)));
        assert_eq!((line.sectors, line.phases, line.registers), (Some([4.0, 32.0]), None, None));
        assert_eq!(lines["k"]["a.cu:8"].sectors, None);
        std::fs::write(&path, "a,b\n").unwrap();
        assert!(format!("{:#}", read(&path, &mut lines).unwrap_err()).contains("--print-source cuda,sass"));
    }
}
