//! Would melding change which products and sums the back end makes one multiply-add?
//!
//! Where the flags of a product and of the sum that uses it allow contraction, the back end joins them into one `fma`,
//! which rounds once instead of twice, but only if both are in the same block and the sum uses the product itself. Of
//! two products it takes the one with fewer uses. Melding can part a product from its sum by a select, bring them
//! together, since the entry, the sides and the block behind them become one block, change the number of uses, and let
//! a product that all lanes now execute replace equal ones in later blocks. Each changes the last bit of results. A
//! branch is therefore melded only if every sum of its region is contracted afterwards as it was before.

use super::matching;
use super::pairing::{Context, Melded};
use super::plan::{FusePlan, PairPlan};
use super::region::Tail;
use super::schedule::Step;
use crate::divergence::outline::Outline;
use crate::entity::{Block, Inst, Value};
use crate::ir::Func;
use crate::ir::inst::Opcode;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a plan changes what is contracted, as far as that can be foreseen.
pub fn changes(outline: &Outline, context: &Context<'_, '_>, plan: &FusePlan) -> bool {
    if context.func.insts.values().all(|inst| inst.opcode != Opcode::FMul) {
        return false;
    }
    let mut layout = Layout {
        outline,
        context,
        plan,
        melded: Melded::new(),
        partner: FxHashMap::default(),
        pieces: FxHashMap::default(),
        joins: Vec::new(),
        for_all: FxHashSet::default(),
    };
    layout.fill();
    layout.changes_inside() || layout.changes_behind() || layout.replaces_others()
}

/// A piece of code that ends up in one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece {
    /// Of the melded code.
    Melded(u32),
    /// A block that is not touched.
    Old(Block),
}

struct Layout<'a, 'c, 'm> {
    outline: &'a Outline,
    context: &'a Context<'c, 'm>,
    plan: &'a FusePlan,
    melded: Melded,
    /// The first of each melded pair, by the second.
    partner: FxHashMap<Inst, Inst>,
    /// Where the instructions of the sides will be.
    pieces: FxHashMap<Inst, u32>,
    /// Exits that become part of the melded code, and of which piece.
    joins: Vec<(Block, u32)>,
    /// Instructions that all lanes execute then.
    for_all: FxHashSet<Inst>,
}

