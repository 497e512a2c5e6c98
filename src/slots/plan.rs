//! Which values leave registers in loops that have too many, and where do they go?
//!
//! 1. While some cycle needs more registers than the budget allows: its candidates are the values live into its header
//!    and defined outside it, ranked by cost over units until the cycle fits.
//! 2. **Where to.** A value all lanes agree on goes to one slot per warp; another to one slot per thread. Values that
//!    `ptxas` recomputes or keeps in uniform registers by itself are no candidates (they have no units), nor are
//!    pointers: a pointer that was in memory has lost its address space.
//!    An integer `Σ c·tid + u` with known `c` and a `u` that the warp agrees on goes there as `u`; the sum is added
//!    back at the use, from a register that all values in slots with the same sum share (so there must be two of them).
//!    A slot per thread is for values that are stored once: one that a loop around defines again (a sum of it) is
//!    stored as often as `ptxas` would spill it, by which shared memory, used by the kernel itself as well, is no
//!    faster.
//! 3. **Soundness of a slot per warp.** Every lane stores the value right after its definition and loads it only where
//!    the definition dominates, so it finds its own store or that of another lane of the same dynamic instance, which is
//!    the same value. Where the definition is executed once per launch that is all. Inside a cycle the next instance
//!    overwrites the slot: its block must be warp-convergent and waits for the warp (`bar.warp.sync`) before the stores,
//!    and every use must still be uniform where it stands.
//! 4. **Uses.** Those that a path from the header of a relieved cycle leads to are reloaded; the others, in the block of
//!    the definition or between it and the loop, keep the register, which is dead by the time the loop is entered.
//! 5. **Groups.** Slots are ordered by their first use in the hottest block, four words or two double words to a group
//!    of 16 bytes, so that neighbouring uses share one load. A group is defined in one block: a wide load must not
//!    touch a neighbour that another lane has yet to store.
//!
//! Source: Sampaio 2013, section 4.2, table of rewriting rules, rules two and four; the thread slots are the baseline
//! rule moved to shared memory. Ours: loop-pressure instead of a linear scan, groups, slots rewritten in loops.

use super::candidates::{
    CandidateKind, GROUP_BYTES, GroupKey, Linear, Pools, SlotCandidate, SlotOwner, candidate, traits,
};
use crate::settings::SpillCandidates;
use crate::shared_memory::budget::SharedBudget;
use crate::shared_memory::layout;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::prices::{
    FREE_FOR_LOADS, FREE_FOR_LOADS_BESIDE_WARP_SLOTS, LOADS_IN_FLIGHT, MANY_LOADS, SURE_TO_SPILL,
};
use warpwise_analysis::pressure::over_budget::{Needs, Tight, worst};
use warpwise_analysis::pressure::uses::{UseSite, reloads};
use warpwise_analysis::pressure::{Held, Pressure};
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::inst::Opcode;

/// Most cycles that are relieved.
const MAX_CYCLES: u32 = 16;

/// One value that leaves its register.
#[derive(Clone, Debug)]
pub struct Spilled {
    pub def: Inst,
    pub owner: SlotOwner,
    /// Bytes of the slot, 4 or 8.
    pub bytes: u64,
    /// The store waits for the warp.
    pub rewritten: bool,
    pub uses: Vec<UseSite>,
    /// Which of [`SlotPlan::linears`] is taken off before the store and added after the load.
    pub linear: Option<usize>,
    /// Group and byte offset inside it.
    pub group: usize,
    pub offset: u64,
}

/// Slots that are loaded together.
#[derive(Clone, Debug)]
pub struct Group {
    pub owner: SlotOwner,
    /// Byte offset of the group among those of its owner, for one copy.
    pub start: u64,
}

/// What goes to slots in a kernel, and where.
#[derive(Default)]
pub struct SlotPlan {
    pub values: Vec<Spilled>,
    pub groups: Vec<Group>,
    pub linears: Vec<Linear>,
    /// Bytes of one warp's row and of one thread's slots.
    pub warp_row: u64,
    pub thread_size: u64,
    /// Largest pressure before and after, and the budget; in registers.
    pub before: u32,
    pub after: u32,
    pub budget: u32,
}

