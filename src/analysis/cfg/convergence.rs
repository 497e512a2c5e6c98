//! Which blocks does a warp execute whole?
//!
//! **Definition.** A block is *warp-convergent* when for each of its dynamic instances either all lanes of the warp
//! execute it or none does, not counting lanes that have left through a *guard*: they have exited, or run to an exit and
//! wait for nobody on the way. A full-mask vote, shuffle or `bar.warp.sync` may stand in a warp-convergent block.
//!
//! **Influence.** Lanes that part at *B* are together again in the first instance that all walks from *B* pass. Until
//! then a block is executed by some of them only. The sweep of [`sweep`](crate::cfg::sweep) finds that instance: it is
//! the only pending block, and no walk has ended before it. When a walk has ended, there is none, and all that is
//! reachable from *B* is influenced. When some lanes leave a cycle while others go round again, all blocks of the cycle
//! are influenced. (The immediate post-dominator does not tell: in `do { if (d) continue; x; } while (u)` with the
//! `continue` leading back to the top, *x* post-dominates the branch, but in another iteration.)
//!
//! **Guards.** Nearly every kernel starts with `if (i >= n) return;`. Of a divergent branch *B* the edge to successor *s*
//! is *dropped*, that is, lanes that take it are not counted any more, when
//! - *s* is a bare return: a block that does nothing but return; or
//! - *B* is in no cycle, *s* is reached from *B* only, and all that *s* leads to is *quiet*: without cycle, without
//!   synchronisation, ending in returns, and (bare returns excepted) reached through *s* only; while another successor
//!   of *B* is not quiet, so that it is clear which side is the guard.
//!
//! and another successor is kept. The blocks of dropped sides are not convergent. A returned lane must not be held up
//! either by the hardware waiting to reconverge with lanes that go on: that is why a side which shares blocks with
//! the rest is no guard, but for bare returns, where there is nothing to reconverge for.
//!
//! **Phases.** 1. quiet blocks, against the order; 2. dropped edges; 3. for each divergent branch in order, mark what it
//! influences over the remaining edges; 4. the rest of the reachable blocks is convergent.
//!
//! **Why that is sound.** Let *x* be unmarked, and let lane *a* execute an instance of it that lane *b* does not. Take the
//! last instance both executed: there they part at a divergent branch *B*. *a* takes no dropped edge before *x*, else *x*
//! were on a dropped side. If *b* takes a kept edge of *B*, its walk up to a dropped edge is one over the kept ones, all
//! of which pass *x*, since *x* is not influenced by *B*; so *b* is dropped before it comes to *x*. Unmarked instances lie
//! on all kept walks, in the same order, so no two lanes wait for each other in different ones. Dropping edges into
//! blocks outside cycles leaves the cycles as they are. A branch that is itself marked by an influence needs
//! no sweep: the instance that ended the marking one lies on its walks too, so they part and meet again inside what is
//! marked already. This makes the whole near-linear.
//!
//! **Conservative**: when lanes may have entered the function apart, nothing is convergent. Two quiet sides are not
//! guards of each other. Lanes that run for ever in a cycle that has exits are not considered.
//!
//! **Cost**: linear for phases 1, 2 and 4; phase 3 is the sum of the outermost influence regions.
//!
//! Influence regions: Coutinho, Sampaio, Pereira, Meira, PACT 2011, section 3. Changed: bounded by dynamic instances
//! instead of the immediate post-dominator; guards.

use crate::cfg::cycles::Cycles;
use crate::cfg::sweep::{Goal, Pending, Sweep};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// What convergence needs to know of the instructions of a block.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BlockTraits {
    /// Holds anything that may wait for, or vote with, other lanes: barriers, votes, shuffles, atomics, volatile
    /// accesses, unknown calls.
    pub has_sync: bool,
    /// Ends the lane by returning from a kernel. (A lane that returns from a device function has not exited.)
    pub is_return: bool,
    /// Holds nothing but that return.
    pub is_bare: bool,
}

