//! How is a chain of causes put into a sentence? "`i < n` depends on threadIdx.x through `i` (line 12)": the source,
//! then the steps worth mentioning.

use super::causes::{Chain, Source, Step, Via};
use super::expression::{ExpressionPrinter, base_word};
use crate::divergence::Facts;
use warpwise_ir::entity::{Block, Value};
use warpwise_ir::inst::Opcode;

/// Maximum number of steps in one sentence.
const MAX_STEPS: usize = 3;

/// Why a branch diverges: "`i < n` depends on threadIdx.x through `i` (line 12)".
pub fn explain(facts: &Facts, printer: &ExpressionPrinter<'_, '_>, chain: &Chain, block: Block) -> String {
    let func = &facts.func;
    let Some(condition) = func.condition(func.terminator(block)) else { return String::new() };
    let shown = printer.value(condition);
    // the file that the reader looks at
    let here = printer.place(func.terminator(block)).map(|place| place.file);
    let here = here.as_deref();
    let source = source_text(printer, chain.source, here);
    let mut text = match chain.source {
        Source::Unknown(_) => format!("warpwise cannot tell that lanes agree on `{shown}`"),
        _ if chain.steps.is_empty() && shown == source => format!("`{shown}` differs between lanes"),
        _ => format!("`{shown}` depends on {source}"),
    };
    let steps = noteworthy(printer, chain, condition, shown).into_iter();
    let parts: Vec<String> = steps.map(|step| step_text(printer, step, step.value == condition, here)).collect();
    if !parts.is_empty() {
        text += " through ";
        text += &parts.join(", then ");
    }
    text
}

/// The steps worth mentioning, from source to condition: control steps always, data steps if the value is not already
/// part of an expression that the reader has seen. If there are too many, those in the middle are omitted.
fn noteworthy(printer: &ExpressionPrinter<'_, '_>, chain: &Chain, condition: Value, shown: String) -> Vec<Step> {
    let func = printer.func();
    let mut told = vec![shown];
    let mut kept: Vec<Step> = Vec::new();
    // parts of the condition's own expression, on its line, are not mentioned again
    let mut in_condition = true;
    let line_of = |value: Value| printer.place_of(value).map(|place| (place.file, place.line));
    let own_line = line_of(condition);
    let near = |value: Value| line_of(value).is_none_or(|line| Some(line) == own_line);
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
                let text = printer.value(step.value);
                !told.iter().any(|seen| seen.contains(&text)) && text != "…"
            }
        };
        in_condition &= step.via == Via::Data && (is_condition || is_plain);
        if keep {
            told.push(printer.value(step.value));
            kept.push(step);
        }
    }
    while kept.len() > MAX_STEPS {
        kept.remove(kept.len() / 2);
    }
    kept.reverse();
    kept
}

fn line(printer: &ExpressionPrinter<'_, '_>, value: Value, here: Option<&str>) -> String {
    printer.place_of(value).map_or(String::new(), |place| format!(" ({})", place.seen_from(here)))
}

fn step_text(printer: &ExpressionPrinter<'_, '_>, step: Step, is_condition: bool, here: Option<&str>) -> String {
    let name = match printer.value(step.value) {
        unnamed if unnamed == "…" => "a value".to_owned(),
        name => format!("`{name}`"),
    };
    let at = |block: Block| {
        let place = printer.place(printer.func().terminator(block)).or_else(|| printer.place_of_block(block));
        place.map_or(String::new(), |place| format!(" of {}", place.seen_from(here)))
    };
    match step.via {
        Via::Data => format!("{name}{}", line(printer, step.value, here)),
        Via::Join(branch) if is_condition => format!("the paths that part at the branch{}", at(branch)),
        Via::Join(branch) => format!("{name}, set on paths that part at the branch{}", at(branch)),
        Via::Iteration(_, branch) if is_condition => {
            format!("the iteration in which lanes leave the loop{}", at(branch))
        }
        Via::Iteration(_, branch) => {
            format!("{name}, kept from the iteration in which lanes leave the loop{}", at(branch))
        }
    }
}

/// A source in words, for a reader of the file `here`.
fn source_text(printer: &ExpressionPrinter<'_, '_>, source: Source, here: Option<&str>) -> String {
    let line = |value: Value| line(printer, value, here);
    let of = |value: Value| format!("`{}`{}", printer.value(value), line(value));
    match source {
        Source::ThreadIndex(base) => base_word(base).to_owned(),
        Source::Register(value) => printer.value(value),
        Source::Atomic(value) => format!("the old value of an atomic{}", line(value)),
        Source::VolatileLoad(value) => format!("the volatile or atomic load {}", of(value)),
        Source::OwnMemory(value) => format!("{}, loaded from memory that may be each thread's own", of(value)),
        Source::Exchange(value) => format!("the exchange between lanes {}", of(value)),
        Source::Assembly(value) => format!("{}{}", printer.assembly(value), line(value)),
        Source::Call(value) => format!("the result of {}", of(value)),
        Source::Argument(value) if printer.value(value).starts_with("argument ") => {
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