impl SlotPlan {
    /// The blocks that get a store or a load.
    pub fn touched(&self, outline: &Outline) -> FxHashSet<Block> {
        let stores = self.values.iter().map(|value| outline.func.insts[value.def].block);
        stores.chain(self.values.iter().flat_map(|value| &value.uses).map(|site| site.block)).collect()
    }

    /// Bytes of shared memory for a block.
    pub fn bytes(&self, threads: u32) -> u64 {
        let warp = if self.warp_row > 0 { layout::warp_bytes(self.warp_row, threads) } else { 0 };
        let thread =
            if self.thread_size > 0 { layout::thread_bytes(self.thread_size, GROUP_BYTES, threads) } else { 0 };
        warp + thread
    }
}

/// Decides for one kernel; takes what it needs from the shared memory.
pub fn plan(
    facts: &Facts,
    frequencies: &Frequencies<'_>,
    pressure: &Pressure,
    needs: &Needs,
    allowed: SpillCandidates,
    room: &mut SharedBudget,
) -> SlotPlan {
    // easing one cycle never burdens another: what fits at first fits at last
    let registers = needs.registers;
    let limit = registers.saturating_sub(LOADS_IN_FLIGHT);
    let mut plan = SlotPlan { budget: registers, before: needs.most, ..SlotPlan::default() };
    let mut tight = needs.tight();
    let (mut chosen, mut pools, mut held) = (Chosen::default(), Pools::default(), pressure.everything());
    for _ in 0..MAX_CYCLES {
        let Some(tight) = worst(facts, pressure, &mut tight, &mut held, chosen.list.len()) else { break };
        let units = tight.units;
        let reserve = pressure.reserve(facts, tight.cycle);
        if units + reserve <= registers {
            break;
        }
        tight.is_relieved = true;
        let reached = pressure.behind(facts, tight.cycle);
        let (held, chosen, pools) = (&mut held, &mut chosen, &mut pools);
        let mut relief = Relief {
            facts,
            frequencies,
            pressure,
            tight,
            reached,
            allowed,
            room,
            held,
            chosen,
            pools,
            found: [None, None],
        };
        if !relief.nearly_fits(registers) {
            relief.choose(
                CandidateKind::Uniform,
                units.saturating_sub(registers.saturating_sub(FREE_FOR_LOADS_BESIDE_WARP_SLOTS)),
            );
        }
        // an addition at every use: no more of them than it takes, unless loads are in flight
        let left = relief.units();
        let wanted = if reserve < LOADS_IN_FLIGHT { limit } else { registers.saturating_sub(FREE_FOR_LOADS) };
        relief.choose(CandidateKind::Affine, left.saturating_sub(wanted));
        let left = relief.units();
        if left > registers + SURE_TO_SPILL && left <= registers + relief.most_divergent() {
            // only if it helps enough: a cycle that spills anyway gains nothing from loads of another kind
            let (kept, before) = (relief.chosen.list.len(), (relief.held.clone(), *relief.tight));
            relief.choose(CandidateKind::Divergent, left - limit);
            if relief.units() > registers {
                relief.chosen.truncate(facts, kept);
                (*relief.held, *relief.tight) = before;
            }
        }
        relief.reload_others();
    }
    plan.after = tight.iter_mut().fold(needs.fitting, |most, tight| {
        if tight.units > most { most.max(tight.units(facts, pressure, &mut held, chosen.list.len())) } else { most }
    });
    lay_out(facts, chosen.list, &mut plan);
    room.take(plan.bytes(room.threads));
    plan
}

/// Values that go to slots so far, with the blocks in which they are reloaded: those in and behind relieved cycles.
#[derive(Default)]
struct Chosen {
    list: Vec<(SlotCandidate, Vec<Rc<FixedBitSet>>)>,
    linears: FxHashSet<Linear>,
    /// Bytes of those that share groups, and of one warp's row and one thread's slots.
    groups: FxHashMap<GroupKey, u64>,
    sizes: (u64, u64),
}

