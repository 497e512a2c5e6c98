//! Where do counts that arrive along different paths need a phi? At the iterated dominance frontiers of the blocks that
//! change them.
//!
//! All counters of a function are treated at once, one bit each: a function holds fewer than [`MAX_COUNTERS`].
//!
//! Source: Cytron et al., *Efficiently Computing Static Single Assignment Form and the Control Dependence Graph*,
//! TOPLAS 13(4) 1991; frontiers as in Cooper, Harvey, Kennedy, *A Simple, Fast Dominance Algorithm*, section 4.

use cranelift_entity::EntityRef;
use warpwise_analysis::cfg::Cfg;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// Upper bound of the number of counters of a function.
pub const MAX_COUNTERS: usize = 64;

/// Marks the end of a list.
const NONE: u32 = u32::MAX;

/// For each block, the counters that need a phi there, given the blocks that change counters.
pub fn joins(graph: &Graph, cfg: &Cfg, changes: impl IntoIterator<Item = (Block, u64)>) -> Vec<u64> {
    let count = graph.block_count();
    let dominators = cfg.dominators(graph);
    // the frontier of each block, as a linked list: first entry, then (block, next entry)
    let mut first = vec![NONE; count];
    let mut entries: Vec<(u32, u32)> = Vec::new();
    for &join in cfg.order.rpo() {
        let preds = graph.preds(join);
        if preds.len() < 2 {
            continue;
        }
        let end = dominators.idom(join);
        for &pred in preds.iter().filter(|&&pred| cfg.order.is_reachable(pred)) {
            let mut at = Some(pred);
            while let Some(block) = at.filter(|_| at != end) {
                let head = &mut first[block.index()];
                // the join is already in the frontier here, and so in those above
                if entries.get(*head as usize).is_some_and(|entry| entry.0 == join.as_u32()) {
                    break;
                }
                entries.push((join.as_u32(), *head));
                *head = entries.len() as u32 - 1;
                at = dominators.idom(block);
            }
        }
    }
    let mut phis = vec![0u64; count];
    let mut open: Vec<(usize, u64)> = changes.into_iter().map(|(block, counters)| (block.index(), counters)).collect();
    while let Some((block, counters)) = open.pop() {
        let mut next = first[block];
        while let Some(&(join, rest)) = entries.get(next as usize) {
            let join = join as usize;
            let more = counters & !phis[join];
            if more != 0 {
                phis[join] |= more;
                open.push((join, more));
            }
            next = rest;
        }
    }
    phis
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phis(count: usize, edges: &[(u32, u32)], changes: &[(u32, u64)]) -> Vec<u64> {
        let edges = edges.iter().map(|&(from, to)| (Block::from_u32(from), Block::from_u32(to)));
        let graph = Graph::new(count, edges);
        let cfg = Cfg::new(&graph);
        joins(&graph, &cfg, changes.iter().map(|&(block, counters)| (Block::from_u32(block), counters)))
    }

    #[test]
    fn diamonds_and_loops() {
        // 0 -> 1, 2 -> 3 -> 4; 4 -> 3 is a loop
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 3), (4, 5)];
        assert_eq!(phis(6, &edges, &[(0, 1)]), [0; 6], "a change that everybody passes");
        assert_eq!(phis(6, &edges, &[(1, 1), (2, 2)]), [0, 0, 0, 3, 0, 0]);
        assert_eq!(
            phis(6, &edges, &[(4, 4)]),
            [0, 0, 0, 4, 0, 0],
            "after the loop the last iteration's value is there"
        );
        assert_eq!(phis(6, &edges, &[(5, 1)]), [0; 6]);
    }

    #[test]
    fn a_phi_makes_more_phis() {
        // two diamonds in a row, the first inside one arm of a third
        let edges = [(0, 1), (0, 5), (1, 2), (1, 3), (2, 4), (3, 4), (4, 6), (5, 6)];
        assert_eq!(phis(7, &edges, &[(2, 1)]), [0, 0, 0, 0, 1, 0, 1]);
        // a loop of one block, and a block that nothing reaches
        assert_eq!(phis(3, &[(0, 1), (1, 1), (2, 1)], &[(1, 8)]), [0, 8, 0]);
    }
}
