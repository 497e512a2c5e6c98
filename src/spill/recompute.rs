//! Which values that wait in registers for a loop could be computed again inside it, from what is there anyway?
//!
//! 1. **Candidates** are values live into the header of a cycle that needs more registers than the budget allows, defined
//!    outside it by arithmetic that a GPU does in a cycle or two, and not operands of other candidates.
//! 2. **Chains.** A candidate is followed to its operands, one to [`MAX_DEPTH`] instructions deep. The chain ends at
//!    constants, arguments and what `ptxas` keeps in uniform registers (free), at values live into the cycle anyway, and
//!    at new *leaves*, which then live through the cycle in the candidate's stead: a row and a column for every sum of
//!    both, the thread's index for every multiple of it, and with it for affine values whose uniform rest is free.
//! 3. **Gain.** Candidates whose chains share an end stand and fall together. Of all depths the one whose components
//!    saves most is taken: registers gained, each worth [`SPILL_COST`] instructions at every use, less the instructions
//!    that are added. Once the cycle fits, only what adds no more than an instruction for a reload.
//!    A cycle is not looked into if all that could go would gain too little.
//! 4. **Hiding.** Both LLVM and `ptxas` would move the copies out of the loop again. So some leaf of each of them goes
//!    through a phi of the innermost cycle around the use that is changed in every iteration by nothing: `leaf ^ zero`, where
//!    `zero` is `ctaid.x >= nctaid.x`, which neither knows to be false. That costs one instruction an iteration. Where
//!    leaves are many, the zero itself goes through the phi, and into each leaf where it is used.
//!
//! `ptxas` recomputes by itself what is one or two instructions away from values it has; it stops where many values share
//! operands that are not live, or uniform parts are long. No memory is needed, so no launch bound is either.
//!
//! Source: Sampaio 2013, section 4.2, rules one and three; Briggs, Cooper and Torczon 1992 for rematerialisation.
//! Ours: leaves shared by components, the phi that hides them.

use super::object::block_weight;
use super::plan_victims::HEADROOM;
use super::pressure::{Held, Pressure};
use super::registers::Intrinsics;
use super::uses::{UseSite, reloads, uses_in};
use crate::cfg::Cycle;
use crate::divergence::Facts;
use crate::kernel::call::Callee;
use crate::kernel::entity::{Block, Inst, Value};
use crate::kernel::inst::Opcode;
use crate::kernel::types::TypeKind;
use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Longest chain that is followed from a candidate to its leaves.
const MAX_DEPTH: u32 = 6;
/// Most candidates of a cycle.
const MAX_CANDIDATES: usize = 256;
/// Most instructions of one candidate's chain.
const MAX_CHAIN: usize = 10;
/// Most cycles that are relieved, and most choices for one of them.
const MAX_CYCLES: usize = 8;
const MAX_CHOICES: usize = 4;
/// What a reload of a spilled register costs, in instructions.
const SPILL_COST: f64 = 3.0;
/// Most leaves that go through a phi each: `ptxas` would store those that it spills in every iteration.
const MAX_PHIS: usize = 8;
/// Registers that are worth the phi.
const LEAST_GAIN: u32 = 4;
/// Most instructions for a register where the cycle does not fit even so: a matrix product of 36 results a thread lost 7 %
/// with 28 of them.
const MOST_ADDED: u32 = 6;
/// Intrinsics that are one or two instructions.
static CHEAP_INTRINSICS: Intrinsics<12> = Intrinsics::new([
    "llvm.smin",
    "llvm.smax",
    "llvm.umin",
    "llvm.umax",
    "llvm.abs",
    "llvm.fma",
    "llvm.fmuladd",
    "llvm.fabs",
    "llvm.minnum",
    "llvm.maxnum",
    "llvm.fshl",
    "llvm.fshr",
]);

/// One value that is computed again.
#[derive(Clone, Debug)]
pub struct Again {
    pub def: Inst,
    /// What is computed again, operands first; the last is the definition itself.
    pub chain: Vec<Inst>,
    pub uses: Vec<UseSite>,
}

