//! What does a piece of inline PTX do, instruction by instruction? Its text as plain data, without any judgement of
//! lanes.
//!
//! [`read`](parse::read) turns text and constraints into a [`Program`]: numbered registers and one [`Step`] for each
//! instruction. What each mnemonic does is said by [`table`]. A program is only claimed to be understood if every
//! statement is: control flow, directives, modifiers of operands and unusual constraints make the whole of it unknown. An
//! instruction that the table lacks makes only the registers unknown that it names.
//!
//! Every register is unwritten at first, except those of inputs (also tied ones). A name that is declared nowhere in
//! the text is a register that nothing writes, since other assembly of the function may. Operands keep their values to
//! the end, as registers of PTX do.

mod parse;
pub mod table;

pub use parse::read;
use smallvec::SmallVec;
use table::AsmKind;

/// The number of a register of one program.
pub type Register = u16;

/// The carry flag.
pub const CARRY: Register = 0;

/// An input operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// In a register of the width of the operand's type.
    Register(Register),
    /// In a register whose upper bits are not those of the operand.
    Partial(Register),
    /// Written into the text.
    Immediate(Register),
}

/// What an instruction reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    Register(Register),
    Number(i64),
    /// A constant other than an integer.
    Constant,
    /// A special register, without its `%`.
    Special(Box<str>),
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntType {
    pub bits: u32,
    pub signed: bool,
}

/// One instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The instruction is executed by lanes in which this predicate is true, or false.
    pub guard: Option<Register>,
    /// `None` if warpwise does not know the instruction.
    pub kind: Option<AsmKind>,
    /// Mnemonic and modifiers.
    pub name: Box<str>,
    /// Types of the instruction if all of them are integers: of the result and of the operands.
    pub types: Option<(IntType, IntType)>,
    pub writes: SmallVec<[Register; 2]>,
    pub reads: SmallVec<[Operand; 4]>,
}

/// The assembly of one or several calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The first statement that makes everything unknown.
    pub obstacle: Option<Box<str>>,
    pub steps: Vec<Step>,
    /// Width in bits of each register; zero if it is not declared.
    pub widths: Vec<u32>,
    /// The register of each result; `None` if the result is wider than the register.
    pub outputs: SmallVec<[Option<Register>; 2]>,
    /// Parallel to the operands of the call.
    pub inputs: SmallVec<[Input; 4]>,
    /// Whether it may move the stack pointer.
    pub moves_stack: bool,
}

impl Program {
    /// Whether it only computes results from its operands: it reads no memory, has no effect, and exchanges nothing
    /// between lanes.
    pub fn is_computation(&self) -> bool {
        let computes =
            |step: &Step| matches!(step.kind, Some(AsmKind::Pure | AsmKind::PureInBlock | AsmKind::Arithmetic(_)));
        self.obstacle.is_none() && !self.steps.is_empty() && self.steps.iter().all(computes)
    }
    /// The special register that is all that it reads and returns.
    pub fn special_register(&self) -> Option<&str> {
        match self.steps.as_slice() {
            [Step { kind: Some(AsmKind::Arithmetic(table::Arithmetic::Move)), reads, .. }] => match reads.as_slice() {
                [Operand::Special(name)] => Some(name),
                _ => None,
            },
            _ => None,
        }
    }
}
