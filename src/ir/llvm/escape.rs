//! Can a thread's own memory be accessed through a pointer of unknown origin?
//!
//! A stack object escapes if its address is stored, returned, converted to an integer, or passed to a function other
//! than memory and marker intrinsics. If one object escapes anywhere in the module, every pointer of unknown origin may
//! point to it.

use super::handle::{AttrPlace, Function, Module, RawOpcode, Value, attribute_kind};
use super::uses::{Use, follow};

/// Maximum number of addresses of one object that are examined.
const MAX_DERIVED: usize = 256;

/// Whether any stack object or by-value argument of any function escapes.
pub fn module_stack_escapes(module: Module<'_>) -> bool {
    let byval = attribute_kind("byval");
    module.functions().filter(|function| !function.is_declaration()).any(|function| function_escapes(function, byval))
}

fn function_escapes(function: Function<'_>, byval: u32) -> bool {
    let mut objects = (0..function.param_count())
        .filter(|&index| function.has_attribute(AttrPlace::Param(index), byval))
        .map(|index| function.param(index));
    if objects.any(|object| escapes(object, byval)) {
        return true;
    }
    function.insts().any(|inst| inst.opcode() == RawOpcode::LLVMAlloca && escapes(inst.value(), byval))
}

/// Whether the address of one object escapes.
pub fn escapes(object: Value<'_>, byval: u32) -> bool {
    !follow(object, (), MAX_DERIVED, |pointer, (), user| {
        use RawOpcode::*;
        let Some(inst) = user.as_inst() else { return Use::Escapes };
        let is_followed = match inst.opcode() {
            LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast | LLVMPHI | LLVMSelect | LLVMFreeze => {
                return Use::Derives(());
            }
            LLVMLoad | LLVMICmp => true,
            LLVMStore => inst.operand(0) != pointer,
            LLVMAtomicRMW | LLVMAtomicCmpXchg => (1..inst.operand_count()).all(|index| inst.operand(index) != pointer),
            LLVMCall => inst.called_function().is_some_and(is_harmless) || passed_by_value_only(inst, pointer, byval),
            _ => false,
        };
        if is_followed { Use::Ends } else { Use::Escapes }
    })
}

fn is_harmless(callee: Function<'_>) -> bool {
    const NAMES: &[&str] =
        &["llvm.lifetime.", "llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.dbg.", "llvm.assume"];
    callee.intrinsic_id() != 0 && NAMES.iter().any(|prefix| callee.name().starts_with(prefix))
}

fn passed_by_value_only(call: super::handle::Inst<'_>, pointer: Value<'_>, byval: u32) -> bool {
    (0..call.argument_count())
        .filter(|&index| call.operand(index) == pointer)
        .all(|index| call.has_call_attribute(AttrPlace::Param(index), byval))
}
