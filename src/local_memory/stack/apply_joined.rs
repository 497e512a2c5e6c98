//! How does a stack object become a constant of the program if its readers read other memory too?
//!
//! A table that is chosen from several, `leap ? leap_days : days`, is read through a phi or a select of addresses. Those
//! pointers stay as they are; the object's own address becomes the generic address of the constant, and what filled the
//! object is erased. If all addresses that are joined turn out to be global, LLVM's address space inference makes the
//! loads global before instruction selection.

use super::apply::new_constant;
use super::plan::{Move, Placement};
use warpwise_analysis::divergence::Outline;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::debug::Layout;
use warpwise_ir::llvm::handle::RawOpcode;
use warpwise_ir::llvm::space;

/// Applies moves of joined objects, planned for the function in its present state.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, moves: &[Move], editor: &mut Editor<'m>) {
    for planned in moves {
        let Move { object, placement: Placement::Constant { contents, .. }, .. } = planned else { continue };
        let Some(alloca) = outline.func.def(object.address) else { continue };
        let size = object.size;
        let constant = new_constant(editor, &handles.function.name(), object, contents, space::GLOBAL);
        let old = handles.value(object.address);
        let generic = editor.before(handles.inst(alloca)).cast(RawOpcode::LLVMAddrSpaceCast, constant, old.ty(), "");
        editor.move_variables(old, constant, size, Layout { piece: size, stride: size, space: space::GLOBAL });
        for write in object.accesses.iter().filter(|access| access.writes()) {
            editor.erase(handles.inst(write.inst));
        }
        editor.replace_all_uses(old, generic);
        editor.erase(handles.inst(alloca));
    }
}
