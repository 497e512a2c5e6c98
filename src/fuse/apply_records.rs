//! What do debug records say where two sides have been melded?
//!
//! A record in a side says where a variable is for lanes of that side. In melded code it would apply to lanes of both
//! sides, so it is kept only where it is true for both:
//!
//! - both sides have the same record of the variable (of a melded value, for instance): it is emitted once;
//! - lanes of the other side cannot see the variable, because its scope is inside this side: it is emitted;
//! - otherwise the variable is unknown from here on, until the sides agree, separate again, or later code says more.
//!
//! Inside a guard there are only lanes of one side, so its records are kept; after the guard the rules above apply.
//! Where the sides separate again, each gets back the last records of the variables that it knew.
//!
//! **Position.** A record is inserted after the instruction that it followed, after the definitions of the values it
//! mentions, and after its side's earlier records, because the schedule may have reordered instructions of a side.

use super::plan::{FusePlan, PairPlan};
use super::region::Tail;
use super::schedule::Step;
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::Func;
use warpwise_ir::entity::Inst;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::debug::{Record, Variable};
use warpwise_ir::llvm::handle::{self, DebugLoc, RawOpcode};

type Value<'m> = handle::Value<'m>;

/// Where the instructions of each side are in the source.
pub struct Sides<'m> {
    locations: [Vec<DebugLoc<'m>>; 2],
}

/// A position in melded code at which a record can be inserted.
struct Spot<'m> {
    block: handle::Block<'m>,
    /// After this instruction, or after the phis.
    after: Option<handle::Inst<'m>>,
    /// Whether only lanes of this side execute it.
    guard: Option<usize>,
}

/// The records of a pair, detached from their instructions while the pair is emitted.
pub struct PairRecords<'m> {
    /// For each side in its order; the instructions that preceded them.
    taken: [Vec<(Record<'m>, Option<Inst>)>; 2],
    spots: Vec<Spot<'m>>,
    spot_of: FxHashMap<Inst, usize>,
    spot_of_value: FxHashMap<Value<'m>, usize>,
    guarded: Guarded<'m>,
}

/// The guarded values of all pairs so far: where they are, and what replaces them after the guard.
pub type Guarded<'m> = FxHashMap<Value<'m>, (handle::Block<'m>, Option<Value<'m>>)>;

impl<'m> Sides<'m> {
    /// `None` if the function has no debug information.
    pub fn new(editor: &Editor<'m>, func: &Func, handles: &Handles<'m>, plan: &FusePlan) -> Option<Sides<'m>> {
        if !editor.has_debug_info(handles.function) {
            return None;
        }
        let branch = handles.inst(func.terminator(plan.entry)).debug_loc();
        let locations = [0, 1].map(|side| {
            let insts = plan.pairs.iter().flat_map(|pair| func.block_insts(pair.sides[side]));
            let found: FxHashSet<_> = insts.filter_map(|inst| handles.inst(inst).debug_loc()).chain(branch).collect();
            found.into_iter().collect()
        });
        Some(Sides { locations })
    }

    /// Whether lanes of the other side cannot see a record's variable.
    fn is_private(&self, record: Record<'m>, side: usize) -> bool {
        !self.locations[1 - side].iter().any(|&location| record.is_seen_at(location))
    }
}

