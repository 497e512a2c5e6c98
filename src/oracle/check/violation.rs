//! How is a violated claim reported? Everything that is needed to see what went wrong, in words.

use std::fmt;

/// The kind of claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViolationKind {
    /// A value where it is defined.
    Value,
    /// A value used outside the cycle that defines it.
    Use,
    /// An argument at the entry of its function.
    Argument,
    Branch,
    /// A block claimed to be convergent.
    Convergence,
    /// A block claimed to be unreachable.
    Unreached,
}

/// A claim, and the dynamic instance in which it does not hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    pub function: String,
    /// Ordinal of the instruction in the function.
    pub inst: u32,
    /// The instruction as LLVM prints it.
    pub text: String,
    /// Source line, if there is one.
    pub location: String,
    /// `ctaid` of the block.
    pub block: [u32; 3],
    pub warp: u32,
    /// Mask of the lanes that were compared.
    pub lanes: u32,
    /// Hash of the instance's iteration vector.
    pub iteration: u64,
    /// What is claimed.
    pub claim: String,
    /// The analyses that make the claim.
    pub analyses: Vec<String>,
    /// What was seen instead.
    pub seen: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block;
        let kind = format!("{:?}", self.kind).to_lowercase();
        writeln!(f, "{kind} claim violated in @{}: {}", self.function, self.text.trim())?;
        if !self.location.is_empty() {
            writeln!(f, "  at       {}", self.location)?;
        }
        writeln!(f, "  claim    {} ({})", self.claim, self.analyses.join("; "))?;
        writeln!(f, "  where    block {x},{y},{z} warp {} lanes {:#010x}", self.warp, self.lanes)?;
        write!(f, "  seen     {}", self.seen)
    }
}
