//! How do the counts that lanes hold come to memory? Before a lane returns, and where a counter is about to overflow.
//!
//! At a return the lanes that are together add up what they hold (`redux.sync`) and give the sums away a sector at a time.
//! Registers whose bits belong to [`BITS_SHARED`](super::plan::BITS_SHARED) branches are transposed within a full warp,
//! so that lane *n* gets bit *n* of every lane, counts them and adds the sum to word *n* of the branches' records: one
//! instruction for all of them. Lanes of a warp that is not complete ask each other bit by bit.

use super::apply::{Apply, Held, Registers, chunks, replica};
use super::plan::{Check, Keep, SECTOR};
use crate::llvm::handle::{Inst, IntPredicate, RawOpcode, Value};

/// Bits of a lane's count that 32 lanes can add up in one word.
const LOW_BITS: u32 = 27;
/// All lanes of a warp.
const WARP: u64 = 0xffff_ffff;
/// Distances of the exchanges that transpose 32 words, and the columns that a lane keeps whose number lacks that bit.
const EXCHANGES: [(u64, u64); 5] =
    [(16, 0x0000_ffff), (8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)];

impl<'m> Apply<'_, '_, 'm> {
    /// Gives what the lanes hold to memory, before they return.
    pub(super) fn flush(&mut self, registers: &Registers<'_, 'm>, end: Inst<'m>) {
        self.editor.before(end);
        let word = self.editor.int_type(32);
        let mut any: Option<Value<'m>> = None;
        for object in registers.objects().collect::<Vec<_>>() {
            let held = self.editor.load(word, object, 4, false, "");
            any = Some(match any {
                Some(any) => self.editor.binary(RawOpcode::LLVMOr, any, held, ""),
                None => held,
            });
        }
        let Some(any) = any else { return };
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
            let full = self.editor.split_if(is_full, inside, false, "warpwise.flush.bits", "warpwise.flushed");
            self.transpose(registers, full);
            self.editor.before(inside);
            let is_part = self.editor.not(is_full);
            let part = self.editor.split_if(is_part, inside, true, "warpwise.flush.part", "warpwise.flushed");
            self.ask_bit_by_bit(registers, group.mask, group.below, part);
            self.editor.before(inside);
        }
        if !registers.wide.is_empty() {
            self.flush_wide(registers, group, inside);
        }
        self.replica = old;
        // an exit that is not taken: what was given is given
        if end.opcode() != RawOpcode::LLVMRet {
            self.editor.before(end);
            for object in registers.objects().collect::<Vec<_>>() {
                self.editor.store(zero, object, 4, false);
            }
        }
    }

    fn flush_wide(&mut self, registers: &Registers<'_, 'm>, group: super::apply::Group<'m>, inside: Inst<'m>) {
        let wide: Vec<&Held<'_, 'm>> = registers.wide.iter().collect();
        let counts = self.counts(&wide);
        if !self.machine.has_redux {
            self.flush_each(&wide, &counts, None);
            return;
        }
        // lanes that are few have no need of being added up
        let count = self.popcount(group.mask);
        let sector = self.editor.int(32, u64::from(SECTOR));
        let many = self.editor.compare(IntPredicate::LLVMIntUGE, count, sector, "");
        let together = self.editor.split_if(many, inside, false, "warpwise.flush.together", "warpwise.flushed");
        let low = self.editor.int(32, (1 << LOW_BITS) - 1);
        let rank = self.popcount(group.below);
        for (held, record) in wide.iter().zip(&counts) {
            for (slot, chunk) in chunks(held.slot, record) {
                let mut sums = Vec::new();
                for &count in chunk {
                    let count = match held.branch.keep {
                        Keep::Words => self.editor.binary(RawOpcode::LLVMAnd, count, low, ""),
                        _ => count,
                    };
                    sums.push(self.editor.intrinsic("llvm.nvvm.redux.sync.add", &[], &[count, group.mask], ""));
                }
                self.give(rank, together, slot, &sums);
            }
        }
        // what the lanes are too few or the counts too large for; no count of a record is larger than its lanes
        self.editor.before(inside);
        let few = self.editor.not(many);
        let is_word = |held: &&Held<'_, 'm>| held.branch.keep == Keep::Words;
        let mut alone = few;
        for (_, record) in wide.iter().zip(&counts).filter(|(held, _)| is_word(held)) {
            let is_large = self.editor.compare(IntPredicate::LLVMIntUGT, record[2], low, "");
            alone = self.editor.binary(RawOpcode::LLVMOr, alone, is_large, "");
        }
        let mask = self.editor.int(32, u64::from(u32::MAX << LOW_BITS));
        let everything = self.editor.int(32, WARP);
        let kept = self.editor.select(many, mask, everything, "");
        self.editor.split_if(alone, inside, true, "warpwise.flush.alone", "warpwise.flushed");
        self.flush_each(&wide, &counts, Some(kept));
        self.editor.before(inside);
    }

    /// Every lane for itself: the bits of its counts that a mask keeps.
    fn flush_each(&mut self, held: &[&Held<'_, 'm>], counts: &[Vec<Value<'m>>], kept: Option<Value<'m>>) {
        for (held, record) in held.iter().zip(counts) {
            for (index, &count) in record.iter().enumerate() {
                let count = match kept {
                    Some(kept) => self.editor.binary(RawOpcode::LLVMAnd, count, kept, ""),
                    None => count,
                };
                self.add(held.slot + index as u32, None, count);
            }
        }
    }

    /// What the lane holds, a word for each of a record.
    fn counts(&mut self, held: &[&Held<'_, 'm>]) -> Vec<Vec<Value<'m>>> {
        let word = self.editor.int_type(32);
        let mut counts = Vec::new();
        for held in held {
            let objects: Vec<Value<'m>> =
                held.objects.iter().map(|&object| self.editor.load(word, object, 4, false, "")).collect();
            counts.push(match held.branch.keep {
                Keep::Bytes => [0, 8, 16, 24].map(|first| self.field(objects[0], first, 8)).to_vec(),
                Keep::Halves => [(0, 0), (0, 16), (1, 0), (1, 16)].map(|(i, first)| self.field(objects[i], first, 16)).to_vec(),
                _ => objects,
            });
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
    fn transpose(&mut self, registers: &Registers<'_, 'm>, at: Inst<'m>) {
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
            let mut rows = self.editor.load(word, shared.object, 4, false, "");
            for &[by, turn, kept, others] in &steps {
                let theirs =
                    self.editor.intrinsic("llvm.nvvm.shfl.sync.bfly.i32", &[], &[everybody, rows, by, clamp], "");
                let theirs = self.editor.intrinsic("llvm.fshl", &[word], &[theirs, theirs, turn], "");
                let theirs = self.editor.binary(RawOpcode::LLVMAnd, theirs, others, "");
                let own = self.editor.binary(RawOpcode::LLVMAnd, rows, kept, "");
                rows = self.editor.binary(RawOpcode::LLVMOr, own, theirs, "");
            }
            let count = self.popcount(rows);
            let is_some = self.editor.compare(IntPredicate::LLVMIntNE, count, zero, "");
            self.editor.split_if(is_some, at, false, "warpwise.flush.sum", "warpwise.flushed");
            self.add(shared.slot, Some(lane), count);
            self.editor.before(at);
        }
    }

    fn ask_bit_by_bit(&mut self, registers: &Registers<'_, 'm>, mask: Value<'m>, below: Value<'m>, at: Inst<'m>) {
        let word = self.editor.int_type(32);
        let [zero, one, count] = [0, 1, 32].map(|number| self.editor.int(32, number));
        let speaks = self.editor.equals(below, 0);
        for shared in &registers.bits {
            let bits = self.editor.load(word, shared.object, 4, false, "");
            let (bit, inside) = self.editor.split_for(count, at, "warpwise.flush.bit", "warpwise.flushed");
            let shifted = self.editor.binary(RawOpcode::LLVMLShr, bits, bit, "");
            let shifted = self.editor.binary(RawOpcode::LLVMAnd, shifted, one, "");
            let is_set = self.editor.compare(IntPredicate::LLVMIntNE, shifted, zero, "");
            let lanes = self.editor.intrinsic("llvm.nvvm.vote.ballot.sync", &[], &[mask, is_set], "");
            let sum = self.popcount(lanes);
            let is_some = self.editor.compare(IntPredicate::LLVMIntNE, sum, zero, "");
            let mine = self.editor.binary(RawOpcode::LLVMAnd, speaks, is_some, "");
            self.editor.split_if(mine, inside, false, "warpwise.flush.sum", "warpwise.flush.next");
            self.add(shared.slot, Some(bit), sum);
            self.editor.before(at);
        }
    }

    /// At the header of a cycle: lanes empty their registers before any of them can overflow.
    pub(super) fn check(&mut self, registers: &Registers<'_, 'm>, check: &Check, at: Inst<'m>) {
        let held: Vec<&Held<'_, 'm>> =
            registers.wide.iter().filter(|held| check.branches.contains(&held.number)).collect();
        self.editor.before(at);
        let word = self.editor.int_type(32);
        let mut any: Option<Value<'m>> = None;
        for held in &held {
            let lanes = self.editor.load(word, held.objects[lanes_at(held).0], 4, false, "");
            any = Some(match any {
                Some(any) => self.editor.binary(RawOpcode::LLVMOr, any, lanes, ""),
                None => lanes,
            });
        }
        // branches of one check are held alike
        let (Some(any), Some(first)) = (any, held.first()) else { return };
        let (_, shift, bits) = lanes_at(first);
        let large = (u64::MAX >> (64 - bits)) & !(u64::from(check.limit) - 1);
        let large = self.editor.int(32, large << shift);
        let zero = self.editor.int(32, 0);
        let any = self.editor.binary(RawOpcode::LLVMAnd, any, large, "");
        let is_full = self.editor.compare(IntPredicate::LLVMIntNE, any, zero, "");
        self.editor.split_if(is_full, at, true, "warpwise.flush.full", "");
        let old = std::mem::replace(&mut self.replica, replica(self.editor, self.machine));
        let counts = self.counts(&held);
        self.flush_each(&held, &counts, None);
        for &object in held.iter().flat_map(|held| &held.objects) {
            self.editor.store(zero, object, 4, false);
        }
        self.replica = old;
    }
}

/// Where the lanes of a branch are counted: object, first bit, bits.
fn lanes_at(held: &Held<'_, '_>) -> (usize, u32, u32) {
    match held.branch.keep {
        Keep::Bytes => (0, 16, 8),
        Keep::Halves => (1, 0, 16),
        _ => (2, 0, 32),
    }
}
