//! From a block that one group of lanes is at, how far can they be followed without looking?
//!
//! **Definitions.** The *items* of a cycle (or of the function, outside all cycles) are the blocks directly in it and its
//! child cycles. Their graph has the edges of the blocks and, for a child cycle, its exit edges; edges that start the next
//! iteration or leave lead to one root. It has no cycle. Item *p* is *ahead* of item *i* when all paths from *i* to
//! the root pass *p*: post-dominance within one iteration. Child cycles without exits lead to the root: lanes stay there.
//!
//! **What it is for.** While a sweep for joins has nothing pending before *p*, lanes at *i* bring one and the same label to
//! everything up to *p*, leave the iteration nowhere before, and nothing can join there: the sweep goes on at *p*.
//! A divergent early return then costs a few steps, not a walk over the rest of the function.
//!
//! **Phases**, over positions of [`Cycles::order`] from the last to the first: the next item ahead of a block is the
//! nearest common one of its successors, that of a cycle the nearest common one of its exit edges' targets. Each item
//! keeps two links, to the next item ahead and to one about twice as far as the last such link was worth, so that
//! climbing to a position, and finding a common item, take logarithmically many steps.
//!
//! **Conservative**: a cycle with several entries is never ahead (the sweep would not know where to go on): the root is.
//! Fewer shortcuts change no answer.
//!
//! **Cost**: O(m log n), once; an edge counts once for each cycle it leaves.
//!
//! Links: Myers, *An applicative random-access stack*, IPL 17(5) 1983; the bottom-up pass is the usual one for acyclic
//! graphs (Cooper, Harvey, Kennedy, *A Simple, Fast Dominance Algorithm*, 2001).

use crate::cfg::cycles::{Cycle, Cycles};
use cranelift_entity::EntityRef;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// The root: what lies behind an iteration.
const ROOT: u32 = 0;

#[derive(Clone, Copy)]
struct Item {
    /// The next item ahead.
    up: u32,
    /// A further item ahead.
    far: u32,
    /// How many items are ahead.
    depth: u32,
    /// Position of the block, or of the cycle's header. Ascends along `up`; the root's is the largest.
    position: u32,
}

/// What lies ahead of every item.
pub struct Shortcuts {
    /// The root, then blocks, then cycles.
    items: Vec<Item>,
    block_count: u32,
}

impl Shortcuts {
    /// Finds what lies ahead of all items of `graph`.
    pub fn new(graph: &Graph, cycles: &Cycles) -> Shortcuts {
        let block_count = graph.block_count();
        let root = Item { up: ROOT, far: ROOT, depth: 0, position: u32::MAX };
        let mut shortcuts =
            Shortcuts { items: vec![root; 1 + block_count + cycles.len()], block_count: block_count as u32 };
        // What is ahead of all exit edges of a cycle seen so far.
        let mut ahead_of_exits: Vec<Option<u32>> = vec![None; cycles.len()];
        for &block in cycles.order().iter().rev() {
            let level = cycles.cycle_of(block);
            let mut ahead = None;
            for &succ in graph.succs(block) {
                let next = shortcuts.item_at(cycles, level, succ);
                shortcuts.meet(&mut ahead, next);
                let mut left = level.filter(|&c| !cycles.contains(c, succ));
                while let Some(cycle) = left {
                    let outer = cycles.parent(cycle);
                    let next = shortcuts.item_at(cycles, outer, succ);
                    shortcuts.meet(&mut ahead_of_exits[cycle.index()], next);
                    left = outer.filter(|&c| !cycles.contains(c, succ));
                }
            }
            shortcuts.put(cycles, shortcuts.block_item(block), cycles.position(block), ahead);
            if let Some(cycle) = level.filter(|&c| cycles.header(c) == block) {
                let item = shortcuts.cycle_item(cycle);
                shortcuts.put(cycles, item, cycles.position(block), ahead_of_exits[cycle.index()]);
            }
        }
        shortcuts
    }

    fn block_item(&self, block: Block) -> u32 {
        1 + block.as_u32()
    }

    fn cycle_item(&self, cycle: Cycle) -> u32 {
        1 + self.block_count + cycle.as_u32()
    }

    /// The item of `level` that an edge to `to` from inside of it leads to; the root where that ends the iteration, or
    /// where the sweep could not go on.
    fn item_at(&self, cycles: &Cycles, level: Option<Cycle>, to: Block) -> u32 {
        if level.is_some_and(|c| !cycles.contains(c, to) || cycles.header(c) == to) {
            return ROOT;
        }
        match inner_cycle(cycles, level, to) {
            None => self.block_item(to),
            Some(cycle) => self.cycle_item(cycle),
        }
    }

    fn has_one_entry(&self, cycles: &Cycles, item: u32) -> bool {
        item <= self.block_count || cycles.is_reducible(Cycle::from_u32(item - 1 - self.block_count))
    }

    /// Makes `ahead` the nearest item ahead of, or equal to, both.
    fn meet(&self, ahead: &mut Option<u32>, other: u32) {
        let Some(mut a) = *ahead else {
            *ahead = Some(other);
            return;
        };
        let mut b = other;
        while self.depth(a) > self.depth(b) {
            a = self.climb(a, self.depth(b));
        }
        while self.depth(b) > self.depth(a) {
            b = self.climb(b, self.depth(a));
        }
        while a != b {
            let (x, y) = (self.items[a as usize], self.items[b as usize]);
            (a, b) = if x.far != y.far { (x.far, y.far) } else { (x.up, y.up) };
        }
        *ahead = Some(a);
    }

    fn depth(&self, item: u32) -> u32 {
        self.items[item as usize].depth
    }

    /// One link up from `item`, not past `depth`.
    fn climb(&self, item: u32, depth: u32) -> u32 {
        let Item { up, far, .. } = self.items[item as usize];
        if self.depth(far) >= depth { far } else { up }
    }

    fn put(&mut self, cycles: &Cycles, item: u32, position: u32, ahead: Option<u32>) {
        let up = ahead.filter(|&up| self.has_one_entry(cycles, up)).unwrap_or(ROOT);
        let next = self.items[up as usize];
        let farther = self.items[next.far as usize];
        let is_even = next.depth - farther.depth == farther.depth - self.depth(farther.far);
        let far = if up != ROOT && is_even { farther.far } else { up };
        self.items[item as usize] = Item { up, far, depth: next.depth + 1, position };
    }

    /// The last position before `limit` that all lanes at `block` come to, `block` being in `level` or, through `inner`,
    /// in a child of it; `None` when that is where they are.
    #[inline]
    pub fn ahead(&self, block: Block, inner: Option<Cycle>, limit: u32) -> Option<u32> {
        let mut item = match inner {
            None => self.block_item(block),
            Some(cycle) => self.cycle_item(cycle),
        };
        let mut at = self.items[item as usize];
        if self.items[at.up as usize].position >= limit {
            return None;
        }
        while self.items[at.up as usize].position < limit {
            item = if self.items[at.far as usize].position < limit { at.far } else { at.up };
            at = self.items[item as usize];
        }
        Some(at.position)
    }
}

/// The child of `level` that contains `block`, which is inside `level`; `None` when it is directly in it.
#[inline]
pub(crate) fn inner_cycle(cycles: &Cycles, level: Option<Cycle>, block: Block) -> Option<Cycle> {
    let innermost = cycles.cycle_of(block);
    if innermost == level {
        return None;
    }
    innermost.and_then(|inner| cycles.ancestors(inner).find(|&c| cycles.parent(c) == level))
}
