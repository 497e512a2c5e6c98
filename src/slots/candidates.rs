//! Which values may go to a slot, of whom, and what does that cost?
//!
//! [`traits`] is what makes a value a candidate wherever it is live, found once for a kernel; [`candidate`] is what follows for
//! one cycle.

use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_analysis::affine::form::{Base, Form};
use warpwise_analysis::cfg::Cycle;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::chip::WIDEST_ACCESS;
use warpwise_analysis::gpu::prices::{AFFINE_RELOAD, THREAD_RELOAD, WARP_BARRIER};
use warpwise_analysis::pressure::Pressure;
use warpwise_analysis::pressure::uses::each_use;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::types::TypeKind;

/// Bytes of a group: the widest load.
pub const GROUP_BYTES: u64 = WIDEST_ACCESS;

/// How many copies of a slot there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SlotOwner {
    Warp,
    Thread,
}

/// The part of an affine value that every lane knows: `Σ c·base` in a width.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linear {
    pub bits: u32,
    pub terms: Vec<(Base, i64)>,
}

/// A value that may go to a slot in one cycle, and what that costs.
pub struct SlotCandidate {
    pub value: Value,
    /// Of its register.
    pub number: usize,
    pub owner: SlotOwner,
    pub bytes: u64,
    pub rewritten: bool,
    pub linear: Option<Linear>,
    /// Cost per unit.
    pub cost: f64,
    pub first_use: (std::cmp::Reverse<u64>, u32),
}

/// Kinds of spill candidates, in the order in which they are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CandidateKind {
    Uniform,
    Affine,
    Divergent,
}

/// What the values of one group have in common: owner, bytes and block of the definition.
pub type GroupKey = (SlotOwner, u64, Option<Block>);

impl SlotCandidate {
    /// Which slots its own may share a load with.
    pub fn group(&self, facts: &Outline) -> GroupKey {
        let block = facts.func.def(self.value).map(|def| facts.func.insts[def].block);
        (self.owner, self.bytes, block)
    }
    /// Its kind.
    pub fn kind(&self) -> CandidateKind {
        match (self.owner, &self.linear) {
            (SlotOwner::Thread, _) => CandidateKind::Divergent,
            (SlotOwner::Warp, Some(_)) => CandidateKind::Affine,
            (SlotOwner::Warp, None) => CandidateKind::Uniform,
        }
    }
}

/// What may leave its register: for slots of a warp, and for those of a thread, as soon as somebody asks.
pub type Pools = [Option<Vec<Traits>>; 2];

/// What makes a value a candidate wherever it is live.
pub struct Traits {
    /// Number of its register.
    pub number: usize,
    pub def: Inst,
    pub block: Block,
    pub bytes: u64,
    pub in_cycle: bool,
    /// The warp agrees on it where it is defined.
    pub uniform: bool,
    pub linear: Option<Linear>,
    /// Whether others in the same register live across boundaries, once that was asked.
    pub is_shared: Option<bool>,
}

/// Those of a register, if it may go to a slot of a warp or, where there is nothing else for it, of a `thread`.
pub fn traits(facts: &Facts, pressure: &Pressure, number: usize, thread: bool) -> Option<Traits> {
    let value = pressure.crossing[number];
    // lanes agree on no part of it
    if !thread && facts.form(value).is_none() {
        return None;
    }
    let func = &facts.func;
    let def = func.def(value)?;
    let block = func.insts[def].block;
    let bytes = slot_bytes(func.type_info(value).kind)?;
    if func.insts[def].opcode.is_terminator() {
        return None;
    }
    let in_cycle = facts.cfg().cycles.cycle_of(block).is_some();
    let uniform = facts.class(value).is_uniform();
    let linear = if !uniform || in_cycle { linear_part(facts, value) } else { None };
    let for_warp = (uniform || linear.is_some()) && facts.is_convergent(block);
    // a slot of a thread is stored once
    if for_warp == thread || (thread && in_cycle) {
        return None;
    }
    let (uniform, linear) = if for_warp { (uniform, linear) } else { (false, None) };
    Some(Traits { number, def, block, bytes, in_cycle, uniform, linear, is_shared: None })
}

/// A value with these traits as a candidate in a cycle, of which `behind` are the blocks in and behind it.
pub fn candidate(
    facts: &Facts,
    frequencies: &Frequencies<'_>,
    pressure: &Pressure,
    traits: &Traits,
    behind: &FixedBitSet,
    cycle: Cycle,
) -> Option<SlotCandidate> {
    let cycles = &facts.cfg().cycles;
    let Traits { number, def, block, bytes, in_cycle, .. } = *traits;
    if cycles.contains(cycle, block) {
        return None;
    }
    let value = facts.func.result(def);
    let is_behind = |block: Block| behind.contains(block.index());
    let per_load = bytes as f64 / GROUP_BYTES as f64;
    let (mut cost, mut first_use) = (0.0, None);
    each_use(facts, value, is_behind, |inst, _, block| {
        let before = if facts.func.insts[inst].opcode == Opcode::Phi { facts.func.terminator(block) } else { inst };
        let weight = frequencies.of(block);
        cost += weight * per_load;
        // hottest block's weight (its bits are in its order, as it is not negative), then the first use in such a block
        let this = (std::cmp::Reverse(weight.to_bits()), before.as_u32());
        first_use = Some(first_use.map_or(this, |first| this.min(first)));
        true
    });
    let first_use = first_use?;
    let everywhere =
        |holds: &dyn Fn(Block) -> bool| !in_cycle || each_use(facts, value, is_behind, |_, _, block| holds(block));
    let uniform = traits.uniform && everywhere(&|block| facts.scope_at_use(value, block).is_some());
    let holds = |linear: &&Linear| {
        let same = |block: Block| {
            facts.form_at_use(value, block).is_some_and(|at_use| terms(&at_use).as_ref() == Some(&linear.terms))
        };
        !uniform && everywhere(&same)
    };
    let linear = traits.linear.as_ref().filter(holds).cloned();
    let owner = if uniform || linear.is_some() { SlotOwner::Warp } else { SlotOwner::Thread };
    if owner == SlotOwner::Thread && in_cycle {
        return None;
    }
    let rewritten = owner == SlotOwner::Warp && in_cycle;
    cost += frequencies.of(block) * if rewritten { 1.0 + WARP_BARRIER } else { 1.0 };
    if owner == SlotOwner::Thread {
        cost *= THREAD_RELOAD;
    }
    if linear.is_some() {
        cost *= AFFINE_RELOAD;
    }
    let cost = cost / f64::from(pressure.units(value).max(1));
    Some(SlotCandidate { value, number, owner, bytes, rewritten, linear, cost, first_use })
}

/// The known part of an affine integer whose rest the warp agrees on.
fn linear_part(facts: &Facts, value: Value) -> Option<Linear> {
    let bits = match facts.func.type_info(value).kind {
        TypeKind::Int(bits @ (32 | 64)) => bits,
        _ => return None,
    };
    let terms = terms(facts.form(value)?).filter(|terms| !terms.is_empty())?;
    Some(Linear { bits, terms })
}

/// The terms of a form whose factors are known.
fn terms(form: &Form) -> Option<Vec<(Base, i64)>> {
    form.terms.iter().map(|term| Some((term.monomial.as_base()?, term.coefficient))).collect()
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
