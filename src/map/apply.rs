//! How are the planned branches counted? Rewrites one function; every decision was made by the plan.
//!
//! At a branch, `activemask` names the lanes that came together and `vote.ballot.sync` over exactly these lanes says who
//! goes where; the lowest lane of the mask speaks for the warp. All lanes of the mask have executed the `activemask` and
//! execute the vote next, so nobody waits for anybody. Nothing the program computes is read but the condition, nothing it
//! can see is written, and no lane's way changes: the added parts are guarded and fall through.
//!
//! - **In registers** (branches in cycles): stack objects of the function, made values at the end. The lowest lane adds
//!   its visit and its split, every lane itself to the lanes that came and to those of its target. Before each return the
//!   lanes that are together add up what they hold (`redux.sync`) and give it to memory.
//! - **In memory** (branches outside): the same record, at once.
//!
//! A record is given to memory four words at a time by the first four lanes, one word each, which is one sector and one
//! instruction; where fewer lanes are there, the lowest one adds the words that nobody took. Memory is one replica of
//! all records for each multiprocessor, so that atomic additions of different multiprocessors do not wait for each other.

use super::plan::{BranchPlan, FIXED_WORDS, FunctionPlan, SECTOR, is_exit};
use crate::divergence::Facts;
use crate::kernel::entity::Block;
use crate::kernel::handles::Handles;
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Inst, IntPredicate, RawOpcode, Value};

/// Bits of a lane's count that 32 lanes can add up in one word.
const LOW_BITS: u32 = 27;

/// Threads of the largest block there is.
const LARGEST_BLOCK: &str = "1024";

/// Where counts go.
pub struct Machine<'m> {
    /// Array of 64-bit counters in global memory.
    pub counters: Value<'m>,
    /// Copies, a power of two.
    pub replicas: u32,
    /// Words of a copy.
    pub words: u32,
    /// The target has `redux.sync`.
    pub has_redux: bool,
}

/// Lanes that execute an instruction together.
#[derive(Clone, Copy)]
struct Group<'m> {
    mask: Value<'m>,
    /// Lanes of the group below this one.
    below: Value<'m>,
}

/// Who goes where at a branch.
struct Ways<'m> {
    /// Lanes of the group that go to target 1, 2, …
    ballots: Vec<Value<'m>>,
    /// Whether this lane does.
    mine: Vec<Value<'m>>,
    is_split: Value<'m>,
}

struct Apply<'e, 'a, 'm> {
    editor: &'e mut Editor<'m>,
    handles: &'a Handles<'m>,
    machine: &'a Machine<'m>,
    /// This multiprocessor's replica, and the lanes below this one: read once, at the entry.
    replica: Value<'m>,
    lower: Value<'m>,
}

/// A branch's counts in registers: the objects of its record's words.
struct Held<'a, 'm> {
    slot: u32,
    branch: &'a BranchPlan,
    words: Vec<Value<'m>>,
}

/// Puts counters into a function.
pub fn apply<'m>(
    editor: &mut Editor<'m>,
    facts: &Facts,
    handles: &Handles<'m>,
    plan: &FunctionPlan,
    machine: &Machine<'m>,
) {
    if plan.reject.is_some() || plan.launches.is_none() && plan.branches.iter().all(|branch| branch.slot.is_none()) {
        return;
    }
    let function = handles.function;
    let ends: Vec<Inst<'m>> = function
        .blocks()
        .flat_map(|block| block.insts())
        .filter(|&inst| inst.opcode() == RawOpcode::LLVMRet || is_exit(inst))
        .collect();
    let branches: Vec<(&BranchPlan, u32, Inst<'m>)> = plan
        .branches
        .iter()
        .filter_map(|branch| Some((branch, branch.slot?, handles.inst(facts.kernel.terminator(branch.block)))))
        .collect();
    let first = entry_point(function);
    let (replica, lower) = at_entry(editor, machine, first);
    let mut work = Apply { editor, handles, machine, replica, lower };
    let held = work.objects(&branches, first);
    if let Some(slot) = plan.launches {
        work.launch(slot, first);
    }
    if plan.needs_bound {
        work.editor.set_string_attribute(function, "nvvm.maxntid", LARGEST_BLOCK);
    }
    for &(branch, slot, at) in &branches {
        match held.iter().find(|held| held.slot == slot) {
            Some(held) => work.count_in_registers(held, at),
            None => work.count_in_memory(branch, slot, at),
        }
    }
    if !held.is_empty() {
        for end in ends {
            work.flush(&held, end);
        }
        let objects: Vec<Value<'m>> = held.iter().flat_map(|held| held.words.iter().copied()).collect();
        work.editor.promote(function, &objects);
    }
}

/// This multiprocessor's replica of the counters, and the mask of the lanes below this one.
fn at_entry<'m>(editor: &mut Editor<'m>, machine: &Machine<'m>, first: Inst<'m>) -> (Value<'m>, Value<'m>) {
    editor.before(first);
    let processor = editor.register("smid");
    let most = editor.int(32, u64::from(machine.replicas - 1));
    let number = editor.binary(RawOpcode::LLVMAnd, processor, most, "");
    let wide = editor.int_type(64);
    let number = editor.cast(RawOpcode::LLVMZExt, number, wide, "");
    let line = editor.array_type(wide, u64::from(machine.words));
    let replica = editor.gep(line, machine.counters, &[number], true, "warpwise.replica");
    (replica, editor.register("lanemask.lt"))
}

