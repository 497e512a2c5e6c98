//! How are the branches of a tree replaced by selects? See [`convert`](super::convert).
//!
//! The instructions of the tree's blocks move to the end of its entry, and each phi of the join receives one value from
//! there in place of one from each way. Loads move behind a guard, so that the same lanes execute them as before.
//!
//! **Poison.** A branch on poison is undefined behaviour, but the inner conditions of a tree may be poison for lanes that
//! take another way. The selects are nested as the branches were, so that such a lane does not choose their result.

use super::apply::{carry_out, incoming};
use super::convert::{Tree, Way};
use super::matching::computations;
use crate::mutants::{self, Mutant};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_ir::Func;
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, DebugLoc, IntPredicate, RawOpcode, ValueKind};

type Value<'m> = handle::Value<'m>;

/// Converts a tree. The handles of its blocks and of its first branch are invalid afterwards.
pub fn apply<'m>(editor: &mut Editor<'m>, func: &Func, handles: &Handles<'m>, tree: &Tree) {
    let branch = handles.inst(func.terminator(tree.entry));
    let entry = handles.block(tree.entry);
    let location = branch.debug_loc();
    let is_phi = |inst: &handle::Inst<'m>| inst.opcode() == RawOpcode::LLVMPHI;
    let last = entry.insts().take_while(|&inst| inst != branch).last().filter(|inst| !is_phi(inst));
    let mut mover = Mover { editor, func, handles, branch, location, last };
    let mut reach = Reach { func, handles, of: FxHashMap::default() };
    reach.of.insert(tree.entry, None);
    for way in &tree.blocks {
        mover.add(way, &mut reach);
    }
    let entry = branch.block();
    let join = handles.block(tree.join);
    editor.before(branch);
    editor.set_location(location);
    let mut chooser = Chooser { join, known: FxHashMap::default(), cases: FxHashMap::default() };
    let blocks: Vec<_> = tree.blocks.iter().map(|way| handles.block(way.block)).collect();
    for &block in std::iter::once(&entry).chain(&blocks) {
        chooser.compare_cases(editor, block);
    }
    let gone: Vec<_> = std::iter::once(entry).chain(blocks.iter().copied()).collect();
    let phis: Vec<_> = join.phis().collect();
    for phi in phis {
        editor.before(branch);
        chooser.known.clear();
        let value = chooser.choose(editor, phi, entry);
        editor.reroute(phi, &gone, &[(value, entry)]);
    }
    editor.before(branch);
    editor.branch(join);
    editor.erase(branch);
    editor.delete_blocks(&blocks);
}

/// Moves the instructions of a tree's blocks before its first branch.
struct Mover<'a, 'm> {
    editor: &'a mut Editor<'m>,
    func: &'a Func,
    handles: &'a Handles<'m>,
    branch: handle::Inst<'m>,
    location: Option<DebugLoc<'m>>,
    /// The instruction before the branch, if there is one in its block.
    last: Option<handle::Inst<'m>>,
}

impl<'m> Mover<'_, 'm> {
    fn add(&mut self, way: &Way, reach: &mut Reach<'_, 'm>) {
        let insts: Vec<_> = computations(self.func, way.block).map(|inst| self.handles.inst(inst)).collect();
        let [first, behind] = way.guarded.clone().map_or([insts.len(); 2], |guarded| [guarded.start, guarded.end]);
        for &inst in &insts[..first] {
            self.float(inst);
        }
        if first < behind {
            self.editor.before(self.branch).set_location(self.location);
            let condition = reach.condition(self.editor, way.block);
            self.guard(condition, &insts[first..behind]);
        }
        for &inst in &insts[behind..] {
            self.float(inst);
        }
        let end = self.handles.inst(self.func.terminator(way.block));
        forget_variables(self.editor, end, self.branch.block(), self.last);
    }

    /// Lets all lanes execute an instruction.
    fn float(&mut self, inst: handle::Inst<'m>) {
        forget_variables(self.editor, inst, self.branch.block(), self.last);
        self.editor.before(self.branch).transfer(inst);
        self.editor.drop_promises(inst);
        self.editor.meld_location(inst, inst.debug_loc(), self.location);
        self.last = Some(inst);
    }

    /// Lets the lanes for which the condition is true execute instructions; the results are zero for the others.
    fn guard(&mut self, condition: Option<Value<'m>>, insts: &[handle::Inst<'m>]) {
        let Some(condition) = condition.filter(|_| !mutants::on(Mutant::LostGuard)) else {
            return insts.iter().for_each(|&inst| self.float(inst));
        };
        let before = self.branch.block();
        let end = self.editor.split_if(condition, self.branch, false, "fuse.load", "fuse.next");
        let (home, next) = (end.block(), self.branch.block());
        let mut last = None;
        for &inst in insts {
            forget_variables(self.editor, inst, home, last);
            self.editor.before(end).transfer(inst);
            last = Some(inst);
        }
        for &inst in insts {
            carry_out(self.editor, inst, [home, before], |editor| {
                editor.at_head(next);
            });
        }
        self.last = None;
    }
}

