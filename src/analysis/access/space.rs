//! Which memory does a pointer point to, by its type and its origin?

use super::Space;
use warpwise_ir::Func;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::{ConstData, Opcode};
use warpwise_ir::llvm::space;

/// Maximum number of steps from a pointer to its origin.
const STEPS: u32 = 16;

/// The memory that a pointer certainly points to.
pub fn space_of(func: &Func, pointer: Value) -> Space {
    let origin = match origin_of(func, pointer) {
        Ok(space) => return space,
        Err(Some(origin)) => origin,
        Err(None) => return Space::Generic,
    };
    let operands = func.operands(origin);
    let merged = match func.insts[origin].opcode {
        Opcode::Select => &operands[1..],
        Opcode::Phi => operands,
        _ => return loaded(func, origin),
    };
    common_space(func, merged, func.result(origin))
}

/// The space given by a pointer's type, argument or object; otherwise the instruction that computed the pointer.
fn origin_of(func: &Func, pointer: Value) -> Result<Space, Option<Inst>> {
    let mut current = pointer;
    for _ in 0..STEPS {
        match func.type_info(current).kind.space() {
            Some(space::GLOBAL) => return Ok(Space::Global),
            Some(space::SHARED | space::SHARED_CLUSTER) => return Ok(Space::Shared),
            Some(space::LOCAL) => return Ok(Space::Local),
            Some(space::CONST | space::PARAM) => return Ok(Space::Constant),
            _ => {}
        }
        if let Some(ConstData::Address(global)) = func.constant(current) {
            return Ok(match global.space {
                space::SHARED => Space::Shared,
                space::CONST => Space::Constant,
                space::LOCAL => Space::Local,
                _ => Space::Global,
            });
        }
        if let Some(param) = func.as_param(current) {
            let data = &func.params[param as usize];
            return Ok(match func.is_kernel {
                true if data.byval => Space::Constant,
                true => Space::Global,
                false => Space::Generic,
            });
        }
        let Some(inst) = func.def(current) else { return Err(None) };
        match func.insts[inst].opcode {
            Opcode::Alloca => return Ok(Space::Local),
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => {
                current = func.operands(inst)[0];
            }
            _ => return Err(Some(inst)),
        }
    }
    Err(None)
}

/// The space of a loaded pointer: what the host put into an argument or into constant memory points to memory that the
/// host can allocate.
fn loaded(func: &Func, inst: Inst) -> Space {
    let is_load = func.is_kernel && func.insts[inst].opcode == Opcode::Load;
    let is_given = is_load && origin_of(func, func.operands(inst)[0]) == Ok(Space::Constant);
    if is_given { Space::Global } else { Space::Generic }
}

/// The common space of all operands, ignoring those derived from the merge itself; `Generic` for a merge of merges.
fn common_space(func: &Func, operands: &[Value], merge: Value) -> Space {
    let steps_on = |mut value: Value| {
        for _ in 0..4 {
            match func.def(value) {
                _ if value == merge => return true,
                Some(inst) if func.insts[inst].opcode == Opcode::Gep => value = func.operands(inst)[0],
                _ => return false,
            }
        }
        false
    };
    let space = |value: Value| match origin_of(func, value) {
        Ok(space) => space,
        Err(origin) => origin.map_or(Space::Generic, |origin| loaded(func, origin)),
    };
    let mut spaces = operands.iter().filter(|&&value| !steps_on(value)).map(|&value| space(value));
    let Some(first) = spaces.next() else { return Space::Generic };
    if spaces.all(|space| space == first) { first } else { Space::Generic }
}
