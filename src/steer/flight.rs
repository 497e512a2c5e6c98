//! Which kernels get more registers, so that `ptxas` has more of their loads in flight?
//!
//! Without a bound `ptxas` schedules a kernel for all warps that fit: with 32 registers a thread on most chips. Of the loads of
//! a loop, as many are in flight at once as their results fit beside what else is live: about ten. Where a block is as large as
//! it may be, there are [`SURE_REGISTERS`] for each thread. A kernel that is told to use at most so many can still be launched
//! in blocks of any size; and `ptxas`, told any number, takes what its loads can use. Fewer warps are resident then, each with
//! several times as many loads in flight.
//!
//! That pays, if
//!
//! 1. a loop as deep as any adds up what it loads: its iterations are one block that stores nothing, with [`MANY_IN_FLIGHT`]
//!    loads of memory that is far away. That many copies have been made already, and `ptxas` makes more,
//! 2. no load needs what an earlier iteration loads,
//! 3. loads find what they access in lines of their own: what iterations or lanes share is in the first-level cache. In a loop
//!    within two others a thread stays long enough for that to matter less; and if no thread asks which one it is, there is one,
//! 4. by our estimate all warps fit, so that only the loads could use more registers.
//!
//! Where only the third fails, a remark says how to measure. Kernels that state a bound have one. Where blocks wait for others,
//! fewer could be resident than the program relies on.

use crate::analyses::FunctionAnalyses;
use crate::shared_memory::usage::may_wait_for_blocks;
use crate::unroll::body::Body;
use rustc_hash::FxHashMap;
use warpwise_analysis::access::{Pattern, SECTOR, Space, WarpAccess, access};
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::Chip;
use warpwise_analysis::gpu::chip::SURE_REGISTERS;
use warpwise_analysis::gpu::prices::{MANY_IN_FLIGHT, SUMS_OF_ONE, UNSEEN_REGISTERS, WHOLE_LINE};
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, Function, RawOpcode, intrinsic_name};

/// The attribute that becomes `.maxnreg`.
const ATTRIBUTE: &str = "nvvm.maxnreg";

/// Earlier chips for boards have half as many registers for a block. CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability".
const FULL_BLOCKS_FROM: u32 = 70;

/// A loop whose loads use the registers.
pub struct Flight {
    /// Its block.
    pub block: Block,
    pub loads: usize,
    /// Whether that is sure to pay.
    pub is_sure: bool,
}

/// Whether a function is a kernel that states no blocks that must fit, and has a block with enough loads that is a loop. Asked of
/// LLVM's own instructions, before it is imported.
pub fn may_gain(function: Function<'_>) -> bool {
    let is_load = |inst: &handle::Inst<'_>| inst.opcode() == RawOpcode::LLVMLoad;
    let loops = |block: handle::Block<'_>| block.successors().any(|next| next == block);
    let has_loads = |block: handle::Block<'_>| block.insts().filter(is_load).nth(MANY_IN_FLIGHT - 1).is_some();
    function.is_ptx_kernel()
        && function.string_attribute("nvvm.minctasm").is_none()
        && function.blocks().any(|block| loops(block) && has_loads(block))
        && !may_wait_for_blocks(function)
}

/// The loop of a kernel with most loads that more registers bring in flight, one for which that is sure to pay if there is any.
pub fn plan(analyses: &mut FunctionAnalyses<'_>) -> Option<Flight> {
    let chip = Chip::of(&analyses.handles.function.target_cpu());
    if chip.architecture < FULL_BLOCKS_FROM || chip.registers_of_all() >= SURE_REGISTERS {
        return None;
    }
    let frequencies = analyses.frequencies();
    let (facts, pressure) = analyses.facts_and_pressure();
    if pressure.largest_of_blocks(facts) + UNSEEN_REGISTERS > chip.registers_of_all() {
        return None;
    }
    let cycles = &facts.cfg().cycles;
    let depth = cycles.iter().map(|cycle| cycles.depth(cycle)).max()?;
    let is_of_one_thread = is_of_one_thread(facts);
    let mut flights = Vec::new();
    for cycle in cycles.innermost().filter(|&cycle| cycles.depth(cycle) == depth) {
        let block = cycles.header(cycle);
        if cycles.only_latch(&facts.func.graph, cycle) != Some(block) {
            return None;
        }
        let body = Body::of(facts, cycle, block);
        if body.insts.iter().any(|&inst| body.waits(inst)) {
            return None;
        }
        let stores = body.insts.iter().any(|&inst| body.stored_space(inst).is_some());
        if stores || !facts.is_reachable(block) || frequencies.is_cold(block) {
            continue;
        }
        let [own, all] = in_flight(&body, depth > 2, is_of_one_thread);
        if all >= MANY_IN_FLIGHT {
            let is_sure = own >= MANY_IN_FLIGHT;
            flights.push(Flight { block, loads: if is_sure { own } else { all }, is_sure });
        }
    }
    let is_main = depth > 2 || flights.iter().filter(|flight| flight.is_sure).count() <= SUMS_OF_ONE;
    let most = flights.into_iter().max_by_key(|flight| (flight.is_sure, flight.loads))?;
    Some(Flight { is_sure: most.is_sure && is_main, ..most })
}

/// The numbers of loads of an iteration that can be in flight with those of others: of those that find lines of their own, and
/// of all.
fn in_flight(body: &Body<'_>, is_long: bool, is_of_one_thread: bool) -> [usize; 2] {
    let func = body.func;
    let chained = body.depend_on_loads();
    let loads = body.insts.iter().copied().filter(|&inst| func.insts[inst].opcode == Opcode::Load);
    let free = loads.filter(|&load| body.is_changing(load) && !chained.contains(&body.address(load)));
    let free: Vec<Inst> = free.collect();
    let root = |load: Inst| func.pointer_root(body.address(load));
    let growths = body.growths();
    let mut copies: FxHashMap<Value, i64> = FxHashMap::default();
    free.iter().for_each(|&load| *copies.entry(root(load)).or_default() += 1);
    let is_near = |load: Inst| {
        let growth = growths.get(&body.address(load));
        growth.is_some_and(|bytes| bytes.abs() < SECTOR * copies[&root(load)])
    };
    let has_line = |found: &WarpAccess| match found.pattern {
        Pattern::Same => is_of_one_thread,
        Pattern::Stride(bytes) => is_long || bytes.abs() >= SECTOR || !is_near(found.inst),
        Pattern::Symbolic { .. } => is_long || !is_near(found.inst),
        Pattern::Scattered | Pattern::Unknown => true,
    };
    let is_far =
        |found: &WarpAccess| found.bytes >= WHOLE_LINE && matches!(found.space, Space::Global | Space::Generic);
    let far: Vec<WarpAccess> = free.iter().filter_map(|&load| access(body.facts, load, None)).filter(is_far).collect();
    [far.iter().filter(|&found| has_line(found)).count(), far.len()]
}

/// Whether no thread asks which one it is: all do the same, so that there is one.
fn is_of_one_thread(facts: &Facts) -> bool {
    facts.func.calls.iter().all(|call| match call.callee {
        Callee::Intrinsic(id) => !intrinsic_name(id).starts_with("llvm.nvvm.read.ptx.sreg."),
        _ => false,
    })
}

/// Tells `ptxas` how many registers a kernel may use.
pub fn apply<'m>(handles: &Handles<'m>, _: &[Flight], editor: &mut Editor<'m>) {
    editor.set_string_attribute(handles.function, ATTRIBUTE, &SURE_REGISTERS.to_string());
}
