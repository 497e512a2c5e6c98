//! What is known about a call from the call itself, without looking at the caller or the callee?

use crate::llvm::handle::{self, intrinsic_id};
use std::sync::OnceLock;

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// The intrinsic with this LLVM number.
    Intrinsic(u32),
    /// A function of the module, by its position in the module.
    Function(u32),
    /// Inline assembly.
    Asm { side_effects: bool },
    /// A call through a pointer.
    Indirect,
}

/// The memory that a callee may access at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Memory {
    None,
    Read,
    ReadWrite,
}

/// The properties of one call.
#[derive(Clone, Copy, Debug)]
pub struct CallData {
    pub callee: Callee,
    pub memory: Memory,
    /// Whether the call may communicate with other lanes, so that it matters where it is executed.
    pub convergent: bool,
    /// `nodivergencesource` on the call or the callee.
    pub no_divergence_source: bool,
    /// `noreturn`.
    pub no_return: bool,
    /// `willreturn`.
    pub will_return: bool,
    /// Inline assembly: its number in the function, see [`Func::assembly`](super::Func::assembly).
    pub asm: Option<u32>,
}

impl Memory {
    /// From LLVM's encoding of `memory(…)`: two bits per location, 1 reads, 2 writes.
    pub fn of_encoding(encoded: u64) -> Memory {
        /// The bit for writes of every location.
        const WRITES: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        match encoded {
            0 => Memory::None,
            _ if encoded & WRITES == 0 => Memory::Read,
            _ => Memory::ReadWrite,
        }
    }
}

static ABSOLUTE: Intrinsics<3> = Intrinsics::new(["llvm.fabs", "llvm.nvvm.fabs", "llvm.nvvm.fabs.ftz"]);

/// Whether an instruction computes the absolute value of a float.
pub fn is_absolute(inst: handle::Inst<'_>) -> bool {
    ABSOLUTE.are_called(inst)
}

/// LLVM's numbers of some intrinsics; they do not change within a process.
pub struct Intrinsics<const N: usize> {
    names: [&'static str; N],
    numbers: OnceLock<[u32; N]>,
}

impl<const N: usize> Intrinsics<N> {
    /// Looked up by these names, without overload suffixes.
    pub const fn new(names: [&'static str; N]) -> Self {
        Intrinsics { names, numbers: OnceLock::new() }
    }
    /// Whether one of them has this number.
    pub fn contains(&self, number: u32) -> bool {
        self.position(number).is_some()
    }
    /// Whether an instruction calls one of them. Other functions, and what this LLVM does not have, have the number 0.
    pub fn are_called(&self, inst: handle::Inst<'_>) -> bool {
        let callee = if inst.opcode() == handle::RawOpcode::LLVMCall { inst.called_function() } else { None };
        callee.map(handle::Function::intrinsic_id).is_some_and(|number| number != 0 && self.contains(number))
    }
    /// Which of them has this number.
    pub fn position(&self, number: u32) -> Option<usize> {
        self.numbers.get_or_init(|| self.names.map(intrinsic_id)).iter().position(|&known| known == number)
    }
}

/// The index of the thread in its block, along each dimension.
pub static THREAD_INDEX: Intrinsics<3> = Intrinsics::new([
    "llvm.nvvm.read.ptx.sreg.tid.x",
    "llvm.nvvm.read.ptx.sreg.tid.y",
    "llvm.nvvm.read.ptx.sreg.tid.z",
]);

/// The number of threads of a block, along each dimension.
pub static BLOCK_SIZE: Intrinsics<3> = Intrinsics::new([
    "llvm.nvvm.read.ptx.sreg.ntid.x",
    "llvm.nvvm.read.ptx.sreg.ntid.y",
    "llvm.nvvm.read.ptx.sreg.ntid.z",
]);

/// The index of the block, along each dimension.
pub static BLOCK_INDEX: Intrinsics<3> = Intrinsics::new([
    "llvm.nvvm.read.ptx.sreg.ctaid.x",
    "llvm.nvvm.read.ptx.sreg.ctaid.y",
    "llvm.nvvm.read.ptx.sreg.ctaid.z",
]);

/// The number of blocks, along each dimension.
pub static GRID_SIZE: Intrinsics<4> = Intrinsics::new([
    "llvm.nvvm.read.ptx.sreg.nctaid.x",
    "llvm.nvvm.read.ptx.sreg.nctaid.y",
    "llvm.nvvm.read.ptx.sreg.nctaid.z",
    "llvm.nvvm.read.ptx.sreg.nctaid.w",
]);

/// The smaller or the larger of two integers.
pub static BOUNDS: Intrinsics<4> = Intrinsics::new(["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"]);

/// Reads the stack pointer.
pub static STACK_SAVE: Intrinsics<1> = Intrinsics::new(["llvm.stacksave"]);

/// Sets the stack pointer.
pub static STACK_RESTORE: Intrinsics<1> = Intrinsics::new(["llvm.stackrestore"]);
