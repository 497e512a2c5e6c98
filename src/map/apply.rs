//! How are the planned branches counted? Rewrites one function; every decision was made by the plan.
//!
//! At a branch, `activemask` returns the lanes that arrived together, and `vote.ballot.sync` over exactly these lanes
//! says which target each takes; the lowest lane of the mask counts for the warp. All lanes of the mask have executed
//! the `activemask` and execute the vote next, so no lane waits for another. Nothing that the program computes is read
//! except the condition, nothing that it can see is written, and no lane takes a different path: the added code is
//! guarded and falls through.
//!
//! - **In registers**: counts are values, with phis where paths [join](super::joins). Every lane adds itself to the
//!   lanes that arrived and to those of its target; the lowest lane adds the visit and the split.
//!   [`flush`](super::flush) adds the counts to memory.
//! - **In memory**: four words of a record at a time are added by the first four lanes, one word each, which is one
//!   sector and one instruction; if there are fewer lanes, the lowest one adds the remaining words.
//!
//! Memory holds several replicas of all records, and each multiprocessor uses the one given by its number, so that
//! atomic additions of different multiprocessors rarely contend.
//!
//! Counting a branch with two targets in registers takes nine instructions, which are written as PTX so that they stay
//! as they are. Under a predicate, `activemask` returns the lanes for which it holds, so the lanes of either side learn
//! which lanes go with them, and a warp splits if that is not all of them.

use super::conditions;
use super::joins;
use super::plan::{BranchPlan, Check, FunctionPlan, Keep, SECTOR, exits};
use super::texts::{Head, Launches, Shape, Texts};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::entity::{self, Block};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, IntPredicate, RawOpcode, Value};
use warpwise_ir::llvm::space;

/// A switch with more targets than this first gets a block of its own. There are as many guarded additions as targets,
/// and each splits the block, for which LLVM visits every edge that leaves it.
const MANY_TARGETS: usize = 64;

/// Number of threads of the largest possible block.
const MAX_BLOCK: &str = "1024";

/// The counters in memory.
pub struct Counters<'m> {
    /// Array of 64-bit counters in global memory.
    pub array: Value<'m>,
    /// Number of replicas, a power of two.
    pub replicas: u32,
    /// Number of words of a replica.
    pub words: u32,
    /// Whether the target has `redux.sync`.
    pub has_redux: bool,
}

pub(super) struct Apply<'e, 'a, 'm> {
    pub editor: &'e mut Editor<'m>,
    facts: &'a Facts,
    handles: &'a Handles<'m>,
    plan: &'a FunctionPlan,
    pub counters: &'a Counters<'m>,
    /// The lanes below this one.
    pub lower: Value<'m>,
    /// The address of this multiprocessor's replica.
    replica: Value<'m>,
    pub texts: &'e mut Texts<'m>,
    /// The counts held in registers at the editor's position.
    pub current: Vec<Value<'m>>,
}

/// A branch whose counts are held in registers.
pub(super) struct HeldBranch<'b> {
    pub slot: u32,
    pub branch: &'b BranchPlan,
    /// Position of the branch in the plan.
    pub number: usize,
    /// Its registers: positions in [`Apply::current`].
    pub objects: std::ops::Range<usize>,
}

/// A register that several branches share.
pub(super) struct Shared {
    /// First word of the first branch's record.
    pub slot: u32,
    /// Position in [`Apply::current`].
    pub object: usize,
}

/// All counts held in registers.
#[derive(Default)]
pub(super) struct Registers<'b> {
    pub wide: Vec<HeldBranch<'b>>,
    pub bits: Vec<Shared>,
    /// Number of registers needed.
    pub count: usize,
}

