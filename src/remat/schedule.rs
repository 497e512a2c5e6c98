//! Which instructions of a block would free registers if they stood earlier?
//!
//! `ptxas` orders instructions inside its own blocks, and a division or a square root is several of them: what stands
//! behind four of those in the source stays there, with all it needs in registers. So in blocks of cycles whose peak is
//! above the budget, an instruction that ends more live ranges than it begins moves up to the last of its operands.
//! Only arithmetic moves, only upwards and inside its block, so that nothing is executed more or less often. The order is
//! taken if the block's peak is lower with it. Cost: linear.

use crate::divergence::Outline;
use crate::entity::{Block, Inst};
use crate::ir::call::{Callee, Intrinsics, Memory};
use crate::ir::handles::Handles;
use crate::ir::inst::Opcode;
use crate::llvm::edit::Editor;
use crate::pressure::Pressure;
use cranelift_entity::EntityRef;

/// Most instructions of a block that is looked at.
const MAX_BLOCK: usize = 4096;
/// One in so many of the registers that are too many must be gained: `ptxas` orders instructions too.
const LEAST_PART: u32 = 4;
/// Intrinsics that may move.
static ARITHMETIC: Intrinsics<2> = Intrinsics::new(["llvm.fma", "llvm.fmuladd"]);

/// Instructions that move up.
#[derive(Default)]
pub struct SchedulePlan {
    /// What moves, and the instruction it goes behind; in the order in which to move.
    pub moves: Vec<(Inst, Inst)>,
    /// The new order of each block that changes.
    pub orders: Vec<(Block, Vec<Inst>)>,
    /// Largest peak before and after, of the blocks that change, and the budget; in registers.
    pub before: u32,
    pub after: u32,
    pub budget: u32,
}

/// Decides for one kernel.
pub fn plan(outline: &Outline, pressure: &Pressure, registers: u32) -> SchedulePlan {
    let mut plan = SchedulePlan { budget: registers, ..SchedulePlan::default() };
    let cycles = &outline.cfg().cycles;
    let mut wanted = Wanted { block: 0, marks: vec![0; outline.func.value_count()] };
    for &block in outline.cfg().order.rpo().iter().filter(|&&block| cycles.cycle_of(block).is_some()) {
        if outline.func.block_insts(block).len() > MAX_BLOCK {
            continue;
        }
        let before = pressure.peak_of(outline, block);
        // what lives across the block's ends is there in any order
        if before <= registers.max(pressure.floor(outline, block)) {
            continue;
        }
        let Some(Earlier { order, places }) = earlier(outline, pressure, block, &mut wanted) else { continue };
        let after = pressure.peak(outline, block, &order);
        // ptxas orders instructions too, and spills anyway
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

/// Values that a later instruction of a block wants, by the number of the block.
struct Wanted {
    block: u32,
    marks: Vec<u32>,
}

/// A new order of a block, and where each instruction comes in it: behind which old one, as the how manieth.
struct Earlier {
    order: Vec<Inst>,
    places: Vec<(u32, u32)>,
}

/// The instructions of a block that may move and end more than they begin, last ones first.
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

/// A block with everything moved up that ends more than it begins, if there is anything.
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
            // what stands behind it in the block has no place yet
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
    // where those are that stay
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

/// Arithmetic that may stand wherever its operands are known.
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
