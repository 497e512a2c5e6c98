//! Which values leave registers in loops that have too many, and where do they go?
//!
//! 1. While some cycle needs more registers than the budget allows: its candidates are the values live into its header
//!    and defined outside it, ranked by cost over units until the cycle fits.
//! 2. **Where to.** A value all lanes agree on goes to one slot per warp; another to one slot per thread. Values that
//!    `ptxas` recomputes or keeps in uniform registers by itself are no candidates (they have no units), nor are pointers:
//!    a pointer that was in memory has lost its address space.
//!    An integer `Σ c·tid + u` with known `c` and a `u` that the warp agrees on goes there as `u`; the sum is added back at
//!    the use, from a register that all victims with the same sum share (so there must be two of them).
//!    A slot per thread is for values that are stored once: one that a loop around defines again (a sum of it) is stored as
//!    often as `ptxas` would spill it, by which shared memory, used by the kernel itself as well, is no faster.
//! 3. **Soundness of a slot per warp.** Every lane stores the value right after its definition and loads it only where the
//!    definition dominates, so it finds its own store or that of another lane of the same dynamic instance, which is
//!    the same value. Where the definition is executed once per launch that is all. Inside a cycle the next instance
//!    overwrites the slot: its block must be warp-convergent and waits for the warp (`bar.warp.sync`) before the stores,
//!    and every use must still be uniform where it stands.
//! 4. **Uses.** Those that a path from the header of a relieved cycle leads to are reloaded; the others, in the block of
//!    the definition or between it and the loop, keep the register, which is dead by the time the loop is entered.
//! 5. **Groups.** Slots are ordered by their first use in the hottest block, four words or two double words to a group
//!    of 16 bytes, so that neighbouring uses share one load. A group is defined in one block: a wide load must not
//!    touch a neighbour that another lane has yet to store.
//!
//! Source: Sampaio 2013, section 4.2, table of rewriting rules, rules two and four; the thread slots are the baseline rule moved to
//! shared memory. Ours: loop-pressure instead of a linear scan, groups, slots rewritten in loops.

use super::budget::SharedBudget;
use super::object::block_weight;
use super::pressure::Pressure;
use super::slots;
use super::victims::Victims;
use crate::affine::form::Base;
use crate::cfg::Cycle;
use crate::divergence::Facts;
use crate::kernel::entity::{Block, Inst, Value};
use crate::kernel::inst::Opcode;
use crate::kernel::types::TypeKind;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// Registers `ptxas` wants beyond what is live for the loads of a loop, at most: it keeps some in flight, with their addresses.
/// A loop without loads was seen to fit its budget to the last register.
pub const RESERVE: u32 = 4;
/// Registers left free for loads in flight once values are moved to slots per warp: with fewer, each load is waited for.
pub const HEADROOM: u32 = 12;
/// Slots per thread only ease what `ptxas` is sure to spill: their loads cost as much as its own.
const SURE: u32 = 2;
/// Most cycles that are relieved.
const MAX_CYCLES: u32 = 16;
/// What a barrier costs, in loads.
const BARRIER_COST: f64 = 4.0;
/// How much an affine victim is worth less than a uniform one: an addition a use.
const LINEAR_COST: f64 = 1.5;
/// How much a thread slot is worth less than a warp slot: it takes 32 times the memory.
const THREAD_COST: f64 = 4.0;
/// Bytes of a group: the widest load.
pub const GROUP_BYTES: u64 = 16;

/// How many copies of a slot there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Home {
    Warp,
    Thread,
}

/// One use that is reloaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UseSite {
    pub inst: Inst,
    pub operand: u32,
    /// Where the reload stands: the block of the instruction, or the edge's block of a phi.
    pub block: Block,
    /// The instruction it stands before.
    pub before: Inst,
}

/// One value that leaves its register.
#[derive(Clone, Debug)]
pub struct Victim {
    pub def: Inst,
    pub home: Home,
    /// Bytes of the slot, 4 or 8.
    pub bytes: u64,
    /// The store waits for the warp.
    pub rewritten: bool,
    pub uses: Vec<UseSite>,
    /// Which of [`VictimPlan::linears`] is taken off before the store and added after the load.
    pub linear: Option<usize>,
    /// Group and byte offset inside it.
    pub group: usize,
    pub offset: u64,
}