impl<'m> PairRecords<'m> {
    /// Detaches the records of a pair whose code will go to the end of `head`.
    pub fn take(
        editor: &mut Editor<'m>,
        func: &Func,
        handles: &Handles<'m>,
        pair: &PairPlan,
        head: handle::Block<'m>,
        guarded: Guarded<'m>,
    ) -> PairRecords<'m> {
        let mut moved: FxHashSet<Inst> = FxHashSet::default();
        for step in &pair.steps {
            match step {
                Step::Meld { insts, .. } => moved.extend(insts),
                Step::Lift(inst) => _ = moved.insert(*inst),
                Step::Guard(groups) => moved.extend(groups.iter().flatten()),
            }
        }
        if pair.tail != Tail::Split {
            moved.extend(pair.sides.map(|side| func.terminator(side)));
        }
        let taken = pair.sides.map(|side| {
            let mut taken = Vec::new();
            let mut before = None;
            let mut stays = false;
            for inst in func.block_insts(side).filter(|&inst| func.insts[inst].opcode != Opcode::Phi) {
                // records after an instruction that stays in its side stay there; sides that end lose all of theirs
                stays |= pair.tail == Tail::Split && !moved.contains(&inst);
                if !stays {
                    let records = editor.detach_records(handles.inst(inst));
                    taken.extend(records.into_iter().map(|record| (record, before)));
                }
                before = Some(inst);
            }
            taken
        });
        let start =
            Spot { block: head, after: head.last().filter(|last| last.opcode() != RawOpcode::LLVMPHI), guard: None };
        PairRecords {
            taken,
            spots: vec![start],
            spot_of: FxHashMap::default(),
            spot_of_value: FxHashMap::default(),
            guarded,
        }
    }

    /// These instructions are now executed as the last instruction of a block; in a guard, for one side only.
    pub fn emitted(&mut self, insts: &[Inst], block: handle::Block<'m>, guard: Option<usize>) {
        let Some(last) = block.last() else { return };
        let spot = self.spots.len();
        self.spots.push(Spot { block, after: Some(last).filter(|last| last.opcode() != RawOpcode::LLVMPHI), guard });
        self.spot_of.extend(insts.iter().map(|&inst| (inst, spot)));
        self.spot_of_value.insert(last.value(), spot);
        if guard.is_some() {
            self.guarded.insert(last.value(), (block, None));
        }
    }

    /// The sides are together again in a block.
    pub fn joined(&mut self, block: handle::Block<'m>) {
        self.spots.push(Spot { block, after: None, guard: None });
    }

    /// After the guard another value replaces a guarded one.
    pub fn carried(&mut self, guarded: Value<'m>, by: Value<'m>) {
        if let Some((_, carried)) = self.guarded.get_mut(&guarded) {
            *carried = Some(by);
        }
    }

    /// Inserts everything, once the code of the pair is complete. `rest` are the blocks where the sides separate again.
    pub fn place(
        mut self,
        editor: &mut Editor<'m>,
        sides: &Sides<'m>,
        rest: Option<[handle::Block<'m>; 2]>,
    ) -> Guarded<'m> {
        let taken = std::mem::take(&mut self.taken);
        let mut events: Vec<(usize, usize, Record<'m>)> = Vec::new();
        for (side, records) in taken.iter().enumerate() {
            let mut at = 0;
            for &(record, before) in records {
                let follows = before.and_then(|inst| self.spot_of.get(&inst));
                let values = record.values();
                let needs = values.iter().filter_map(|value| self.spot_of_value.get(value));
                at = follows.into_iter().chain(needs).copied().fold(at, usize::max);
                events.push((at, side, record));
            }
        }
        events.sort_by_key(|&(at, ..)| at);
        let mut told = Told {
            records: &self,
            sides,
            said: FxHashMap::default(),
            order: Vec::new(),
            unknown: FxHashSet::default(),
        };
        let mut pending: Vec<Variable> = Vec::new();
        let mut next = events.into_iter().peekable();
        for (at, spot) in self.spots.iter().enumerate() {
            if spot.guard.is_none() {
                for variable in pending.drain(..) {
                    told.merge_sides(editor, variable, spot);
                }
            }
            let mut here: Vec<Variable> = Vec::new();
            while let Some((_, side, record)) = next.next_if(|event| event.0 == at) {
                let Some(variable) = record.variable() else {
                    editor.place_record(record, spot.block, spot.after);
                    continue;
                };
                told.say(variable, side, record);
                if !here.contains(&variable) {
                    here.push(variable);
                }
                if spot.guard.is_some() {
                    let copy = told.records.copy_for(editor, record, spot.block).unwrap_or_else(|| {
                        let copy = editor.clone_record(record);
                        editor.kill_record(copy, false);
                        copy
                    });
                    editor.place_record(copy, spot.block, spot.after);
                }
            }
            for variable in here {
                if spot.guard.is_some() {
                    told.unknown.remove(&variable);
                    if !pending.contains(&variable) {
                        pending.push(variable);
                    }
                } else {
                    told.merge_sides(editor, variable, spot);
                }
            }
        }
        if let Some(rest) = rest {
            told.give_back(editor, rest);
        }
        for (record, _) in taken.into_iter().flatten().filter(|(record, _)| record.variable().is_some()) {
            editor.drop_record(record);
        }
        self.guarded
    }

    /// A copy of a record for a block; `None` if it mentions a value that is not available there.
    fn copy_for(&self, editor: &mut Editor<'m>, record: Record<'m>, block: handle::Block<'m>) -> Option<Record<'m>> {
        let copy = editor.clone_record(record);
        for value in record.values() {
            match self.guarded.get(&value) {
                Some(&(home, Some(by))) if home != block => editor.replace_in_record(copy, value, by),
                Some(&(home, None)) if home != block => {
                    editor.drop_record(copy);
                    return None;
                }
                _ => {}
            }
        }
        Some(copy)
    }
}

/// The records emitted so far.
struct Told<'a, 'm> {
    records: &'a PairRecords<'m>,
    sides: &'a Sides<'m>,
    /// The last record of each side.
    said: FxHashMap<Variable, [Option<Record<'m>>; 2]>,
    order: Vec<Variable>,
    /// Variables that have been declared unknown.
    unknown: FxHashSet<Variable>,
}

impl<'m> Told<'_, 'm> {
    fn say(&mut self, variable: Variable, side: usize, record: Record<'m>) {
        let order = &mut self.order;
        let said = self.said.entry(variable).or_insert_with(|| {
            order.push(variable);
            [None, None]
        });
        said[side] = Some(record);
    }

    /// Emits what is true of a variable for lanes of both sides.
    fn merge_sides(&mut self, editor: &mut Editor<'m>, variable: Variable, spot: &Spot<'m>) {
        let said = self.said[&variable];
        let known = match said {
            [Some(one), Some(other)] => one.is_alike(other).then_some(one),
            [Some(one), None] => Some(one).filter(|&one| self.sides.is_private(one, 0)),
            [None, Some(other)] => Some(other).filter(|&other| self.sides.is_private(other, 1)),
            [None, None] => None,
        };
        if let Some(copy) = known.and_then(|record| self.records.copy_for(editor, record, spot.block)) {
            editor.place_record(copy, spot.block, spot.after);
            self.unknown.remove(&variable);
            return;
        }
        let Some(one) = said[0].or(said[1]) else { return };
        let same_store = matches!(said, [Some(one), Some(other)] if one.is_of_same_store(other));
        if same_store || self.unknown.insert(variable) {
            let copy = editor.clone_record(one);
            editor.kill_record(copy, same_store);
            editor.place_record(copy, spot.block, spot.after);
        }
    }

    /// Emits for each side again what it knew.
    fn give_back(&mut self, editor: &mut Editor<'m>, rest: [handle::Block<'m>; 2]) {
        for variable in self.order.iter().filter(|variable| self.unknown.contains(variable)) {
            for (record, block) in self.said[variable].into_iter().zip(rest) {
                if let Some(copy) = record.and_then(|record| self.records.copy_for(editor, record, block)) {
                    editor.open_with(copy, block);
                }
            }
        }
    }
}
