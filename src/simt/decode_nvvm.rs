//! Which micro-operations are NVPTX's intrinsics (`llvm.nvvm.*`)?
//!
//! Names are taken apart: the first word says the operation, the rest its rounding, flushing, saturation. So one rule
//! serves all of `add.rn.ftz.sat.f`, `add.rz.d` and the like. Tensor, texture, cluster and asynchronous-copy operations
//! are not modelled and fault by name, except `cp.async`, which copies at once.

use super::code::*;
use super::decode::{Decoded, Decoder, fmt};
use crate::llvm::image::InstImage;

impl Decoder<'_, '_> {
    /// An intrinsic by its name without `llvm.nvvm.`.
    pub(super) fn nvvm(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        let unknown = || Err(format!("the intrinsic llvm.nvvm.{name}"));
        if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
            let Some(what) = special_register(register) else { return unknown() };
            let (d, bits) = (self.dst(), self.single_leaf(inst.ty)?.bits() as u16);
            self.emit(Op::Special { d, what, bits });
            return Ok(());
        }
        if self.collective(inst, name)? || self.barrier(inst, name)? || self.nvvm_integer(inst, name)? {
            return Ok(());
        }
        let d = self.dst();
        match name {
            "activemask" => self.emit(Op::Special { d, what: Special::ActiveMask, bits: 32 }),
            "reflect" => self.reflect(inst)?,
            "exit" => self.emit(Op::Exit),
            "nanosleep"
            | "pm.event.mask"
            | "griddepcontrol.wait"
            | "griddepcontrol.launch.dependents"
            | "cp.async.commit.group"
            | "cp.async.wait.all"
            | "cp.async.wait.group"
            | "fence.proxy.alias"
            | "setmaxnreg.inc.sync.aligned.u32"
            | "setmaxnreg.dec.sync.aligned.u32" => {}
            "fence.sc.cluster" | "membar.cta" | "membar.gl" | "membar.sys" => self.emit(Op::Fence),
            _ if name.starts_with("fence.") => self.emit(Op::Fence),
            _ if name.starts_with("prefetch") || name.starts_with("applypriority") || name.starts_with("discard") => {}
            _ if name.starts_with("cp.async.c") && !name.contains("bulk") => {
                // cp.async.{ca,cg}.shared.global.N[.s]: copies N bytes at once; `.s` reads fewer and zero-fills.
                let size: u64 = name.split('.').find_map(|word| word.parse().ok()).unwrap_or(0);
                if name.ends_with(".s") {
                    return unknown();
                }
                let (to, s) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
                let (d_space, s_space) = (self.space(inst, 0), self.space(inst, 1));
                let length = self.constant(size);
                self.emit(Op::Range { op: RangeOp::Copy, d: to, d_space, s, s_space, length });
            }
            "isspacep.const" | "isspacep.global" | "isspacep.local" | "isspacep.shared" | "isspacep.shared.cluster" => {
                let a = self.scalar(inst, 0)?;
                let space = match name {
                    "isspacep.const" => 4,
                    "isspacep.global" => 1,
                    "isspacep.local" => 5,
                    _ => 3,
                };
                self.emit(Op::IsSpace { d, a, space });
            }
            "ldu.global.i" | "ldu.global.f" | "ldu.global.p" | "ldg.global.i" | "ldg.global.f" | "ldg.global.p" => {
                let (address, space) = (self.scalar(inst, 0)?, self.space(inst, 0));
                let align = self.constant_arg(inst, 1).unwrap_or(1) as u32;
                let shape = self.shape(inst.ty)?;
                for (i, at) in shape.leaves.iter().enumerate() {
                    let bits = at.leaf.bits() as u8;
                    let align = if i == 0 { align.max(1) } else { 1 };
                    let (d, offset, size) = (d + at.slot, at.offset, bits.div_ceil(8));
                    self.emit(Op::Load { d, address, space, offset, size, bits, align, atomic: false });
                }
            }
            "move.i16"
            | "move.i32"
            | "move.i64"
            | "move.float"
            | "move.double"
            | "move.ptr"
            | "texsurf.handle.internal"
            | "internal.addrspace.wrap" => {
                let a = self.arg(inst, 0)?;
                self.mov(d, &a);
            }
            "lohi.i2d" => {
                let a: Vec<Src> = (0..2).map(|i| self.scalar(inst, i)).collect::<Decoded<_>>()?;
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
            _ => {
                if !self.nvvm_float(inst, name)? && !self.nvvm_convert(inst, name)? {
                    return unknown();
                }
            }
        }
        Ok(())
    }

