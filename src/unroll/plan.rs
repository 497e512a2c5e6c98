//! Which loops gain from being unrolled although nobody knows their trip count?
//!
//! Candidates are innermost loops that load from global or shared memory at addresses that change from iteration to
//! iteration, and about which neither the source nor LLVM has decided: no pragma, no constant trip count.
//!
//! **Legality** is LLVM's: its unroller makes the copies and the loop for the remainder. What it would have to leave in
//! order is refused here: what waits for other lanes, and calls.
//!
//! **Profit**: after unrolling, the loads of [`FACTOR`] iterations can be in flight at once, if none needs what an earlier
//! iteration loaded or may have stored; and lanes hardly wait for the remainder of others, since the trip count is uniform
//! or differs by one (loops that stride over a grid). The copies must fit the instruction cache, and their loads the registers of as many blocks.

use super::reject::Reject;
use crate::access::{Space, space_of};
use crate::cfg::cycles::Cycle;
use crate::cost::frequency::Frequencies;
use crate::divergence::Facts;
use crate::divergence::facts::may_synchronise;
use crate::entity::{Block, Inst, Value};
use crate::geometry::WARP_SIZE;
use crate::gpu::Chip;
use crate::gpu::chip;
use crate::gpu::occupancy::USUAL_THREADS;
use crate::ir::Func;
use crate::ir::call::{Callee, Memory};
use crate::ir::inst::{ConstData, Flags, Opcode};
use crate::llvm::handle::Function;
use crate::pressure::Pressure;
use rustc_hash::FxHashSet;

/// Iterations of the unrolled loop: what nvcc chooses for most loops of unknown trip count.
pub const FACTOR: u32 = 4;
/// Instructions of a loop that is copied; four times as many fit the smallest instruction cache many times over.
pub const MOST_INSTRUCTIONS: usize = 64;

/// A loop that is to be unrolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnrollPlan {
    pub header: Block,
    pub latch: Block,
    /// Loads of one iteration that can overlap with those of others.
    pub loads: usize,
    /// Instructions of one iteration.
    pub instructions: usize,
}

/// What is decided about one loop.
pub struct Decision {
    pub header: Block,
    pub outcome: Result<UnrollPlan, Reject>,
}

/// The decisions about the candidates of a function; `is_decided` tells of a latch whether something else decides.
pub fn plan(
    facts: &Facts,
    function: Function<'_>,
    frequencies: &Frequencies<'_>,
    is_decided: impl Fn(Block) -> bool,
) -> Vec<Decision> {
    let cycles = &facts.cfg().cycles;
    let innermost = cycles.iter().filter(|&cycle| cycles.descendants(cycle).count() == 1);
    let mut decisions = Vec::new();
    for cycle in innermost {
        let header = cycles.header(cycle);
        let mut latches = cycles.latches(&facts.func.graph, cycle);
        let (Some(latch), None) = (latches.next(), latches.next()) else { continue };
        let few = u64::from(FACTOR);
        let is_short = frequencies
            .turns(header)
            .is_none_or(|turns| turns.exact.is_some() || turns.most.is_some_and(|most| most < 2 * few));
        if !cycles.is_reducible(cycle) || is_short || frequencies.is_cold(header) || is_decided(latch) {
            continue;
        }
        let one = Loop::of(facts, cycle, latch);
        if let Some(outcome) = one.decide(function) {
            decisions.push(Decision { header, outcome });
        }
    }
    decisions
}

/// What a loop counts with.
struct Counter {
    exit: Block,
    phi: Inst,
    step: Value,
    bound: Value,
}

/// A loop with a single latch.
struct Loop<'a> {
    facts: &'a Facts,
    func: &'a Func,
    cycle: Cycle,
    latch: Block,
    insts: Vec<Inst>,
}

