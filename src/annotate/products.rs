//! Which loads may not be marked invariant, because multiply-adds would change?
//!
//! LLVM takes two invariant loads of one address for one, and then whatever is computed from them alike. If that makes one
//! product of two, more sums use it, in other blocks perhaps, and the back end joins it with a sum of its own block at most,
//! and of two products with that of fewer uses ([`contraction`](warpwise_analysis::contraction)). If it makes one sum of two,
//! a product may have one use left. Loads that such a product or sum needs are left as they are.
//!
//! Two values are alike if their operations and operands are: value numbering without memory, once with the loads and
//! once without; phis are alike in one block, and what all ways bring alike is no phi. What an operation has besides
//! operands is not looked at, so more may seem alike than is.

use super::plan::InvariantLoad;
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_analysis::contraction::Joins;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};

/// Removes loads that would change multiply-adds.
pub fn keep_apart(facts: &Facts, handles: &Handles<'_>, invariants: &mut Vec<InvariantLoad>) {
    let func = &facts.func;
    let joins = Joins::new(facts, handles);
    let is_added = |&inst: &Inst| joins.is_product(inst) && joins.may_meet_sum(inst);
    let products = func.insts.keys().filter(is_added);
    let parts: FxHashSet<Inst> =
        products.flat_map(|product| joins.users(product).into_iter().chain([product])).collect();
    if invariants.len() < 2 {
        return;
    }
    let loads: FxHashSet<Inst> = invariants.iter().map(|invariant| invariant.load).collect();
    let [before, after] = [&FxHashSet::default(), &loads].map(|loads| Numbering::new(facts, loads));
    let mut classes: FxHashMap<u32, Vec<Inst>> = FxHashMap::default();
    for &part in &parts {
        classes.entry(after.of(func.result(part))).or_default().push(part);
    }
    let mut apart = FxHashSet::default();
    for class in classes.values() {
        let number = |inst: Inst| before.of(func.result(inst));
        if class.iter().any(|&part| number(part) != number(class[0])) {
            class.iter().for_each(|&part| collect_loads(facts, &loads, part, &mut apart));
        }
    }
    invariants.retain(|invariant| !apart.contains(&invariant.load));
}

/// The loads that a value is computed from.
fn collect_loads(facts: &Facts, loads: &FxHashSet<Inst>, part: Inst, found: &mut FxHashSet<Inst>) {
    let func = &facts.func;
    let (mut open, mut seen) = (vec![part], FxHashSet::default());
    while let Some(inst) = open.pop() {
        if loads.contains(&inst) {
            found.insert(inst);
        }
        for def in func.operands(inst).iter().filter_map(|&operand| func.def(operand)) {
            if seen.insert(def) {
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
        // in this order, operands come before what uses them, but for those that a loop brings
        for &block in facts.cfg().order.rpo() {
            for inst in func.block_insts(block) {
                let data = &func.insts[inst];
                let is_alike = match data.opcode {
                    Opcode::Phi => true,
                    Opcode::Load => loads.contains(&inst) || data.flags.contains(Flags::INVARIANT),
                    opcode => opcode.is_value_of_operands() || opcode == Opcode::Call,
                };
                let result = func.result(inst);
                let fresh = numbering.of(result);
                if is_alike {
                    let mut operands: Vec<u32> = func.operands(inst).iter().map(|&value| numbering.of(value)).collect();
                    let number = match data.opcode {
                        Opcode::Phi if operands.iter().all(|&operand| operand == operands[0]) => operands[0],
                        opcode => {
                            // phis choose by the way to their block
                            operands.extend((opcode == Opcode::Phi).then(|| block.as_u32()));
                            *known.entry((opcode, operands)).or_insert(fresh)
                        }
                    };
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
