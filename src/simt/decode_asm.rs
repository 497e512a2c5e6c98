//! Which micro-operations is a piece of inline PTX?
//!
//! CUDA's headers write half-precision arithmetic, carry chains and cache-hinted accesses as inline assembly, so it has to be
//! understood, not recognised: the text is cut into statements, `.reg` declarations become scratch slots, `$n` the
//! operands of the call, and each instruction is decoded by its opcode, modifiers and types. Results are computed into fresh
//! slots first, so an instruction may read the register it writes. Carry chains (`add.cc`, `madc` …) use one slot as the flag.
//!
//! Not understood, hence a named fault: branches and labels, predicated memory accesses, video instructions, everything of
//! tensors, textures and asynchronous copies.

use super::asm_text::{Class, Kind, Parts, braces, kind_of, space_of, split_operands, statements};
use super::code::*;
use super::decode::{Decoded, Decoder, Slots};
use super::decode_nvvm::special_register;
use crate::llvm::image::{BinOp, FloatCmp, InstImage, IntCmp, RmwOp};
use rustc_hash::FxHashMap;

/// The state of decoding one piece.
struct Asm {
    /// Slots of `$n`: results, then arguments.
    operands: Vec<Src>,
    names: FxHashMap<String, Src>,
    carry: Dst,
}

impl Decoder<'_, '_> {
    /// Inline assembly.
    pub(super) fn assembly(&mut self, inst: &InstImage, text: &str, constraints: &str) -> Decoded<()> {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let unknown = |what: &str| format!("the inline assembly \"{flat}\"{what}");
        let (first, count) = self.code.results[self.inst as usize];
        let mut asm = Asm { operands: (first..first + count).collect(), names: FxHashMap::default(), carry: 0 };
        let inputs = constraints.split(',').filter(|part| !part.starts_with(['=', '~']));
        for (index, constraint) in inputs.enumerate() {
            let a = self.scalar(inst, index).map_err(|_| unknown(""))?;
            asm.operands.push(a);
            // Tied: the text reads the output's register.
            if let Ok(output) = constraint.parse::<usize>() {
                let d = *asm.operands.get(output).ok_or_else(|| unknown(""))?;
                self.emit(Op::Mov { d, a });
            }
        }
        asm.carry = self.temp(1);
        for statement in statements(&flat) {
            if self.ptx(&mut asm, &statement).is_none() {
                return Err(unknown(&format!(", at \"{statement}\"")));
            }
        }
        Ok(())
    }

