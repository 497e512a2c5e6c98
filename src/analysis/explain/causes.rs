//! Why does a branch diverge? The shortest chain of values from a source of divergence to its condition.
//!
//! One breadth-first walk from all sources at once, over the finished facts:
//!
//! 1. A value *varies* if lanes of one warp may disagree on it. It is a **source** if no operand of it varies where it
//!    is used and no divergent path explains it: thread indices, atomics, loads of a thread's own memory, unknown
//!    calls, exchanges between lanes, arguments of functions with unknown callers.
//! 2. From a varying value the walk goes to its varying users (**data**). From a divergent branch it goes to the phis
//!    of the joins that the branch decides, if no incoming value varies (**join**, the γ of gated SSA), and to uses
//!    outside the cycles that lanes leave in different iterations (**iteration**, the η).
//! 3. Each value remembers the link by which it was first reached; a chain follows these links back to its source.
//!
//! Values that the walk does not reach diverge because the analysis gave up (too many terms, an irregular cycle above
//! its cap): [`Source::Unknown`]. Cost: linear in instructions and uses, plus one split per divergent branch.

use super::asm::{self, Culprit};
use crate::affine::form::Base;
use crate::cfg::SyncDependence;
use crate::cfg::cycles::Cycle;
use crate::divergence::facts::Facts;
use crate::divergence::intrinsic_table::class_of_intrinsic;
use crate::divergence::intrinsics::LaneRule;
use cranelift_entity::EntityRef;
use std::collections::VecDeque;
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::handle::intrinsic_name;

/// Where divergence starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    ThreadIndex(Base),
    /// A special register that differs between lanes or over time.
    Register(Value),
    Atomic(Value),
    /// A volatile or atomic load.
    VolatileLoad(Value),
    /// A load from memory of which each thread may have its own.
    OwnMemory(Value),
    /// A shuffle, match or similar exchange between lanes.
    Exchange(Value),
    /// The result of inline PTX.
    Assembly(Value),
    /// A call whose effect is unknown.
    Call(Value),
    Argument(Value),
    /// The address of a stack object in a frame that may be at different addresses in different lanes.
    StackObject(Value),
    /// The address of a stack object that is allocated during execution.
    DynamicObject(Value),
    /// `freeze` of something that may be undefined.
    Undefined(Value),
    /// The analysis gave up.
    Unknown(Value),
}

/// How divergence reached a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Via {
    /// An operand varies.
    Data,
    /// Lanes reach the value's block by different paths, separated at the branch that ends this block.
    Join(Block),
    /// Lanes left the cycle in different iterations, at the branch that ends this block.
    Iteration(Cycle, Block),
}

/// One value of a chain, and how divergence reached it from the value before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub value: Value,
    pub via: Via,
}

/// From the source to the condition of the branch: the source itself, then the steps, the last of which is the
/// condition (unless the source is the condition).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    pub source: Source,
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy)]
struct Link {
    from: Option<Value>,
    via: Via,
}

/// The links of every varying value of a function.
pub struct Causes<'a> {
    facts: &'a Facts,
    /// How a value came to vary where it is defined.
    links: Vec<Option<Link>>,
    /// How a value that is uniform where it is defined came to vary after its cycle.
    outside: Vec<Option<Link>>,
}

