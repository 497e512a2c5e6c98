//! Why is register pressure left to `ptxas`? One variant, and one remark, for each reason.

use crate::shared_memory::room::NoShared;

/// Why nothing is moved to slots.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reject {
    #[error(transparent)]
    NoShared(#[from] NoShared),
    #[error("ptxas takes its pragma from PTX 9.0 on: -Xclang -target-feature -Xclang +ptx90")]
    OldPtx,
}

impl Reject {
    /// Name of the remark.
    pub fn name(&self) -> &'static str {
        match self {
            Reject::NoShared(reason) => reason.name(),
            Reject::OldPtx => "OldPtx",
        }
    }
}