impl<'a> Loop<'a> {
    fn of(facts: &'a Facts, cycle: Cycle, latch: Block) -> Loop<'a> {
        let func = &facts.func;
        let blocks = facts.cfg().cycles.blocks(cycle);
        let insts = blocks.iter().flat_map(|&block| func.block_insts(block)).collect();
        Loop { facts, func, cycle, latch, insts }
    }

    /// Whether to unroll it; `None` if it loads nothing that changes.
    fn decide(&self, function: Function<'_>) -> Option<Result<UnrollPlan, Reject>> {
        let loads: Vec<Inst> = self.insts.iter().copied().filter(|&inst| self.is_changing_load(inst)).collect();
        (!loads.is_empty()).then(|| self.check(&loads, function))
    }

    fn check(&self, loads: &[Inst], function: Function<'_>) -> Result<UnrollPlan, Reject> {
        let counter = self.counter().ok_or(Reject::Uncounted)?;
        if self.insts.iter().any(|&inst| self.waits(inst)) {
            return Err(Reject::Waits);
        }
        if self.facts.is_divergent_branch(counter.exit) && !self.is_strided(&counter) {
            return Err(Reject::Divergent);
        }
        let chained = self.depend_on_the_last_iteration();
        let free: Vec<Inst> = loads.iter().copied().filter(|&load| !chained.contains(&self.address(load))).collect();
        if free.is_empty() {
            return Err(Reject::Chained);
        }
        let stored: Vec<Space> = self.insts.iter().copied().filter_map(|inst| self.stored_space(inst)).collect();
        let may_overlap = |&load: &Inst| {
            let space = space_of(self.func, self.address(load));
            self.func.insts[load].flags.contains(Flags::INVARIANT)
                || stored.iter().all(|&other| other != space && ![other, space].contains(&Space::Generic))
        };
        let loads: Vec<Inst> = free.into_iter().filter(may_overlap).collect();
        if loads.is_empty() {
            return Err(Reject::Stores);
        }
        let instructions = self.insts.iter().filter(|&&inst| self.func.insts[inst].opcode != Opcode::Phi).count();
        if instructions > MOST_INSTRUCTIONS {
            return Err(Reject::Large { instructions });
        }
        self.check_registers(&loads, function)?;
        let header = self.facts.cfg().cycles.header(self.cycle);
        Ok(UnrollPlan { header, latch: self.latch, loads: loads.len(), instructions })
    }

    /// What the loop counts with, if it has one exit, which compares what grows by the same amount in each iteration with
    /// what does not change.
    fn counter(&self) -> Option<Counter> {
        let cycles = &self.facts.cfg().cycles;
        let mut exits = cycles.exit_edges(&self.func.graph, self.cycle);
        let (exit, _) = exits.next()?;
        if exits.next().is_some() || self.func.insts[self.func.terminator(exit)].opcode != Opcode::CondBr {
            return None;
        }
        let test = self.func.def(self.func.condition(self.func.terminator(exit))?)?;
        let &[a, b] = self.func.operands(test) else { return None };
        let of = |counted, bound| {
            let (phi, step) = self.counted(counted).filter(|_| !self.is_inside(bound))?;
            Some(Counter { exit, phi, step, bound })
        };
        (self.func.insts[test].opcode == Opcode::ICmp).then(|| of(a, b).or_else(|| of(b, a))).flatten()
    }

    /// The phi of the header to which each iteration adds the same, and what it adds, for the phi or for the sum.
    fn counted(&self, value: Value) -> Option<(Inst, Value)> {
        let def = self.func.def(value)?;
        let is_phi = self.func.insts[def].opcode == Opcode::Phi;
        let phi = if is_phi { def } else { self.func.def(*self.func.operands(def).first()?)? };
        if self.func.insts[phi].opcode != Opcode::Phi || !self.is_of_header(phi) {
            return None;
        }
        let mut next = self.next_values(phi);
        let (Some(sum), None) = (next.next(), next.next()) else { return None };
        let add = self.func.def(sum)?;
        let &[old, step] = self.func.operands(add) else { return None };
        let adds = self.func.insts[add].opcode == Opcode::Add && old == self.func.result(phi) && !self.is_inside(step);
        (adds && (is_phi || add == def)).then_some((phi, step))
    }

    /// Whether lanes begin one after the other and then step over each other, as in a loop that strides over a grid: they
    /// do the same number of iterations, or one less.
    fn is_strided(&self, counter: &Counter) -> bool {
        let is_uniform = |value| self.facts.class(value).is_uniform();
        let is_wide = match self.func.constant(counter.step) {
            Some(ConstData::Int(step)) => step >= u64::from(WARP_SIZE),
            _ => true,
        };
        let cycles = &self.facts.cfg().cycles;
        let mut starts = self.func.operands(counter.phi).iter().zip(self.func.incoming(counter.phi));
        is_wide
            && is_uniform(counter.step)
            && is_uniform(counter.bound)
            && starts.all(|(&start, &from)| cycles.contains(self.cycle, from) || self.facts.form(start).is_some())
    }

    fn is_of_header(&self, inst: Inst) -> bool {
        self.func.insts[inst].block == self.facts.cfg().cycles.header(self.cycle)
    }

    /// What a phi of the header is in the next iteration.
    fn next_values(&self, phi: Inst) -> impl Iterator<Item = Value> + '_ {
        let pairs = self.func.operands(phi).iter().zip(self.func.incoming(phi));
        pairs.filter(|&(_, &from)| self.facts.cfg().cycles.contains(self.cycle, from)).map(|(&value, _)| value)
    }

