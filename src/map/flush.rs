//! How do the counts that lanes hold come to memory? Before a lane returns, and where a counter is about to overflow.
//!
//! At a return the lanes that are together add up what they hold (`redux.sync`); the sums are dealt out to the lanes, so
//! that one instruction adds up to 32 of them to words of memory that lie side by side. Registers with a bit a count are
//! transposed within a full warp: lane *n* gets bit *n* of every lane, counts them and adds the sum to word *n*. Lanes of a
//! warp that is not complete ask each other bit by bit.

use super::apply::{Apply, Group, Held, Registers, replica};
use super::plan::{Check, Keep, SECTOR};
use crate::llvm::handle::{Inst, IntPredicate, RawOpcode, Value};

/// Bits of a lane's count that 32 lanes can add up in one word.
const LOW_BITS: u32 = 27;
/// Registers of bytes whose sums are dealt out together.
const DEALT: usize = 8;
/// Every other byte of a word.
const BYTES: u64 = 0x00ff_00ff;
/// All lanes of a warp.
const WARP: u64 = 0xffff_ffff;
/// Distances of the exchanges that transpose 32 words, and the columns that a lane keeps whose number lacks that bit.
const EXCHANGES: [(u64, u64); 5] =
    [(16, 0x0000_ffff), (8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)];

impl<'m> Apply<'_, '_, 'm> {
    /// Gives what the lanes hold to memory, before they return.
    pub(super) fn flush(&mut self, registers: &Registers<'_>, end: Inst<'m>) {
        self.editor.before(end);
        let Some(any) = self.any(0..registers.count) else { return };
        let zero = self.editor.int(32, 0);
        let group = self.group();
        let came = self.editor.compare(IntPredicate::LLVMIntNE, any, zero, "");
        let came = self.ballot(group, came);
        let came = self.editor.compare(IntPredicate::LLVMIntNE, came, zero, "");
        let inside = self.editor.split_if(came, end, false, "warpwise.flush", "warpwise.return");
        let old = std::mem::replace(&mut self.replica, replica(self.editor, self.machine));
        let everybody = self.editor.int(32, WARP);
        let is_full = self.editor.compare(IntPredicate::LLVMIntEQ, group.mask, everybody, "");
        if !registers.bits.is_empty() {
            let full = self.editor.split_if(is_full, inside, false, "warpwise.flush.bits", "");
            self.transpose(registers, full);
            self.editor.before(inside);
            let is_part = self.editor.not(is_full);
            let part = self.editor.split_if(is_part, inside, true, "warpwise.flush.part", "");
            self.ask_bit_by_bit(registers, group.mask, group.below, part);
            self.editor.before(inside);
        }
        if !registers.wide.is_empty() {
            self.flush_wide(registers, group, inside);
        }
        self.replica = old;
        // an exit that is not taken: what was given is given
        self.current.fill(zero);
    }