impl<'b> Registers<'b> {
    /// Assigns numbers to the registers that a plan needs.
    fn of(plan: &'b FunctionPlan) -> Registers<'b> {
        let mut registers = Registers::default();
        for (number, branch) in plan.branches.iter().enumerate() {
            let Some(slot) = branch.slot else { continue };
            let start = registers.count;
            match branch.keep {
                Keep::Memory => {}
                Keep::Bits { first, .. } => {
                    if first == 0 {
                        registers.bits.push(Shared { slot, object: start });
                        registers.count += 1;
                    }
                }
                keep => {
                    registers.count += keep.registers(branch.words()) as usize;
                    let objects = start..registers.count;
                    registers.wide.push(HeldBranch { slot, branch, number, objects });
                }
            }
        }
        debug_assert!(registers.count <= joins::MAX_COUNTERS);
        registers
    }

    /// The registers of a branch that is held, by its position in the plan.
    fn objects_of(&self, plan: &FunctionPlan, number: usize) -> std::ops::Range<usize> {
        match plan.branches[number].keep {
            Keep::Bits { register, .. } => {
                let object = self.bits[register as usize].object;
                object..object + 1
            }
            _ => {
                let position = self.wide.binary_search_by_key(&number, |held| held.number);
                self.wide[position.expect("what is held has registers")].objects.clone()
            }
        }
    }
}

/// What happens to the counters inside a block, ordered as listed.
#[derive(Clone, Copy)]
enum Event<'b> {
    Check(&'b Check),
    /// A call in which a lane may exit.
    Exit(entity::Inst),
    /// A branch that is counted in registers, given by its position in the plan.
    Branch(usize),
    Return,
}

/// Inserts counters into a function.
pub fn apply<'m>(
    editor: &mut Editor<'m>,
    facts: &Facts,
    handles: &Handles<'m>,
    plan: &FunctionPlan,
    counters: &Counters<'m>,
    texts: &mut Texts<'m>,
) {
    if plan.is_off || plan.launches.is_none() && plan.branches.iter().all(|branch| branch.slot.is_none()) {
        return;
    }
    let function = handles.function;
    let counted = || plan.branches.iter().filter(|branch| branch.slot.is_some());
    let tested = plan.conditions.iter().filter(|condition| condition.held.is_some()).count();
    let head = Head {
        launch: plan.launches.is_some(),
        conditions: tested as u32,
        // no value may be live across calls of a recursive function
        lower: !plan.is_recursive && counted().next().is_some(),
        replica: !plan.is_recursive && counted().any(|branch| branch.keep == Keep::Memory),
    };
    let none = editor.int(32, 0);
    let (lower, replica, current) = (none, none, Vec::new());
    let mut work = Apply { editor, facts, handles, plan, counters, lower, replica, texts, current };
    if plan.needs_bound {
        work.editor.set_string_attribute(function, "nvvm.maxntid", MAX_BLOCK);
    }
    let entry = entry_point(function);
    work.editor.before(entry);
    let held = (tested > 0).then(|| conditions::emit(work.editor, handles, &plan.conditions));
    work.begin(entry, head, Launches { word: plan.launches.unwrap_or(0), held });
    work.in_memory();
    let registers = Registers::of(plan);
    if registers.count > 0 {
        work.in_registers(&registers);
    }
}

