//! What do integer operations compute, one value at a time, at any width to 128 bits?
//!
//! The reference implementation, used by the fast loops over lanes (`exec_int`) for wide and rare operations and in
//! their tests. Values and results are zero-extended.

use super::code::{IntOp, Prmt};
use warpwise_ir::llvm::image::{BinOp, IntCmp};

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntFault {
    DivisionByZero,
    Overflow,
}

/// A result and whether it is poison.
pub type IntResult = Result<(u128, bool), IntFault>;

#[inline]
pub fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// Sign-extends from a width.
#[inline]
pub fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

/// Sign- or zero-extends from a width; from none, it is zero.
#[inline]
pub fn extended(value: u128, bits: u32, is_signed: bool) -> u128 {
    if is_signed && bits > 0 { signed(value, bits) as u128 } else { value & mask(bits) }
}

/// Wrap flags of a binary operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wrap {
    pub nuw: bool,
    pub nsw: bool,
    /// `exact` of divisions and right shifts, `disjoint` of or, the flag of `abs`, `ctlz` and `cttz`.
    pub exact: bool,
}

/// All operations.
pub fn int(op: IntOp, bits: u32, [x, y, z]: [u128; 3], wrap: Wrap) -> IntResult {
    let m = mask(bits);
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    let (low, high) = (signed(1 << (bits - 1), bits), (m >> 1) as i128);
    let clamp = |value: Option<i128>, up: bool| {
        let value = value.unwrap_or(if up { i128::MAX } else { i128::MIN });
        value.clamp(low, high) as u128 & m
    };
    Ok(match op {
        IntOp::Bin(op) => return binary(op, bits, x, y, wrap),
        IntOp::Min(is_signed) => (if (is_signed && sx < sy) || (!is_signed && x < y) { x } else { y }, false),
        IntOp::Max(is_signed) => (if (is_signed && sx > sy) || (!is_signed && x > y) { x } else { y }, false),
        IntOp::AddSat(true) => (clamp(sx.checked_add(sy), sx > 0), false),
        IntOp::SubSat(true) => (clamp(sx.checked_sub(sy), sx > 0), false),
        IntOp::AddSat(false) => (x.checked_add(y).map_or(m, |sum| sum.min(m)), false),
        IntOp::SubSat(false) => (x.saturating_sub(y), false),
        IntOp::ShlSat(_) if y >= u128::from(bits) => (0, true),
        IntOp::ShlSat(false) => (if (x << y) & m == x << y && (x << y) >> y == x { x << y } else { m }, false),
        IntOp::ShlSat(true) => {
            let shifted = (x << y) & m;
            let fits = signed(shifted, bits) >> y == sx;
            (if fits { shifted } else { (if sx < 0 { low } else { high }) as u128 & m }, false)
        }
        IntOp::MulHi(is_signed) => {
            let [x, y] = [x, y].map(|value| extended(value, bits, is_signed));
            ((x.wrapping_mul(y) >> bits) & m, false) // exact for widths to 64
        }
        IntOp::Mul24(is_signed) => {
            let [x, y] = [x, y].map(|value| extended(value, 24, is_signed));
            (x.wrapping_mul(y) & m, false)
        }
        IntOp::Overflow(op, is_signed) => (u128::from(overflows(op, bits, x, y, is_signed)), false),
        IntOp::BitMask { clamped } => {
            let limit = |value: u128| if clamped { (value & 0xffff_ffff).min(32) } else { value & 31 };
            let (start, count) = (limit(x), limit(y));
            (if start >= 32 { 0 } else { (((1u128 << count) - 1) << start) & 0xffff_ffff }, false)
        }
        IntOp::Extend { signed, clamped } => {
            let width = if clamped { (y & 0xffff_ffff).min(32) } else { y & 31 } as u32;
            (extended(x, width, signed) & m, false)
        }
        IntOp::Popcount => (u128::from(x.count_ones()), false),
        IntOp::ByteSwap => (x.swap_bytes() >> (128 - bits), false),
        IntOp::BitReverse => (x.reverse_bits() >> (128 - bits), false),
        IntOp::Abs => {
            let least = x == 1 << (bits - 1);
            (signed(x, bits).unsigned_abs() & m, least && wrap.exact)
        }
        IntOp::LeadingZeros => (u128::from(x.leading_zeros() - (128 - bits)), x == 0 && wrap.exact),
        IntOp::TrailingZeros => (u128::from(x.trailing_zeros().min(bits)), x == 0 && wrap.exact),
        IntOp::FindLast(is_signed) => {
            let value = if is_signed && sx < 0 { !x & m } else { x };
            (if value == 0 { 0xffff_ffff } else { u128::from(127 - value.leading_zeros()) }, false)
        }
        _ => (three(op, bits, x, y, z), false),
    })
}

