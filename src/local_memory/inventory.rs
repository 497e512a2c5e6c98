//! Which stack objects does a function have, how is each used through its address, and could it be in registers?
//!
//! LLVM puts an object into registers if every load and store goes to a constant place in it. What is followed here is
//! less than LLVM can do: constant places, copies of constant length, lifetime markers, and calls, which are the caller's
//! to judge.

use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Value};
use warpwise_ir::llvm::uses::{Use, follow};

/// The stack objects of a function that are allocated once.
pub fn allocas<'m>(function: Function<'m>) -> impl Iterator<Item = Inst<'m>> {
    let entry = function.blocks().take(1).flat_map(|block| block.insts());
    entry.filter(|inst| inst.opcode() == RawOpcode::LLVMAlloca)
}

/// The uses of one object, or of an argument that points into one.
#[derive(Debug, Default)]
pub struct Uses<'m> {
    /// Calls of functions with a body, and which argument it is.
    pub passed: Vec<(Inst<'m>, u32)>,
    /// The `memcpy`s to or from it.
    pub copies: Vec<Inst<'m>>,
    /// Whether it is chosen among other addresses.
    pub is_chosen: bool,
    /// Whether something else is done with the address.
    pub has_others: bool,
}

impl<'m> Uses<'m> {
    /// The uses of an address in its function.
    pub fn of(address: Value<'m>) -> Uses<'m> {
        let mut uses = Uses::default();
        follow(address, 0, usize::MAX, |pointer, _, user| match user.as_inst() {
            Some(inst) if uses.note(pointer, inst) => Use::Derives(0),
            Some(_) => Use::Ends,
            None => {
                uses.has_others = true;
                Use::Ends
            }
        });
        uses
    }

    /// Notes a use; whether its result is a pointer into the object.
    fn note(&mut self, pointer: Value<'m>, inst: Inst<'m>) -> bool {
        let is_plain = |inst: Inst<'m>| !inst.is_volatile() && !inst.is_atomic();
        match inst.opcode() {
            RawOpcode::LLVMLoad if is_plain(inst) => {}
            RawOpcode::LLVMStore if inst.operand(0) != pointer && is_plain(inst) => {}
            RawOpcode::LLVMGetElementPtr if inst.gep_offset().is_some() => return true,
            RawOpcode::LLVMAddrSpaceCast => return true,
            RawOpcode::LLVMSelect => {
                self.is_chosen = true;
                return true;
            }
            RawOpcode::LLVMCall
                if inst.defined_callee().is_some() && inst.operand_count() == inst.argument_count() + 1 =>
            {
                let places = (0..inst.argument_count()).filter(|&index| inst.operand(index) == pointer);
                self.passed.extend(places.map(|index| (inst, index)));
            }
            RawOpcode::LLVMCall if is_followed(inst) => {
                if inst.called_function().is_some_and(|callee| callee.name().starts_with("llvm.memcpy.")) {
                    self.copies.push(inst);
                }
            }
            _ => self.has_others = true,
        }
        false
    }
}

/// Whether a call is an intrinsic that leaves its object free to be in registers.
fn is_followed(call: Inst<'_>) -> bool {
    let Some(name) = call.called_function().filter(|callee| callee.intrinsic_id() != 0).map(|callee| callee.name())
    else {
        return false;
    };
    let is_transfer = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|start| name.starts_with(start));
    let is_constant = |index| call.operand(index).const_u64().is_some();
    name.starts_with("llvm.lifetime.") || (is_transfer && is_constant(2) && call.operand(3).const_u64() == Some(0))
}