impl<'a> Causes<'a> {
    /// Walks the function once.
    pub fn new(facts: &'a Facts) -> Causes<'a> {
        let count = facts.func.value_count();
        let mut causes = Causes { facts, links: vec![None; count], outside: vec![None; count] };
        CauseSearch::new(&mut causes).run();
        causes
    }

    /// The chain that makes a branch divergent; `None` for terminators without a condition.
    pub fn of_branch(&self, block: Block) -> Option<Chain> {
        let condition = self.facts.func.condition(self.facts.func.terminator(block))?;
        Some(self.of_use(condition, block))
    }

    /// The chain that makes a value divergent for a use in `at`.
    pub fn of_use(&self, value: Value, at: Block) -> Chain {
        let mut steps = Vec::new();
        let mut current = value;
        let mut link = match self.links[value.index()] {
            Some(link) => Some(link),
            None if self.facts.scope_at_use(value, at).is_none() => self.outside[value.index()],
            None => None,
        };
        // each link leads to a value that was reached earlier, so the loop ends
        while let Some(Link { from: Some(from), via }) = link {
            steps.push(Step { value: current, via });
            current = from;
            link = self.links[from.index()].or(self.outside[from.index()]);
        }
        steps.reverse();
        let source = match link {
            Some(_) => source_of(self.facts, current),
            None => Source::Unknown(current),
        };
        Chain { source, steps }
    }
}

struct CauseSearch<'c, 'a> {
    causes: &'c mut Causes<'a>,
    facts: &'a Facts,
    sync: SyncDependence<'a>,
    queue: VecDeque<Value>,
    branches: VecDeque<(Block, Value)>,
    seen_branch: Vec<bool>,
}

impl<'c, 'a> CauseSearch<'c, 'a> {
    fn new(causes: &'c mut Causes<'a>) -> Self {
        let facts = causes.facts;
        let sync = SyncDependence::new(&facts.func.graph, &facts.cfg().order, &facts.cfg().cycles);
        let seen_branch = vec![false; facts.func.blocks.len()];
        CauseSearch { causes, facts, sync, queue: VecDeque::new(), branches: VecDeque::new(), seen_branch }
    }

    /// Data links come first: branches are only followed when no value is left, so that control dependence explains
    /// only what data does not.
    fn run(&mut self) {
        self.sources();
        loop {
            if let Some(value) = self.queue.pop_front() {
                self.data(value);
            } else if let Some((block, condition)) = self.branches.pop_front() {
                self.control(block, condition);
            } else {
                return;
            }
        }
    }

    fn sources(&mut self) {
        let func = &self.facts.func;
        for index in 0..func.params.len() as u32 {
            if self.varies(func.param(index)) {
                self.reach(func.param(index), None, Via::Data);
            }
        }
        for inst in func.insts.keys() {
            let value = func.result(inst);
            if !self.facts.is_reachable(func.insts[inst].block) || !self.varies(value) {
                continue;
            }
            let starts = || func.insts[inst].opcode != Opcode::Phi && !self.has_varying_operand(inst);
            if is_source(func, inst) || starts() || self.is_own_load(inst) {
                self.reach(value, None, Via::Data);
            }
        }
    }

    fn varies(&self, value: Value) -> bool {
        self.facts.scope(value).is_none()
    }

    fn varies_at(&self, value: Value, at: Block) -> bool {
        self.facts.scope_at_use(value, at).is_none()
    }

    fn has_varying_operand(&self, inst: Inst) -> bool {
        let func = &self.facts.func;
        let at = func.insts[inst].block;
        func.operands(inst).iter().any(|&operand| self.varies_at(operand, at))
    }

    /// Whether an instruction loads from a stack object at an offset on which lanes agree. Such a load diverges whether
    /// or not lanes agree on the address of the object.
    fn is_own_load(&self, inst: Inst) -> bool {
        let func = &self.facts.func;
        if func.insts[inst].opcode != Opcode::Load {
            return false;
        }
        let mut pointer = func.operands(inst)[0];
        while let Some(def) = func.def(pointer) {
            let at = func.insts[def].block;
            match func.insts[def].opcode {
                Opcode::Alloca => return func.is_static_alloca(def),
                Opcode::AddrSpaceCast | Opcode::BitCast => {}
                Opcode::Gep if func.operands(def)[1..].iter().all(|&index| !self.varies_at(index, at)) => {}
                _ => return false,
            }
            pointer = func.operands(def)[0];
        }
        false
    }

    fn reach(&mut self, value: Value, from: Option<Value>, via: Via) {
        let link = &mut self.causes.links[value.index()];
        if link.is_none() {
            *link = Some(Link { from, via });
            self.queue.push_back(value);
        }
    }

    fn data(&mut self, value: Value) {
        let func = &self.facts.func;
        for &user in self.facts.users(value) {
            let block = func.insts[user].block;
            if !self.facts.is_reachable(block) || !self.varies_at(value, block) {
                continue;
            }
            if func.condition(user) == Some(value) {
                if self.facts.is_divergent_branch(block)
                    && !std::mem::replace(&mut self.seen_branch[block.index()], true)
                {
                    self.branches.push_back((block, value));
                }
            } else if self.varies(func.result(user)) {
                self.reach(func.result(user), Some(value), Via::Data);
            }
        }
    }

