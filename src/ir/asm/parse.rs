//! How is inline PTX read? Comments are dropped, statements end at semicolons, braces around statements only open and
//! close scopes.
//!
//! Constraints are those of NVPTX: `=` and `=&` outputs, inputs in registers, inputs tied to an output, immediates, and
//! clobbers. Each letter stands for a register of one width; an operand that is narrower than its register leaves the
//! upper bits to chance.

use super::table::{AsmKind, kind_of};
use super::{CARRY, Input, IntType, Operand, Program, Register, Step};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Instructions after which the next one may not be executed, and words that are no instructions.
const FLOW: [&str; 8] = ["bra", "brx", "call", "ret", "exit", "trap", "setmaxnreg", "alloca"];

/// Reads assembly. `results` and `arguments` are the widths in bits of what the call returns and takes; zero for types
/// that no register holds.
pub fn read(text: &str, constraints: &str, results: &[u32], arguments: &[u32]) -> Program {
    let mut reader = Reader::default();
    reader.declare(None, 1); // the carry
    let plain = without_comments(text);
    let read = match &plain {
        None => Err("a comment without an end"),
        Some(plain) => reader
            .operands(constraints, results, arguments)
            .and_then(|()| statements(plain).try_for_each(|statement| reader.statement(statement))),
    };
    reader.program.obstacle = read.err().map(Into::into);
    reader.program.moves_stack = text.contains("alloca") || text.contains("stackrestore");
    reader.program
}

/// What makes the whole of the assembly unknown.
type Obstacle<'t> = &'t str;

#[derive(Default)]
struct Reader {
    program: Program,
    names: FxHashMap<String, Register>,
    /// Registers of `$0`, `$1`, …
    numbered: Vec<Register>,
    /// Numbers of inputs that are tied to an output. A text that uses them is not understood: whether they still hold
    /// the input once the output is written is for LLVM to decide.
    tied: Vec<usize>,
}

impl Reader {
    fn declare(&mut self, name: Option<String>, bits: u32) -> Register {
        let register = self.program.widths.len() as Register;
        self.program.widths.push(bits);
        if let Some(name) = name {
            self.names.insert(name, register);
        }
        register
    }

