//! Which comparisons of a value have a known outcome in a block? Those that decide a dominating branch, and those that
//! are assumed.
//!
//! They are found in one walk over the terminators (and over the calls, if the module declares `llvm.assume`) and
//! listed by the value compared. Most values have none, and for those a range query costs no search.

use super::environment::Environment;
use crate::cfg::Cfg;
use crate::mutants::{self, Mutant};
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{Opcode, Predicate};
use warpwise_ir::logic::Logic;

/// Maximum depth of a condition.
const MAX_DEPTH: u32 = 4;

/// A comparison of a value whose outcome is known in some blocks.
pub struct Guard {
    /// `value PREDICATE other`.
    pub predicate: Predicate,
    pub other: Value,
    /// The block of the comparison.
    pub home: Block,
    outcome: Outcome,
    next: Next,
}

/// Where the outcome is known.
#[derive(Clone, Copy)]
enum Outcome {
    /// True in all blocks dominated by `yes`, false in all blocks dominated by `no`.
    Branch { yes: PackedOption<Block>, no: PackedOption<Block> },
    /// True in all blocks that this block strictly dominates.
    Assumed(Block),
}

impl Outcome {
    /// Where it is known to be true.
    fn if_true(self) -> Option<Outcome> {
        match self {
            Outcome::Branch { yes, .. } => yes.is_some().then_some(Outcome::Branch { yes, no: None.into() }),
            assumed => Some(assumed),
        }
    }
    /// Where it is known to be false.
    fn if_false(self) -> Option<Outcome> {
        match self {
            Outcome::Branch { no, .. } => no.is_some().then_some(Outcome::Branch { yes: None.into(), no }),
            Outcome::Assumed(_) => None,
        }
    }
    /// That of the negation. An assumed negation says nothing here: comparisons are negated themselves.
    fn negated(self) -> Option<Outcome> {
        match self {
            Outcome::Branch { yes, no } => Some(Outcome::Branch { yes: no, no: yes }),
            Outcome::Assumed(_) => None,
        }
    }
}

/// One more than a position in the list; zero ends the list.
type Next = u32;

/// The guards of a function, by the value that they compare.
pub struct Guards {
    first: Vec<Next>,
    guards: Vec<Guard>,
}

impl Guards {
    /// Collects them.
    pub fn new(func: &Func, env: &Environment<'_>) -> Guards {
        let mut list = Guards { first: vec![0; func.value_count()], guards: Vec::with_capacity(func.blocks.len()) };
        // in reverse, because each guard is pushed to the front of its list
        for block in func.blocks.keys().rev() {
            let end = func.terminator(block);
            if let (Opcode::CondBr, &[yes, no]) = (func.insts[end].opcode, func.graph.succs(block))
                && yes != no
            {
                let only_way = |to: Block| PackedOption::from((func.graph.preds(to).len() == 1).then_some(to));
                let outcome = Outcome::Branch { yes: only_way(yes), no: only_way(no) };
                list.compare(func, func.condition(end), outcome, MAX_DEPTH);
            }
        }
        if let Some(assume) = env.intrinsics.assume() {
            for call in func.insts.keys().rev().filter(|&inst| func.insts[inst].opcode == Opcode::Call) {
                if func.call(call).callee == Callee::Intrinsic(assume) {
                    let outcome = Outcome::Assumed(func.insts[call].block);
                    list.compare(func, func.operands(call).first().copied(), outcome, MAX_DEPTH);
                }
            }
        }
        list
    }

    /// Records the integer comparisons in a condition with a known outcome: the condition itself, and the parts of an
    /// `and` that is true, of an `or` that is false, of a select that stands for one of the two, and of a negation.
    fn compare(&mut self, func: &Func, condition: Option<Value>, outcome: Outcome, depth: u32) {
        let Some(def) = condition.and_then(|condition| func.def(condition)) else { return };
        let data = &func.insts[def];
        if let (Opcode::ICmp, &[left, right]) = (data.opcode, func.operands(def)) {
            if let Some(predicate) = Predicate::from_sub(data.sub).filter(|_| left != right) {
                self.enter(func, def, left, right, predicate, outcome);
                self.enter(func, def, right, left, predicate.swapped(), outcome);
            }
            return;
        }
        let either = mutants::on(Mutant::GuardEither) && data.opcode == Opcode::And;
        let (parts, outcome) = match func.logic(def) {
            Some(Logic::And(parts)) if either => (parts, Some(outcome)),
            Some(Logic::And(parts)) => (parts, outcome.if_true()),
            Some(Logic::Or(parts)) => (parts, outcome.if_false()),
            Some(Logic::Not(part)) => ([part; 2], outcome.negated()),
            None => return,
        };
        let Some(outcome) = outcome.filter(|_| depth > 0) else { return };
        self.compare(func, Some(parts[0]), outcome, depth - 1);
        if parts[1] != parts[0] {
            self.compare(func, Some(parts[1]), outcome, depth - 1);
        }
    }

    fn enter(
        &mut self,
        func: &Func,
        compare: Inst,
        value: Value,
        other: Value,
        predicate: Predicate,
        outcome: Outcome,
    ) {
        if func.constant(value).is_none() {
            let first = &mut self.first[value.index()];
            let home = func.insts[compare].block;
            self.guards.push(Guard { predicate, other, home, outcome, next: *first });
            *first = self.guards.len() as Next;
        }
    }

    /// The comparisons of a value.
    #[inline]
    pub fn of(&self, value: Value) -> impl Iterator<Item = &Guard> {
        let mut next = self.first[value.index()];
        std::iter::from_fn(move || {
            let guard = self.guards.get((next as usize).checked_sub(1)?)?;
            next = guard.next;
            Some(guard)
        })
    }
}

impl Guard {
    /// The outcome of the comparison, if it is known whenever `at` executes.
    pub fn outcome_at(&self, func: &Func, cfg: &Cfg, at: Block) -> Option<bool> {
        // what dominates a block is its ancestor in every walk; often that settles it, and no dominators are needed
        let dominates = |block: Block| {
            block == at || (cfg.order.is_ancestor(block, at) && cfg.dominators(&func.graph).dominates(block, at))
        };
        let decides = |block: PackedOption<Block>| block.expand().is_some_and(dominates);
        match self.outcome {
            Outcome::Branch { yes, .. } if decides(yes) => Some(true),
            Outcome::Branch { no, .. } if decides(no) => Some(mutants::on(Mutant::GuardSense)),
            Outcome::Assumed(block) if block != at && dominates(block) => Some(true),
            _ => None,
        }
    }
}
