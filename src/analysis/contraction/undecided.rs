//! Does other code of a function decide what its instructions round to?
//!
//! Then nothing in it changes. Asked of LLVM's own instructions.

use super::memory::{Limits, place};
use super::raw::{
    calls, computed, is_always_before, is_around, is_behind_phis, is_loose, is_loose_in, leads, may_pair, meets,
    passes_on, sources,
};
use super::{Pair, joins};
use rustc_hash::FxHashSet;
use warpwise_ir::llvm::handle::{Block, Function, Inst, RawOpcode, Value, ValueKind};

/// A sum, a branch, and one instruction more.
const SMALL: usize = 3;

/// Whether it depends on other code of a function what is joined in it, since
///
/// - a loop brings a product of one iteration to a sum of the next, if only through memory: `ptxas` joins the two if it unrolls
///   the loop, as it may an innermost one, and LLVM may still unroll those in it;
/// - a loop of a constant number of iterations adds to a product from in front of it: `ptxas` joins the first sum with it if it
///   unrolls the loop as a whole;
/// - a block has little beside a sum of a product behind a phi: LLVM's early tail duplication copies blocks of two instructions
///   to the ways that lead there;
/// - a product is stored, and a sum loads it so far behind that LLVM may just see it, [or just not](Limits::is_near).
///
/// Whatever changes in such a function, another loop counter included, may decide otherwise.
pub fn is_undecided(function: Function<'_>) -> bool {
    may_copy(function, |_| true) || is_undecided_by_loops(function)
}

/// Whether LLVM may copy a block to the ways that lead there, which brings a sum of a phi to a product. It is asked of blocks that
/// change, and of those that these lead to.
pub(super) fn may_copy<'m>(function: Function<'m>, changes: impl Fn(Block<'m>) -> bool) -> bool {
    let may_go = [RawOpcode::LLVMPHI, RawOpcode::LLVMLoad, RawOpcode::LLVMGetElementPtr];
    let is_small = |block: Block<'_>| block.insts().filter(|inst| !may_go.contains(&inst.opcode())).count() <= SMALL;
    let changes_around = |block: Block<'m>| {
        let mut before = function.blocks().filter(|from| from.successors().any(|to| to == block));
        changes(block) || before.any(&changes)
    };
    // the phi is in such a block, too, since it is gone only from copies
    let is_copied = |value: Value<'m>| {
        let mut passed = computed(value);
        passed.any(|inst| inst.opcode() == RawOpcode::LLVMPHI && is_small(inst.block()))
    };
    let sees_copies = |sum: Inst<'m>| is_behind_phis(sum) && sum.operands().any(is_copied);
    let mut sums = function.blocks().filter(|&block| is_small(block) && block.insts().any(sees_copies));
    sums.any(changes_around)
}

/// [Whether](is_undecided) it depends on a loop or on memory what is joined.
pub fn is_undecided_by_loops<'m>(function: Function<'m>) -> bool {
    if function.insts().any(|inst| is_approximation_of_constants(inst, is_counted)) {
        return true;
    }
    if !may_pair(&[function], Pair::MultiplyAdd) {
        return false;
    }
    let carries = |phi: Inst<'_>| {
        let head = phi.block();
        let brings = |index: u32| {
            let is_back = is_back(phi, index);
            let is_carried =
                |product: Inst| if is_back { is_always_before(head, product.block()) } else { is_counted(head) };
            computed(phi.operand(index)).any(|inst| Pair::MultiplyAdd.begins_with(inst) && is_carried(inst))
        };
        let adds = |user: Inst<'_>| Pair::MultiplyAdd.ends_with(user) && is_around(head, user.block());
        phi.opcode() == RawOpcode::LLVMPHI && (0..phi.incoming_count()).any(brings) && meets(phi.value(), adds)
    };
    // LLVM's back end keeps in a register what a loop stores and loads again, at an address from outside
    let keeps = |store: Inst<'_>| {
        if store.opcode() != RawOpcode::LLVMStore {
            return false;
        }
        let is_around = |block: Block<'_>| leads(store.block(), block, None) && leads(block, store.block(), None);
        let (stored, pointer) = (store.operand(0), store.operand(1));
        let adds = |user: Inst<'_>| Pair::MultiplyAdd.ends_with(user) && is_around(user.block());
        let is_added = |load: Inst<'_>| load.opcode() == RawOpcode::LLVMLoad && meets(load.value(), adds);
        computed(stored).any(|inst| Pair::MultiplyAdd.begins_with(inst))
            && pointer.as_inst().is_none_or(|inst| !is_around(inst.block()))
            && pointer.users().filter_map(Value::as_inst).any(is_added)
    };
    let mut limits = Limits::of(function);
    let mut is_far = |store: Inst<'m>| {
        store.opcode() == RawOpcode::LLVMStore
            && computed(store.operand(0)).any(|inst| Pair::MultiplyAdd.begins_with(inst))
            && limits.is_near(store)
    };
    function.insts().any(|inst| carries(inst) || keeps(inst) || is_far(inst))
}