    /// Outputs first, then inputs, as `$n` counts them.
    fn operands(&mut self, constraints: &str, results: &[u32], arguments: &[u32]) -> Result<(), Obstacle<'static>> {
        let odd = "an unusual constraint";
        let (mut results, mut arguments) = (results.iter(), arguments.iter());
        for constraint in constraints.split(',').map(str::trim).filter(|constraint| !constraint.is_empty()) {
            if constraint.starts_with("~{") {
                continue;
            }
            if let Some(output) = constraint.strip_prefix('=') {
                let bits = width_of(output.strip_prefix('&').unwrap_or(output)).ok_or(odd)?;
                if !self.program.inputs.is_empty() {
                    return Err(odd);
                }
                let register = self.declare(None, bits);
                self.numbered.push(register);
                let fits = *results.next().ok_or(odd)? == bits;
                self.program.outputs.push(fits.then_some(register));
                continue;
            }
            let width = *arguments.next().ok_or(odd)?;
            let tied = constraint.parse::<usize>().ok();
            let register = match tied {
                Some(output) if output < self.program.outputs.len() => {
                    self.tied.push(self.numbered.len());
                    self.numbered[output]
                }
                Some(_) => return Err(odd),
                None if matches!(constraint, "n" | "i") => {
                    let register = self.declare(None, 0);
                    self.numbered.push(register);
                    self.program.inputs.push(Input::Immediate(register));
                    continue;
                }
                None => {
                    let bits = width_of(constraint).ok_or(odd)?;
                    self.declare(None, bits)
                }
            };
            self.numbered.push(register);
            let full = self.program.widths[usize::from(register)] == width;
            self.program.inputs.push(if full { Input::Register(register) } else { Input::Partial(register) });
        }
        if results.next().is_some() || arguments.next().is_some() {
            return Err(odd);
        }
        Ok(())
    }

    fn statement<'t>(&mut self, statement: &'t str) -> Result<(), Obstacle<'t>> {
        if let Some(declaration) = statement.strip_prefix(".reg") {
            return self.registers(declaration).ok_or(statement);
        }
        if statement.starts_with(".pragma") {
            return Ok(());
        }
        let (guard, plain) = match statement.strip_prefix('@') {
            Some(rest) => {
                let (name, plain) = rest.split_once(char::is_whitespace).ok_or(statement)?;
                (Some(self.register(name.trim_start_matches('!')).ok_or(statement)?), plain.trim_start())
            }
            None => (None, statement),
        };
        let (name, rest) = plain.split_once(|c: char| c.is_whitespace()).unwrap_or((plain, ""));
        let mut words = name.split('.');
        let mnemonic = words.next().unwrap_or("");
        let is_word = !mnemonic.is_empty() && mnemonic.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_word || FLOW.contains(&mnemonic) || name.contains('$') {
            return Err(name);
        }
        let modifiers: Vec<&str> = words.collect();
        let operands = split(rest).ok_or(statement)?;
        let kind = kind_of(mnemonic, &modifiers);
        let types = types_of(&modifiers);
        let mut step = Step { guard, kind, name: name.into(), types, writes: SmallVec::new(), reads: SmallVec::new() };
        let has_result = kind.is_some_and(|kind| kind != AsmKind::NoResult);
        for (index, operand) in operands.iter().enumerate() {
            match kind {
                // whatever it names may be written
                None => self.names_in(operand, &mut step.writes).ok_or(statement)?,
                Some(_) if index == 0 && has_result => self.targets(operand, &mut step.writes).ok_or(statement)?,
                Some(_) => self.sources(operand, &mut step.reads).ok_or(statement)?,
            }
        }
        if kind.is_none() || modifiers.contains(&"cc") {
            step.writes.push(CARRY);
        }
        if matches!(mnemonic, "addc" | "subc" | "madc") {
            step.reads.push(Operand::Register(CARRY));
        }
        self.program.steps.push(step);
        Ok(())
    }

    /// `.reg .u32 a, b<3>`. A name that is declared twice may be two registers of different scopes.
    fn registers(&mut self, declaration: &str) -> Option<()> {
        let declaration = declaration.trim_start().strip_prefix('.')?;
        let (word, names) = declaration.split_once(char::is_whitespace)?;
        let bits = if word == "pred" { 1 } else { type_word(word)?.1 };
        for name in names.split(',').map(str::trim) {
            let single = [name.to_owned()];
            let family = match name.strip_suffix('>').and_then(|name| name.split_once('<')) {
                Some((stem, count)) => {
                    let count = count.trim().parse::<u32>().ok().filter(|&count| count <= 64)?;
                    (0..count).map(|number| format!("{stem}{number}")).collect()
                }
                None => single.to_vec(),
            };
            for name in family {
                if !is_name(&name) || self.names.contains_key(&name) {
                    return None;
                }
                self.declare(Some(name), bits);
            }
        }
        Some(())
    }

    /// A register by name or number. A name that is not declared becomes a register that nothing has written.
    fn register(&mut self, text: &str) -> Option<Register> {
        if let Some(number) = text.strip_prefix('$') {
            let number = number.parse::<usize>().ok().filter(|number| !self.tied.contains(number))?;
            return self.numbered.get(number).copied();
        }
        if let Some(&register) = self.names.get(text) {
            return Some(register);
        }
        is_name(text).then(|| self.declare(Some(text.to_owned()), 0))
    }

    /// `d`, `d|p`, `{a, b}`, `_`.
    fn targets(&mut self, text: &str, writes: &mut SmallVec<[Register; 2]>) -> Option<()> {
        for part in parts(text, &['|', ','])? {
            if part != "_" {
                writes.push(self.register(part)?);
            }
        }
        Some(())
    }

    fn names_in(&mut self, text: &str, writes: &mut SmallVec<[Register; 2]>) -> Option<()> {
        let is_part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.'));
        for part in
            text.split(is_part).filter(|part| !part.is_empty() && !part.starts_with(|c: char| c.is_ascii_digit()))
        {
            if !part.starts_with('%') {
                writes.push(self.register(part)?);
            }
        }
        Some(())
    }

    fn sources(&mut self, text: &str, reads: &mut SmallVec<[Operand; 4]>) -> Option<()> {
        for part in parts(text, &['|', ',', '+'])? {
            let part = part.trim_start_matches('!').trim();
            reads.push(match part.strip_prefix('%') {
                Some(special) => Operand::Special(special.into()),
                None if part == "WARP_SZ" => Operand::Special("warpsize".into()),
                None if part.starts_with(|c: char| c.is_ascii_digit() || c == '-') => number(part),
                None => Operand::Register(self.register(part)?),
            });
        }
        Some(())
    }
}

