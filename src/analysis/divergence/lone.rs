//! Which blocks does a warp execute with one lane at a time? There no branch splits a warp, and every value is the same
//! for all lanes that compute it, because there is only one.
//!
//! `if (threadIdx.x == 0)`, with warps in rows, is passed by one lane of a warp. An edge of a branch **pins** what is the
//! same for all lanes that take it: the lane itself, or some of `tid.x`, `tid.y` and `tid.z`, which together leave one
//! thread of a block. Equalities pin (also as parts of `and`, `or`, `select` and `not`, and `(x | y) == 0`), if the
//! difference of their sides is a form that takes another value in every lane.
//!
//! **Soundness.** Claims compare lanes that execute the same dynamic instance.
//!
//! 1. *The edge.* Let *B* end with the branch, and let *T* be a successor whose only predecessor is *B*, in all cycles
//!    that *B* is in. An instance of *T* follows one instance of *B*. The equality is computed in a block that dominates
//!    *B*, in no cycle that *B* is outside of; so lanes at one instance of *B* hold its result from one instance too.
//!    There its operands have the forms that the analysis claims, and the difference is zero for all lanes at *T*: they
//!    agree on what is pinned.
//! 2. *What it dominates.* Let *d* be the immediate dominator of *X*, and let all cycles around *d* contain *X*. Lanes at
//!    one instance of *X* are in one iteration of those cycles, and have passed one instance of *d* in it: from the
//!    header there is no path to *X* around *d*, else there were one from the entry of the function. So they agree on
//!    what is pinned at *d*. Where *X* is outside of a cycle of *d*, nothing is passed on: lanes may have come from
//!    different iterations.
//! 3. *Branches.* Two lanes that part do so at an instance that both execute, hence never in such a block. So the gate
//!    of its branch may stay open within the warp. Nothing is assumed about lanes running in lockstep or meeting again.
//!
//! The pins are part of the fixed point. They are found optimistically in the sweep, and withdrawn, with everything in
//! the blocks concerned to be visited again, when an operand of an equality loses its form. They are never added later.

use super::view::View;
use crate::affine::arith::{self, NoWrap};
use crate::affine::pinned::{EVERYTHING_PINNED, LONE, Pinned};
use crate::cfg::Cfg;
use crate::mutants::{self, Mutant};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{ConstData, Opcode, Predicate};
use warpwise_ir::logic::Logic;

/// Maximum depth of a condition.
const MAX_DEPTH: u32 = 6;
/// Maximum number of edges of a function that pin something.
const MAX_EDGES: usize = 64;

/// An edge that pins something.
struct Edge {
    condition: Value,
    /// The value of the condition where the edge is taken.
    sense: bool,
    branch: Inst,
    target: Block,
    pinned: Pinned,
    /// The instructions whose operands decide about it.
    watched: SmallVec<[Inst; 2]>,
}

/// What is pinned in each block so far.
#[derive(Default)]
pub(super) struct Lone {
    edges: Vec<Edge>,
    /// By block; empty as long as nothing is pinned.
    pinned: Vec<Pinned>,
}

impl Lone {
    /// Whether nothing is pinned anywhere.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Whether at most one lane of a warp executes an instance of a block.
    #[inline]
    pub fn holds(&self, block: Block) -> bool {
        self.pinned.get(block.index()).is_some_and(|pinned| pinned & LONE != 0)
    }

    /// Whether a change of the operands of an instruction may withdraw something.
    #[inline]
    pub fn depends_on(&self, inst: Inst) -> bool {
        self.edges.iter().any(|edge| edge.watched.contains(&inst))
    }

    /// Records what the edges of a divergent branch pin.
    pub fn learn(&mut self, view: &mut View<'_>, branch: Inst) {
        let func = view.func;
        let from = func.insts[branch].block;
        let (Opcode::CondBr, Some(condition), &[yes, no]) =
            (func.insts[branch].opcode, func.condition(branch), func.graph.succs(from))
        else {
            return;
        };
        if !may_pin(func, condition) {
            return;
        }
        for (target, sense) in [(yes, true), (no, false)] {
            let stays = view.cfg.cycles.cycle_of(from).is_none_or(|cycle| view.cfg.cycles.contains(cycle, target));
            if func.graph.preds(target).len() != 1 || !(stays || mutants::on(Mutant::LoneLeaves)) {
                continue;
            }
            let mut edge = Edge { condition, sense, branch, target, pinned: 0, watched: SmallVec::new() };
            edge.pinned = evaluate(view, &mut edge.watched, branch, condition, sense);
            if edge.pinned != 0 && self.edges.len() < MAX_EDGES {
                self.edges.push(edge);
                if self.pinned.is_empty() {
                    self.pinned = vec![0; func.blocks.len()];
                }
            }
        }
    }

    /// Finds out about a block that the sweep has come to. Its dominators are known, and something is pinned.
    pub fn enter(&mut self, view: &View<'_>, block: Block) {
        self.pinned[block.index()] = self.pinned_at(view, block);
    }

    fn pinned_at(&self, view: &View<'_>, block: Block) -> Pinned {
        let own = self.edges.iter().filter(|edge| edge.target == block).fold(0, |all, edge| all | edge.pinned);
        let above = dominator_in_step(view.func, view.cfg, block).map_or(0, |above| self.pinned[above.index()]);
        view.model.with_lone(own | above)
    }

