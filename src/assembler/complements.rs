//! Of which values that a branch has found to be constants would `ptxas` lose the complement?
//!
//! Where `x == C` has been branched on, `ptxas` writes `C` for `x`. If `~x` is an operand of a logical operation, it
//! forgets the complement as it does so: `~x & 7` becomes `C & 7` (CUDA 13.0, at every level; also for what is `x` in another
//! width, which nvcc's own code has). LLVM knows such values by itself, but not where they come to stand later. So
//! the constants are put there before `ptxas` can.

use std::collections::HashSet;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{
    LLVMAnd, LLVMFreeze, LLVMICmp, LLVMOr, LLVMPHI, LLVMSExt, LLVMSwitch, LLVMTrunc, LLVMXor, LLVMZExt,
};
use warpwise_ir::llvm::handle::{Block, Function, Inst, IntPredicate, Value};
use warpwise_ir::llvm::remark::{Kind, PassManager};

/// Mends a function; returns whether there was anything to mend.
pub fn mend(function: Function<'_>, manager: &PassManager<'_>) -> bool {
    let found: Vec<Known<'_>> = function.blocks().filter_map(Block::terminator).flat_map(known_behind).collect();
    let plans: Vec<Plan<'_>> = found.iter().filter_map(|known| Plan::new(function, known)).collect();
    for plan in &plans {
        let message = format!("{} is known here: ptxas would lose the complement of such a value", plan.number);
        manager.emit(Kind::Passed, function, Some(plan.example), "ComplementKept", &message);
        plan.apply(&mut Editor::new(function.module()));
    }
    !plans.is_empty()
}

/// What is to be written with constants behind one edge.
struct Plan<'m> {
    number: u64,
    /// What would lose a complement.
    example: Inst<'m>,
    /// The known value, also without an extension, and its constants.
    known: Vec<(Value<'m>, u64)>,
    /// Instructions in front of the edge whose values are used behind it, where the back end may put them.
    sunk: Vec<Inst<'m>>,
    head: Block<'m>,
    /// The blocks that are only reached through the edge.
    region: HashSet<Block<'m>>,
}

impl<'m> Plan<'m> {
    fn new(function: Function<'m>, edge: &Known<'m>) -> Option<Plan<'m>> {
        let mut known = vec![(edge.value, edge.number)];
        // also what it is an extension of
        let def = edge.value.as_inst().filter(|def| matches!(def.opcode(), LLVMZExt | LLVMSExt));
        let narrow = def.map(|def| def.operand(0)).and_then(|value| Some((value, value.ty().int_bits()?)));
        known.extend(narrow.map(|(value, bits)| (value, edge.number & (u64::MAX >> (64 - bits)))));
        let users = |value: Value<'m>| value.users().filter_map(Value::as_inst).filter(|&user| is_followed(user));
        // of most values that are compared there is no complement, and the region is expensive
        let mut seen = HashSet::new();
        if !known.iter().any(|&(value, _)| comes_to_complement(value, &mut seen)) {
            return None;
        }
        let region = region(function, edge.behind);
        let (mut inside, mut sunk): (Vec<Inst<'m>>, Vec<Inst<'m>>) = (Vec::new(), Vec::new());
        let mut next: Vec<Value<'m>> = known.iter().map(|&(value, _)| value).collect();
        while let Some(value) = next.pop() {
            for user in users(value) {
                if region.contains(&user.block()) {
                    inside.push(user);
                } else if !sunk.contains(&user) && is_used_in(&region, user, MAX_CHAIN) {
                    sunk.push(user);
                    next.push(user.value());
                }
            }
        }
        let mut followed = HashSet::new();
        let mut loses = |user: Inst<'m>| may_complement(user) || comes_to_complement(user.value(), &mut followed);
        let inside = inside.into_iter().find(|&user| loses(user));
        let example = inside.or_else(|| sunk.iter().copied().find(|&user| may_complement(user)))?;
        Some(Plan { number: edge.number, example, known, sunk: in_order(sunk)?, head: edge.behind, region })
    }

    fn apply(&self, editor: &mut Editor<'m>) {
        let mut replaced: Vec<(Value<'m>, Value<'m>)> = Vec::new();
        for &(value, number) in &self.known {
            replaced.extend(value.ty().int_bits().map(|bits| (value, editor.int(bits, number))));
        }
        editor.after_phis(self.head);
        for &inst in &self.sunk {
            let copy = editor.clone_here(inst, "");
            replaced.push((inst.value(), copy.value()));
            for index in 0..copy.operand_count() {
                if let Some(&(_, new)) = replaced.iter().find(|&&(old, _)| old == copy.operand(index)) {
                    editor.set_operand(copy, index, new);
                }
            }
        }
        for &(old, new) in &replaced {
            let is_sunk = self.sunk.iter().any(|inst| inst.value() == old);
            editor.replace_uses_where(old, new, |user| {
                self.region.contains(&user.block()) && user.opcode() != LLVMPHI && (is_sunk || is_followed(user))
            });
        }
    }
}

