//! Which edits are needed to meld two instructions into one? Properties that both have are kept; those of only one are
//! dropped.

use super::Editor;
use crate::llvm::handle::{Block, DebugLoc, Inst, Value};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMTailCallKind};

/// The metadata kind of debug locations, the first one in LLVM's numbering.
const DEBUG_LOCATION: u32 = 0;

unsafe extern "C" {
    fn warpwise_clear_fast_math(inst: LLVMValueRef);
    fn warpwise_delete_blocks(blocks: *mut LLVMBasicBlockRef, count: usize);
    fn warpwise_merged_location(a: LLVMMetadataRef, b: LLVMMetadataRef) -> LLVMMetadataRef;
}

impl<'m> Editor<'m> {
    /// The debug location of instructions built from now on.
    pub fn set_location(&mut self, location: Option<DebugLoc<'m>>) {
        edit!(LLVMSetCurrentDebugLocation2(self.builder, location.map_or(std::ptr::null_mut(), DebugLoc::raw)));
    }

    /// Keeps of `kept` only the flags that `other`, of the same opcode, has too; the weaker alignment of accesses.
    pub fn intersect_flags(&mut self, kept: Inst<'m>, other: Inst<'m>) {
        let (k, both) = (kept.raw(), |a: bool, b: bool| LLVMBool::from(a && b));
        match kept.opcode() {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc => {
                edit!(LLVMSetNUW(k, both(kept.has_nuw(), other.has_nuw())));
                edit!(LLVMSetNSW(k, both(kept.has_nsw(), other.has_nsw())));
            }
            LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => {
                edit!(LLVMSetExact(k, both(kept.is_exact(), other.is_exact())));
            }
            LLVMOr => edit!(LLVMSetIsDisjoint(k, both(kept.is_disjoint(), other.is_disjoint()))),
            LLVMZExt | LLVMUIToFP => edit!(LLVMSetNNeg(k, both(kept.has_nneg(), other.has_nneg()))),
            LLVMICmp => edit!(LLVMSetICmpSameSign(k, both(kept.has_samesign(), other.has_samesign()))),
            LLVMGetElementPtr => edit!(LLVMGEPSetNoWrapFlags(k, kept.gep_flags() & other.gep_flags())),
            LLVMLoad | LLVMStore => edit!(LLVMSetAlignment(k, kept.align().min(other.align()))),
            LLVMCall if edit!(LLVMGetTailCallKind(other.raw())) != edit!(LLVMGetTailCallKind(k)) => {
                edit!(LLVMSetTailCallKind(k, LLVMTailCallKind::LLVMTailCallKindNone));
            }
            _ => {}
        }
        self.set_fast_math(kept, kept.fast_math() & other.fast_math());
    }

    /// Gives an instruction that can have fast-math flags these and no others.
    pub fn set_fast_math(&mut self, inst: Inst<'m>, flags: u32) {
        if edit!(LLVMCanValueUseFastMathFlags(inst.raw())) != 0 {
            // LLVM's C interface only adds flags
            edit!(warpwise_clear_fast_math(inst.raw()));
            edit!(LLVMSetFastMathFlags(inst.raw(), flags));
        }
    }

    /// Keeps of `kept` only the metadata nodes that `other` has too.
    pub fn intersect_metadata(&mut self, kept: Inst<'m>, other: Inst<'m>) {
        self.meld_assignments(kept, other);
        for kind in self.metadata_kinds(kept) {
            if kept.metadata(kind) != other.metadata(kind) {
                edit!(LLVMSetMetadata(kept.raw(), kind, std::ptr::null_mut()));
            }
        }
    }

    /// Drops all metadata, and all attributes of a call: what they promise may hold on the instruction's path only.
    pub fn drop_promises(&mut self, inst: Inst<'m>) {
        for kind in self.metadata_kinds(inst) {
            edit!(LLVMSetMetadata(inst.raw(), kind, std::ptr::null_mut()));
        }
        if inst.opcode() == LLVMCall {
            for index in call_indices(inst) {
                for attribute in call_attributes(inst, index) {
                    remove_call_attribute(inst, index, attribute);
                }
            }
        }
    }

    /// Keeps of a call only the attributes that another call of the same callee has too, place by place.
    pub fn intersect_call_attributes(&mut self, kept: Inst<'m>, other: Inst<'m>) {
        for index in call_indices(kept) {
            let theirs = call_attributes(other, index);
            for attribute in call_attributes(kept, index) {
                if !theirs.contains(&attribute) {
                    remove_call_attribute(kept, index, attribute);
                }
            }
        }
    }

    /// Gives `kept` a location that is right for both, as LLVM merges locations: the common one, or line zero of the scope
    /// around both.
    pub fn meld_location(&mut self, kept: Inst<'m>, a: Option<DebugLoc<'m>>, b: Option<DebugLoc<'m>>) {
        let location = match (a, b) {
            // SAFETY: null, or a location of the module's context
            (Some(a), Some(b)) => unsafe { DebugLoc::from_raw(warpwise_merged_location(a.raw(), b.raw())) },
            (one, other) => one.or(other),
        };
        edit!(LLVMInstructionSetDebugLoc(kept.raw(), location.map_or(std::ptr::null_mut(), DebugLoc::raw)));
    }

    /// Moves an instruction here; it keeps its debug location and its name.
    pub fn transfer(&mut self, inst: Inst<'m>) {
        let (location, name) = (inst.debug_loc(), inst.value().name());
        self.move_here(inst);
        if !name.is_empty() {
            self.set_name(inst.value(), &name);
        }
        edit!(LLVMInstructionSetDebugLoc(inst.raw(), location.map_or(std::ptr::null_mut(), DebugLoc::raw)));
    }