/// What is computed again in a kernel.
#[derive(Default)]
pub struct RecomputePlan {
    pub values: Vec<Again>,
    /// Leaves that are hidden, and the headers of the cycles where.
    pub hidden: BTreeSet<(Block, Value)>,
    /// They are so many that the zero goes through the phi, and not they.
    pub masked: bool,
    /// Largest pressure before and after, and the budget.
    pub before: u32,
    pub after: u32,
    pub budget: u32,
}

/// A candidate, followed to some depth.
#[derive(Clone)]
struct Chain {
    position: usize,
    values: Vec<Again>,
    /// Values it newly wants through the cycle.
    leaves: Vec<Value>,
    /// Values that are live through the cycle anyway and must stay so.
    kept: FxHashSet<usize>,
}

/// Candidates with ends in common.
struct Component {
    chains: Vec<Chain>,
    leaves: Vec<Value>,
    /// Reloads of registers that are not kept any more and instructions that are added, by how often they run.
    reloads: f64,
    added: f64,
    removed: u32,
    /// Registers gained.
    gain: u32,
}

impl Component {
    /// Reloads that are saved if no more than so many registers are wanted.
    fn saved(&self, excess: u32) -> f64 {
        self.reloads * f64::from(self.gain.min(excess)) / f64::from(self.removed.max(1))
    }
    /// Instructions that are saved.
    fn net(&self, excess: u32) -> f64 {
        SPILL_COST * self.saved(excess) - self.added
    }
}

/// Decides for one kernel.
pub fn plan(facts: &Facts, pressure: &Pressure, registers: u32) -> RecomputePlan {
    let mut plan = RecomputePlan { budget: registers, ..RecomputePlan::default() };
    let kernel = &facts.kernel;
    // without an iteration there is nothing to compute again in
    if facts.cfg().cycles.is_empty() {
        return plan;
    }
    let mut tight = pressure.of_cycles(facts);
    plan.before = tight.iter().map(|found| found.0).max().unwrap_or(0);
    tight.retain(|&(units, cycle)| units + pressure.reserve(facts, cycle) > registers);
    tight.sort_by_key(|&(units, cycle)| {
        (std::cmp::Reverse(units), std::cmp::Reverse(facts.cfg().cycles.depth(cycle)), cycle)
    });
    tight.truncate(MAX_CYCLES);
    if tight.is_empty() {
        return plan;
    }
    let held = pressure.everything();
    let hides: Rc<[bool]> = facts.cfg().cycles.iter().map(|cycle| can_hide(facts, cycle)).collect();
    let mut state = State { facts, pressure, hides, held, leaves: FxHashSet::default(), kept: FxHashSet::default() };
    let mut after = 0;
    for (_, cycle) in tight {
        let mut now = state.needs(cycle);
        if now + pressure.reserve(facts, cycle) > registers {
            let (at_first, kept) = (now, plan.values.len());
            let mut before = None;
            let half = at_first.saturating_sub(registers) / 2;
            let least = LEAST_GAIN.max(half);
            for _ in 0..MAX_CHOICES {
                // what is still missing of the least gain
                let starts = state.starts(cycle, least.saturating_sub(at_first.saturating_sub(now)));
                let chosen = state.choose(cycle, starts, now.saturating_sub(registers.saturating_sub(HEADROOM)));
                if chosen.is_empty() {
                    break;
                }
                before.get_or_insert_with(|| state.clone());
                for component in chosen {
                    for chain in component.chains {
                        pressure.take(facts, &mut state.held, chain.position);
                        state.kept.extend(chain.kept);
                        plan.values.extend(chain.values);
                    }
                    state.leaves.extend(component.leaves);
                }
                now = state.needs(cycle);
            }
            // half of what is too much, or the fewer registers are spilled anyway
            let instructions: usize = plan.values[kept..].iter().map(|again| again.chain.len()).sum();
            let is_dear = now > registers && instructions as u32 > MOST_ADDED * at_first.saturating_sub(now);
            if now + least > at_first || is_dear {
                state = before.unwrap_or(state);
                now = at_first;
                plan.values.truncate(kept);
            }
        }
        after = after.max(now);
    }
    plan.after = after;
    plan.hidden = hide(facts, pressure, &plan.values);
    plan.masked = plan.hidden.iter().map(|&(_, leaf)| leaf).collect::<FxHashSet<Value>>().len() > MAX_PHIS;
    debug_assert!(plan.values.iter().all(|again| kernel.insts[again.def].opcode != Opcode::Phi));
    plan
}

