//! How is the fixed point reached? Optimistic sparse iteration.
//!
//! Every value starts at bottom. One sweep visits each reachable instruction once, in an order in which every cycle is
//! contiguous and all edges but those to cycle headers lead forwards (`cfg::cycles`): operands come before users, and a
//! cycle's exits are known before the first use outside it. After it, only phis at cycle entries can be wrong; from there
//! on instructions whose operands or gates changed are visited again, always in the first dirty block of that order.
//!
//! **Gates** carry control dependence: the narrowest scope in which all lanes come to a block by the same path, and that
//! in which all lanes leave a cycle in the same iteration. Both start at *grid* and only ever narrow: when the condition
//! of a branch narrows to scope `s`, the joins and cycle exits that the branch decides (synchronisation dependence)
//! narrow to `s`.
//!
//! **Termination.** Rules are not monotone (a constant factor that turns uniform changes a form's terms), so a phi that
//! keeps changing is coarsened: after [`COARSEN_AFTER`] changes it loses alignment and exactness, after [`GIVE_UP_AFTER`]
//! it is divergent for good. All cycles of SSA pass through phis, so this bounds the iteration. Soundness only needs the
//! final state to satisfy every equation from above, which it does whatever the path to it was.
//!
//! Cost: linear in instructions and uses for functions without loops; a loop adds a visit of what depends on its phis for
//! each narrowing, at most five.

use super::environment::Environment;
use super::gates::{Gate, Gates, OPEN};
use super::provenance::space;
use super::range::RangeMemory;
use super::readers::Readers;
use super::view::View;
use crate::affine::interner::{Element, Interner};
use crate::affine::lanes::LaneModel;
use crate::affine::{Form, Scope};
use crate::cfg::Cfg;
use crate::cfg::cycles::Cycle;
use crate::cfg::sync::SyncDependence;
use crate::entity::{Block, Inst};
use crate::ir::Func;
use crate::ir::inst::{ConstData, Opcode};
use crate::mutants::{self, Mutant};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Changes of one phi before alignment and exactness are dropped.
const COARSEN_AFTER: u8 = 6;
/// Changes of one phi before it is divergent for good.
const GIVE_UP_AFTER: u8 = 16;

/// [`Solver::frontier`] after the first sweep.
const SETTLING: u32 = u32::MAX;

/// The working state. Rules read it through a [`View`]; only this file writes it.
struct Solver<'a> {
    func: &'a Func,
    cfg: &'a Cfg,
    env: &'a Environment<'a>,
    model: LaneModel,
    interner: Interner,
    elements: Vec<Element>,
    gates: Gates,
    ranges: RangeMemory,
    /// Filled when first asked: a walk over a function without loops needs none.
    readers: OnceCell<Readers>,
    /// Made for the first branch that is not uniform in the grid.
    sync: Option<SyncDependence<'a>>,
    /// Narrowest scope of the branches for which synchronisation dependence gave up.
    everything: Gate,
    /// As large as the function once something is marked.
    dirty: FixedBitSet,
    dirty_blocks: FixedBitSet,
    /// Positions of dirty blocks, first in reverse post-order on top.
    queue: BinaryHeap<Reverse<u32>>,
    changes: FxHashMap<Inst, u8>,
    /// Where the walk is: instructions after this are still to be visited in the first sweep.
    frontier: u32,
}

/// Runs the analysis of one function to its fixed point.
pub fn solve(func: &Func, cfg: &Cfg, env: &Environment<'_>) -> Solution {
    let mut solver = Solver::new(func, cfg, env);
    solver.run();
    Solution { model: solver.model, interner: solver.interner, elements: solver.elements, gates: solver.gates }
}

/// What the solver leaves behind; `Facts` wraps it.
pub struct Solution {
    pub model: LaneModel,
    pub interner: Interner,
    pub elements: Vec<Element>,
    pub gates: Gates,
}

impl<'a> Solver<'a> {
    fn new(func: &'a Func, cfg: &'a Cfg, env: &'a Environment<'a>) -> Self {
        let forms = (func.insts.len() / 3).min(128) + 4;
        let mut solver = Solver {
            func,
            cfg,
            env,
            model: LaneModel::new(&env.geometry),
            interner: Interner::with_capacity(func.insts.len() / 32 + forms, func.consts.len() + 2),
            elements: vec![Element::BOTTOM; func.value_count()],
            gates: Gates::open(func.blocks.len(), cfg.cycles.len()),
            ranges: RangeMemory::default(),
            readers: OnceCell::new(),
            sync: None,
            everything: OPEN,
            dirty: FixedBitSet::new(),
            dirty_blocks: FixedBitSet::new(),
            queue: BinaryHeap::new(),
            changes: FxHashMap::default(),
            frontier: 0,
        };
        solver.seed();
        solver
    }

    #[inline]
    fn readers(&self) -> &Readers {
        self.readers.get_or_init(|| Readers::new(self.func))
    }

