//! Which loops count the bits of a number, by clearing the lowest until none is left?
//!
//! The loop is one block of nothing but `v = v & (v - 1); n = n + 1` while `v` is not zero, at least once. Then `n` has
//! grown by the number of bits, or by one if there was none.

use crate::mutants::{self, Mutant};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{LLVMAdd, LLVMAnd, LLVMICmp, LLVMPHI, LLVMTrunc, LLVMZExt};
use warpwise_ir::llvm::handle::{Block, Inst, IntPredicate, Value};

/// What is said of a loop.
pub const MESSAGE: &str = "a loop that counts bits one by one is one instruction";

/// What is said of one that stays.
pub const KEPT: &str = "a loop that counts bits stays: products and sums around it could become multiply-adds";

/// Instructions of such a loop: two phis, the number less one, the number, the count, the comparison, the branch.
const INSTRUCTIONS: usize = 7;

/// A loop that counts bits.
#[derive(Debug)]
pub struct Count<'m> {
    /// The loop's branch.
    pub branch: Inst<'m>,
    /// The number before the first iteration, as a phi of the loop.
    number: Inst<'m>,
    /// The count before an iteration.
    count: Inst<'m>,
    /// The count after it.
    counted: Inst<'m>,
    /// What the branch's condition is when the loop is left.
    left_if: bool,
}

/// The loop that this block is, if it counts bits.
pub fn find(block: Block<'_>) -> Option<Count<'_>> {
    let insts: Vec<Inst<'_>> = block.insts().take(INSTRUCTIONS + 1).collect();
    let &[first, second, .., branch] = insts.as_slice() else { return None };
    let is_loop = |inst: Inst<'_>| inst.opcode() == LLVMPHI && inst.incoming_count() == 2;
    if insts.len() != INSTRUCTIONS || !is_loop(first) || !is_loop(second) {
        return None;
    }
    let mut successors = branch.successors();
    let (yes, no) = (successors.next()?, successors.next()?);
    let compare = branch.branch_condition()?.as_inst().filter(|inst| inst.block() == block && is_icmp(*inst))?;
    let left_if = match compare.int_predicate() {
        IntPredicate::LLVMIntEQ => true,
        IntPredicate::LLVMIntNE => false,
        _ => return None,
    };
    let (out, back) = if left_if { (yes, no) } else { (no, yes) };
    let rest = compare.operand(0).as_inst().filter(|inst| inst.opcode() == LLVMAnd && inst.block() == block)?;
    if back != block || out == block || !compare.operand(1).is_null() {
        return None;
    }
    let (number, count) = if next(first, block)? == rest.value() { (first, second) } else { (second, first) };
    let counted = next(count, block)?.as_inst().filter(|inst| is_sum(*inst, count, 1) && inst.block() == block)?;
    let less = [0, 1].map(|index| rest.operand(index)).into_iter().find(|&operand| operand != number.value())?;
    let less = less.as_inst().filter(|inst| is_sum(*inst, number, -1) && inst.block() == block)?;
    let takes_number = [0, 1].iter().any(|&index| rest.operand(index) == number.value());
    let is_counter =
        next(number, block)? == rest.value() && takes_number && matches!(number.ty().int_bits(), Some(32 | 64));
    // the number and what is made of it are gone after the loop
    let is_inside =
        |value: Value<'_>| value.users().all(|user| user.as_inst().is_some_and(|inst| inst.block() == block));
    let are_inside = [number, count, less, rest, compare].iter().all(|inst| is_inside(inst.value()));
    (is_counter && are_inside).then_some(Count { branch, number, count, counted, left_if })
}

fn is_icmp(inst: Inst<'_>) -> bool {
    inst.opcode() == LLVMICmp
}

/// What a phi of the loop is in the next iteration.
fn next<'m>(phi: Inst<'m>, block: Block<'m>) -> Option<Value<'m>> {
    (0..phi.incoming_count()).map(|index| phi.incoming(index)).find(|&(_, from)| from == block).map(|(value, _)| value)
}

/// Whether an instruction adds a constant to another.
fn is_sum(inst: Inst<'_>, to: Inst<'_>, constant: i64) -> bool {
    inst.opcode() == LLVMAdd && inst.operand(0) == to.value() && inst.operand(1).const_i64() == Some(constant)
}

/// Leaves the loop after one iteration, with the count of all.
pub fn apply<'m>(editor: &mut Editor<'m>, plan: &Count<'m>) {
    let &Count { branch, number, count, counted, left_if } = plan;
    let (ty, wanted) = (number.ty(), count.ty());
    let (bits, wanted_bits) = (ty.int_bits().unwrap_or(32), wanted.int_bits().unwrap_or(32));
    // before the sum, whose value debug records name from there on
    editor.before(counted);
    let mut counted_in = number.value();
    if mutants::on(Mutant::CountHalf) {
        let half = editor.int(bits, u64::MAX >> (64 - bits / 2));
        counted_in = editor.binary(LLVMAnd, counted_in, half, "");
    }
    let bare = editor.intrinsic("llvm.ctpop", &[ty], &[counted_in], "");
    let one = editor.int(bits, 1);
    // a number without bits is looked at once, too
    let turns =
        if mutants::on(Mutant::CountNone) { bare } else { editor.intrinsic("llvm.umax", &[ty], &[bare, one], "") };
    let turns = match wanted_bits.cmp(&bits) {
        std::cmp::Ordering::Less => editor.cast(LLVMTrunc, turns, wanted, ""),
        std::cmp::Ordering::Equal => turns,
        std::cmp::Ordering::Greater => editor.cast(LLVMZExt, turns, wanted, ""),
    };
    let before = if mutants::on(Mutant::CountAnew) { editor.int(wanted_bits, 0) } else { count.value() };
    let all = editor.binary(LLVMAdd, before, turns, "bits");
    editor.replace_all_uses(counted.value(), all);
    let condition = editor.int(1, left_if.into());
    editor.set_operand(branch, 0, condition);
}
