//! Why is a loop not unrolled? One variant, and one remark, for each reason.

use super::plan::{FACTOR, MOST_INSTRUCTIONS};

/// Why a loop with loads stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("it is not counted, or can be left from several places, so that each iteration would still be tested")]
    Uncounted,
    #[error("lanes may leave it after different numbers of iterations, and all wait for the remainder of each")]
    Divergent,
    #[error("an iteration waits for other lanes, calls a function, or has an atomic or volatile access")]
    Waits,
    #[error("where it loads from depends on what the iteration before has loaded, so that loads cannot overlap")]
    Chained,
    #[error("it may store to where the next iteration loads from, so that loads cannot overlap")]
    Stores,
    #[error("it has {instructions} instructions; at most {MOST_INSTRUCTIONS} are copied {FACTOR} times")]
    Large { instructions: usize },
    #[error("{before} registers would become {after}, with which fewer blocks fit on a multiprocessor")]
    Pressure { before: u32, after: u32 },
}

impl Reject {
    /// Name of the remark.
    pub fn name(self) -> &'static str {
        match self {
            Reject::Uncounted => "UnrollUncounted",
            Reject::Divergent => "UnrollDivergent",
            Reject::Waits => "UnrollWaits",
            Reject::Chained => "UnrollChained",
            Reject::Stores => "UnrollStores",
            Reject::Large { .. } => "UnrollLarge",
            Reject::Pressure { .. } => "UnrollPressure",
        }
    }
}
