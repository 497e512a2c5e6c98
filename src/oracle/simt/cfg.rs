//! In which order do the groups of a split warp run, where do they meet, and which iteration is a group in?
//!
//! For one function this computes, from successor lists alone:
//! 1. **Cycles**, as a forest of strongly connected regions. The header of a region is its first entry in depth-first
//!    order; edges into the header are cut, and the rest is searched for inner cycles. Irreducible regions follow the
//!    same rule.
//! 2. **Order**: a topological order of the blocks, ignoring edges into headers, in which every cycle is contiguous
//!    with its header first. The lockstep scheduler always runs the group that is furthest behind: the one with the
//!    fewest iterations of the outermost cycle that the groups share, then of the next, then with the earliest block.
//!    So when a block starts, every lane that will reach it in this iteration is there.
//! 3. **Immediate post-dominators**, on the reversed graph with a virtual exit, for strict reconvergence; and the same
//!    for the lanes that stay, where others leave a kernel early.
//! 4. **Edge actions**: how the iteration vector (for each cycle around the block, how often its header was entered
//!    since control entered the cycle) changes along an edge.
//!
//! Cost: strongly connected components once per nesting level; post-dominators as in Cooper, Harvey, Kennedy, "A
//! simple, fast dominance algorithm", 2001. Both come from `petgraph`. Nothing is shared with the analysis' own `cfg`,
//! because an oracle must not share its bugs.

use petgraph::algo::{dominators, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, Reversed};
use smallvec::SmallVec;

/// No block: the virtual exit, or none at all.
pub const NONE: u32 = u32::MAX;

/// What the machine needs to know about a function's control flow.
#[derive(Debug, Default)]
pub struct Flow {
    /// Position of each block in the order; `NONE` for unreachable blocks.
    pub order: Vec<u32>,
    /// Immediate post-dominator of each block, `NONE` for the virtual exit.
    pub post_dominator: Vec<u32>,
    /// The block where lanes of each block meet again if those that leave the kernel early do not count.
    pub meeting: Vec<u32>,
    /// Cycles around each block, outermost first.
    pub cycles: Vec<Vec<u32>>,
    /// Header of each cycle.
    pub headers: Vec<u32>,
}

/// How an edge changes the iteration vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EdgeAction {
    /// Leading counts that survive.
    pub keep: u16,
    /// Whether the last surviving count is incremented: an edge into the header from inside.
    pub bump: bool,
    /// Number of zero counts appended: for cycles entered elsewhere than at their header.
    pub zeros: u16,
    /// Whether a count of one is appended after them: for a cycle entered at its header.
    pub one: bool,
}

impl EdgeAction {
    /// Advances an iteration vector (outermost cycle first) along the edge.
    pub fn advance(self, counts: &mut SmallVec<[u32; 4]>) {
        counts.truncate(usize::from(self.keep));
        if self.bump
            && let Some(last) = counts.last_mut()
        {
            *last = last.wrapping_add(1);
        }
        counts.extend(std::iter::repeat_n(0, usize::from(self.zeros)));
        if self.one {
            counts.push(1);
        }
    }
}

impl Flow {
    /// Computes everything. Block 0 is the entry.
    pub fn compute(successors: &[Vec<u32>]) -> Flow {
        let count = successors.len();
        let mut flow = Flow { order: vec![NONE; count], cycles: vec![Vec::new(); count], ..Flow::default() };
        if count == 0 {
            return flow;
        }
        let all = DiGraph::<(), (), u32>::from_edges(edges(successors).chain([(0, 0)]));
        let mut rank = vec![NONE; count];
        for (position, block) in reverse_post_order(&all, 0).enumerate() {
            rank[block.index()] = position as u32;
        }
        let reachable = (0..count as u32).filter(|&block| rank[block as usize] != NONE).collect();
        let mut sequence = Vec::with_capacity(count);
        flow.nest(successors, &rank, reachable, None, &mut sequence);
        for (position, &block) in (0u32..).zip(&sequence) {
            flow.order[block as usize] = position;
        }
        flow.post_dominator = flow.post_dominators(successors, &[]);
        flow.meeting.clone_from(&flow.post_dominator);
        flow
    }

