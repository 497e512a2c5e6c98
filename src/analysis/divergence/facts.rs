//! What does the analysis know about a function? The immutable result, and every query on it.
//!
//! [`Findings`] are the results without the function itself (summaries borrow the function). [`Facts`] own both, and
//! answer like their [`Outline`] where no question about lanes is asked. Nothing here changes after construction, and
//! no caller sees solver state.

use super::environment::Environment;
use super::gates::{Gates, OPEN};
use super::outline::Outline;
use super::solver::{Solution, solve};
use crate::affine::interner::{Element, Interner};
use crate::affine::join::join;
use crate::affine::lanes::LaneModel;
use crate::affine::{Form, Scope};
use crate::cfg::Cfg;
use crate::cfg::convergence::{BlockTraits, Convergence};
use crate::cfg::cycles::Cycle;
use crate::mutants::{self, Mutant};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use std::cell::OnceCell;
use std::rc::Rc;
use warpwise_ir::Func;
use warpwise_ir::call::{Callee, Memory};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::types::TypeKind;

/// What is known about a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Class<'a> {
    /// Its block is never executed.
    Unreached,
    /// A known number, the same in all lanes (sign-extended).
    Constant(i64),
    /// An unknown value, the same for all lanes of the scope.
    Uniform(Scope),
    /// An affine form of thread indices that differs between lanes of a warp.
    Affine(&'a Form),
    Divergent,
}

impl Class<'_> {
    /// Whether all lanes of a warp agree on the value.
    pub fn is_uniform(&self) -> bool {
        matches!(self, Class::Constant(_) | Class::Uniform(_) | Class::Unreached)
    }
    /// The scope in which the value is the same; `None` if lanes of one warp may differ.
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Class::Constant(_) | Class::Unreached => Some(Scope::Grid),
            Class::Uniform(scope) => Some(*scope),
            Class::Affine(_) | Class::Divergent => None,
        }
    }
}

/// The results for one function.
pub struct Findings {
    cfg: Rc<Cfg>,
    model: LaneModel,
    interner: Interner,
    elements: Vec<Element>,
    gates: Gates,
    entry_convergent: bool,
    /// Computed on first use.
    convergence: OnceCell<Convergence>,
}

/// A function and everything that is known about it.
pub struct Facts {
    outline: Outline,
    findings: Findings,
}

impl std::ops::Deref for Facts {
    type Target = Outline;
    fn deref(&self) -> &Outline {
        &self.outline
    }
}