impl Layout<'_, '_, '_> {
    fn func(&self) -> &Func {
        self.context.func
    }

    fn fill(&mut self) {
        let mut piece = 0;
        for pair in &self.plan.pairs {
            for phis in &pair.phis {
                if let [Some(t), Some(f)] = *phis {
                    self.melded.add([t, f]);
                }
            }
            for step in &pair.steps {
                match step {
                    Step::Meld { insts, .. } => {
                        self.melded.add(*insts);
                        self.partner.insert(insts[1], insts[0]);
                        self.for_all.extend(insts);
                        self.pieces.extend(insts.map(|inst| (inst, piece)));
                    }
                    Step::Lift(inst) => {
                        self.for_all.insert(*inst);
                        self.pieces.insert(*inst, piece);
                    }
                    Step::Guard(groups) => {
                        for group in groups {
                            piece += 1;
                            self.pieces.extend(group.iter().map(|&inst| (inst, piece)));
                        }
                        piece += 1;
                    }
                }
            }
            self.joins.extend(self.only_exit(pair).map(|exit| (exit, piece)));
            piece += 1;
        }
    }

    /// The exit of a pair that nothing else leads to.
    fn only_exit(&self, pair: &PairPlan) -> Option<Block> {
        let Tail::Joined { links, .. } = &pair.tail else { return None };
        let [link] = links.as_slice() else { return None };
        let exit = link.exit()?;
        self.func().graph.preds(exit).iter().all(|from| pair.sides.contains(from)).then_some(exit)
    }

    fn block(&self, inst: Inst) -> Block {
        self.func().insts[inst].block
    }

    fn piece(&self, inst: Inst) -> Piece {
        let block = self.block(inst);
        let of_exit = || self.joins.iter().find(|join| join.0 == block).map(|join| join.1);
        let of_entry = || (self.plan.hub.is_none() && block == self.plan.entry).then_some(0);
        let number = self.pieces.get(&inst).copied().or_else(of_exit).or_else(of_entry);
        number.map_or(Piece::Old(block), Piece::Melded)
    }

    /// The product that a value is, perhaps with the opposite sign, if it may be contracted.
    fn product(&self, value: Value) -> Option<Inst> {
        self.func().float_product(value).filter(|&product| self.may_contract(product))
    }

    fn may_contract(&self, inst: Inst) -> bool {
        self.context.handles.inst(inst).allows_contraction()
    }

    fn is_sum(&self, inst: Inst) -> bool {
        matches!(self.func().insts[inst].opcode, Opcode::FAdd | Opcode::FSub) && self.may_contract(inst)
    }

    /// With which of its operands a sum is contracted now: the products in its block.
    fn before(&self, sum: Inst) -> Vec<Option<Inst>> {
        let operands = self.func().operands(sum).iter();
        operands.map(|&value| self.product(value).filter(|&product| self.block(product) == self.block(sum))).collect()
    }

    /// With which it is afterwards, if these are its operands then.
    fn after(&self, sum: Inst, operands: impl Iterator<Item = Option<Value>>) -> Vec<Option<Inst>> {
        let is_here = |product: &Inst| self.piece(*product) == self.piece(sum);
        operands.map(|value| self.product(value?).filter(is_here)).collect()
    }

    /// Whether a sum is contracted otherwise.
    fn differs(&self, before: &[Option<Inst>], after: &[Option<Inst>]) -> bool {
        if before.iter().map(Option::is_some).ne(after.iter().map(Option::is_some)) {
            return true;
        }
        let (&[Some(a), Some(b)], &[Some(c), Some(d)]) = (before, after) else { return false };
        self.uses_now(a).cmp(&self.uses_now(b)) != self.uses_then(c).cmp(&self.uses_then(d))
    }

    fn users(&self, inst: Inst) -> &[Inst] {
        self.outline.users(self.func().result(inst))
    }

    /// How often the block of a product uses it; all uses elsewhere count as one.
    fn uses_now(&self, product: Inst) -> usize {
        let users = self.users(product).iter();
        let here = users.filter(|&&user| self.block(user) == self.block(product)).count();
        here + usize::from(here < self.users(product).len())
    }

    /// The same after melding, where two uses may have become one.
    fn uses_then(&self, product: Inst) -> usize {
        let first = *self.partner.get(&product).unwrap_or(&product);
        let name = |user: &Inst| *self.partner.get(user).unwrap_or(user);
        let mut users: Vec<Inst> = self.users(first).iter().map(name).collect();
        if let Some((&second, _)) = self.partner.iter().find(|pair| *pair.1 == first) {
            let others = self.users(second).iter().map(name).filter(|user| !users.contains(user));
            users.extend(others.collect::<Vec<_>>());
        }
        let here = users.iter().filter(|&&user| self.piece(user) == self.piece(product)).count();
        here + usize::from(here < users.len())
    }

    fn changes_inside(&self) -> bool {
        let mut steps = self.plan.pairs.iter().flat_map(|pair| &pair.steps);
        steps.any(|step| match step {
            Step::Meld { insts, how } => self.changes_melded(*insts, *how),
            Step::Lift(inst) => self.changes_single(*inst),
            Step::Guard(groups) => groups.iter().flatten().any(|&inst| self.changes_single(inst)),
        })
    }

    fn changes_behind(&self) -> bool {
        let mut behind = self.joins.iter().flat_map(|join| self.func().block_insts(join.0));
        behind.any(|inst| self.changes_single(inst))
    }

    fn changes_melded(&self, insts: [Inst; 2], how: matching::How) -> bool {
        let sums = insts.map(|inst| self.is_sum(inst));
        if sums == [false, false] {
            return false;
        }
        let slots: Vec<matching::Slot> = matching::slots(self.func(), insts, how).collect();
        let one = |slot: &matching::Slot, side: usize| {
            let is_one = slot.negated.is_none() && self.melded.same(self.func(), slot.values);
            (is_one && sums == [true, true]).then_some(slot.values[side])
        };
        (0..2).any(|side| {
            let now = if sums[side] { self.before(insts[side]) } else { vec![None; slots.len()] };
            let mut then = self.after(insts[side], slots.iter().map(|slot| one(slot, side)));
            if side == 1 && how.swap {
                then.swap(0, 1);
            }
            self.differs(&now, &then)
        })
    }

    /// The same for an instruction that stays one: in the sides, or behind them.
    fn changes_single(&self, inst: Inst) -> bool {
        let operands = || self.func().operands(inst).iter().map(|&value| self.through_phi(value));
        self.is_sum(inst) && self.differs(&self.before(inst), &self.after(inst, operands()))
    }

    /// What a value is afterwards; `None` for a phi that becomes a select.
    fn through_phi(&self, value: Value) -> Option<Value> {
        let func = self.func();
        let joins = |phi: Inst| self.joins.iter().any(|join| join.0 == self.block(phi));
        let is_phi = |&def: &Inst| func.insts[def].opcode == Opcode::Phi && joins(def);
        let Some(phi) = func.def(value).filter(is_phi) else { return Some(value) };
        match *func.operands(phi) {
            [only] => Some(only),
            [a, b] if self.melded.same(func, [a, b]) || self.melded.same(func, [b, a]) => Some(a),
            _ => None,
        }
    }

    /// Whether a product that all lanes will execute is also computed outside of the sides, where it may replace one
    /// that a sum is contracted with.
    fn replaces_others(&self) -> bool {
        let func = self.func();
        let factors = |inst: Inst| {
            let mut factors = [func.operands(inst)[0], func.operands(inst)[1]];
            factors.sort_unstable();
            factors
        };
        let products = || func.insts.keys().filter(|&inst| func.insts[inst].opcode == Opcode::FMul);
        let moved = products().filter(|inst| self.for_all.contains(inst) && self.may_contract(*inst));
        let moved: FxHashSet<[Value; 2]> = moved.map(factors).collect();
        let mut others = products().filter(|inst| !self.for_all.contains(inst) && self.may_contract(*inst));
        others.any(|inst| moved.contains(&factors(inst)))
    }
}
