//! With which product does LLVM's back end join a sum?
//!
//! With one of its block, wherever `ptxas` does so by itself if nothing else uses the product; of two with that of fewer uses. Sums
//! are visited in an order that other code of the block decides, and those that come first take away uses. Before that, LLVM may
//! compute the product in front of the branch to its block.
//!
//! `ptxas` itself (13.0, seen in small kernels) joins a product only if all its users are sums, with those of its block, or of any
//! block if a factor is a constant or an argument. That a product with one user is joined wherever it is follows from LLVM, which
//! sinks it to the sum's block. Where a product with several users is by then nobody knows here.

use super::Pair;
use super::raw::{added, are_parted, comes_back, is_wide, meets};
use rustc_hash::FxHashSet;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Block, Inst, RawOpcode, Value};

/// A sum and the product that it is joined with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join<'m> {
    pub sum: Inst<'m>,
    pub product: Inst<'m>,
    /// Which operand of the sum it is.
    pub operand: u32,
    /// Whether its sign is changed in between.
    pub is_negated: bool,
}

impl<'m> Join<'m> {
    /// What the back end makes of a sum ([rules](super)). Nothing is sure of products that LLVM may still take out of a loop,
    /// which it then unrolls, nor of twice a product, nor of two if it depends on the order which one it is.
    pub fn of(sum: Inst<'m>) -> Option<Join<'m>> {
        let is_sure =
            |join: &Join<'m>| stays(join.product) && !are_parted(join.product, sum) && !join.may_be_hoisted_alone();
        let stays_own = |own: &Join<'m>| {
            let home = own.product.block();
            (home == sum.block() || !comes_back(sum.block(), Some(home))) && stays(own.product)
        };
        match (Join::near(sum), Join::own(sum, 0), Join::own(sum, 1)) {
            ([Some(first), Some(second)], ..) => {
                let is_first = takes_first(first.product, second.product)?;
                (is_sure(&first) && is_sure(&second)).then_some(if is_first { first } else { second })
            }
            ([None, None], first, second) => first.or(second).filter(stays_own),
            ([Some(_), None], _, Some(_)) | ([None, Some(_)], Some(_), _) => None,
            (_, Some(own), _) | (_, _, Some(own)) => Some(own).filter(stays_own),
            ([first, second], ..) => first.or(second).filter(is_sure),
        }
    }

    /// The products of its block, one for each operand, that a sum may be joined with.
    fn near(sum: Inst<'m>) -> [Option<Join<'m>>; 2] {
        Join::among(sum, |inst| inst.block() == sum.block())
    }

    /// The products that are the operands of a sum, one for each, perhaps with another sign, through such instructions.
    pub fn among(sum: Inst<'m>, is_allowed: impl Fn(Inst<'m>) -> bool) -> [Option<Join<'m>>; 2] {
        [0, 1].map(|operand| {
            let (mut value, mut is_negated) = (sum.operand(operand), false);
            loop {
                let inst = value.as_inst().filter(|&inst| is_allowed(inst))?;
                if Pair::MultiplyAdd.begins_with(inst) {
                    return Some(Join { sum, product: inst, operand, is_negated });
                }
                if inst.opcode() != RawOpcode::LLVMFNeg {
                    return None;
                }
                (value, is_negated) = (inst.operand(0), !is_negated);
            }
        })
    }

    /// A product that only this sum uses, and that is joined with it wherever it is.
    fn own(sum: Inst<'m>, operand: u32) -> Option<Join<'m>> {
        let product = sum.operand(operand).as_inst().filter(|&inst| Pair::MultiplyAdd.begins_with(inst))?;
        is_wherever(sum, product).then_some(Join { sum, product, operand, is_negated: false })
    }

    /// Whether LLVM may compute the product of a block in front of the branch to it, and the sum not (`SpeculativeExecution`, which
    /// moves what has no effect there, unless much is left behind). A product that nothing else uses is joined all the same.
    fn may_be_hoisted_alone(&self) -> bool {
        use RawOpcode::{LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMCall, LLVMFDiv, LLVMFRem, LLVMLoad, LLVMPHI};
        let Join { sum, product, .. } = *self;
        let is_left = |inst: Inst<'m>| {
            matches!(inst.opcode(), LLVMPHI | LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg)
                || inst.block().terminator() == Some(inst)
        };
        let may_be_left = |inst: Inst<'m>| is_left(inst) || matches!(inst.opcode(), LLVMCall | LLVMFDiv | LLVMFRem);
        is_side(product.block())
            && !near_operands(product).any(is_left)
            && near_operands(sum).any(may_be_left)
            && !is_wherever(sum, product)
            && product.block().insts().filter(|&inst| is_left(inst)).count() <= MAX_LEFT
    }

    /// Whether an `llvm.fma` is the same: the flags allow no more than joining, and the type has one.
    pub fn can_be_written(&self) -> bool {
        let Join { sum, product, .. } = self;
        !sum.is_reassociable() && !product.is_reassociable() && Editor::rounds_alone(sum.ty())
    }
}