/// The first instruction of a function behind its stack objects, which must stay in the entry block.
fn entry_point(function: Function<'_>) -> Inst<'_> {
    let entry = function.blocks().next().expect("a function with a body has an entry");
    let insts: Vec<Inst<'_>> = entry.insts().collect();
    let after = insts.iter().rposition(|inst| inst.opcode() == RawOpcode::LLVMAlloca).map_or(0, |last| last + 1);
    insts[after]
}

impl<'a, 'm> Apply<'_, 'a, 'm> {
    fn objects<'b>(&mut self, branches: &[(&'b BranchPlan, u32, Inst<'m>)], first: Inst<'m>) -> Vec<Held<'b, 'm>> {
        let word = self.editor.int_type(32);
        let zero = self.editor.int(32, 0);
        let mut held = Vec::new();
        for &(branch, slot, _) in branches.iter().filter(|entry| entry.0.in_registers) {
            let count = FIXED_WORDS as usize + branch.targets.len() - 1;
            self.editor.before(first);
            let words: Vec<Value<'m>> = (0..count).map(|_| self.editor.stack_object(word, "warpwise.count")).collect();
            for &object in &words {
                self.editor.store(zero, object, 4, false);
            }
            held.push(Held { slot, branch, words });
        }
        held
    }

    /// The first thread of the grid counts the launch.
    fn launch(&mut self, slot: u32, first: Inst<'m>) {
        self.editor.before(first);
        let mut any = self.editor.register("tid.x");
        for name in ["tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z"] {
            let next = self.editor.register(name);
            any = self.editor.binary(RawOpcode::LLVMOr, any, next, "");
        }
        let is_first = self.editor.equals(any, 0);
        self.editor.split_if(is_first, first, true, "warpwise.launch", "");
        let one = self.editor.int(64, 1);
        let index = self.editor.int(64, u64::from(slot));
        let word = self.editor.int_type(64);
        let address = self.editor.gep(word, self.machine.counters, &[index], true, "");
        self.editor.add_atomically(address, one);
    }

    fn group(&mut self) -> Group<'m> {
        let mask = self.editor.intrinsic("llvm.nvvm.activemask", &[], &[], "");
        let below = self.editor.binary(RawOpcode::LLVMAnd, mask, self.lower, "");
        Group { mask, below }
    }

    fn ballot(&mut self, group: Group<'m>, predicate: Value<'m>) -> Value<'m> {
        self.editor.intrinsic("llvm.nvvm.vote.ballot.sync", &[], &[group.mask, predicate], "")
    }

    fn popcount(&mut self, value: Value<'m>) -> Value<'m> {
        let word = self.editor.int_type(32);
        self.editor.intrinsic("llvm.ctpop", &[word], &[value], "")
    }

    fn ways(&mut self, branch: &BranchPlan, at: Inst<'m>, group: Group<'m>) -> Ways<'m> {
        let mine: Vec<Value<'m>> = match at.branch_condition() {
            Some(condition) => vec![self.editor.not(condition)],
            None => branch.targets[1..].iter().map(|&target| self.goes_to(at, target)).collect(),
        };
        let ballots: Vec<Value<'m>> = mine.iter().map(|&goes| self.ballot(group, goes)).collect();
        let mut elsewhere = ballots[0];
        for &ballot in &ballots[1..] {
            elsewhere = self.editor.binary(RawOpcode::LLVMOr, elsewhere, ballot, "");
        }
        // a split: some go elsewhere, and no other target takes all
        let zero = self.editor.int(32, 0);
        let mut is_split = self.editor.compare(IntPredicate::LLVMIntNE, elsewhere, zero, "");
        for &ballot in &ballots {
            let not_all = self.editor.compare(IntPredicate::LLVMIntNE, ballot, group.mask, "");
            is_split = self.editor.binary(RawOpcode::LLVMAnd, is_split, not_all, "");
        }
        Ways { ballots, mine, is_split }
    }

    /// Whether a switch takes this lane to a target that is not its default.
    fn goes_to(&mut self, switch: Inst<'m>, target: Block) -> Value<'m> {
        let target = self.handles.block(target);
        let value = switch.operand(0);
        let mut goes: Option<Value<'m>> = None;
        for (index, successor) in switch.successors().enumerate().skip(1) {
            let Some(case) = switch.switch_case(index as u32).filter(|_| successor == target) else { continue };
            let equal = self.editor.compare(IntPredicate::LLVMIntEQ, value, case, "");
            goes = Some(match goes {
                Some(goes) => self.editor.binary(RawOpcode::LLVMOr, goes, equal, ""),
                None => equal,
            });
        }
        goes.expect("a target other than the first has a case")
    }

    fn count_in_registers(&mut self, held: &Held<'_, 'm>, at: Inst<'m>) {
        self.editor.before(at);
        let group = self.group();
        let ways = self.ways(held.branch, at, group);
        let speaks = self.editor.equals(group.below, 0);
        let splits = self.editor.binary(RawOpcode::LLVMAnd, speaks, ways.is_split, "");
        let one = self.editor.int(32, 1);
        let mut more = vec![self.widen(speaks), self.widen(splits), one];
        for &goes in &ways.mine {
            let goes = self.widen(goes);
            more.push(goes);
        }
        let word = self.editor.int_type(32);
        for (&object, more) in held.words.iter().zip(more) {
            let old = self.editor.load(word, object, 4, false, "");
            let new = self.editor.binary(RawOpcode::LLVMAdd, old, more, "");
            self.editor.store(new, object, 4, false);
        }
    }

    fn widen(&mut self, value: Value<'m>) -> Value<'m> {
        let word = self.editor.int_type(32);
        self.editor.cast(RawOpcode::LLVMZExt, value, word, "")
    }

    fn count_in_memory(&mut self, branch: &BranchPlan, slot: u32, at: Inst<'m>) {
        self.editor.before(at);
        let group = self.group();
        let ways = self.ways(branch, at, group);
        let visits = self.editor.int(32, 1);
        let splits = self.widen(ways.is_split);
        let mut record = vec![visits, splits, self.popcount(group.mask)];
        for ballot in ways.ballots {
            let lanes = self.popcount(ballot);
            record.push(lanes);
        }
        let rank = self.popcount(group.below);
        let count = self.popcount(group.mask);
        for (slot, chunk) in chunks(slot, &record) {
            self.give(rank, at, slot, chunk);
        }
        // too few lanes for a word each: the lowest one adds what nobody took
        let sector = self.editor.int(32, u64::from(SECTOR));
        let zero = self.editor.int(32, 0);
        let too_few = self.editor.compare(IntPredicate::LLVMIntULT, count, sector, "");
        self.editor.split_if(too_few, at, true, "warpwise.add.few", "warpwise.branch");
        let speaks = self.editor.equals(group.below, 0);
        for (slot, chunk) in chunks(slot, &record) {
            for (index, &word) in chunk.iter().enumerate().skip(1) {
                let position = self.editor.int(32, index as u64);
                let nobody = self.editor.compare(IntPredicate::LLVMIntULE, count, position, "");
                let mine = self.editor.binary(RawOpcode::LLVMAnd, speaks, nobody, "");
                let value = self.editor.select(mine, word, zero, "");
                self.add(slot + index as u32, None, value);
            }
        }
        self.editor.before(at);
    }

    /// Adds up to four words to memory, one for each of the first lanes; the editor stands before `at` and does so again
    /// afterwards.
    fn give(&mut self, rank: Value<'m>, at: Inst<'m>, slot: u32, words: &[Value<'m>]) {
        let length = self.editor.int(32, words.len() as u64);
        let takes_part = self.editor.compare(IntPredicate::LLVMIntULT, rank, length, "");
        self.editor.split_if(takes_part, at, false, "warpwise.add", "warpwise.rest");
        let mut value = words[0];
        for (index, &word) in words.iter().enumerate().skip(1) {
            let is_mine = self.editor.equals(rank, index as u64);
            value = self.editor.select(is_mine, word, value, "");
        }
        self.add(slot, Some(rank), value);
        self.editor.before(at);
    }

    fn add(&mut self, word: u32, rank: Option<Value<'m>>, value: Value<'m>) {
        let wide = self.editor.int_type(64);
        let mut index = self.editor.int(64, u64::from(word));
        if let Some(rank) = rank {
            let rank = self.editor.cast(RawOpcode::LLVMZExt, rank, wide, "");
            index = self.editor.binary(RawOpcode::LLVMAdd, rank, index, "");
        }
        let value = self.editor.cast(RawOpcode::LLVMZExt, value, wide, "");
        let address = self.editor.gep(wide, self.replica, &[index], true, "");
        self.editor.add_atomically(address, value);
    }

    /// Gives what the lanes hold to memory, before they return.
    fn flush(&mut self, held: &[Held<'_, 'm>], end: Inst<'m>) {
        self.editor.before(end);
        let word = self.editor.int_type(32);
        let zero = self.editor.int(32, 0);
        let counts: Vec<Vec<Value<'m>>> = held
            .iter()
            .map(|held| held.words.iter().map(|&object| self.editor.load(word, object, 4, false, "")).collect())
            .collect();
        let lanes_word = FIXED_WORDS as usize - 1;
        let mut any = counts[0][lanes_word];
        for record in &counts[1..] {
            any = self.editor.binary(RawOpcode::LLVMOr, any, record[lanes_word], "");
        }
        let group = self.group();
        let came = self.editor.compare(IntPredicate::LLVMIntNE, any, zero, "");
        let came = self.ballot(group, came);
        let came = self.editor.compare(IntPredicate::LLVMIntNE, came, zero, "");
        let inside = self.editor.split_if(came, end, false, "warpwise.flush", "warpwise.return");
        if self.machine.has_redux {
            // lanes that are few have no need of being added up
            let count = self.popcount(group.mask);
            let sector = self.editor.int(32, u64::from(SECTOR));
            let many = self.editor.compare(IntPredicate::LLVMIntUGE, count, sector, "");
            let together = self.editor.split_if(many, inside, false, "warpwise.flush.together", "warpwise.flushed");
            self.flush_together(group, held, &counts, together);
            // no count of a record is larger than its lanes
            self.editor.before(inside);
            let most = self.editor.int(32, (1 << LOW_BITS) - 1);
            let is_large = self.editor.compare(IntPredicate::LLVMIntUGT, any, most, "");
            let few = self.editor.not(many);
            let alone = self.editor.binary(RawOpcode::LLVMOr, is_large, few, "");
            let mask = self.editor.int(32, u64::from(u32::MAX << LOW_BITS));
            let everything = self.editor.int(32, u64::from(u32::MAX));
            let kept = self.editor.select(many, mask, everything, "");
            self.editor.split_if(alone, inside, true, "warpwise.flush.alone", "warpwise.flushed");
            self.flush_each(held, &counts, Some(kept));
        } else {
            self.flush_each(held, &counts, None);
        }
        // an exit that is not taken: what was given is given
        if end.opcode() != RawOpcode::LLVMRet {
            self.editor.before(end);
            for &object in held.iter().flat_map(|held| &held.words) {
                self.editor.store(zero, object, 4, false);
            }
        }
    }

    /// Adds the lanes' counts up, as far as 32 lanes fit into a word, and gives the sums to memory.
    fn flush_together(&mut self, group: Group<'m>, held: &[Held<'_, 'm>], counts: &[Vec<Value<'m>>], at: Inst<'m>) {
        let low = self.editor.int(32, (1 << LOW_BITS) - 1);
        let rank = self.popcount(group.below);
        for (held, record) in held.iter().zip(counts) {
            for (slot, chunk) in chunks(held.slot, record) {
                let sums: Vec<Value<'m>> = chunk
                    .iter()
                    .map(|&count| {
                        let count = self.editor.binary(RawOpcode::LLVMAnd, count, low, "");
                        self.editor.intrinsic("llvm.nvvm.redux.sync.add", &[], &[count, group.mask], "")
                    })
                    .collect();
                self.give(rank, at, slot, &sums);
            }
        }
    }

    /// Every lane for itself: the bits of its counts that a mask keeps.
    fn flush_each(&mut self, held: &[Held<'_, 'm>], counts: &[Vec<Value<'m>>], kept: Option<Value<'m>>) {
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
}

/// A record in pieces of a sector: first word of each and its values.
fn chunks<'v, 'm>(slot: u32, record: &'v [Value<'m>]) -> impl Iterator<Item = (u32, &'v [Value<'m>])> + use<'v, 'm> {
    (slot..).step_by(SECTOR as usize).zip(record.chunks(SECTOR as usize))
}
