//! Where do the lanes go that part at a branch, and where can they be said to be together again?
//!
//! **Definitions.** A *dynamic instance* of a block is the block with the iteration number of every cycle around it
//! (counted at the header, from 1; 0 before the header is met in a cycle entered elsewhere). A lane's walk meets
//! instances in a strictly ascending order: outer iterations first, then [`Cycles::order`], with inner cycles as one
//! item each. So of the instances that two walks share, there is a last one before any point; unless that point is next
//! in both walks over the same edge, the last shared instance is of a branch at which they part, and from there to the
//! point the walks are disjoint. All that lanes can disagree on by *control* therefore shows on pairs of disjoint walks
//! from one instance of a branch. One sweep follows all such walks from one instance at once.
//!
//! **State.** The *pending* blocks: those that walks have arrived at but not been followed from. Each carries a *label*:
//! the last block which all walks to here pass, after the branch (at first the branch's successor itself). Walks with
//! equal labels meet at the label; where two labels arrive, walks are disjoint up to there, and the block becomes a new
//! label. Labels are the children of the branch in the dominator tree of the unrolled, acyclic graph of instances: hence
//! exact, by Menger's theorem.
//!
//! **Phases**, level by level, the innermost cycle around the branch first, then the ones around it, then the function:
//! 1. Take the pending block that is first in the order and hand its label on to its successors. Of a cycle that does
//!    not contain the branch the sweep sees the entries and the exit edges only: all walks that enter at one block leave
//!    with its label. When different labels are pending at different entries (so the cycle is irreducible), lanes are
//!    in it without ever meeting at its header in step: the goal is told ([`Goal::enters_apart`]), and every target of
//!    an exit edge counts as a place where different labels arrive.
//! 2. An edge to the header of a cycle around the branch ends the iteration. It waits until nothing is pending inside
//!    that cycle. Then, whatever labels came, the header gives them one; in later iterations all blocks of the cycle are
//!    reached with it, so all exit edges carry it. Whatever else is pending by then left in the current iteration: if
//!    its label differs, lanes leave in different iterations ([`Goal::leaves_apart`]).
//! 3. Stop as soon as the goal is content with the pending blocks.
//!
//! **Input**: the branch is reachable; `cycles` belongs to `graph`. [`Goal::admits`] may take edges away, but none
//! between blocks of one cycle (the forest would change).
//!
//! **Conservative**: a walk inside a cycle that has exit edges is taken to leave it. Lanes that never do hang the
//! program, or its kernel; LLVM's post-dominators make the same assumption. Cycles entered apart give all their exits
//! labels of their own.
//!
//! **Cost**: each sweep looks at every block between the branch and where it stops at most once per cycle level that
//! lanes leave apart. Nothing is cleared that was not touched.
//!
//! Rosemann, Moll, Hack: *An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs*, POPL 2021,
//! section 4 (labels in topological order, joins of disjoint paths). Changed: iterations are followed through headers and
//! exits level by level, so one pass yields joins and temporal divergence of all cycles around the branch; arbitrary
//! graphs; the same sweep, asked another question, bounds the region a branch decides on.

use crate::cfg::cycles::{Cycle, Cycles};
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warpwise_ir::entity::Block;
use warpwise_ir::graph::Graph;

/// What a sweep is for.
pub trait Goal {
    /// Whether the question is settled.
    fn is_done(&self, pending: &Pending) -> bool;
    /// Whether lanes of interest take that edge.
    fn admits(&self, _from: Block, _to: Block) -> bool {
        true
    }
    /// Walks pass these blocks before the sweep stops.
    fn passes(&mut self, _blocks: &[Block]) {}
    /// Lanes leave `cycle`, which is around the branch, in different iterations.
    fn leaves_apart(&mut self, _cycle: Cycle) {}
    /// Lanes are in `cycle`, which is not around the branch, having entered at different blocks.
    fn enters_apart(&mut self, _cycle: Cycle) {}
    /// Disjoint walks arrive at `block` from different predecessors. Told when the sweep is over.
    fn joins(&mut self, _block: Block) {}
}

