//! How is a pass pipeline run on a module? LLVM's own passes, or ours among them, for NVPTX.

use super::owned::OwnedModule;
use super::text::{Sink, Text, collect};
use inkwell::OptimizationLevel;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::target_machine::LLVMTargetMachineRef;
use std::ffi::c_void;

/// The chip whose cost model the passes use.
const CPU: &str = crate::gpu::chip::USUAL;
const FEATURES: &str = "+ptx83";

unsafe extern "C" {
    fn warpwise_run_passes(
        module: LLVMModuleRef,
        machine: LLVMTargetMachineRef,
        passes: Text,
        error: Sink,
        context: *mut c_void,
    ) -> i32;
}

/// Runs `passes` as `opt` with the plugin would: our passes are known, and have their place in `default<O…>`. Returns
/// whether they changed the module, which is verified afterwards.
pub fn transform(module: &OwnedModule, passes: &str) -> Result<bool, String> {
    let machine = nvptx_machine().ok_or("this LLVM was built without the NVPTX target")?;
    let mut message = String::new();
    // SAFETY: module and machine are alive and nobody else reads them; the sink gets the String it expects.
    let outcome = unsafe {
        warpwise_run_passes(
            module.inkwell().as_mut_ptr(),
            machine.as_mut_ptr(),
            Text::of(passes),
            collect,
            (&raw mut message).cast(),
        )
    };
    if outcome < 0 { Err(message.trim().to_owned()) } else { Ok(outcome > 0) }
}

/// Runs `passes` (as `opt -passes=` takes them, LLVM's own only) over the module, which must be for NVPTX.
pub fn optimise(module: &OwnedModule, passes: &str) -> Result<(), String> {
    let machine = nvptx_machine().ok_or("this LLVM was built without the NVPTX target")?;
    let options = PassBuilderOptions::create();
    module.inkwell().run_passes(passes, &machine, options).map_err(|e| e.to_string_lossy().trim().to_owned())
}

fn nvptx_machine() -> Option<TargetMachine> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    Target::from_triple(&triple).ok()?.create_target_machine(
        &triple,
        CPU,
        FEATURES,
        OptimizationLevel::Default,
        RelocMode::Default,
        CodeModel::Default,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_run_and_bad_ones_are_named() {
        let text =
            "target triple = \"nvptx64-nvidia-cuda\"\ndefine i32 @f(i32 %x) {\n  %a = add i32 %x, 0\n  ret i32 %a\n}\n";
        let module = OwnedModule::from_text(text, "test").unwrap_or_else(|e| panic!("{e}"));
        optimise(&module, "instcombine").unwrap_or_else(|e| panic!("{e}"));
        assert!(!module.inkwell().print_to_string().to_string().contains("add"));
        assert!(optimise(&module, "no-such-pass").is_err_and(|e| e.contains("no-such-pass")));
    }

    #[test]
    fn our_passes_run_too() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @f() {\n  ret void\n}\n";
        let module = OwnedModule::from_text(text, "test").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(transform(&module, "steer-spills<regs=32>,fuse-branches"), Ok(false));
        assert!(optimise(&module, "fuse-branches").is_err(), "without the plugin");
        assert!(transform(&module, "steer-spills<frob>").is_err());
    }
}
