//! Why does a stack object or a register victim stay where it is? One variant a reason, one remark a variant.

use crate::entity::Inst;
use crate::shared_memory::budget::NoRoom;

/// How an address leaves the function's sight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escape {
    Passed,
    Stored,
    Returned,
    Integer,
    Compared,
    Other,
}

impl std::fmt::Display for Escape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Escape::Passed => "is passed to a call",
            Escape::Stored => "is stored to memory",
            Escape::Returned => "is returned",
            Escape::Integer => "is converted to an integer",
            Escape::Compared => "is ordered against another address",
            Escape::Other => "is used in a way that cannot be followed",
        })
    }
}

/// Why nothing is moved.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("it has no fixed size above zero, or is not allocated at the function's entry")]
    Dynamic,
    #[error("its {size} bytes are more than a block's shared memory")]
    Huge { size: u64 },
    #[error("its address {how}")]
    Escapes { how: Escape, at: Inst },
    #[error("it is used in code that is never reached")]
    Unreachable { at: Inst },
    #[error("it is accessed with volatile or atomic operations")]
    Atomic { at: Inst },
    #[error("it is accessed with a type that has no plain bytes")]
    OddType { at: Inst },
    #[error("it is copied or filled with a length that is not constant")]
    UnknownLength { at: Inst },
    #[error("it is copied or filled by {size} bytes at once, in too many pieces")]
    LongCopy { size: u64, at: Inst },
    #[error("its address is mixed with addresses of other objects")]
    Mixed { at: Inst },
    #[error(
        "it is used only in code that is taken for rare, and its copies in shared memory would be taken from the first-level cache of all the rest; -warpwise-victims=all,rare moves it anyway"
    )]
    Rare { at: Inst },
    #[error(
        "it is used outside loops only, and its copies in shared memory would be taken from the first-level cache that loops load through; -warpwise-victims=all,rare moves it anyway"
    )]
    Seldom { at: Inst },
    #[error(
        "moving it to shared memory (-warpwise-victims=all,rare) would take {} KB of the first-level cache from lanes that read far apart", taken / 1024
    )]
    Cache { taken: u64, at: Inst },
    #[error(
        "the first-level cache has room for it, and lanes access it at the same place; -warpwise-victims=all,rare moves it anyway"
    )]
    Cached { at: Inst },
    #[error(
        "others of {others} bytes stay too and are used more, and shared memory for it would be taken from the first-level cache that they want; -warpwise-victims=all,rare moves it anyway"
    )]
    Minor { others: u64 },
    #[error("it keeps {words} words in registers and selects among them; -warpwise-victims=all,rare moves it anyway")]
    InRegisters { words: u64 },
    #[error(
        "the number of threads of a block is not known: __launch_bounds__(N), or -warpwise-block=N if every launch has that shape, would allow up to {fits} threads' copies in shared memory"
    )]
    NoBound { fits: u64 },
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    #[error("the kernel has dynamic shared memory of unknown size: -warpwise-dynamic-shared=BYTES would bound it")]
    DynamicShared,
    #[error("the kernel may call '{callee}', whose shared memory is unknown")]
    UnknownCallee { callee: String },
    #[error("the kernel is also called as a function")]
    Called,
    #[error("slots belong to a launch, and this is a device function: inlined into its kernel it would have some")]
    DeviceFunction,
    #[error("ptxas takes its pragma from PTX 9.0 on: -Xclang -target-feature -Xclang +ptx90")]
    OldPtx,
}

impl Reject {
    /// Where the reason stands.
    pub fn at(&self) -> Option<Inst> {
        match *self {
            Reject::Escapes { at, .. }
            | Reject::Unreachable { at }
            | Reject::Atomic { at }
            | Reject::OddType { at }
            | Reject::UnknownLength { at }
            | Reject::LongCopy { at, .. }
            | Reject::Mixed { at }
            | Reject::Rare { at }
            | Reject::Seldom { at }
            | Reject::Cache { at, .. }
            | Reject::Cached { at } => Some(at),
            _ => None,
        }
    }
    /// Name of the remark.
    pub fn name(&self) -> &'static str {
        match self {
            Reject::Dynamic => "StackDynamic",
            Reject::Huge { .. } => "StackHuge",
            Reject::Escapes { .. } => "StackEscapes",
            Reject::Unreachable { .. } => "StackUnreachable",
            Reject::Atomic { .. } => "StackAtomic",
            Reject::OddType { .. } => "StackOddType",
            Reject::UnknownLength { .. } => "StackUnknownLength",
            Reject::LongCopy { .. } => "StackLongCopy",
            Reject::Mixed { .. } => "StackMixed",
            Reject::Rare { .. } => "StackRare",
            Reject::Seldom { .. } => "StackSeldom",
            Reject::Cache { .. } => "StackCache",
            Reject::Cached { .. } => "StackCached",
            Reject::Minor { .. } => "StackMinor",
            Reject::InRegisters { .. } => "StackInRegisters",
            Reject::NoBound { .. } => "NoLaunchBound",
            Reject::NoRoom(NoRoom::Limit { .. }) => "SharedLimit",
            Reject::NoRoom(NoRoom::Occupancy { .. }) => "Occupancy",
            Reject::DynamicShared => "DynamicShared",
            Reject::UnknownCallee { .. } => "UnknownCallee",
            Reject::Called => "KernelCalled",
            Reject::DeviceFunction => "DeviceFunction",
            Reject::OldPtx => "OldPtx",
        }
    }
}
