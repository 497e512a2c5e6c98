//! Which micro-operations compute the value of one PTX instruction? Arithmetic, comparisons and conversions of scalars.
//!
//! [`decode_asm`](super::decode_asm) cuts the text up and knows the operands.

use super::asm_text::{Class, Parts, space_of};
use super::code::*;
use super::decode::Decoder;
use super::decode_asm::Asm;
use crate::llvm::image::{BinOp, FloatCmp, IntCmp};

impl Decoder<'_, '_> {
    /// The result of an operation on scalars.
    pub(super) fn ptx_value(&mut self, asm: &Asm, parts: &Parts<'_>, v: &[Src]) -> Option<Src> {
        let kind = *parts.kinds.last()?;
        if let Class::Float(fmt) = kind.class
            && !matches!(parts.op, "set" | "setp" | "selp" | "cvt")
        {
            return self.ptx_float(parts, fmt, v);
        }
        let bits = kind.bits;
        let signed = kind.class == Class::Signed;
        let carry_out = parts.has("cc");
        let at = |i: usize| v.get(i).copied();
        let compare = |pred: &str| {
            Some(match (pred, signed) {
                ("eq", _) => IntCmp::Eq,
                ("ne", _) => IntCmp::Ne,
                ("lt", true) => IntCmp::Slt,
                ("le", true) => IntCmp::Sle,
                ("gt", true) => IntCmp::Sgt,
                ("ge", true) => IntCmp::Sge,
                ("lt" | "lo", _) => IntCmp::Ult,
                ("le" | "ls", _) => IntCmp::Ule,
                ("gt" | "hi", _) => IntCmp::Ugt,
                ("ge" | "hs", _) => IntCmp::Uge,
                _ => return None,
            })
        };
        Some(match parts.op {
            "dp4a" => {
                let &[first, second] = parts.kinds.as_slice() else { return None };
                let mut sum = at(2)?;
                for byte in 0..4 {
                    let a = self.byte_of(at(0)?, byte, first.class == Class::Signed);
                    let b = self.byte_of(at(1)?, byte, second.class == Class::Signed);
                    let product = self.bin_of(BinOp::Mul, 32, a, b);
                    sum = self.bin_of(BinOp::Add, 32, sum, product);
                }
                sum
            }
            "add" | "addc" if !parts.has("sat") => {
                self.carried(asm, BinOp::Add, bits, [at(0)?, at(1)?], parts.op == "addc", carry_out)
            }
            "sub" | "subc" if !parts.has("sat") => {
                self.carried(asm, BinOp::Sub, bits, [at(0)?, at(1)?], parts.op == "subc", carry_out)
            }
            "mul" | "mad" | "madc" => {
                let product = if parts.has("wide") {
                    let widen = |this: &mut Self, a| {
                        let (d, to) = (this.temp(1), 2 * bits);
                        this.emit(Op::Conv {
                            conv: Conv::Int { from: bits, to, signed, nuw: false, nsw: false },
                            d,
                            a,
                        });
                        d
                    };
                    let (a, b) = (widen(self, at(0)?), widen(self, at(1)?));
                    self.bin_of(BinOp::Mul, 2 * bits, a, b)
                } else if parts.has("hi") {
                    self.int2_of(if signed { Int2::MulHiS } else { Int2::MulHiU }, bits, at(0)?, at(1)?)
                } else {
                    self.bin_of(BinOp::Mul, bits, at(0)?, at(1)?)
                };
                if parts.op == "mul" {
                    return Some(product);
                }
                let width = if parts.has("wide") { 2 * bits } else { bits };
                self.carried(asm, BinOp::Add, width, [product, at(2)?], parts.op == "madc", carry_out)
            }
            "and" => self.bin_of(BinOp::And, bits, at(0)?, at(1)?),
            "or" => self.bin_of(BinOp::Or, bits, at(0)?, at(1)?),
            "xor" => self.bin_of(BinOp::Xor, bits, at(0)?, at(1)?),
            "not" => {
                let ones = self.constant(u64::MAX >> (64 - bits));
                self.bin_of(BinOp::Xor, bits, at(0)?, ones)
            }
            "neg" => {
                let zero = self.constant(0);
                self.bin_of(BinOp::Sub, bits, zero, at(0)?)
            }
            "min" => self.int2_of(if signed { Int2::SMin } else { Int2::UMin }, bits, at(0)?, at(1)?),
            "max" => self.int2_of(if signed { Int2::SMax } else { Int2::UMax }, bits, at(0)?, at(1)?),
            "div" => self.bin_of(if signed { BinOp::SDiv } else { BinOp::UDiv }, bits, at(0)?, at(1)?),
            "rem" => self.bin_of(if signed { BinOp::SRem } else { BinOp::URem }, bits, at(0)?, at(1)?),
            "shl" | "shr" => {
                // PTX clamps the amount: everything is shifted out, not poison.
                let (limit, amount) = (self.constant(u64::from(bits) - 1), at(1)?);
                let clamped = self.int2_of(Int2::UMin, 32, amount, limit);
                let op = match (parts.op, signed) {
                    ("shl", _) => BinOp::Shl,
                    (_, true) => BinOp::AShr,
                    _ => BinOp::LShr,
                };
                let shifted = self.bin_of(op, bits, at(0)?, clamped);
                if op == BinOp::AShr {
                    return Some(shifted);
                }
                let (past, d, zero) = (self.temp(1), self.temp(1), self.constant(0));
                self.emit(Op::ICmp { pred: IntCmp::Ugt, bits: 32, same_sign: false, d: past, a: amount, b: limit });
                self.emit(Op::Select { d, c: past, a: zero, b: shifted });
                d
            }
            "abs" | "popc" | "clz" | "brev" | "bfind" => {
                let (d, a) = (self.temp(1), at(0)?);
                let op = match parts.op {
                    "abs" => Int1::Abs,
                    "popc" => Int1::Popcount,
                    "clz" => Int1::LeadingZeros,
                    "brev" => Int1::BitReverse,
                    _ if signed => Int1::FindLastS,
                    _ => Int1::FindLastU,
                };
                self.emit(Op::Int1 { op, bits, poison: false, d, a });
                if !parts.has("shiftamt") {
                    return Some(d);
                }
                // The shift that brings the found bit to the top; none stays -1.
                let (none, top) = (self.constant(0xffff_ffff), self.constant(u64::from(bits) - 1));
                let amount = self.bin_of(BinOp::Sub, 32, top, d);
                let (missing, out) = (self.temp(1), self.temp(1));
                self.emit(Op::ICmp { pred: IntCmp::Eq, bits: 32, same_sign: false, d: missing, a: d, b: none });
                self.emit(Op::Select { d: out, c: missing, a: none, b: amount });
                out
            }
            "sad" | "bfe" | "prmt" | "shf" => {
                let (d, [a, b, c]) = (self.temp(1), [at(0)?, at(1)?, at(2)?]);
                let op = match parts.op {
                    "sad" if signed => Int3::SadS,
                    "sad" => Int3::SadU,
                    "bfe" => Int3::FieldExtract(signed),
                    "prmt" if parts.words.is_empty() => Int3::Permute(Prmt::Index),
                    // shf takes (low, high, amount), funnel shifts (high, low, amount).
                    "shf" if parts.has("l") && parts.has("wrap") => Int3::FunnelLeft,
                    "shf" if parts.has("l") => Int3::FunnelLeftClamp,
                    "shf" if parts.has("wrap") => Int3::FunnelRight,
                    "shf" => Int3::FunnelRightClamp,
                    _ => return None,
                };
                let (a, b) = if parts.op == "shf" { (b, a) } else { (a, b) };
                self.emit(Op::Int3 { op, bits, d, a, b, c });
                d
            }
            "setp" | "set" => return self.ptx_compare(parts, v, compare),
            "selp" => {
                let d = self.temp(1);
                self.emit(Op::Select { d, c: at(2)?, a: at(0)?, b: at(1)? });
                d
            }
            "cvt" => return self.ptx_convert(parts, v),
            "cvta" => {
                let d = self.temp(1);
                let space = parts.words.iter().find_map(|word| space_of(word))?;
                let (from, to) = if parts.has("to") { (0, space) } else { (space, 0) };
                self.emit(Op::Conv { conv: Conv::Space { from, to }, d, a: at(0)? });
                d
            }
            "activemask" => {
                let d = self.temp(1);
                self.emit(Op::Special { d, what: Special::ActiveMask, bits: 32 });
                d
            }
            _ => return None,
        })
    }

