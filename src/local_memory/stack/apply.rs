//! How are planned stack objects moved? Every access is rewritten to an address in shared memory.
//!
//! 1. One shared variable for the kernel, or the [ground](Ground) of a version, holds an area for each object; the base
//!    addresses of the areas are computed at entry. Constants of the program are variables of their own, and the stores
//!    to them are removed.
//! 2. A derived pointer becomes a byte offset into its object: index terms, a 32-bit sum and a constant. At an access
//!    the offset is within the object, so it may be computed modulo 2^32 (sums) or modulo 2^64 (terms). If every stride
//!    is a multiple of the granule, an index keeps its own type and only its stride changes, since a congruence times
//!    the number of threads is still one. Phis and selects of pointers become phis and selects of offsets.
//! 3. An access becomes one access, or several of one granule each if it is wider.
//! 4. The old accesses, pointers and the alloca are erased.
//!
//! The contents of a stack object are undefined until written. Slots therefore need no initialisation, and may contain
//! what an earlier block left there. Rewritten accesses have no alias metadata, so they never claim more than the
//! original ones did.

use super::plan::{Move, Placement, StackPlan};
use crate::mutants::{self, Mutant};
use crate::shared_memory::layout::{self, Ground};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::{Object, ObjectAccess};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::debug::Layout;
use warpwise_ir::llvm::handle::{self, RawOpcode};
use warpwise_ir::llvm::space;

/// The bits of a 32-bit number.
const FULL_MASK: u64 = 0xffff_ffff;

/// Largest stride of an index that is scaled, in bytes.
const MAX_STRIDE: u64 = 1 << 24;

/// A byte offset into an object: the sum of its parts.
#[derive(Clone)]
struct Offset<'m> {
    /// A 32-bit part that is not known to be a multiple of anything.
    sum: Option<handle::Value<'m>>,
    /// Indices and their strides in bytes.
    terms: SmallVec<[(handle::Value<'m>, u64); 2]>,
    constant: i64,
}

impl<'m> Offset<'m> {
    fn constant(constant: i64) -> Self {
        Offset { sum: None, terms: SmallVec::new(), constant }
    }
    fn of_sum(sum: handle::Value<'m>) -> Self {
        Offset { sum: Some(sum), ..Offset::constant(0) }
    }
    /// Whether everything but the constant is a multiple of the granule, and the indices can have longer strides.
    fn is_scalable(&self, granule: u64) -> bool {
        (self.sum.is_none() || granule == 1)
            && self.terms.iter().all(|&(_, stride)| stride % granule == 0 && stride < MAX_STRIDE)
    }
}

/// An object's area.
#[derive(Clone, Copy)]
pub(super) struct Area<'m> {
    base: handle::Value<'m>,
    /// Granule in bytes, and number of threads, of interleaved objects.
    pub(super) interleaved: Option<(i64, i64)>,
    /// The variable already contains what would be stored.
    pub(super) constant: bool,
}

pub(super) struct Apply<'a, 'm> {
    pub(super) outline: &'a Outline,
    pub(super) handles: &'a Handles<'m>,
    pub(super) editor: &'a mut Editor<'m>,
    /// Area of every derived pointer.
    pub(super) areas: FxHashMap<Value, Area<'m>>,
    offsets: FxHashMap<Value, Offset<'m>>,
    /// Loads and their replacements. Offsets may be made of them, so they are replaced last.
    pub(super) loads: Vec<(handle::Inst<'m>, handle::Value<'m>)>,
}

/// Applies a plan that was made for the function in its present state.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, plan: &StackPlan, ground: Ground, editor: &mut Editor<'m>) {
    if plan.moves.is_empty() {
        return;
    }
    let (areas, offsets) = (FxHashMap::default(), FxHashMap::default());
    let mut apply = Apply { outline, handles, editor, areas, offsets, loads: Vec::new() };
    apply.areas(plan, ground);
    apply.pointers(plan);
    let mut accesses: Vec<ObjectAccess> =
        plan.moves.iter().flat_map(|planned| planned.object.accesses.clone()).collect();
    accesses.sort_by_key(|access| access.inst);
    // a copy between two objects that both move occurs in both lists
    accesses.dedup_by(|later, earlier| {
        let same = later.inst == earlier.inst;
        if same {
            earlier.piece = earlier.piece.min(later.piece);
        }
        same
    });
    let waits = plan.moves.iter().flat_map(|planned| match &planned.placement {
        Placement::Warp { barriers } if !mutants::on(Mutant::StackNoBarrier) => barriers.as_slice(),
        _ => &[],
    });
    for inst in waits.copied().chain(shared_reads(outline, plan)) {
        apply.editor.before(handles.inst(inst)).warp_barrier();
    }
    for access in &accesses {
        apply.access(access);
    }
    apply.erase(plan, &accesses);
}

