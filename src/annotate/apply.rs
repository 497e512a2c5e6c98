//! How is a plan of annotate-uniform carried out? The plan guarantees that every edit is possible, so nothing is
//! refused here.

use super::claim::{Claim, Claims, KIND};
use super::plan::InvariantLoad;
use warpwise_ir::Func;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Flags;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle;
use warpwise_ir::llvm::space;

/// Writes the annotations of one function and removes those that are no longer true; returns whether anything changed.
pub fn apply_claims<'m>(editor: &mut Editor<'m>, func: &Func, handles: &Handles<'m>, claims: &Claims) -> bool {
    // there are only a few different nodes
    let mut nodes: Vec<(Claim, handle::Value<'m>)> = Vec::new();
    let kind = handle::metadata_kind(editor.module(), KIND);
    let mut changed = false;
    for &inst in &claims.stale {
        editor.clear_metadata(handles.inst(inst), kind);
        changed = true;
    }
    for &(inst, claim) in &claims.made {
        let at = handles.inst(inst);
        let is_annotated = func.insts[inst].flags.contains(Flags::ANNOTATED);
        if is_annotated && at.metadata(kind).and_then(Claim::read) == Some(claim) {
            continue;
        }
        let known = nodes.iter().find(|(known, _)| *known == claim).map(|&(_, node)| node);
        let node = known.unwrap_or_else(|| {
            let node = editor.string_node(&claim.words());
            nodes.push((claim, node));
            node
        });
        editor.set_metadata(at, kind, node);
        changed = true;
    }
    changed
}

/// Marks the loads of one function as invariant.
pub fn apply<'m>(editor: &mut Editor<'m>, handles: &Handles<'m>, invariants: &[InvariantLoad]) {
    let empty = editor.string_node(&[]);
    let kind = handle::metadata_kind(editor.module(), "invariant.load");
    for invariant in invariants {
        let load = handles.inst(invariant.load);
        if invariant.needs_space {
            editor.load_from_space(load, space::GLOBAL);
        }
        editor.set_metadata(load, kind, empty);
    }
}
