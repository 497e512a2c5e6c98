//! For which stack objects are loops unrolled? Decided from facts, before anything is changed.

use super::index::{Unrolled, loops_of};
use super::products;
use super::reject::Reject;
use crate::settings::Results;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::Chip;
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::{expected_threads, register_budget};
use warpwise_analysis::gpu::prices::{ARRAYS_MAX_INSTRUCTIONS, KEPT_PART};
use warpwise_analysis::objects::selected::stays_in_registers;
use warpwise_analysis::objects::{Object, stack_objects};
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode};

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
    /// Products that keep their own rounding.
    pub products: Vec<Inst<'m>>,
}

/// What is decided about a function.
#[derive(Debug, Default)]
pub struct Decided<'m> {
    pub plan: Option<Plan<'m>>,
    /// Objects that loops index and that stay.
    pub refusals: Vec<(Inst<'m>, Reject)>,
}

/// Whether a function has a stack object and a branch.
pub fn may_have_any(function: Function<'_>) -> bool {
    let is_alloca = |inst: Inst<'_>| inst.opcode() == RawOpcode::LLVMAlloca;
    function.blocks().take(1).flat_map(|block| block.insts()).any(is_alloca) && function.blocks().nth(1).is_some()
}

/// An object, and the loops that index it.
struct Candidate<'m> {
    alloca: Inst<'m>,
    object: Object,
    loops: Vec<Unrolled>,
}

/// Decides about a function.
pub fn plan<'m>(outline: &Outline, handles: &Handles<'m>, results: Results) -> Decided<'m> {
    let frequencies = Frequencies::new(handles.function);
    let mut decided = Decided::default();
    let mut candidates = Vec::new();
    for (address, object) in stack_objects(outline, handles) {
        let (Ok(object), Some(alloca)) = (object, outline.func.def(address)) else { continue };
        let alloca = handles.inst(alloca);
        match judge(outline, handles, &frequencies, &object) {
            Ok(loops) if loops.is_empty() => {}
            Ok(loops) => candidates.push(Candidate { alloca, object, loops }),
            Err(reject) => decided.refusals.push((alloca, reject)),
        }
    }
    if candidates.is_empty() {
        return decided;
    }
    let limits = Limits::of(outline, handles.function);
    let mut taken: Vec<Candidate<'m>> = Vec::new();
    for group in groups(candidates) {
        let count = taken.len();
        let copies_loop = copies_loop(outline, &group);
        taken.extend(group);
        let checked = if copies_loop { Err(Reject::InnerLoop) } else { limits.check(outline, &taken).map(|_| ()) };
        if let Err(reject) = checked {
            decided.refusals.extend(taken.drain(count..).map(|left| (left.alloca, reject)));
        }
    }
    if taken.is_empty() {
        return decided;
    }
    let Ok(size) = limits.check(outline, &taken) else { return decided };
    let objects: Vec<&Object> = taken.iter().map(|candidate| &candidate.object).collect();
    let to_round = match results {
        Results::Same => products::to_round(outline, handles, &objects),
        Results::Contract => Ok(Vec::new()),
    };
    match to_round {
        Err(reject) => decided.refusals.extend(taken.iter().map(|left| (left.alloca, reject))),
        Ok(products) => {
            let latch = |one: &Unrolled| handles.inst(outline.func.terminator(one.latch));
            decided.plan = Some(Plan {
                objects: taken.iter().map(|candidate| candidate.alloca).collect(),
                bytes: objects.iter().map(|object| object.size).sum(),
                latches: loops(&taken).iter().map(latch).collect(),
                instructions: size.instructions,
                before: limits.before,
                after: size.registers,
                products,
            });
        }
    }
    decided
}

/// Objects that are indexed by the same loops leave memory together.
fn groups(candidates: Vec<Candidate<'_>>) -> Vec<Vec<Candidate<'_>>> {
    let mut groups: Vec<Vec<Candidate<'_>>> = Vec::new();
    for candidate in candidates {
        let shares = |other: &Candidate<'_>| other.loops.iter().any(|one| candidate.loops.contains(one));
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.iter().any(shares));
        groups = apart;
        let mut group: Vec<Candidate<'_>> = joined.into_iter().flatten().collect();
        group.push(candidate);
        groups.push(group);
    }
    groups
}

