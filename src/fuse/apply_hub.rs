//! How are the edges to two blocks redirected to one? See [`hub`](super::hub).
//!
//! The new block receives the condition as a phi, and the phis of both sides: their own values along the edges that led
//! to the side, and poison along the others, whose lanes never use them. It has no terminator yet, since the melded
//! code follows.

use super::hub::{Hub, Way};
use crate::mutants::{self, Mutant};
use warpwise_ir::Func;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, IntPredicate, RawOpcode};

type Value<'m> = handle::Value<'m>;

/// Creates the hub; returns it and its condition, which is true for lanes of the first side.
pub fn make<'m>(
    editor: &mut Editor<'m>,
    func: &Func,
    handles: &Handles<'m>,
    hub: &Hub,
) -> (handle::Block<'m>, Value<'m>) {
    let sides = hub.sides.map(|side| handles.block(side));
    let middle = editor.new_block(handles.function, "fuse.hub");
    editor.place_after(middle, handles.block(hub.sources[0].0));
    // conditions first, while the branches are unmodified
    let edges: Vec<Edge<'m>> = hub
        .sources
        .iter()
        .map(|&(from, way)| {
            let end = handles.inst(func.terminator(from));
            let condition = match way {
                Way::To(side) => editor.int(1, u64::from((side == 0) != mutants::on(Mutant::GatherSwapped))),
                Way::Both => condition(editor, end, sides),
            };
            let reaches = match way {
                Way::To(0) => [true, false],
                Way::To(_) => [false, true],
                Way::Both => [true, true],
            };
            Edge { from: handles.block(from), end, condition, reaches, count: 0 }
        })
        .collect();
    let edges: Vec<Edge<'m>> = edges.into_iter().map(|edge| lead(editor, edge, sides, middle)).collect();
    let flag = editor.int(1, 0).ty();
    let choice = editor.at_end(middle).phi(flag, "fuse.side");
    for edge in &edges {
        for _ in 0..edge.count {
            editor.add_incoming(choice, edge.condition, edge.from);
        }
    }
    for (side, block) in sides.into_iter().enumerate() {
        let old: Vec<_> = block.insts().take_while(|inst| inst.opcode() == RawOpcode::LLVMPHI).collect();
        for phi in old {
            move_phi(editor, phi, side, &edges, middle);
        }
    }
    (middle, choice.value())
}

struct Edge<'m> {
    from: handle::Block<'m>,
    end: handle::Inst<'m>,
    condition: Value<'m>,
    /// Which sides the block led to.
    reaches: [bool; 2],
    /// Number of edges from the block to the hub.
    count: u32,
}

/// The condition under which a branch to both sides takes the first.
fn condition<'m>(editor: &mut Editor<'m>, end: handle::Inst<'m>, sides: [handle::Block<'m>; 2]) -> Value<'m> {
    editor.before(end);
    let targets: Vec<_> = end.successors().collect();
    if let Some(condition) = end.branch_condition() {
        return if targets[0] == sides[0] { condition } else { editor.not(condition) };
    }
    // a switch: the default has no value to compare with, so the cases of the other side are tested then
    let asked = usize::from(targets[0] == sides[0]);
    let mut any: Option<Value<'m>> = None;
    for (index, _) in targets.iter().enumerate().skip(1).filter(|(_, target)| **target == sides[asked]) {
        let Some(case) = end.switch_case(index as u32) else { continue };
        let equal = editor.compare(IntPredicate::LLVMIntEQ, end.operand(0), case, "");
        any = Some(match any {
            Some(others) => editor.binary(RawOpcode::LLVMOr, others, equal, ""),
            None => equal,
        });
    }
    let is_asked = any.unwrap_or_else(|| editor.int(1, 0));
    if asked == 0 { is_asked } else { editor.not(is_asked) }
}

/// Redirects a block's edges to the hub.
fn lead<'m>(
    editor: &mut Editor<'m>,
    edge: Edge<'m>,
    sides: [handle::Block<'m>; 2],
    middle: handle::Block<'m>,
) -> Edge<'m> {
    let targets: Vec<_> = edge.end.successors().collect();
    let led: Vec<bool> = targets.iter().map(|target| sides.contains(target)).collect();
    if led.iter().all(|&led| led) {
        editor.before(edge.end);
        editor.branch(middle);
        editor.erase(edge.end);
        return Edge { count: 1, ..edge };
    }
    for (index, _) in led.iter().enumerate().filter(|(_, led)| **led) {
        editor.set_successor(edge.end, index as u32, middle);
    }
    Edge { count: led.iter().filter(|&&led| led).count() as u32, ..edge }
}

fn move_phi<'m>(
    editor: &mut Editor<'m>,
    phi: handle::Inst<'m>,
    side: usize,
    edges: &[Edge<'m>],
    middle: handle::Block<'m>,
) {
    let new = editor.at_end(middle).phi(phi.ty(), "");
    editor.set_fast_math(new, phi.fast_math());
    let zero = editor.null(phi.ty());
    for edge in edges {
        let known = (0..phi.incoming_count()).map(|index| phi.incoming(index)).find(|known| known.1 == edge.from);
        let value = known.filter(|_| edge.reaches[side]).map_or(zero, |known| known.0);
        for _ in 0..edge.count {
            editor.add_incoming(new, value, edge.from);
        }
    }
    editor.replace_all_uses(phi.value(), new.value());
    editor.erase(phi);
}
