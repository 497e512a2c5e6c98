//! What is a value computed from: arguments only, or memory, or the place of a thread or block in the launch?

use super::body::Body;
use rustc_hash::FxHashSet;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle::intrinsic_name;

/// What some values are computed from, besides constants and arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Memory, or a function that is called.
    pub is_loaded: bool,
    /// The number of a thread or block, or the size of a block.
    pub is_divided: bool,
    /// The number of blocks.
    pub is_of_grid: bool,
}

impl Origin {
    pub fn of(body: &Body<'_>, values: impl IntoIterator<Item = Value>) -> Origin {
        let func = body.func;
        let mut open: Vec<Value> = values.into_iter().collect();
        let mut seen: FxHashSet<Value> = open.iter().copied().collect();
        let mut origin = Origin::default();
        while let Some(value) = open.pop() {
            let Some(def) = func.def(value) else { continue };
            match func.insts[def].opcode {
                Opcode::Call => origin.add_call(body, def),
                Opcode::Load => {
                    origin.is_loaded |= !is_member(body, func.operands(def)[0]);
                    continue;
                }
                Opcode::CmpXchg | Opcode::AtomicRmw | Opcode::Alloca | Opcode::Other => origin.is_loaded = true,
                _ => {}
            }
            open.extend(func.operands(def).iter().copied().filter(|&operand| seen.insert(operand)));
        }
        origin
    }

    fn add_call(&mut self, body: &Body<'_>, call: Inst) {
        let Callee::Intrinsic(id) = body.func.call(call).callee else {
            self.is_loaded = true;
            return;
        };
        if let Some(register) = intrinsic_name(id).strip_prefix("llvm.nvvm.read.ptx.sreg.") {
            let is_of_grid = register.starts_with("nctaid");
            self.is_of_grid |= is_of_grid;
            self.is_divided |= !is_of_grid;
        }
    }
}

/// Whether an address is that of a member of a structure that a kernel takes by value.
fn is_member(body: &Body<'_>, pointer: Value) -> bool {
    body.func.is_kernel && body.func.is_in_byval(pointer)
}
