//! Why can the address of a stack object not be followed? One variant, and one remark, for each reason.

use warpwise_ir::entity::Inst;

/// How an address escapes from the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Escape {
    #[error("is passed to a call")]
    Passed,
    #[error("is stored to memory")]
    Stored,
    #[error("is returned")]
    Returned,
    #[error("is converted to an integer")]
    Integer,
    #[error("is compared with another address")]
    Compared,
    #[error("is used in a way that cannot be followed")]
    Other,
}

/// Why the address cannot be followed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Unfollowed {
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
}

impl Unfollowed {
    /// The instruction responsible.
    pub fn at(&self) -> Option<Inst> {
        match *self {
            Unfollowed::Dynamic | Unfollowed::Huge { .. } => None,
            Unfollowed::Escapes { at, .. }
            | Unfollowed::Unreachable { at }
            | Unfollowed::Atomic { at }
            | Unfollowed::OddType { at }
            | Unfollowed::UnknownLength { at }
            | Unfollowed::LongCopy { at, .. }
            | Unfollowed::Mixed { at } => Some(at),
        }
    }
}