/// Whether how often the loop that a header begins runs may be a constant: something that it counts from a constant is compared
/// with another.
fn is_counted(header: Block<'_>) -> bool {
    let is_constant = |value: Value<'_>| value.kind() == ValueKind::ConstantInt;
    let is_limited = |value: Value<'_>| {
        let mut users = value.users().filter_map(Value::as_inst);
        users.any(|user| user.opcode() == RawOpcode::LLVMICmp && user.operands().any(is_constant))
    };
    header
        .phis()
        .any(|phi| phi.operands().any(is_constant) && (is_limited(phi.value()) || phi.operands().any(is_limited)))
}

/// Whether it may matter for what a function rounds how LLVM arranges its blocks, long before its end: a product comes to a sum, if
/// perhaps in a function that calls this one or that it calls, and not to that alone; or there is something else that
/// [other code](is_undecided) decides about.
pub fn depends_on_blocks(function: Function<'_>) -> bool {
    let is_open =
        |inst: Inst<'_>| Pair::MultiplyAdd.begins_with(inst) && !joins::is_lone(inst) && may_come_to_sum(inst);
    function.insts().any(is_open) || is_loose_in(function) || may_fold(function)
}

/// Whether a sum may use a product, through memory or another function, too.
fn may_come_to_sum(product: Inst<'_>) -> bool {
    let (mut open, mut seen) = (vec![product.value()], FxHashSet::default());
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        for user in value.users().filter_map(Value::as_inst) {
            if Pair::MultiplyAdd.ends_with(user) || user.opcode() == RawOpcode::LLVMStore {
                return true;
            }
            if passes_on(user) {
                open.push(user.value());
            } else if user.opcode() == RawOpcode::LLVMRet {
                open.extend(user.block().function().calls().map(Inst::value));
            } else if let Some(callee) = user.defined_callee() {
                let passed = (0..callee.param_count()).filter(|&index| user.operand(index) == value);
                open.extend(passed.map(|index| callee.param(index)));
            }
        }
    }
    false
}

/// Whether a copy of an iteration may compute something else than the loop does, since more is known in it:
///
/// - an approximation of constants: `ptxas` rounds it correctly, as the GPU may not;
/// - a product of converted integers whose leading bits are known: LLVM makes it a product of integers, which no sum is joined
///   with.
pub fn may_fold(function: Function<'_>) -> bool {
    function.insts().any(|inst| {
        is_approximation_of_constants(inst, |header| is_counted(header) || is_around(header, inst.block()))
            || is_product_of_carried(inst)
    })
}

