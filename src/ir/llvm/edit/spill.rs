//! How are slots accessed in IR? The few instructions that only `steer-spills` builds.

use super::super::handle::{Function, Type, Value, attribute_kind};
use super::Editor;
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;

impl<'m> Editor<'m> {
    /// Takes back what the function's attributes promise of memory: it now reads a global variable.
    pub fn reads_globals(&mut self, function: Function<'m>) {
        let place = llvm_sys::LLVMAttributeFunctionIndex;
        edit!(LLVMRemoveEnumAttributeAtIndex(function.raw(), place, attribute_kind("memory")));
    }
    /// `base + stride·index`, in the width of the base's addresses; a narrower index is sign-extended.
    pub fn indexed(&mut self, base: Value<'m>, stride: u64, index: Value<'m>) -> Value<'m> {
        let byte = self.int_type(8);
        let row = if stride == 1 { byte } else { self.array_type(byte, stride) };
        self.gep(row, base, &[index], false, "")
    }
    /// `vector` with one element replaced.
    pub fn insert_element(&mut self, vector: Value<'m>, element: Value<'m>, index: u32) -> Value<'m> {
        let index = self.int(32, u64::from(index));
        let name = c"".as_ptr();
        wrap!(Value, LLVMBuildInsertElement(self.builder, vector.raw(), element.raw(), index.raw(), name))
    }
    /// One element of a vector.
    pub fn extract_element(&mut self, vector: Value<'m>, index: u32, name: &str) -> Value<'m> {
        let index = self.int(32, u64::from(index));
        let name = super::c_name(name);
        wrap!(Value, LLVMBuildExtractElement(self.builder, vector.raw(), index.raw(), name.as_ptr()))
    }
    /// What a pointer, or a vector of them, of so many bits is as integers.
    fn pointer_as_int(&self, ty: Type<'m>, bits: u32) -> Option<Type<'m>> {
        if ty.address_space().is_some() {
            return Some(self.int_type(bits));
        }
        ty.element().filter(|&element| element.address_space().is_some())?;
        let length = u32::try_from(ty.length()).ok().filter(|&length| length > 0)?;
        Some(self.vector_type(self.int_type(bits / length), length))
    }
    /// The bits of a value as another type of the same size; pointers go through integers.
    pub fn reinterpret(&mut self, value: Value<'m>, ty: Type<'m>, bits: u32) -> Value<'m> {
        if value.ty() == ty {
            return value;
        }
        let value = match self.pointer_as_int(value.ty(), bits) {
            Some(int) => self.cast(LLVMOpcode::LLVMPtrToInt, value, int, ""),
            None => value,
        };
        if let Some(int) = self.pointer_as_int(ty, bits) {
            let value = self.reinterpret(value, int, bits);
            return self.cast(LLVMOpcode::LLVMIntToPtr, value, ty, "");
        }
        if value.ty() == ty { value } else { self.cast(LLVMOpcode::LLVMBitCast, value, ty, "") }
    }
}