    fn control(&mut self, branch: Block, condition: Value) {
        let facts = self.facts;
        let func = &facts.func;
        let split = self.sync.split(branch);
        let mut joins: Vec<Block> = split.joins.to_vec();
        let exits: Vec<Cycle> = split.divergent_exits.to_vec();
        for &cycle in split.irregular {
            joins.extend(facts.cfg().cycles.blocks(cycle));
        }
        for join in joins {
            for phi in func.phis(join) {
                if self.varies(func.result(phi)) {
                    self.reach(func.result(phi), Some(condition), Via::Join(branch));
                }
            }
        }
        for cycle in exits {
            for &block in facts.cfg().cycles.blocks(cycle) {
                for inst in func.block_insts(block) {
                    self.leave(func.result(inst), cycle, branch, condition);
                }
            }
        }
    }

    /// Reaches the uses after a cycle of a value that is uniform inside it.
    fn leave(&mut self, value: Value, cycle: Cycle, branch: Block, condition: Value) {
        let func = &self.facts.func;
        if self.varies(value) || self.causes.outside[value.index()].is_some() {
            return;
        }
        let varies_outside = self.facts.users(value).iter().any(|&user| {
            let at = func.insts[user].block;
            !self.facts.cfg().cycles.contains(cycle, at) && self.varies_at(value, at)
        });
        if varies_outside {
            self.causes.outside[value.index()] =
                Some(Link { from: Some(condition), via: Via::Iteration(cycle, branch) });
            self.data(value);
        }
    }
}

/// Whether an instruction is divergent by itself, whatever its operands are.
fn is_source(func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match data.opcode {
        Opcode::AtomicRmw | Opcode::CmpXchg => true,
        Opcode::Load => data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC),
        Opcode::Call => match func.call(inst).callee {
            Callee::Intrinsic(id) => !matches!(
                class_of_intrinsic(id, true),
                LaneRule::Pure | LaneRule::PureInBlock | LaneRule::Vote | LaneRule::Reduction | LaneRule::ReadOnlyLoad
            ),
            Callee::Asm { .. } => func.assembly(inst).is_none_or(|program| asm::culprit(program).is_some()),
            _ => true,
        },
        _ => false,
    }
}

fn source_of(facts: &Facts, value: Value) -> Source {
    let func = &facts.func;
    let Some(inst) = func.def(value) else { return Source::Argument(value) };
    let data = &func.insts[inst];
    match data.opcode {
        Opcode::AtomicRmw | Opcode::CmpXchg => Source::Atomic(value),
        Opcode::Load if data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC) => Source::VolatileLoad(value),
        Opcode::Load => Source::OwnMemory(value),
        Opcode::Freeze => Source::Undefined(value),
        Opcode::Alloca if func.is_static_alloca(inst) => Source::StackObject(value),
        Opcode::Alloca => Source::DynamicObject(value),
        Opcode::Call => match func.call(inst).callee {
            Callee::Intrinsic(id) => {
                let name = intrinsic_name(id);
                match class_of_intrinsic(id, true) {
                    LaneRule::Index(base) => Source::ThreadIndex(base),
                    _ if name.starts_with("llvm.nvvm.read.ptx.sreg.") => Source::Register(value),
                    _ if is_exchange(&name) => Source::Exchange(value),
                    _ if name.starts_with("llvm.nvvm.atomic") => Source::Atomic(value),
                    _ => Source::Call(value),
                }
            }
            Callee::Asm { .. } => match func.assembly(inst).and_then(asm::culprit) {
                Some(Culprit::Index(base)) => Source::ThreadIndex(base),
                _ => Source::Assembly(value),
            },
            _ => Source::Call(value),
        },
        _ => Source::Unknown(value),
    }
}

fn is_exchange(name: &str) -> bool {
    ["shfl", "match", "vote", "redux", "activemask", "elect"]
        .iter()
        .any(|what| name.strip_prefix("llvm.nvvm.").is_some_and(|rest| rest.starts_with(what)))
}
