//! Which code, as correct as it is, would `ptxas` get wrong?
//!
//! Three mistakes of CUDA 13.0 are known that code of ours brings about more often than clang's; clang alone runs into
//! them, too. So a module is searched at the end, wherever the code may come from, and the code is written in a way
//! that `ptxas` gets right.

mod complements;
mod float_bits;
mod upper_halves;

use crate::settings::enabled::is_all_off;
use warpwise_ir::llvm::handle::Module;
use warpwise_ir::llvm::remark::PassManager;

/// Mends the code of a module; returns whether there was anything to mend.
pub fn run(module: Module<'_>, manager: &PassManager<'_>) -> bool {
    let mut changed = false;
    for function in module.functions().filter(|&function| !function.is_declaration() && !is_all_off(function)) {
        changed |= float_bits::mend(function, manager);
        changed |= complements::mend(function, manager);
        changed |= upper_halves::mend(function, manager);
    }
    changed
}