/// The part of an affine value that every lane knows: `Σ c·base` in a width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    pub bits: u32,
    pub terms: Vec<(Base, i64)>,
}

/// Slots that are loaded together.
#[derive(Clone, Debug)]
pub struct Group {
    pub home: Home,
    /// Byte offset of the group among those of its home, for one copy.
    pub start: u64,
}

/// What happens to a kernel's victims.
#[derive(Default)]
pub struct VictimPlan {
    pub victims: Vec<Victim>,
    pub groups: Vec<Group>,
    pub linears: Vec<Linear>,
    /// Bytes of one warp's row and of one thread's slots.
    pub warp_row: u64,
    pub thread_size: u64,
    /// Largest pressure before and after, and the budget.
    pub before: u32,
    pub after: u32,
    pub budget: u32,
}

impl VictimPlan {
    /// Bytes of shared memory for a block.
    pub fn bytes(&self, threads: u32) -> u64 {
        let warp = if self.warp_row > 0 { slots::warp_bytes(self.warp_row, threads) } else { 0 };
        let thread = if self.thread_size > 0 { slots::thread_bytes(self.thread_size, GROUP_BYTES, threads) } else { 0 };
        warp + thread
    }
}

struct Candidate {
    value: Value,
    home: Home,
    bytes: u64,
    rewritten: bool,
    linear: Option<Linear>,
    /// Cost per unit.
    cost: f64,
    first_use: (std::cmp::Reverse<u64>, Inst),
}

/// Classes of victims, in the order in which they are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Uniform,
    Affine,
    Divergent,
}

impl Candidate {
    fn kind(&self) -> Kind {
        match (self.home, &self.linear) {
            (Home::Thread, _) => Kind::Divergent,
            (Home::Warp, Some(_)) => Kind::Affine,
            (Home::Warp, None) => Kind::Uniform,
        }
    }
}

/// Decides for one kernel; takes what it needs from the shared memory.
pub fn plan(facts: &Facts, registers: u32, allowed: Victims, room: &mut SharedBudget) -> VictimPlan {
    let pressure = Pressure::new(facts);
    let cycles = &facts.cfg().cycles;
    let mut gone = pressure.nothing();
    let limit = registers.saturating_sub(RESERVE);
    let mut plan = VictimPlan { budget: registers, ..VictimPlan::default() };
    // easing one cycle never burdens another: what fits at first fits at last
    let mut tight = pressure.of_cycles();
    plan.before = tight.iter().map(|found| found.0).max().unwrap_or(0);
    let spills = |&(units, cycle): &(u32, Cycle)| units + reserve(facts, cycle) > registers;
    let fitting = tight.iter().filter(|found| !spills(found)).map(|found| found.0).max().unwrap_or(0);
    tight.retain(spills);
    tight.sort_by_key(|&(units, cycle)| (std::cmp::Reverse(units), cycle));
    let worst = |gone: &FixedBitSet, skip: &[Cycle]| {
        let mut most: Option<(u32, Cycle)> = None;
        let rank = |&(units, cycle): &(u32, Cycle)| (units, cycles.depth(cycle), std::cmp::Reverse(cycle));
        for &(at_first, cycle) in tight.iter().filter(|(_, cycle)| !skip.contains(cycle)) {
            // it needs no more now than it did
            if most.is_some_and(|(units, _)| at_first < units) {
                break;
            }
            let found = (pressure.of_cycle(cycle, gone), cycle);
            most = most.into_iter().chain([found]).max_by_key(rank);
        }
        most
    };
    let mut relieved: Vec<Cycle> = Vec::new();
    let mut chosen: Vec<(Candidate, Vec<Cycle>)> = Vec::new();
    for _ in 0..MAX_CYCLES {
        let Some((units, cycle)) = worst(&gone, &relieved).filter(spills) else { break };
        relieved.push(cycle);
        let reached = reached_from(facts, cycle);
        let (gone, chosen) = (&mut gone, &mut chosen);
        let mut relief = Relief { facts, pressure: &pressure, cycle, reached: &reached, allowed, room, gone, chosen };
        relief.choose(Kind::Uniform, units.saturating_sub(registers.saturating_sub(HEADROOM)));
        // an addition at every use: no more of them than it takes, unless loads are in flight
        let left = pressure.of_cycle(cycle, relief.gone);
        let wanted = if reserve(facts, cycle) < RESERVE { limit } else { registers.saturating_sub(HEADROOM) };
        relief.choose(Kind::Affine, left.saturating_sub(wanted));
        let left = pressure.of_cycle(cycle, relief.gone);
        if left > registers + SURE {
            // only if it helps enough: a cycle that spills anyway gains nothing from loads of another kind
            let (kept, before) = (relief.chosen.len(), relief.gone.clone());
            relief.choose(Kind::Divergent, left - limit);
            if pressure.of_cycle(cycle, relief.gone) > registers {
                relief.chosen.truncate(kept);
                *relief.gone = before;
            }
        }
        relief.reload_others();
    }
    plan.after = worst(&gone, &[]).map_or(0, |found| found.0).max(fitting);
    lay_out(facts, chosen, &mut plan);
    room.take(plan.bytes(room.threads));
    plan
}

