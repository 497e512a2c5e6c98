//! What does the machine execute? Micro-operations on a register file whose slots hold 32 lanes.
//!
//! Every LLVM value is flattened into leaves (scalars), and every leaf into slots of 64 bits (two, little-endian, for
//! integers wider than 64). One LLVM instruction becomes one or more micro-operations; the last one has `last` set, and
//! after it the observer is called and the step is counted. An operand is a slot of the frame, or a constant if
//! [`CONST`] is set.

use super::cfg::{EdgeAction, Flow};
use super::float::width;
pub use super::int::Wrap;
pub use super::ops::*;
use warpwise_ir::llvm::image::{FloatCmp, FuncId, IntCmp, RmwOp};

/// Number of lanes in a warp.
pub const LANES: usize = 32;
/// One slot: a value for each lane.
pub type Lanes = [u64; LANES];
/// The mask of all lanes.
pub const FULL: u32 = u32::MAX;

/// A slot of the current frame, or a constant if [`CONST`] is set.
pub type Src = u32;
/// A slot of the current frame.
pub type Dst = u32;
/// Marks a constant operand.
pub const CONST: u32 = 1 << 31;

/// The type of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    Int(u16),
    Float(Fmt),
    Ptr(u8),
}

impl Leaf {
    /// Width of the type in bits.
    pub fn bits(self) -> u32 {
        match self {
            Leaf::Int(bits) => u32::from(bits),
            Leaf::Float(fmt) => width(fmt),
            Leaf::Ptr(_) => 64,
        }
    }
    /// Number of slots that it takes.
    pub fn slots(self) -> u32 {
        if self.bits() > 64 { 2 } else { 1 }
    }
}

/// Float formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fmt {
    Half,
    BFloat,
    Single,
    Double,
}

/// One micro-operation.
#[derive(Clone, Debug)]
pub enum Op {
    /// Does nothing; stands for an instruction that needs no operation: a phi, whose value was moved on the edge, or a
    /// fence, because memory is always in order here.
    Nop,
    /// Copies a slot, with its undefined bits.
    Mov { d: Dst, a: Src },
    /// An integer operation.
    Int(IntArgs),
    /// Compares integers; with `same_sign`, numbers of different signs give poison.
    ICmp { pred: IntCmp, bits: u16, same_sign: bool, d: Dst, a: Src, b: Src },
    /// Compares floats.
    FCmp { pred: FloatCmp, fmt: Fmt, d: Dst, a: Src, b: Src },
    /// A float operation; with fewer than three operands, the last is repeated.
    Float { op: FloatOp, fmt: Fmt, mode: Mode, d: Dst, args: [Src; 3] },
    /// Whether a float is in one of the classes of a mask.
    Class { fmt: Fmt, mask: u16, d: Dst, a: Src },
    /// A conversion.
    Conv { conv: Conv, d: Dst, a: Src },
    /// d = c ? a : b.
    Select { d: Dst, c: Src, a: Src, b: Src },
    /// An undefined value becomes any value.
    Freeze { d: Dst, a: Src },
    /// d = base + offset + index * scale, the index sign-extended from `bits` (0: no index).
    Address { d: Dst, base: Src, index: Src, bits: u16, scale: i64, offset: i64 },
    /// Reads a sequence of n elements of `from` bits as m elements of `to` bits, little-endian.
    Repack { d: Dst, count: u32, to: u16, a: Src, from_count: u32, from: u16 },
    /// One element of a vector of `count` leaves of `stride` slots.
    Extract { d: Dst, a: Src, stride: u32, count: u32, index: Src },
    /// Replaces an element of the vector at d.
    Insert { d: Dst, stride: u32, count: u32, index: Src, value: Src },
    /// Reads a leaf of at most 64 bits.
    Load(AccessArgs),
    /// Writes a leaf of at most 64 bits.
    Store(AccessArgs),
    /// Allocates `count` objects on the stack of each lane.
    Alloca { d: Dst, space: u8, size: u64, count: Src, align: u32 },
    /// Creates the callee's own copy of a by-value argument: allocates, copies, and replaces the pointer.
    ByValue { d: Dst, size: u64, align: u32 },
    /// Frees what was allocated since a mark.
    StackRestore { a: Src },
    /// A local object begins or ends to live.
    Lifetime { address: Src, space: u8, start: bool },
    /// Reads, changes and writes, lane after lane.
    AtomicRmw { op: RmwOp, leaf: Leaf, d: Dst, address: Src, space: u8, value: Src },
    /// Compares and exchanges, lane after lane.
    CmpXchg(CmpXchgArgs),
    /// Copies bytes, also between ranges that overlap, or sets them.
    Range { sets: bool, d: Src, d_space: u8, s: Src, s_space: u8, length: Src },
    /// Reads a special register.
    Special { d: Dst, what: Special, bits: u16 },
    /// d = whether each lane's address is in the space.
    IsSpace { d: Dst, a: Src, space: u8 },
    /// A vote, shuffle or reduction; `p` is the slot of the second result.
    Collective { what: Collective, d: Dst, p: Dst, args: [Src; 4] },
    /// A barrier of the block.
    Barrier { what: BarrierKind, d: Dst, id: Src, count: Src, predicate: Src },
    /// A fault if the condition does not hold.
    Assume { a: Src },
    /// Prints; d is the number of conversions.
    Printf { d: Dst, format: Src, args: Src },
    /// Allocates on the heap of the device.
    Malloc { d: Dst, size: Src },
    /// Frees what was allocated there.
    Free { a: Src },
    /// A trap in the program, with a message.
    Trap(Box<str>),
    /// An assertion of the program has failed.
    AssertFail { message: Src, file: Src, line: Src },
    /// What the machine does not implement, by its name: a fault.
    Unknown(Box<str>),
    /// A call.
    Call(Box<CallCode>),
    /// Returns so many slots.
    Ret { a: Src, count: u32 },
    /// Ends the threads.
    Exit,
    /// Goes along an edge.
    Br { edge: u32 },
    /// Goes along one of two edges.
    CondBr { c: Src, yes: u32, no: u32 },
    /// Goes along one of several edges.
    Switch(Box<SwitchCode>),
    /// A fault.
    Unreachable,
    /// A branch inside inline assembly: the lanes for which the predicate is true (or, with `negated`, false) continue
    /// at `to`. If lanes take different ways, all continue after it if that code is [masked](Op::Masked); otherwise it
    /// is a fault.
    Jump { c: Src, negated: bool, to: u32, masked: bool },
    /// An operation that only some lanes execute.
    Masked { c: Src, negated: bool, op: Box<Op> },
}

