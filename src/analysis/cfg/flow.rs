//! Which way does an algorithm travel through a graph: as execution goes, or against it?

use crate::cfg::cycles::Cycles;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// A direction of travel through a graph: what an algorithm sees that runs both forwards and backwards.
///
/// Implementers keep `prev` the exact converse of `next` over the blocks reachable from the roots. `prev` may also name
/// blocks that are not, as an algorithm only asks about blocks it has met.
pub trait Flow {
    /// One more than the largest block index.
    fn block_count(&self) -> usize;
    /// Where travel starts: the successors of the virtual root.
    fn roots(&self) -> &[Block];
    /// Where travel goes from `block`.
    fn next(&self, block: Block) -> &[Block];
    /// Where travel comes from to `block`.
    fn prev(&self, block: Block) -> &[Block];
    /// Whether `block` takes part; a block that does not is treated as absent.
    fn admits(&self, block: Block) -> bool;
}

/// The way execution goes: from the entry along the edges.
pub struct Forward<'a> {
    graph: &'a Graph,
    root: [Block; 1],
}

impl<'a> Forward<'a> {
    /// Travel from the entry of `graph`.
    pub fn new(graph: &'a Graph) -> Forward<'a> {
        Forward { graph, root: [graph.entry()] }
    }
}

impl Flow for Forward<'_> {
    fn block_count(&self) -> usize {
        self.graph.block_count()
    }
    fn roots(&self) -> &[Block] {
        &self.root
    }
    #[inline]
    fn next(&self, block: Block) -> &[Block] {
        self.graph.succs(block)
    }
    #[inline]
    fn prev(&self, block: Block) -> &[Block] {
        self.graph.preds(block)
    }
    #[inline]
    fn admits(&self, _: Block) -> bool {
        true
    }
}

/// Against execution: from a virtual exit to the reachable exits, and from there against the edges.
///
/// Blocks that reach no exit reach an outermost cycle without exit edges. The header of each such cycle counts as an
/// exit, so that every reachable block has post-dominators. LLVM picks a block too, by the longest walk; the header is
/// where an iteration ends, so that lanes which `continue` early are not said to pass the rest of the body.
pub struct Backward<'a> {
    graph: &'a Graph,
    cycles: &'a Cycles,
    roots: Vec<Block>,
}

impl<'a> Backward<'a> {
    /// Travel from the exits of `graph`.
    pub fn new(graph: &'a Graph, cycles: &'a Cycles) -> Backward<'a> {
        let mut roots = Vec::new();
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
        Backward { graph, cycles, roots }
    }
}

impl Flow for Backward<'_> {
    fn block_count(&self) -> usize {
        self.graph.block_count()
    }
    fn roots(&self) -> &[Block] {
        &self.roots
    }
    #[inline]
    fn next(&self, block: Block) -> &[Block] {
        self.graph.preds(block)
    }
    #[inline]
    fn prev(&self, block: Block) -> &[Block] {
        self.graph.succs(block)
    }
    #[inline]
    fn admits(&self, block: Block) -> bool {
        self.cycles.is_reachable(block)
    }
}
