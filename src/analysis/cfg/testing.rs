//! Small graphs for tests: written by hand, or random with every shape the analyses must survive.

use crate::cfg::cycles::{Cycle, Cycles};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;
use warpwise_oracle::fuzz::rng::Rng;

/// The block of that number.
pub fn block(index: usize) -> Block {
    Block::new(index)
}

/// A graph from plain numbers.
pub fn graph(block_count: usize, edges: &[(usize, usize)]) -> Graph {
    Graph::new(block_count, edges.iter().map(|&(a, b)| (block(a), block(b))))
}

/// A graph of at most ten blocks from its edges: `01 02` branches from block 0.
pub fn drawn(edges: &str) -> Graph {
    let digit = |edge: &str, at: usize| usize::from(edge.as_bytes()[at] - b'0');
    let edges: Vec<_> = edges.split(' ').map(|edge| (digit(edge, 0), digit(edge, 1))).collect();
    graph(1 + edges.iter().map(|&(from, to)| from.max(to)).max().unwrap_or(0), &edges)
}

/// A random graph of 1 to `max_blocks` blocks: self loops, duplicate edges, irreducible cycles, unreachable blocks and
/// infinite loops included. Some have mostly forward edges, so that deep nests and long joins occur too.
pub fn random_graph(random: &mut Rng, max_blocks: usize) -> Graph {
    let count = 1 + random.below(max_blocks);
    let forward = random.below(4); // 0: no bias
    let mut edges = Vec::new();
    for from in 0..count {
        let degree = match random.below(16) {
            0 => 0,
            1..=6 => 1,
            7..=14 => 2,
            _ => 3,
        };
        for _ in 0..degree {
            let ahead = count - 1 - from;
            let to = match forward {
                0 => random.below(count),
                _ if ahead > 0 && random.below(forward * 2) > 0 => from + 1 + random.below(ahead.min(3)),
                _ => random.below(count),
            };
            edges.push((from, to));
        }
    }
    graph(count, &edges)
}

/// `count` random graphs, the same ones each time.
pub fn random_graphs(count: usize, max_blocks: usize) -> impl Iterator<Item = Graph> {
    let mut random = Rng::new(0x5eed, max_blocks as u64);
    (0..count).map(move |_| random_graph(&mut random, max_blocks))
}

/// What `from` reaches (itself included) when the blocks `gone` are taken away.
pub fn reachable(g: &Graph, from: Block, gone: &[Block]) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(g.block_count());
    let mut work = vec![from];
    while let Some(b) = work.pop() {
        if !gone.contains(&b) && !seen.put(b.index()) {
            work.extend(g.succs(b));
        }
    }
    seen
}

/// A dynamic instance: a block, and the iteration number of each cycle around it, outermost first.
pub type Instance = (Block, Vec<u32>);

/// The instance at which a lane arrives that goes from `from` to `to`. By definition, not by any order.
pub fn step(cycles: &Cycles, from: &Instance, to: Block) -> Instance {
    let old: Vec<Cycle> = cycles.iter().filter(|&c| cycles.contains(c, from.0)).collect();
    let around = cycles.iter().filter(|&c| cycles.contains(c, to));
    let count = |c: Cycle| {
        let before = old.iter().position(|&o| o == c).map_or(0, |i| from.1[i]);
        before + u32::from(cycles.header(c) == to)
    };
    (to, around.map(count).collect())
}

/// All instances that walks from one instance of a branch meet, up to iteration 3 of any cycle: an acyclic graph.
pub struct Unrolled {
    /// Node 0 is the branch.
    pub nodes: Vec<Instance>,
    pub succs: Vec<Vec<usize>>,
    /// For each node, what the branch reaches when it is taken away.
    pub without: Vec<FixedBitSet>,
}

impl Unrolled {
    /// Unrolls from `branch`, in iteration 1 of all cycles around it.
    pub fn new(g: &Graph, cycles: &Cycles, branch: Block) -> Unrolled {
        let depth = cycles.iter().filter(|&c| cycles.contains(c, branch)).count();
        let start = (branch, vec![1; depth]);
        let mut index = std::collections::HashMap::from([(start.clone(), 0)]);
        let (mut nodes, mut succs) = (vec![start], Vec::new());
        while succs.len() < nodes.len() {
            let from = nodes[succs.len()].clone();
            let mut row = Vec::new();
            for &to in g.succs(from.0) {
                let next = step(cycles, &from, to);
                if next.1.iter().all(|&n| n <= 3) {
                    let number = *index.entry(next.clone()).or_insert_with(|| {
                        nodes.push(next);
                        nodes.len() - 1
                    });
                    row.push(number);
                }
            }
            succs.push(row);
        }
        let mut unrolled = Unrolled { nodes, succs, without: Vec::new() };
        unrolled.without = (0..unrolled.nodes.len()).map(|gone| unrolled.reach(|n| n == gone)).collect();
        unrolled
    }

    /// What the branch reaches without the nodes `gone` (the branch itself cannot be).
    pub fn reach(&self, gone: impl Fn(usize) -> bool) -> FixedBitSet {
        let mut seen = FixedBitSet::with_capacity(self.nodes.len());
        let mut work = vec![0];
        seen.insert(0);
        while let Some(n) = work.pop() {
            for &s in &self.succs[n] {
                if !gone(s) && !seen.put(s) {
                    work.push(s);
                }
            }
        }
        seen
    }

    /// Whether two walks, disjoint but for the branch, end in two different ones of `targets`, each a set of nodes with a
    /// common new successor. By Menger's theorem: no single node or target separates them from the branch.
    pub fn parts(&self, targets: &[Vec<usize>]) -> bool {
        let hit = |i: usize, gone: usize| targets[i].iter().any(|&n| self.without[gone].contains(n));
        (1..self.nodes.len()).all(|gone| (0..targets.len()).any(|i| hit(i, gone)))
            && targets.iter().filter(|t| !t.is_empty()).count() >= 2
    }
}

/// One lane's walk from the entry, at most `limit` instances. Of `divergent` branches it decides by `random`, of others
/// by the instance, as every lane with the same `seed` does.
pub fn walk(
    g: &Graph,
    cycles: &Cycles,
    divergent: &FixedBitSet,
    seed: u64,
    random: &mut Rng,
    limit: usize,
) -> Vec<Instance> {
    let first: Vec<u32> = cycles
        .iter()
        .filter(|&c| cycles.contains(c, g.entry()))
        .map(|c| u32::from(cycles.header(c) == g.entry()))
        .collect();
    let mut path = vec![(g.entry(), first)];
    while path.len() < limit {
        let here = &path[path.len() - 1];
        let succs = g.succs(here.0);
        if succs.is_empty() {
            break;
        }
        let choice = if divergent.contains(here.0.index()) {
            random.below(succs.len())
        } else {
            let hash = here.1.iter().fold(here.0.index() as u64, |hash, &n| hash << 8 | u64::from(n));
            Rng::new(seed, hash).below(succs.len())
        };
        let next = step(cycles, here, succs[choice]);
        path.push(next);
    }
    path
}
