//! How is a plan carried out?
//!
//! The melded code of the first pair goes to the end of the entry block, in place of the branch; every other pair gets
//! a new block. A melded instruction is replaced everywhere at once, so that whatever follows uses the melded value,
//! and two operands need a select exactly if they still differ.
//!
//! 1. Emit one pair after the other: phis without edges, steps, terminator. A pair is emitted after those that dominate
//!    it.
//! 2. Give the new phis their edges, and the phis of shared exits one edge in place of two. Selects are placed at the
//!    end of the block that the edge leaves.
//! 3. Remove what is left of the sides.
//!
//! **Poison.** The branch on the condition is gone, but selects on it take its place. A branch on poison is undefined
//! behaviour, so the condition is neither poison nor undef there. A select hides the poison of the value it does not
//! choose. Guarded values are zero for lanes of the other side, which never choose them. Melded instructions keep the
//! flags that both had; lifted ones keep none that could cause undefined behaviour.

use super::apply_records::{Guarded, PairRecords, Sides};
use super::plan::{FusePlan, PairPlan};
use super::region::{Link, Tail};
use super::schedule::Step;
use super::switch;
use crate::mutants::{self, Mutant};
use rustc_hash::FxHashMap;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, DebugLoc, RawOpcode, ValueKind};

type Value<'m> = handle::Value<'m>;

/// Applies a plan. The handles of the sides' blocks and of melded instructions are invalid afterwards.
pub fn apply<'m>(editor: &mut Editor<'m>, func: &Func, handles: &Handles<'m>, plan: &FusePlan) {
    Applier::new(editor, func, handles, plan).run();
}

struct Applier<'a, 'm> {
    editor: &'a mut Editor<'m>,
    func: &'a Func,
    handles: &'a Handles<'m>,
    plan: &'a FusePlan,
    condition: Value<'m>,
    /// Source location of the branch.
    location: Option<DebugLoc<'m>>,
    /// Where the melded code of each pair begins and ends.
    heads: Vec<handle::Block<'m>>,
    ends: Vec<handle::Block<'m>>,
    /// New phis and the phis that they replace, by pair.
    phis: Vec<(usize, handle::Inst<'m>, [Option<handle::Inst<'m>>; 2])>,
    /// Selects of the pair being emitted.
    selects: FxHashMap<[Value<'m>; 2], Value<'m>>,
    /// If there is debug information: the locations of the sides, and the records of the pair being emitted.
    sides: Option<Sides<'m>>,
    records: Option<PairRecords<'m>>,
    guarded: Guarded<'m>,
}

impl<'a, 'm> Applier<'a, 'm> {
    fn new(editor: &'a mut Editor<'m>, func: &'a Func, handles: &'a Handles<'m>, plan: &'a FusePlan) -> Self {
        let branch = handles.inst(func.terminator(plan.entry));
        let sides = Sides::new(editor, func, handles, plan);
        let location = branch.debug_loc();
        editor.set_location(location);
        let (entry, condition) = if plan.of_switch {
            let sides = plan.pairs[0].sides.map(|side| handles.block(side));
            switch::lead_to_one(editor, handles, handles.block(plan.entry), branch, sides)
        } else {
            let condition = branch.branch_condition().expect("a region starts with a conditional branch");
            editor.erase(branch);
            (handles.block(plan.entry), condition)
        };
        let mut heads = vec![entry];
        for pair in &plan.pairs[1..] {
            let block = editor.new_block(handles.function, "fuse");
            editor.place_after(block, handles.block(pair.sides[1]));
            heads.push(block);
        }
        Applier {
            editor,
            func,
            handles,
            plan,
            condition,
            location,
            ends: heads.clone(),
            heads,
            phis: Vec::new(),
            selects: FxHashMap::default(),
            sides,
            records: None,
            guarded: Guarded::default(),
        }
    }

    fn run(mut self) {
        self.forward_first_phis();
        for index in 0..self.plan.pairs.len() {
            self.emit(index);
        }
        self.connect_phis();
        self.connect_exits();
        self.clean_up();
    }

    /// The first blocks are only entered from the branch, so each of their phis is another name for one value.
    fn forward_first_phis(&mut self) {
        for side in self.plan.pairs[0].sides {
            let phis: Vec<_> = self.func.phis(side).map(|phi| self.handles.inst(phi)).collect();
            for phi in phis {
                let (value, _) = phi.incoming(0);
                self.editor.replace_all_uses(phi.value(), value);
                self.editor.erase(phi);
            }
        }
    }

