//! Why are loops not unrolled for a stack object? One variant, and one remark, for each reason.

use warpwise_analysis::gpu::prices::ARRAYS_MAX_INSTRUCTIONS;

/// Why an object stays in memory that loops index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("it is also indexed by what no loop counts, and would stay in memory")]
    Variable,
    #[error("a loop that indexes it has a trip count that is not constant")]
    Turns,
    #[error("the source, or LLVM, has decided about unrolling a loop that indexes it")]
    Decided,
    #[error("the code would have {instructions} instructions; at most {ARRAYS_MAX_INSTRUCTIONS} are made")]
    Large { instructions: u64 },
    #[error("{before} registers would become {after}, and {most} are left by the launch bounds")]
    Registers { before: u32, after: u32, most: u32 },
    #[error("{before} registers would become {after}, with which less than half of the blocks fit on a multiprocessor")]
    Occupancy { before: u32, after: u32 },
    #[error("a loop that indexes it contains one that would stay a loop, and would be copied")]
    InnerLoop,
    #[error("only cold code uses it")]
    Cold,
    #[error("ptxas keeps it in registers by itself")]
    InRegisters,
    #[error("a product that is stored to it, or that the loops carry, could meet a sum, and be joined with it")]
    Contraction,
}

impl Reject {
    /// Name of the remark.
    pub fn name(self) -> &'static str {
        match self {
            Reject::Variable => "ArrayVariable",
            Reject::Turns => "ArrayTurns",
            Reject::Decided => "ArrayDecided",
            Reject::Large { .. } => "ArrayLarge",
            Reject::Registers { .. } => "ArrayRegisters",
            Reject::Occupancy { .. } => "ArrayOccupancy",
            Reject::InnerLoop => "ArrayInnerLoop",
            Reject::Cold => "ArrayCold",
            Reject::InRegisters => "ArrayInRegisters",
            Reject::Contraction => "ArrayContraction",
        }
    }
}