impl Chosen {
    /// Bytes of one warp's row and of one thread's slots, as [`lay_out`] will pack them, with one more value.
    fn sizes_with(&self, facts: &Facts, candidate: &SlotCandidate) -> (u64, u64) {
        let filled = self.groups.get(&candidate.group(facts)).copied().unwrap_or(0);
        let grown = (filled + candidate.bytes).next_multiple_of(GROUP_BYTES) - filled.next_multiple_of(GROUP_BYTES);
        let (warp, thread) = self.sizes;
        if candidate.owner == SlotOwner::Warp { (warp + grown, thread) } else { (warp, thread + grown) }
    }

    fn push(&mut self, facts: &Facts, candidate: SlotCandidate, reached: Vec<Rc<FixedBitSet>>) {
        self.sizes = self.sizes_with(facts, &candidate);
        *self.groups.entry(candidate.group(facts)).or_default() += candidate.bytes;
        self.linears.extend(candidate.linear.clone());
        self.list.push((candidate, reached));
    }

    /// Forgets all but the first.
    fn truncate(&mut self, facts: &Facts, kept: usize) {
        let mut list = std::mem::take(self).list;
        list.truncate(kept);
        for (candidate, reached) in list {
            self.push(facts, candidate, reached);
        }
    }
}

/// The choice of spill candidates for one cycle.
struct Relief<'a, 'm> {
    facts: &'a Facts,
    frequencies: &'a Frequencies<'m>,
    pressure: &'a Pressure,
    tight: &'a mut Tight,
    /// Blocks in and behind the cycle.
    reached: Rc<FixedBitSet>,
    allowed: SpillCandidates,
    room: &'a SharedBudget,
    held: &'a mut Held,
    chosen: &'a mut Chosen,
    pools: &'a mut Pools,
    /// Candidates by kind, once they are looked for: those for the warp, those for threads.
    found: [Option<[Vec<SlotCandidate>; 3]>; 2],
}

impl Relief<'_, '_> {
    fn allows(&self, kind: CandidateKind) -> bool {
        match kind {
            CandidateKind::Uniform => self.allowed.uniform,
            CandidateKind::Affine => self.allowed.affine,
            CandidateKind::Divergent => self.allowed.divergent,
        }
    }

    fn header(&self) -> Block {
        self.facts.cfg().cycles.header(self.tight.cycle)
    }

    /// What the cycle needs now.
    fn units(&mut self) -> u32 {
        self.tight.units(self.facts, self.pressure, self.held, self.chosen.list.len())
    }

    /// Whether the cycle has too many registers only within blocks, where `ptxas` puts instructions in an order of its
    /// own, and no loads that want to be in flight together.
    fn nearly_fits(&self, registers: u32) -> bool {
        let func = &self.facts.func;
        self.pressure.across(self.facts, self.tight.cycle, self.held) <= registers
            && self.facts.insts_in(self.tight.cycle).filter(|&inst| func.insts[inst].opcode == Opcode::Load).count()
                < MANY_LOADS
    }

    /// More units than slots of threads there is room for can hold.
    fn most_divergent(&self) -> u32 {
        let (warp, thread) = self.chosen.sizes;
        let fits = |groups: u64| self.fits((warp, thread + groups * GROUP_BYTES));
        let new = (1..).take_while(|&groups| fits(groups)).count() as u64;
        // those that are there may not be full
        ((new + thread / GROUP_BYTES) * (GROUP_BYTES / 4)) as u32
    }

    /// Whether there is room for rows and slots of these sizes.
    fn fits(&self, (warp_row, thread_size): (u64, u64)) -> bool {
        let trial = SlotPlan { warp_row, thread_size, ..SlotPlan::default() };
        self.room.check(trial.bytes(self.room.threads)).is_ok()
    }

