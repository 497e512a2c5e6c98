//! Which values that are kept in registers across a loop could be rematerialised inside it from values that are
//! available anyway?
//!
//! 1. **Candidates** are values live into the header of a cycle that needs more registers than the budget allows. They
//!    are defined outside it by arithmetic that a GPU executes in a cycle or two, and are not operands of other
//!    candidates.
//! 2. **Chains.** A candidate is followed to its operands, one to [`REMAT_MAX_DEPTH`] instructions deep. The chain ends at
//!    constants, arguments and what `ptxas` keeps in uniform registers (free), at values live into the cycle anyway,
//!    and at new *leaves*, which are then live through the cycle in place of the candidate: a row and a column for all
//!    sums of the two, the thread's index for all its multiples and for affine values whose uniform rest is free.
//! 3. **Gain.** Candidates whose chains share an end form a component, which is rematerialised as a whole or not at
//!    all. The depth whose components save most is chosen: registers gained, each worth [`SPILL_RELOAD`] instructions
//!    at every use, less the instructions added. Once the cycle fits, only components that add at most one instruction
//!    for each reload are taken. A cycle is not examined if all its candidates together would gain too little.
//! 4. **Hiding.** Both LLVM and `ptxas` would move the copies out of the loop again. Some leaf of each copy is
//!    therefore passed through a phi of the innermost cycle around the use, and every iteration applies an operation to
//!    it that changes nothing: `leaf ^ zero`, where `zero` is `ctaid.x >= nctaid.x`, which neither of them knows to be
//!    false. This costs one instruction per iteration. If there are many leaves, the zero itself is passed through the
//!    phi and combined with each leaf where the leaf is used.
//!
//! `ptxas` itself recomputes what is one or two instructions away from available values, but not if many values share
//! operands that are not live, or if uniform parts are long. No memory is needed, and therefore no launch bound.
//!
//! Source: Sampaio 2013, section 4.2, rules one and three; Briggs, Cooper and Torczon 1992 for rematerialisation. Ours:
//! leaves shared by components, and the phi that hides them.

use super::candidates::{Available, Member, Memo, RematCandidate, RematRegister, RematValue};
use super::hide::{hide, place};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use warpwise_analysis::cfg::Cycle;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::prices::{
    FREE_FOR_LOADS, REMAT_MAX_ADDED, REMAT_MAX_DEPTH, REMAT_MAX_PHIS, REMAT_MIN_GAIN, SPILL_RELOAD,
};
use warpwise_analysis::pressure::uses::{each_use, reloads};
use warpwise_analysis::pressure::{Held, Pressure};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;

/// Maximum number of candidates of a cycle.
const MAX_CANDIDATES: usize = 256;
/// Maximum number of cycles that are relieved, and of choices for one of them.
const MAX_CYCLES: usize = 8;
const MAX_CHOICES: usize = 4;

/// What is rematerialised in a kernel.
#[derive(Default)]
pub struct RematPlan {
    pub values: Vec<RematValue>,
    /// Leaves that are hidden, each with the header of the cycle in which it is.
    pub hidden: BTreeSet<(Block, Value)>,
    /// There are so many leaves that the zero goes through the phi instead of them.
    pub masked: bool,
    /// Largest pressure before and after, and the budget; all in registers.
    pub before: u32,
    pub after: u32,
    pub budget: u32,
}

/// Candidates whose chains have ends in common.
struct Component {
    /// Their positions among the chains that were followed.
    range: std::ops::Range<usize>,
    /// Reloads of registers that are no longer kept, and added instructions; both weighted by how often they run.
    reloads: f64,
    added: f64,
    removed: u32,
    /// Registers gained.
    gain: u32,
}

impl Component {
    /// Reloads saved if at most `excess` registers are needed.
    fn saved(&self, excess: u32) -> f64 {
        self.reloads * f64::from(self.gain.min(excess)) / f64::from(self.removed.max(1))
    }
    /// Instructions saved, weighted by how often they run.
    fn net(&self, excess: u32) -> f64 {
        SPILL_RELOAD * self.saved(excess) - self.added
    }
}

