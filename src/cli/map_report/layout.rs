//! Where is each block of a control-flow graph drawn?
//!
//! Blocks that follow each other without a branch between them are one box; the boxes are laid out in layers (Sugiyama
//! 1981, the crate `rust-sugiyama`) with the edges that lead back reversed, because it takes acyclic graphs. A box is
//! *where lanes meet again* if it is the immediate post-dominator of a box that ends in a divergent branch.

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;
use serde::Serialize;
use std::collections::BTreeSet;
use warpwise_analysis::cfg::{Cfg, Dominators};
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// Width and height of a box, in pixels.
const SIZE: [u32; 2] = [210, 36];
/// Space between boxes, in pixels.
const GAP: u32 = 30;

/// A drawing.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    pub width: u32,
    pub height: u32,
    /// Width and height of each box.
    pub size: [u32; 2],
    pub boxes: Vec<Boxed>,
    pub edges: Vec<Edge>,
}

/// One block, or several that follow each other.
#[derive(Clone, Debug, Serialize)]
pub struct Boxed {
    /// Top left corner in pixels.
    pub at: [u32; 2],
    pub blocks: Vec<u32>,
    /// Whether lanes that a divergent branch has parted meet again here.
    pub joins: bool,
}

/// An edge between boxes, by index.
#[derive(Clone, Debug, Serialize)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    /// Whether it leads back to a box above.
    pub is_back: bool,
}

/// Draws a graph given by the successors of each block, the entry first; `divergent`: blocks that end in such branches.
pub fn draw(next: &[Vec<u32>], divergent: &[u32]) -> Drawing {
    let empty = Drawing { width: 0, height: 0, size: SIZE, boxes: Vec::new(), edges: Vec::new() };
    let Some((graph, chains)) = (!next.is_empty()).then(|| fold(next)) else { return empty };
    let cfg = Cfg::new(&graph);
    let after = Dominators::backward(&graph, &cfg.cycles);
    let mut number = vec![0; chains.len()];
    (0..).zip(cfg.order.rpo()).for_each(|(position, block)| number[block.as_u32() as usize] = position);
    let index = |block: Block| block.as_u32() as usize;
    let is_back = |from: Block, to: Block| number[index(to)] <= number[index(from)];
    let edges = || graph.blocks().flat_map(|from| graph.succs(from).iter().map(move |&to| (from, to)));
    let down = edges().filter(|(from, to)| from != to).map(|(from, to)| {
        let [above, below] = if is_back(from, to) { [to, from] } else { [from, to] };
        (above.as_u32(), below.as_u32())
    });
    let down = Vec::from_iter(down.collect::<BTreeSet<(u32, u32)>>());
    let sizes: Vec<_> = (0..chains.len() as u32).map(|own| (own, (f64::from(SIZE[0]), f64::from(SIZE[1])))).collect();
    let config = Config { vertex_spacing: f64::from(GAP), ..Config::default() };
    // one layout, because all that is left is reached from the entry
    let places: Vec<(usize, (f64, f64))> =
        from_vertices_and_edges(&sizes, &down, &config).into_iter().flat_map(|(places, ..)| places).collect();
    let least = |of: fn(&(f64, f64)) -> f64| places.iter().map(|(_, at)| of(at)).fold(f64::INFINITY, f64::min);
    let corner = [least(|at| at.0), least(|at| at.1)];
    // space for edges that curve to the side
    let margin = [SIZE[0] / 3, GAP / 2];
    let mut boxes: Vec<Boxed> = chains.into_iter().map(|blocks| Boxed { at: [0; 2], blocks, joins: false }).collect();
    for (own, (x, y)) in places {
        boxes[own].at = [margin[0] + (x - corner[0]).round() as u32, margin[1] + (y - corner[1]).round() as u32];
    }
    let [right, bottom] = [0, 1].map(|axis| boxes.iter().map(|one| one.at[axis]).max().unwrap_or(0) + SIZE[axis]);
    for block in graph.blocks() {
        let is_split = boxes[index(block)].blocks.last().is_some_and(|last| divergent.contains(last));
        if let Some(join) = after.idom(block).filter(|_| is_split) {
            boxes[index(join)].joins = true;
        }
    }
    let edge = |from: Block, to: Block| Edge { from: from.as_u32(), to: to.as_u32(), is_back: is_back(from, to) };
    let edges = edges().map(|(from, to)| edge(from, to)).collect();
    Drawing { width: right + margin[0], height: bottom + margin[1], boxes, edges, ..empty }
}

