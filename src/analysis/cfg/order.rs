//! In which order does a depth-first walk from the entry meet and leave the blocks?
//!
//! One walk with an explicit stack (a function may be a chain of 100,000 blocks) gives three numberings:
//! - **preorder**, with the end of each block's subtree, so that "is an ancestor in the walk" is two compares;
//! - **reverse post-order**, in which every edge that is not retreating goes up;
//! - **reachability**: blocks never met have no number.
//!
//! Linear; deterministic, as successors are followed in terminator order.

use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// No number: the block is unreachable.
const NEVER: u32 = u32::MAX;

/// The numberings of one depth-first walk.
#[derive(Clone, Debug)]
pub struct Order {
    /// Blocks as met.
    preorder: Vec<Block>,
    /// Blocks in reverse of leaving.
    rpo: Vec<Block>,
    /// For each block its number in `preorder`, and one past the last number of its subtree.
    span: Vec<(u32, u32)>,
    has_only_self_loops: bool,
}

impl Order {
    /// Walks `graph` from its entry.
    pub fn new(graph: &Graph) -> Order {
        let count = graph.block_count();
        let mut order = Order {
            preorder: Vec::with_capacity(count),
            rpo: Vec::with_capacity(count),
            span: vec![(NEVER, 0); count],
            has_only_self_loops: true,
        };
        if count == 0 {
            return order;
        }
        let mut stack: SmallVec<[(Block, u32); 32]> = SmallVec::new();
        order.meet(graph.entry());
        stack.push((graph.entry(), 0));
        while let Some((block, next)) = stack.last_mut() {
            let block = *block;
            match graph.succs(block).get(*next as usize) {
                Some(&succ) => {
                    *next += 1;
                    if !order.is_reachable(succ) {
                        order.meet(succ);
                        stack.push((succ, 0));
                    } else if order.span[succ.index()].1 == 0 {
                        order.has_only_self_loops &= succ == block; // the walk has not left it
                    }
                }
                None => {
                    order.span[block.index()].1 = order.preorder.len() as u32;
                    order.rpo.push(block);
                    stack.pop();
                }
            }
        }
        order.rpo.reverse();
        order
    }

    fn meet(&mut self, block: Block) {
        self.span[block.index()].0 = self.preorder.len() as u32;
        self.preorder.push(block);
    }

    /// Whether any path from the entry leads to `block`.
    #[inline]
    pub fn is_reachable(&self, block: Block) -> bool {
        self.span[block.index()].0 != NEVER
    }

    /// Whether no path leads from a block to itself but over an edge to itself.
    pub fn has_only_self_loops(&self) -> bool {
        self.has_only_self_loops
    }

    /// The reachable blocks in reverse post-order.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// The reachable blocks as the walk met them.
    pub fn preorder(&self) -> &[Block] {
        &self.preorder
    }

    /// Whether the walk was inside `a` when it met `b` (reflexive; false when either is unreachable).
    #[inline]
    pub fn is_ancestor(&self, a: Block, b: Block) -> bool {
        let (start, end) = self.span[a.index()];
        let (at, _) = self.span[b.index()];
        start <= at && at < end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{random_graphs, reachable};

    #[test]
    fn forward_edges_go_up_on_random_graphs() {
        for g in random_graphs(4000, 9) {
            let o = Order::new(&g);
            let seen = reachable(&g, g.entry(), &[]);
            let mut number = vec![None; g.block_count()];
            for (i, b) in o.rpo().iter().enumerate() {
                number[b.index()] = Some(i);
            }
            for b in g.blocks() {
                assert_eq!(o.is_reachable(b), seen.contains(b.index()));
                assert_eq!(o.is_reachable(b), number[b.index()].is_some());
                for &s in g.succs(b).iter().filter(|_| o.is_reachable(b)) {
                    assert!(number[b.index()] < number[s.index()] || o.is_ancestor(s, b));
                }
            }
        }
    }
}
