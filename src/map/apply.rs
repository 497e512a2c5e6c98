//! How are the planned branches counted? Rewrites one function; every decision was made by the plan.
//!
//! At a branch, `activemask` names the lanes that came together and `vote.ballot.sync` over exactly these lanes says who
//! goes where; the lowest lane of the mask speaks for the warp. All lanes of the mask have executed the `activemask` and
//! execute the vote next, so nobody waits for anybody. Nothing the program computes is read but the condition, nothing it
//! can see is written, and no lane's way changes: the added parts are guarded and fall through.
//!
//! - **In registers**: stack objects of the function, made values at the end. Every lane adds itself to the lanes that
//!   came and to those of its target, the lowest one its visit and its split; [`flush`](super::flush) gives them to memory.
//! - **In memory**: a record is added four words at a time by the first four lanes, one word each, which is one sector and
//!   one instruction; where fewer lanes are there, the lowest one adds the words that nobody took.
//!
//! Memory is one replica of all records for each multiprocessor, so that atomic additions of different multiprocessors do
//! not wait for each other.
//!
//! A branch of two targets is counted in registers by nine instructions, written as PTX because that is what they are to
//! stay: under a predicate `activemask` names the lanes for which it holds, so the lanes of either way learn who goes with
//! them, and a warp splits if that is not everybody.

use super::plan::{BranchPlan, FunctionPlan, Keep, SECTOR, exits};
use crate::divergence::Facts;
use crate::kernel::entity::Block;
use crate::kernel::handles::Handles;
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Inst, IntPredicate, RawOpcode, Value};
use std::fmt::Write;

/// Threads of the largest block there is.
const LARGEST_BLOCK: &str = "1024";

/// Counts the lanes of a branch of two ways: those that came into `n`, those that go to the second target into `o`, a split
/// into `v`; the leader `l`; and for the first four lanes (`t`) their word's address `a` and value `w`. Arguments are the
/// condition, the lanes below and the replica.
const IN_MEMORY: &str = "{
.reg .b32 m, b, x, r, n, o, v;
.reg .b64 w, a;
.reg .pred l, s, t;
activemask.b32 m;
@$0 activemask.b32 b;
@!$0 activemask.b32 b;
and.b32 x, m, $1;
popc.b32 r, x;
popc.b32 n, m;
popc.b32 o, b;
sub.u32 v, n, o;
@$0 mov.u32 o, v;
setp.ne.u32 s, b, m;
selp.u32 v, 1, 0, s;
setp.eq.u32 l, r, 0;
setp.eq.u32 t, r, 2;
selp.u32 x, n, v, t;
setp.gt.u32 t, r, 2;
selp.u32 x, o, x, t;
@l mov.u32 x, 1;
cvt.u64.u32 w, x;
min.u32 x, r, 3;
mul.wide.u32 a, x, 8;
add.u64 a, a, $2;
setp.lt.u32 t, r, 4;
";

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
pub(super) struct Group<'m> {
    pub mask: Value<'m>,
    /// Lanes of the group below this one.
    pub below: Value<'m>,
}

/// Who goes where at a branch.
struct Ways<'m> {
    /// Lanes of the group that go to target 1, 2, …
    ballots: Vec<Value<'m>>,
    is_split: Value<'m>,
}

pub(super) struct Apply<'e, 'a, 'm> {
    pub editor: &'e mut Editor<'m>,
    handles: &'a Handles<'m>,
    pub machine: &'a Machine<'m>,
    /// The lanes below this one.
    pub lower: Value<'m>,
    /// This multiprocessor's replica.
    pub replica: Value<'m>,
}

/// Where a branch's counts are held.
pub(super) struct Held<'b, 'm> {
    pub slot: u32,
    pub branch: &'b BranchPlan,
    /// Position in the plan.
    pub number: usize,
    pub objects: Vec<Value<'m>>,
}

/// A register that several branches share.
pub(super) struct Shared<'m> {
    /// First word of the first branch's record.
    pub slot: u32,
    pub object: Value<'m>,
}

/// Everything that is held.
#[derive(Default)]
pub(super) struct Registers<'b, 'm> {
    pub wide: Vec<Held<'b, 'm>>,
    pub bits: Vec<Shared<'m>>,
}

