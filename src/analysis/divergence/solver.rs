//! How is the fixed point of the analysis reached? By optimistic sparse iteration.
//!
//! Every value starts at bottom.
//!
//! 1. **Sweep.** Each reachable instruction is visited once, in an order in which every cycle is contiguous and all
//!    edges except those to cycle headers lead forwards (`cfg::cycles`). So operands are visited before their users,
//!    and the exits of a cycle are known before the first use outside it. For the phi of an induction variable the first
//!    steps are applied when the sweep comes to it, so that what depends on it need not be visited again.
//! 2. **Iteration.** After the sweep only phis at cycle entries can be wrong. From there on, instructions whose
//!    operands or gates changed are visited again, always in the first dirty block of that order.
//!
//! **Gates** carry control dependence: for each block the narrowest scope in which all lanes reach it by the same path,
//! and for each cycle the narrowest scope in which all lanes leave it in the same iteration. Both start at *grid* and
//! only ever narrow. When the condition of a branch narrows to scope `s`, so do the gates of the joins and cycle exits
//! that the branch decides (synchronisation dependence).
//!
//! **Termination.** The rules are not monotone (a constant factor that becomes merely uniform changes the terms of a
//! form). A phi that keeps changing is therefore coarsened: after [`COARSEN_AFTER`] changes it loses alignment and
//! exactness, and after [`GIVE_UP_AFTER`] it is divergent for good. Every SSA cycle passes through a phi, so this
//! bounds the iteration. Soundness only requires that the final state satisfies every equation; how it was reached does
//! not matter.
//!
//! **Cost**: linear in instructions and uses for functions without loops. A loop adds a visit of whatever depends on
//! its phis for each time they lose precision, usually at most five.

use super::environment::Environment;
use super::gates::{Gate, Gates, OPEN};
use super::intrinsics::LaneRule;
use super::lone::Lone;
use super::range::RangeMemory;
use super::readers::Readers;
use super::view::View;
use crate::affine::interner::{Element, Interner};
use crate::affine::lanes::LaneModel;
use crate::affine::{Rest, Scope};
use crate::cfg::Cfg;
use crate::cfg::cycles::Cycle;
use crate::cfg::sync::SyncDependence;
use crate::mutants::{self, Mutant};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::geometry::Rows;
use warpwise_ir::inst::{ConstData, InstData, Opcode};
use warpwise_ir::llvm::space;

/// Number of changes of one phi after which alignment and exactness are dropped.
const COARSEN_AFTER: u8 = 6;
/// Number of changes of one phi after which it is divergent for good.
const GIVE_UP_AFTER: u8 = 16;

/// Value of [`Solver::frontier`] after the sweep.
const SETTLING: u32 = u32::MAX;

/// The working state. Rules read it through a [`View`]; only this file writes it.
struct Solver<'a> {
    func: &'a Func,
    cfg: &'a Cfg,
    env: &'a Environment<'a>,
    /// What rules see.
    view: View<'a>,
    /// The instructions to be visited; all if there is none.
    slice: Option<&'a FixedBitSet>,
    lone: Lone,
    /// Built on first use: the sweep over a function without loops needs none.
    readers: OnceCell<Readers>,
    /// Built for the first branch that is not uniform in the grid.
    sync: Option<Box<SyncDependence<'a>>>,
    /// Narrowest scope of the branches for which synchronisation dependence gave up and named every join.
    everything: Gate,
    /// Instructions to be visited again; grown to the size of the function by the first mark.
    dirty: FixedBitSet,
    dirty_blocks: FixedBitSet,
    /// Positions of dirty blocks in the order of the sweep, the first on top.
    queue: BinaryHeap<Reverse<u32>>,
    changes: FxHashMap<Inst, u8>,
    /// Position of the block that the sweep has reached: later instructions are still to be visited anyway.
    frontier: u32,
}

/// Runs the analysis of one function to its fixed point.
pub fn solve(func: &Func, cfg: &Cfg, env: &Environment<'_>) -> Solution {
    solve_slice(func, cfg, env, None)
}

/// The same for some instructions only, which include all that they read. Nothing is known of the others.
pub fn solve_slice(func: &Func, cfg: &Cfg, env: &Environment<'_>, slice: Option<&FixedBitSet>) -> Solution {
    let mut solver = Solver::new(func, cfg, env);
    solver.slice = slice;
    solver.run();
    let View { model, interner, elements, gates, .. } = solver.view;
    Solution { model, interner, elements, gates }
}

