//! How is a whole module represented as plain data? This is the image that the lockstep machine executes.
//!
//! [`import`] walks a module once and keeps no references to LLVM: types with the sizes and offsets of the data layout,
//! globals with initialisers as constant trees, functions with blocks, instructions, operands and source lines.
//! Instructions are numbered in function order, the same as in the analysis' snapshot, so that (function name, ordinal)
//! identifies the same instruction in both.
//!
//! Names are those that LLVM prints (`%5` for unnamed values), taken from one print of the whole module, because LLVM
//! renumbers the function whenever it is asked for an unnamed value.
//!
//! Limits: integers of at most 128 bits, floats of at most 64. Anything else becomes [`TypeKind::Other`] or
//! [`Op::Other`] under its own name, and is a fault when it is executed, not earlier.

use super::handle::mirror;
pub use super::image_import::import;
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode};
use smallvec::SmallVec;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into the table it numbers.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(/** A type of the module. */ TypeId);
id!(/** A constant of the module, interned by LLVM's identity. */ ConstId);
id!(/** A global variable, in module order. */ GlobalId);
id!(/** A function, declarations included, in module order. */ FuncId);
id!(/** A debug location. */ LocId);

/// A whole module as plain data.
#[derive(Debug, Default)]
pub struct ModuleImage {
    /// Where it came from, for messages.
    pub name: String,
    pub types: Vec<TypeData>,
    pub constants: Vec<ConstData>,
    pub globals: Vec<GlobalImage>,
    pub functions: Vec<FunctionImage>,
    pub locations: Vec<Location>,
    /// Whether whoever runs it joins products and sums, where the flags allow it.
    pub contracts: bool,
}

/// A type under the module's data layout.
#[derive(Clone, Debug)]
pub struct TypeData {
    pub kind: TypeKind,
    /// Bytes from one array element to the next.
    pub size: u64,
    /// Bytes a store writes.
    pub store: u64,
    pub align: u32,
}

/// Which kind of type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    Void,
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    Ptr(u32),
    Vector {
        element: TypeId,
        length: u32,
    },
    Array {
        element: TypeId,
        length: u64,
    },
    /// Elements with their byte offsets.
    Struct(Vec<(TypeId, u64)>),
    Label,
    Metadata,
    /// Anything the machine has no values for, as LLVM prints it.
    Other(String),
}

/// A constant.
#[derive(Clone, Debug)]
pub struct ConstData {
    pub ty: TypeId,
    pub kind: ConstKind,
}

/// Which constant.
#[derive(Clone, Debug)]
pub enum ConstKind {
    /// Integer bits, zero-extended.
    Int(u128),
    /// Float bits, zero-extended.
    Fp(u64),
    /// All bits zero, of any type.
    Zero,
    Undef,
    Poison,
    /// Array, struct or vector, element by element.
    Aggregate(Vec<ConstId>),
    /// Elements of an array of bytes (`c"..."`): the usual string constant, kept flat.
    Bytes(Vec<u8>),
    Global(GlobalId),
    Function(FuncId),
    /// A constant GEP, folded to a byte offset.
    Offset(ConstId, i64),
    Cast(CastOp, ConstId),
    Bin(BinOp, ConstId, ConstId),
    /// Anything else, as LLVM prints it.
    Other(String),
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct GlobalImage {
    pub name: String,
    pub ty: TypeId,
    pub address_space: u32,
    /// Alignment in bytes, explicit or the type's own.
    pub align: u32,
    pub constant: bool,
    /// `None` for a declaration (`extern __shared__` is one).
    pub initializer: Option<ConstId>,
}

/// A debug location, with the call site it was inlined at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub inlined_at: Option<LocId>,
}

/// A function. Declarations have no blocks.
#[derive(Clone, Debug)]
pub struct FunctionImage {
    pub name: String,
    pub is_kernel: bool,
    /// LLVM's name of the intrinsic without overload suffixes, for intrinsics.
    pub intrinsic: Option<String>,
    pub params: Vec<ParamImage>,
    pub blocks: Vec<BlockImage>,
    pub insts: Vec<InstImage>,
}

