//! Which trees of short divergent branches are executed faster without branches?
//!
//! `ptxas` predicates a single short if-then-else. A tree of branches with three ways and more to one block, as a chain
//! of `else if`, a `switch` or a merge of sorted lists has it, it leaves as branches. In a loop these also keep the loads
//! of one iteration behind the branches of the one before. If-converted, all ways are executed, and each phi behind them
//! becomes selects (Allen, Kennedy, Porterfield, Warren, POPL 1983). LLVM converts pairs of sides only, and only those it
//! can move above the branch for a few instructions.
//!
//! A tree is converted if
//!
//! - its branch diverges and depends on data, and no launch is known in which lanes agree on it;
//! - it is in a loop that it does not leave, and every block in it has one predecessor;
//! - its blocks only compute ([`floats`]), so that nothing but time depends on who executes them;
//! - all of them and the selects cost at most [`MAX_COST`] percent of what its branches alone cost a warp that splits at
//!   each;
//! - the back end makes the same multiply-adds of products and sums before and after.

use super::legality::{floats, is_dropped};
use super::matching::computations;
use super::pairing::Context;
use super::{plan, splits};
use crate::divergence::{Facts, Outline};
use crate::entity::{Block, Inst, Value};
use crate::gpu::prices::{DATA_SPLITS, DIVERGENT_BRANCH};
use crate::ir::inst::Opcode;
use smallvec::SmallVec;
use std::fmt;

/// Maximum number of blocks of a tree, without the one it begins with.
const MAX_BLOCKS: usize = 12;

/// Maximum cost of instructions and selects in percent of that of the branches. Of eight public programs with trees up to
/// here three gain a fifth and more and none loses; two with trees above it gain nothing. \[H200\]
const MAX_COST: u32 = 70;

/// A tree of branches whose ways all lead to one block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// Ends in the first branch.
    pub entry: Block,
    /// The blocks between, each after the one that leads to it.
    pub blocks: SmallVec<[Block; 8]>,
    /// Where all ways meet.
    pub join: Block,
    /// Ways less one.
    pub branches: u32,
    pub insts: u32,
    pub selects: u32,
    /// Cost of the instructions and selects in issue cycles.
    pub cost: u32,
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tree { branches, insts, selects, cost, .. } = self;
        let ways = branches + 1;
        write!(f, "{ways} ways, {insts} instructions, {selects} selects; they cost {cost} cycles, ")?;
        write!(f, "a warp that splits pays {} for the branches", branches * DIVERGENT_BRANCH)
    }
}

/// The trees of a function that could be converted if their branches diverge, outer ones first; no two share a block
/// other than that one may begin where another ends.
pub fn candidates(outline: &Outline, context: &Context<'_, '_>) -> Vec<Tree> {
    let mut trees: Vec<Tree> = Vec::new();
    for &entry in outline.cfg().order.rpo() {
        let is_taken = trees.iter().any(|tree| tree.blocks.contains(&entry));
        if !is_taken && let Some(tree) = (Grower { outline, context }).grow(entry) {
            trees.push(tree);
        }
    }
    trees
}

/// Whether lanes are expected to part at a tree.
pub fn lanes_part(facts: &Facts, context: &Context<'_, '_>, tree: &Tree) -> bool {
    facts.is_divergent_branch(tree.entry)
        && (context.always
            || match context.visits(tree.entry) {
                Some(visits) => visits.reached > 0 && !visits.never_splits(),
                None => !plan::agrees_along_rows(facts, tree.entry) && splits::chance(facts, tree.entry) >= DATA_SPLITS,
            })
}

struct Grower<'a, 'c, 'm> {
    outline: &'a Outline,
    context: &'a Context<'c, 'm>,
}

