//! How often can a loop iterate at most, each time it is entered?
//!
//! [`TripBounds`] bounds the iterations of each cycle by its [induction variable](Induction), and finds the cycles
//! whose bound is too large for counters of a given width.
//!
//! A cycle is bounded by a variable of its header that changes by a constant in every iteration and decides whether to
//! leave, at the header or at the only latch, so that every iteration makes that decision:
//!
//! - with constant start, step and limit: the number of steps;
//! - otherwise, if the addition may not wrap (`nsw`, `nuw`), no value can occur twice, so there are at most as many
//!   iterations as values (a wrapped value is poison, and branching on poison is undefined behaviour);
//! - for a variable that is shifted until it is zero: its number of bits.

use super::trip_count::Induction;
use crate::affine::form::wrap;
use crate::cfg::Cycles;
use crate::cfg::cycles::Cycle;
use crate::divergence::Facts;
use crate::entity::{Inst, Value};
use crate::ir::Func;
use crate::ir::inst::{ConstData, Flags, Opcode, Predicate};

/// Iteration bounds of the cycles of a function.
pub struct TripBounds {
    /// Maximum number of iterations per entry, by cycle; `u64::MAX` if unknown.
    most: Vec<u64>,
}

impl TripBounds {
    /// Bounds every cycle of a function.
    pub fn new(facts: &Facts) -> TripBounds {
        let cycles = &facts.cfg().cycles;
        TripBounds {
            most: cycles.iter().map(|cycle| iterations(&facts.func, cycles, cycle).unwrap_or(u64::MAX)).collect(),
        }
    }

    /// Maximum number of visits of a block, per call of the function; `innermost` is the innermost cycle around it.
    pub fn visits(&self, cycles: &Cycles, innermost: Option<Cycle>) -> u64 {
        let around = innermost.into_iter().flat_map(|cycle| cycles.ancestors(cycle));
        around.fold(1u64, |product, cycle| product.saturating_mul(self.most[cycle.as_u32() as usize]))
    }

    /// Cycles at whose headers counters must be checked for overflow, given the innermost cycles around counted
    /// branches: between two checks, or without any check, no branch is visited more than `limit` times.
    pub fn checks(&self, cycles: &Cycles, counted: impl Fn(Cycle) -> bool, limit: u64) -> Vec<Cycle> {
        let mut visits = vec![0u64; cycles.len()];
        let mut checks = Vec::new();
        for cycle in cycles.iter().rev() {
            let index = cycle.as_u32() as usize;
            let each = visits[index].max(u64::from(counted(cycle)));
            let all = if each == 0 { 0 } else { each.saturating_mul(self.most[index]) };
            if all > limit {
                checks.push(cycle);
            } else if let Some(parent) = cycles.parent(cycle) {
                let sum = &mut visits[parent.as_u32() as usize];
                *sum = (*sum).max(all);
            }
        }
        checks.reverse();
        checks
    }
}

fn iterations(func: &Func, cycles: &Cycles, cycle: Cycle) -> Option<u64> {
    if !cycles.is_reducible(cycle) {
        return None;
    }
    let header = cycles.header(cycle);
    let mut latches = cycles.latches(&func.graph, cycle);
    let latch = latches.next().filter(|&latch| latches.all(|other| other == latch));
    let deciding = latch.into_iter().chain([header]);
    deciding
        .filter_map(|block| {
            let branch = func.terminator(block);
            let succs = func.graph.succs(block);
            let &[yes, no] = succs else { return None };
            let stays_if = match (cycles.contains(cycle, yes), cycles.contains(cycle, no)) {
                (true, false) => true,
                (false, true) => false,
                _ => return None,
            };
            if func.insts[branch].opcode != Opcode::CondBr {
                return None;
            }
            let compare = func.def(func.condition(branch)?)?;
            by_compare(func, cycles, cycle, compare, stays_if)
        })
        .min()
}

