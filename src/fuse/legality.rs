//! Which instructions forbid melding a block, and which may be executed by lanes of the other side?
//!
//! Where lanes wait for, vote with or signal each other, it matters which lanes execute an operation. So a block with a
//! convergent operation, a barrier, a fence, an atomic or volatile access, inline assembly or a call through a pointer
//! is not melded; neither is one with an `alloca`, whose storage would outlive its side.
//!
//! Speculation: an instruction *floats* if executing it unnecessarily only costs time: it accesses no memory, cannot
//! cause undefined behaviour for any operand (including poison), and its result is not used. Division floats if the
//! divisor is a constant other than zero and minus one.

use super::calls_functions;
use super::pairing::Context;
use rustc_hash::FxHashSet;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::Func;
use warpwise_ir::call::{Callee, Memory};
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::edit::fuse::is_bound_call;
use warpwise_ir::llvm::handle::{AttrPlace, attribute_kind, intrinsic_id, intrinsic_name};

/// Why a block cannot be melded: what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Obstacle {
    #[error("a convergent operation")]
    Convergent,
    #[error("a volatile access")]
    Volatile,
    #[error("an atomic operation or a fence")]
    Atomic,
    #[error("inline assembly")]
    InlineAsm,
    #[error("a call through a pointer")]
    IndirectCall,
    #[error("a call with operand bundles or musttail")]
    BoundCall,
    #[error("an intrinsic with side effects")]
    Intrinsic,
    #[error("a stack object")]
    Stack,
    #[error("exception handling")]
    Exception,
    #[error("an instruction of unknown meaning")]
    Unknown,
}

/// Intrinsics and attributes by number, looked up once per module.
pub struct Kinds {
    speculatable: u32,
    pub immarg: u32,
    assume: u32,
    scope_declaration: u32,
    copies: [u32; 3],
}

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds {
            speculatable: attribute_kind("speculatable"),
            immarg: attribute_kind("immarg"),
            assume: intrinsic_id("llvm.assume"),
            scope_declaration: intrinsic_id("llvm.experimental.noalias.scope.decl"),
            copies: ["llvm.memcpy", "llvm.memmove", "llvm.memset"].map(intrinsic_id),
        }
    }
}

/// The first instruction that forbids melding a block.
pub fn obstacle(func: &Func, handles: &Handles<'_>, kinds: &Kinds, block: Block) -> Option<(Inst, Obstacle)> {
    func.block_insts(block).find_map(|inst| inst_obstacle(func, handles, kinds, inst).map(|why| (inst, why)))
}