#[derive(Clone)]
struct State<'a> {
    facts: &'a Facts,
    pressure: &'a Pressure,
    /// By cycle: whether leaves can be hidden at its header.
    hides: Rc<[bool]>,
    held: Held,
    /// New leaves.
    leaves: FxHashSet<Value>,
    /// Positions that chains end at.
    kept: FxHashSet<usize>,
}

/// A register that might be computed again: its values that are wanted in or behind the cycle.
struct Start {
    position: usize,
    values: Vec<(Inst, Vec<UseSite>)>,
    /// The chain to the last depth that changed anything.
    chain: Option<Chain>,
    /// It ends where it does because of the depth.
    cut: bool,
}

impl State<'_> {
    fn needs(&mut self, cycle: Cycle) -> u32 {
        let more: u32 = self.leaves.iter().map(|&leaf| self.pressure.units(leaf)).sum();
        self.pressure.of_cycle(self.facts, cycle, &mut self.held) + more
    }

    /// The registers that are live into a cycle and could be computed again as far as their uses say; none where they are
    /// too many to look at, or too few to gain so many registers.
    fn starts(&self, cycle: Cycle, least: u32) -> Vec<Start> {
        let State { facts, pressure, .. } = *self;
        let cycles = &facts.cfg().cycles;
        let outside = |&value: &Value| {
            facts.kernel.def(value).filter(|&def| !cycles.contains(cycle, facts.kernel.insts[def].block))
        };
        let members = |position: usize| pressure.members(facts, position).iter().filter_map(outside);
        let (mut found, mut most) = (Vec::new(), 0);
        let live = pressure.numbers_into(facts, cycles.header(cycle));
        let certain =
            live.iter().filter(|&&at| !self.held.gone.contains(at) && outside(&pressure.crossing[at]).is_some());
        if certain.count() > MAX_CANDIDATES {
            return Vec::new();
        }
        for position in live {
            if self.held.gone.contains(position) || members(position).next().is_none() {
                continue;
            }
            found.push(position);
            if members(position).any(|def| is_cheap(facts, def)) {
                most += pressure.units(pressure.crossing[position]);
            }
        }
        if found.len() > MAX_CANDIDATES || most < least {
            return Vec::new();
        }
        let behind = pressure.behind(facts, cycle);
        let behind = |block: Block| behind.contains(block.index());
        found.retain(|position| !self.kept.contains(position));
        let units = |&position: &usize| pressure.units(pressure.crossing[position]);
        let mut most: u32 = found.iter().map(units).sum();
        found.retain(|&position| {
            let stays = most >= least && self.can_start(cycle, behind, members(position));
            most -= if stays { 0 } else { units(&position) };
            stays
        });
        if most < least {
            return Vec::new();
        }
        let start = |position: usize| {
            let reloads = |def: Inst| (def, reloads(facts, pressure, facts.kernel.result(def), behind));
            let values = members(position).map(reloads).filter(|(_, uses)| !uses.is_empty()).collect();
            Start { position, values, chain: None, cut: true }
        };
        found.into_iter().map(start).collect()
    }

    /// Whether the values of a register can be computed again where they are used, and any is.
    fn can_start(
        &self,
        cycle: Cycle,
        behind: impl Fn(Block) -> bool + Copy,
        members: impl Iterator<Item = Inst>,
    ) -> bool {
        let State { facts, .. } = *self;
        let header = facts.cfg().cycles.header(cycle);
        let mut any = false;
        for def in members {
            let value = facts.kernel.result(def);
            let home = facts.kernel.insts[def].block;
            let mut uses = uses_in(facts, value, behind).peekable();
            if self.leaves.contains(&value) {
                return false;
            }
            if uses.peek().is_some() {
                any = true;
                let cheap = is_cheap(facts, def);
                if !cheap || !uses.all(|(_, _, block)| self.can_stand_at(home, header, block)) {
                    return false;
                }
            }
        }
        any
    }

    /// Whether a copy in `block` can be kept from moving out: a hidden leaf reaches it.
    fn can_stand_at(&self, home: Block, header: Block, block: Block) -> bool {
        match place(self.facts, home, block) {
            Some(cycle) => self.hides[cycle.index()],
            None => self.facts.dominators().dominates(header, block),
        }
    }

    /// The components of the depth that saves most in a cycle: until `excess` registers are gained those that save anything,
    /// then those that add no more than an instruction for a reload.
    fn choose(&self, cycle: Cycle, mut starts: Vec<Start>, excess: u32) -> Vec<Component> {
        let header = self.facts.cfg().cycles.header(cycle);
        let mut best: (f64, Vec<Component>) = (0.0, Vec::new());
        for depth in 1..=MAX_DEPTH {
            // deeper chains are the same
            if !starts.iter().any(|start| start.cut) {
                break;
            }
            for start in starts.iter_mut().filter(|start| start.cut) {
                let (position, chain) = (start.position, Vec::new());
                let (leaves, kept) = (Vec::new(), FxHashSet::default());
                let mut walk = Walk { state: self, header, position, chain, entered: 0, leaves, kept, cut: false };
                start.chain = walk.follow_all(&start.values, depth);
                start.cut = walk.cut;
            }
            let mut chains: Vec<Chain> = starts.iter().filter_map(|start| start.chain.clone()).collect();
            // what another chain ends at stays
            let ends: FxHashSet<usize> = chains.iter().flat_map(|chain| chain.kept.iter().copied()).collect();
            chains.retain(|chain| !ends.contains(&chain.position));
            let mut found: Vec<Component> =
                components(chains).into_iter().map(|chains| self.judge(header, chains)).collect();
            found.sort_by(|a, b| b.net(u32::MAX).total_cmp(&a.net(u32::MAX)));
            let (mut net, mut left, mut chosen) = (0.0, excess, Vec::new());
            for component in found {
                let cheap = component.added <= component.saved(u32::MAX);
                let saves = component.net(if cheap { u32::MAX } else { left });
                if component.gain > 0 && saves > 0.0 {
                    net += saves;
                    left = left.saturating_sub(component.gain);
                    chosen.push(component);
                }
            }
            if net > best.0 {
                best = (net, chosen);
            }
        }
        best.1
    }

    fn judge(&self, header: Block, chains: Vec<Chain>) -> Component {
        let facts = self.facts;
        let leaves: BTreeSet<Value> = chains.iter().flat_map(|chain| chain.leaves.iter().copied()).collect();
        let lost: u32 = leaves.iter().map(|&leaf| self.pressure.units(leaf)).sum();
        let removed: u32 = chains.iter().map(|chain| self.pressure.units(self.pressure.crossing[chain.position])).sum();
        let gain = removed.saturating_sub(lost);
        let (mut reloads, mut added, mut made) = (0.0, 0.0, FxHashSet::default());
        for again in chains.iter().flat_map(|chain| &chain.values) {
            let units = f64::from(self.pressure.units(facts.kernel.result(again.def)).max(1));
            let blocks: BTreeSet<Block> = again.uses.iter().map(|site| site.block).collect();
            for block in blocks {
                let weight = block_weight(facts, block);
                reloads += weight * units;
                let fresh = again.chain.iter().filter(|&&inst| made.insert((inst, block)));
                added += weight * fresh.map(|&inst| cost(facts, inst)).sum::<f64>();
            }
        }
        // what hides the leaves
        added += block_weight(facts, header) * (1.0 + leaves.len() as f64 / 2.0);
        Component { chains, leaves: leaves.into_iter().collect(), reloads, added, removed, gain }
    }
}

