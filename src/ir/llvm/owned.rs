//! How do the command and the tests obtain a module? They parse a file or a text into an owned context and module.

use super::handle::Module;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use std::path::Path;

/// A module with the context it lives in. Not `Send`: LLVM contexts are single-threaded.
pub struct OwnedModule {
    // Declared before the context, so dropped before it: the module points into the context.
    module: inkwell::module::Module<'static>,
    _context: Box<Context>,
}

/// Why a module could not be obtained; the message is LLVM's own.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read {path}: {message}")]
    Read { path: String, message: String },
    #[error("{path} is not valid LLVM IR: {message}")]
    Parse { path: String, message: String },
}

impl OwnedModule {
    /// Reads textual IR or bitcode (LLVM tells them apart).
    pub fn from_file(path: &Path) -> Result<Self, LoadError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| LoadError::Read { path: name.clone(), message: e.to_string() })?;
        Self::from_buffer(MemoryBuffer::create_from_memory_range_copy(&bytes, &name), name)
    }

    /// Parses textual IR held in memory.
    pub fn from_text(text: &str, name: &str) -> Result<Self, LoadError> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0); // LLVM's parser wants the byte after the end to be NUL
        Self::from_buffer(MemoryBuffer::create_from_memory_range_copy(&bytes, name), name.to_owned())
    }

    /// Parses bitcode held in memory.
    pub fn from_bitcode(bytes: &[u8], name: &str) -> Result<Self, LoadError> {
        Self::from_buffer(MemoryBuffer::create_from_memory_range_copy(bytes, name), name.to_owned())
    }

    /// The module as bitcode.
    pub fn to_bitcode(&self) -> Vec<u8> {
        self.module.write_bitcode_to_memory().as_slice().to_vec()
    }

    /// What LLVM's verifier finds wrong with the module.
    pub fn verify(&self) -> Result<(), String> {
        self.module.verify().map_err(|e| e.to_string_lossy().trim().to_owned())
    }

    fn from_buffer(buffer: MemoryBuffer<'_>, name: String) -> Result<Self, LoadError> {
        let context = Box::new(Context::create());
        // SAFETY: the context is boxed, so its address is stable, and it is dropped after the module (field order).
        let forever: &'static Context = unsafe { &*std::ptr::from_ref::<Context>(&context) };
        let module = forever
            .create_module_from_ir(buffer)
            .map_err(|e| LoadError::Parse { path: name, message: e.to_string_lossy().trim().to_owned() })?;
        Ok(Self { module, _context: context })
    }

    /// The read-only handle.
    pub fn handle(&self) -> Module<'_> {
        // SAFETY: the module is owned by self and outlives the borrow.
        unsafe { Module::from_raw(self.module.as_mut_ptr()) }.expect("an owned module is not null")
    }

    /// The inkwell module, for what handles do not offer (verify, write, clone, link).
    pub fn inkwell(&self) -> &inkwell::module::Module<'static> {
        &self.module
    }
}