/// Which blocks a warp executes whole.
#[derive(Clone, Debug)]
pub struct Convergence {
    convergent: FixedBitSet,
}

impl Convergence {
    /// Finds the convergent blocks when the lanes of a warp part at the blocks `divergent` and nowhere else.
    /// `entry_convergent` says whether they come to the entry together: they do in kernels.
    pub fn compute(
        graph: &Graph,
        cycles: &Cycles,
        divergent: &FixedBitSet,
        entry_convergent: bool,
        traits_of: impl Fn(Block) -> BlockTraits,
    ) -> Convergence {
        let mut convergent = FixedBitSet::with_capacity(graph.block_count());
        if !entry_convergent {
            return Convergence { convergent };
        }
        convergent.extend(cycles.order().iter().map(|b| b.index()));
        let mut branches =
            cycles.order().iter().copied().filter(|&b| divergent.contains(b.index()) && graph.is_branch(b));
        let Some(first) = branches.next() else { return Convergence { convergent } };
        let branches: Vec<Block> = std::iter::once(first).chain(branches).collect();

        let guards = Guards::find(graph, cycles, &branches, traits_of);
        let mut influenced = FixedBitSet::with_capacity(graph.block_count());
        let mut sweep = Sweep::new(graph.block_count());
        for &branch in &branches {
            influence(graph, cycles, &mut sweep, branch, &guards, &mut influenced);
        }
        convergent.difference_with(&influenced);
        convergent.difference_with(&guards.sides);
        Convergence { convergent }
    }

    /// Whether a warp executes each instance of `block` whole or not at all.
    pub fn is_convergent(&self, block: Block) -> bool {
        self.convergent.contains(block.index())
    }

    /// The convergent blocks, by index.
    pub fn blocks(&self) -> &FixedBitSet {
        &self.convergent
    }
}

/// Marks the blocks whose execution a branch decides: some lanes that part there execute an instance, others do not.
pub struct Influence<'a> {
    graph: &'a Graph,
    cycles: &'a Cycles,
    sweep: Sweep,
    no_guards: Guards,
}

impl<'a> Influence<'a> {
    /// Nothing is computed yet.
    pub fn new(graph: &'a Graph, cycles: &'a Cycles) -> Influence<'a> {
        Influence { graph, cycles, sweep: Sweep::new(graph.block_count()), no_guards: Guards::default() }
    }

    /// Adds what `branch` influences to `marked`, which holds nothing but earlier results of this function: what a
    /// marked branch influences is marked already, and costs nothing.
    pub fn mark(&mut self, branch: Block, marked: &mut FixedBitSet) {
        if self.cycles.is_reachable(branch) && self.graph.is_branch(branch) {
            influence(self.graph, self.cycles, &mut self.sweep, branch, &self.no_guards, marked);
        }
    }
}

fn influence(g: &Graph, c: &Cycles, sweep: &mut Sweep, branch: Block, guards: &Guards, marked: &mut FixedBitSet) {
    if !marked.contains(branch.index()) {
        sweep.run(g, c, branch, &mut Region { guards, marked });
    }
}

/// The goal of a sweep for influence: one instance that all walks pass.
struct Region<'a> {
    guards: &'a Guards,
    marked: &'a mut FixedBitSet,
}

impl Goal for Region<'_> {
    #[inline]
    fn is_done(&self, pending: &Pending) -> bool {
        pending.blocks == 0 || (pending.blocks == 1 && !pending.has_lost)
    }
    #[inline]
    fn admits(&self, from: Block, to: Block) -> bool {
        !self.guards.drops(from, to)
    }
    #[inline]
    fn passes(&mut self, blocks: &[Block]) {
        self.marked.extend(blocks.iter().map(|b| b.index()));
    }
}

