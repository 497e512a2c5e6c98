//! How long did each kernel take in a run that was measured? Milliseconds from `warpwise time --json`, or from a CSV of
//! Nsight Compute.
//!
//! `warpwise time` writes mangled names. Nsight Compute writes names as it demangles them, which differ in blanks and
//! casts, bare names or mangled ones (`--print-kernel-base`); they are compared without parameters. A bare name is that of
//! all instantiations. Numbers have separators, which depend on the language of the machine.

use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use warpwise_timer::names::{alike, short};

/// The column that all tables of Nsight Compute have.
const KERNEL: &str = "Kernel Name";
/// How the reports that Nsight Compute saves begin.
const REPORT: &[u8] = b"NVR\0";
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
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        if path.extension().is_some_and(|extension| extension == "ncu-rep") || bytes.starts_with(REPORT) {
            bail!(
                "{} is a report of Nsight Compute, not a table: `ncu --import {0} --csv --page raw > times.csv` makes one",
                path.display()
            );
        }
        // messages of the program among the rows may be in any encoding
        let text = String::from_utf8_lossy(&bytes);
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
        let tables = Tables::read(&text);
        if tables.is_source {
            bail!(
                "{} is `ncu --page source`, which has no times of kernels: give --page raw or --page details (and this page \
                 as --lines)",
                path.display()
            );
        }
        if !tables.has_any {
            bail!(
                "{} is neither times that `warpwise time --json` wrote nor a table that `ncu --csv --page raw` or `--page \
                 details` wrote",
                path.display()
            );
        }
        tables.add_to(&mut times).with_context(|| format!("cannot use {}", path.display()))?;
        Ok(times)
    }

    /// Milliseconds of all launches of a kernel; `None` if it was not launched.
    pub fn of(&self, symbol: &str) -> Option<f64> {
        let name = alike(symbol);
        self.exact.get(&name).or_else(|| of_plain(&self.plain, &name)).copied()
    }
}

/// What is known by [`plain`] names of a kernel with parameters; a bare name is that of all instantiations.
pub fn of_plain<'m, T>(map: &'m BTreeMap<String, T>, name: &str) -> Option<&'m T> {
    let name = plain(name);
    let bare = name.split('<').next().and_then(|name| name.rsplit("::").next()).unwrap_or_default();
    map.get(&name).or_else(|| map.get(bare))
}

/// A demangled name without parameters, blanks, unnamed namespaces, and casts in template arguments.
pub fn plain(name: &str) -> String {
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

/// What `ncu --csv` wrote: one table for each process, whose first line names the columns, among whatever ncu and the
/// program printed.
#[derive(Default)]
struct Tables {
    has_any: bool,
    /// It is the page with the instructions.
    is_source: bool,
    /// Whether a comma is the decimal point and a point separates thousands, as ncu writes in some languages.
    has_decimal_commas: bool,
    rows: Vec<TimeRow>,
}

/// One time of one kernel, as it is written.
struct TimeRow {
    kernel: String,
    /// Process and launch: several sections of a page may give the time of one.
    launch: String,
    value: String,
    unit: String,
    /// How many launches an average is of.
    launches: String,
}

/// Where a table has what.
struct Columns {
    names: csv::StringRecord,
    /// The row below the names, in the page with a column for each metric.
    units: csv::StringRecord,
}

impl Columns {
    /// The fewest cells of a row. Behind the value of a metric there are columns for advice, which its row lacks.
    fn fewest(&self) -> usize {
        let value = self.names.iter().position(|column| column == "Metric Value");
        value.map_or(self.names.len() - 1, |value| value + 1)
    }

    fn cell<'a>(&self, row: &'a csv::StringRecord, name: &str) -> Option<&'a str> {
        row.get(self.names.iter().position(|column| column == name)?)
    }
}

/// The cells of a line.
fn cells(line: &str) -> Option<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    reader.records().next()?.ok()
}

impl Tables {
    fn read(text: &str) -> Tables {
        let mut tables = Tables::default();
        let mut columns: Option<Columns> = None;
        for row in text.lines().filter_map(cells) {
            match row.iter().position(|cell| cell == KERNEL) {
                // a line of two cells before the instructions of each kernel
                Some(0) if row.len() == 2 => tables.is_source = true,
                Some(_) if row.len() > 1 => {
                    tables.has_any = true;
                    columns = Some(Columns { names: row, units: csv::StringRecord::new() });
                }
                _ => {
                    if let Some(columns) = &mut columns {
                        tables.row(columns, row);
                    }
                }
            }
        }
        tables.is_source &= !tables.has_any;
        tables
    }