/// Where a `bar.warp.sync` ends a run of writes to objects that the warp shares: before the next read of such an object
/// in the block, or at its end. Each lane would find its own write without it; with it, no lane reads what another
/// wrote without synchronisation.
fn shared_reads(outline: &Outline, plan: &StackPlan) -> Vec<Inst> {
    let func = &outline.func;
    let shared = plan.moves.iter().filter(|planned| matches!(planned.placement, Placement::Warp { .. }));
    let mut accesses: Vec<ObjectAccess> = shared.flat_map(|planned| planned.object.accesses.iter().copied()).collect();
    accesses.sort_by_key(|access| access.inst);
    let mut written: BTreeMap<Block, bool> = BTreeMap::new();
    let mut places = Vec::new();
    for access in &accesses {
        let dirty = written.entry(func.insts[access.inst].block).or_insert(false);
        if access.reads() && *dirty {
            places.push(access.inst);
            *dirty = false;
        }
        *dirty |= access.writes();
    }
    places.extend(written.into_iter().filter(|&(_, dirty)| dirty).map(|(block, _)| func.terminator(block)));
    places
}

/// The constant of the program that an object of a function becomes.
pub fn new_constant<'m>(
    editor: &mut Editor<'m>,
    function: &str,
    object: &Object,
    contents: &[u8],
    space: u32,
) -> handle::Value<'m> {
    let shifted = contents.iter().cycle().skip(usize::from(mutants::on(Mutant::ConstantShifted)));
    let bytes = editor.bytes(&shifted.take(contents.len()).copied().collect::<Vec<u8>>());
    let align = object.align.max(layout::AREA_ALIGN) as u32;
    editor.new_global(bytes.ty(), space, align, Some(bytes), true, &format!("warpwise_constant_{function}"))
}

