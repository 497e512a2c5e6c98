//! What is steer-spills asked to do?

use crate::divergence;
use crate::settings::{Settings, SpillCandidates};

/// What the pass is asked to do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Registers a thread may use; beats the kernel's own bounds.
    pub regs: Option<u32>,
    /// Most bytes of dynamic shared memory that kernels are launched with.
    pub dynamic_shared: Option<u32>,
    /// What may be moved.
    pub candidates: SpillCandidates,
    /// Ask `ptxas` to spill to shared memory what is left.
    pub ptxas_smem: bool,
    /// The `ptxas` that the work is measured with.
    pub ptxas: Option<String>,
}

impl From<&Settings> for Options {
    fn from(settings: &Settings) -> Options {
        Options {
            analysis: settings.analysis(),
            regs: settings.regs,
            dynamic_shared: settings.dynamic_shared,
            candidates: settings.candidates,
            ptxas_smem: settings.ptxas_smem,
            ptxas: settings.ptxas.clone(),
        }
    }
}
