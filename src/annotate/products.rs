//! Which loads may not be marked invariant, because multiply-adds would change?
//!
//! LLVM takes two invariant loads of one address for one, and then whatever is computed from them alike. If that makes one
//! product of two in different blocks, sums of several blocks use it, and the back end joins it with a sum of its own block
//! at most ([`contraction`](crate::contraction)). Loads that such a product needs are left as they are.
//!
//! Two values are alike if their operations and operands are: value numbering without phis and memory, once with the loads
//! and once without. What an operation has besides operands is not looked at, so more may seem alike than is.

use super::plan::InvariantLoad;
use crate::contraction::Joins;
use crate::divergence::Facts;
use crate::entity::{Inst, Value};
use crate::ir::handles::Handles;
use crate::ir::inst::{Flags, Opcode};
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes loads that would change multiply-adds.
pub fn keep_apart(facts: &Facts, handles: &Handles<'_>, invariants: &mut Vec<InvariantLoad>) {
    let func = &facts.func;
    let joins = Joins { outline: facts, handles };
    let is_added = |&inst: &Inst| joins.is_product(inst) && joins.may_meet_sum(inst);
    let products: Vec<Inst> = func.insts.keys().filter(is_added).collect();
    if products.len() < 2 || invariants.len() < 2 {
        return;
    }
    let loads: FxHashSet<Inst> = invariants.iter().map(|invariant| invariant.load).collect();
    let [before, after] = [&FxHashSet::default(), &loads].map(|loads| Numbering::new(facts, loads));
    let mut classes: FxHashMap<u32, Vec<Inst>> = FxHashMap::default();
    for &product in &products {
        classes.entry(after.of(func.result(product))).or_default().push(product);
    }
    let mut apart = FxHashSet::default();
    for class in classes.values() {
        let place = |inst: Inst| (before.of(func.result(inst)), func.insts[inst].block);
        let (number, home) = place(class[0]);
        let differs = |(other, block)| other != number && block != home;
        if class.iter().any(|&product| differs(place(product))) {
            class.iter().for_each(|&product| collect_loads(facts, &loads, product, &mut apart));
        }
    }
    invariants.retain(|invariant| !apart.contains(&invariant.load));
}

/// The loads that a value is computed from.
fn collect_loads(facts: &Facts, loads: &FxHashSet<Inst>, product: Inst, found: &mut FxHashSet<Inst>) {
    let func = &facts.func;
    let (mut open, mut seen) = (vec![product], FxHashSet::default());
    while let Some(inst) = open.pop() {
        if loads.contains(&inst) {
            found.insert(inst);
        }
        for def in func.operands(inst).iter().filter_map(|&operand| func.def(operand)) {
            if func.insts[def].opcode != Opcode::Phi && seen.insert(def) {
                open.push(def);
            }
        }
    }
}

/// Numbers that are the same for values that are alike.
struct Numbering(FxHashMap<Value, u32>);

impl Numbering {
    fn new(facts: &Facts, loads: &FxHashSet<Inst>) -> Numbering {
        let func = &facts.func;
        let mut numbering = Numbering(FxHashMap::default());
        let mut known: FxHashMap<(Opcode, Vec<u32>), u32> = FxHashMap::default();
        // in this order, what dominates an instruction comes before it
        for &block in facts.cfg().order.preorder() {
            for inst in func.block_insts(block) {
                let data = &func.insts[inst];
                let is_alike = match data.opcode {
                    Opcode::Phi => false,
                    Opcode::Load => loads.contains(&inst) || data.flags.contains(Flags::INVARIANT),
                    opcode => opcode.is_value_of_operands() || opcode == Opcode::Call,
                };
                let result = func.result(inst);
                let fresh = numbering.of(result);
                if is_alike {
                    let operands = func.operands(inst).iter().map(|&operand| numbering.of(operand)).collect();
                    let number = *known.entry((data.opcode, operands)).or_insert(fresh);
                    numbering.0.insert(result, number);
                }
            }
        }
        numbering
    }

    /// The number of a value, its own if nothing else is known to be alike.
    fn of(&self, value: Value) -> u32 {
        self.0.get(&value).copied().unwrap_or(value.as_u32())
    }
}
