//! How are the branches of a tree replaced by selects? See [`convert`](super::convert).
//!
//! The instructions of the tree's blocks move to the end of its entry, and each phi of the join receives one value from
//! there in place of one from each way.
//!
//! **Poison.** A branch on poison is undefined behaviour, but the inner conditions of a tree may be poison for lanes that
//! take another way. The selects are nested as the branches were, so that such a lane does not choose their result.

use super::apply::incoming;
use super::convert::Tree;
use super::matching::computations;
use crate::entity::Block;
use crate::ir::Func;
use crate::ir::handles::Handles;
use crate::llvm::edit::Editor;
use crate::llvm::handle::{self, IntPredicate, RawOpcode, ValueKind};
use crate::mutants::{self, Mutant};
use rustc_hash::FxHashMap;

type Value<'m> = handle::Value<'m>;

/// Converts a tree. The handles of its blocks and of its first branch are invalid afterwards.
pub fn apply<'m>(editor: &mut Editor<'m>, func: &Func, handles: &Handles<'m>, tree: &Tree) {
    let branch = handles.inst(func.terminator(tree.entry));
    let entry = handles.block(tree.entry);
    let join = handles.block(tree.join);
    let location = branch.debug_loc();
    let is_phi = |inst: &handle::Inst<'m>| inst.opcode() == RawOpcode::LLVMPHI;
    let mut last = entry.insts().take_while(|&inst| inst != branch).last().filter(|inst| !is_phi(inst));
    for &block in &tree.blocks {
        for inst in computations(func, block).map(|inst| handles.inst(inst)) {
            forget_variables(editor, inst, entry, last);
            editor.before(branch).transfer(inst);
            editor.drop_promises(inst);
            editor.meld_location(inst, inst.debug_loc(), location);
            last = Some(inst);
        }
        forget_variables(editor, handles.inst(func.terminator(block)), entry, last);
    }
    editor.before(branch);
    editor.set_location(location);
    let mut chooser = Chooser { join, cases: FxHashMap::default() };
    let sources = std::iter::once(tree.entry).chain(tree.blocks.iter().copied());
    for block in sources.clone() {
        chooser.compare_cases(editor, handles.inst(func.terminator(block)));
    }
    let gone: Vec<_> = sources.map(|block: Block| handles.block(block)).collect();
    let phis: Vec<_> = join.insts().take_while(|inst| inst.opcode() == RawOpcode::LLVMPHI).collect();
    for phi in phis {
        editor.before(branch);
        let value = chooser.choose(editor, phi, entry);
        editor.reroute(phi, &gone, &[(value, entry)]);
    }
    editor.before(branch);
    editor.branch(join);
    editor.erase(branch);
    editor.delete_blocks(&gone[1..]);
}

/// Says behind `last` of a block that the variables are unknown whose values change before an instruction: what is true
/// on one way is not on the others.
fn forget_variables<'m>(
    editor: &mut Editor<'m>,
    inst: handle::Inst<'m>,
    block: handle::Block<'m>,
    last: Option<handle::Inst<'m>>,
) {
    for record in editor.detach_records(inst) {
        if record.variable().is_some() {
            editor.kill_record(record, false);
        }
        editor.place_record(record, block, last);
    }
}

/// Chooses between the values that ways bring to the join.
struct Chooser<'m> {
    join: handle::Block<'m>,
    /// Of each switch: the blocks that its cases lead to, and whether its value is one of their cases.
    cases: FxHashMap<handle::Inst<'m>, Vec<(handle::Block<'m>, Value<'m>)>>,
}

impl<'m> Chooser<'m> {
    fn compare_cases(&mut self, editor: &mut Editor<'m>, end: handle::Inst<'m>) {
        if end.opcode() != RawOpcode::LLVMSwitch {
            return;
        }
        let mut cases: Vec<(handle::Block<'m>, Value<'m>)> = Vec::new();
        let targets: Vec<_> = end.successors().collect();
        for (index, &to) in targets.iter().enumerate().skip(1).filter(|(_, to)| **to != targets[0]) {
            let Some(case) = end.switch_case(index as u32) else { continue };
            let equal = editor.compare(IntPredicate::LLVMIntEQ, end.operand(0), case, "");
            match cases.iter_mut().find(|known| known.0 == to) {
                Some(known) => known.1 = editor.binary(RawOpcode::LLVMOr, known.1, equal, ""),
                None => cases.push((to, equal)),
            }
        }
        self.cases.insert(end, cases);
    }

    /// The value of a phi for a lane at the end of a block.
    fn choose(&self, editor: &mut Editor<'m>, phi: handle::Inst<'m>, block: handle::Block<'m>) -> Value<'m> {
        let end = block.terminator().expect("a block of a tree is complete");
        let targets: Vec<_> = end.successors().collect();
        let of = |editor: &mut Editor<'m>, to: handle::Block<'m>| match to == self.join {
            true => incoming(phi, block),
            false => self.choose(editor, phi, to),
        };
        if let Some(condition) = end.branch_condition() {
            let values = [of(editor, targets[0]), of(editor, targets[1])];
            return select(editor, condition, values);
        }
        let mut value = of(editor, targets[0]);
        for &(to, is_case) in self.cases.get(&end).into_iter().flatten() {
            let chosen = of(editor, to);
            value = select(editor, is_case, [chosen, value]);
        }
        value
    }
}

fn select<'m>(editor: &mut Editor<'m>, condition: Value<'m>, values: [Value<'m>; 2]) -> Value<'m> {
    let [yes, no] = if mutants::on(Mutant::SwappedSelect) { [values[1], values[0]] } else { values };
    let is_poison = |value: Value<'m>| value.kind() == ValueKind::Poison;
    match (is_poison(yes), is_poison(no)) {
        _ if yes == no => return yes,
        (_, true) => return yes,
        (true, false) => return no,
        (false, false) => {}
    }
    editor.select(condition, yes, no, "")
}
