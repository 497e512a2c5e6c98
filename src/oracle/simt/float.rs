//! What do float operations compute? One value at a time, from bits to bits.
//!
//! Addition, subtraction, multiplication, division, square root and fma are exactly rounded in all four rounding modes,
//! and so are conversions: by the host where it computes them, else by `rustc_apfloat`. Transcendental functions (`sin`,
//! `ex2.approx` …) are computed in double precision and rounded: within 1 ulp in single, so more accurate than the
//! hardware's approximations, whose bits are not reproduced. NaN results are the hardware's canonical NaN (0x7fffffff in
//! single, 0x7fff in half and bfloat, 0x7ff8… in double).

use super::code::{FloatOp, Fmt, Mode, Round};
use half::{bf16, f16};
use rustc_apfloat::{Float, FloatConvert, ieee};

/// An expression in which `$F` is the type of a format's numbers.
macro_rules! in_format {
    ($fmt:expr, $F:ident => $result:expr) => {
        match $fmt {
            Fmt::Half => {
                type $F = ieee::Half;
                $result
            }
            Fmt::BFloat => {
                type $F = ieee::BFloat;
                $result
            }
            Fmt::Single => {
                type $F = ieee::Single;
                $result
            }
            Fmt::Double => {
                type $F = ieee::Double;
                $result
            }
        }
    };
}

/// A value of a format as a double; exact.
#[inline]
pub fn widen(fmt: Fmt, bits: u64) -> f64 {
    match fmt {
        Fmt::Half => f16::from_bits(bits as u16).to_f64(),
        Fmt::BFloat => bf16::from_bits(bits as u16).to_f64(),
        Fmt::Single => f64::from(f32::from_bits(bits as u32)),
        Fmt::Double => f64::from_bits(bits),
    }
}

/// Sign bit, exponent field and mantissa bits of a format.
fn layout(fmt: Fmt) -> (u32, u32) {
    match fmt {
        Fmt::Half => (5, 10),
        Fmt::BFloat => (8, 7),
        Fmt::Single => (8, 23),
        Fmt::Double => (11, 52),
    }
}

/// Bits of a format.
pub(super) fn width(fmt: Fmt) -> u32 {
    let (exponent, mantissa) = layout(fmt);
    1 + exponent + mantissa
}

/// The NaN that the hardware produces.
pub fn canonical_nan(fmt: Fmt) -> u64 {
    match fmt {
        Fmt::Half | Fmt::BFloat => 0x7fff,
        Fmt::Single => 0x7fff_ffff,
        Fmt::Double => 0x7ff8_0000_0000_0000,
    }
}

fn is_nan(fmt: Fmt, bits: u64) -> bool {
    let (exponent, mantissa) = layout(fmt);
    let magnitude = bits & ((1 << (exponent + mantissa)) - 1);
    magnitude > ((1 << exponent) - 1) << mantissa
}

fn sign_bit(fmt: Fmt) -> u64 {
    1 << (width(fmt) - 1)
}

/// Flushes subnormals to zero of the same sign.
fn flush(fmt: Fmt, bits: u64) -> u64 {
    let (exponent, mantissa) = layout(fmt);
    let field = bits >> mantissa & ((1 << exponent) - 1);
    if field == 0 { bits & sign_bit(fmt) } else { bits }
}

/// The bits of a number; the hardware's, if it is none.
fn bits_of<F: Float>(fmt: Fmt, value: F) -> u64 {
    if value.is_nan() { canonical_nan(fmt) } else { value.to_bits() as u64 }
}

#[inline(always)]
pub(super) fn bits_of_single(value: f32) -> u64 {
    if value.is_nan() { canonical_nan(Fmt::Single) } else { value.to_bits().into() }
}

#[inline(always)]
pub(super) fn bits_of_double(value: f64) -> u64 {
    if value.is_nan() { canonical_nan(Fmt::Double) } else { value.to_bits() }
}

