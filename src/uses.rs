//! How is an object used through its address, and could it be in registers?
//!
//! LLVM puts an object into registers if every load and store goes to a constant place in it. What is followed here is
//! less than LLVM can do: constant places, copies of constant length, lifetime markers, and calls, which are the caller's
//! to judge.

use rustc_hash::FxHashSet;
use warpwise_ir::llvm::handle::{Inst, RawOpcode, Value};

/// The uses of one object, or of an argument that points into one.
#[derive(Debug, Default)]
pub struct Uses<'m> {
    /// Calls of functions with a body, which argument it is, and its offset in bytes.
    pub passed: Vec<(Inst<'m>, u32, i64)>,
    /// Loads and stores, with their offsets.
    pub accesses: Vec<(Inst<'m>, i64)>,
    /// The `memcpy`s to or from it.
    pub copies: Vec<Inst<'m>>,
    /// Whether it is copied to or from another stack object.
    pub is_copied: bool,
    /// Whether it is chosen among other addresses.
    pub is_chosen: bool,
    /// Whether something else is done with the address.
    pub has_others: bool,
}

impl<'m> Uses<'m> {
    /// The uses of an address in its function.
    pub fn of(address: Value<'m>) -> Uses<'m> {
        let mut uses = Uses::default();
        let mut derived = vec![(address, 0)];
        let mut seen = FxHashSet::default();
        while let Some((pointer, offset)) = derived.pop() {
            // an instruction may use it twice
            seen.clear();
            for user in pointer.users().filter(|&user| seen.insert(user)) {
                match user.as_inst() {
                    Some(inst) => uses.note(pointer, offset, inst, &mut derived),
                    None => uses.has_others = true,
                }
            }
        }
        uses
    }

    fn note(&mut self, pointer: Value<'m>, offset: i64, inst: Inst<'m>, derived: &mut Vec<(Value<'m>, i64)>) {
        let is_plain = |inst: Inst<'m>| !inst.is_volatile() && !inst.is_atomic();
        match inst.opcode() {
            RawOpcode::LLVMLoad if is_plain(inst) => self.accesses.push((inst, offset)),
            RawOpcode::LLVMStore if inst.operand(0) != pointer && is_plain(inst) => self.accesses.push((inst, offset)),
            RawOpcode::LLVMGetElementPtr => match inst.gep_offset().and_then(|bytes| offset.checked_add(bytes)) {
                Some(offset) => derived.push((inst.value(), offset)),
                None => self.has_others = true,
            },
            RawOpcode::LLVMAddrSpaceCast => derived.push((inst.value(), offset)),
            RawOpcode::LLVMSelect => {
                self.is_chosen = true;
                derived.push((inst.value(), offset));
            }
            RawOpcode::LLVMCall
                if inst.defined_callee().is_some() && inst.operand_count() == inst.argument_count() + 1 =>
            {
                let places = (0..inst.argument_count()).filter(|&index| inst.operand(index) == pointer);
                self.passed.extend(places.map(|index| (inst, index, offset)));
            }
            RawOpcode::LLVMCall if is_followed(inst) => {
                let is_other = |index| inst.operand(index) != pointer && is_on_stack(inst.operand(index));
                self.is_copied |= inst.argument_count() > 1 && (is_other(0) || is_other(1));
                if inst.called_function().is_some_and(|callee| callee.name().starts_with("llvm.memcpy.")) {
                    self.copies.push(inst);
                }
            }
            _ => self.has_others = true,
        }
    }
}

/// Whether an address is that of a stack object.
fn is_on_stack(address: Value<'_>) -> bool {
    let mut at = address;
    while let Some(inst) = at.as_inst() {
        match inst.opcode() {
            RawOpcode::LLVMAlloca => return true,
            RawOpcode::LLVMGetElementPtr | RawOpcode::LLVMAddrSpaceCast => at = inst.operand(0),
            _ => return false,
        }
    }
    false
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
