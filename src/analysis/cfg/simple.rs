//! What do lanes that part at a branch of one of the common shapes do to phis and to values used after a loop?
//!
//! The same answers as those of a [`sweep`](crate::cfg::sweep), for an `if` or a diamond of single blocks, a guard before a
//! return that others share, and the only exit of a small loop. Most branches are of these shapes.

use crate::cfg::cycles::{Cycle, Cycles};
use crate::cfg::order::Order;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// Blocks or edges that are looked at to save a sweep, at most.
const GLANCE: usize = 64;

/// What a branch does, as [`Split`](crate::cfg::Split) says.
pub enum Simple {
    /// It has this join, or none.
    Joins(Option<Block>),
    /// Lanes leave this cycle in different iterations.
    Leaves(Cycle),
}

/// The answer for a branch; `None` if its shape is another.
pub fn simple(graph: &Graph, order: &Order, cycles: &Cycles, branch: Block) -> Option<Simple> {
    let &[a, b] = graph.succs(branch) else { return None };
    if let Some(join) = meets_at_once(graph, cycles, [branch, a, b]) {
        return Some(Simple::Joins(Some(join)));
    }
    if let Some(cycle) = cycles.cycle_of(branch) {
        let leaves = cycles.contains(cycle, a) != cycles.contains(cycle, b);
        return (leaves && is_only_exit(graph, cycles, cycle, branch)).then_some(Simple::Leaves(cycle));
    }
    let (end, other) = if graph.succs(a).is_empty() { (a, b) } else { (b, a) };
    joins_at_end(graph, order, branch, end, other).map(Simple::Joins)
}

/// Where the two ways from a branch to `a` and `b` meet, if nothing but one block lies on each, all in one iteration.
fn meets_at_once(graph: &Graph, cycles: &Cycles, [branch, a, b]: [Block; 3]) -> Option<Block> {
    let next = |block| match (graph.preds(block), graph.succs(block)) {
        (&[_], &[next]) => Some(next),
        _ => None,
    };
    let join = match (next(a), next(b)) {
        (Some(join), _) if join == b => join,
        (_, Some(join)) if join == a => join,
        (Some(x), Some(y)) if x == y => x,
        _ => return None,
    };
    let level = cycles.cycle_of(branch);
    let same_iteration =
        |block| cycles.cycle_of(block) == level && level.is_none_or(|cycle| cycles.header(cycle) != block);
    [a, b, join].into_iter().all(same_iteration).then_some(join)
}

/// Whether a cycle is small, and left at one block only, over one edge. Lanes that stay in it all come to its header, leave
/// it later over that edge, and meet nobody by the way.
fn is_only_exit(graph: &Graph, cycles: &Cycles, cycle: Cycle, branch: Block) -> bool {
    cycles.blocks(cycle).len() <= GLANCE && cycles.exit_edges(graph, cycle).all(|(from, _)| from == branch)
}

/// The joins of a branch outside of cycles one of whose ways ends at once, in a block that others share: that block or
/// none. Nothing if this takes more than a glance.
fn joins_at_end(graph: &Graph, order: &Order, branch: Block, end: Block, other: Block) -> Option<Option<Block>> {
    if !graph.succs(end).is_empty() {
        return None;
    }
    let mut rest = graph.preds(end).iter().rev().take(GLANCE).filter(|&&pred| pred != branch).peekable();
    let is_alone = rest.peek().is_none();
    (is_alone || rest.any(|&pred| order.is_ancestor(other, pred))).then_some((!is_alone).then_some(end))
}