/// Follows the values of one register.
struct Walk<'a> {
    state: &'a State<'a>,
    header: Block,
    position: usize,
    chain: Vec<Inst>,
    /// Instructions that are in the chain or will be.
    entered: usize,
    leaves: Vec<Value>,
    kept: FxHashSet<usize>,
    /// Whether more depth could lead further.
    cut: bool,
}

impl Walk<'_> {
    /// The chains of all values that share the register, if all can be followed.
    fn follow_all(&mut self, starts: &[(Inst, Vec<UseSite>)], depth: u32) -> Option<Chain> {
        let facts = self.state.facts;
        let mut values = Vec::new();
        for (def, uses) in starts {
            self.chain.clear();
            self.entered = 0;
            self.follow(*def, depth)?;
            values.push(Again { def: *def, chain: self.chain.clone(), uses: uses.clone() });
        }
        self.leaves.sort_unstable();
        self.leaves.dedup();
        if values.iter().any(|again| still(facts, self.state.pressure, again, &FxHashSet::default()).is_none()) {
            return None;
        }
        let (leaves, kept) = (std::mem::take(&mut self.leaves), std::mem::take(&mut self.kept));
        Some(Chain { position: self.position, values, leaves, kept })
    }

    fn follow(&mut self, inst: Inst, depth: u32) -> Option<()> {
        let facts = self.state.facts;
        let kernel = &facts.kernel;
        if !is_cheap(facts, inst) {
            return None;
        }
        if self.chain.contains(&inst) {
            return Some(());
        }
        self.entered += 1;
        if self.entered > MAX_CHAIN {
            // less may be as far as more depth leads
            self.cut = true;
            return None;
        }
        for &operand in kernel.operands(inst) {
            if is_free(self.state, operand) {
                continue;
            }
            let def = kernel.def(operand)?;
            let register = self.state.pressure.register_of(operand);
            let position = self.state.pressure.position(register);
            let is_predicate = self.state.pressure.units(operand) == 0;
            if position == Some(self.position) || is_predicate {
                self.follow(def, depth)?;
                continue;
            }
            let live = position.filter(|&position| self.state.pressure.is_live_into(facts, self.header, position));
            match live {
                Some(position) if !self.state.held.gone.contains(position) => {
                    self.kept.insert(position);
                }
                _ if self.state.leaves.contains(&operand) => {}
                _ if depth > 1 && is_cheap(facts, def) => self.follow(def, depth - 1)?,
                _ => {
                    self.cut |= depth <= 1 && is_cheap(facts, def);
                    self.leaves.push(operand);
                }
            }
        }
        self.chain.push(inst);
        Some(())
    }
}