/// Rounds a double to a format.
fn narrow(fmt: Fmt, value: f64, round: Round) -> u64 {
    match (fmt, round) {
        (Fmt::Double, _) => bits_of_double(value),
        (Fmt::Single, Round::Nearest) => bits_of_single(value as f32),
        _ => in_format!(fmt, F => {
            let exact = ieee::Double::from_bits(value.to_bits().into());
            let rounded: F = exact.convert_r(direction(round), &mut false).value;
            bits_of(fmt, rounded)
        }),
    }
}

/// Applies flushing to operands.
#[inline]
fn operand(fmt: Fmt, mode: Mode, bits: u64) -> u64 {
    if mode.ftz { flush(fmt, bits) } else { bits }
}

/// Applies flushing, saturation and relu to a result.
#[inline]
pub fn finish(fmt: Fmt, mode: Mode, bits: u64) -> u64 {
    let mut bits = if mode.ftz { flush(fmt, bits) } else { bits };
    if mode.saturate {
        let value = widen(fmt, bits);
        let clamped = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        bits = narrow(fmt, clamped + 0.0, Round::Nearest);
    }
    if mode.relu && !is_nan(fmt, bits) && bits & sign_bit(fmt) != 0 {
        bits = 0;
    }
    bits
}

fn direction(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::Nearest => rustc_apfloat::Round::NearestTiesToEven,
        Round::Zero => rustc_apfloat::Round::TowardZero,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Up => rustc_apfloat::Round::TowardPositive,
    }
}

/// A sum, difference, product or quotient.
fn arithmetic(op: FloatOp, fmt: Fmt, round: Round, a: u64, b: u64) -> u64 {
    macro_rules! native {
        ($x:expr, $y:expr) => {
            match op {
                FloatOp::Add => $x + $y,
                FloatOp::Sub => $x - $y,
                FloatOp::Mul => $x * $y,
                _ => $x / $y,
            }
        };
    }
    match (fmt, round) {
        (Fmt::Single, Round::Nearest) => bits_of_single(native!(f32::from_bits(a as u32), f32::from_bits(b as u32))),
        (Fmt::Double, Round::Nearest) => bits_of_double(native!(f64::from_bits(a), f64::from_bits(b))),
        _ => in_format!(fmt, F => {
            let ([x, y], round) = ([a, b].map(|bits| F::from_bits(bits.into())), direction(round));
            let result = match op {
                FloatOp::Add => x.add_r(y, round),
                FloatOp::Sub => x.sub_r(y, round),
                FloatOp::Mul => x.mul_r(y, round),
                _ => x.div_r(y, round),
            };
            bits_of(fmt, result.value)
        }),
    }
}

/// All operations. `Powi` and `Ldexp` take an i32 as second operand.
pub fn float(op: FloatOp, fmt: Fmt, mode: Mode, [a, b, c]: [u64; 3]) -> u64 {
    let sign = sign_bit(fmt);
    let rounded = |value| narrow(fmt, value, Round::Nearest);
    match op {
        FloatOp::Neg => return finish(fmt, mode, a ^ sign),
        FloatOp::Abs => return finish(fmt, mode, a & !sign),
        FloatOp::Powi => return finish(fmt, mode, rounded(libm::pow(widen(fmt, a), f64::from(b as i32)))),
        FloatOp::Ldexp => return finish(fmt, mode, rounded(libm::ldexp(widen(fmt, a), b as i32))),
        FloatOp::Fma => return fma(fmt, mode, a, b, c),
        _ => {}
    }
    let (a, b) = (operand(fmt, mode, a), operand(fmt, mode, b));
    let (x, y) = (widen(fmt, a), widen(fmt, b));
    let bits = match op {
        FloatOp::CopySign => return (a & !sign) | (b & sign),
        FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div => arithmetic(op, fmt, mode.round, a, b),
        FloatOp::Extreme { max, nan_wins, xor_sign: false } => pick(fmt, max, nan_wins, a, b),
        FloatOp::Extreme { max, nan_wins, xor_sign: true } => {
            let magnitude = pick(fmt, max, nan_wins, a & !sign, b & !sign);
            if is_nan(fmt, magnitude) { magnitude } else { magnitude | ((a ^ b) & sign) }
        }
        FloatOp::Sqrt => square_root(fmt, mode.round, x),
        FloatOp::Recip => arithmetic(FloatOp::Div, fmt, mode.round, rounded(1.0), a),
        FloatOp::Saturate => return finish(fmt, Mode { saturate: true, ..mode }, rounded(x)),
        FloatOp::Of(function) => rounded(function(x)),
        FloatOp::Of2(function) => rounded(function(x, y)),
        FloatOp::Neg | FloatOp::Abs | FloatOp::Powi | FloatOp::Ldexp | FloatOp::Fma => a, // handled above
    };
    finish(fmt, mode, bits)
}