    /// Looks again at the edges that depend on an instruction. Returns the blocks that are not lone any more.
    pub fn revise(&mut self, view: &mut View<'_>, inst: Inst) -> Vec<Block> {
        let mut withdrawn = false;
        for edge in self.edges.iter_mut().filter(|edge| edge.watched.contains(&inst)) {
            let pinned = evaluate(view, &mut edge.watched, edge.branch, edge.condition, edge.sense);
            withdrawn |= edge.pinned & !pinned != 0;
            edge.pinned &= pinned;
        }
        let mut lost = Vec::new();
        if withdrawn && !mutants::on(Mutant::LoneStays) {
            for &block in view.cfg.cycles.order() {
                let now = self.pinned[block.index()] & self.pinned_at(view, block);
                let was = std::mem::replace(&mut self.pinned[block.index()], now);
                if was & !now & LONE != 0 {
                    lost.push(block);
                }
            }
        }
        lost
    }
}

/// Whether a condition is an equality or may have one as its part; most are neither.
fn may_pin(func: &Func, condition: Value) -> bool {
    let Some(data) = func.def(condition).map(|def| &func.insts[def]) else { return false };
    match data.opcode {
        Opcode::ICmp => {
            let is_equality = Predicate::from_sub(data.sub).is_some_and(|predicate| predicate.is_equality());
            is_equality || mutants::on(Mutant::LoneOrder)
        }
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select => true,
        _ => false,
    }
}

/// The immediate dominator of a block, if it is executed in the same iteration of all cycles around it.
fn dominator_in_step(func: &Func, cfg: &Cfg, block: Block) -> Option<Block> {
    let above = cfg.dominators(&func.graph).idom(block)?;
    let cycles = &cfg.cycles;
    let in_step =
        |cycle| cycles.contains(cycle, block) && cycles.ancestors(cycle).all(|cycle| cycles.is_reducible(cycle));
    let passes = cycles.cycle_of(above).is_none_or(in_step);
    (passes || mutants::on(Mutant::LoneLeaves)).then_some(above)
}

/// What lanes agree on if a condition holds (`sense`) or does not, where `branch` decides by it. Instructions whose
/// operands matter are added to `watched`.
fn evaluate(
    view: &mut View<'_>,
    watched: &mut SmallVec<[Inst; 2]>,
    branch: Inst,
    condition: Value,
    sense: bool,
) -> Pinned {
    let at = view.func.insts[branch].block;
    Search { view, watched, at }.pinned_by(condition, sense, MAX_DEPTH)
}

struct Search<'s, 'v> {
    view: &'s mut View<'v>,
    watched: &'s mut SmallVec<[Inst; 2]>,
    /// The block of the branch.
    at: Block,
}

impl Search<'_, '_> {
    fn pinned_by(&mut self, condition: Value, sense: bool, depth: u32) -> Pinned {
        let func = self.view.func;
        let Some(def) = func.def(condition).filter(|_| depth > 0) else { return 0 };
        let data = &func.insts[def];
        let cycles = &self.view.cfg.cycles;
        if cycles.cycle_of(data.block).is_some_and(|cycle| !cycles.contains(cycle, self.at)) {
            return 0; // lanes may hold results of different iterations
        }
        let next = depth - 1;
        if let (Opcode::ICmp, &[left, right]) = (data.opcode, func.operands(def)) {
            return match Predicate::from_sub(data.sub) {
                Some(Predicate::Eq) if sense => self.pinned_by_equality(def, left, right, next),
                Some(Predicate::Ne) if !sense => self.pinned_by_equality(def, left, right, next),
                _ if mutants::on(Mutant::LoneOrder) => self.pinned_by_equality(def, left, right, next),
                _ => 0,
            };
        }
        match func.logic(def) {
            Some(Logic::And([a, b])) if sense => self.pinned_by(a, true, next) | self.pinned_by(b, true, next),
            Some(Logic::Or([a, b])) if !sense => self.pinned_by(a, false, next) | self.pinned_by(b, false, next),
            Some(Logic::Not(a)) => self.pinned_by(a, !sense, next),
            _ => 0,
        }
    }

    /// What `left == right` pins, as `inst` compares them.
    fn pinned_by_equality(&mut self, inst: Inst, left: Value, right: Value, depth: u32) -> Pinned {
        let func = self.view.func;
        let block = func.insts[inst].block;
        if !self.watched.contains(&inst) {
            self.watched.push(inst);
        }
        let (a, b) = (self.view.read(left, block), self.view.read(right, block));
        if a.is_bottom() || b.is_bottom() {
            return EVERYTHING_PINNED;
        }
        let bits = func.int_bits(left).filter(|&bits| bits <= 64);
        if let (Some(bits), Some(x), Some(y)) = (bits, self.view.interner.form(a), self.view.interner.form(b)) {
            let difference = arith::sub(x, y, bits, NoWrap::NONE);
            return difference.map_or(0, |difference| self.view.model.pinned_by_zero(&difference, bits));
        }
        // a union of bits is zero if all of them are
        let Some(def) = func.def(left).filter(|_| depth > 0) else { return 0 };
        let is_zero = matches!(func.constant(right), Some(ConstData::Int(0)));
        match (func.insts[def].opcode, func.operands(def)) {
            (Opcode::Or, &[p, q]) if is_zero && func.insts[def].block == block => {
                self.pinned_by_equality(def, p, right, depth - 1) | self.pinned_by_equality(def, q, right, depth - 1)
            }
            _ => 0,
        }
    }
}
