//! Which bounds checks come out the same for every thread if the launch has no more threads than there is work?
//!
//! The condition of a branch is followed through `and`, `or`, `not` and selects of truth values to comparisons `i < n`
//! (and their negations), where
//!
//! - `i` is `threadIdx.d + c` or `blockIdx.d·blockDim.d + threadIdx.d + c` with `c ≥ 0`, possibly extended. As an
//!   integer it is at most the number of indices, minus one, plus `c`. Where it wraps it only becomes smaller, in the
//!   reading of the comparison (an index extended with its sign counts in signed comparisons only). So if
//!   `number + c ≤ n`, then `i < n` holds for every thread;
//! - `n` consists of integer arguments, constants, and the extents of grid and block, so that the host knows it.
//!
//! Then every thread gets the same answer from all of the comparisons, and hence from the condition.

use super::condition::Bound;
use super::facts::Facts;
use super::intrinsic_table::class_of_intrinsic;
use super::intrinsics::LaneRule;
use crate::affine::Base;
use warpwise_ir::Func;
use warpwise_ir::call::{BLOCK_INDEX, GRID_SIZE};
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::{ConstData, Flags, Opcode, Predicate};

/// Maximum depth of a condition, of an index and of a limit.
const MAX_DEPTH: u32 = 8;

/// What every thread sees where the bounds hold; `None`: one of the two, for all lanes of a warp.
type Truth = Option<bool>;

/// The bounds that make a condition uniform; `None` if there are none that suffice.
pub(super) fn bounds_of(facts: &Facts, condition: Value, branch: Inst) -> Option<Vec<Bound>> {
    let mut search = Search { facts, func: &facts.func, branch, bounds: Vec::new() };
    search.truth(condition, MAX_DEPTH)?;
    (!search.bounds.is_empty()).then_some(search.bounds)
}

struct Search<'a> {
    facts: &'a Facts,
    func: &'a Func,
    branch: Inst,
    bounds: Vec<Bound>,
}

/// An index of a thread.
#[derive(Default)]
struct Index {
    thread: Option<usize>,
    block: Option<usize>,
    plus: i64,
    /// A part is extended with its sign: if it wraps to a negative number, it is large in the unsigned reading.
    sign_extended: bool,
}

