//! Which blocks can execute again before control leaves them, and how do such cycles nest?
//!
//! **Definitions.** A *cycle* is a maximal strongly connected set of blocks with at least one edge inside. Its *entries*
//! are the blocks with a predecessor outside it (the function's entry counts). One entry is chosen as *header*: the one
//! that the depth-first walk met first. Without the header, the rest falls apart into strongly connected sets again: the
//! *child* cycles. A cycle with one entry is *reducible* (a natural loop); with several, *irreducible*. An *iteration*
//! starts each time control comes to the header; a lane that enters elsewhere is in iteration 0 until then.
//!
//! **Phases.**
//! 1. In descending preorder take each block that a walk descendant jumps back to: a header. Collect backwards from
//!    those jumps, jumping over cycles already found (union-find), whatever the header's subtree holds; predecessors
//!    outside the subtree make a block an entry.
//! 2. Lay out the **order**: every cycle a contiguous range, its header first, and every edge that does not lead to the
//!    header of a cycle around its source going up. Items of a cycle (blocks, child cycles by their header) come in
//!    reverse post-order; ranges are handed out top-down by size, so nothing is sorted.
//! 3. Number the cycles by the start of their range: parents before children, descendants contiguous.
//!
//! Why the order exists: an edge that retreats in reverse post-order leads to a walk ancestor, which heads a cycle
//! around both ends; without those edges items are ordered by reverse post-order. A child is represented by its header
//! because the header is first of its cycle in reverse post-order, and a predecessor outside the cycle, not being a walk
//! descendant of the header that reaches it, precedes the header too.
//!
//! **Input**: an [`Order`] of the same graph. Unreachable blocks are in no cycle and not in the order.
//!
//! **Not conservative.** For irreducible cycles header and children depend on the order of successors; users must
//! not read more into a header than "iterations are counted here".
//!
//! **Cost**: O(m α(n)) for reducible graphs; an irreducible entry is looked at once per cycle it enters.
//!
//! Havlak: *Nesting of Reducible and Irreducible Loops*, TOPLAS 19(4) 1997; the definition by repeated removal of headers
//! is that of Ramalingam: *On Loops, Dominators, and Dominance Frontiers*, TOPLAS 24(5) 2002, and of LLVM's cycle
//! terminology. Changed: entries are collected on the way, and the forest is laid out as ranges of one linear order.

use crate::cfg::order::Order;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, entity_impl};
use smallvec::SmallVec;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// A cycle; parents have smaller indices than children.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cycle(u32);
entity_impl!(Cycle, "cycle");