fn inst_obstacle(func: &Func, handles: &Handles<'_>, kinds: &Kinds, inst: Inst) -> Option<Obstacle> {
    let data = &func.insts[inst];
    match data.opcode {
        Opcode::Load | Opcode::Store if data.flags.contains(Flags::VOLATILE) => Some(Obstacle::Volatile),
        Opcode::Load | Opcode::Store if data.flags.contains(Flags::ATOMIC) => Some(Obstacle::Atomic),
        Opcode::Fence | Opcode::CmpXchg | Opcode::AtomicRmw => Some(Obstacle::Atomic),
        Opcode::Alloca => Some(Obstacle::Stack),
        Opcode::OtherTerminator => Some(Obstacle::Exception),
        Opcode::Other => Some(Obstacle::Unknown),
        Opcode::Call => {
            let call = func.call(inst);
            match call.callee {
                Callee::Asm { .. } => Some(Obstacle::InlineAsm),
                Callee::Indirect => Some(Obstacle::IndirectCall),
                _ if call.convergent => Some(Obstacle::Convergent),
                _ if is_bound_call(handles.inst(inst)) => Some(Obstacle::BoundCall),
                Callee::Intrinsic(id) if call.memory == Memory::ReadWrite => {
                    let known = is_dropped(func, kinds, inst) || kinds.copies.contains(&id);
                    (!known || is_volatile_copy(handles, kinds, id, inst)).then_some(Obstacle::Intrinsic)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_volatile_copy(handles: &Handles<'_>, kinds: &Kinds, id: u32, inst: Inst) -> bool {
    kinds.copies.contains(&id) && handles.inst(inst).operand(3).const_u64() != Some(0)
}

/// Hints that may be dropped.
pub fn is_dropped(func: &Func, kinds: &Kinds, inst: Inst) -> bool {
    func.called_intrinsic(inst).is_some_and(|id| id == kinds.assume || id == kinds.scope_declaration)
}

/// Whether lanes of the other side may execute an instruction, too.
pub fn floats(func: &Func, handles: &Handles<'_>, kinds: &Kinds, inst: Inst) -> bool {
    match func.insts[inst].opcode {
        Opcode::UDiv | Opcode::URem | Opcode::SDiv | Opcode::SRem => {
            !matches!(func.signed_constant(func.operands(inst)[1]), None | Some(0 | -1))
        }
        Opcode::Call => func.called_intrinsic(inst).is_some_and(|id| {
            let declared = handles.inst(inst).called_function();
            let speculatable = declared.is_some_and(|f| f.has_attribute(AttrPlace::Function, kinds.speculatable));
            speculatable && !intrinsic_name(id).contains(".shfl") && func.call(inst).memory == Memory::None
        }),
        Opcode::Load | Opcode::Other => false,
        opcode => opcode.is_computation(),
    }
}

/// How an instruction is ordered relative to others that access memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Order {
    /// Anywhere after its operands.
    Free,
    /// After the last write before it and before the next.
    Reads,
    /// In order with everything that reads or writes, and not speculated.
    Writes,
}

/// How an instruction is ordered.
pub fn order(func: &Func, inst: Inst) -> Order {
    match func.insts[inst].opcode {
        Opcode::Load => Order::Reads,
        Opcode::Store => Order::Writes,
        Opcode::Call => {
            let call = func.call(inst);
            match call.memory {
                _ if !call.will_return && !matches!(call.callee, Callee::Intrinsic(_)) => Order::Writes,
                Memory::None => Order::Free,
                Memory::Read => Order::Reads,
                Memory::ReadWrite => Order::Writes,
            }
        }
        // it may be undefined for lanes that a call before it would have stopped
        Opcode::UDiv | Opcode::URem | Opcode::SDiv | Opcode::SRem => Order::Reads,
        _ => Order::Free,
    }
}

/// Whether other lanes of the warp may be in a call of a function while some are at a block: on another way of a branch at which
/// they part, before both meet again. `ptxas` does not see that the call may overwrite uniform registers which the block reads
/// (CUDA 13.0, sm_90; in clang's own code, too), and code that has changed may read more of them. While LLVM still inlines, only
/// calls count that it never does.
pub fn is_beside_call(facts: &Facts, context: &Context<'_, '_>, at: Block) -> bool {
    if !calls_functions(facts) {
        return false;
    }
    let func = &facts.func;
    let may_stay = |inst: Inst| {
        let callee = context.handles.inst(inst).defined_callee();
        callee.is_some_and(|callee| !context.is_early || callee.is_never_inlined())
    };
    let calls = |inst: &Inst| func.insts[*inst].opcode == Opcode::Call && may_stay(*inst);
    let calling: FxHashSet<Block> = func.insts.keys().filter(calls).map(|inst| func.insts[inst].block).collect();
    let reach = |from: Block, without: Block| {
        let (mut open, mut seen) = (vec![from], FxHashSet::from_iter([from]));
        while let Some(block) = open.pop() {
            open.extend(func.graph.succs(block).iter().filter(|&&next| next != without && seen.insert(next)));
        }
        seen
    };
    let parts_from_call = |branch: Block| {
        let ways: Vec<FxHashSet<Block>> = func.graph.succs(branch).iter().map(|&way| reach(way, branch)).collect();
        let is_before_end = |block: &Block| !ways.iter().all(|way| way.contains(block));
        is_before_end(&at)
            && ways.iter().any(|way| {
                !way.contains(&at) && way.iter().any(|block| calling.contains(block) && is_before_end(block))
            })
    };
    let mut branches = facts.cfg().order.rpo().iter().filter(|&&block| block != at && facts.is_divergent_branch(block));
    !calling.is_empty() && branches.any(|&branch| parts_from_call(branch))
}