/// Dropped edges. An edge is dropped when its source has one and its target starts a dropped side: a branch drops all
/// its edges to bare returns, or (then or otherwise) all its edges to private quiet sides, which have no other source.
#[derive(Default)]
struct Guards {
    /// Branches that drop some edge.
    branches: FixedBitSet,
    /// First blocks of dropped sides.
    starts: FixedBitSet,
    /// All blocks of dropped sides.
    sides: FixedBitSet,
}

impl Guards {
    #[inline]
    fn drops(&self, from: Block, to: Block) -> bool {
        self.branches.contains(from.index()) && self.starts.contains(to.index())
    }

    fn find(graph: &Graph, cycles: &Cycles, branches: &[Block], traits_of: impl Fn(Block) -> BlockTraits) -> Guards {
        let count = graph.block_count();
        let empty = || FixedBitSet::with_capacity(count);
        let mut guards = Guards { branches: empty(), starts: empty(), sides: empty() };
        let (mut quiet, mut bare) = (empty(), empty());
        for &block in cycles.order().iter().rev() {
            let succs = graph.succs(block);
            if cycles.cycle_of(block).is_some() || !succs.iter().all(|s| quiet.contains(s.index())) {
                continue;
            }
            let traits = traits_of(block);
            let is_end = succs.is_empty() && traits.is_return;
            let is_quiet = !traits.has_sync && (is_end || !succs.is_empty());
            quiet.set(block.index(), is_quiet);
            bare.set(block.index(), is_quiet && is_end && traits.is_bare);
        }
        let (mut waiting, mut tried) = (vec![0u32; count], empty());
        for &branch in branches {
            let succs = graph.succs(branch);
            if !succs.iter().any(|s| quiet.contains(s.index())) {
                continue;
            }
            // What is kept whatever happens: a side that is not quiet, or else one that is more than a return.
            let has_work = succs.iter().any(|s| !quiet.contains(s.index()));
            if !has_work && succs.iter().all(|s| bare.contains(s.index())) {
                continue;
            }
            for &side in succs {
                if bare.contains(side.index()) {
                    guards.sides.insert(side.index());
                } else if has_work && quiet.contains(side.index()) && cycles.cycle_of(branch).is_none() {
                    // A private side has one source, so a second try is the same edge again.
                    if tried.put(side.index())
                        || !is_private(graph, cycles, branch, side, &bare, &mut waiting, &mut guards.sides)
                    {
                        continue;
                    }
                } else {
                    continue;
                }
                guards.starts.insert(side.index());
                guards.branches.insert(branch.index());
            }
        }
        guards
    }
}

