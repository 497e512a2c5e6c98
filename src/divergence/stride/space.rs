//! Which memory does a pointer point to?

use super::Space;
use crate::divergence::provenance::space;
use crate::kernel::Kernel;
use crate::kernel::entity::{Inst, Value};
use crate::kernel::inst::{ConstData, Opcode};

/// Longest way from a pointer to where it comes from.
const STEPS: u32 = 16;

/// Which memory a pointer surely points to, by its type and its origin.
pub fn space_of(kernel: &Kernel, pointer: Value) -> Space {
    let origin = match origin_of(kernel, pointer) {
        Ok(space) => return space,
        Err(Some(origin)) => origin,
        Err(None) => return Space::Generic,
    };
    let operands = kernel.operands(origin);
    let merged = match kernel.insts[origin].opcode {
        Opcode::Select => &operands[1..],
        Opcode::Phi => operands,
        _ => return loaded(kernel, origin),
    };
    common_space(kernel, merged, kernel.result(origin))
}

/// The space that a pointer's type, argument or object tells, or else the instruction that made the pointer.
fn origin_of(kernel: &Kernel, pointer: Value) -> Result<Space, Option<Inst>> {
    let mut current = pointer;
    for _ in 0..STEPS {
        match kernel.type_info(current).kind.space() {
            Some(space::GLOBAL) => return Ok(Space::Global),
            Some(space::SHARED | space::SHARED_CLUSTER) => return Ok(Space::Shared),
            Some(space::LOCAL) => return Ok(Space::Local),
            Some(space::CONST | space::PARAM) => return Ok(Space::Constant),
            _ => {}
        }
        if let Some(ConstData::Address(global)) = kernel.constant(current) {
            return Ok(match global.space {
                space::SHARED => Space::Shared,
                space::CONST => Space::Constant,
                space::LOCAL => Space::Local,
                _ => Space::Global,
            });
        }
        if let Some(param) = kernel.as_param(current) {
            let data = &kernel.params[param as usize];
            return Ok(match kernel.is_kernel {
                true if data.byval => Space::Constant,
                true => Space::Global,
                false => Space::Generic,
            });
        }
        let Some(inst) = kernel.def(current) else { return Err(None) };
        match kernel.insts[inst].opcode {
            Opcode::Alloca => return Ok(Space::Local),
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => {
                current = kernel.operands(inst)[0];
            }
            _ => return Err(Some(inst)),
        }
    }
    Err(None)
}

/// Where a loaded pointer points to: what the host put into an argument or into constant memory points to what the host can
/// allocate.
fn loaded(kernel: &Kernel, inst: Inst) -> Space {
    let is_load = kernel.is_kernel && kernel.insts[inst].opcode == Opcode::Load;
    let is_given = is_load && origin_of(kernel, kernel.operands(inst)[0]) == Ok(Space::Constant);
    if is_given { Space::Global } else { Space::Generic }
}

/// The one space of all operands, not counting those that only step on from the merge itself; a merge of merges has none.
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
    let space = |value: Value| match origin_of(kernel, value) {
        Ok(space) => space,
        Err(origin) => origin.map_or(Space::Generic, |origin| loaded(kernel, origin)),
    };
    let mut spaces = operands.iter().filter(|&&value| !steps_on(value)).map(|&value| space(value));
    let Some(first) = spaces.next() else { return Space::Generic };
    if spaces.all(|space| space == first) { first } else { Space::Generic }
}
