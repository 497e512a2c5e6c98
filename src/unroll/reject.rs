//! Why is a loop not unrolled? One variant, and one remark, for each reason.

use warpwise_analysis::gpu::prices::{UNROLL_FACTOR, UNROLL_MAX_INSTRUCTIONS};

/// Why a loop with loads stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("it is not counted, or can be left from several places, so that each iteration would still be tested")]
    Uncounted,
    #[error("an iteration waits for other lanes, calls a function, or has an atomic or volatile access")]
    Waits,
    #[error("an iteration branches, and loads of one would not move across the branches of another")]
    Branches,
    #[error("lanes may leave it after different numbers of iterations, and all wait for the remainder of each")]
    Divergent,
    #[error(
        "it strides over the threads by a constant, which ptxas unrolls itself, or within another loop, with few iterations more often than not"
    )]
    Strided,
    #[error(
        "it indexes an object, or ends where a loop that does ends, with places for {turns} iterations of a thread"
    )]
    Few { turns: u64 },
    #[error("its trip count is loaded, which may be small where it runs most often")]
    Loaded,
    #[error(
        "its trip count depends on the block or on the number of threads, which share few iterations more often than not"
    )]
    Divided,
    #[error("it is in another loop, and its iterations are few more often than not, or ptxas unrolls it")]
    Nested,
    #[error("other loops of the function are nested deeper and take the time")]
    Outer,
    #[error("it loads less than 4 bytes a lane, and more in flight would not share cache lines with other warps")]
    Narrow,
    #[error("lanes load from places far apart, which the number of requests holds up, not their latency")]
    Scattered,
    #[error("all that it loads is in shared memory, whose latency other warps hide")]
    Near,
    #[error("the function has objects on the stack, and copies of the loop would change what is done about them")]
    Stack,
    #[error("it divides or takes roots in 64 bits, which ptxas turns into branches, so that iterations cannot overlap")]
    Wide,
    #[error("what takes long in it needs the result of the iteration before, so that iterations cannot overlap")]
    Chained,
    #[error("it is short, and branches back if its condition holds: ptxas unrolls it")]
    Ptxas,
    #[error("it may store to where the next iteration loads from, so that loads cannot overlap")]
    Stores,
    #[error(
        "a product could meet a sum of another iteration, where the two round once, or an approximation a constant"
    )]
    Contraction,
    #[error("it has {instructions} instructions; at most {UNROLL_MAX_INSTRUCTIONS} are copied {UNROLL_FACTOR} times")]
    Large { instructions: usize },
    #[error(
        "{before} registers would become {after}, with which it would spill, or too few blocks would fit on a multiprocessor"
    )]
    Pressure { before: u32, after: u32 },
}

impl Reject {
    /// Name of the remark.
    pub fn name(self) -> &'static str {
        match self {
            Reject::Uncounted => "UnrollUncounted",
            Reject::Waits => "UnrollWaits",
            Reject::Branches => "UnrollBranches",
            Reject::Divergent => "UnrollDivergent",
            Reject::Strided => "UnrollStrided",
            Reject::Few { .. } => "UnrollFew",
            Reject::Loaded => "UnrollLoaded",
            Reject::Divided => "UnrollDivided",
            Reject::Nested => "UnrollNested",
            Reject::Outer => "UnrollOuter",
            Reject::Narrow => "UnrollNarrow",
            Reject::Scattered => "UnrollScattered",
            Reject::Near => "UnrollNear",
            Reject::Stack => "UnrollStack",
            Reject::Wide => "UnrollWide",
            Reject::Chained => "UnrollChained",
            Reject::Ptxas => "UnrollPtxas",
            Reject::Stores => "UnrollStores",
            Reject::Contraction => "UnrollContraction",
            Reject::Large { .. } => "UnrollLarge",
            Reject::Pressure { .. } => "UnrollPressure",
        }
    }
}
