//! What goes wrong if loops and objects are handed to LLVM with a mistake? The deliberate ones, for [`crate::mutants`].

use super::plan::Plan;
use crate::mutants::{self, Mutant};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Inst, RawOpcode, Value};

/// Changes what is about to be unrolled.
pub fn before<'m>(editor: &mut Editor<'m>, plan: &Plan<'m>) {
    for &latch in &plan.latches {
        if mutants::on(Mutant::ArrayTurnLost) {
            lose_turn(editor, latch);
        }
        if mutants::on(Mutant::ArrayStoreLost)
            && let Some(store) = latch.block().insts().find(|inst| inst.opcode() == RawOpcode::LLVMStore)
        {
            editor.erase(store);
        }
        if mutants::on(Mutant::ArrayFirstPlace) {
            first_place(editor, latch);
        }
    }
    if mutants::on(Mutant::ArrayOneObject)
        && let &[first, second, ..] = plan.objects.as_slice()
    {
        editor.replace_all_uses(second.value(), first.value());
    }
}

/// Ends a loop that compares its counter with a constant a step earlier.
fn lose_turn<'m>(editor: &mut Editor<'m>, latch: Inst<'m>) {
    let compare = latch.branch_condition().and_then(Value::as_inst).filter(|inst| inst.opcode() == RawOpcode::LLVMICmp);
    let Some(compare) = compare else { return };
    let sum = compare.operand(0).as_inst().filter(|inst| inst.opcode() == RawOpcode::LLVMAdd);
    let step = sum.and_then(|sum| sum.operand(1).const_i64());
    let (bound, bits) = (compare.operand(1).const_i64(), compare.operand(1).ty().int_bits());
    if let (Some(step), Some(bound), Some(bits)) = (step, bound, bits) {
        let earlier = editor.int(bits, bound.wrapping_sub(step) as u64);
        editor.set_operand(compare, 1, earlier);
    }
}

/// Lets the loads of a loop's last block go to where their objects begin.
fn first_place<'m>(editor: &mut Editor<'m>, latch: Inst<'m>) {
    let is_load = |inst: &Inst<'m>| inst.opcode() == RawOpcode::LLVMLoad;
    let loads: Vec<Inst<'m>> = latch.block().insts().filter(is_load).collect();
    for load in loads {
        let place = load.operand(0).as_inst().filter(|inst| inst.opcode() == RawOpcode::LLVMGetElementPtr);
        let object = place.map(|place| place.operand(0));
        if let Some(object) =
            object.filter(|base| base.as_inst().is_some_and(|inst| inst.opcode() == RawOpcode::LLVMAlloca))
        {
            editor.set_operand(load, 0, object);
        }
    }
}
