//! How do the launches of host code choose a version? See `src/ir/llvm/launch_host.cpp`.

use super::super::handle::Function;
use super::Editor;
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use std::ffi::{c_char, c_void};

unsafe extern "C" {
    fn warpwise_divert_launches(
        module: LLVMModuleRef,
        bitcode: *const c_char,
        length: usize,
        refuse: extern "C" fn(*mut c_void, LLVMValueRef, u32),
        context: *mut c_void,
    ) -> bool;
}

/// Why a launch stub stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The module is for another machine than the plugin.
    OtherTarget,
    /// The stub is not one that clang 22 makes.
    UnknownStub,
}

type Refused = Vec<(LLVMValueRef, Refusal)>;

extern "C" fn refuse(refused: *mut c_void, stub: LLVMValueRef, number: u32) {
    // launch_host.cpp numbers them so
    let refusal = if number == 0 { Refusal::OtherTarget } else { Refusal::UnknownStub };
    // SAFETY: `divert_launches` passes its own list, which is borrowed by nobody else meanwhile.
    unsafe { &mut *refused.cast::<Refused>() }.push((stub, refusal));
}

impl<'m> Editor<'m> {
    /// Makes the launch stubs of a host module call the launch functions in `bitcode`, which are linked into it. Returns
    /// whether the module changed, and the stubs that stay as they are.
    pub fn divert_launches(&mut self, bitcode: &[u8]) -> (bool, Vec<(Function<'m>, Refusal)>) {
        let mut refused = Refused::new();
        let (start, context) = (bitcode.as_ptr().cast(), (&raw mut refused).cast());
        let changed = edit!(warpwise_divert_launches(self.module.raw(), start, bitcode.len(), refuse, context));
        let refused = refused.into_iter();
        // SAFETY: the stubs are functions of the module, and are not erased.
        (changed, refused.filter_map(|(stub, why)| Some((unsafe { Function::from_raw(stub) }?, why))).collect())
    }
}