impl<'m> Apply<'_, 'm> {
    /// Phase 1: the variable and the bases.
    fn areas(&mut self, plan: &StackPlan, ground: Ground) {
        self.constants(plan);
        let total = plan.bytes(ground.threads());
        if total == 0 {
            return;
        }
        let editor = &mut *self.editor;
        let byte = editor.int_type(8);
        let name = format!("warpwise_stack_{}", self.handles.function.name());
        editor.after_phis(self.handles.block(self.outline.func.graph.entry()));
        let layout::Area { start: variable, thread: linear, is_of_warp } =
            layout::area(editor, ground, self.outline.geometry.exact, total, &name);
        let mut warp = None;
        let mut scaled: FxHashMap<u64, handle::Value<'m>> = FxHashMap::default();
        let mut start = 0;
        let mut starts = Vec::new();
        for planned in &plan.moves {
            let at = editor.int(32, start);
            let index = match &planned.placement {
                Placement::Thread { granule } => *scaled.entry(*granule).or_insert_with(|| {
                    editor.binary_with(RawOpcode::LLVMShl, linear, u64::from(granule.trailing_zeros()), "")
                }),
                Placement::Warp { .. } if is_of_warp => editor.int(32, 0),
                Placement::Warp { .. } => {
                    let row = *warp.get_or_insert_with(|| editor.warp_of(linear));
                    editor.binary_with(RawOpcode::LLVMMul, row, layout::row_bytes(planned.object.size), "")
                }
                Placement::Constant { .. } => continue,
            };
            let area = editor.gep(byte, variable, &[at], true, "");
            let base = editor.gep(byte, area, &[index], true, "warpwise.slots");
            let interleaved = match planned.placement {
                Placement::Thread { granule } => {
                    let shrinks = mutants::on(Mutant::StackStride) && !is_of_warp;
                    let row = if shrinks { layout::slot_threads(ground.threads() / 2) } else { ground.row() };
                    Some((granule as i64, row as i64))
                }
                _ => None,
            };
            let area = Area { base, interleaved, constant: false };
            let bytes = planned.bytes_for(ground.threads());
            start += if mutants::on(Mutant::StackOverlap) { bytes / 2 } else { bytes };
            starts.push((planned, area));
        }
        for (planned, area) in starts {
            self.place(&planned.object, area);
        }
    }

    /// The constants of the program, if the plan has any.
    fn constants(&mut self, plan: &StackPlan) {
        for planned in &plan.moves {
            let Placement::Constant { contents, together } = &planned.placement else { continue };
            let space = if *together { space::CONST } else { space::GLOBAL };
            let base = new_constant(self.editor, &self.handles.function.name(), &planned.object, contents, space);
            self.place(&planned.object, Area { base, interleaved: None, constant: true });
        }
    }

    /// Records the area of an object and of all pointers derived from it.
    fn place(&mut self, object: &Object, area: Area<'m>) {
        self.areas.insert(object.address, area);
        self.offsets.insert(object.address, Offset::constant(0));
        for &inst in &object.derived {
            self.areas.insert(self.outline.func.result(inst), area);
        }
    }

    /// Phase 2: the offsets of derived pointers, definitions before uses; phis receive their inputs last.
    fn pointers(&mut self, plan: &StackPlan) {
        let func = &self.outline.func;
        let mut pending: Vec<(Inst, handle::Inst<'m>)> = Vec::new();
        let derived: rustc_hash::FxHashSet<Inst> =
            plan.moves.iter().flat_map(|planned| planned.object.derived.iter().copied()).collect();
        if derived.is_empty() {
            return;
        }
        for &block in self.outline.cfg().order.rpo() {
            for inst in func.block_insts(block).filter(|inst| derived.contains(inst)) {
                let operands = func.operands(inst);
                let offset = match func.insts[inst].opcode {
                    Opcode::Phi => {
                        let word = self.editor.int_type(32);
                        let phi = self.editor.before(self.handles.inst(inst)).phi(word, "");
                        pending.push((inst, phi));
                        Offset::of_sum(phi.value())
                    }
                    Opcode::Select => {
                        let (yes, no) = (self.offsets[&operands[1]].clone(), self.offsets[&operands[2]].clone());
                        let condition = self.handles.value(operands[0]);
                        self.editor.before(self.handles.inst(inst));
                        let (yes, no) = (self.whole(&yes), self.whole(&no));
                        let (yes, no) = if mutants::on(Mutant::StackSelectSwapped) { (no, yes) } else { (yes, no) };
                        let chosen = self.editor.select(condition, yes, no, "");
                        Offset::of_sum(chosen)
                    }
                    Opcode::Gep => self.gep(inst),
                    _ => self.offsets[&operands[0]].clone(),
                };
                self.offsets.insert(func.result(inst), offset);
            }
        }
        for (inst, phi) in pending {
            let inputs = func.operands(inst);
            // the edges of a switch from one block have one value
            let mut known: FxHashMap<Block, handle::Value<'m>> = FxHashMap::default();
            for ((&input, &from), &mirrored) in inputs.iter().zip(func.incoming(inst)).zip(inputs.iter().rev()) {
                let swaps = mutants::on(Mutant::StackPhiSwapped) && self.is_fixed(mirrored);
                let input = if swaps { mirrored } else { input };
                let block = self.handles.block(from);
                // an unreachable predecessor has no offset of its own
                let value = match (known.get(&from), self.offsets.get(&input).cloned()) {
                    (Some(&value), _) => value,
                    (None, Some(offset)) => {
                        self.editor.before_terminator(block);
                        self.whole(&offset)
                    }
                    (None, None) => self.editor.poison(self.editor.int_type(32)),
                };
                known.insert(from, value);
                self.editor.add_incoming(phi, value, block);
            }
        }
    }

    fn gep(&mut self, inst: Inst) -> Offset<'m> {
        let func = &self.outline.func;
        let data = func.gep(inst);
        let operands = func.operands(inst);
        let mut offset = self.offsets[&operands[0]].clone();
        offset.constant = offset.constant.wrapping_add(data.offset);
        for term in data.terms {
            offset.terms.push((self.handles.value(operands[term.operand as usize]), term.stride));
        }
        offset
    }

    /// The low 32 bits of an index, sign-extended if it is narrower.
    fn low_word(&mut self, index: handle::Value<'m>) -> handle::Value<'m> {
        let bits = index.ty().int_bits().expect("an index is an integer");
        let word = self.editor.int_type(32);
        if let Some(inst) = index.as_inst() {
            let extends = matches!(inst.opcode(), RawOpcode::LLVMZExt | RawOpcode::LLVMSExt);
            if extends && inst.operand(0).ty() == word {
                return inst.operand(0);
            }
        }
        match bits {
            32 => index,
            0..32 => self.editor.cast(RawOpcode::LLVMSExt, index, word, ""),
            _ => self.editor.cast(RawOpcode::LLVMTrunc, index, word, ""),
        }
    }

    fn scaled(&mut self, value: handle::Value<'m>, by: u64) -> handle::Value<'m> {
        if by == 1 {
            return value;
        }
        if by.is_power_of_two() {
            return self.editor.binary_with(RawOpcode::LLVMShl, value, u64::from(by.trailing_zeros()), "");
        }
        self.editor.binary_with(RawOpcode::LLVMMul, value, by & FULL_MASK, "")
    }

    /// An offset as a single 32-bit value, computed at the editor's position.
    fn whole(&mut self, offset: &Offset<'m>) -> handle::Value<'m> {
        let mut whole = offset.sum;
        for &(index, stride) in &offset.terms {
            let index = self.low_word(index);
            let bytes = self.scaled(index, stride);
            whole = Some(match whole {
                None => bytes,
                Some(sum) => self.editor.binary(RawOpcode::LLVMAdd, sum, bytes, ""),
            });
        }
        let constant = self.editor.int(32, offset.constant as u64 & FULL_MASK);
        match whole {
            None => constant,
            Some(sum) if offset.constant == 0 => sum,
            Some(sum) => self.editor.binary(RawOpcode::LLVMAdd, sum, constant, ""),
        }
    }

    /// The address of a piece of `piece` bytes, `further` bytes after a pointer, computed at the editor's position.
    pub(super) fn address(&mut self, pointer: Value, further: u64, piece: u64) -> handle::Value<'m> {
        let area = self.areas[&pointer];
        let mut offset = self.offsets[&pointer].clone();
        offset.constant = offset.constant.wrapping_add(further as i64);
        let (granule, threads) = area.interleaved.unwrap_or((1, 1));
        if offset.is_scalable(granule as u64) {
            let mut address = self.moved(area.base, offset.sum);
            for &(index, stride) in &offset.terms {
                address = self.editor.indexed(address, stride * threads as u64, index);
            }
            return self.moved_by(address, layout::interleaved(offset.constant, granule, threads));
        }
        // only the sum is known to be a multiple of the piece size
        let whole = self.whole(&offset);
        if area.interleaved.is_none() {
            return self.moved(area.base, Some(whole));
        }
        if piece as i64 >= granule {
            let rows = self.scaled(whole, threads as u64);
            return self.moved(area.base, Some(rows));
        }
        let rows = self.editor.binary_with(RawOpcode::LLVMAnd, whole, (-granule) as u64 & FULL_MASK, "");
        let rows = self.scaled(rows, threads as u64);
        let inside = self.editor.binary_with(RawOpcode::LLVMAnd, whole, granule as u64 - 1, "");
        let sum = self.editor.binary(RawOpcode::LLVMAdd, rows, inside, "");
        self.moved(area.base, Some(sum))
    }

    pub(super) fn moved(&mut self, address: handle::Value<'m>, by: Option<handle::Value<'m>>) -> handle::Value<'m> {
        let byte = self.editor.int_type(8);
        by.map_or(address, |by| self.editor.gep(byte, address, &[by], false, ""))
    }

    pub(super) fn moved_by(&mut self, address: handle::Value<'m>, by: i64) -> handle::Value<'m> {
        if by == 0 {
            return address;
        }
        let by = self.editor.int(32, by as u64 & FULL_MASK);
        self.moved(address, Some(by))
    }

    /// Whether an address is always at the same place in its object.
    pub(super) fn is_fixed(&self, pointer: Value) -> bool {
        self.offsets.get(&pointer).is_some_and(|offset| offset.sum.is_none() && offset.terms.is_empty())
    }

    /// Number of bytes that can be accessed at once at a pointer, given that pieces divide its offset.
    pub(super) fn step(&self, pointer: Value, piece: u64) -> u64 {
        match self.areas.get(&pointer).and_then(|area| area.interleaved) {
            Some((granule, _)) => piece.min(granule as u64),
            None => piece,
        }
    }

    /// Lets a debugger find the variables of a moved object at their new place.
    fn move_variables(&mut self, planned: &Move) {
        let address = planned.object.address;
        let area = self.areas[&address];
        let size = planned.object.size;
        let (piece, stride) = match area.interleaved {
            Some((granule, threads)) => (granule as u64, (granule * threads) as u64),
            None => (size, size),
        };
        let space = match planned.placement {
            Placement::Constant { together: true, .. } => space::CONST,
            Placement::Constant { .. } => space::GLOBAL,
            Placement::Thread { .. } | Placement::Warp { .. } => space::SHARED,
        };
        self.editor.move_variables(self.handles.value(address), area.base, size, Layout { piece, stride, space });
    }

    /// Phase 4: users are erased before what they use.
    fn erase(&mut self, plan: &StackPlan, accesses: &[ObjectAccess]) {
        for (old, new) in std::mem::take(&mut self.loads) {
            self.editor.replace_all_uses(old.value(), new);
        }
        // whether assignments can be described at the new place depends on their stores
        plan.moves.iter().for_each(|planned| self.move_variables(planned));
        for access in accesses {
            self.editor.erase(self.handles.inst(access.inst));
        }
        for planned in &plan.moves {
            let object = &planned.object;
            let alloca = self.outline.func.def(object.address);
            for &inst in object.derived.iter().chain(&alloca) {
                let handle = self.handles.inst(inst);
                let nothing = self.editor.poison(handle.ty());
                self.editor.replace_all_uses(handle.value(), nothing);
            }
            for &inst in object.derived.iter().chain(&alloca) {
                self.editor.erase(self.handles.inst(inst));
            }
        }
    }
}
