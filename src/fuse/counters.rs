//! Does LLVM still know the trip counts of melded loops?
//!
//! LLVM unrolls a loop with constant bounds if it is short enough. Melding two such loops that start from different
//! constants makes one loop whose counter starts at a select: LLVM no longer knows how often it iterates, and the
//! benefit of unrolling is lost. The treatment of each pair of loops depends on their trip counts:
//!
//! | trip counts of the two loops | treatment |
//! |---|---|
//! | same start, bound and step, all constants | none: the melded counter is the same |
//! | equal | the melded loop gets a counter of its own, from 0 in steps of 1, that ends it |
//! | different, or known for one side only | refused if LLVM would have unrolled one of them |
//!
//! Cost: linear in the blocks of the loops, plus that of [`TripCount`].

use super::plan::PairPlan;
use super::region::Tail;
use crate::cfg::Cycle;
use crate::cost::frequency::Frequencies;
use crate::cost::trip_count::TripCount;
use crate::divergence::Outline;
use crate::entity::{Block, Inst};
use crate::ir::Func;
use crate::ir::inst::Opcode;
use smallvec::SmallVec;

/// Largest size to which LLVM unrolls a loop, in instructions (`-unroll-threshold` at -O3).
const UNROLLED: u64 = 300;

/// A new counter for a melded loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Indices of the pairs in which the loop begins, branches back and ends.
    pub header: usize,
    pub latch: usize,
    pub exit: usize,
    /// Number of the last iteration, counted from 0.
    pub last: u64,
    /// Whether the exit leaves the loop when its condition is true.
    pub leaves_when: bool,
}

/// Two loops of which LLVM would unroll at least one, but not the melded loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostTripCounts {
    /// Iterations of each side's loop, where known.
    pub trip_counts: [Option<u64>; 2],
    /// Instructions in one iteration of each side's loop.
    pub insts: [u32; 2],
}

/// A loop of one side.
struct Loop {
    cycle: Cycle,
    latch: Block,
}

/// The counters that melded loops get, or a loop that would lose its trip count.
pub fn counters(
    outline: &Outline,
    frequencies: &Frequencies<'_>,
    pairs: &[PairPlan],
) -> Result<SmallVec<[Counter; 2]>, LostTripCounts> {
    let func = &outline.func;
    let mut counters = SmallVec::new();
    for (header, pair) in pairs.iter().enumerate() {
        let [Some(t), Some(f)] = pair.sides.map(|side| natural_loop(outline, side)) else { continue };
        let loops = [&t, &f];
        let cycles = &outline.cfg().cycles;
        let sides = loops.map(|one| TripCount::of(func, cycles, frequencies, one.cycle, one.latch));
        let place = |block: Block, side: usize| pairs.iter().position(|pair| pair.sides[side] == block);
        match sides {
            [None, None] => {}
            [Some(a), Some(b)] if a.counts_like(&b) => {}
            [Some(a), Some(b)] if a.header == b.header => {
                let at = |side: usize| Some((place(loops[side].latch, side)?, place([a, b][side].exit, side)?));
                let (Some(first), Some(second)) = (at(0), at(1)) else { continue };
                let Tail::Joined { crossed, .. } = &pairs[first.1].tail else { continue };
                if first == second && a.leaves == b.leaves ^ usize::from(*crossed) {
                    let (latch, exit) = first;
                    counters.push(Counter { header, latch, exit, last: a.header - 1, leaves_when: a.leaves == 0 });
                }
            }
            _ => {
                let insts = loops.map(|one| size(func, outline.cfg().cycles.blocks(one.cycle)));
                let is_unrolled = |side: usize| {
                    sides[side].is_some_and(|count| count.whole.saturating_mul(u64::from(insts[side])) <= UNROLLED)
                };
                if is_unrolled(0) || is_unrolled(1) {
                    return Err(LostTripCounts { trip_counts: sides.map(|side| side.map(|count| count.whole)), insts });
                }
            }
        }
    }
    Ok(counters)
}

/// Instructions of one iteration, without those that LLVM considers free in unrolled code: addresses and widened
/// indices, which become constants, and jumps.
fn size(func: &Func, blocks: &[Block]) -> u32 {
    let free = [Opcode::Phi, Opcode::Gep, Opcode::ZExt, Opcode::SExt, Opcode::Trunc, Opcode::Br];
    let counts = |&inst: &Inst| !free.contains(&func.insts[inst].opcode);
    blocks.iter().map(|&block| func.block_insts(block).filter(counts).count() as u32).sum()
}

/// The loop that has a block as its header, if there is one with a single latch.
fn natural_loop(outline: &Outline, header: Block) -> Option<Loop> {
    let func = &outline.func;
    let dominators = outline.dominators();
    let mut back = func.graph.preds(header).iter().copied().filter(|&from| dominators.dominates(header, from));
    let latch = back.next()?;
    if back.next().is_some() {
        return None;
    }
    let cycle = outline.cfg().cycles.cycle_of(header)?;
    let is_its = outline.cfg().cycles.header(cycle) == header && outline.cfg().cycles.is_reducible(cycle);
    is_its.then_some(Loop { cycle, latch })
}
