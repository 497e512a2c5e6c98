//! Which targets of a `switch` are alike, and how do they become the sides of a branch?
//!
//! LLVM makes a `switch` of conditions with several parts and of chains of tests. Two of its targets become sides: its
//! edges to both are redirected to one new block, at whose end the sides are told apart by comparisons with the cases
//! of one of them.
//!
//! ```text
//!     p                    p
//!   ╱ │ ╲       ⇒        ╱   ╲       M: br (x == 3 or x == 5), A, B
//!  A  B  C              M     C
//! ```
//!
//! Only the switch leads to either target, so every value that is defined where its edges begin is defined in the new
//! block too, and every lane executes the same blocks as before, with one more in between.

use crate::mutants::{self, Mutant};
use warpwise_ir::Func;
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, IntPredicate, RawOpcode};

/// Maximum number of different targets of a switch whose pairs are tried.
const MAX_TARGETS: usize = 6;

/// Pairs of targets of a switch that could be sides.
pub fn pairs(func: &Func, entry: Block) -> Vec<[Block; 2]> {
    if func.insts[func.terminator(entry)].opcode != Opcode::Switch {
        return Vec::new();
    }
    let mut targets: Vec<Block> = func.graph.succs(entry).to_vec();
    targets.sort_unstable();
    targets.dedup();
    if targets.len() > MAX_TARGETS {
        return Vec::new();
    }
    targets.retain(|&target| target != entry && func.graph.preds(target).iter().all(|&from| from == entry));
    let ends = |block: Block| func.insts[func.terminator(block)].opcode;
    let after = |(index, &first): (usize, &Block)| targets[index + 1..].iter().map(move |&second| [first, second]);
    let mut pairs: Vec<[Block; 2]> = targets.iter().enumerate().flat_map(after).collect();
    pairs.retain(|&[first, second]| ends(first) == ends(second) && ends(first) != Opcode::Unreachable);
    pairs
}

/// Leads the edges of a block's switch to the two sides to a new block, which has no terminator yet. Returns it, and the
/// condition under which a lane takes the first side. Phis of the sides are the caller's.
pub fn lead_to_one<'m>(
    editor: &mut Editor<'m>,
    handles: &Handles<'m>,
    entry: handle::Block<'m>,
    switch: handle::Inst<'m>,
    sides: [handle::Block<'m>; 2],
) -> (handle::Block<'m>, handle::Value<'m>) {
    let targets: Vec<_> = switch.successors().collect();
    // the default, which is the first target, has no value to compare with
    let asked = usize::from(targets[0] == sides[0]);
    editor.before(switch);
    let mut takes: Option<handle::Value<'m>> = None;
    for (index, _) in targets.iter().enumerate().skip(1).filter(|(_, target)| **target == sides[asked]) {
        let Some(case) = switch.switch_case(index as u32) else { continue };
        let equal = editor.compare(IntPredicate::LLVMIntEQ, switch.operand(0), case, "");
        takes = Some(match takes {
            Some(others) => editor.binary(RawOpcode::LLVMOr, others, equal, ""),
            None => equal,
        });
    }
    let takes = takes.unwrap_or_else(|| editor.int(1, 0));
    let is_first = (asked == 0) != mutants::on(Mutant::GatherSwapped);
    let condition = if is_first { takes } else { editor.not(takes) };
    let middle = editor.new_block(handles.function, "fuse.switch");
    editor.place_after(middle, entry);
    for (index, _) in targets.iter().enumerate().filter(|(_, target)| sides.contains(target)) {
        editor.set_successor(switch, index as u32, middle);
    }
    (middle, condition)
}