/// Decides for one kernel. `registers` is the budget.
pub fn plan(outline: &Outline, frequencies: &Frequencies<'_>, pressure: &Pressure, registers: u32) -> RematPlan {
    let mut plan = RematPlan { budget: registers, ..RematPlan::default() };
    let func = &outline.func;
    // values are only rematerialised in loops
    if outline.cfg().cycles.is_empty() {
        return plan;
    }
    let mut tight = pressure.of_cycles(outline);
    plan.before = tight.iter().map(|found| found.0).max().unwrap_or(0);
    tight.retain(|&(units, cycle)| units + pressure.reserve(outline, cycle) > registers);
    tight.sort_by_key(|&(units, cycle)| {
        (std::cmp::Reverse(units), std::cmp::Reverse(outline.cfg().cycles.depth(cycle)), cycle)
    });
    tight.truncate(MAX_CYCLES);
    if tight.is_empty() {
        return plan;
    }
    let held = pressure.everything();
    let known = Memo::new(outline, pressure);
    let mut state = Selection {
        outline,
        frequencies,
        pressure,
        known: &known,
        held,
        leaves: FxHashSet::default(),
        kept: FxHashSet::default(),
    };
    let mut after = 0;
    for (_, cycle) in tight {
        let mut now = state.needs(cycle);
        if now + pressure.reserve(outline, cycle) > registers {
            let (at_first, kept) = (now, plan.values.len());
            let mut before = None;
            let half = at_first.saturating_sub(registers) / 2;
            let least = REMAT_MIN_GAIN.max(half);
            for _ in 0..MAX_CHOICES {
                // the part of the least gain that is still missing
                let starts = state.starts(cycle, least.saturating_sub(at_first.saturating_sub(now)));
                let chosen = state.choose(cycle, starts, now.saturating_sub(registers.saturating_sub(FREE_FOR_LOADS)));
                if chosen.is_empty() {
                    break;
                }
                before.get_or_insert_with(|| state.clone());
                for picked in chosen {
                    pressure.take(outline, &mut state.held, picked.position);
                    state.kept.extend(picked.kept);
                    plan.values.extend(picked.values);
                    state.leaves.extend(picked.leaves);
                }
                now = state.needs(cycle);
            }
            // at least half of the excess must go, or the fewer registers are spilled anyway
            let instructions: usize = plan.values[kept..].iter().map(|remat| remat.chain.len()).sum();
            let is_dear = now > registers && instructions as u32 > REMAT_MAX_ADDED * at_first.saturating_sub(now);
            if now + least > at_first || is_dear {
                state = before.unwrap_or(state);
                now = at_first;
                plan.values.truncate(kept);
            }
        }
        after = after.max(now);
    }
    plan.after = after;
    plan.hidden = hide(outline, pressure, &plan.values);
    plan.masked = plan.hidden.iter().map(|&(_, leaf)| leaf).collect::<FxHashSet<Value>>().len() > REMAT_MAX_PHIS;
    debug_assert!(plan.values.iter().all(|remat| func.insts[remat.def].opcode != Opcode::Phi));
    plan
}

#[derive(Clone)]
struct Selection<'a, 'm> {
    outline: &'a Outline,
    frequencies: &'a Frequencies<'m>,
    pressure: &'a Pressure,
    known: &'a Memo,
    held: Held,
    /// New leaves.
    leaves: FxHashSet<Value>,
    /// Positions at which chains end.
    kept: FxHashSet<usize>,
}

impl Selection<'_, '_> {
    fn needs(&mut self, cycle: Cycle) -> u32 {
        let more: u32 = self.leaves.iter().map(|&leaf| self.pressure.units(leaf)).sum();
        self.pressure.of_cycle(self.outline, cycle, &mut self.held) + more
    }

