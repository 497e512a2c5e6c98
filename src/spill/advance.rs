//! Which instructions of a block would free registers if they stood earlier?
//!
//! `ptxas` orders instructions inside its own blocks, and a division or a square root is several of them: what stands
//! behind four of those in the source stays there, with all it needs in registers. So in blocks of cycles whose peak is
//! above the budget, an instruction that ends more live ranges than it begins moves up to the last of its operands.
//! Only arithmetic moves, only upwards and inside its block, so that nothing is executed more or less often. The order is
//! taken if the block's peak is lower with it. Cost: linear.

use super::pressure::Pressure;
use super::registers::Intrinsics;
use crate::divergence::Outline;
use crate::kernel::call::{Callee, Memory};
use crate::kernel::entity::{Block, Inst, Value};
use crate::kernel::handles::Handles;
use crate::kernel::inst::Opcode;
use crate::llvm::edit::Editor;
use cranelift_entity::EntityRef;

/// Most instructions of a block that is looked at.
const MAX_BLOCK: usize = 4096;
/// Intrinsics that may move.
static ARITHMETIC: Intrinsics<2> = Intrinsics::new(["llvm.fma", "llvm.fmuladd"]);

/// Instructions that move up.
#[derive(Default)]
pub struct AdvancePlan {
    /// What moves, and the instruction it goes behind; in the order in which to move.
    pub moves: Vec<(Inst, Inst)>,
    /// Largest peak before and after, of the blocks that change.
    pub before: u32,
    pub after: u32,
    pub budget: u32,
}

/// Decides for one kernel; `pressure` has blocks in their new order afterwards.
pub fn plan(outline: &Outline, pressure: &mut Pressure, registers: u32) -> AdvancePlan {
    let mut plan = AdvancePlan { budget: registers, ..AdvancePlan::default() };
    let cycles = &outline.cfg().cycles;
    let mut orders = Vec::new();
    let mut wanted = Wanted { block: 0, marks: vec![0; outline.kernel.value_count()] };
    for &block in outline.cfg().order.rpo().iter().filter(|&&block| cycles.cycle_of(block).is_some()) {
        if outline.kernel.block_insts(block).len() > MAX_BLOCK {
            continue;
        }
        let before = pressure.peak_of(outline, block);
        // what lives across the block's ends is there in any order
        if before <= registers.max(pressure.floor(outline, block)) {
            continue;
        }
        let Some(Earlier { order, moved }) = earlier(outline, pressure, block, &mut wanted) else { continue };
        let after = pressure.peak(outline, block, &order);
        if after < before {
            let first = outline.kernel.blocks[block].first;
            let places = order.windows(2).filter(|pair| moved[(pair[1].as_u32() - first) as usize]);
            plan.moves.extend(places.map(|pair| (pair[1], pair[0])));
            plan.before = plan.before.max(before);
            plan.after = plan.after.max(after);
            orders.push((block, order));
        }
    }
    for (block, order) in orders {
        pressure.reorder(outline, block, order);
    }
    plan
}

/// Carries out a plan.
pub fn apply<'m>(handles: &Handles<'m>, plan: &AdvancePlan, editor: &mut Editor<'m>) {
    for &(inst, behind) in &plan.moves {
        editor.move_behind(handles.inst(inst), handles.inst(behind));
    }
}

/// Values that a later instruction of a block wants, by the number of the block.
struct Wanted {
    block: u32,
    marks: Vec<u32>,
}

/// A new order of a block, and which of its instructions moved.
struct Earlier {
    order: Vec<Inst>,
    moved: Vec<bool>,
}

/// Units of the live ranges that end at each instruction of a block.
fn ended(outline: &Outline, pressure: &Pressure, block: Block, wanted: &mut Wanted) -> Vec<u32> {
    let kernel = &outline.kernel;
    wanted.block += 1;
    let mut ended: Vec<u32> = kernel
        .block_insts(block)
        .rev()
        .map(|inst| {
            let mut ends = |value: Value| {
                let first = std::mem::replace(&mut wanted.marks[value.index()], wanted.block) != wanted.block;
                first
                    && pressure.units(value) > 0
                    && kernel.def(value).is_some()
                    && !pressure.is_live_out(outline, block, pressure.register_of(value))
            };
            kernel.operands(inst).iter().filter(|&&value| ends(value)).map(|&value| pressure.units(value)).sum()
        })
        .collect();
    ended.reverse();
    ended
}

/// A block with everything moved up that ends more than it begins, if there is anything.
fn earlier(outline: &Outline, pressure: &Pressure, block: Block, wanted: &mut Wanted) -> Option<Earlier> {
    let kernel = &outline.kernel;
    let first = kernel.blocks[block].first;
    let ended = ended(outline, pressure, block, wanted);
    let gains = |inst: Inst, ends: u32| ends > pressure.units(kernel.result(inst)) && may_move(outline, inst);
    if !kernel.block_insts(block).zip(&ended).any(|(inst, &ends)| gains(inst, ends)) {
        return None;
    }
    // where an instruction comes in the new order: behind which old one, as the how manieth
    let mut places: Vec<(u32, u32)> = Vec::with_capacity(ended.len());
    let mut followers = vec![0u32; ended.len()];
    let mut moved = vec![false; ended.len()];
    for (index, inst) in (0u32..).zip(kernel.block_insts(block)) {
        let ends = ended[index as usize];
        let anchor = if gains(inst, ends) {
            let here = kernel.operands(inst).iter().filter_map(|&operand| kernel.def(operand));
            let here = here.filter(|&def| kernel.insts[def].block == block && kernel.insts[def].opcode != Opcode::Phi);
            // what stands behind it in the block has no place yet
            let last = here.filter_map(|def| places.get((def.as_u32() - first) as usize)).max();
            last.map(|&(anchor, _)| anchor).filter(|anchor| anchor + 1 < index)
        } else {
            None
        };
        places.push(match anchor {
            Some(anchor) => {
                followers[anchor as usize] += 1;
                moved[index as usize] = true;
                (anchor, followers[anchor as usize])
            }
            None => (index, 0),
        });
    }
    if !moved.contains(&true) {
        return None;
    }
    let mut order: Vec<u32> = (0..ended.len() as u32).collect();
    order.sort_unstable_by_key(|&index| places[index as usize]);
    let order = order.into_iter().map(|index| Inst::from_u32(first + index)).collect();
    Some(Earlier { order, moved })
}

/// Arithmetic that may stand wherever its operands are known.
fn may_move(outline: &Outline, inst: Inst) -> bool {
    use Opcode::*;
    let kernel = &outline.kernel;
    match kernel.insts[inst].opcode {
        FNeg | FAdd | FSub | FMul | Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | Select | Trunc | ZExt
        | SExt | FpCast | BitCast => true,
        Call => match kernel.call(inst).callee {
            Callee::Intrinsic(id) => kernel.call(inst).memory == Memory::None && ARITHMETIC.contains(id),
            _ => false,
        },
        _ => false,
    }
}
