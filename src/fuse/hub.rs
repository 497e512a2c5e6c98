//! Which similar blocks are reached by several branches, and can all edges to them be joined in one block first?
//!
//! A condition with several parts (`a && (b || c)`), a chain of tests, or a `switch` leads to its sides along several
//! edges, so that no single branch has both sides. All these edges are redirected to one new block, the *hub*. Its
//! condition is a phi: true along the edges to the first side, false along those to the second; where one branch leads
//! to both, that branch's condition (for a `switch`, comparisons with the cases of the first side). From the hub on,
//! the two sides are those of an ordinary two-way branch.
//!
//! ```text
//!    p ──► q          p ──► q
//!    │   ╱ │    ⇒     │     │
//!    ▼ ╱   ▼          ▼     ▼
//!    A     B          ─► M ◄─      M: c = phi [true, p], [q's condition, q];  br c, A, B
//! ```
//!
//! The same works if one side does something first before it becomes similar to the other: the edges at the end of that
//! code, and the branch's edge to the other side, are joined.
//!
//! Every lane executes the same blocks as before, with one more in between, and lanes that met after the sides now meet
//! at the hub. Two conditions must hold:
//! - no edge comes from a block that the sides lead to (a loop), because lanes would meet across iterations;
//! - a value defined on the way to one side is not used after the hub, unless its definition precedes all edges:
//!   [`keeps_dominance`] computes the dominators of the changed graph and checks every use in question.
//!
//! Cost: constant for a candidate; one dominator tree for each candidate that would pay, at most one per round.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;
use warpwise_analysis::divergence::Outline;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Value};
use warpwise_ir::inst::Opcode;

/// Maximum number of blocks from which edges come.
const MAX_SOURCES: usize = 8;

/// Maximum number of different targets of a `switch` whose pairs are tried.
pub const MAX_TARGETS: usize = 6;

/// Maximum number of blocks of a side that are searched for a place where its paths meet, and of such places that are
/// tried.
const MAX_WALK: usize = 24;
const MAX_LATER: usize = 3;

/// Price of computing the condition of the hub, in issue cycles.
pub const PRICE: u32 = 4;

/// Where one block leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// To one side only.
    To(usize),
    /// To both, by its branch's condition.
    Both,
}

/// Edges to two sides that are to be redirected to one block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hub {
    pub sides: [Block; 2],
    pub sources: Vec<(Block, Way)>,
}

/// The edges to two blocks, among them those from the end of `entry`; `None` if they cannot be joined.
pub fn find(outline: &Outline, entry: Block, sides: [Block; 2]) -> Option<Hub> {
    let func = &outline.func;
    let mut sources: Vec<(Block, Way)> = Vec::new();
    for (side, &block) in sides.iter().enumerate() {
        for &from in func.graph.preds(block) {
            match sources.iter().position(|known| known.0 == from) {
                Some(known) if sources[known].1 == Way::To(side) => {}
                Some(known) => sources[known].1 = Way::Both,
                None if sources.len() == MAX_SOURCES => return None,
                None => sources.push((from, Way::To(side))),
            }
        }
    }
    let ends_well = |&(from, way): &(Block, Way)| match func.insts[func.terminator(from)].opcode {
        Opcode::Br => way != Way::Both,
        Opcode::CondBr => true,
        Opcode::Switch => way != Way::Both || from == entry,
        _ => false,
    };
    let dominators = outline.dominators();
    let comes_back = |&(from, _): &(Block, Way)| {
        !outline.is_reachable(from) || sides.iter().any(|&side| dominators.dominates(side, from))
    };
    let fits = sides[0] != sides[1] && sources.iter().all(ends_well) && !sources.iter().any(comes_back);
    fits.then_some(Hub { sides, sources })
}