/// Whether a loop to be unrolled contains one that stays a loop.
fn copies_loop(outline: &Outline, group: &[Candidate<'_>]) -> bool {
    let cycles = &outline.cfg().cycles;
    let unrolled = loops(group);
    let is_unrolled = |cycle: Cycle| unrolled.iter().any(|one| one.cycle == cycle);
    unrolled.iter().any(|one| cycles.descendants(one.cycle).any(|inner| !is_unrolled(inner)))
}

/// The loops to be unrolled for one object, without regard to others.
fn judge(
    outline: &Outline,
    handles: &Handles<'_>,
    frequencies: &Frequencies<'_>,
    object: &Object,
) -> Result<Vec<Unrolled>, Reject> {
    let loops = loops_of(outline, handles, frequencies, object)?;
    let block = |inst| outline.func.insts[inst].block;
    if loops.is_empty() {
        Ok(loops)
    } else if object.accesses.iter().all(|access| frequencies.is_cold(block(access.inst))) {
        Err(Reject::Cold)
    } else if stays_in_registers(outline, object) {
        Err(Reject::InRegisters)
    } else {
        Ok(loops)
    }
}

/// The loops of several objects, each once.
fn loops(candidates: &[Candidate<'_>]) -> Vec<Unrolled> {
    let mut all: Vec<Unrolled> = Vec::new();
    for one in candidates.iter().flat_map(|candidate| &candidate.loops) {
        if !all.contains(one) {
            all.push(*one);
        }
    }
    all
}

/// What unrolling leads to.
#[derive(Clone, Copy)]
struct Size {
    instructions: u64,
    registers: u32,
}

/// What a function may become.
struct Limits {
    chip: Chip,
    threads: u32,
    /// Registers that the launch bounds leave.
    most: u32,
    /// Registers now.
    before: u32,
}

impl Limits {
    fn of(outline: &Outline, function: Function<'_>) -> Limits {
        let geometry = &outline.geometry;
        let most = register_budget(None, geometry).unwrap_or(MAX_REGISTERS);
        Limits {
            chip: Chip::of(&function.target_cpu()),
            threads: expected_threads(geometry),
            most,
            before: Pressure::new(outline).largest(outline),
        }
    }

    fn check(&self, outline: &Outline, candidates: &[Candidate<'_>]) -> Result<Size, Reject> {
        let instructions = instructions(outline, &loops(candidates));
        if instructions > ARRAYS_MAX_INSTRUCTIONS {
            return Err(Reject::Large { instructions });
        }
        let words: u64 = candidates.iter().map(|candidate| candidate.object.size.div_ceil(4)).sum();
        let before = self.before;
        let after = before.saturating_add(u32::try_from(words).unwrap_or(u32::MAX));
        if after > self.most {
            return Err(Reject::Registers { before, after, most: self.most });
        }
        let blocks = |registers| self.chip.resident_blocks(self.threads, registers, 0);
        if KEPT_PART * blocks(after) < blocks(before) {
            return Err(Reject::Occupancy { before, after });
        }
        Ok(Size { instructions, registers: after })
    }
}

/// Instructions of loops that are unrolled completely.
fn instructions(outline: &Outline, unrolled: &[Unrolled]) -> u64 {
    let cycles = &outline.cfg().cycles;
    let copies = |block: Block| {
        let around = unrolled.iter().filter(|one| cycles.contains(one.cycle, block));
        around.fold(1, |copies: u64, one| copies.saturating_mul(one.turns))
    };
    let size = |block: Block| {
        let counted = |&inst: &warpwise_ir::entity::Inst| outline.func.insts[inst].opcode != Opcode::Phi;
        outline.func.block_insts(block).filter(counted).count() as u64
    };
    let blocks = outline.func.blocks.keys().filter(|&block| outline.is_reachable(block));
    let inside = blocks.filter(|&block| unrolled.iter().any(|one| cycles.contains(one.cycle, block)));
    inside.map(|block| size(block).saturating_mul(copies(block))).fold(0, u64::saturating_add)
}