impl Facts {
    /// Runs the analysis.
    pub fn compute(outline: Outline, env: &Environment<'_>) -> Facts {
        let solution = solve(&outline.func, &outline.cfg, env);
        let findings = Findings::new(outline.cfg.clone(), solution, env);
        Facts { outline, findings }
    }
    /// What holds for a function under an assumption.
    pub(super) fn assumed(outline: Outline, findings: Findings) -> Facts {
        Facts { outline, findings }
    }
    /// The same facts, restricted to launches with at most `threads` threads per block. What holds for all launches
    /// holds for those.
    pub fn with_thread_bound(self, threads: u32) -> Facts {
        Facts { outline: self.outline.with_thread_bound(threads), findings: self.findings }
    }
    /// The class of a value where it is defined.
    pub fn class(&self, value: Value) -> Class<'_> {
        let element = self.findings.elements[value.index()];
        if element.is_bottom() {
            // a phi of undefined values in a reachable block: nothing is claimed
            let reached = self.func.def(value).is_none_or(|def| self.is_reachable(self.func.insts[def].block));
            return if reached { Class::Divergent } else { Class::Unreached };
        }
        self.findings.interner.form(element).map_or(Class::Divergent, |form| self.class_of_form(form))
    }
    /// The number of reachable instructions whose result is uniform, affine and divergent.
    pub fn tally(&self) -> [u32; 3] {
        let (func, findings) = (&self.func, &self.findings);
        let mut counts = [0; 3];
        for block in func.blocks.keys().filter(|&block| self.is_reachable(block)) {
            for inst in func.block_insts(block) {
                if func.types[func.insts[inst].ty].kind == TypeKind::Void {
                    continue;
                }
                let element = findings.elements[func.result(inst).index()];
                let kind = match findings.interner.form(element) {
                    None => 2,
                    Some(_) if element.plain_scope().is_some() => 0,
                    Some(form) => usize::from(!self.class_of_form(form).is_uniform()),
                };
                counts[kind] += 1;
            }
        }
        counts
    }
    /// The scope in which lanes agree on a value where it is defined; `None` if lanes of one warp may differ.
    pub fn scope(&self, value: Value) -> Option<Scope> {
        self.class(value).scope()
    }
    /// The form of a value where it is defined, including forms that geometry makes uniform.
    pub fn form(&self, value: Value) -> Option<&Form> {
        self.findings.interner.form(self.findings.elements[value.index()])
    }
    /// The form of a value as a use in `block` sees it, after the gates of the cycles in between. `None` is divergent.
    pub fn form_at_use(&self, value: Value, block: Block) -> Option<Form> {
        self.findings.form_at(&self.func, value, block)
    }
    /// The scope in which lanes agree on a value as a use in `block` sees it.
    pub fn scope_at_use(&self, value: Value, block: Block) -> Option<Scope> {
        self.findings.scope_at(&self.func, value, block)
    }
    /// Whether lanes of one warp may take different successors at the end of a block.
    pub fn is_divergent_branch(&self, block: Block) -> bool {
        self.findings.branch_scope(block).is_none()
    }
    /// Whether every dynamic instance of a block is executed either by all lanes of the warp that have not exited or by
    /// none.
    pub fn is_convergent(&self, block: Block) -> bool {
        self.findings.convergence(&self.func).is_convergent(block)
    }
    /// The class of a form under the geometry of the launch.
    pub fn class_of_form<'a>(&self, form: &'a Form) -> Class<'a> {
        if let Some(value) = form.as_constant() {
            return Class::Constant(value);
        }
        self.lanes().scope_of(form).map_or(Class::Affine(form), Class::Uniform)
    }
    /// The scope in which lanes take the same successor at the end of a block; grid if there is only one.
    pub fn branch_scope(&self, block: Block) -> Option<Scope> {
        self.findings.branch_scope(block)
    }
    /// The scope in which lanes reach a block by the same path.
    pub fn join_scope(&self, block: Block) -> Option<Scope> {
        self.findings.gates.of_join(block)
    }
    /// The scope in which lanes leave a cycle in the same iteration.
    pub fn exit_scope(&self, cycle: Cycle) -> Option<Scope> {
        self.findings.gates.of_exits(cycle)
    }
    /// What the launch geometry says about lanes.
    pub fn lanes(&self) -> &LaneModel {
        &self.findings.model
    }
    /// Whether a value has another class after the cycle that defines it: the outermost such cycle, and the form after
    /// it (`None`: divergent).
    pub fn after_cycle(&self, value: Value) -> Option<(Cycle, Option<Form>)> {
        let func = &self.func;
        let def = func.def(value)?;
        let home = self.findings.cfg.cycles.cycle_of(func.insts[def].block)?;
        let inside = self.findings.elements[value.index()];
        if inside.is_bottom() || inside.is_divergent() {
            return None;
        }
        let mut worst: Option<(Cycle, Option<Form>)> = None;
        for &user in self.users(value) {
            let user_block = func.insts[user].block;
            if self.findings.cfg.cycles.contains(home, user_block) {
                continue;
            }
            let left = self.findings.cfg.cycles.left(home, user_block).last()?;
            let form = self.findings.form_at(func, value, user_block);
            let same = form.as_ref() == self.form(value);
            let weaker = match (&worst, &form) {
                (None, _) => true,
                (Some((_, None)), _) => false,
                (Some(_), None) => true,
                (Some((_, Some(old))), Some(new)) => new.rest.scope() < old.rest.scope(),
            };
            if !same && weaker {
                worst = Some((left, form));
            }
        }
        worst
    }
}

impl Findings {
    /// Takes over the state that the solver reached.
    pub(super) fn new(cfg: Rc<Cfg>, solution: Solution, env: &Environment<'_>) -> Findings {
        let Solution { model, interner, elements, gates } = solution;
        Findings {
            cfg,
            model,
            interner,
            elements,
            gates,
            entry_convergent: env.entry_convergent,
            convergence: OnceCell::new(),
        }
    }

    /// Which blocks are executed by whole warps; computed on first use.
    pub(super) fn convergence(&self, func: &Func) -> &Convergence {
        self.convergence.get_or_init(|| self.convergence_from(func, self.entry_convergent))
    }

