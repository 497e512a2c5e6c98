//! Which instruction of inline PTX makes a result differ between lanes, and how is it named for a person?

use crate::affine::form::Base;
use crate::divergence::intrinsics::{LaneRule, register_rule};
use warpwise_ir::asm::table::AsmKind;
use warpwise_ir::asm::{Operand, Program};

/// What makes results of assembly differ between lanes, whatever the operands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Culprit<'p> {
    /// A thread index is read.
    Index(Base),
    /// A special register is read that differs between lanes or over time.
    Register(&'p str),
    /// An instruction whose result differs between lanes, or may.
    Instruction(&'p str),
    /// An instruction that warpwise does not know.
    Unknown(&'p str),
}

/// The first cause in the text; `None` if the results depend on the operands alone.
pub fn culprit(program: &Program) -> Option<Culprit<'_>> {
    if let Some(obstacle) = &program.obstacle {
        return Some(Culprit::Unknown(obstacle));
    }
    program.steps.iter().find_map(|step| match step.kind {
        None => Some(Culprit::Unknown(&step.name)),
        Some(AsmKind::Divergent) => Some(Culprit::Instruction(&step.name)),
        Some(_) => step.reads.iter().find_map(|operand| match operand {
            Operand::Special(name) => match register_rule(name) {
                LaneRule::Index(base) => Some(Culprit::Index(base)),
                LaneRule::Divergent => Some(Culprit::Register(name)),
                _ => None,
            },
            _ => None,
        }),
    })
}

/// The reason why a result of assembly differs between lanes, in words.
pub fn culprit_text(program: Option<&Program>) -> String {
    match program.and_then(culprit) {
        Some(Culprit::Index(base)) => super::expression::base_word(base).to_owned(),
        Some(Culprit::Register(name)) => format!("`%{name}`, read by inline PTX"),
        Some(Culprit::Instruction(name)) => format!("`{name}` in inline PTX"),
        Some(Culprit::Unknown(name)) => format!("`{name}` in inline PTX, which warpwise does not know"),
        None => "inline PTX that may leave a result unwritten".to_owned(),
    }
}

/// A name for what assembly computes: a special register, or its only instruction.
pub fn name_of(program: &Program) -> String {
    match (program.special_register(), program.steps.as_slice()) {
        (Some(register), _) => match register_rule(register) {
            LaneRule::Index(base) => super::expression::base_word(base).to_owned(),
            _ => format!("%{register}"),
        },
        (None, [only]) if program.obstacle.is_none() => only.name.to_string(),
        _ => "asm".to_owned(),
    }
}
