//! How is a value rematerialised at its uses so that no later pass undoes it?
//!
//! 1. At entry: `zero = ctaid.x >= nctaid.x`, in 32 bits. The index of a block is always less than the size of the
//!    grid, but neither LLVM nor `ptxas` knows.
//! 2. In every header where a leaf is hidden: `phi(leaf, hidden)` and, directly after the phis, `hidden = phi ^ zero`.
//!    All uses of the leaf that the header dominates use `hidden`, so that the leaf itself is dead in the cycle. If
//!    there are many leaves, these headers have `mask = phi(zero, mask) ^ zero` instead, and `leaf ^ mask` is computed
//!    before the first use in a block.
//! 3. Before the first use in each block, the chain of the value is cloned on hidden leaves; further uses in the block
//!    share the copy.

use super::candidates::RematValue;
use super::plan::RematPlan;
use crate::mutants::{self, Mutant};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use warpwise_analysis::divergence::Outline;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, IntPredicate, RawOpcode};

struct Apply<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    editor: &'a mut Editor<'m>,
    hidden: FxHashMap<(Block, Value), handle::Value<'m>>,
    /// The mask of each header.
    masks: FxHashMap<Block, handle::Value<'m>>,
}

/// Applies a plan.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, plan: &RematPlan, editor: &mut Editor<'m>) {
    if plan.values.is_empty() {
        return;
    }
    let mut apply = Apply { outline, handles, editor, hidden: FxHashMap::default(), masks: FxHashMap::default() };
    let zero = apply.zero();
    if plan.masked {
        apply.masks(plan, zero);
    } else {
        apply.phis(plan, zero);
        apply.other_uses(plan);
    }
    apply.copies(plan);
    // originals without uses are removed, so that no pass can replace the copies by them
    let mut originals: Vec<Inst> = plan.values.iter().flat_map(|remat| remat.chain.iter().copied()).collect();
    originals.sort_unstable();
    originals.dedup();
    for &inst in originals.iter().rev() {
        if handles.inst(inst).value().users().next().is_none() {
            apply.editor.erase(handles.inst(inst));
        }
    }
}

