//! What does LLVM's own uniformity analysis say about the same module? For comparisons only.

use super::owned::OwnedModule;
use super::target;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::target_machine::LLVMTargetMachineRef;

unsafe extern "C" {
    fn warpwise_llvm_uniformity(module: LLVMModuleRef, machine: LLVMTargetMachineRef, divergent: *mut bool);
}

/// For every function with a body and every block of it, in order: whether lanes may diverge at its end, according to
/// LLVM.
pub fn divergent_blocks(module: &OwnedModule) -> Result<Vec<Vec<bool>>, String> {
    let machine = target::machine("")?;
    let bodies = module.handle().functions().filter(|function| !function.is_declaration());
    let sizes: Vec<usize> = bodies.map(|function| function.blocks().count()).collect();
    let mut all = vec![false; sizes.iter().sum()];
    // SAFETY: module and machine are alive; the array has an element for each block.
    unsafe { warpwise_llvm_uniformity(module.inkwell().as_mut_ptr(), machine.as_mut_ptr(), all.as_mut_ptr()) };
    let mut rest = all.as_slice();
    let functions = sizes.iter().map(|&size| {
        let (own, others) = rest.split_at(size);
        rest = others;
        own.to_vec()
    });
    Ok(functions.collect())
}
