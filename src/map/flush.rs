//! How are the counts that lanes hold in registers added to memory? Before a lane returns, and when a counter is about
//! to overflow.
//!
//! At a return, the lanes that are together add up their counts (`redux.sync`). The sums are distributed over the
//! lanes, so that one instruction adds up to 32 of them to consecutive words of memory. Registers with one bit per
//! count are transposed within a full warp: lane *n* gets bit *n* of every lane, counts them and adds the sum to word
//! *n*. The lanes of a partial warp instead count bit by bit.
//!
//! Each of these is one piece of inline PTX with branches of its own; as LLVM instructions it would be as large as a
//! small kernel.

use super::apply::{Apply, HeldBranch, Registers};
use super::plan::{Check, Keep};
use super::ptx::{Ptx, WORD, put};
use smallvec::SmallVec;
use warpwise_ir::llvm::handle::{Inst, Value};

/// Number of bits of a lane's count such that the sum over 32 lanes fits into one word.
const LOW_BITS: u32 = 27;
/// Number of sums that are distributed together.
const DEALT: usize = 16;
/// The exchanges that transpose 32 words: their distances, and the columns that are kept by lanes whose number has that bit
/// and by the others.
const EXCHANGES: [(u32, &str, &str); 5] = [
    (16, "0xffff0000", "0x0000ffff"),
    (8, "0xff00ff00", "0x00ff00ff"),
    (4, "0xf0f0f0f0", "0x0f0f0f0f"),
    (2, "0xcccccccc", "0x33333333"),
    (1, "0xaaaaaaaa", "0x55555555"),
];
/// Registers: lanes that are together (`m`), those of them below this one (`b`), their numbers (`r`, `c`); loop state
/// (`f`, `i`, `h`); sums (`s`); rotations and columns of the exchanges; address of a replica `a`, of a word `d`, and
/// what is added to it.
const REGISTERS: &str = "{
.reg .b32 m, b, r, c, f, h, i, x, y, s<16>, t<5>, k<5>;
.reg .b64 a, d, w;
.reg .pred p, q;
";
/// For the head of a loop whose body should not be duplicated.
const ONCE: &str = ".pragma \"nounroll\";\n";
/// Adds `y`, shifted left by `h`, to word number `i`.
const ADD: &str = "and.pred p, p, q;
cvt.u64.u32 w, y;
shl.b64 w, w, h;
mad.wide.u32 d, i, 8, a;
";