/// Pairs of targets of a branch that could be sides.
pub fn candidates(func: &Func, entry: Block) -> Vec<[Block; 2]> {
    let mut targets: Vec<Block> = Vec::new();
    for &target in func.graph.succs(entry) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets.retain(|&target| target != entry && func.insts[func.terminator(target)].opcode != Opcode::Unreachable);
    if targets.len() > MAX_TARGETS {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (index, &first) in targets.iter().enumerate() {
        pairs.extend(targets[index + 1..].iter().map(|&second| [first, second]));
    }
    pairs
}

/// Pairs of one side's head and a block further on in the other side where its paths meet again: sides that are similar
/// except for something that one of them does first. Lanes of the first side may have to wait for that, so `is_free`
/// must hold for every block of it: nothing in it waits for other lanes.
pub fn later_candidates(outline: &Outline, sides: [Block; 2], is_free: impl Fn(Block) -> bool) -> Vec<[Block; 2]> {
    let mut pairs = Vec::new();
    pairs.extend(meetings(outline, sides[1], &is_free).into_iter().map(|later| [sides[0], later]));
    pairs.extend(meetings(outline, sides[0], &is_free).into_iter().map(|later| [later, sides[1]]));
    pairs
}

/// Blocks after a side's head at which paths from it meet, nearest first, as far as a short search finds them.
fn meetings(outline: &Outline, head: Block, is_free: &impl Fn(Block) -> bool) -> Vec<Block> {
    let func = &outline.func;
    let (dominators, cycles) = (outline.dominators(), &outline.cfg().cycles);
    let mut seen = vec![head];
    let mut found = Vec::new();
    let mut next = 0;
    while next < seen.len() && seen.len() < MAX_WALK && found.len() < MAX_LATER {
        for &to in func.graph.succs(seen[next]) {
            if seen.contains(&to) || !dominators.strictly_dominates(head, to) {
                continue;
            }
            seen.push(to);
            // lanes from the other side would be a second entry into a loop
            let is_meeting = func.graph.preds(to).len() > 1 && cycles.cycle_of(to) == cycles.cycle_of(head);
            if is_meeting && is_free_between(outline, head, to, is_free) {
                found.push(to);
            }
        }
        next += 1;
    }
    found
}

/// Whether all blocks from a side's head to one that it dominates are free.
fn is_free_between(outline: &Outline, head: Block, meeting: Block, is_free: &impl Fn(Block) -> bool) -> bool {
    let mut seen: Vec<Block> = vec![meeting];
    let mut next = 0;
    while next < seen.len() {
        for &from in outline.func.graph.preds(seen[next]) {
            if seen.contains(&from) {
                continue;
            }
            if seen.len() > MAX_WALK || !is_free(from) || outline.dominators().dominates(meeting, from) {
                return false;
            }
            seen.push(from);
        }
        // nothing before the head is on the way
        next += 1;
        while seen.get(next) == Some(&head) {
            next += 1;
        }
    }
    seen.contains(&head)
}

/// Whether every definition still dominates its uses after the edges are redirected to one block.
pub fn keeps_dominance(outline: &Outline, hub: &Hub) -> bool {
    let func = &outline.func;
    let dominators = outline.dominators();
    let sources: FxHashSet<Block> = hub.sources.iter().map(|source| source.0).collect();
    let before_all = |block: Block| sources.iter().all(|&source| dominators.dominates(block, source));
    // the blocks on the way to one side only
    let mut doubtful: Vec<Block> = Vec::new();
    for side in hub.sides {
        let mut above = dominators.idom(side);
        while let Some(block) = above.filter(|&block| !before_all(block)) {
            if !doubtful.contains(&block) {
                doubtful.push(block);
            }
            above = dominators.idom(block);
        }
    }
    if doubtful.is_empty() {
        return true;
    }
    let changed = warpwise_analysis::cfg::dominators::Dominators::forward(&changed_graph(func, hub));
    let holds = |value: Value, home: Block| {
        outline.users(value).iter().all(|&user| {
            let data = &func.insts[user];
            if data.opcode != Opcode::Phi {
                return changed.dominates(home, data.block);
            }
            let edges = func.operands(user).iter().zip(func.incoming(user));
            edges.filter(|edge| *edge.0 == value).all(|edge| changed.dominates(home, *edge.1))
        })
    };
    doubtful.iter().all(|&home| func.block_insts(home).all(|inst| holds(func.result(inst), home)))
}

/// The control flow with the hub as the last block.
fn changed_graph(func: &Func, hub: &Hub) -> warpwise_ir::graph::Graph {
    let count = func.graph.block_count();
    let middle = Block::new(count);
    let mut edges = Vec::with_capacity(func.graph.edge_count() + 2);
    for from in func.graph.blocks() {
        let mut joined = false;
        for &to in func.graph.succs(from) {
            if !hub.sides.contains(&to) {
                edges.push((from, to));
            } else if !joined {
                joined = true;
                edges.push((from, middle));
            }
        }
    }
    edges.extend(hub.sides.map(|side| (middle, side)));
    warpwise_ir::graph::Graph::new(count + 1, edges)
}
