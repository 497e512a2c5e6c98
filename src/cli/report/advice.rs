//! What should be changed in a function, and what is it worth? One [`Advice`] for each access and branch that costs more
//! than it must.
//!
//! The worth is an estimate in the one unit of all decisions: issue cycles of a warp, times how often the code runs for
//! each launch of the warp. To the cycles of an instruction come those of the sectors that global memory moves and of
//! the phases that shared memory needs. An access wastes what it needs beyond the fewest sectors or phases; of one that
//! follows data, half of the worst case is reckoned. A divergent branch wastes the shorter of its sides, in the share of
//! visits in which branches on data were seen to split ([`DATA_SPLITS`]); a loop that lanes leave at different
//! iterations wastes the same share of half its body. A comparison of two affine values (`i < n`) splits one warp
//! of many, and is no advice.

use super::model::LineOf;
use super::remedy::{Remedies, Remedy};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use warpwise_analysis::access::{Cost, Pattern, Space, WarpAccess, has_form};
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::cost::grid_work::GridWork;
use warpwise_analysis::cost::issue::Costs;
use warpwise_analysis::divergence::{Class, Facts};
use warpwise_analysis::gpu::prices::{DATA_SPLITS, GLOBAL_SECTOR, LOCAL_SECTOR, SHARED_PHASE};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;

/// The smallest share of a function's cost that is worth an advice.
const MIN_SHARE: f64 = 0.01;

/// What is wrong, in one word.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
pub enum AdviceKind {
    Stride,
    Gather,
    Banks,
    Local,
    Branch,
    Loop,
    /// Work that all threads of the grid repeat.
    Repeated,
}

/// One thing to change.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Advice {
    pub kind: AdviceKind,
    pub place: Option<LineOf>,
    /// What is wrong, and why.
    pub what: String,
    /// The same in a clause, and what to do.
    pub short: String,
    pub action: String,
    /// Issue cycles of one warp that could be saved, at most.
    pub cycles: f64,
    /// The same as a share of the function's cycles, 0 to 1.
    pub share: f64,
    /// Number of copies, by unrolling, whose cycles are added up.
    pub copies: u32,
}

/// Issue cycles of one warp, and those of them that are lost.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Debug, Default)]
pub struct CycleCosts {
    pub cycles: f64,
    /// While some lanes wait for others at divergent branches.
    pub divergence: f64,
    /// For sectors of global memory that are fetched and not needed.
    pub sectors: f64,
    /// For conflicts of banks of shared memory.
    pub banks: f64,
    pub local: f64,
}

impl CycleCosts {
    /// Rounded, and with no more cycles lost than there are: what diverges may also wait for memory.
    fn fitted(mut self) -> CycleCosts {
        let memory = self.sectors + self.banks + self.local;
        self.divergence = self.divergence.min(self.cycles - memory).max(0.0);
        for cycles in [&mut self.cycles, &mut self.divergence, &mut self.sectors, &mut self.banks, &mut self.local] {
            *cycles = cycles.round();
        }
        self
    }
}

/// What the code of a function costs.
pub struct Weights<'a, 'm> {
    facts: &'a Facts,
    frequencies: Frequencies<'m>,
    /// Cycles of each block for one entry of the function.
    blocks: Vec<f64>,
    /// Cycles of each instruction for one entry of the function.
    insts: Vec<f64>,
    costs: CycleCosts,
    /// What is lost on each line.
    lost: BTreeMap<LineOf, CycleCosts>,
    /// Loops whose lanes are known to leave at different iterations.
    loops: BTreeSet<Cycle>,
    found: Vec<Found>,
    remedies: Remedies<'a, 'm>,
}

/// An advice, and what else it is about.
struct Found {
    advice: Advice,
    group: Option<Group>,
    /// Cycles of the part that costs the most, whose remedy is shown.
    most: f64,
    /// Other lines of the same group.
    also: BTreeSet<LineOf>,
}

/// What one change mends.
#[derive(Clone, PartialEq)]
enum Group {
    /// Accesses to one object with lanes equally far apart, such as those of all members of a struct; to one local array.
    Object(Value, Pattern),
    /// The branches at which lanes leave one loop.
    Loop(Cycle),
}

/// Maximum number of other lines that an advice names.
const LINES: usize = 4;

impl<'a, 'm> Weights<'a, 'm> {
    /// Weighs every instruction.
    pub fn new(facts: &'a Facts, handles: &'a Handles<'m>, accesses: &[WarpAccess]) -> Self {
        let func = &facts.func;
        let costs = Costs::of(handles.function);
        let frequencies = Frequencies::new(handles.function);
        let (mut blocks, mut insts) = (vec![0.0; func.blocks.len()], vec![0.0; func.insts.len()]);
        let mut add = |inst: Inst, cycles: f64| {
            let block = func.insts[inst].block;
            blocks[block.as_u32() as usize] += cycles * frequencies.of(block);
            insts[inst.as_u32() as usize] += cycles * frequencies.of(block);
        };
        for inst in func.insts.keys().filter(|&inst| facts.is_reachable(func.insts[inst].block)) {
            add(inst, f64::from(costs.inst(func, inst)));
        }
        for access in accesses {
            add(access.inst, memory_cycles(access).0);
        }
        let remedies = Remedies(facts, handles, RefCell::default());
        let costs = CycleCosts { cycles: blocks.iter().sum(), ..CycleCosts::default() };
        let (found, lost, loops) = Default::default();
        Weights { facts, frequencies, blocks, insts, costs, lost, loops, found, remedies }
    }

