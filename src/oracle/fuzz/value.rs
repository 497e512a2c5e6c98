//! What does the generator know about a value that it has emitted? Its type, its name, a bound, and who agrees on it.
//!
//! The bound makes flags provable (`add nuw nsw` only if the sum of the bounds fits); the scope makes convergent places
//! provable (a barrier only under branches on block-uniform values). Both hold by construction, and are deliberately
//! cruder than the analysis under test, with which they share no code.

use half::f16;
use std::fmt;

/// A type the generator uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    /// 1, 8, 16, 24, 32 or 64 bits.
    Int(u32),
    F16,
    F32,
    F64,
    V2I32,
    V4F32,
    /// A pointer into an address space.
    Ptr(u32),
}

pub(super) const I1: Ty = Ty::Int(1);
pub(super) const I8: Ty = Ty::Int(8);
pub(super) const I16: Ty = Ty::Int(16);
pub(super) const I32: Ty = Ty::Int(32);
pub(super) const I64: Ty = Ty::Int(64);
pub(super) const PTR: Ty = Ty::Ptr(0);

impl Ty {
    /// Width of an integer; 0 for other types.
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Int(bits) => bits,
            _ => 0,
        }
    }

    /// Largest unsigned value of an integer type.
    pub(super) fn max(self) -> u64 {
        match self.bits() {
            0 => 0,
            bits => u64::MAX >> (64 - bits),
        }
    }

    /// Largest signed value of an integer type.
    pub(super) fn smax(self) -> u64 {
        self.max() >> 1
    }

    /// Suffix of overloaded intrinsics.
    pub(super) fn suffix(self) -> String {
        match self {
            Self::Int(bits) => format!("i{bits}"),
            _ => format!("{self:?}").to_lowercase(),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::F16 => f.write_str("half"),
            Self::F32 => f.write_str("float"),
            Self::F64 => f.write_str("double"),
            Self::V2I32 => f.write_str("<2 x i32>"),
            Self::V4F32 => f.write_str("<4 x float>"),
            Self::Ptr(0) => f.write_str("ptr"),
            Self::Ptr(space) => write!(f, "ptr addrspace({space})"),
        }
    }
}

/// Who agrees on a value in every dynamic instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// Lanes may differ.
    #[default]
    Lane,
    /// All lanes of a warp that are there.
    Warp,
    /// All threads of a block.
    Block,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// `%v7`.
    Reg(u32),
    /// `%name`, an argument or a value of the prologue.
    Named(&'static str),
    /// `@name`.
    Global(&'static str),
    /// An integer constant's bits.
    Int(u64),
    /// A float or double constant, as the bits of the double.
    Float(u64),
    /// `undef` or `poison`.
    Undef(&'static str),
}

/// A value and what is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Val {
    pub(super) name: Name,
    pub(super) ty: Ty,
    /// Integers: a bound on the unsigned value. Floats: the magnitude is at most 2^hi. Vectors: of every element.
    pub(super) hi: u64,
    pub(super) scope: Scope,
    /// Whether it may be undef or poison, and must be frozen before anything depends on it.
    pub(super) tainted: bool,
}

impl Val {
    pub(super) fn named(name: &'static str, ty: Ty, hi: u64, scope: Scope) -> Self {
        Self { name: Name::Named(name), ty, hi, scope, tainted: false }
    }

    /// The address of a global variable.
    pub(super) fn global(name: &'static str, space: u32) -> Self {
        Self { name: Name::Global(name), ..Self::named(name, Ty::Ptr(space), 0, Scope::Lane) }
    }

    /// The operand with its type.
    pub(super) fn typed(self) -> String {
        format!("{} {self}", self.ty)
    }

    /// An integer constant; the bits above the width are dropped.
    pub(super) fn int(ty: Ty, bits: u64) -> Self {
        let bits = bits & ty.max();
        Self { name: Name::Int(bits), ty, hi: bits, scope: Scope::Block, tainted: false }
    }

    /// A float constant, which must be exact in the type.
    pub(super) fn float(ty: Ty, value: f64) -> Self {
        let hi = value.abs().log2().ceil().max(0.0) as u64;
        Self { name: Name::Float(value.to_bits()), ty, hi, scope: Scope::Block, tainted: false }
    }

    pub(super) fn is_constant(self) -> bool {
        matches!(self.name, Name::Int(_) | Name::Float(_) | Name::Undef(_))
    }
}

/// The operand without its type.
impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Name::Reg(n) => write!(f, "%v{n}"),
            Name::Named(name) => write!(f, "%{name}"),
            Name::Global(name) => write!(f, "@{name}"),
            Name::Int(bits) if self.ty == I1 => f.write_str(if bits == 1 { "true" } else { "false" }),
            Name::Int(bits) => {
                let shift = 64 - self.ty.bits();
                write!(f, "{}", ((bits << shift) as i64) >> shift)
            }
            // halves are written by their bits
            Name::Float(bits) if self.ty == Ty::F16 => {
                write!(f, "0xH{:04X}", f16::from_f64(f64::from_bits(bits)).to_bits())
            }
            Name::Float(bits) => write!(f, "0x{bits:016X}"),
            Name::Undef(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_print_as_llvm_reads_them() {
        assert_eq!(Val::int(I8, 255).to_string(), "-1");
        assert_eq!(Val::int(Ty::Int(24), 0x80_0000).to_string(), "-8388608");
        assert_eq!(Val::int(I64, u64::MAX).to_string(), "-1");
        assert_eq!(Val::int(I1, 1).to_string(), "true");
        assert_eq!(Val::float(Ty::F32, 1.0).to_string(), "0x3FF0000000000000");
        assert_eq!(Val::float(Ty::F16, -2.0).to_string(), "0xHC000");
    }

    #[test]
    fn limits() {
        assert_eq!((I64.max(), I8.smax(), I1.max()), (u64::MAX, 127, 1));
    }
}
