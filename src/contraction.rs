//! Which products and sums become one multiply-add?
//!
//! Where the flags of a product and of a sum that uses it allow contraction, the two become one `fma`, which rounds once
//! instead of twice. Two compilers do that, one after the other:
//!
//! - LLVM's back end joins a sum with a product of its own block, whatever else uses the product;
//! - `ptxas` joins a product with the only instruction that uses it, if that is a sum, wherever in the function it is. Sums of
//!   other blocks that share a product it sometimes joins and sometimes not.
//!
//! Both see through a change of sign, and neither through a phi or a select. Of two products the sum takes the first, unless
//! the second has fewer uses in its block. (`ptxas` of CUDA 13.0 for sm_90, tried with branches, loops and barriers between
//! the two; floats and doubles; not if either has a rounding mode of its own, which is how LLVM prints it without the flag.)
//!
//! A product that one sum uses is thus joined whatever later passes move. What may change its fate is a phi or a select
//! that comes between it and the sum, or a use that is no sum.

use crate::divergence::Outline;
use crate::entity::{Inst, Value};
use crate::ir::handles::Handles;
use crate::ir::inst::Opcode;
use rustc_hash::FxHashSet;

/// The products and sums of one function.
#[derive(Clone, Copy)]
pub struct Joins<'a, 'm> {
    pub outline: &'a Outline,
    pub handles: &'a Handles<'m>,
}

impl Joins<'_, '_> {
    /// Whether the flags allow joining.
    pub fn may_join(&self, inst: Inst) -> bool {
        self.handles.inst(inst).allows_contraction()
    }

    /// Whether it is a sum or a difference that may be joined.
    pub fn is_sum(&self, inst: Inst) -> bool {
        matches!(self.outline.func.insts[inst].opcode, Opcode::FAdd | Opcode::FSub) && self.may_join(inst)
    }

    /// Whether it is a product that may be joined.
    pub fn is_product(&self, inst: Inst) -> bool {
        self.outline.func.insts[inst].opcode == Opcode::FMul && self.may_join(inst)
    }

    /// The product that a value is, perhaps with the opposite sign, if it may be joined.
    pub fn product(&self, value: Value) -> Option<Inst> {
        self.outline.func.float_product(value).filter(|&product| self.may_join(product))
    }

    /// What uses a product, or its negation: sums and others.
    pub fn users(&self, product: Inst) -> Vec<Inst> {
        let func = &self.outline.func;
        let (mut open, mut users) = (vec![product], Vec::new());
        while let Some(inst) = open.pop() {
            for &user in self.outline.users(func.result(inst)) {
                if func.insts[user].opcode == Opcode::FNeg {
                    open.push(user);
                } else if !users.contains(&user) {
                    users.push(user);
                }
            }
        }
        users
    }

    /// Whether the sum that uses a product is joined with it, if it is with any. See [`is_unsure`](Self::is_unsure).
    pub fn is_joined(&self, product: Inst, sum: Inst) -> bool {
        let block = |inst: Inst| self.outline.func.insts[inst].block;
        block(product) == block(sum) || self.users(product).len() == 1
    }

    /// Whether nobody can say if a product is joined: sums of several blocks use it, and nothing else does.
    pub fn is_unsure(&self, product: Inst) -> bool {
        let users = self.users(product);
        let block = |inst: Inst| self.outline.func.insts[inst].block;
        users.len() > 1
            && users.iter().all(|&user| self.is_sum(user))
            && users.iter().any(|&user| block(user) != block(product))
    }

    /// Whether no sum is joined with a product.
    pub fn is_alone(&self, product: Inst) -> bool {
        self.users(product).iter().all(|&user| !self.is_sum(user) || !self.is_joined(product, user))
    }

    /// Whether what is passed on of a product may become an operand of a sum.
    pub fn may_meet_sum(&self, product: Inst) -> bool {
        let func = &self.outline.func;
        let (mut open, mut seen) = (vec![product], FxHashSet::default());
        while let Some(inst) = open.pop() {
            for &user in self.outline.users(func.result(inst)) {
                let opcode = func.insts[user].opcode;
                if self.is_sum(user) {
                    return true;
                }
                if (opcode == Opcode::Phi || opcode.passes_on_product()) && seen.insert(user) {
                    open.push(user);
                }
            }
        }
        false
    }

    /// The product that each operand of a sum is joined with, if it is with any.
    pub fn of_sum(&self, sum: Inst) -> Vec<Option<Inst>> {
        let operands = self.outline.func.operands(sum).iter();
        operands.map(|&value| self.product(value).filter(|&product| self.is_joined(product, sum))).collect()
    }
}
