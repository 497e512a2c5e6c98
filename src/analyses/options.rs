//! What are the options of steer-spills?

use crate::settings::{Results, Settings, SpillCandidates, Transform};
use warpwise_analysis::divergence;

/// The options of one run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Number of registers that a thread may use; overrides the kernel's own bounds.
    pub regs: Option<u32>,
    /// Upper bound of the dynamic shared memory with which kernels are launched, in bytes.
    pub dynamic_shared: Option<u32>,
    /// Whether the last bits of results may change.
    pub results: Results,
    /// What may be moved.
    pub candidates: SpillCandidates,
    /// Let `ptxas` spill to shared memory what is left.
    pub ptxas_smem: bool,
    /// Make versions of kernels, among which the host chooses at the launch.
    pub versions: bool,
}

impl From<&Settings> for Options {
    fn from(settings: &Settings) -> Options {
        Options {
            analysis: settings.analysis(),
            regs: settings.regs,
            dynamic_shared: settings.dynamic_shared,
            results: settings.results,
            candidates: settings.candidates,
            ptxas_smem: settings.ptxas_smem,
            // what is counted is the code of the source
            versions: settings.versions && !settings.runs(Transform::Map),
        }
    }
}
