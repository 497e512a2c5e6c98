//! Who reads the result of each instruction? For the solver alone: lists through the operand pool, made in one pass,
//! where the rows of [`Users`](crate::ir::users::Users) take two. The reader is searched for when it is asked for: few are.

use crate::entity::Inst;
use crate::ir::Func;
use cranelift_entity::EntityRef;

/// A list of reads, by one more than the place of its first in the operand pool; zero is empty.
#[derive(Clone, Copy)]
pub(super) struct List(u32);

/// Lists of reads, latest first; an instruction that reads a result twice is in its list twice.
pub(super) struct Readers {
    first: Vec<List>,
    /// The rest of its list, for each place of the pool.
    rest: Vec<List>,
}

impl Readers {
    /// Lists them.
    pub(super) fn new(func: &Func) -> Readers {
        let mut first = vec![List(0); func.insts.len()];
        let operands = (1u32..).zip(&func.pool);
        let rest = operands.map(|(next, &value)| match first.get_mut(func.inst_number(value)) {
            Some(list) => std::mem::replace(list, List(next)),
            None => List(0),
        });
        Readers { rest: rest.collect(), first }
    }
    /// Who reads the result of an instruction.
    #[inline]
    pub(super) fn of(&self, inst: Inst) -> List {
        self.first[inst.index()]
    }
    /// The first of a list, and the others.
    #[inline]
    pub(super) fn next(&self, func: &Func, List(next): List) -> Option<(Inst, List)> {
        let place = next.checked_sub(1)?;
        let insts = func.insts.as_values_slice();
        // an instruction without operands starts where the one after it does
        let after = insts.partition_point(|data| data.operands_start <= place);
        Some((Inst::new(after.checked_sub(1)?), self.rest[place as usize]))
    }
}