impl<'m> Apply<'_, '_, 'm> {
    /// Adds the counts of the lanes to memory before they return.
    pub(super) fn flush(&mut self, registers: &Registers<'_>, end: Inst<'m>) {
        let zero = self.editor.int(32, 0);
        if self.current.iter().all(|&count| count == zero) {
            return; // nothing can have been counted on the paths to here
        }
        let count = registers.count as u32;
        let mut ptx = Ptx { text: String::with_capacity(1024 + 512 * registers.count) };
        let out = &mut ptx;
        put!(out, REGISTERS);
        any(out, 0..count);
        // only lanes that are here now wait for each other
        put!(out, "setp.ne.u32 p, x, 0;\nactivemask.b32 m;\nvote.sync.ballot.b32 x, p, m;\n");
        put!(out, "setp.eq.u32 p, x, 0;\n@p bra END;\n");
        out.replica("a", count + 1, self.replicas());
        put!(out, "and.b32 b, m, $", count, ";\n");
        if !registers.bits.is_empty() {
            put!(out, "setp.ne.u32 p, m, 0xffffffff;\n@p bra PART;\n");
            transpose(out, registers, count);
            put!(out, "bra WIDE;\nPART:\n");
            ask_bit_by_bit(out, registers);
            put!(out, "WIDE:\n");
        }
        if !self.counters.has_redux {
            for held in &registers.wide {
                alone(out, held, held.objects.start);
            }
        } else if !registers.wide.is_empty() {
            wide(out, registers);
        }
        put!(out, "END:\n}");
        let mut constraints = "r,".repeat(registers.count);
        constraints += "r,l,~{memory}";
        let mut arguments: SmallVec<[Value<'m>; 16]> = SmallVec::from_slice(&self.current);
        arguments.extend([self.lower, self.counters.array]);
        self.editor.before(end);
        self.texts.call_once(self.editor, &ptx.text, &constraints, &arguments, &mut []);
        // if the exit is not taken, these counts have been added already
        self.current.fill(zero);
    }

    /// At the header of a cycle: lanes flush their registers before any count can overflow.
    pub(super) fn check(&mut self, registers: &Registers<'_>, check: &Check, at: Inst<'m>) {
        let held: SmallVec<[&HeldBranch<'_>; 8]> =
            registers.wide.iter().filter(|held| check.branches.contains(&held.number)).collect();
        // the branches of one check are held in the same way
        let Some(&first) = held.first() else { return };
        let (_, shift, bits) = lanes_at(first);
        let large = (u64::MAX >> (64 - bits)) & !(u64::from(check.limit) - 1);
        let mut ptx = Ptx { text: String::with_capacity(512 + 512 * held.len()) };
        let out = &mut ptx;
        put!(out, "{\n.reg .b32 x;\n.reg .b64 a, w;\n.reg .pred p;\n");
        // operands are the registers of these branches, one after another
        let mut starts: SmallVec<[usize; 8]> = SmallVec::new();
        let mut arguments: SmallVec<[Value<'m>; 16]> = SmallVec::new();
        for held in &held {
            starts.push(arguments.len());
            arguments.extend_from_slice(&self.current[held.objects.clone()]);
        }
        let count = arguments.len() as u32;
        any(out, held.iter().zip(&starts).map(|(held, &start)| (start + lanes_at(held).0) as u32));
        put!(out, "and.b32 x, x, ", (large << shift) as u32, ";\nsetp.eq.u32 p, x, 0;\n@p bra END;\n");
        out.replica("a", 2 * count, self.replicas());
        for (held, &start) in held.iter().zip(&starts) {
            alone(out, held, start);
        }
        let mut constraints = "=r,".repeat(count as usize);
        let mut tied = Ptx::default();
        for object in 0..count {
            put!(out, "mov.u32 $", object, ", 0;\n");
            put!(tied, object, ",");
        }
        put!(out, "END:\n}");
        constraints += &tied.text;
        constraints += "l,~{memory}";
        let mut results: SmallVec<[Value<'m>; 16]> = arguments.clone();
        arguments.push(self.counters.array);
        self.editor.before(at);
        self.texts.call_once(self.editor, &ptx.text, &constraints, &arguments, &mut results);
        for (held, &start) in held.iter().zip(&starts) {
            let objects = held.objects.clone();
            let length = objects.len();
            self.current[objects].copy_from_slice(&results[start..start + length]);
        }
    }

    /// Number of replicas, and of words in each.
    fn replicas(&self) -> (u32, u32) {
        (self.counters.replicas, self.counters.words)
    }
}

/// The bitwise or of the operands, into `x`.
fn any(out: &mut Ptx, operands: impl Iterator<Item = u32>) {
    for (number, operand) in operands.enumerate() {
        put!(out, if number == 0 { "mov.b32 x, $" } else { "or.b32 x, x, $" }, operand, ";\n");
    }
}

/// Transposes a full warp's registers: lane *n* gets bit *n* of every lane's register, and adds their number to word
/// *n*.
fn transpose(out: &mut Ptx, registers: &Registers<'_>, lower: u32) {
    put!(out, "popc.b32 r, $", lower, ";\n");
    for (stage, (distance, kept, others)) in (0..).zip(EXCHANGES) {
        // by how many bits this lane rotates, and which columns it keeps
        put!(out, "and.b32 x, r, ", distance, ";\nsetp.ne.u32 p, x, 0;\nselp.b32 t", stage);
        put!(out, ", ", 32 - distance, ", ", distance, ", p;\nselp.b32 k", stage, ", ", kept, ", ", others, ", p;\n");
    }
    for shared in &registers.bits {
        put!(out, "mov.b32 y, $", shared.object as u32, ";\n");
        for (stage, (distance, ..)) in (0..).zip(EXCHANGES) {
            // its own columns where they are kept, and the other lane's elsewhere
            put!(out, "shfl.sync.bfly.b32 x, y, ", distance, ", 31, 0xffffffff;\nshf.l.wrap.b32 x, x, x, t", stage);
            put!(out, ";\nxor.b32 y, y, x;\nand.b32 y, y, k", stage, ";\nxor.b32 y, y, x;\n");
        }
        // what a lane adds to which word
        put!(out, "popc.b32 x, y;\nsetp.ne.u32 p, x, 0;\ncvt.u64.u32 w, x;\nmad.wide.u32 d, r, 8, a;\n");
        put!(out, "@p red.global.add.u64 [d+", WORD * shared.slot, "], w;\n");
    }
}

/// Counts each bit of a shared register.
fn ask_bit_by_bit(out: &mut Ptx, registers: &Registers<'_>) {
    put!(out, "setp.eq.u32 q, b, 0;\nmov.u32 i, 0;\nBIT:\n", ONCE);
    for shared in &registers.bits {
        put!(out, "shr.u32 x, $", shared.object as u32, ", i;\nand.b32 x, x, 1;\nsetp.ne.u32 p, x, 0;\n");
        put!(out, "vote.sync.ballot.b32 x, p, m;\npopc.b32 x, x;\nsetp.ne.u32 p, x, 0;\nand.pred p, p, q;\n");
        put!(out, "cvt.u64.u32 w, x;\nmad.wide.u32 d, i, 8, a;\n");
        put!(out, "@p red.global.add.u64 [d+", WORD * shared.slot, "], w;\n");
    }
    put!(out, "add.u32 i, i, 1;\nsetp.lt.u32 p, i, 32;\n@p bra BIT;\n");
}

/// Counts of more than one bit: sums over the lanes that are together, distributed over the lanes.
fn wide(out: &mut Ptx, registers: &Registers<'_>) {
    put!(out, "popc.b32 r, b;\npopc.b32 c, m;\nmov.u32 h, 0;\n");
    let held_as = |keep: Keep| registers.wide.iter().filter(move |held| held.branch.keep == keep);
    let mut loops = 0;
    // records held in bytes are consecutive
    let bytes: SmallVec<[(u32, usize); 8]> =
        held_as(Keep::Bytes).flat_map(|held| (held.slot..).step_by(4).zip(held.objects.clone())).collect();
    for batch in bytes.chunks(DEALT / 2) {
        for (index, &(_, object)) in (0..).zip(batch) {
            let (object, even, odd) = (object as u32, 2 * index, 2 * index + 1);
            put!(out, "and.b32 x, $", object, ", 0x00ff00ff;\nredux.sync.add.u32 s", even, ", x, m;\n");
            put!(out, "shr.u32 x, $", object, ", 8;\nand.b32 x, x, 0x00ff00ff;\n");
            put!(out, "redux.sync.add.u32 s", odd, ", x, m;\n");
        }
        deal(out, &mut loops, batch[0].0, 4 * batch.len() as u32, |out| {
            put!(out, "and.b32 x, i, 1;\nsetp.ne.u32 p, x, 0;\nselp.b32 y, s1, s0, p;\n");
            for index in 1..batch.len() as u32 {
                put!(out, "selp.b32 x, s", 2 * index + 1, ", s", 2 * index, ", p;\nsetp.ge.u32 q, i, ", 4 * index);
                put!(out, ";\nselp.b32 y, x, y, q;\n");
            }
            // the lower or the upper half
            put!(out, "and.b32 x, i, 2;\nshl.b32 x, x, 3;\nshr.u32 y, y, x;\nand.b32 y, y, 0xffff;\n");
        });
    }
    words(out, held_as(Keep::Halves), &mut loops, |out, held, word| count(out, held, held.objects.start, word));
    if held_as(Keep::Words).next().is_none() {
        return;
    }
    // the low bits, and then whatever is too large to be added up at once
    put!(out, "ROUND:\n");
    words(out, held_as(Keep::Words), &mut loops, |out, held, word| {
        put!(out, "bfe.u32 x, $", held.objects.start as u32 + word, ", h, ", LOW_BITS, ";\n");
    });
    put!(out, "setp.ne.u32 p, h, 0;\n@p bra END;\n");
    // no count of a record is larger than its number of lanes
    any(out, held_as(Keep::Words).map(|held| held.objects.start as u32 + 2));
    put!(out, "setp.ge.u32 p, x, ", 1 << LOW_BITS, ";\nvote.sync.ballot.b32 x, p, m;\nsetp.ne.u32 p, x, 0;\n");
    put!(out, "mov.u32 h, ", LOW_BITS, ";\n@p bra ROUND;\n");
}

/// Emits the flush of consecutive records; `load` puts a count into `x`.
fn words<'h, 'b: 'h>(
    out: &mut Ptx,
    held: impl Iterator<Item = &'h HeldBranch<'b>>,
    loops: &mut u32,
    load: impl Fn(&mut Ptx, &HeldBranch<'b>, u32),
) {
    let counts: SmallVec<[(&HeldBranch<'b>, u32); 16]> =
        held.flat_map(|held| (0..held.branch.words()).map(move |word| (held, word))).collect();
    let place = |&(held, word): &(&HeldBranch<'b>, u32)| held.slot + word;
    for batch in counts.chunks(DEALT) {
        for (sum, &(held, word)) in (0u32..).zip(batch) {
            load(out, held, word);
            put!(out, "redux.sync.add.u32 s", sum, ", x, m;\n");
        }
        let first = place(&batch[0]);
        let end = place(&batch[batch.len() - 1]) + 1 - first;
        deal(out, loops, first, end, |out| {
            // records may be padded
            put!(out, "mov.u32 y, 0;\n");
            for (sum, count) in (0u32..).zip(batch) {
                put!(out, "setp.eq.u32 p, i, ", place(count) - first, ";\nselp.b32 y, s", sum, ", y, p;\n");
            }
        });
    }
}

/// Distributes the words below `end` over the lanes; `choose` puts into `y` what to add to word `i`.
fn deal(out: &mut Ptx, loops: &mut u32, slot: u32, end: u32, choose: impl FnOnce(&mut Ptx)) {
    put!(out, "mov.u32 f, 0;\nD", *loops, ":\n", ONCE, "add.u32 i, f, r;\n");
    choose(out);
    put!(out, "setp.ne.u32 p, y, 0;\nsetp.lt.u32 q, i, ", end, ";\n", ADD);
    put!(out, "@p red.global.add.u64 [d+", WORD * slot, "], w;\n");
    put!(out, "add.u32 f, f, c;\nsetp.lt.u32 p, f, ", end, ";\n@p bra D", *loops, ";\n");
    *loops += 1;
}

/// Flushes a lane by itself, given the operand that is its first register.
fn alone(out: &mut Ptx, held: &HeldBranch<'_>, start: usize) {
    for word in 0..held.branch.words() {
        count(out, held, start, word);
        put!(out, "cvt.u64.u32 w, x;\nred.global.add.u64 [a+", WORD * (held.slot + word), "], w;\n");
    }
}

/// Emits a word of a record, into `x`.
fn count(out: &mut Ptx, held: &HeldBranch<'_>, start: usize, word: u32) {
    let bits = held.branch.keep.bits();
    let operand = start as u32 + word * bits / 32;
    match word * bits % 32 {
        0 if bits == 32 => put!(out, "mov.b32 x, $", operand, ";\n"),
        0 => put!(out, "and.b32 x, $", operand, ", ", (1 << bits) - 1, ";\n"),
        first => put!(out, "bfe.u32 x, $", operand, ", ", first, ", ", bits, ";\n"),
    }
}

/// Where the lanes of a branch are counted: register, first bit, number of bits.
fn lanes_at(held: &HeldBranch<'_>) -> (usize, u32, u32) {
    let bits = held.branch.keep.bits();
    ((2 * bits / 32) as usize, 2 * bits % 32, bits)
}