/// An integer operation; with fewer than three operands, the last is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntArgs {
    pub op: IntOp,
    pub bits: u16,
    pub wrap: Wrap,
    pub d: Dst,
    pub args: [Src; 3],
}

/// A load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessArgs {
    /// Destination of a load, value of a store.
    pub value: u32,
    pub address: Src,
    pub space: u8,
    /// Number of bytes from the address.
    pub offset: u32,
    pub size: u8,
    /// Number of bits of the value.
    pub bits: u8,
    pub align: u32,
    pub atomic: bool,
}

/// A compare and exchange of `size` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CmpXchgArgs {
    pub size: u8,
    pub d: Dst,
    pub success: Dst,
    pub address: Src,
    pub space: u8,
    pub expected: Src,
    pub value: Src,
}

/// A call of a defined function.
#[derive(Clone, PartialEq, Debug)]
pub struct CallCode {
    /// `None` when the target is read from `pointer`.
    pub target: Option<FuncId>,
    pub pointer: Src,
    pub args: Vec<Src>,
    pub d: Dst,
    pub results: u32,
}

/// A switch. Cases wider than 64 bits compare two slots.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchCode {
    pub a: Src,
    pub wide: bool,
    /// Sorted by value.
    pub cases: Vec<(u128, u32)>,
    pub default: u32,
}

/// A micro-operation with the instruction it belongs to.
#[derive(Clone, Debug)]
pub struct Micro {
    pub op: Op,
    /// Ordinal in function order.
    pub inst: u32,
    /// Whether this ends the instruction.
    pub last: bool,
}

/// A control-flow edge with the moves of the target's phis.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    pub to: u32,
    pub action: EdgeAction,
    /// (phi slot, value), a parallel copy.
    pub moves: Vec<(Dst, Src)>,
    /// Whether some move reads a slot that an earlier one writes, so that a temporary copy is needed.
    pub overlap: bool,
}

/// A decoded function.
#[derive(Debug, Default)]
pub struct FunctionCode {
    pub micros: Vec<Micro>,
    /// First micro-operation of each block; none of a function without a body.
    pub starts: Vec<u32>,
    pub edges: Vec<Edge>,
    /// Number of slots in a frame.
    pub slots: u32,
    /// Slots of each parameter: first and count. They come first in the frame.
    pub params: Vec<(u32, u32)>,
    /// Slots of each instruction's result: first and count.
    pub results: Vec<(u32, u32)>,
    /// Blocks from which every path ends without a barrier or a collective, in the function and in what it calls.
    pub quiet: Vec<bool>,
    pub flow: Flow,
}
