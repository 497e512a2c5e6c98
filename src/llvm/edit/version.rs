//! How does a kernel get a second body? See `src/llvm/version.cpp`.

use super::super::handle::{Function, Value};
use super::Editor;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

unsafe extern "C" {
    fn warpwise_can_be_copied(function: LLVMValueRef) -> bool;
    fn warpwise_copy_function(function: LLVMValueRef) -> LLVMValueRef;
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
    /// Inline assembly without operands that stays where it is.
    pub fn statement(&mut self, text: &str) {
        let ty = edit!(LLVMFunctionType(LLVMVoidTypeInContext(self.context), std::ptr::null_mut(), 0, 0));
        let assembly = self.inline_assembly(ty, text, "", true);
        edit!(LLVMBuildCall2(self.builder, ty, assembly.raw(), std::ptr::null_mut(), 0, c"".as_ptr()));
    }
}