/// Needs no register: a constant, an argument, what is in uniform registers.
fn is_free(state: &State<'_>, value: Value) -> bool {
    let is_predicate = state.facts.kernel.int_bits(value) == Some(1);
    state.facts.kernel.def(value).is_none() || (state.pressure.units(value) == 0 && !is_predicate)
}

/// Whether leaves can go through a phi at the header of a cycle.
fn can_hide(facts: &Facts, cycle: Cycle) -> bool {
    let cycles = &facts.cfg().cycles;
    let header = cycles.header(cycle);
    cycles.is_reducible(cycle)
        && facts.kernel.graph.preds(header).iter().all(|&from| {
            let terminator = facts.kernel.terminator(from);
            let once = facts.kernel.graph.succs(from).iter().filter(|&&to| to == header).count() == 1;
            once && matches!(facts.kernel.insts[terminator].opcode, Opcode::Br | Opcode::CondBr)
        })
}

/// The cycle whose header hides the leaves of a copy in `block`: the innermost, unless the value is defined in it.
fn place(facts: &Facts, home: Block, block: Block) -> Option<Cycle> {
    let cycles = &facts.cfg().cycles;
    cycles.cycle_of(block).filter(|&cycle| !cycles.contains(cycle, home))
}

/// Leaves of which one must be hidden next so that the first part of a chain that could still move cannot: none left
/// where no part can move, `None` where some part has no leaf that can be hidden.
fn still(facts: &Facts, pressure: &Pressure, again: &Again, hidden: &FxHashSet<Value>) -> Option<Vec<Value>> {
    let kernel = &facts.kernel;
    let mut fixed: FxHashSet<Inst> = FxHashSet::default();
    let mut first: Option<Vec<Value>> = None;
    for &inst in &again.chain {
        let operands = kernel.operands(inst);
        let within = |value: Value| kernel.def(value).filter(|def| again.chain.contains(def));
        let follows = |&value: &Value| hidden.contains(&value) || within(value).is_some_and(|def| fixed.contains(&def));
        let leaf =
            |value: &Value| within(*value).is_none() && kernel.def(*value).is_some() && pressure.units(*value) > 0;
        if operands.iter().any(follows) {
            fixed.insert(inst);
            continue;
        }
        let can_hide = |value: &Value| {
            matches!(kernel.type_info(*value).kind, TypeKind::Int(8 | 16 | 32 | 64) | TypeKind::Float(32 | 64))
        };
        let leaves: Vec<Value> = operands.iter().copied().filter(leaf).filter(can_hide).collect();
        if leaves.is_empty() {
            // what follows from free values alone may stand anywhere, unless it is all there is
            if inst == again.def || operands.iter().any(leaf) {
                return None;
            }
        } else {
            // as if it were hidden, to see that all parts can be
            fixed.insert(inst);
            first.get_or_insert(leaves);
        }
    }
    Some(first.unwrap_or_default())
}

