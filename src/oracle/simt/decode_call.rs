//! How are LLVM's own intrinsics translated to micro-operations, and functions that CUDA programs call without a body?

use super::code::*;
use super::decode::{Decoded, Decoder, fmt};
use super::names::{self, Rule};
use warpwise_ir::llvm::image::{BinOp, CastOp, InstImage, IntCmp};

impl Decoder<'_, '_> {
    /// An intrinsic found in a table.
    pub(super) fn rule(&mut self, inst: &InstImage, rule: Rule, mode: Mode) -> Decoded<()> {
        match rule {
            Rule::Nothing => {}
            Rule::Zero => self.result(0),
            Rule::Copy => {
                let a = self.arg(inst, 0)?;
                self.mov(self.dst(), &a);
            }
            Rule::Special(what) => {
                let (d, bits) = (self.dst(), self.single_leaf(inst.ty)?.bits() as u16);
                self.emit(Op::Special { d, what, bits });
            }
            Rule::Int(op) => {
                // the second operand of abs, ctlz and cttz says whether the special case is poison
                let exact = op.arity() == 1 && self.constant_arg(inst, 1) == Some(1);
                self.int(inst, op, Wrap { exact, ..Wrap::default() })?;
            }
            Rule::Float(op) => {
                let args = self.elements(inst, op.arity())?;
                self.each_leaf(inst.ty, |leaf, d, at| Ok(Op::Float { op, fmt: fmt(leaf)?, mode, d, args: args(at) }))?;
            }
            Rule::Overflow(op, signed) => self.overflow(inst, op, signed)?,
            Rule::Reduce(op) => self.reduce(inst, op)?,
            Rule::ReduceFloat(op, has_start) => self.reduce_float(inst, op, has_start)?,
            Rule::Range(sets) => {
                let (d, s, length) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?, self.scalar(inst, 2)?);
                let (d_space, s_space) = (self.space(inst, 0), self.space(inst, 1));
                self.emit(Op::Range { sets, d, d_space, s, s_space, length });
            }
        }
        Ok(())
    }

    /// An integer operation, element by element.
    pub(super) fn int(&mut self, inst: &InstImage, op: IntOp, wrap: Wrap) -> Decoded<()> {
        let args = self.elements(inst, op.arity())?;
        self.each_leaf(inst.operand_types[0], |leaf, d, at| {
            Ok(Op::Int(IntArgs { op, bits: leaf.bits() as u16, wrap, d, args: args(at) }))
        })
    }

    /// The slots at a place of so many operands, of which the last is repeated; a scalar among vectors is shared by all
    /// elements, as the integers of powi and ldexp.
    fn elements(&mut self, inst: &InstImage, count: usize) -> Decoded<impl Fn(usize) -> [Src; 3] + use<>> {
        let all = (0..count).map(|index| self.arg(inst, index)).collect::<Decoded<Vec<_>>>()?;
        Ok(move |at| {
            std::array::from_fn(|index| {
                let slots = &all[index.min(count - 1)];
                slots[if slots.len() == 1 { 0 } else { at }]
            })
        })
    }

    /// The result is a number.
    fn result(&mut self, bits: u64) {
        let a = self.constant(bits);
        self.mov(self.dst(), &[a]);
    }

    /// `*.with.overflow`: the wrapped result, then the bit.
    fn overflow(&mut self, inst: &InstImage, op: BinOp, signed: bool) -> Decoded<()> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let shape = self.shape(inst.operand_types[0])?;
        let d = self.dst();
        for (i, at) in (0u32..).zip(&shape.leaves) {
            let (bits, operands) = (at.leaf.bits() as u16, [a[at.slot as usize], b[at.slot as usize]]);
            self.int2_into(IntOp::Bin(op), bits, d + at.slot, operands);
            self.int2_into(IntOp::Overflow(op, signed), bits, d + shape.slots + i, operands);
        }
        Ok(())
    }

    /// `vector.reduce.*` of an integer operation, folded left to right.
    fn reduce(&mut self, inst: &InstImage, op: IntOp) -> Decoded<()> {
        let a = self.arg(inst, 0)?;
        let shape = self.shape(inst.ty)?;
        let (stride, bits) = (shape.slots as usize, shape.leaves.first().map_or(0, |at| at.leaf.bits()) as u16);
        let d = self.dst();
        self.mov(d, &a[..stride]);
        for element in a.chunks(stride.max(1)).skip(1) {
            self.int2_into(op, bits, d, [d, element[0]]);
        }
        Ok(())
    }

    /// `vector.reduce.f*`: sequential, from the start value where there is one.
    fn reduce_float(&mut self, inst: &InstImage, op: FloatOp, has_start: bool) -> Decoded<()> {
        let a = self.arg(inst, usize::from(has_start))?;
        let format = fmt(self.single_leaf(inst.ty)?)?;
        let d = self.dst();
        let (start, rest) = if has_start { (self.scalar(inst, 0)?, &a[..]) } else { (a[0], &a[1..]) };
        self.emit(Op::Mov { d, a: start });
        for &b in rest {
            self.emit(Op::Float { op, fmt: format, mode: Mode::default(), d, args: [d, b, b] });
        }
        Ok(())
    }

    /// An intrinsic by its name without `llvm.` and without overload suffixes.
    pub(super) fn intrinsic(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        if let Some(rule) = names::llvm(name) {
            return self.rule(inst, rule, Mode::default());
        }
        match name {
            "lifetime.start" | "lifetime.end" => {
                // LLVM 22 has one operand; in older modules the size comes first
                let last = inst.operands.len() - 1;
                let (address, space) = (self.scalar(inst, last)?, self.space(inst, last));
                self.emit(Op::Lifetime { address, space, start: name == "lifetime.start" });
            }
            "assume" | "stackrestore" => {
                let a = self.scalar(inst, 0)?;
                self.emit(if name == "assume" { Op::Assume { a } } else { Op::StackRestore { a } });
            }
            "objectsize" => {
                // not folded, so unknown: 0 for a minimum and all ones for a maximum
                let minimum = self.constant_arg(inst, 1) == Some(1);
                let bits = self.single_leaf(inst.ty)?.bits();
                self.result(if minimum { 0 } else { u64::MAX >> (64 - bits) });
            }
            "trap" | "ubsantrap" => self.emit(Op::Trap(format!("llvm.{name}").into())),
            "is.fpclass" => {
                let a = self.arg(inst, 0)?;
                let mask = self.constant_arg(inst, 1).ok_or("is.fpclass without a constant mask")? as u16;
                let shape = self.shape(inst.operand_types[0])?;
                for (i, at) in shape.leaves.iter().enumerate() {
                    let (fmt, d) = (fmt(at.leaf)?, self.dst() + i as u32);
                    self.emit(Op::Class { fmt, mask, d, a: a[i] });
                }
            }
            "scmp" | "ucmp" => self.three_way(inst, if name == "scmp" { IntCmp::Slt } else { IntCmp::Ult })?,
            "fptosi.sat" | "fptoui.sat" => {
                let a = self.arg(inst, 0)?;
                let from = self.shape(inst.operand_types[0])?;
                let (signed, mode) = (name == "fptosi.sat", Mode { round: Round::Zero, ..Mode::default() });
                self.each_leaf(inst.ty, |leaf, d, at| {
                    let (from, to) = (fmt(from.leaves[at].leaf)?, leaf.bits() as u16);
                    Ok(Op::Conv { conv: Conv::FloatToInt { from, to, signed, saturating: true, mode }, d, a: a[at] })
                })?;
            }
            "lrint" | "llrint" | "lround" | "llround" => {
                let a = self.scalar(inst, 0)?;
                let from = fmt(self.single_leaf(inst.operand_types[0])?)?;
                let to = self.single_leaf(inst.ty)?.bits() as u16;
                let (t, d, mode) = (self.temp(1), self.dst(), Mode::default());
                let op =
                    if name.ends_with("rint") { FloatOp::Of(f64::round_ties_even) } else { FloatOp::Of(f64::round) };
                self.emit(Op::Float { op, fmt: from, mode, d: t, args: [a; 3] });
                let conv = Conv::FloatToInt { from, to, signed: true, saturating: false, mode };
                self.emit(Op::Conv { conv, d, a: t });
            }
            _ => return Err(format!("the intrinsic llvm.{name}")),
        }
        Ok(())
    }

    /// `scmp`, `ucmp`: (b < a) - (a < b).
    fn three_way(&mut self, inst: &InstImage, pred: IntCmp) -> Decoded<()> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let (operands, results) = (self.shape(inst.operand_types[0])?, self.shape(inst.ty)?);
        for (d, (at, to)) in (self.dst()..).zip(operands.leaves.iter().zip(&results.leaves)) {
            let t = self.temp(2);
            let (x, y, bits) = (a[at.slot as usize], b[at.slot as usize], at.leaf.bits() as u16);
            self.emit(Op::ICmp { pred, bits, same_sign: false, d: t, a: y, b: x });
            self.emit(Op::ICmp { pred, bits, same_sign: false, d: t + 1, a: x, b: y });
            self.int2_into(IntOp::Bin(BinOp::Sub), to.leaf.bits() as u16, d, [t, t + 1]);
        }
        Ok(())
    }

    /// A function that is only declared here.
    pub(super) fn library(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        let d = self.dst();
        let op = match name {
            "vprintf" => Op::Printf { d, format: self.scalar(inst, 0)?, args: self.scalar(inst, 1)? },
            "malloc" => Op::Malloc { d, size: self.scalar(inst, 0)? },
            "free" => Op::Free { a: self.scalar(inst, 0)? },
            "__assertfail" | "__assert_fail" => {
                let (message, file, line) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?, self.scalar(inst, 2)?);
                Op::AssertFail { message, file, line }
            }
            "abort" | "exit" | "__trap" => Op::Trap(name.into()),
            "__nvvm_reflect" | "__nvvm_reflect_ocl" => return self.reflect(inst),
            _ => return Err(format!("a call of @{name}, which has no body here")),
        };
        self.emit(op);
        Ok(())
    }

    /// `__nvvm_reflect("__CUDA_ARCH")` is 900; all other queries (`__CUDA_FTZ` …) yield 0.
    pub(super) fn reflect(&mut self, inst: &InstImage) -> Decoded<()> {
        use warpwise_ir::llvm::image::{ConstKind, Operand};
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
        self.result(answer);
        Ok(())
    }
}
