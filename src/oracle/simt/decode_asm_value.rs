//! How is the value of one PTX instruction computed by micro-operations? Arithmetic, comparisons and conversions of
//! scalars.
//!
//! [`decode_asm`](super::decode_asm) splits the text and resolves the operands.

use super::asm_text::{Parts, PtxClass, PtxType, space_of};
use super::code::*;
use super::decode::Decoder;
use super::decode_asm::Asm;
use super::names;
use warpwise_ir::llvm::image::{BinOp, FloatCmp, IntCmp};

impl Decoder<'_, '_> {
    /// The result of an operation on scalars.
    pub(super) fn ptx_value(&mut self, asm: &Asm, parts: &Parts<'_>, v: &[Src]) -> Option<Src> {
        let kind = *parts.kinds.last()?;
        if let PtxClass::Float(fmt) = kind.class
            && !matches!(parts.op, "set" | "setp" | "selp" | "cvt")
        {
            return self.ptx_float(parts, fmt, v);
        }
        let bits = kind.bits;
        let signed = kind.class == PtxClass::Signed;
        let at = |i: usize| v.get(i).copied();
        if let Some(op) = names::ptx_int(parts.op, signed) {
            return self.ptx_int(parts, op, bits, v);
        }
        Some(match parts.op {
            "dp4a" => {
                let is_signed = |of: usize| parts.kinds.get(of).is_some_and(|kind| kind.class == PtxClass::Signed);
                return self.ptx_int(parts, IntOp::Dot4(is_signed(0), is_signed(1)), bits, v);
            }
            "add" | "addc" if !parts.has("sat") => self.carried(asm, parts, BinOp::Add, bits, [at(0)?, at(1)?]),
            "sub" | "subc" if !parts.has("sat") => self.carried(asm, parts, BinOp::Sub, bits, [at(0)?, at(1)?]),
            "mul" | "mad" | "madc" => {
                let (product, width) = self.ptx_product(parts, bits, signed, [at(0)?, at(1)?]);
                if parts.op == "mul" {
                    return Some(product);
                }
                self.carried(asm, parts, BinOp::Add, width, [product, at(2)?])
            }
            "not" => {
                let ones = self.constant(u64::MAX >> (64 - bits));
                self.bin_of(BinOp::Xor, bits, at(0)?, ones)
            }
            "neg" => {
                let zero = self.constant(0);
                self.bin_of(BinOp::Sub, bits, zero, at(0)?)
            }
            "shl" | "shr" => return self.ptx_shift(parts.op == "shl", signed, bits, at(0)?, at(1)?),
            "vabsdiff4" => return self.ptx_byte_differences(parts, v),
            "prmt" if parts.words.is_empty() => return self.ptx_int(parts, IntOp::Permute(Prmt::Index), bits, v),
            "shf" => {
                let op = IntOp::Funnel { left: parts.has("l"), clamped: !parts.has("wrap") };
                // shf takes (low, high, amount), funnel shifts (high, low, amount).
                return self.ptx_int(parts, op, bits, &[at(1)?, at(0)?, at(2)?]);
            }
            "setp" | "set" => return self.ptx_compare(parts, v),
            "selp" => {
                let (c, a, b) = (at(2)?, at(0)?, at(1)?);
                self.value_of(|d| Op::Select { d, c, a, b })
            }
            "cvt" => return self.ptx_convert(parts, v),
            "cvta" => {
                let space = parts.words.iter().find_map(|word| space_of(word))?;
                let (from, to) = if parts.has("to") { (0, space) } else { (space, 0) };
                let a = at(0)?;
                self.value_of(|d| Op::Conv { conv: Conv::Space { from, to }, d, a })
            }
            "activemask" => self.value_of(|d| Op::Special { d, what: Special::ActiveMask, bits: 32 }),
            _ => return None,
        })
    }

    /// A product and its width in bits.
    fn ptx_product(&mut self, parts: &Parts<'_>, bits: u16, signed: bool, [a, b]: [Src; 2]) -> (Src, u16) {
        if parts.has("wide") {
            let [a, b] = [a, b].map(|a| self.resized(a, bits, 2 * bits, signed));
            return (self.bin_of(BinOp::Mul, 2 * bits, a, b), 2 * bits);
        }
        let op = if parts.has("hi") { IntOp::MulHi(signed) } else { IntOp::Bin(BinOp::Mul) };
        (self.int2_of(op, bits, a, b), bits)
    }