    /// Votes, shuffles, matches, reductions.
    fn collective(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let all_active = u64::from(FULL) << 32; // no mask operand: whoever is active takes part
        let mut words = name.split('.');
        let family = words.next().unwrap_or("");
        let sync = name.contains(".sync");
        let second = words.next().unwrap_or("");
        let third = words.next().unwrap_or("");
        let what = match (family, if second == "sync" { third } else { second }) {
            ("bar", "warp") => Collective::WarpSync,
            ("vote", "all") => Collective::VoteAll,
            ("vote", "any") => Collective::VoteAny,
            ("vote", "uni") => Collective::VoteUni,
            ("vote", "ballot") => Collective::Ballot,
            ("shfl", "up") => Collective::Shuffle(Shuffle::Up),
            ("shfl", "down") => Collective::Shuffle(Shuffle::Down),
            ("shfl", "bfly") => Collective::Shuffle(Shuffle::Butterfly),
            ("shfl", "idx") => Collective::Shuffle(Shuffle::Index),
            ("match", "any") => Collective::MatchAny(if name.contains("i64") { 64 } else { 32 }),
            ("match", "all") => Collective::MatchAll(if name.contains("i64") { 64 } else { 32 }),
            ("elect", _) => Collective::Elect,
            ("redux", kind) => Collective::Reduce(match kind {
                "add" => Reduce::Add,
                "min" => Reduce::Min,
                "max" => Reduce::Max,
                "umin" => Reduce::UMin,
                "umax" => Reduce::UMax,
                "and" => Reduce::And,
                "or" => Reduce::Or,
                "xor" => Reduce::Xor,
                "fmin" | "fmax" => {
                    Reduce::Float { max: kind == "fmax", abs: name.contains(".abs"), nan: name.ends_with(".NaN") }
                }
                _ => return Ok(false),
            }),
            _ => return Ok(false),
        };
        let none = self.constant(all_active);
        let mut args = [none; 4];
        let count = inst.operands.len();
        match what {
            Collective::Reduce(_) => {
                // redux.sync(value, mask)
                args[0] = self.scalar(inst, 1)?;
                args[1] = self.scalar(inst, 0)?;
            }
            _ => {
                let first = usize::from(!sync && what != Collective::WarpSync);
                for index in 0..count {
                    args[index + first] = self.scalar(inst, index)?;
                }
            }
        }
        let d = self.dst();
        let results = self.code.results[self.inst as usize].1;
        let p = if results == 2 { d + 1 } else { u32::MAX };
        self.emit(Op::Collective { what, d, p, args });
        Ok(true)
    }

    fn barrier(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let zero = self.constant(0);
        let (mut id, mut count, mut predicate) = (zero, zero, zero);
        let what = match name {
            "barrier0" | "barrier.sync.all" => BarrierKind::Sync,
            "barrier0.and" | "barrier0.or" | "barrier0.popc" => {
                predicate = self.scalar(inst, 0)?;
                match name {
                    "barrier0.and" => BarrierKind::And,
                    "barrier0.or" => BarrierKind::Or,
                    _ => BarrierKind::Popcount,
                }
            }
            "barrier.n" | "bar.sync" | "barrier.sync" => {
                id = self.scalar(inst, 0)?;
                BarrierKind::Sync
            }
            "barrier" | "barrier.sync.cnt" => {
                (id, count) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
                BarrierKind::Sync
            }
            _ => {
                let Some(rest) = name.strip_prefix("barrier.cta.") else { return Ok(false) };
                id = self.scalar(inst, 0)?;
                let counted = rest.ends_with(".count");
                if counted {
                    count = self.scalar(inst, 1)?;
                }
                if rest.starts_with("red.") {
                    predicate = self.scalar(inst, if counted { 2 } else { 1 })?;
                }
                match rest {
                    _ if rest.starts_with("sync") => BarrierKind::Sync,
                    _ if rest.starts_with("arrive") => BarrierKind::Arrive,
                    _ if rest.starts_with("red.and") => BarrierKind::And,
                    _ if rest.starts_with("red.or") => BarrierKind::Or,
                    _ if rest.starts_with("red.popc") => BarrierKind::Popcount,
                    _ => return Ok(false),
                }
            }
        };
        let d = self.dst();
        self.emit(Op::Barrier { what, d, id, count, predicate });
        Ok(true)
    }

