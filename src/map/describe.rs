//! What does the [table](warpwise_analysis::counts::table) contain about a function whose branches are counted?
//!
//! This runs in every compilation with counters, so it makes as few requests to LLVM as possible: each location once.
//! The reasons why branches diverge cost as much as everything else together.

use super::conditions::PlannedCondition;
use super::plan::{BranchPlan, FunctionPlan};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use warpwise_analysis::access::{self, Pattern};
use warpwise_analysis::counts::table::{
    BlockTable, BranchTable, ConditionTable, FunctionTable, IndexedPlace, LineTable, Table,
};
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::explain::ExpressionPrinter;
use warpwise_analysis::explain::causes::Causes;
use warpwise_analysis::explain::explain;
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::DebugLoc;
use warpwise_ir::source::Sources;

/// Describes the functions of a module.
pub struct Describer<'m> {
    table: Table,
    sources: Sources,
    /// Indices of files, by name and by LLVM's node.
    named_files: FxHashMap<String, u32>,
    files: FxHashMap<usize, u32>,
    /// Indices of places.
    places: FxHashMap<DebugLoc<'m>, u32>,
    /// The displayed position of a location: the file of the outermost function, and the innermost line in it.
    shown: FxHashMap<DebugLoc<'m>, (u32, u32)>,
}

impl<'m> Describer<'m> {
    /// A describer of the module made from `source`; other files are looked up in `sources`.
    pub fn new(source: &str, sources: Sources) -> Self {
        let (named_files, files, places, shown) = Default::default();
        Describer { table: Table::new(source), sources, named_files, files, places, shown }
    }

    /// The table of all functions.
    pub fn finish(self) -> Table {
        self.table
    }

    /// Describes a function and its counters.
    pub fn function(&mut self, facts: &Facts, handles: &Handles<'m>, plan: &FunctionPlan) {
        let func = &facts.func;
        let place = handles.function.place().map(|(file, line)| (self.file_named(&file), line));
        let words = ExpressionPrinter::new(facts, handles);
        let lines = if place.is_some() { self.costly_lines(facts, &words) } else { Vec::new() };
        let blocks = func.blocks.keys().map(|block| BlockTable {
            name: words.block(block),
            lines: place.map_or([0; 2], |(file, _)| self.lines_of(facts, handles, block, file)),
            size: func.block_insts(block).len() as u32,
            next: func.graph.succs(block).iter().map(|next| next.as_u32()).collect(),
        });
        let blocks = blocks.collect();
        let function = FunctionTable {
            symbol: handles.function.name(),
            is_kernel: func.is_kernel,
            launches: plan.launches,
            place,
            shape: facts.geometry.exact.map(|shape| shape.to_string()),
            values: facts.tally(),
            lines,
            conditions: plan.conditions.iter().map(|planned| condition(planned, &words)).collect(),
            blocks,
            branches: self.branches(facts, handles, plan, &words),
        };
        self.table.functions.push(function);
    }

    /// Lines with accesses that could be cheaper, in the order of file names.
    fn costly_lines(&mut self, facts: &Facts, words: &ExpressionPrinter<'_, 'm>) -> Vec<LineTable> {
        let mut lines: BTreeMap<(String, u32), Vec<String>> = BTreeMap::new();
        for access in access::accesses(facts).into_iter().filter(|access| access.pattern != Pattern::Same) {
            let Some(text) = access::describe(&access, |value| words.value(value), false) else { continue };
            let Some(place) = words.place(access.inst) else { continue };
            let notes = lines.entry((place.file, place.line)).or_default();
            let note = format!("{} {}: {text}", access.space, access.action.noun());
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let line = |((name, line), notes): ((String, u32), _)| {
            let text = self.sources.line(&name, line).unwrap_or_default().to_owned();
            LineTable { file: self.file_named(&name), line, text, notes }
        };
        lines.into_iter().map(line).collect()
    }

    fn branches(
        &mut self,
        facts: &Facts,
        handles: &Handles<'m>,
        plan: &FunctionPlan,
        words: &ExpressionPrinter<'_, 'm>,
    ) -> Vec<BranchTable> {
        let cycles = &facts.cfg().cycles;
        let causes = Causes::new(facts);
        let branch = |branch: &BranchPlan| {
            let is_divergent = facts.is_divergent_branch(branch.block);
            let chain = if is_divergent { causes.of_branch(branch.block) } else { None };
            let location = handles.inst(facts.func.terminator(branch.block)).debug_loc();
            BranchTable {
                block: branch.block.as_u32(),
                place: location.map(|location| self.place(location)),
                is_divergent,
                depth: cycles.cycle_of(branch.block).map_or(0, |cycle| cycles.depth(cycle)),
                targets: branch.targets.iter().map(|target| target.as_u32()).collect(),
                slot: branch.slot,
                conditions: branch.conditions.clone(),
                why: chain.map(|chain| explain(facts, words, &chain, branch.block)),
            }
        };
        plan.branches.iter().map(branch).collect()
    }

    fn file_named(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.named_files.get(name) {
            return known;
        }
        let number = self.table.files.len() as u32;
        self.table.files.push(name.to_owned());
        self.named_files.insert(name.to_owned(), number);
        number
    }

    fn file(&mut self, location: DebugLoc<'m>) -> u32 {
        let key = location.file_key();
        if let Some(&known) = self.files.get(&key) {
            return known;
        }
        let number = self.file_named(&location.file());
        self.files.insert(key, number);
        number
    }

    fn place(&mut self, location: DebugLoc<'m>) -> u32 {
        if let Some(&known) = self.places.get(&location) {
            return known;
        }
        let inlined_at = location.inlined_at().map(|outer| self.place(outer));
        let file = self.file(location);
        let number = self.table.places.len() as u32;
        self.table.places.push(IndexedPlace { file, line: location.line(), column: location.column(), inlined_at });
        self.places.insert(location, number);
        number
    }

    /// The file of the outermost function, and the innermost line in it; zero if there is none.
    fn shown(&mut self, location: DebugLoc<'m>) -> (u32, u32) {
        if let Some(&known) = self.shown.get(&location) {
            return known;
        }
        let (file, line) = (self.file(location), location.line());
        let shown = match location.inlined_at().map(|outer| self.shown(outer)) {
            Some((outermost, further)) if outermost != file || line == 0 => (outermost, further),
            _ => (file, line),
        };
        self.shown.insert(location, shown);
        shown
    }

    fn lines_of(&mut self, facts: &Facts, handles: &Handles<'m>, block: Block, own_file: u32) -> [u32; 2] {
        let mut lines = [u32::MAX, 0];
        let mut last = None;
        for inst in facts.func.block_insts(block) {
            let location = handles.inst(inst).debug_loc();
            if location == last {
                continue;
            }
            last = location;
            let Some((file, line)) = location.map(|location| self.shown(location)) else { continue };
            if file == own_file && line > 0 {
                lines = [lines[0].min(line), lines[1].max(line)];
            }
        }
        if lines[1] == 0 { [0; 2] } else { lines }
    }
}

fn condition(planned: &PlannedCondition, words: &ExpressionPrinter<'_, '_>) -> ConditionTable {
    let text = planned.condition.text(|value| words.value(value));
    ConditionTable { text, predicate: planned.predicate.clone(), held: planned.held }
}