    /// Whether the loop computes a value.
    fn is_inside(&self, value: Value) -> bool {
        self.func.def(value).is_some_and(|def| self.facts.cfg().cycles.contains(self.cycle, self.func.insts[def].block))
    }

    fn address(&self, load: Inst) -> Value {
        self.func.operands(load)[0]
    }

    /// Whether it loads from memory with a latency worth hiding, at an address of its own in each iteration.
    fn is_changing_load(&self, inst: Inst) -> bool {
        self.func.insts[inst].opcode == Opcode::Load
            && self.is_inside(self.address(inst))
            && matches!(space_of(self.func, self.address(inst)), Space::Global | Space::Generic | Space::Shared)
    }

    /// Whether iterations cannot overlap around it.
    fn waits(&self, inst: Inst) -> bool {
        if self.func.insts[inst].opcode != Opcode::Call {
            return may_synchronise(self.func, inst);
        }
        let call = self.func.call(inst);
        !matches!(call.callee, Callee::Intrinsic(_)) || call.convergent || call.memory == Memory::ReadWrite
    }

    /// The memory that an instruction stores to.
    fn stored_space(&self, inst: Inst) -> Option<Space> {
        (self.func.insts[inst].opcode == Opcode::Store).then(|| space_of(self.func, self.func.operands(inst)[1]))
    }

    /// The values that need what an earlier iteration loaded.
    fn depend_on_the_last_iteration(&self) -> FxHashSet<Value> {
        let loads = self.insts.iter().filter(|&&inst| self.func.insts[inst].opcode == Opcode::Load);
        let loaded = self.closure(loads.map(|&load| self.func.result(load)).collect());
        let phis = self.insts.iter().copied().filter(|&inst| {
            self.func.insts[inst].opcode == Opcode::Phi
                && self.is_of_header(inst)
                && self.next_values(inst).any(|next| loaded.contains(&next))
        });
        self.closure(phis.map(|phi| self.func.result(phi)).collect())
    }

    /// Some values, and all that the loop computes from them.
    fn closure(&self, mut values: FxHashSet<Value>) -> FxHashSet<Value> {
        loop {
            let before = values.len();
            for &inst in &self.insts {
                if self.func.operands(inst).iter().any(|operand| values.contains(operand)) {
                    values.insert(self.func.result(inst));
                }
            }
            if values.len() == before {
                return values;
            }
        }
    }

    /// Whether as many blocks fit with the registers into which the other iterations load.
    fn check_registers(&self, loads: &[Inst], function: Function<'_>) -> Result<(), Reject> {
        let pressure = Pressure::new(self.facts);
        let before = pressure.largest(self.facts);
        let more: u32 = loads.iter().map(|&load| pressure.units(self.func.result(load))).sum();
        let after = before + (FACTOR - 1) * more;
        let chip = Chip::of(&function.string_attribute("target-cpu").unwrap_or_else(|| chip::LLVM_DEFAULT.to_owned()));
        let geometry = &self.facts.geometry;
        let threads = if geometry.is_bounded() { geometry.thread_bound() } else { USUAL_THREADS };
        let blocks = |registers| chip.resident_blocks(threads, registers, 0);
        if blocks(after) < blocks(before) { Err(Reject::Pressure { before, after }) } else { Ok(()) }
    }
}