/// Whether a product that a sum uses is joined with it wherever it is: nothing else uses it.
fn is_wherever(sum: Inst<'_>, product: Inst<'_>) -> bool {
    is_wide(sum) && product.value().users().count() == 1
}

/// Most instructions that LLVM leaves in a block of which it computes others earlier: 5, and some that it may still remove.
const MAX_LEFT: usize = 8;

/// Whether a block is one side of a branch, from which it goes on to where the other leads, or the other side has nothing in it.
fn is_side(block: Block<'_>) -> bool {
    let mut ways = block.branches();
    let (Some(branch), None) = (ways.next(), ways.next()) else { return false };
    let Some(end) = block.only_successor() else { return false };
    let is_empty = |side: Block<'_>| side.insts().count() == 1 && side.only_successor() == Some(end);
    let mut others = branch.successors().filter(|&side| side != block);
    others.next().is_some_and(|other| others.next().is_none() && (other == end || is_empty(other)))
}

/// An instruction, and those of its block that it is computed from.
fn near_operands<'m>(inst: Inst<'m>) -> impl Iterator<Item = Inst<'m>> {
    let (mut found, mut seen) = (vec![inst], FxHashSet::from_iter([inst]));
    let mut at = 0;
    while let Some(&user) = found.get(at) {
        at += 1;
        if user.opcode() != RawOpcode::LLVMPHI {
            let operands = user.operands().filter_map(|operand| operand.as_inst());
            found.extend(operands.filter(|&operand| operand.block() == inst.block() && seen.insert(operand)));
        }
    }
    found.into_iter()
}

/// Whether a sum takes the first of two products, and not the second, in whatever order sums take theirs; `None` if that is not sure.
fn takes_first<'m>(first: Inst<'m>, second: Inst<'m>) -> Option<bool> {
    if first == second {
        None
    } else if has_fewer_uses(second, first) {
        (least_uses(first) > uses(second)).then_some(false)
    } else {
        (uses(first) <= least_uses(second)).then_some(true)
    }
}

/// Whether a sum takes a product and not the one that stands in front of it, if none has been taken yet.
fn has_fewer_uses(second: Inst<'_>, first: Inst<'_>) -> bool {
    uses(second) < uses(first)
}

/// Uses of a product in its block, and one for all elsewhere.
fn uses(product: Inst<'_>) -> usize {
    let users = || product.value().users().filter_map(Value::as_inst);
    let near = users().filter(|&user| is_near(product, user)).count();
    near + usize::from(near < users().count())
}

fn is_near(product: Inst<'_>, user: Inst<'_>) -> bool {
    user.block() == product.block() && user.opcode() != RawOpcode::LLVMPHI
}

