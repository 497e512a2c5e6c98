//! What does LLVM's own uniformity analysis say about the same module, and how fast is it? For comparisons only.

use super::owned::OwnedModule;
use inkwell::OptimizationLevel;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};
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
    fn warpwise_llvm_uniformity(module: LLVMModuleRef, machine: LLVMTargetMachineRef, divergent: *mut bool);
}

fn target_machine() -> Result<TargetMachine, String> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let target = Target::from_triple(&triple).map_err(|e| e.to_string())?;
    target
        .create_target_machine(
            &triple,
            crate::gpu::chip::USUAL,
            "",
            OptimizationLevel::Default,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| "this LLVM cannot make an NVPTX target machine".to_owned())
}

/// For every function with a body and every block of it, in order: whether lanes may diverge at its end, according to
/// LLVM.
pub fn divergent_blocks(module: &OwnedModule) -> Result<Vec<Vec<bool>>, String> {
    let machine = target_machine()?;
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

/// Nanoseconds of each of `runs` runs over all functions of the module, measured alternately: LLVM's `uniformity`
/// (including dominators and cycles) and our analysis (including import).
pub fn analysis_times(module: &OwnedModule, runs: u32) -> Result<(Vec<u64>, Vec<u64>), String> {
    let machine = target_machine()?;
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