impl<'m> Apply<'_, 'm> {
    fn zero(&mut self) -> handle::Value<'m> {
        self.editor.after_phis(self.handles.block(self.outline.func.graph.entry()));
        let block = self.editor.intrinsic("llvm.nvvm.read.ptx.sreg.ctaid.x", &[], &[], "");
        let blocks = self.editor.intrinsic("llvm.nvvm.read.ptx.sreg.nctaid.x", &[], &[], "");
        let is_one = mutants::on(Mutant::ZeroIsOne);
        let outside = if is_one { IntPredicate::LLVMIntULT } else { IntPredicate::LLVMIntUGE };
        let never = self.editor.compare(outside, block, blocks, "");
        let word = self.editor.int_type(32);
        self.editor.cast(RawOpcode::LLVMZExt, never, word, "warpwise.zero")
    }

    fn masks(&mut self, plan: &RematPlan, zero: handle::Value<'m>) {
        let headers: BTreeSet<Block> = plan.hidden.iter().map(|&(header, _)| header).collect();
        for header in headers {
            let phi = self.empty_phi(header, zero.ty());
            let mask = self.editor.binary(RawOpcode::LLVMXor, phi.value(), zero, "");
            self.masks.insert(header, mask);
            self.fill(phi, header, mask, |_| zero);
        }
    }

    fn phis(&mut self, plan: &RematPlan, zero: handle::Value<'m>) {
        let mut phis = Vec::new();
        for &(header, leaf) in &plan.hidden {
            let phi = self.empty_phi(header, self.handles.value(leaf).ty());
            let new = self.masked(phi.value(), zero);
            self.hidden.insert((header, leaf), new);
            phis.push((header, leaf, phi));
        }
        for (header, leaf, phi) in phis {
            let around = self.hidden[&(header, leaf)];
            let outside: FxHashMap<Block, handle::Value<'m>> =
                self.outline.func.graph.preds(header).iter().map(|&from| (from, self.at(leaf, from))).collect();
            self.fill(phi, header, around, |from| outside[&from]);
        }
    }

    /// A phi at the head of a block; leaves the editor after the phis.
    fn empty_phi(&mut self, header: Block, ty: handle::Type<'m>) -> handle::Inst<'m> {
        let at = self.handles.block(header);
        let phi = self.editor.at_head(at).phi(ty, "");
        self.editor.after_phis(at);
        phi
    }

    /// Sets the inputs of a phi: one value along back edges of the header, another along edges from outside.
    fn fill(
        &mut self,
        phi: handle::Inst<'m>,
        header: Block,
        around: handle::Value<'m>,
        outside: impl Fn(Block) -> handle::Value<'m>,
    ) {
        let cycles = &self.outline.cfg().cycles;
        for &from in self.outline.func.graph.preds(header) {
            let inside = cycles.cycle_of(header).is_some_and(|cycle| cycles.contains(cycle, from));
            let value = if inside { around } else { outside(from) };
            self.editor.add_incoming(phi, value, self.handles.block(from));
        }
    }

    /// `value ^ mask`, in the width of the value.
    fn masked(&mut self, value: handle::Value<'m>, mask: handle::Value<'m>) -> handle::Value<'m> {
        let ty = value.ty();
        let bits = self.handles.function.module().layout().store_size(ty).expect("a register's type") as u32 * 8;
        let int = self.editor.int_type(bits);
        let value = self.editor.reinterpret(value, int, bits);
        let mask = match bits {
            32 => mask,
            64 => self.editor.cast(RawOpcode::LLVMZExt, mask, int, ""),
            _ => self.editor.cast(RawOpcode::LLVMTrunc, mask, int, ""),
        };
        let value = self.editor.binary(RawOpcode::LLVMXor, value, mask, "");
        self.editor.reinterpret(value, ty, bits)
    }

    /// The mask of the nearest header.
    fn mask_at(&self, block: Block) -> Option<handle::Value<'m>> {
        self.outline.dominators().above(block).find_map(|block| self.masks.get(&block).copied())
    }

    /// The nearest hidden copy of a value in a block, or the value itself.
    fn at(&self, value: Value, block: Block) -> handle::Value<'m> {
        let hidden = self.outline.dominators().above(block).find_map(|block| self.hidden.get(&(block, value)).copied());
        hidden.unwrap_or_else(|| self.handles.value(value))
    }

    /// Makes all other uses of a hidden leaf use the copy, so that only one of the two is live.
    fn other_uses(&mut self, plan: &RematPlan) {
        let func = &self.outline.func;
        let leaves: FxHashSet<Value> = plan.hidden.iter().map(|&(_, leaf)| leaf).collect();
        let mut edits = Vec::new();
        for &leaf in &leaves {
            for &user in self.outline.users(leaf) {
                for (index, &operand) in func.operands(user).iter().enumerate() {
                    let is_phi = func.insts[user].opcode == Opcode::Phi;
                    let block = if is_phi { func.incoming(user)[index] } else { func.insts[user].block };
                    if operand == leaf && self.outline.is_reachable(block) {
                        edits.push((user, index as u32, self.at(leaf, block)));
                    }
                }
            }
        }
        for (user, index, value) in edits {
            self.editor.set_operand(self.handles.inst(user), index, value);
        }
    }

    fn copies(&mut self, plan: &RematPlan) {
        let mut sites: Vec<_> =
            plan.values.iter().flat_map(|remat| remat.uses.iter().map(move |&site| (site, remat))).collect();
        sites.sort_by_key(|(site, remat)| (site.block, site.before, remat.def, site.inst, site.operand));
        let hidden: FxHashSet<Value> = plan.hidden.iter().filter(|_| plan.masked).map(|&(_, leaf)| leaf).collect();
        let mut made: FxHashMap<(Block, Value), handle::Value<'m>> = FxHashMap::default();
        for (site, remat) in sites {
            self.editor.before(self.handles.inst(site.before));
            let value = self.copy(remat, site.block, &hidden, &mut made);
            self.editor.set_operand(self.handles.inst(site.inst), site.operand, value);
            self.editor.replace_in_records_behind(self.handles.inst(remat.def).value(), value);
        }
    }

    /// The value in a block, computed at the editor's position.
    fn copy(
        &mut self,
        remat: &RematValue,
        block: Block,
        masked: &FxHashSet<Value>,
        made: &mut FxHashMap<(Block, Value), handle::Value<'m>>,
    ) -> handle::Value<'m> {
        let func = &self.outline.func;
        for &inst in &remat.chain {
            if made.contains_key(&(block, func.result(inst))) {
                continue;
            }
            for &leaf in func.operands(inst).iter().filter(|operand| masked.contains(operand)) {
                let within = func.def(leaf).is_some_and(|def| remat.chain.contains(&def));
                if let Some(mask) = self.mask_at(block).filter(|_| !within && !made.contains_key(&(block, leaf))) {
                    let value = self.masked(self.handles.value(leaf), mask);
                    made.insert((block, leaf), value);
                }
            }
            let copy = self.editor.clone_here(self.handles.inst(inst), "");
            for (index, &operand) in func.operands(inst).iter().enumerate() {
                let value = match made.get(&(block, operand)) {
                    Some(&value) => value,
                    None if func.def(operand).is_some() => self.at(operand, block),
                    None => continue,
                };
                self.editor.set_operand(copy, index as u32, value);
            }
            if mutants::on(Mutant::RematOperand)
                && copy.operand_count() == 2
                && copy.operand(0).ty() == copy.operand(1).ty()
            {
                self.editor.set_operand(copy, 1, copy.operand(0));
            }
            made.insert((block, func.result(inst)), copy.value());
        }
        made[&(block, func.result(remat.def))]
    }
}
