//! What does the analysis tell people? One remark per divergent branch, with the chain of its causes, and one per
//! access whose lane stride is known and not as good as it can be.
//!
//! Remarks: `DivergentBranch`, `LaneStride`, `BankConflict`, `SameAddress`; with [`Listen::everything`] also
//! `Coalesced`. Texts are lower case, without a final period, and name lines of the function's own file.

use super::causes::{Causes, Chain, Source, Step, Via};
use super::facts::Facts;
use super::stride::{self, Access, Cost, Pattern};
use super::words::{Words, base_word};
use crate::entity::{Block, Value};
use crate::ir::handles::Handles;
use crate::ir::inst::{Opcode, Predicate};
use crate::llvm::remark::{Host, Kind};
use rustc_hash::FxHashSet;

/// Intermediate values named in one remark.
const MAX_STEPS: usize = 3;

/// How much the listener wants to hear.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Listen {
    /// Also accesses that are as good as they can be.
    pub everything: bool,
}

/// Emits the analysis remarks of a function.
pub fn emit(facts: &Facts, handles: &Handles<'_>, host: &Host<'_>, listen: Listen) {
    if !host.wants(Kind::Analysis) {
        return;
    }
    let words = Words::new(facts, handles);
    let causes = Causes::new(facts);
    for block in facts.func.blocks.keys().filter(|&block| facts.is_divergent_branch(block)) {
        let at = handles.inst(facts.func.terminator(block));
        let message = match causes.of_branch(block) {
            Some(chain) => format!("branch diverges: {}", explain(facts, &words, &chain, block)),
            None => "branch diverges: warpwise does not know this kind of branch".to_owned(),
        };
        host.emit(Kind::Analysis, handles.function, Some(at), "DivergentBranch", &message);
    }
    // an unrolled loop repeats its accesses: one line of source says one thing once
    let mut said: FxHashSet<(Vec<(u32, u32)>, String)> = FxHashSet::default();
    for access in stride::accesses(facts) {
        if access.pattern == Pattern::Same && is_elected(facts, facts.func.insts[access.inst].block) {
            continue;
        }
        let Some(message) = stride::describe(&access, |value| words.value(value), listen.everything) else { continue };
        let at = handles.inst(access.inst);
        let first = std::iter::successors(at.debug_loc(), |loc| loc.inlined_at());
        let place: Vec<(u32, u32)> = first.map(|loc| (loc.line(), loc.column())).collect();
        if place.is_empty() || said.insert((place, message.clone())) {
            host.emit(Kind::Analysis, handles.function, Some(at), name_of(&access), &message);
        }
    }
}

/// Whether a block is only reached by lanes for which something is equal that differs between lanes, as behind
/// `if (threadIdx.x == 0)`: there, "every lane" would be said of one.
fn is_elected(facts: &Facts, block: Block) -> bool {
    let func = &facts.func;
    let dominators = facts.dominators();
    std::iter::successors(dominators.idom(block), |&above| dominators.idom(above)).any(|above| {
        let (Some(condition), [yes, no]) = (func.condition(func.terminator(above)), func.graph.succs(above)) else {
            return false;
        };
        let Some(compare) = func.def(condition).filter(|_| facts.is_divergent_branch(above) && yes != no) else {
            return false;
        };
        let equal = match (func.insts[compare].opcode, Predicate::from_sub(func.insts[compare].sub)) {
            (Opcode::ICmp, Some(Predicate::Eq)) => *yes,
            (Opcode::ICmp, Some(Predicate::Ne)) => *no,
            _ => return false,
        };
        func.graph.preds(equal).len() == 1 && dominators.dominates(equal, block)
    })
}

fn name_of(access: &Access) -> &'static str {
    match (&access.pattern, access.cost) {
        (Pattern::Same, _) => "SameAddress",
        (_, Cost::BankWays(2..)) => "BankConflict",
        (_, Cost::BankWays(_)) => "Coalesced",
        (_, Cost::Sectors { needed, ideal }) if needed <= ideal => "Coalesced",
        _ => "LaneStride",
    }
}

/// Why a branch diverges: "`i < n` depends on threadIdx.x through `i` (line 12)".
pub fn explain(facts: &Facts, words: &Words<'_, '_>, chain: &Chain, block: Block) -> String {
    let func = &facts.func;
    let Some(condition) = func.condition(func.terminator(block)) else { return String::new() };
    let shown = words.value(condition);
    let source = source_text(words, chain.source);
    let mut text = match chain.source {
        Source::Unknown(_) => format!("warpwise cannot tell that lanes agree on `{shown}`"),
        _ if chain.steps.is_empty() && shown == source => format!("`{shown}` differs between lanes"),
        _ => format!("`{shown}` depends on {source}"),
    };
    let mut told = vec![shown];
    let mut parts = Vec::new();
    for (step, is_condition) in noteworthy(facts, words, chain, condition, &mut told) {
        parts.push(step_text(facts, words, step, is_condition));
    }
    if !parts.is_empty() {
        text += " through ";
        text += &parts.join(", then ");
    }
    text
}