    /// Replaces the uses of `old` in all blocks but one, and but in one user.
    pub fn replace_uses_outside(&mut self, old: Value<'m>, new: Value<'m>, block: Block<'m>, but: Inst<'m>) {
        self.replace_uses_where(old, new, |user| user != but && user.block() != block);
    }

    /// Replaces the edges of a phi that come from `gone` by the edges `fresh`; the phi is a new one afterwards.
    pub fn reroute(&mut self, phi: Inst<'m>, gone: &[Block<'m>], fresh: &[(Value<'m>, Block<'m>)]) -> Inst<'m> {
        let name = phi.value().name();
        let location = phi.debug_loc();
        self.before(phi);
        let new = self.phi(phi.ty(), "");
        edit!(LLVMInstructionSetDebugLoc(new.raw(), location.map_or(std::ptr::null_mut(), DebugLoc::raw)));
        for index in 0..phi.incoming_count() {
            let (value, from) = phi.incoming(index);
            if !gone.contains(&from) {
                self.add_incoming(new, value, from);
            }
        }
        for &(value, from) in fresh {
            self.add_incoming(new, value, from);
        }
        self.set_fast_math(new, phi.fast_math());
        self.replace_all_uses(phi.value(), new.value());
        self.erase(phi);
        self.set_name(new.value(), &name);
        new
    }

    /// Deletes blocks that nothing outside them branches to and no phi outside them names; values they define and
    /// somebody still uses become poison.
    pub fn delete_blocks(&mut self, blocks: &[Block<'m>]) {
        for &block in blocks {
            for inst in block.insts() {
                if inst.value().users().next().is_some() {
                    let poison = self.poison(inst.ty());
                    self.replace_all_uses(inst.value(), poison);
                }
            }
        }
        let mut raw: Vec<LLVMBasicBlockRef> = blocks.iter().map(|block| block.raw()).collect();
        edit!(warpwise_delete_blocks(raw.as_mut_ptr(), raw.len()));
    }

    /// Moves a block in the function's list to stand after another.
    pub fn place_after(&mut self, block: Block<'m>, place: Block<'m>) {
        edit!(LLVMMoveBasicBlockAfter(block.raw(), place.raw()));
    }

    /// Makes way `index` of a terminator lead to another block; phis are the caller's business.
    pub fn set_successor(&mut self, terminator: Inst<'m>, index: u32, to: Block<'m>) {
        edit!(LLVMSetSuccessor(terminator.raw(), index, to.raw()));
    }

    /// `return`, of a value or of nothing.
    pub fn ret(&mut self, value: Option<Value<'m>>) {
        match value {
            Some(value) => edit!(LLVMBuildRet(self.builder, value.raw())),
            None => edit!(LLVMBuildRetVoid(self.builder)),
        };
    }

    /// `unreachable`.
    pub fn unreachable(&mut self) {
        edit!(LLVMBuildUnreachable(self.builder));
    }

    /// The logical negation of an `i1`, or the bitwise one of an integer.
    pub fn not(&mut self, value: Value<'m>) -> Value<'m> {
        wrap!(Value, LLVMBuildNot(self.builder, value.raw(), c"".as_ptr()))
    }

    fn metadata_kinds(&self, inst: Inst<'m>) -> Vec<u32> {
        if !inst.has_metadata() {
            return Vec::new();
        }
        let mut count = 0;
        let entries = edit!(LLVMInstructionGetAllMetadataOtherThanDebugLoc(inst.raw(), &mut count));
        if entries.is_null() {
            return Vec::new();
        }
        // the debug location is listed too, whatever the name of the function says
        let kinds = (0..count as u32).map(|i| edit!(LLVMValueMetadataEntriesGetKind(entries, i)));
        let kinds = kinds.filter(|&kind| kind != DEBUG_LOCATION).collect();
        edit!(LLVMDisposeValueMetadataEntries(entries));
        kinds
    }
}

/// Whether a call is `musttail` or has operand bundles, neither of which melding can preserve.
pub fn is_bound_call(inst: Inst<'_>) -> bool {
    inst.is_musttail() || inst.opcode() == LLVMOpcode::LLVMCall && edit!(LLVMGetNumOperandBundles(inst.raw())) != 0
}

/// Calling convention of a call.
pub fn call_convention(inst: Inst<'_>) -> u32 {
    debug_assert!(inst.opcode() == LLVMOpcode::LLVMCall);
    edit!(LLVMGetInstructionCallConv(inst.raw()))
}

/// LLVM's attribute indices of a call: function, result, arguments.
fn call_indices(inst: Inst<'_>) -> impl Iterator<Item = u32> {
    std::iter::once(LLVMAttributeFunctionIndex).chain(0..=inst.argument_count())
}

fn call_attributes(inst: Inst<'_>, index: u32) -> Vec<LLVMAttributeRef> {
    let count = edit!(LLVMGetCallSiteAttributeCount(inst.raw(), index));
    let mut attributes = vec![std::ptr::null_mut(); count as usize];
    edit!(LLVMGetCallSiteAttributes(inst.raw(), index, attributes.as_mut_ptr()));
    attributes
}

fn remove_call_attribute(inst: Inst<'_>, index: u32, attribute: LLVMAttributeRef) {
    if edit!(LLVMIsStringAttribute(attribute)) != 0 {
        let mut length = 0;
        let kind = edit!(LLVMGetStringAttributeKind(attribute, &mut length));
        edit!(LLVMRemoveCallSiteStringAttribute(inst.raw(), index, kind, length));
    } else {
        edit!(LLVMRemoveCallSiteEnumAttribute(inst.raw(), index, LLVMGetEnumAttributeKind(attribute)));
    }
}
