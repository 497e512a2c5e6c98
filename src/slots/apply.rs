//! How is a value moved out of its register? It is stored after its definition and loaded directly before its uses.
//!
//! 1. One shared variable for the kernel holds the rows of the warps, then the slots of the threads. Their base
//!    addresses are computed at entry, as are the known parts of affine values, which are subtracted before the store
//!    and added after the load.
//! 2. Every lane stores to a slot directly after the definition. Before the first store of a block to slots that a loop
//!    overwrites there is a `bar.warp.sync`. Every block that stores to slots of the warp ends with one: each lane
//!    would find the right value without it, but with it no lane reads what another wrote without synchronisation.
//! 3. The uses in a block are processed in order. The group of a use is loaded before it, as wide as the uses in the
//!    next [`SLOT_WINDOW`] instructions require, and serves all of them. Loads and stores are volatile, so that neither LLVM
//!    nor `ptxas` can keep the value in a register instead or move the load out of its loop.

use super::candidates::{GROUP_BYTES, SlotOwner};
use super::plan::{SlotPlan, Spilled};
use crate::mutants::{self, Mutant};
use crate::shared_memory::layout::{self, Ground};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::prices::SLOT_WINDOW;
use warpwise_analysis::pressure::uses::UseSite;
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, RawOpcode};

struct Apply<'a, 'm> {
    handles: &'a Handles<'m>,
    plan: &'a SlotPlan,
    editor: &'a mut Editor<'m>,
    threads: u64,
    warp_base: Option<handle::Value<'m>>,
    thread_base: Option<handle::Value<'m>>,
    linears: Vec<handle::Value<'m>>,
}

/// A part of a group that was loaded.
#[derive(Clone, Copy)]
struct Loaded<'m> {
    vector: handle::Value<'m>,
    /// First byte of the group that it contains.
    from: u64,
    to: u64,
    /// Block of the load, and the instruction before which it is.
    block: Block,
    at: Inst,
}

/// Applies a plan that was made for the function in its present state.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, plan: &SlotPlan, ground: Ground, editor: &mut Editor<'m>) {
    if plan.values.is_empty() {
        return;
    }
    let (threads, linears) = (ground.row(), Vec::new());
    let mut apply = Apply { handles, plan, editor, threads, warp_base: None, thread_base: None, linears };
    apply.linears(outline);
    apply.bases(outline, ground);
    // loads first: afterwards, the stores are the only uses of the old registers after the loops
    apply.loads(outline);
    apply.stores(outline);
}

