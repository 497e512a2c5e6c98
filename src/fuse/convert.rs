//! Which trees of short divergent branches are executed faster without branches?
//!
//! `ptxas` predicates a single short if-then-else. A tree of branches with three ways and more to one block, as a chain
//! of `else if`, a `switch` or a merge of sorted lists has it, it leaves as branches. In a loop these also keep the loads
//! of one iteration behind the branches of the one before. If-converted, all ways are executed, and each phi behind them
//! becomes selects (Allen, Kennedy, Porterfield, Warren, POPL 1983). LLVM converts pairs of sides only, and only those it
//! can move above the branch for a few instructions.
//!
//! Ways may load. The loads, and what is between the first and the last of a block, stay behind a guard of their own, which
//! `ptxas` turns into a predicate: the same lanes execute them as before. But a lane no longer waits for what the lanes of
//! another way load, and in an unrolled loop the loads of several iterations are under way at once.
//!
//! A tree is converted if
//!
//! - its branch diverges and depends on data, and no launch is known in which lanes agree on it;
//! - it leaves no loop, and every block in it is entered from the tree only, without phis;
//! - its blocks only compute ([`floats`]), and at most [`TREE_MAX_GUARDS`] of them load, so that nothing but time
//!   depends on who executes them;
//! - it has at most [`TREE_MAX_BRANCHES`] branches;
//! - all of them and the selects cost at most [`TREE_MAX_COST`] percent of what its branches cost a warp that splits at
//!   each, with the wait for a load, if that decides about no branch and the next iteration can overlap with it; and
//!   outside of loops, where nothing behind the branches waits for them, at most [`TREE_MAX_COST_ONCE`];
//! - what in front of the tree LLVM would [move into one of its ways](super::sinking) costs no more than the branches;
//! - the back end makes the same multiply-adds of products and sums before and after.
//!
//! A tree of two ways is what `ptxas` looks at itself. Those that are too long for it are converted if nearly all warps split
//! and so execute both ways anyway: in a loop in which lanes go through the bits of numbers of their own, as in raising to
//! a power by squaring.

use super::legality::{floats, is_beside_call, is_dropped};
use super::matching::computations;
use super::pairing::Context;
use super::{machine, plan, sinking, splits};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;
use warpwise_analysis::cfg::Cycle;
use warpwise_analysis::contraction::raw;
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::prices::{
    DATA_SPLITS, DIVERGENT_BRANCH, LOAD_ISSUE, TREE_GUARD, TREE_MAX_BRANCHES, TREE_MAX_COST, TREE_MAX_COST_OF_BITS,
    TREE_MAX_COST_ONCE, TREE_MAX_GUARDS,
};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{ConstData, Opcode};
use warpwise_ir::phrase::counted;

/// Maximum number of blocks of a tree, without the one it begins with.
const MAX_BLOCKS: usize = 12;

/// A block of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    pub block: Block,
    /// Which of its [computations] stay behind a guard: those from its first load to the last.
    pub guarded: Option<Range<usize>>,
}

/// A tree of branches whose ways all lead to one block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// Ends in the first branch.
    pub entry: Block,
    /// The blocks between, each after those that lead to it.
    pub blocks: SmallVec<[Way; 8]>,
    /// Where all ways meet.
    pub join: Block,
    /// Ways less one.
    pub branches: u32,
    pub insts: u32,
    pub selects: u32,
    /// Blocks with loads.
    pub guards: u32,
    /// What lanes wait for the slowest load, in issue cycles.
    pub wait: u32,
    /// Cost of the instructions and selects in issue cycles.
    pub cost: u32,
}

impl Tree {
    fn new(entry: Block) -> Tree {
        let blocks = SmallVec::new();
        Tree { entry, blocks, join: entry, branches: 0, insts: 0, selects: 0, guards: 0, wait: 0, cost: 0 }
    }

