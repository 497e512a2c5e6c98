//! In which order do the groups of a split warp run, where do they meet, and which iteration is a group in?
//!
//! For one function this computes, from successor lists alone:
//! 1. **Cycles**, as a forest: strongly connected regions; the header of a region is its first entry in depth-first
//!    order; edges into the header are cut and the rest is searched again for inner cycles. Irreducible regions fall out
//!    of the same rule.
//! 2. **Order**: a topological order of the blocks with every cycle contiguous and its header first (edges into headers
//!    ignored). The lockstep scheduler always runs the group that is furthest behind: fewest iterations of the outermost
//!    cycle the groups share, then of the next, then the smallest order. So when a block starts, every lane that will come
//!    to it in this iteration is there.
//! 3. **Immediate post-dominators**, on the reversed graph with a virtual exit, for the strict scheduler.
//! 4. **Edge actions**: how the iteration vector (for each cycle around the block, how often its header was entered since
//!    control came into the cycle) changes along an edge.
//!
//! Cost: Tarjan's algorithm once a nesting level; iterative post-dominators (Cooper, Harvey, Kennedy, "A simple, fast
//! dominance algorithm", 2001). Shares nothing with the analysis' own `cfg`: an oracle must not share its bugs.

use smallvec::SmallVec;

/// No block: the virtual exit, or no such thing.
pub const NONE: u32 = u32::MAX;

/// What the machine needs to know of a function's control flow.
#[derive(Debug, Default)]
pub struct Flow {
    /// Position of each block in the order; `NONE` for unreachable blocks.
    pub order: Vec<u32>,
    /// Immediate post-dominator of each block, `NONE` for the virtual exit.
    pub post_dominator: Vec<u32>,
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
    /// Whether the last surviving count goes up by one: an edge into the header from inside.
    pub bump: bool,
    /// New counts of zero: cycles entered elsewhere than at their header.
    pub zeros: u16,
    /// Whether a last new count of one follows: a cycle entered at its header.
    pub one: bool,
}

impl EdgeAction {
    /// Takes an iteration vector (outermost cycle first) along the edge.
    pub fn advance(self, counts: &mut SmallVec<[u32; 4]>) {
        if self.is_none(counts.len()) {
            return;
        }
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
    /// Whether the vector stays as it is.
    pub fn is_none(self, depth: usize) -> bool {
        usize::from(self.keep) == depth && !self.bump && self.zeros == 0 && !self.one
    }
}

impl Flow {
    /// Computes all of it. Block 0 is the entry.
    pub fn compute(successors: &[Vec<u32>]) -> Flow {
        let count = successors.len();
        let mut flow = Flow {
            order: vec![NONE; count],
            post_dominator: vec![NONE; count],
            cycles: vec![Vec::new(); count],
            headers: Vec::new(),
        };
        if count == 0 {
            return flow;
        }
        let preorder = reverse_post_order(successors);
        let reachable: Vec<u32> = (0..count as u32).filter(|&b| preorder[b as usize] != NONE).collect();
        let mut sequence = Vec::with_capacity(count);
        let mut region = Region { successors, rank: &preorder, inside: vec![0; count], level: 0 };
        flow.nest(&mut region, reachable, None, &mut sequence);
        for (position, &block) in sequence.iter().enumerate() {
            flow.order[block as usize] = position as u32;
        }
        flow.post_dominator = post_dominators(successors, &flow.order);
        flow
    }