    /// A shift. PTX clamps the amount: everything is shifted out, not poison.
    fn ptx_shift(&mut self, left: bool, signed: bool, bits: u16, a: Src, amount: Src) -> Option<Src> {
        let limit = self.constant(u64::from(bits) - 1);
        let clamped = self.int2_of(IntOp::Min(false), 32, amount, limit);
        let op = match (left, signed) {
            (true, _) => BinOp::Shl,
            (_, true) => BinOp::AShr,
            _ => BinOp::LShr,
        };
        let shifted = self.bin_of(op, bits, a, clamped);
        if op == BinOp::AShr {
            return Some(shifted);
        }
        let zero = self.constant(0);
        let c = self.value_of(|d| Op::ICmp { pred: IntCmp::Ugt, bits: 32, same_sign: false, d, a: amount, b: limit });
        Some(self.value_of(|d| Op::Select { d, c, a: zero, b: shifted }))
    }

    /// An operation on integers.
    fn ptx_int(&mut self, parts: &Parts<'_>, op: IntOp, bits: u16, v: &[Src]) -> Option<Src> {
        let args = repeated(v.get(..op.arity())?);
        let d = self.value_of(|d| Op::Int(IntArgs { op, bits, wrap: Wrap::default(), d, args }));
        if parts.has("relu") {
            let zero = self.constant(0);
            return Some(self.int2_of(IntOp::Max(true), bits, d, zero));
        }
        if !parts.has("shiftamt") {
            return Some(d);
        }
        // the shift that would move the found bit to the top; `none` stays -1
        let (none, top) = (self.constant(0xffff_ffff), self.constant(u64::from(bits) - 1));
        let amount = self.bin_of(BinOp::Sub, 32, top, d);
        let c = self.value_of(|out| Op::ICmp { pred: IntCmp::Eq, bits: 32, same_sign: false, d: out, a: d, b: none });
        Some(self.value_of(|d| Op::Select { d, c, a: none, b: amount }))
    }

    /// `vabsdiff4` of unsigned bytes: their differences, or with `.add` the sum of these and the third operand.
    fn ptx_byte_differences(&mut self, parts: &Parts<'_>, v: &[Src]) -> Option<Src> {
        let (&[a, b, mut sum], zero) = (v, self.constant(0)) else { return None };
        let is_sum = parts.words == ["add"];
        if parts.kinds.iter().any(|kind| kind.class != PtxClass::Unsigned) || !(is_sum || parts.words.is_empty()) {
            return None;
        }
        let [a, b] = [a, b].map(|word| self.unpack(word, 32, 4, 8));
        let bytes = self.temp(4);
        for byte in 0..4 {
            let (d, bits, c) = if is_sum { (self.temp(1), 32, sum) } else { (bytes + byte, 8, zero) };
            let args = [a + byte, b + byte, c];
            self.emit(Op::Int(IntArgs { op: IntOp::Sad(false), bits, wrap: Wrap::default(), d, args }));
            sum = d;
        }
        Some(if is_sum { sum } else { self.pack(bytes, 4, 8) })
    }

    /// An integer truncated or extended to a width.
    fn resized(&mut self, a: Src, from: u16, to: u16, signed: bool) -> Src {
        self.value_of(|d| Op::Conv { conv: Conv::Int { from, to, signed, nuw: false, nsw: false }, d, a })
    }

    fn ptx_float(&mut self, parts: &Parts<'_>, fmt: Fmt, v: &[Src]) -> Option<Src> {
        let op = names::ptx_float(parts.op, parts.has("NaN"))?;
        let args = match (op, v) {
            // PTX's copysign takes the sign of its first operand.
            (FloatOp::CopySign, &[a, b]) => [b, a, a],
            _ if v.len() == op.arity() => repeated(v),
            _ => return None,
        };
        Some(self.value_of(|d| Op::Float { op, fmt, mode: parts.mode(), d, args }))
    }

