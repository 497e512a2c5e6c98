//! Which loads start in front of a division, since `ptxas` moves none across it?
//!
//! `ptxas` writes a division or root of single precision that rounds correctly with a branch to its rare cases. So a block of
//! LLVM's becomes several, between which no instruction moves: a load behind a division starts when that is done. In front of it,
//! both take their time at once.
//!
//! A load moves in front of the nearest division before it in its block, with what its address needs, if
//!
//! 1. that does not need the division, and nothing between them writes memory, waits, or may not return,
//! 2. lanes load from different places of memory that is far away: what they share is in the first-level cache,
//! 3. [`AHEAD_REGISTERS`] hold the results that wait for one division, and by our estimate as many blocks stay resident.
//!
//! In double precision the rare cases are calls, around which more registers are needed: of five kernels two lost warps.

use crate::analyses::FunctionAnalyses;
use crate::mutants::{self, Mutant};
use rustc_hash::FxHashSet;
use warpwise_analysis::access::{Space, space_of};
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_analysis::gpu::Chip;
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::gpu::prices::{AHEAD_CHAIN, AHEAD_REGISTERS, UNSEEN_REGISTERS};
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::Func;
use warpwise_ir::call::{Callee, Intrinsics, Memory};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, Function, RawOpcode, TypeKind};

/// Divisions and roots that round correctly; of `llvm.sqrt` that in single precision.
static ROUNDED: Intrinsics<7> = Intrinsics::new([
    "llvm.sqrt", "llvm.nvvm.sqrt.rn.f", "llvm.nvvm.sqrt.rn.ftz.f", "llvm.nvvm.div.rn.f", "llvm.nvvm.div.rn.ftz.f",
    "llvm.nvvm.rcp.rn.f", "llvm.nvvm.rcp.rn.ftz.f",
]);

/// Loads that start in front of one division.
pub struct Ahead {
    pub division: Inst,
    /// What moves, in function order: loads, and what their addresses need.
    moved: Vec<Inst>,
    pub loads: usize,
}

/// Whether a function has a division with a load behind it in its block. Asked of LLVM's own instructions, before it is imported.
pub fn may_gain(function: Function<'_>) -> bool {
    function.blocks().any(|block| {
        let mut behind = block.insts().skip_while(|&inst| !divides(inst));
        behind.any(|inst| inst.opcode() == RawOpcode::LLVMLoad)
    })
}

/// Whether `ptxas` writes an instruction of single precision with a branch.
fn divides(inst: handle::Inst<'_>) -> bool {
    let rounds = || match inst.opcode() {
        RawOpcode::LLVMFDiv => !inst.is_reassociable(),
        _ => ROUNDED.are_called(inst),
    };
    inst.ty().kind() == TypeKind::LLVMFloatTypeKind && rounds()
}

/// What moves, division by division; with `always` whatever may. `regs` is the number of registers, if that is stated.
pub fn plan(analyses: &mut FunctionAnalyses<'_>, regs: Option<u32>, always: bool) -> Vec<Ahead> {
    let (func, handles) = (&analyses.outline().func, &analyses.handles);
    let divisions: FxHashSet<Inst> = func.insts.keys().filter(|&inst| divides(handles.inst(inst))).collect();
    let chip = Chip::of(&handles.function.target_cpu());
    let (facts, pressure) = analyses.facts_and_pressure();
    let (func, geometry) = (&facts.func, &facts.geometry);
    let budget = register_budget(regs, geometry).unwrap_or(MAX_REGISTERS);
    let before = pressure.largest_of_blocks(facts) + UNSEEN_REGISTERS;
    let pays = |inst: Inst, waiting: u32, live: u32| {
        let after = before.max(live + UNSEEN_REGISTERS);
        let fits = || after == before || after <= budget && chip.keeps_blocks(geometry, [before, after], 1);
        always || is_far(facts, inst) && waiting <= AHEAD_REGISTERS && fits()
    };
    let has_division = |&block: &Block| func.block_insts(block).any(|inst| divisions.contains(&inst));
    let blocks = func.blocks.keys().filter(|&block| facts.is_reachable(block));
    blocks.filter(has_division).flat_map(|block| in_block(facts, pressure, block, &divisions, pays)).collect()
}