    /// Says where the lanes of a kernel meet that do not leave it early. Lanes that go from a block with barriers or
    /// collectives ahead to a `quiet` one, which has none, are on their way out: the hardware does not wait for lanes
    /// that have exited. Edges between such blocks count no more, unless all edges of a block are such. A cycle that is
    /// left by such edges alone begins its next iteration where its lanes would leave otherwise.
    pub fn leave_early(&mut self, successors: &[Vec<u32>], quiet: &[bool]) {
        let stays = |from: usize, to: u32| quiet[from] || !quiet[to as usize];
        let kept: Vec<Vec<u32>> = successors
            .iter()
            .enumerate()
            .map(|(from, targets)| {
                let some: Vec<u32> = targets.iter().copied().filter(|&to| stays(from, to)).collect();
                if some.is_empty() { targets.clone() } else { some }
            })
            .collect();
        let mut ends: Vec<bool> = kept.iter().map(Vec::is_empty).collect();
        spread(&kept, &mut ends);
        let turns = edges(&kept).filter(|&(from, to)| !ends[from as usize] && self.edge(from, to).bump);
        let turns: Vec<u32> = turns.map(|(from, _)| from).collect();
        self.meeting = self.post_dominators(&kept, &turns);
    }

    /// Orders the blocks of one region, with the edges into its header cut, and searches for its inner cycles.
    fn nest(
        &mut self,
        successors: &[Vec<u32>],
        rank: &[u32],
        blocks: Vec<u32>,
        header: Option<u32>,
        sequence: &mut Vec<u32>,
    ) {
        // nodes are positions in `blocks`, which ascend
        let node = |block: u32| blocks.binary_search(&block).ok().map(|position| position as u32);
        let mut graph = DiGraph::<u32, (), u32>::with_capacity(blocks.len(), blocks.len());
        for &block in &blocks {
            graph.add_node(block);
        }
        for (from, &block) in (0u32..).zip(&blocks) {
            for to in successors[block as usize].iter().filter(|&&to| Some(to) != header).filter_map(|&to| node(to)) {
                graph.add_edge(from.into(), to.into(), ());
            }
        }
        // topological: reverse order in which a depth-first search from the root leaves their first blocks
        let root = node(header.unwrap_or(0)).unwrap_or(0);
        let mut place = vec![0; blocks.len()];
        for (position, node) in reverse_post_order(&graph, root).enumerate() {
            place[node.index()] = position;
        }
        let mut components = kosaraju_scc(&graph);
        components.sort_by_key(|component| component.iter().map(|node| place[node.index()]).min());
        for component in components {
            if let [only] = component[..]
                && !graph.contains_edge(only, only)
            {
                sequence.push(graph[only]);
                continue;
            }
            let mut members: Vec<u32> = component.into_iter().map(|node| graph[node]).collect();
            members.sort_unstable();
            // the first entry in depth-first order: every path into the region from the function's entry passes an
            // entry, so the block of lowest rank is one
            let inner = members.iter().copied().min_by_key(|&block| rank[block as usize]);
            let cycle = self.headers.len() as u32;
            self.headers.extend(inner);
            for &block in &members {
                self.cycles[block as usize].push(cycle);
            }
            self.nest(successors, rank, members, inner, sequence);
        }
    }