/// The steps worth a word, from source to condition: control always, data where the value is not already part of a text
/// the reader has seen; the middle is left out where there are too many.
fn noteworthy(
    facts: &Facts,
    words: &Words<'_, '_>,
    chain: &Chain,
    condition: Value,
    told: &mut Vec<String>,
) -> Vec<(Step, bool)> {
    let func = &facts.func;
    let mut kept: Vec<(Step, bool)> = Vec::new();
    // parts of the condition's own expression, on its line, are not told again
    let mut in_condition = true;
    let own_line = words.place_of(condition).map(|place| place.line);
    let near = |value: Value| words.place_of(value).is_none_or(|place| Some(place.line) == own_line);
    for &step in chain.steps.iter().rev() {
        let is_condition = step.value == condition;
        let is_plain = func.def(step.value).is_some_and(|inst| {
            !matches!(func.insts[inst].opcode, Opcode::Phi | Opcode::Load | Opcode::Call | Opcode::Select)
        });
        let keep = match step.via {
            Via::Join(_) | Via::Iteration(..) => true,
            Via::Data if is_condition || is_plain => false,
            Via::Data if in_condition && near(step.value) => false,
            Via::Data => {
                let text = words.value(step.value);
                !told.iter().any(|seen| seen.contains(&text)) && text != "…"
            }
        };
        in_condition &= step.via == Via::Data && (is_condition || is_plain);
        if keep {
            told.push(words.value(step.value));
            kept.push((step, is_condition));
        }
    }
    while kept.len() > MAX_STEPS {
        kept.remove(kept.len() / 2);
    }
    kept.reverse();
    kept
}

fn line(words: &Words<'_, '_>, value: Value) -> String {
    words.place_of(value).map_or(String::new(), |place| format!(" (line {})", place.line))
}

fn step_text(facts: &Facts, words: &Words<'_, '_>, step: Step, is_condition: bool) -> String {
    let name = match words.value(step.value) {
        unnamed if unnamed == "…" => "a value".to_owned(),
        name => format!("`{name}`"),
    };
    let at = |block: Block| {
        let branch = facts.func.terminator(block);
        words
            .place(branch)
            .or_else(|| words.place_of_block(block))
            .map_or(String::new(), |p| format!(" of line {}", p.line))
    };
    match step.via {
        Via::Data => format!("{name}{}", line(words, step.value)),
        Via::Join(branch) if is_condition => format!("the paths that part at the branch{}", at(branch)),
        Via::Join(branch) => format!("{name}, set on paths that part at the branch{}", at(branch)),
        Via::Iteration(_, branch) if is_condition => format!("the turn in which lanes leave the loop{}", at(branch)),
        Via::Iteration(_, branch) => format!("{name}, kept from the turn in which lanes leave the loop{}", at(branch)),
    }
}

/// A source in words.
pub fn source_text(words: &Words<'_, '_>, source: Source) -> String {
    let of = |value: Value| format!("`{}`{}", words.value(value), line(words, value));
    match source {
        Source::ThreadIndex(base) => base_word(base).to_owned(),
        Source::Register(value) => words.value(value),
        Source::Atomic(value) => format!("the old value of an atomic{}", line(words, value)),
        Source::VolatileLoad(value) => format!("the volatile or atomic load {}", of(value)),
        Source::OwnMemory(value) => format!("{}, loaded from memory that may be each thread's own", of(value)),
        Source::Exchange(value) => format!("the exchange between lanes {}", of(value)),
        Source::Call(value) => format!("the result of {}", of(value)),
        Source::Argument(value) if words.value(value).starts_with("argument ") => {
            format!("{} of a function whose callers may disagree", of(value))
        }
        Source::Argument(value) => format!("argument {} of a function whose callers may disagree", of(value)),
        Source::StackObject(value) => {
            format!("{}, a stack object below frames whose sizes may differ between lanes", of(value))
        }
        Source::DynamicObject(value) => format!("{}, a stack object allocated as the function runs", of(value)),
        Source::Undefined(value) => format!("{}, which may be undefined", of(value)),
        Source::Unknown(value) => of(value),
    }
}
