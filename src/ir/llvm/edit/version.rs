//! How does a kernel get a second body, or versions among which the host chooses? See `src/ir/llvm/version.cpp`.

use super::super::handle::{Function, Inst, RawOpcode, Type, TypeKind, Value};
use super::super::space;
use super::Editor;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use std::ffi::c_char;

/// Alignment of a table, in bytes.
const TABLE_ALIGN: u32 = 8;
/// Alignment of arrays in bytes: that of the widest access.
const ALIGNMENT: u32 = 16;
/// The declaration of dynamic shared memory.
const DYNAMIC_SHARED: &str = "warpwise_dynamic_shared";

unsafe extern "C" {
    fn warpwise_can_be_copied(function: LLVMValueRef) -> bool;
    fn warpwise_copy_function(function: LLVMValueRef) -> LLVMValueRef;
    fn warpwise_copy_kernel(function: LLVMValueRef, name: *const c_char, length: usize) -> LLVMValueRef;
    fn warpwise_add_version(function: LLVMValueRef, copy: LLVMValueRef, threads: u32);
}

impl Function<'_> {
    /// Whether it can be copied.
    pub fn can_be_copied(self) -> bool {
        // SAFETY: the handle is alive.
        unsafe { warpwise_can_be_copied(self.raw()) }
    }
}

impl<'m> Editor<'m> {
    /// A copy of a function that [can be copied](Function::can_be_copied), to be edited like any other. It must go again, by
    /// [`Editor::add_version`].
    pub fn copy_function(&mut self, function: Function<'m>) -> Option<Function<'m>> {
        // SAFETY: the handle is alive; the answer is null or a function of the same module.
        unsafe { Function::from_raw(warpwise_copy_function(function.raw())) }
    }
    /// A copy of a kernel that [can be copied](Function::can_be_copied), under a name that nothing has yet, for good.
    pub fn copy_kernel(&mut self, kernel: Function<'m>, name: &str) -> Option<Function<'m>> {
        // SAFETY: the handle is alive; the answer is null or a function of the same module.
        unsafe { Function::from_raw(warpwise_copy_kernel(kernel.raw(), name.as_ptr().cast(), name.len())) }
    }
    /// A table of words in global memory, as visible as a kernel, in place of any of that name that nothing uses.
    pub fn launch_table(&mut self, kernel: Function<'m>, name: &str, words: &[u64]) {
        if let Some(old) = self.module.global(name) {
            edit!(LLVMDeleteGlobal(old.raw()));
        }
        let mut raw: Vec<LLVMValueRef> = words.iter().map(|&word| self.int(64, word).raw()).collect();
        let word = self.int_type(64);
        let data = wrap!(Value, LLVMConstArray2(word.raw(), raw.as_mut_ptr(), raw.len() as u64));
        let table = self.new_global(data.ty(), space::GLOBAL, TABLE_ALIGN, Some(data), true, name);
        edit!(LLVMSetVisibility(table.raw(), LLVMGetVisibility(kernel.raw())));
        self.link_like(kernel, table);
    }
    /// Removes a function, or a global variable, that nothing uses. Its handle is dead after that.
    pub fn erase_global(&mut self, global: Value<'m>) {
        match global.as_function() {
            Some(function) => edit!(LLVMDeleteFunction(function.raw())),
            None => edit!(LLVMDeleteGlobal(global.raw())),
        }
    }
    /// Gives a global the linkage of a kernel, in a form in which it stays although nothing uses it.
    pub fn link_like(&mut self, kernel: Function<'m>, global: Value<'m>) {
        let linkage = match edit!(LLVMGetLinkage(kernel.raw())) {
            LLVMLinkage::LLVMLinkOnceODRLinkage => LLVMLinkage::LLVMWeakODRLinkage,
            linkage => linkage,
        };
        edit!(LLVMSetLinkage(global.raw(), linkage));
    }
    /// Dynamic shared memory, where it begins.
    pub fn dynamic_shared(&mut self, align: u32) -> Value<'m> {
        if let Some(known) = self.module.global(DYNAMIC_SHARED) {
            return known;
        }
        let none = self.array_type(self.int_type(8), 0);
        let name = super::c_name(DYNAMIC_SHARED);
        let memory =
            wrap!(Value, LLVMAddGlobalInAddressSpace(self.module.raw(), none.raw(), name.as_ptr(), space::SHARED));
        edit!(LLVMSetAlignment(memory.raw(), align));
        memory
    }
    /// Aligns dynamic shared memory as nvcc does, to 16 bytes; returns whether any was aligned to less. clang gives
    /// `extern __shared__ T name[]` only what `T` needs, so that LLVM splits copies of 16 bytes into elements.
    pub fn align_dynamic_shared(&mut self) -> bool {
        let size =
            |variable: Value<'m>| variable.global_value_type().and_then(|ty| self.module.layout().alloc_size(ty));
        let is_dynamic = |variable: &Value<'m>| {
            variable.ty().address_space() == Some(space::SHARED)
                && variable.is_declaration()
                && size(*variable) == Some(0)
                && variable.explicit_align() < ALIGNMENT
        };
        let narrow: Vec<_> = self.module.globals().filter(is_dynamic).collect();
        narrow.iter().for_each(|variable| edit!(LLVMSetAlignment(variable.raw(), ALIGNMENT)));
        !narrow.is_empty()
    }
    /// Aligns the stack objects of a function to 16 bytes that are made of as many without a rest, and of no bytes or halves, of which
    /// the back end would put words together; returns whether any was aligned to less.
    pub fn align_objects(&mut self, function: Function<'m>) -> bool {
        let is_narrow = |inst: &Inst<'m>| {
            inst.opcode() == RawOpcode::LLVMAlloca
                && inst.allocated_bytes().is_some_and(|bytes| bytes > 0 && bytes % u64::from(ALIGNMENT) == 0)
                && inst.value().explicit_align() < ALIGNMENT
                && has_words(inst.allocated_type())
        };
        let narrow: Vec<_> = function.insts().filter(is_narrow).collect();
        narrow.iter().for_each(|object| edit!(LLVMSetAlignment(object.value().raw(), ALIGNMENT)));
        !narrow.is_empty()
    }
    /// Makes the body of a copy the one that blocks of at most `threads` threads run. The copy's handle is dead
    /// after that, the handles of what stands in it are not.
    pub fn add_version(&mut self, function: Function<'m>, copy: Function<'m>, threads: u32) {
        edit!(warpwise_add_version(function.raw(), copy.raw(), threads));
    }
    /// A constant of those bytes.
    pub fn bytes(&self, bytes: &[u8]) -> Value<'m> {
        let data = bytes.as_ptr().cast();
        wrap!(Value, LLVMConstStringInContext2(self.context, data, bytes.len(), 1))
    }
    /// Inline assembly without operands that stays where it is; `constraints` are what it overwrites.
    pub fn statement(&mut self, text: &str, constraints: &str) {
        let ty = edit!(LLVMFunctionType(LLVMVoidTypeInContext(self.context), std::ptr::null_mut(), 0, 0));
        let assembly = self.inline_assembly(ty, text, constraints, true);
        edit!(LLVMBuildCall2(self.builder, ty, assembly.raw(), std::ptr::null_mut(), 0, c"".as_ptr()));
    }
}

/// Whether all scalars of a type have at least 32 bits.
fn has_words(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => (0..ty.length() as u32).all(|index| has_words(ty.struct_element(index))),
        TypeKind::LLVMPointerTypeKind | TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind => true,
        _ => ty.element().map_or_else(|| ty.int_bits().is_some_and(|bits| bits >= 32), has_words),
    }
}
