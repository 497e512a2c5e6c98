//! When lanes part at a branch, which phis and which values used after a loop does that make divergent?
//!
//! **Definitions.** Words as in [`sweep`](crate::cfg::sweep): dynamic instance, walk. Two lanes that execute one instance
//! of branch *B* and take different successors make
//! - a **join** of every block that both can arrive at, in one and the same instance, from different predecessors, having
//!   shared no instance since *B*. Phis there select by the path taken;
//! - a **divergent exit** of every cycle that one of them can leave in an iteration in which the other, having shared no
//!   instance since *B*, goes on to the next. A value defined in the cycle (at any depth) and used outside it then
//!   differs: temporal divergence. The use of an operand of a phi is at the end of the incoming block;
//! - **irregular** every cycle without *B* which both can enter at different blocks. They may then run through it out of
//!   step, so all phis of all its blocks count as joins. The cycle and all cycles inside it are divergent exits too.
//!
//! **Why that is enough.** Suppose two lanes come to one instance of a phi over different edges, or to a use outside a
//! cycle with different last instances of the definition. Take the last instance both have executed before (in
//! the second case: before either left the cycle). They part there, so it is of a branch that lanes of a warp take
//! differently, and they are disjoint from there on, which is what this module reports for that branch. (In the second
//! case, if that instance is before the cycle, they entered it at different blocks: irregular.) Which way lanes go at
//! other branches is left open, so nothing is assumed of those. What holds for every branch in a set holds for
//! the set: results of several divergent branches are simply united.
//!
//! **Input**: [`Cycles`] of the same graph. Unreachable blocks, and blocks with one distinct successor, split nothing.
//!
//! **Conservative**: inside irregular cycles and at their exits. And by a cap: when all sweeps together have followed
//! more than [`STEPS_PER_BLOCK`] edges a block (thousands of divergent early exits from one enormous loop), further
//! branches get [`Split::is_everything`]: all merges, all cycles. Without irregular cycles and cap the answer is exact:
//! a join is reported if and only if some pair of walks makes it one.
//!
//! **Cost**: one sweep per branch asked about, cached; it ends where one label is left, for a diamond at its join. Guards
//! before a return that they share, whose sweeps would all go there, need none.
//!
//! Coutinho, Sampaio, Pereira, Meira: *Divergence Analysis and Optimizations*, PACT 2011, section 3 (the term
//! synchronisation dependence, there by influence regions and gates); Rosemann, Moll, Hack, POPL 2021, for joins of
//! disjoint paths and loops left apart. Changed: see [`sweep`](crate::cfg::sweep).

use crate::cfg::cycles::{Cycle, Cycles};
use crate::cfg::order::Order;
use crate::cfg::sweep::{Goal, Pending, Sweep};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// The cap on work: at 2 to 3 ns an edge this is under a microsecond a block for the whole function.
pub const STEPS_PER_BLOCK: u64 = 256;

/// Below this many steps the cap does not apply: small functions may be as bad as they like.
const FREE_STEPS: u64 = 1 << 20;

/// Maximum number of edges that are looked at to save a sweep.
const GLANCE: usize = 64;

/// What lanes that part at one branch do to phis and to values used outside cycles.
#[derive(Clone, Copy, Debug)]
pub struct Split<'a> {
    /// Blocks whose phis select by the path a lane took.
    pub joins: &'a [Block],
    /// Cycles that lanes may leave in different iterations.
    pub divergent_exits: &'a [Cycle],
    /// Cycles all of whose phis select by the path a lane took. They and their descendants are among
    /// `divergent_exits`.
    pub irregular: &'a [Cycle],
    /// The cap was hit: the same, largest answer as for every other such branch, so it need be applied only once.
    pub is_everything: bool,
}

/// The answer for a branch: start and end of its part of each list in [`Answers`]. By default that of one that splits
/// nothing.
#[derive(Clone, Copy, Default)]
struct Row {
    start: [u32; 3],
    end: [u32; 3],
    is_everything: bool,
}

/// The splits of a function, computed when asked for.
pub struct SyncDependence<'a> {
    graph: &'a Graph,
    order: &'a Order,
    cycles: &'a Cycles,
    /// Built when first needed.
    sweep: Option<Sweep>,
    /// Index into `rows` for each block; `u32::MAX` when not asked yet.
    row_of: Vec<u32>,
    rows: SmallVec<[Row; 8]>,
    answers: Answers,
    everything: Option<Row>,
    max_steps: u64,
}

