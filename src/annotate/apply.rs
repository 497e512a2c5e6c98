//! How is a plan of annotate-uniform carried out? The plan guarantees that every edit is possible, so nothing is
//! refused here.

use super::claim::{Claim, Claims, KIND};
use super::plan::Plan;
use crate::analyses::Kept;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::Func;
use warpwise_ir::entity::Block;
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

/// Carries out the rest of the plan for one function; returns what still holds, if anything changed. What is written out
/// takes the place of instructions that are known.
pub fn apply<'m>(editor: &mut Editor<'m>, facts: &Facts, handles: &Handles<'m>, plan: &Plan<'m>) -> Option<Kept> {
    let Plan { votes, pins, invariants, rejects: _ } = plan;
    let empty = editor.string_node(&[]);
    let invariant_load = handle::metadata_kind(editor.module(), "invariant.load");
    for invariant in invariants {
        let load = handles.inst(invariant.load);
        if invariant.needs_space {
            editor.load_from_space(load, space::GLOBAL);
        }
        editor.set_metadata(load, invariant_load, empty);
    }
    if !votes.is_empty() {
        pins.iter().for_each(|pins| pins.apply(editor));
    }
    for &block in votes {
        vote(editor, facts, handles, block);
    }
    let kept = if votes.is_empty() || pins.is_empty() { Kept::Everything } else { Kept::Nothing };
    (!(invariants.is_empty() && votes.is_empty())).then_some(kept)
}

/// `br c` becomes `br (any c)`.
fn vote<'m>(editor: &mut Editor<'m>, facts: &Facts, handles: &Handles<'m>, block: Block) {
    let branch = handles.inst(facts.func.terminator(block));
    let condition = branch.branch_condition().expect("only conditional branches are voted on");
    let any = editor.before(branch).vote_any(condition, "uni.any");
    editor.set_operand(branch, 0, any);
}
