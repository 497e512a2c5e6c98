//! Which by-value arguments of kernels would the back end copy to the stack?
//!
//! An aggregate that a kernel takes by value lies in parameter space, which is constant. One that the kernel writes to is
//! copied to the stack at entry, by llc, after us. So the copy is made here: it is a stack object like any other then, and
//! goes where those go; if it stays, the argument takes its place again.
//! Arguments whose address leaves the function are left to llc: they would stay in local memory. So are those without a
//! variable index: llc has them in registers.

use crate::llvm::edit::Editor;
use crate::llvm::handle::{AttrPlace, Function, Inst, Module, RawOpcode, Type, Value, attribute_kind};
use rustc_hash::FxHashSet;

/// Makes the copies; of which arguments of which functions there are any.
pub fn copy_to_stack<'m>(module: Module<'m>, functions: &[Function<'m>]) -> Vec<(Function<'m>, u32)> {
    let byval = attribute_kind("byval");
    let mut editor = Editor::new(module);
    let mut copied = Vec::new();
    for function in functions.iter().filter(|function| function.is_ptx_kernel()) {
        for index in 0..function.param_count() {
            let place = AttrPlace::Param(index);
            let Some(ty) = function.type_attribute(place, byval) else { continue };
            let Some(size) = module.layout().alloc_size(ty) else { continue };
            let argument = function.param(index);
            if argument.ty().address_space() == Some(0) && is_copied(argument) {
                let align = function.int_attribute(place, attribute_kind("align")).unwrap_or(1);
                copy(*function, argument, (ty, size), align as u32, &mut editor);
                copied.push((*function, index));
            }
        }
    }
    copied
}

/// Has a function use an argument itself again, if its copy is still there; whether it was.
pub fn restore_argument(module: Module<'_>, function: Function<'_>, index: u32) -> bool {
    let argument = function.param(index);
    let is_copy = |inst: &Inst<'_>| {
        let callee = inst.called_function().filter(|_| inst.opcode() == RawOpcode::LLVMCall);
        callee.is_some_and(|callee| callee.name().starts_with("llvm.memcpy")) && inst.operand(1) == argument
    };
    let Some(copy) = argument.users().filter_map(|user| user.as_inst()).find(is_copy) else { return false };
    let object = copy.operand(0).as_inst().filter(|inst| inst.opcode() == RawOpcode::LLVMAlloca);
    let Some(object) = object else { return false };
    let mut editor = Editor::new(module);
    editor.erase(copy);
    editor.replace_all_uses(object.value(), argument);
    editor.erase(object);
    true
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

fn copy<'m>(
    function: Function<'m>,
    argument: Value<'m>,
    (ty, size): (Type<'m>, u64),
    align: u32,
    editor: &mut Editor<'m>,
) {
    let Some(entry) = function.blocks().next() else { return };
    editor.after_phis(entry);
    let name = format!("{}.copy", argument.name());
    let object = editor.aligned_stack_object(ty, align, &name);
    editor.replace_all_uses(argument, object);
    editor.copy_memory(object, argument, align, size);
}
