//! Would other products and sums be joined if branches were gone that choose what earlier ones have chosen?
//!
//! With a branch go the blocks of its ways, and what is in front of it and behind it is one block. What follows from the phis
//! behind it is the same as what follows from the earlier phis, so that LLVM's value numbering makes one of the two.
//!
//! What goes has the value that stays if both are joined alike, which they are if they are used alike. A product that stays
//! keeps its fate if no user of it goes, and if it has one user, or does not come into one block with a sum that it was apart
//! from. Of two products that become one, all users have to become one, too.

use super::{Joins, Pair, raw};
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::entity::{Block, Inst};

/// What goes, and what is left.
pub struct Without<'a> {
    /// The blocks that go.
    pub gone: &'a FxHashSet<Block>,
    /// The blocks in front of these and behind them, which become one.
    pub beside: &'a FxHashSet<Block>,
    /// A number that results have in common only if they are the same then.
    pub number: &'a dyn Fn(Inst) -> Option<u32>,
}

impl Joins<'_, '_> {
    /// The blocks beside which nothing may go if all results are to keep their bits; `None` if that cannot be foreseen.
    pub fn held_without(&self, Without { gone, beside, number }: &Without<'_>) -> Option<FxHashSet<Block>> {
        let function = self.handles.function;
        if raw::may_pair(&[function], Pair::Narrowings) || raw::has_loose(function) {
            return None;
        }
        if !raw::may_pair(&[function], Pair::MultiplyAdd) {
            return Some(FxHashSet::default());
        }
        if raw::is_undecided_at_large(function) {
            return None;
        }
        let func = &self.outline.func;
        let block = |inst: Inst| func.insts[inst].block;
        let is_gone = |inst: Inst| gone.contains(&block(inst));
        let cfg = self.outline.cfg();
        let dominators = cfg.dominators(&func.graph);
        let is_before = |first: Inst, second: Inst| dominators.dominates(block(first), block(second));
        let changed = gone.iter().chain(*beside).copied();
        let mut held: FxHashSet<Block> = changed.filter(|&block| raw::copies_sums(self.handles.block(block))).collect();
        let mut kept: FxHashMap<u32, Vec<Inst>> = FxHashMap::default();
        let insts = cfg.order.rpo().iter().flat_map(|&block| func.block_insts(block));
        for product in insts.filter(|&inst| self.is_product(inst) && self.may_meet_sum(inst)) {
            let users = self.users(product);
            let goes = is_gone(product);
            let is_alone = users.len() == 1;
            let apart = users.iter().filter(|&&user| self.is_sum(user) && block(user) != block(product));
            let comes_near = |&&sum: &&Inst| goes || [sum, product].iter().any(|inst| beside.contains(&block(*inst)));
            let parted = apart.filter(comes_near).filter(|_| !is_alone);
            let lost = users.iter().filter(|&&user| !goes && is_gone(user));
            let mut in_the_way: Vec<Block> =
                parted.chain(lost).flat_map(|&user| [block(user), block(product)]).collect();
            let alike = number(product).map(|number| kept.entry(number).or_default());
            let other =
                alike.iter().flat_map(|alike| alike.iter()).copied().find(|&other| goes || is_before(other, product));
            match other {
                // the two become one
                Some(other) => {
                    let theirs = self.users(other);
                    let becomes_one = |&user: &Inst| {
                        number(user).is_some_and(|wanted| {
                            let is_it =
                                |&&their: &&Inst| number(their) == Some(wanted) && (goes || is_before(their, user));
                            theirs.iter().any(|their| is_it(&their))
                        })
                    };
                    let is_near = |&user: &Inst| !self.is_sum(user) || block(user) == block(other);
                    let are_joined_alike = users.len() == theirs.len()
                        && users.iter().all(becomes_one)
                        && (is_alone || theirs.iter().all(is_near));
                    if !are_joined_alike {
                        if !goes {
                            return None;
                        }
                        in_the_way.push(block(product));
                    }
                }
                None if goes => in_the_way.push(block(product)),
                None => alike.into_iter().for_each(|alike| alike.push(product)),
            }
            held.extend(in_the_way);
        }
        Some(held)
    }
}
