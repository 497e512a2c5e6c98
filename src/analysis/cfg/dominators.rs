//! Which blocks does every path to a block pass?
//!
//! **Definitions.** Over a [`Flow`] with virtual root *r* before its roots, *a* dominates *b* when every path from *r* to
//! *b* passes *a* (reflexive). Forwards this is dominance, backwards post-dominance. *r* itself is not a block: the
//! immediate dominator of a block that only *r* dominates is `None`.
//!
//! **Phases** (Semi-NCA):
//! 1. number the blocks in depth-first preorder, *r* = 0;
//! 2. in descending order find each block's semidominator, evaluating minima over the already linked part of the
//!    depth-first tree with path compression;
//! 3. in ascending order climb from the tree parent to the first block numbered no higher than the semidominator: the
//!    immediate dominator;
//! 4. give the dominator tree entry and exit numbers, without child lists: sizes are summed in descending order, and each
//!    block takes the next free range of its parent in ascending order.
//!
//! **Not conservative**: exact, except that post-dominance gets extra exits for infinite loops
//! ([`Flow::backward`]); more exits mean more paths, so fewer blocks are said to post-dominate.
//! Blocks the roots do not reach dominate nothing and are dominated by nothing.
//!
//! **Cost**: O(m log n) for phases 1, 2 and 4; phase 3 is quadratic on contrived graphs only. No recursion.
//!
//! Georgiadis, Tarjan, Werneck: *Finding Dominators in Practice*, JGAA 10(1) 2006, section 2.3. Changed: several roots
//! under the virtual one; dominance numbers in the same pass.

use crate::cfg::cycles::Cycles;
use crate::cfg::flow::Flow;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// What the tree says of a block. `leave` is 0 for blocks the roots do not reach, so that every compare fails.
#[derive(Clone, Copy, Debug)]
struct Node {
    idom: PackedOption<Block>,
    depth: u32,
    enter: u32,
    leave: u32,
}

/// Steps up the tree, in the mean over all blocks, that [`Dominators::of_reducible`] takes at most.
const CLIMBS_PER_BLOCK: usize = 8;

/// A dominator tree, of either direction.
#[derive(Clone, Debug)]
pub struct Dominators {
    nodes: Vec<Node>,
}

/// What phases 1 to 3 know of a block by its depth-first number; number 0 is the virtual root.
#[derive(Clone, Copy)]
struct Vertex {
    block: Block,
    /// Depth-first parent; then the nearest uncompressed ancestor of the linked forest.
    ancestor: u32,
    /// The vertex of least semidominator between here and `ancestor`, exclusive.
    label: u32,
    /// Semidominator; the vertex itself until it is known.
    semi: u32,
    /// Depth-first parent; then immediate dominator.
    idom: u32,
}

impl Dominators {
    /// Dominance: every path from the entry.
    pub fn forward(graph: &Graph) -> Dominators {
        Dominators::compute(&Flow::forward(graph))
    }

    /// Dominance in a graph of which all cycles are reducible, from its reverse post-order: every edge that does not go up
    /// in it leads to a block that dominates its source, so one pass over the others suffices. `None` if climbing the tree
    /// would take long.
    pub fn of_reducible(graph: &Graph, rpo: &[Block]) -> Option<Dominators> {
        let mut number = vec![0u32; graph.block_count()];
        let mut vertices = Vec::with_capacity(rpo.len() + 1);
        vertices.push(Vertex { block: Block::new(0), ancestor: 0, label: 0, semi: 0, idom: 0 });
        let mut climbs = CLIMBS_PER_BLOCK * rpo.len();
        for (&block, v) in rpo.iter().zip(1u32..) {
            let mut idom = 0;
            for &pred in graph.preds(block) {
                let mut other = number[pred.index()];
                if idom == 0 {
                    idom = other;
                }
                while other != 0 && other != idom {
                    climbs = climbs.checked_sub(1)?;
                    if other > idom {
                        other = vertices[other as usize].idom;
                    } else {
                        idom = vertices[idom as usize].idom;
                    }
                }
            }
            number[block.index()] = v;
            vertices.push(Vertex { block, ancestor: 0, label: v, semi: v, idom });
        }
        Some(number_tree(graph.block_count(), &vertices))
    }

    /// Post-dominance: every path to an exit, see [`Flow::backward`] for infinite loops.
    pub fn backward(graph: &Graph, cycles: &Cycles) -> Dominators {
        Dominators::compute(&Flow::backward(graph, cycles))
    }