/// What moves in a block with some of the divisions. Whether that pays is asked for a load, the registers that then wait for
/// the division, and those that are live.
fn in_block(
    facts: &Facts,
    pressure: &Pressure,
    block: Block,
    divisions: &FxHashSet<Inst>,
    pays: impl Fn(Inst, u32, u32) -> bool,
) -> Vec<Ahead> {
    let func = &facts.func;
    let insts: Vec<Inst> = func.block_insts(block).collect();
    let mut live = vec![0; insts.len()];
    pressure.each(facts, block, |inst, units| live[(inst.as_u32() - insts[0].as_u32()) as usize] = units);
    let mut found: Vec<Ahead> = Vec::new();
    // where the division is behind which instructions are, what they compute, and the registers that wait for it
    let mut open: Option<(usize, FxHashSet<Value>, u32)> = None;
    for (at, &inst) in insts.iter().enumerate() {
        if divisions.contains(&inst) {
            open = Some((at, FxHashSet::default(), 0));
            found.push(Ahead { division: inst, moved: Vec::new(), loads: 0 });
        }
        let Some((division, behind, waiting)) = &mut open else { continue };
        if stops(func, inst) {
            open = None;
            continue;
        }
        behind.insert(func.result(inst));
        if !func.is_plain_load(inst) {
            continue;
        }
        let units = pressure.units(func.result(inst));
        let most = live[*division..=at].iter().max().map_or(units, |most| most + units);
        if !pays(inst, *waiting + units, most) {
            continue;
        }
        let Some(needed) = needed(func, inst, behind) else { continue };
        live[*division..=at].iter_mut().for_each(|live| *live += units);
        *waiting += units;
        needed.iter().for_each(|&inst| _ = behind.remove(&func.result(inst)));
        let ahead = found.last_mut().expect("a division is open");
        ahead.moved.extend(needed);
        ahead.loads += 1;
    }
    found.retain(|ahead| ahead.loads > 0);
    found.iter_mut().for_each(|ahead| ahead.moved.sort_unstable());
    found
}

/// Whether nothing moves across an instruction: it writes, or waits for others, or may not return.
pub(super) fn stops(func: &Func, inst: Inst) -> bool {
    match func.insts[inst].opcode {
        Opcode::Store => !mutants::on(Mutant::LoadAhead),
        Opcode::Call => {
            let call = func.call(inst);
            let is_known = matches!(call.callee, Callee::Intrinsic(_) | Callee::Asm { side_effects: false });
            !is_known || call.memory == Memory::ReadWrite || call.convergent || call.no_return
        }
        _ => may_synchronise(func, inst),
    }
}

/// Whether lanes load from different places of memory that is far away.
pub(super) fn is_far(facts: &Facts, load: Inst) -> bool {
    let (func, address) = (&facts.func, facts.func.operands(load)[0]);
    matches!(space_of(func, address), Space::Global | Space::Generic)
        && facts.scope_at_use(address, func.insts[load].block).is_none()
}

/// A load, and what its address needs of what is computed behind a division; `None` if that cannot move.
fn needed(func: &Func, load: Inst, behind: &FxHashSet<Value>) -> Option<Vec<Inst>> {
    let mut needed = vec![load];
    let mut at = 0;
    while let Some(&inst) = needed.get(at) {
        let defs =
            func.operands(inst).iter().filter(|value| behind.contains(value)).filter_map(|&value| func.def(value));
        for def in defs {
            if !counts(func.insts[def].opcode) || needed.len() > AHEAD_CHAIN {
                return None;
            }
            if !needed.contains(&def) {
                needed.push(def);
            }
        }
        at += 1;
    }
    Some(needed)
}

/// Whether an instruction computes integers and addresses, and can be executed anywhere.
fn counts(opcode: Opcode) -> bool {
    use Opcode::{AddrSpaceCast, Gep, IntToPtr, PtrToInt, SDiv, SExt, SRem, Trunc, UDiv, URem, ZExt};
    opcode.is_integer_arithmetic() && !matches!(opcode, UDiv | SDiv | URem | SRem)
        || matches!(opcode, Gep | Trunc | ZExt | SExt | PtrToInt | IntToPtr | AddrSpaceCast)
}

/// Moves the loads.
pub fn apply<'m>(handles: &Handles<'m>, found: &[Ahead], editor: &mut Editor<'m>) {
    for ahead in found {
        for &inst in &ahead.moved {
            editor.before(handles.inst(ahead.division));
            editor.move_here(handles.inst(inst));
        }
    }
}
