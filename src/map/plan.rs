//! Which branches are counted, and where are their counts kept? Reads facts, changes nothing.
//!
//! - Counted are conditional branches and switches with at least two different targets in reachable blocks, except
//!   those that are proven uniform, unless all are requested.
//! - Lanes hold counts in registers and add them to memory when they return. A branch outside cycles is executed once,
//!   so single bits suffice ([`Keep::Bits`]). One inside a cycle needs as many bits as it may have visits
//!   ([`TripBounds`]): [`Keep::Bytes`], [`Keep::Halves`] or [`Keep::Words`]. If visits are not bounded, or registers
//!   are scarce, lanes check at the headers of cycles whether a count is about to overflow.
//! - Counts that do not fit below [`MAP_REGISTERS`] registers are added to memory at once, those of the least deeply nested
//!   branches first. So are all counts in a function that may be left by an exit outside this module, in one where
//!   returning lanes must not wait for others (see [`may_leave_early`]), and in recursive functions, whose stack frames
//!   must not grow.
//! - Additional registers must not make a launch fail that works without them. A kernel without a bound gets the
//!   largest block as its bound, so that `ptxas` stays within it, unless the kernel seems to need as many registers by
//!   itself.
//!
//! A record is `visits, splits, lanes, lanes to target 1, lanes to target 2, …`; the remaining lanes went to target 0.
//! Records are padded to whole sectors of 32 bytes.

use super::calls::calls_functions;
use super::conditions::{self, KernelConditions, PlannedCondition};
use crate::settings::Settings;
use rustc_hash::FxHashSet;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::cost::trip_bound::TripBounds;
use warpwise_analysis::counts::table::FIXED_WORDS;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::prices::{
    MAP_DOUBT, MAP_HELD, MAP_MAX_REPLICAS, MAP_MIN_BITS, MAP_OWN_REGISTERS, MAP_REGISTERS,
};
use warpwise_analysis::pressure::intervals::between_blocks;
use warpwise_ir::call::{Callee, Intrinsics};
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;

/// Number of 64-bit words in a sector.
pub const SECTOR: u32 = 4;
/// Limit of registers times blocks, because promoting stack objects to values takes that long.
const MAX_PLACES: u32 = 40_000;
/// Number of visits by which a limit may be exceeded without harm: limits are half of what fits.
const SLACK: u64 = 16;
/// Maximum number of targets of a branch that is counted in registers.
const MAX_TARGETS: usize = 6;
/// Maximum size of all replicas together in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The records of a module so far.
#[derive(Clone, Default, Debug)]
pub struct Layout {
    /// Number of words of a replica that are in use.
    pub words: u32,
}

impl Layout {
    fn record(&mut self, words: u32) -> u32 {
        let slot = self.words;
        self.words += words.next_multiple_of(SECTOR);
        slot
    }

    /// Number of words from one replica to the next, which is whole cache lines.
    pub fn replica_words(&self) -> u32 {
        self.words.next_multiple_of(16)
    }

    /// Number of replicas, a power of two.
    pub fn replicas(&self) -> u32 {
        let bytes = u64::from(self.replica_words()) * 8;
        let mut replicas = MAP_MAX_REPLICAS;
        while replicas > 1 && bytes * u64::from(replicas) > MAX_BYTES {
            replicas /= 2;
        }
        replicas
    }
}

/// How a lane holds the counts of a branch until it returns, in the order of the records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Keep {
    /// One bit per count, from bit `first` of a register shared by branches with consecutive records.
    Bits { register: u32, first: u32 },
    /// Four counts per register.
    Bytes,
    /// Two counts per register.
    Halves,
    /// One count per register.
    Words,
    /// It does not: the warp adds to memory at once.
    Memory,
}

impl Keep {
    /// Number of bits of a count.
    pub fn bits(self) -> u32 {
        match self {
            Keep::Bits { .. } => 1,
            Keep::Bytes => 8,
            Keep::Halves => 16,
            Keep::Memory | Keep::Words => 32,
        }
    }
    /// Number of visits that certainly fit.
    fn limit(self) -> u64 {
        if self == Keep::Memory { u64::MAX } else { 1 << (self.bits() - 1) }
    }
    /// Number of registers needed for a branch whose record has this many words.
    pub fn registers(self, words: u32) -> u32 {
        match self {
            Keep::Memory | Keep::Bits { .. } => 0,
            keep => (words * keep.bits()).div_ceil(32),
        }
    }
}

