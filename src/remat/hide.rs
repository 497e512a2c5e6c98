//! How is a rematerialised value kept from being hoisted out of the loop again?
//!
//! Some leaf of each chain goes through a phi at the header of the innermost cycle around the use; what depends on it
//! cannot be hoisted. As few leaves as possible are hidden for all chains together.

use super::candidates::{MAX_CHAIN, RematValue};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use warpwise_analysis::cfg::Cycle;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::types::TypeKind;

/// A few leaves.
pub type Leaves = SmallVec<[Value; 3]>;

/// Whether leaves can go through a phi at the header of a cycle.
pub fn can_hide(outline: &Outline, cycle: Cycle) -> bool {
    let cycles = &outline.cfg().cycles;
    let header = cycles.header(cycle);
    cycles.is_reducible(cycle)
        && outline.func.graph.preds(header).iter().all(|&from| {
            let terminator = outline.func.terminator(from);
            let once = outline.func.graph.succs(from).iter().filter(|&&to| to == header).count() == 1;
            once && matches!(outline.func.insts[terminator].opcode, Opcode::Br | Opcode::CondBr)
        })
}

/// The cycle at whose header the leaves of a copy in `block` are hidden: the innermost one, unless the value is defined
/// in it.
pub fn place(outline: &Outline, home: Block, block: Block) -> Option<Cycle> {
    let cycles = &outline.cfg().cycles;
    cycles.cycle_of(block).filter(|&cycle| !cycles.contains(cycle, home))
}

/// Leaves of which one must be hidden next, so that the first part of a chain that could still be hoisted cannot be.
/// The list is empty if no part can be hoisted; `None` if some part has no leaf that can be hidden. A chain ends with
/// the value itself.
pub fn still(
    outline: &Outline,
    pressure: &Pressure,
    chain: &[Inst],
    def: Inst,
    hidden: impl Fn(Value) -> bool,
) -> Option<Leaves> {
    debug_assert!(chain.len() <= MAX_CHAIN);
    let func = &outline.func;
    // by position in the chain
    let mut fixed = 0u32;
    let (mut next, mut is_found) = (Leaves::new(), false);
    for (at, &inst) in chain.iter().enumerate() {
        let (mut follows, mut ends, mut has_leaf) = (false, false, false);
        for &value in func.operands(inst) {
            let Some(operand) = func.def(value) else {
                follows |= hidden(value);
                continue;
            };
            match chain.iter().position(|&known| known == operand) {
                Some(place) => follows |= fixed >> place & 1 != 0 || hidden(value),
                None if hidden(value) => follows = true,
                None if pressure.units(value) > 0 => {
                    ends = true;
                    let kind = func.types[func.insts[operand].ty].kind;
                    if matches!(kind, TypeKind::Int(8 | 16 | 32 | 64) | TypeKind::Float(32 | 64)) {
                        has_leaf = true;
                        next.extend((!is_found).then_some(value));
                    }
                }
                None => {}
            }
        }
        if follows {
            fixed |= 1 << at;
            next.truncate(if is_found { next.len() } else { 0 });
        } else if has_leaf {
            // assume that it is hidden, to check that all parts can be
            fixed |= 1 << at;
            is_found = true;
        } else if inst == def || ends {
            // what depends on free values alone may be anywhere, unless it is the whole chain
            return None;
        }
    }
    Some(next)
}

/// Which leaves go through a phi, and where: as few as possible such that no part of any chain can be hoisted.
pub fn hide(outline: &Outline, pressure: &Pressure, values: &[RematValue]) -> BTreeSet<(Block, Value)> {
    let mut chosen: FxHashSet<Value> = FxHashSet::default();
    let next = |remat: &RematValue, chosen: &FxHashSet<Value>| {
        still(outline, pressure, &remat.chain, remat.def, |value| chosen.contains(&value)).unwrap_or_default()
    };
    // for each value, leaves of which one must be hidden next
    let mut wanted: Vec<Leaves> = values.iter().map(|remat| next(remat, &chosen)).collect();
    let mut votes: FxHashMap<Value, usize> = FxHashMap::default();
    for &leaf in wanted.iter().flatten() {
        *votes.entry(leaf).or_default() += 1;
    }
    loop {
        let most = votes.iter().max_by_key(|&(&leaf, &votes)| (votes, std::cmp::Reverse(leaf)));
        let Some((&leaf, _)) = most.filter(|most| *most.1 > 0) else { break };
        chosen.insert(leaf);
        // this changes nothing for the others
        let uses = |remat: &RematValue| remat.chain.iter().any(|&inst| outline.func.operands(inst).contains(&leaf));
        for (remat, wanted) in values.iter().zip(&mut wanted).filter(|(remat, _)| uses(remat)) {
            for leaf in wanted.drain(..) {
                *votes.entry(leaf).or_default() -= 1;
            }
            *wanted = next(remat, &chosen);
            for &leaf in wanted.iter() {
                *votes.entry(leaf).or_default() += 1;
            }
        }
    }
    let mut hidden = BTreeSet::new();
    for remat in values {
        let home = outline.func.insts[remat.def].block;
        let operands = remat.chain.iter().flat_map(|&inst| outline.func.operands(inst));
        for &leaf in operands.filter(|operand| chosen.contains(operand)) {
            for cycle in remat.uses.iter().filter_map(|site| place(outline, home, site.block)) {
                hidden.insert((outline.cfg().cycles.header(cycle), leaf));
            }
        }
    }
    hidden
}