    /// One statement; `None` if it is not understood.
    fn ptx(&mut self, asm: &mut Asm, statement: &str) -> Option<()> {
        if let Some(rest) = statement.strip_prefix(".reg") {
            let (kind, names) = rest.trim_start().trim_start_matches('.').split_once(' ')?;
            kind_of(kind.trim())?;
            for name in names.split(',') {
                let slot = self.temp(1);
                asm.names.insert(name.trim().to_owned(), slot);
            }
            return Some(());
        }
        if let Some(rest) = statement.strip_prefix('@') {
            return self.predicated(asm, rest);
        }
        let (opcode, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        let mut words = opcode.split('.');
        let op = words.next()?;
        let (mut modifiers, mut kinds) = (Vec::new(), Vec::new());
        for word in words {
            match kind_of(word) {
                Some(kind) => kinds.push(kind),
                None => modifiers.push(word),
            }
        }
        let parts = Parts { op, words: modifiers, kinds };
        let args = split_operands(rest);
        self.instruction_of(asm, &parts, &args)
    }

    /// `@p op d, …`: only for operations whose effect is their result.
    fn predicated(&mut self, asm: &mut Asm, rest: &str) -> Option<()> {
        let (guard, statement) = rest.split_once(' ')?;
        let (negated, name) = guard.strip_prefix('!').map_or((false, guard), |name| (true, name));
        let p = self.read(asm, name)?;
        let target = split_operands(statement.split_once(' ')?.1).first()?.clone();
        if ["st.", "ld.", "atom.", "red.", "bra", "bar", "ret", "exit", "trap"]
            .iter()
            .any(|op| statement.starts_with(op))
        {
            return None;
        }
        let d = self.written(asm, &target)?;
        let old = self.temp(1);
        self.emit(Op::Mov { d: old, a: d });
        self.ptx(asm, statement)?;
        let (a, b) = if negated { (old, d) } else { (d, old) };
        self.emit(Op::Select { d, c: p, a, b });
        Some(())
    }

    /// The slot a destination names.
    fn written(&mut self, asm: &Asm, text: &str) -> Option<Dst> {
        let slot = match text.strip_prefix('$') {
            Some(number) => *asm.operands.get(number.parse::<usize>().ok()?)?,
            None => *asm.names.get(text)?,
        };
        (slot & CONST == 0).then_some(slot)
    }

    /// The slot a source names: operand, register, number or special register.
    fn read(&mut self, asm: &Asm, text: &str) -> Option<Src> {
        if let Some(number) = text.strip_prefix('$') {
            return asm.operands.get(number.parse::<usize>().ok()?).copied();
        }
        if let Some(&slot) = asm.names.get(text) {
            return Some(slot);
        }
        if let Some(register) = text.strip_prefix('%').or_else(|| (text == "WARP_SZ").then_some(text)) {
            let what = special_register(register)?;
            let d = self.temp(1);
            self.emit(Op::Special { d, what, bits: if register.ends_with("64") { 64 } else { 32 } });
            return Some(d);
        }
        let number = text.trim_end_matches('U');
        let bits = if let Some(hex) = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
            u64::from_str_radix(hex, 16).ok()?
        } else if let Some(hex) = number.strip_prefix("0f").or_else(|| number.strip_prefix("0F")) {
            u64::from_str_radix(hex, 16).ok()?
        } else if let Some(hex) = number.strip_prefix("0d").or_else(|| number.strip_prefix("0D")) {
            u64::from_str_radix(hex, 16).ok()?
        } else if let Some(negative) = number.strip_prefix('-') {
            negative.parse::<u64>().ok()?.wrapping_neg()
        } else {
            number.parse().ok()?
        };
        Some(self.constant(bits))
    }

    /// A source as a value of so many bits (numbers may be written wider).
    fn value(&mut self, asm: &Asm, text: Option<&String>, bits: u16) -> Option<Src> {
        let text = text?;
        let src = self.read(asm, text)?;
        if src & CONST != 0 && bits < 64 {
            let value = self.pool.values[(src & !CONST) as usize][0];
            if value >> bits != 0 && self.pool.undef[(src & !CONST) as usize] == 0 {
                return Some(self.constant(value & (u64::MAX >> (64 - bits))));
            }
        }
        Some(src)
    }

    fn int2_of(&mut self, op: Int2, bits: u16, a: Src, b: Src) -> Src {
        let d = self.temp(1);
        self.emit(Op::Int2 { op, bits, nuw: false, nsw: false, exact: false, d, a, b });
        d
    }

    fn bin_of(&mut self, op: BinOp, bits: u16, a: Src, b: Src) -> Src {
        self.int2_of(Int2::Bin(op), bits, a, b)
    }

    /// `a + b (+ carry)`, or the difference; leaves the carry or borrow where it is wanted.
    fn carried(&mut self, asm: &Asm, op: BinOp, bits: u16, [a, b]: [Src; 2], carry_in: bool, carry_out: bool) -> Src {
        let mut sum = self.bin_of(op, bits, a, b);
        let mut over = self.int2_of(Int2::UOverflow(op), bits, a, b);
        if carry_in {
            let second = self.int2_of(Int2::UOverflow(op), bits, sum, asm.carry);
            sum = self.bin_of(op, bits, sum, asm.carry);
            over = self.bin_of(BinOp::Or, 1, over, second);
        }
        if carry_out {
            self.emit(Op::Mov { d: asm.carry, a: over });
        }
        sum
    }