/// Minimum or maximum, -0 below +0.
fn pick(fmt: Fmt, is_max: bool, nan_wins: bool, a: u64, b: u64) -> u64 {
    match (is_nan(fmt, a), is_nan(fmt, b)) {
        (true, true) => return canonical_nan(fmt),
        (true, false) | (false, true) if nan_wins => return canonical_nan(fmt),
        (true, false) => return b,
        (false, true) => return a,
        (false, false) => {}
    }
    let (x, y) = (widen(fmt, a), widen(fmt, b));
    let a_less = x < y || (x == y && a & sign_bit(fmt) != 0);
    if a_less != is_max { a } else { b }
}

/// Fused multiply-add.
fn fma(fmt: Fmt, mode: Mode, a: u64, b: u64, c: u64) -> u64 {
    let [a, b, c] = [a, b, c].map(|bits| operand(fmt, mode, bits));
    let bits = match (fmt, mode.round) {
        (Fmt::Single, Round::Nearest) => {
            let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            bits_of_single(x.mul_add(y, z))
        }
        (Fmt::Double, Round::Nearest) => {
            let [x, y, z] = [a, b, c].map(f64::from_bits);
            bits_of_double(x.mul_add(y, z))
        }
        (_, round) => in_format!(fmt, F => {
            let [x, y, z] = [a, b, c].map(|bits| F::from_bits(bits.into()));
            bits_of(fmt, x.mul_add_r(y, z, direction(round)).value)
        }),
    };
    finish(fmt, mode, bits)
}

/// Below this, the remainder of a square root may be too small for a double.
const SMALL_SQUARE: f64 = 1e-200;

/// A square root: of the nearest double, the neighbour on the side to which the mode rounds, if the root is on that side.
/// In narrower formats the nearest number to the nearest double is the nearest.
fn square_root(fmt: Fmt, round: Round, x: f64) -> u64 {
    let root = x.sqrt();
    // tiny numbers are scaled, because the remainder would be too small for a double
    let (by, by_squared) = if x < SMALL_SQUARE { (2f64.powi(300), 2f64.powi(600)) } else { (1.0, 1.0) };
    let rest = libm::fma(-root * by, root * by, x * by_squared);
    let toward = match round {
        Round::Up if rest > 0.0 => root.next_up(),
        Round::Down | Round::Zero if rest < 0.0 => root.next_down(),
        _ => root,
    };
    narrow(fmt, toward, round)
}

/// `is.fpclass`: whether the value is in one of the classes of the mask.
pub fn class(fmt: Fmt, mask: u16, a: u64) -> bool {
    let (exponent_bits, mantissa) = layout(fmt);
    let negative = a & sign_bit(fmt) != 0;
    let magnitude = a & !sign_bit(fmt);
    let exponent = magnitude >> mantissa;
    let fraction = magnitude & ((1 << mantissa) - 1);
    let class = if exponent == (1 << exponent_bits) - 1 {
        match (fraction == 0, negative) {
            (true, true) => 2,
            (true, false) => 9,
            (false, _) => u32::from(fraction >> (mantissa - 1) & 1 == 1),
        }
    } else {
        match (exponent == 0, fraction == 0, negative) {
            (true, true, true) => 5,
            (true, true, false) => 6,
            (true, false, true) => 4,
            (true, false, false) => 7,
            (false, _, true) => 3,
            (false, _, false) => 8,
        }
    };
    mask >> class & 1 == 1
}

