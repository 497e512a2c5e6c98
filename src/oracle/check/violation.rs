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

/// A claim that does not hold, and the dynamic instance in which it does not.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    /// The claim, the analyses that make it, function, instruction and source line, block, warp and lanes, and what was seen
    /// instead.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
