//! What do integer operations compute, one value at a time, at any width to 128 bits?
//!
//! The reference implementation, used by the fast loops over lanes (`exec_int`) for wide and rare operations and in
//! their tests. Values and results are zero-extended.

use super::code::{Int1, Int2, Int3, Prmt};
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

/// Wrap flags of a binary operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wrap {
    pub nuw: bool,
    pub nsw: bool,
    /// `exact` of divisions and right shifts, `disjoint` of or.
    pub exact: bool,
}

/// Two-operand operations.
pub fn int2(op: Int2, bits: u32, x: u128, y: u128, wrap: Wrap) -> IntResult {
    let m = mask(bits);
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    let (low, high) = (signed(1 << (bits - 1), bits), (m >> 1) as i128);
    let clamp = |value: Option<i128>, up: bool| {
        let value = value.unwrap_or(if up { i128::MAX } else { i128::MIN });
        value.clamp(low, high) as u128 & m
    };
    Ok(match op {
        Int2::Bin(op) => return binary(op, bits, x, y, wrap),
        Int2::SMin => ((sx.min(sy)) as u128 & m, false),
        Int2::SMax => ((sx.max(sy)) as u128 & m, false),
        Int2::UMin => (x.min(y), false),
        Int2::UMax => (x.max(y), false),
        Int2::SAddSat => (clamp(sx.checked_add(sy), sx > 0), false),
        Int2::SSubSat => (clamp(sx.checked_sub(sy), sx > 0), false),
        Int2::UAddSat => (x.checked_add(y).map_or(m, |sum| sum.min(m)), false),
        Int2::USubSat => (x.saturating_sub(y), false),
        Int2::UShlSat | Int2::SShlSat if y >= u128::from(bits) => (0, true),
        Int2::UShlSat => (if (x << y) & m == x << y && (x << y) >> y == x { x << y } else { m }, false),
        Int2::SShlSat => {
            let shifted = (x << y) & m;
            let fits = signed(shifted, bits) >> y == sx;
            (if fits { shifted } else { (if sx < 0 { low } else { high }) as u128 & m }, false)
        }
        Int2::MulHiS => {
            let product = sx.wrapping_mul(sy) as u128; // exact for widths to 64
            ((product >> bits) & m, false)
        }
        Int2::MulHiU => ((x.wrapping_mul(y) >> bits) & m, false),
        Int2::Mul24S => ((signed(x, 24).wrapping_mul(signed(y, 24))) as u128 & m, false),
        Int2::Mul24U => (((x & 0xff_ffff) * (y & 0xff_ffff)) & m, false),
        Int2::SOverflow(op) => (u128::from(overflows(op, bits, x, y, true)), false),
        Int2::UOverflow(op) => (u128::from(overflows(op, bits, x, y, false)), false),
        Int2::BitMask(clamped) => {
            let limit = |value: u128| if clamped { (value & 0xffff_ffff).min(32) } else { value & 31 };
            let (start, count) = (limit(x), limit(y));
            (if start >= 32 { 0 } else { (((1u128 << count) - 1) << start) & 0xffff_ffff }, false)
        }
        Int2::SignExtend(clamped) | Int2::ZeroExtend(clamped) => {
            let width = if clamped { (y & 0xffff_ffff).min(32) } else { y & 31 } as u32;
            let value = match (width, matches!(op, Int2::SignExtend(_))) {
                (0, _) => 0,
                (_, true) => signed(x & mask(width), width) as u128 & m,
                (_, false) => x & mask(width),
            };
            (value, false)
        }
    })
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

/// One-operand operations; `poison` is their flag for the special case.
pub fn int1(op: Int1, bits: u32, x: u128, poison: bool) -> (u128, bool) {
    let m = mask(bits);
    match op {
        Int1::Popcount => (u128::from(x.count_ones()), false),
        Int1::ByteSwap => (x.swap_bytes() >> (128 - bits), false),
        Int1::BitReverse => (x.reverse_bits() >> (128 - bits), false),
        Int1::Abs => {
            let least = x == 1 << (bits - 1);
            (signed(x, bits).unsigned_abs() & m, least && poison)
        }
        Int1::LeadingZeros => (u128::from(x.leading_zeros() - (128 - bits)), x == 0 && poison),
        Int1::TrailingZeros => (u128::from(x.trailing_zeros().min(bits)), x == 0 && poison),
        Int1::FindLastS | Int1::FindLastU => {
            let flip = op == Int1::FindLastS && signed(x, bits) < 0;
            let value = if flip { !x & m } else { x };
            (if value == 0 { 0xffff_ffff } else { u128::from(127 - value.leading_zeros()) }, false)
        }
    }
}

/// Three-operand operations.
pub fn int3(op: Int3, bits: u32, x: u128, y: u128, z: u128) -> u128 {
    let m = mask(bits);
    let width = u128::from(bits);
    let left = |s: u32| {
        if s == 0 {
            x
        } else if s >= bits {
            y
        } else {
            ((x << s) | (y >> (bits - s))) & m
        }
    };
    let right = |s: u32| {
        if s == 0 {
            y
        } else if s >= bits {
            x
        } else {
            ((y >> s) | (x << (bits - s))) & m
        }
    };
    match op {
        Int3::FunnelLeft => left((z % width) as u32),
        Int3::FunnelRight => right((z % width) as u32),
        Int3::FunnelLeftClamp => left((z & m).min(width) as u32),
        Int3::FunnelRightClamp => right((z & m).min(width) as u32),
        Int3::Permute(mode) => u128::from(permute(mode, x as u32, y as u32, z as u32)),
        Int3::SadS => (signed(x, bits).abs_diff(signed(y, bits)).wrapping_add(z)) & m,
        Int3::SadU => (x.abs_diff(y).wrapping_add(z)) & m,
        Int3::Dot4(a_signed, b_signed) => {
            let byte = |v: u128, i: u32, s: bool| {
                let b = (v >> (8 * i)) as u8;
                if s { i64::from(b as i8) } else { i64::from(b) }
            };
            let dot: i64 = (0..4).map(|i| byte(x, i, a_signed) * byte(y, i, b_signed)).sum();
            (z as u32).wrapping_add(dot as u32).into()
        }
        Int3::Dot2(a_signed, b_signed, high) => {
            let half = |i: u32| {
                let h = (x >> (16 * i)) as u16;
                if a_signed { i64::from(h as i16) } else { i64::from(h) }
            };
            let byte = |i: u32| {
                let b = (y >> (8 * (i + if high { 2 } else { 0 }))) as u8;
                if b_signed { i64::from(b as i8) } else { i64::from(b) }
            };
            let dot: i64 = (0..2).map(|i| half(i) * byte(i)).sum();
            (z as u32).wrapping_add(dot as u32).into()
        }
        Int3::FieldExtract(extend) => {
            let (start, count) = ((y & 0xff) as u32, (z & 0xff) as u32);
            if count == 0 {
                return 0;
            }
            // past the top, a signed field repeats the sign and an unsigned one is zero
            let source = if extend { signed(x, bits) as u128 } else { x };
            let shifted =
                if start >= bits { if extend { (signed(x, bits) >> 127) as u128 } else { 0 } } else { source >> start };
            let field = shifted & mask(count.min(bits));
            (if extend { signed(field, count.min(bits)) as u128 } else { field }) & m
        }
        Int3::FindNth => u128::from(find_nth(x as u32, y as u32, z as u32 as i32)),
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
        int2(Int2::Bin(op), bits, x, y, Wrap::default()).unwrap().0
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
        assert_eq!(int2(Int2::Bin(BinOp::Add), 8, 127, 1, nsw), Ok((128, true)));
        assert_eq!(int2(Int2::Bin(BinOp::Add), 8, 127, 1, nuw), Ok((128, false)));
        assert_eq!(int2(Int2::Bin(BinOp::Sub), 8, 0, 1, nuw), Ok((255, true)));
        assert_eq!(int2(Int2::Bin(BinOp::Shl), 8, 64, 1, nsw), Ok((128, true)));
        assert_eq!(int2(Int2::Bin(BinOp::Mul), 128, u128::MAX, 2, nsw), Ok((u128::MAX - 1, false)));
        assert_eq!(int2(Int2::Bin(BinOp::LShr), 8, 3, 1, Wrap { exact: true, ..Wrap::default() }), Ok((1, true)));
    }

    #[test]
    fn division_faults() {
        assert_eq!(int2(Int2::Bin(BinOp::UDiv), 32, 1, 0, Wrap::default()), Err(IntFault::DivisionByZero));
        assert_eq!(int2(Int2::Bin(BinOp::SRem), 8, 0x80, 0xff, Wrap::default()), Err(IntFault::Overflow));
    }

    #[test]
    fn saturating_and_funnel() {
        let sat = |op, x, y| int2(op, 8, x, y, Wrap::default()).unwrap().0;
        assert_eq!(sat(Int2::SAddSat, 100, 100), 127);
        assert_eq!(sat(Int2::SSubSat, 0x80, 1), 0x80);
        assert_eq!(sat(Int2::UAddSat, 200, 100), 255);
        assert_eq!(sat(Int2::USubSat, 1, 2), 0);
        assert_eq!(int3(Int3::FunnelLeft, 8, 0x81, 0x42, 1), 0x02);
        assert_eq!(int3(Int3::FunnelRight, 8, 0x81, 0x42, 9), 0xa1);
        assert_eq!(int3(Int3::Permute(Prmt::Index), 32, 0x3322_1100, 0x7766_5544, 0x7531), 0x7755_3311);
    }
}