impl<'m> Registers<'_, 'm> {
    pub fn objects(&self) -> impl Iterator<Item = Value<'m>> + '_ {
        let wide = self.wide.iter().flat_map(|held| held.objects.iter().copied());
        wide.chain(self.bits.iter().map(|shared| shared.object))
    }
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
    let kernel = &facts.kernel;
    let returns = function.blocks().filter_map(|block| block.terminator());
    let mut ends: Vec<Inst<'m>> = returns.filter(|inst| inst.opcode() == RawOpcode::LLVMRet).collect();
    ends.extend(exits(facts, handles).map(|inst| handles.inst(inst)));
    let branches: Vec<(usize, u32, Inst<'m>)> = plan
        .branches
        .iter()
        .enumerate()
        .filter_map(|(number, branch)| Some((number, branch.slot?, handles.inst(kernel.terminator(branch.block)))))
        .collect();
    let first = entry_point(function);
    editor.before(first);
    let lower = editor.register("lanemask.lt");
    let replica = replica(editor, machine);
    let mut work = Apply { editor, handles, machine, lower, replica };
    let registers = work.objects(plan, &branches);
    if let Some(slot) = plan.launches {
        work.launch(slot, first);
    }
    if plan.needs_bound {
        work.editor.set_string_attribute(function, "nvvm.maxntid", LARGEST_BLOCK);
    }
    let mut wide = registers.wide.iter();
    for &(number, slot, at) in &branches {
        let branch = &plan.branches[number];
        match branch.keep {
            Keep::Memory => {
                if plan.is_recursive {
                    // nothing may live across calls
                    work.editor.before(at);
                    work.lower = work.editor.register("lanemask.lt");
                    work.replica = self::replica(work.editor, machine);
                }
                match at.branch_condition() {
                    Some(condition) => work.add_in_memory(condition, slot, at),
                    None => work.count_in_memory(branch, slot, at),
                }
            }
            Keep::Bits { register, first } => {
                let object = registers.bits[register as usize].object;
                work.count_in_registers(at, branch, &[object], first);
            }
            _ => {
                let Some(held) = wide.next() else { continue };
                work.count_in_registers(at, branch, &held.objects, 0);
            }
        }
    }
    let objects: Vec<Value<'m>> = registers.objects().collect();
    if objects.is_empty() {
        return;
    }
    for end in ends {
        work.flush(&registers, end);
    }
    for check in &plan.checks {
        let block = handles.block(check.header);
        if let Some(at) = block.insts().find(|inst| inst.opcode() != RawOpcode::LLVMPHI) {
            work.check(&registers, check, at);
        }
    }
    work.editor.promote(function, &objects);
}

/// This multiprocessor's replica of the counters, where the editor stands.
pub(super) fn replica<'m>(editor: &mut Editor<'m>, machine: &Machine<'m>) -> Value<'m> {
    let processor = editor.register("smid");
    let most = editor.int(32, u64::from(machine.replicas - 1));
    let number = editor.binary(RawOpcode::LLVMAnd, processor, most, "");
    let wide = editor.int_type(64);
    let number = editor.cast(RawOpcode::LLVMZExt, number, wide, "");
    let line = editor.array_type(wide, u64::from(machine.words));
    editor.gep(line, machine.counters, &[number], true, "warpwise.replica")
}