/// Uses of a product that are left when all other sums that take it have done so. If each takes what it takes as long as none has
/// taken any, that is so in any order in which this count decides alike for all.
fn least_uses<'m>(product: Inst<'m>) -> usize {
    let takes = |user: Inst<'m>| match user.opcode() {
        RawOpcode::LLVMFNeg => true,
        _ if !Pair::MultiplyAdd.ends_with(user) => false,
        _ => match Join::near(user) {
            [Some(first), Some(second)] => {
                let taken = if has_fewer_uses(second.product, first.product) { second } else { first };
                taken.product == product
            }
            [first, second] => first.or(second).is_some_and(|join| join.product == product),
        },
    };
    let users = product.value().users().filter_map(Value::as_inst).filter(|&user| is_near(product, user));
    (uses(product) - users.filter(|&user| takes(user)).count()).max(1)
}

/// Whether a product stays in the innermost loop around it, since it is computed from a phi or a call there.
fn stays(product: Inst<'_>) -> bool {
    let home = product.block();
    if !comes_back(home, None) {
        return true;
    }
    let (mut open, mut seen) = (vec![product], FxHashSet::default());
    while let Some(inst) = open.pop() {
        let block = inst.block();
        if matches!(inst.opcode(), RawOpcode::LLVMPHI | RawOpcode::LLVMCall) {
            if block == home || !comes_back(home, Some(block)) {
                return true;
            }
        } else {
            let factors = inst.operands().filter_map(|operand| operand.as_inst());
            open.extend(factors.filter(|&factor| seen.insert(factor)));
        }
    }
    false
}

/// Whether a sum is joined for sure, or has no product to be joined with.
pub fn is_sure(sum: Inst<'_>) -> bool {
    Join::of(sum).is_some() || added(sum).next().is_none()
}

/// Whether what a sum is joined with does not depend on what else is in its block: of two products it takes the same one in
/// whatever order sums take theirs, and LLVM does not compute [one alone](is_speculated).
pub fn stands_alone(sum: Inst<'_>) -> bool {
    let is_same = |[first, second]: [Join<'_>; 2]| takes_first(first.product, second.product).is_some();
    both(sum).is_none_or(is_same) && !(is_side(sum.block()) && is_speculated(sum))
}

/// Whether a sum would be parted from a product of its block if LLVM computed only that in front of a branch to the block.
pub fn is_speculated(sum: Inst<'_>) -> bool {
    Join::near(sum).into_iter().flatten().any(|join| !is_wherever(sum, join.product))
}

/// Whether a sum that chooses between two products of its block by their uses finds all of these there.
pub fn chooses_here(sum: Inst<'_>) -> bool {
    let are_here = |product: Inst<'_>| {
        let mut users = product.value().users().filter_map(Value::as_inst);
        users.all(|user| is_near(product, user))
    };
    both(sum).is_none_or(|[first, second]| are_here(first.product) && are_here(second.product))
}

/// Whether only its block decides what a sum is joined with: its products are there, with all of their uses.
pub fn is_local(sum: Inst<'_>) -> bool {
    let is_here = |user: Value<'_>| user.as_inst().is_some_and(|user| is_near(sum, user));
    added(sum).all(|product| product.block() == sum.block() && product.value().users().all(is_here))
}

/// The products that a sum chooses from, if both operands are some of its block.
fn both(sum: Inst<'_>) -> Option<[Join<'_>; 2]> {
    match Join::near(sum) {
        [Some(first), Some(second)] => Some([first, second]),
        _ => None,
    }
}

/// Whether only a sum uses a product, and is joined with it wherever it is.
pub fn is_lone(product: Inst<'_>) -> bool {
    let mut users = product.value().users().filter_map(Value::as_inst);
    users.next().is_some_and(|user| Pair::MultiplyAdd.ends_with(user) && is_wherever(user, product))
}

/// Whether it does not matter how many uses a product has: all sums that use it are in its block, and may be joined with no other.
pub fn is_steady(used: Inst<'_>) -> bool {
    let is_sum = |user: Inst<'_>| Pair::MultiplyAdd.ends_with(user);
    let is_only = |sum: Inst<'_>| {
        added(sum).count() == 1 && Join::near(sum).into_iter().flatten().any(|join| join.product == used)
    };
    !meets(used.value(), |user| is_sum(user) && !is_only(user))
}