/// The reachable blocks, with those that follow each other as one; and what each consists of.
fn fold(next: &[Vec<u32>]) -> (Graph, Vec<Vec<u32>>) {
    let targets = next.iter().map(|targets| targets.iter().map(|&target| Block::from_u32(target)).collect());
    let targets: Vec<BTreeSet<Block>> = targets.collect();
    let edges = (0u32..).zip(&targets).flat_map(|(from, to)| to.iter().map(move |&to| (Block::from_u32(from), to)));
    let graph = Graph::new(next.len(), edges);
    let cfg = Cfg::new(&graph);
    let reached = |block: &&Block| cfg.order.is_reachable(**block);
    let (mut chains, mut chain_of) = (Vec::<Vec<u32>>::new(), vec![u32::MAX; next.len()]);
    for &block in cfg.order.rpo() {
        let before: Vec<&Block> = graph.preds(block).iter().filter(reached).collect();
        let follows = match before.as_slice() {
            [only] if block != graph.entry() && graph.succs(**only).len() == 1 => chain_of[only.as_u32() as usize],
            _ => u32::MAX,
        };
        let own = if follows == u32::MAX { chains.len() as u32 } else { follows };
        if follows == u32::MAX {
            chains.push(Vec::new());
        }
        chains[own as usize].push(block.as_u32());
        chain_of[block.as_u32() as usize] = own;
    }
    let ends = (0u32..).zip(&chains).filter_map(|(own, blocks)| Some((own, *blocks.last()?)));
    let edges = ends.flat_map(|(own, last)| targets[last as usize].iter().map(move |to| (own, to.as_u32() as usize)));
    let edges = edges.map(|(from, to)| (Block::from_u32(from), Block::from_u32(chain_of[to])));
    (Graph::new(chains.len(), edges.collect::<Vec<_>>()), chains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_has_three_rows_and_a_loop_leads_back() {
        // 0 → 1, 2 → 3 → 5 → 0, 6; 4 is not reached
        let drawing = draw(&[vec![1, 2], vec![3], vec![3], vec![5], vec![3], vec![0, 6], vec![]], &[0]);
        let of = |block: u32| drawing.boxes.iter().position(|one| one.blocks.contains(&block));
        let row = |block: u32| drawing.boxes[of(block).unwrap()].at[1];
        assert_eq!(row(1), row(2));
        assert!(row(0) < row(1) && row(2) < row(3));
        assert!(of(4).is_none());
        assert_eq!(of(3), of(5), "what follows without a branch is one box");
        let joins: Vec<_> = drawing.boxes.iter().filter(|one| one.joins).map(|one| one.blocks.clone()).collect();
        assert_eq!(joins, [vec![3, 5]]);
        let back: Vec<_> = drawing.edges.iter().filter(|e| e.is_back).map(|e| (e.from, e.to)).collect();
        assert_eq!(back, [(of(3).unwrap() as u32, of(0).unwrap() as u32)]);
    }

    #[test]
    fn no_two_blocks_overlap() {
        let next: Vec<Vec<u32>> =
            (0..60u32).map(|block| vec![(block * 7 + 1) % 60, (block + 1).min(59), (block * 3) % 60]).collect();
        let drawing = draw(&next, &[]);
        let places: Vec<[u32; 2]> = drawing.boxes.iter().map(|one| one.at).collect();
        for (i, a) in places.iter().enumerate() {
            assert!(a[0] + SIZE[0] <= drawing.width && a[1] + SIZE[1] <= drawing.height);
            for b in &places[i + 1..] {
                assert!(a[0].abs_diff(b[0]) >= SIZE[0] || a[1].abs_diff(b[1]) >= SIZE[1]);
            }
        }
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert!(draw(&[], &[]).boxes.is_empty());
        assert_eq!(draw(&[vec![0]], &[]).edges.len(), 1);
    }
}