/// Operations of three operands.
fn three(op: IntOp, bits: u32, x: u128, y: u128, z: u128) -> u128 {
    let m = mask(bits);
    let width = u128::from(bits);
    let part = |value: u128, at: u32, bits: u32, is_signed| extended(value >> at, bits, is_signed) as i128;
    let added = |dot: i128| (z as u32).wrapping_add(dot as u32).into();
    match op {
        IntOp::Funnel { left, clamped } => {
            let amount = if clamped { (z & m).min(width) } else { z % width } as u32;
            let (up, down) = if left { (amount, bits - amount) } else { (bits - amount, amount) };
            (x.checked_shl(up).unwrap_or(0) | y.checked_shr(down).unwrap_or(0)) & m
        }
        IntOp::Permute(mode) => u128::from(permute(mode, x as u32, y as u32, z as u32)),
        IntOp::Sad(true) => (signed(x, bits).abs_diff(signed(y, bits)).wrapping_add(z)) & m,
        IntOp::Sad(false) => (x.abs_diff(y).wrapping_add(z)) & m,
        IntOp::Dot4(a, b) => added((0..4).map(|i| part(x, 8 * i, 8, a) * part(y, 8 * i, 8, b)).sum()),
        IntOp::Dot2(a, b, high) => {
            let first = if high { 16 } else { 0 };
            added((0..2).map(|i| part(x, 16 * i, 16, a) * part(y, first + 8 * i, 8, b)).sum())
        }
        IntOp::FieldExtract(extend) => {
            let (start, count) = ((y & 0xff) as u32, ((z & 0xff) as u32).min(bits));
            // past the top, a signed field repeats the sign and an unsigned one is zero
            let all = extended(x, bits, extend) as i128;
            extended((all >> start.min(127)) as u128, count, extend) & m
        }
        IntOp::FindNth => u128::from(find_nth(x as u32, y as u32, z as u32 as i32)),
        _ => 0,
    }
}

fn binary(op: BinOp, bits: u32, x: u128, y: u128, wrap: Wrap) -> IntResult {
    let m = mask(bits);
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    let shift = y as u32;
    let poison = (wrap.nuw && overflows(op, bits, x, y, false)) || (wrap.nsw && overflows(op, bits, x, y, true));
    Ok(match op {
        BinOp::Add => (x.wrapping_add(y) & m, poison),
        BinOp::Sub => (x.wrapping_sub(y) & m, poison),
        BinOp::Mul => (x.wrapping_mul(y) & m, poison),
        BinOp::And => (x & y, false),
        BinOp::Or => (x | y, wrap.exact && x & y != 0),
        BinOp::Xor => (x ^ y, false),
        BinOp::Shl | BinOp::LShr | BinOp::AShr if y >= u128::from(bits) => (0, true),
        BinOp::Shl => ((x << shift) & m, poison),
        BinOp::LShr => (x >> shift, wrap.exact && x & mask(shift) != 0),
        BinOp::AShr => ((sx >> shift) as u128 & m, wrap.exact && x & mask(shift) != 0),
        BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem if y == 0 => return Err(IntFault::DivisionByZero),
        BinOp::UDiv => (x / y, wrap.exact && !x.is_multiple_of(y)),
        BinOp::URem => (x % y, false),
        BinOp::SDiv | BinOp::SRem if sy == -1 && x == 1 << (bits - 1) => return Err(IntFault::Overflow),
        BinOp::SDiv => (sx.wrapping_div(sy) as u128 & m, wrap.exact && sx.wrapping_rem(sy) != 0),
        BinOp::SRem => (sx.wrapping_rem(sy) as u128 & m, false),
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => (0, true),
    })
}