    /// A byte of a word, extended.
    fn byte_of(&mut self, a: Src, byte: u64, signed: bool) -> Src {
        let amount = self.constant(8 * byte);
        let shifted = self.bin_of(BinOp::LShr, 32, a, amount);
        let (low, d) = (self.temp(1), self.temp(1));
        let flags = |from, to, signed| Conv::Int { from, to, signed, nuw: false, nsw: false };
        self.emit(Op::Conv { conv: flags(32, 8, false), d: low, a: shifted });
        self.emit(Op::Conv { conv: flags(8, 32, signed), d, a: low });
        d
    }

    fn ptx_float(&mut self, parts: &Parts<'_>, fmt: Fmt, v: &[Src]) -> Option<Src> {
        let mode = parts.mode();
        let d = self.temp(1);
        let nan = parts.has("NaN");
        let two = match parts.op {
            "add" => Some(Float2::Add),
            "sub" => Some(Float2::Sub),
            "mul" => Some(Float2::Mul),
            "div" => Some(Float2::Div),
            "min" if nan => Some(Float2::Minimum),
            "min" => Some(Float2::MinNum),
            "max" if nan => Some(Float2::Maximum),
            "max" => Some(Float2::MaxNum),
            "copysign" => Some(Float2::CopySign),
            _ => None,
        };
        if let (Some(op), [a, b]) = (two, v) {
            // PTX's copysign takes the sign of its first operand.
            let (a, b) = if op == Float2::CopySign { (*b, *a) } else { (*a, *b) };
            self.emit(Op::Float2 { op, fmt, mode, d, a, b });
            return Some(d);
        }
        if let ("fma" | "mad", &[a, b, c]) = (parts.op, v) {
            self.emit(Op::Fma { fmt, mode, d, a, b, c });
            return Some(d);
        }
        let op = match parts.op {
            "neg" => Float1::Neg,
            "abs" => Float1::Abs,
            "sqrt" => Float1::Sqrt,
            "rcp" => Float1::Recip,
            "rsqrt" => Float1::Rsqrt,
            "ex2" => Float1::Exp2,
            "lg2" => Float1::Log2,
            "sin" => Float1::Sin,
            "cos" => Float1::Cos,
            "tanh" => Float1::Tanh,
            _ => return None,
        };
        let &[a] = v else { return None };
        self.emit(Op::Float1 { op, fmt, mode, d, a });
        Some(d)
    }

