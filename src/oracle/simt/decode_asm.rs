//! How is inline PTX translated to micro-operations?
//!
//! CUDA's headers write half-precision arithmetic, carry chains and accesses with cache hints as inline assembly, so it
//! has to be decoded in general, not recognised. The text is split into statements; `.reg` declarations become
//! temporary slots, `$n` the operands of the call; and each instruction is decoded by its opcode, modifiers and types.
//! Results are computed into fresh slots first, so an instruction may read the register that it writes. Carry chains
//! (`add.cc`, `madc` …) use one slot as the flag. Branches are decoded in `decode_asm_flow`.
//!
//! Not implemented, and therefore a fault that names the instruction: predicated atomic operations with a result, video
//! instructions other than `vabsdiff4` of unsigned bytes, and everything about tensors, textures and asynchronous copies.

use super::asm_text::{
    Guard, Parts, PtxClass, PtxType, braces, guarded, space_of, split_operands, statements, type_of,
};
use super::code::*;
use super::decode::{Decoded, Decoder, Slots};
use super::names;
use rustc_hash::FxHashMap;
use warpwise_ir::llvm::image::{BinOp, InstImage};

/// State while one piece of assembly is decoded.
#[derive(Default)]
pub(super) struct Asm {
    /// Slots of `$n`: results, then arguments.
    operands: Vec<Src>,
    names: FxHashMap<String, Src>,
    carry: Dst,
    pub(super) labels: FxHashMap<String, u32>,
    /// Positions of jumps, and their targets.
    pub(super) jumps: Vec<(usize, String)>,
    /// Statements up to this label are executed under a predicate.
    pub(super) masked: Option<(String, Src, bool)>,
}

impl Decoder<'_, '_> {
    /// Inline assembly.
    pub(super) fn assembly(&mut self, inst: &InstImage, text: &str, constraints: &str) -> Decoded<()> {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let unknown = |what: &str| format!("the inline assembly \"{flat}\"{what}");
        let (first, count) = self.code.results[self.inst as usize];
        let mut asm = Asm { operands: (first..first + count).collect(), ..Asm::default() };
        let inputs = constraints.split(',').filter(|part| !part.starts_with(['=', '~']));
        for (index, constraint) in inputs.enumerate() {
            let a = self.scalar(inst, index).map_err(|_| unknown(""))?;
            asm.operands.push(a);
            // tied operand: the text reads the register of the output
            if let Ok(output) = constraint.parse::<usize>() {
                let d = *asm.operands.get(output).ok_or_else(|| unknown(""))?;
                self.emit(Op::Mov { d, a });
            }
        }
        asm.carry = self.temp(1);
        let statements = statements(&flat);
        for (number, statement) in statements.iter().enumerate() {
            if self.in_flow(&mut asm, statement, &statements[number + 1..]).is_none() {
                return Err(unknown(&format!(", at \"{statement}\"")));
            }
        }
        self.end_flow(&asm).ok_or_else(|| unknown(", which lacks a label"))
    }

