//! Which memory does a pointer point to?

use super::Space;
use crate::divergence::provenance::space;
use crate::kernel::Kernel;
use crate::kernel::entity::Value;
use crate::kernel::inst::{ConstData, Opcode};

/// Which memory a pointer surely points to, by its type and its origin.
pub fn space_of(kernel: &Kernel, pointer: Value) -> Space {
    let mut current = pointer;
    for _ in 0..16 {
        match kernel.type_info(current).kind.space() {
            Some(space::GLOBAL) => return Space::Global,
            Some(space::SHARED | space::SHARED_CLUSTER) => return Space::Shared,
            Some(space::LOCAL) => return Space::Local,
            Some(space::CONST | space::PARAM) => return Space::Constant,
            _ => {}
        }
        if let Some(ConstData::Address(global)) = kernel.constant(current) {
            return match global.space {
                space::SHARED => Space::Shared,
                space::CONST => Space::Constant,
                space::LOCAL => Space::Local,
                _ => Space::Global,
            };
        }
        if let Some(param) = kernel.as_param(current) {
            let data = &kernel.params[param as usize];
            return match kernel.is_kernel {
                true if data.byval => Space::Constant,
                true => Space::Global,
                false => Space::Generic,
            };
        }
        let Some(inst) = kernel.def(current) else { return Space::Generic };
        let operands = kernel.operands(inst);
        current = match kernel.insts[inst].opcode {
            Opcode::Alloca => return Space::Local,
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => operands[0],
            Opcode::Select => return common_space(kernel, &operands[1..], current),
            Opcode::Phi => return common_space(kernel, operands, current),
            // what the host put into an argument or into constant memory points to what the host can allocate
            Opcode::Load if kernel.is_kernel && space_of(kernel, operands[0]) == Space::Constant => {
                return Space::Global;
            }
            _ => return Space::Generic,
        };
    }
    Space::Generic
}

/// The one space of all operands, not counting those that only step on from the merge itself.
fn common_space(kernel: &Kernel, operands: &[Value], merge: Value) -> Space {
    let steps_on = |mut value: Value| {
        for _ in 0..4 {
            match kernel.def(value) {
                _ if value == merge => return true,
                Some(inst) if kernel.insts[inst].opcode == Opcode::Gep => value = kernel.operands(inst)[0],
                _ => return false,
            }
        }
        false
    };
    let shallow = |value: Value| match kernel.def(value).map(|inst| kernel.insts[inst].opcode) {
        Some(Opcode::Phi | Opcode::Select) => Space::Generic, // a merge of merges
        _ => space_of_chain(kernel, value),
    };
    let mut spaces = operands.iter().filter(|&&value| !steps_on(value)).map(|&value| shallow(value));
    let Some(first) = spaces.next() else { return Space::Generic };
    if spaces.all(|space| space == first) { first } else { Space::Generic }
}

/// [`space_of`] that does not enter another merge.
fn space_of_chain(kernel: &Kernel, value: Value) -> Space {
    let mut root = value;
    for _ in 0..16 {
        match kernel.def(root) {
            Some(inst) => match kernel.insts[inst].opcode {
                Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => {
                    root = kernel.operands(inst)[0];
                }
                Opcode::Phi | Opcode::Select => return Space::Generic,
                _ => break,
            },
            None => break,
        }
    }
    space_of(kernel, value)
}
