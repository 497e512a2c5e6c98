//! Would melding change which products and sums become one multiply-add?
//!
//! Melding can part a product from its sum by a select, bring them together, since the entry, the sides and the block
//! behind them become one block, change what uses a product, and let a product that all lanes now execute replace equal ones
//! in later blocks. Each changes the last bit of results. A branch is therefore melded only if every sum that it touches is
//! joined with the same product [afterwards](crate::contraction) as before:
//!
//! 1. [`Layout`] foresees which instructions will be one, in which piece of the melded code, and behind which guard.
//! 2. Each sum of the region, and each that uses a product of it, is looked at as it is and as it will be.
//! 3. [`sunk`] tells where clang, without us, would part a product from its sum: it moves what both sides end with behind
//!    them. Such a branch stays.
//! 4. What stays one of one side is chosen by a select afterwards, and LLVM makes one instruction of two alike that a select
//!    chooses between, with a select of what differs. That would part a sum from its product, and bring a product to a
//!    sum that adds the select. A sum and its product are therefore made an `fma` at once, and a product that is joined with
//!    nothing, and that a sum may meet, is kept apart ([`Rounding`]).

use super::matching::{self, How};
use super::pairing::{Context, Melded};
use super::plan::{FusePlan, PairPlan};
use super::schedule::Step;
use super::sunk;
use crate::contraction::Joins;
use crate::divergence::outline::Outline;
use crate::entity::{Block, Inst, Value};
use crate::ir::Func;
use crate::ir::inst::Opcode;
use crate::ir::types::TypeKind;
use crate::llvm::edit::Editor;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is done so that every result is rounded as before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rounding {
    /// Sums that become an `fma` with the product that they add.
    pub joined: Vec<Inst>,
    /// Products that nothing may join.
    pub alone: Vec<Inst>,
}

