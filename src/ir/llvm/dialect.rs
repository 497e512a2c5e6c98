//! Which LLVM is this build for, and in what does its IR differ from that of another? All else is the same in LLVM
//! 22 and 23.

use super::handle::Function;
#[cfg(feature = "llvm23")]
use super::handle::{AttrPlace, attribute_kind};
use llvm_sys::LLVMOpcode;

/// The major version of the LLVM that this build is for.
pub const MAJOR: u32 = if cfg!(feature = "llvm23") { 23 } else { 22 };
/// The environment variable that names the folder with that LLVM.
pub const PREFIX: &str = if cfg!(feature = "llvm23") { "LLVM_SYS_231_PREFIX" } else { "LLVM_SYS_221_PREFIX" };

/// Whether an instruction with this opcode is a branch to one block, or by a condition to one of two.
pub fn is_branch(opcode: LLVMOpcode) -> bool {
    #[cfg(feature = "llvm22")]
    return opcode == LLVMOpcode::LLVMBr;
    #[cfg(feature = "llvm23")]
    return matches!(opcode, LLVMOpcode::LLVMUncondBr | LLVMOpcode::LLVMCondBr);
}

/// Whether single-precision results of a function that are denormal become zero.
pub fn flushes_f32(function: Function<'_>) -> bool {
    #[cfg(feature = "llvm22")]
    return function.string_attribute("denormal-fp-math-f32").is_some_and(|mode| mode.starts_with("preserve-sign"));
    // two bits each for results and operands of all types, then the same for single precision
    #[cfg(feature = "llvm23")]
    return function
        .int_attribute(AttrPlace::Function, attribute_kind("denormal_fpenv"))
        .is_some_and(|modes| modes >> 4 & 3 == PRESERVE_SIGN);
}

/// `LLVMDenormalModeKindPreserveSign`.
#[cfg(feature = "llvm23")]
const PRESERVE_SIGN: u64 = 1;
