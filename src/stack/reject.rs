//! Why does a stack object stay where it is? One variant, and one remark, for each reason.

use crate::shared_memory::room::NoShared;
use warpwise_analysis::objects::Unfollowed;
use warpwise_ir::entity::Inst;

/// Why it is not moved.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reject {
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
    /// Name of the remark.
    pub fn name(&self) -> &'static str {
        match self {
            Reject::Unfollowed(reason) => reason.name(),
            Reject::NoShared(reason) => reason.name(),
            Reject::Cold { .. } => "StackCold",
            Reject::OutsideLoops { .. } => "StackOutsideLoops",
            Reject::Cache { .. } => "StackCache",
            Reject::Cached { .. } => "StackCached",
            Reject::LessUsed { .. } => "StackLessUsed",
            Reject::LittleGain { .. } => "StackLittleGain",
            Reject::Displaces { .. } => "StackDisplaces",
            Reject::InRegisters { .. } => "StackInRegisters",
        }
    }
}
