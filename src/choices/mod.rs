//! Which alternative of a kernel was measured to be fastest? The choice files that programs compiled with
//! `-warpwise-tune` write ([TUNING.md](../../docs/TUNING.md)), and the rule by which they decide.
//!
//! A choice file has a line of JSON for each kernel, block shape and amount of dynamic shared memory with which a program
//! launched it. Programs append to it. Lines about the same launches are merged when the file is read.

pub mod rule;

pub use rule::{Decision, decide};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of a kernel as it would be without the transforms.
pub const PLAIN: &str = "plain";
/// The name of the version with slots, which does not run in every launch.
pub const VERSION: &str = "version";

/// Numbers that were measured: how many, their mean, and the sum of the squares of their distances from it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sample {
    pub count: u64,
    pub mean: f64,
    pub squares: f64,
}

impl Sample {
    /// The sample that has the numbers of both.
    pub fn merged(self, other: Sample) -> Sample {
        let (a, b) = (self.count as f64, other.count as f64);
        if self.count == 0 || other.count == 0 {
            return if self.count == 0 { other } else { self };
        }
        let apart = other.mean - self.mean;
        Sample {
            count: self.count + other.count,
            mean: self.mean + apart * b / (a + b),
            squares: self.squares + other.squares + apart * apart * a * b / (a + b),
        }
    }

    /// The standard error of the mean; infinite if there are fewer than two numbers.
    pub fn error(self) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        let count = self.count as f64;
        (self.squares / (count - 1.0) / count).sqrt()
    }
}

/// What was measured of an alternative. Times are in microseconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(into = "Entry", from = "Entry")]
pub struct Alternative {
    pub name: String,
    pub time: Sample,
    /// The kernel's own time minus that of the alternative, each launched once in the same round.
    pub gain: Sample,
}

/// The launches that lines are about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Launches {
    /// The kernel's symbol.
    pub kernel: String,
    /// Of its code, the options and the version of warpwise.
    pub hash: String,
    /// Architecture of the GPU: `sm_90`.
    pub gpu: String,
    pub block: [u32; 3],
    /// Dynamic shared memory of the program, in bytes.
    pub shared: u64,
}

/// What was measured in some launches: a line of a choice file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    #[serde(flatten)]
    pub of: Launches,
    /// How many launches there were, measured or not.
    pub launches: u64,
    /// The kernel itself and its alternatives.
    pub alternatives: Vec<Alternative>,
}

impl Measured {
    /// What was measured of an alternative.
    pub fn of_alternative(&self, name: &str) -> Option<&Alternative> {
        self.alternatives.iter().find(|alternative| alternative.name == name)
    }
}

/// Everything that was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choices(Vec<Measured>);

/// Why a choice file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChoicesError {
    #[error("cannot read {path}: {error}")]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{path}:{line} is not a line of a choice file: {error}; remove the line, or measure again")]
    Line { path: PathBuf, line: usize, error: String },
    #[error("{path} has no measurements; programs compiled with -warpwise-tune write them when they end")]
    Empty { path: PathBuf },
}

/// An alternative in a line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    n: u64,
    mean: f64,
    m2: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    gain_n: u64,
    #[serde(default)]
    gain: f64,
    #[serde(default)]
    gain_m2: f64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl From<Entry> for Alternative {
    fn from(Entry { name, n, mean, m2, gain_n, gain, gain_m2 }: Entry) -> Alternative {
        let time = Sample { count: n, mean, squares: m2 };
        Alternative { name, time, gain: Sample { count: gain_n, mean: gain, squares: gain_m2 } }
    }
}

impl From<Alternative> for Entry {
    fn from(Alternative { name, time, gain }: Alternative) -> Entry {
        let (n, gain_n) = (time.count, gain.count);
        Entry { name, n, mean: time.mean, m2: time.squares, gain_n, gain: gain.mean, gain_m2: gain.squares }
    }
}

/// Reads a line of a choice file.
fn line(text: &str) -> Result<Measured, String> {
    let measured: Measured = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for (number, Alternative { name, time, gain }) in measured.alternatives.iter().enumerate() {
        let are_negative = time.mean < 0.0 || time.squares < 0.0 || gain.squares < 0.0;
        if time.count == 0 || are_negative || gain.count > time.count {
            return Err(format!("the numbers of '{name}' cannot be"));
        }
        if measured.alternatives[..number].iter().any(|known| known.name == *name) {
            return Err(format!("'{name}' is named twice"));
        }
    }
    match measured.of_alternative(PLAIN) {
        Some(_) => Ok(measured),
        None => Err(format!("'{PLAIN}' is missing")),
    }
}

