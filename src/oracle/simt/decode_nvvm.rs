//! How are NVPTX's intrinsics (`llvm.nvvm.*`) translated to micro-operations?
//!
//! Names are split: the first word is the operation, the others say how it rounds, flushes and saturates. So one rule
//! covers all of `add.rn.ftz.sat.f`, `add.rz.d` and the like. Tensor, texture, cluster and asynchronous-copy operations
//! are not implemented and fault by name, except `cp.async`, which copies at once.

use super::asm_text::{space_of, type_of};
use super::code::*;
use super::decode::{Decoded, Decoder, fmt};
use super::decode_asm_value::float_conversion;
use super::names::{self, Rule};
use warpwise_ir::llvm::image::{InstImage, TypeKind};

impl Decoder<'_, '_> {
    /// An intrinsic by its name without `llvm.nvvm.`.
    pub(super) fn nvvm(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        let unknown = || Err(format!("the intrinsic llvm.nvvm.{name}"));
        if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
            let Some(what) = names::special_register(register) else { return unknown() };
            return self.rule(inst, Rule::Special(what), Mode::default());
        }
        if self.collective(inst, name)? || self.barrier(inst, name)? || self.permute_or_dot(inst, name)? {
            return Ok(());
        }
        if let Some((rule, mode)) = names::nvvm(name) {
            // `flo` counts from the top when its flag is set; that form is rare and not modelled.
            if name.starts_with("flo.") && self.constant_arg(inst, 1) != Some(0) {
                return unknown();
            }
            return self.rule(inst, rule, mode);
        }
        let d = self.dst();
        match name {
            "reflect" => self.reflect(inst)?,
            "exit" => self.emit(Op::Exit),
            _ if name.starts_with("cp.async.c") && !name.contains("bulk") => {
                // cp.async.{ca,cg}.shared.global.N[.s]: copies N bytes at once; `.s` reads fewer and zero-fills.
                let size: u64 = name.split('.').find_map(|word| word.parse().ok()).unwrap_or(0);
                if name.ends_with(".s") {
                    return unknown();
                }
                let (to, s) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
                let (d_space, s_space) = (self.space(inst, 0), self.space(inst, 1));
                let length = self.constant(size);
                self.emit(Op::Range { sets: false, d: to, d_space, s, s_space, length });
            }
            _ if name.starts_with("isspacep.") => {
                let Some(space) = name.split('.').nth(1).and_then(space_of) else { return unknown() };
                let a = self.scalar(inst, 0)?;
                self.emit(Op::IsSpace { d, a, space });
            }
            "ldu.global.i" | "ldu.global.f" | "ldu.global.p" | "ldg.global.i" | "ldg.global.f" | "ldg.global.p" => {
                let align = self.constant_arg(inst, 1).unwrap_or(1) as u32;
                self.load(inst, align, false)?;
            }
            "lohi.i2d" => {
                let a = [self.scalar(inst, 0)?, self.scalar(inst, 1)?];
                let a = self.in_frame(&a);
                self.emit(Op::Repack { d, count: 1, to: 64, a, from_count: 2, from: 32 });
            }
            "d2i.lo" | "d2i.hi" => {
                let (a, t) = (self.scalar(inst, 0)?, self.temp(2));
                let a = self.in_frame(&[a]);
                self.emit(Op::Repack { d: t, count: 2, to: 32, a, from_count: 1, from: 64 });
                self.emit(Op::Mov { d, a: if name == "d2i.lo" { t } else { t + 1 } });
            }
            _ if name.starts_with("atomic.") => self.nvvm_atomic(inst, name)?,
            _ if self.nvvm_convert(inst, name)? => {}
            _ => return unknown(),
        }
        Ok(())
    }

    /// Votes, shuffles, matches, reductions.
    fn collective(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let all_active = u64::from(FULL) << 32; // no mask operand: all active lanes participate
        let mut words = name.split('.').filter(|&word| word != "sync");
        let (family, kind) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let sync = name.contains(".sync");
        let bits = if name.contains("i64") { 64 } else { 32 };
        let what = match (family, kind) {
            ("bar", "warp") => Collective::WarpSync,
            ("match", "any") => Collective::MatchAny(bits),
            ("match", "all") => Collective::MatchAll(bits),
            ("elect", _) => Collective::Elect,
            ("redux", "min") => Collective::Reduce(Reduce::Min),
            ("redux", "max") => Collective::Reduce(Reduce::Max),
            ("redux", "umin") => Collective::Reduce(Reduce::UMin),
            ("redux", "umax") => Collective::Reduce(Reduce::UMax),
            ("redux", "fmin" | "fmax") => {
                let (abs, nan) = (name.contains(".abs"), name.ends_with(".NaN"));
                Collective::Reduce(Reduce::Float { max: kind == "fmax", abs, nan })
            }
            _ => match names::collective(family, kind) {
                Some(known) => known,
                None => return Ok(false),
            },
        };
        let none = self.constant(all_active);
        let mut args = [none; 4];
        let first = usize::from(!sync && what != Collective::WarpSync);
        for index in 0..inst.operands.len() {
            args[index + first] = self.scalar(inst, index)?;
        }
        if matches!(what, Collective::Reduce(_)) {
            args.swap(0, 1); // redux.sync(value, mask)
        }
        let d = self.dst();
        let results = self.code.results[self.inst as usize].1;
        let p = if results == 2 { d + 1 } else { u32::MAX };
        self.emit(Op::Collective { what, d, p, args });
        Ok(true)
    }

    fn barrier(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        // which of these it has: number, count, predicate
        let (what, given) = match name {
            "barrier0" | "barrier.sync.all" => ("sync", [false; 3]),
            "barrier0.and" | "barrier0.or" | "barrier0.popc" => (&name["barrier0.".len()..], [false, false, true]),
            "barrier.n" | "bar.sync" | "barrier.sync" => ("sync", [true, false, false]),
            "barrier" | "barrier.sync.cnt" => ("sync", [true, true, false]),
            _ => {
                let Some(rest) = name.strip_prefix("barrier.cta.") else { return Ok(false) };
                let what = rest.trim_start_matches("red.").split('.').next().unwrap_or_default();
                (what, [true, rest.ends_with(".count"), rest.starts_with("red.")])
            }
        };
        let what = match what {
            "sync" => BarrierKind::Sync,
            "arrive" => BarrierKind::Arrive,
            "and" => BarrierKind::And,
            "or" => BarrierKind::Or,
            "popc" => BarrierKind::Popcount,
            _ => return Ok(false),
        };
        let mut operands = [self.constant(0); 3];
        for (index, operand) in operands.iter_mut().zip(given).filter(|(_, given)| *given).enumerate() {
            *operand.0 = self.scalar(inst, index)?;
        }
        let ([id, count, predicate], d) = (operands, self.dst());
        self.emit(Op::Barrier { what, d, id, count, predicate });
        Ok(true)
    }

    /// `prmt` with a mode, and `idp2a`.
    fn permute_or_dot(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let (op, args) = if let Some(mode) = name.strip_prefix("prmt.") {
            let mode = match mode {
                "f4e" => Prmt::F4e,
                "b4e" => Prmt::B4e,
                "rc8" => Prmt::Rc8,
                "ecl" => Prmt::Ecl,
                "ecr" => Prmt::Ecr,
                "rc16" => Prmt::Rc16,
                _ => return Ok(false),
            };
            // The four-byte modes take (a, b, selector), the others (a, selector).
            let (a, last) = (self.scalar(inst, 0)?, self.scalar(inst, inst.operands.len() - 1)?);
            let b = if inst.operands.len() == 3 { self.scalar(inst, 1)? } else { self.constant(0) };
            (IntOp::Permute(mode), [a, b, last])
        } else if let Some(signs) = name.strip_prefix("idp2a.") {
            // idp2a(a, b, high half of b, c)
            let high = self.constant_arg(inst, 2) == Some(1);
            let operands = [self.scalar(inst, 0)?, self.scalar(inst, 1)?, self.scalar(inst, 3)?];
            (IntOp::Dot2(signs.starts_with('s'), signs.ends_with('s'), high), operands)
        } else {
            return Ok(false);
        };
        let d = self.dst();
        self.emit(Op::Int(IntArgs { op, bits: 32, wrap: Wrap::default(), d, args }));
        Ok(true)
    }

    fn nvvm_atomic(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        let kind = name.split('.').nth(1).unwrap_or("");
        if kind == "cas" {
            let success = self.temp(1);
            return self.cmpxchg(inst, success);
        }
        let op = names::atomic(kind, true, name.contains(".gen.f."));
        self.atomic_rmw(inst, op.ok_or_else(|| format!("the intrinsic llvm.nvvm.{name}"))?)
    }

    /// `X2Y` conversions.
    fn nvvm_convert(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let mode = names::mode(name.split('.'));
        let Some((from, rest)) = name.split_once('2') else { return Ok(false) };
        let to = rest.split('.').next().unwrap_or("");
        let d = self.dst();
        if from == "ff" {
            // ff2f16x2(high, low)
            let (high, low) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
            if inst.operands.len() != 2
                || !matches!(self.image.ty(inst.ty).kind, TypeKind::Vector { .. })
                || name.contains(".rs")
            {
                return Ok(false);
            }
            let shape = self.shape(inst.ty)?;
            let to = fmt(shape.leaves[0].leaf)?;
            self.emit(Op::Conv { conv: Conv::Float { from: Fmt::Single, to, mode }, d, a: low });
            self.emit(Op::Conv { conv: Conv::Float { from: Fmt::Single, to, mode }, d: d + 1, a: high });
            return Ok(true);
        }
        // the name of the type in PTX
        let kind = |word: &str| {
            type_of(match word {
                "i" => "s32",
                "ui" => "u32",
                "ll" => "s64",
                "ull" => "u64",
                "f" => "f32",
                "d" => "f64",
                "h" | "f16" => "f16",
                "bf" | "bf16" => "bf16",
                _ => return None,
            })
        };
        let conv = kind(from).zip(kind(to)).and_then(|(from, to)| float_conversion(from, to, mode));
        let (Some(conv), a) = (conv, self.scalar(inst, 0)?) else { return Ok(false) };
        self.emit(Op::Conv { conv, d, a });
        Ok(true)
    }
}