    fn emit(&mut self, index: usize) {
        let pair = &self.plan.pairs[index];
        self.selects.clear();
        let mut block = self.heads[index];
        if self.sides.is_some() {
            let guarded = std::mem::take(&mut self.guarded);
            self.records = Some(PairRecords::take(self.editor, self.func, self.handles, pair, block, guarded));
        }
        self.make_phis(index, pair);
        for step in &pair.steps {
            match step {
                Step::Meld { insts, how } => {
                    let handles = insts.map(|inst| self.handles.inst(inst));
                    self.meld(block, handles, how.swap);
                    self.emitted(insts, block, None);
                }
                Step::Lift(inst) => {
                    let handle = self.handles.inst(*inst);
                    self.editor.at_end(block).transfer(handle);
                    self.editor.drop_promises(handle);
                    // lanes of the other side reach this block too, from the branch
                    let own = handle.debug_loc();
                    self.editor.meld_location(handle, own, self.location);
                    self.emitted(&[*inst], block, None);
                }
                Step::Guard(groups) if mutants::on(Mutant::LostGuard) => {
                    for &inst in groups.iter().flatten() {
                        self.editor.at_end(block).transfer(self.handles.inst(inst));
                        self.emitted(&[inst], block, None);
                    }
                }
                Step::Guard(groups) => block = self.guard(block, groups),
            }
        }
        self.terminate(pair, block);
        self.ends[index] = block;
        if let (Some(records), Some(sides)) = (self.records.take(), &self.sides) {
            let rest = (pair.tail == Tail::Split).then(|| pair.sides.map(|side| self.handles.block(side)));
            self.guarded = records.place(self.editor, sides, rest);
        }
    }

    /// Records where instructions were emitted.
    fn emitted(&mut self, insts: &[Inst], block: handle::Block<'m>, guard: Option<usize>) {
        if let Some(records) = &mut self.records {
            records.emitted(insts, block, guard);
        }
    }

    fn make_phis(&mut self, index: usize, pair: &PairPlan) {
        for phis in &pair.phis {
            let old = phis.map(|phi| phi.map(|phi| self.handles.inst(phi)));
            let Some(first) = old[0].or(old[1]) else { continue };
            let new = self.editor.at_end(self.heads[index]).phi(first.ty(), "");
            let fast = old.iter().flatten().map(|phi| phi.fast_math()).fold(u32::MAX, |all, one| all & one);
            self.editor.set_fast_math(new, fast);
            for phi in old.into_iter().flatten() {
                self.editor.replace_all_uses(phi.value(), new.value());
            }
            self.phis.push((index, new, old));
        }
    }