    /// Decodes one statement; `None` if it is not implemented.
    pub(super) fn ptx(&mut self, asm: &mut Asm, statement: &str) -> Option<()> {
        if let Some(rest) = statement.strip_prefix(".reg") {
            let (kind, names) = rest.trim_start().trim_start_matches('.').split_once(' ')?;
            type_of(kind.trim())?;
            for name in names.split(',') {
                // `r<3>`: r0, r1, r2
                if let Some((name, count)) = name.trim().strip_suffix('>').and_then(|name| name.split_once('<')) {
                    for number in 0..count.parse::<u32>().ok()? {
                        asm.names.insert(format!("{name}{number}"), self.temp(1));
                    }
                    continue;
                }
                let slot = self.temp(1);
                asm.names.insert(name.trim().to_owned(), slot);
            }
            return Some(());
        }
        if statement.starts_with(".pragma") {
            return Some(());
        }
        let (guard, statement) = guarded(statement)?;
        if let Some(guard) = guard {
            return self.predicated(asm, &guard, statement);
        }
        let (opcode, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        let mut words = opcode.split('.');
        let op = words.next()?;
        let (mut modifiers, mut kinds) = (Vec::new(), Vec::new());
        for word in words {
            match type_of(word) {
                Some(kind) => kinds.push(kind),
                None => modifiers.push(word),
            }
        }
        let parts = Parts { op, words: modifiers, kinds };
        let args = split_operands(rest);
        self.instruction_of(asm, &parts, &args)
    }

    /// `@p op d, …`, for operations whose only effect is their result, and for loads, stores and additions to memory.
    fn predicated(&mut self, asm: &mut Asm, guard: &Guard<'_>, statement: &str) -> Option<()> {
        let (p, negated) = (self.read(asm, guard.name)?, guard.negated);
        let target = split_operands(statement.split_once(' ')?.1).first()?.clone();
        if statement.starts_with("activemask") {
            return self.predicated_mask(asm, &target, p, negated);
        }
        if ["st.", "ld.", "red."].iter().any(|op| statement.starts_with(op)) {
            return self.masked(asm, statement, p, negated);
        }
        let others = ["atom.", "vote.", "shfl.", "redux.", "bra", "bar", "ret", "exit", "trap"];
        if others.iter().any(|op| statement.starts_with(op)) {
            return None;
        }
        let d = self.written(asm, &target)?;
        let old = self.value_of(|old| Op::Mov { d: old, a: d });
        self.ptx(asm, statement)?;
        let (a, b) = if negated { (old, d) } else { (d, old) };
        self.emit(Op::Select { d, c: p, a, b });
        Some(())
    }

    /// `@p activemask.b32 d`: the lanes that execute it are those whose predicate holds.
    fn predicated_mask(&mut self, asm: &Asm, target: &str, p: Src, negated: bool) -> Option<()> {
        let d = self.written(asm, target)?;
        let (zero, yes) = (self.constant(0), self.constant(1));
        let holds = if negated { self.bin_of(BinOp::Xor, 1, p, yes) } else { p };
        let (everybody, found) = (self.constant(u64::from(FULL) << 32), self.temp(1));
        let args = [everybody, holds, zero, zero];
        self.emit(Op::Collective { what: Collective::Ballot, d: found, p: u32::MAX, args });
        self.emit(Op::Select { d, c: holds, a: found, b: d });
        Some(())
    }

    /// The slot of a destination operand.
    pub(super) fn written(&mut self, asm: &Asm, text: &str) -> Option<Dst> {
        let slot = match text.strip_prefix('$') {
            Some(number) => *asm.operands.get(number.parse::<usize>().ok()?)?,
            None => *asm.names.get(text)?,
        };
        (slot & CONST == 0).then_some(slot)
    }

    /// The slot of a source operand: `$n`, register, number or special register.
    pub(super) fn read(&mut self, asm: &Asm, text: &str) -> Option<Src> {
        if let Some(number) = text.strip_prefix('$') {
            return asm.operands.get(number.parse::<usize>().ok()?).copied();
        }
        if let Some(&slot) = asm.names.get(text) {
            return Some(slot);
        }
        if let Some(register) = text.strip_prefix('%').or_else(|| (text == "WARP_SZ").then_some(text)) {
            let what = names::special_register(register)?;
            let bits = if register.ends_with("64") { 64 } else { 32 };
            return Some(self.value_of(|d| Op::Special { d, what, bits }));
        }
        let number = text.trim_end_matches('U');
        let hex = ["0x", "0X", "0f", "0F", "0d", "0D"].iter().find_map(|prefix| number.strip_prefix(prefix));
        let bits = match (hex, number.strip_prefix('-')) {
            (Some(hex), _) => u64::from_str_radix(hex, 16).ok()?,
            (_, Some(negative)) => negative.parse::<u64>().ok()?.wrapping_neg(),
            _ => number.parse().ok()?,
        };
        Some(self.constant(bits))
    }

    /// A source as a value of this width (numbers may be written wider).
    pub(super) fn value(&mut self, asm: &Asm, text: Option<&String>, bits: u16) -> Option<Src> {
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

    pub(super) fn int2_of(&mut self, op: IntOp, bits: u16, a: Src, b: Src) -> Src {
        let d = self.temp(1);
        self.int2_into(op, bits, d, [a, b]);
        d
    }

    pub(super) fn bin_of(&mut self, op: BinOp, bits: u16, a: Src, b: Src) -> Src {
        self.int2_of(IntOp::Bin(op), bits, a, b)
    }

    /// `a + b`, or the difference; `addc` and its like add the carry, and `.cc` writes the carry or borrow.
    pub(super) fn carried(&mut self, asm: &Asm, parts: &Parts<'_>, op: BinOp, bits: u16, [a, b]: [Src; 2]) -> Src {
        let mut sum = self.bin_of(op, bits, a, b);
        let mut over = self.int2_of(IntOp::Overflow(op, false), bits, a, b);
        if parts.op.ends_with('c') {
            let second = self.int2_of(IntOp::Overflow(op, false), bits, sum, asm.carry);
            sum = self.bin_of(op, bits, sum, asm.carry);
            over = self.bin_of(BinOp::Or, 1, over, second);
        }
        if parts.has("cc") {
            self.emit(Op::Mov { d: asm.carry, a: over });
        }
        sum
    }

    fn instruction_of(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let zero = self.constant(0);
        let op = match parts.op {
            "membar" | "fence" => Op::Nop,
            "bar" | "barrier" if parts.has("warp") => {
                let mask = self.value(asm, args.first(), 32)?;
                Op::Collective { what: Collective::WarpSync, d: 0, p: u32::MAX, args: [mask, zero, zero, zero] }
            }
            "bar" | "barrier" if parts.has("sync") || parts.has("arrive") => {
                let id = self.value(asm, args.first(), 32)?;
                let count = if args.len() > 1 { self.value(asm, args.get(1), 32)? } else { zero };
                let what = if parts.has("arrive") { BarrierKind::Arrive } else { BarrierKind::Sync };
                Op::Barrier { what, d: 0, id, count, predicate: zero }
            }
            "trap" => Op::Trap("trap".into()),
            "exit" => Op::Exit,
            "brkpt" | "nanosleep" | "prefetch" | "prefetchu" | "discard" | "griddepcontrol" => return Some(()),
            "ld" | "ldu" | "st" => return self.ptx_access(asm, parts, args, parts.op != "st"),
            "atom" | "red" => return self.ptx_atomic(asm, parts, args),
            "mov" => return self.ptx_move(asm, parts, args),
            "vote" | "shfl" | "redux" => return self.ptx_collective(asm, parts, args),
            _ => return self.ptx_computed(asm, parts, args),
        };
        self.emit(op);
        Some(())
    }

    /// An instruction whose only effect is its result.
    fn ptx_computed(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let target = args.first()?;
        if parts.kinds.iter().any(|kind| kind.pair) && parts.op != "cvt" {
            return self.ptx_pair(asm, parts, args);
        }
        let kind = *parts.kinds.last()?;
        let mut values = Slots::new();
        for (i, text) in args.iter().enumerate().skip(1) {
            let wide_sum = parts.has("wide") && i == 3;
            values.push(self.value(asm, Some(text), if wide_sum { 2 * kind.bits } else { kind.bits })?);
        }
        let result = self.ptx_value(asm, parts, &values)?;
        // predicates may come in pairs (`p|q`); only the first is implemented
        let d = self.written(asm, target.split('|').next()?)?;
        self.emit(Op::Mov { d, a: result });
        Some(())
    }

    /// Two elements packed into one register: unpacks them, operates on each, and packs the results.
    fn ptx_pair(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let single = |kind: &PtxType| PtxType { pair: false, ..*kind };
        let kinds: Vec<PtxType> = parts.kinds.iter().map(single).collect();
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
    pub(super) fn unpack(&mut self, a: Src, bits: u16, count: u32, to: u16) -> Dst {
        let d = self.temp(count);
        let a = self.in_frame(&[a]);
        self.emit(Op::Repack { d, count, to, a, from_count: 1, from: bits });
        d
    }

    pub(super) fn pack(&mut self, a: Src, from_count: u32, from: u16) -> Dst {
        self.value_of(|d| Op::Repack { d, count: 1, to: from * from_count as u16, a, from_count, from })
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
            Some((base, offset)) => (base.trim(), self.offset(asm, offset.trim())?),
            None => (inner, 0),
        };
        let base = self.read(asm, base)?;
        let d = self.value_of(|d| Op::Address { d, base, index: base, bits: 0, scale: 0, offset });
        Some((d, parts.words.iter().find_map(|word| space_of(word)).unwrap_or(0)))
    }

    /// A number in the text, or an operand that is one.
    fn offset(&self, asm: &Asm, text: &str) -> Option<i64> {
        let Some(number) = text.strip_prefix('$') else { return text.parse().ok() };
        let slot = *asm.operands.get(number.parse::<usize>().ok()?)?;
        (slot & CONST != 0).then(|| self.pool.values[(slot & !CONST) as usize][0] as i64)
    }

    /// A load or store, of several registers in braces.
    fn ptx_access(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String], is_load: bool) -> Option<()> {
        let [first, second] = args else { return None };
        let (registers, place) = if is_load { (first, second) } else { (second, first) };
        let kind = *parts.kinds.last()?;
        let (address, space) = self.ptx_address(asm, parts, place)?;
        let registers = braces(registers).unwrap_or_else(|| vec![registers.clone()]);
        let (size, mut align) = ((kind.bits / 8) as u8, u32::from(kind.bits / 8) * registers.len() as u32);
        for (i, name) in (0u32..).zip(&registers) {
            let value = if is_load { self.written(asm, name)? } else { self.value(asm, Some(name), kind.bits)? };
            let (offset, bits, atomic) = (i * u32::from(size), kind.bits as u8, parts.has("volatile"));
            let access = AccessArgs { value, address, space, offset, size, bits, align, atomic };
            self.emit(if is_load { Op::Load(access) } else { Op::Store(access) });
            align = 1;
            if is_load && kind.class == PtxClass::Signed && kind.bits < 32 {
                let conv = Conv::Int { from: kind.bits, to: 32, signed: true, nuw: false, nsw: false };
                self.emit(Op::Conv { conv, d: value, a: value });
            }
        }
        Some(())
    }

    fn ptx_atomic(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let kind = *parts.kinds.last()?;
        let signed = kind.class == PtxClass::Signed;
        let (d, args) =
            if parts.op == "red" { (self.temp(1), args) } else { (self.written(asm, args.first()?)?, args.get(1..)?) };
        let (address, space) = self.ptx_address(asm, parts, args.first()?)?;
        let leaf = match kind.class {
            PtxClass::Float(_) if kind.pair => return None,
            PtxClass::Float(fmt) => Leaf::Float(fmt),
            _ => Leaf::Int(kind.bits),
        };
        let is_float = matches!(kind.class, PtxClass::Float(_));
        let value = self.value(asm, args.get(1), kind.bits)?;
        if parts.has("cas") {
            let (expected, value) = (value, self.value(asm, args.get(2), kind.bits)?);
            let (size, success) = ((kind.bits / 8) as u8, self.temp(1));
            self.emit(Op::CmpXchg(CmpXchgArgs { size, d, success, address, space, expected, value }));
            return Some(());
        }
        let op = parts.words.iter().find_map(|word| names::atomic(word, signed, is_float))?;
        self.emit(Op::AtomicRmw { op, leaf, d, address, space, value });
        Some(())
    }
}