    /// `setp.CMP.T p, a, b` and `set.CMP.D.T d, a, b` (ones or 1.0 for true).
    fn ptx_compare(&mut self, parts: &Parts<'_>, v: &[Src]) -> Option<Src> {
        let (kind, &[a, b]) = (*parts.kinds.last()?, v) else { return None };
        let pred = *parts.words.first()?;
        let c = match kind.class {
            PtxClass::Float(fmt) => {
                let pred = FloatCmp(names::float_compare(pred)?);
                self.value_of(|d| Op::FCmp { pred, fmt, d, a, b })
            }
            class => {
                let pred = names::compare(pred, class == PtxClass::Signed)?;
                self.value_of(|d| Op::ICmp { pred, bits: kind.bits, same_sign: false, d, a, b })
            }
        };
        if parts.op == "setp" {
            return Some(c);
        }
        let truth = match parts.kinds.first()?.class {
            PtxClass::Float(Fmt::Half) => 0x3c00,
            PtxClass::Float(Fmt::BFloat) => 0x3f80,
            PtxClass::Float(Fmt::Single) => 0x3f80_0000,
            _ => 0xffff_ffff,
        };
        let (a, b) = (self.constant(truth), self.constant(0));
        Some(self.value_of(|d| Op::Select { d, c, a, b }))
    }

    fn ptx_convert(&mut self, parts: &Parts<'_>, v: &[Src]) -> Option<Src> {
        let &[to, from] = parts.kinds.as_slice() else { return None };
        let mut mode = parts.mode();
        let whole = ["rni", "rzi", "rmi", "rpi"].iter().position(|word| parts.has(word));
        if to.pair {
            // cvt.rn.f16x2.f32 d, high, low
            let (PtxClass::Float(target), PtxClass::Float(source), &[high, low]) = (to.class, from.class, v) else {
                return None;
            };
            let halves = self.temp(2);
            let conv = Conv::Float { from: source, to: target, mode };
            self.emit(Op::Conv { conv, d: halves, a: low });
            self.emit(Op::Conv { conv, d: halves + 1, a: high });
            return Some(self.pack(halves, 2, 16));
        }
        let &[a] = v else { return None };
        let d = self.temp(1);
        let op = match (from.class, to.class) {
            (PtxClass::Float(source), PtxClass::Float(target)) if source == target => {
                let op = [
                    FloatOp::Of(f64::round_ties_even),
                    FloatOp::Of(f64::trunc),
                    FloatOp::Of(f64::floor),
                    FloatOp::Of(f64::ceil),
                ][whole?];
                Op::Float { op, fmt: source, mode: Mode { round: Round::Nearest, ..mode }, d, args: [a; 3] }
            }
            (PtxClass::Float(_), _) | (_, PtxClass::Float(_)) => {
                if !matches!(to.class, PtxClass::Float(_)) {
                    mode.round = [Round::Nearest, Round::Zero, Round::Down, Round::Up][whole?];
                    mode.saturate = false;
                }
                Op::Conv { conv: float_conversion(from, to, mode)?, d, a }
            }
            _ if parts.has("sat") => return None,
            _ => {
                // The register may be wider than the source type.
                let narrow = self.resized(a, 64, from.bits, false);
                return Some(self.resized(narrow, from.bits, to.bits, from.class == PtxClass::Signed));
            }
        };
        self.emit(op);
        Some(d)
    }
}

/// A conversion from or to a float.
pub(super) fn float_conversion(from: PtxType, to: PtxType, mode: Mode) -> Option<Conv> {
    let is_signed = |kind: PtxType| kind.class == PtxClass::Signed;
    Some(match (from.class, to.class) {
        (PtxClass::Float(from), PtxClass::Float(to)) => Conv::Float { from, to, mode },
        (PtxClass::Float(from), _) => {
            Conv::FloatToInt { from, to: to.bits, signed: is_signed(to), saturating: true, mode }
        }
        (_, PtxClass::Float(to)) => {
            Conv::IntToFloat { from: from.bits, to, signed: is_signed(from), nneg: false, mode }
        }
        _ => return None,
    })
}

/// Three operands, of which the last is repeated.
fn repeated(operands: &[Src]) -> [Src; 3] {
    std::array::from_fn(|index| operands[index.min(operands.len() - 1)])
}