    fn row(&mut self, columns: &mut Columns, row: csv::StringRecord) {
        if row.len() < columns.fewest() {
            return; // a message of ncu or of the program
        }
        self.has_decimal_commas |= row.iter().any(has_decimal_comma);
        let kernel = columns.cell(&row, KERNEL).unwrap_or_default().to_owned();
        if kernel.is_empty() && columns.names.iter().any(|name| name == METRIC) {
            columns.units = row;
            return;
        }
        let cell = |name: &str| columns.cell(&row, name).unwrap_or_default().to_owned();
        let (value, unit) = match columns.cell(&row, METRIC) {
            Some(value) => (value.to_owned(), columns.cell(&columns.units, METRIC).unwrap_or("ns").to_owned()),
            None if [METRIC, DETAIL].contains(&cell("Metric Name").as_str()) => {
                let single = columns.cell(&row, "Metric Value").or(columns.cell(&row, "Average"));
                (single.unwrap_or_default().to_owned(), cell("Metric Unit"))
            }
            None => return,
        };
        let launches = cell("Invocations");
        let mut launch = format!("{} {}", cell("Process ID"), cell("ID"));
        if !launches.is_empty() {
            // a summary has one line for all launches of a kernel with one shape
            launch = ["Process ID", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device"]
                .map(cell)
                .join(" ");
        }
        self.rows.push(TimeRow { kernel, launch, value, unit, launches });
    }

    fn add_to(&self, times: &mut Times) -> Result<()> {
        let mut seen = BTreeSet::new();
        for row in &self.rows {
            let is_missing = ["", "n/a", "nan", "-"].contains(&row.value.as_str());
            if row.kernel.is_empty() || is_missing {
                continue;
            }
            let number = self.number(&row.value).with_context(|| format!("'{}' is no time", row.value))?;
            let launches = self.number(&row.launches);
            if row.launch == " " || seen.insert(&row.launch) {
                let total = number * milliseconds(&row.unit)? * launches.unwrap_or(1.0);
                *times.plain.entry(plain(&alike(&row.kernel))).or_default() += total;
            }
        }
        if times.plain.is_empty() {
            bail!("it has no {METRIC}; give ncu `--metrics {METRIC}` or a set of sections (`--set basic`)");
        }
        Ok(())
    }

    /// A number with separators of thousands.
    fn number(&self, text: &str) -> Option<f64> {
        let (separator, point) = if self.has_decimal_commas { ('.', ',') } else { (',', '.') };
        let is_separator = |c: char| c == separator || c == '\'' || c.is_whitespace();
        let digits: String = text.chars().filter(|&c| !is_separator(c)).collect();
        digits.replace(point, ".").parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// Whether a cell can only be a number with a decimal comma: `65,77`, `1.234,5` or `27.595.520`.
fn has_decimal_comma(cell: &str) -> bool {
    if cell.is_empty() || !cell.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',') {
        return false;
    }
    match (cell.rfind(','), cell.rfind('.')) {
        (Some(comma), Some(point)) => comma > point,
        (Some(comma), None) => cell.matches(',').count() == 1 && cell.len() - comma != 4,
        // an address like 127.0.0.1 has groups of fewer digits
        (None, Some(_)) => cell.matches('.').count() > 1 && cell.split('.').skip(1).all(|group| group.len() == 3),
        (None, None) => false,
    }
}

fn milliseconds(unit: &str) -> Result<f64> {
    Ok(match unit {
        "ns" | "nsecond" => 1e-6,
        "us" | "usecond" | "µs" | "μs" => 1e-3,
        "ms" | "msecond" => 1.0,
        "s" | "second" => 1e3,
        other => bail!("'{other}' is no unit of time"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a table in which single quotes stand for double ones.
    fn read(text: &str) -> Result<Times> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, text.replace('\'', "\"")).unwrap();
        Times::read(&path)
    }

    #[test]
    fn tables_of_nsight_compute_are_read() {
        let raw = "hello\n==PROF== Disconnected from process 7\n\
            'ID','Process ID','Kernel Name','Grid Size','gpu__time_duration.sum'\n\
            '','','','','us'\n\
            '0','7','void n::axpy<float, (int)4>(float *, int)','(1, 1, 1)','1,000.5'\n\
            '1','7','void n::axpy<float, (int)4>(float *, int)','(1, 1, 1)','999.5'\n\
            '2','7','<unnamed>::own(int)','(1, 1, 1)','1'\n\
            '3','7','bare','(1, 1, 1)','3'\n";
        let times = read(raw).unwrap();
        assert_eq!(times.of("_ZN1n4axpyIfLi4EEEvPT_i"), Some(2.0));
        assert_eq!(times.of("_ZN12_GLOBAL__N_13ownEi"), Some(0.001));
        assert_eq!(times.of("_Z4bareIdEvT_"), Some(0.003));
        assert_eq!(times.of("_Z5otheri"), None);
        let details = "'ID','Kernel Name','Section Name','Metric Name','Metric Unit','Metric Value'\n\
            '0','scale(float *, int)','GPU Speed Of Light Throughput','DRAM Frequency','hz','2,619'\n\
            '0','scale(float *, int)','GPU Speed Of Light Throughput','Duration','ms','1.5'\n";
        assert_eq!(read(details).unwrap().of("_Z5scalePfi"), Some(1.5));
    }

    /// The columns that every page begins with, as ncu 2025 writes them.
    const START: &str = "'ID','Process ID','Process Name','Host Name','Kernel Name','Context','Stream',\
        'Block Size','Grid Size','Device','CC'";

    /// A row of such a page.
    fn row(launch: u32, kernel: &str, rest: &str) -> String {
        format!(
            "'{launch}','143016','app','127.0.0.1','{kernel}','1','7','(256, 1, 1)','(64, 1, 1)','0','9.0',{rest}\n"
        )
    }

    #[test]
    fn a_launch_counts_once_although_two_sections_tell_its_time() {
        let columns = "'Section Name','Metric Name','Metric Unit','Metric Value','Rule Name','Rule Description'";
        let text = format!(
            "==PROF== Connected to process 143016\n{START},{columns}\n{}{}{}{}==PROF== Disconnected from process 143016\n",
            row(0, "k(int)", "'GPU Speed Of Light Throughput','Duration','us','2,848.5'"), // lacks the columns for advice
            row(0, "k(int)", "'Command line profiler metrics','gpu__time_duration.sum','usecond','2,848.5','',''"),
            row(0, "k(int)", "'SpeedOfLight','','','','SOLBottleneck','Use ''--set full'', or not'"),
            row(1, "k(int)", "'GPU Speed Of Light Throughput','Duration','us','1.5','',''"),
        );
        assert_eq!(read(&text).unwrap().of("_Z1ki"), Some(2.85));
    }

    #[test]
    fn several_processes_have_several_tables() {
        let table = |unit: &str, value: &str| {
            let units = "'','','','','','','','','','',''";
            let rest = format!("'24','{value}'");
            format!(
                "{START},'launch__registers_per_thread','gpu__time_duration.sum'\n{units},'register/thread','{unit}'\n{}",
                row(0, "_Z1kIfEvT_", &rest)
            )
        };
        let text = format!("{}the program says: hello, world\n{}", table("ms", "1"), table("us", "n/a"));
        assert_eq!(read(&text).unwrap().of("_Z1kIfEvT_"), Some(1.0));
    }

    #[test]
    fn numbers_of_other_languages_are_read() {
        let columns = "'Section Name','Metric Name','Metric Unit','Metric Value'";
        let text = format!(
            "{START},{columns}\n{}{}",
            row(0, "k", "'Command line profiler metrics','gpu__time_duration.sum','ns','117.344'"),
            row(0, "k", "'Command line profiler metrics','sm__throughput.avg.pct','%','65,77'"),
        );
        let time = read(&text).unwrap().of("_Z1ki").unwrap();
        assert!((time - 0.117344).abs() < 1e-12, "{time}");
        assert!(["65,77", "1.234,5", "27.595.520"].into_iter().all(has_decimal_comma));
        assert!(!["127.0.0.1", "1,234", "1,234.5"].into_iter().any(has_decimal_comma));
    }

    #[test]
    fn a_summary_counts_a_time_once_although_two_sections_tell_it() {
        let names = "'Process ID','Kernel Name','Block Size','Grid Size','Invocations','Section Name',\
            'Metric Name','Metric Unit','Minimum','Maximum','Average'\n";
        let row = |grid: u32, section: &str, metric: &str| {
            format!("'7','k(int)','(64, 1, 1)','({grid}, 1, 1)','2','{section}','{metric}','ms','1','3','2'\n")
        };
        let (light, own) = ("GPU Speed Of Light Throughput", "Command line profiler metrics");
        let text = [
            names.to_owned(),
            row(8, light, DETAIL),
            row(8, own, METRIC),
            row(16, light, DETAIL),
            row(16, light, "SM Frequency"),
        ];
        assert_eq!(read(&text.concat()).unwrap().of("_Z1ki"), Some(8.0));
    }

    #[test]
    fn seconds_with_exponents_and_columns_of_older_versions_are_read() {
        let raw = "==PROF== Profiling 'gather' - 0: 0%....50%....100% - 1 pass\r\n\
            the program writes 7 rows, 'quoted', to out.csv\r\n\
            'ID','Process ID','Kernel Name','Block Size','dram__bytes_read.sum','gpu__time_duration.sum',\
            'thread Domain:Push/Pop_Range:PL_Type'\r\n\
            '','','','','byte','second',''\r\n\
            '0','1','void gather<float, 4>(const float *, int)','(256, 1, 1)','10,240,000','4.0e-05','step'\r\n\
            '1','1','void gather<float, 4>(const float *, int)','(256, 1, 1)','9,000','1.0e-05','step'\r\n\
            '2','1','scatter(float *)','(256, 1, 1)','9,000','2.5e-05',''\r\n\
            ==WARNING== No metrics were collected for 1 kernel\r\n";
        let times = read(raw).unwrap();
        let near = |symbol: &str, expected: f64| {
            let found = times.of(symbol).unwrap();
            assert!((found - expected).abs() < 1e-9, "{symbol}: {found}");
        };
        near("_Z6gatherIfLi4EEvPKT_i", 0.05);
        near("_Z7scatterPf", 0.025);
        let older = "\u{feff}'ID','Process ID','Process Name','Host Name','Kernel Name','Kernel Time','Context',\
            'Stream','Section Name','Metric Name','Metric Unit','Metric Value'\n\
            '0','9','app','h','scatter','2021-Jan-07 10:11:12','1','7','','gpu__time_duration.sum','usecond','1,041.25'\n\
            '0','9','app','h','scatter','2021-Jan-07 10:11:12','1','7','','dram__bytes_read.sum','Mbyte','2.5'\n";
        assert_eq!(read(older).unwrap().of("_Z7scatterPf"), Some(1.04125));
    }

    #[test]
    fn a_saved_report_is_named_with_what_makes_a_table_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.ncu-rep");
        std::fs::write(&path, [b'N', b'V', b'R', 0, 0xff]).unwrap();
        let said = format!("{:#}", Times::read(&path).unwrap_err());
        assert!(said.contains("ncu --import") && said.contains("run.ncu-rep --csv --page raw"), "{said}");
    }

    #[test]
    fn the_page_of_the_source_is_refused() {
        let text = "'Kernel Name','k(int)'\n'Address','Source','Instructions Executed'\n'0x0','EXIT','8'\n";
        let said = format!("{:#}", read(text).unwrap_err());
        assert!(said.contains("--page raw") && said.contains("--page source"), "{said}");
    }

    #[test]
    fn other_files_are_named() {
        let said = |text: &str| format!("{:#}", read(text).unwrap_err());
        for other in ["{}", "a,b\n1,2\n", ""] {
            assert!(said(other).contains("warpwise time --json") && said(other).contains("ncu --csv"), "{other}");
        }
        assert!(said("'ID','Kernel Name'\n'0','k'\n").contains("--metrics gpu__time_duration.sum"));
        let bad = "'ID','Kernel Name','gpu__time_duration.sum'\n'','','hz'\n'0','k','3'\n";
        assert!(said(bad).contains("'hz' is no unit of time"), "{}", said(bad));
    }
}