/// Where leaves go through a phi: as few of them as keep every part of every chain in its place.
fn hide(facts: &Facts, pressure: &Pressure, values: &[Again]) -> BTreeSet<(Block, Value)> {
    let mut chosen: FxHashSet<Value> = FxHashSet::default();
    loop {
        let mut votes: BTreeMap<Value, usize> = BTreeMap::new();
        for again in values {
            for leaf in still(facts, pressure, again, &chosen).unwrap_or_default() {
                *votes.entry(leaf).or_default() += 1;
            }
        }
        let most = votes.into_iter().max_by_key(|&(leaf, votes)| (votes, std::cmp::Reverse(leaf)));
        let Some((leaf, _)) = most else { break };
        chosen.insert(leaf);
    }
    let mut hidden = BTreeSet::new();
    for again in values {
        let home = facts.kernel.insts[again.def].block;
        let operands = again.chain.iter().flat_map(|&inst| facts.kernel.operands(inst));
        for &leaf in operands.filter(|operand| chosen.contains(operand)) {
            for cycle in again.uses.iter().filter_map(|site| place(facts, home, site.block)) {
                hidden.insert((facts.cfg().cycles.header(cycle), leaf));
            }
        }
    }
    hidden
}

/// Computed by a GPU in a few cycles, from operands alone, without a trap.
fn is_cheap(facts: &Facts, inst: Inst) -> bool {
    use Opcode::*;
    let kernel = &facts.kernel;
    let plain = |value: Value| {
        matches!(kernel.type_info(value).kind, TypeKind::Int(1 | 8 | 16 | 32 | 64) | TypeKind::Float(16 | 32))
    };
    match kernel.insts[inst].opcode {
        Gep => {
            let base = kernel.operands(inst)[0];
            kernel.def(base).is_none() && kernel.gep(inst).terms.len() < 2
        }
        Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | ICmp | Select | Trunc | ZExt | SExt | BitCast | FNeg
        | FAdd | FSub | FMul => plain(kernel.result(inst)) && kernel.operands(inst).iter().all(|&value| plain(value)),
        Call => match kernel.call(inst).callee {
            Callee::Intrinsic(id) => {
                CHEAP_INTRINSICS.contains(id)
                    && plain(kernel.result(inst))
                    && kernel.operands(inst).iter().all(|&value| plain(value))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Instructions of the machine, roughly.
fn cost(facts: &Facts, inst: Inst) -> f64 {
    use Opcode::*;
    let wide = facts.kernel.int_bits(facts.kernel.result(inst)) == Some(64);
    match facts.kernel.insts[inst].opcode {
        ZExt | Trunc | BitCast => 0.0,
        SExt => 0.5,
        Call | Select => 1.5,
        _ if wide => 2.0,
        _ => 1.0,
    }
}

fn components(chains: Vec<Chain>) -> Vec<Vec<Chain>> {
    let mut owner: FxHashMap<Result<Value, usize>, usize> = FxHashMap::default();
    let mut parent: Vec<usize> = (0..chains.len()).collect();
    fn find(parent: &mut [usize], mut index: usize) -> usize {
        while parent[index] != index {
            parent[index] = parent[parent[index]];
            index = parent[index];
        }
        index
    }
    for (index, chain) in chains.iter().enumerate() {
        for end in chain.leaves.iter().copied().map(Ok).chain(chain.kept.iter().copied().map(Err)) {
            let first = *owner.entry(end).or_insert(index);
            let (a, b) = (find(&mut parent, first), find(&mut parent, index));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut found: BTreeMap<usize, Vec<Chain>> = BTreeMap::new();
    for (index, chain) in chains.into_iter().enumerate() {
        found.entry(find(&mut parent, index)).or_default().push(chain);
    }
    found.into_values().collect()
}