impl Grower<'_, '_, '_> {
    fn grow(&self, entry: Block) -> Option<Tree> {
        let func = self.context.func;
        let cycles = &self.outline.cfg().cycles;
        let cycle = cycles.cycle_of(entry)?;
        if !func.graph.is_branch(entry) || !is_branch(func.insts[func.terminator(entry)].opcode) {
            return None;
        }
        let mut tree = Tree { entry, blocks: SmallVec::new(), join: entry, branches: 0, insts: 0, selects: 0, cost: 0 };
        let mut ends: SmallVec<[Block; 8]> = SmallVec::new();
        self.branch_out(&mut tree, entry, &mut ends);
        while ends.len() > 1 {
            let place = ends.iter().position(|&block| cycles.cycle_of(block) == Some(cycle) && self.is_inner(block))?;
            if tree.blocks.len() == MAX_BLOCKS {
                return None;
            }
            let block = ends.remove(place);
            tree.blocks.push(block);
            self.branch_out(&mut tree, block, &mut ends);
        }
        tree.join = *ends.first()?;
        let stays = cycles.cycle_of(tree.join) == Some(cycle) && cycles.header(cycle) != tree.join;
        if tree.branches < 2 || !stays || tree.join == entry {
            return None;
        }
        for phi in func.phis(tree.join) {
            let chosen = self.chosen(&tree, phi, entry);
            tree.selects += chosen.1;
            tree.cost += chosen.1 * self.context.costs.select(func, func.result(phi));
        }
        let pays = self.context.always || tree.cost * 100 <= tree.branches * DIVERGENT_BRANCH * MAX_COST;
        (pays && !self.changes_contraction(&tree)).then_some(tree)
    }

    /// Adds what a block executes and where it leads.
    fn branch_out(&self, tree: &mut Tree, block: Block, ends: &mut SmallVec<[Block; 8]>) {
        let Context { func, costs, .. } = *self.context;
        let before = ends.len();
        for &to in func.graph.succs(block) {
            if !ends[before..].contains(&to) {
                tree.branches += u32::from(ends.len() > before);
                ends.push(to);
            }
        }
        // the same block may already be an end of another way
        let mut index = before;
        while index < ends.len() {
            if ends[..before].contains(&ends[index]) { _ = ends.remove(index) } else { index += 1 }
        }
        if block != tree.entry {
            for inst in computations(func, block) {
                tree.insts += 1;
                tree.cost += costs.inst(func, inst);
            }
        }
        if func.insts[func.terminator(block)].opcode == Opcode::Switch {
            // each case becomes a comparison
            tree.insts += func.graph.succs(block).len() as u32 - 1;
            tree.cost += func.graph.succs(block).len() as u32 - 1;
        }
    }

    /// Whether a block is entered from one other only and does nothing but compute.
    fn is_inner(&self, block: Block) -> bool {
        let Context { func, handles, kinds, .. } = *self.context;
        let end = func.insts[func.terminator(block)].opcode;
        !func.graph.is_merge(block)
            && func.phis(block).next().is_none()
            && (end == Opcode::Br || is_branch(end))
            && computations(func, block)
                .all(|inst| !is_dropped(func, kinds, inst) && floats(func, handles, kinds, inst))
    }

    /// The value of a phi of the join for a lane at the end of a block, if there is one for all its ways, and the number
    /// of selects that it takes.
    fn chosen(&self, tree: &Tree, phi: Inst, block: Block) -> (Option<Value>, u32) {
        let func = self.context.func;
        let mut targets: SmallVec<[Block; 4]> = SmallVec::from_slice(func.graph.succs(block));
        targets.sort_unstable();
        targets.dedup();
        let mut selects = 0;
        let mut values: SmallVec<[Option<Value>; 4]> = SmallVec::new();
        for to in targets {
            let (value, count) = match to == tree.join {
                true => (Some(plan::incoming(self.context, phi, block)), 0),
                false => self.chosen(tree, phi, to),
            };
            selects += count;
            if value.is_none() || !values.contains(&value) {
                values.push(value);
            }
        }
        let one = if values.len() == 1 { values[0] } else { None };
        (one, selects + values.len() as u32 - 1)
    }

    /// Whether the back end could make other multiply-adds of products and sums, see [`contraction`](super::contraction).
    /// Several trees in a row become one block, so it does not matter in which other block a product is.
    fn changes_contraction(&self, tree: &Tree) -> bool {
        let Context { func, handles, .. } = *self.context;
        let inside = |block: &Block| *block == tree.entry || tree.blocks.contains(block);
        // all lanes would then compute a product that may be equal to one that a sum uses
        let is_product =
            |inst: Inst| func.insts[inst].opcode == Opcode::FMul && handles.inst(inst).allows_contraction();
        let may = |inst: Inst| self.outline.may_be_contracted(inst);
        if tree.blocks.iter().flat_map(|&block| computations(func, block)).any(|inst| is_product(inst) || may(inst)) {
            return true;
        }
        let is_far = |value: Value| {
            let product = func.def(value).filter(|&def| matches!(func.insts[def].opcode, Opcode::FMul | Opcode::FNeg));
            product.is_some_and(|product| func.insts[product].block != tree.join && may(product))
        };
        let uses_far = |inst: Inst| func.operands(inst).iter().any(|&value| is_far(value));
        let phi_uses_far = |phi: Inst| {
            let mut edges = func.incoming(phi).iter().zip(func.operands(phi));
            edges.any(|(from, &value)| inside(from) && is_far(value))
        };
        // the join becomes part of the entry if nothing else leads to it
        let joins = func.graph.preds(tree.join).iter().all(inside);
        tree.blocks.iter().flat_map(|&block| computations(func, block)).any(uses_far)
            || func.phis(tree.join).any(phi_uses_far)
            || joins && computations(func, tree.join).any(uses_far)
    }
}

fn is_branch(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::CondBr | Opcode::Switch)
}
