//! Do lanes that enter a function together have its frame at the same address?
//!
//! NVPTX gives every function a fixed area for the constant-size stack objects of its entry block (the *depot*), and
//! moves the stack pointer during execution for all other objects. The depot of a kernel has the same local address in
//! every thread of the grid. The depot of a device function starts where its caller's stack ends, so its address
//! depends on all callers:
//!
//! 1. A function **holds still** if lanes that entered it together and are at the same dynamic instance have moved the
//!    stack pointer by the same amount ([`holds_still`]).
//! 2. Lanes agree on the address of a frame if they agree on that of every caller, and every caller holds still. This
//!    is one of the claims that call sites make about a function (`module`). It starts as true and is withdrawn where
//!    it fails, so recursion is no obstacle. A function with unknown callers has no such claim: any of them may have
//!    moved the stack pointer differently per lane, in this module or in another.
//!
//! **Soundness.** For 1: suppose that the stack pointer is only moved by amounts on which lanes agree, in blocks of
//! which the whole warp executes each instance or none of it. Then two lanes at the same instance have moved it equally
//! far, because all lanes execute instances in the same order (and exited lanes are at no instance). A `stackrestore`
//! of a `stacksave` in such a block returns to where all lanes were at the same instance. For 2: induction over the
//! call path, which is part of the dynamic instance.
//!
//! **Conservative**: objects allocated by moving the stack pointer are divergent even if the function holds still, and
//! a call before the first movement is treated like one after it.

use super::facts::Findings;
use crate::mutants::{self, Mutant};
use warpwise_ir::Func;
use warpwise_ir::call::{Callee, STACK_RESTORE, STACK_SAVE};
use warpwise_ir::entity::Inst;
use warpwise_ir::inst::{ConstData, Opcode};

/// How an instruction moves the stack pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Movement {
    /// An object outside the fixed area.
    Alloca,
    /// Back to a saved position.
    Restore,
    /// `alloca` or `stackrestore` in inline assembly.
    Unknown,
}

fn movement(func: &Func, inst: Inst) -> Option<Movement> {
    match func.insts[inst].opcode {
        Opcode::Alloca => (!func.is_static_alloca(inst)).then_some(Movement::Alloca),
        Opcode::Call => match func.call(inst).callee {
            Callee::Intrinsic(id) => STACK_RESTORE.contains(id).then_some(Movement::Restore),
            Callee::Asm { .. } => {
                func.assembly(inst).is_none_or(|program| program.moves_stack).then_some(Movement::Unknown)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether lanes that entered the function together have moved the stack pointer equally far wherever they are
/// together.
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