/// Between formats.
pub fn convert(from: Fmt, to: Fmt, mode: Mode, a: u64) -> u64 {
    let a = operand(from, mode, a);
    finish(to, mode, narrow(to, widen(from, a), mode.round))
}

/// Converts to an integer; `None` if the value does not fit and the operation does not saturate. LLVM's own conversions,
/// which do not, truncate; the saturating ones round as their mode says.
pub fn to_int(from: Fmt, bits: u32, signed: bool, saturating: bool, mode: Mode, a: u64) -> Option<u128> {
    let value = widen(from, operand(from, mode, a));
    if value.is_nan() {
        return saturating.then_some(0);
    }
    let whole = match mode.round {
        Round::Zero => value.trunc(),
        Round::Down => value.floor(),
        Round::Up => value.ceil(),
        Round::Nearest if saturating => value.round_ties_even(),
        Round::Nearest => value.trunc(),
    };
    let mask = super::int::mask(bits);
    if signed {
        let limit = 2f64.powi(bits as i32 - 1);
        if whole >= limit || whole < -limit {
            return saturating.then(|| if whole > 0.0 { mask >> 1 } else { (mask >> 1) + 1 });
        }
        Some(whole as i128 as u128 & mask)
    } else {
        if whole >= 2f64.powi(bits as i32) || whole <= -1.0 {
            return saturating.then_some(if whole > 0.0 { mask } else { 0 });
        }
        Some(whole as u128 & mask)
    }
}