    /// Queues all that read the result of an instruction, as far as `wanted`.
    #[inline]
    fn mark_readers(&mut self, inst: Inst, wanted: impl Fn(&Self, Inst) -> bool) {
        let mut list = self.readers().of(inst);
        while let Some((user, rest)) = self.readers().next(self.func, list) {
            if wanted(self, user) {
                self.mark(user);
            }
            list = rest;
        }
    }

    /// The state as a rule sees it.
    #[inline]
    fn view(&mut self) -> View<'_> {
        View {
            func: self.func,
            cfg: self.cfg,
            env: self.env,
            model: &self.model,
            elements: &self.elements,
            gates: &self.gates,
            ranges: &self.ranges,
            interner: &mut self.interner,
        }
    }

    /// Arguments and constants.
    fn seed(&mut self) {
        for index in 0..self.func.params.len() {
            let claim = self.env.params.get(index).cloned().flatten();
            self.elements[index] = self.interner.intern_or_divergent(claim.as_ref());
        }
        for (value, data) in self.func.constants() {
            let form = match data {
                ConstData::Int(bits) => {
                    let width = self.func.int_bits(value).unwrap_or(64).min(64);
                    Form::constant(crate::affine::form::wrap(bits as i64, width))
                }
                // in a cluster, the generic address of shared memory tells the blocks apart
                ConstData::Address(global)
                    if global.space == space::SHARED
                        && self.func.type_info(value).kind.space() != Some(global.space) =>
                {
                    Form::uniform(Scope::Block)
                }
                _ => Form::uniform(Scope::Grid),
            };
            self.elements[value.index()] = self.interner.intern(&form);
        }
    }

    fn run(&mut self) {
        let order = self.cfg.cycles.order();
        let func = self.func;
        for (index, &block) in order.iter().enumerate() {
            self.frontier = index as u32;
            for inst in func.block_insts(block) {
                let data = &func.insts[inst];
                let mut element = match data.opcode {
                    Opcode::Br | Opcode::Ret | Opcode::Unreachable | Opcode::Store | Opcode::Fence => continue,
                    Opcode::CondBr | Opcode::Switch | Opcode::OtherTerminator => {
                        self.visit_branch(inst);
                        continue;
                    }
                    Opcode::Phi => self.view().phi(inst),
                    _ => self.view().transfer(inst, data),
                };
                if self.env.simple {
                    element = self.forget_forms(element);
                }
                self.elements[func.result(inst).index()] = element;
            }
        }
        self.frontier = SETTLING;
        // what the sweep could not know: values that come over back edges
        for cycle in self.cfg.cycles.iter() {
            for &entry in self.cfg.cycles.entries(cycle) {
                for phi in func.phis(entry) {
                    self.mark(phi);
                }
            }
        }
        self.drain();
        while self.release_undefined() {
            self.drain();
        }
    }

    /// Phis that only ever see undefined values, or each other, hold back all that depends on them: let them be one
    /// unknown number. Returns whether there were any.
    fn release_undefined(&mut self) -> bool {
        let (func, cfg) = (self.func, self.cfg);
        let mut stuck: Vec<Inst> = Vec::new();
        for &block in cfg.cycles.order() {
            stuck.extend(func.phis(block).filter(|&phi| self.elements[func.result(phi).index()].is_bottom()));
        }
        for &phi in &stuck {
            self.elements[func.result(phi).index()] = Element::uniform(Scope::Grid);
        }
        for &phi in &stuck {
            self.mark(phi);
            self.mark_readers(phi, |_, _| true);
        }
        !stuck.is_empty()
    }

    fn drain(&mut self) {
        let (func, order) = (self.func, self.cfg.cycles.order());
        while let Some(Reverse(position)) = self.queue.pop() {
            self.dirty_blocks.set(position as usize, false);
            let insts = func.blocks[order[position as usize]];
            let mut next = insts.first;
            while let Some(inst) = self.first_dirty(next, insts.end) {
                self.dirty.set(inst as usize, false);
                self.visit(Inst::from_u32(inst));
                next = inst + 1;
            }
        }
    }

    /// The first instruction to be visited of a range.
    fn first_dirty(&self, from: u32, end: u32) -> Option<u32> {
        if from >= end {
            return None;
        }
        let words = self.dirty.as_slice();
        let mut word = from / usize::BITS;
        let mut marks = words[word as usize] & usize::MAX << (from % usize::BITS);
        while marks == 0 {
            word += 1;
            if word * usize::BITS >= end {
                return None;
            }
            marks = words[word as usize];
        }
        Some(word * usize::BITS + marks.trailing_zeros()).filter(|&inst| inst < end)
    }

    fn visit(&mut self, inst: Inst) {
        let func = self.func;
        let data = &func.insts[inst];
        match data.opcode {
            Opcode::CondBr | Opcode::Switch | Opcode::OtherTerminator => return self.visit_branch(inst),
            Opcode::Br | Opcode::Ret | Opcode::Unreachable | Opcode::Store | Opcode::Fence => return,
            _ => {}
        }
        let mut new = match data.opcode {
            Opcode::Phi => self.view().phi(inst),
            _ => self.view().transfer(inst, data),
        };
        if self.env.simple {
            new = self.forget_forms(new);
        }
        let value = self.func.result(inst);
        let old = self.elements[value.index()];
        if new == old {
            let looked_through = matches!(data.opcode, Opcode::InsertValue | Opcode::Call) || data.opcode.moves_bits();
            if looked_through && !mutants::on(Mutant::StaleMembers) {
                self.mark_readers_through(inst);
            }
            return;
        }
        if data.opcode == Opcode::Phi {
            new = self.bound_changes(inst, new);
            if new == old {
                return;
            }
        }
        self.elements[value.index()] = new;
        self.mark_readers(inst, |_, _| true);
    }

    /// `extractvalue` looks through `insertvalue` and checked arithmetic to their operands, a mask through shifts and
    /// casts, so they are visited again although the value between stays what it was.
    fn mark_readers_through(&mut self, inst: Inst) {
        self.mark_readers(inst, |solver, user| {
            let opcode = solver.func.insts[user].opcode;
            matches!(opcode, Opcode::ExtractValue | Opcode::InsertValue) || opcode.moves_bits()
        });
    }

    /// The thesis's simple analysis: a value is uniform or divergent, nothing in between.
    fn forget_forms(&mut self, element: Element) -> Element {
        if element.is_bottom() || element.is_divergent() {
            return element;
        }
        match self.interner.uniform_scope(element) {
            Some(_) if self.interner.constant(element).is_some() => element,
            Some(scope) => Element::uniform(scope),
            None => Element::DIVERGENT,
        }
    }

    fn bound_changes(&mut self, phi: Inst, new: Element) -> Element {
        let count = self.changes.entry(phi).or_insert(0);
        *count = count.saturating_add(1);
        if *count > GIVE_UP_AFTER {
            return Element::DIVERGENT;
        }
        if *count <= COARSEN_AFTER {
            return new;
        }
        let Some(form) = self.interner.form(new) else { return new };
        let mut coarse = form.clone().without_exactness();
        coarse.rest = crate::affine::Rest::Uniform { scope: form.rest.scope(), align: 0 };
        self.interner.intern(&coarse)
    }

    /// Queues an instruction that the walk has passed; those still ahead come anyway.
    fn mark(&mut self, inst: Inst) {
        let block = self.func.insts[inst].block;
        let position = self.cfg.cycles.position(block);
        if position > self.frontier || !self.cfg.order.is_reachable(block) {
            return;
        }
        if self.dirty.is_empty() {
            self.dirty.grow(self.func.insts.len());
            self.dirty_blocks.grow(self.func.blocks.len());
        }
        if !self.dirty.put(inst.index()) && !self.dirty_blocks.put(position as usize) {
            self.queue.push(Reverse(position));
        }
    }

    fn visit_branch(&mut self, inst: Inst) {
        let block = self.func.insts[inst].block;
        let scope = match self.func.condition(inst) {
            Some(condition) => {
                let mut view = self.view();
                let element = view.read(condition, block);
                if element.is_bottom() {
                    return;
                }
                view.scope_of(element)
            }
            None => None,
        };
        if !self.func.graph.is_branch(block) {
            return;
        }
        if !self.gates.narrow_branch(block, scope) {
            return;
        }
        let (graph, cycles) = (&self.func.graph, &self.cfg.cycles);
        // set aside while the answer is read from it
        let mut sync = self.sync.take().unwrap_or_else(|| SyncDependence::new(graph, cycles));
        let split = sync.split(block);
        if !split.is_everything || scope < self.everything {
            if split.is_everything {
                self.everything = scope;
            }
            for &join in split.joins {
                self.narrow_join(join, scope);
            }
            for &cycle in split.divergent_exits {
                self.narrow_exit(cycle, scope);
            }
            for &cycle in split.irregular {
                for &inside in cycles.blocks(cycle) {
                    self.narrow_join(inside, scope);
                }
            }
        }
        self.sync = Some(sync);
    }

    fn narrow_join(&mut self, block: Block, gate: Gate) {
        if !self.gates.narrow_join(block, gate) {
            return;
        }
        let func = self.func;
        for phi in func.phis(block) {
            self.mark(phi);
        }
    }

    fn narrow_exit(&mut self, cycle: Cycle, gate: Gate) {
        if mutants::on(Mutant::NoExitGate) || !self.gates.narrow_exits(cycle, gate) {
            return;
        }
        if self.frontier != SETTLING {
            return; // the walk is still in the cycle, and whoever uses its values outside comes after it
        }
        let func = self.func;
        let cfg = self.cfg;
        for &block in cfg.cycles.blocks(cycle) {
            for inst in func.block_insts(block) {
                self.mark_readers(inst, |_, user| {
                    let outside = !cfg.cycles.contains(cycle, func.insts[user].block);
                    outside || func.insts[user].opcode == Opcode::Phi
                });
            }
        }
    }
}
