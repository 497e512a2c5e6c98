//! In which order does a melded block execute the work of both sides?
//!
//! Nodes are melded pairs, instructions that all lanes execute, and guarded ones that stay behind the condition. Edges
//! are the data dependences of both sides and, within each side, the order of memory accesses (reads between the writes
//! around them). Unguarded nodes go first, in the order of the sides; when none of them is ready, all guarded nodes
//! that are ready go into one guard. Guards are thus as few and as late as the dependences allow.
//!
//! Sides depend on each other only through melded pairs. A set of pairs that crosses itself (one side executes *a*
//! before *b*, the other *b'* before *a'*, each dependent) has no schedule, which is how the planner detects it.
//!
//! Cost: linear in instructions and dependences, times the logarithm of the number of nodes that are ready at a time.

use super::legality::{self, Order};
use super::matching::How;
use crate::mutants::{self, Mutant};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warpwise_ir::Func;
use warpwise_ir::entity::Inst;

/// One step of the melded block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Two instructions become one.
    Meld { insts: [Inst; 2], how: How },
    /// An instruction of one side that all lanes execute.
    Lift(Inst),
    /// Instructions of each side, behind the condition.
    Guard([Vec<Inst>; 2]),
}

/// A node before scheduling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Meld([Inst; 2], How),
    Lift(Inst),
    Guard(Inst, usize),
}

impl Node {
    fn insts(&self) -> impl Iterator<Item = Inst> {
        let (first, second) = match *self {
            Node::Meld([t, f], _) => (t, Some(f)),
            Node::Lift(inst) | Node::Guard(inst, _) => (inst, None),
        };
        std::iter::once(first).chain(second)
    }
}

/// Orders the nodes; `None` if their dependences form a cycle. `sides` are the instructions of the two sides.
pub fn schedule(func: &Func, sides: [&[Inst]; 2], nodes: &[Node]) -> Option<Vec<Step>> {
    let mut node_of: FxHashMap<Inst, u32> = FxHashMap::default();
    for (index, node) in nodes.iter().enumerate() {
        for inst in node.insts() {
            node_of.insert(inst, index as u32);
        }
    }
    let edges = dependences(func, sides, &node_of);
    let mut waits = vec![0u32; nodes.len()];
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (from, to) in edges {
        after[from as usize].push(to);
        waits[to as usize] += 1;
    }
    let rank = ranks(nodes, sides);
    let mut free = BinaryHeap::new();
    let mut guarded = BinaryHeap::new();
    let mut steps = Vec::new();
    let mut done = 0;
    let is_guard = |index: u32| matches!(nodes[index as usize], Node::Guard(..));
    for index in (0..nodes.len() as u32).filter(|&index| waits[index as usize] == 0) {
        let queue = if is_guard(index) { &mut guarded } else { &mut free };
        queue.push(Reverse((rank[index as usize], index)));
    }
    loop {
        let mut group: [Vec<Inst>; 2] = Default::default();
        let unguarded = free.pop();
        let opens = unguarded.is_none();
        let mut next = if opens { guarded.pop() } else { unguarded };
        if next.is_none() {
            break;
        }
        while let Some(Reverse((_, index))) = next {
            done += 1;
            match nodes[index as usize] {
                Node::Meld(insts, how) => steps.push(Step::Meld { insts, how }),
                Node::Lift(inst) => steps.push(Step::Lift(inst)),
                Node::Guard(inst, side) => group[side].push(inst),
            }
            for &follower in &after[index as usize] {
                waits[follower as usize] -= 1;
                if waits[follower as usize] == 0 {
                    let queue = if is_guard(follower) { &mut guarded } else { &mut free };
                    queue.push(Reverse((rank[follower as usize], follower)));
                }
            }
            next = if opens { guarded.pop() } else { None };
        }
        if opens {
            steps.push(Step::Guard(group));
        }
    }
    (done == nodes.len()).then_some(steps)
}

/// The position of each node in its side; for melded pairs the mean of both.
fn ranks(nodes: &[Node], sides: [&[Inst]; 2]) -> Vec<u32> {
    let mut position: FxHashMap<Inst, u32> = FxHashMap::default();
    for side in sides {
        position.extend(side.iter().enumerate().map(|(index, &inst)| (inst, index as u32)));
    }
    nodes
        .iter()
        .map(|node| match *node {
            Node::Meld([t, f], _) => position[&t] + position[&f],
            Node::Lift(inst) | Node::Guard(inst, _) => 2 * position[&inst],
        })
        .collect()
}

fn dependences(func: &Func, sides: [&[Inst]; 2], node_of: &FxHashMap<Inst, u32>) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for side in sides {
        let mut last_write: Option<u32> = None;
        let mut reads: Vec<u32> = Vec::new();
        for &inst in side {
            let node = node_of[&inst];
            for def in func.operands(inst).iter().filter_map(|&operand| func.def(operand)) {
                // only within this block: what other blocks define is available already, or arrives through a phi
                if let Some(&from) = node_of.get(&def).filter(|&&from| from != node) {
                    edges.push((from, node));
                }
            }
            match legality::order(func, inst) {
                Order::Free => {}
                Order::Reads if mutants::on(Mutant::HoistedLoad) => {}
                Order::Reads => {
                    edges.extend(last_write.map(|write| (write, node)));
                    reads.push(node);
                }
                Order::Writes => {
                    edges.extend(last_write.map(|write| (write, node)));
                    edges.extend(reads.drain(..).map(|read| (read, node)));
                    last_write = Some(node);
                }
            }
        }
    }
    edges
}
