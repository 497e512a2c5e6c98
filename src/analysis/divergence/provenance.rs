//! Which memory can a pointer point to? This decides what may be claimed about a load from a uniform address.
//!
//! A specific address space answers by itself. A generic pointer is followed through casts, GEPs, phis and selects to
//! its roots. A kernel's pointer arguments come from the host, so they point to global memory. A pointer that was
//! loaded or computed may point to a thread's own stack object, unless no stack object escapes anywhere in the module.

use super::view::View;
use smallvec::SmallVec;
use warpwise_ir::entity::Value;
use warpwise_ir::inst::{ConstData, Opcode};
use warpwise_ir::llvm::space;

/// Maximum number of values visited while following one pointer.
const MAX_STEPS: usize = 24;

/// The memory behind a pointer, ordered by how much is known about it, the most first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Root {
    /// Memory that nobody writes while the kernel runs: constant memory, `noalias readonly` arguments of a kernel.
    ReadOnly,
    /// Global memory.
    Global,
    /// Shared memory of this block (or cluster).
    Shared,
    /// Any of the above, or a thread's own memory.
    Unknown,
    /// A thread's own memory.
    Local,
}

impl View<'_> {
    /// The weakest root that a pointer may have.
    pub(super) fn root_of(&self, pointer: Value) -> Root {
        let mut work: SmallVec<[Value; 8]> = SmallVec::from_slice(&[pointer]);
        let mut seen: SmallVec<[Value; 16]> = SmallVec::new();
        let mut weakest = Root::ReadOnly;
        while let Some(value) = work.pop() {
            if seen.contains(&value) {
                continue;
            }
            if seen.len() >= MAX_STEPS {
                return Root::Unknown.max(weakest);
            }
            seen.push(value);
            weakest = weakest.max(self.step_to_root(value, &mut work).unwrap_or(Root::ReadOnly));
        }
        weakest
    }

    /// The root of a value, or `None` after queueing the values that it is derived from.
    fn step_to_root(&self, value: Value, work: &mut SmallVec<[Value; 8]>) -> Option<Root> {
        let func = self.func;
        match func.type_info(value).kind.space() {
            Some(space::CONST | space::PARAM) => return Some(Root::ReadOnly),
            Some(space::SHARED | space::SHARED_CLUSTER) => return Some(Root::Shared),
            Some(space::LOCAL) => return Some(Root::Local),
            _ => {}
        }
        let is_global = func.type_info(value).kind.space() == Some(space::GLOBAL);
        if let Some(constant) = func.constant(value) {
            return Some(match constant {
                ConstData::Address(global) if global.constant => Root::ReadOnly,
                ConstData::Address(global) => match global.space {
                    space::CONST => Root::ReadOnly,
                    space::SHARED => Root::Shared,
                    space::LOCAL => Root::Local,
                    _ => Root::Global,
                },
                ConstData::Undef | ConstData::Poison => Root::ReadOnly,
                _ if is_global => Root::Global,
                _ => self.stray(),
            });
        }
        if let Some(param) = func.as_param(value) {
            return Some(self.param_root(param, is_global));
        }
        let inst = func.def(value)?;
        let operands = func.operands(inst);
        // `launder.invariant.group` and the like
        let returns_its_pointer = |id: u32| self.env.intrinsics.returns_its_pointer(id);
        match func.insts[inst].opcode {
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => work.push(operands[0]),
            Opcode::Phi => work.extend(operands.iter().copied()),
            Opcode::Select => work.extend(operands[1..].iter().copied()),
            Opcode::Alloca => return Some(Root::Local),
            Opcode::Call if func.called_intrinsic(inst).is_some_and(returns_its_pointer) => work.push(operands[0]),
            _ if is_global => return Some(Root::Global),
            _ => return Some(self.stray()),
        }
        None
    }

    fn param_root(&self, param: u32, is_global: bool) -> Root {
        let data = &self.func.params[param as usize];
        let never_written = data.noalias && data.readonly;
        if self.func.is_kernel {
            return match data.byval {
                true if data.readonly => Root::ReadOnly,
                true => Root::Local, // a kernel that writes to its by-value argument writes to a private copy
                false if never_written => Root::ReadOnly,
                false => Root::Global,
            };
        }
        if data.byval {
            Root::Local
        } else if is_global {
            Root::Global
        } else {
            self.stray()
        }
    }

    /// The root of a generic pointer of unknown origin.
    fn stray(&self) -> Root {
        if self.env.stack_escapes() { Root::Unknown } else { Root::Global }
    }
}
