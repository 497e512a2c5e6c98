//! Which values does LLVM keep in registers that all ways to a block compute alike?
//!
//! Partial redundancy elimination (GVN) computes what one way to a block has computed on the others, too, and joins them by
//! a phi. Of an index such as `threadIdx.x + 384`, and of the same widened to 64 bits, it so keeps three registers for as long as it
//! is used, where the back end would have made it part of an address: the radix sort of CUB has 17 of these at once, and
//! half the blocks on a multiprocessor. If all ways compute the value alike from one other and from constants, it is computed
//! where they meet.

use crate::mutants::{self, Mutant};
use rustc_hash::FxHashSet;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{LLVMAdd, LLVMAnd, LLVMOr, LLVMPHI, LLVMSExt, LLVMShl, LLVMSub, LLVMZExt};
use warpwise_ir::llvm::handle::{Inst, Value};

/// What is said of a phi.
pub const MESSAGE: &str =
    "a value that all ways compute alike is computed where they meet, and kept in no register before";

/// The instructions that compute a value.
const MAX_INSTRUCTIONS: u32 = 3;

/// This instruction, if it is a phi of values that are computed alike.
pub fn find(phi: Inst<'_>) -> Option<Inst<'_>> {
    if phi.opcode() != LLVMPHI || phi.ty().int_bits().is_none_or(|bits| bits > 64) {
        return None;
    }
    let ways: Vec<Value<'_>> = phi.operands().collect();
    let differ = ways.iter().any(|&way| way != ways[0]);
    (differ && matches!(source(&ways, &mut { MAX_INSTRUCTIONS }), Some(Some(_)))).then_some(phi)
}

/// What some values are computed from, in the same way and by not more instructions than are left: one value, or only
/// constants.
fn source<'m>(ways: &[Value<'m>], left: &mut u32) -> Option<Option<Value<'m>>> {
    let is_taken = mutants::on(Mutant::PhiOneWay) && ways.iter().all(|way| way.const_i64().is_some());
    if is_taken || ways.iter().all(|&way| way == ways[0]) {
        return Some(Some(ways[0]).filter(|value| value.const_i64().is_none()));
    }
    let insts: Vec<Inst<'m>> = ways.iter().map(|way| way.as_inst()).collect::<Option<_>>()?;
    *left = left.checked_sub(1)?;
    let first = insts[0];
    let is_cheap = matches!(first.opcode(), LLVMAdd | LLVMSub | LLVMShl | LLVMAnd | LLVMOr | LLVMZExt | LLVMSExt);
    if !is_cheap || insts.iter().any(|inst| inst.opcode() != first.opcode() || inst.ty() != first.ty()) {
        return None;
    }
    let mut sources = FxHashSet::default();
    for index in 0..first.operand_count() {
        let operands: Vec<Value<'m>> = insts.iter().map(|inst| inst.operand(index)).collect();
        sources.extend(source(&operands, left)?);
    }
    let mut sources = sources.into_iter();
    let only = sources.next();
    sources.next().is_none().then_some(only)
}

/// Computes it where the ways meet. What it comes from is there on all of them, and so where they meet.
pub fn apply<'m>(editor: &mut Editor<'m>, phi: Inst<'m>) {
    let ways: Vec<Value<'m>> = phi.operands().collect();
    // another form may have changed one of them
    if source(&ways, &mut { MAX_INSTRUCTIONS }).is_none() {
        return;
    }
    let block = phi.block();
    // a debugger is told of the variable once its value is there
    let first = block.insts().find(|inst| !inst.opens_block());
    let records = first.map_or_else(Vec::new, |first| editor.detach_records(first));
    editor.after_phis(block);
    let value = compute(editor, &ways);
    for record in records {
        editor.place_record(record, block, value.as_inst());
    }
    editor.replace_all_uses(phi.value(), value);
    editor.erase(phi);
}

/// Values that are computed alike, once, with the flags that all have.
fn compute<'m>(editor: &mut Editor<'m>, ways: &[Value<'m>]) -> Value<'m> {
    let insts: Vec<Inst<'m>> = ways.iter().filter_map(|way| way.as_inst()).collect();
    if ways.iter().all(|&way| way == ways[0]) || insts.len() < ways.len() {
        return ways[0];
    }
    let count = insts[0].operand_count();
    let operands: Vec<Value<'m>> = (0..count)
        .map(|index| compute(editor, &insts.iter().map(|inst| inst.operand(index)).collect::<Vec<_>>()))
        .collect();
    let copy = editor.clone_here(insts[0], "");
    for (index, operand) in (0..).zip(operands) {
        editor.set_operand(copy, index, operand);
    }
    insts.iter().for_each(|&inst| editor.intersect_flags(copy, inst));
    copy.value()
}
