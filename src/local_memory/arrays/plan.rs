//! For which stack objects are loops unrolled? Decided from facts, before anything is changed.

use super::index::{Unrolled, loops_of};
use crate::analyses::FunctionAnalyses;
use crate::local_memory::reject::Reject;
use crate::settings::Results;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::Chip;
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::gpu::prices::{ARRAYS_MAX_INSTRUCTIONS, KEPT_PART};
use warpwise_analysis::objects::selected::stays_in_registers;
use warpwise_analysis::objects::{AccessKind, Object, ObjectAccess};
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::entity::{self as ir, Block};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle::Inst;

/// What is done in a function.
#[derive(Debug)]
pub struct Plan<'m> {
    /// The objects that can be in registers, and their bytes.
    pub objects: Vec<Inst<'m>>,
    pub bytes: u64,
    /// The branches that end the loops to be unrolled.
    pub latches: Vec<Inst<'m>>,
    /// Instructions of these loops afterwards.
    pub instructions: u64,
    /// Estimated registers, and those afterwards.
    pub before: u32,
    pub after: u32,
    pub pins: Vec<Pins<'m>>,
    /// Stores of what is to stay where it is computed.
    pub stores: Vec<Inst<'m>>,
}

/// What is decided about a function: objects of which loops are unrolled, and those that such loops index and that stay.
pub type Decided<'m> = (Option<Plan<'m>>, Vec<(Inst<'m>, Reject)>);

/// An object, and the loops that index it.
struct Candidate<'a, 'm> {
    alloca: Inst<'m>,
    object: &'a Object,
    loops: Vec<Unrolled>,
}

/// Decides about a function.
pub fn plan<'m>(analyses: &mut FunctionAnalyses<'m>, results: Results) -> Decided<'m> {
    let (objects, frequencies) = (analyses.objects(), analyses.frequencies());
    let (outline, handles) = (analyses.outline(), &analyses.handles);
    let (mut candidates, mut refusals) = (Vec::new(), Vec::new());
    for (address, object) in objects.iter() {
        let (Ok(object), Some(alloca)) = (object, outline.func.def(*address)) else { continue };
        let is_cold = |access: &ObjectAccess| frequencies.is_cold(outline.func.insts[access.inst].block);
        if object.accesses.iter().all(is_cold) || stays_in_registers(outline, object) {
            continue;
        }
        let alloca = handles.inst(alloca);
        match loops_of(outline, handles, &frequencies, object) {
            Ok(loops) if loops.is_empty() => {}
            Ok(loops) => candidates.push(Candidate { alloca, object, loops }),
            Err(reject) => refusals.push((alloca, reject)),
        }
    }
    if candidates.is_empty() {
        return (None, refusals);
    }
    let chip = Chip::of(&handles.function.target_cpu());
    let before = Pressure::new(outline).largest(outline);
    let mut taken_size = None;
    let mut taken: Vec<Candidate<'_, 'm>> = Vec::new();
    for group in groups(candidates) {
        let count = taken.len();
        let copies_loop = copies_loop(outline, &group);
        taken.extend(group);
        let found = if copies_loop { Err(Reject::InnerLoop) } else { size(outline, chip, before, &taken) };
        match found {
            Ok(size) => taken_size = Some(size),
            Err(reject) => refusals.extend(taken.drain(count..).map(|left| (left.alloca, reject.clone()))),
        }
    }
    let Some(Size { instructions, registers }) = taken_size else { return (None, refusals) };
    let objects: Vec<&Object> = taken.iter().map(|candidate| candidate.object).collect();
    let allocas: Vec<Inst<'m>> = taken.iter().map(|candidate| candidate.alloca).collect();
    let Some(pins) = results.pins(handles.function, Ends::Objects(&allocas)) else {
        refusals.extend(allocas.into_iter().map(|alloca| (alloca, Reject::Contraction)));
        return (None, refusals);
    };
    let latch = |one: &Unrolled| handles.inst(outline.func.terminator(one.latch));
    let plan = Plan {
        objects: allocas,
        bytes: objects.iter().map(|object| object.size).sum(),
        latches: loops(&taken).iter().map(latch).collect(),
        instructions,
        before,
        after: registers,
        pins,
        stores: between_branches(outline, &taken).map(|store| handles.inst(store)).collect(),
    };
    (Some(plan), refusals)
}

