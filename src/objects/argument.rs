//! Which by-value arguments of kernels does the back end copy to the stack?
//!
//! An aggregate that a kernel takes by value lies in parameter space, which is constant. One that the kernel writes to is
//! copied to the stack at entry by llc, after us: it is planned for as the stack object that it will be. Arguments whose address
//! leaves the function are left to llc: they would stay in local memory. So are those without a variable index: llc has
//! them in registers.

use crate::llvm::handle::{AttrPlace, Function, RawOpcode, Value, attribute_kind};
use rustc_hash::FxHashSet;

/// Their indices, of a kernel that has any.
pub fn copied_arguments(function: Function<'_>) -> impl Iterator<Item = u32> {
    let byval = attribute_kind("byval");
    let count = if function.is_ptx_kernel() { function.param_count() } else { 0 };
    (0..count).filter(move |&index| {
        let argument = function.param(index);
        function.type_attribute(AttrPlace::Param(index), byval).is_some()
            && argument.ty().address_space() == Some(0)
            && is_copied(argument)
    })
}

/// Whether something is stored to what an address points at, at a variable index anything, and the address goes nowhere else.
fn is_copied(argument: Value<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![argument];
    let (mut written, mut indexed) = (false, false);
    while let Some(pointer) = work.pop() {
        for user in pointer.users() {
            let Some(inst) = user.as_inst() else { return false };
            match inst.opcode() {
                RawOpcode::LLVMLoad => {}
                RawOpcode::LLVMStore if inst.operand(0) != pointer => written = true,
                RawOpcode::LLVMGetElementPtr | RawOpcode::LLVMBitCast => {
                    indexed |= (1..inst.operand_count()).any(|index| !inst.operand(index).is_constant());
                    if seen.insert(user.address()) {
                        work.push(user);
                    }
                }
                RawOpcode::LLVMCall => {
                    let name = inst.called_function().map(|callee| callee.name()).unwrap_or_default();
                    if !name.starts_with("llvm.mem") && !name.starts_with("llvm.lifetime") {
                        return false;
                    }
                    written |= name.starts_with("llvm.mem") && inst.operand(0) == pointer;
                }
                _ => return false,
            }
        }
    }
    written && indexed
}