/// Not in the order: the block is unreachable.
const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct CycleData {
    header: Block,
    parent: PackedOption<Cycle>,
    depth: u32,
    /// Range of the order.
    start: u32,
    end: u32,
    /// One past the last descendant.
    last: u32,
    /// Range of `entries`.
    entries: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct BlockData {
    position: u32,
    cycle: PackedOption<Cycle>,
}

/// The cycle forest of a function and the linear order that goes with it.
#[derive(Clone, Debug)]
pub struct Cycles {
    cycles: Vec<CycleData>,
    entries: Vec<Block>,
    order: Vec<Block>,
    blocks: Vec<BlockData>,
}

impl Cycles {
    /// Finds the cycles of `graph`, walked by `order`.
    pub fn new(graph: &Graph, order: &Order) -> Cycles {
        if order.has_only_self_loops() {
            return Cycles::of_self_loops(graph, order);
        }
        let found = Finder::run(graph, order);
        found.lay_out(graph, order)
    }

    /// Every cycle is a block that jumps to itself, if there are any.
    fn of_self_loops(graph: &Graph, order: &Order) -> Cycles {
        let mut found = Cycles {
            cycles: Vec::new(),
            entries: Vec::new(),
            order: order.rpo().to_vec(),
            blocks: vec![BlockData { position: NOWHERE, cycle: None.into() }; graph.block_count()],
        };
        for (position, &block) in (0..).zip(order.rpo()) {
            let mut cycle = None;
            if graph.succs(block).contains(&block) {
                let number = found.cycles.len() as u32;
                let (start, end, last, entries) = (position, position + 1, number + 1, (number, number + 1));
                found.cycles.push(CycleData {
                    header: block,
                    parent: None.into(),
                    depth: 1,
                    start,
                    end,
                    last,
                    entries,
                });
                found.entries.push(block);
                cycle = Some(Cycle::from_u32(number));
            }
            found.blocks[block.index()] = BlockData { position, cycle: cycle.into() };
        }
        found
    }

    /// How many cycles there are.
    pub fn len(&self) -> usize {
        self.cycles.len()
    }

    /// Whether the function has no cycle.
    pub fn is_empty(&self) -> bool {
        self.cycles.is_empty()
    }

    /// All cycles, parents before children.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Cycle> + use<> {
        (0..self.cycles.len()).map(Cycle::new)
    }

    /// The innermost cycle around `block`.
    #[inline]
    pub fn cycle_of(&self, block: Block) -> Option<Cycle> {
        self.blocks[block.index()].cycle.expand()
    }

    /// The outermost cycle around `block`.
    pub fn outermost_of(&self, block: Block) -> Option<Cycle> {
        let innermost = self.cycle_of(block)?;
        Some(self.ancestors(innermost).last().unwrap_or(innermost))
    }

    /// The cycle directly around `cycle`.
    #[inline]
    pub fn parent(&self, cycle: Cycle) -> Option<Cycle> {
        self.cycles[cycle.index()].parent.expand()
    }

    /// `cycle` and the cycles around it, innermost first.
    pub fn ancestors(&self, cycle: Cycle) -> impl Iterator<Item = Cycle> + '_ {
        std::iter::successors(Some(cycle), |&c| self.parent(c))
    }

    /// `cycle` and the cycles around it that do not contain `block`, innermost first.
    pub fn left(&self, cycle: Cycle, block: Block) -> impl Iterator<Item = Cycle> + '_ {
        self.ancestors(cycle).take_while(move |&c| !self.contains(c, block))
    }

    /// `cycle` and the cycles inside it, parents before children.
    pub fn descendants(&self, cycle: Cycle) -> impl Iterator<Item = Cycle> + use<> {
        (cycle.index()..self.cycles[cycle.index()].last as usize).map(Cycle::new)
    }

    /// The cycles that contain no other.
    pub fn innermost(&self) -> impl Iterator<Item = Cycle> + '_ {
        self.iter().filter(|&cycle| self.descendants(cycle).count() == 1)
    }

    /// How many cycles are around the blocks of `cycle`: 1 for an outermost one.
    #[inline]
    pub fn depth(&self, cycle: Cycle) -> u32 {
        self.cycles[cycle.index()].depth
    }

    /// The entry at which iterations are counted.
    #[inline]
    pub fn header(&self, cycle: Cycle) -> Block {
        self.cycles[cycle.index()].header
    }

    /// All entries, the header first.
    #[inline]
    pub fn entries(&self, cycle: Cycle) -> &[Block] {
        let (start, end) = self.cycles[cycle.index()].entries;
        &self.entries[start as usize..end as usize]
    }

    /// Whether control enters at the header only.
    #[inline]
    pub fn is_reducible(&self, cycle: Cycle) -> bool {
        self.entries(cycle).len() == 1
    }

    /// The blocks of `cycle`, those of inner cycles included, in [`order`](Self::order): the header first.
    #[inline]
    pub fn blocks(&self, cycle: Cycle) -> &[Block] {
        let data = &self.cycles[cycle.index()];
        &self.order[data.start as usize..data.end as usize]
    }

    /// Whether `block` is in `cycle`, at any depth.
    #[inline]
    pub fn contains(&self, cycle: Cycle, block: Block) -> bool {
        let data = &self.cycles[cycle.index()];
        let at = self.blocks[block.index()].position;
        data.start <= at && at < data.end
    }

    /// Whether `inner` is `cycle` or inside it.
    #[inline]
    pub fn contains_cycle(&self, cycle: Cycle, inner: Cycle) -> bool {
        cycle <= inner && inner.as_u32() < self.cycles[cycle.index()].last
    }

    /// The innermost cycle around both blocks.
    pub fn common(&self, a: Block, b: Block) -> Option<Cycle> {
        self.ancestors(self.cycle_of(a)?).find(|&c| self.contains(c, b))
    }

    /// The edges `(from, to)` that leave `cycle`, duplicates kept.
    pub fn exit_edges<'a>(&'a self, graph: &'a Graph, cycle: Cycle) -> impl Iterator<Item = (Block, Block)> + 'a {
        let edges = self.blocks(cycle).iter().flat_map(|&from| graph.succs(from).iter().map(move |&to| (from, to)));
        edges.filter(move |&(_, to)| !self.contains(cycle, to))
    }

    /// The blocks of `cycle` that jump to its header, duplicates kept.
    pub fn latches<'a>(&'a self, graph: &'a Graph, cycle: Cycle) -> impl Iterator<Item = Block> + 'a {
        graph.preds(self.header(cycle)).iter().copied().filter(move |&p| self.contains(cycle, p))
    }

    /// The only one of them.
    pub fn only_latch(&self, graph: &Graph, cycle: Cycle) -> Option<Block> {
        let mut latches = self.latches(graph, cycle);
        latches.next().filter(|_| latches.next().is_none())
    }

    /// The reachable blocks in an order in which every cycle is contiguous, its header first, and every edge goes up but
    /// those to the header of a cycle around their source. The best order for forward data flow.
    pub fn order(&self) -> &[Block] {
        &self.order
    }

    /// Where `block` is in [`order`](Self::order); `u32::MAX` when it is unreachable.
    #[inline]
    pub fn position(&self, block: Block) -> u32 {
        self.blocks[block.index()].position
    }

    /// The range of `cycle` in [`order`](Self::order).
    #[inline]
    pub fn range(&self, cycle: Cycle) -> std::ops::Range<u32> {
        let data = &self.cycles[cycle.index()];
        data.start..data.end
    }

    /// Where in [`order`](Self::order) something that is used in `at` is surely no more wanted: behind the outermost cycle
    /// around `at` inside which nothing `defines` it, or behind `at`.
    pub fn end_of_use(&self, at: Block, defines: impl Fn(Cycle) -> bool) -> u32 {
        let around = self.cycle_of(at).into_iter().flat_map(|cycle| self.ancestors(cycle));
        let outer = around.take_while(|&cycle| !defines(cycle)).last();
        outer.map_or(self.position(at) + 1, |cycle| self.range(cycle).end)
    }

    /// Whether any path from the entry leads to `block`.
    #[inline]
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position(block) != NOWHERE
    }
}

