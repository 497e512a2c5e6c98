//! Between which bounds does an integer lie? Computed on demand, where a no-wrap proof needs it.
//!
//! A bounded walk over operands (depth [`MAX_DEPTH`]) with interval arithmetic in both the signed and the unsigned
//! reading, narrowed by comparisons that dominate the block of the query: `if (i < 1000)`, `llvm.assume`. Where nothing
//! is known, the answer is the full range. Queries are rare, because flags and alignment settle most proofs, so only
//! the last few answers are kept.

use super::environment::Environment;
use super::guards::Guards;
use super::intrinsic_table::Arithmetic;
use super::intrinsics::LaneRule;
use crate::affine::form::unsigned;
use crate::cfg::Cfg;
use crate::mutants::{self, Mutant};
use std::cell::{Cell, OnceCell};
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{Flags, Opcode, Predicate};

/// Maximum depth of operands looked through.
const MAX_DEPTH: u32 = 5;
/// Maximum number of guards of one value that are considered.
const MAX_GUARDS: usize = 12;
/// Number of recent answers that are kept.
const RECENT: usize = 16;

/// Inclusive bounds of an integer, unsigned and signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Width of the integer, 1 to 64.
    pub bits: u32,
    pub umin: u64,
    pub umax: u64,
    pub smin: i64,
    pub smax: i64,
}

impl Range {
    /// The full range.
    pub fn full(bits: u32) -> Range {
        let bits = bits.clamp(1, 64);
        let umax = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let smax = (umax >> 1) as i64;
        Range { bits, umin: 0, umax, smin: -smax - 1, smax }
    }
    /// The range of one number (sign-extended).
    pub fn constant(value: i64, bits: u32) -> Range {
        let bits = bits.clamp(1, 64);
        let u = unsigned(value, bits);
        Range { bits, umin: u, umax: u, smin: value, smax: value }
    }
    /// From unsigned bounds.
    pub fn unsigned(umin: u64, umax: u64, bits: u32) -> Range {
        let full = Range::full(bits);
        Range { umin: umin.min(full.umax), umax: umax.min(full.umax), ..full }.reconciled()
    }
    /// From signed bounds.
    pub fn signed(smin: i64, smax: i64, bits: u32) -> Range {
        let full = Range::full(bits);
        Range { smin: smin.max(full.smin), smax: smax.min(full.smax), ..full }.reconciled()
    }
    /// From unsigned and signed bounds, each if it is sure.
    fn in_readings(are_sure: (bool, bool), unsigned: [u64; 2], signed: [i64; 2], bits: u32) -> Range {
        let mut range = Range::full(bits);
        if are_sure.0 {
            range = range.and(Range::unsigned(unsigned[0], unsigned[1], bits));
        }
        if are_sure.1 {
            range = range.and(Range::signed(signed[0], signed[1], bits));
        }
        range
    }
    /// Transfers bounds between the readings where the sign is known.
    fn reconciled(mut self) -> Range {
        let half = Range::full(self.bits).smax as u64;
        if self.umax <= half {
            self.smin = self.smin.max(self.umin as i64);
            self.smax = self.smax.min(self.umax as i64);
        }
        if self.smin >= 0 {
            self.umin = self.umin.max(self.smin as u64);
            self.umax = self.umax.min(self.smax as u64);
        }
        self
    }
    /// The intersection. If it is empty (dead code), `self`.
    fn and(self, other: Range) -> Range {
        let both = Range {
            bits: self.bits,
            umin: self.umin.max(other.umin),
            umax: self.umax.min(other.umax),
            smin: self.smin.max(other.smin),
            smax: self.smax.min(other.smax),
        };
        if both.umin > both.umax || both.smin > both.smax { self } else { both.reconciled() }
    }
    /// The union.
    fn or(self, other: Range) -> Range {
        Range {
            bits: self.bits,
            umin: self.umin.min(other.umin),
            umax: self.umax.max(other.umax),
            smin: self.smin.min(other.smin),
            smax: self.smax.max(other.smax),
        }
    }
    /// Whether nothing is known.
    fn is_full(&self) -> bool {
        *self == Range::full(self.bits)
    }
    /// Whether no value is negative in the signed reading.
    pub fn is_non_negative(&self) -> bool {
        self.smin >= 0
    }
    /// Whether numbers of these bounds wrap, in the unsigned and in the signed reading.
    fn wraps(&self, umax: u128, [smin, smax]: [i128; 2]) -> (bool, bool) {
        let full = Range::full(self.bits);
        (umax > u128::from(full.umax), smin < i128::from(full.smin) || smax > i128::from(full.smax))
    }
    /// Whether `self + other` may wrap, in the unsigned and in the signed reading.
    pub fn add_wraps(&self, other: &Range) -> (bool, bool) {
        let sum = |a: i64, b: i64| i128::from(a) + i128::from(b);
        let umax = u128::from(self.umax) + u128::from(other.umax);
        self.wraps(umax, [sum(self.smin, other.smin), sum(self.smax, other.smax)])
    }
    /// As [`Range::add_wraps`] for `self − other`.
    pub fn sub_wraps(&self, other: &Range) -> (bool, bool) {
        let difference = |a: i64, b: i64| i128::from(a) - i128::from(b);
        let signed = [difference(self.smin, other.smax), difference(self.smax, other.smin)];
        (self.umin < other.umax, self.wraps(0, signed).1)
    }
    /// As [`Range::add_wraps`] for `self · other`.
    pub fn mul_wraps(&self, other: &Range) -> (bool, bool) {
        let ends = [(self.smin, other.smin), (self.smin, other.smax), (self.smax, other.smin), (self.smax, other.smax)];
        let mut products = ends.map(|(a, b)| i128::from(a) * i128::from(b));
        products.sort_unstable();
        self.wraps(u128::from(self.umax) * u128::from(other.umax), [products[0], products[3]])
    }
}

