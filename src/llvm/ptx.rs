//! What PTX does LLVM generate for a module? For a pass that checks its own results with `ptxas`.

use super::handle::Module;
use inkwell::OptimizationLevel;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetTriple};
use llvm_sys::core::LLVMCloneModule;

/// A copy of a module in the same context, for experiments.
///
/// It lives no longer than the module from which it was copied, and so no longer than their context.
pub struct Scratch<'m> {
    module: inkwell::module::Module<'m>,
}

impl<'m> Scratch<'m> {
    /// Copies a module.
    pub fn copy_of(module: Module<'m>) -> Scratch<'m> {
        // SAFETY: the module is alive; the copy is a new module in a context that outlives 'm, and nobody else owns it.
        Scratch { module: unsafe { inkwell::module::Module::new(LLVMCloneModule(module.raw())) } }
    }
    /// The handle.
    pub fn handle(&self) -> Module<'_> {
        // SAFETY: the module is owned by self and outlives the borrow.
        unsafe { Module::from_raw(self.module.as_mut_ptr()) }.expect("an owned module is not null")
    }
    /// Its PTX for a chip with some features, optimised as clang -O3 would. Generating code uses the copy up.
    pub fn into_ptx(self, cpu: &str, features: &str) -> Result<String, String> {
        Target::initialize_nvptx(&InitializationConfig::default());
        let triple = TargetTriple::create(&self.handle().triple());
        let target = Target::from_triple(&triple).map_err(|error| error.to_string())?;
        let (relocation, model) = (RelocMode::Default, CodeModel::Default);
        let level = OptimizationLevel::Aggressive;
        let machine = target
            .create_target_machine(&triple, cpu, features, level, relocation, model)
            .ok_or_else(|| format!("LLVM knows no chip {cpu}"))?;
        let buffer = machine
            .write_to_memory_buffer(&self.module, FileType::Assembly)
            .map_err(|error| error.to_string_lossy().into_owned())?;
        Ok(String::from_utf8_lossy(buffer.as_slice()).trim_end_matches('\0').to_owned())
    }
}