/// Phase 1: cycles numbered as found, children before parents.
struct Finder<'a> {
    graph: &'a Graph,
    order: &'a Order,
    cycles: SmallVec<[Found; 8]>,
    entries: SmallVec<[Block; 8]>,
    /// Innermost cycle of each block.
    cycle_of: Vec<u32>,
    work: SmallVec<[Block; 8]>,
}

/// A cycle while the forest is made.
struct Found {
    header: Block,
    parent: u32,
    /// Union-find over cycles, towards the outermost one found so far.
    outer: u32,
    /// Start of its row in the entries.
    entry_start: u32,
    /// Number of its blocks.
    size: u32,
    /// The next free place in its range of the order.
    free: u32,
    /// Its final number.
    number: u32,
}

/// In no cycle.
const NONE: u32 = u32::MAX;

impl<'a> Finder<'a> {
    fn run(graph: &'a Graph, order: &'a Order) -> Finder<'a> {
        let mut finder = Finder {
            graph,
            order,
            cycles: SmallVec::new(),
            entries: SmallVec::new(),
            cycle_of: vec![NONE; graph.block_count()],
            work: SmallVec::new(),
        };
        for &header in order.preorder().iter().rev() {
            let back = graph.preds(header).iter().copied().filter(|&p| order.is_ancestor(header, p));
            finder.work.extend(back);
            if !finder.work.is_empty() {
                finder.collect(header);
            }
        }
        finder
    }

    /// Makes a cycle of everything the work list reaches backwards inside the subtree of `header`.
    fn collect(&mut self, header: Block) {
        let cycle = self.cycles.len() as u32;
        let entry_start = self.entries.len() as u32;
        self.cycles.push(Found { header, parent: NONE, outer: cycle, entry_start, size: 0, free: 0, number: NONE });
        self.entries.push(header);
        while let Some(block) = self.work.pop() {
            if block == header {
                continue;
            }
            let inner = self.cycle_of[block.index()];
            if inner == NONE {
                self.cycle_of[block.index()] = cycle;
                self.look_behind(header, block);
                continue;
            }
            let inner = self.outermost(inner);
            if inner != cycle {
                self.cycles[inner as usize].outer = cycle;
                self.cycles[inner as usize].parent = cycle;
                // A block of a child has its predecessors in the child, unless it is an entry.
                for i in self.entries_of(inner as usize) {
                    self.look_behind(header, self.entries[i]);
                }
            }
        }
        self.cycle_of[header.index()] = cycle;
    }

    /// The row of entries of a cycle that is complete.
    fn entries_of(&self, cycle: usize) -> std::ops::Range<usize> {
        let end = self.cycles.get(cycle + 1).map_or(self.entries.len(), |next| next.entry_start as usize);
        self.cycles[cycle].entry_start as usize..end
    }

    /// Queues the predecessors of `block` below `header`; if there are others, `block` is an entry.
    fn look_behind(&mut self, header: Block, block: Block) {
        let mut is_entry = false;
        for &pred in self.graph.preds(block) {
            if self.order.is_ancestor(header, pred) {
                self.work.push(pred);
            } else {
                is_entry |= self.order.is_reachable(pred);
            }
        }
        if is_entry {
            self.entries.push(block);
        }
    }

    /// The outermost cycle so far around `cycle`, with path halving.
    fn outermost(&mut self, mut cycle: u32) -> u32 {
        while self.cycles[cycle as usize].outer != cycle {
            let next = self.cycles[cycle as usize].outer;
            let beyond = self.cycles[next as usize].outer;
            self.cycles[cycle as usize].outer = beyond;
            cycle = beyond;
        }
        cycle
    }

    /// Phases 2 and 3.
    fn lay_out(mut self, graph: &Graph, order: &Order) -> Cycles {
        let count = self.cycles.len();
        // Sizes, children into parents; then ranges, parents before children. `top` is the next free place outside.
        for &block in order.preorder() {
            if let Some(cycle) = self.cycles.get_mut(self.cycle_of[block.index()] as usize) {
                cycle.size += 1;
            }
        }
        for cycle in 0..count {
            let Found { parent, size, .. } = self.cycles[cycle];
            if parent != NONE {
                self.cycles[parent as usize].size += size;
            }
        }
        let mut top = 0;
        let mut blocks = vec![BlockData { position: NOWHERE, cycle: None.into() }; graph.block_count()];
        let mut linear = vec![Block::new(0); order.rpo().len()];
        for &block in order.rpo() {
            let cycle = self.cycle_of[block.index()];
            if let Some(&Found { header, parent, size, .. }) = self.cycles.get(cycle as usize)
                && header == block
            {
                let outer = self.cycles.get_mut(parent as usize).map_or(&mut top, |parent| &mut parent.free);
                let start = *outer;
                *outer += size;
                self.cycles[cycle as usize].free = start;
            }
            let free = self.cycles.get_mut(cycle as usize).map_or(&mut top, |cycle| &mut cycle.free);
            blocks[block.index()].position = *free;
            linear[*free as usize] = block;
            *free += 1;
        }
        // Final numbers, by start; every range is full now, so `free` is its end.
        let mut cycles: Vec<CycleData> = Vec::with_capacity(count);
        let mut entries = Vec::with_capacity(self.entries.len());
        for (at, &block) in linear.iter().enumerate() {
            let found = self.cycle_of[block.index()] as usize;
            let Some(&Found { header, parent, free, .. }) = self.cycles.get(found) else { continue };
            if header == block {
                self.cycles[found].number = cycles.len() as u32;
                let parent = self.cycles.get(parent as usize).map(|parent| Cycle::from_u32(parent.number));
                let row = entries.len() as u32;
                entries.extend(&self.entries[self.entries_of(found)]);
                cycles.push(CycleData {
                    header: block,
                    parent: parent.into(),
                    depth: parent.map_or(0, |p| cycles[p.index()].depth) + 1,
                    start: at as u32,
                    end: free,
                    last: cycles.len() as u32 + 1,
                    entries: (row, entries.len() as u32),
                });
            }
            blocks[block.index()].cycle = Some(Cycle::from_u32(self.cycles[found].number)).into();
        }
        for cycle in (0..cycles.len()).rev() {
            if let Some(parent) = cycles[cycle].parent.expand() {
                cycles[parent.index()].last = cycles[parent.index()].last.max(cycles[cycle].last);
            }
        }
        Cycles { cycles, entries, order: linear, blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{block, graph, random_graphs, reachable};
    use fixedbitset::FixedBitSet;

    fn cycles(g: &Graph) -> Cycles {
        Cycles::new(g, &Order::new(g))
    }

    /// Strongly connected components with an edge inside, over `inside`, by reachability.
    fn components(g: &Graph, inside: &FixedBitSet) -> Vec<FixedBitSet> {
        let gone: Vec<Block> = g.blocks().filter(|b| !inside.contains(b.index())).collect();
        let reach = |b: Block| {
            let mut seen = FixedBitSet::with_capacity(g.block_count());
            for &s in g.succs(b).iter().filter(|s| inside.contains(s.index())) {
                seen.union_with(&reachable(g, s, &gone));
            }
            seen
        };
        let reach: Vec<FixedBitSet> = g.blocks().map(reach).collect();
        let mut found = Vec::new();
        let mut done = FixedBitSet::with_capacity(g.block_count());
        for b in inside.ones().filter(|&b| reach[b].contains(b)) {
            if !done.contains(b) {
                let mut set = FixedBitSet::with_capacity(g.block_count());
                set.extend(inside.ones().filter(|&c| reach[b].contains(c) && reach[c].contains(b)));
                done.union_with(&set);
                found.push(set);
            }
        }
        found
    }

    /// Checks the cycles of `inside` (the blocks of `parent` less its header) by the definition.
    fn check_level(g: &Graph, o: &Order, cs: &Cycles, inside: &FixedBitSet, parent: Option<Cycle>) -> usize {
        let mut count = 0;
        for set in components(g, inside) {
            let blocks: Vec<Block> = set.ones().map(Block::new).collect();
            let header = *o.preorder().iter().find(|b| set.contains(b.index())).unwrap();
            let cycle = cs.cycle_of(header).expect("the block met first heads the cycle");
            assert_eq!((cs.header(cycle), cs.parent(cycle)), (header, parent), "{g:?}");
            assert_eq!(cs.depth(cycle), parent.map_or(0, |p| cs.depth(p)) + 1);
            let mut members = cs.blocks(cycle).to_vec();
            members.sort();
            assert_eq!(members, blocks, "{g:?}");
            let outside = |b: &Block| {
                let from = g.preds(*b).iter().any(|p| o.is_reachable(*p) && !set.contains(p.index()));
                from || *b == g.entry()
            };
            let mut entries = cs.entries(cycle).to_vec();
            assert_eq!(entries[0], header);
            entries.sort();
            let expected: Vec<Block> = blocks.iter().copied().filter(|b| outside(b) || *b == header).collect();
            assert_eq!(entries, expected, "{g:?}");
            assert!(outside(&header), "a header is an entry {g:?}");
            assert_eq!(cs.is_reducible(cycle), expected.len() == 1);
            for b in g.blocks() {
                assert_eq!(cs.contains(cycle, b), set.contains(b.index()));
            }
            assert!(cs.latches(g, cycle).all(|l| set.contains(l.index())));
            assert!(cs.exit_edges(g, cycle).all(|(f, t)| set.contains(f.index()) && !set.contains(t.index())));
            let mut rest = set.clone();
            rest.remove(header.index());
            let inner = check_level(g, o, cs, &rest, Some(cycle));
            assert_eq!(cs.descendants(cycle).count(), inner + 1);
            assert!(cs.descendants(cycle).all(|d| cs.contains_cycle(cycle, d) && cs.ancestors(d).any(|a| a == cycle)));
            count += 1 + inner;
        }
        count
    }

    #[test]
    fn random_graphs_against_the_definition() {
        let mut irreducible = 0;
        for g in random_graphs(12_000, 9) {
            let (o, cs) = (Order::new(&g), cycles(&g));
            let all = reachable(&g, g.entry(), &[]);
            assert_eq!(check_level(&g, &o, &cs, &all, None), cs.len());
            irreducible += cs.iter().filter(|&c| !cs.is_reducible(c)).count();
            for b in g.blocks() {
                let around: Vec<Cycle> = cs.iter().filter(|&c| cs.contains(c, b)).collect();
                assert_eq!(cs.cycle_of(b), around.last().copied());
                assert_eq!(cs.outermost_of(b), around.first().copied());
                assert_eq!(cs.is_reachable(b), all.contains(b.index()));
                for &s in g.succs(b).iter().filter(|_| cs.is_reachable(b)) {
                    let iterates = around.iter().any(|&c| cs.header(c) == s);
                    assert!(iterates || cs.position(b) < cs.position(s), "{g:?}");
                }
            }
        }
        assert!(irreducible > 1000, "the generator makes irreducible cycles: {irreducible}");
    }

    #[test]
    fn nested_loops() {
        // 1 heads the outer loop, 2 the inner one; 4 is outside but early in reverse post-order.
        let g = graph(5, &[(0, 1), (1, 4), (1, 2), (2, 2), (2, 3), (3, 1), (3, 4)]);
        let cs = cycles(&g);
        let (outer, inner) = (cs.cycle_of(block(1)).unwrap(), cs.cycle_of(block(2)).unwrap());
        assert_eq!((cs.parent(inner), cs.parent(outer)), (Some(outer), None));
        assert_eq!(cs.blocks(outer), [1, 2, 3].map(block));
        assert_eq!(cs.blocks(inner), [block(2)]);
        assert_eq!(cs.order(), [0, 1, 2, 3, 4].map(block));
        assert_eq!(cs.exit_edges(&g, outer).collect::<Vec<_>>(), [(block(1), block(4)), (block(3), block(4))]);
        assert_eq!(cs.latches(&g, outer).collect::<Vec<_>>(), [block(3)]);
        assert_eq!(cs.common(block(2), block(3)), Some(outer));
    }

    #[test]
    fn deep_nests_are_not_quadratic() {
        // Header i opens a loop closed by n + i: 50,000 loops around each other.
        let n = 50_000;
        let down = (0..n).map(|i| (i, i + 1));
        let up = (n..2 * n).flat_map(|i| [(i, i + 1), (i, 2 * n - i)]);
        let g = Graph::new(2 * n + 1, down.chain(up).map(|(a, b)| (Block::new(a), Block::new(b))));
        let cs = cycles(&g);
        assert_eq!(cs.len(), n);
        assert_eq!(cs.iter().map(|c| cs.depth(c)).max(), Some(n as u32));
    }
}