    /// Cycles of one warp, from its entry to its end, and what of them is lost, as far as it was considered.
    pub fn costs(&self) -> CycleCosts {
        self.costs.fitted()
    }

    /// The cycles of an instruction, and how often a warp executes it.
    pub fn inst(&self, inst: Inst) -> (f64, f64) {
        (self.insts[inst.as_u32() as usize], self.frequencies.of(self.facts.func.insts[inst].block))
    }

    /// What is lost on a line whose instructions take so many cycles.
    pub fn line(&self, place: &LineOf, cycles: f64) -> CycleCosts {
        CycleCosts { cycles, ..self.lost.get(place).copied().unwrap_or_default() }.fitted()
    }

    /// Adds what is lost to the function and to its line.
    fn lose(&mut self, place: Option<&LineOf>, cycles: f64, what: impl Fn(&mut CycleCosts) -> &mut f64) {
        *what(&mut self.costs) += cycles;
        if let Some(place) = place {
            *what(self.lost.entry(place.clone()).or_default()) += cycles;
        }
    }

    /// Considers an access, which is shown as `what`.
    pub fn access(&mut self, access: &WarpAccess, place: Option<LineOf>, what: impl FnOnce() -> String) {
        let (needed, least) = memory_cycles(access);
        let kind = match (access.space, &access.pattern) {
            (Space::Local, _) => AdviceKind::Local,
            (Space::Shared, _) => AdviceKind::Banks,
            (_, Pattern::Unknown | Pattern::Scattered) => AdviceKind::Gather,
            _ => AdviceKind::Stride,
        };
        let often = self.frequencies.of(self.facts.func.insts[access.inst].block);
        self.lose(place.as_ref(), (needed - least) * often, |costs| match kind {
            AdviceKind::Local => &mut costs.local,
            AdviceKind::Banks => &mut costs.banks,
            _ => &mut costs.sectors,
        });
        if needed > least
            && let Some(remedy) = self.remedies.access(access)
        {
            let group = matches!(kind, AdviceKind::Stride | AdviceKind::Local)
                .then(|| Group::Object(self.facts.func.pointer_root(access.pointer), access.pattern.clone()));
            self.add((kind, remedy, group), place, (needed - least) * often, what);
        }
    }

    /// Considers a branch that diverges, and why; `by_block`: unless the block has a suitable shape.
    pub fn branch(&mut self, block: Block, place: Option<LineOf>, why: &str, by_block: bool) {
        let func = &self.facts.func;
        let condition = func.condition(func.terminator(block));
        if condition.is_none_or(|condition| self.is_limit(condition, block)) {
            return;
        }
        let cycles = &self.facts.cfg().cycles;
        let innermost = cycles.cycle_of(block);
        let [yes, no] = func.graph.succs(block) else { return };
        let leaves = innermost.is_some_and(|cycle| !cycles.contains(cycle, *yes) || !cycles.contains(cycle, *no));
        let left = innermost.filter(|_| leaves);
        let (kind, what, wasted) = match left {
            Some(cycle) => {
                let body = func.blocks.keys().filter(|&inside| cycles.contains(cycle, inside));
                let body = body.map(|inside| self.blocks[inside.as_u32() as usize]).sum::<f64>();
                (AdviceKind::Loop, "lanes leave the loop at different iterations", body / 2.0)
            }
            None => (AdviceKind::Branch, "branch diverges", self.side(block, *yes).min(self.side(block, *no))),
        };
        if left.is_none_or(|cycle| self.loops.insert(cycle)) {
            self.lose(place.as_ref(), wasted * DATA_SPLITS, |costs| &mut costs.divergence);
        }
        let Some(remedy) = self.remedies.branch(block, left, by_block) else { return };
        self.add((kind, remedy, left.map(Group::Loop)), place, wasted * DATA_SPLITS, || format!("{what}: {why}"));
    }

    /// Considers work that all threads repeat.
    pub fn repeated(&mut self, work: &GridWork, place: Option<LineOf>) {
        let remedy = ("all threads compute the same", "compute it once, on the host");
        self.add((AdviceKind::Repeated, remedy, None), place, work.cycles, || work.what());
    }