    /// Orders the blocks of one region, the header's incoming edges cut, and searches its inner cycles.
    fn nest(&mut self, region: &mut Region<'_>, blocks: Vec<u32>, header: Option<u32>, sequence: &mut Vec<u32>) {
        region.level += 1;
        let level = region.level;
        for &block in &blocks {
            region.inside[block as usize] = level;
        }
        let root = header.unwrap_or(0);
        let components = region.components(&blocks, root, header);
        for component in components.into_iter().rev() {
            let first = component[0];
            let cut = |from: u32, to: u32| header == Some(to) && region.inside[from as usize] == level;
            let own_loop =
                component.len() == 1 && region.successors[first as usize].contains(&first) && !cut(first, first);
            if component.len() == 1 && !own_loop {
                sequence.push(first);
                continue;
            }
            // The first entry in depth-first order: every path into the region from the function's entry is cut by the
            // entries, so the block of least rank is one.
            let inner = component.iter().copied().min_by_key(|&b| region.rank[b as usize]).unwrap_or(first);
            let cycle = self.headers.len() as u32;
            self.headers.push(inner);
            for &block in &component {
                self.cycles[block as usize].push(cycle);
            }
            self.nest(region, component, Some(inner), sequence);
            // Inner levels overwrote the marks of their blocks; they are behind us in the order, and the components of
            // this level are already known, so the marks of this level are needed for nothing but `cut`.
        }
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

/// One level of the search for cycles.
struct Region<'g> {
    successors: &'g [Vec<u32>],
    /// Reverse post-order of the whole function.
    rank: &'g [u32],
    /// The last level each block was part of.
    inside: Vec<u32>,
    level: u32,
}

impl Region<'_> {
    /// Strongly connected components in reverse topological order (Tarjan, with an explicit stack), `root` visited first.
    fn components(&self, blocks: &[u32], root: u32, header: Option<u32>) -> Vec<Vec<u32>> {
        let level = self.level;
        let mut index = vec![NONE; self.successors.len()];
        let mut low = vec![0u32; self.successors.len()];
        let mut on_stack = vec![false; self.successors.len()];
        let mut stack = Vec::new();
        let mut components = Vec::new();
        let mut next = 0u32;
        for &start in std::iter::once(&root).chain(blocks) {
            if index[start as usize] != NONE {
                continue;
            }
            let mut work: Vec<(u32, usize)> = vec![(start, 0)];
            while let Some(top) = work.last_mut() {
                let (block, position) = *top;
                let at = block as usize;
                if position == 0 {
                    index[at] = next;
                    low[at] = next;
                    next += 1;
                    stack.push(block);
                    on_stack[at] = true;
                }
                let follow = self.successors[at][position..]
                    .iter()
                    .position(|&to| self.inside[to as usize] == level && Some(to) != header);
                match follow {
                    Some(skip) => {
                        top.1 = position + skip + 1;
                        let to = self.successors[at][position + skip];
                        if index[to as usize] == NONE {
                            work.push((to, 0));
                        } else if on_stack[to as usize] {
                            low[at] = low[at].min(index[to as usize]);
                        }
                        // A block whose first successor was skipped must not be numbered again.
                        continue;
                    }
                    None => {
                        work.pop();
                        if let Some(&(parent, _)) = work.last() {
                            low[parent as usize] = low[parent as usize].min(low[at]);
                        }
                        if low[at] == index[at] {
                            let mut component = Vec::new();
                            while let Some(member) = stack.pop() {
                                on_stack[member as usize] = false;
                                component.push(member);
                                if member == block {
                                    break;
                                }
                            }
                            component.sort_unstable();
                            components.push(component);
                        }
                    }
                }
            }
        }
        components
    }
}

/// Position of each block in reverse post-order from block 0, `NONE` for unreachable ones.
fn reverse_post_order(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![false; successors.len()];
    let mut post = Vec::with_capacity(successors.len());
    let mut work = vec![(0u32, 0usize)];
    seen[0] = true;
    while let Some(top) = work.last_mut() {
        let (block, position) = *top;
        match successors[block as usize].get(position) {
            Some(&to) => {
                top.1 += 1;
                if !seen[to as usize] {
                    seen[to as usize] = true;
                    work.push((to, 0));
                }
            }
            None => {
                post.push(block);
                work.pop();
            }
        }
    }
    let mut rank = vec![NONE; successors.len()];
    for (position, &block) in post.iter().rev().enumerate() {
        rank[block as usize] = position as u32;
    }
    rank
}

/// Immediate post-dominators of reachable blocks. Blocks that cannot reach an exit get `NONE`, as do those whose paths to
/// the exits share no block.
fn post_dominators(successors: &[Vec<u32>], order: &[u32]) -> Vec<u32> {
    let count = successors.len();
    let exit = count as u32;
    let mut predecessors = vec![Vec::new(); count + 1];
    for (from, targets) in (0u32..).zip(successors) {
        if order[from as usize] == NONE {
            continue;
        }
        if targets.is_empty() {
            predecessors[exit as usize].push(from);
        }
        for &to in targets {
            predecessors[to as usize].push(from);
        }
    }
    // Post-order of the reversed graph from the virtual exit.
    let mut number = vec![NONE; count + 1];
    let mut post = Vec::new();
    let mut seen = vec![false; count + 1];
    let mut work = vec![(exit, 0usize)];
    seen[exit as usize] = true;
    while let Some(top) = work.last_mut() {
        let (block, position) = *top;
        match predecessors[block as usize].get(position) {
            Some(&from) => {
                top.1 += 1;
                if !seen[from as usize] {
                    seen[from as usize] = true;
                    work.push((from, 0));
                }
            }
            None => {
                number[block as usize] = post.len() as u32;
                post.push(block);
                work.pop();
            }
        }
    }
    let mut idom = vec![NONE; count + 1];
    idom[exit as usize] = exit;
    let exit_edge = [exit];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in post.iter().rev().filter(|&&b| b != exit) {
            let targets = &successors[block as usize];
            let targets: &[u32] = if targets.is_empty() { &exit_edge } else { targets };
            let mut best = NONE;
            for &to in targets.iter().filter(|&&to| idom[to as usize] != NONE) {
                let mut a = to;
                let mut b = if best == NONE { to } else { best };
                while a != b {
                    while number[a as usize] < number[b as usize] {
                        a = idom[a as usize];
                    }
                    while number[b as usize] < number[a as usize] {
                        b = idom[b as usize];
                    }
                }
                best = a;
            }
            if best != idom[block as usize] {
                idom[block as usize] = best;
                changed = true;
            }
        }
    }
    idom.truncate(count);
    for block in &mut idom {
        if *block == exit {
            *block = NONE;
        }
    }
    idom
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |bound: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as u32 % bound
        };
        let mut graph: Vec<Vec<u32>> = (0..blocks).map(|_| Vec::new()).collect();
        for targets in &mut graph {
            // Block 0 has no predecessors, as in LLVM.
            for _ in 0..next(3) {
                targets.push(1 + next(blocks - 1));
            }
        }
        graph
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
}