    /// What a warp that splits at each branch pays for them, in issue cycles.
    fn saved(&self) -> u32 {
        self.branches * DIVERGENT_BRANCH + self.wait
    }

    fn has(&self, block: Block) -> bool {
        self.entry == block || self.blocks.iter().any(|way| way.block == block)
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tree { branches, insts, selects, guards, cost, .. } = self;
        let ways = branches + 1;
        write!(f, "{ways} ways, {insts} instructions, {selects} selects")?;
        if *guards > 0 {
            write!(f, ", loads behind {}", counted(*guards, "guard"))?;
        }
        let load = if self.wait > 0 { " and a load" } else { "" };
        write!(f, "; they cost {cost} cycles, a warp that splits pays {} for the branches{load}", self.saved())
    }
}

/// The trees of a function that could be converted if their branches diverge, outer ones first; no two share a block
/// other than that one may begin where another ends.
pub fn candidates(outline: &Outline, context: &Context<'_, '_>) -> Vec<Tree> {
    let mut trees: Vec<Tree> = Vec::new();
    for &entry in outline.cfg().order.rpo() {
        let is_taken = trees.iter().any(|tree| tree.blocks.iter().any(|way| way.block == entry));
        if !is_taken && let Some(tree) = (Grower { outline, context }).grow(entry) {
            trees.push(tree);
        }
    }
    trees
}