/// What the walks have arrived at.
#[derive(Clone, Copy, Default, Debug)]
pub struct Pending {
    /// How many blocks (headers of the next iteration included).
    pub blocks: u32,
    /// How many different labels they carry.
    pub labels: u32,
    /// Whether some walk has ended: in a block without successors, or in a cycle without exits.
    pub has_lost: bool,
}

#[derive(Clone, Copy)]
struct Mark {
    /// Label of the walks that arrived; none before any has.
    label: PackedOption<Block>,
    /// The predecessor of the first arrival.
    pred: Block,
    /// How many pending blocks carry *this* block as label.
    carriers: u32,
    /// Different labels arrived.
    apart: bool,
    /// Different predecessors arrived.
    several: bool,
}

/// Reusable state of sweeps over one graph.
pub struct Sweep {
    marks: Vec<Mark>,
    /// Positions of the pending blocks, headers of the next iteration excluded; the first on top. Seldom more than a few.
    frontier: BinaryHeap<Reverse<u32>>,
    touched: SmallVec<[Block; 16]>,
    /// Scratch: labels at the entries of a cycle.
    entered: SmallVec<[Block; 4]>,
    pending: Pending,
    /// Edges followed so far, over all sweeps.
    steps: u64,
}

impl Sweep {
    /// State for a graph of `block_count` blocks.
    pub fn new(block_count: usize) -> Sweep {
        let block = Block::reserved_value();
        let mark = Mark { label: None.into(), pred: block, carriers: 0, apart: false, several: false };
        Sweep {
            marks: vec![mark; block_count],
            frontier: BinaryHeap::new(),
            touched: SmallVec::new(),
            entered: SmallVec::new(),
            pending: Pending::default(),
            steps: 0,
        }
    }

    /// How many edges were followed so far, over all sweeps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Follows the lanes that part at `branch` until `goal` is done.
    pub fn run(&mut self, graph: &Graph, cycles: &Cycles, branch: Block, goal: &mut impl Goal) {
        debug_assert!(self.touched.is_empty() && self.frontier.is_empty());
        debug_assert!(cycles.is_reachable(branch));
        self.pending = Pending::default();
        for &succ in graph.succs(branch) {
            if goal.admits(branch, succ) {
                self.arrive(cycles, branch, succ, succ);
            }
        }
        let mut level = cycles.cycle_of(branch);
        while !goal.is_done(&self.pending) {
            let end = level.map_or(cycles.order().len() as u32, |cycle| cycles.range(cycle).end);
            match (self.frontier.peek(), level) {
                (Some(&Reverse(at)), _) if at < end => self.follow(graph, cycles, level, at, goal),
                (_, Some(cycle)) => {
                    self.iterate(graph, cycles, cycle, goal);
                    level = cycles.parent(cycle);
                }
                (_, None) => break,
            }
        }
        self.frontier.clear();
        self.clear(goal);
    }

    /// A walk with `label` takes the edge `from` → `to`.
    #[inline]
    fn arrive(&mut self, cycles: &Cycles, from: Block, to: Block, label: Block) {
        self.steps += 1;
        let mark = &mut self.marks[to.index()];
        match mark.label.expand() {
            None => {
                mark.label = Some(label).into();
                mark.pred = from;
                self.touched.push(to);
                self.pending.blocks += 1;
                let at = cycles.position(to);
                // Any other edge leads to the header of a cycle around the branch: the next iteration.
                if at > cycles.position(from) {
                    self.frontier.push(Reverse(at));
                }
                self.take_up(label);
            }
            Some(old) => {
                mark.several |= mark.pred != from;
                if old != label {
                    mark.apart = true;
                    if old != to {
                        mark.label = Some(to).into();
                        self.take_up(to);
                        self.put_down(old);
                    }
                }
            }
        }
    }

    #[inline]
    fn take_up(&mut self, label: Block) {
        let carriers = &mut self.marks[label.index()].carriers;
        self.pending.labels += (*carriers == 0) as u32;
        *carriers += 1;
    }

