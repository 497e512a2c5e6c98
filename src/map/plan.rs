//! Which branches are counted, where, and in what? Read-only.
//!
//! - Conditional branches and switches with at least two different targets, in blocks that can be reached.
//! - Not those that the analysis proves uniform, unless all are asked for.
//! - A branch inside a cycle is counted in registers, which are added to memory when the lane returns; a branch outside
//!   runs once, so its counts go to memory at once. Registers need every way out of the function to be a return that this
//!   module sees, and are few: as many branches as fit below [`REGISTERS`], the most deeply nested first.
//! - A lane's counts have 32 bits. Lanes count their iterations and give what they hold to memory after [`TURNS`] of them.
//! - Lanes that return must not wait for others: see [`may_leave_early`].
//! - More registers must not make a launch fail that works without them. A kernel that states no bound gets the largest
//!   block as its bound, so that `ptxas` stays below it, unless it seems to need as much by itself.
//!
//! A record is `visits, splits, lanes, lanes to target 1, lanes to target 2, …`; lanes to target 0 are the rest. Records
//! are padded to whole sectors of 32 bytes.

use super::Options;
use crate::cfg::Cycles;
use crate::divergence::Facts;
use crate::kernel::call::Callee;
use crate::kernel::entity::Block;
use crate::kernel::handles::Handles;
use crate::kernel::inst::Opcode;
use crate::llvm::handle::{Function, Inst, RawOpcode, ValueKind};
use crate::pipeline::is_switched_off;
use crate::spill::pressure::Pressure;

/// Words of a record before the lanes of targets.
pub const FIXED_WORDS: u32 = 3;
/// Words of a sector.
pub const SECTOR: u32 = 4;
/// Branches counted in registers: at least so many, where there are any, and at most.
const IN_REGISTERS: [u32; 2] = [4, 10];
/// Registers of a thread that leave room for a block of 1024 threads, and for many small ones.
const REGISTERS: u32 = 64;
/// Registers that counting itself needs, beside a record's.
const OWN_REGISTERS: u32 = 10;
/// Targets of a branch counted in registers at most.
const MOST_TARGETS: usize = 6;
/// Bytes that all replicas together should not exceed.
const MOST_BYTES: u64 = 16 << 20;
/// Replicas at most: one for every multiprocessor of the GPUs of today, and a power of two.
const MOST_REPLICAS: u32 = 128;

/// Records of a module so far.
#[derive(Clone, Default, Debug)]
pub struct Layout {
    /// Words of a replica that are taken.
    pub words: u32,
}

impl Layout {
    fn record(&mut self, words: u32) -> u32 {
        let slot = self.words;
        self.words += words.next_multiple_of(SECTOR);
        slot
    }

    /// Words from one replica to the next: whole cache lines.
    pub fn replica_words(&self) -> u32 {
        self.words.next_multiple_of(16)
    }

    /// Copies of the counters, a power of two.
    pub fn replicas(&self) -> u32 {
        let bytes = u64::from(self.replica_words()) * 8;
        let mut replicas = MOST_REPLICAS;
        while replicas > 1 && bytes * u64::from(replicas) > MOST_BYTES {
            replicas /= 2;
        }
        replicas
    }
}

/// Iterations of a lane after which it gives its registers to memory: no count of a lane can pass 32 bits before.
pub const TURNS: u32 = 1 << 31;

/// One branch.
#[derive(Clone, Debug)]
pub struct BranchPlan {
    /// The block it ends.
    pub block: Block,
    /// Different targets, in LLVM's order.
    pub targets: Vec<Block>,
    /// First word of its record; `None` if it is not counted.
    pub slot: Option<u32>,
    pub in_registers: bool,
}

/// Why a function is not counted at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("no divergence map: the function asks to be left alone")]
    Off,
}

impl Reject {
    /// The remark's name.
    pub fn name(self) -> &'static str {
        match self {
            Reject::Off => "Off",
        }
    }
}

/// One function.
#[derive(Clone, Debug, Default)]
pub struct FunctionPlan {
    /// Record of a kernel's launches.
    pub launches: Option<u32>,
    /// Headers of the innermost cycles around branches in registers: a branch is met once an iteration at most.
    pub headers: Vec<Block>,
    /// The kernel states no bound on its registers and gets one.
    pub needs_bound: bool,
    /// All branches, counted or not, in order.
    pub branches: Vec<BranchPlan>,
    pub reject: Option<Reject>,
}

