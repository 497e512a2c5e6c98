//! Which instructions of a block would free registers if they were executed earlier?
//!
//! `ptxas` orders instructions only inside its own basic blocks, and expands a division or a square root into several
//! of them. What follows four divisions in the source therefore stays after them, with all of its operands in
//! registers. So in blocks of cycles whose peak is above the budget, an instruction that ends more live ranges than it
//! begins is moved up to the last of its operands. Only arithmetic moves, only upwards and inside its block, so that
//! nothing is executed more or less often. The new order is used if it lowers the peak of the block. Cost: linear.

use cranelift_entity::EntityRef;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::call::{Callee, Intrinsics, Memory};
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;

/// Maximum number of instructions of a block that is considered.
const MAX_BLOCK: usize = 4096;
/// At least one in this many of the excess registers must be saved, because `ptxas` orders instructions, too.
const LEAST_PART: u32 = 4;
/// Intrinsics that may move.
static ARITHMETIC: Intrinsics<2> = Intrinsics::new(["llvm.fma", "llvm.fmuladd"]);

/// Instructions that are moved up.
#[derive(Default)]
pub struct SchedulePlan {
    /// The instruction to move and the one after which it is inserted, in the order in which to move them.
    pub moves: Vec<(Inst, Inst)>,
    /// The new order of each block that changes.
    pub orders: Vec<(Block, Vec<Inst>)>,
    /// Largest peak before and after, over the blocks that change, and the budget, all in registers.
    pub before: u32,
    pub after: u32,
    pub budget: u32,
}

/// Plans one kernel.
pub fn plan(outline: &Outline, pressure: &Pressure, registers: u32) -> SchedulePlan {
    let mut plan = SchedulePlan { budget: registers, ..SchedulePlan::default() };
    let cycles = &outline.cfg().cycles;
    let mut wanted = Wanted { block: 0, marks: vec![0; outline.func.value_count()] };
    for &block in outline.cfg().order.rpo().iter().filter(|&&block| cycles.cycle_of(block).is_some()) {
        if outline.func.block_insts(block).len() > MAX_BLOCK {
            continue;
        }
        let before = pressure.peak_of(outline, block);
        // what is live across the ends of the block is live in any order
        if before <= registers.max(pressure.floor(outline, block)) {
            continue;
        }
        let Some(Earlier { order, places }) = earlier(outline, pressure, block, &mut wanted) else { continue };
        let after = pressure.peak(outline, block, &order);
        // too little gained: ptxas reorders instructions, too, and would spill anyway
        if after < before && (before - after) * LEAST_PART >= before - registers {
            let first = outline.func.blocks[block].first;
            let moved = order.windows(2).filter(|pair| places[(pair[1].as_u32() - first) as usize].1 > 0);
            plan.moves.extend(moved.map(|pair| (pair[1], pair[0])));
            plan.before = plan.before.max(before);
            plan.after = plan.after.max(after);
            plan.orders.push((block, order));
        }
    }
    plan
}

/// Carries out a plan.
pub fn apply<'m>(handles: &Handles<'m>, plan: &SchedulePlan, editor: &mut Editor<'m>) {
    for &(inst, behind) in &plan.moves {
        editor.move_behind(handles.inst(inst), handles.inst(behind));
    }
}

/// Marks values that a later instruction of the current block uses, by the number of the block.
struct Wanted {
    block: u32,
    marks: Vec<u32>,
}

/// A new order of a block, and the position of each instruction in it: after which old instruction, and as which one
/// there.
struct Earlier {
    order: Vec<Inst>,
    places: Vec<(u32, u32)>,
}

/// The instructions of a block that may move and end more live ranges than they begin, last ones first.
fn gains(outline: &Outline, pressure: &Pressure, block: Block, wanted: &mut Wanted) -> Vec<Inst> {
    let func = &outline.func;
    let mut gains = Vec::new();
    wanted.block += 1;
    for inst in func.block_insts(block).rev() {
        let (moves, mut ends) = (may_move(outline, inst), 0);
        for &value in func.operands(inst) {
            let is_last = std::mem::replace(&mut wanted.marks[value.index()], wanted.block) != wanted.block;
            let units = if moves && is_last { pressure.units(value) } else { 0 };
            if units > 0
                && func.def(value).is_some()
                && !pressure.is_live_out(outline, block, pressure.register_of(value))
            {
                ends += units;
            }
        }
        if ends > pressure.units(func.result(inst)) {
            gains.push(inst);
        }
    }
    gains
}

/// The order of a block in which all such instructions are moved up, if there are any.
fn earlier(outline: &Outline, pressure: &Pressure, block: Block, wanted: &mut Wanted) -> Option<Earlier> {
    let func = &outline.func;
    let first = func.blocks[block].first;
    let mut gains = gains(outline, pressure, block, wanted);
    if gains.is_empty() {
        return None;
    }
    let count = func.block_insts(block).len();
    let mut places: Vec<(u32, u32)> = Vec::with_capacity(count);
    let mut followers = vec![0u32; count];
    let mut any = false;
    for (index, inst) in (0u32..).zip(func.block_insts(block)) {
        let anchor = if gains.pop_if(|next| *next == inst).is_some() {
            let here = func.operands(inst).iter().filter_map(|&operand| func.def(operand));
            let here = here.filter(|&def| func.insts[def].block == block && func.insts[def].opcode != Opcode::Phi);
            // instructions after it in the block have no position yet
            let last = here.filter_map(|def| places.get((def.as_u32() - first) as usize)).max();
            last.map(|&(anchor, _)| anchor).filter(|anchor| anchor + 1 < index)
        } else {
            None
        };
        places.push(match anchor {
            Some(anchor) => {
                any = true;
                followers[anchor as usize] += 1;
                (anchor, followers[anchor as usize])
            }
            None => (index, 0),
        });
    }
    if !any {
        return None;
    }
    // the positions of those that stay
    let mut next = 0;
    for (index, followers) in (0u32..).zip(&mut followers) {
        let behind = std::mem::replace(followers, next);
        next += if places[index as usize].0 == index { 1 + behind } else { 0 };
    }
    let mut order = vec![Inst::from_u32(first); places.len()];
    for (inst, &(anchor, behind)) in (first..).zip(&places) {
        order[(followers[anchor as usize] + behind) as usize] = Inst::from_u32(inst);
    }
    Some(Earlier { order, places })
}

/// Arithmetic that may be anywhere after its operands.
fn may_move(outline: &Outline, inst: Inst) -> bool {
    use Opcode::*;
    let func = &outline.func;
    match func.insts[inst].opcode {
        FNeg | FAdd | FSub | FMul | Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | Select | Trunc | ZExt
        | SExt | FpCast | BitCast => true,
        Call => match func.call(inst).callee {
            Callee::Intrinsic(id) => func.call(inst).memory == Memory::None && ARITHMETIC.contains(id),
            _ => false,
        },
        _ => false,
    }
}
