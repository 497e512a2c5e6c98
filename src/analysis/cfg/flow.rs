//! Which way does an algorithm travel through a graph: as execution goes, or against it?

use crate::cfg::cycles::Cycles;
use smallvec::{SmallVec, smallvec};
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// A direction of travel through a graph: what an algorithm sees that runs both forwards and backwards. What comes
/// before a block is the exact converse of what comes after it; it may also name blocks that are not reachable, as an
/// algorithm only asks about blocks it has met.
pub struct Flow<'a> {
    graph: &'a Graph,
    roots: SmallVec<[Block; 4]>,
    /// Those of the graph, if travel goes against execution.
    against: Option<&'a Cycles>,
}

impl<'a> Flow<'a> {
    /// The way execution goes: from the entry of `graph` along the edges.
    pub fn forward(graph: &'a Graph) -> Flow<'a> {
        Flow { graph, roots: smallvec![graph.entry()], against: None }
    }

    /// Against execution: from a virtual exit to the reachable exits, and from there against the edges.
    ///
    /// Blocks that reach no exit reach an outermost cycle without exit edges. The header of each such cycle counts as an
    /// exit, so that every reachable block has post-dominators. LLVM picks a block too, by the longest walk; the header is
    /// where an iteration ends, so that lanes which `continue` early are not said to pass the rest of the body.
    pub fn backward(graph: &'a Graph, cycles: &'a Cycles) -> Flow<'a> {
        let mut roots = SmallVec::new();
        let mut at = 0;
        // Outermost cycles are disjoint ranges of the order: each block is looked at once.
        while let Some(&block) = cycles.order().get(at) {
            match cycles.outermost_of(block) {
                None => {
                    at += 1;
                    if graph.succs(block).is_empty() {
                        roots.push(block);
                    }
                }
                Some(cycle) => {
                    at += cycles.blocks(cycle).len();
                    if cycles.exit_edges(graph, cycle).next().is_none() {
                        roots.push(cycles.header(cycle));
                    }
                }
            }
        }
        Flow { graph, roots, against: Some(cycles) }
    }

    /// One more than the largest block index.
    pub fn block_count(&self) -> usize {
        self.graph.block_count()
    }
    /// Where travel starts: the successors of the virtual root.
    pub fn roots(&self) -> &[Block] {
        &self.roots
    }
    /// Where travel goes from `block`.
    #[inline]
    pub fn next(&self, block: Block) -> &[Block] {
        if self.against.is_some() { self.graph.preds(block) } else { self.graph.succs(block) }
    }
    /// Where travel comes from to `block`.
    #[inline]
    pub fn prev(&self, block: Block) -> &[Block] {
        if self.against.is_some() { self.graph.succs(block) } else { self.graph.preds(block) }
    }
    /// Whether `block` takes part; a block that does not is treated as absent.
    #[inline]
    pub fn admits(&self, block: Block) -> bool {
        self.against.is_none_or(|cycles| cycles.is_reachable(block))
    }
}
