//! May `ptxas` spill a kernel's registers to shared memory, and how is it told?
//!
//! [`PRAGMA`] in a kernel's PTX allows it, wherever in the body the statement is: a block then also reserves shared memory
//! for what its threads spill, up to 48 KB with what it has. Where the pragma is not possible, `ptxas` 12.8 and 13.0 do not
//! ignore it but fail, so [`check`] refuses in every such case: dynamic shared memory, calls through the ABI (of pointers,
//! recursion, `printf`; simpler ones would do, but that is `ptxas`'s decision), code for a debugger, and separate
//! compilation. Of the last, the module says nothing: clang decides by a flag, which is read from the command line of the
//! process. Who calls LLVM otherwise must not assemble the PTX with `ptxas -c`.

use super::reject::Reject;
use crate::shared_memory::room::NoShared;
use crate::shared_memory::usage::shared_use;
use std::ffi::OsString;
use warpwise_analysis::divergence::Outline;
use warpwise_ir::call::Callee;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};

/// Makes `ptxas` spill to shared memory; requires PTX 8.7.
const PRAGMA: &str = ".pragma \"enable_smem_spilling\";";
/// The first version of PTX with this pragma, times ten.
const SINCE: u32 = 87;

/// Whether `ptxas` accepts the pragma in a kernel.
pub fn check(outline: &Outline, handles: &Handles<'_>) -> Result<(), Reject> {
    let kernel = handles.function;
    let features = kernel.string_attribute("target-features").unwrap_or_default();
    let version = features.split(',').filter_map(|word| word.strip_prefix("+ptx")?.parse::<u32>().ok()).max();
    if version.is_none_or(|version| version < SINCE) {
        return Err(Reject::OldPtx);
    }
    let func = &outline.func;
    if shared_use(func, handles).dynamic {
        return Err(NoShared::Dynamic.into());
    }
    let is_call = |inst| {
        let calls = || matches!(func.call(inst).callee, Callee::Function(_) | Callee::Indirect);
        func.insts[inst].opcode == Opcode::Call && calls()
    };
    if func.insts.keys().any(is_call) {
        return Err(Reject::PtxasCalls);
    }
    if is_for_debugger(kernel.module()) {
        return Err(Reject::PtxasDebugs);
    }
    if is_separate(std::env::args_os()) {
        return Err(Reject::PtxasSeparate);
    }
    Ok(())
}

/// Tells `ptxas`.
pub fn allow<'m>(editor: &mut Editor<'m>, kernel: Function<'m>) {
    if let Some(entry) = kernel.blocks().next() {
        editor.after_phis(entry).statement(PRAGMA, "");
    }
}

/// Whether clang has `ptxas` make code for a debugger, and not only tables of lines.
fn is_for_debugger(module: Module<'_>) -> bool {
    let units = module.named_metadata("llvm.dbg.cu");
    units.into_iter().any(|unit| unit.print().contains("emissionKind: FullDebug"))
}

/// Whether the arguments of clang ask for code that another program links.
fn is_separate(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut found = false;
    for argument in arguments {
        match argument.to_str() {
            Some("-fgpu-rdc" | "-fcuda-rdc" | "-foffload-lto" | "-flto") => found = true,
            Some("-fno-gpu-rdc" | "-fno-cuda-rdc") => found = false,
            Some(text) if text.starts_with("-flto=") || text.starts_with("-foffload-lto=") => found = true,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clang_says_whether_code_is_linked_later() {
        let is_separate = |line: &str| is_separate(line.split(' ').map(OsString::from));
        assert!(is_separate("clang -cc1 -fgpu-rdc -o a.s"));
        assert!(is_separate("clang -cc1 -flto=full a.cu") && is_separate("clang++ -fno-gpu-rdc -fgpu-rdc a.cu"));
        assert!(!is_separate("clang++ -fgpu-rdc -fno-gpu-rdc a.cu") && !is_separate("opt -o -fgpu-rdc.ll"));
    }
}
