//! How far apart are neighbouring lanes, where the analysis cannot prove it? A guess, good for cost estimates only.
//!
//! 1. A value that is a known function of the lane is as far apart as its coefficient says; warps are assumed to lie
//!    along x.
//! 2. What is computed from such values by arithmetic keeps its distance, except where it wraps.
//! 3. What is loaded from memory may be anywhere, and so may what lanes choose among values on which they agree.
//! 4. If asked for: neighbours agree on a quotient by a number that is not known here, such as the width of an image,
//!    because sizes are mostly much larger than a warp.
//!
//! From this it is guessed whether a load is a gather and whether a branch on a row of a block splits any warp. No
//! claim of the analysis depends on it.

use crate::affine::form::Base;
use crate::divergence::Facts;
use rustc_hash::FxHashMap;
use warpwise_ir::call::{BOUNDS, Callee};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;

/// Maximum depth to which expressions are followed.
const DEPTH: u32 = 12;
/// Stands for a distance with an unknown factor.
const FAR: u64 = 1 << 20;

/// Distances in one function, each computed once.
pub struct LaneDistance<'a> {
    facts: &'a Facts,
    /// Distances found so far. While a phi is being computed, it is assumed to add nothing.
    known: FxHashMap<Value, Option<u64>>,
    /// Whether divisors that are not known are taken to be larger than a warp.
    large_divisors: bool,
}

impl<'a> LaneDistance<'a> {
    /// Nothing is computed yet.
    pub fn new(facts: &'a Facts) -> LaneDistance<'a> {
        LaneDistance { facts, known: FxHashMap::default(), large_divisors: false }
    }

    /// Divisors that are not known are taken to be larger than a warp.
    pub fn with_large_divisors(self) -> LaneDistance<'a> {
        LaneDistance { large_divisors: true, ..self }
    }

    /// The distance of neighbouring lanes for a value used in a block, in the units of the value (bytes for an
    /// address); `None` if it may be anything.
    pub fn of(&mut self, value: Value, block: Block) -> Option<u64> {
        self.within(value, block, DEPTH)
    }

    fn within(&mut self, value: Value, block: Block, depth: u32) -> Option<u64> {
        let facts = self.facts;
        if facts.scope_at_use(value, block).is_some() {
            return Some(0);
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let def = facts.func.def(value).filter(|_| depth > 0)?;
        self.known.insert(value, Some(0));
        let found = self.of_form(value).or_else(|| self.look(def, depth - 1));
        self.known.insert(value, found);
        found
    }

    /// The distance of a value that is a known function of the lane.
    fn of_form(&self, value: Value) -> Option<u64> {
        let terms = &self.facts.form(value)?.terms;
        let along = |base: Base| matches!(base, Base::TidX | Base::LaneId);
        let apart = terms.iter().map(|term| match term.monomial.as_base() {
            Some(base) if along(base) => term.coefficient.unsigned_abs(),
            Some(_) => 0,
            None => FAR,
        });
        Some(apart.fold(0, u64::saturating_add))
    }

    fn look(&mut self, def: Inst, depth: u32) -> Option<u64> {
        use Opcode::*;
        let func = &self.facts.func;
        let (data, operands) = (&func.insts[def], func.operands(def));
        let block = data.block;
        let is_large = self.large_divisors;
        let mut of = |value: Value| self.within(value, block, depth);
        match data.opcode {
            ZExt | SExt | Trunc | BitCast | AddrSpaceCast | PtrToInt | IntToPtr | Freeze => of(operands[0]),
            Add | Sub | Or | Xor => Some(of(operands[0])?.saturating_add(of(operands[1])?)),
            // low bits wrap around, except multiples of a power of two
            And if func.int_constant(operands[1])? >= 31 => of(operands[0]),
            URem | SRem if of(operands[1]) == Some(0) => of(operands[0]),
            Shl => Some(of(operands[0])?.saturating_mul(1 << func.int_constant(operands[1])?.min(32))),
            LShr | AShr => Some(of(operands[0])?.div_ceil(1 << func.int_constant(operands[1])?.min(32))),
            UDiv | SDiv if func.int_constant(operands[1]).is_some() => {
                Some(of(operands[0])?.div_ceil(func.int_constant(operands[1])?.max(1)))
            }
            UDiv | SDiv if is_large && of(operands[1]) == Some(0) && of(operands[0]).is_some() => Some(0),
            Mul => match (of(operands[0])?, of(operands[1])?) {
                (apart, 0) => Some(apart.saturating_mul(func.int_constant(operands[1]).unwrap_or(FAR))),
                _ => Some(FAR),
            },
            // if lanes could agree on each operand, the choice itself is what differs
            Select => match of(operands[1])?.max(of(operands[2])?) {
                0 if of(operands[0]) != Some(0) => None,
                apart => Some(apart),
            },
            Phi => match operands.iter().try_fold(0, |most: u64, &operand| Some(of(operand)?.max(most)))? {
                0 => None,
                apart => Some(apart),
            },
            Gep => {
                let mut apart = of(operands[0])?;
                for term in func.gep(def).terms {
                    let index = of(operands[term.operand as usize])?;
                    apart = apart.saturating_add(index.saturating_mul(term.stride));
                }
                Some(apart)
            }
            Call => match func.call(def).callee {
                Callee::Intrinsic(id) if BOUNDS.contains(id) => Some(of(operands[0])?.max(of(operands[1])?)),
                _ => None,
            },
            ICmp | FCmp | And | UDiv | SDiv | URem | SRem | FAdd | FSub | FMul | FDiv | FNeg => {
                operands.iter().all(|&operand| of(operand) == Some(0)).then_some(0)
            }
            _ => None,
        }
    }
}