/// Which lanes would come to the blocks of a tree.
struct Reach<'a, 'm> {
    func: &'a Func,
    handles: &'a Handles<'m>,
    /// A condition that is never poison; `None` for all lanes.
    of: FxHashMap<Block, Option<Value<'m>>>,
}

impl<'m> Reach<'_, 'm> {
    /// Whether a lane comes to a block, computed where all conditions before the block are known.
    fn condition(&mut self, editor: &mut Editor<'m>, block: Block) -> Option<Value<'m>> {
        if let Some(&known) = self.of.get(&block) {
            return known;
        }
        let mut from: SmallVec<[Block; 4]> = SmallVec::from_slice(self.func.graph.preds(block));
        from.sort_unstable();
        from.dedup();
        let mut all: Option<Value<'m>> = None;
        for from in from {
            let edge = self.edge(editor, from, block)?;
            all = Some(all.map_or(edge, |others| editor.binary(RawOpcode::LLVMOr, others, edge, "")));
        }
        self.of.insert(block, all);
        all
    }

    /// Whether a lane goes from one block to another; `None` if all lanes do.
    fn edge(&mut self, editor: &mut Editor<'m>, from: Block, to: Block) -> Option<Value<'m>> {
        let before = self.condition(editor, from);
        let end = self.handles.inst(self.func.terminator(from));
        let targets: Vec<_> = end.successors().collect();
        let Some(taken) = end.branch_condition().filter(|_| targets[0] != targets[1]) else { return before };
        let taken = if targets[0] == self.handles.block(to) { taken } else { editor.not(taken) };
        let Some(before) = before else { return Some(taken) };
        // poison for lanes that do not come to the branch
        let never = editor.int(1, 0);
        Some(editor.select(before, taken, never, ""))
    }
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
    /// The values of the phi at hand for lanes at the ends of blocks.
    known: FxHashMap<handle::Block<'m>, Value<'m>>,
    /// Of each switch: the blocks that its cases lead to, and whether its value is one of their cases.
    cases: FxHashMap<handle::Inst<'m>, Vec<(handle::Block<'m>, Value<'m>)>>,
}

impl<'m> Chooser<'m> {
    fn compare_cases(&mut self, editor: &mut Editor<'m>, block: handle::Block<'m>) {
        let Some(end) = block.terminator().filter(|end| end.opcode() == RawOpcode::LLVMSwitch) else { return };
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
    fn choose(&mut self, editor: &mut Editor<'m>, phi: handle::Inst<'m>, block: handle::Block<'m>) -> Value<'m> {
        if let Some(&known) = self.known.get(&block) {
            return known;
        }
        let value = self.choose_at(editor, phi, block);
        self.known.insert(block, value);
        value
    }

    fn choose_at(&mut self, editor: &mut Editor<'m>, phi: handle::Inst<'m>, block: handle::Block<'m>) -> Value<'m> {
        let end = block.terminator().expect("a block of a tree is complete");
        let targets: Vec<_> = end.successors().collect();
        if let Some(condition) = end.branch_condition() {
            let values = [targets[0], targets[1]].map(|to| self.choose_beyond(editor, phi, block, to));
            return select(editor, condition, values);
        }
        let mut value = self.choose_beyond(editor, phi, block, targets[0]);
        for (to, is_case) in self.cases.get(&end).cloned().into_iter().flatten() {
            let chosen = self.choose_beyond(editor, phi, block, to);
            value = select(editor, is_case, [chosen, value]);
        }
        value
    }

    /// The value of a phi for a lane that goes from one block to another.
    fn choose_beyond(
        &mut self,
        editor: &mut Editor<'m>,
        phi: handle::Inst<'m>,
        from: handle::Block<'m>,
        to: handle::Block<'m>,
    ) -> Value<'m> {
        if to == self.join { incoming(phi, from) } else { self.choose(editor, phi, to) }
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
