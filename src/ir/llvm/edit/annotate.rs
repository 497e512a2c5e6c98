//! Which edits does `annotate-uniform` need? Metadata, attributes, address spaces.

use super::Editor;
use crate::llvm::handle::{self, AttrPlace, Function, Inst, Value};
use llvm_sys::core::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode};

impl<'m> Editor<'m> {
    /// Removes metadata of a kind.
    pub fn clear_metadata(&mut self, inst: Inst<'m>, kind: u32) {
        edit!(LLVMSetMetadata(inst.raw(), kind, std::ptr::null_mut()));
    }

    /// The weights of a branch, as a node of metadata.
    pub fn branch_weights(&self, weights: [u32; 2]) -> Value<'m> {
        let [first, second] = weights.map(|weight| edit!(LLVMValueAsMetadata(self.int(32, weight.into()).raw())));
        self.node(vec![self.metadata_string("branch_weights"), first, second])
    }

    /// Sets a string attribute of a function.
    pub fn set_string_attribute(&mut self, function: Function<'m>, name: &str, value: &str) {
        let attribute = edit!(LLVMCreateStringAttribute(
            self.context,
            name.as_ptr().cast(),
            name.len() as u32,
            value.as_ptr().cast(),
            value.len() as u32
        ));
        edit!(LLVMAddAttributeAtIndex(function.value().raw(), LLVMAttributeFunctionIndex, attribute));
    }

    /// Gives a load the address `pointer` cast to an address space.
    pub fn load_from_space(&mut self, load: Inst<'m>, space: u32) {
        let ty = self.pointer_type(space);
        let pointer = load.operand(0);
        if pointer.ty() != ty {
            let cast = self.before(load).cast(LLVMOpcode::LLVMAddrSpaceCast, pointer, ty, "");
            self.set_operand(load, 0, cast);
        }
    }
}

/// Whether a function is marked `optnone` and so must not be changed.
pub fn is_optnone(function: Function<'_>) -> bool {
    function.has_attribute(AttrPlace::Function, handle::attribute_kind("optnone"))
}