/// The members of `{a, b}`, `[a+4]`, `a|b` or the operand itself.
fn parts<'t>(text: &'t str, separators: &[char]) -> Option<Vec<&'t str>> {
    let inner = match text.chars().next()? {
        '{' => text.strip_prefix('{')?.strip_suffix('}')?,
        '[' => text.strip_prefix('[')?.strip_suffix(']')?,
        _ => text,
    };
    let parts: Vec<&str> = inner.split(separators).map(str::trim).collect();
    let whole = |part: &&str| !part.is_empty() && !part.contains(['{', '}', '[', ']', '"']);
    parts.iter().all(whole).then_some(parts)
}

fn number(text: &str) -> Operand {
    let plain = text.trim_end_matches('U');
    let hex = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X"));
    // a leading zero means octal
    let decimal =
        || (plain == "0" || !plain.trim_start_matches('-').starts_with('0')).then(|| plain.parse::<i64>().ok());
    let value = match hex {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|bits| bits as i64),
        None => decimal().flatten(),
    };
    value.map_or(Operand::Constant, Operand::Number)
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '%' | '$'))
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))
}

/// The text without comments.
fn without_comments(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = &rest[rest.find("*/")? + 2..];
            plain.push(' ');
        } else {
            return None;
        }
    }
    plain.push_str(rest);
    Some(plain)
}

/// Statements without their semicolons and without the braces around them.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    let is_brace = |c: char| c.is_whitespace() || matches!(c, '{' | '}');
    text.split(';').map(move |piece| piece.trim_start_matches(is_brace).trim_end()).filter(|piece| !piece.is_empty())
}

/// Operands separated at top-level commas.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut list, mut start, mut depth) = (Vec::new(), 0, 0i32);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                list.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        list.push(text[start..].trim());
    }
    (depth == 0 && list.iter().all(|operand| !operand.is_empty())).then_some(list)
}

/// The width of the register that a constraint letter stands for.
fn width_of(letter: &str) -> Option<u32> {
    Some(match letter {
        "b" => 1,
        "h" => 16,
        "r" | "f" => 32,
        "l" | "d" => 64,
        "q" => 128,
        _ => return None,
    })
}

/// Class and width in bits of a type: `b32`, `f16x2`.
fn type_word(word: &str) -> Option<(char, u32)> {
    let (class, digits) = match word.strip_prefix("bf") {
        Some(digits) => ('f', digits),
        None => (word.chars().next().filter(|class| matches!(class, 'b' | 'u' | 's' | 'f'))?, word.get(1..)?),
    };
    let bits = match digits.strip_suffix("x2") {
        Some("16") => return Some(('p', 32)),
        Some(_) => return None,
        None => digits.parse::<u32>().ok()?,
    };
    matches!(bits, 8 | 16 | 32 | 64 | 128).then_some((class, bits))
}

/// Type of the result and of the operands, if they are integers of at most 64 bits.
fn types_of(modifiers: &[&str]) -> Option<(IntType, IntType)> {
    let mut types = SmallVec::<[IntType; 2]>::new();
    for word in modifiers {
        match type_word(word) {
            Some((class @ ('b' | 'u' | 's'), bits)) if bits <= 64 => {
                types.push(IntType { bits, signed: class == 's' });
            }
            Some(_) => return None,
            None => {}
        }
    }
    Some((*types.first()?, *types.last()?))
}

#[cfg(test)]
mod tests {
    use super::super::table::Arithmetic;
    use super::*;