/// From an integer, exactly rounded.
pub fn from_int(bits: u32, signed: bool, to: Fmt, mode: Mode, a: u128) -> u64 {
    let number = super::int::signed(a, bits);
    let bits = match (to, mode.round) {
        (Fmt::Single, Round::Nearest) => bits_of_single(if signed { number as f32 } else { a as f32 }),
        (Fmt::Double, Round::Nearest) => bits_of_double(if signed { number as f64 } else { a as f64 }),
        (_, round) => in_format!(to, F => {
            let round = direction(round);
            bits_of(to, if signed { F::from_i128_r(number, round) } else { F::from_u128_r(a, round) }.value)
        }),
    };
    finish(to, mode, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(op: FloatOp, round: Round, a: f32, b: f32) -> f32 {
        let mode = Mode { round, ..Mode::default() };
        f32::from_bits(float(op, Fmt::Single, mode, [a.to_bits().into(), b.to_bits().into(), 0]) as u32)
    }

    #[test]
    fn nearest_agrees_with_the_host() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (a, b) = (f32::from_bits((state >> 32) as u32), f32::from_bits((state >> 13) as u32));
            for (op, want) in
                [(FloatOp::Add, a + b), (FloatOp::Sub, a - b), (FloatOp::Mul, a * b), (FloatOp::Div, a / b)]
            {
                let got = single(op, Round::Nearest, a, b);
                assert!(
                    got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
                    "{op:?} {a:e} {b:e}: {got:e} {want:e}"
                );
            }
            let half = convert(Fmt::Single, Fmt::Half, Mode::default(), a.to_bits().into());
            assert!(half == u64::from(f16::from_f32(a).to_bits()) || a.is_nan(), "{a:e}");
        }
    }

    #[test]
    fn directed_rounding_brackets_the_exact_result() {
        let (a, b) = (1.0f32, 3.0f32);
        let down = single(FloatOp::Div, Round::Down, a, b);
        let up = single(FloatOp::Div, Round::Up, a, b);
        assert_eq!(up, down.next_up());
        assert_eq!(single(FloatOp::Div, Round::Zero, -a, b), -down);
        assert_eq!(single(FloatOp::Add, Round::Up, 1.0, 1e-30), 1f32.next_up());
        assert_eq!(single(FloatOp::Add, Round::Down, 1.0, -1e-30), 1f32.next_down());
        assert_eq!(single(FloatOp::Sub, Round::Down, 1.0, 1.0).to_bits(), 0x8000_0000);
        assert_eq!(single(FloatOp::Mul, Round::Zero, f32::MAX, 2.0), f32::MAX);
        let root = float(FloatOp::Sqrt, Fmt::Double, Mode { round: Round::Up, ..Mode::default() }, [2f64.to_bits(); 3]);
        assert_eq!(f64::from_bits(root), 2f64.sqrt().next_up().min(std::f64::consts::SQRT_2));
    }

    #[test]
    fn directed_rounding_holds_at_the_ends_of_the_range() {
        let double = |op, round, a: f64, b: f64| {
            f64::from_bits(float(op, Fmt::Double, Mode { round, ..Mode::default() }, [a.to_bits(), b.to_bits(), 0]))
        };
        let root = |round| {
            let tiny = 2.1411226670693694e-308f64.to_bits();
            f64::from_bits(float(FloatOp::Sqrt, Fmt::Double, Mode { round, ..Mode::default() }, [tiny; 3]))
        };
        assert_eq!(root(Round::Up), root(Round::Down).next_up());
        assert_eq!(double(FloatOp::Mul, Round::Zero, -f64::MAX, 2.0), -f64::MAX);
        assert_eq!(double(FloatOp::Mul, Round::Down, -f64::MAX, 2.0), f64::NEG_INFINITY);
        assert_eq!(double(FloatOp::Add, Round::Down, f64::MAX, f64::MAX), f64::MAX);
        assert_eq!(double(FloatOp::Mul, Round::Up, 1e-200, 1e-200), 5e-324);
        assert_eq!(double(FloatOp::Div, Round::Zero, 5e-324, 2.0), 0.0);
        let mode = Mode { round: Round::Up, ..Mode::default() };
        let fused = fma(Fmt::Double, mode, f64::MAX.to_bits(), (-2f64).to_bits(), 1f64.to_bits());
        assert_eq!(f64::from_bits(fused), -f64::MAX);
    }

    #[test]
    fn integers_convert_exactly_rounded() {
        let to = |bits, signed, value: u128| {
            f32::from_bits(from_int(bits, signed, Fmt::Single, Mode::default(), value) as u32)
        };
        for value in [0u64, 1, 16_777_217, 16_777_219, u64::MAX, 1 << 63, 0xffff_ff7f_ffff_ffff, 0x8000_0080_0000_0001]
        {
            assert_eq!(to(64, false, value.into()), value as f32, "{value:#x}");
            assert_eq!(to(64, true, value.into()), value as i64 as f32, "{value:#x}");
            let double = from_int(64, false, Fmt::Double, Mode::default(), value.into());
            assert_eq!(f64::from_bits(double), value as f64, "{value:#x}");
        }
        assert_eq!(to(128, false, u128::MAX), u128::MAX as f32);
        assert_eq!(to_int(Fmt::Single, 8, true, true, Mode::default(), 300f32.to_bits().into()), Some(127));
        assert_eq!(to_int(Fmt::Single, 8, false, false, Mode::default(), (-1f32).to_bits().into()), None);
        assert_eq!(to_int(Fmt::Single, 32, false, false, Mode::default(), (-0.5f32).to_bits().into()), Some(0));
    }

    #[test]
    fn classes() {
        assert!(class(Fmt::Single, 3, f32::NAN.to_bits().into()));
        assert!(class(Fmt::Double, 1 << 9, f64::INFINITY.to_bits()));
        assert!(class(Fmt::Single, 1 << 5, (-0f32).to_bits().into()));
        assert!(!class(Fmt::Single, 0b11, 1f32.to_bits().into()));
    }
}