    /// `setp.CMP.T p, a, b` and `set.CMP.D.T d, a, b` (ones or 1.0 for true).
    fn ptx_compare(&mut self, parts: &Parts<'_>, v: &[Src], int: impl Fn(&str) -> Option<IntCmp>) -> Option<Src> {
        let (kind, &[a, b]) = (*parts.kinds.last()?, v) else { return None };
        let pred = *parts.words.first()?;
        let d = self.temp(1);
        match kind.class {
            Class::Float(fmt) => {
                // Bits: equal, greater, less, unordered.
                let bits = match pred {
                    "eq" => 1,
                    "ne" => 6,
                    "lt" => 4,
                    "le" => 5,
                    "gt" => 2,
                    "ge" => 3,
                    "equ" => 9,
                    "neu" => 14,
                    "ltu" => 12,
                    "leu" => 13,
                    "gtu" => 10,
                    "geu" => 11,
                    "num" => 7,
                    "nan" => 8,
                    _ => return None,
                };
                self.emit(Op::FCmp { pred: FloatCmp(bits), fmt, d, a, b });
            }
            _ => self.emit(Op::ICmp { pred: int(pred)?, bits: kind.bits, same_sign: false, d, a, b }),
        }
        if parts.op == "setp" {
            return Some(d);
        }
        let truth = match parts.kinds.first()?.class {
            Class::Float(Fmt::Half) => 0x3c00,
            Class::Float(Fmt::BFloat) => 0x3f80,
            Class::Float(Fmt::Single) => 0x3f80_0000,
            _ => 0xffff_ffff,
        };
        let (yes, no, out) = (self.constant(truth), self.constant(0), self.temp(1));
        self.emit(Op::Select { d: out, c: d, a: yes, b: no });
        Some(out)
    }

    fn ptx_convert(&mut self, parts: &Parts<'_>, v: &[Src]) -> Option<Src> {
        let &[to, from] = parts.kinds.as_slice() else { return None };
        let mut mode = parts.mode();
        let whole = ["rni", "rzi", "rmi", "rpi"].iter().position(|word| parts.has(word));
        if to.pair {
            // cvt.rn.f16x2.f32 d, high, low
            let (Class::Float(target), Class::Float(source), &[high, low]) = (to.class, from.class, v) else {
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
            (Class::Float(source), Class::Float(target)) if source == target => {
                let op = [Float1::RoundEven, Float1::Trunc, Float1::Floor, Float1::Ceil][whole?];
                Op::Float1 { op, fmt: source, mode: Mode { round: Round::Nearest, ..mode }, d, a }
            }
            (Class::Float(source), Class::Float(target)) => {
                Op::Conv { conv: Conv::Float { from: source, to: target, mode }, d, a }
            }
            (Class::Float(source), _) => {
                mode.round = [Round::Nearest, Round::Zero, Round::Down, Round::Up][whole?];
                mode.saturate = false;
                let signed = to.class == Class::Signed;
                Op::Conv { conv: Conv::FloatToInt { from: source, to: to.bits, signed, saturating: true, mode }, d, a }
            }
            (_, Class::Float(target)) => {
                let signed = from.class == Class::Signed;
                Op::Conv { conv: Conv::IntToFloat { from: from.bits, to: target, signed, nneg: false, mode }, d, a }
            }
            _ if parts.has("sat") => return None,
            _ => {
                let signed = from.class == Class::Signed;
                let narrow = self.temp(1);
                // The register may be wider than the source type.
                let cut = Conv::Int { from: 64, to: from.bits, signed: false, nuw: false, nsw: false };
                self.emit(Op::Conv { conv: cut, d: narrow, a });
                Op::Conv {
                    conv: Conv::Int { from: from.bits, to: to.bits, signed, nuw: false, nsw: false },
                    d,
                    a: narrow,
                }
            }
        };
        self.emit(op);
        Some(d)
    }
}