/// A cycle at whose header lanes check whether a count is about to overflow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    pub header: Block,
    /// Branches that are checked, by their position in [`FunctionPlan::branches`].
    pub branches: Vec<usize>,
    /// Value of a lane's count of its own arrivals from which on it flushes, a power of two.
    pub limit: u32,
}

/// One branch.
#[derive(Clone, Debug)]
pub struct BranchPlan {
    /// The block that it ends.
    pub block: Block,
    /// The distinct targets, in LLVM's order.
    pub targets: Vec<Block>,
    /// First word of its record; `None` if it is not counted.
    pub slot: Option<u32>,
    pub keep: Keep,
    /// Conditions under which it would be uniform, by their position in [`FunctionPlan::conditions`].
    pub conditions: Vec<u32>,
}

impl BranchPlan {
    /// Number of words in its record.
    pub fn words(&self) -> u32 {
        FIXED_WORDS + self.targets.len() as u32 - 1
    }
    fn padded(&self) -> u32 {
        self.words().next_multiple_of(SECTOR)
    }
}

/// The plan for one function.
#[derive(Clone, Debug, Default)]
pub struct FunctionPlan {
    /// First word of the record for a kernel's launches; those in which conditions hold follow.
    pub launches: Option<u32>,
    /// The conditions of a kernel's branches.
    pub conditions: Vec<PlannedCondition>,
    pub checks: Vec<Check>,
    /// Whether the function may be on the stack more than once, so that nothing is held across calls.
    pub is_recursive: bool,
    /// Whether the kernel has no bound on its registers and gets one.
    pub needs_bound: bool,
    /// All branches, counted or not, in order.
    pub branches: Vec<BranchPlan>,
    /// The function asks to be left alone.
    pub is_off: bool,
}

/// What a plan needs to know about the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings {
    /// Whether lanes may end elsewhere than at a kernel's return.
    pub exits: bool,
    pub is_recursive: bool,
    pub is_off: bool,
}

/// Plans a function; its records follow those of the functions before it.
pub fn plan(
    facts: &Facts,
    handles: &Handles<'_>,
    settings: &Settings,
    conditions: KernelConditions,
    module: Surroundings,
    layout: &mut Layout,
) -> FunctionPlan {
    let function = handles.function;
    let Surroundings { is_recursive, is_off, .. } = module;
    let mut plan = FunctionPlan { is_recursive, is_off, ..listed(facts, conditions) };
    if facts.func.is_kernel {
        plan.launches = Some(layout.words);
        let tested = if is_off { 0 } else { conditions::assign(&mut plan.conditions, layout.words + 1) };
        layout.record(1 + tested);
    }
    if is_off {
        return plan;
    }
    let mut counted: Vec<usize> = (0..plan.branches.len())
        .filter(|&i| settings.map_all || facts.is_divergent_branch(plan.branches[i].block))
        .collect();
    // every lane that enters the function certainly leaves it by one of its returns
    let calls_others = || facts.func.calls.iter().any(|call| !matches!(call.callee, Callee::Intrinsic(_)));
    let may_hold = !module.exits || !calls_others();
    if !counted.is_empty() && may_hold && !is_recursive && !may_leave_early(facts) {
        let estimate = between_blocks(facts);
        let [least, most] = MAP_HELD;
        // ptxas rejects a bound if functions are compiled separately and a callee needs more registers than it leaves;
        // without a bound no more is held than certainly fits
        let is_bounded = !facts.func.is_kernel || !calls_functions(&facts.func);
        let room = match MAP_REGISTERS.saturating_sub(MAP_OWN_REGISTERS + estimate) {
            left if is_bounded => left.clamp(least, most),
            left => left.saturating_sub(MAP_DOUBT).min(least),
        };
        let room = room.min(MAX_PLACES / facts.func.blocks.len().max(1) as u32);
        let bounds = TripBounds::new(&facts.cfg().cycles, &Frequencies::new(function));
        hold(&mut plan, facts, &bounds, &counted, room, settings.flush_after);
        let stated = ["nvvm.maxntid", "nvvm.reqntid", "nvvm.maxnreg"];
        plan.needs_bound = facts.func.is_kernel
            && plan.branches.iter().any(|branch| branch.keep != Keep::Memory)
            && estimate + MAP_OWN_REGISTERS < MAP_REGISTERS
            && is_bounded
            && stated.iter().all(|name| function.string_attribute(name).is_none());
    }
    // first those whose records must be consecutive
    counted.sort_by_key(|&i| plan.branches[i].keep);
    for i in counted {
        let words = plan.branches[i].words();
        plan.branches[i].slot = Some(layout.record(words));
    }
    plan
}