/// The guards of the function, and the last ranges found. Made by the first query: many functions have none.
#[derive(Default)]
pub(super) struct RangeMemory {
    made: OnceCell<Box<Known>>,
}

struct Known {
    guards: Guards,
    recent: [Cell<Option<(Value, Block, Range)>>; RECENT],
}

impl RangeMemory {
    /// Bounds of an integer of at most 64 bits as seen in block `at`. They depend on the function alone.
    pub(super) fn range(&self, func: &Func, cfg: &Cfg, env: &Environment<'_>, value: Value, at: Block) -> Range {
        let make = || Box::new(Known { guards: Guards::new(func, env), recent: Default::default() });
        let Known { guards, recent } = &**self.made.get_or_init(make);
        let slot = &recent[(value.as_u32() ^ at.as_u32() << 2) as usize % RECENT];
        match slot.get() {
            Some((known, place, range)) if known == value && place == at => range,
            _ => {
                let range = Ranges { func, cfg, env, guards }.of(value, at);
                slot.set(Some((value, at, range)));
                range
            }
        }
    }
}

/// What a range query reads.
pub struct Ranges<'a> {
    pub func: &'a Func,
    pub cfg: &'a Cfg,
    pub env: &'a Environment<'a>,
    pub guards: &'a Guards,
}