    /// Candidates of a kind that are still in registers, cheapest first.
    fn candidates(&mut self, kind: CandidateKind) -> Vec<SlotCandidate> {
        let (facts, pressure, header, cycle) = (self.facts, self.pressure, self.header(), self.tight.cycle);
        let thread = kind == CandidateKind::Divergent;
        let gone = &self.held.gone;
        let by_kind = self.found[usize::from(thread)].get_or_insert_with(|| {
            let mut by_kind = <[Vec<SlotCandidate>; 3]>::default();
            let all = || (0..pressure.crossing.len()).filter_map(|number| traits(facts, pressure, number, thread));
            for traits in self.pools[usize::from(thread)].get_or_insert_with(|| all().collect()) {
                let number = traits.number;
                if gone.contains(number) || !pressure.is_live_into(facts, header, number) {
                    continue;
                }
                let value = pressure.crossing[number];
                if !*traits.is_shared.get_or_insert_with(|| pressure.is_shared(facts, value))
                    && let Some(found) = candidate(facts, self.frequencies, pressure, traits, &self.reached, cycle)
                {
                    by_kind[found.kind() as usize].push(found);
                }
            }
            by_kind
        });
        let mut found = std::mem::take(&mut by_kind[kind as usize]);
        found.retain(|candidate| !gone.contains(candidate.number));
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.first_use.cmp(&b.first_use)));
        if kind == CandidateKind::Affine {
            let mut counts: FxHashMap<Linear, u32> = FxHashMap::default();
            for linear in found.iter().filter_map(|candidate| candidate.linear.clone()) {
                *counts.entry(linear).or_default() += 1;
            }
            found.retain(|candidate| candidate.linear.as_ref().is_none_or(|linear| counts[linear] > 1));
        }
        found
    }

    /// Takes candidates of one kind until `excess` units are gone or nothing is left to take.
    fn choose(&mut self, kind: CandidateKind, excess: u32) {
        let Relief { facts, pressure, .. } = *self;
        if excess == 0 || !self.allows(kind) {
            return;
        }
        let mut missing = i64::from(excess);
        // whole groups: a partly used one costs the same load
        let mut in_group = 0;
        for candidate in self.candidates(kind) {
            if missing <= 0 && in_group % GROUP_BYTES == 0 {
                break;
            }
            // what joins a group takes no room
            let sizes = self.chosen.sizes_with(facts, &candidate);
            if sizes != self.chosen.sizes && !self.fits(sizes) {
                continue;
            }
            // the first of a sum has a register take its place
            if candidate.linear.as_ref().is_none_or(|linear| self.chosen.linears.contains(linear)) {
                missing -= i64::from(pressure.units(candidate.value));
            }
            in_group += candidate.bytes;
            pressure.take(facts, self.held, candidate.number);
            self.chosen.push(facts, candidate, vec![self.reached.clone()]);
        }
    }

    /// What was taken for another cycle and is live here too is reloaded here as well.
    fn reload_others(&mut self) {
        let header = self.header();
        for (candidate, reached) in &mut self.chosen.list {
            if !reached.iter().any(|known| Rc::ptr_eq(known, &self.reached))
                && self.pressure.is_live_into(self.facts, header, candidate.number)
            {
                reached.push(self.reached.clone());
            }
        }
    }
}

/// Orders values by use and packs them into groups.
fn lay_out(facts: &Facts, chosen: Vec<(SlotCandidate, Vec<Rc<FixedBitSet>>)>, plan: &mut SlotPlan) {
    let mut linears: FxHashMap<Linear, usize> = FxHashMap::default();
    let mut ordered = chosen;
    ordered.sort_by_key(|(candidate, _)| (candidate.group(facts), candidate.first_use));
    let mut open: Option<(GroupKey, u64)> = None;
    for (candidate, reached) in ordered {
        let key = candidate.group(facts);
        let SlotCandidate { value, owner, bytes, rewritten, linear, .. } = candidate;
        let linear = linear.map(|linear| {
            *linears.entry(linear).or_insert_with_key(|linear| {
                plan.linears.push(linear.clone());
                plan.linears.len() - 1
            })
        });
        let offset = match open {
            Some((same, filled)) if same == key && filled < GROUP_BYTES => filled,
            _ => {
                let start = match owner {
                    SlotOwner::Warp => &mut plan.warp_row,
                    SlotOwner::Thread => &mut plan.thread_size,
                };
                plan.groups.push(Group { owner, start: *start });
                *start += GROUP_BYTES;
                0
            }
        };
        open = Some((key, offset + bytes));
        let def = facts.func.def(value).expect("candidates are instructions");
        let after = |block: Block| reached.iter().any(|reached| reached.contains(block.index()));
        let uses = reloads(facts, value, after);
        plan.values.push(Spilled { def, owner, bytes, rewritten, uses, linear, group: plan.groups.len() - 1, offset });
    }
}
