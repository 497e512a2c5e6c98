//! Which divisions of a loop's counter would LLVM widen to 64 bits?
//!
//! Loop strength reduction sees `zext(i % 3)` as an expression of the widened counter, and writes it with a multiplication
//! of 64 bits, which takes several instructions. `freeze` hides the division from it and changes nothing else.

use crate::mutants::{self, Mutant};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{LLVMAdd, LLVMOr, LLVMPHI, LLVMSub, LLVMUDiv, LLVMURem, LLVMZExt};
use warpwise_ir::llvm::handle::{Inst, Value};

/// What is said of a division.
pub const MESSAGE: &str = "a division of a loop's counter stays one of 32 bits";

/// Sums between a counter and the division.
const MAX_CHAIN: u32 = 4;

/// This instruction, if it widens a division that LLVM would do on the widened counter.
pub fn find(widening: Inst<'_>) -> Option<Inst<'_>> {
    if widening.opcode() != LLVMZExt || widening.ty().int_bits() != Some(64) {
        return None;
    }
    let division = widening.operand(0).as_inst()?;
    let divides = matches!(division.opcode(), LLVMURem | LLVMUDiv) && division.ty().int_bits() == Some(32);
    let by_constant = || division.operand(1).const_u64().is_some_and(|by| by > 2 && !by.is_power_of_two());
    (divides && by_constant() && counts(division.operand(0), MAX_CHAIN)).then_some(widening)
}

/// Whether a value is a loop's counter, or a sum with one.
fn counts(value: Value<'_>, left: u32) -> bool {
    let Some(inst) = value.as_inst() else { return false };
    match inst.opcode() {
        LLVMPHI => inst.operands().any(|value| is_step(value, inst)),
        LLVMAdd | LLVMSub | LLVMOr if left > 0 => (0..2).any(|index| counts(inst.operand(index), left - 1)),
        _ => false,
    }
}

/// Whether a value is a phi with something added.
fn is_step(value: Value<'_>, phi: Inst<'_>) -> bool {
    value
        .as_inst()
        .is_some_and(|inst| inst.opcode() == LLVMAdd && (0..2).any(|index| inst.operand(index) == phi.value()))
}

/// Widens the frozen division.
pub fn apply<'m>(editor: &mut Editor<'m>, widening: Inst<'m>) {
    let mut kept = widening.operand(0);
    if mutants::on(Mutant::RemainderUndivided)
        && let Some(division) = kept.as_inst()
    {
        kept = division.operand(0);
    }
    let frozen = editor.before(widening).freeze(kept, "");
    editor.set_operand(widening, 0, frozen);
}