/// Decides which counts are held in `room` registers, and how.
fn hold(
    plan: &mut FunctionPlan,
    facts: &Facts,
    bounds: &TripBounds,
    counted: &[usize],
    room: u32,
    flush_after: Option<u32>,
) {
    let cycles = &facts.cfg().cycles;
    let depth = |branch: &BranchPlan| cycles.cycle_of(branch.block).map_or(0, |cycle| cycles.depth(cycle));
    let (mut inside, outside): (Vec<usize>, Vec<usize>) =
        counted.iter().partition(|&&i| depth(&plan.branches[i]) > 0 && plan.branches[i].targets.len() <= MAX_TARGETS);
    inside.sort_by_key(|&i| std::cmp::Reverse(depth(&plan.branches[i])));
    // the widest counters with which everything fits; narrower ones must be flushed more often
    let narrowest = |i: usize, most: Keep| {
        let branch = &plan.branches[i];
        let visits = bounds.visits(cycles, cycles.cycle_of(branch.block));
        let fits = |keep: &Keep| visits <= keep.limit() || *keep >= most;
        [Keep::Bytes, Keep::Halves].into_iter().find(fits).unwrap_or(most)
    };
    let cost = |i: usize, keep: Keep| keep.registers(plan.branches[i].words());
    let sum = |most: Keep| inside.iter().map(|&i| cost(i, narrowest(i, most))).sum::<u32>();
    let widest = [Keep::Words, Keep::Halves].into_iter().find(|&most| sum(most) <= room).unwrap_or(Keep::Bytes);
    let mut left = room;
    let mut kept = Vec::new();
    for &i in &inside {
        let keep = narrowest(i, widest);
        if let Some(rest) = left.checked_sub(cost(i, keep)) {
            left = rest;
            kept.push((i, keep));
        }
    }
    for (i, keep) in kept {
        plan.branches[i].keep = keep;
    }
    for keep in [Keep::Bytes, Keep::Halves, Keep::Words] {
        let held: Vec<usize> = inside.iter().copied().filter(|&i| plan.branches[i].keep == keep).collect();
        let limit = flush_after.map_or(keep.limit(), |count| u64::from(count).next_power_of_two().min(keep.limit()));
        let innermost: Vec<Option<Cycle>> = held.iter().map(|&i| cycles.cycle_of(plan.branches[i].block)).collect();
        let checks = bounds.checks(cycles, |cycle| innermost.contains(&Some(cycle)), limit + SLACK.min(limit));
        for &cycle in &checks {
            // those of inner cycles with a check of their own are safe
            let is_mine = |&inner: &Cycle| {
                let nearest = cycles.ancestors(inner).find(|around| checks.contains(around));
                nearest == Some(cycle)
            };
            let branches =
                held.iter().zip(&innermost).filter(|(_, c)| c.as_ref().is_some_and(is_mine)).map(|(&i, _)| i);
            plan.checks.push(Check { header: cycles.header(cycle), branches: branches.collect(), limit: limit as u32 });
        }
    }
    // single bits for branches that are executed once
    let outside: Vec<usize> = outside
        .into_iter()
        .filter(|&i| depth(&plan.branches[i]) == 0 && plan.branches[i].targets.len() <= MAX_TARGETS)
        .collect();
    if outside.len() < MAP_MIN_BITS && inside.is_empty() {
        return;
    }
    let (mut register, mut first) = (0, 0);
    for i in outside {
        let branch = &mut plan.branches[i];
        if first + branch.padded() > 32 {
            (register, first) = (register + 1, 0);
        }
        if register < left {
            branch.keep = Keep::Bits { register, first };
            first += branch.padded();
        }
    }
}