/// All answers so far, one after the other.
#[derive(Default)]
struct Answers {
    joins: SmallVec<[Block; 16]>,
    exits: SmallVec<[Cycle; 8]>,
    irregular: SmallVec<[Cycle; 2]>,
}

impl<'a> SyncDependence<'a> {
    /// Nothing is computed yet.
    pub fn new(graph: &'a Graph, order: &'a Order, cycles: &'a Cycles) -> SyncDependence<'a> {
        let count = graph.block_count();
        SyncDependence {
            graph,
            order,
            cycles,
            sweep: None,
            row_of: vec![u32::MAX; count],
            rows: SmallVec::new(),
            answers: Answers::default(),
            everything: None,
            max_steps: FREE_STEPS.max(count as u64 * STEPS_PER_BLOCK),
        }
    }

    /// What happens when lanes part at `branch`. The same answer whenever asked.
    pub fn split(&mut self, branch: Block) -> Split<'_> {
        if self.row_of[branch.index()] == u32::MAX {
            self.row_of[branch.index()] = self.rows.len() as u32;
            let row = self.compute(branch);
            self.rows.push(row);
        }
        let row = self.rows[self.row_of[branch.index()] as usize];
        let range = |list: usize| row.start[list] as usize..row.end[list] as usize;
        Split {
            joins: &self.answers.joins[range(0)],
            divergent_exits: &self.answers.exits[range(1)],
            irregular: &self.answers.irregular[range(2)],
            is_everything: row.is_everything,
        }
    }

    fn compute(&mut self, branch: Block) -> Row {
        if !self.graph.is_branch(branch) || !self.cycles.is_reachable(branch) {
            return Row::default();
        }
        if let Some(join) = self.joins_at_end(branch) {
            let start = self.answers.lengths();
            self.answers.joins.extend(join);
            return self.answers.row_since(start);
        }
        let SyncDependence { graph, cycles, sweep, answers, .. } = self;
        let sweep = sweep.get_or_insert_with(|| Sweep::new(graph.block_count()));
        if sweep.steps() > self.max_steps {
            return self.everything();
        }
        let start = answers.lengths();
        sweep.run(graph, cycles, branch, &mut Joins { cycles, answers });
        answers.row_since(start)
    }

    /// The joins of a branch outside of cycles one of whose ways ends at once, in a block that others share: that block or
    /// none. Nothing if this takes more than a glance.
    fn joins_at_end(&self, branch: Block) -> Option<Option<Block>> {
        let SyncDependence { graph, order, cycles, .. } = self;
        let &[a, b] = graph.succs(branch) else { return None };
        let (end, other) = if graph.succs(a).is_empty() { (a, b) } else { (b, a) };
        if cycles.cycle_of(branch).is_some() || !graph.succs(end).is_empty() {
            return None;
        }
        let mut rest = graph.preds(end).iter().rev().take(GLANCE).filter(|&&pred| pred != branch).peekable();
        let is_alone = rest.peek().is_none();
        (is_alone || rest.any(|&pred| order.is_ancestor(other, pred))).then_some((!is_alone).then_some(end))
    }

    /// The answer that is right for every branch.
    fn everything(&mut self) -> Row {
        let SyncDependence { graph, cycles, answers, everything, .. } = self;
        *everything.get_or_insert_with(|| {
            let start = answers.lengths();
            answers.joins.extend(cycles.order().iter().copied().filter(|&b| graph.is_merge(b)));
            answers.exits.extend(cycles.iter());
            answers.irregular.extend(cycles.iter().filter(|&c| !cycles.is_reducible(c)));
            Row { is_everything: true, ..answers.row_since(start) }
        })
    }
}

impl Answers {
    fn lengths(&self) -> [u32; 3] {
        [self.joins.len() as u32, self.exits.len() as u32, self.irregular.len() as u32]
    }

    fn row_since(&self, start: [u32; 3]) -> Row {
        Row { start, end: self.lengths(), is_everything: false }
    }
}

/// The goal of a sweep for joins: nothing can join when one label is left.
struct Joins<'a> {
    cycles: &'a Cycles,
    answers: &'a mut Answers,
}

