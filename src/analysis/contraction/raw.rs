//! Which products and sums may meet, as LLVM's own instructions, before a function is imported?

use super::Pair;
use rustc_hash::FxHashSet;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Value};

/// The products of a function that must be rounded on their own if its blocks may become one, and its memory registers: those
/// that are stored, or that a sum of another block may use, unless they have no other use. `None` if one is joined with a
/// sum of its block now, too, or is no product but a narrowing.
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
        let meets_far = meets(first.value(), |user| {
            user.opcode() == RawOpcode::LLVMStore || (pair.ends_with(user) && !is_near(user))
        });
        if is_only_added || !meets_far {
            continue;
        }
        let can_stay_apart = pair == Pair::MultiplyAdd && Editor::rounds_alone(first.ty());
        if !can_stay_apart || meets(first.value(), is_near) {
            return None;
        }
        found.push(first);
    }
    Some(found)
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
