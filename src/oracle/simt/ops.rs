//! Which operations can micro-operations perform? Plain enumerations, by family.

use super::code::Fmt;
use warpwise_ir::llvm::image::BinOp;

/// Integer operations, any width to 128.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntOp {
    Bin(BinOp),
    /// Of signed numbers or not.
    Min(bool),
    Max(bool),
    AddSat(bool),
    SubSat(bool),
    ShlSat(bool),
    /// Upper half of a product, and product of 24 bits; signed or not.
    MulHi(bool),
    Mul24(bool),
    /// Overflow bit of the operation, signed (`nsw`) or not (`nuw`).
    Overflow(BinOp, bool),
    /// Mask of b bits from bit a; sign or zero extension of a from b bits; clamped or modulo 32 (PTX).
    BitMask {
        clamped: bool,
    },
    Extend {
        signed: bool,
        clamped: bool,
    },
    Popcount,
    ByteSwap,
    BitReverse,
    Abs,
    LeadingZeros,
    TrailingZeros,
    /// `bfind` (signed): position of the highest bit that differs from the sign (or of the highest one), -1 for none.
    FindLast(bool),
    /// A shift of a:b, by an amount clamped to the width or taken modulo it.
    Funnel {
        left: bool,
        clamped: bool,
    },
    Permute(Prmt),
    /// c and the distance of a and b (signed).
    Sad(bool),
    /// Dot products; (a signed, b signed).
    Dot4(bool, bool),
    /// (a signed, b signed, upper half of b).
    Dot2(bool, bool, bool),
    FindNth,
    /// `bfe` (signed): field of c bits from bit b.
    FieldExtract(bool),
}

impl IntOp {
    /// Number of operands.
    pub fn arity(self) -> usize {
        use IntOp::*;
        match self {
            Popcount | ByteSwap | BitReverse | Abs | LeadingZeros | TrailingZeros | FindLast(_) => 1,
            Funnel { .. } | Permute(_) | Sad(_) | Dot4(..) | Dot2(..) | FindNth | FieldExtract(_) => 3,
            _ => 2,
        }
    }
}

/// Modes of `prmt`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Prmt {
    Index,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// Rounding of one float operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Round {
    #[default]
    Nearest,
    Zero,
    Down,
    Up,
}

/// How a float operation differs from IEEE's default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mode {
    pub round: Round,
    /// Subnormal operands and results become zero of their sign.
    pub ftz: bool,
    /// Result clamped to [0, 1], NaN to 0.
    pub saturate: bool,
    /// Negative results become 0.
    pub relu: bool,
}

/// Float operations.
#[derive(Clone, Copy, Debug)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    CopySign,
    /// Minimum or maximum. A NaN wins (`minimum`, PTX `min.NaN`), or loses against a number (`minnum`, `minimumnum`, PTX
    /// `min`). With `xor_sign`, of the magnitudes, with the xor of the signs.
    Extreme {
        max: bool,
        nan_wins: bool,
        xor_sign: bool,
    },
    /// The integer operand is an i32.
    Powi,
    Ldexp,
    Neg,
    Abs,
    Sqrt,
    Recip,
    Saturate,
    /// What a function of doubles computes, rounded.
    Of(fn(f64) -> f64),
    Of2(fn(f64, f64) -> f64),
    Fma,
}

impl FloatOp {
    pub const MIN_NUM: FloatOp = FloatOp::extreme(false, false);
    pub const MAX_NUM: FloatOp = FloatOp::extreme(true, false);
    pub const MINIMUM: FloatOp = FloatOp::extreme(false, true);
    pub const MAXIMUM: FloatOp = FloatOp::extreme(true, true);

    /// A minimum or maximum in which a NaN wins or loses.
    pub const fn extreme(max: bool, nan_wins: bool) -> FloatOp {
        FloatOp::Extreme { max, nan_wins, xor_sign: false }
    }

    /// Number of operands.
    pub fn arity(self) -> usize {
        match self {
            FloatOp::Neg | FloatOp::Abs | FloatOp::Sqrt | FloatOp::Recip | FloatOp::Saturate | FloatOp::Of(_) => 1,
            FloatOp::Fma => 3,
            _ => 2,
        }
    }
}

/// Conversions between leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conv {
    /// Integer to wider or narrower integer; sign-extending or not. `nuw`/`nsw`/`nneg` of the instruction.
    Int { from: u16, to: u16, signed: bool, nuw: bool, nsw: bool },
    /// Float to wider or narrower float.
    Float { from: Fmt, to: Fmt, mode: Mode },
    /// Out of range: poison, or clamped when saturating (NaN to 0).
    FloatToInt { from: Fmt, to: u16, signed: bool, saturating: bool, mode: Mode },
    /// Exactly rounded; `nneg` as of the instruction.
    IntToFloat { from: u16, to: Fmt, signed: bool, nneg: bool, mode: Mode },
    /// Pointer between address spaces.
    Space { from: u8, to: u8 },
}

/// Special registers that differ between threads or change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    LaneMaskEq,
    LaneMaskLt,
    LaneMaskLe,
    LaneMaskGt,
    LaneMaskGe,
    Clock,
    DynamicShared,
    TotalShared,
    ActiveMask,
    StackPointer,
    /// A number that is fixed for the whole launch.
    Fixed(u32),
}

/// Votes, shuffles and reductions across the lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collective {
    /// Operands: mask. Orders memory among the lanes of the mask.
    WarpSync,
    /// Operands: mask (or all active lanes for the old form), predicate.
    VoteAll,
    VoteAny,
    VoteUni,
    Ballot,
    /// Operands: mask, value, lane operand, clamp. The second result is the in-range predicate.
    Shuffle(Shuffle),
    /// Operands: mask, value of this many bits.
    MatchAny(u8),
    MatchAll(u8),
    /// Operands: mask, value.
    Reduce(Reduce),
    /// Operands: mask. Results: the leader's lane, and whether this lane is the leader.
    Elect,
}

/// Directions of a shuffle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// Operations of `redux.sync`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduce {
    Add,
    Min,
    Max,
    UMin,
    UMax,
    And,
    Or,
    Xor,
    /// Float minimum or maximum: (maximum, of magnitudes, NaN wins).
    Float {
        max: bool,
        abs: bool,
        nan: bool,
    },
}

/// Barriers of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarrierKind {
    Sync,
    /// Arrives without waiting.
    Arrive,
    And,
    Or,
    Popcount,
}
