//! How long did each kernel take in a run that was measured? Milliseconds from `warpwise time --json`, or from a CSV of
//! Nsight Compute.
//!
//! `warpwise time` writes mangled names. Nsight Compute writes names as it demangles them, which differ in blanks and
//! casts, or bare names; they are compared without parameters. A bare name is that of all instantiations.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use warpwise_timer::names::{alike, short};

/// Nsight Compute's name for the time of a launch, in `--page raw` and in `--page details`.
const METRIC: &str = "gpu__time_duration.sum";
const DETAIL: &str = "Duration";

/// Measured milliseconds of kernels, over all launches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// By name with parameters.
    exact: BTreeMap<String, f64>,
    /// By name as in [`plain`].
    plain: BTreeMap<String, f64>,
}

impl Times {
    /// Reads what `warpwise time --json` or `ncu --csv` wrote.
    ///
    /// # Errors
    /// The file cannot be read, is something else, or has no times.
    pub fn read(path: &Path) -> Result<Times> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let mut times = Times::default();
        if json["format"] == "warpwise-times" {
            for kernel in json["kernels"].as_array().into_iter().flatten() {
                if let (Some(name), Some(total)) = (kernel["mangled"].as_str(), kernel["total_ns"].as_f64()) {
                    *times.exact.entry(alike(name)).or_default() += total / 1e6;
                }
            }
            return Ok(times);
        }
        // before the table, ncu and the program may have printed anything
        let lines: Vec<&str> = text.lines().collect();
        let Some(start) =
            lines.iter().position(|line| line.contains("\"Kernel Name\"") || line.contains(",Kernel Name,"))
        else {
            bail!(
                "{} is neither times that `warpwise time --json` wrote nor a table that `ncu --csv --page raw` or `--page \
                 details` wrote",
                path.display()
            );
        };
        times.plain = of_table(&lines[start..].join("\n")).with_context(|| format!("cannot use {}", path.display()))?;
        Ok(times)
    }

    /// Milliseconds of all launches of a kernel; `None` if it was not launched.
    pub fn of(&self, symbol: &str) -> Option<f64> {
        let name = alike(symbol);
        let by_plain = || {
            let name = plain(&name);
            let bare = name.split('<').next().and_then(|name| name.rsplit("::").next()).unwrap_or_default();
            self.plain.get(&name).or_else(|| self.plain.get(bare)).copied()
        };
        self.exact.get(&name).copied().or_else(by_plain)
    }
}

/// A demangled name without parameters, blanks, unnamed namespaces, and casts in template arguments.
fn plain(name: &str) -> String {
    let mut name = short(&name.replace("<unnamed>::", "(anonymous namespace)::")).replace(' ', "");
    for (long, brief) in [
        ("(anonymousnamespace)::", ""),
        ("(bool)1", "true"),
        ("(bool)0", "false"),
        ("(int)", ""),
        ("(unsignedint)", ""),
        ("(long)", ""),
        ("(unsignedlong)", ""),
    ] {
        name = name.replace(long, brief);
    }
    name
}

/// The times of a table whose first line names the columns.
fn of_table(text: &str) -> Result<BTreeMap<String, f64>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let columns = reader.headers()?.clone();
    let column = |name: &str| columns.iter().position(|column| column == name);
    let kernel = column("Kernel Name").context("there is no column 'Kernel Name'")?;
    let mut times: BTreeMap<String, f64> = BTreeMap::new();
    let mut add = |name: &str, value: &str, unit: &str| -> Result<()> {
        let number: f64 = value.replace(',', "").parse().with_context(|| format!("'{value}' is no time"))?;
        *times.entry(plain(name)).or_default() += number * milliseconds(unit)?;
        Ok(())
    };
    match (column(METRIC), column("Metric Name"), column("Metric Unit"), column("Metric Value")) {
        (Some(time), ..) => {
            let mut unit = "ns".to_owned();
            for row in reader.records() {
                let row = row?;
                let (name, value) = (row.get(kernel).unwrap_or_default(), row.get(time).unwrap_or_default());
                match name {
                    "" => unit = value.to_owned(), // the row of the units
                    _ if value.is_empty() => {}
                    name => add(name, value, &unit)?,
                }
            }
        }
        (None, Some(metric), Some(unit), Some(value)) => {
            for row in reader.records() {
                let row = row?;
                let cell = |column: usize| row.get(column).unwrap_or_default();
                if [METRIC, DETAIL].contains(&cell(metric)) {
                    add(cell(kernel), cell(value), cell(unit))?;
                }
            }
        }
        _ => {}
    }
    if times.is_empty() {
        bail!("it has no {METRIC}; give ncu `--metrics {METRIC}` or a set of sections (`--set basic`)");
    }
    Ok(times)
}

fn milliseconds(unit: &str) -> Result<f64> {
    Ok(match unit {
        "ns" | "nsecond" => 1e-6,
        "us" | "usecond" => 1e-3,
        "ms" | "msecond" => 1.0,
        "s" | "second" => 1e3,
        other => bail!("'{other}' is no unit of time"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Times> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, text).unwrap();
        Times::read(&path)
    }

    #[test]
    fn tables_of_nsight_compute_are_read() {
        let raw = "hello\n==PROF== Disconnected from process 7\n\
            \"ID\",\"Process ID\",\"Kernel Name\",\"Grid Size\",\"gpu__time_duration.sum\"\n\
            \"\",\"\",\"\",\"\",\"us\"\n\
            \"0\",\"7\",\"void n::axpy<float, (int)4>(float *, int)\",\"(1, 1, 1)\",\"1,000.5\"\n\
            \"1\",\"7\",\"void n::axpy<float, (int)4>(float *, int)\",\"(1, 1, 1)\",\"999.5\"\n\
            \"2\",\"7\",\"<unnamed>::own(int)\",\"(1, 1, 1)\",\"1\"\n\
            \"3\",\"7\",\"bare\",\"(1, 1, 1)\",\"3\"\n";
        let times = read(raw).unwrap();
        assert_eq!(times.of("_ZN1n4axpyIfLi4EEEvPT_i"), Some(2.0));
        assert_eq!(times.of("_ZN12_GLOBAL__N_13ownEi"), Some(0.001));
        assert_eq!(times.of("_Z4bareIdEvT_"), Some(0.003));
        assert_eq!(times.of("_Z5otheri"), None);
        let details = "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
            \"0\",\"scale(float *, int)\",\"GPU Speed Of Light Throughput\",\"DRAM Frequency\",\"hz\",\"2,619\"\n\
            \"0\",\"scale(float *, int)\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ms\",\"1.5\"\n";
        assert_eq!(read(details).unwrap().of("_Z5scalePfi"), Some(1.5));
    }

    #[test]
    fn other_files_are_named() {
        let said = |text: &str| format!("{:#}", read(text).unwrap_err());
        for other in ["{}", "a,b\n1,2\n", ""] {
            assert!(said(other).contains("warpwise time --json") && said(other).contains("ncu --csv"), "{other}");
        }
        assert!(said("\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n").contains("--metrics gpu__time_duration.sum"));
        let bad = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"hz\"\n\"0\",\"k\",\"3\"\n";
        assert!(said(bad).contains("'hz' is no unit of time"), "{}", said(bad));
    }
}