    /// The dominator tree of `flow`.
    pub fn compute(flow: &Flow<'_>) -> Dominators {
        let (mut vertices, number) = number_vertices(flow);
        find_semidominators(flow, &mut vertices, &number);
        for v in 1..vertices.len() {
            let semi = vertices[v].semi;
            let mut idom = vertices[v].idom;
            while idom > semi {
                idom = vertices[idom as usize].idom;
            }
            vertices[v].idom = idom;
        }
        number_tree(flow.block_count(), &vertices)
    }

    /// The immediate dominator; `None` under the virtual root and for absent blocks.
    #[inline]
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.nodes[block.index()].idom.expand()
    }

    /// `block` and the blocks that dominate it, the nearest first.
    pub fn above(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        std::iter::successors(Some(block), |&at| self.idom(at))
    }

    /// Whether every path from the roots to `b` passes `a`. Reflexive; false when either is not reached.
    #[inline]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (&self.nodes[a.index()], &self.nodes[b.index()]);
        a.enter <= b.enter && b.enter < a.leave
    }

    /// [`dominates`](Self::dominates) and `a` is not `b`.
    #[inline]
    pub fn strictly_dominates(&self, a: Block, b: Block) -> bool {
        a != b && self.dominates(a, b)
    }

    /// How many blocks properly dominate `block`; 0 for absent blocks too.
    #[inline]
    pub fn depth(&self, block: Block) -> u32 {
        self.nodes[block.index()].depth
    }

    /// Whether the roots reach `block`.
    #[inline]
    pub fn is_reached(&self, block: Block) -> bool {
        self.nodes[block.index()].leave != 0
    }

    /// The deepest block that dominates both; `None` when only the virtual root does, or either is absent.
    pub fn common(&self, a: Block, b: Block) -> Option<Block> {
        self.above(a).find(|&block| self.dominates(block, b))
    }
}

/// Phase 1. Also returns each block's number, 0 where the walk did not come.
fn number_vertices(flow: &Flow<'_>) -> (Vec<Vertex>, Vec<u32>) {
    let mut number = vec![0u32; flow.block_count()];
    let mut vertices = Vec::with_capacity(flow.block_count() + 1);
    vertices.push(Vertex { block: Block::new(0), ancestor: 0, label: 0, semi: 0, idom: 0 });
    // A block is numbered when it leaves the stack, with the latest pusher as parent: a depth-first tree.
    let mut stack: Vec<(Block, u32)> = flow.roots().iter().rev().map(|&root| (root, 0)).collect();
    while let Some((block, parent)) = stack.pop() {
        if number[block.index()] != 0 {
            continue;
        }
        let v = vertices.len() as u32;
        number[block.index()] = v;
        vertices.push(Vertex { block, ancestor: parent, label: v, semi: v, idom: parent });
        let next = flow.next(block).iter().rev();
        stack.extend(next.filter(|next| number[next.index()] == 0 && flow.admits(**next)).map(|&next| (next, v)));
    }
    (vertices, number)
}

/// Phase 2.
fn find_semidominators(flow: &Flow<'_>, vertices: &mut [Vertex], number: &[u32]) {
    let mut path = Vec::new();
    for v in (1..vertices.len()).rev() {
        // The tree edge counts as well: it is the only one into a root.
        let mut semi = vertices[v].idom;
        for &prev in flow.prev(vertices[v].block) {
            let u = number[prev.index()];
            if u != 0 {
                let best = evaluate(vertices, u, v as u32 + 1, &mut path);
                semi = semi.min(vertices[best as usize].semi);
            }
        }
        vertices[v].semi = semi;
    }
}

/// The vertex of least semidominator on the tree path from `v` up to its first ancestor below `linked`, exclusive; `v`
/// itself when it is not linked. Compresses the path to that ancestor.
fn evaluate(vertices: &mut [Vertex], v: u32, linked: u32, path: &mut Vec<u32>) -> u32 {
    let mut at = v;
    while vertices[at as usize].ancestor >= linked {
        path.push(at);
        at = vertices[at as usize].ancestor;
    }
    // `at` is the topmost linked vertex (or `v`, not linked); hand its label and ancestor down.
    let Vertex { ancestor, mut label, .. } = vertices[at as usize];
    while let Some(below) = path.pop() {
        let own = vertices[below as usize].label;
        if vertices[own as usize].semi <= vertices[label as usize].semi {
            label = own;
        }
        vertices[below as usize].label = label;
        vertices[below as usize].ancestor = ancestor;
    }
    vertices[v as usize].label
}

