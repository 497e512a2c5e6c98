//! How is a pass pipeline run on a module? LLVM's own passes, or those of a plugin among them, for NVPTX.

use super::owned::OwnedModule;
use super::target;
use super::text::{Sink, Text, collect};
use inkwell::passes::PassBuilderOptions;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::target_machine::LLVMTargetMachineRef;
use std::ffi::c_void;

const FEATURES: &str = "+ptx83";

/// What tells LLVM's pass builder of the passes of a plugin.
#[derive(Clone, Copy)]
pub struct Registration(*const c_void);

impl Registration {
    /// By the function that LLVM calls when it loads the plugin.
    ///
    /// # Safety
    /// The function is `PassPluginLibraryInfo::RegisterPassBuilderCallbacks` of a plugin for the LLVM that is linked.
    pub const unsafe fn new(function: *const c_void) -> Registration {
        Registration(function)
    }
}

unsafe extern "C" {
    fn warpwise_run_passes(
        module: LLVMModuleRef,
        machine: LLVMTargetMachineRef,
        passes: Text,
        register: *const c_void,
        error: Sink,
        context: *mut c_void,
    ) -> i32;
}

/// Runs `passes` as `opt` does, with a plugin if one is given: its passes are known, and have their place in
/// `default<O…>`. Returns whether they changed the module, which is verified afterwards.
pub fn transform(module: &OwnedModule, passes: &str, plugin: Option<Registration>) -> Result<bool, String> {
    let machine = target::machine(FEATURES)?;
    let mut message = String::new();
    // SAFETY: module and machine are alive and nobody else reads them; the plugin is one of this LLVM; the sink gets the String it expects.
    let outcome = unsafe {
        warpwise_run_passes(
            module.inkwell().as_mut_ptr(),
            machine.as_mut_ptr(),
            Text::of(passes),
            plugin.map_or(std::ptr::null(), |plugin| plugin.0),
            collect,
            (&raw mut message).cast(),
        )
    };
    if outcome < 0 { Err(message.trim().to_owned()) } else { Ok(outcome > 0) }
}

/// Runs `passes` (as `opt -passes=` takes them, LLVM's own only) over the module, which must be for NVPTX.
pub fn optimise(module: &OwnedModule, passes: &str) -> Result<(), String> {
    let machine = target::machine(FEATURES)?;
    let options = PassBuilderOptions::create();
    module.inkwell().run_passes(passes, &machine, options).map_err(|e| e.to_string_lossy().trim().to_owned())
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
}
