//! Which loads will `annotate-uniform` mark invariant? Reads facts, changes nothing.
//!
//! Those from memory that [nobody writes](super::readonly), but for those with which LLVM would make one
//! [product](super::products) of two, and for all of a function where [other code](is_undecided) decides about
//! multiply-adds.

use super::products;
use super::readonly::{ReadOnly, ReadOnlyMemory};
use crate::settings::{Results, Settings};
use rustc_hash::FxHashMap;
use warpwise_analysis::contraction::undecided::is_undecided;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};

/// A load to be marked `!invariant.load`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvariantLoad {
    pub load: Inst,
    /// Whether the back end sees a generic address, which must be cast to global memory first.
    pub needs_space: bool,
}

/// The loads of one function.
pub fn plan(
    facts: &Facts,
    handles: &Handles<'_>,
    memory: &mut ReadOnlyMemory,
    settings: &Settings,
) -> Vec<InvariantLoad> {
    let mut roots = FxHashMap::default();
    let loads = facts.func.insts.keys();
    let mut invariants = loads.filter_map(|inst| invariant(facts, handles, memory, &mut roots, inst)).collect();
    if settings.results == Results::Same {
        products::keep_apart(facts, handles, &mut invariants);
        if !invariants.is_empty() && is_undecided(handles.function) {
            invariants.clear();
        }
    }
    invariants
}

/// Whether a load is invariant; `roots` caches what is known about the values that addresses start from.
fn invariant(
    facts: &Facts,
    handles: &Handles<'_>,
    memory: &mut ReadOnlyMemory,
    roots: &mut FxHashMap<Value, Option<ReadOnly>>,
    inst: Inst,
) -> Option<InvariantLoad> {
    let func = &facts.func;
    let data = &func.insts[inst];
    let refused = Flags::VOLATILE | Flags::ATOMIC | Flags::INVARIANT;
    if data.opcode != Opcode::Load || data.flags.intersects(refused) || !facts.is_reachable(data.block) {
        return None;
    }
    let pointer = func.operands(inst)[0];
    // address arithmetic and casts lead back to one value
    let mut root = pointer;
    while let Some(def) = func.def(root) {
        match func.insts[def].opcode {
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => root = func.operands(def)[0],
            _ => break,
        }
    }
    let known = (*roots.entry(root).or_insert_with(|| memory.of(handles.function, handles.value(root))))?;
    let is_generic = func.type_info(pointer).kind.space() == Some(0);
    Some(InvariantLoad { load: inst, needs_space: is_generic && known.is_global && known.through_calls })
}