    fn program(text: &str, constraints: &str) -> Program {
        let outputs = constraints.split(',').filter(|c| c.starts_with('=')).count();
        let inputs = constraints.split(',').filter(|c| !c.starts_with(['=', '~'])).count();
        read(text, constraints, &vec![32; outputs], &vec![32; inputs])
    }

    #[test]
    fn reads_scopes_guards_and_lists() {
        let text = "{ .reg .pred p; // a comment; with a semicolon\n setp.ne.u32 p, $1, 0;\n @!p mov.b32 $0, 0x10; }";
        let read = program(text, "=r,r");
        assert_eq!(read.obstacle, None);
        assert_eq!(read.steps.len(), 2);
        assert_eq!(read.steps[1].guard, Some(3));
        assert_eq!(read.steps[1].kind, Some(AsmKind::Arithmetic(Arithmetic::Move)));
        assert_eq!(read.steps[1].reads.as_slice(), [Operand::Number(16)]);
        let pair = program("mov.b64 {$0, $1}, $2;", "=r,=r,l");
        assert_eq!(pair.steps[0].writes.as_slice(), [1, 2]);
        let shuffle = program("shfl.sync.idx.b32 $0|p, $1, $2, 0x1f, -1;", "=r,r,r");
        assert_eq!(shuffle.steps[0].writes.len(), 2);
        assert_eq!(shuffle.steps[0].reads.last(), Some(&Operand::Number(-1)));
    }

    #[test]
    fn what_is_not_understood_is_an_obstacle() {
        let odd = [
            ("bra done; done:", "=r"),
            ("mov.u32 $0, 1;", "=r,*m"),
            ("mov.u32 ${0:x}, 1;", "=r"),
            ("{ .reg .u32 t; { .reg .u32 t; mov.u32 t, 1; } mov.u32 $0, t; }", "=r"),
            ("exit;", ""),
            ("mov.u32 $0, 1; add.u32 $0, $0, $1;", "=r,0"),
            (".shared .u32 x; mov.u32 $0, x;", "=r"),
            ("/* mov.u32 $0, 1;", "=r"),
        ];
        for (text, constraints) in odd {
            assert!(program(text, constraints).obstacle.is_some(), "{text}");
        }
    }

    #[test]
    fn an_unknown_instruction_may_write_what_it_names() {
        let read = program("frobnicate.sync.b32 $0, [t+$1], %laneid;", "=r,r");
        assert_eq!(read.steps[0].kind, None);
        assert_eq!(read.steps[0].writes.as_slice(), [1, 3, 2, CARRY]);
    }

    #[test]
    fn carries_and_ties() {
        let read = program("add.cc.u32 $0, $0, $3; addc.u32 $1, 0, 0;", "=r,=r,0,r");
        assert_eq!(read.steps[0].writes.as_slice(), [1, CARRY]);
        assert_eq!(read.steps[1].reads.last(), Some(&Operand::Register(CARRY)));
        assert_eq!(read.inputs.as_slice(), [Input::Register(1), Input::Register(3)]);
        assert_eq!(read.steps[0].reads[0], Operand::Register(1));
        let narrow = super::read("cvt.u32.u16 $0, $1;", "=r,r", &[32], &[16]);
        assert_eq!(narrow.inputs.as_slice(), [Input::Partial(2)]);
        assert_eq!(super::read("mov.u32 $0, 1;", "=r", &[64], &[]).outputs.as_slice(), [None]);
    }

    #[test]
    fn computations() {
        assert!(program("lop3.b32 $0, $1, $2, $3, 0x96;", "=r,r,r,r").is_computation());
        assert!(program("{ .reg .u32 t; mul.lo.u32 t, $1, $2; add.u32 $0, t, 1; }", "=r,r,r").is_computation());
        assert!(!program("ld.global.u32 $0, [$1];", "=r,l").is_computation());
        assert!(!program("vote.sync.any.pred $0, $1, -1;", "=b,b").is_computation());
        assert!(!program("", "").is_computation());
        assert_eq!(program("mov.u32 $0, %laneid;", "=r").special_register(), Some("laneid"));
    }
}
