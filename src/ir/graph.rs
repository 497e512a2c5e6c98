//! Which blocks follow a block, and which precede it?
//!
//! Both directions are stored as compressed rows: a list of targets, and a list of row starts. Edges keep the order in
//! which they were given, including duplicates (a `switch` with two cases for one target, a `br` with equal targets),
//! because a phi has one operand for each. Code that must not count an edge twice compares blocks, as
//! [`Graph::is_branch`] does.
//!
//! Input: block 0 is the entry, and edges are grouped by source, in block order. Building takes one pass over the edges
//! and one to sort them by target; there are no caps.

use crate::entity::Block;
use cranelift_entity::EntityRef;

/// A control-flow graph whose entry is block 0.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    succ_start: Vec<u32>,
    succ_list: Vec<Block>,
    pred_start: Vec<u32>,
    pred_list: Vec<Block>,
}

impl Graph {
    /// Builds the graph of `block_count` blocks from its edges `(from, to)`, which come in ascending order of `from`.
    ///
    /// # Panics
    /// When an edge names a block that does not exist, or sources descend.
    pub fn new(block_count: usize, edges: impl IntoIterator<Item = (Block, Block)>) -> Graph {
        let mut ends = Vec::with_capacity(block_count + 1);
        let mut targets = Vec::with_capacity(block_count * 2);
        for (from, to) in edges {
            assert!(from.index() < block_count && ends.len() <= from.index(), "edges of {from} out of order");
            ends.resize(from.index(), targets.len() as u32);
            targets.push(to);
        }
        ends.resize(block_count, targets.len() as u32);
        Graph::from_rows(ends, targets)
    }

    /// Builds the graph from rows of successors: those of all blocks one after the other, and where each row ends.
    ///
    /// # Panics
    /// When an edge names a block that does not exist.
    pub fn from_rows(mut ends: Vec<u32>, succ_list: Vec<Block>) -> Graph {
        let block_count = ends.len();
        ends.insert(0, 0);
        let succ_start = ends;
        let mut pred_start = vec![0u32; block_count + 1];
        for &to in &succ_list {
            pred_start[to.index() + 1] += 1;
        }
        for i in 0..block_count {
            pred_start[i + 1] += pred_start[i];
        }
        // filled from the back, so that the end of each row becomes its start
        let mut pred_list = vec![Block::new(0); succ_list.len()];
        for from in (0..block_count).rev() {
            for &to in succ_list[succ_start[from] as usize..succ_start[from + 1] as usize].iter().rev() {
                let slot = &mut pred_start[to.index() + 1];
                *slot -= 1;
                pred_list[*slot as usize] = Block::new(from);
            }
        }
        pred_start.remove(0);
        pred_start.push(pred_list.len() as u32);
        Graph { succ_start, succ_list, pred_start, pred_list }
    }

    /// Number of blocks, including unreachable ones.
    pub fn block_count(&self) -> usize {
        self.pred_start.len().saturating_sub(1)
    }

    /// Where execution starts.
    pub fn entry(&self) -> Block {
        Block::new(0)
    }

    /// All blocks, in function order.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + use<> {
        (0..self.block_count()).map(Block::new)
    }

    /// The successors of `block` in terminator order, duplicates kept.
    #[inline]
    pub fn succs(&self, block: Block) -> &[Block] {
        let i = block.index();
        &self.succ_list[self.succ_start[i] as usize..self.succ_start[i + 1] as usize]
    }

    /// The predecessors of `block` in function order, duplicates kept.
    #[inline]
    pub fn preds(&self, block: Block) -> &[Block] {
        let i = block.index();
        &self.pred_list[self.pred_start[i] as usize..self.pred_start[i + 1] as usize]
    }

    /// Whether lanes can take different ways at the end of `block`: it has two distinct successors.
    #[inline]
    pub fn is_branch(&self, block: Block) -> bool {
        self.succs(block).split_first().is_some_and(|(first, rest)| rest.iter().any(|s| s != first))
    }

    /// Whether lanes can arrive at `block` from two distinct blocks.
    #[inline]
    pub fn is_merge(&self, block: Block) -> bool {
        self.preds(block).split_first().is_some_and(|(first, rest)| rest.iter().any(|p| p != first))
    }

    /// The blocks without successors (`ret`, `unreachable`), reachable or not, in function order.
    pub fn exits(&self) -> impl Iterator<Item = Block> + '_ {
        self.blocks().filter(|&b| self.succs(b).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(index: usize) -> Block {
        Block::new(index)
    }
    fn graph(count: usize, edges: &[(usize, usize)]) -> Graph {
        Graph::new(count, edges.iter().map(|&(from, to)| (block(from), block(to))))
    }

    #[test]
    fn rows_keep_order_and_duplicates() {
        let g = graph(4, &[(0, 2), (0, 1), (0, 2), (2, 3), (2, 3)]);
        assert_eq!(g.succs(block(0)), [block(2), block(1), block(2)]);
        assert_eq!(g.preds(block(3)), [block(2), block(2)]);
        assert_eq!(g.preds(block(2)), [block(0), block(0)]);
        assert!(g.is_branch(block(0)) && !g.is_branch(block(2)) && !g.is_merge(block(3)));
        assert_eq!(g.exits().collect::<Vec<_>>(), [block(1), block(3)]);
        assert_eq!((g.block_count(), g.succ_list.len()), (4, 5));
    }

    #[test]
    fn an_empty_graph_is_allowed() {
        let g = Graph::new(0, []);
        assert_eq!((g.block_count(), g.exits().count()), (0, 0));
    }

    #[test]
    #[should_panic(expected = "out of order")]
    fn descending_sources_are_refused() {
        graph(2, &[(1, 0), (0, 1)]);
    }
}
