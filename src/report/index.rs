//! What does the report of a whole project contain? One row per kernel, worst first; the files that failed; and what
//! the default pipeline did, as text, JSON or an HTML page. The order depends on the contents only.

use super::model::FunctionReport;
use serde::{Deserialize, Serialize};

/// What is cached for one translation unit.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    pub kernels: Vec<KernelRow>,
    pub deeds: Vec<Deed>,
    /// The report as an HTML page.
    pub page: String,
    /// Files that clang read.
    pub dependencies: Vec<String>,
}

/// How often one remark was emitted for one function.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Deed {
    pub symbol: String,
    pub remark: String,
    /// Whether it is a transformation; otherwise a refusal.
    pub is_done: bool,
    pub count: u32,
}

/// The figures of one kernel.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct KernelRow {
    pub name: String,
    pub symbol: String,
    pub line: u32,
    pub branches: u32,
    pub divergent_branches: u32,
    pub local_arrays: u32,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    /// Accesses with more sectors or bank conflicts than necessary.
    pub bad_strides: u32,
    /// Remarks with their counts: "BranchFused 2, UniformVote 1".
    pub done: String,
    pub refused: String,
}

impl KernelRow {
    /// From the kernel's report, and what was done to the kernel.
    pub fn new(kernel: &FunctionReport, deeds: &[Deed]) -> KernelRow {
        let words = |is_done| {
            let mine = deeds.iter().filter(|deed| deed.symbol == kernel.symbol && deed.is_done == is_done);
            mine.map(|deed| format!("{} {}", deed.remark, deed.count)).collect::<Vec<_>>().join(", ")
        };
        KernelRow {
            name: kernel.name.clone(),
            symbol: kernel.symbol.clone(),
            line: kernel.place.as_ref().map_or(0, |place| place.line),
            branches: kernel.branches.total,
            divergent_branches: kernel.branches.divergent.len() as u32,
            local_arrays: kernel.locals.len() as u32,
            local_bytes: kernel.locals.iter().map(|local| local.bytes).sum(),
            bad_strides: kernel.accesses.iter().filter(|access| access.is_costly).count() as u32,
            done: words(true),
            refused: words(false),
        }
    }
}

/// A kernel of a file.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Row {
    pub file: String,
    /// Page with the report of the file, relative to the index.
    pub page: String,
    #[serde(flatten)]
    pub kernel: KernelRow,
}

/// A file that could not be analysed.
#[derive(Serialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Failure {
    pub file: String,
    pub reason: String,
}

/// The whole project.
#[derive(Serialize, Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    pub project: String,
    /// Number of translation units analysed.
    pub units: usize,
    pub kernels: Vec<Row>,
    pub failures: Vec<Failure>,
}

impl Index {
    /// Worst first: divergent branches, then local arrays, then bad strides; ties by name.
    pub fn sort(&mut self) {
        self.kernels.sort_by(|a, b| {
            let figures = |row: &Row| {
                (row.kernel.divergent_branches, row.kernel.local_arrays, row.kernel.local_bytes, row.kernel.bad_strides)
            };
            let names = |row: &Row| (row.file.clone(), row.kernel.line, row.kernel.symbol.clone(), row.page.clone());
            figures(b).cmp(&figures(a)).then_with(|| names(a).cmp(&names(b)))
        });
        self.failures.sort();
    }

    /// The index as text for a terminal.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}: {} kernels in {} files\n", self.project, self.kernels.len(), self.units);
        if !self.kernels.is_empty() {
            text += "\ndivergent  branches  local arrays  bad strides  kernel\n";
        }
        for Row { file, kernel: k, .. } in &self.kernels {
            text += &format!("{:>9}  {:>8}  ", k.divergent_branches, k.branches);
            text += &format!("{:>12}  {:>11}  {} ({file}:{})\n", k.local_arrays, k.bad_strides, k.name, k.line);
            for (what, words) in [("done", &k.done), ("refused", &k.refused)] {
                if !words.is_empty() {
                    text += &format!("{:47}{what}: {words}\n", "");
                }
            }
        }
        if !self.failures.is_empty() {
            text += &format!("\n{} files could not be looked at:\n", self.failures.len());
        }
        for failure in &self.failures {
            text += &format!("  {}: {}\n", failure.file, failure.reason.lines().next().unwrap_or(""));
            for line in failure.reason.lines().skip(1).take(3) {
                text += &format!("    {line}\n");
            }
        }
        text
    }

    /// The index as an HTML page that links to the reports of the files.
    pub fn to_html(&self) -> Result<String, minijinja::Error> {
        let mut environment = minijinja::Environment::new();
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
        environment.add_template("index", include_str!("index.html.jinja"))?;
        environment.get_template("index")?.render(minijinja::context! { index => self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, divergent_branches: u32, local_arrays: u32) -> Row {
        let kernel = KernelRow {
            name: name.to_owned(),
            symbol: name.to_owned(),
            line: 7,
            branches: 3,
            divergent_branches,
            local_arrays,
            local_bytes: 0,
            bad_strides: 0,
            done: String::new(),
            refused: String::new(),
        };
        Row { file: "a.cu".to_owned(), page: "a.html".to_owned(), kernel }
    }

    #[test]
    fn worst_first_whatever_the_order() {
        let mut index = Index {
            kernels: vec![row("b", 1, 0), row("a", 1, 0), row("c", 1, 2), row("<d>", 4, 0)],
            failures: vec![Failure { file: "z.cu".to_owned(), reason: "no\nfile".to_owned() }],
            ..Index::default()
        };
        index.sort();
        let names: Vec<&str> = index.kernels.iter().map(|row| row.kernel.name.as_str()).collect();
        assert_eq!(names, ["<d>", "c", "a", "b"]);
        assert!(index.to_text().contains("z.cu: no\n    file"), "{}", index.to_text());
        let page = index.to_html().unwrap();
        assert!(page.contains("&lt;d&gt;") && page.contains("z.cu"), "{page}");
    }
}
