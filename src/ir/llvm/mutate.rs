//! How is a valid module changed into a similar but odder one? For tests only: what it computes is not preserved.

use super::owned::OwnedModule;
use llvm_sys::prelude::LLVMModuleRef;

unsafe extern "C" {
    fn warpwise_mutate(module: LLVMModuleRef, seed: u64, edits: u32);
    fn warpwise_listen(module: LLVMModuleRef);
}

/// Makes up to `edits` structural edits, the same ones for the same seed. The module may be invalid afterwards.
pub fn mutate(module: &OwnedModule, seed: u64, edits: u32) {
    // SAFETY: the module is alive, and nobody else reads it.
    unsafe { warpwise_mutate(module.inkwell().as_mut_ptr(), seed, edits) }
}

/// Creates every remark about the module and discards it, to test the code that creates them.
pub fn listen(module: &OwnedModule) {
    // SAFETY: the module and its context are alive; LLVM owns the handler that is set.
    unsafe { warpwise_listen(module.inkwell().as_mut_ptr()) }
}
