//! Which products and sums may meet, as LLVM's own instructions, before a function is imported?

use super::Pair;
use rustc_hash::FxHashSet;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Value};

/// The products of a function that must be rounded on their own if its blocks may become one, and its memory registers: those
/// that are stored. `None` if a sum may use one, unless that is its only use, or if it is no product but a narrowing: whether
/// LLVM's later passes move product and sum into one block cannot be foreseen.
pub fn to_round_everywhere(function: Function<'_>) -> Option<Vec<Inst<'_>>> {
    let insts = || function.blocks().flat_map(|block| block.insts());
    let mut found = Vec::new();
    for (pair, first) in Pair::ALL.into_iter().flat_map(|pair| insts().map(move |inst| (pair, inst))) {
        if !pair.begins_with(first) {
            continue;
        }
        let users = || first.value().users().filter_map(Value::as_inst);
        let is_near = |user: Inst<'_>| user.block() == first.block() && pair.ends_with(user);
        let is_only_added = users().count() == 1 && users().all(|user| pair.ends_with(user));
        let is_stored = meets(first.value(), |user| user.opcode() == RawOpcode::LLVMStore);
        let is_open = meets(first.value(), |user| pair.ends_with(user) && (is_stored || !is_near(user)));
        if is_only_added || !(is_stored || is_open) {
            continue;
        }
        let can_stay_apart = pair == Pair::MultiplyAdd && Editor::rounds_alone(first.ty());
        if !can_stay_apart || is_open {
            return None;
        }
        found.push(first);
    }
    Some(found)
}

/// The two products of a sum that may be joined with either. The back end takes the first; the order LLVM's Reassociate
/// decides, by where their factors are computed.
pub fn choice<'m>(sum: Inst<'m>) -> Option<[Inst<'m>; 2]> {
    let product = |index: u32| sum.operand(index).as_inst().filter(|&inst| Pair::MultiplyAdd.begins_with(inst));
    let is_sum = sum.opcode() == RawOpcode::LLVMFAdd && Pair::MultiplyAdd.ends_with(sum);
    if is_sum { product(0).zip(product(1)).map(<[Inst<'m>; 2]>::from) } else { None }
}

/// Whether an instruction passes on a value of its operands, or one that the back end looks through.
pub fn is_passed_on(inst: Inst<'_>) -> bool {
    use RawOpcode::*;
    let moves = [LLVMInsertValue, LLVMExtractValue, LLVMInsertElement, LLVMExtractElement, LLVMShuffleVector];
    let passes = [LLVMPHI, LLVMFNeg, LLVMSelect, LLVMFreeze, LLVMBitCast, LLVMFPExt];
    moves.contains(&inst.opcode()) || passes.contains(&inst.opcode())
}

/// Whether such an instruction may use a value, or what it is passed on as.
pub fn meets(value: Value<'_>, is_it: impl Fn(Inst<'_>) -> bool) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        for user in value.users().filter_map(Value::as_inst) {
            if is_it(user) {
                return true;
            }
            if is_passed_on(user) && seen.insert(user.value()) {
                open.push(user.value());
            }
        }
    }
    false
}
