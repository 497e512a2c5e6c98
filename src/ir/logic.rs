//! Which truth values is a truth value made of? LLVM writes `a && b` as an `and` or, where `b` may be undefined if `a` is
//! false, as `select a, b, false`; likewise `a || b`; and `!a` as `xor a, true`.

use super::Func;
use super::inst::{ConstData, Opcode};
use crate::entity::{Inst, Value};

/// A truth value made of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    And([Value; 2]),
    Or([Value; 2]),
    Not(Value),
}

impl Func {
    /// What a truth value is made of, if it is a conjunction, a disjunction or a negation.
    pub fn logic(&self, inst: Inst) -> Option<Logic> {
        let is = |value: Value, wanted: u64| match self.constant(value) {
            Some(ConstData::Int(bits)) => bits & 1 == wanted,
            _ => false,
        };
        let logic = match (self.insts[inst].opcode, self.operands(inst)) {
            (Opcode::And, &[a, b]) => Logic::And([a, b]),
            (Opcode::Or, &[a, b]) => Logic::Or([a, b]),
            (Opcode::Select, &[a, b, no]) if is(no, 0) => Logic::And([a, b]),
            (Opcode::Select, &[a, yes, b]) if is(yes, 1) => Logic::Or([a, b]),
            (Opcode::Xor, &[a, b]) if is(b, 1) => Logic::Not(a),
            _ => return None,
        };
        (self.int_bits(self.result(inst)) == Some(1)).then_some(logic)
    }
}