/// Registers that the loads of a cycle want beside what is live.
pub fn reserve(facts: &Facts, cycle: Cycle) -> u32 {
    let kernel = &facts.kernel;
    let blocks = facts.cfg().cycles.blocks(cycle);
    let loads = blocks.iter().flat_map(|&block| kernel.block_insts(block));
    loads.filter(|&inst| kernel.insts[inst].opcode == Opcode::Load).take(RESERVE as usize).count() as u32
}

/// The choice of victims of one cycle.
struct Relief<'a, 'f> {
    facts: &'f Facts,
    pressure: &'a Pressure<'f>,
    cycle: Cycle,
    /// Blocks in and behind the cycle.
    reached: &'a FixedBitSet,
    allowed: Victims,
    room: &'a SharedBudget,
    gone: &'a mut FixedBitSet,
    chosen: &'a mut Vec<(Candidate, Vec<Cycle>)>,
}

impl Relief<'_, '_> {
    fn allows(&self, kind: Kind) -> bool {
        match kind {
            Kind::Uniform => self.allowed.uniform,
            Kind::Affine => self.allowed.affine,
            Kind::Divergent => self.allowed.divergent,
        }
    }

    fn header(&self) -> Block {
        self.facts.cfg().cycles.header(self.cycle)
    }

    /// Takes victims of one kind until `excess` units are gone or nothing is left to take.
    fn choose(&mut self, kind: Kind, excess: u32) {
        let Relief { facts, pressure, cycle, reached, .. } = *self;
        if excess == 0 || !self.allows(kind) {
            return;
        }
        let mut found: Vec<Candidate> = pressure
            .live_into(self.header())
            .filter_map(|value| candidate(facts, pressure, cycle, reached, value))
            .collect();
        found.retain(|candidate| {
            let position = pressure.position(candidate.value).expect("candidates cross the header");
            candidate.kind() == kind && !self.gone.contains(position)
        });
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.first_use.cmp(&b.first_use)));
        let count = |linear: &Option<Linear>| found.iter().filter(|other| other.linear == *linear).count();
        let lonely: Vec<bool> = found.iter().map(|one| one.linear.is_some() && count(&one.linear) < 2).collect();
        let mut index = 0;
        found.retain(|_| {
            index += 1;
            !lonely[index - 1]
        });
        let mut missing = i64::from(excess);
        // whole groups: a partly used one costs the same load
        let mut in_group = 0;
        for candidate in found {
            if missing <= 0 && in_group % GROUP_BYTES == 0 {
                break;
            }
            let (warp, thread) = sizes(facts, self.chosen.iter().map(|(chosen, _)| chosen).chain([&candidate]));
            let trial = VictimPlan { warp_row: warp, thread_size: thread, ..VictimPlan::default() };
            if self.room.check(trial.bytes(self.room.threads)).is_err() {
                continue;
            }
            missing -= i64::from(pressure.units(candidate.value));
            let linear = &candidate.linear;
            if linear.is_some() && !self.chosen.iter().any(|(other, _)| other.linear == *linear) {
                missing += i64::from(pressure.units(candidate.value));
            }
            in_group += candidate.bytes;
            self.gone.insert(pressure.position(candidate.value).expect("candidates cross the header"));
            self.chosen.push((candidate, vec![cycle]));
        }
    }

    /// A victim of another cycle that is live here too is reloaded here as well.
    fn reload_others(&mut self) {
        let header = self.header();
        for (candidate, cycles) in self.chosen.iter_mut() {
            let position = self.pressure.position(candidate.value).expect("victims cross a header");
            if !cycles.contains(&self.cycle) && self.pressure.live_in[header.index()].contains(position) {
                cycles.push(self.cycle);
            }
        }
    }
}