/// Objects that are indexed by the same loops leave memory together.
fn groups<'a, 'm>(candidates: Vec<Candidate<'a, 'm>>) -> Vec<Vec<Candidate<'a, 'm>>> {
    let mut groups: Vec<Vec<Candidate<'a, 'm>>> = Vec::new();
    for candidate in candidates {
        let shares = |other: &Candidate<'_, '_>| other.loops.iter().any(|one| candidate.loops.contains(one));
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.iter().any(shares));
        groups = apart;
        let mut group: Vec<Candidate<'a, 'm>> = joined.into_iter().flatten().collect();
        group.push(candidate);
        groups.push(group);
    }
    groups
}

/// Whether a loop to be unrolled contains one that stays a loop.
fn copies_loop(outline: &Outline, group: &[Candidate<'_, '_>]) -> bool {
    let cycles = &outline.cfg().cycles;
    let unrolled = loops(group);
    let is_unrolled = |cycle: Cycle| unrolled.iter().any(|one| one.cycle == cycle);
    unrolled.iter().any(|one| cycles.descendants(one.cycle).any(|inner| !is_unrolled(inner)))
}

/// The stores to the objects in loops whose copies still branch. LLVM would move what they store over the branches of later
/// copies to where it is used, and all that it is computed from would need registers until then.
fn between_branches(outline: &Outline, taken: &[Candidate<'_, '_>]) -> impl Iterator<Item = ir::Inst> {
    let func = &outline.func;
    let cycles = &outline.cfg().cycles;
    let unrolled = loops(taken);
    let innermost = move |block: Block| {
        let around = unrolled.iter().filter(|one| cycles.contains(one.cycle, block));
        around.max_by_key(|one| cycles.depth(one.cycle)).copied()
    };
    let branches = |one: Unrolled| {
        let stays = |&block: &Block| func.graph.succs(block).iter().all(|&next| cycles.contains(one.cycle, next));
        cycles.blocks(one.cycle).iter().any(|block| func.graph.succs(*block).len() > 1 && stays(block))
    };
    let accesses = taken.iter().flat_map(|candidate| &candidate.object.accesses);
    let stores = accesses.filter(|access| access.kind == AccessKind::Store).map(|access| access.inst);
    let is_computed = |&store: &ir::Inst| func.def(func.operands(store)[0]).is_some();
    stores.filter(is_computed).filter(move |&store| innermost(func.insts[store].block).is_some_and(branches))
}

/// The loops of several objects, each once.
fn loops(candidates: &[Candidate<'_, '_>]) -> Vec<Unrolled> {
    let mut all: Vec<Unrolled> = Vec::new();
    for one in candidates.iter().flat_map(|candidate| &candidate.loops) {
        if !all.contains(one) {
            all.push(*one);
        }
    }
    all
}

/// What unrolling leads to.
struct Size {
    instructions: u64,
    registers: u32,
}

/// What unrolling the loops of these objects leads to, if it is not too much for a function with so many registers now.
fn size(outline: &Outline, chip: Chip, before: u32, candidates: &[Candidate<'_, '_>]) -> Result<Size, Reject> {
    let instructions = instructions(outline, &loops(candidates));
    if instructions > ARRAYS_MAX_INSTRUCTIONS {
        return Err(Reject::Unrolled { instructions });
    }
    let words: u64 = candidates.iter().map(|candidate| candidate.object.size.div_ceil(4)).sum();
    let after = before.saturating_add(u32::try_from(words).unwrap_or(u32::MAX));
    let most = register_budget(None, &outline.geometry).unwrap_or(MAX_REGISTERS);
    if after > most {
        return Err(Reject::Registers { before, after, most });
    }
    if !chip.keeps_blocks(&outline.geometry, [before, after], KEPT_PART) {
        return Err(Reject::Occupancy { before, after });
    }
    Ok(Size { instructions, registers: after })
}

/// Instructions of loops that are unrolled completely.
fn instructions(outline: &Outline, unrolled: &[Unrolled]) -> u64 {
    let of_block = |block: Block| {
        let around = unrolled.iter().filter(|one| outline.cfg().cycles.contains(one.cycle, block));
        let copies = around.map(|one| one.turns).reduce(u64::saturating_mul)?;
        let counted = |&inst: &ir::Inst| outline.func.insts[inst].opcode != Opcode::Phi;
        Some(copies.saturating_mul(outline.func.block_insts(block).filter(counted).count() as u64))
    };
    let blocks = outline.func.blocks.keys().filter(|&block| outline.is_reachable(block));
    blocks.filter_map(of_block).fold(0, u64::saturating_add)
}
