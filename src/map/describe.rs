//! What is there to say of a function whose branches are counted? Facts in, a [packed](super::packed) description out.
//!
//! This runs at each compilation, so it asks LLVM for as little as can be: locations once each, names of blocks only.
//! Reasons why branches diverge cost more than all the rest, and are only written for pages that are made at once.

use super::packed::{Branch, Head, Packer};
use super::plan::FunctionPlan;
use crate::divergence::Facts;
use crate::entity::Block;
use crate::explain::ExpressionPrinter;
use crate::explain::causes::Causes;
use crate::explain::explain;
use crate::ir::handles::Handles;
use crate::ir::names::Names;
use crate::ir::types::TypeKind;
use crate::llvm::handle::{DebugLoc, quote_name};
use crate::report::model::{self, Counts, LineReport};
use crate::report::source::Sources;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// Describes the functions of a module, one after the other.
pub struct Describer<'m> {
    packer: Packer,
    sources: Sources,
    /// Numbers of files, by LLVM's node.
    files: FxHashMap<usize, u32>,
    /// Numbers of places.
    places: FxHashMap<DebugLoc<'m>, u32>,
    /// Where a location is shown: the outermost file, and the innermost line in it.
    shown: FxHashMap<DebugLoc<'m>, (u32, u32)>,
    /// Whether reasons are given.
    explains: bool,
}

impl<'m> Describer<'m> {
    /// A describer; sources are looked for beside others.
    pub fn new(sources: Sources, explains: bool) -> Self {
        let (packer, files, places, shown) = Default::default();
        Describer { packer, sources, files, places, shown, explains }
    }

    /// The description of all functions.
    pub fn finish(self, source: &str) -> Vec<u8> {
        self.packer.finish(&super::table::producer(), source)
    }

    /// Describes a function and what is counted of it.
    pub fn function(&mut self, facts: &Facts, handles: &Handles<'m>, plan: &FunctionPlan) {
        let func = &facts.func;
        let own = handles.function.place();
        let has_lines = own.is_some();
        let words = ExpressionPrinter::new(facts, handles);
        let mut lines = if has_lines { model::costly_lines(facts, &words) } else { Vec::new() };
        for LineReport { place, text, .. } in &mut lines {
            *text = self.sources.line(&place.file, place.line).map(str::to_owned);
        }
        let place = own.map(|(file, line)| (self.packer.file(&file), line));
        let [uniform, affine, divergent] = facts.tally();
        let shape = facts.geometry.exact.map_or_else(String::new, |shape| shape.to_string());
        self.packer.head(&Head {
            symbol: &func.name,
            is_kernel: func.is_kernel,
            launches: plan.launches,
            place,
            shape: &shape,
            values: Counts { uniform, affine, divergent },
        });
        self.packer.count(lines.len());
        lines.iter().for_each(|line| self.packer.line(line));
        let labels = Labels::new(facts, handles);
        self.packer.count(func.blocks.len());
        for block in func.blocks.keys() {
            let lines = place.map_or([0; 2], |(file, _)| self.lines_of(facts, handles, block, file));
            let next = func.graph.succs(block).iter().map(|next| next.as_u32() as i32 - block.as_u32() as i32);
            let size = func.block_insts(block).len() as u32;
            match &labels {
                Labels::Named(names) => self.packer.block(Ok(&names[block.index()]), lines, size, next),
                Labels::Mixed(names) => self.packer.block(Ok(&names.block(handles, block)), lines, size, next),
                Labels::Numbered(numbers) => self.packer.block(Err(numbers[block.index()]), lines, size, next),
            }
        }
        self.branches(facts, handles, plan, &words);
    }

    fn branches(
        &mut self,
        facts: &Facts,
        handles: &Handles<'m>,
        plan: &FunctionPlan,
        words: &ExpressionPrinter<'_, 'm>,
    ) {
        let cycles = &facts.cfg().cycles;
        let causes = self.explains.then(|| Causes::new(facts));
        let mut before = 0;
        self.packer.count(plan.branches.len());
        for branch in &plan.branches {
            let is_divergent = facts.is_divergent_branch(branch.block);
            let chain = causes.as_ref().filter(|_| is_divergent).and_then(|causes| causes.of_branch(branch.block));
            let why = chain.map(|chain| explain(facts, words, &chain, branch.block));
            let location = handles.inst(facts.func.terminator(branch.block)).debug_loc();
            let place = location.map(|location| self.place(location));
            self.packer.branch(&Branch {
                further: branch.block.as_u32() - before,
                place,
                is_divergent,
                depth: cycles.cycle_of(branch.block).map_or(0, |cycle| cycles.depth(cycle)),
                slot: branch.slot,
                why: why.as_deref(),
            });
            before = branch.block.as_u32();
        }
    }

    fn file(&mut self, location: DebugLoc<'m>) -> u32 {
        let packer = &mut self.packer;
        *self.files.entry(location.file_key()).or_insert_with(|| packer.file(&location.file()))
    }

    fn place(&mut self, location: DebugLoc<'m>) -> u32 {
        if let Some(&known) = self.places.get(&location) {
            return known;
        }
        let inlined_at = location.inlined_at().map(|outer| self.place(outer));
        let file = self.file(location);
        let number = self.packer.place(file, location.line(), location.column(), inlined_at);
        self.places.insert(location, number);
        number
    }

    /// The file of the outermost function, and the innermost line in it; zero where there is none.
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

/// How the blocks of a function are called.
enum Labels {
    /// As LLVM prints their names.
    Named(Vec<String>),
    /// By LLVM's numbers.
    Numbered(Vec<u32>),
    /// Some are named.
    Mixed(Names),
}

impl Labels {
    fn new(facts: &Facts, handles: &Handles<'_>) -> Labels {
        let func = &facts.func;
        if handles.function.has_names() {
            let names = func.blocks.keys().map(|block| match handles.block(block).name() {
                name if name.is_empty() => None,
                name => Some(quote_name('%', &name)),
            });
            return match names.collect() {
                Some(names) => Labels::Named(names),
                None => Labels::Mixed(Names::new(func, handles)),
            };
        }
        // arguments, then each block and its instructions
        let mut next = func.param_count;
        let numbers = func.blocks.keys().map(|block| {
            let number = next;
            let insts = func.block_insts(block);
            next += 1 + insts.filter(|&inst| func.types[func.insts[inst].ty].kind != TypeKind::Void).count() as u32;
            number
        });
        Labels::Numbered(numbers.collect())
    }
}
