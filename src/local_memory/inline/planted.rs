//! What goes wrong if a call is handed to LLVM's inliner with a mistake? The deliberate ones, for [`crate::mutants`].

use crate::mutants::{self, Mutant};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{AttrPlace, Inst, RawOpcode, Value, attribute_kind};

/// The pointers of a call that another argument or the object itself would stand for.
pub struct Shared<'m>(Vec<Value<'m>>);

/// Changes a call that is about to be inlined.
pub fn before<'m>(editor: &mut Editor<'m>, call: Inst<'m>) -> Shared<'m> {
    let Some(function) = call.defined_callee() else { return Shared(Vec::new()) };
    let pointers: Vec<u32> =
        (0..call.argument_count()).filter(|&index| call.operand(index).ty().address_space().is_some()).collect();
    if mutants::on(Mutant::InlineOffsetLost) {
        for &index in &pointers {
            let place = call.operand(index).as_inst().filter(|inst| inst.opcode() == RawOpcode::LLVMGetElementPtr);
            if let Some(place) = place {
                editor.set_operand(call, index, place.operand(0));
            }
        }
    }
    if mutants::on(Mutant::InlineSwapped)
        && let &[first, second, ..] = pointers.as_slice()
    {
        let (a, b) = (call.operand(first), call.operand(second));
        editor.set_operand(call, first, b);
        editor.set_operand(call, second, a);
    }
    if mutants::on(Mutant::InlineStoreLost)
        && let Some(store) = function.insts().find(|inst| inst.opcode() == RawOpcode::LLVMStore)
    {
        editor.erase(store);
    }
    let by_value = attribute_kind("byval");
    let is_shared =
        |&&index: &&u32| mutants::on(Mutant::InlineNoCopy) && function.has_attribute(AttrPlace::Param(index), by_value);
    Shared(pointers.iter().filter(is_shared).map(|&index| call.operand(index)).collect())
}

/// Lets the inlined code use the caller's objects in place of its copies of them.
pub fn after<'m>(editor: &mut Editor<'m>, Shared(objects): &Shared<'m>) {
    for &object in objects {
        let is_copy = |call: &Inst<'m>| {
            call.called_function().is_some_and(|function| function.name().starts_with("llvm.memcpy"))
                && call.operand(1) == object
        };
        let copies: Vec<Inst<'m>> = object.users().filter_map(Value::as_inst).filter(is_copy).collect();
        for copy in copies {
            editor.replace_all_uses(copy.operand(0), object);
        }
    }
}
