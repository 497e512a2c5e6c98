//! Why does the work of the grid stay in every thread? One variant, and one remark, for each reason.

use crate::shared_memory::room::NoShared;

/// Why nothing is hoisted although there is something worth it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reject {
    #[error(transparent)]
    NoShared(NoShared),
    #[error("a block of {threads} threads has one warp, which would save nothing")]
    OneWarp { threads: u32 },
    #[error(
        "{what} may have undefined behaviour in launches in which no thread reaches it, such as a division by zero"
    )]
    Speculation { what: String },
    #[error(
        "it takes {before:.0} issue cycles of each warp; a barrier and the load of {results} results from shared memory would take {after:.0}"
    )]
    Cheap { before: f64, after: f64, results: usize },
}

impl Reject {
    /// Name of the remark.
    pub fn name(&self) -> &'static str {
        match self {
            Reject::NoShared(reason) => reason.name(),
            Reject::OneWarp { .. } => "HoistOneWarp",
            Reject::Speculation { .. } => "HoistSpeculation",
            Reject::Cheap { .. } => "HoistCheap",
        }
    }
}