    /// Registers, or-ed together.
    fn any(&mut self, mut objects: impl Iterator<Item = usize>) -> Option<Value<'m>> {
        let mut any = self.current[objects.next()?];
        for object in objects {
            any = self.editor.binary(RawOpcode::LLVMOr, any, self.current[object], "");
        }
        Some(any)
    }

    fn flush_wide(&mut self, registers: &Registers<'_>, group: Group<'m>, inside: Inst<'m>) {
        self.editor.before(inside);
        if !self.machine.has_redux {
            let everything = self.editor.int(32, WARP);
            for held in &registers.wide {
                self.flush_alone(held, everything);
            }
            return;
        }
        let (rank, count) = (self.popcount(group.below), self.popcount(group.mask));
        // records of bytes lie side by side
        let bytes = registers.wide.iter().filter(|held| held.branch.keep == Keep::Bytes);
        let bytes: Vec<(u32, usize)> =
            bytes.flat_map(|held| (held.slot..).step_by(4).zip(held.objects.clone())).collect();
        for batch in bytes.chunks(DEALT) {
            let (mask, byte) = (self.editor.int(32, BYTES), self.editor.int(32, 8));
            let mut pairs = Vec::new();
            for &(_, object) in batch {
                let counts = self.current[object];
                let shifted = self.editor.binary(RawOpcode::LLVMLShr, counts, byte, "");
                let [even, odd] = [counts, shifted].map(|counts| {
                    let counts = self.editor.binary(RawOpcode::LLVMAnd, counts, mask, "");
                    self.sum(counts, group)
                });
                pairs.push([even, odd]);
            }
            let end = self.editor.int(32, 4 * batch.len() as u64);
            let (number, point) = self.deal(rank, count, end, inside);
            let [one, two, three] = [1, 2, 3].map(|bits| self.editor.int(32, bits));
            let odd = self.editor.binary(RawOpcode::LLVMAnd, number, one, "");
            let is_odd = self.editor.equals(odd, 1);
            let mut sum = self.editor.select(is_odd, pairs[0][1], pairs[0][0], "");
            for (index, pair) in pairs.iter().enumerate().skip(1) {
                let mine = self.editor.select(is_odd, pair[1], pair[0], "");
                let from = self.editor.int(32, 4 * index as u64);
                let is_later = self.editor.compare(IntPredicate::LLVMIntUGE, number, from, "");
                sum = self.editor.select(is_later, mine, sum, "");
            }
            // the lower or the upper half
            let upper = self.editor.binary(RawOpcode::LLVMAnd, number, two, "");
            let shift = self.editor.binary(RawOpcode::LLVMShl, upper, three, "");
            let sum = self.editor.binary(RawOpcode::LLVMLShr, sum, shift, "");
            let sum = self.field(sum, 0, 16);
            self.add_some(batch[0].0, number, sum, Some(end), point);
            self.editor.before(inside);
        }
        for held in registers.wide.iter().filter(|held| held.branch.keep != Keep::Bytes) {
            let counts = self.counts(held);
            for (slot, chunk) in (held.slot..).step_by(SECTOR as usize).zip(counts.chunks(SECTOR as usize)) {
                let mut sums = Vec::new();
                for &count in chunk {
                    let low =
                        if held.branch.keep == Keep::Words { self.field(count, 0, LOW_BITS.into()) } else { count };
                    sums.push(self.sum(low, group));
                }
                let end = self.editor.int(32, sums.len() as u64);
                let (number, point) = self.deal(rank, count, end, inside);
                let mut sum = sums[0];
                for (index, &other) in sums.iter().enumerate().skip(1) {
                    let is_mine = self.editor.equals(number, index as u64);
                    sum = self.editor.select(is_mine, other, sum, "");
                }
                self.add_some(slot, number, sum, Some(end), point);
                self.editor.before(inside);
            }
        }
        // what is too large to be added up; no count of a record is larger than its lanes
        let words: Vec<&Held<'_>> = registers.wide.iter().filter(|held| held.branch.keep == Keep::Words).collect();
        let Some(any) = self.any(words.iter().map(|held| held.objects.start + 2)) else { return };
        let low = self.editor.int(32, (1 << LOW_BITS) - 1);
        let is_large = self.editor.compare(IntPredicate::LLVMIntUGT, any, low, "");
        self.editor.split_if(is_large, inside, true, "warpwise.flush.alone", "");
        let mask = self.editor.int(32, u64::from(u32::MAX << LOW_BITS));
        for held in words {
            self.flush_alone(held, mask);
        }
        self.editor.before(inside);
    }

    /// The sum over the lanes that are together.
    fn sum(&mut self, count: Value<'m>, group: Group<'m>) -> Value<'m> {
        self.editor.intrinsic("llvm.nvvm.redux.sync.add", &[], &[count, group.mask], "")
    }

    /// A loop that deals the numbers below `end` out to the lanes, in which they stay together: the lane's number, which may
    /// be beyond the end, and the instruction that the body is put before.
    fn deal(&mut self, rank: Value<'m>, count: Value<'m>, end: Value<'m>, at: Inst<'m>) -> (Value<'m>, Inst<'m>) {
        let zero = self.editor.int(32, 0);
        let (first, point) = self.editor.split_while((zero, count), end, at, "warpwise.flush.deal", "");
        (self.editor.binary(RawOpcode::LLVMAdd, first, rank, ""), point)
    }

    /// Adds a count to a word below `end`, unless it is zero.
    fn add_some(&mut self, slot: u32, number: Value<'m>, count: Value<'m>, end: Option<Value<'m>>, at: Inst<'m>) {
        let zero = self.editor.int(32, 0);
        let mut adds = self.editor.compare(IntPredicate::LLVMIntNE, count, zero, "");
        if let Some(end) = end {
            let is_inside = self.editor.compare(IntPredicate::LLVMIntULT, number, end, "");
            adds = self.editor.binary(RawOpcode::LLVMAnd, adds, is_inside, "");
        }
        self.editor.split_if(adds, at, false, "warpwise.flush.sum", "");
        self.add(slot, Some(number), count);
    }

    /// A lane for itself: the bits of its counts that a mask keeps.
    fn flush_alone(&mut self, held: &Held<'_>, kept: Value<'m>) {
        for (word, count) in (held.slot..).zip(self.counts(held)) {
            let count = self.editor.binary(RawOpcode::LLVMAnd, count, kept, "");
            self.add(word, None, count);
        }
    }

    /// What the lane holds, a value for each word of the record.
    fn counts(&mut self, held: &Held<'_>) -> Vec<Value<'m>> {
        let bits = u64::from(held.branch.keep.bits());
        let mut counts = Vec::new();
        for index in 0..u64::from(held.branch.words()) {
            let value = self.current[held.objects.start + (index * bits / 32) as usize];
            counts.push(if bits == 32 { value } else { self.field(value, index * bits % 32, bits) });
        }
        counts
    }

    /// Some bits of a word.
    fn field(&mut self, value: Value<'m>, first: u64, bits: u64) -> Value<'m> {
        let first_bit = self.editor.int(32, first);
        let shifted = if first == 0 { value } else { self.editor.binary(RawOpcode::LLVMLShr, value, first_bit, "") };
        let mask = self.editor.int(32, (1 << bits) - 1);
        self.editor.binary(RawOpcode::LLVMAnd, shifted, mask, "")
    }

    /// Lane *n* of a full warp gets bit *n* of every lane's register, and adds their number to word *n*.
    fn transpose(&mut self, registers: &Registers<'_>, at: Inst<'m>) {
        let word = self.editor.int_type(32);
        let zero = self.editor.int(32, 0);
        let everybody = self.editor.int(32, WARP);
        let lane = self.popcount(self.lower);
        let steps: Vec<[Value<'m>; 4]> = EXCHANGES
            .iter()
            .map(|&(distance, columns)| {
                let [by, back, low, high] =
                    [distance, 32 - distance, columns, !columns & WARP].map(|number| self.editor.int(32, number));
                let bit = self.editor.binary(RawOpcode::LLVMAnd, lane, by, "");
                let is_set = self.editor.compare(IntPredicate::LLVMIntNE, bit, zero, "");
                let turn = self.editor.select(is_set, back, by, "");
                let kept = self.editor.select(is_set, high, low, "");
                let others = self.editor.select(is_set, low, high, "");
                [by, turn, kept, others]
            })
            .collect();
        let clamp = self.editor.int(32, 31);
        for shared in &registers.bits {
            let mut rows = self.current[shared.object];
            for &[by, turn, kept, others] in &steps {
                let theirs =
                    self.editor.intrinsic("llvm.nvvm.shfl.sync.bfly.i32", &[], &[everybody, rows, by, clamp], "");
                let theirs = self.editor.intrinsic("llvm.fshl", &[word], &[theirs, theirs, turn], "");
                let theirs = self.editor.binary(RawOpcode::LLVMAnd, theirs, others, "");
                let own = self.editor.binary(RawOpcode::LLVMAnd, rows, kept, "");
                rows = self.editor.binary(RawOpcode::LLVMOr, own, theirs, "");
            }
            let count = self.popcount(rows);
            self.add_some(shared.slot, lane, count, None, at);
            self.editor.before(at);
        }
    }

    fn ask_bit_by_bit(&mut self, registers: &Registers<'_>, mask: Value<'m>, below: Value<'m>, at: Inst<'m>) {
        let [zero, one, count] = [0, 1, 32].map(|number| self.editor.int(32, number));
        let speaks = self.editor.equals(below, 0);
        for shared in &registers.bits {
            let bits = self.current[shared.object];
            let (bit, inside) = self.editor.split_for(count, at, "warpwise.flush.bit", "");
            let shifted = self.editor.binary(RawOpcode::LLVMLShr, bits, bit, "");
            let shifted = self.editor.binary(RawOpcode::LLVMAnd, shifted, one, "");
            let is_set = self.editor.compare(IntPredicate::LLVMIntNE, shifted, zero, "");
            let lanes = self.editor.intrinsic("llvm.nvvm.vote.ballot.sync", &[], &[mask, is_set], "");
            let sum = self.popcount(lanes);
            let is_some = self.editor.compare(IntPredicate::LLVMIntNE, sum, zero, "");
            let mine = self.editor.binary(RawOpcode::LLVMAnd, speaks, is_some, "");
            self.editor.split_if(mine, inside, false, "warpwise.flush.sum", "");
            self.add(shared.slot, Some(bit), sum);
            self.editor.before(at);
        }
    }

    /// At the header of a cycle: lanes empty their registers before any of them can overflow.
    pub(super) fn check(&mut self, registers: &Registers<'_>, check: &Check, at: Inst<'m>) {
        let held: Vec<&Held<'_>> = registers.wide.iter().filter(|held| check.branches.contains(&held.number)).collect();
        self.editor.before(at);
        // branches of one check are held alike
        let any = self.any(held.iter().map(|held| held.objects.start + lanes_at(held).0));
        let (Some(any), Some(first)) = (any, held.first()) else { return };
        let (_, shift, bits) = lanes_at(first);
        let large = (u64::MAX >> (64 - bits)) & !(u64::from(check.limit) - 1);
        let large = self.editor.int(32, large << shift);
        let zero = self.editor.int(32, 0);
        let any = self.editor.binary(RawOpcode::LLVMAnd, any, large, "");
        let is_full = self.editor.compare(IntPredicate::LLVMIntNE, any, zero, "");
        let before = at.block();
        let full = self.editor.split_if(is_full, at, true, "warpwise.flush.full", "");
        let old = std::mem::replace(&mut self.replica, replica(self.editor, self.machine));
        let everything = self.editor.int(32, WARP);
        for held in &held {
            self.flush_alone(held, everything);
        }
        for object in held.iter().flat_map(|held| held.objects.clone()) {
            let phi = self.editor.count_phi(at.block());
            self.editor.add_incoming(phi, self.current[object], before);
            self.editor.add_incoming(phi, zero, full.block());
            self.current[object] = phi.value();
        }
        self.replica = old;
    }
}

/// Where the lanes of a branch are counted: object, first bit, bits.
fn lanes_at(held: &Held<'_>) -> (usize, u32, u32) {
    let bits = held.branch.keep.bits();
    ((2 * bits / 32) as usize, 2 * bits % 32, bits)
}
