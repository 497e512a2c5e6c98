//! What do the bundle's manifest.json and the run's results.json contain?

use crate::launch::Launch;
use serde::{Deserialize, Serialize};

/// The bundle: what was built, from what, and with which tools.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub arch: String,
    /// Commit of the source tree.
    pub commit: String,
    /// Version lines of the compilers.
    pub tools: Vec<String>,
    pub kernels: Vec<Kernel>,
}

/// One kernel in one section.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kernel {
    pub name: String,
    pub section: String,
    pub launch: Launch,
    /// The same at the small size.
    pub small: Launch,
    pub regs: Option<u32>,
    pub builds: Vec<Build>,
}

/// One variant of a kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Build {
    pub variant: String,
    /// The flags with which it was built, without paths.
    pub flags: String,
    pub made: Result<Cubin, String>,
}

/// An assembled kernel, and what is known about it without running it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cubin {
    /// Relative to the bundle.
    pub file: String,
    pub entry: String,
    #[serde(flatten)]
    pub counts: Counts,
}

/// What ptxas reports, and what the machine code contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    pub registers: u32,
    pub stack: u32,
    pub spill_stores: u32,
    pub spill_loads: u32,
    /// Static shared memory, bytes.
    pub shared: u32,
    /// Machine instructions, of which:
    pub instructions: u32,
    pub bssy: u32,
    pub bsync: u32,
    pub local_loads: u32,
    pub local_stores: u32,
    pub branches: u32,
    pub votes: u32,
}

/// A run: the manifest again, so that a results file is self-contained, and the measurements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    pub device: Device,
    pub manifest: Manifest,
    pub measured: Vec<Measured>,
}

/// Where it ran.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Device {
    pub name: String,
    pub driver: String,
    pub multiprocessors: i32,
}

/// One variant of one kernel, measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub section: String,
    pub kernel: String,
    pub variant: String,
    pub outcome: Outcome,
}

/// The outcome of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum Outcome {
    /// It ran, and these are its times. `relative_error` is 0 if the results are bit by bit those of the reference;
    /// only another compiler's results may differ at all, because it contracts products and sums differently.
    Ran { relative_error: f64, time: Time, occupancy: u32, local_bytes: u32 },
    /// It ran and its results are wrong.
    Wrong { first: String, elements: usize },
    /// It could not be loaded or launched, failed, or did not return.
    Failed { why: String },
}

impl Outcome {
    /// It was not built; the builder has reported why.
    pub fn is_unbuilt(&self) -> bool {
        matches!(self, Outcome::Failed { why } if why.starts_with(UNBUILT))
    }
}

/// How a variant that was not built is reported.
pub const UNBUILT: &str = "not built";

/// Launch times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    pub median: f64,
    pub least: f64,
    pub lower_quartile: f64,
    pub upper_quartile: f64,
    pub launches: usize,
}

impl Results {
    /// The measurement of a variant of a kernel.
    pub fn outcome(&self, section: &str, kernel: &str, variant: &str) -> Option<&Outcome> {
        self.measured
            .iter()
            .find(|m| m.section == section && m.kernel == kernel && m.variant == variant)
            .map(|m| &m.outcome)
    }

    /// The median time of a variant that ran with correct results.
    pub fn ms(&self, section: &str, kernel: &str, variant: &str) -> Option<f64> {
        match self.outcome(section, kernel, variant)? {
            Outcome::Ran { time, .. } => Some(time.median),
            _ => None,
        }
    }

    /// How many times faster than `base`.
    pub fn speedup(&self, section: &str, kernel: &str, variant: &str, base: &str) -> Option<f64> {
        Some(self.ms(section, kernel, base)? / self.ms(section, kernel, variant)?)
    }
}