/// Whether all that `side`, quiet, leads to is reached through the edge `branch` → `side` only, bare returns excepted;
/// then adds it to `sides`. A block is looked at once all its predecessors have been, so the blocks looked at belong to
/// no other side, and all calls together are linear. `waiting` is zero before and after.
fn is_private(
    graph: &Graph,
    cycles: &Cycles,
    branch: Block,
    side: Block,
    bare: &FixedBitSet,
    waiting: &mut [u32],
    sides: &mut FixedBitSet,
) -> bool {
    if graph.preds(side).iter().any(|&p| p != branch && cycles.is_reachable(p)) {
        return false;
    }
    let (mut seen, mut started, mut bares) = (vec![side], 0, Vec::new());
    let mut next = 0;
    while let Some(&block) = seen.get(next) {
        next += 1;
        for &succ in graph.succs(block) {
            if bare.contains(succ.index()) {
                bares.push(succ);
                continue;
            }
            let left = &mut waiting[succ.index()];
            if *left == 0 {
                started += 1;
                *left = graph.preds(succ).iter().filter(|&&p| cycles.is_reachable(p)).count() as u32;
            }
            *left -= 1;
            if *left == 0 {
                started -= 1;
                seen.push(succ);
            }
        }
    }
    if started == 0 {
        sides.extend(seen.iter().chain(&bares).map(|b| b.index()));
        return true;
    }
    for &block in &seen {
        for &succ in graph.succs(block) {
            waiting[succ.index()] = 0;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::order::Order;
    use crate::cfg::testing::{Instance, Unrolled, block, drawn, graph, random_graph, random_graphs, walk};
    use warpwise_oracle::fuzz::rng::Rng;

    /// A graph, its divergent branches, the blocks that synchronise (`s`), return (`r`) or only return (`b`), and the
    /// convergent blocks.
    #[rustfmt::skip]
    const CASES: &[(&str, &str, &str, &str, &str)] = &[
        ("both sides of a diamond", "01 02 13 23", "", "", "0123"),
        ("or neither", "01 02 13 23", "0", "3r", "03"),
        ("synchronising or not", "01 02 13 23", "0", "1s 3r", "03"),
        ("0 guards; the body 1 and the guard share the return 2", "01 02 12", "0", "2b", "01"),
        ("the same with a barrier", "01 02 12", "0", "1s 2b", "01"),
        ("more is done there than to return: lanes may be held up to reconverge", "01 02 12", "0", "2r", "02"),
        ("lanes die there otherwise", "01 02 12", "0", "", "02"),
        ("1 stores and returns on its own; 2 synchronises", "01 02 13 24", "0", "2s 3r 4r", "024"),
        ("a barrier on the way: no guard", "01 02 13 24", "0", "1s 2s 3r 4r", "0"),
        ("two quiet sides: neither is the guard", "01 02 13 24", "0", "3r 4r", "0"),
        ("two bare sides", "01 02", "0", "1b 2b", "0"),
        ("the work is shared with the other side: they meet again in 1", "01 02 13 21", "0", "2s 3b", "013"),
        ("0 and 1 guard, 2 is the body", "01 03 12 13 23", "01", "3b", "012"),
        ("a return inside a loop is a guard", "01 12 14 23 25 31", "2", "4s 5b", "01234"),
        ("work to do there first: lanes of later iterations come as well", "01 12 14 23 25 31", "2", "4s 5r", "0"),
        ("a loop left apart converges behind", "01 12 13 21", "1", "3r", "03"),
        ("the grid-stride loop: lanes that have left only return", "01 12 13 21", "1", "3b", "012"),
        ("infinite: 2 continues or goes through 3", "01 12 21 23 31", "2", "", "012"),
        ("3 decides on leaving: it post-dominates 2, but not in the same iteration", "01 12 21 23 31 34", "2", "4r", "04"),
    ];

    #[test]
    fn small_graphs() {
        for &(what, edges, divergent, traits, expected) in CASES {
            let g = drawn(edges);
            let cycles = Cycles::new(&g, &Order::new(&g));
            let mut set = FixedBitSet::with_capacity(g.block_count());
            set.extend(g.blocks().map(|b| b.index()).filter(|b| divergent.contains(&b.to_string())));
            let of = |b: Block| {
                let is = |letter| traits.contains(&format!("{}{letter}", b.index()));
                BlockTraits { has_sync: is('s'), is_return: is('r') || is('b'), is_bare: is('b') }
            };
            let found = Convergence::compute(&g, &cycles, &set, true, of);
            let found: String = found.blocks().ones().map(|b| b.to_string()).collect();
            assert_eq!(found, expected, "{what}");
        }
    }

    #[test]
    fn unknown_callers_and_unreachable_blocks() {
        let g = graph(2, &[]);
        let cycles = Cycles::new(&g, &Order::new(&g));
        let none = FixedBitSet::with_capacity(2);
        let of = |_: Block| BlockTraits { has_sync: false, is_return: true, is_bare: true };
        assert_eq!(Convergence::compute(&g, &cycles, &none, false, of).blocks().count_ones(..), 0);
        let c = Convergence::compute(&g, &cycles, &none, true, of);
        assert!(c.is_convergent(block(0)) && !c.is_convergent(block(1)));
    }

    #[test]
    fn influence_on_random_graphs() {
        let mut exact = 0;
        for g in random_graphs(6000, 8) {
            let cycles = Cycles::new(&g, &Order::new(&g));
            let mut influence = Influence::new(&g, &cycles);
            for b in g.blocks().filter(|&b| cycles.is_reachable(b) && g.is_branch(b)) {
                let u = Unrolled::new(&g, &cycles, b);
                let endless = |c| cycles.exit_edges(&g, c).next().is_none();
                // Walks end in blocks without successors and in cycles without exits.
                let ends: Vec<usize> = (1..u.nodes.len())
                    .filter(|&n| {
                        let (at, counts) = &u.nodes[n];
                        g.succs(*at).is_empty()
                            || cycles.outermost_of(*at).is_some_and(|c| {
                                endless(c) && (!cycles.contains(c, b) || (cycles.header(c) == *at && counts[0] == 3))
                            })
                    })
                    .collect();
                let shared = |n: usize| n != 0 && !ends.iter().any(|&e| u.without[n].contains(e));
                let shared: Vec<bool> = (0..u.nodes.len()).map(shared).collect();
                let expected: std::collections::BTreeSet<usize> =
                    u.reach(|n| shared[n]).ones().skip(1).map(|n| u.nodes[n].0.index()).collect();
                let mut found = FixedBitSet::with_capacity(g.block_count());
                influence.mark(b, &mut found);
                assert!(expected.iter().all(|&x| found.contains(x)), "{b} {g:?} {expected:?} {found:?}");
                if cycles.iter().all(|c| cycles.is_reducible(c)) {
                    exact += 1;
                    assert!(found.ones().all(|x| expected.contains(&x)), "{b} {g:?} {expected:?} {found:?}");
                }
            }
        }
        assert!(exact > 3000, "{exact}");
    }

    #[test]
    fn two_lanes_on_random_graphs() {
        // Lanes meet convergent instances in the same order; who meets fewer has returned, and waited for nobody since.
        let mut random = Rng::new(3, 0);
        let (mut parted, mut guarded) = (0, 0);
        for _ in 0..40_000 {
            let g = random_graph(&mut random, 10);
            let cycles = Cycles::new(&g, &Order::new(&g));
            let mut divergent = FixedBitSet::with_capacity(g.block_count());
            divergent.extend(g.blocks().filter(|_| random.below(3) == 0).map(|b| b.index()));
            let traits: Vec<BlockTraits> = g
                .blocks()
                .map(|b| BlockTraits {
                    has_sync: random.below(6) == 0,
                    is_return: g.succs(b).is_empty() && random.below(4) > 0,
                    is_bare: random.below(2) == 0,
                })
                .collect();
            let c = Convergence::compute(&g, &cycles, &divergent, true, |b| traits[b.index()]);
            let seed = random.bits();
            const LIMIT: usize = 60;
            let lanes = [0, 1].map(|_| walk(&g, &cycles, &divergent, seed, &mut random, LIMIT));
            let shared = |lane: &Vec<Instance>| -> Vec<Instance> {
                lane.iter().filter(|i| c.is_convergent(i.0)).cloned().collect()
            };
            let met = [0, 1].map(|i| shared(&lanes[i]));
            let common = met[0].len().min(met[1].len());
            assert_eq!(met[0][..common], met[1][..common], "{divergent:?} {g:?}");
            parted += usize::from(lanes[0] != lanes[1]);
            let fewer = usize::from(met[0].len() > met[1].len());
            if met[0].len() != met[1].len() && lanes[fewer].len() < LIMIT {
                guarded += 1;
                let end = lanes[fewer][lanes[fewer].len() - 1].0;
                assert!(traits[end.index()].is_return && !traits[end.index()].has_sync, "{divergent:?} {g:?}");
            }
        }
        assert!(parted > 5000 && guarded > 200, "{parted} {guarded}");
    }
}
