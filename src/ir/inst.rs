//! How is one instruction represented after the import? In twenty-four bytes and a slice of operands.

use crate::entity::{Block, Type};
use bitflags::bitflags;

/// The instructions of one block: `first..end` in instruction order. Filled by `llvm/walk.cpp`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BlockData {
    pub first: u32,
    pub end: u32,
}

/// Opcodes; members of a family that no analysis distinguishes share one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Opcode {
    Ret,
    /// Unconditional branch.
    Br,
    CondBr,
    Switch,
    Unreachable,
    /// invoke, callbr, indirectbr, exception handling: not emitted for CUDA, treated as divergent.
    OtherTerminator,
    FNeg,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    ICmp,
    FCmp,
    Select,
    Phi,
    Freeze,
    Trunc,
    ZExt,
    SExt,
    /// fptoui, fptosi, uitofp, sitofp, fptrunc, fpext.
    FpCast,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
    Alloca,
    Load,
    Store,
    Gep,
    Fence,
    CmpXchg,
    AtomicRmw,
    Call,
    ExtractElement,
    InsertElement,
    ShuffleVector,
    ExtractValue,
    InsertValue,
    /// va_arg, landing pads, and whatever a later LLVM adds: divergent.
    Other,
}

impl Opcode {
    /// Number of opcodes.
    pub const COUNT: u8 = Opcode::Other as u8 + 1;

    /// Whether each bit of the result is a bit of the first operand or a constant, if the second operand is constant.
    pub fn moves_bits(self) -> bool {
        use Opcode::{AShr, And, LShr, SExt, Shl, Trunc, ZExt};
        matches!(self, Shl | LShr | AShr | And | Trunc | ZExt | SExt)
    }
    /// Whether it only computes a result from its operands or from memory.
    pub fn is_computation(self) -> bool {
        use Opcode::{Alloca, AtomicRmw, Call, CmpXchg, Fence, Phi, Store};
        !self.is_terminator() && !matches!(self, Phi | Alloca | Store | Fence | CmpXchg | AtomicRmw | Call)
    }
    /// Whether the result consists of nothing but its operands: not of memory, calls, or what `freeze` picks.
    pub fn is_value_of_operands(self) -> bool {
        self == Opcode::Phi || (self.is_computation() && !matches!(self, Opcode::Load | Opcode::Freeze | Opcode::Other))
    }
    /// Whether it is arithmetic or logic of two integers.
    #[inline]
    pub fn is_integer_arithmetic(self) -> bool {
        use Opcode::*;
        matches!(self, Add | Sub | Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | And | Or | Xor)
    }
    /// Whether it is a conversion.
    pub fn is_cast(self) -> bool {
        use Opcode::*;
        matches!(self, Trunc | ZExt | SExt | FpCast | PtrToInt | IntToPtr | BitCast | AddrSpaceCast)
    }
    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        use Opcode::*;
        matches!(self, Ret | Br | CondBr | Switch | Unreachable | OtherTerminator)
    }
}

bitflags! {
    /// Flags of an instruction; which apply depends on the opcode.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    #[repr(transparent)]
    pub struct Flags: u16 {
        const NUW = 1;
        const NSW = 2;
        const EXACT = 4;
        const DISJOINT = 8;
        const NNEG = 16;
        const INBOUNDS = 32;
        /// GEP: no unsigned-signed wrap.
        const NUSW = 64;
        const VOLATILE = 128;
        const ATOMIC = 256;
        /// Load: `!invariant.load`.
        const INVARIANT = 512;
        const SAMESIGN = 1024;
        /// Load, call result: `!noundef` or `noundef`.
        const NOUNDEF = 2048;
        /// Has `!warpwise.uniform`.
        const ANNOTATED = 4096;
    }
}

