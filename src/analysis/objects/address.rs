//! Where in a stack object does an access go, and do the lanes of a warp go to the same place?

use super::{AccessKind, Object, ObjectAccess};
use crate::divergence::{Facts, Outline};
use smallvec::{SmallVec, smallvec};
use warpwise_ir::entity::{Block, Value};
use warpwise_ir::inst::Opcode;

/// Whether lanes most likely access the object at the same place: where pointers into it are joined, lanes are assumed
/// to arrive the same way. Good for cost estimates only.
pub fn is_together(facts: &Facts, object: &Object, access: &ObjectAccess) -> bool {
    agree(facts, object, pointer_of(facts, access), facts.func.insts[access.inst].block, true)
}

/// Whether all lanes of a warp that execute the block address the same offset in the object.
pub fn offset_is_uniform(facts: &Facts, object: &Object, pointer: Value, block: Block) -> bool {
    agree(facts, object, pointer, block, false)
}

/// Whether lanes agree on all indices of a pointer, and, if it may be joined, on what chooses among pointers, but for phis.
fn agree(facts: &Facts, object: &Object, pointer: Value, block: Block, may_be_joined: bool) -> bool {
    let func = &facts.func;
    let mut seen: SmallVec<[Value; 8]> = smallvec![pointer];
    let mut at = 0;
    while let Some(&pointer) = seen.get(at) {
        at += 1;
        if pointer == object.address {
            continue;
        }
        let Some(def) = func.def(pointer) else { if may_be_joined { continue } else { return false } };
        let operands = func.operands(def);
        let further = match func.insts[def].opcode {
            Opcode::AddrSpaceCast | Opcode::BitCast => &operands[..1],
            Opcode::Gep => {
                let mut indices = func.gep(def).terms.iter().map(|term| operands[term.operand as usize]);
                if !indices.all(|index| facts.scope_at_use(index, block).is_some()) {
                    return false;
                }
                &operands[..1]
            }
            Opcode::Select if may_be_joined && facts.scope_at_use(operands[0], block).is_some() => &operands[1..],
            Opcode::Phi if may_be_joined => operands,
            _ => return false,
        };
        for &pointer in further {
            if !seen.contains(&pointer) {
                seen.push(pointer);
            }
        }
    }
    true
}

/// The offset of a pointer into the object in bytes, if it is constant.
pub fn constant_offset(outline: &Outline, object: &Object, pointer: Value) -> Option<i64> {
    let func = &outline.func;
    if pointer == object.address {
        return Some(0);
    }
    let def = func.def(pointer)?;
    match func.insts[def].opcode {
        Opcode::AddrSpaceCast | Opcode::BitCast => constant_offset(outline, object, func.operands(def)[0]),
        Opcode::Gep if func.gep(def).terms.is_empty() => {
            Some(constant_offset(outline, object, func.operands(def)[0])?.checked_add(func.gep(def).offset)?)
        }
        _ => None,
    }
}

/// The pointer through which an access accesses the object, if there is only one.
pub fn pointer_of(outline: &Outline, access: &ObjectAccess) -> Value {
    let operands = outline.func.operands(access.inst);
    match access.kind {
        AccessKind::Store => operands[1],
        AccessKind::Copy { into: false, .. } => operands[1],
        _ => operands[0],
    }
}

/// Whether two accesses certainly access different bytes.
pub fn are_apart(outline: &Outline, object: &Object, a: &ObjectAccess, b: &ObjectAccess) -> bool {
    let at = |access| constant_offset(outline, object, pointer_of(outline, access));
    match (at(a), at(b)) {
        (Some(first), Some(second)) => first + a.size as i64 <= second || second + b.size as i64 <= first,
        _ => false,
    }
}