    #[inline]
    fn put_down(&mut self, label: Block) {
        let carriers = &mut self.marks[label.index()].carriers;
        *carriers -= 1;
        self.pending.labels -= (*carriers == 0) as u32;
    }

    /// `block`, pending with `label`, is followed now.
    #[inline]
    fn retire(&mut self, label: Block) {
        self.pending.blocks -= 1;
        self.put_down(label);
    }

    fn label(&self, block: Block) -> Block {
        self.marks[block.index()].label.expect("a pending block has a label")
    }

    /// Phase 1: follows what is pending at position `at`, at `level`.
    fn follow(&mut self, graph: &Graph, cycles: &Cycles, level: Option<Cycle>, at: u32, goal: &mut impl Goal) {
        self.frontier.pop();
        let block = cycles.order()[at as usize];
        let label = self.label(block);
        if let Some(inner) = inner_cycle(cycles, level, block) {
            self.pass_through(graph, cycles, inner, block, goal);
            return;
        }
        let mut is_lost = true;
        for &succ in graph.succs(block) {
            if goal.admits(block, succ) {
                self.arrive(cycles, block, succ, label);
                is_lost = false;
            }
        }
        self.pending.has_lost |= is_lost;
        self.retire(label);
        goal.passes(&[block]);
    }

    /// Phase 1 for a cycle that is not around the branch: from its entries, `entry` the first pending, to its exits.
    fn pass_through(&mut self, graph: &Graph, cycles: &Cycles, cycle: Cycle, entry: Block, goal: &mut impl Goal) {
        let label = self.label(entry);
        let end = cycles.range(cycle).end;
        self.entered.clear();
        self.entered.push(label);
        while let Some(&Reverse(at)) = self.frontier.peek().filter(|at| at.0 < end) {
            self.frontier.pop();
            self.entered.push(self.label(cycles.order()[at as usize]));
        }
        let is_apart = self.entered.iter().any(|&other| other != label);
        let mut is_lost = true;
        for (from, to) in cycles.exit_edges(graph, cycle) {
            if goal.admits(from, to) {
                is_lost = false;
                if is_apart {
                    self.arrive(cycles, from, to, to);
                    self.marks[to.index()].apart = true;
                } else {
                    self.arrive(cycles, from, to, label);
                }
            }
        }
        self.pending.has_lost |= is_lost;
        self.steps += cycles.blocks(cycle).len() as u64;
        for i in 0..self.entered.len() {
            self.retire(self.entered[i]);
        }
        if is_apart {
            goal.enters_apart(cycle);
        }
        goal.passes(cycles.blocks(cycle));
    }

    /// Phase 2: nothing is pending inside `cycle`, which is around the branch, but perhaps its header.
    fn iterate(&mut self, graph: &Graph, cycles: &Cycles, cycle: Cycle, goal: &mut impl Goal) {
        let Some(label) = self.marks[cycles.header(cycle).index()].label.expand() else { return };
        if self.pending.labels > 1 {
            goal.leaves_apart(cycle);
        }
        for (from, to) in cycles.exit_edges(graph, cycle) {
            if goal.admits(from, to) {
                self.arrive(cycles, from, to, label);
            }
        }
        self.steps += cycles.blocks(cycle).len() as u64;
        self.retire(label);
        goal.passes(cycles.blocks(cycle));
    }

    /// Tells the joins and forgets everything.
    fn clear(&mut self, goal: &mut impl Goal) {
        for block in self.touched.drain(..) {
            let mark = &mut self.marks[block.index()];
            if mark.apart && mark.several {
                goal.joins(block);
            }
            *mark = Mark { label: None.into(), pred: block, carriers: 0, apart: false, several: false };
        }
    }
}

/// The child of `level` that contains `block`, which is inside `level`; `None` when it is directly in it.
#[inline]
fn inner_cycle(cycles: &Cycles, level: Option<Cycle>, block: Block) -> Option<Cycle> {
    let innermost = cycles.cycle_of(block);
    if innermost == level {
        return None;
    }
    innermost.and_then(|inner| cycles.ancestors(inner).find(|&c| cycles.parent(c) == level))
}