/// The first instruction of a function behind its stack objects, which must stay in the entry block.
fn entry_point(function: Function<'_>) -> Inst<'_> {
    let entry = function.blocks().next().expect("a function with a body has an entry");
    let insts: Vec<Inst<'_>> = entry.insts().collect();
    let after = insts.iter().rposition(|inst| inst.opcode() == RawOpcode::LLVMAlloca).map_or(0, |last| last + 1);
    insts[after]
}

impl<'a, 'm> Apply<'_, 'a, 'm> {
    fn objects<'b>(&mut self, plan: &'b FunctionPlan, branches: &[(usize, u32, Inst<'m>)]) -> Registers<'b, 'm> {
        let mut registers = Registers::default();
        for &(number, slot, _) in branches {
            let branch = &plan.branches[number];
            let count = match branch.keep {
                Keep::Memory => continue,
                Keep::Bits { first, .. } => {
                    if first == 0 {
                        let object = self.object();
                        registers.bits.push(Shared { slot, object });
                    }
                    continue;
                }
                keep => keep.registers(branch.words()),
            };
            let objects = (0..count).map(|_| self.object()).collect();
            registers.wide.push(Held { slot, branch, number, objects });
        }
        registers
    }

    /// A count of zero, at the function's entry.
    fn object(&mut self) -> Value<'m> {
        let word = self.editor.int_type(32);
        let object = self.editor.stack_object(word, "warpwise.count");
        let zero = self.editor.int(32, 0);
        self.editor.store(zero, object, 4, false);
        object
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

    pub(super) fn group(&mut self) -> Group<'m> {
        let mask = self.editor.intrinsic("llvm.nvvm.activemask", &[], &[], "");
        let below = self.editor.binary(RawOpcode::LLVMAnd, mask, self.lower, "");
        Group { mask, below }
    }

    pub(super) fn ballot(&mut self, group: Group<'m>, predicate: Value<'m>) -> Value<'m> {
        self.editor.intrinsic("llvm.nvvm.vote.ballot.sync", &[], &[group.mask, predicate], "")
    }

    pub(super) fn popcount(&mut self, value: Value<'m>) -> Value<'m> {
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
        Ways { ballots, is_split }
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

    /// Adds a visit to the counts in these objects, which begin `skipped` counts after the first one's start.
    fn count_in_registers(&mut self, at: Inst<'m>, branch: &BranchPlan, objects: &[Value<'m>], skipped: u32) {
        self.editor.before(at);
        // who goes elsewhere than to the first target: those for whom a condition fails, or a case holds
        let (conditions, not, goes) = match at.branch_condition() {
            Some(condition) => (vec![condition], "!", ""),
            None => (branch.targets[1..].iter().map(|&target| self.goes_to(at, target)).collect(), "", "!"),
        };
        let count = objects.len();
        let lower = 2 * count + conditions.len();
        let others: Vec<String> = (0..conditions.len()).map(|i| format!("${}", 2 * count + i)).collect();
        let mut text = "{\n.reg .b32 m, b, x;\n.reg .pred l, s, q;\nactivemask.b32 m;\n".to_owned();
        // the lanes that go this lane's way
        let mut any = others[0].clone();
        for other in &others[1..] {
            let _ = writeln!(text, "or.pred q, {any}, {other};");
            "q".clone_into(&mut any);
        }
        let _ = writeln!(text, "@{goes}{any} activemask.b32 b;");
        for other in &others {
            let _ = writeln!(text, "@{not}{other} activemask.b32 b;");
        }
        let _ =
            writeln!(text, "and.b32 x, m, ${lower};\nsetp.eq.u32 l, x, 0;\nsetp.ne.u32 s, b, m;\nand.pred s, s, l;");
        let guards = ["@l ".to_owned(), "@s ".to_owned(), String::new()].into_iter();
        let guards = guards.chain(others.iter().map(|other| format!("@{not}{other} ")));
        let bits = branch.keep.bits();
        for (index, guard) in (skipped..).zip(guards) {
            let object = index * bits / 32;
            let one = 1u32 << (index * bits % 32);
            let _ = writeln!(text, "{guard}add.u32 ${object}, ${object}, {one};");
        }
        text.push('}');
        let mut constraints = "=r,".repeat(count);
        for object in 0..count {
            let _ = write!(constraints, "{object},");
        }
        constraints += &"b,".repeat(conditions.len());
        constraints.push('r');
        let word = self.editor.int_type(32);
        let mut arguments: Vec<Value<'m>> =
            objects.iter().map(|&object| self.editor.load(word, object, 4, false, "")).collect();
        arguments.extend(conditions);
        arguments.push(self.lower);
        let counts = self.editor.assembly(&text, &constraints, count, &arguments);
        for (&object, count) in objects.iter().zip(counts) {
            self.editor.store(count, object, 4, false);
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

    /// Two ways: the same as [`Self::count_in_memory`], in one instruction of the IR.
    fn add_in_memory(&mut self, condition: Value<'m>, slot: u32, at: Inst<'m>) {
        self.editor.before(at);
        let mut text = IN_MEMORY.to_owned();
        let first = 8 * slot;
        let _ = writeln!(text, "@t red.relaxed.gpu.global.add.u64 [a+{first}], w;");
        // too few lanes for a word each: the lowest one adds what nobody took
        for (index, word) in (1..).zip(["v", "n", "o"]) {
            let place = first + 8 * index;
            let lanes = index + 1;
            let _ = writeln!(text, "setp.lt.u32 t, n, {lanes};\nand.pred t, t, l;\ncvt.u64.u32 w, {word};");
            let _ = writeln!(text, "@t red.relaxed.gpu.global.add.u64 [$2+{place}], w;");
        }
        text.push('}');
        let replica = self.editor.address(self.replica);
        self.editor.assembly(&text, "b,r,l,~{memory}", 0, &[condition, self.lower, replica]);
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

    pub(super) fn add(&mut self, word: u32, rank: Option<Value<'m>>, value: Value<'m>) {
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
}

/// A record in pieces of a sector: first word of each and its values.
fn chunks<'v, 'm>(slot: u32, record: &'v [Value<'m>]) -> impl Iterator<Item = (u32, &'v [Value<'m>])> + use<'v, 'm> {
    (slot..).step_by(SECTOR as usize).zip(record.chunks(SECTOR as usize))
}
