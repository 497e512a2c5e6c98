//! Would inlining change which products and sums the back end joins, and so the last bit of a result?
//!
//! Where the flags allow it, the back end joins a product and the sum that uses it into one `fma`, which rounds once. A
//! product that goes to another function through an argument, a result or memory is rounded. If it may meet a sum there, the
//! call stays as it is. Products that go to other memory are kept apart, unless a sum of their own function uses them: LLVM
//! may find out what is loaded later. Of two products that a sum may be joined with, the second is kept apart.

use super::plan::Stage;
use rustc_hash::FxHashSet;
use warpwise_analysis::contraction::Pair;
use warpwise_analysis::contraction::raw::{choice, is_passed_on, meets};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Value};

/// Whether the first of a pair may be stored to an object, and its second use what is loaded from there.
pub fn meet_in_object(accesses: &[(Inst<'_>, i64)], is_copied: bool, stage: Stage) -> bool {
    Pair::ALL.into_iter().any(|pair| {
        let is_store = |inst: Inst<'_>| inst.opcode() == RawOpcode::LLVMStore;
        let places = |wanted: bool| {
            accesses.iter().filter(move |&&(inst, _)| is_store(inst) == wanted).filter(
                move |&&(inst, _)| match wanted {
                    true => is_first(inst.operand(0), pair, stage),
                    false => meets_second(inst.value(), pair),
                },
            )
        };
        let firsts: FxHashSet<i64> = places(true).map(|&(_, at)| at).collect();
        let mut seconds = places(false).map(|&(_, at)| at);
        if is_copied { !firsts.is_empty() || seconds.next().is_some() } else { seconds.any(|at| firsts.contains(&at)) }
    })
}

/// Whether the first of a pair that is passed to a function, or returned from it, may meet a second.
pub fn meet_in_call<'m>(call: Inst<'m>, callee: Function<'m>, stage: Stage) -> bool {
    let count = call.argument_count().min(callee.param_count());
    Pair::ALL.into_iter().any(|pair| {
        (0..count).any(|index| is_first(call.operand(index), pair, stage) && meets_second(callee.param(index), pair))
            || (meets_second(call.value(), pair) && results(callee).any(|result| is_first(result, pair, stage)))
    })
}

/// Whether a call stands between the two of a pair that are joined because they are in one block, which the body of the
/// function would split.
pub fn are_parted(call: Inst<'_>, callee: Function<'_>) -> bool {
    let insts: Vec<Inst<'_>> = call.block().insts().collect();
    let (before, after) = insts.split_at(insts.iter().position(|&inst| inst == call).unwrap_or(0));
    let is_joined = |first: Inst<'_>, pair: Pair| {
        let is_alone = first.value().users().count() == 1 && pair == Pair::MultiplyAdd;
        !is_alone && meets(first.value(), |user| pair.ends_with(user) && after.contains(&user))
    };
    let begins = |pair: Pair| before.iter().any(|&inst| pair.begins_with(inst) && is_joined(inst, pair));
    callee.block_count() > 1 && Pair::ALL.into_iter().any(begins)
}

/// The products in the two functions of a call that are to keep their own rounding: those that are stored to memory and that
/// no sum uses, and those that a sum is not joined with because it is with another, which LLVM may order otherwise in the
/// caller. `None` if some cannot be kept apart, or it is not sure which one a sum is joined with: before LLVM inlines, it has
/// not ordered them yet.
pub fn to_round<'m>(call: Inst<'m>, callee: Function<'m>, stage: Stage) -> Option<Vec<Inst<'m>>> {
    let functions = [call.block().function(), callee];
    let insts = || functions.into_iter().flat_map(Function::blocks).flat_map(|block| block.insts());
    let stored =
        insts().filter(|inst| inst.opcode() == RawOpcode::LLVMStore).filter_map(|store| store.operand(0).as_inst());
    let pair = Pair::MultiplyAdd;
    let is_lone_product = |inst: Inst<'m>| pair.begins_with(inst) && !meets_second(inst.value(), pair);
    let mut found: Vec<Inst<'m>> = stored.filter(|&inst| is_lone_product(inst)).collect();
    if stage == Stage::Early && with_callees(&functions).into_iter().any(may_have_choice) {
        return None;
    }
    for sum in insts() {
        let Some(products) = choice(sum) else { continue };
        let is_sure = |product: &Inst<'m>| product.block() == sum.block() && product.value().users().count() == 1;
        found.push(products.iter().all(is_sure).then_some(products[1])?);
    }
    found.sort_unstable();
    found.dedup();
    found.iter().all(|inst| Editor::rounds_alone(inst.ty())).then_some(found)
}

/// Whether a sum of a function may have two products to choose from, once LLVM has inlined.
fn may_have_choice(function: Function<'_>) -> bool {
    let is_first = |value: Value<'_>| is_first(value, Pair::MultiplyAdd, Stage::Early);
    let is_choice = |sum: Inst<'_>| {
        sum.opcode() == RawOpcode::LLVMFAdd
            && sum.allows_contraction()
            && (0..2).all(|index| is_first(sum.operand(index)))
    };
    function.blocks().flat_map(|block| block.insts()).any(is_choice)
}

/// Some functions, and all that they may call, which LLVM may inline into them.
fn with_callees<'m>(functions: &[Function<'m>]) -> Vec<Function<'m>> {
    let mut found = functions.to_vec();
    let mut next = 0;
    while let Some(function) = found.get(next) {
        let callees = function.blocks().flat_map(|block| block.insts()).filter_map(Inst::defined_callee);
        for callee in callees.collect::<Vec<_>>() {
            if !found.contains(&callee) {
                found.push(callee);
            }
        }
        next += 1;
    }
    found
}

/// What a function returns.
fn results<'m>(function: Function<'m>) -> impl Iterator<Item = Value<'m>> {
    let ends = function.blocks().filter_map(|block| block.terminator());
    ends.filter(|end| end.opcode() == RawOpcode::LLVMRet && end.operand_count() > 0).map(|end| end.operand(0))
}

/// Whether a value may be the first of a pair. Before LLVM inlines, so may the result of a call.
fn is_first(value: Value<'_>, pair: Pair, stage: Stage) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        let Some(inst) = value.as_inst().filter(|_| seen.insert(value)) else { continue };
        if pair.begins_with(inst) {
            return true;
        }
        if let Some(callee) = inst.defined_callee().filter(|_| stage == Stage::Early) {
            open.extend(results(callee));
        } else if is_passed_on(inst) {
            open.extend((0..inst.operand_count()).map(|index| inst.operand(index)));
        }
    }
    false
}

/// Whether the second of a pair may use a value.
fn meets_second(value: Value<'_>, pair: Pair) -> bool {
    meets(value, |user| pair.ends_with(user))
}