/// Whether something approximate is computed from constants alone where loops begin, the iterations of which are copied.
fn is_approximation_of_constants<'m>(inst: Inst<'m>, is_copied: impl Fn(Block<'m>) -> bool) -> bool {
    use RawOpcode::{LLVMAlloca, LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMCall, LLVMFDiv, LLVMLoad};
    let is_approximate = match inst.opcode() {
        LLVMCall if inst.calls_asm() => inst.called_value().asm_text().contains(".approx"),
        LLVMCall => is_loose(inst) || calls(inst, "llvm.nvvm.") && is_approximate(&inst.called_value().name()),
        LLVMFDiv => is_loose(inst),
        _ => false,
    };
    let may_be_constant = |at: &Inst<'_>| match at.opcode() {
        LLVMLoad => place(at.value(), at.operand(0)).1.is_some_and(Value::is_table),
        LLVMCall => at.argument_count() > 0,
        LLVMAlloca | LLVMAtomicRMW | LLVMAtomicCmpXchg => false,
        _ => at.operands().all(|operand| operand.kind() != ValueKind::Argument),
    };
    is_approximate && {
        let behind = behind(inst, |at| !may_be_constant(&at));
        let mut heads = behind.iter().filter(|&&at| brought_round(at).next().is_some()).peekable();
        behind.iter().all(may_be_constant) && heads.peek().is_some() && heads.all(|head| is_copied(head.block()))
    }
}

/// Whether an intrinsic of NVPTX is an approximation of what it is named after.
fn is_approximate(name: &str) -> bool {
    name.contains(".approx") || name.contains("div.full")
}

/// Whether sums may use a product of integers, or of one and a constant, of which more is known in a copy of an iteration, as the
/// one before it has computed something small.
fn is_product_of_carried(inst: Inst<'_>) -> bool {
    use RawOpcode::*;
    let is_converted =
        |value: Value<'_>| value.as_inst().is_some_and(|inst| matches!(inst.opcode(), LLVMSIToFP | LLVMUIToFP));
    // what is selected may be as small as either
    let is_small = |value: Value<'_>| {
        let chosen = sources(value, |inst| matches!(inst.opcode(), LLVMPHI | LLVMSelect));
        let mut opcodes = chosen.map(Inst::opcode);
        value.kind() == ValueKind::ConstantInt
            || opcodes.any(|opcode| matches!(opcode, LLVMAnd | LLVMLShr | LLVMZExt | LLVMURem | LLVMUDiv))
    };
    let is_told = |at: Inst<'_>| brought_round(at).any(is_small);
    let is_carried = |value: Value<'_>| {
        let ends = |at: Inst<'_>| matches!(at.opcode(), LLVMLoad | LLVMCall);
        value.as_inst().is_some_and(|inst| behind(inst, ends).into_iter().any(is_told))
    };
    let is_integer = |value: Value<'_>| is_converted(value) || value.kind() == ValueKind::ConstantFp;
    Pair::MultiplyAdd.begins_with(inst)
        && inst.operands().all(is_integer)
        && inst.operands().any(is_carried)
        && meets(inst.value(), |user| Pair::MultiplyAdd.ends_with(user))
}

/// An instruction and those that it follows from, but not from behind where one ends; in loops, where these begin.
fn behind<'m>(inst: Inst<'m>, ends: impl Fn(Inst<'m>) -> bool) -> Vec<Inst<'m>> {
    let (mut found, mut seen) = (vec![inst], FxHashSet::default());
    let mut next = 0;
    while let Some(&at) = found.get(next) {
        next += 1;
        let is_phi = at.opcode() == RawOpcode::LLVMPHI;
        let is_taken = |&index: &u32| !is_phi || !is_back(at, index);
        let operands = (0..at.operand_count()).filter(is_taken).filter_map(|index| at.operand(index).as_inst());
        if !ends(at) {
            found.extend(operands.filter(|&inst| seen.insert(inst)));
        }
    }
    found
}

/// What loops bring round to a phi; nothing for other instructions.
fn brought_round<'m>(phi: Inst<'m>) -> impl Iterator<Item = Value<'m>> {
    let count = if phi.opcode() == RawOpcode::LLVMPHI { phi.incoming_count() } else { 0 };
    (0..count).filter(move |&index| is_back(phi, index)).map(move |index| phi.operand(index))
}

/// Whether it is a loop that brings an operand of a phi.
fn is_back(phi: Inst<'_>, index: u32) -> bool {
    is_always_before(phi.block(), phi.incoming(index).1)
}