    /// One value for both sides, at the end of a block that has no terminator yet.
    fn choose(&mut self, values: [Value<'m>; 2]) -> Value<'m> {
        let [yes, no] = if mutants::on(Mutant::SwappedSelect) { [values[1], values[0]] } else { values };
        let is_undefined = |value: Value<'m>| matches!(value.kind(), ValueKind::Poison | ValueKind::Undef);
        if yes == no || is_undefined(no) {
            return yes;
        }
        if is_undefined(yes) {
            return no;
        }
        if let Some(&select) = self.selects.get(&values) {
            return select;
        }
        let select = self.editor.select(self.condition, yes, no, "");
        self.selects.insert(values, select);
        select
    }

    fn meld(&mut self, block: handle::Block<'m>, [t, f]: [handle::Inst<'m>; 2], swap: bool) {
        self.editor.at_end(block);
        let count = if t.opcode() == RawOpcode::LLVMCall { t.argument_count() } else { t.operand_count() };
        let operands: Vec<Value<'m>> = (0..count)
            .map(|place| {
                let there = if swap && place < 2 { 1 - place } else { place };
                self.choose([t.operand(place), f.operand(there)])
            })
            .collect();
        let name = t.value().name();
        let (first, second) = (t.debug_loc(), f.debug_loc());
        // of a zero extension of a non-negative value and a sign extension, the latter is right for both
        let (kept, other) = if t.opcode() == f.opcode() || f.opcode() != RawOpcode::LLVMSExt { (t, f) } else { (f, t) };
        self.editor.transfer(kept);
        for (place, &operand) in operands.iter().enumerate() {
            self.editor.set_operand(kept, place as u32, operand);
        }
        if kept.opcode() == other.opcode() {
            self.editor.intersect_flags(kept, other);
        }
        self.editor.intersect_metadata(kept, other);
        if kept.opcode() == RawOpcode::LLVMCall {
            self.editor.intersect_call_attributes(kept, other);
        }
        self.editor.meld_location(kept, first, second);
        self.retire(other, kept.value());
        self.editor.set_name(kept.value(), &name);
    }

    fn retire(&mut self, inst: handle::Inst<'m>, by: Value<'m>) {
        self.editor.replace_all_uses(inst.value(), by);
        self.editor.erase(inst);
    }

    /// Emits instructions behind the condition; returns the block where the sides meet again.
    fn guard(&mut self, block: handle::Block<'m>, groups: &[Vec<Inst>; 2]) -> handle::Block<'m> {
        let function = self.handles.function;
        let next = self.editor.new_block(function, "fuse.next");
        self.editor.place_after(next, block);
        let mut targets = [next; 2];
        for (side, group) in groups.iter().enumerate().filter(|(_, group)| !group.is_empty()) {
            let guarded = self.editor.new_block(function, if side == 0 { "fuse.yes" } else { "fuse.no" });
            self.editor.place_after(guarded, block);
            for &inst in group {
                self.editor.at_end(guarded).transfer(self.handles.inst(inst));
                self.emitted(&[inst], guarded, Some(side));
            }
            self.editor.at_end(guarded).branch(next);
            targets[side] = guarded;
        }
        self.editor.at_end(block).branch_if(self.condition, targets[0], targets[1]);
        for (side, group) in groups.iter().enumerate() {
            // if the other side has no block of its own, it comes directly from the branch
            let other = if targets[1 - side] == next { block } else { targets[1 - side] };
            for &inst in group {
                self.carry(self.handles.inst(inst), targets[side], other, next);
            }
        }
        if let Some(records) = &mut self.records {
            records.joined(next);
        }
        next
    }

    /// Makes a guarded value available after its guard.
    fn carry(
        &mut self,
        inst: handle::Inst<'m>,
        home: handle::Block<'m>,
        other: handle::Block<'m>,
        next: handle::Block<'m>,
    ) {
        let place = |editor: &mut Editor<'m>| {
            editor.at_end(next);
        };
        let phi = carry_out(self.editor, inst, [home, other], place);
        if let (Some(phi), Some(records)) = (phi, &mut self.records) {
            records.carried(inst.value(), phi.value());
        }
    }

    fn terminate(&mut self, pair: &PairPlan, block: handle::Block<'m>) {
        let sides = pair.sides.map(|side| self.handles.block(side));
        let Tail::Joined { links, crossed } = &pair.tail else {
            self.editor.at_end(block).branch_if(self.condition, sides[0], sides[1]);
            return;
        };
        let ends = pair.sides.map(|side| self.handles.inst(self.func.terminator(side)));
        let target = |link: &Link| match *link {
            Link::Pair(index) => self.heads[index],
            Link::Exit(exit) => self.handles.block(exit),
        };
        let targets: Vec<_> = links.iter().map(target).collect();
        self.editor.at_end(block);
        match self.func.insts[self.func.terminator(pair.sides[0])].opcode {
            Opcode::Br => _ = self.editor.branch(targets[0]),
            Opcode::CondBr => {
                let conditions = ends.map(|end| end.branch_condition().expect("a conditional branch"));
                let mut second = conditions[1];
                if *crossed {
                    second = self.editor.not(second);
                }
                let condition = self.choose([conditions[0], second]);
                self.editor.branch_if(condition, targets[0], targets[1]);
            }
            Opcode::Ret => {
                let value = (ends[0].operand_count() > 0).then(|| self.choose(ends.map(|end| end.operand(0))));
                self.editor.ret(value);
            }
            _ => self.editor.unreachable(),
        }
    }

    /// The linked pairs that lead to a pair or to an exit.
    fn leading_to(&self, wanted: Link) -> Vec<usize> {
        (0..self.plan.pairs.len()).filter(|&index| self.plan.pairs[index].tail.links().contains(&wanted)).collect()
    }

    fn choose_at_end(&mut self, index: usize, values: [Value<'m>; 2]) -> Value<'m> {
        let end = self.ends[index].terminator().expect("the pair was emitted");
        self.editor.before(end);
        self.selects.clear();
        self.choose(values)
    }

    fn connect_phis(&mut self) {
        for (index, new, old) in std::mem::take(&mut self.phis) {
            for from in self.leading_to(Link::Pair(index)) {
                let sides = self.plan.pairs[from].sides.map(|side| self.handles.block(side));
                let old = if mutants::on(Mutant::SwappedPhi) { [old[1], old[0]] } else { old };
                let sides = if mutants::on(Mutant::SwappedPhi) { [sides[1], sides[0]] } else { sides };
                let value = match old {
                    [Some(t), Some(f)] => self.choose_at_end(from, [incoming(t, sides[0]), incoming(f, sides[1])]),
                    [Some(t), None] => incoming(t, sides[0]),
                    [None, Some(f)] => incoming(f, sides[1]),
                    [None, None] => continue,
                };
                self.editor.add_incoming(new, value, self.ends[from]);
            }
            self.phis.push((index, new, old));
        }
        for (_, _, old) in std::mem::take(&mut self.phis) {
            for phi in old.into_iter().flatten() {
                self.editor.erase(phi);
            }
        }
    }

    fn connect_exits(&mut self) {
        let links = self.plan.pairs.iter().flat_map(|pair| pair.tail.links());
        let mut exits: Vec<Block> = links.filter_map(Link::exit).collect();
        exits.sort_unstable();
        exits.dedup();
        for exit in exits {
            let sources = self.leading_to(Link::Exit(exit));
            let gone: Vec<_> = sources
                .iter()
                .flat_map(|&from| self.plan.pairs[from].sides)
                .map(|side| self.handles.block(side))
                .collect();
            let phis: Vec<_> = self.handles.block(exit).phis().collect();
            for phi in phis {
                let mut fresh = Vec::with_capacity(sources.len());
                for &from in &sources {
                    let sides = self.plan.pairs[from].sides.map(|side| self.handles.block(side));
                    let sides = if mutants::on(Mutant::ExitOneSide) { [sides[0]; 2] } else { sides };
                    let value = self.choose_at_end(from, sides.map(|side| incoming(phi, side)));
                    fresh.push((value, self.ends[from]));
                }
                self.editor.reroute(phi, &gone, &fresh);
            }
        }
    }

    fn clean_up(&mut self) {
        let joined = self.plan.pairs.iter().filter(|pair| pair.tail != Tail::Split);
        let dead: Vec<_> = joined.flat_map(|pair| pair.sides).map(|side| self.handles.block(side)).collect();
        self.editor.delete_blocks(&dead);
    }
}

/// If a value is used outside of its block, replaces it there by a phi, which `place` moves the editor to: the value for
/// lanes that come from that block, zero for those that come from the other, which never use it. With poison the register
/// would be undefined there, and `ptxas` may then take two loads behind disjoint guards for one.
pub fn carry_out<'m>(
    editor: &mut Editor<'m>,
    inst: handle::Inst<'m>,
    [home, other]: [handle::Block<'m>; 2],
    place: impl FnOnce(&mut Editor<'m>),
) -> Option<handle::Inst<'m>> {
    if !inst.value().users().filter_map(Value::as_inst).any(|user| user.block() != home) {
        editor.replace_in_records_outside(inst.value(), None, home);
        return None;
    }
    place(editor);
    let phi = editor.phi(inst.ty(), "");
    let zero = editor.null(inst.ty());
    editor.add_incoming(phi, inst.value(), home);
    editor.add_incoming(phi, zero, other);
    editor.replace_uses_outside(inst.value(), phi.value(), home, phi);
    editor.replace_in_records_outside(inst.value(), Some(phi.value()), home);
    Some(phi)
}

/// The value that a phi receives from a block; the edge exists.
pub fn incoming<'m>(phi: handle::Inst<'m>, from: handle::Block<'m>) -> Value<'m> {
    let edges = (0..phi.incoming_count()).map(|index| phi.incoming(index));
    edges.into_iter().find(|edge| edge.1 == from).expect("a phi has a value for each edge into its block").0
}