/// Whether the exact result does not fit, signed or unsigned.
fn overflows(op: BinOp, bits: u32, x: u128, y: u128, as_signed: bool) -> bool {
    if as_signed {
        let (sx, sy) = (signed(x, bits), signed(y, bits));
        let exact = match op {
            BinOp::Add => sx.checked_add(sy),
            BinOp::Sub => sx.checked_sub(sy),
            BinOp::Mul => sx.checked_mul(sy),
            BinOp::Shl if y < u128::from(bits) => {
                let shifted = signed((x << y) & mask(bits), bits);
                return shifted >> y != sx;
            }
            _ => return false,
        };
        exact.is_none_or(|value| signed(value as u128, bits) != value)
    } else {
        let exact = match op {
            BinOp::Add => x.checked_add(y),
            BinOp::Sub => x.checked_sub(y),
            BinOp::Mul => x.checked_mul(y),
            BinOp::Shl if y < u128::from(bits) => return ((x << y) & mask(bits)) >> y != x,
            _ => return false,
        };
        exact.is_none_or(|value| value & mask(bits) != value)
    }
}

/// `prmt`: picks bytes of the pair b:a.
fn permute(mode: Prmt, a: u32, b: u32, selector: u32) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let low = selector & 3;
    let pick = |indices: [u32; 4]| u32::from_le_bytes(indices.map(|i| bytes[(i & 7) as usize]));
    match mode {
        Prmt::Index => {
            let mut out = [0u8; 4];
            for (i, byte) in out.iter_mut().enumerate() {
                let nibble = selector >> (4 * i) & 15;
                let value = bytes[(nibble & 7) as usize];
                *byte = if nibble & 8 != 0 { if value & 0x80 != 0 { 0xff } else { 0 } } else { value };
            }
            u32::from_le_bytes(out)
        }
        Prmt::F4e => pick([low, low + 1, low + 2, low + 3]),
        Prmt::B4e => pick([low, low.wrapping_sub(1), low.wrapping_sub(2), low.wrapping_sub(3)]),
        Prmt::Rc8 => pick([low; 4]),
        Prmt::Ecl => pick([0, 1, 2, 3].map(|i: u32| i.max(low))),
        Prmt::Ecr => pick([0, 1, 2, 3].map(|i: u32| i.min(low))),
        Prmt::Rc16 => {
            let base = 2 * (low & 1);
            pick([base, base + 1, base, base + 1])
        }
    }
}