    fn instruction_of(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let zero = self.constant(0);
        match parts.op {
            "membar" | "fence" => {
                self.emit(Op::Fence);
                return Some(());
            }
            "bar" | "barrier" if parts.has("warp") => {
                let mask = self.value(asm, args.first(), 32)?;
                let args = [mask, zero, zero, zero];
                self.emit(Op::Collective { what: Collective::WarpSync, d: 0, p: u32::MAX, args });
                return Some(());
            }
            "bar" | "barrier" if parts.has("sync") || parts.has("arrive") => {
                let id = self.value(asm, args.first(), 32)?;
                let count = if args.len() > 1 { self.value(asm, args.get(1), 32)? } else { zero };
                let what = if parts.has("arrive") { BarrierKind::Arrive } else { BarrierKind::Sync };
                self.emit(Op::Barrier { what, d: 0, id, count, predicate: zero });
                return Some(());
            }
            "trap" => {
                self.emit(Op::Trap("trap".into()));
                return Some(());
            }
            "exit" => {
                self.emit(Op::Exit);
                return Some(());
            }
            "brkpt" | "nanosleep" | "prefetch" | "prefetchu" | "discard" | "griddepcontrol" => return Some(()),
            "ld" | "ldu" => return self.ptx_load(asm, parts, args),
            "st" => return self.ptx_store(asm, parts, args),
            "atom" | "red" => return self.ptx_atomic(asm, parts, args),
            "mov" => return self.ptx_move(asm, parts, args),
            _ => {}
        }
        let target = args.first()?;
        if parts.kinds.iter().any(|kind| kind.pair) && parts.op != "cvt" {
            return self.ptx_pair(asm, parts, args);
        }
        let sources: Vec<&String> = args.iter().skip(1).collect();
        let kind = *parts.kinds.last()?;
        let mut values = Slots::new();
        for (i, text) in sources.iter().enumerate() {
            let wide_sum = parts.has("wide") && i == 2;
            values.push(self.value(asm, Some(text), if wide_sum { 2 * kind.bits } else { kind.bits })?);
        }
        let result = self.ptx_value(asm, parts, &values)?;
        // Predicates may come in pairs (`p|q`); only the first is ours.
        let d = self.written(asm, target.split('|').next()?)?;
        self.emit(Op::Mov { d, a: result });
        Some(())
    }