    fn nvvm_integer(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let two = match name {
            "mulhi.i" | "mulhi.ll" | "mulhi.s" => Some(Int2::MulHiS),
            "mulhi.ui" | "mulhi.ull" | "mulhi.us" => Some(Int2::MulHiU),
            "mul24.i" => Some(Int2::Mul24S),
            "mul24.ui" => Some(Int2::Mul24U),
            "bmsk.clamp" => Some(Int2::BitMask(true)),
            "bmsk.wrap" => Some(Int2::BitMask(false)),
            "sext.clamp" => Some(Int2::SignExtend(true)),
            "sext.wrap" => Some(Int2::SignExtend(false)),
            "zext.clamp" => Some(Int2::ZeroExtend(true)),
            "zext.wrap" => Some(Int2::ZeroExtend(false)),
            _ => None,
        };
        let one = match name {
            "brev32" | "brev64" => Some(Int1::BitReverse),
            "popc.i" | "popc.ll" => Some(Int1::Popcount),
            "clz.i" | "clz.ll" => Some(Int1::LeadingZeros),
            "abs.i" | "abs.ll" => Some(Int1::Abs),
            "flo.s" => Some(Int1::FindLastS),
            "flo.u" => Some(Int1::FindLastU),
            _ => None,
        };
        let three = match name {
            "fshl.clamp" => Some(Int3::FunnelLeftClamp),
            "fshr.clamp" => Some(Int3::FunnelRightClamp),
            "prmt" => Some(Int3::Permute(Prmt::Index)),
            "sad.i" | "sad.ll" | "sad.s" => Some(Int3::SadS),
            "sad.ui" | "sad.ull" | "sad.us" => Some(Int3::SadU),
            "fns" => Some(Int3::FindNth),
            "idp4a.s.s" => Some(Int3::Dot4(true, true)),
            "idp4a.s.u" => Some(Int3::Dot4(true, false)),
            "idp4a.u.s" => Some(Int3::Dot4(false, true)),
            "idp4a.u.u" => Some(Int3::Dot4(false, false)),
            _ => None,
        };
        let d = self.dst();
        if let Some(op) = two {
            let (a, b) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
            let bits = self.single_leaf(inst.ty)?.bits() as u16;
            self.emit(Op::Int2 { op, bits, nuw: false, nsw: false, exact: false, d, a, b });
        } else if let Some(op) = one {
            let a = self.scalar(inst, 0)?;
            let bits = self.single_leaf(inst.operand_types[0])?.bits() as u16;
            // `flo` counts from the top when its flag is set; that form is rare and not modelled.
            if matches!(op, Int1::FindLastS | Int1::FindLastU) && self.constant_arg(inst, 1) != Some(0) {
                return Ok(false);
            }
            self.emit(Op::Int1 { op, bits, poison: false, d, a });
        } else if let Some(op) = three {
            let (a, b, c) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?, self.scalar(inst, 2)?);
            let bits = self.single_leaf(inst.ty)?.bits() as u16;
            self.emit(Op::Int3 { op, bits, d, a, b, c });
        } else if let Some(mode) = name.strip_prefix("prmt.") {
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
            let wide = inst.operands.len() == 3;
            let (a, last) = (self.scalar(inst, 0)?, self.scalar(inst, inst.operands.len() - 1)?);
            let b = if wide { self.scalar(inst, 1)? } else { self.constant(0) };
            self.emit(Op::Int3 { op: Int3::Permute(mode), bits: 32, d, a, b, c: last });
        } else if let Some(signs) = name.strip_prefix("idp2a.") {
            // idp2a(a, b, high half of b, c)
            let high = self.constant_arg(inst, 2) == Some(1);
            let (a, b, c) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?, self.scalar(inst, 3)?);
            let op = Int3::Dot2(signs.starts_with('s'), signs.ends_with('s'), high);
            self.emit(Op::Int3 { op, bits: 32, d, a, b, c });
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn nvvm_atomic(&mut self, inst: &InstImage, name: &str) -> Decoded<()> {
        use crate::llvm::image::RmwOp;
        let kind = name.split('.').nth(1).unwrap_or("");
        let is_float = name.contains(".gen.f.");
        let (d, leaf) = (self.dst(), self.single_leaf(inst.ty)?);
        let (address, space) = (self.scalar(inst, 0)?, self.space(inst, 0));
        if kind == "cas" {
            let (expected, value) = (self.scalar(inst, 1)?, self.scalar(inst, 2)?);
            let (size, success) = ((leaf.bits() / 8) as u8, self.temp(1));
            self.emit(Op::CmpXchg { size, d, success, address, space, expected, value });
            return Ok(());
        }
        let op = match kind {
            "add" if is_float => RmwOp::FAdd,
            "add" => RmwOp::Add,
            "and" => RmwOp::And,
            "or" => RmwOp::Or,
            "xor" => RmwOp::Xor,
            "exch" => RmwOp::Xchg,
            "max" => RmwOp::Max,
            "min" => RmwOp::Min,
            "inc" => RmwOp::IncWrap,
            "dec" => RmwOp::DecWrap,
            _ => return Err(format!("the intrinsic llvm.nvvm.{name}")),
        };
        let value = self.scalar(inst, 1)?;
        self.emit(Op::AtomicRmw { op, leaf, d, address, space, value });
        Ok(())
    }

