//! Which property of a launch makes branches of a kernel uniform, and did it hold? Conditions as tables store them, so
//! that counters on the device, the lockstep machine and readers of maps mean the same.
//!
//! Integers are numbers of so many bits, without overflow flags; the limit of a [`Bound`] is read as signed. The analysis
//! may have read it as unsigned, in which case limits above half of the range count as not reached here, although they
//! are: what is said to hold does hold.

use serde::{Deserialize, Serialize};
use warpwise_ir::geometry::WARP_SIZE;

/// A property of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predicate {
    /// `blockDim.x` is a multiple of 32.
    WholeWarps,
    /// The block has one dimension.
    OneRow,
    /// These arguments (by number) are multiples of 32, and so is `blockDim.x` if `and_rows`.
    Multiples { arguments: Vec<u32>, and_rows: bool },
    /// No index reaches its limit.
    Covered(Vec<Bound>),
}

/// `gridDim · blockDim + plus ≤ limit`, or `blockDim + plus ≤ limit`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bound {
    /// 0 (x), 1 (y) or 2 (z).
    pub dim: u8,
    /// All threads of the grid along the dimension, otherwise those of a block.
    pub in_grid: bool,
    /// Extent of the block along the dimension, if the compiler knew it.
    pub extent: Option<u32>,
    pub plus: i64,
    /// How the limit is computed; empty if that is not known before the launch, or would take too long.
    pub limit: Vec<Term>,
}

/// A step of a computation in postfix order: operands are pushed, operations take theirs from the top.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    Number {
        value: u64,
        bits: u8,
    },
    /// An integer argument of the kernel.
    Argument {
        index: u32,
        bits: u8,
    },
    /// An integer in an argument that is passed by value, so many bytes after its beginning.
    Member {
        index: u32,
        offset: u32,
        bits: u8,
    },
    /// `blockDim` along a dimension, 32 bits.
    BlockDim(u8),
    /// `gridDim` along a dimension, 32 bits.
    GridDim(u8),
    /// Conversions to so many bits.
    Trunc(u8),
    ZExt(u8),
    SExt(u8),
    /// Operations on two integers of the same width. Divisors are constants, neither 0 nor −1, and shifts are by less than
    /// the width.
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    Shl,
    LShr,
    AShr,
    And,
    Or,
}

/// A launch, as far as conditions speak of it.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The bytes of each argument; empty if unknown.
    pub arguments: Vec<Vec<u8>>,
}

impl Predicate {
    /// Whether the property holds; `None` if that cannot be said.
    pub fn holds(&self, launch: &Launch) -> Option<bool> {
        let whole_warps = launch.block[0].is_multiple_of(WARP_SIZE);
        match self {
            Predicate::WholeWarps => Some(whole_warps),
            Predicate::OneRow => Some(launch.block[1] == 1 && launch.block[2] == 1),
            Predicate::Multiples { arguments, and_rows } => {
                arguments.iter().try_fold(whole_warps || !and_rows, |holds, &index| {
                    let low = *launch.arguments.get(index as usize)?.first()?;
                    Some(u32::from(low).is_multiple_of(WARP_SIZE) && holds)
                })
            }
            Predicate::Covered(bounds) => {
                bounds.iter().try_fold(true, |holds, bound| Some(bound.holds(launch)? && holds))
            }
        }
    }
}

impl Bound {
    fn holds(&self, launch: &Launch) -> Option<bool> {
        let dim = usize::from(self.dim);
        let block = self.extent.unwrap_or(*launch.block.get(dim)?);
        let grid = if self.in_grid { *launch.grid.get(dim)? } else { 1 };
        let limit = value_of(&self.limit, launch)?;
        Some(i128::from(grid) * i128::from(block) + i128::from(self.plus) <= i128::from(limit))
    }
}

/// The value of a computation, read as signed.
fn value_of(terms: &[Term], launch: &Launch) -> Option<i64> {
    let mut stack: Vec<Number> = Vec::new();
    for &term in terms {
        let number = match term {
            Term::Number { value, bits } => Number::new(value, bits)?,
            Term::Argument { index, bits } => Number::read(launch, index, 0, bits)?,
            Term::Member { index, offset, bits } => Number::read(launch, index, offset, bits)?,
            Term::BlockDim(dim) => Number::new((*launch.block.get(usize::from(dim))?).into(), 32)?,
            Term::GridDim(dim) => Number::new((*launch.grid.get(usize::from(dim))?).into(), 32)?,
            Term::Trunc(bits) | Term::ZExt(bits) => Number::new(stack.pop()?.value, bits)?,
            Term::SExt(bits) => Number::new(stack.pop()?.signed() as u64, bits)?,
            operation => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                left.with(operation, right)?
            }
        };
        stack.push(number);
    }
    match stack.as_slice() {
        [only] => Some(only.signed()),
        _ => None,
    }
}