/// Phase 4.
fn number_tree(block_count: usize, vertices: &[Vertex]) -> Dominators {
    let absent = Node { idom: None.into(), depth: 0, enter: u32::MAX, leave: 0 };
    let mut nodes = vec![absent; block_count];
    let mut size = vec![1u32; vertices.len()];
    for v in (1..vertices.len()).rev() {
        size[vertices[v].idom as usize] += size[v];
    }
    // From here on `size[v]` is the next free number below `v`.
    size[0] = 0;
    for (v, vertex) in vertices.iter().enumerate().skip(1) {
        let parent = vertex.idom as usize;
        let enter = size[parent];
        let leave = enter + size[v];
        size[parent] = leave;
        size[v] = enter + 1;
        let (idom, depth) = match parent {
            0 => (None, 0),
            _ => (Some(vertices[parent].block), nodes[vertices[parent].block.index()].depth + 1),
        };
        nodes[vertex.block.index()] = Node { idom: idom.into(), depth, enter, leave };
    }
    Dominators { nodes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::order::Order;
    use crate::cfg::testing::{block, graph, random_graphs, reachable};

    fn both(g: &Graph) -> (Dominators, Dominators) {
        let cycles = Cycles::new(g, &Order::new(g));
        (Dominators::forward(g), Dominators::backward(g, &cycles))
    }

    /// Every claim of a tree against path removal; `reach(without)` is what the roots reach when `without` is gone.
    fn check(g: &Graph, dom: &Dominators, reach: impl Fn(&[Block]) -> fixedbitset::FixedBitSet) {
        let all = reach(&[]);
        for a in g.blocks() {
            let left = reach(&[a]);
            assert_eq!(dom.is_reached(a), all.contains(a.index()));
            for b in g.blocks() {
                let (ra, rb) = (all.contains(a.index()), all.contains(b.index()));
                assert_eq!(dom.dominates(a, b), ra && rb && !left.contains(b.index()), "{a} {b} {g:?}");
                let deepest = g.blocks().filter(|&c| dom.dominates(c, a) && dom.dominates(c, b));
                assert_eq!(dom.common(a, b), deepest.max_by_key(|&c| dom.depth(c)));
            }
            let above: Vec<Block> = g.blocks().filter(|&d| dom.strictly_dominates(d, a)).collect();
            assert_eq!(dom.depth(a) as usize, above.len());
            match dom.idom(a) {
                None => assert!(above.is_empty()),
                Some(idom) => assert!(above.contains(&idom) && above.iter().all(|&d| dom.dominates(d, idom))),
            }
        }
    }

    #[test]
    fn random_graphs_against_path_removal() {
        let mut reducible = 0;
        for g in random_graphs(6000, 9) {
            let order = Order::new(&g);
            let cycles = Cycles::new(&g, &order);
            check(&g, &Dominators::forward(&g), |gone| reachable(&g, g.entry(), gone));
            if let Some(dom) = Dominators::of_reducible(&g, order.rpo())
                && cycles.iter().all(|cycle| cycles.is_reducible(cycle))
            {
                reducible += 1;
                check(&g, &dom, |gone| reachable(&g, g.entry(), gone));
            }
            let flow = Flow::backward(&g, &cycles);
            let reach = |gone: &[Block]| {
                let mut seen = fixedbitset::FixedBitSet::with_capacity(g.block_count());
                for b in g.blocks().filter(|&b| order.is_reachable(b)) {
                    let from = reachable(&g, b, gone);
                    seen.set(b.index(), flow.roots().iter().any(|r| from.contains(r.index())));
                }
                seen
            };
            check(&g, &Dominators::compute(&flow), reach);
            for b in g.blocks() {
                assert_eq!(
                    Dominators::compute(&flow).is_reached(b),
                    order.is_reachable(b),
                    "no reachable block is lost"
                );
            }
        }
        assert!(reducible > 1000, "{reducible}");
    }

    #[test]
    fn the_exit_of_an_infinite_loop_is_its_header() {
        // 0 -> 1 <-> {2, 3}: 2 continues early, 3 is the rest of the body.
        let g = graph(4, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 1)]);
        let (_, post) = both(&g);
        assert_eq!(post.idom(block(2)), Some(block(1)));
        assert_eq!(post.idom(block(1)), None);
        assert!(!post.dominates(block(3), block(2)));
    }

    #[test]
    fn deep_graphs_are_not_quadratic() {
        // A ladder down with an edge back up from every rung: long compressed paths, deep trees.
        let n = 100_000;
        let edges = (0..n - 1).flat_map(|i| [(i, i + 1), (i, i / 2)]).map(|(a, b)| (Block::new(a), Block::new(b)));
        let g = Graph::new(n, edges);
        let (dom, post) = both(&g);
        assert_eq!(dom.depth(Block::new(n - 1)) as usize, n - 1);
        assert!(post.dominates(Block::new(n - 1), Block::new(0)));
    }
}