/// `fns`: the n-th set bit from a base, upwards for positive n.
fn find_nth(mask: u32, base: u32, n: i32) -> u32 {
    if n == 0 {
        return if base < 32 && mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let (mut at, step) = (i64::from(base), if n > 0 { 1 } else { -1 });
    let mut left = n.unsigned_abs();
    while (0..32).contains(&at) {
        if mask >> at & 1 == 1 {
            left -= 1;
            if left == 0 {
                return at as u32;
            }
        }
        at += step;
    }
    u32::MAX
}

/// Comparison.
#[inline(always)]
pub fn compare<T: Ord, S: Ord>(pred: IntCmp, unsigned: (T, T), as_signed: (S, S)) -> bool {
    match pred {
        IntCmp::Eq => unsigned.0 == unsigned.1,
        IntCmp::Ne => unsigned.0 != unsigned.1,
        IntCmp::Ugt => unsigned.0 > unsigned.1,
        IntCmp::Uge => unsigned.0 >= unsigned.1,
        IntCmp::Ult => unsigned.0 < unsigned.1,
        IntCmp::Ule => unsigned.0 <= unsigned.1,
        IntCmp::Sgt => as_signed.0 > as_signed.1,
        IntCmp::Sge => as_signed.0 >= as_signed.1,
        IntCmp::Slt => as_signed.0 < as_signed.1,
        IntCmp::Sle => as_signed.0 <= as_signed.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(op: BinOp, bits: u32, x: u128, y: u128) -> u128 {
        int(IntOp::Bin(op), bits, [x, y, y], Wrap::default()).unwrap().0
    }

    #[test]
    fn odd_widths_wrap() {
        assert_eq!(bin(BinOp::Add, 5, 31, 2), 1);
        assert_eq!(bin(BinOp::Mul, 24, 0x80_0000, 2), 0);
        assert_eq!(bin(BinOp::SDiv, 5, 0b10000, 2), 0b11000); // -16 / 2 = -8
        assert_eq!(bin(BinOp::AShr, 33, 1 << 32, 4), 0x1_f000_0000);
        assert_eq!(bin(BinOp::Sub, 128, 0, 1), u128::MAX);
    }

    #[test]
    fn flags_make_poison() {
        let nsw = Wrap { nsw: true, ..Wrap::default() };
        let nuw = Wrap { nuw: true, ..Wrap::default() };
        assert_eq!(int(IntOp::Bin(BinOp::Add), 8, [127, 1, 0], nsw), Ok((128, true)));
        assert_eq!(int(IntOp::Bin(BinOp::Add), 8, [127, 1, 0], nuw), Ok((128, false)));
        assert_eq!(int(IntOp::Bin(BinOp::Sub), 8, [0, 1, 0], nuw), Ok((255, true)));
        assert_eq!(int(IntOp::Bin(BinOp::Shl), 8, [64, 1, 0], nsw), Ok((128, true)));
        assert_eq!(int(IntOp::Bin(BinOp::Mul), 128, [u128::MAX, 2, 0], nsw), Ok((u128::MAX - 1, false)));
        assert_eq!(int(IntOp::Bin(BinOp::LShr), 8, [3, 1, 0], Wrap { exact: true, ..Wrap::default() }), Ok((1, true)));
    }

    #[test]
    fn division_faults() {
        assert_eq!(int(IntOp::Bin(BinOp::UDiv), 32, [1, 0, 0], Wrap::default()), Err(IntFault::DivisionByZero));
        assert_eq!(int(IntOp::Bin(BinOp::SRem), 8, [0x80, 0xff, 0], Wrap::default()), Err(IntFault::Overflow));
    }

    #[test]
    fn saturating_and_funnel() {
        let sat = |op, x, y| int(op, 8, [x, y, y], Wrap::default()).unwrap().0;
        assert_eq!(sat(IntOp::AddSat(true), 100, 100), 127);
        assert_eq!(sat(IntOp::SubSat(true), 0x80, 1), 0x80);
        assert_eq!(sat(IntOp::AddSat(false), 200, 100), 255);
        assert_eq!(sat(IntOp::SubSat(false), 1, 2), 0);
        assert_eq!(
            int(IntOp::Funnel { left: true, clamped: false }, 8, [0x81, 0x42, 1], Wrap::default()).unwrap().0,
            0x02
        );
        assert_eq!(
            int(IntOp::Funnel { left: false, clamped: false }, 8, [0x81, 0x42, 9], Wrap::default()).unwrap().0,
            0xa1
        );
        assert_eq!(
            int(IntOp::Permute(Prmt::Index), 32, [0x3322_1100, 0x7766_5544, 0x7531], Wrap::default()).unwrap().0,
            0x7755_3311
        );
    }
}
