//! How does a stack object disappear that is a copy of a by-value argument? It is read where it was passed: its address
//! becomes an address in the argument, and the copying is erased.

use super::plan::{Move, Placement};
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::{AccessKind, ObjectAccess};
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{AttrPlace, attribute_kind};

/// Applies moves of copies, planned for the function in its present state.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, moves: &[Move], editor: &mut Editor<'m>) {
    let mut written = Vec::new();
    for planned in moves {
        let Move { object, placement: Placement::Argument(source), .. } = planned else { continue };
        let Some(alloca) = outline.func.def(object.address) else { continue };
        let place = outline.func.as_param(source.argument).map(AttrPlace::Param);
        let align = place.and_then(|place| handles.function.int_attribute(place, attribute_kind("align"))).unwrap_or(1);
        let align = if source.offset == 0 { align } else { align.min(1 << source.offset.trailing_zeros().min(16)) };
        for read in object.accesses.iter().filter(|access| access.reads()) {
            promise_at_most(handles, read, align, editor);
        }
        let old = handles.value(object.address);
        let mut address = handles.value(source.argument);
        if source.offset > 0 {
            let (byte, offset) = (editor.int_type(8), editor.int(64, source.offset));
            address = editor.before(handles.inst(alloca)).gep(byte, address, &[offset], true, "");
        }
        editor.replace_all_uses(old, address);
        written.extend(object.accesses.iter().filter(|access| access.writes()).map(|access| access.inst));
        written.push(alloca);
    }
    for inst in written {
        editor.erase(handles.inst(inst));
    }
}

/// An argument may be less aligned than its copy was.
fn promise_at_most<'m>(handles: &Handles<'m>, read: &ObjectAccess, align: u64, editor: &mut Editor<'m>) {
    let inst = handles.inst(read.inst);
    if read.kind == AccessKind::Load {
        editor.limit_align(inst, align as u32);
    } else {
        editor.limit_source_align(inst, align as u32);
    }
}
