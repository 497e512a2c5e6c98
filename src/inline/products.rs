//! Would inlining change which products and sums the back end joins, and so the last bit of a result?
//!
//! Where the flags allow it, the back end joins a product and the sum that uses it into one `fma`, which rounds once. A
//! product that goes to another function through an argument, a result or memory is rounded. If it may meet a sum there, the
//! call stays as it is. Products that go to other memory are kept apart, unless a sum of their own function uses them: LLVM
//! may find out what is loaded later.

use super::calls;
use super::plan::Stage;
use rustc_hash::FxHashSet;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Value};

/// Whether a product that is stored to an object may meet a sum that uses what is loaded from there.
pub fn meet_in_object(accesses: &[(Inst<'_>, i64)], is_copied: bool, stage: Stage) -> bool {
    let is_store = |inst: Inst<'_>| inst.opcode() == RawOpcode::LLVMStore;
    let places = |wanted: bool| {
        accesses.iter().filter(move |&&(inst, _)| is_store(inst) == wanted).filter(move |&&(inst, _)| match wanted {
            true => is_product(inst.operand(0), stage),
            false => meets_sum(inst.value()),
        })
    };
    let products: FxHashSet<i64> = places(true).map(|&(_, at)| at).collect();
    let mut sums = places(false).map(|&(_, at)| at);
    if is_copied { !products.is_empty() || sums.next().is_some() } else { sums.any(|at| products.contains(&at)) }
}

/// Whether a product that is passed to a function, or returned from it, may meet a sum.
pub fn meet_in_call<'m>(call: Inst<'m>, callee: Function<'m>, stage: Stage) -> bool {
    let count = call.argument_count().min(callee.param_count());
    (0..count).any(|index| is_product(call.operand(index), stage) && meets_sum(callee.param(index)))
        || (meets_sum(call.value()) && results(callee).any(|result| is_product(result, stage)))
}

/// The products that are stored to memory in the two functions of a call, and that no sum uses; `None` if some cannot be
/// kept apart.
pub fn to_round<'m>(call: Inst<'m>, callee: Function<'m>) -> Option<Vec<Inst<'m>>> {
    let insts =
        [call.block().function(), callee].into_iter().flat_map(Function::blocks).flat_map(|block| block.insts());
    let stored =
        insts.filter(|inst| inst.opcode() == RawOpcode::LLVMStore).filter_map(|store| store.operand(0).as_inst());
    let mut found: Vec<Inst<'m>> = stored.filter(|&inst| is_joinable(inst) && !meets_sum(inst.value())).collect();
    found.sort_unstable();
    found.dedup();
    found.iter().all(|inst| Editor::rounds_alone(inst.ty())).then_some(found)
}

/// What a function returns.
fn results<'m>(function: Function<'m>) -> impl Iterator<Item = Value<'m>> {
    let ends = function.blocks().filter_map(|block| block.terminator());
    ends.filter(|end| end.opcode() == RawOpcode::LLVMRet && end.operand_count() > 0).map(|end| end.operand(0))
}

/// Whether it is a product that may be part of an `fma`.
fn is_joinable(inst: Inst<'_>) -> bool {
    inst.opcode() == RawOpcode::LLVMFMul && inst.allows_contraction()
}

/// Whether an instruction passes on a value of its operands, or one that the back end looks through.
fn is_passed_on(inst: Inst<'_>) -> bool {
    matches!(
        inst.opcode(),
        RawOpcode::LLVMPHI
            | RawOpcode::LLVMFNeg
            | RawOpcode::LLVMSelect
            | RawOpcode::LLVMFreeze
            | RawOpcode::LLVMBitCast
            | RawOpcode::LLVMFPExt
            | RawOpcode::LLVMInsertValue
            | RawOpcode::LLVMExtractValue
            | RawOpcode::LLVMInsertElement
            | RawOpcode::LLVMExtractElement
            | RawOpcode::LLVMShuffleVector
    )
}

/// Whether a value may be a product. Before LLVM inlines, so may the result of a call.
fn is_product(value: Value<'_>, stage: Stage) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        let Some(inst) = value.as_inst().filter(|_| seen.insert(value)) else { continue };
        if is_joinable(inst) {
            return true;
        }
        if let Some(callee) = calls::callee(inst).filter(|_| stage == Stage::Early) {
            open.extend(results(callee));
        } else if is_passed_on(inst) {
            open.extend((0..inst.operand_count()).map(|index| inst.operand(index)));
        }
    }
    false
}

/// Whether a sum or difference may use a value.
fn meets_sum(value: Value<'_>) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        for user in value.users().filter_map(Value::as_inst) {
            match user.opcode() {
                RawOpcode::LLVMFAdd | RawOpcode::LLVMFSub if user.allows_contraction() => return true,
                _ if is_passed_on(user) && seen.insert(user.value()) => open.push(user.value()),
                _ => {}
            }
        }
    }
    false
}