impl Goal for Joins<'_> {
    #[inline]
    fn is_done(&self, pending: &Pending) -> bool {
        pending.labels <= 1
    }
    fn leaves_apart(&mut self, cycle: Cycle) {
        self.answers.exits.push(cycle);
    }
    fn enters_apart(&mut self, cycle: Cycle) {
        self.answers.irregular.push(cycle);
        self.answers.exits.extend(self.cycles.descendants(cycle));
    }
    fn joins(&mut self, block: Block) {
        self.answers.joins.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::dominators::Dominators;
    use crate::cfg::order::Order;
    use crate::cfg::testing::{Instance, Unrolled, block, random_graph, random_graphs, walk};
    use fixedbitset::FixedBitSet;
    use std::collections::{BTreeSet, HashMap};
    use warpwise_oracle::fuzz::rng::Rng;

    /// The definitions, on the unrolled graph of one branch.
    fn oracle(g: &Graph, cycles: &Cycles, branch: Block) -> (BTreeSet<Block>, BTreeSet<Cycle>, BTreeSet<Cycle>) {
        let u = Unrolled::new(g, cycles, branch);
        let all: Vec<usize> = (0..u.nodes.len()).collect();
        let mut joins = BTreeSet::new();
        for &j in &all[1..] {
            let preds: BTreeSet<Block> =
                all.iter().filter(|&&n| u.succs[n].contains(&j)).map(|&n| u.nodes[n].0).collect();
            let is_met = all[1..].iter().all(|&gone| gone == j || u.without[gone].contains(j));
            if is_met && preds.len() > 1 {
                joins.insert(u.nodes[j].0);
            }
        }
        let (mut exits, mut irregular) = (BTreeSet::new(), BTreeSet::new());
        for c in cycles.iter() {
            let depth = cycles.depth(c) as usize;
            if cycles.contains(c, branch) {
                // In the visit under way: leaving in iteration i, or coming to the header in iteration i + 1.
                let here =
                    |n: usize| cycles.contains(c, u.nodes[n].0) && u.nodes[n].1[..depth - 1].iter().all(|&k| k == 1);
                for i in 1..=3 {
                    let leaving = |&n: &usize| {
                        let leaves = g.succs(u.nodes[n].0).iter().any(|&s| !cycles.contains(c, s));
                        here(n) && u.nodes[n].1[depth - 1] == i && leaves
                    };
                    let next =
                        |&n: &usize| here(n) && u.nodes[n].0 == cycles.header(c) && u.nodes[n].1[depth - 1] == i + 1;
                    let targets = [
                        all.iter().copied().filter(leaving).collect(),
                        all[1..].iter().copied().filter(next).collect(),
                    ];
                    if u.parts(&targets) {
                        exits.insert(c);
                    }
                }
                continue;
            }
            let visits: BTreeSet<&[u32]> = all
                .iter()
                .filter(|&&n| cycles.contains(c, u.nodes[n].0))
                .map(|&n| &u.nodes[n].1[..depth - 1])
                .collect();
            for visit in visits {
                let entering = |entry: Block| -> Vec<usize> {
                    let enters = |&n: &usize| {
                        let from: &Instance = &u.nodes[n];
                        let into = |&s: &usize| u.nodes[s].0 == entry && u.nodes[s].1[..depth - 1] == *visit;
                        !cycles.contains(c, from.0) && u.succs[n].iter().any(into)
                    };
                    all.iter().copied().filter(enters).collect()
                };
                let targets: Vec<Vec<usize>> = cycles.entries(c).iter().map(|&e| entering(e)).collect();
                if u.parts(&targets) {
                    irregular.insert(c);
                }
            }
        }
        (joins, exits, irregular)
    }

    #[test]
    fn random_graphs_against_disjoint_walks() {
        let (mut exact, mut loose) = (0, 0);
        for g in random_graphs(6000, 8) {
            let order = Order::new(&g);
            let cycles = Cycles::new(&g, &order);
            let mut sync = SyncDependence::new(&g, &order, &cycles);
            for b in g.blocks().filter(|&b| cycles.is_reachable(b) && g.is_branch(b)) {
                let (joins, exits, irregular) = oracle(&g, &cycles, b);
                let s = sync.split(b);
                let found_joins: BTreeSet<Block> = s.joins.iter().copied().collect();
                let found_exits: BTreeSet<Cycle> = s.divergent_exits.iter().copied().collect();
                let found_irregular: BTreeSet<Cycle> = s.irregular.iter().copied().collect();
                assert_eq!(
                    (found_joins.len(), found_exits.len()),
                    (s.joins.len(), s.divergent_exits.len()),
                    "once each"
                );
                let wild = |b: Block| found_irregular.iter().any(|&c| cycles.contains(c, b));
                assert!(joins.iter().all(|&j| found_joins.contains(&j) || wild(j)), "{b} {g:?}");
                assert!(exits.is_subset(&found_exits), "{b} {g:?}");
                let inner = |c: Cycle| found_irregular.iter().any(|&o| cycles.contains_cycle(o, c));
                assert!(irregular.iter().all(|&c| inner(c)), "{b} {g:?}");
                if found_irregular.is_empty() {
                    exact += 1;
                    assert_eq!((joins, exits), (found_joins, found_exits), "{b} {irregular:?} {g:?}");
                } else {
                    loose += 1;
                    // Exits of the first one are taken to be apart, which can make later ones irregular too.
                    assert!(irregular.contains(&s.irregular[0]), "{b} {g:?}");
                }
            }
        }
        assert!(exact > 4000 && loose > 200, "{exact} {loose}");
    }

    /// The last instance of `block` in `path` before position `end`.
    fn last(path: &[Instance], block: Block, end: usize) -> Option<&Instance> {
        path[..end].iter().rev().find(|i| i.0 == block)
    }

    #[test]
    fn two_lanes_on_random_graphs() {
        // Any set of divergent branches, any decisions: what two lanes disagree on must have been said.
        let mut random = Rng::new(2, 0);
        let mut disagreements = 0;
        for _ in 0..25_000 {
            let g = random_graph(&mut random, 10);
            let order = Order::new(&g);
            let cycles = Cycles::new(&g, &order);
            let dom = Dominators::forward(&g);
            let mut divergent = FixedBitSet::with_capacity(g.block_count());
            divergent.extend(g.blocks().filter(|_| random.below(2) == 0).map(|b| b.index()));
            let mut sync = SyncDependence::new(&g, &order, &cycles);
            let (mut joins, mut exits, mut irregular) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            for b in divergent.ones().map(Block::new) {
                let s = sync.split(b);
                joins.extend(s.joins.iter().copied());
                exits.extend(s.divergent_exits.iter().copied());
                irregular.extend(s.irregular.iter().copied());
            }
            let seed = random.bits();
            let lanes = [0, 1].map(|_| walk(&g, &cycles, &divergent, seed, &mut random, 40));
            let index: HashMap<&Instance, usize> = lanes[1].iter().enumerate().map(|(i, n)| (n, i)).collect();
            for (i, instance) in lanes[0].iter().enumerate().skip(1) {
                let Some(&j) = index.get(instance).filter(|&&j| j > 0) else { continue };
                let at = instance.0;
                let is_join = joins.contains(&at) || irregular.iter().any(|&c| cycles.contains(c, at));
                let froms = [lanes[0][i - 1].0, lanes[1][j - 1].0];
                if froms[0] != froms[1] {
                    disagreements += 1;
                    assert!(is_join, "{at} {divergent:?} {g:?}");
                }
                // Uses of what `def` defines: here, and by phis on the edge both came by.
                let by_edge = froms[0] == froms[1] && !is_join;
                for def in g.blocks() {
                    let here = dom.dominates(def, at) && last(&lanes[0], def, i + 1) != last(&lanes[1], def, j + 1);
                    let edge =
                        by_edge && dom.dominates(def, froms[0]) && last(&lanes[0], def, i) != last(&lanes[1], def, j);
                    if here || edge {
                        disagreements += 1;
                        let said = exits.iter().any(|&c| cycles.contains(c, def) && !cycles.contains(c, at));
                        assert!(said, "{def} used in {at} {divergent:?} {g:?} {lanes:?}");
                    }
                }
            }
        }
        assert!(disagreements > 5000, "{disagreements}");
    }

    #[test]
    fn the_cap_gives_one_answer_for_all() {
        // A loop with thousands of breaks to a common exit: each sweep crosses all the blocks behind.
        let n = 20_000;
        let body = (1..n).flat_map(|i| [(i, if i + 1 < n { i + 1 } else { 1 }), (i, n)]);
        let g = Graph::new(n + 1, [(0, 1)].into_iter().chain(body).map(|(a, b)| (Block::new(a), Block::new(b))));
        let order = Order::new(&g);
        let cycles = Cycles::new(&g, &order);
        let mut sync = SyncDependence::new(&g, &order, &cycles);
        let mut capped = 0;
        for b in (1..n).map(block) {
            let s = sync.split(b);
            assert!(s.joins.contains(&block(n)) && s.divergent_exits == [cycles.cycle_of(block(1)).unwrap()]);
            capped += usize::from(s.is_everything);
        }
        assert!(capped > n / 2 && capped < n - 1);
    }
}
