//! How fast is LLVM's own uniformity analysis on the same module? For the benchmark, not for the product.

use super::owned::OwnedModule;
use inkwell::OptimizationLevel;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetTriple};
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::target_machine::LLVMTargetMachineRef;

unsafe extern "C" {
    fn warpwise_bench_analysis(
        module: LLVMModuleRef,
        machine: LLVMTargetMachineRef,
        theirs: *mut u64,
        ours: *mut u64,
        runs: u32,
    );
}

/// Nanoseconds of each of `runs` runs: LLVM's `uniformity` (dominators and cycles included) and ours (import included),
/// taken in turn, over all functions of the module.
pub fn analysis_times(module: &OwnedModule, runs: u32) -> Result<(Vec<u64>, Vec<u64>), String> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let target = Target::from_triple(&triple).map_err(|e| e.to_string())?;
    let machine = target
        .create_target_machine(&triple, "sm_90", "", OptimizationLevel::Default, RelocMode::Default, CodeModel::Default)
        .ok_or("this LLVM cannot make an NVPTX target machine")?;
    let mut theirs = vec![0u64; runs as usize];
    let mut ours = vec![0u64; runs as usize];
    // SAFETY: module and machine are alive; both arrays have `runs` elements.
    unsafe {
        warpwise_bench_analysis(
            module.inkwell().as_mut_ptr(),
            machine.as_mut_ptr(),
            theirs.as_mut_ptr(),
            ours.as_mut_ptr(),
            runs,
        );
    }
    Ok((theirs, ours))
}
