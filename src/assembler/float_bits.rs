//! Which stores of the low bits of a floating-point number would `ptxas` get wrong?
//!
//! LLVM's back end writes `store (trunc (bitcast x))` as a store that is narrower than its register, `st.b32 [a], %rd1`, and
//! so it does with the pieces of a store that is not aligned. If a floating-point instruction has computed the register,
//! `ptxas` stores the number converted to an integer of that width instead of its low bits (CUDA 13.0, sm_75 to sm_120,
//! at every level; LLVM 22 without any pass of ours, too). A `mov` to another register, in inline PTX so that nobody folds
//! it, stops that, and costs nothing.
//!
//! Our own passes bring such stores about: a stack object in shared memory is split into words, a scalar that leaves memory
//! is cut into the parts that are read.

use warpwise_ir::call::Intrinsics;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{
    LLVMAdd, LLVMAnd, LLVMBitCast, LLVMCall, LLVMExtractElement, LLVMFreeze, LLVMLoad, LLVMOr, LLVMSExt, LLVMStore,
    LLVMSub, LLVMTrunc, LLVMXor, LLVMZExt,
};
use warpwise_ir::llvm::handle::{Function, Inst, Type, TypeKind, Value, ValueKind};
use warpwise_ir::llvm::remark::{Kind, PassManager};

static PERMUTATION: Intrinsics<1> = Intrinsics::new(["llvm.nvvm.prmt"]);

/// Operations between the number and the store.
const MAX_CHAIN: u32 = 8;

const MESSAGE: &str = "store of the low bits of a floating-point number: ptxas would convert the number instead";

/// Mends the stores of a function; returns whether there were any.
pub fn mend(function: Function<'_>, manager: &PassManager<'_>) -> bool {
    let found: Vec<_> = function.blocks().flat_map(|block| block.insts()).filter_map(find).collect();
    let mut moved: Vec<Inst<'_>> = Vec::new();
    for &Found { store, source, bits } in &found {
        manager.emit(Kind::Passed, function, Some(store), "FloatBitsKept", MESSAGE);
        match source {
            None => Editor::new(function.module()).store_bits(store, bits),
            Some(source) if !moved.contains(&source) => {
                Editor::new(function.module()).move_bits(source, bits);
                moved.push(source);
            }
            Some(_) => {}
        }
    }
    !found.is_empty()
}

/// A store, what has the number as an integer, if the store does not have the number itself, and how many bits that has.
struct Found<'m> {
    store: Inst<'m>,
    source: Option<Inst<'m>>,
    bits: u32,
}

/// Whether a number is computed: what is loaded has no type for `ptxas`.
fn is_computed(number: Value<'_>) -> bool {
    number.as_inst().is_some_and(|def| def.opcode() != LLVMLoad)
}

fn find(store: Inst<'_>) -> Option<Found<'_>> {
    if store.opcode() != LLVMStore {
        return None;
    }
    // the back end stores what is not aligned in pieces, and vectors by element
    let piece = 8 * store.align();
    let ty = store.operand(0).ty();
    if let Some(bits) = bits_of(ty).filter(|_| ty.kind() != TypeKind::LLVMVectorTypeKind) {
        return (is_computed(store.operand(0)) && piece < bits).then_some(Found { store, source: None, bits });
    }
    let width = ty.int_bits()?.min(piece);
    let mut source = store.operand(0).as_inst()?;
    for _ in 0..MAX_CHAIN {
        let mut operand = 0;
        match source.opcode() {
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFreeze | LLVMExtractElement => {}
            // the back end drops what does not matter to the low bits
            LLVMAnd | LLVMOr | LLVMXor | LLVMAdd | LLVMSub if source.operand(1).const_u64().is_some() => {}
            LLVMBitCast => {
                let bits = bits_of(source.operand(0).ty())?;
                let is_wrong = is_computed(source.operand(0)) && width < bits;
                return is_wrong.then_some(Found { store, source: Some(source), bits });
            }
            // a permutation that leaves the lowest bytes of one operand where they were
            LLVMCall if PERMUTATION.are_called(source) => {
                let lowest = (1 << (width / 2)) - 1;
                let chosen = source.operand(2).const_u64()? & lowest;
                operand = [0x3210, 0x7654].iter().position(|&all| all & lowest == chosen)? as u32;
            }
            // the header for half numbers computes them in inline PTX
            LLVMCall => {
                let bits = source.ty().int_bits()?;
                let callee = source.called_value();
                let computes = callee.kind() == ValueKind::InlineAsm && callee.asm_text().contains("f16");
                return (computes && bits == 16 && width < bits).then_some(Found { store, source: Some(source), bits });
            }
            _ => return None,
        }
        source = source.operand(operand).as_inst()?;
    }
    None
}

/// How many bits a floating-point number, or a small vector of some, has in its register.
fn bits_of(ty: Type<'_>) -> Option<u32> {
    let scalar = |ty: Type<'_>| match ty.kind() {
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Some(16),
        TypeKind::LLVMFloatTypeKind => Some(32),
        TypeKind::LLVMDoubleTypeKind => Some(64),
        _ => None,
    };
    let bits = match ty.kind() {
        TypeKind::LLVMVectorTypeKind => scalar(ty.element()?)? * u32::try_from(ty.length()).ok()?,
        _ => scalar(ty)?,
    };
    matches!(bits, 16 | 32 | 64).then_some(bits)
}
