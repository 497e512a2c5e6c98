//! Which by-value arguments of kernels will the back end copy to the stack?
//!
//! An aggregate passed by value is in parameter space, which is constant. One to which the kernel writes is copied to
//! the stack at entry by the back end, after us. Here it is treated as the stack object that it will be. Arguments
//! whose address leaves the function are left to the back end, since they would stay in local memory, and so are those
//! without a variable index, since they end up in registers.

use warpwise_ir::llvm::handle::{AttrPlace, Function, RawOpcode, Value, attribute_kind};
use warpwise_ir::llvm::uses::{Use, follow};

/// Indices of these arguments in a kernel.
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

/// Whether the memory behind an address is written, something is accessed at a variable index, and the address goes
/// nowhere else.
fn is_copied(argument: Value<'_>) -> bool {
    let (mut written, mut indexed) = (false, false);
    let is_followed = follow(argument, (), usize::MAX, |pointer, (), user| {
        let Some(inst) = user.as_inst() else { return Use::Escapes };
        match inst.opcode() {
            RawOpcode::LLVMLoad => {}
            RawOpcode::LLVMStore if inst.operand(0) != pointer => written = true,
            RawOpcode::LLVMGetElementPtr | RawOpcode::LLVMBitCast => {
                indexed |= (1..inst.operand_count()).any(|index| !inst.operand(index).is_constant());
                return Use::Derives(());
            }
            RawOpcode::LLVMCall => {
                let name = inst.called_function().map(|callee| callee.name()).unwrap_or_default();
                if !name.starts_with("llvm.mem") && !name.starts_with("llvm.lifetime") {
                    return Use::Escapes;
                }
                written |= name.starts_with("llvm.mem") && inst.operand(0) == pointer;
            }
            _ => return Use::Escapes,
        }
        Use::Ends
    });
    is_followed && written && indexed
}