    /// Post-dominators of reachable blocks, if those of `more` may end, too. Blocks that cannot reach an exit have none,
    /// nor have those whose paths to the exits share no block.
    fn post_dominators(&self, successors: &[Vec<u32>], more: &[u32]) -> Vec<u32> {
        let exit = successors.len() as u32;
        let last = (0u32..).zip(successors).filter(|(_, targets)| targets.is_empty()).map(|(block, _)| block);
        let leaving = last.chain(more.iter().copied()).map(|block| (block, exit));
        let is_reached = |&(from, _): &(u32, u32)| self.order[from as usize] != NONE;
        let all: Vec<(u32, u32)> = edges(successors).chain(leaving).filter(is_reached).collect();
        let mut graph = DiGraph::<(), (), u32>::from_edges(all);
        while graph.node_count() <= exit as usize {
            graph.add_node(());
        }
        let dominators = dominators::simple_fast(Reversed(&graph), exit.into());
        let idom = |block: u32| dominators.immediate_dominator(block.into()).map(|node| node.index() as u32);
        (0..exit).map(|block| idom(block).filter(|&idom| idom != exit).unwrap_or(NONE)).collect()
    }

    /// How the iteration vector changes from `from` to `to`.
    pub fn edge(&self, from: u32, to: u32) -> EdgeAction {
        let (a, b) = (&self.cycles[from as usize], &self.cycles[to as usize]);
        let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let heads_last = b.last().is_some_and(|&cycle| self.headers[cycle as usize] == to);
        let pushed = b.len() - common;
        EdgeAction {
            keep: common as u16,
            bump: heads_last && pushed == 0,
            zeros: (pushed - usize::from(heads_last && pushed > 0)) as u16,
            one: heads_last && pushed > 0,
        }
    }
}

/// Marks the blocks from which a marked one is reached.
pub(super) fn spread(successors: &[Vec<u32>], marked: &mut [bool]) {
    let mut changed = true;
    while changed {
        changed = false;
        for (block, targets) in successors.iter().enumerate().rev() {
            if !marked[block] && targets.iter().any(|&to| marked[to as usize]) {
                marked[block] = true;
                changed = true;
            }
        }
    }
}

fn edges(successors: &[Vec<u32>]) -> impl Iterator<Item = (u32, u32)> {
    (0u32..).zip(successors).flat_map(|(from, targets)| targets.iter().map(move |&to| (from, to)))
}

