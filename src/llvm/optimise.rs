//! How does LLVM's own optimiser change a module? Run one of its pipelines over it, for NVPTX.

use super::owned::OwnedModule;
use inkwell::OptimizationLevel;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

/// The chip whose cost model the passes see.
const CPU: &str = "sm_90";
const FEATURES: &str = "+ptx83";

/// Runs `passes` (as `opt -passes=` takes them) over the module, which must be for NVPTX.
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
}