/// Plans a function; its records follow those of the functions before it.
pub fn plan(facts: &Facts, handles: &Handles<'_>, options: &Options, exits: bool, layout: &mut Layout) -> FunctionPlan {
    let function = handles.function;
    let mut plan = FunctionPlan { branches: branches(facts), ..FunctionPlan::default() };
    if facts.kernel.is_kernel {
        plan.launches = Some(layout.record(1));
    }
    if is_switched_off(function, "map") {
        plan.reject = Some(Reject::Off);
        return plan;
    }
    for branch in &mut plan.branches {
        if options.all || facts.is_divergent_branch(branch.block) {
            let words = FIXED_WORDS + branch.targets.len() as u32 - 1;
            branch.slot = Some(layout.record(words));
        }
    }
    let in_cycle = |branch: &BranchPlan| branch.slot.is_some() && facts.cfg().cycles.cycle_of(branch.block).is_some();
    if plan.branches.iter().any(in_cycle) && may_count_in_registers(facts, exits) && !may_leave_early(facts) {
        let estimate = Pressure::new(facts).across_boundaries();
        let room = REGISTERS.saturating_sub(OWN_REGISTERS + estimate) / SECTOR;
        let [least, most] = IN_REGISTERS;
        choose_registers(&mut plan.branches, &facts.cfg().cycles, room.clamp(least, most) as usize);
        let cycles = &facts.cfg().cycles;
        let held = plan.branches.iter().filter(|branch| branch.in_registers);
        plan.headers = held.filter_map(|branch| cycles.cycle_of(branch.block)).map(|c| cycles.header(c)).collect();
        plan.headers.sort_unstable();
        plan.headers.dedup();
        let stated = ["nvvm.maxntid", "nvvm.reqntid", "nvvm.maxnreg"];
        plan.needs_bound = facts.kernel.is_kernel
            && plan.branches.iter().any(|branch| branch.in_registers)
            && estimate + OWN_REGISTERS < REGISTERS
            && stated.iter().all(|name| function.string_attribute(name).is_none());
    }
    plan
}

/// Conditional branches and switches with different targets, in order; none is counted yet.
pub fn branches(facts: &Facts) -> Vec<BranchPlan> {
    let kernel = &facts.kernel;
    let mut branches = Vec::new();
    for block in kernel.blocks.keys().filter(|&block| facts.is_reachable(block)) {
        if !matches!(kernel.insts[kernel.terminator(block)].opcode, Opcode::CondBr | Opcode::Switch) {
            continue;
        }
        let mut targets: Vec<Block> = Vec::new();
        for &target in kernel.graph.succs(block) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        if targets.len() > 1 {
            branches.push(BranchPlan { block, targets, slot: None, in_registers: false });
        }
    }
    branches
}

/// Whether every lane that enters the function leaves it by one of its returns, as far as this module can tell.
fn may_count_in_registers(facts: &Facts, exits: bool) -> bool {
    let kernel = &facts.kernel;
    let calls_others = kernel.insts.keys().any(|inst| {
        kernel.insts[inst].opcode == Opcode::Call && !matches!(kernel.call(inst).callee, Callee::Intrinsic(_))
    });
    !(exits && calls_others)
}

/// Whether lanes may come to a return while others of their warp go on to something that waits for them.
///
/// `if (i >= n) return;` before a barrier or a full-mask shuffle is fine as long as the lanes that return do nothing else:
/// they are gone when the others wait. With counts to give away they would meet the others at the return first, and each
/// would wait for the other. So: no divergent branch may have one target from which a return is reached without
/// synchronisation, and another one from which synchronisation is reached.
fn may_leave_early(facts: &Facts) -> bool {
    let kernel = &facts.kernel;
    let count = kernel.blocks.len();
    let waits = |block: Block| {
        kernel.block_insts(block).any(|inst| kernel.insts[inst].opcode == Opcode::Call && kernel.call(inst).convergent)
    };
    let blocks: Vec<Block> = kernel.blocks.keys().collect();
    let waiting: Vec<bool> = blocks.iter().map(|&block| waits(block)).collect();
    let returns = |block: Block| kernel.insts[kernel.terminator(block)].opcode == Opcode::Ret;
    // backwards from returns through blocks that do not wait; backwards from blocks that wait
    let spread = |starts: &dyn Fn(usize) -> bool, passes: &dyn Fn(usize) -> bool| {
        let mut found = vec![false; count];
        let mut open: Vec<usize> = (0..count).filter(|&block| starts(block)).collect();
        open.iter().for_each(|&block| found[block] = true);
        while let Some(block) = open.pop() {
            for &before in kernel.graph.preds(blocks[block]) {
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
        let targets = kernel.graph.succs(block);
        facts.is_divergent_branch(block)
            && targets.iter().any(|&early| {
                leaves[early.as_u32() as usize]
                    && targets.iter().any(|&late| late != early && meets[late.as_u32() as usize])
            })
    })
}

fn choose_registers(branches: &mut [BranchPlan], cycles: &Cycles, room: usize) {
    let depth = |block: Block| cycles.cycle_of(block).map_or(0, |cycle| cycles.depth(cycle));
    let mut order: Vec<usize> = (0..branches.len())
        .filter(|&i| {
            let branch = &branches[i];
            branch.slot.is_some() && cycles.cycle_of(branch.block).is_some() && branch.targets.len() <= MOST_TARGETS
        })
        .collect();
    order.sort_by_key(|&i| std::cmp::Reverse(depth(branches[i].block)));
    for &i in order.iter().take(room) {
        branches[i].in_registers = true;
    }
}

/// Whether a lane may end anywhere in these functions but at a kernel's return.
pub fn may_exit(bodies: &[Function<'_>]) -> bool {
    bodies.iter().flat_map(|function| function.blocks()).flat_map(|block| block.insts()).any(is_exit)
}

/// Whether a lane that executes this is gone afterwards.
pub fn is_exit(inst: Inst<'_>) -> bool {
    inst.opcode() == RawOpcode::LLVMCall && {
        let callee = inst.called_value();
        match callee.kind() {
            ValueKind::InlineAsm => callee.asm_text().contains("exit"),
            ValueKind::Function => callee.name() == "llvm.nvvm.exit",
            _ => false,
        }
    }
}
