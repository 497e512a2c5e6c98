//! Of which products would `ptxas` lose a sum?
//!
//! Where the upper half of a product of 32-bit integers is used in sums only, `ptxas` writes each sum as a product of its own
//! with an addend of 64 bits (`IMAD.HI`), whose upper word is what is added. Of two such products whose addends come to stand
//! in the same registers it keeps the first, although the upper word has changed in between (CUDA 13.0, sm_90 to sm_103, from
//! -O2 on). Clang divides by constants so, and what indexes a table with `i / 29 + 1`, `i / 29 + 7` and others may read the
//! wrong place; nvcc writes another product. If the half goes through 64 bits in inline PTX, `ptxas` adds to it as usual.

use warpwise_analysis::contraction::raw::comes_back;
use warpwise_ir::call::Intrinsics;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{LLVMAdd, LLVMCall, LLVMLShr, LLVMMul, LLVMSub, LLVMTrunc, LLVMUDiv};
use warpwise_ir::llvm::handle::{Function, Inst, Value};
use warpwise_ir::llvm::remark::{Kind, PassManager};

static MULHI: Intrinsics<2> = Intrinsics::new(["llvm.nvvm.mulhi.i", "llvm.nvvm.mulhi.ui"]);

const MESSAGE: &str = "sums with the upper half of a product: ptxas could take one for another";

/// Mends the sums of a function; returns whether there were any.
pub fn mend(function: Function<'_>, manager: &PassManager<'_>) -> bool {
    let insts = function.blocks().flat_map(|block| block.insts());
    let found: Vec<Inst<'_>> = insts.filter(|&inst| is_upper_half(inst) && is_only_added(inst)).collect();
    // halves that differ here may turn out to be one, and one sum of a loop becomes several
    let sums = || found.iter().flat_map(|half| half.value().users()).filter_map(Value::as_inst);
    if sums().count() < 2 && !sums().any(|sum| comes_back(sum.block(), None)) {
        return false;
    }
    for &half in &found {
        manager.emit(Kind::Passed, function, Some(half), "SumsKept", MESSAGE);
        Editor::new(function.module()).move_through_64_bits(half);
    }
    true
}

/// Whether the back end computes a value as the upper half of a product of 32-bit integers.
fn is_upper_half(inst: Inst<'_>) -> bool {
    if inst.ty().int_bits() != Some(32) {
        return false;
    }
    match inst.opcode() {
        LLVMUDiv => inst.operand(1).const_u64().is_some_and(|by| !by.is_power_of_two()),
        LLVMCall => MULHI.are_called(inst),
        LLVMTrunc => inst.operand(0).as_inst().is_some_and(|shift| {
            let is_product = |value: Value<'_>| value.as_inst().is_some_and(|inst| inst.opcode() == LLVMMul);
            shift.opcode() == LLVMLShr && shift.operand(1).const_u64() == Some(32) && is_product(shift.operand(0))
        }),
        _ => false,
    }
}

/// Whether a value is used in sums, and nowhere else. Divisions subtract it from the dividend.
fn is_only_added(half: Inst<'_>) -> bool {
    let is_sum = |user: Value<'_>| {
        let is_first = |user: Inst<'_>| user.opcode() == LLVMSub && user.operand(1) != half.value();
        user.as_inst().is_some_and(|user| user.opcode() == LLVMAdd || is_first(user))
    };
    half.value().users().all(is_sum)
}