/// Bytes of one warp's row and of one thread's slots, as [`lay_out`] will pack them.
fn sizes<'a>(facts: &Facts, candidates: impl Iterator<Item = &'a Candidate>) -> (u64, u64) {
    let mut groups: FxHashMap<(Home, u64, Option<Block>), u64> = FxHashMap::default();
    for candidate in candidates {
        let block = facts.kernel.def(candidate.value).map(|def| facts.kernel.insts[def].block);
        *groups.entry((candidate.home, candidate.bytes, block)).or_default() += candidate.bytes;
    }
    let total = |home| {
        let of_home = groups.iter().filter(|(key, _)| key.0 == home);
        of_home.map(|(_, bytes)| bytes.next_multiple_of(GROUP_BYTES)).sum()
    };
    (total(Home::Warp), total(Home::Thread))
}

fn candidate(
    facts: &Facts,
    pressure: &Pressure<'_>,
    cycle: Cycle,
    reached: &FixedBitSet,
    value: Value,
) -> Option<Candidate> {
    let kernel = &facts.kernel;
    let cycles = &facts.cfg().cycles;
    let def = kernel.def(value)?;
    let home_block = kernel.insts[def].block;
    if cycles.contains(cycle, home_block) || kernel.insts[def].opcode.is_terminator() || pressure.is_shared(value) {
        return None;
    }
    let bytes = slot_bytes(kernel.type_info(value).kind)?;
    let uses = reloads(facts, value, &[reached]);
    if uses.is_empty() {
        return None;
    }
    let in_cycle = cycles.cycle_of(home_block).is_some();
    let agreed = facts.is_convergent(home_block);
    let uniform = agreed
        && facts.class(value).is_uniform()
        && (!in_cycle || uses.iter().all(|site| facts.scope_at_use(value, site.block).is_some()));
    let linear = if uniform || !agreed { None } else { linear_part(facts, value, in_cycle.then_some(uses.as_slice())) };
    let home = if uniform || linear.is_some() { Home::Warp } else { Home::Thread };
    if home == Home::Thread && in_cycle {
        return None;
    }
    let rewritten = home == Home::Warp && in_cycle;
    let per_load = bytes as f64 / GROUP_BYTES as f64;
    let mut cost: f64 = uses.iter().map(|site| block_weight(facts, site.block) * per_load).sum();
    cost += block_weight(facts, home_block) * if rewritten { 1.0 + BARRIER_COST } else { 1.0 };
    if home == Home::Thread {
        cost *= THREAD_COST;
    }
    if linear.is_some() {
        cost *= LINEAR_COST;
    }
    Some(Candidate {
        value,
        home,
        bytes,
        rewritten,
        linear,
        cost: cost / f64::from(pressure.units(value).max(1)),
        first_use: first_use(facts, &uses),
    })
}

/// The known part of an affine integer whose rest the warp agrees on, at its definition and at those uses.
fn linear_part(facts: &Facts, value: Value, uses: Option<&[UseSite]>) -> Option<Linear> {
    let bits = match facts.kernel.type_info(value).kind {
        TypeKind::Int(bits @ (32 | 64)) => bits,
        _ => return None,
    };
    let form = facts.form(value)?;
    let terms: Option<Vec<(Base, i64)>> =
        form.terms.iter().map(|term| Some((term.monomial.as_base()?, term.coefficient))).collect();
    let terms = terms.filter(|terms| !terms.is_empty())?;
    let holds = |site: &UseSite| facts.form_at_use(value, site.block).is_some_and(|at_use| at_use.terms == form.terms);
    uses.is_none_or(|uses| uses.iter().all(holds)).then_some(Linear { bits, terms })
}

/// Hottest block's weight, then the first use in such a block.
fn first_use(facts: &Facts, uses: &[UseSite]) -> (std::cmp::Reverse<u64>, Inst) {
    uses.iter()
        .map(|site| (std::cmp::Reverse(block_weight(facts, site.block) as u64), site.before))
        .min()
        .unwrap_or((std::cmp::Reverse(0), Inst::new(0)))
}