impl<'m> Apply<'_, 'm> {
    fn bases(&mut self, outline: &Outline, ground: Ground) {
        let editor = &mut *self.editor;
        let byte = editor.int_type(8);
        let name = format!("warpwise_slots_{}", self.handles.function.name());
        editor.after_phis(self.handles.block(outline.func.graph.entry()));
        let layout::Area { start: variable, thread: linear, is_of_warp } =
            layout::area(editor, ground, outline.geometry.exact, self.plan.bytes(ground.threads()), &name);
        if self.plan.warp_row > 0 && is_of_warp {
            self.warp_base = Some(variable);
        } else if self.plan.warp_row > 0 {
            let warp = editor.warp_of(linear);
            let overlap = if mutants::on(Mutant::RowStride) { layout::AREA_ALIGN } else { 0 };
            let at = editor.binary_with(RawOpcode::LLVMMul, warp, layout::row_bytes(self.plan.warp_row) - overlap, "");
            self.warp_base = Some(editor.gep(byte, variable, &[at], true, "warpwise.row"));
        }
        if self.plan.thread_size > 0 {
            let rows = |row: u64| if row > 0 { layout::warp_bytes(row, ground.threads()) } else { 0 };
            let first = editor.int(32, rows(self.plan.warp_row));
            let area = editor.gep(byte, variable, &[first], true, "");
            let at = editor.binary_with(RawOpcode::LLVMShl, linear, u64::from(GROUP_BYTES.trailing_zeros()), "");
            self.thread_base = Some(editor.gep(byte, area, &[at], true, "warpwise.mine"));
        }
    }

    /// The known parts of affine values, computed at entry.
    fn linears(&mut self, outline: &Outline) {
        for linear in &self.plan.linears {
            self.editor.after_phis(self.handles.block(outline.func.graph.entry()));
            let mut sum: Option<handle::Value<'m>> = None;
            for &(base, coefficient) in &linear.terms {
                let name = format!("llvm.nvvm.read.ptx.sreg.{base}");
                let mut part = self.editor.intrinsic(&name, &[], &[], "");
                if linear.bits == 64 {
                    let wide = self.editor.int_type(64);
                    part = self.editor.cast(RawOpcode::LLVMZExt, part, wide, "");
                }
                if coefficient != 1 {
                    let mask = if linear.bits == 64 { u64::MAX } else { u32::MAX.into() };
                    part = self.editor.binary_with(RawOpcode::LLVMMul, part, coefficient as u64 & mask, "");
                }
                sum = Some(match sum {
                    Some(sum) => self.editor.binary(RawOpcode::LLVMAdd, sum, part, ""),
                    None => part,
                });
            }
            self.linears.push(sum.expect("an affine value has a term"));
        }
    }

    /// The address of a byte of a group.
    fn address(&mut self, group: usize, offset: u64) -> handle::Value<'m> {
        let found = &self.plan.groups[group];
        let (base, at) = match found.owner {
            SlotOwner::Warp => (self.warp_base, found.start + offset),
            SlotOwner::Thread => (self.thread_base, found.start * self.threads + offset),
        };
        let base = base.expect("a base for every owner in use");
        let byte = self.editor.int_type(8);
        let at = self.editor.int(32, at);
        self.editor.gep(byte, base, &[at], true, "")
    }

    fn stores(&mut self, outline: &Outline) {
        let (mut waiting, mut stored): (BTreeMap<Block, Inst>, Vec<Block>) = (BTreeMap::new(), Vec::new());
        let mut known = FxHashSet::default();
        let mut in_order: Vec<&Spilled> = self.plan.values.iter().collect();
        in_order.sort_by_key(|spilled| spilled.def);
        for spilled in in_order {
            let def = self.handles.inst(spilled.def);
            let block = outline.func.insts[spilled.def].block;
            if spilled.rewritten && !mutants::on(Mutant::SlotNoBarrier) {
                waiting.entry(block).or_insert(spilled.def);
            }
            self.editor.after(def);
            let mut value = def.value();
            if let Some(linear) = spilled.linear {
                value = self.editor.binary(RawOpcode::LLVMSub, value, self.linears[linear], "");
            }
            let word = self.slot_word(value, spilled.bytes);
            let address = self.address(spilled.group, spilled.offset);
            let word =
                if mutants::on(Mutant::LaneLost) { self.keep_in_lane_0(word, address, spilled.bytes) } else { word };
            self.editor.store(word, address, spilled.bytes as u32, true);
            if spilled.owner == SlotOwner::Warp && known.insert(block) {
                stored.push(block);
            }
        }
        // last, so that the barrier precedes all stores of the block: each store of a phi is placed before the previous
        // one
        for first in waiting.into_values() {
            self.editor.after(self.handles.inst(first)).warp_barrier();
        }
        for block in stored {
            self.editor.before_terminator(self.handles.block(block)).warp_barrier();
        }
    }

    /// The word, but in lane 0 what its slot already contains.
    fn keep_in_lane_0(&mut self, word: handle::Value<'m>, address: handle::Value<'m>, bytes: u64) -> handle::Value<'m> {
        let lane = self.editor.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", &[], &[], "");
        let is_first = self.editor.equals(lane, 0);
        let old = self.editor.load(word.ty(), address, bytes as u32, true, "");
        self.editor.select(is_first, old, word, "")
    }

    /// A value as the integer that its slot contains.
    fn slot_word(&mut self, value: handle::Value<'m>, bytes: u64) -> handle::Value<'m> {
        let slot = self.editor.int_type(bytes as u32 * 8);
        let bits = self.bits_of(value.ty());
        let int = self.editor.int_type(bits);
        let value = self.editor.reinterpret(value, int, bits);
        if int == slot { value } else { self.editor.cast(RawOpcode::LLVMZExt, value, slot, "") }
    }

    fn unpack(&mut self, word: handle::Value<'m>, ty: handle::Type<'m>) -> handle::Value<'m> {
        let bits = self.bits_of(ty);
        let int = self.editor.int_type(bits);
        let word = if word.ty() == int { word } else { self.editor.cast(RawOpcode::LLVMTrunc, word, int, "") };
        self.editor.reinterpret(word, ty, bits)
    }

    fn bits_of(&self, ty: handle::Type<'m>) -> u32 {
        self.handles.function.module().layout().store_size(ty).expect("a register's type") as u32 * 8
    }

    /// Loads for the uses, block by block and in order.
    fn loads(&mut self, outline: &Outline) {
        let values = &self.plan.values[..];
        let uses =
            values.iter().enumerate().flat_map(|(index, spilled)| spilled.uses.iter().map(move |&site| (site, index)));
        let mut sites: Vec<(UseSite, usize)> = uses.collect();
        sites.sort_by_key(|&(site, index)| (site.block, site.before, values[index].group, values[index].offset));
        // the part of each group loaded last, and for each spilled value the one read last with the position of its
        // part
        let mut loaded: Vec<Option<Loaded<'m>>> = vec![None; self.plan.groups.len()];
        let mut ready: Vec<Option<(Inst, handle::Value<'m>)>> = vec![None; values.len()];
        for (at, &(site, index)) in sites.iter().enumerate() {
            let spilled = &values[index];
            let holds = |part: &Loaded<'_>| {
                part.block == site.block
                    && site.before.as_u32() - part.at.as_u32() <= SLOT_WINDOW
                    && part.from <= spilled.offset
                    && spilled.offset + spilled.bytes <= part.to
            };
            let held = loaded[spilled.group].filter(holds);
            let value = match (held, ready[index]) {
                (Some(part), Some((at, value))) if at == part.at => value,
                _ => {
                    self.editor.before(self.handles.inst(site.before));
                    let part = held.unwrap_or_else(|| self.load_part(site, spilled, &sites[at..]));
                    loaded[spilled.group] = Some(part);
                    let lane = ((spilled.offset - part.from) / spilled.bytes) as u32;
                    let word = self.editor.extract_element(part.vector, lane, "");
                    let ty = self.handles.inst(spilled.def).ty();
                    let mut value = self.unpack(word, ty);
                    if let Some(linear) = spilled.linear {
                        value = self.editor.binary(RawOpcode::LLVMAdd, value, self.linears[linear], "");
                    }
                    ready[index] = Some((part.at, value));
                    value
                }
            };
            debug_assert!(outline.func.operands(site.inst)[site.operand as usize] == outline.func.result(spilled.def));
            self.editor.set_operand(self.handles.inst(site.inst), site.operand, value);
            self.editor.replace_in_records_behind(self.handles.inst(spilled.def).value(), value);
        }
    }

    /// Loads the smallest aligned power-of-two part of a group that contains the bytes required by the next uses.
    fn load_part(&mut self, site: UseSite, spilled: &Spilled, next: &[(UseSite, usize)]) -> Loaded<'m> {
        let is_near =
            |other: &UseSite| other.block == site.block && other.before.as_u32() - site.before.as_u32() <= SLOT_WINDOW;
        let near = next.iter().take_while(|(other, _)| is_near(other)).map(|&(_, index)| &self.plan.values[index]);
        let (mut from, mut to) = (spilled.offset, spilled.offset + spilled.bytes);
        for other in near.filter(|other| other.group == spilled.group) {
            (from, to) = (from.min(other.offset), to.max(other.offset + other.bytes));
        }
        let mut width = spilled.bytes;
        while from / width != (to - 1) / width {
            width *= 2;
        }
        let from = from / width * width;
        let further = if mutants::on(Mutant::SlotOffset) { width } else { 0 };
        let address = self.address(spilled.group, from + further);
        let word = self.editor.int_type(spilled.bytes as u32 * 8);
        let vector = self.editor.vector_type(word, (width / spilled.bytes) as u32);
        let vector = self.editor.load(vector, address, width as u32, true, "");
        Loaded { vector, from, to: from + width, block: site.block, at: site.before }
    }
}
