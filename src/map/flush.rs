//! How do the counts that lanes hold come to memory? Before a lane returns, and where a counter is about to overflow.
//!
//! At a return the lanes that are together add up what they hold (`redux.sync`); the sums are dealt out to the lanes, so
//! that one instruction adds up to 32 of them to words of memory that lie side by side. Registers with a bit a count are
//! transposed within a full warp: lane *n* gets bit *n* of every lane, counts them and adds the sum to word *n*. Lanes of a
//! warp that is not complete ask each other bit by bit.
//!
//! Either is one piece of inline PTX with branches of its own: as instructions of LLVM it is as large as a small kernel.

use super::apply::{Apply, Held, Registers};
use super::plan::{Check, Keep, SECTOR};
use super::ptx::Ptx;
use crate::llvm::handle::{Inst, Value};
use smallvec::SmallVec;

/// Bits of a lane's count that 32 lanes can add up in one word.
const LOW_BITS: u32 = 27;
/// Registers of bytes whose sums are dealt out together.
const DEALT: usize = 8;
/// Bytes of a word.
const WORD: u32 = 8;
/// Distances of the exchanges that transpose 32 words, and the columns that a lane keeps whose number lacks that bit.
const EXCHANGES: [(u32, u32); 5] =
    [(16, 0x0000_ffff), (8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)];