/// Bytes of a slot for a type; `None` for types that are not kept in slots.
fn slot_bytes(kind: TypeKind) -> Option<u64> {
    let bits = match kind {
        TypeKind::Int(bits) | TypeKind::Float(bits) => bits,
        TypeKind::Vector { element_bits, length, .. } => element_bits * length,
        _ => return None,
    };
    match bits {
        8 | 16 | 32 => Some(4),
        64 => Some(8),
        _ => None,
    }
}

/// The blocks of a cycle and those that a path from its header leads to.
pub fn reached_from(facts: &Facts, cycle: Cycle) -> FixedBitSet {
    let cycles = &facts.cfg().cycles;
    let graph = &facts.kernel.graph;
    let mut reached = FixedBitSet::with_capacity(graph.block_count());
    let mut stack = vec![cycles.header(cycle)];
    while let Some(block) = stack.pop() {
        for &next in graph.succs(block) {
            if !reached.put(next.index()) {
                stack.push(next);
            }
        }
    }
    reached.extend(cycles.blocks(cycle).iter().map(|block| block.index()));
    reached
}

/// The uses that a path from the header of one of the cycles leads to.
pub fn reloads(facts: &Facts, value: Value, relieved: &[&FixedBitSet]) -> Vec<UseSite> {
    let kernel = &facts.kernel;
    let mut users: Vec<Inst> = facts.users(value).to_vec();
    users.sort_unstable();
    users.dedup();
    let mut sites = Vec::new();
    for inst in users {
        let data = &kernel.insts[inst];
        for (operand, &used) in kernel.operands(inst).iter().enumerate() {
            if used != value {
                continue;
            }
            let (block, before) = if data.opcode == Opcode::Phi {
                let from = kernel.incoming(inst)[operand];
                (from, kernel.terminator(from))
            } else {
                (data.block, inst)
            };
            let after = relieved.iter().any(|reached| reached.contains(block.index()));
            // in the block of the definition the register is there anyway
            let at_home = kernel.def(value).is_some_and(|def| kernel.insts[def].block == block);
            if after && !at_home && facts.is_reachable(block) {
                sites.push(UseSite { inst, operand: operand as u32, block, before });
            }
        }
    }
    sites
}

/// Orders victims by use and packs them into groups.
fn lay_out(facts: &Facts, chosen: Vec<(Candidate, Vec<Cycle>)>, plan: &mut VictimPlan) {
    let relieved = chosen.iter().flat_map(|(_, cycles)| cycles.iter().copied());
    let mut behind: FxHashMap<Cycle, FixedBitSet> = FxHashMap::default();
    for cycle in relieved {
        behind.entry(cycle).or_insert_with(|| reached_from(facts, cycle));
    }
    let mut ordered = chosen;
    let home_block = |candidate: &Candidate| facts.kernel.def(candidate.value).map(|def| facts.kernel.insts[def].block);
    ordered.sort_by_key(|(candidate, _)| (candidate.home, candidate.bytes, home_block(candidate), candidate.first_use));
    let mut open: Option<(Home, u64, Option<Block>, u64)> = None;
    for (candidate, cycles) in ordered {
        let block = home_block(&candidate);
        let Candidate { value, home, bytes, rewritten, linear, .. } = candidate;
        let linear = linear.map(|linear| match plan.linears.iter().position(|known| *known == linear) {
            Some(known) => known,
            None => {
                plan.linears.push(linear);
                plan.linears.len() - 1
            }
        });
        let offset = match open {
            Some((same_home, same_bytes, same_block, filled))
                if (same_home, same_bytes, same_block) == (home, bytes, block) && filled < GROUP_BYTES =>
            {
                filled
            }
            _ => {
                let start = match home {
                    Home::Warp => &mut plan.warp_row,
                    Home::Thread => &mut plan.thread_size,
                };
                plan.groups.push(Group { home, start: *start });
                *start += GROUP_BYTES;
                0
            }
        };
        open = Some((home, bytes, block, offset + bytes));
        let def = facts.kernel.def(value).expect("candidates are instructions");
        let sets: Vec<&FixedBitSet> = cycles.iter().map(|cycle| &behind[cycle]).collect();
        let uses = reloads(facts, value, &sets);
        plan.victims.push(Victim { def, home, bytes, rewritten, uses, linear, group: plan.groups.len() - 1, offset });
    }
}
