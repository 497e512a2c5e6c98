//! Which uniform values and branches does ptxas not find by itself?
//!
//! **What ptxas finds** (13.0, sm_90, observed from the BSSY/BSYNC pairs that it omits; docs/ANNOTATE.md has the table):
//! kernel parameters, `ctaid` and the like, loads from uniform addresses, shuffles from a uniform lane, votes,
//! reductions, and everything computed from these. Of thread indices only this, with a one-dimensional `.reqntid`:
//! `tid.x >> k` with k ≥ 5, divisions of `tid.x` by powers of two from 32 up, `tid.x & mask` if the mask clears the low
//! five bits and keeps all others, and comparisons of `tid.x` with multiples of 32.
//!
//! **Hidden** is what the analysis finds uniform beyond that. A *leaf* is a hidden value whose uniformity does not come
//! from its operands: `tid.x / 32`, an argument of a device function on which all callers agree, a call answered by a
//! summary. From the leaves hiddenness propagates along uses, through joins that a hidden branch decides, and out of
//! cycles that lanes leave by a hidden branch.
//!
//! **Not critical**: correctness does not depend on this file. Calling too much hidden costs unnecessary votes (up to
//! 14 % measured); calling too little hidden misses an opportunity.
//!
//! **Cost**: linear in uniform instructions; no walk at all if there is no leaf.

use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_analysis::cfg::sync::SyncDependence;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::divergence::intrinsics::LaneRule;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::inst::{Opcode, Predicate};

/// Finds the hidden values of one function.
pub struct Ptxas<'a> {
    facts: &'a Facts,
}

/// Hidden values and branches.
pub struct Hidden {
    values: FixedBitSet,
    branches: FixedBitSet,
}

impl Hidden {
    /// The blocks that end in hidden branches, in function order.
    pub fn branches(&self) -> impl Iterator<Item = Block> + '_ {
        self.branches.ones().map(Block::new)
    }
    /// Whether there is no hidden branch.
    pub fn is_empty(&self) -> bool {
        self.branches.is_clear()
    }
}

impl<'a> Ptxas<'a> {
    /// Of one function.
    pub fn new(facts: &'a Facts) -> Self {
        Ptxas { facts }
    }

    /// The leaves, arguments first, then in function order.
    fn leaves(&self) -> Vec<Value> {
        let func = &self.facts.func;
        let mut leaves = Vec::new();
        if !func.is_kernel {
            let params = (0..func.params.len() as u32).map(|index| func.param(index));
            leaves.extend(params.filter(|&param| self.is_varying_uniform(param)));
        }
        for inst in func.insts.keys() {
            let value = func.result(inst);
            if self.is_varying_uniform(value) && self.is_leaf(inst) {
                leaves.push(value);
            }
        }
        leaves
    }

    /// Whether a value is uniform, reachable, and not a constant that LLVM will have folded.
    fn is_varying_uniform(&self, value: Value) -> bool {
        matches!(self.facts.class(value), warpwise_analysis::divergence::Class::Uniform(_))
    }

    fn is_leaf(&self, inst: Inst) -> bool {
        let func = &self.facts.func;
        match func.insts[inst].opcode {
            Opcode::Phi | Opcode::Alloca => false,
            Opcode::Call => match func.call(inst).callee {
                Callee::Intrinsic(_) => match self.facts.lane_rule(inst) {
                    Some(LaneRule::Index(_)) => true,
                    Some(LaneRule::Pure | LaneRule::ReadOnlyLoad) => self.has_varying_operand(inst),
                    _ => false,
                },
                Callee::Asm { .. } => self.has_varying_operand(inst),
                Callee::Function(_) | Callee::Indirect => true,
            },
            _ => self.has_varying_operand(inst) && !self.ptxas_knows_shape(inst),
        }
    }

    fn has_varying_operand(&self, inst: Inst) -> bool {
        let func = &self.facts.func;
        let block = func.insts[inst].block;
        func.operands(inst)
            .iter()
            .any(|&operand| func.constant(operand).is_none() && self.facts.scope_at_use(operand, block).is_none())
    }