/// Whether lanes are expected to part at a tree, and none is in a call meanwhile.
pub fn lanes_part(facts: &Facts, context: &Context<'_, '_>, tree: &Tree) -> bool {
    facts.is_divergent_branch(tree.entry)
        && !is_beside_call(facts, context, tree.entry)
        && (context.settings.fuse_profit.is_always()
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
        let cycle = cycles.cycle_of(entry);
        if !func.graph.is_branch(entry) || !is_branch(func.insts[func.terminator(entry)].opcode) {
            return None;
        }
        let mut tree = Tree::new(entry);
        let mut ends: SmallVec<[Block; 8]> = SmallVec::new();
        self.branch_out(&mut tree, entry, &mut ends);
        while ends.len() > 1 {
            let way = |block: Block| self.way(&tree, block).filter(|_| cycles.cycle_of(block) == cycle);
            let (place, way) = ends.iter().enumerate().find_map(|(place, &block)| Some((place, way(block)?)))?;
            if tree.blocks.len() == MAX_BLOCKS {
                return None;
            }
            ends.remove(place);
            self.count(&mut tree, &way);
            let block = way.block;
            tree.blocks.push(way);
            self.branch_out(&mut tree, block, &mut ends);
        }
        tree.join = *ends.first()?;
        let is_next = cycle.is_some_and(|cycle| cycles.header(cycle) == tree.join);
        if cycles.cycle_of(tree.join) != cycle || is_next || tree.join == entry {
            return None;
        }
        if tree.branches == 0 || (tree.guards > 0 && self.has_switch(&tree)) {
            return None;
        }
        if tree.wait > 0 && cycle.is_none_or(|cycle| !self.overlaps(cycle)) {
            tree.wait = 0;
        }
        for phi in func.phis(tree.join) {
            let mut selects = 0;
            self.chosen(&tree, phi, entry, &mut FxHashMap::default(), &mut selects);
            tree.selects += selects;
            tree.cost += selects * self.context.costs.select(func, func.result(phi));
        }
        let is_wanted = self.pays(&tree, cycle)
            && !self.keeps_from_sinking(&tree)
            && !self.has_multiply_add(&tree)
            && self.context.keeps_results();
        is_wanted.then_some(tree)
    }

    /// Whether one iteration of a loop may begin before the one before has ended: lanes wait for each other in none of it.
    fn overlaps(&self, cycle: Cycle) -> bool {
        let func = self.context.func;
        let mut blocks = self.outline.cfg().cycles.blocks(cycle).iter();
        !blocks.any(|&block| func.block_insts(block).any(|inst| may_synchronise(func, inst)))
    }

    fn pays(&self, tree: &Tree, cycle: Option<Cycle>) -> bool {
        let Context { settings, frequencies, .. } = *self.context;
        if tree.branches == 1 {
            let splits = || cycle.is_some_and(|cycle| self.goes_through_bits(tree.entry, cycle));
            return splits()
                && !self.is_left_to_ptxas(tree)
                && (settings.fuse_profit.is_always() || tree.cost <= TREE_MAX_COST_OF_BITS);
        }
        let is_worth_it = || match cycle {
            Some(_) => true,
            None => tree.cost <= TREE_MAX_COST_ONCE && !frequencies.is_cold(tree.entry),
        };
        let is_small = tree.guards <= TREE_MAX_GUARDS && tree.branches <= TREE_MAX_BRANCHES;
        settings.fuse_profit.is_always() || is_small && tree.cost * 100 <= tree.saved() * TREE_MAX_COST && is_worth_it()
    }

    /// Whether lanes that go one way would execute more than a warp that splits pays for the branches, because it could no
    /// longer be moved into another way.
    fn keeps_from_sinking(&self, tree: &Tree) -> bool {
        let Context { func, costs, settings, .. } = *self.context;
        let sinking = sinking::sinking(self.outline, self.context, tree);
        !settings.fuse_profit.is_always()
            && tree.branches > 1
            && sinking.iter().map(|&inst| costs.inst(func, inst)).sum::<u32>() > tree.saved()
    }

    /// Whether `ptxas` predicates both ways, or nothing but what stays behind a guard would be left of one.
    fn is_left_to_ptxas(&self, tree: &Tree) -> bool {
        let insts = |way: &Way| computations(self.context.func, way.block).collect::<Vec<Inst>>();
        tree.blocks.iter().all(|way| machine::is_short(self.context, &insts(way)))
            || tree.blocks.iter().any(|way| way.guarded == Some(0..insts(way).len()))
    }

    /// Whether a branch asks for one bit of a number, and for another one in each iteration of a loop: bit 0 of one that is
    /// shifted, or the bit whose place is counted.
    fn goes_through_bits(&self, entry: Block, cycle: Cycle) -> bool {
        let func = self.context.func;
        let def = |value: Value, opcode: Opcode| func.def(value).filter(|&def| func.insts[def].opcode == opcode);
        let is_int = |value: Value, what: fn(u64) -> bool| matches!(func.constant(value), Some(ConstData::Int(number)) if what(number));
        let Some(&condition) = func.operands(func.terminator(entry)).first() else { return false };
        let asked = match (def(condition, Opcode::Trunc), def(condition, Opcode::ICmp)) {
            (Some(cut), _) => func.operands(cut)[0],
            (None, Some(compare)) => {
                let &[masked, zero] = func.operands(compare) else { return false };
                let Some(mask) = def(masked, Opcode::And).filter(|_| is_int(zero, |number| number == 0)) else {
                    return false;
                };
                let &[number, bit] = func.operands(mask) else { return false };
                if !is_int(bit, u64::is_power_of_two) {
                    return false;
                }
                number
            }
            _ => return false,
        };
        let varies = |value: Value| {
            let phi = def(value, Opcode::Phi);
            phi.is_some_and(|phi| func.insts[phi].block == self.outline.cfg().cycles.header(cycle))
        };
        varies(asked) || def(asked, Opcode::LShr).is_some_and(|shift| varies(func.operands(shift)[1]))
    }

    /// Whether a way has part of a multiply-add: lanes that need it not would wait for it.
    fn has_multiply_add(&self, tree: &Tree) -> bool {
        let is_part = |inst: Inst| raw::is_part(self.context.handles.inst(inst));
        tree.blocks.iter().any(|way| self.context.func.block_insts(way.block).any(is_part))
    }

    fn has_switch(&self, tree: &Tree) -> bool {
        let func = self.context.func;
        let mut blocks = tree.blocks.iter().map(|way| way.block).chain([tree.entry]);
        blocks.any(|block| func.insts[func.terminator(block)].opcode == Opcode::Switch)
    }

    /// Adds what a block executes and where it leads.
    fn branch_out(&self, tree: &mut Tree, block: Block, ends: &mut SmallVec<[Block; 8]>) {
        let func = self.context.func;
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
        if func.insts[func.terminator(block)].opcode == Opcode::Switch {
            // each case becomes a comparison
            tree.insts += func.graph.succs(block).len() as u32 - 1;
            tree.cost += func.graph.succs(block).len() as u32 - 1;
        }
    }

    /// A block as a part of a tree, if it is entered from the tree only, computes and loads.
    fn way(&self, tree: &Tree, block: Block) -> Option<Way> {
        let Context { func, handles, kinds, .. } = *self.context;
        let end = func.insts[func.terminator(block)].opcode;
        let is_inner = func.graph.preds(block).iter().all(|&from| tree.has(from)) && func.phis(block).next().is_none();
        if !is_inner || !(end == Opcode::Br || is_branch(end)) {
            return None;
        }
        let insts: SmallVec<[Inst; 16]> = computations(func, block).collect();
        let may_float = |&inst: &Inst| !is_dropped(func, kinds, inst) && floats(func, handles, kinds, inst);
        if !insts.iter().all(|inst| may_float(inst) || self.context.func.is_plain_load(*inst)) {
            return None;
        }
        let is_load = |&inst: &Inst| func.insts[inst].opcode == Opcode::Load;
        let guarded = match insts.iter().position(is_load).zip(insts.iter().rposition(is_load)) {
            Some((first, last)) if machine::is_short(self.context, &insts[first..=last]) => Some(first..last + 1),
            Some(_) => return None,
            None => None,
        };
        Some(Way { block, guarded })
    }

    /// Adds what a block executes. For its loads wait only those lanes that did before; the others need not any longer, unless
    /// what is loaded decides about the next branch.
    fn count(&self, tree: &mut Tree, way: &Way) {
        let Context { func, costs, .. } = *self.context;
        let decides = func.graph.is_branch(way.block);
        for inst in computations(func, way.block) {
            let is_load = func.insts[inst].opcode == Opcode::Load;
            let wait = if is_load { costs.inst(func, inst).saturating_sub(LOAD_ISSUE) } else { 0 };
            tree.insts += 1;
            tree.wait = tree.wait.max(if decides { 0 } else { wait });
            tree.cost += costs.inst(func, inst) - wait;
        }
        if way.guarded.is_some() {
            tree.guards += 1;
            tree.cost += TREE_GUARD;
        }
    }

    /// The value of a phi of the join for a lane at the end of a block, if there is one for all its ways; adds the selects
    /// that it takes.
    fn chosen(
        &self,
        tree: &Tree,
        phi: Inst,
        block: Block,
        known: &mut FxHashMap<Block, Option<Value>>,
        selects: &mut u32,
    ) -> Option<Value> {
        if let Some(&known) = known.get(&block) {
            return known;
        }
        let func = self.context.func;
        let mut targets: SmallVec<[Block; 4]> = SmallVec::from_slice(func.graph.succs(block));
        targets.sort_unstable();
        targets.dedup();
        let mut values: SmallVec<[Option<Value>; 4]> = SmallVec::new();
        for to in targets {
            let value = match to == tree.join {
                true => Some(plan::incoming(self.context, phi, block)),
                false => self.chosen(tree, phi, to, known, selects),
            };
            if value.is_none() || !values.contains(&value) {
                values.push(value);
            }
        }
        *selects += values.len() as u32 - 1;
        let one = if values.len() == 1 { values[0] } else { None };
        known.insert(block, one);
        one
    }
}

fn is_branch(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::CondBr | Opcode::Switch)
}