/// Bound from a comparison that decides whether to stay.
fn by_compare(func: &Func, cycles: &Cycles, cycle: Cycle, compare: Inst, stays_if: bool) -> Option<u64> {
    let data = &func.insts[compare];
    let &[a, b] = func.operands(compare) else { return None };
    if data.opcode != Opcode::ICmp {
        return None;
    }
    let pred = Predicate::from_sub(data.sub)?;
    let pred = if stays_if { pred } else { pred.negated() };
    let (variable, limit, pred) = match (Induction::of(func, cycles, cycle, a), Induction::of(func, cycles, cycle, b)) {
        (Some(variable), None) => (variable, b, pred),
        (None, Some(variable)) => (variable, a, pred.swapped()),
        _ => return None,
    };
    let Induction { phi, by, opcode, flags, is_next, .. } = variable;
    let start = variable.only_start();
    let bits = func.int_bits(func.result(phi)).filter(|&bits| bits <= 64)?;
    let constant = |value: Value| match func.constant(value) {
        Some(ConstData::Int(number)) => Some(wrap(number as i64, bits)),
        _ => None,
    };
    if opcode != Opcode::Add {
        // zero after as many shifts as there are bits, or -1: then it must not stay
        let keeps_sign = opcode == Opcode::AShr;
        let leaves = match pred {
            Predicate::Sgt => constant(limit).is_some_and(|limit| limit >= 0),
            Predicate::Sge => constant(limit).is_some_and(|limit| limit > 0),
            Predicate::Ne | Predicate::Ugt => !keeps_sign && constant(limit) == Some(0),
            _ => false,
        };
        return (by > 0 && leaves).then_some(u64::from(bits) + 1);
    }
    if by == 0 {
        return None;
    }
    let start = start.and_then(constant);
    let counted = start.zip(constant(limit)).and_then(|(from, to)| counted(from, to, by, pred, bits));
    let counted = counted.map(|count| count.saturating_add(u64::from(!is_next)));
    let kept = flags.intersects(Flags::NSW | Flags::NUW).then(|| values(func, start, limit, by, flags, pred, bits));
    [counted, kept].into_iter().flatten().min()
}

/// Number of iterations from one constant to another.
fn counted(from: i64, to: i64, by: i64, pred: Predicate, bits: u32) -> Option<u64> {
    let mask = if bits == 64 { u64::MAX } else { (1u64 << bits) - 1 };
    let (distance, step) =
        if by > 0 { (to.wrapping_sub(from), by) } else { (from.wrapping_sub(to), by.checked_neg()?) };
    match pred {
        Predicate::Ne => {
            let distance = distance as u64 & mask;
            let count = distance / step as u64;
            (distance.is_multiple_of(step as u64) && count > 0).then_some(count)
        }
        // no intermediate value can wrap, since the numbers are small
        Predicate::Slt | Predicate::Sle | Predicate::Sgt | Predicate::Sge => {
            let small = |number: i64| number.unsigned_abs() < mask >> 3;
            let upwards = matches!(pred, Predicate::Slt | Predicate::Sle) == (by > 0);
            (upwards && small(from) && small(to) && small(by)).then(|| distance.max(0) as u64 / step as u64 + 2)
        }
        Predicate::Ult | Predicate::Ule if by > 0 => {
            let small = |number: i64| number >= 0 && (number as u64) < mask >> 3;
            (small(from) && small(to) && small(by)).then(|| distance.max(0) as u64 / step as u64 + 2)
        }
        _ => None,
    }
}

/// Number of different values of a variable that may not wrap.
fn values(func: &Func, start: Option<i64>, limit: Value, by: i64, flags: Flags, pred: Predicate, bits: u32) -> u64 {
    let step = by.unsigned_abs().max(1);
    let all = if bits == 64 { u64::MAX } else { 1u64 << bits };
    let most = if step == 1 { all } else { all / step + 1 };
    let half = if step == 1 { all / 2 } else { all / 2 / step + 1 };
    if !flags.contains(Flags::NSW) {
        return most;
    }
    let not_negative =
        |value: Value| matches!(func.constant(value), Some(ConstData::Int(n)) if wrap(n as i64, bits) >= 0);
    if by < 0 {
        let stays_positive = matches!(pred, Predicate::Sgt | Predicate::Sge) && not_negative(limit);
        return if stays_positive { half + 1 } else { most };
    }
    if start.is_none_or(|start| start < 0) {
        return most;
    }
    // a 64-bit copy of a 32-bit variable ends where the variable does
    let narrow = func.def(limit).is_some_and(|inst| {
        let data = &func.insts[inst];
        let is_signed = data.opcode == Opcode::SExt || data.opcode == Opcode::ZExt && data.flags.contains(Flags::NNEG);
        let from = func.operands(inst).first().and_then(|&value| func.int_bits(value));
        is_signed && from.is_some_and(|from| from <= 32)
    });
    let reaches = match pred {
        Predicate::Slt | Predicate::Ult => true,
        Predicate::Ne => step == 1,
        _ => false,
    };
    if narrow && reaches { half.min(1 << 31) } else { half }
}
