//! How often does a loop iterate each time it is entered?
//!
//! [`Induction`] recognises the variable that counts: a phi of the header to which every iteration adds the same
//! constant, or which it shifts by one. [`TripCount`] simulates it, if start and bound are constants and the only exit
//! of the loop is in its header or its latch and so is reached once per iteration. [Bounds](super::trip_bound) require
//! less.
//!
//! Cost: linear in the edges of the cycle, and at most [`MAX_COUNT`] steps.

use crate::affine::form::wrap;
use crate::cfg::Cycles;
use crate::cfg::cycles::Cycle;
use crate::entity::{Block, Inst, Value};
use crate::ir::Func;
use crate::ir::inst::{ConstData, Flags, Opcode, Predicate};
use smallvec::SmallVec;

/// Maximum number of iterations that are counted: LLVM does not fully unroll longer loops.
const MAX_COUNT: u64 = 1024;

/// A variable in a cycle's header that every iteration changes in the same way.
pub struct Induction {
    pub phi: Inst,
    /// Its values on entry, for the reachable entry edges.
    starts: SmallVec<[Value; 2]>,
    /// The operation: `add`, `lshr` or `ashr` by a constant.
    pub opcode: Opcode,
    pub by: i64,
    pub flags: Flags,
    /// Whether the value in question is that of the next iteration.
    pub is_next: bool,
}

impl Induction {
    /// Recognises a value as such a variable, or as its value in the next iteration.
    pub fn of(func: &Func, cycles: &Cycles, cycle: Cycle, value: Value) -> Option<Induction> {
        let def = func.def(value)?;
        let is_next = func.insts[def].opcode != Opcode::Phi;
        let phi = if is_next { func.def(*func.operands(def).first()?)? } else { def };
        if func.insts[phi].opcode != Opcode::Phi || func.insts[phi].block != cycles.header(cycle) {
            return None;
        }
        let (mut next, mut starts) = (None, SmallVec::new());
        for (&value, &from) in func.operands(phi).iter().zip(func.incoming(phi)) {
            if cycles.contains(cycle, from) {
                if next.is_some_and(|next| next != value) {
                    return None;
                }
                next = Some(value);
            } else if cycles.is_reachable(from) {
                starts.push(value);
            }
        }
        let update = func.def(next?)?;
        let &[old, by] = func.operands(update) else { return None };
        if (is_next && update != def) || old != func.result(phi) {
            return None;
        }
        let by = wrap(number(func, by)? as i64, func.int_bits(old)?);
        let data = &func.insts[update];
        let is_known = matches!(data.opcode, Opcode::Add | Opcode::LShr | Opcode::AShr);
        is_known.then_some(Induction { phi, starts, opcode: data.opcode, by, flags: data.flags, is_next })
    }

    /// Its value on entry, if there is a single entry edge.
    pub fn only_start(&self) -> Option<Value> {
        match self.starts[..] {
            [start] => Some(start),
            _ => None,
        }
    }
}

/// How often a loop iterates, and by which constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TripCount {
    /// Number of times that the header is executed.
    pub header: u64,
    /// Number of times that the code after the exit is executed.
    pub whole: u64,
    pub exit: Block,
    /// Which successor of the exit leaves the loop.
    pub leaves: usize,
    constants: (u64, u64, u64, Predicate),
}

impl TripCount {
    /// The trip count of a reducible cycle with one latch.
    pub fn of(func: &Func, cycles: &Cycles, cycle: Cycle, latch: Block) -> Option<TripCount> {
        let mut exits = cycles.exit_edges(&func.graph, cycle);
        let (exit, target) = exits.next()?;
        if exits.next().is_some() || (exit != cycles.header(cycle) && exit != latch) {
            return None;
        }
        let leaves = func.graph.succs(exit).iter().position(|&to| to == target)?;
        let end = func.terminator(exit);
        if func.insts[end].opcode != Opcode::CondBr {
            return None;
        }
        let test = func.def(func.condition(end)?)?;
        let predicate = match func.insts[test].opcode {
            Opcode::ICmp => Predicate::from_sub(func.insts[test].sub)?,
            _ => return None,
        };
        let &[a, b] = func.operands(test) else { return None };
        let (counter, bound, predicate) = match (number(func, a), number(func, b)) {
            (None, Some(bound)) => (a, bound, predicate),
            (Some(bound), None) => (b, bound, predicate.swapped()),
            _ => return None,
        };
        let bits = func.int_bits(counter).filter(|&bits| bits <= 64)?;
        let Induction { starts, opcode, by, is_next, .. } = Induction::of(func, cycles, cycle, counter)?;
        let start = number(func, *starts.first()?)?;
        if opcode != Opcode::Add || starts.iter().any(|&other| number(func, other) != Some(start)) {
            return None;
        }
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let step = by as u64 & mask;
        let mut now = start;
        for header in 1..=MAX_COUNT {
            let tested = if is_next { now.wrapping_add(step) & mask } else { now };
            if holds(predicate, tested, bound, bits) == (leaves == 0) {
                let whole = if exit == latch { header } else { header - 1 };
                return Some(TripCount { header, whole, exit, leaves, constants: (start, step, bound, predicate) });
            }
            now = now.wrapping_add(step) & mask;
        }
        None
    }

    /// Whether two loops have the same start, limit and step.
    pub fn counts_like(&self, other: &TripCount) -> bool {
        self.constants == other.constants
    }
}

fn number(func: &Func, value: Value) -> Option<u64> {
    match func.constant(value) {
        Some(ConstData::Int(number)) => Some(number),
        _ => None,
    }
}

fn holds(predicate: Predicate, a: u64, b: u64, bits: u32) -> bool {
    let signed = |number: u64| ((number << (64 - bits)) as i64) >> (64 - bits);
    let (x, y) = (signed(a), signed(b));
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => x > y,
        Predicate::Sge => x >= y,
        Predicate::Slt => x < y,
        Predicate::Sle => x <= y,
    }
}
