//! What is known about a function before anything is solved?
//!
//! The function, its control flow, and the users of each value: enough for questions about registers and positions. The
//! results about lanes ([`Facts`](super::Facts)) are built on an outline, and cost about as much again.

use super::intrinsic_table::class_of_intrinsic;
use super::intrinsics::LaneRule;
use crate::affine::Form;
use crate::affine::lanes::LaneModel;
use crate::cfg::cycles::Cycle;
use crate::cfg::{Cfg, Dominators};
use std::cell::OnceCell;
use std::rc::Rc;
use warpwise_ir::Func;
use warpwise_ir::call::Memory;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::geometry::Geometry;
use warpwise_ir::inst::Opcode;
use warpwise_ir::users::Users;

/// A function and its control flow.
pub struct Outline {
    pub func: Func,
    pub geometry: Geometry,
    pub(super) cfg: Rc<Cfg>,
    users: OnceCell<Users>,
}

impl Outline {
    /// Computes the block order and the cycles.
    pub fn new(mut func: Func, geometry: Geometry) -> Outline {
        let cfg = Rc::new(Cfg::new(&func.graph));
        if cfg.order.preorder().len() < func.blocks.len() {
            func.forget_unreachable(|block| cfg.order.is_reachable(block));
        }
        Outline { func, geometry, cfg, users: OnceCell::new() }
    }
    /// The same function, launched with at most `threads` threads per block.
    pub fn with_thread_bound(mut self, threads: u32) -> Outline {
        self.geometry.max_threads = Some(threads);
        self
    }
    /// The facts about control flow.
    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }
    /// The instructions of a cycle.
    pub fn insts_in(&self, cycle: Cycle) -> impl Iterator<Item = Inst> + '_ {
        self.cfg.cycles.blocks(cycle).iter().flat_map(|&block| self.func.block_insts(block))
    }
    /// Whether a block can be reached from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.cfg.order.is_reachable(block)
    }
    /// Dominators.
    pub fn dominators(&self) -> &Dominators {
        self.cfg.dominators(&self.func.graph)
    }
    /// The users of a value.
    pub fn users(&self, value: Value) -> &[Inst] {
        self.users.get_or_init(|| Users::new(&self.func)).of(value)
    }
    /// Whether the back end may join it with another instruction into a multiply-add: a product that a sum uses, with its
    /// sign perhaps changed, or such a sum. In which blocks they are then decides about the last bit of the result.
    pub fn may_be_contracted(&self, inst: Inst) -> bool {
        let opcode = |inst: Inst| self.func.insts[inst].opcode;
        let is_sum = |inst: Inst| matches!(opcode(inst), Opcode::FAdd | Opcode::FSub);
        let users = |inst: Inst| self.users(self.func.result(inst)).iter().copied();
        let is_product = |value: Value| self.func.float_product(value).is_some();
        match opcode(inst) {
            Opcode::FMul => {
                users(inst).any(|user| is_sum(user) || (opcode(user) == Opcode::FNeg && users(user).any(is_sum)))
            }
            Opcode::FNeg => is_product(self.func.result(inst)) && users(inst).any(is_sum),
            Opcode::FAdd | Opcode::FSub => self.func.operands(inst).iter().any(|&value| is_product(value)),
            Opcode::FpCast => self.func.is_narrowing(inst),
            _ => false,
        }
    }
    /// Whether a call is of an intrinsic without operands on whose result all lanes of a warp agree, as the solver
    /// would find; `lanes` belongs to the geometry.
    pub fn reads_together(&self, call: Inst, lanes: &LaneModel) -> bool {
        if !self.func.operands(call).is_empty() {
            return false;
        }
        match self.lane_rule(call) {
            Some(LaneRule::Index(base)) => lanes.max(base) == 0 || lanes.scope_of(&Form::base(base)).is_some(),
            Some(LaneRule::Pure | LaneRule::PureInBlock) => true,
            rule => rule.is_some_and(LaneRule::is_of_register),
        }
    }
    /// How the result of an intrinsic relates across lanes; `None` if the instruction calls none.
    fn lane_rule(&self, inst: Inst) -> Option<LaneRule> {
        let id = self.func.called_intrinsic(inst)?;
        let data = self.func.call(inst);
        Some(class_of_intrinsic(id, data.memory == Memory::None && !data.convergent))
    }
}
