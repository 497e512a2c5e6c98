//! Do lanes that enter a function together find its frame at the same address?
//!
//! NVPTX gives every function one block of fixed layout for the stack objects of its entry block whose size is a constant
//! (the *depot*), and moves the stack pointer as the function runs for all others. The fixed block of a kernel stands at
//! the same local address in every thread of the grid. That of a device function stands where its caller's stack ends,
//! and so do those of all that it calls:
//!
//! 1. A function **holds still** if lanes that entered it together and are at the same dynamic instance in it have
//!    moved the stack pointer by the same amount ([`holds_still`]).
//! 2. Lanes agree on the place of a frame if they agree on that of every caller's, and every caller holds still. That is
//!    part of the claims that call sites make about a function (`module`): it starts true and is taken back, so
//!    recursion is no obstacle. Who has callers that are not seen has no such claim: any of them may have done what is
//!    described above, in this module or in another.
//!
//! **Sound**: 1. what moves the stack pointer by an amount on which lanes agree, in blocks of which they execute each
//! instance all together or not at all, has moved it as far for one lane as for another when both are at the same
//! instance. (Instances are executed in one order by all lanes, and lanes that have exited are at none.) A
//! `stackrestore` of a `stacksave` that stands in such a block goes back to where all were at the same instance. 2. by
//! induction over the call path, which is a part of a dynamic instance.
//!
//! **Conservative**: where the stack pointer moves at all, its addresses are divergent even if the function holds still,
//! and a call before the first movement counts as one after it.

use super::facts::Findings;
use crate::entity::Inst;
use crate::ir::Func;
use crate::ir::call::{Callee, STACK_RESTORE, STACK_SAVE};
use crate::ir::inst::{ConstData, Opcode};
use crate::mutants::{self, Mutant};

/// How an instruction moves the stack pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Movement {
    /// A stack object outside of the fixed block.
    Alloca,
    /// Back to where it was.
    Restore,
    /// `alloca` or `stackrestore` in inline assembly.
    Unknown,
}

fn movement(func: &Func, inst: Inst) -> Option<Movement> {
    match func.insts[inst].opcode {
        Opcode::Alloca => (!func.is_static_alloca(inst)).then_some(Movement::Alloca),
        Opcode::Call => match func.call(inst).callee {
            Callee::Intrinsic(id) => STACK_RESTORE.contains(id).then_some(Movement::Restore),
            Callee::Asm { .. } => func.call(inst).asm_moves_stack.then_some(Movement::Unknown),
            _ => None,
        },
        _ => None,
    }
}

/// Whether lanes that entered the function together have moved the stack pointer as far, wherever they are together.
pub(super) fn holds_still(func: &Func, facts: &Findings) -> bool {
    if mutants::on(Mutant::StillFrames) {
        return true;
    }
    let reached = func.insts.keys().filter(|&inst| facts.is_reachable(func.insts[inst].block));
    let mut movements = reached.filter_map(|inst| Some((inst, movement(func, inst)?))).peekable();
    if movements.peek().is_none() {
        return true;
    }
    let together = facts.convergence_from(func, true);
    movements.all(|(inst, movement)| {
        let block = func.insts[inst].block;
        let operand = func.operands(inst).first().copied();
        together.is_convergent(block)
            && match (movement, operand) {
                (Movement::Alloca, Some(size)) => match func.constant(size) {
                    Some(constant) => matches!(constant, ConstData::Int(_) | ConstData::Address(_)),
                    None => facts.scope_at(func, size, block).is_some(),
                },
                (Movement::Restore, Some(saved)) => func.def(saved).is_some_and(|save| {
                    let is_save = func.insts[save].opcode == Opcode::Call
                        && matches!(func.call(save).callee, Callee::Intrinsic(id) if STACK_SAVE.contains(id));
                    is_save && together.is_convergent(func.insts[save].block)
                }),
                _ => false,
            }
    })
}
