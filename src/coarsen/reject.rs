//! Why are threads not coarsened? One variant, and one remark, for each reason.

use warpwise_analysis::gpu::prices::{COARSEN_FACTOR, COARSEN_MAX_INSTRUCTIONS, COARSEN_MAX_WORDS};

/// Why a kernel that moves few bytes a thread stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("the kernel uses threadIdx.x or blockIdx.x for more than the number of the thread in its row of the grid")]
    Indexed,
    #[error("neighbouring threads may take different ways, and no bound at the kernel's start tells")]
    Branches,
    #[error("neighbouring threads access places that are not known to be neighbours")]
    Scattered,
    #[error("elements of neighbouring threads may begin at places that no wide access can have")]
    Unaligned,
    #[error(
        "{instructions} instructions differ from thread to thread, of which there would be {COARSEN_FACTOR} times as many; at most {COARSEN_MAX_INSTRUCTIONS}"
    )]
    Large { instructions: usize },
    #[error("{words} words in flight are more than {COARSEN_MAX_WORDS}, for which there are registers")]
    Pressure { words: u64 },
    #[error("a product and a sum could meet in the copy, and both would become one multiply-add, which rounds once")]
    Contraction,
}

impl Reject {
    /// Name of the remark.
    pub fn name(self) -> &'static str {
        match self {
            Reject::Indexed => "CoarsenIndexed",
            Reject::Branches => "CoarsenBranches",
            Reject::Scattered => "CoarsenScattered",
            Reject::Unaligned => "CoarsenUnaligned",
            Reject::Large { .. } => "CoarsenLarge",
            Reject::Pressure { .. } => "CoarsenPressure",
            Reject::Contraction => "CoarsenContraction",
        }
    }
}