    /// Whether an instruction is one of the shapes over `tid.x` that ptxas understands for a one-dimensional
    /// `.reqntid`.
    fn ptxas_knows_shape(&self, inst: Inst) -> bool {
        let func = &self.facts.func;
        // a shape given on the command line is not visible to ptxas
        if !func.geometry.exact.is_some_and(|shape| shape.y == 1 && shape.z == 1) {
            return false;
        }
        let &[a, b] = func.operands(inst) else { return false };
        let data = &func.insts[inst];
        let (index, number) = match (func.int_constant(a), func.int_constant(b)) {
            (None, Some(number)) => (a, number),
            (Some(number), None) if data.opcode == Opcode::ICmp => (b, number),
            _ => return false,
        };
        if !self.is_thread_index(index) {
            return false;
        }
        let warp = u64::from(WARP_SIZE);
        match data.opcode {
            Opcode::LShr | Opcode::AShr => number >= 5,
            Opcode::UDiv | Opcode::SDiv => number.is_power_of_two() && number >= warp,
            Opcode::And => {
                let upper = u64::from(self.facts.geometry.thread_bound().next_power_of_two() - 1) & !(warp - 1);
                number % warp == 0 && number & upper == upper
            }
            Opcode::ICmp => match Predicate::from_sub(data.sub) {
                Some(Predicate::Ult | Predicate::Uge | Predicate::Slt | Predicate::Sge) if index == a => {
                    number % warp == 0
                }
                Some(Predicate::Ugt | Predicate::Ule | Predicate::Sgt | Predicate::Sle) if index == a => {
                    number % warp == warp - 1
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a value is `tid.x` itself, widened or not.
    fn is_thread_index(&self, value: Value) -> bool {
        let func = &self.facts.func;
        let Some(inst) = func.def(value) else { return false };
        match func.insts[inst].opcode {
            Opcode::ZExt | Opcode::SExt | Opcode::Trunc => self.is_thread_index(func.operands(inst)[0]),
            _ => matches!(self.facts.lane_rule(inst), Some(LaneRule::Index(warpwise_analysis::affine::Base::TidX))),
        }
    }

    /// Everything that is hidden: the leaves, and what is hidden because they are.
    pub fn hidden(&self) -> Hidden {
        let func = &self.facts.func;
        let cfg = self.facts.cfg();
        let mut hidden = Hidden {
            values: FixedBitSet::with_capacity(func.value_count()),
            branches: FixedBitSet::with_capacity(func.blocks.len()),
        };
        let mut sync: Option<SyncDependence<'_>> = None;
        let mut work = self.leaves();
        hidden.values.extend(work.iter().map(|leaf| leaf.index()));
        while let Some(value) = work.pop() {
            for &user in self.facts.users(value) {
                let Some(branch) = self.reach(user, &mut hidden, &mut work) else { continue };
                let sync = sync.get_or_insert_with(|| SyncDependence::new(&func.graph, &cfg.order, &cfg.cycles));
                let split = sync.split(branch);
                for &join in split.joins {
                    for phi in func.phis(join) {
                        self.reach(phi, &mut hidden, &mut work);
                    }
                }
                for &cycle in split.divergent_exits {
                    self.leave_cycle(cycle, &mut hidden, &mut work);
                }
            }
        }
        hidden
    }

    /// Hides the result of an instruction with a hidden operand; returns the block if it is a branch that was not
    /// hidden before.
    fn reach(&self, inst: Inst, hidden: &mut Hidden, work: &mut Vec<Value>) -> Option<Block> {
        let func = &self.facts.func;
        let data = &func.insts[inst];
        if matches!(data.opcode, Opcode::CondBr | Opcode::Switch) {
            let uniform = func.graph.is_branch(data.block) && self.facts.branch_scope(data.block).is_some();
            return (uniform && !hidden.branches.put(data.block.index())).then_some(data.block);
        }
        let value = func.result(inst);
        if !self.ends_hiding(inst) && self.is_varying_uniform(value) && !hidden.values.put(value.index()) {
            work.push(value);
        }
        None
    }

    /// Hides values defined in a cycle that, as far as ptxas knows, lanes may leave separately, where they are used
    /// outside.
    fn leave_cycle(&self, cycle: warpwise_analysis::cfg::Cycle, hidden: &mut Hidden, work: &mut Vec<Value>) {
        let func = &self.facts.func;
        let cycles = &self.facts.cfg().cycles;
        for &block in cycles.blocks(cycle) {
            for inst in func.block_insts(block) {
                for &user in self.facts.users(func.result(inst)) {
                    let data = &func.insts[user];
                    let is_phi_outside = data.opcode == Opcode::Phi || !data.opcode.is_terminator();
                    if !cycles.contains(cycle, data.block) && is_phi_outside {
                        self.reach(user, hidden, work);
                    }
                }
            }
        }
    }

    /// Whether ptxas takes the result for uniform whatever the operands are.
    fn ends_hiding(&self, inst: Inst) -> bool {
        use LaneRule::{BlockReduction, PartialReduction, ShuffleIndex, Vote};
        matches!(self.facts.lane_rule(inst), Some(Vote | ShuffleIndex | BlockReduction | PartialReduction))
    }
}