/// A formal argument.
#[derive(Clone, Debug)]
pub struct ParamImage {
    pub name: String,
    pub ty: TypeId,
    /// `byval(T)`: the callee sees its own copy of a T.
    pub by_value: Option<(TypeId, u32)>,
}

/// A basic block: instructions `first .. first + count` of the function.
#[derive(Clone, Debug)]
pub struct BlockImage {
    /// As LLVM prints it, with `%`.
    pub name: String,
    pub first: u32,
    pub count: u32,
    /// Successors in LLVM's order (true first; a switch's default first).
    pub successors: Vec<u32>,
}

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Arg(u32),
    /// The result of the instruction with that ordinal in the same function.
    Inst(u32),
    Const(ConstId),
    /// A metadata argument of an intrinsic.
    Metadata,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstImage {
    pub op: Op,
    /// Result type, void for none.
    pub ty: TypeId,
    /// Operands in reading order; branch targets are in the block's successors, a call's callee in its op.
    pub operands: SmallVec<[Operand; 3]>,
    /// Types of the operands.
    pub operand_types: SmallVec<[TypeId; 3]>,
    pub loc: Option<LocId>,
    /// The result's name as LLVM prints it, empty for none.
    pub name: String,
    /// The instruction as LLVM prints it, without attachments.
    pub text: String,
}

mirror!(
    /** Integer and float binary operations. */
    BinOp of LLVMOpcode by bin_op {
        Add = LLVMAdd, Sub = LLVMSub, Mul = LLVMMul, UDiv = LLVMUDiv, SDiv = LLVMSDiv, URem = LLVMURem,
        SRem = LLVMSRem, Shl = LLVMShl, LShr = LLVMLShr, AShr = LLVMAShr, And = LLVMAnd, Or = LLVMOr, Xor = LLVMXor,
        FAdd = LLVMFAdd, FSub = LLVMFSub, FMul = LLVMFMul, FDiv = LLVMFDiv, FRem = LLVMFRem,
    }
);

mirror!(
    /** Conversions. */
    CastOp of LLVMOpcode by cast_op {
        Trunc = LLVMTrunc, ZExt = LLVMZExt, SExt = LLVMSExt, FpTrunc = LLVMFPTrunc, FpExt = LLVMFPExt,
        FpToUi = LLVMFPToUI, FpToSi = LLVMFPToSI, UiToFp = LLVMUIToFP, SiToFp = LLVMSIToFP,
        PtrToInt = LLVMPtrToInt | LLVMPtrToAddr, IntToPtr = LLVMIntToPtr, BitCast = LLVMBitCast,
        AddrSpaceCast = LLVMAddrSpaceCast,
    }
);

/// Flags that make results poison.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags {
    pub nuw: bool,
    pub nsw: bool,
    pub exact: bool,
    pub nneg: bool,
    pub disjoint: bool,
    pub contract: bool,
}

mirror!(
    /** Integer comparisons. */
    IntCmp of LLVMIntPredicate by int_cmp {
        Eq = LLVMIntEQ, Ne = LLVMIntNE, Ugt = LLVMIntUGT, Uge = LLVMIntUGE, Ult = LLVMIntULT, Ule = LLVMIntULE,
        Sgt = LLVMIntSGT, Sge = LLVMIntSGE, Slt = LLVMIntSLT, Sle = LLVMIntSLE,
    }
);

/// Float comparisons: which of (unordered, less, greater, equal) make it true, as the four low bits of LLVM's own
/// numbering (bit 0 equal, 1 greater, 2 less, 3 unordered).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatCmp(pub u8);

