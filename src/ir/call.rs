//! What is known of a call without looking at who calls or is called?

use crate::llvm::handle::intrinsic_id;
use std::sync::OnceLock;

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// LLVM's intrinsic number.
    Intrinsic(u32),
    /// A function of the module, by its position in module order.
    Function(u32),
    /// Inline assembly.
    Asm { side_effects: bool },
    /// Through a pointer.
    Indirect,
}

/// What memory a callee touches at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Memory {
    None,
    Read,
    ReadWrite,
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct CallData {
    pub callee: Callee,
    pub memory: Memory,
    /// The call may communicate with other lanes, so where it executes matters.
    pub convergent: bool,
    /// `nodivergencesource` on the call or the callee.
    pub no_divergence_source: bool,
    /// `noreturn`.
    pub no_return: bool,
    /// `willreturn`.
    pub will_return: bool,
    /// Text class of inline assembly known to be pure and to read only its operands (checked on import).
    pub pure_asm: bool,
    /// Inline assembly that may move the stack pointer.
    pub asm_moves_stack: bool,
}

impl Memory {
    /// From LLVM's encoding of `memory(…)`: two bits a location, 1 reads, 2 writes.
    pub fn of_encoding(encoded: u64) -> Memory {
        const WRITES: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        match encoded {
            0 => Memory::None,
            _ if encoded & WRITES == 0 => Memory::Read,
            _ => Memory::ReadWrite,
        }
    }
}

/// LLVM's numbers for some intrinsics, which stay what they are.
pub struct Intrinsics<const N: usize> {
    names: [&'static str; N],
    numbers: OnceLock<[u32; N]>,
}

impl<const N: usize> Intrinsics<N> {
    /// By their names without overload suffixes.
    pub const fn new(names: [&'static str; N]) -> Self {
        Intrinsics { names, numbers: OnceLock::new() }
    }
    /// Whether one of them has that number.
    pub fn contains(&self, number: u32) -> bool {
        self.numbers.get_or_init(|| self.names.map(intrinsic_id)).contains(&number)
    }
}

/// The smaller or the larger of two integers: a compare and a select.
pub static BOUNDS: Intrinsics<4> = Intrinsics::new(["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"]);

/// Reads the stack pointer.
pub static STACK_SAVE: Intrinsics<1> = Intrinsics::new(["llvm.stacksave"]);

/// Sets it.
pub static STACK_RESTORE: Intrinsics<1> = Intrinsics::new(["llvm.stackrestore"]);