/// How the results of a plan keep their rounding; `None` if that cannot be foreseen.
pub fn settle(outline: &Outline, context: &Context<'_, '_>, plan: &FusePlan) -> Option<Rounding> {
    if context.func.insts.values().all(|inst| inst.opcode != Opcode::FMul) {
        return Some(Rounding::default());
    }
    let joins = Joins { outline, handles: context.handles };
    let mut layout = Layout {
        joins,
        context,
        plan,
        melded: Melded::new(),
        melds: FxHashMap::default(),
        pieces: FxHashMap::default(),
        guarded: FxHashSet::default(),
        joined_exits: Vec::new(),
    };
    layout.fill();
    let is_same = !layout.changes() && !layout.replaces_others() && !sunk::parts(&joins, context, plan);
    if !is_same {
        return None;
    }
    Some(Rounding { joined: layout.joined()?, alone: layout.alone()? })
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
    joins: Joins<'a, 'm>,
    context: &'a Context<'c, 'm>,
    plan: &'a FusePlan,
    melded: Melded,
    /// The pair that an instruction is melded in.
    melds: FxHashMap<Inst, ([Inst; 2], How)>,
    /// Where the instructions of the sides will be.
    pieces: FxHashMap<Inst, u32>,
    /// Those behind a guard, whose results other pieces get through a phi.
    guarded: FxHashSet<Inst>,
    /// Exits that become part of the melded code, and of which piece.
    joined_exits: Vec<(Block, u32)>,
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
                    Step::Meld { insts, how } => {
                        self.melded.add(*insts);
                        self.melds.extend(insts.map(|inst| (inst, (*insts, *how))));
                        self.pieces.extend(insts.map(|inst| (inst, piece)));
                    }
                    Step::Lift(inst) => {
                        self.pieces.insert(*inst, piece);
                    }
                    Step::Guard(groups) => {
                        for group in groups {
                            piece += 1;
                            self.guarded.extend(group);
                            self.pieces.extend(group.iter().map(|&inst| (inst, piece)));
                        }
                        piece += 1;
                    }
                }
            }
            self.joined_exits.extend(self.only_exit(pair).map(|exit| (exit, piece)));
            piece += 1;
        }
    }

    /// The exit of a pair that nothing else leads to.
    fn only_exit(&self, pair: &PairPlan) -> Option<Block> {
        let exit = pair.exit()?;
        self.func().graph.preds(exit).iter().all(|from| pair.sides.contains(from)).then_some(exit)
    }

    fn block(&self, inst: Inst) -> Block {
        self.func().insts[inst].block
    }

    fn piece(&self, inst: Inst) -> Piece {
        let block = self.block(inst);
        let of_exit = || self.joined_exits.iter().find(|join| join.0 == block).map(|join| join.1);
        let of_entry = || (self.plan.hub.is_none() && block == self.plan.entry).then_some(0);
        let number = self.pieces.get(&inst).copied().or_else(of_exit).or_else(of_entry);
        number.map_or(Piece::Old(block), Piece::Melded)
    }

    /// The first of the two instructions that one will be one with, or itself.
    fn name(&self, inst: Inst) -> Inst {
        self.melds.get(&inst).map_or(inst, |(insts, _)| insts[0])
    }

    /// What the operands of an instruction are afterwards; `None` for a select.
    fn operands_then(&self, inst: Inst) -> Vec<Option<Value>> {
        let Some(&(insts, how)) = self.melds.get(&inst) else {
            return self.func().operands(inst).iter().map(|&value| self.through_phi(value)).collect();
        };
        let side = usize::from(inst == insts[1]);
        let one = |slot: matching::Slot| {
            let is_one = slot.negated.is_none() && self.melded.same(self.func(), slot.values);
            is_one.then_some(slot.values[side])
        };
        let mut operands: Vec<_> = matching::slots(self.func(), insts, how).map(one).collect();
        if side == 1 && how.swap {
            operands.swap(0, 1);
        }
        operands
    }

    /// What a value is afterwards; `None` for a phi that becomes a select.
    fn through_phi(&self, value: Value) -> Option<Value> {
        let func = self.func();
        let joins = |phi: Inst| self.joined_exits.iter().any(|join| join.0 == self.block(phi));
        let is_phi = |&def: &Inst| func.insts[def].opcode == Opcode::Phi && joins(def);
        let Some(phi) = func.def(value).filter(is_phi) else { return Some(value) };
        match *func.operands(phi) {
            [only] => Some(only),
            [a, b] if self.melded.same(func, [a, b]) || self.melded.same(func, [b, a]) => Some(a),
            _ => None,
        }
    }

    /// Everything that uses a product afterwards, each of what becomes one only once.
    fn users_then(&self, product: Inst) -> Vec<Inst> {
        let parts = self.melds.get(&product).map_or_else(|| vec![product], |(insts, _)| insts.to_vec());
        let mut users: Vec<Inst> = Vec::new();
        for user in parts.into_iter().flat_map(|part| self.joins.users(part)) {
            // behind a phi that is one value afterwards are the uses of the phi
            let through = if self.is_one_phi(user) { self.joins.users(user) } else { vec![user] };
            for user in through {
                if !users.iter().any(|&known| self.name(known) == self.name(user)) {
                    users.push(user);
                }
            }
        }
        users
    }

    fn is_one_phi(&self, inst: Inst) -> bool {
        let result = self.func().result(inst);
        self.func().insts[inst].opcode == Opcode::Phi && self.through_phi(result).is_some_and(|value| value != result)
    }

    /// Whether a sum will add a product and not a phi or select of it.
    fn adds(&self, sum: Inst, product: Inst) -> bool {
        let is_it = |value: Option<Value>| {
            value.and_then(|value| self.joins.product(value)).is_some_and(|it| self.name(it) == self.name(product))
        };
        let parts = |inst: Inst| self.melds.get(&inst).map_or([inst, inst], |(insts, _)| *insts);
        parts(sum).iter().all(|&part| self.joins.is_sum(part))
            && parts(product).iter().all(|&part| self.joins.is_product(part))
            && (!self.guarded.contains(&product) || self.piece(product) == self.piece(sum))
            && self.operands_then(sum).into_iter().any(is_it)
    }

    /// Whether a sum will be joined with a product that is one of its operands.
    fn is_joined_then(&self, product: Inst, sum: Inst) -> bool {
        let is_near = self.piece(sum) == self.piece(product);
        self.adds(sum, product) && (is_near || self.users_then(product).len() == 1)
    }

    fn joined_then(&self, sum: Inst) -> Vec<Option<Inst>> {
        let product =
            |value: Option<Value>| self.joins.product(value?).filter(|&product| self.is_joined_then(product, sum));
        self.operands_then(sum).into_iter().map(product).collect()
    }

    /// Whether a sum is joined otherwise afterwards.
    fn differs(&self, sum: Inst) -> bool {
        let (before, after) = (self.joins.of_sum(sum), self.joined_then(sum));
        if before.iter().map(Option::is_some).ne(after.iter().map(Option::is_some)) {
            return true;
        }
        let (&[Some(a), Some(b)], &[Some(c), Some(d)]) = (&before[..], &after[..]) else { return false };
        self.uses_now(a).cmp(&self.uses_now(b)) != self.uses_then(c).cmp(&self.uses_then(d))
    }

    /// How often the block of a product uses it; all uses elsewhere count as one.
    fn uses_now(&self, product: Inst) -> usize {
        let users = self.joins.outline.users(self.func().result(product));
        let here = users.iter().filter(|&&user| self.block(user) == self.block(product)).count();
        here + usize::from(here < users.len())
    }

    /// The same after melding, where two uses may have become one.
    fn uses_then(&self, product: Inst) -> usize {
        let users = self.users_then(product);
        let here = users.iter().filter(|&&user| self.piece(user) == self.piece(product)).count();
        here + usize::from(here < users.len())
    }

    /// Whether a sum that melding may touch is joined otherwise.
    fn changes(&self) -> bool {
        let func = self.func();
        let behind = self.joined_exits.iter().flat_map(|join| func.block_insts(join.0));
        let touched: FxHashSet<Inst> = self.pieces.keys().copied().chain(behind).collect();
        let mut sums: FxHashSet<Inst> = touched.iter().copied().filter(|&inst| self.joins.is_sum(inst)).collect();
        // sums elsewhere whose products are moved or used otherwise
        for product in func.insts.keys().filter(|&inst| self.joins.is_product(inst)) {
            let users = self.joins.users(product);
            if touched.contains(&product) || users.iter().any(|user| touched.contains(user)) {
                if self.joins.is_unsure(product) || self.is_hoisted(product) {
                    return true;
                }
                sums.extend(users.into_iter().filter(|&user| self.joins.is_sum(user)));
            }
        }
        sums.into_iter().any(|sum| self.differs(sum))
    }

    /// Whether both sides compute a product alike that sums use: clang moves it in front of the branch, where sums of two
    /// blocks use it.
    fn is_hoisted(&self, product: Inst) -> bool {
        let Some(&(insts, _)) = self.melds.get(&product) else { return false };
        let is_added = |&part: &Inst| self.joins.users(part).into_iter().any(|user| self.joins.is_sum(user));
        insts.iter().any(is_added) && self.is_alike(insts)
    }

    /// Whether both sides compute two melded instructions from the same values.
    fn is_alike(&self, insts: [Inst; 2]) -> bool {
        let func = self.func();
        let Some(&(pair, how)) = self.melds.get(&insts[0]) else { return false };
        let is_one = |[a, b]: [Value; 2]| {
            a == b || matches!((func.def(a), func.def(b)), (Some(a), Some(b)) if self.is_alike([a, b]))
        };
        pair == insts && matching::slots(func, insts, how).all(|slot| slot.negated.is_none() && is_one(slot.values))
    }

    /// The sums of one side that are joined with a product; `None` if there are two products to join it with, and LLVM could
    /// make one sum of it and one of the other side.
    fn joined(&self) -> Option<Vec<Inst>> {
        let apart = |inst: &Inst| self.joins.is_sum(*inst) && !self.melds.contains_key(inst);
        let mut sums: Vec<Inst> = self.pieces.keys().copied().filter(apart).collect();
        sums.sort_unstable();
        let shares = |sum: Inst| {
            let func = self.func();
            let same = |&a: &Value, &b: &Value| self.melded.same(func, [a, b]) || self.melded.same(func, [b, a]);
            let others = sums.iter().filter(|&&other| self.block(other) != self.block(sum));
            others
                .into_iter()
                .any(|&other| func.operands(sum).iter().any(|a| func.operands(other).iter().any(|b| same(a, b))))
        };
        let count = |sum: Inst| self.joins.of_sum(sum).into_iter().flatten().count();
        let has_fma =
            |sum: Inst| matches!(self.func().type_info(self.func().result(sum)).kind, TypeKind::Float(32 | 64));
        if sums.iter().any(|&sum| (count(sum) == 2 || count(sum) == 1 && !has_fma(sum)) && shares(sum)) {
            return None;
        }
        Some(sums.iter().copied().filter(|&sum| count(sum) == 1 && has_fma(sum)).collect())
    }

    /// The products of one side that are joined with nothing, and that a sum may meet through phis and selects; `None` if they
    /// cannot be kept apart.
    fn alone(&self) -> Option<Vec<Inst>> {
        let is_free = |&inst: &Inst| {
            let is_chosen = self.joins.is_product(inst) && !self.melds.contains_key(&inst);
            is_chosen && self.joins.is_alone(inst) && self.joins.may_meet_sum(inst)
        };
        let mut products: Vec<Inst> = self.pieces.keys().copied().filter(is_free).collect();
        products.sort_unstable();
        let may_be = |&product: &Inst| Editor::rounds_alone(self.context.handles.inst(product).ty());
        products.iter().all(may_be).then_some(products)
    }

    /// Whether a product that all lanes will execute is also computed elsewhere, where it may replace one that a sum is
    /// joined with.
    fn replaces_others(&self) -> bool {
        let func = self.func();
        let factors = |inst: Inst| {
            let mut factors = [func.operands(inst)[0], func.operands(inst)[1]];
            factors.sort_unstable();
            factors
        };
        let products = || func.insts.keys().filter(|&inst| self.joins.is_product(inst));
        let is_for_all = |inst: &Inst| self.pieces.contains_key(inst) && !self.guarded.contains(inst);
        let moved = products().filter(is_for_all);
        let moved: FxHashSet<[Value; 2]> = moved.map(factors).collect();
        let mut others = products().filter(|inst| !is_for_all(inst));
        others.any(|inst| moved.contains(&factors(inst)))
    }
}
