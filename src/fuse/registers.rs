//! How many registers can a function need at most, at a glance?
//!
//! Each value is taken to be live in one stretch of the linear order of blocks, from its definition to its last use, or to
//! the end of the outermost loop around a use that is not around the definition. Real liveness is a part of that. The
//! most that overlaps, and what melding may add, is a bound for every block.
//!
//! Cost: linear in operands, times the nesting of loops.

use crate::cfg::Cfg;
use crate::divergence::Facts;
use crate::kernel::entity::{Block, Inst};
use crate::kernel::inst::Opcode;
use crate::spill::pressure::{LOCAL_CAP, type_units};

/// Units that the largest stretch of a function and its blocks' own values need together, melded or not.
pub fn at_most(facts: &Facts) -> u32 {
    let kernel = &facts.kernel;
    let Cfg { cycles, .. } = facts.cfg();
    let count = kernel.blocks.len();
    let mut change = vec![0i64; count + 2];
    let mut largest = 0;
    for inst in kernel.insts.keys() {
        let value = kernel.result(inst);
        let info = kernel.type_info(value);
        let units = type_units(info.kind, info.store_size);
        let home = kernel.insts[inst].block;
        if units == 0 || !cycles.is_reachable(home) {
            continue;
        }
        let from = cycles.position(home);
        let mut to = from;
        let mut reaches = |place: Block| {
            if !cycles.is_reachable(place) {
                return;
            }
            to = to.max(cycles.position(place));
            let around = cycles.cycle_of(place).into_iter().flat_map(|cycle| cycles.ancestors(cycle));
            for cycle in around.filter(|&cycle| !cycles.contains(cycle, home)) {
                to = to.max(cycles.range(cycle).end.saturating_sub(1));
            }
        };
        for &user in facts.users(value) {
            match kernel.insts[user].opcode {
                Opcode::Phi => edges(facts, user, inst).for_each(&mut reaches),
                _ => reaches(kernel.insts[user].block),
            }
        }
        largest = largest.max(units);
        if to > from {
            change[from as usize] += i64::from(units);
            change[to as usize + 1] -= i64::from(units);
        }
    }
    let mut now = 0;
    let mut most = 0;
    for step in change {
        now += step;
        most = most.max(now);
    }
    // a block has values of its own; one more of the widest is in the hands of the instruction
    most as u32 + LOCAL_CAP + largest
}

/// The ends of blocks at which a phi takes a value.
fn edges(facts: &Facts, phi: Inst, of: Inst) -> impl Iterator<Item = Block> + '_ {
    let kernel = &facts.kernel;
    let value = kernel.result(of);
    let edges = kernel.operands(phi).iter().zip(kernel.incoming(phi));
    edges.filter(move |edge| *edge.0 == value).map(|edge| *edge.1)
}