    /// The result of an operation on scalars.
    fn ptx_value(&mut self, asm: &Asm, parts: &Parts<'_>, v: &[Src]) -> Option<Src> {
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

    /// Two elements in one register: take them apart, work on each, put them together.
    fn ptx_pair(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let single = |kind: &Kind| Kind { pair: false, ..*kind };
        let kinds: Vec<Kind> = parts.kinds.iter().map(single).collect();
        let one = Parts { op: parts.op, words: parts.words.clone(), kinds };
        let mut apart = Vec::new();
        for text in args.iter().skip(1) {
            let a = self.value(asm, Some(text), 32)?;
            apart.push(self.unpack(a, 32, 2, 16));
        }
        let halves = self.temp(2);
        for half in 0..2 {
            let values: Slots = apart.iter().map(|first| first + half).collect();
            let a = self.ptx_value(asm, &one, &values)?;
            self.emit(Op::Mov { d: halves + half, a });
        }
        let (a, d) = (self.pack(halves, 2, 16), self.written(asm, args.first()?)?);
        self.emit(Op::Mov { d, a });
        Some(())
    }

    /// Elements side by side in fresh slots.
    fn unpack(&mut self, a: Src, bits: u16, count: u32, to: u16) -> Dst {
        let d = self.temp(count);
        let a = self.in_frame(&[a]);
        self.emit(Op::Repack { d, count, to, a, from_count: 1, from: bits });
        d
    }

    fn pack(&mut self, a: Src, from_count: u32, from: u16) -> Dst {
        let d = self.temp(1);
        self.emit(Op::Repack { d, count: 1, to: from * from_count as u16, a, from_count, from });
        d
    }

    /// Moves, with `{a, b}` on either side.
    fn ptx_move(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let bits = parts.kinds.last()?.bits;
        let [target, source] = args else { return None };
        if let Some(list) = braces(target) {
            let (a, count) = (self.value(asm, Some(source), bits)?, list.len() as u32);
            let first = self.unpack(a, bits, count, bits / count as u16);
            for (name, a) in list.iter().zip(first..) {
                if name != "_" {
                    let d = self.written(asm, name)?;
                    self.emit(Op::Mov { d, a });
                }
            }
            return Some(());
        }
        let d = self.written(asm, target)?;
        let a = match braces(source) {
            Some(list) => {
                let part = bits / list.len() as u16;
                let mut slots = Slots::new();
                for name in &list {
                    slots.push(self.value(asm, Some(name), part)?);
                }
                let first = self.in_frame(&slots);
                self.pack(first, slots.len() as u32, part)
            }
            None => self.value(asm, Some(source), bits)?,
        };
        self.emit(Op::Mov { d, a });
        Some(())
    }

    /// Base, space and offset of `[address+offset]`.
    fn ptx_address(&mut self, asm: &Asm, parts: &Parts<'_>, text: &str) -> Option<(Src, u8)> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim();
        let (base, offset) = match inner.split_once('+') {
            Some((base, offset)) => (base.trim(), offset.trim().parse::<i64>().ok()?),
            None => (inner, 0),
        };
        let base = self.read(asm, base)?;
        let d = self.temp(1);
        self.emit(Op::Address { d, base, index: base, bits: 0, scale: 0, offset });
        Some((d, parts.words.iter().find_map(|word| space_of(word)).unwrap_or(0)))
    }

    fn ptx_load(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let [target, place] = args else { return None };
        let kind = *parts.kinds.last()?;
        let (address, space) = self.ptx_address(asm, parts, place)?;
        let targets = braces(target).unwrap_or_else(|| vec![target.clone()]);
        let (size, mut align) = ((kind.bits / 8) as u8, u32::from(kind.bits / 8) * targets.len() as u32);
        for (i, name) in (0u32..).zip(&targets) {
            let d = self.written(asm, name)?;
            let (offset, bits) = (i * u32::from(size), kind.bits as u8);
            self.emit(Op::Load { d, address, space, offset, size, bits, align, atomic: parts.has("volatile") });
            align = 1;
            if kind.class == Class::Signed && kind.bits < 32 {
                self.emit(Op::Conv {
                    conv: Conv::Int { from: kind.bits, to: 32, signed: true, nuw: false, nsw: false },
                    d,
                    a: d,
                });
            }
        }
        Some(())
    }

    fn ptx_store(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let [place, source] = args else { return None };
        let kind = *parts.kinds.last()?;
        let (address, space) = self.ptx_address(asm, parts, place)?;
        let sources = braces(source).unwrap_or_else(|| vec![source.clone()]);
        let (size, mut align) = ((kind.bits / 8) as u8, u32::from(kind.bits / 8) * sources.len() as u32);
        for (i, name) in (0u32..).zip(&sources) {
            let value = self.value(asm, Some(name), kind.bits)?;
            self.emit(Op::Store {
                value,
                address,
                space,
                offset: i * u32::from(size),
                size,
                align,
                atomic: parts.has("volatile"),
            });
            align = 1;
        }
        Some(())
    }

    fn ptx_atomic(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let kind = *parts.kinds.last()?;
        let signed = kind.class == Class::Signed;
        let (d, args) =
            if parts.op == "red" { (self.temp(1), args) } else { (self.written(asm, args.first()?)?, args.get(1..)?) };
        let (address, space) = self.ptx_address(asm, parts, args.first()?)?;
        let leaf = match kind.class {
            Class::Float(_) if kind.pair => return None,
            Class::Float(Fmt::Half) => Leaf::Half,
            Class::Float(Fmt::BFloat) => Leaf::BFloat,
            Class::Float(Fmt::Single) => Leaf::Float,
            Class::Float(Fmt::Double) => Leaf::Double,
            _ => Leaf::Int(kind.bits),
        };
        let is_float = matches!(kind.class, Class::Float(_));
        let value = self.value(asm, args.get(1), kind.bits)?;
        if parts.has("cas") {
            let (expected, value) = (value, self.value(asm, args.get(2), kind.bits)?);
            let (size, success) = ((kind.bits / 8) as u8, self.temp(1));
            self.emit(Op::CmpXchg { size, d, success, address, space, expected, value });
            return Some(());
        }
        let op = parts.words.iter().find_map(|word| {
            Some(match *word {
                "add" if is_float => RmwOp::FAdd,
                "add" => RmwOp::Add,
                "and" => RmwOp::And,
                "or" => RmwOp::Or,
                "xor" => RmwOp::Xor,
                "exch" => RmwOp::Xchg,
                "min" if signed => RmwOp::Min,
                "min" => RmwOp::UMin,
                "max" if signed => RmwOp::Max,
                "max" => RmwOp::UMax,
                "inc" => RmwOp::IncWrap,
                "dec" => RmwOp::DecWrap,
                _ => return None,
            })
        })?;
        self.emit(Op::AtomicRmw { op, leaf, d, address, space, value });
        Some(())
    }
}
