//! Do melded loops still make a number of turns that LLVM knows?
//!
//! A loop of constant bounds is unrolled where that is short enough. Two such loops in the sides of a branch, from
//! different constants on, make one loop whose counter starts at a select: LLVM no longer knows how often it turns, and
//! what unrolling gave is lost. So, for each pair of loops:
//!
//! | turns of the two | |
//! |---|---|
//! | from, to, by the same constants | nothing to do: the melded counter is the same |
//! | the same number | the melded loop gets a counter of its own, from 0 by 1, that ends it |
//! | another number, or known for one side only | refused where LLVM would have unrolled one of them |
//!
//! Turns are counted by running the counter: a phi with a constant start and a constant step, compared with a constant in
//! the loop's one exit, which stands in its header or its latch and so is met once a turn.
//!
//! Cost: linear in the blocks of the loops, and at most [`MAX_TURNS`] steps for a loop.

use super::plan::PairPlan;
use super::region::Tail;
use crate::cfg::Cycle;
use crate::divergence::Facts;
use crate::entity::{Block, Inst, Value};
use crate::ir::Func;
use crate::ir::inst::{ConstData, Opcode, Predicate};
use smallvec::SmallVec;

/// Most turns that are counted; more are never unrolled whole.
const MAX_TURNS: u64 = 1024;

/// Most instructions that LLVM unrolls a loop to (`-unroll-threshold` at -O3).
const UNROLLED: u64 = 300;

/// A counter of a melded loop's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Pairs: where the loop begins, where it goes back, where it ends.
    pub header: usize,
    pub latch: usize,
    pub exit: usize,
    /// Number of the last turn, from 0.
    pub last: u64,
    /// Whether the exit leaves the loop when its condition is true.
    pub leaves_when: bool,
}

/// Two loops of which LLVM would unroll at least one, but not the melded one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostTurns {
    /// Turns of each side's, where known.
    pub turns: [Option<u64>; 2],
    /// Instructions of each side's, one turn.
    pub insts: [u32; 2],
}

/// How often one side's loop turns, and by which constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Turns {
    /// Times that the header is run.
    count: u64,
    /// Times that what stands behind the exit is run.
    whole: u64,
    exit: Block,
    /// Which successor of the exit leaves the loop.
    leaves: usize,
    start: u64,
    step: u64,
    bound: u64,
    predicate: Predicate,
}

/// A loop of one side.
struct Loop {
    cycle: Cycle,
    latch: Block,
}

/// Counters that the melded loops get, or a loop that would lose its.
pub fn counters(facts: &Facts, pairs: &[PairPlan]) -> Result<SmallVec<[Counter; 2]>, LostTurns> {
    let func = &facts.func;
    let mut counters = SmallVec::new();
    for (header, pair) in pairs.iter().enumerate() {
        let [Some(t), Some(f)] = pair.sides.map(|side| natural_loop(facts, side)) else { continue };
        let loops = [&t, &f];
        let sides = [0, 1].map(|side| turns(facts, pair.sides[side], loops[side]));
        let place = |block: Block, side: usize| pairs.iter().position(|pair| pair.sides[side] == block);
        match sides {
            [None, None] => {}
            [Some(a), Some(b)] if same_counter(&a, &b) => {}
            [Some(a), Some(b)] if a.count == b.count => {
                let at = |side: usize| Some((place(loops[side].latch, side)?, place([a, b][side].exit, side)?));
                let (Some(first), Some(second)) = (at(0), at(1)) else { continue };
                let Tail::Joined { crossed, .. } = &pairs[first.1].tail else { continue };
                if first == second && a.leaves == b.leaves ^ usize::from(*crossed) {
                    let (latch, exit) = first;
                    counters.push(Counter { header, latch, exit, last: a.count - 1, leaves_when: a.leaves == 0 });
                }
            }
            _ => {
                let insts = loops.map(|one| size(func, facts.cfg().cycles.blocks(one.cycle)));
                let is_unrolled = |side: usize| {
                    sides[side].is_some_and(|turns| turns.whole.saturating_mul(u64::from(insts[side])) <= UNROLLED)
                };
                if is_unrolled(0) || is_unrolled(1) {
                    return Err(LostTurns { turns: sides.map(|side| side.map(|turns| turns.whole)), insts });
                }
            }
        }
    }
    Ok(counters)
}

/// Whether the melded loop counts by the same constants as both.
fn same_counter(a: &Turns, b: &Turns) -> bool {
    (a.start, a.step, a.bound, a.predicate) == (b.start, b.step, b.bound, b.predicate)
}

