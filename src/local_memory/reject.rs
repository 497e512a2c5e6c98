//! Why does a stack object stay in local memory? One variant for each reason.

use crate::shared_memory::room::NoShared;
use warpwise_analysis::gpu::prices::{ARRAYS_MAX_INSTRUCTIONS, INLINE_MAX_INSTRUCTIONS};
use warpwise_analysis::objects::Unfollowed;
use warpwise_ir::entity::Inst;

/// Why a remedy failed: those that would lead to registers, then those that lead to shared memory.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("a loop that indexes it has a trip count that is not constant")]
    Turns,
    #[error("the source, or LLVM, has decided about unrolling a loop that indexes it")]
    Decided,
    #[error(
        "unrolled, the loops that index it would have {instructions} instructions; at most {ARRAYS_MAX_INSTRUCTIONS} are made"
    )]
    Unrolled { instructions: u64 },
    #[error("{before} registers would become {after}, and {most} are left by the launch bounds")]
    Registers { before: u32, after: u32, most: u32 },
    #[error("{before} registers would become {after}, with which less than half of the blocks fit on a multiprocessor")]
    Occupancy { before: u32, after: u32 },
    #[error("a loop that indexes it contains one that would stay a loop, and would be copied")]
    InnerLoop,
    #[error("a kernel reaches {calls} calls of the function that takes its address, and each would be a copy of it")]
    Often { calls: usize },
    #[error(
        "the function that takes its address is not optimised, marked noinline or switched off, or is called through a pointer"
    )]
    Forbidden,
    #[error(
        "the function that takes its address would bring {instructions} instructions into kernels; at most {INLINE_MAX_INSTRUCTIONS} are inlined"
    )]
    Callee { instructions: usize },
    #[error("products and sums around it could become other multiply-adds; -warpwise-results=contract allows that")]
    Contraction,
    #[error(transparent)]
    Unfollowed(#[from] Unfollowed),
    #[error(transparent)]
    NoShared(#[from] NoShared),
    #[error(
        "it is used only in cold code, and its copies in shared memory would be taken from the first-level cache of all the rest; -warpwise-steer=all+rare moves it anyway"
    )]
    Cold { at: Inst },
    #[error(
        "it is used outside loops only, and its copies in shared memory would be taken from the first-level cache that loops load through; -warpwise-steer=all+rare moves it anyway"
    )]
    OutsideLoops { at: Inst },
    #[error(
        "moving it to shared memory (-warpwise-steer=all+rare) would take {} KB of the first-level cache from lanes that read far apart", taken / 1024
    )]
    Cache { taken: u64, at: Inst },
    #[error(
        "the first-level cache has room for it, and lanes access it at the same place; -warpwise-steer=all+rare moves it anyway"
    )]
    Cached { at: Inst },
    #[error(
        "others of {others} bytes stay too and are used more, and shared memory for it would be taken from the first-level cache that they want; -warpwise-steer=all+rare moves it anyway"
    )]
    LessUsed { others: u64 },
    #[error(
        "moving it to shared memory would make the kernel {gain:.3} times as fast by the model, which is less than the {least} that make up for what the model does not see; warpwise compare with a build with -warpwise-steer=all+rare, which moves it anyway, would tell"
    )]
    LittleGain { gain: f64, least: f64 },
    #[error(
        "others of {others} bytes stay, {left} bytes of the first-level cache would be left, and one warp's copies of those do not fit; warpwise compare with a build with -warpwise-steer=all+rare, which moves it anyway, would tell"
    )]
    Displaces { others: u64, left: u64 },
    #[error("it keeps {words} words in registers and selects among them; -warpwise-steer=all+rare moves it anyway")]
    InRegisters { words: u64 },
}

impl Reject {
    /// The instruction responsible, if there is one.
    pub fn at(&self) -> Option<Inst> {
        match *self {
            Reject::Unfollowed(ref reason) => reason.at(),
            Reject::Cold { at } | Reject::OutsideLoops { at } | Reject::Cache { at, .. } | Reject::Cached { at } => {
                Some(at)
            }
            _ => None,
        }
    }
    /// Whether the reason is not a single line, because it applies to all uses.
    pub fn is_of_all_uses(&self) -> bool {
        matches!(self, Reject::Cold { .. } | Reject::OutsideLoops { .. } | Reject::Cached { .. })
    }
}