/// An integer; the bits above its width are zero.
#[derive(Clone, Copy)]
struct Number {
    value: u64,
    bits: u8,
}

impl Number {
    fn new(value: u64, bits: u8) -> Option<Number> {
        let mask = u64::MAX.checked_shr(64u32.checked_sub(bits.into())?)?;
        Some(Number { value: value & mask, bits })
    }

    fn read(launch: &Launch, index: u32, offset: u32, bits: u8) -> Option<Number> {
        let bytes =
            launch.arguments.get(index as usize)?.get(offset as usize..)?.get(..usize::from(bits).div_ceil(8))?;
        let mut whole = [0; 8];
        whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Number::new(u64::from_le_bytes(whole), bits)
    }

    fn signed(self) -> i64 {
        let unused = 64 - u32::from(self.bits);
        (self.value << unused) as i64 >> unused
    }

    fn with(self, operation: Term, right: Number) -> Option<Number> {
        if self.bits != right.bits {
            return None;
        }
        let (a, b) = (self.value, right.value);
        let shift = u32::try_from(b).ok().filter(|&shift| shift < self.bits.into());
        let value = match operation {
            Term::Add => a.wrapping_add(b),
            Term::Sub => a.wrapping_sub(b),
            Term::Mul => a.wrapping_mul(b),
            Term::UDiv => a.checked_div(b)?,
            Term::SDiv => self.signed().checked_div(right.signed())? as u64,
            Term::Shl => a << shift?,
            Term::LShr => a >> shift?,
            Term::AShr => (self.signed() >> shift?) as u64,
            Term::And => a & b,
            Term::Or => a | b,
            _ => return None,
        };
        Number::new(value, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(grid: u32, block: [u32; 3], n: i32) -> Launch {
        Launch { grid: [grid, 1, 1], block, arguments: vec![Vec::new(), n.to_le_bytes().to_vec()] }
    }

    #[test]
    fn shapes_of_blocks() {
        let flat = launch(1, [33, 1, 1], 64);
        let rows = launch(1, [64, 2, 1], 65);
        assert_eq!(Predicate::WholeWarps.holds(&flat), Some(false));
        assert_eq!(Predicate::WholeWarps.holds(&rows), Some(true));
        assert_eq!(Predicate::OneRow.holds(&flat), Some(true));
        assert_eq!(Predicate::OneRow.holds(&rows), Some(false));
        let multiples = |and_rows| Predicate::Multiples { arguments: vec![1], and_rows };
        assert_eq!(multiples(false).holds(&flat), Some(true));
        assert_eq!(multiples(true).holds(&flat), Some(false));
        assert_eq!(multiples(false).holds(&rows), Some(false));
        assert_eq!(Predicate::Multiples { arguments: vec![0], and_rows: false }.holds(&rows), None);
    }

    #[test]
    fn limits_are_computed() {
        let argument = Term::Argument { index: 1, bits: 32 };
        let number = |value| Term::Number { value, bits: 32 };
        let covered = |plus, limit: &[Term]| {
            Predicate::Covered(vec![Bound { dim: 0, in_grid: true, extent: None, plus, limit: limit.to_vec() }])
        };
        let holds = |plus, limit: &[Term], n| covered(plus, limit).holds(&launch(4, [64, 1, 1], n));
        assert_eq!(holds(0, &[argument], 256), Some(true));
        assert_eq!(holds(0, &[argument], 255), Some(false));
        assert_eq!(holds(1, &[argument], 256), Some(false));
        assert_eq!(holds(0, &[argument, Term::SExt(64)], -1), Some(false));
        assert_eq!(holds(0, &[argument, number(2), Term::Sub], 258), Some(true));
        assert_eq!(holds(0, &[argument, number(4), Term::SDiv], -1024), Some(false));
        assert_eq!(holds(0, &[argument, number(4), Term::UDiv], -1024), Some(true));
        assert_eq!(holds(0, &[argument, number(2), Term::Shl, Term::Trunc(8), Term::ZExt(32)], 64), Some(false));
        assert_eq!(holds(0, &[Term::BlockDim(0), Term::GridDim(0), Term::Mul], 0), Some(true));
        for unknown in [&[][..], &[argument, argument], &[Term::Add], &[argument, number(0), Term::SDiv]] {
            assert_eq!(holds(0, unknown, 256), None);
        }
        assert_eq!(holds(0, &[Term::Member { index: 1, offset: 2, bits: 32 }], 256), None);
        assert_eq!(holds(0, &[Term::Member { index: 1, offset: 0, bits: 16 }, Term::ZExt(32)], 256), Some(true));
    }
}