/// Instructions of one turn, without those that LLVM takes to be free in unrolled code: addresses and widened indices,
/// which become constants, and jumps.
fn size(func: &Func, blocks: &[Block]) -> u32 {
    let free = [Opcode::Phi, Opcode::Gep, Opcode::ZExt, Opcode::SExt, Opcode::Trunc, Opcode::Br];
    let counts = |&inst: &Inst| !free.contains(&func.insts[inst].opcode);
    blocks.iter().map(|&block| func.block_insts(block).filter(counts).count() as u32).sum()
}

/// The loop that a block is the header of, if there is one with one way back.
fn natural_loop(facts: &Facts, header: Block) -> Option<Loop> {
    let func = &facts.func;
    let dominators = facts.dominators();
    let mut back = func.graph.preds(header).iter().copied().filter(|&from| dominators.dominates(header, from));
    let latch = back.next()?;
    if back.next().is_some() {
        return None;
    }
    let cycle = facts.cfg().cycles.cycle_of(header)?;
    let is_its = facts.cfg().cycles.header(cycle) == header && facts.cfg().cycles.is_reducible(cycle);
    is_its.then_some(Loop { cycle, latch })
}

/// Counts the turns of a loop with one exit.
fn turns(facts: &Facts, header: Block, of: &Loop) -> Option<Turns> {
    let func = &facts.func;
    let cycles = &facts.cfg().cycles;
    let mut exits = cycles.exit_edges(&func.graph, of.cycle);
    let (exit, target) = exits.next()?;
    if exits.next().is_some() || (exit != header && exit != of.latch) {
        return None;
    }
    let leaves = func.graph.succs(exit).iter().position(|&to| to == target)?;
    let end = func.terminator(exit);
    if func.insts[end].opcode != Opcode::CondBr {
        return None;
    }
    let test = func.def(func.condition(end)?)?;
    let predicate = match func.insts[test].opcode {
        Opcode::ICmp => Predicate::from_sub(func.insts[test].sub)?,
        _ => return None,
    };
    let &[a, b] = func.operands(test) else { return None };
    let (counter, bound, predicate) = match (number(func, a), number(func, b)) {
        (None, Some(bound)) => (a, bound, predicate),
        (Some(bound), None) => (b, bound, predicate.swapped()),
        _ => return None,
    };
    let bits = func.int_bits(counter).filter(|&bits| bits <= 64)?;
    let def = func.def(counter)?;
    // the counter itself, or what it will be in the next turn
    let (phi, is_next) = match func.insts[def].opcode {
        Opcode::Phi => (def, false),
        Opcode::Add => (func.def(func.operands(def)[0])?, true),
        _ => return None,
    };
    if func.insts[phi].opcode != Opcode::Phi || func.insts[phi].block != header {
        return None;
    }
    let (mut start, mut next) = (None, None);
    for (&value, &from) in func.operands(phi).iter().zip(func.incoming(phi)) {
        if from == of.latch {
            next = func.def(value);
        } else {
            let value = number(func, value)?;
            if start.is_some_and(|known| known != value) {
                return None;
            }
            start = Some(value);
        }
    }
    let (start, next) = (start?, next?);
    if func.insts[next].opcode != Opcode::Add || func.operands(next)[0] != func.result(phi) || (is_next && next != def)
    {
        return None;
    }
    let step = number(func, func.operands(next)[1])?;
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let mut now = start;
    for count in 1..=MAX_TURNS {
        let tested = if is_next { now.wrapping_add(step) & mask } else { now };
        if holds(predicate, tested, bound, bits) == (leaves == 0) {
            let whole = if exit == of.latch { count } else { count - 1 };
            return Some(Turns { count, whole, exit, leaves, start, step, bound, predicate });
        }
        now = now.wrapping_add(step) & mask;
    }
    None
}

fn number(func: &Func, value: Value) -> Option<u64> {
    match func.constant(value) {
        Some(ConstData::Int(number)) => Some(number),
        _ => None,
    }
}

fn holds(predicate: Predicate, a: u64, b: u64, bits: u32) -> bool {
    let signed = |number: u64| ((number << (64 - bits)) as i64) >> (64 - bits);
    let (x, y) = (signed(a), signed(b));
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => x > y,
        Predicate::Sge => x >= y,
        Predicate::Slt => x < y,
        Predicate::Sle => x <= y,
    }
}
