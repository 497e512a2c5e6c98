//! Which micro-operations are LLVM's own intrinsics, and the functions that CUDA programs call without a body?

use super::code::*;
use super::decode::{Decoded, Decoder, fmt};
use crate::llvm::image::{BinOp, CastOp, InstImage, IntCmp, TypeKind};

impl Decoder<'_, '_> {
    /// Element by element: an integer operation of two operands.
    fn int2(&mut self, inst: &InstImage, op: Int2) -> Decoded<()> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        self.each_leaf(inst.ty, |leaf, d, at| {
            let bits = leaf.bits() as u16;
            Ok(Op::Int2 { op, bits, nuw: false, nsw: false, exact: false, d, a: a[at], b: b[at] })
        })
    }

    fn int1(&mut self, inst: &InstImage, op: Int1) -> Decoded<()> {
        let a = self.arg(inst, 0)?;
        // The second operand of abs, ctlz and cttz says whether the special case is poison.
        let poison = self.constant_arg(inst, 1) == Some(1);
        self.each_leaf(inst.ty, |leaf, d, at| Ok(Op::Int1 { op, bits: leaf.bits() as u16, poison, d, a: a[at] }))
    }

    fn int3(&mut self, inst: &InstImage, op: Int3) -> Decoded<()> {
        let (a, b, c) = (self.arg(inst, 0)?, self.arg(inst, 1)?, self.arg(inst, 2)?);
        self.each_leaf(inst.ty, |leaf, d, at| {
            Ok(Op::Int3 { op, bits: leaf.bits() as u16, d, a: a[at], b: b[at], c: c[at] })
        })
    }

    pub(super) fn float1(&mut self, inst: &InstImage, op: Float1, mode: Mode) -> Decoded<()> {
        let a = self.arg(inst, 0)?;
        self.each_leaf(inst.ty, |leaf, d, at| Ok(Op::Float1 { op, fmt: fmt(leaf)?, mode, d, a: a[at] }))
    }

    pub(super) fn float2(&mut self, inst: &InstImage, op: Float2, mode: Mode) -> Decoded<()> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        // powi and ldexp take one integer for all elements.
        let shared = b.len() == 1;
        self.each_leaf(inst.ty, |leaf, d, at| {
            Ok(Op::Float2 { op, fmt: fmt(leaf)?, mode, d, a: a[at], b: b[if shared { 0 } else { at }] })
        })
    }

    pub(super) fn fma(&mut self, inst: &InstImage, mode: Mode) -> Decoded<()> {
        let (a, b, c) = (self.arg(inst, 0)?, self.arg(inst, 1)?, self.arg(inst, 2)?);
        self.each_leaf(inst.ty, |leaf, d, at| Ok(Op::Fma { fmt: fmt(leaf)?, mode, d, a: a[at], b: b[at], c: c[at] }))
    }

    /// `*.with.overflow`: the wrapped result, then the bit.
    fn overflow(&mut self, inst: &InstImage, op: BinOp, signed: bool) -> Decoded<()> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let shape = self.shape(inst.operand_types[0])?;
        let d = self.dst();
        let test = if signed { Int2::SOverflow(op) } else { Int2::UOverflow(op) };
        for (i, at) in (0u32..).zip(&shape.leaves) {
            let (bits, slot) = (at.leaf.bits() as u16, at.slot as usize);
            let make = |op, d| Op::Int2 { op, bits, nuw: false, nsw: false, exact: false, d, a: a[slot], b: b[slot] };
            self.emit(make(Int2::Bin(op), d + at.slot));
            self.emit(make(test, d + shape.slots + i));
        }
        Ok(())
    }

    /// `vector.reduce.*` of an integer operation, folded left to right.
    fn reduce(&mut self, inst: &InstImage, op: Int2) -> Decoded<()> {
        let a = self.arg(inst, 0)?;
        let shape = self.shape(inst.ty)?;
        let (stride, bits) = (shape.slots as usize, shape.leaves.first().map_or(0, |at| at.leaf.bits()) as u16);
        let d = self.dst();
        self.mov(d, &a[..stride]);
        for element in a.chunks(stride.max(1)).skip(1) {
            self.emit(Op::Int2 { op, bits, nuw: false, nsw: false, exact: false, d, a: d, b: element[0] });
        }
        Ok(())
    }

    /// `vector.reduce.f*`: sequential, from the start value where there is one.
    fn reduce_float(&mut self, inst: &InstImage, op: Float2, has_start: bool) -> Decoded<()> {
        let a = self.arg(inst, usize::from(has_start))?;
        let format = fmt(self.single_leaf(inst.ty)?)?;
        let d = self.dst();
        let (start, rest) = if has_start { (self.scalar(inst, 0)?, &a[..]) } else { (a[0], &a[1..]) };
        self.emit(Op::Mov { d, a: start });
        for &b in rest {
            self.emit(Op::Float2 { op, fmt: format, mode: Mode::default(), d, a: d, b });
        }
        Ok(())
    }

    fn range(&mut self, inst: &InstImage, op: RangeOp) -> Decoded<()> {
        let (d, s, length) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?, self.scalar(inst, 2)?);
        let (d_space, s_space) = (self.space(inst, 0), self.space(inst, 1));
        self.emit(Op::Range { op, d, d_space, s, s_space, length });
        Ok(())
    }

    /// An intrinsic by its name without `llvm.` and without overload suffixes.
    pub(super) fn intrinsic(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        let plain = Mode::default();
        match name {
            "lifetime.start" | "lifetime.end" => {
                // LLVM 22 has one operand; older modules carry the size first.
                let last = inst.operands.len() - 1;
                let (address, space) = (self.scalar(inst, last)?, self.space(inst, last));
                self.emit(Op::Lifetime { address, space, start: name == "lifetime.start" });
            }
            "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign"
            | "donothing"
            | "sideeffect"
            | "var.annotation"
            | "experimental.noalias.scope.decl"
            | "invariant.end"
            | "prefetch"
            | "assume.align"
            | "pseudoprobe"
            | "codeview.annotation"
            | "fake.use" => {}
            "invariant.start" => {
                let zero = self.constant(0);
                let d = self.dst();
                self.emit(Op::Mov { d, a: zero });
            }
            "assume" => {
                let a = self.scalar(inst, 0)?;
                self.emit(Op::Assume { a });
            }
            "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "annotation"
            | "ptr.annotation"
            | "threadlocal.address"
            | "arithmetic.fence"
            | "preserve.array.access.index"
            | "preserve.struct.access.index" => {
                let a = self.arg(inst, 0)?;
                let d = self.dst();
                self.mov(d, &a);
            }
            "is.constant" => {
                let zero = self.constant(0);
                let d = self.dst();
                self.emit(Op::Mov { d, a: zero });
            }
            "objectsize" => {
                // Not folded: unknown, which is 0 for a minimum and all ones for a maximum.
                let minimum = self.constant_arg(inst, 1) == Some(1);
                let bits = self.single_leaf(inst.ty)?.bits();
                let a = self.constant(if minimum { 0 } else { low_mask(bits) });
                let d = self.dst();
                self.emit(Op::Mov { d, a });
            }
            "ptrmask" => {
                let (a, b) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
                let d = self.dst();
                let op = Int2::Bin(BinOp::And);
                self.emit(Op::Int2 { op, bits: 64, nuw: false, nsw: false, exact: false, d, a, b });
            }
            "trap" | "ubsantrap" => self.emit(Op::Trap(format!("llvm.{name}").into())),
            "debugtrap" => {}
            "stacksave" => {
                let d = self.dst();
                self.emit(Op::Special { d, what: Special::StackPointer, bits: 64 });
            }
            "stackrestore" => {
                let a = self.scalar(inst, 0)?;
                self.emit(Op::StackRestore { a });
            }
            "readcyclecounter" | "readsteadycounter" => {
                let d = self.dst();
                self.emit(Op::Special { d, what: Special::Clock64, bits: 64 });
            }
            "memcpy" | "memcpy.inline" => self.range(inst, RangeOp::Copy)?,
            "memmove" => self.range(inst, RangeOp::Move)?,
            "memset" | "memset.inline" => self.range(inst, RangeOp::Set)?,
            "fma" | "fmuladd" => self.fma(inst, plain)?,
            "is.fpclass" => {
                let a = self.arg(inst, 0)?;
                let mask = self.constant_arg(inst, 1).ok_or("is.fpclass without a constant mask")? as u16;
                let shape = self.shape(inst.operand_types[0])?;
                let d = self.dst();
                for (i, at) in (0u32..).zip(&shape.leaves) {
                    let op = Op::Class { fmt: fmt(at.leaf)?, mask, d: d + i, a: a[i as usize] };
                    self.emit(op);
                }
            }
            "ctpop" => self.int1(inst, Int1::Popcount)?,
            "bswap" => self.int1(inst, Int1::ByteSwap)?,
            "bitreverse" => self.int1(inst, Int1::BitReverse)?,
            "abs" => self.int1(inst, Int1::Abs)?,
            "ctlz" => self.int1(inst, Int1::LeadingZeros)?,
            "cttz" => self.int1(inst, Int1::TrailingZeros)?,
            "fshl" => self.int3(inst, Int3::FunnelLeft)?,
            "fshr" => self.int3(inst, Int3::FunnelRight)?,
            "smin" => self.int2(inst, Int2::SMin)?,
            "smax" => self.int2(inst, Int2::SMax)?,
            "umin" => self.int2(inst, Int2::UMin)?,
            "umax" => self.int2(inst, Int2::UMax)?,
            "sadd.sat" => self.int2(inst, Int2::SAddSat)?,
            "uadd.sat" => self.int2(inst, Int2::UAddSat)?,
            "ssub.sat" => self.int2(inst, Int2::SSubSat)?,
            "usub.sat" => self.int2(inst, Int2::USubSat)?,
            "sshl.sat" => self.int2(inst, Int2::SShlSat)?,
            "ushl.sat" => self.int2(inst, Int2::UShlSat)?,
            "scmp" | "ucmp" => {
                let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let (operands, results) = (self.shape(inst.operand_types[0])?, self.shape(inst.ty)?);
                let d = self.dst();
                let less = if name == "scmp" { IntCmp::Slt } else { IntCmp::Ult };
                for (i, (at, to)) in operands.leaves.iter().zip(&results.leaves).enumerate() {
                    // (b < a) - (a < b)
                    let t = self.temp(2);
                    let (x, y) = (a[at.slot as usize], b[at.slot as usize]);
                    let (bits, to_bits) = (at.leaf.bits() as u16, to.leaf.bits() as u16);
                    self.emit(Op::ICmp { pred: less, bits, same_sign: false, d: t, a: y, b: x });
                    self.emit(Op::ICmp { pred: less, bits, same_sign: false, d: t + 1, a: x, b: y });
                    let (op, d) = (Int2::Bin(BinOp::Sub), d + i as u32);
                    self.emit(Op::Int2 { op, bits: to_bits, nuw: false, nsw: false, exact: false, d, a: t, b: t + 1 });
                }
            }
            "sadd.with.overflow" => self.overflow(inst, BinOp::Add, true)?,
            "uadd.with.overflow" => self.overflow(inst, BinOp::Add, false)?,
            "ssub.with.overflow" => self.overflow(inst, BinOp::Sub, true)?,
            "usub.with.overflow" => self.overflow(inst, BinOp::Sub, false)?,
            "smul.with.overflow" => self.overflow(inst, BinOp::Mul, true)?,
            "umul.with.overflow" => self.overflow(inst, BinOp::Mul, false)?,
            "fptosi.sat" | "fptoui.sat" => {
                let a = self.arg(inst, 0)?;
                let from = self.shape(inst.operand_types[0])?;
                let signed = name == "fptosi.sat";
                self.each_leaf(inst.ty, |leaf, d, at| {
                    let to = leaf.bits() as u16;
                    let from = fmt(from.leaves[at].leaf)?;
                    let conv = Conv::FloatToInt {
                        from,
                        to,
                        signed,
                        saturating: true,
                        mode: Mode { round: Round::Zero, ..plain },
                    };
                    Ok(Op::Conv { conv, d, a: a[at] })
                })?;
            }
            "lrint" | "llrint" | "lround" | "llround" => {
                let a = self.scalar(inst, 0)?;
                let from = fmt(self.single_leaf(inst.operand_types[0])?)?;
                let to = self.single_leaf(inst.ty)?.bits() as u16;
                let (t, d) = (self.temp(1), self.dst());
                let op = if name.ends_with("rint") { Float1::RoundEven } else { Float1::RoundAway };
                self.emit(Op::Float1 { op, fmt: from, mode: plain, d: t, a });
                let conv = Conv::FloatToInt { from, to, signed: true, saturating: false, mode: plain };
                self.emit(Op::Conv { conv, d, a: t });
            }
            "vector.reduce.add" => self.reduce(inst, Int2::Bin(BinOp::Add))?,
            "vector.reduce.mul" => self.reduce(inst, Int2::Bin(BinOp::Mul))?,
            "vector.reduce.and" => self.reduce(inst, Int2::Bin(BinOp::And))?,
            "vector.reduce.or" => self.reduce(inst, Int2::Bin(BinOp::Or))?,
            "vector.reduce.xor" => self.reduce(inst, Int2::Bin(BinOp::Xor))?,
            "vector.reduce.smin" => self.reduce(inst, Int2::SMin)?,
            "vector.reduce.smax" => self.reduce(inst, Int2::SMax)?,
            "vector.reduce.umin" => self.reduce(inst, Int2::UMin)?,
            "vector.reduce.umax" => self.reduce(inst, Int2::UMax)?,
            "vector.reduce.fadd" => self.reduce_float(inst, Float2::Add, true)?,
            "vector.reduce.fmul" => self.reduce_float(inst, Float2::Mul, true)?,
            "vector.reduce.fmin" => self.reduce_float(inst, Float2::MinNum, false)?,
            "vector.reduce.fmax" => self.reduce_float(inst, Float2::MaxNum, false)?,
            "vector.reduce.fminimum" => self.reduce_float(inst, Float2::Minimum, false)?,
            "vector.reduce.fmaximum" => self.reduce_float(inst, Float2::Maximum, false)?,
            "copysign" => self.float2(inst, Float2::CopySign, plain)?,
            "minnum" | "minimumnum" => self.float2(inst, Float2::MinNum, plain)?,
            "maxnum" | "maximumnum" => self.float2(inst, Float2::MaxNum, plain)?,
            "minimum" => self.float2(inst, Float2::Minimum, plain)?,
            "maximum" => self.float2(inst, Float2::Maximum, plain)?,
            "pow" => self.float2(inst, Float2::Pow, plain)?,
            "atan2" => self.float2(inst, Float2::Atan2, plain)?,
            "powi" => self.float2(inst, Float2::Powi, plain)?,
            "ldexp" => self.float2(inst, Float2::Ldexp, plain)?,
            _ => match float1_of(name) {
                Some(op) => self.float1(inst, op, plain)?,
                None => return Err(format!("the intrinsic llvm.{name}")),
            },
        }
        Ok(())
    }

    /// A function that is only declared here.
    pub(super) fn library(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        let d = self.dst();
        match name {
            "vprintf" => {
                let (format, args) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
                self.emit(Op::Printf { d, format, args });
            }
            "malloc" => {
                let size = self.scalar(inst, 0)?;
                self.emit(Op::Malloc { d, size });
            }
            "free" => {
                let a = self.scalar(inst, 0)?;
                self.emit(Op::Free { a });
            }
            "__assertfail" | "__assert_fail" => {
                let (message, file, line) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?, self.scalar(inst, 2)?);
                self.emit(Op::AssertFail { message, file, line });
            }
            "abort" | "exit" | "__trap" => self.emit(Op::Trap(name.into())),
            "__nvvm_reflect" | "__nvvm_reflect_ocl" => self.reflect(inst)?,
            _ => return Err(format!("a call of @{name}, which has no body here")),
        }
        Ok(())
    }

    /// `__nvvm_reflect("__CUDA_ARCH")` is 900; every other question (`__CUDA_FTZ` …) is answered 0.
    pub(super) fn reflect(&mut self, inst: &InstImage) -> Decoded<()> {
        use crate::llvm::image::{ConstKind, Operand};
        let mut asked = None;
        if let Some(&Operand::Const(mut id)) = inst.operands.first() {
            loop {
                match &self.image.constants[id.index()].kind {
                    ConstKind::Offset(inner, 0) | ConstKind::Cast(CastOp::AddrSpaceCast | CastOp::BitCast, inner) => {
                        id = *inner
                    }
                    ConstKind::Global(global) => match self.image.globals[global.index()].initializer {
                        Some(next) => id = next,
                        None => break,
                    },
                    ConstKind::Bytes(bytes) => {
                        asked = Some(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned());
                        break;
                    }
                    _ => break,
                }
            }
        }
        let answer = if asked.as_deref() == Some("__CUDA_ARCH") { 900 } else { 0 };
        let a = self.constant(answer);
        let d = self.dst();
        self.emit(Op::Mov { d, a });
        Ok(())
    }

    /// Whether the result is a vector (for intrinsics that have both forms).
    pub(super) fn is_vector(&self, inst: &InstImage) -> bool {
        matches!(self.image.ty(inst.ty).kind, TypeKind::Vector { .. })
    }
}

fn float1_of(name: &str) -> Option<Float1> {
    Some(match name {
        "sqrt" => Float1::Sqrt,
        "fabs" => Float1::Abs,
        "floor" => Float1::Floor,
        "ceil" => Float1::Ceil,
        "trunc" => Float1::Trunc,
        "rint" | "nearbyint" | "roundeven" => Float1::RoundEven,
        "round" => Float1::RoundAway,
        "canonicalize" => Float1::Canonicalize,
        "sin" => Float1::Sin,
        "cos" => Float1::Cos,
        "tan" => Float1::Tan,
        "asin" => Float1::Asin,
        "acos" => Float1::Acos,
        "atan" => Float1::Atan,
        "sinh" => Float1::Sinh,
        "cosh" => Float1::Cosh,
        "tanh" => Float1::Tanh,
        "exp" => Float1::Exp,
        "exp2" => Float1::Exp2,
        "exp10" => Float1::Exp10,
        "log" => Float1::Log,
        "log2" => Float1::Log2,
        "log10" => Float1::Log10,
        _ => return None,
    })
}

/// The low `bits` bits set.
pub(super) fn low_mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