/// The conditional branches and switches of a function with different targets, in order, and their conditions; nothing is
/// counted yet.
pub fn listed(facts: &Facts, conditions: KernelConditions) -> FunctionPlan {
    let func = &facts.func;
    let mut branches = Vec::new();
    for block in func.blocks.keys().filter(|&block| facts.is_reachable(block)) {
        if !matches!(func.insts[func.terminator(block)].opcode, Opcode::CondBr | Opcode::Switch) {
            continue;
        }
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let targets: Vec<Block> = func.graph.succs(block).iter().copied().filter(|&to| seen.insert(to)).collect();
        if targets.len() > 1 {
            let conditions = conditions.of_branch(block).to_vec();
            branches.push(BranchPlan { block, targets, slot: None, keep: Keep::Memory, conditions });
        }
    }
    FunctionPlan { branches, conditions: conditions.list, ..FunctionPlan::default() }
}

/// Whether lanes may reach a return while others of their warp go on to something that waits for them.
///
/// `if (i >= n) return;` before a barrier or a full-mask shuffle is fine as long as the returning lanes do nothing
/// else: they are gone when the others wait. If they have counts to flush, they would first wait at the return for the
/// others, and each group would wait for the other. So no divergent branch may have one target from which a return is
/// reached without synchronisation, and another from which synchronisation is reached.
fn may_leave_early(facts: &Facts) -> bool {
    let func = &facts.func;
    if !func.calls.iter().any(|call| call.convergent) {
        return false;
    }
    let count = func.blocks.len();
    let waits = |block: Block| {
        func.block_insts(block).any(|inst| func.insts[inst].opcode == Opcode::Call && func.call(inst).convergent)
    };
    let blocks: Vec<Block> = func.blocks.keys().collect();
    let waiting: Vec<bool> = blocks.iter().map(|&block| waits(block)).collect();
    let returns = |block: Block| func.insts[func.terminator(block)].opcode == Opcode::Ret;
    // backwards from returns through blocks that do not wait, and backwards from blocks that wait
    let spread = |starts: &dyn Fn(usize) -> bool, passes: &dyn Fn(usize) -> bool| {
        let mut found = vec![false; count];
        let mut open: Vec<usize> = (0..count).filter(|&block| starts(block)).collect();
        open.iter().for_each(|&block| found[block] = true);
        while let Some(block) = open.pop() {
            for &before in func.graph.preds(blocks[block]) {
                let before = before.as_u32() as usize;
                if !found[before] && passes(before) {
                    found[before] = true;
                    open.push(before);
                }
            }
        }
        found
    };
    let leaves = spread(&|block| returns(blocks[block]) && !waiting[block], &|block| !waiting[block]);
    let meets = spread(&|block| waiting[block], &|_| true);
    blocks.iter().any(|&block| {
        let targets = func.graph.succs(block);
        facts.is_divergent_branch(block)
            && targets.iter().any(|&early| {
                leaves[early.as_u32() as usize]
                    && targets.iter().any(|&late| late != early && meets[late.as_u32() as usize])
            })
    })
}

/// Whether a lane may end anywhere in these functions except at a kernel's return.
pub fn may_exit(bodies: &[(Facts, Handles<'_>)]) -> bool {
    bodies.iter().any(|(facts, handles)| exits(facts, handles).next().is_some())
}

/// Calls after which a lane that executes them may have exited.
pub fn exits<'a>(facts: &'a Facts, handles: &'a Handles<'_>) -> impl Iterator<Item = Inst> + 'a {
    static EXIT: Intrinsics<1> = Intrinsics::new(["llvm.nvvm.exit"]);
    let func = &facts.func;
    let may_be_one = |callee: Callee| match callee {
        Callee::Asm { .. } => true,
        Callee::Intrinsic(id) => EXIT.contains(id),
        _ => false,
    };
    // most functions have none
    let any = func.calls.iter().any(|call| may_be_one(call.callee));
    let calls = any.then(|| func.insts.keys().filter(|&inst| func.insts[inst].opcode == Opcode::Call));
    let calls = calls.into_iter().flatten();
    calls.filter(|&inst| match func.call(inst).callee {
        Callee::Asm { .. } => handles.inst(inst).called_value().asm_text().contains("exit"),
        Callee::Intrinsic(id) => EXIT.contains(id),
        _ => false,
    })
}