    /// The same, for lanes that enter the function together, or that may not (`entry_convergent`).
    pub(super) fn convergence_from(&self, func: &Func, entry_convergent: bool) -> Convergence {
        let cycles = &self.cfg.cycles;
        let mut divergent = FixedBitSet::with_capacity(func.blocks.len());
        for block in func.blocks.keys() {
            let leaves = || {
                let mut cycle = cycles.cycle_of(block).into_iter();
                cycle.any(|cycle| cycles.exit_edges(&func.graph, cycle).any(|edge| edge.0 == block))
            };
            let together = mutants::on(Mutant::ConvergentExits) && leaves();
            if self.branch_scope(block).is_none() && !together {
                divergent.insert(block.index());
            }
        }
        Convergence::compute(&func.graph, cycles, &divergent, entry_convergent, |block| block_traits(func, block))
    }

    /// As [`Facts::form_at_use`].
    pub(super) fn form_at(&self, func: &Func, value: Value, block: Block) -> Option<Form> {
        let form = self.interner.form(self.elements[value.index()])?;
        let home = func.def(value).and_then(|def| self.cfg.cycles.cycle_of(func.insts[def].block));
        match home.and_then(|home| self.gates.leave((func, &self.cfg), form, home, [block, block])) {
            None => Some(form.clone()),
            Some(outside) => outside.map(|form| self.model.prove_exact(form, func.int_bits(value).unwrap_or(0))),
        }
    }

    /// As [`Facts::scope_at_use`].
    pub(super) fn scope_at(&self, func: &Func, value: Value, block: Block) -> Option<Scope> {
        self.model.scope_of(&self.form_at(func, value, block)?)
    }

    pub(super) fn branch_scope(&self, block: Block) -> Option<Scope> {
        self.gates.of_branch(block)
    }
    /// Whether a block can be reached from the entry.
    pub(super) fn is_reachable(&self, block: Block) -> bool {
        self.cfg.order.is_reachable(block)
    }

    /// The form of the returned value, if lanes that called together agree on it.
    pub(super) fn returned(&self, func: &Func) -> Option<Form> {
        let returns: Vec<(Block, Value)> = func
            .blocks
            .keys()
            .filter(|&block| self.is_reachable(block))
            .filter_map(|block| {
                let inst = func.terminator(block);
                let value = (func.insts[inst].opcode == Opcode::Ret).then(|| func.operands(inst).first().copied());
                value.flatten().map(|value| (block, value))
            })
            .collect();
        let mut gate = OPEN;
        if returns.len() > 1 {
            // any branch may decide which return a lane reaches
            for block in func.blocks.keys() {
                gate = gate.min(self.branch_scope(block));
            }
        }
        let mut joined: Option<Form> = None;
        for (block, value) in returns {
            let form = self.form_at(func, value, block)?;
            joined = Some(match joined {
                None => form,
                Some(so_far) => join(&so_far, &form, gate)?,
            });
        }
        joined.filter(|form| form.symbols().next().is_none()) // a symbol means nothing to a caller
    }
}

/// What the convergence analysis needs to know about the instructions of a block.
fn block_traits(func: &Func, block: Block) -> BlockTraits {
    let data = func.blocks[block];
    // lanes that return from a device function have not exited: their callers continue, and full masks still include
    // them
    let exits = func.is_kernel || mutants::on(Mutant::CalleeGuards);
    let is_return = exits && func.insts[func.terminator(block)].opcode == Opcode::Ret;
    let has_sync = func.block_insts(block).any(|inst| may_synchronise(func, inst));
    BlockTraits { has_sync, is_return, is_bare: is_return && data.end - data.first == 1 }
}

/// Whether an instruction may wait for, vote with or signal other lanes.
pub fn may_synchronise(func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match data.opcode {
        Opcode::Fence | Opcode::AtomicRmw | Opcode::CmpXchg => true,
        Opcode::Load | Opcode::Store => data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC),
        Opcode::Call => {
            let call = func.call(inst);
            match call.callee {
                Callee::Intrinsic(_) => call.convergent || (call.memory == Memory::ReadWrite && !call.will_return),
                _ => true,
            }
        }
        Opcode::OtherTerminator | Opcode::Other => true,
        _ => false,
    }
}
