//! What goes wrong if a loop is handed to LLVM's unroller with a mistake? The deliberate ones, for [`crate::mutants`].

use crate::mutants::{self, Mutant};
use warpwise_analysis::gpu::prices::UNROLL_FACTOR;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Inst, IntPredicate, RawOpcode, Value};

/// Changes a loop that is about to be unrolled.
pub fn before<'m>(editor: &mut Editor<'m>, latch: Inst<'m>) {
    if mutants::on(Mutant::UnrollNoRemainder) {
        lose_remainder(editor, latch);
    }
    if mutants::on(Mutant::UnrollSameIndex) {
        let is_place = |inst: &Inst<'m>| inst.opcode() == RawOpcode::LLVMGetElementPtr;
        let places: Vec<Inst<'m>> = latch.block().insts().filter(is_place).collect();
        for place in places {
            let last = place.operand_count() - 1;
            if place.operand(last).as_inst().is_some() {
                let first = rounded(editor, place, place.operand(last));
                editor.set_operand(place, last, first);
            }
        }
    }
    if mutants::on(Mutant::UnrollStaleExit) {
        for phi in latch.block().phis() {
            let next =
                (0..phi.incoming_count()).map(|index| phi.incoming(index)).find(|(_, from)| *from == latch.block());
            let Some((next, _)) = next else { continue };
            for user in next.users().filter_map(Value::as_inst).filter(|user| user.block() != latch.block()) {
                for index in (0..user.operand_count()).filter(|&index| user.operand(index) == next) {
                    editor.set_operand(user, index, phi.value());
                }
            }
        }
    }
}

/// Changes a loop that was put in groups: its limit is a `select` before it.
pub fn behind<'m>(editor: &mut Editor<'m>, latch: Inst<'m>) {
    let header = latch.block();
    let before = header.phis().flat_map(|phi| (0..phi.incoming_count()).map(move |index| phi.incoming(index).1));
    let is_limit = |inst: &Inst<'m>| inst.opcode() == RawOpcode::LLVMSelect;
    let limit = before.filter(|block| *block != header).find_map(|block| block.insts().find(is_limit));
    let Some(limit) = limit else { return };
    if mutants::on(Mutant::GroupWraps) {
        editor.set_operand(limit, 2, limit.operand(1));
    }
    if let (true, Some(rest)) = (mutants::on(Mutant::GroupPastEnd), limit.operand(1).as_inst()) {
        editor.set_operand(limit, 1, rest.operand(0));
    }
}

/// Ends a loop at the last multiple of the factor.
fn lose_remainder<'m>(editor: &mut Editor<'m>, latch: Inst<'m>) {
    let header = latch.successors().next().and_then(|block| block.terminator());
    let condition = latch.branch_condition().or_else(|| header?.branch_condition());
    let compare = condition.and_then(Value::as_inst).filter(|inst| inst.opcode() == RawOpcode::LLVMICmp);
    let Some(compare) = compare.filter(|inst| inst.int_predicate() != IntPredicate::LLVMIntNE) else { return };
    let is_counted = |index: u32| {
        let def = compare.operand(index).as_inst().filter(|inst| inst.block() == compare.block());
        def.is_some_and(|inst| matches!(inst.opcode(), RawOpcode::LLVMPHI | RawOpcode::LLVMAdd))
    };
    if let (true, false) = (is_counted(0), is_counted(1)) {
        let bound = rounded(editor, compare, compare.operand(1));
        editor.set_operand(compare, 1, bound);
    }
}

/// The multiple of the factor at or below an integer.
fn rounded<'m>(editor: &mut Editor<'m>, before: Inst<'m>, value: Value<'m>) -> Value<'m> {
    let Some(bits) = value.ty().int_bits() else { return value };
    let mask = editor.int(bits, u64::from(UNROLL_FACTOR - 1));
    let mask = editor.before(before).not(mask);
    editor.binary(RawOpcode::LLVMAnd, value, mask, "")
}
