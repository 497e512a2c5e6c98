//! Why is register pressure left to `ptxas`? One variant, and one remark, for each reason.

use crate::shared_memory::room::NoShared;

/// Why nothing is moved to slots.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reject {
    #[error(transparent)]
    NoShared(#[from] NoShared),
    #[error("loads from slots beside products and sums would change which of them the back end joins")]
    Contraction,
    #[error("ptxas takes its pragma from PTX 8.7 on: -Xclang -target-feature -Xclang +ptx87")]
    OldPtx,
    #[error("ptxas takes its pragma only in kernels that call no function: inlined calls are none")]
    PtxasCalls,
    #[error("ptxas takes its pragma only in code that is not for a debugger: -g1 instead of -g")]
    PtxasDebugs,
    #[error("ptxas takes its pragma only in whole programs: compile without -fgpu-rdc and -foffload-lto")]
    PtxasSeparate,
}

impl Reject {
    /// Name of the remark.
    pub fn name(&self) -> &'static str {
        match self {
            Reject::NoShared(reason) => reason.name(),
            Reject::Contraction => "PressureContraction",
            Reject::OldPtx => "OldPtx",
            Reject::PtxasCalls | Reject::PtxasDebugs | Reject::PtxasSeparate => "PtxasCannotSpill",
        }
    }
}