/// Integer predicates, in LLVM's meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Predicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl Predicate {
    /// Decodes the compact form in [`InstData::sub`].
    pub fn from_sub(sub: u8) -> Option<Predicate> {
        use Predicate::*;
        [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle].get(sub as usize).copied()
    }
    /// The predicate for exchanged operands.
    pub fn swapped(self) -> Predicate {
        use Predicate::*;
        [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge][self as usize]
    }
    /// The predicate that holds when this one does not.
    pub fn negated(self) -> Predicate {
        use Predicate::*;
        [Ne, Eq, Ule, Ult, Uge, Ugt, Sle, Slt, Sge, Sgt][self as usize]
    }
    /// Whether it orders signed values.
    pub fn is_signed(self) -> bool {
        matches!(self, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle)
    }
    /// Whether it only tests equality.
    pub fn is_equality(self) -> bool {
        matches!(self, Predicate::Eq | Predicate::Ne)
    }
}

/// In [`InstData::sub`] of extractvalue and insertvalue: the index path has exactly one element.
pub const FLAT_INDEX: u8 = 1;

/// One instruction. Filled by `llvm/walk.cpp`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InstData {
    pub opcode: Opcode,
    /// Predicate of a compare (see [`Predicate::from_sub`]; LLVM's number for `fcmp`), operation of an `atomicrmw`,
    /// whether an index path has exactly one element.
    pub sub: u8,
    pub flags: Flags,
    pub ty: Type,
    pub block: Block,
    pub operands_start: u32,
    pub operand_count: u32,
    /// Index into the side table of the opcode (phi blocks, GEPs, calls); alignment of loads, stores and allocas; first
    /// index of extractvalue and insertvalue; number of successors of a terminator.
    pub aux: u32,
}

impl InstData {
    /// Alignment in bytes of a load, store, alloca or atomic.
    pub fn align(&self) -> u32 {
        debug_assert!(matches!(
            self.opcode,
            Opcode::Load | Opcode::Store | Opcode::Alloca | Opcode::AtomicRmw | Opcode::CmpXchg
        ));
        self.aux
    }
}

/// Address arithmetic as it is stored; see [`Gep`]. Filled by `llvm/walk.cpp`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GepData {
    pub offset: i64,
    pub terms_start: u32,
    pub term_count: u16,
    pub bits: u16,
}

/// An index that is not constant, or is wider than 64 bits. Filled by `llvm/walk.cpp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct GepTerm {
    /// Number of the operand that is the index.
    pub operand: u32,
    /// Bytes from one index to the next.
    pub stride: u64,
}

/// `base + offset + Σ index·stride`, in bytes, in the width of the pointer's index type.
#[derive(Clone, Copy, Debug)]
pub struct Gep<'a> {
    /// Sum of all constant parts.
    pub offset: i64,
    pub terms: &'a [GepTerm],
    /// Width in bits of the address arithmetic.
    pub bits: u32,
}

/// What is known about one formal argument. Filled by `llvm/walk.cpp`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ParamData {
    pub ty: Type,
    pub noalias: bool,
    /// `readonly` or `readnone`: the function does not write through it.
    pub readonly: bool,
    pub byval: bool,
    pub noundef: bool,
}

/// The kind of memory or symbol of a global.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GlobalData {
    pub space: u32,
    /// Contents never change (`constant`, or constant space).
    pub constant: bool,
}

/// A constant operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstData {
    /// Integer of at most 64 bits, zero-extended; null pointers are zero.
    Int(u64),
    /// Address of a global, or a constant expression over it; byte offset where known.
    Address(GlobalData),
    Undef,
    Poison,
    /// Any other constant without undefined parts: floats, wide integers, aggregates, vectors.
    Opaque,
    /// A constant some of whose parts are undef or poison.
    PartlyUndef,
    /// Metadata, labels, inline assembly: nothing on which lanes could disagree.
    NotData,
}

impl ConstData {
    /// Whether it is undef or poison, or a part of it is.
    pub fn is_undefined(self) -> bool {
        matches!(self, ConstData::Undef | ConstData::Poison | ConstData::PartlyUndef)
    }
}