/// Lanes that are together (`m`), those of them below this one (`b`), how many these are (`r`, `c`); what a loop goes on
/// (`f`, `i`), sums (`s`); the exchanges' turns and columns; a replica's address `a`, a word's `d` and what is added to it.
const REGISTERS: &str = "{
.reg .b32 m, b, r, c, f, i, x, y, s<16>, t<5>, k<5>;
.reg .b64 a, d, w;
.reg .pred p, q;
";
/// Adds `y` to the word of lane or number `i`, where that is below the end and the sum is not zero, and goes on.
const DEAL: &str = "setp.ne.u32 p, y, 0;
setp.lt.u32 q, i, #;
and.pred p, p, q;
cvt.u64.u32 w, y;
mad.wide.u32 d, i, 8, a;
@p red.global.add.u64 [d+#], w;
add.u32 f, f, c;
setp.lt.u32 p, f, #;
@p bra D#;
";

impl<'m> Apply<'_, '_, 'm> {
    /// Gives what the lanes hold to memory, before they return.
    pub(super) fn flush(&mut self, registers: &Registers<'_>, end: Inst<'m>) {
        let zero = self.editor.int(32, 0);
        if self.current.iter().all(|&count| count == zero) {
            return; // nothing can have been counted on the way here
        }
        let count = registers.count as u32;
        let mut ptx = Ptx { text: String::with_capacity(1024 + 512 * registers.count) };
        let out = &mut ptx;
        out.put(REGISTERS, &[]);
        any(out, 0..count);
        // lanes that wait for each other are those that are here now
        out.put("setp.ne.u32 p, x, 0;\nactivemask.b32 m;\nvote.sync.ballot.b32 x, p, m;\n", &[]);
        out.put("setp.eq.u32 p, x, 0;\n@p bra END;\n", &[]);
        self.replica(out, count + 1);
        out.put("and.b32 b, m, $#;\n", &[count]);
        if !registers.bits.is_empty() {
            out.put("setp.ne.u32 p, m, 0xffffffff;\n@p bra PART;\n", &[]);
            transpose(out, registers, count);
            out.put("bra WIDE;\nPART:\n", &[]);
            ask_bit_by_bit(out, registers);
            out.put("WIDE:\n", &[]);
        }
        if !self.machine.has_redux {
            for held in &registers.wide {
                alone(out, held, held.objects.start, u32::MAX);
            }
        } else if !registers.wide.is_empty() {
            wide(out, registers);
        }
        out.put("END:\n}", &[]);
        let mut constraints = "r,".repeat(registers.count);
        constraints += "r,l,~{memory}";
        let mut arguments: SmallVec<[Value<'m>; 16]> = SmallVec::from_slice(&self.current);
        arguments.extend([self.lower, self.machine.counters]);
        self.editor.before(end);
        self.texts.call_once(self.editor, &ptx.text, &constraints, &arguments, &mut []);
        // an exit that is not taken: what was given is given
        self.current.fill(zero);
    }

    /// At the header of a cycle: lanes empty their registers before any of them can overflow.
    pub(super) fn check(&mut self, registers: &Registers<'_>, check: &Check, at: Inst<'m>) {
        let held: SmallVec<[&Held<'_>; 8]> =
            registers.wide.iter().filter(|held| check.branches.contains(&held.number)).collect();
        // branches of one check are held alike
        let Some(&first) = held.first() else { return };
        let (_, shift, bits) = lanes_at(first);
        let large = (u64::MAX >> (64 - bits)) & !(u64::from(check.limit) - 1);
        let mut ptx = Ptx { text: String::with_capacity(512 + 512 * held.len()) };
        let out = &mut ptx;
        out.put("{\n.reg .b32 x;\n.reg .b64 a, w;\n.reg .pred p;\n", &[]);
        // operands are the registers of these branches, one after the other
        let mut starts: SmallVec<[usize; 8]> = SmallVec::new();
        let mut arguments: SmallVec<[Value<'m>; 16]> = SmallVec::new();
        for held in &held {
            starts.push(arguments.len());
            arguments.extend_from_slice(&self.current[held.objects.clone()]);
        }
        let count = arguments.len() as u32;
        any(out, held.iter().zip(&starts).map(|(held, &start)| (start + lanes_at(held).0) as u32));
        out.put("and.b32 x, x, #;\nsetp.eq.u32 p, x, 0;\n@p bra END;\n", &[(large << shift) as u32]);
        self.replica(out, 2 * count);
        for (held, &start) in held.iter().zip(&starts) {
            alone(out, held, start, u32::MAX);
        }
        let mut constraints = "=r,".repeat(count as usize);
        let mut tied = Ptx::default();
        for object in 0..count {
            out.put("mov.u32 $#, 0;\n", &[object]);
            tied.put("#,", &[object]);
        }
        out.put("END:\n}", &[]);
        constraints += &tied.text;
        constraints += "l,~{memory}";
        let mut results: SmallVec<[Value<'m>; 16]> = arguments.clone();
        arguments.push(self.machine.counters);
        self.editor.before(at);
        self.texts.call_once(self.editor, &ptx.text, &constraints, &arguments, &mut results);
        for (held, &start) in held.iter().zip(&starts) {
            let objects = held.objects.clone();
            let length = objects.len();
            self.current[objects].copy_from_slice(&results[start..start + length]);
        }
    }

    /// The address of this multiprocessor's replica, given the operand that is the counters'.
    fn replica(&self, out: &mut Ptx, counters: u32) {
        let numbers = [self.machine.replicas - 1, WORD * self.machine.words, counters];
        out.put("mov.u32 x, %smid;\nand.b32 x, x, #;\nmad.wide.u32 a, x, #, $#;\n", &numbers);
    }
}

/// Operands, or-ed together into `x`.
fn any(out: &mut Ptx, operands: impl Iterator<Item = u32>) {
    for (number, operand) in operands.enumerate() {
        out.put(if number == 0 { "mov.b32 x, $#;\n" } else { "or.b32 x, x, $#;\n" }, &[operand]);
    }
}

/// Lane *n* of a full warp gets bit *n* of every lane's register, and adds their number to word *n*.
fn transpose(out: &mut Ptx, registers: &Registers<'_>, lower: u32) {
    out.put("popc.b32 r, $#;\n", &[lower]);
    for (step, &(distance, columns)) in (0..).zip(&EXCHANGES) {
        out.put("and.b32 x, r, #;\nsetp.ne.u32 p, x, 0;\n", &[distance]);
        let (back, others) = (32 - distance, !columns);
        out.put("selp.b32 t#, #, #, p;\nselp.b32 k#, #, #, p;\n", &[step, back, distance, step, others, columns]);
    }
    for shared in &registers.bits {
        out.put("mov.b32 y, $#;\n", &[shared.object as u32]);
        for (step, &(distance, _)) in (0..).zip(&EXCHANGES) {
            out.put("shfl.sync.bfly.b32 x, y, #, 31, 0xffffffff;\nshf.l.wrap.b32 x, x, x, t#;\n", &[distance, step]);
            // own columns, and theirs where own ones are not kept
            out.put("xor.b32 y, y, x;\nand.b32 y, y, k#;\nxor.b32 y, y, x;\n", &[step]);
        }
        out.put("popc.b32 x, y;\nsetp.ne.u32 p, x, 0;\ncvt.u64.u32 w, x;\nmad.wide.u32 d, r, 8, a;\n", &[]);
        out.put("@p red.global.add.u64 [d+#], w;\n", &[WORD * shared.slot]);
    }
}

/// Each bit of a register that lanes share.
fn ask_bit_by_bit(out: &mut Ptx, registers: &Registers<'_>) {
    out.put("setp.eq.u32 q, b, 0;\nmov.u32 i, 0;\nBIT:\n", &[]);
    for shared in &registers.bits {
        out.put("shr.u32 x, $#, i;\nand.b32 x, x, 1;\nsetp.ne.u32 p, x, 0;\n", &[shared.object as u32]);
        out.put("vote.sync.ballot.b32 x, p, m;\npopc.b32 x, x;\nsetp.ne.u32 p, x, 0;\nand.pred p, p, q;\n", &[]);
        out.put("cvt.u64.u32 w, x;\nmad.wide.u32 d, i, 8, a;\n", &[]);
        out.put("@p red.global.add.u64 [d+#], w;\n", &[WORD * shared.slot]);
    }
    out.put("add.u32 i, i, 1;\nsetp.lt.u32 p, i, 32;\n@p bra BIT;\n", &[]);
}

/// Counts of more than a bit: sums over the lanes that are together, dealt out to them.
fn wide(out: &mut Ptx, registers: &Registers<'_>) {
    out.put("popc.b32 r, b;\npopc.b32 c, m;\n", &[]);
    let mut loops = 0;
    // records of bytes lie side by side
    let bytes = registers.wide.iter().filter(|held| held.branch.keep == Keep::Bytes);
    let bytes: SmallVec<[(u32, usize); 8]> =
        bytes.flat_map(|held| (held.slot..).step_by(4).zip(held.objects.clone())).collect();
    for batch in bytes.chunks(DEALT) {
        for (index, &(_, object)) in (0..).zip(batch) {
            let (even, odd) = (2 * index, 2 * index + 1);
            out.put("and.b32 x, $#, 0x00ff00ff;\nredux.sync.add.u32 s#, x, m;\n", &[object as u32, even]);
            out.put("shr.u32 x, $#, 8;\nand.b32 x, x, 0x00ff00ff;\n", &[object as u32]);
            out.put("redux.sync.add.u32 s#, x, m;\n", &[odd]);
        }
        out.put("mov.u32 f, 0;\nD#:\nadd.u32 i, f, r;\nand.b32 x, i, 1;\nsetp.ne.u32 p, x, 0;\n", &[loops]);
        out.put("selp.b32 y, s1, s0, p;\n", &[]);
        for index in 1..batch.len() as u32 {
            out.put("selp.b32 x, s#, s#, p;\nsetp.ge.u32 q, i, #;\n", &[2 * index + 1, 2 * index, 4 * index]);
            out.put("selp.b32 y, x, y, q;\n", &[]);
        }
        // the lower or the upper half
        out.put("and.b32 x, i, 2;\nshl.b32 x, x, 3;\nshr.u32 y, y, x;\nand.b32 y, y, 0xffff;\n", &[]);
        let end = 4 * batch.len() as u32;
        out.put(DEAL, &[end, WORD * batch[0].0, end, loops]);
        loops += 1;
    }
    let larger = || registers.wide.iter().filter(|held| held.branch.keep != Keep::Bytes);
    for held in larger() {
        let words = held.branch.words();
        for first in (0..words).step_by(SECTOR as usize) {
            let end = SECTOR.min(words - first);
            for index in 0..end {
                let low = if held.branch.keep == Keep::Words { (1 << LOW_BITS) - 1 } else { u32::MAX };
                count(out, held, held.objects.start, first + index, low);
                out.put("redux.sync.add.u32 s#, x, m;\n", &[index]);
            }
            out.put("mov.u32 f, 0;\nD#:\nadd.u32 i, f, r;\nmov.b32 y, s0;\n", &[loops]);
            for index in 1..end {
                out.put("setp.eq.u32 p, i, #;\nselp.b32 y, s#, y, p;\n", &[index, index]);
            }
            out.put(DEAL, &[end, WORD * (held.slot + first), end, loops]);
            loops += 1;
        }
    }
    // what is too large to be added up; no count of a record is larger than its lanes
    let words = || registers.wide.iter().filter(|held| held.branch.keep == Keep::Words);
    if words().next().is_none() {
        return;
    }
    any(out, words().map(|held| held.objects.start as u32 + 2));
    out.put("setp.lt.u32 p, x, #;\n@p bra END;\n", &[1 << LOW_BITS]);
    for held in words() {
        alone(out, held, held.objects.start, u32::MAX << LOW_BITS);
    }
}

/// A lane for itself: the bits of its counts that a mask keeps, given the operand that is its first register.
fn alone(out: &mut Ptx, held: &Held<'_>, start: usize, kept: u32) {
    for word in 0..held.branch.words() {
        count(out, held, start, word, kept);
        out.put("cvt.u64.u32 w, x;\nred.global.add.u64 [a+#], w;\n", &[WORD * (held.slot + word)]);
    }
}

/// A word of a record, as far as a mask keeps it, into `x`.
fn count(out: &mut Ptx, held: &Held<'_>, start: usize, word: u32, kept: u32) {
    let bits = held.branch.keep.bits();
    let operand = start as u32 + word * bits / 32;
    let first = word * bits % 32;
    if bits == 32 {
        return match kept {
            u32::MAX => out.put("mov.b32 x, $#;\n", &[operand]),
            _ => out.put("and.b32 x, $#, #;\n", &[operand, kept]),
        };
    }
    match first {
        0 => out.put("and.b32 x, $#, #;\n", &[operand, (1 << bits) - 1]),
        // the upper end of the register
        _ if first + bits == 32 => out.put("shr.u32 x, $#, #;\n", &[operand, first]),
        _ => out.put("shr.u32 x, $#, #;\nand.b32 x, x, #;\n", &[operand, first, (1 << bits) - 1]),
    }
}

/// Where the lanes of a branch are counted: object, first bit, bits.
fn lanes_at(held: &Held<'_>) -> (usize, u32, u32) {
    let bits = held.branch.keep.bits();
    ((2 * bits / 32) as usize, 2 * bits % 32, bits)
}