/// The values that are `blockDim.x` and `blockDim.y`, if something may follow from them: if rows are assumed to be whole
/// warps, or if there may be a flat index of a thread in its block.
fn extents(func: &Func, env: &Environment<'_>) -> [Option<u32>; 2] {
    let mut extents = [None; 2];
    let in_rows = env.geometry.rows == Some(Rows::WholeWarps);
    if env.geometry.exact.is_some() || !(in_rows || env.intrinsics.has_depth()) {
        return extents;
    }
    let wanted = if env.intrinsics.has_depth() { 2 } else { 1 };
    for inst in func.insts.keys() {
        if extents[..wanted].iter().all(Option::is_some) {
            break;
        }
        let Some(id) = func.called_intrinsic(inst) else { continue };
        if let LaneRule::BlockSize(dim @ (0 | 1)) = env.intrinsics.class(id) {
            extents[dim].get_or_insert(func.result(inst).as_u32());
        }
    }
    extents
}

/// The state at the fixed point; `Facts` wraps it.
pub struct Solution {
    pub model: LaneModel,
    pub interner: Interner,
    pub elements: Vec<Element>,
    pub gates: Gates,
}

impl<'a> Solver<'a> {
    fn new(func: &'a Func, cfg: &'a Cfg, env: &'a Environment<'a>) -> Self {
        let forms = (func.insts.len() / 3).min(128) + 4;
        let view = View {
            func,
            cfg,
            env,
            model: LaneModel::new(&env.geometry).with_extents(extents(func, env)),
            elements: vec![Element::BOTTOM; func.value_count()],
            gates: Gates::open(func.blocks.len(), cfg.cycles.len()),
            ranges: RangeMemory::default(),
            interner: Interner::with_capacity(func.insts.len() / 32 + forms, func.consts.len() + 2),
        };
        let mut solver = Solver {
            func,
            cfg,
            env,
            view,
            slice: None,
            lone: Lone::default(),
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

    /// Queues those readers of the result of an instruction that satisfy `wanted`.
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

    /// Sets the elements of arguments and constants.
    fn seed(&mut self) {
        for index in 0..self.func.params.len() {
            self.view.elements[index] = self.view.interner.intern_or_divergent(self.env.arguments.claim(index));
        }
        for (value, data) in self.func.constants() {
            let rest = match data {
                ConstData::Int(bits) => {
                    let width = self.func.int_bits(value).unwrap_or(64).min(64);
                    Rest::Const(crate::affine::form::wrap(bits as i64, width))
                }
                // with clusters, the generic address of shared memory differs between blocks
                ConstData::Address(global)
                    if global.space == space::SHARED
                        && self.func.type_info(value).kind.space() != Some(global.space) =>
                {
                    Rest::Uniform { scope: Scope::Block, align: 0 }
                }
                _ => Rest::Uniform { scope: Scope::Grid, align: 0 },
            };
            self.view.elements[value.index()] = self.view.interner.intern_rest(rest);
        }
    }

    fn run(&mut self) {
        let order = self.cfg.cycles.order();
        let func = self.func;
        let slice = self.slice;
        let looks_ahead = !self.cfg.cycles.is_empty();
        for (index, &block) in order.iter().enumerate() {
            self.frontier = index as u32;
            // whether one lane of a warp at a time executes it
            if !self.lone.is_empty() {
                self.lone.enter(&self.view, block);
            }
            for inst in func.block_insts(block) {
                let data = &func.insts[inst];
                let element = match data.opcode {
                    Opcode::Br | Opcode::Ret | Opcode::Unreachable | Opcode::Store | Opcode::Fence => continue,
                    _ if slice.is_some_and(|slice| !slice.contains(inst.index())) => continue,
                    Opcode::CondBr | Opcode::Switch | Opcode::OtherTerminator => {
                        self.visit_branch(inst);
                        continue;
                    }
                    Opcode::Phi if looks_ahead && self.lone.is_empty() => {
                        let element = self.view.phi(inst);
                        self.view.look_ahead(inst, element)
                    }
                    _ => self.result_of(inst, data),
                };
                self.view.elements[func.result(inst).index()] = element;
            }
        }
        self.frontier = SETTLING;
        // what the sweep could not know: values along back edges
        for &entry in self.cfg.cycles.iter().flat_map(|cycle| self.cfg.cycles.entries(cycle)) {
            func.phis(entry).for_each(|phi| self.mark(phi));
        }
        self.drain();
        while self.release_undefined() {
            self.drain();
        }
    }

    /// Phis that only see undefined values, or each other, stay at bottom and hold back everything that depends on
    /// them. This makes each of them one unknown number. Returns whether there were any.
    fn release_undefined(&mut self) -> bool {
        let (func, cfg) = (self.func, self.cfg);
        let mut stuck: Vec<Inst> = Vec::new();
        for &block in cfg.cycles.order() {
            stuck.extend(func.phis(block).filter(|&phi| self.view.elements[func.result(phi).index()].is_bottom()));
        }
        stuck.retain(|phi| self.slice.is_none_or(|slice| slice.contains(phi.index())));
        for &phi in &stuck {
            self.view.elements[func.result(phi).index()] = Element::uniform(Scope::Grid);
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

    /// The first dirty instruction in a range.
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

    /// What the rule of an instruction with a result says of it.
    #[inline]
    fn result_of(&mut self, inst: Inst, data: &InstData) -> Element {
        let element = match data.opcode {
            Opcode::Phi => self.view.phi(inst),
            _ => self.view.transfer(inst, data),
        };
        // one lane agrees with itself
        if element.is_divergent() && !self.lone.is_empty() && self.lone.holds(data.block) {
            Element::uniform(Scope::Warp)
        } else {
            element
        }
    }

    fn visit(&mut self, inst: Inst) {
        let func = self.func;
        let data = &func.insts[inst];
        match data.opcode {
            Opcode::CondBr | Opcode::Switch | Opcode::OtherTerminator => return self.visit_branch(inst),
            Opcode::Br | Opcode::Ret | Opcode::Unreachable | Opcode::Store | Opcode::Fence => return,
            _ => {}
        }
        let compares = matches!(data.opcode, Opcode::ICmp | Opcode::Or);
        if compares && !self.lone.is_empty() && self.lone.depends_on(inst) {
            // everything is visited in blocks of which it does not hold any more that one lane executes them
            for block in self.lone.revise(&mut self.view, inst) {
                func.block_insts(block).for_each(|inst| self.mark(inst));
            }
        }
        let mut new = self.result_of(inst, data);
        let value = self.func.result(inst);
        let old = self.view.elements[value.index()];
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
        self.view.elements[value.index()] = new;
        self.mark_readers(inst, |_, _| true);
    }

    /// Queues the readers whose rule looks through this instruction, although its own element did not change:
    /// `extractvalue` looks through `insertvalue` and checked arithmetic, a mask looks through shifts and casts.
    fn mark_readers_through(&mut self, inst: Inst) {
        self.mark_readers(inst, |solver, user| {
            let opcode = solver.func.insts[user].opcode;
            matches!(opcode, Opcode::ExtractValue | Opcode::InsertValue) || opcode.moves_bits()
        });
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
        let Some(form) = self.view.interner.form(new) else { return new };
        let mut coarse = form.clone().without_exactness();
        coarse.rest = Rest::Uniform { scope: form.rest.scope(), align: 0 };
        self.view.interner.intern(&coarse)
    }

    /// Queues an instruction that the sweep has passed; those ahead are visited anyway.
    fn mark(&mut self, inst: Inst) {
        let block = self.func.insts[inst].block;
        let position = self.cfg.cycles.position(block);
        let left_out = self.slice.is_some_and(|slice| !slice.contains(inst.index()));
        if position > self.frontier || !self.cfg.order.is_reachable(block) || left_out {
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
                let view = &mut self.view;
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
        let scope = if !self.lone.is_empty() && self.lone.holds(block) { scope.max(Some(Scope::Warp)) } else { scope };
        if scope.is_none() && self.frontier != SETTLING {
            self.lone.learn(&mut self.view, inst);
        }
        if !self.view.gates.narrow_branch(block, scope) {
            return;
        }
        let (graph, Cfg { order, cycles, .. }) = (&self.func.graph, self.cfg);
        // taken out of `self` while its answer is in use
        let mut sync = self.sync.take().unwrap_or_else(|| Box::new(SyncDependence::new(graph, order, cycles)));
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
        if !self.view.gates.narrow_join(block, gate) {
            return;
        }
        self.func.phis(block).for_each(|phi| self.mark(phi));
    }

    fn narrow_exit(&mut self, cycle: Cycle, gate: Gate) {
        if mutants::on(Mutant::NoExitGate) || !self.view.gates.narrow_exits(cycle, gate) {
            return;
        }
        if self.frontier != SETTLING {
            return; // the sweep is still in the cycle, and the users of its values outside come later
        }
        let (func, cfg) = (self.func, self.cfg);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::divergence::{ModuleAnalysis, Options};
    use warpwise_ir::llvm::owned::OwnedModule;
    use warpwise_oracle::fuzz::{Knobs, Mode, generate};

    /// Random kernels of each mode.
    const SEEDS: u64 = 60;

    /// Tests the solvers of random kernels at their fixed points.
    fn solved(test: impl Fn(&mut Solver<'_>, &str)) {
        for mode in Mode::ALL {
            for seed in 0..SEEDS {
                let kernel = generate(seed, &Knobs::of_mode(mode));
                let module = OwnedModule::from_text(&kernel.ir, "kernel").unwrap();
                let analysis = ModuleAnalysis::new(module.handle(), Options::default());
                let kernels = module.handle().functions().filter(|function| function.is_ptx_kernel());
                for function in kernels.filter(|function| !function.is_declaration()) {
                    analysis.with_environment(function, |outline, env| {
                        let mut solver = Solver::new(&outline.func, outline.cfg(), env);
                        solver.run();
                        test(&mut solver, &format!("seed {seed} mode {}", mode.name()));
                    });
                }
            }
        }
    }

    /// The reachable instructions with a result.
    fn results(solver: &Solver<'_>) -> Vec<Inst> {
        use Opcode::*;
        let insts = solver.cfg.cycles.order().iter().flat_map(|&block| solver.func.block_insts(block));
        let is_plain = |&inst: &Inst| {
            !matches!(
                solver.func.insts[inst].opcode,
                Br | CondBr | Switch | OtherTerminator | Ret | Unreachable | Store | Fence
            )
        };
        insts.filter(is_plain).collect()
    }

    fn rule(solver: &mut Solver<'_>, inst: Inst) -> Element {
        solver.result_of(inst, &solver.func.insts[inst])
    }

    /// How much is claimed of the lanes: the scope in which they agree, if they do.
    fn claim(solver: &mut Solver<'_>, element: Element) -> Option<Scope> {
        if element.is_bottom() { Some(Scope::Grid) } else { solver.view.scope_of(element) }
    }

    #[test]
    fn the_solution_satisfies_every_rule() {
        solved(|solver, name| {
            for inst in results(solver) {
                let (known, again) = (solver.view.elements[solver.func.result(inst).index()], rule(solver, inst));
                let is_coarse = solver.changes.get(&inst).is_some_and(|&count| count > COARSEN_AFTER);
                assert!(known == again || is_coarse, "{name}: {inst} is {known:?}, and by its rule {again:?}");
                assert!(claim(solver, known) <= claim(solver, again), "{name}: {inst} claims more than its rule");
            }
            for &block in solver.cfg.cycles.order() {
                solver.visit_branch(solver.func.terminator(block));
            }
            assert!(solver.queue.is_empty(), "{name}: a branch narrows a gate that is open");
        });
    }

    #[test]
    fn divergent_operands_make_no_result_uniform() {
        solved(|solver, name| {
            for inst in results(solver) {
                let known = rule(solver, inst);
                // one lane agrees with itself whatever the operands are
                if claim(solver, known).is_some() || solver.lone.holds(solver.func.insts[inst].block) {
                    continue;
                }
                for &operand in solver.func.operands(inst) {
                    let was = std::mem::replace(&mut solver.view.elements[operand.index()], Element::DIVERGENT);
                    let weaker = rule(solver, inst);
                    assert_eq!(
                        claim(solver, weaker),
                        None,
                        "{name}: {inst}, {:?}, agrees if {operand} is divergent, not as {was:?}; {weaker:?}",
                        solver.func.insts[inst].opcode
                    );
                    solver.view.elements[operand.index()] = was;
                }
            }
        });
    }
}