    /// What is worth an advice, the most first.
    pub fn advice(self) -> Vec<Advice> {
        let total = self.costs.cycles.max(1.0);
        let mut found: Vec<Advice> = self.found.into_iter().map(Found::told).collect();
        for advice in &mut found {
            advice.share = (advice.cycles / total * 1000.0).round() / 1000.0;
            advice.cycles = advice.cycles.round();
        }
        found.retain(|advice| advice.share >= MIN_SHARE);
        found.sort_by(|a, b| b.cycles.total_cmp(&a.cycles).then_with(|| (&a.place, a.kind).cmp(&(&b.place, b.kind))));
        found
    }

    fn add(
        &mut self,
        (kind, (short, action), group): (AdviceKind, Remedy, Option<Group>),
        place: Option<LineOf>,
        cycles: f64,
        what: impl FnOnce() -> String,
    ) {
        let is_same = |known: &&mut Found| {
            known.advice.kind == kind
                && (known.advice.place == place && place.is_some() || known.group == group && group.is_some())
        };
        let Some(known) = self.found.iter_mut().find(is_same) else {
            let (short, action) = (short.to_owned(), action.to_owned());
            let advice = Advice { kind, place, what: what(), short, action, cycles, share: 0.0, copies: 1 };
            self.found.push(Found { advice, group, most: cycles, also: BTreeSet::new() });
            return;
        };
        match &group {
            // the body is wasted once, however many exits the loop has
            Some(Group::Loop(_)) if known.group == group => known.advice.cycles = known.advice.cycles.max(cycles),
            _ => known.advice.cycles += cycles,
        }
        known.advice.copies += 1;
        if cycles > known.most {
            known.most = cycles;
            (known.advice.short, known.advice.action) = (short.to_owned(), action.to_owned());
        }
        let Some(mut place) = place.filter(|place| known.advice.place.as_ref() != Some(place)) else { return };
        // the first line stands for all
        match &mut known.advice.place {
            Some(first) if place < *first => {
                std::mem::swap(first, &mut place);
                known.advice.what = what();
                known.also.insert(place);
            }
            Some(_) => _ = known.also.insert(place),
            none => *none = Some(place),
        }
    }

    /// Cycles of the blocks that only this way of a branch leads to.
    fn side(&self, branch: Block, first: Block) -> f64 {
        if self.facts.func.graph.preds(first).len() > 1 || first == branch {
            return 0.0;
        }
        let dominators = self.facts.dominators();
        let own = self.facts.func.blocks.keys().filter(|&block| dominators.dominates(first, block));
        own.map(|block| self.blocks[block.as_u32() as usize]).sum()
    }

    /// Whether a condition compares two values that are affine in the thread index, or would be if no index wrapped: all
    /// warps but those at the limit agree.
    fn is_limit(&self, condition: Value, at: Block) -> bool {
        let func = &self.facts.func;
        let Some(compare) = func.def(condition).filter(|&inst| func.insts[inst].opcode == Opcode::ICmp) else {
            return false;
        };
        let is_known = |&value: &Value| {
            let is_constant = func.constant(value).is_some() || func.as_param(value).is_some();
            is_constant || !matches!(self.facts.class(value), Class::Divergent) || has_form(self.facts, value, at)
        };
        func.operands(compare).iter().all(is_known)
    }
}

impl Found {
    /// The advice, which names its other lines.
    fn told(self) -> Advice {
        let mut advice = self.advice;
        let Some(first) = advice.place.as_ref().filter(|_| !self.also.is_empty()) else { return advice };
        let name = |place: &LineOf| match place.file == first.file {
            true => place.line.to_string(),
            false => format!("{}:{}", place.file, place.line),
        };
        let mut names: Vec<String> = self.also.iter().take(LINES).map(name).collect();
        if self.also.len() > LINES {
            names.push(format!("{} more", self.also.len() - LINES));
        }
        let word = if self.also.len() == 1 { "line" } else { "lines" };
        advice.what += &format!(" (the same on {word} {})", names.join(", "));
        advice
    }
}

/// Cycles that memory needs for one request, and the fewest that it could need.
fn memory_cycles(access: &WarpAccess) -> (f64, f64) {
    let sectors = |count: u32| f64::from(count) * GLOBAL_SECTOR;
    let fewest = (WARP_SIZE * access.bytes).div_ceil(32).max(1);
    match (access.space, access.cost, &access.pattern) {
        (Space::Global, Cost::Sectors { needed, ideal }, _) => (sectors(needed), sectors(ideal.min(needed))),
        (Space::Shared, Cost::BankWays(ways), _) => (f64::from(ways) * SHARED_PHASE, SHARED_PHASE),
        // all of local memory could be in registers
        (Space::Local, Cost::Sectors { needed, .. }, _) => (f64::from(needed) * LOCAL_SECTOR, 0.0),
        (Space::Local, ..) => (f64::from(WARP_SIZE) / 2.0 * LOCAL_SECTOR, 0.0),
        (Space::Global, Cost::None, Pattern::Unknown | Pattern::Symbolic { .. }) => {
            (sectors((fewest + WARP_SIZE) / 2), sectors(fewest))
        }
        _ => (0.0, 0.0),
    }
}