mirror!(
    /** Read-modify-write operations. */
    RmwOp of LLVMAtomicRMWBinOp by rmw_op {
        Xchg = LLVMAtomicRMWBinOpXchg, Add = LLVMAtomicRMWBinOpAdd, Sub = LLVMAtomicRMWBinOpSub,
        And = LLVMAtomicRMWBinOpAnd, Nand = LLVMAtomicRMWBinOpNand, Or = LLVMAtomicRMWBinOpOr,
        Xor = LLVMAtomicRMWBinOpXor, Max = LLVMAtomicRMWBinOpMax, Min = LLVMAtomicRMWBinOpMin,
        UMax = LLVMAtomicRMWBinOpUMax, UMin = LLVMAtomicRMWBinOpUMin, FAdd = LLVMAtomicRMWBinOpFAdd,
        FSub = LLVMAtomicRMWBinOpFSub, FMax = LLVMAtomicRMWBinOpFMax, FMin = LLVMAtomicRMWBinOpFMin,
        IncWrap = LLVMAtomicRMWBinOpUIncWrap, DecWrap = LLVMAtomicRMWBinOpUDecWrap,
        USubCond = LLVMAtomicRMWBinOpUSubCond, USubSat = LLVMAtomicRMWBinOpUSubSat,
        FMaximum = LLVMAtomicRMWBinOpFMaximum, FMinimum = LLVMAtomicRMWBinOpFMinimum,
    }
);

/// A step of an address computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GepStep {
    /// Which operand is the index.
    pub operand: u32,
    /// Bytes one index step moves.
    pub scale: i64,
}

/// Who is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    Direct(FuncId),
    /// The last operand is the function pointer.
    Indirect,
    Asm {
        text: String,
        constraints: String,
    },
}

/// What an instruction does.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    Ret,
    Br,
    CondBr,
    /// Case values as constants; successor 0 is the default, successor i + 1 belongs to case i.
    Switch(Vec<ConstId>),
    Unreachable,
    Bin(BinOp, Flags),
    FNeg,
    ICmp(IntCmp, bool),
    FCmp(FloatCmp),
    Cast(CastOp, Flags),
    Select,
    /// Predecessor blocks, one an operand.
    Phi(Vec<u32>),
    Call(Callee),
    Alloca {
        ty: TypeId,
        align: u32,
    },
    Load {
        align: u32,
        volatile: bool,
        atomic: bool,
    },
    /// Operands: value, pointer.
    Store {
        align: u32,
        volatile: bool,
        atomic: bool,
    },
    /// Operands: pointer, then indices; constant parts are folded into `offset`.
    Gep {
        offset: i64,
        steps: Vec<GepStep>,
    },
    Fence,
    /// Operands: pointer, value.
    AtomicRmw(RmwOp, u32),
    /// Operands: pointer, expected, new.
    CmpXchg(u32),
    ExtractValue(Vec<u32>),
    InsertValue(Vec<u32>),
    ExtractElement,
    InsertElement,
    /// Element numbers over both operands, -1 for poison.
    ShuffleVector(Vec<i32>),
    Freeze,
    /// Anything the machine does not know, by LLVM's name.
    Other(String),
}

impl ModuleImage {
    /// A type's data.
    pub fn ty(&self, id: TypeId) -> &TypeData {
        &self.types[id.index()]
    }
    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name).map(|i| FuncId(i as u32))
    }
    /// Kernels with a body, in module order.
    pub fn kernels(&self) -> impl Iterator<Item = FuncId> {
        let defined = |f: &&FunctionImage| f.is_kernel && !f.blocks.is_empty();
        (0u32..).zip(&self.functions).filter(move |(_, f)| defined(f)).map(|(i, _)| FuncId(i))
    }
    /// A location as `file:line:column`, with the call sites it was inlined at.
    pub fn describe_location(&self, loc: LocId) -> String {
        let chain = std::iter::successors(Some(loc), |id| self.locations[id.index()].inlined_at);
        let place = |id: LocId| {
            let Location { file, line, column, .. } = &self.locations[id.index()];
            format!("{file}:{line}:{column}")
        };
        chain.map(place).collect::<Vec<_>>().join(" inlined at ")
    }
}

impl FunctionImage {
    /// The block an instruction stands in.
    pub fn block_of(&self, inst: u32) -> u32 {
        self.blocks.partition_point(|b| b.first <= inst).saturating_sub(1) as u32
    }
}