/// Instructions, each behind what it uses; `None` in code that is never reached and goes round.
fn in_order<'m>(mut insts: Vec<Inst<'m>>) -> Option<Vec<Inst<'m>>> {
    let mut out = Vec::new();
    while !insts.is_empty() {
        let used_by = |&inst: &Inst<'m>| inst.operands().filter_map(|operand| operand.as_inst());
        let first = insts.iter().position(|inst| used_by(inst).all(|used| !insts.contains(&used)))?;
        out.push(insts.remove(first));
    }
    Some(out)
}

/// Instructions between the known value and a use behind the edge.
const MAX_CHAIN: u32 = 3;

/// Whether a value is used in some blocks, itself or what is computed from it.
fn is_used_in(region: &HashSet<Block<'_>>, inst: Inst<'_>, most: u32) -> bool {
    inst.value().users().filter_map(Value::as_inst).any(|user| {
        region.contains(&user.block()) || most > 0 && is_followed(user) && is_used_in(region, user, most - 1)
    })
}

/// Whether the result of an instruction is a constant, or a logical operation with one, if an operand is a constant.
fn is_followed(user: Inst<'_>) -> bool {
    matches!(user.opcode(), LLVMXor | LLVMAnd | LLVMOr | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFreeze)
}

/// Whether the back end may write an instruction with a complement of what it uses; it does so for `(x & y) ^ y`, too, and for
/// `(x & 1) == 0`.
fn may_complement(user: Inst<'_>) -> bool {
    let is_bit = user.operand(user.operand_count() - 1).const_u64() == Some(1);
    let turns = |user: Inst<'_>| user.opcode() == LLVMXor || is_bit && user.opcode() == LLVMICmp;
    match user.opcode() {
        LLVMXor => true,
        LLVMAnd | LLVMOr => user.value().users().filter_map(Value::as_inst).any(turns),
        _ => false,
    }
}

/// Whether anything that is computed from a value may be written with a complement.
fn comes_to_complement<'m>(value: Value<'m>, seen: &mut HashSet<Inst<'m>>) -> bool {
    value
        .users()
        .filter_map(Value::as_inst)
        .filter(|&user| is_followed(user))
        .any(|user| seen.insert(user) && (may_complement(user) || comes_to_complement(user.value(), seen)))
}

/// A value that is a constant in all blocks that only one edge leads to.
struct Known<'m> {
    value: Value<'m>,
    number: u64,
    /// The block behind the edge.
    behind: Block<'m>,
}

/// What the edges of a branch say.
fn known_behind(branch: Inst<'_>) -> Vec<Known<'_>> {
    let mut found = Vec::new();
    let successors: Vec<Block<'_>> = branch.successors().collect();
    if let Some(compare) = branch.branch_condition().and_then(Value::as_inst)
        && compare.opcode() == LLVMICmp
        && let Some(number) = compare.operand(1).const_u64()
    {
        let behind = match compare.int_predicate() {
            IntPredicate::LLVMIntEQ => successors.first(),
            IntPredicate::LLVMIntNE => successors.get(1),
            _ => None,
        };
        found.extend(behind.map(|&behind| Known { value: compare.operand(0), number, behind }));
    } else if branch.opcode() == LLVMSwitch {
        let case = |(index, &behind)| {
            let number = branch.switch_case(index)?.const_u64()?;
            Some(Known { value: branch.operand(0), number, behind })
        };
        found.extend((1..).zip(&successors[1..]).filter_map(case));
    }
    // edges lead there from elsewhere, too
    found.retain(|known| {
        let is_integer = known.value.ty().int_bits().is_some_and(|bits| (2..=64).contains(&bits));
        is_integer && known.value.const_u64().is_none() && known.behind.as_value().users().count() == 1
    });
    found
}

/// The blocks that are only reached through a block.
fn region<'m>(function: Function<'m>, head: Block<'m>) -> HashSet<Block<'m>> {
    let (mut elsewhere, mut stack) = (HashSet::new(), Vec::from_iter(function.blocks().next()));
    while let Some(block) = stack.pop() {
        if block != head && elsewhere.insert(block) {
            stack.extend(block.successors());
        }
    }
    function.blocks().filter(|block| !elsewhere.contains(block)).collect()
}
