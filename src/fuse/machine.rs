//! What would `ptxas` do with the sides of a branch that is not melded? It executes short sides under a predicate, without
//! a branch ([`is_predicated`]). There is then no branch to save, and the loads of one side do not wait for those of the
//! other.

use super::pairing::Context;
use super::region::{Link, Pair};
use super::schedule::Step;
use warpwise_analysis::gpu::prices::{LOAD_ISSUE, ONE_INSTRUCTION, PREDICATED, PREDICATED_WITH_LOAD};
use warpwise_ir::call::Callee;
use warpwise_ir::entity::Inst;
use warpwise_ir::inst::Opcode;

/// Whether `ptxas` predicates both sides of a pair: each is a single short block, and both meet after it.
pub fn is_predicated(context: &Context<'_, '_>, pair: &Pair, bodies: &[Vec<Inst>; 2]) -> bool {
    matches!(pair.tail.links(), [Link::Exit(_)]) && bodies.iter().all(|body| is_short(context, body))
}

pub fn is_short(context: &Context<'_, '_>, body: &[Inst]) -> bool {
    let func = context.func;
    let loads = |&inst: &Inst| {
        let is_load = func.insts[inst].opcode == Opcode::Load;
        is_load && func.type_info(func.operands(inst)[0]).kind.space().is_none_or(|space| space <= 1)
    };
    let most = if body.iter().any(loads) { PREDICATED_WITH_LOAD } else { PREDICATED };
    let length = body.iter().try_fold(0, |length: u32, &inst| Some(length + instructions(context, inst)?));
    length.is_some_and(|length| length <= most)
}

/// Machine instructions for one instruction; `None` for a call, and for a sequence with branches.
fn instructions(context: &Context<'_, '_>, inst: Inst) -> Option<u32> {
    let func = context.func;
    let wide = if func.int_bits(func.result(inst)) == Some(64) { 2 } else { 1 };
    match func.insts[inst].opcode {
        Opcode::Trunc | Opcode::BitCast | Opcode::Freeze | Opcode::PtrToInt | Opcode::IntToPtr | Opcode::ZExt => {
            Some(0)
        }
        Opcode::Gep => Some(func.gep(inst).terms.len() as u32),
        Opcode::FDiv | Opcode::FRem | Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => None,
        Opcode::Call => match func.call(inst).callee {
            Callee::Intrinsic(_) => (context.costs.inst(func, inst) <= ONE_INSTRUCTION).then_some(1),
            _ => None,
        },
        Opcode::Load | Opcode::Store | Opcode::SExt => Some(1),
        _ => Some(wide),
    }
}

/// What melding does not save, in issue cycles, for memory accesses that are predicated anyway: neither side waits for
/// the other.
pub fn not_waited_for(context: &Context<'_, '_>, steps: &[Step]) -> u32 {
    let func = context.func;
    let extra = |step: &Step| match step {
        Step::Meld { insts, .. } if matches!(func.insts[insts[0]].opcode, Opcode::Load | Opcode::Store) => {
            context.costs.inst(func, insts[0]).saturating_sub(LOAD_ISSUE)
        }
        _ => 0,
    };
    steps.iter().map(extra).sum()
}