impl Search<'_> {
    fn truth(&mut self, value: Value, depth: u32) -> Option<Truth> {
        let func = self.func;
        if let Some(ConstData::Int(bits)) = func.constant(value) {
            return Some(Some(bits != 0));
        }
        let block = func.insts[self.branch].block;
        if self.facts.scope_at_use(value, block).is_some() {
            return Some(None);
        }
        let def = func.def(value).filter(|_| depth > 0)?;
        let operands = func.operands(def);
        let next = depth - 1;
        let (a, b) = match (func.insts[def].opcode, operands) {
            (Opcode::ICmp, &[left, right]) => {
                return self.comparison(Predicate::from_sub(func.insts[def].sub)?, left, right);
            }
            (Opcode::And | Opcode::Or | Opcode::Xor, &[a, b]) => (self.truth(a, next)?, self.truth(b, next)?),
            (Opcode::Select, &[condition, yes, no]) => {
                return match self.truth(condition, next)? {
                    Some(true) => self.truth(yes, next),
                    Some(false) => self.truth(no, next),
                    None => {
                        let (yes, no) = (self.truth(yes, next)?, self.truth(no, next)?);
                        Some(yes.filter(|_| yes == no))
                    }
                };
            }
            _ => return None,
        };
        // one side decides an `and` that is false and an `or` that is true
        let decides = func.insts[def].opcode == Opcode::Or;
        Some(match (a, b) {
            _ if func.insts[def].opcode == Opcode::Xor => a.zip(b).map(|(a, b)| a ^ b),
            _ if a == Some(decides) || b == Some(decides) => Some(decides),
            (Some(_), other) | (other, Some(_)) => other,
            (None, None) => None,
        })
    }

    fn comparison(&mut self, predicate: Predicate, left: Value, right: Value) -> Option<Truth> {
        let (predicate, index, limit) = match self.index(left) {
            Some(index) => (predicate, index, right),
            None => (predicate.swapped(), self.index(right)?, left),
        };
        // `i < n` holds with the bound, and so does `i ≤ n` with one less; `i ≥ n` and `i > n` do not hold
        let (strict, truth) = match predicate {
            Predicate::Ult | Predicate::Slt => (true, true),
            Predicate::Ule | Predicate::Sle => (false, true),
            Predicate::Uge | Predicate::Sge => (true, false),
            Predicate::Ugt | Predicate::Sgt => (false, false),
            Predicate::Eq | Predicate::Ne => return None,
        };
        if !self.is_known_at_launch(limit, MAX_DEPTH) {
            return None;
        }
        let dim = index.thread.filter(|_| predicate.is_signed() || !index.sign_extended)?;
        let number = match self.func.int_constant(limit) {
            Some(bits) if !predicate.is_signed() => Some(i64::try_from(bits).ok()?),
            _ => self.func.signed_constant(limit),
        };
        let bound = Bound {
            dim,
            in_grid: index.block.is_some(),
            extent: self.facts.geometry.extent(dim),
            plus: index.plus - i64::from(!strict),
            limit,
            number,
        };
        if !self.bounds.contains(&bound) {
            self.bounds.push(bound);
        }
        Some(Some(truth))
    }

    /// An index of the thread in its block or in the grid, plus a constant that is not negative.
    fn index(&self, value: Value) -> Option<Index> {
        let mut index = Index::default();
        self.add_parts(value, &mut index, MAX_DEPTH)?;
        let same = index.block.is_none_or(|dim| Some(dim) == index.thread);
        (index.thread.is_some() && same && index.plus >= 0).then_some(index)
    }

    fn add_parts(&self, value: Value, index: &mut Index, depth: u32) -> Option<()> {
        let func = self.func;
        if let Some(number) = func.signed_constant(value) {
            index.plus = index.plus.checked_add(number).filter(|_| number >= 0)?;
            return Some(());
        }
        let def = func.def(value).filter(|_| depth > 0)?;
        let data = &func.insts[def];
        let operands = func.operands(def);
        match data.opcode {
            Opcode::ZExt | Opcode::SExt => {
                index.sign_extended |= data.opcode == Opcode::SExt;
                self.add_parts(operands[0], index, depth - 1)
            }
            Opcode::Or if !data.flags.contains(Flags::DISJOINT) => None,
            Opcode::Add | Opcode::Or => operands.iter().try_for_each(|&part| self.add_parts(part, index, depth - 1)),
            Opcode::Mul | Opcode::Shl => {
                let dim = self.block_start(def)?;
                index.block.replace(dim).is_none().then_some(())
            }
            Opcode::Call => match self.rule(value)? {
                LaneRule::Index(base) if base != Base::LaneId => {
                    index.thread.replace(base as usize).is_none().then_some(())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The dimension of `blockIdx.d · blockDim.d`.
    fn block_start(&self, product: Inst) -> Option<usize> {
        let func = self.func;
        let &[left, right] = func.operands(product) else { return None };
        let size = |value: Value, dim: usize| match func.constant(value) {
            Some(ConstData::Int(number)) => {
                let extent = self.facts.geometry.extent(dim).map(u64::from);
                let number =
                    if func.insts[product].opcode == Opcode::Shl { 1u64.checked_shl(number as u32)? } else { number };
                (extent == Some(number)).then_some(dim)
            }
            _ if func.insts[product].opcode == Opcode::Shl => None,
            _ => (self.rule(value)? == LaneRule::BlockSize(dim)).then_some(dim),
        };
        let of = |block: Value, threads: Value| {
            (0..3).find(|&dim| self.is_block_index(block, dim) && size(threads, dim).is_some())
        };
        of(left, right).or_else(|| if func.insts[product].opcode == Opcode::Mul { of(right, left) } else { None })
    }

    fn is_block_index(&self, value: Value, dim: usize) -> bool {
        self.func.intrinsic_behind(value).is_some_and(|id| BLOCK_INDEX.position(id) == Some(dim))
    }

    /// The rule of the intrinsic that computes a value, possibly extended.
    fn rule(&self, value: Value) -> Option<LaneRule> {
        Some(class_of_intrinsic(self.func.intrinsic_behind(value)?, true))
    }

    /// Whether the host can compute an integer before the launch.
    fn is_known_at_launch(&self, value: Value, depth: u32) -> bool {
        let func = self.func;
        if let Some(constant) = func.constant(value) {
            return matches!(constant, ConstData::Int(_));
        }
        if func.as_param(value).is_some() {
            return func.is_kernel && func.type_info(value).kind.space().is_none();
        }
        let Some(def) = func.def(value).filter(|_| depth > 0) else { return false };
        let operands = || func.operands(def).iter().all(|&operand| self.is_known_at_launch(operand, depth - 1));
        use Opcode::*;
        match func.insts[def].opcode {
            Add | Sub | Mul | UDiv | SDiv | Shl | LShr | AShr | And | Or | Trunc | ZExt | SExt => operands(),
            Call => {
                let grid = self.func.intrinsic_behind(value).is_some_and(|id| GRID_SIZE.contains(id));
                grid || matches!(self.rule(value), Some(LaneRule::BlockSize(_)))
            }
            // a member of a structure passed by value
            Load => func.is_argument_member(func.operands(def)[0]),
            _ => false,
        }
    }
}
