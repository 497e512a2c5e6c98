//! Which instructions read the result of an instruction? Used by the solver alone. The lists run through the operand
//! pool and are built in one pass, where the rows of [`Users`](warpwise_ir::users::Users) take two. The reading
//! instruction is found by search when it is needed, which is rare.

use cranelift_entity::EntityRef;
use warpwise_ir::Func;
use warpwise_ir::entity::Inst;

/// A list of reads: one more than the position of its first read in the operand pool; zero is the empty list.
#[derive(Clone, Copy)]
pub(super) struct List(u32);

/// The lists of reads, latest first. An instruction that reads a result twice is in its list twice.
pub(super) struct Readers {
    first: Vec<List>,
    /// For each position in the pool, the rest of its list.
    rest: Vec<List>,
}

impl Readers {
    /// Builds the lists.
    pub(super) fn new(func: &Func) -> Readers {
        let mut first = vec![List(0); func.insts.len()];
        let operands = (1u32..).zip(&func.pool);
        let rest = operands.map(|(next, &value)| match first.get_mut(func.inst_number(value)) {
            Some(list) => std::mem::replace(list, List(next)),
            None => List(0),
        });
        Readers { rest: rest.collect(), first }
    }
    /// The reads of the result of an instruction.
    #[inline]
    pub(super) fn of(&self, inst: Inst) -> List {
        self.first[inst.index()]
    }
    /// The first reader of a list, and the rest.
    #[inline]
    pub(super) fn next(&self, func: &Func, List(next): List) -> Option<(Inst, List)> {
        let place = next.checked_sub(1)?;
        let insts = func.insts.as_values_slice();
        // an instruction without operands has the same start as the next one
        let after = insts.partition_point(|data| data.operands_start <= place);
        Some((Inst::new(after.checked_sub(1)?), self.rest[place as usize]))
    }
}
