//! How long do LLVM's uniformity analysis and ours take in the same process? For benches/analysis.rs.

use std::ffi::c_void;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::llvm::target;

unsafe extern "C" {
    fn warpwise_bench_analysis(module: *mut c_void, machine: *mut c_void, theirs: *mut u64, ours: *mut u64, runs: u32);
}

/// Nanoseconds of each of `runs` runs over all functions of the module, measured alternately: LLVM's `uniformity`
/// (including dominators and cycles) and our analysis (including import).
pub fn analysis_times(module: &OwnedModule, runs: u32) -> Result<(Vec<u64>, Vec<u64>), String> {
    let machine = target::machine("")?;
    let mut theirs = vec![0u64; runs as usize];
    let mut ours = vec![0u64; runs as usize];
    // SAFETY: module and machine are alive; both arrays have `runs` elements.
    unsafe {
        warpwise_bench_analysis(
            module.inkwell().as_mut_ptr().cast(),
            machine.as_mut_ptr().cast(),
            theirs.as_mut_ptr(),
            ours.as_mut_ptr(),
            runs,
        );
    }
    Ok((theirs, ours))
}