impl Ranges<'_> {
    /// Bounds of an integer of at most 64 bits as seen in block `at`.
    pub fn of(&self, value: Value, at: Block) -> Range {
        self.walk(value, at, MAX_DEPTH)
    }

    fn walk(&self, value: Value, at: Block, depth: u32) -> Range {
        let Some(bits) = self.func.int_bits(value).filter(|&bits| (1..=64).contains(&bits)) else {
            return Range::full(64);
        };
        if let Some(constant) = self.func.signed_constant(value) {
            return Range::constant(constant, bits);
        }
        if depth == 0 {
            return Range::full(bits);
        }
        let structural = match self.func.def(value) {
            Some(inst) => self.of_inst(inst, bits, at, depth - 1),
            None => Range::full(bits),
        };
        self.guarded(value, structural, at, depth - 1)
    }

    fn of_inst(&self, inst: Inst, bits: u32, at: Block, depth: u32) -> Range {
        let data = &self.func.insts[inst];
        let operands = self.func.operands(inst);
        let operand = |index: usize| self.walk(operands[index], at, depth);
        let constant = |index: usize| self.func.int_constant(operands[index]);
        let full = Range::full(bits);
        match data.opcode {
            Opcode::ZExt => {
                let from = operand(0);
                let non_negative = data.flags.contains(Flags::NNEG);
                let umax = if non_negative { from.umax.min(Range::full(from.bits).smax as u64) } else { from.umax };
                Range::unsigned(from.umin, umax, bits)
            }
            Opcode::SExt => {
                let from = operand(0);
                Range::signed(from.smin, from.smax, bits)
            }
            Opcode::Trunc => {
                let from = operand(0);
                if from.umax <= full.umax { Range::unsigned(from.umin, from.umax, bits) } else { full }
            }
            Opcode::And => {
                let bound = operand(0).umax.min(operand(1).umax);
                Range::unsigned(0, bound, bits)
            }
            Opcode::Or => {
                let (a, b) = (operand(0), operand(1));
                let highest = a.umax | b.umax;
                let umax = if highest == 0 { 0 } else { u64::MAX >> highest.leading_zeros() };
                Range::unsigned(a.umin.max(b.umin), umax, bits)
            }
            Opcode::LShr => match constant(1) {
                Some(shift) if shift < u64::from(bits) => {
                    let from = operand(0);
                    Range::unsigned(from.umin >> shift, from.umax >> shift, bits)
                }
                _ => Range::unsigned(0, operand(0).umax, bits),
            },
            Opcode::AShr => match constant(1) {
                Some(shift) if shift < u64::from(bits) => {
                    let from = operand(0);
                    Range::signed(from.smin >> shift, from.smax >> shift, bits)
                }
                _ => full,
            },
            Opcode::UDiv | Opcode::URem | Opcode::SDiv | Opcode::SRem => {
                quotient(data.opcode, operand(0), constant(1), bits)
            }
            Opcode::Add | Opcode::Sub | Opcode::Mul => {
                let a = operand(0);
                // if nothing is known of one operand, the other does not matter
                if a.is_full() && !data.flags.intersects(Flags::NUW | Flags::NSW) {
                    return full;
                }
                computed(data.opcode, a, operand(1), data.flags)
            }
            Opcode::Shl => match constant(1) {
                Some(shift) if shift < u64::from(bits) - 1 => {
                    computed(Opcode::Mul, operand(0), Range::constant(1 << shift, bits), data.flags)
                }
                _ => full,
            },
            Opcode::Select => match operand(1) {
                yes if yes.is_full() => full,
                yes => yes.or(operand(2)),
            },
            Opcode::Phi => self.of_phi(inst, bits, depth),
            Opcode::Call => self.of_call(inst, bits, at, depth),
            _ => full,
        }
    }

    /// A phi without back edges is the union of its operands. An induction variable keeps the bound on the side it
    /// starts from, in the readings in which no back edge can wrap.
    fn of_phi(&self, phi: Inst, bits: u32, depth: u32) -> Range {
        let data = &self.func.insts[phi];
        let mut entries: Option<Range> = None;
        let mut steps: Option<(bool, bool)> = None;
        for (&value, &pred) in self.func.operands(phi).iter().zip(self.func.incoming(phi)) {
            if !self.cfg.order.is_reachable(pred) {
                continue;
            }
            let follows = self.cfg.order.is_ancestor(data.block, pred);
            if follows && self.cfg.dominators(&self.func.graph).dominates(data.block, pred) {
                let Some(step) = self.step(value, phi) else { return Range::full(bits) };
                let so_far = steps.unwrap_or((true, true));
                steps = Some((so_far.0 && step.0, so_far.1 && step.1));
            } else {
                let operand = self.walk(value, pred, depth);
                let entry = entries.map_or(operand, |so_far| so_far.or(operand));
                if entry.is_full() {
                    return entry;
                }
                entries = Some(entry);
            }
        }
        let start = entries.unwrap_or(Range::full(bits));
        let Some(are_sure) = steps else { return start };
        Range::in_readings(are_sure, [start.umin, u64::MAX], [start.smin, i64::MAX], bits)
    }

    /// Whether a back-edge value is `phi + positive constant`, and in which readings the addition does not wrap.
    fn step(&self, value: Value, phi: Inst) -> Option<(bool, bool)> {
        let inst = self.func.def(value)?;
        let data = &self.func.insts[inst];
        let operands = self.func.operands(inst);
        if data.opcode != Opcode::Add || operands[0] != self.func.result(phi) {
            return None;
        }
        if self.func.signed_constant(operands[1])? < 0 {
            return None;
        }
        let never = mutants::on(Mutant::InductionWraps);
        Some((never || data.flags.contains(Flags::NUW), never || data.flags.contains(Flags::NSW)))
    }

    fn of_call(&self, inst: Inst, bits: u32, at: Block, depth: u32) -> Range {
        let Some(id) = self.func.called_intrinsic(inst) else { return Range::full(bits) };
        let geometry = &self.env.geometry;
        match self.env.intrinsics.class(id) {
            LaneRule::Index(base) => {
                let bound = match base {
                    crate::affine::Base::LaneId => 32.min(geometry.thread_bound()),
                    tid => geometry.tid_bound(tid as usize),
                };
                Range::unsigned(0, u64::from(bound) - 1, bits)
            }
            LaneRule::BlockSize(dim) => match geometry.extent(dim) {
                Some(extent) => Range::unsigned(extent.into(), extent.into(), bits),
                None => Range::unsigned(1, geometry.tid_bound(dim).into(), bits),
            },
            LaneRule::Register { low, high, .. } => Range::unsigned(low, high, bits),
            LaneRule::Number(number) => Range::constant(number, bits),
            _ => self.of_arithmetic_intrinsic(inst, id, bits, at, depth),
        }
    }

    fn of_arithmetic_intrinsic(&self, inst: Inst, id: u32, bits: u32, at: Block, depth: u32) -> Range {
        let operands = self.func.operands(inst);
        let operand = |index: usize| self.walk(operands[index], at, depth);
        match self.env.intrinsics.arithmetic(id) {
            Some(rule @ (Arithmetic::UMin | Arithmetic::UMax | Arithmetic::SMin | Arithmetic::SMax)) => {
                let (a, b) = (operand(0), operand(1));
                match rule {
                    Arithmetic::UMin => Range::unsigned(a.umin.min(b.umin), a.umax.min(b.umax), bits),
                    Arithmetic::UMax => Range::unsigned(a.umin.max(b.umin), a.umax.max(b.umax), bits),
                    Arithmetic::SMin => Range::signed(a.smin.min(b.smin), a.smax.min(b.smax), bits),
                    _ => Range::signed(a.smin.max(b.smin), a.smax.max(b.smax), bits),
                }
            }
            Some(Arithmetic::BitCount) => Range::unsigned(0, bits.into(), bits),
            _ => Range::full(bits),
        }
    }

    /// Narrows a range by the comparisons of the value whose outcome is known in the block.
    fn guarded(&self, value: Value, mut range: Range, at: Block, depth: u32) -> Range {
        for guard in self.guards.of(value).take(MAX_GUARDS) {
            let Some(holds) = guard.outcome_at(self.func, self.cfg, at) else { continue };
            let bound = match self.func.constant(guard.other) {
                Some(_) => self.walk(guard.other, at, 1),
                None => self.walk(guard.other, guard.home, depth.min(2)),
            };
            let predicate = if holds { guard.predicate } else { guard.predicate.negated() };
            range = range.and(bounded_by(predicate, &bound));
        }
        range
    }
}