impl Choices {
    /// Reads a choice file.
    pub fn read(path: &Path) -> Result<Choices, ChoicesError> {
        let text =
            std::fs::read_to_string(path).map_err(|error| ChoicesError::Read { path: path.to_owned(), error })?;
        let mut read = Vec::new();
        for (number, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            read.push(line(text).map_err(|error| ChoicesError::Line {
                path: path.to_owned(),
                line: number + 1,
                error,
            })?);
        }
        if read.is_empty() {
            return Err(ChoicesError::Empty { path: path.to_owned() });
        }
        Ok(Choices(read).merged())
    }

    /// What these and others measured together.
    pub fn with(mut self, others: Choices) -> Choices {
        self.0.extend(others.0);
        self.merged()
    }

    fn merged(self) -> Choices {
        let mut all: BTreeMap<Launches, (u64, Vec<Alternative>)> = BTreeMap::new();
        for Measured { of, launches, alternatives } in self.0 {
            let (sum, known) = all.entry(of).or_default();
            *sum = sum.saturating_add(launches);
            for alternative in alternatives {
                match known.iter_mut().find(|known| known.name == alternative.name) {
                    Some(known) => {
                        known.time = known.time.merged(alternative.time);
                        known.gain = known.gain.merged(alternative.gain);
                    }
                    None => known.push(alternative),
                }
            }
        }
        let measured = |(of, (launches, alternatives))| Measured { of, launches, alternatives };
        Choices(all.into_iter().map(measured).collect())
    }

    /// What was measured, in the order of kernels, codes, GPUs and blocks.
    pub fn all(&self) -> &[Measured] {
        &self.0
    }

    /// As a choice file.
    pub fn text(&self) -> String {
        let line = |measured| serde_json::to_string(measured).unwrap_or_default() + "\n";
        self.0.iter().map(line).collect()
    }

    /// As one JSON array of the lines.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }

    /// What was measured of a kernel, whatever its code was.
    pub fn of_kernel<'a>(&'a self, kernel: &'a str) -> impl Iterator<Item = &'a Measured> {
        self.0.iter().filter(move |measured| measured.of.kernel == kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(numbers: &[f64]) -> Sample {
        let one = |&mean: &f64| Sample { count: 1, mean, squares: 0.0 };
        numbers.iter().map(one).fold(Sample::default(), Sample::merged)
    }

    #[test]
    fn samples_merge_to_what_all_numbers_give() {
        let (a, b) = (sample(&[1.0, 2.0, 6.0]), sample(&[5.0, 11.0]));
        let both = a.merged(b);
        assert_eq!((both.count, both.mean), (5, 5.0));
        assert!((both.squares - 62.0).abs() < 1e-9 && (both.error() - (62.0f64 / 20.0).sqrt()).abs() < 1e-9);
        assert_eq!(a.merged(Sample::default()), a);
        assert!(sample(&[1.0]).error().is_infinite());
    }

    const LINE: &str = r#"{"kernel":"k","hash":"01","gpu":"sm_90","block":[32,1,1],"shared":0,"launches":9,"alternatives":[{"name":"plain","n":4,"mean":2.0,"m2":0.5},{"name":"fuse","n":4,"mean":1.0,"m2":0.5,"gain_n":4,"gain":1.0,"gain_m2":0.25}]}"#;

    fn read(text: &str) -> Result<Choices, ChoicesError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Choices::read(file.path())
    }

    #[test]
    fn files_are_read_written_and_merged() {
        let once = read(LINE).unwrap();
        assert_eq!(read(&once.text()).unwrap(), once);
        assert_eq!(once.json().as_array().map(Vec::len), Some(1));
        let twice = read(&format!("{LINE}\n\n{LINE}\n")).unwrap();
        assert_eq!(twice, once.clone().with(once));
        let [measured] = twice.all() else { panic!("one block of one kernel") };
        let fuse = measured.of_alternative("fuse").unwrap();
        assert_eq!((measured.launches, fuse.time.count, fuse.gain.mean, fuse.gain.squares), (18, 8, 1.0, 0.5));
        let other = read(&LINE.replace("[32,", "[64,")).unwrap();
        assert_eq!(other.with(twice).all().len(), 2);
    }

    #[test]
    fn bad_files_are_named() {
        for (text, what) in [
            ("", "no measurements"),
            ("{", ":1 is not a line"),
            (&format!("{LINE}\nfrob"), ":2 is not a line"),
            (&LINE[..100], ":1 is not a line"),
            (&LINE.replace("\"mean\":2.0", "\"mean\":-2.0"), "the numbers of 'plain'"),
            (&LINE.replace("\"gain_n\":4", "\"gain_n\":5"), "the numbers of 'fuse'"),
            (&LINE.replace("\"fuse\"", "\"plain\""), "named twice"),
            (&LINE.replace("\"plain\"", "\"frob\""), "'plain' is missing"),
            (&LINE.replace("\"shared\"", "\"shred\""), "shared"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        assert!(Choices::read(Path::new("/no/such/file")).unwrap_err().to_string().starts_with("cannot read /no/such"));
    }
}