    fn nvvm_float(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let mode = mode_of(name);
        let has = |word: &str| name.split('.').any(|part| part == word);
        let one = |op| Some(op);
        let family = name.split('.').next().unwrap_or("");
        let two = match family {
            "add" => Some(Float2::Add),
            "mul" => Some(Float2::Mul),
            "div" => Some(Float2::Div),
            "fmin" | "fmax" => {
                let (max, nan, xorsign) = (family == "fmax", has("nan"), has("xorsign"));
                Some(match (max, xorsign) {
                    (true, true) => Float2::MaxXorSign(nan),
                    (false, true) => Float2::MinXorSign(nan),
                    (true, false) => {
                        if nan {
                            Float2::Maximum
                        } else {
                            Float2::MaxNum
                        }
                    }
                    (false, false) => {
                        if nan {
                            Float2::Minimum
                        } else {
                            Float2::MinNum
                        }
                    }
                })
            }
            _ => None,
        };
        if let Some(op) = two {
            self.float2(inst, op, mode)?;
            return Ok(true);
        }
        let op = match family {
            "fma" => {
                self.fma(inst, mode)?;
                return Ok(true);
            }
            "floor" => one(Float1::Floor),
            "ceil" => one(Float1::Ceil),
            "trunc" => one(Float1::Trunc),
            "round" => one(Float1::RoundEven),
            "fabs" => one(Float1::Abs),
            "neg" => one(Float1::Neg),
            "sqrt" => one(Float1::Sqrt),
            "rcp" => one(Float1::Recip),
            "rsqrt" => one(Float1::Rsqrt),
            "ex2" => one(Float1::Exp2),
            "lg2" => one(Float1::Log2),
            "sin" => one(Float1::Sin),
            "cos" => one(Float1::Cos),
            "tanh" => one(Float1::Tanh),
            "saturate" => one(Float1::Saturate),
            _ => None,
        };
        match op {
            Some(op) => {
                self.float1(inst, op, mode)?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// `X2Y` conversions.
    fn nvvm_convert(&mut self, inst: &InstImage, name: &str) -> Decoded<bool> {
        let mode = mode_of(name);
        let Some((from, rest)) = name.split_once('2') else { return Ok(false) };
        let to = rest.split('.').next().unwrap_or("");
        let d = self.dst();
        if from == "ff" {
            // ff2f16x2(high, low)
            let (high, low) = (self.scalar(inst, 0)?, self.scalar(inst, 1)?);
            if inst.operands.len() != 2 || !self.is_vector(inst) || name.contains(".rs") {
                return Ok(false);
            }
            let shape = self.shape(inst.ty)?;
            let to = fmt(shape.leaves[0].leaf)?;
            self.emit(Op::Conv { conv: Conv::Float { from: Fmt::Single, to, mode }, d, a: low });
            self.emit(Op::Conv { conv: Conv::Float { from: Fmt::Single, to, mode }, d: d + 1, a: high });
            return Ok(true);
        }
        #[derive(Clone, Copy)]
        enum Kind {
            Int(u16, bool),
            Float(Fmt),
        }
        let kind = |word: &str| {
            Some(match word {
                "i" => Kind::Int(32, true),
                "ui" => Kind::Int(32, false),
                "ll" => Kind::Int(64, true),
                "ull" => Kind::Int(64, false),
                "f" => Kind::Float(Fmt::Single),
                "d" => Kind::Float(Fmt::Double),
                "h" | "f16" => Kind::Float(Fmt::Half),
                "bf" | "bf16" => Kind::Float(Fmt::BFloat),
                _ => return None,
            })
        };
        let (Some(from), Some(to)) = (kind(from), kind(to)) else { return Ok(false) };
        let a = self.scalar(inst, 0)?;
        let conv = match (from, to) {
            (Kind::Float(from), Kind::Float(to)) => Conv::Float { from, to, mode },
            (Kind::Float(from), Kind::Int(to, signed)) => Conv::FloatToInt { from, to, signed, saturating: true, mode },
            (Kind::Int(from, signed), Kind::Float(to)) => Conv::IntToFloat { from, to, signed, nneg: false, mode },
            _ => return Ok(false),
        };
        self.emit(Op::Conv { conv, d, a });
        Ok(true)
    }
}

fn mode_of(name: &str) -> Mode {
    let mut mode = Mode::default();
    for word in name.split('.') {
        match word {
            "rz" => mode.round = Round::Zero,
            "rm" => mode.round = Round::Down,
            "rp" => mode.round = Round::Up,
            "ftz" => mode.ftz = true,
            "sat" => mode.saturate = true,
            "relu" => mode.relu = true,
            _ => {}
        }
    }
    mode
}

/// A special register by its PTX name.
pub(super) fn special_register(name: &str) -> Option<Special> {
    let axis = |text: &str| match text {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        "w" => Some(3),
        _ => None,
    };
    if let Some((family, part)) = name.split_once('.') {
        if let Some(axis) = axis(part) {
            match family {
                "tid" => return Some(Special::Tid(axis)),
                "ntid" => return Some(Special::Ntid(axis)),
                "ctaid" => return Some(Special::Ctaid(axis)),
                "nctaid" => return Some(Special::Nctaid(axis)),
                _ => {}
            }
        }
        // A launch without clusters is one of 1×1×1 clusters.
        if let Some(rest) = name.strip_prefix("cluster.") {
            let (family, part) = rest.split_once('.').unwrap_or((rest, ""));
            return match (family, axis(part)) {
                ("ctaid", Some(_)) | ("ctarank", None) => Some(Special::Fixed(0)),
                ("nctaid", Some(_)) | ("nctarank", None) => Some(Special::Fixed(1)),
                _ => None,
            };
        }
        if let Some(axis) = axis(part) {
            match family {
                "clusterid" => return Some(Special::Ctaid(axis)),
                "nclusterid" => return Some(Special::Nctaid(axis)),
                _ => {}
            }
        }
    }
    Some(match name {
        "laneid" => Special::LaneId,
        "warpid" => Special::WarpId,
        "nwarpid" => Special::WarpCount,
        "warpsize" | "WARP_SZ" => Special::Fixed(32),
        "lanemask.eq" | "lanemask_eq" => Special::LaneMaskEq,
        "lanemask.lt" | "lanemask_lt" => Special::LaneMaskLt,
        "lanemask.le" | "lanemask_le" => Special::LaneMaskLe,
        "lanemask.gt" | "lanemask_gt" => Special::LaneMaskGt,
        "lanemask.ge" | "lanemask_ge" => Special::LaneMaskGe,
        "clock" | "clock_lo" => Special::Clock,
        "clock64" => Special::Clock64,
        "clock_hi" => Special::Fixed(0),
        "globaltimer" => Special::GlobalTimer,
        "globaltimer.lo" | "globaltimer_lo" => Special::GlobalTimerLow,
        "dynamic_smem_size" => Special::DynamicShared,
        "total_smem_size" | "aggr_smem_size" => Special::TotalShared,
        "smid" => Special::SmId,
        "nsmid" => Special::SmCount,
        "gridid" => Special::GridId,
        "pm0" | "pm1" | "pm2" | "pm3" => Special::Fixed(0),
        _ if name.starts_with("envreg") => Special::Fixed(0),
        _ => return None,
    })
}