/// The values that satisfy `value PREDICATE bound`.
fn bounded_by(predicate: Predicate, bound: &Range) -> Range {
    let bits = bound.bits;
    let full = Range::full(bits);
    match predicate {
        Predicate::Eq => *bound,
        Predicate::Ne => full,
        Predicate::Ult => Range::unsigned(0, bound.umax.saturating_sub(1), bits),
        Predicate::Ule => Range::unsigned(0, bound.umax, bits),
        Predicate::Ugt => Range::unsigned(bound.umin.saturating_add(1), u64::MAX, bits),
        Predicate::Uge => Range::unsigned(bound.umin, u64::MAX, bits),
        Predicate::Slt => Range::signed(i64::MIN, bound.smax.saturating_sub(1), bits),
        Predicate::Sle => Range::signed(i64::MIN, bound.smax, bits),
        Predicate::Sgt => Range::signed(bound.smin.saturating_add(1), i64::MAX, bits),
        Predicate::Sge => Range::signed(bound.smin, i64::MAX, bits),
    }
}

/// The sum, the difference, or else the product, of which flags say in which readings it does not wrap.
fn computed(opcode: Opcode, a: Range, b: Range, flags: Flags) -> Range {
    let (wraps, unsigned, signed) = match opcode {
        Opcode::Add => (
            a.add_wraps(&b),
            [a.umin.saturating_add(b.umin), a.umax.saturating_add(b.umax)],
            [a.smin.saturating_add(b.smin), a.smax.saturating_add(b.smax)],
        ),
        Opcode::Sub => (
            a.sub_wraps(&b),
            [a.umin.saturating_sub(b.umax), a.umax],
            [a.smin.saturating_sub(b.smax), a.smax.saturating_sub(b.smin)],
        ),
        _ => (
            a.mul_wraps(&b),
            [a.umin.saturating_mul(b.umin), a.umax.saturating_mul(b.umax)],
            [a.smin.saturating_mul(b.smin), a.smax.saturating_mul(b.smax)],
        ),
    };
    let is_ordered = matches!(opcode, Opcode::Add | Opcode::Sub) || a.smin >= 0 && b.smin >= 0;
    let are_sure = (!wraps.0 || flags.contains(Flags::NUW), (!wraps.1 || flags.contains(Flags::NSW)) && is_ordered);
    Range::in_readings(are_sure, unsigned, signed, a.bits)
}

