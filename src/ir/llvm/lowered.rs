//! What has the back end made of a function, as far as products and sums go? A machine instruction in SSA form, with the
//! number of the instruction that it was made of.

use std::ffi::c_void;
use std::mem::offset_of;

/// Where in LLVM's pipeline a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// Its calls are inlined, no loop is unrolled yet.
    Inlined,
    /// The optimiser has done what it does.
    Optimised,
}

/// What a machine instruction does; `passes/abi.h` asserts the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Does {
    Other = 0,
    Phi = 1,
    /// A phi of a block with which a loop begins.
    HeaderPhi = 2,
    Copy = 3,
    /// A multiply-add.
    Fused = 4,
    /// A product without a rounding mode: `ptxas` joins one that has it with nothing.
    LooseProduct = 5,
    /// A sum or a difference with a rounding mode.
    Sum = 6,
    LooseSum = 7,
    Sign = 8,
    /// The absolute value of a float.
    Absolute = 9,
}

/// A machine instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lowered {
    /// Number of the instruction of the function that it was made of, counted from 1; 0 if of several, or of none.
    pub number: u32,
    /// Number of its block.
    pub block: u32,
    pub does: Does,
    /// The register that it defines, counted from 1, or 0.
    pub result: u32,
    /// The registers that it reads; 0 for what is none.
    pub operands: Vec<u32>,
    /// Whether it computes several numbers at once.
    pub is_vector: bool,
    /// Whether this is how it is at the end, and not as instruction selection has left it.
    pub is_end: bool,
}

/// `WarpwiseLowered` of `passes/abi.h`.
#[repr(C)]
pub struct RawLowered {
    number: u32,
    block: u32,
    does: Does,
    result: u32,
    is_vector: bool,
    is_end: bool,
    count: u32,
    operands: *const u32,
}

// passes/abi.h asserts the same
const _: () = assert!(
    size_of::<RawLowered>() == 32
        && offset_of!(RawLowered, number) == 0
        && offset_of!(RawLowered, block) == 4
        && offset_of!(RawLowered, does) == 8
        && offset_of!(RawLowered, result) == 12
        && offset_of!(RawLowered, is_vector) == 16
        && offset_of!(RawLowered, is_end) == 17
        && offset_of!(RawLowered, count) == 20
        && offset_of!(RawLowered, operands) == 24
);

pub type LoweredSink = extern "C" fn(*mut c_void, RawLowered);

/// Adds an instruction to a `Vec<Lowered>`.
pub extern "C" fn collect(found: *mut c_void, raw: RawLowered) {
    let RawLowered { number, block, does, result, is_vector, is_end, count, operands } = raw;
    // SAFETY: `PassManager::lowered` passes its vector along, which nobody else uses meanwhile; C++ passes as many operands as it says, a
    // null pointer for none.
    let (found, operands) = unsafe {
        let operands =
            if count == 0 { Vec::new() } else { std::slice::from_raw_parts(operands, count as usize).to_vec() };
        (&mut *found.cast::<Vec<Lowered>>(), operands)
    };
    found.push(Lowered { number, block, does, result, operands, is_vector, is_end });
}