/// The first instruction of a function after its stack objects, which must stay in the entry block.
fn entry_point(function: Function<'_>) -> Inst<'_> {
    let entry = function.blocks().next().expect("a function with a body has an entry");
    let insts: Vec<Inst<'_>> = entry.insts().collect();
    let after = insts.iter().rposition(|inst| inst.opcode() == RawOpcode::LLVMAlloca).map_or(0, |last| last + 1);
    insts[after]
}

impl<'a, 'm> Apply<'_, 'a, 'm> {
    /// Emits what counting needs to know before this instruction.
    fn begin(&mut self, at: Inst<'m>, head: Head, launches: Launches<'m>) {
        if head == Head::default() {
            return;
        }
        self.editor.before(at);
        let to = self.counters;
        let counters = (to.array, to.replicas, to.words);
        let [lower, replica] = self.texts.begin(self.editor, head, counters, launches);
        self.lower = lower.unwrap_or(self.lower);
        self.replica = replica.unwrap_or(self.replica);
    }

    /// Counts the branches whose counts are added to memory at once.
    fn in_memory(&mut self) {
        let Apply { facts, plan, .. } = *self;
        for branch in plan.branches.iter().filter(|branch| branch.keep == Keep::Memory) {
            let Some(slot) = branch.slot else { continue };
            let at = self.handles.inst(facts.func.terminator(branch.block));
            if plan.is_recursive {
                let head = Head { lower: true, replica: true, ..Head::default() };
                self.begin(at, head, Launches { word: 0, held: None });
            }
            match at.branch_condition() {
                Some(condition) => {
                    self.editor.before(at);
                    let arguments = [condition, self.lower, self.replica];
                    self.texts.add_to_memory(self.editor, &arguments, slot);
                }
                None => self.count_in_memory(branch, slot, at),
            }
        }
    }

    /// Counts the branches whose counts are held in registers, and adds these to memory.
    fn in_registers(&mut self, registers: &Registers<'_>) {
        let (func, cfg) = (&self.facts.func, self.facts.cfg());
        let count = registers.count;
        let order = cfg.order.rpo();
        let mut position = vec![u32::MAX; func.blocks.len()];
        for (number, &block) in (0..).zip(order) {
            position[block.index()] = number;
        }
        let events = self.events(registers, &position);
        let changes = events.iter().map(|&((number, _), _, changed)| (order[number as usize], changed));
        let phis = joins::joins(&func.graph, cfg, changes.filter(|change| change.1 != 0));

        // the values of the registers at the end of each block, by position of the block
        let zero = self.editor.int(32, 0);
        let mut outs: Vec<Value<'m>> = Vec::with_capacity(order.len() * count);
        let mut made: Vec<(Block, usize, Inst<'m>)> = Vec::new();
        let mut rest = events.as_slice();
        self.current = vec![zero; count];
        for (number, &block) in (0u32..).zip(order) {
            if let Some(above) = cfg.dominators(&func.graph).idom(block) {
                let row = position[above.index()] as usize * count;
                self.current.copy_from_slice(&outs[row..row + count]);
            }
            let mut wanted = phis[block.index()];
            while wanted != 0 {
                let object = wanted.trailing_zeros() as usize;
                wanted &= wanted - 1;
                let phi = self.editor.count_phi(self.handles.block(block), func.graph.preds(block).len());
                self.current[object] = phi.value();
                made.push((block, object, phi));
            }
            let here = rest.partition_point(|event| event.0.0 == number);
            for &(_, event, _) in &rest[..here] {
                self.handle_event(registers, block, event);
            }
            rest = &rest[here..];
            outs.extend_from_slice(&self.current);
        }
        // blocks may have been split, but still end with the same terminator
        let mut from: SmallVec<[_; 8]> = SmallVec::new();
        for of_block in made.chunk_by(|one, other| one.0 == other.0) {
            let preds = func.graph.preds(of_block[0].0);
            from.clear();
            for &pred in preds {
                // the row of the predecessor, and where it ends now
                let row = position[pred.index()] as usize * count;
                from.push((row, self.handles.inst(func.terminator(pred)).block()));
            }
            for &(_, object, phi) in of_block {
                for &(row, block) in &from {
                    // the other predecessors are unreachable
                    let value = outs.get(row + object).copied().unwrap_or(zero);
                    self.editor.add_incoming(phi, value, block);
                }
            }
        }
    }

    /// What happens to registers, in the order of blocks that have a `position`: at which block and instruction, what, and to
    /// which of them.
    fn events(&self, registers: &Registers<'_>, position: &[u32]) -> Vec<((u32, u32), Event<'a>, u64)> {
        let Apply { facts, plan, .. } = *self;
        let func = &facts.func;
        let bits = |objects: std::ops::Range<usize>| objects.fold(0, |mask, object| mask | 1u64 << object);
        let mut events = Vec::new();
        for (number, &block) in (0..).zip(facts.cfg().order.rpo()) {
            let end = func.terminator(block);
            if func.insts[end].opcode == Opcode::Ret {
                events.push(((number, end.as_u32()), Event::Return, 0));
            }
        }
        for (number, branch) in plan.branches.iter().enumerate() {
            if branch.slot.is_some() && branch.keep != Keep::Memory {
                let at = (position[branch.block.index()], func.terminator(branch.block).as_u32());
                events.push((at, Event::Branch(number), bits(registers.objects_of(plan, number))));
            }
        }
        for check in &plan.checks {
            let changed =
                check.branches.iter().fold(0, |mask, &number| mask | bits(registers.objects_of(plan, number)));
            events.push(((position[check.header.index()], 0), Event::Check(check), changed));
        }
        for exit in exits(facts, self.handles) {
            let at = position[func.insts[exit].block.index()];
            if at != u32::MAX {
                events.push(((at, exit.as_u32()), Event::Exit(exit), bits(0..registers.count)));
            }
        }
        events.sort_by_key(|event| event.0);
        events
    }

    /// Inserts the code for an event in a block.
    fn handle_event(&mut self, registers: &Registers<'_>, block: Block, event: Event<'_>) {
        let func = &self.facts.func;
        let end = self.handles.inst(func.terminator(block));
        match event {
            Event::Check(check) => {
                let mut insts = func.block_insts(block).map(|inst| self.handles.inst(inst));
                self.check(registers, check, insts.find(|inst| !inst.opens_block()).unwrap_or(end));
            }
            Event::Exit(call) => self.flush(registers, self.handles.inst(call)),
            Event::Return => {
                // only a cast may be between a call that must be a tail call and its return
                let mut last = func.block_insts(block).rev().map(|inst| self.handles.inst(inst)).skip(1).take(2);
                self.flush(registers, last.find(|inst| inst.is_musttail()).unwrap_or(end));
            }
            Event::Branch(number) => {
                let branch = &self.plan.branches[number];
                let skipped = if let Keep::Bits { first, .. } = branch.keep { first } else { 0 };
                self.count_in_registers(end, branch, registers.objects_of(self.plan, number), skipped);
            }
        }
    }

    fn popcount(&mut self, value: Value<'m>) -> Value<'m> {
        let word = self.editor.int_type(32);
        self.editor.intrinsic("llvm.ctpop", &[word], &[value], "")
    }

    /// For each target 1, 2, …, which lanes of a mask go there, and whether the mask is split.
    fn ways(&mut self, branch: &BranchPlan, at: Inst<'m>, mask: Value<'m>) -> (Vec<Value<'m>>, Value<'m>) {
        let mine: Vec<Value<'m>> = match at.branch_condition() {
            Some(condition) => vec![self.editor.not(condition)],
            None => self.goes_to(at, &branch.targets[1..]),
        };
        let mut ballot = |goes| self.editor.intrinsic("llvm.nvvm.vote.ballot.sync", &[], &[mask, goes], "");
        let ballots: Vec<Value<'m>> = mine.into_iter().map(&mut ballot).collect();
        let mut elsewhere = ballots[0];
        for &ballot in &ballots[1..] {
            elsewhere = self.editor.binary(RawOpcode::LLVMOr, elsewhere, ballot, "");
        }
        // a split: some lanes go elsewhere, and no other target takes all of them
        let zero = self.editor.int(32, 0);
        let mut is_split = self.editor.compare(IntPredicate::LLVMIntNE, elsewhere, zero, "");
        for &ballot in &ballots {
            let not_all = self.editor.compare(IntPredicate::LLVMIntNE, ballot, mask, "");
            is_split = self.editor.binary(RawOpcode::LLVMAnd, is_split, not_all, "");
        }
        (ballots, is_split)
    }

    /// For each of these targets, none of which is the default, whether a switch takes this lane there.
    fn goes_to(&mut self, switch: Inst<'m>, targets: &[Block]) -> Vec<Value<'m>> {
        let value = switch.operand(0);
        // one pass over the cases, because there may be as many targets
        let positions: FxHashMap<_, _> = targets.iter().map(|&target| self.handles.block(target)).zip(0..).collect();
        let mut cases: Vec<SmallVec<[Value<'m>; 2]>> = vec![SmallVec::new(); targets.len()];
        for (index, successor) in (0..).zip(switch.successors()).skip(1) {
            if let (Some(&position), Some(case)) = (positions.get(&successor), switch.switch_case(index)) {
                let of_target: &mut SmallVec<_> = &mut cases[position];
                of_target.push(case);
            }
        }
        let editor = &mut *self.editor;
        let goes_to_one_of = |cases: SmallVec<[Value<'m>; 2]>| {
            let equal = |editor: &mut Editor<'m>, case| editor.compare(IntPredicate::LLVMIntEQ, value, case, "");
            let mut goes = equal(editor, cases[0]);
            for &case in &cases[1..] {
                let other = equal(editor, case);
                goes = editor.binary(RawOpcode::LLVMOr, goes, other, "");
            }
            goes
        };
        cases.into_iter().map(goes_to_one_of).collect()
    }

    /// Adds a visit to the counts in these registers; the counts of the branch begin `skipped` counts after the start
    /// of the first register.
    fn count_in_registers(&mut self, at: Inst<'m>, branch: &BranchPlan, objects: std::ops::Range<usize>, skipped: u32) {
        self.editor.before(at);
        let mut arguments: SmallVec<[Value<'m>; 16]> = SmallVec::from_slice(&self.current[objects.clone()]);
        // which lanes go elsewhere than to the first target: those for which a condition is false, or a case matches
        let condition = at.branch_condition();
        match condition {
            Some(condition) => arguments.push(condition),
            None => arguments.extend(self.goes_to(at, &branch.targets[1..])),
        }
        arguments.push(self.lower);
        let shape = Shape {
            registers: objects.len(),
            ways: branch.targets.len() - 1,
            is_condition: condition.is_some(),
            bits: branch.keep.bits(),
            skipped,
        };
        self.texts.add_to_registers(self.editor, shape, &arguments, &mut self.current[objects]);
    }

    fn widen(&mut self, value: Value<'m>) -> Value<'m> {
        let word = self.editor.int_type(32);
        self.editor.cast(RawOpcode::LLVMZExt, value, word, "")
    }

    fn count_in_memory(&mut self, branch: &BranchPlan, slot: u32, at: Inst<'m>) {
        self.editor.before(at);
        let mask = self.editor.intrinsic("llvm.nvvm.activemask", &[], &[], "");
        let below = self.editor.binary(RawOpcode::LLVMAnd, mask, self.lower, "");
        let (ballots, is_split) = self.ways(branch, at, mask);
        let visits = self.editor.int(32, 1);
        let splits = self.widen(is_split);
        let mut record = vec![visits, splits, self.popcount(mask)];
        for ballot in ballots {
            let lanes = self.popcount(ballot);
            record.push(lanes);
        }
        let rank = self.popcount(below);
        let count = self.popcount(mask);
        let place =
            if branch.targets.len() > MANY_TARGETS { self.editor.split_before(at, "warpwise.counted") } else { at };
        self.editor.before(place);
        for (slot, chunk) in chunks(slot, &record) {
            self.give(rank, place, slot, chunk);
        }
        // too few lanes for one word each: the lowest one adds the remaining words
        let sector = self.editor.int(32, u64::from(SECTOR));
        let zero = self.editor.int(32, 0);
        let too_few = self.editor.compare(IntPredicate::LLVMIntULT, count, sector, "");
        self.editor.split_if(too_few, place, true, "warpwise.add.few", "");
        let speaks = self.editor.equals(below, 0);
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

    /// Adds up to four words to memory, one by each of the first lanes. The editor is positioned before `at`, now and
    /// afterwards.
    fn give(&mut self, rank: Value<'m>, at: Inst<'m>, slot: u32, words: &[Value<'m>]) {
        let length = self.editor.int(32, words.len() as u64);
        let takes_part = self.editor.compare(IntPredicate::LLVMIntULT, rank, length, "");
        self.editor.split_if(takes_part, at, false, "warpwise.add", "");
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
        let global = self.editor.pointer_type(space::GLOBAL);
        let replica = self.editor.cast(RawOpcode::LLVMIntToPtr, self.replica, global, "");
        let mut index = self.editor.int(64, u64::from(word));
        if let Some(rank) = rank {
            let rank = self.editor.cast(RawOpcode::LLVMZExt, rank, wide, "");
            index = self.editor.binary(RawOpcode::LLVMAdd, rank, index, "");
        }
        let value = self.editor.cast(RawOpcode::LLVMZExt, value, wide, "");
        let address = self.editor.gep(wide, replica, &[index], true, "");
        self.editor.add_atomically(address, value);
    }
}

/// Splits a record into pieces of one sector: the first word of each, and its values.
fn chunks<'v, 'm>(slot: u32, record: &'v [Value<'m>]) -> impl Iterator<Item = (u32, &'v [Value<'m>])> + use<'v, 'm> {
    (slot..).step_by(SECTOR as usize).zip(record.chunks(SECTOR as usize))
}