/// The quotient or the remainder of a division by a constant, if `by` is one.
fn quotient(opcode: Opcode, from: Range, by: Option<u64>, bits: u32) -> Range {
    let is_signed = matches!(opcode, Opcode::SDiv | Opcode::SRem);
    if is_signed {
        return match by.map(|divisor| crate::affine::form::wrap(divisor as i64, bits)).filter(|&divisor| divisor > 0) {
            Some(divisor) if opcode == Opcode::SDiv => Range::signed(from.smin / divisor, from.smax / divisor, bits),
            Some(divisor) => {
                let low = if from.smin >= 0 { 0 } else { 1 - divisor };
                Range::signed(low, (divisor - 1).min(from.smax.max(0)), bits)
            }
            None => Range::full(bits),
        };
    }
    match by.filter(|&divisor| divisor != 0) {
        Some(divisor) if opcode == Opcode::UDiv => Range::unsigned(from.umin / divisor, from.umax / divisor, bits),
        Some(divisor) => Range::unsigned(0, (divisor - 1).min(from.umax), bits),
        None => Range::unsigned(0, from.umax, bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_learn_from_each_other() {
        let small = Range::unsigned(0, 1000, 32);
        assert_eq!((small.smin, small.smax), (0, 1000));
        let guarded = bounded_by(Predicate::Slt, &Range::constant(1000, 32));
        assert_eq!((guarded.smin, guarded.smax, guarded.umax), (i64::from(i32::MIN), 999, u64::from(u32::MAX)));
        assert!(Range::signed(5, 7, 32).and(Range::signed(9, 10, 32)).smin == 5);
    }

    #[test]
    fn wraps_are_seen() {
        let index = Range::unsigned(0, 1023, 32);
        assert_eq!(index.add_wraps(&Range::full(32)), (true, true));
        assert_eq!(index.mul_wraps(&index), (false, false));
        assert_eq!(index.sub_wraps(&index), (true, false));
    }
}
