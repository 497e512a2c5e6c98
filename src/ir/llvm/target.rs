//! For which GPU is a module compiled if nobody names one, and how is LLVM told?

use inkwell::OptimizationLevel;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

/// The chip assumed if none is named: the one on which most was measured.
pub const USUAL: &str = "sm_90";
/// The chip for which LLVM compiles if a module names none.
pub const LLVM_DEFAULT: &str = "sm_75";

/// The usual chip, with these features of PTX, as LLVM's passes see it.
pub fn machine(features: &str) -> Result<TargetMachine, String> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let target = Target::from_triple(&triple).map_err(|e| e.to_string())?;
    let (level, relocation, code) = (OptimizationLevel::Default, RelocMode::Default, CodeModel::Default);
    target
        .create_target_machine(&triple, USUAL, features, level, relocation, code)
        .ok_or_else(|| "this LLVM was built without the NVPTX target".to_owned())
}
