//! How does a pass put a function's body in the place of a call? See `src/llvm/inline.cpp`.

use super::super::handle::Inst;
use super::Editor;
use llvm_sys::prelude::LLVMValueRef;

unsafe extern "C" {
    fn warpwise_inline(call: LLVMValueRef) -> bool;
}

impl<'m> Editor<'m> {
    /// Puts the callee's body in the place of a call, whose handle must not be used again if that succeeds; nothing is changed
    /// otherwise.
    pub fn inline(&mut self, call: Inst<'m>) -> bool {
        edit!(warpwise_inline(call.raw()))
    }
    /// Keeps the back end from joining a product with a sum.
    pub fn round_alone(&mut self, product: Inst<'m>) {
        self.set_fast_math(product, product.fast_math_apart());
    }
}
