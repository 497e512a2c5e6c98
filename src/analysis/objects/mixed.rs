//! Which stack objects are in memory only because a phi or select chooses between their address and that of other memory?
//!
//! `leap ? &own : &table[i]`, then a load: SROA makes registers of `own` only if it can move the load before the choice,
//! and it cannot where the other address may be invalid as long as nobody loads from it. If the load is split, into one
//! of the object and one of other memory, the object has no address any more. This needs that
//!
//! 1. the object is a scalar, and every access reads or writes all of it;
//! 2. its address goes through phis and selects only, and what comes out of them is only loaded from;
//! 3. stores name the object itself, so that each is known to write it.

use super::{AccessKind, Object};
use crate::divergence::Outline;
use warpwise_ir::inst::Opcode;

/// Largest scalar in bytes: the widest load. What is loaded in the object's place has this size too.
pub const WIDEST: u64 = 16;

/// Whether the loads of a joined object can be split from those of other memory.
pub fn can_be_split(outline: &Outline, object: &Object) -> bool {
    let func = &outline.func;
    let is_whole = |kind| match kind {
        AccessKind::Load | AccessKind::Store => true,
        AccessKind::Set | AccessKind::Copy { .. } => false,
    };
    object.is_joined
        && object.size <= WIDEST
        && object.argument_piece.is_none()
        && object.compares.is_empty()
        && object.derived.iter().all(|&inst| matches!(func.insts[inst].opcode, Opcode::Phi | Opcode::Select))
        && object.accesses.iter().all(|access| {
            is_whole(access.kind)
                && access.size == object.size
                && access.piece == object.size
                && (access.kind == AccessKind::Load || func.operands(access.inst)[1] == object.address)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::divergence::{ModuleAnalysis, Options};
    use crate::objects::joined_object;
    use warpwise_ir::llvm::owned::OwnedModule;

    fn splits(body: &str) -> bool {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"\n\
             define ptx_kernel void @k(ptr noalias readonly %in, ptr noalias %out, i32 %n) {{\n\
             %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
             %mine = getelementptr i32, ptr %in, i32 %tid\n{body}\n}}\n\
             declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        );
        let module = OwnedModule::from_text(&text, "k").unwrap();
        let analysis = ModuleAnalysis::new(module.handle(), Options::default());
        let (outline, handles) = analysis.outline(module.handle().function("k").unwrap());
        let alloca = outline.func.insts.iter().find(|(_, data)| data.opcode == Opcode::Alloca).map(|(inst, _)| inst);
        let address = outline.func.result(alloca.expect("it has a stack object"));
        joined_object(&outline, &handles, address).is_some_and(|object| can_be_split(&outline, &object))
    }

    /// An object `%o`; `%q` is its address or one in `%in`. The accesses compute `%v`.
    fn with(ty: &str, accesses: &str) -> String {
        format!(
            "%o = alloca {ty}, align 8\n\
             %first = icmp eq i32 %tid, %n\n\
             %q = select i1 %first, ptr %o, ptr %mine\n{accesses}\n\
             store i32 %v, ptr %out\nret void"
        )
    }

    #[test]
    fn loads_of_a_scalar_are_split() {
        assert!(splits(&with("i32", "store i32 %n, ptr %o\n%v = load i32, ptr %q")));
        assert!(splits(&with("i32", "store float 1.0, ptr %o\n%v = load i32, ptr %q")));
    }

    #[test]
    fn what_may_be_stored_to_either_is_not() {
        assert!(!splits(&with("i32", "store i32 %n, ptr %o\nstore i32 1, ptr %q\n%v = load i32, ptr %q")));
    }

    #[test]
    fn parts_and_addresses_in_an_object_are_not() {
        assert!(!splits(&with("i64", "store i64 7, ptr %o\n%v = load i32, ptr %q")));
        let behind = "%r = getelementptr i32, ptr %q, i32 1\n%v = load i32, ptr %r";
        assert!(!splits(&with("[2 x i32]", &format!("store i32 %n, ptr %o\n{behind}"))));
    }

    #[test]
    fn objects_that_are_not_mixed_are_not() {
        assert!(!splits(
            &with("i32", "store i32 %n, ptr %o\n%v = load i32, ptr %o").replace("ptr %o, ptr %mine", "ptr %o, ptr %o")
        ));
    }
}