/// Reverse post-order of a depth-first search that follows successors in their order.
fn reverse_post_order<N>(graph: &DiGraph<N, (), u32>, root: u32) -> impl Iterator<Item = NodeIndex<u32>> {
    let mut search = DfsPostOrder::new(graph, root.into());
    let mut order: Vec<NodeIndex<u32>> = std::iter::from_fn(|| search.next(graph)).collect();
    order.reverse();
    order.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::rng::Rng;

    /// Brute force: `a` post-dominates `b` if no exit can be reached from `b` without passing `a`.
    fn post_dominates(successors: &[Vec<u32>], a: u32, b: u32) -> bool {
        let mut seen = vec![false; successors.len()];
        let mut work = vec![b];
        let mut escapes = false;
        while let Some(block) = work.pop() {
            if block == a || std::mem::replace(&mut seen[block as usize], true) {
                continue;
            }
            escapes |= successors[block as usize].is_empty();
            work.extend(&successors[block as usize]);
        }
        !escapes
    }

    fn random_graph(seed: u64, blocks: u32) -> Vec<Vec<u32>> {
        let mut rng = Rng::new(seed, 0);
        // Block 0 has no predecessors, as in LLVM.
        let mut targets = |_| (0..rng.below(3)).map(|_| rng.range(1, u64::from(blocks) - 1) as u32).collect();
        (0..blocks).map(&mut targets).collect()
    }

    #[test]
    fn post_dominators_agree_with_brute_force() {
        for seed in 0..500 {
            let graph = random_graph(seed, 2 + (seed % 9) as u32);
            let flow = Flow::compute(&graph);
            for b in 0..graph.len() as u32 {
                if flow.order[b as usize] == NONE {
                    continue;
                }
                let reaches_exit = !(0..graph.len() as u32).all(|a| post_dominates(&graph, a, b));
                if !reaches_exit {
                    continue;
                }
                let strict: Vec<u32> =
                    (0..graph.len() as u32).filter(|&a| a != b && post_dominates(&graph, a, b)).collect();
                // The immediate one is the strict post-dominator that all others post-dominate.
                let nearest =
                    strict.iter().copied().find(|&a| strict.iter().all(|&c| c == a || post_dominates(&graph, c, a)));
                assert_eq!(flow.post_dominator[b as usize], nearest.unwrap_or(NONE), "seed {seed} block {b} {graph:?}");
            }
        }
    }

    #[test]
    fn order_is_topological_but_for_edges_into_headers() {
        for seed in 0..500 {
            let graph = random_graph(seed, 2 + (seed % 11) as u32);
            let flow = Flow::compute(&graph);
            for (from, targets) in graph.iter().enumerate() {
                for &to in targets {
                    if flow.order[from] == NONE {
                        continue;
                    }
                    let into_header = flow.cycles[from].iter().any(|&c| flow.headers[c as usize] == to);
                    assert!(
                        into_header || flow.order[from] < flow.order[to as usize],
                        "seed {seed}: {from} -> {to} in {graph:?} ordered {:?}",
                        flow.order
                    );
                    assert_eq!(flow.edge(from as u32, to).bump, into_header, "seed {seed}: {from} -> {to}");
                }
            }
            // Cycles are contiguous with the header first.
            for (cycle, &header) in (0u32..).zip(&flow.headers) {
                let members = (0..graph.len()).filter(|&b| flow.cycles[b].contains(&cycle));
                let mut places: Vec<u32> = members.map(|b| flow.order[b]).collect();
                places.sort_unstable();
                assert_eq!(places[0], flow.order[header as usize]);
                assert_eq!(places[places.len() - 1] - places[0] + 1, places.len() as u32);
            }
        }
    }

    #[test]
    fn continue_and_break_in_one_loop() {
        // 0 → 1; 1 → 2 3; 2 → 1 3 (continue or fall through); 3 → 1 4.
        let graph = vec![vec![1], vec![2, 3], vec![1, 3], vec![1, 4], vec![]];
        let flow = Flow::compute(&graph);
        assert_eq!(flow.headers, vec![1]);
        assert_eq!(flow.edge(0, 1), EdgeAction { keep: 0, bump: false, zeros: 0, one: true });
        assert_eq!(flow.edge(2, 1), EdgeAction { keep: 1, bump: true, zeros: 0, one: false });
        assert_eq!(flow.edge(3, 4), EdgeAction { keep: 0, bump: false, zeros: 0, one: false });
        assert_eq!(flow.post_dominator[2], 3);
    }

    #[test]
    fn lanes_that_leave_early_do_not_count() {
        // 0 → 1; 1 → 2 5 (a loop and what is behind it); 2 → 3 4; 3 returns; 4 → 1; 5 votes and returns.
        let graph = vec![vec![1], vec![2, 5], vec![3, 4], vec![], vec![1], vec![]];
        let quiet = [false, false, false, true, false, false];
        let mut flow = Flow::compute(&graph);
        assert_eq!((flow.post_dominator[1], flow.post_dominator[2]), (NONE, NONE));
        flow.leave_early(&graph, &quiet);
        assert_eq!((flow.meeting[1], flow.meeting[2], flow.meeting[4]), (5, 4, 1));
        // 0 → 1; 1 → 2 3 (a vote in 2); 2 → 4; 3 → 4 5 (may return); 4 → 1 6; 5 and 6 return: in the loop all votes are.
        let graph = vec![vec![1], vec![2, 3], vec![4], vec![4, 5], vec![1, 6], vec![], vec![]];
        let quiet = [false, false, false, false, false, true, true];
        let mut flow = Flow::compute(&graph);
        flow.leave_early(&graph, &quiet);
        assert_eq!((flow.post_dominator[1], flow.meeting[1], flow.meeting[3]), (NONE, 4, 4));
    }
}
