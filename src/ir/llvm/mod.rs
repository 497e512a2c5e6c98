//! The only code that touches LLVM: everything else sees indices and plain data.
#![allow(unsafe_code)] // the LLVM boundary: each block names its guarantor

pub mod debug_check;
pub mod dialect;
pub mod edit;
pub mod escape;
pub mod frequency;
pub mod handle;
pub mod image;
mod image_const;
mod image_import;
mod image_text;
pub mod lowered;
pub mod mutate;
pub mod optimise;
pub mod owned;
pub mod plans;
pub mod remark;
pub mod space;
pub mod target;
pub mod text;
pub mod trace;
pub mod uses;
pub mod walk;

/// Version of the LLVM that is loaded: major, minor, patch.
pub fn version() -> (u32, u32, u32) {
    inkwell::support::get_llvm_version()
}