    /// The registers that are live into a cycle and, as far as their uses show, could be rematerialised. None if they
    /// are too many to examine, or too few to gain `least` registers.
    fn starts(&self, cycle: Cycle, least: u32) -> Vec<RematCandidate> {
        let Selection { outline, frequencies, pressure, .. } = *self;
        let cycles = &outline.cfg().cycles;
        let outside = |&value: &Value| {
            outline.func.def(value).filter(|&def| !cycles.contains(cycle, outline.func.insts[def].block))
        };
        let members = |position: usize| pressure.members(outline, position).iter().filter_map(outside);
        let (mut found, mut most, mut count) = (Vec::new(), 0, 0);
        let live = pressure.numbers_into(outline, cycles.header(cycle));
        let many = live.len() > MAX_CANDIDATES;
        let live = || live.iter().map(|&number| number as usize);
        let certain = live().filter(|&at| !self.held.gone.contains(at) && outside(&pressure.crossing[at]).is_some());
        if many && certain.count() > MAX_CANDIDATES {
            return Vec::new();
        }
        for position in live() {
            if self.held.gone.contains(position) || members(position).next().is_none() {
                continue;
            }
            count += 1;
            // a value that cannot be rematerialised is live because it is needed
            if members(position).any(|def| self.known.is_cheap(outline, def)) {
                most += pressure.units(pressure.crossing[position]);
                found.push(position);
            }
        }
        if count > MAX_CANDIDATES || most < least {
            return Vec::new();
        }
        let behind = pressure.behind(outline, cycle);
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
            let member = |def: Inst| {
                let uses = reloads(outline, outline.func.result(def), behind);
                let mut blocks: SmallVec<[Block; 4]> = uses.iter().map(|site| site.block).collect();
                blocks.sort_unstable();
                blocks.dedup();
                let blocks = blocks.into_iter().map(|block| (block, frequencies.of(block))).collect();
                Member { def, uses, blocks }
            };
            RematCandidate::new(
                position,
                members(position).map(member).filter(|member| !member.uses.is_empty()).collect(),
            )
        };
        found.into_iter().map(start).collect()
    }

    /// Whether the values of a register can be rematerialised where they are used, and whether any is used.
    fn can_start(
        &self,
        cycle: Cycle,
        behind: impl Fn(Block) -> bool + Copy,
        members: impl Iterator<Item = Inst>,
    ) -> bool {
        let Selection { outline, .. } = *self;
        let header = outline.cfg().cycles.header(cycle);
        let mut any = false;
        for def in members {
            let value = outline.func.result(def);
            let home = outline.func.insts[def].block;
            if self.leaves.contains(&value) {
                return false;
            }
            let cheap = self.known.is_cheap(outline, def);
            // uses in the same block follow one another
            let mut fine = None;
            let stands = each_use(outline, value, behind, |_, _, block| {
                any = true;
                cheap && (fine == Some(block) || self.can_stand_at(home, header, block)) && {
                    fine = Some(block);
                    true
                }
            });
            if !stands {
                return false;
            }
        }
        any
    }

    /// Whether a copy in `block` can be kept from moving out, since a hidden leaf reaches it.
    fn can_stand_at(&self, home: Block, header: Block, block: Block) -> bool {
        match place(self.outline, home, block) {
            Some(cycle) => self.known.hides[cycle.index()],
            None => self.outline.dominators().dominates(header, block),
        }
    }

    /// The components of the depth that saves most in a cycle: those that save anything until `excess` registers are
    /// gained, then those that add at most one instruction for each reload.
    fn choose(&self, cycle: Cycle, mut starts: Vec<RematCandidate>, excess: u32) -> Vec<RematRegister> {
        let Selection { outline, pressure, .. } = *self;
        let header = outline.cfg().cycles.header(cycle);
        let mut best: (f64, Vec<RematRegister>) = (0.0, Vec::new());
        let mut ends = FixedBitSet::with_capacity(pressure.crossing.len());
        let mut buffers = Buffers::default();
        let mut live = FixedBitSet::with_capacity(pressure.crossing.len());
        live.extend(pressure.numbers_into(outline, header).iter().map(|&number| number as usize));
        live.difference_with(&self.held.gone);
        let available = Available { outline, pressure, known: self.known, live: &live, leaves: &self.leaves };
        for depth in 1..=REMAT_MAX_DEPTH {
            // deeper chains are the same
            if !starts.iter().any(|start| start.cut) {
                break;
            }
            starts.iter_mut().filter(|start| start.cut).for_each(|start| start.follow(&available, depth));
            // a value at which another chain ends stays
            ends.clear();
            let whole = || starts.iter().filter(|start| start.whole);
            whole().for_each(|start| ends.extend(start.kept.iter().copied()));
            let chains: Vec<&RematCandidate> = whole().filter(|start| !ends.contains(start.position)).collect();
            let chains = self.components(chains, &mut buffers);
            let mut found: Vec<Component> = Vec::with_capacity(buffers.components.len());
            for range in buffers.components.drain(..) {
                found.push(self.judge(header, &chains, range, &mut buffers.leaves, &mut buffers.made));
            }
            found.sort_by(|a, b| b.net(u32::MAX).total_cmp(&a.net(u32::MAX)));
            let (mut net, mut left) = (0.0, excess);
            found.retain(|component| {
                let cheap = component.added <= component.saved(u32::MAX);
                let saves = component.net(if cheap { u32::MAX } else { left });
                let takes = component.gain > 0 && saves > 0.0;
                if takes {
                    net += saves;
                    left = left.saturating_sub(component.gain);
                }
                takes
            });
            if net > best.0 {
                let chosen = found.iter().flat_map(|component| &chains[component.range.clone()]);
                best = (net, chosen.map(|start| start.pick()).collect());
            }
        }
        best.1
    }

    /// Chains in the order of their components; a component is in the place of its first chain.
    fn components<'s>(&self, chains: Vec<&'s RematCandidate>, buffers: &mut Buffers) -> Vec<&'s RematCandidate> {
        fn find(parent: &mut [u32], mut index: u32) -> u32 {
            while parent[index as usize] != index {
                parent[index as usize] = parent[parent[index as usize] as usize];
                index = parent[index as usize];
            }
            index
        }
        let mut owners = self.known.owners.borrow_mut();
        let values = self.outline.func.value_count();
        let ends = |start: &'s RematCandidate| {
            let leaves = start.leaves.iter().map(|leaf| leaf.index());
            leaves.chain(start.kept.iter().map(move |position| values + position))
        };
        let parent = &mut buffers.parent;
        parent.clear();
        parent.extend(0..chains.len() as u32);
        for (index, start) in (0u32..).zip(&chains) {
            for end in ends(start) {
                let owner = &mut owners[end];
                if *owner == 0 {
                    *owner = index + 1;
                    continue;
                }
                let (a, b) = (find(parent, *owner - 1), find(parent, index));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        chains.iter().flat_map(|start| ends(start)).for_each(|end| owners[end] = 0);
        // the first chain of a component represents it
        let mut order: Vec<(u32, &RematCandidate)> = Vec::with_capacity(chains.len());
        order.extend((0u32..).zip(&chains).map(|(index, &start)| (find(parent, index), start)));
        order.sort_by_key(|found| found.0);
        let mut first = 0;
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            buffers.components.push(first..first + same.len());
            first += same.len();
        }
        order.into_iter().map(|found| found.1).collect()
    }

    fn judge(
        &self,
        header: Block,
        chains: &[&RematCandidate],
        range: std::ops::Range<usize>,
        leaves: &mut Vec<Value>,
        made: &mut Vec<(Inst, Block, f64)>,
    ) -> Component {
        let Selection { outline, pressure, known, .. } = *self;
        let chains = &chains[range.clone()];
        leaves.clear();
        leaves.extend(chains.iter().flat_map(|start| &start.leaves));
        leaves.sort_unstable();
        leaves.dedup();
        let lost: u32 = leaves.iter().map(|&leaf| pressure.units(leaf)).sum();
        let removed: u32 = chains.iter().map(|start| pressure.units(pressure.crossing[start.position])).sum();
        let gain = removed.saturating_sub(lost);
        let (mut reloads, mut added) = (0.0, 0.0);
        made.clear();
        for (member, chain) in chains.iter().flat_map(|start| start.chains()) {
            let units = f64::from(pressure.units(outline.func.result(member.def)).max(1));
            for &(block, weight) in &member.blocks {
                reloads += weight * units;
                made.extend(chain.iter().map(|&inst| (inst, block, weight)));
            }
        }
        // what several chains need in a block is computed there once
        if chains.len() > 1 || chains.iter().any(|start| start.members.len() > 1) {
            made.sort_unstable_by_key(|&(inst, block, _)| (inst, block));
            made.dedup_by_key(|&mut (inst, block, _)| (inst, block));
        }
        added += made.iter().map(|&(inst, _, weight)| weight * known.cost(outline, inst)).sum::<f64>();
        // the instructions that hide the leaves
        added += self.frequencies.of(header) * (1.0 + leaves.len() as f64 / 2.0);
        Component { range, reloads, added, removed, gain }
    }
}

/// Lists that are reused.
#[derive(Default)]
struct Buffers {
    parent: Vec<u32>,
    components: Vec<std::ops::Range<usize>>,
    leaves: Vec<Value>,
    made: Vec<(Inst, Block, f64)>,
}
