//! How is a value computed again where it is used, so that it stays there?
//!
//! 1. At entry: `zero = ctaid.x >= nctaid.x` in 32 bits. A block's index is always below the grid's size, but neither LLVM
//!    nor `ptxas` knows.
//! 2. In every header where a leaf is hidden: `phi(leaf, hidden)` and, right after the phis, `hidden = phi ^ zero`.
//!    All uses of the leaf that the header dominates get `hidden`, so that the leaf itself is dead in the cycle.
//! 3. Before the first use in each block, the chain of the value is cloned over hidden leaves; further uses of the block
//!    share the copy.

use super::recompute::{Again, RecomputePlan};
use crate::divergence::Facts;
use crate::kernel::entity::{Block, Inst, Value};
use crate::kernel::handles::Handles;
use crate::kernel::inst::Opcode;
use crate::llvm::edit::Editor;
use crate::llvm::handle::{self, IntPredicate, RawOpcode};
use rustc_hash::{FxHashMap, FxHashSet};

struct Apply<'a, 'm> {
    facts: &'a Facts,
    handles: &'a Handles<'m>,
    editor: &'a mut Editor<'m>,
    hidden: FxHashMap<(Block, Value), handle::Value<'m>>,
}

/// Carries out a plan.
pub fn apply<'m>(facts: &Facts, handles: &Handles<'m>, plan: &RecomputePlan, editor: &mut Editor<'m>) {
    if plan.values.is_empty() {
        return;
    }
    let mut apply = Apply { facts, handles, editor, hidden: FxHashMap::default() };
    apply.phis(plan);
    apply.other_uses(plan);
    apply.copies(plan);
}

impl<'m> Apply<'_, 'm> {
    fn phis(&mut self, plan: &RecomputePlan) {
        let kernel = &self.facts.kernel;
        self.editor.after_phis(self.handles.block(kernel.graph.entry()));
        let block = self.editor.intrinsic("llvm.nvvm.read.ptx.sreg.ctaid.x", &[], &[], "");
        let blocks = self.editor.intrinsic("llvm.nvvm.read.ptx.sreg.nctaid.x", &[], &[], "");
        let never = self.editor.compare(IntPredicate::LLVMIntUGE, block, blocks, "");
        let word = self.editor.int_type(32);
        let zero = self.editor.cast(RawOpcode::LLVMZExt, never, word, "warpwise.zero");
        let mut phis = Vec::new();
        for &(header, leaf) in &plan.hidden {
            let ty = self.handles.value(leaf).ty();
            let at = self.handles.block(header);
            let first = at.insts().next().expect("a block has a terminator");
            let phi = self.editor.before(first).phi(ty, "");
            self.editor.after_phis(at);
            let bits = self.handles.function.module().layout().store_size(ty) as u32 * 8;
            let int = self.editor.int_type(bits);
            let old = self.editor.reinterpret(phi.value(), int, bits);
            let nothing = match bits {
                32 => zero,
                64 => self.editor.cast(RawOpcode::LLVMZExt, zero, int, ""),
                _ => self.editor.cast(RawOpcode::LLVMTrunc, zero, int, ""),
            };
            let new = self.editor.binary(RawOpcode::LLVMXor, old, nothing, "");
            let new = self.editor.reinterpret(new, ty, bits);
            self.hidden.insert((header, leaf), new);
            phis.push((header, leaf, phi));
        }
        for (header, leaf, phi) in phis {
            let cycles = &self.facts.cfg().cycles;
            for &from in kernel.graph.preds(header) {
                let around = cycles.cycle_of(header).is_some_and(|cycle| cycles.contains(cycle, from));
                let value = if around { self.hidden[&(header, leaf)] } else { self.at(leaf, from) };
                self.editor.add_incoming(phi, value, self.handles.block(from));
            }
        }
    }

    /// The nearest hidden copy of a value in a block, or the value itself.
    fn at(&self, value: Value, block: Block) -> handle::Value<'m> {
        let mut next = Some(block);
        while let Some(block) = next {
            if let Some(&hidden) = self.hidden.get(&(block, value)) {
                return hidden;
            }
            next = self.facts.dominators().idom(block);
        }
        self.handles.value(value)
    }

    /// What else uses a hidden leaf takes the copy, so that only one of both is alive.
    fn other_uses(&mut self, plan: &RecomputePlan) {
        let kernel = &self.facts.kernel;
        let leaves: FxHashSet<Value> = plan.hidden.iter().map(|&(_, leaf)| leaf).collect();
        let mut edits = Vec::new();
        for &leaf in &leaves {
            for &user in self.facts.users(leaf) {
                for (index, &operand) in kernel.operands(user).iter().enumerate() {
                    let is_phi = kernel.insts[user].opcode == Opcode::Phi;
                    let block = if is_phi { kernel.incoming(user)[index] } else { kernel.insts[user].block };
                    if operand == leaf && self.facts.is_reachable(block) {
                        edits.push((user, index as u32, self.at(leaf, block)));
                    }
                }
            }
        }
        for (user, index, value) in edits {
            self.editor.set_operand(self.handles.inst(user), index, value);
        }
    }

    fn copies(&mut self, plan: &RecomputePlan) {
        let mut sites: Vec<_> =
            plan.values.iter().flat_map(|again| again.uses.iter().map(move |&site| (site, again))).collect();
        sites.sort_by_key(|(site, again)| (site.block, site.before, again.def, site.inst, site.operand));
        let mut made: FxHashMap<(Block, Inst), handle::Value<'m>> = FxHashMap::default();
        for (site, again) in sites {
            self.editor.before(self.handles.inst(site.before));
            let value = self.copy(again, site.block, &mut made);
            self.editor.set_operand(self.handles.inst(site.inst), site.operand, value);
        }
    }

    /// The value in a block, where the editor stands.
    fn copy(
        &mut self,
        again: &Again,
        block: Block,
        made: &mut FxHashMap<(Block, Inst), handle::Value<'m>>,
    ) -> handle::Value<'m> {
        let kernel = &self.facts.kernel;
        for &inst in &again.chain {
            if made.contains_key(&(block, inst)) {
                continue;
            }
            let copy = self.editor.clone_here(self.handles.inst(inst), "");
            for (index, &operand) in kernel.operands(inst).iter().enumerate() {
                let cloned = kernel.def(operand).filter(|def| again.chain.contains(def));
                let value = match cloned {
                    Some(def) => made[&(block, def)],
                    None if kernel.def(operand).is_some() => self.at(operand, block),
                    None => continue,
                };
                self.editor.set_operand(copy, index as u32, value);
            }
            made.insert((block, inst), copy.value());
        }
        made[&(block, again.def)]
    }
}
