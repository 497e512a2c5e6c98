//! Which instructions of a block would free registers if they stood earlier?
//!
//! `ptxas` orders instructions inside its own blocks, and a division or a square root is several of them: what stands
//! behind four of those in the source stays there, with all it needs in registers. So in blocks of cycles whose peak is
//! above the budget, an instruction that ends more live ranges than it begins moves up to the last of its operands.
//! Only arithmetic moves, only upwards and inside its block, so that nothing is executed more or less often. The order is
//! taken if the block's peak is lower with it.

use super::pressure::Pressure;
use crate::divergence::Facts;
use crate::kernel::call::{Callee, Memory};
use crate::kernel::entity::{Block, Inst};
use crate::kernel::handles::Handles;
use crate::kernel::inst::Opcode;
use crate::llvm::edit::Editor;
use crate::llvm::handle::intrinsic_name;
use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most instructions of a block that is looked at.
const MAX_BLOCK: usize = 4096;

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

/// Decides for one kernel.
pub fn plan(facts: &Facts, pressure: &Pressure<'_>, registers: u32) -> AdvancePlan {
    let mut plan = AdvancePlan { budget: registers, ..AdvancePlan::default() };
    let cycles = &facts.cfg().cycles;
    for &block in facts.cfg().order.rpo().iter().filter(|&&block| cycles.cycle_of(block).is_some()) {
        let old: Vec<Inst> = facts.kernel.block_insts(block).collect();
        if old.len() > MAX_BLOCK {
            continue;
        }
        let before = pressure.peak(block, &old);
        if before <= registers {
            continue;
        }
        let (new, moved) = earlier(facts, pressure, block, &old);
        let after = if moved.is_empty() { before } else { pressure.peak(block, &new) };
        if after < before {
            let places = new.windows(2).filter(|pair| moved.contains(&pair[1]));
            plan.moves.extend(places.map(|pair| (pair[1], pair[0])));
            plan.before = plan.before.max(before);
            plan.after = plan.after.max(after);
        }
    }
    plan
}

/// Carries out a plan.
pub fn apply<'m>(handles: &Handles<'m>, plan: &AdvancePlan, editor: &mut Editor<'m>) {
    for &(inst, behind) in &plan.moves {
        editor.move_behind(handles.inst(inst), handles.inst(behind));
    }
}

/// The order of a block with everything moved up that ends more than it begins, and what moved.
fn earlier(facts: &Facts, pressure: &Pressure<'_>, block: Block, old: &[Inst]) -> (Vec<Inst>, FxHashSet<Inst>) {
    let kernel = &facts.kernel;
    let first = old.first().map_or(0, |inst| inst.index());
    // where an instruction comes in the new order: behind which old one, as the how manieth
    let mut place: FxHashMap<Inst, (usize, usize)> = FxHashMap::default();
    let mut followers: FxHashMap<usize, Vec<Inst>> = FxHashMap::default();
    let mut moved = FxHashSet::default();
    for (index, &inst) in old.iter().enumerate() {
        debug_assert_eq!(inst.index(), first + index);
        let operands = kernel.operands(inst);
        let here =
            operands.iter().filter_map(|&operand| kernel.def(operand)).filter(|def| kernel.insts[*def].block == block);
        let last = here
            .filter(|def| kernel.insts[*def].opcode != Opcode::Phi)
            .filter_map(|def| place.get(&def))
            .max()
            .copied();
        let ended: u32 = {
            let mut seen = FxHashSet::default();
            let ends = operands.iter().filter(|&&operand| seen.insert(operand) && pressure.ends_at(operand, inst));
            ends.map(|&operand| pressure.units(operand)).sum()
        };
        match last {
            Some((anchor, _))
                if anchor + 1 < index && may_move(facts, inst) && ended > pressure.units(kernel.result(inst)) =>
            {
                let behind = followers.entry(anchor).or_default();
                behind.push(inst);
                place.insert(inst, (anchor, behind.len()));
                moved.insert(inst);
            }
            _ => {
                place.insert(inst, (index, 0));
            }
        }
    }
    let mut new = Vec::with_capacity(old.len());
    for (index, inst) in old.iter().enumerate() {
        if !moved.contains(inst) {
            new.push(*inst);
        }
        new.extend(followers.remove(&index).unwrap_or_default());
    }
    (new, moved)
}

/// Arithmetic that may stand wherever its operands are known.
fn may_move(facts: &Facts, inst: Inst) -> bool {
    use Opcode::*;
    let kernel = &facts.kernel;
    match kernel.insts[inst].opcode {
        FNeg | FAdd | FSub | FMul | Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | Select | Trunc | ZExt
        | SExt | FpCast | BitCast => true,
        Call => match kernel.call(inst).callee {
            Callee::Intrinsic(id) => {
                let name = intrinsic_name(id);
                kernel.call(inst).memory == Memory::None && matches!(name.as_str(), "llvm.fma" | "llvm.fmuladd")
            }
            _ => false,
        },
        _ => false,
    }
}
