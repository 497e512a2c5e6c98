//! How is a value named for a person? As the expression that it may have been in the source, built from names and
//! operands.
//!
//! IR contains no source text, and optimised IR hardly any names. So values are written out: special registers by their
//! CUDA names; arguments, loop variables and arrays by the names they kept; everything else as an expression over its
//! operands, to a limited depth. Casts are omitted. The text is not meant to be parsed.

use super::asm;
use super::symbol::plain_symbol;
use crate::affine::form::{Base, Form, Rest, Scope, Term};
use crate::divergence::facts::Facts;
use std::cell::OnceCell;
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{ConstData, GepTerm, Opcode, Predicate};
use warpwise_ir::llvm::handle::{DebugLoc, ValueKind, intrinsic_name};
use warpwise_ir::logic::Logic;
use warpwise_ir::names::Names;
use warpwise_ir::source::shown;

/// Number of characters above which an expression is printed again with a smaller depth.
const MAX_TEXT: usize = 64;
/// Maximum depth of an expression.
const MAX_DEPTH: u32 = 4;
/// Replaces an omitted part.
const CUT: &str = "…";

/// A position in a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    /// As a reader is told of it who looks at a line of `file`: `line 7`, or `a.h:7` if it is in another file.
    pub fn seen_from(&self, file: Option<&str>) -> String {
        match file {
            Some(file) if file != self.file => warpwise_ir::source::place(&self.file, self.line),
            _ => format!("line {}", self.line),
        }
    }
}

/// Prints values of one function as expressions.
pub struct ExpressionPrinter<'a, 'm> {
    facts: &'a Facts,
    handles: &'a Handles<'m>,
    /// Numbers of unnamed values, computed on first use.
    names: OnceCell<Names>,
}

impl<'a, 'm> ExpressionPrinter<'a, 'm> {
    /// A printer for the function of these facts.
    pub fn new(facts: &'a Facts, handles: &'a Handles<'m>) -> Self {
        ExpressionPrinter { facts, handles, names: OnceCell::new() }
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(&self.facts.func, self.handles))
    }

    fn name(&self, value: Value) -> String {
        self.names().value(self.handles, value)
    }

    /// A block as LLVM prints it.
    pub fn block(&self, block: Block) -> String {
        self.names().block(self.handles, block)
    }

    /// The function.
    pub fn func(&self) -> &Func {
        &self.facts.func
    }

    /// A value as a short expression.
    pub fn value(&self, value: Value) -> String {
        for depth in (1..MAX_DEPTH).rev() {
            let (text, _) = self.expression(value, depth);
            if text.chars().count() <= MAX_TEXT {
                return text;
            }
        }
        self.name(value)
    }

    /// The name that a value kept from the source, without LLVM's suffixes: `i` for `%i.012`.
    pub fn source_name(&self, value: Value) -> Option<String> {
        let name = self.handles.value(value).variable();
        if is_unrolled(&name) {
            return None;
        }
        let stem = name.split('.').next().unwrap_or("");
        let plain = stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (plain && stem.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then(|| stem.to_owned())
    }

    /// The text of an expression and its binding strength: 9 for atoms, less for operators.
    fn expression(&self, value: Value, depth: u32) -> (String, u8) {
        let func = self.func();
        if let Some(constant) = func.constant(value) {
            return (self.constant(value, constant), 9);
        }
        if let Some(param) = func.as_param(value) {
            return (self.source_name(value).unwrap_or_else(|| format!("argument {}", param + 1)), 9);
        }
        let Some(inst) = func.def(value) else { return (CUT.to_owned(), 9) };
        let operands = func.operands(inst);
        let data = &func.insts[inst];
        let named = || (self.source_name(value).unwrap_or_else(|| CUT.to_owned()), 9);
        match data.opcode {
            Opcode::Phi | Opcode::Alloca => return named(),
            opcode if opcode.is_cast() || opcode == Opcode::Freeze => return self.expression(operands[0], depth),
            Opcode::Call => return (self.call(inst, depth), 9),
            _ => {}
        }
        if depth == 0 {
            return (CUT.to_owned(), 9);
        }
        if let Some(narrowed) = self.narrowed(inst) {
            return self.expression(narrowed, depth);
        }
        let binary = |operator: &str, strength: u8| self.binary(operator, strength, operands, depth - 1);
        match data.opcode {
            Opcode::ICmp => match Predicate::from_sub(data.sub) {
                Some(predicate) => binary(compare_word(predicate), 2),
                None => named(),
            },
            Opcode::FCmp => binary(float_compare_word(data.sub), 2),
            Opcode::Add | Opcode::FAdd => binary("+", 5),
            Opcode::Sub | Opcode::FSub => binary("-", 5),
            Opcode::Mul | Opcode::FMul => binary("*", 6),
            Opcode::UDiv | Opcode::SDiv | Opcode::FDiv => binary("/", 6),
            Opcode::URem | Opcode::SRem | Opcode::FRem => binary("%", 6),
            Opcode::Shl => binary("<<", 4),
            Opcode::LShr | Opcode::AShr => binary(">>", 4),
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select if let Some(logic) = func.logic(inst) => {
                match logic {
                    Logic::And(sides) => self.binary("&&", 1, &sides, depth - 1),
                    Logic::Or(sides) => self.binary("||", 1, &sides, depth - 1),
                    Logic::Not(operand) => (format!("!{}", self.atom(operand, depth - 1)), 8),
                }
            }
            Opcode::And => binary("&", 1),
            Opcode::Or => binary("|", 1),
            Opcode::Xor if func.signed_constant(operands[1]) == Some(-1) => {
                (format!("~{}", self.atom(operands[0], depth - 1)), 8)
            }
            Opcode::Xor => binary("^", 1),
            Opcode::FNeg => (format!("-{}", self.atom(operands[0], depth - 1)), 8),
            Opcode::Select => {
                let [condition, yes, no] = [0, 1, 2].map(|index| self.atom(operands[index], depth - 1));
                (format!("{condition} ? {yes} : {no}"), 0)
            }
            Opcode::Gep if let Some(member) = self.member(value, depth) => (format!("&{member}"), 8),
            Opcode::Gep => match self.element(inst, depth) {
                (text, 9) => (format!("&{text}"), 8),
                moved => moved,
            },
            Opcode::Load => (self.pointee(operands[0], depth), 9),
            Opcode::AtomicRmw | Opcode::CmpXchg => (format!("atomic on {}", self.pointee(operands[0], depth - 1)), 0),
            Opcode::ExtractValue | Opcode::ExtractElement => self.expression(operands[0], depth - 1),
            _ => named(),
        }
    }

    /// `(int)x` of a wider `x`, which LLVM writes as `x << 32 >> 32`, is shown as `x`, like any conversion.
    fn narrowed(&self, shift: Inst) -> Option<Value> {
        const INT: u64 = 32;
        let func = self.func();
        let by = |inst: Inst| func.int_constant(func.operands(inst)[1]);
        let is_right = matches!(func.insts[shift].opcode, Opcode::LShr | Opcode::AShr);
        let left = func.def(func.operands(shift).first().copied()?).filter(|_| is_right)?;
        let is_left = func.insts[left].opcode == Opcode::Shl && by(left) == Some(INT) && by(shift) == Some(INT);
        (is_left && func.int_bits(func.result(left)) == Some(64)).then(|| func.operands(left)[0])
    }

    fn binary(&self, operator: &str, strength: u8, operands: &[Value], depth: u32) -> (String, u8) {
        let (mut left, left_strength) = self.expression(operands[0], depth);
        let (mut right, right_strength) = self.expression(operands[1], depth);
        if left_strength < strength {
            left = format!("({left})");
        }
        if right_strength <= strength {
            right = format!("({right})");
        }
        // as `n - 1` is written after optimisation
        if let (Some(number), "+") =
            (right.strip_prefix('-').filter(|_| self.func().constant(operands[1]).is_some()), operator)
        {
            return (format!("{left} - {number}"), strength);
        }
        (format!("{left} {operator} {right}"), strength)
    }

    /// An expression, in parentheses unless it is an atom.
    fn atom(&self, value: Value, depth: u32) -> String {
        match self.expression(value, depth) {
            (text, 8..) => text,
            (text, _) => format!("({text})"),
        }
    }

    fn constant(&self, value: Value, constant: ConstData) -> String {
        match constant {
            ConstData::Int(number) => match self.func().int_bits(value) {
                Some(1) => (number != 0).to_string(),
                Some(bits) => crate::affine::form::wrap(number as i64, bits).to_string(),
                None => number.to_string(),
            },
            ConstData::Address(_) => {
                // a constant expression that moves or casts the global in it
                let mut symbol = self.handles.value(value);
                while symbol.kind() == ValueKind::ConstantExpr && symbol.operand_count() > 0 {
                    symbol = symbol.operand(0);
                }
                match symbol.name() {
                    name if name.is_empty() => CUT.to_owned(),
                    name => plain_symbol(&name),
                }
            }
            _ => match self.handles.value(value).float_constant() {
                // with the digits of a float where one is enough
                Some(number) if f64::from(number as f32) == number => (number as f32).to_string(),
                Some(number) => number.to_string(),
                None => self.name(value),
            },
        }
    }

    /// A member of a record of the source: `grid.nx`, `job->size`, `jobs[i].size`; nothing where debug information does
    /// not tell.
    fn member(&self, address: Value, depth: u32) -> Option<String> {
        let func = self.func();
        let (mut base, mut offset, mut indexed) = (address, 0i64, None);
        while let Some(inst) = func.def(base) {
            match func.insts[inst].opcode {
                Opcode::Gep => {
                    let gep = func.gep(inst);
                    offset = offset.checked_add(gep.offset)?;
                    match *gep.terms {
                        [] => {}
                        [term] if indexed.is_none() => {
                            indexed = Some((func.operands(inst)[term.operand as usize], term))
                        }
                        _ => return None,
                    }
                }
                Opcode::AddrSpaceCast | Opcode::BitCast => {}
                _ => break,
            }
            base = func.operands(inst)[0];
        }
        let name = self.source_name(base)?;
        let member = self.handles.value(base).member(u64::try_from(offset).ok()?)?;
        let record = offset.unsigned_abs() / member.record;
        match (indexed, member.is_pointer) {
            (None, false) if record == 0 => Some(format!("{name}.{}", member.path)),
            (None, true) if record == 0 => Some(format!("{name}->{}", member.path)),
            (None, true) => Some(format!("{name}[{record}].{}", member.path)),
            (Some((index, term)), true) if term.stride == member.record => {
                let (mut index, strength) = self.expression(index, depth.saturating_sub(1));
                if record > 0 {
                    index = if strength < 5 { format!("({index}) + {record}") } else { format!("{index} + {record}") };
                }
                Some(format!("{name}[{index}].{}", member.path))
            }
            _ => None,
        }
    }

    /// What a pointer points to: `a[i]`, `x`, `grid.nx`, `*p`, `*(p + 8 bytes)`.
    fn pointee(&self, pointer: Value, depth: u32) -> String {
        let func = self.func();
        if let Some(member) = self.member(pointer, depth) {
            return member;
        }
        match func.def(pointer) {
            Some(inst) if func.insts[inst].opcode == Opcode::Gep => match self.element(inst, depth) {
                (text, 9) => text,
                (moved, _) => format!("*({moved})"),
            },
            Some(inst) if func.insts[inst].opcode == Opcode::Alloca => self.expression(pointer, 0).0,
            Some(inst) if matches!(func.insts[inst].opcode, Opcode::AddrSpaceCast | Opcode::BitCast) => {
                self.pointee(func.operands(inst)[0], depth)
            }
            None if func.constant(pointer).is_some() => self.expression(pointer, 0).0,
            _ => format!("*{}", self.atom(pointer, depth.saturating_sub(1))),
        }
    }

    /// Address arithmetic: the element `base[index]` (strength 9), or without an index the address `base + 8 bytes`
    /// (strength 5).
    fn element(&self, gep: Inst, depth: u32) -> (String, u8) {
        let func = self.func();
        let mut base = func.operands(gep)[0];
        let data = func.gep(gep);
        let (mut indexed, mut terms, mut offset) = (gep, data.terms, data.offset);
        // `&a[i] + 4 bytes` is `a[i + 1]` if elements have 4 bytes
        if let (true, Some(inner)) = (terms.is_empty(), func.def(base)) {
            let below = if func.insts[inner].opcode == Opcode::Gep { Some(func.gep(inner)) } else { None };
            if let Some(below) = below.filter(|below| below.offset == 0 && whole_steps(offset, below.terms).is_some()) {
                (indexed, terms, base) = (inner, below.terms, func.operands(inner)[0]);
            }
        }
        let mut text = match func.def(base) {
            Some(inst) if func.insts[inst].opcode == Opcode::Gep => match self.element(inst, depth.saturating_sub(1)) {
                (text, 9) if terms.is_empty() => format!("&{text}"),
                (text, 9) => text,
                (moved, _) if terms.is_empty() => moved,
                (moved, _) => format!("({moved})"),
            },
            _ => self.atom(base, depth.saturating_sub(1)),
        };
        let steps = whole_steps(offset, terms);
        for term in terms {
            let index = func.operands(indexed)[term.operand as usize];
            let (index, strength) = self.expression(index, depth.saturating_sub(1));
            match steps {
                None => text += &format!("[{index}]"),
                Some(steps) if strength < 5 => text += &format!("[({index}) {} {}]", sign(steps), steps.abs()),
                Some(steps) => text += &format!("[{index} {} {}]", sign(steps), steps.abs()),
            }
        }
        if !terms.is_empty() {
            return (text, 9);
        }
        let nearer = text.strip_suffix(" bytes").and_then(|rest| rest.rsplit_once(" + "));
        if let Some((rest, Ok(before))) = nearer.map(|(rest, before)| (rest, before.parse::<i64>())) {
            (text, offset) = (rest.to_owned(), offset.wrapping_add(before));
        }
        match offset {
            0 => (text.strip_prefix('&').map_or_else(|| format!("{text}[0]"), str::to_owned), 9),
            bytes => (format!("{text} {} {} bytes", sign(bytes), bytes.unsigned_abs()), 5),
        }
    }

    fn call(&self, call: Inst, depth: u32) -> String {
        let func = self.func();
        let name = match func.call(call).callee {
            Callee::Intrinsic(id) => {
                let name = intrinsic_name(id);
                if let Some(register) = register_word(&name) {
                    return register;
                }
                intrinsic_word(&name)
            }
            Callee::Function(_) => match self.handles.inst(call).called_function() {
                Some(function) => plain_symbol(&function.name()),
                None => CUT.to_owned(),
            },
            Callee::Asm { .. } => match func.assembly(call) {
                Some(program) if program.special_register().is_some() => return asm::name_of(program),
                Some(program) => asm::name_of(program),
                None => "asm".to_owned(),
            },
            Callee::Indirect => CUT.to_owned(),
        };
        let Some(depth) = depth.checked_sub(1) else { return format!("{name}({CUT})") };
        let arguments: Vec<String> = func.operands(call).iter().map(|&value| self.expression(value, depth).0).collect();
        format!("{name}({})", arguments.join(", "))
    }

    /// Why the result of inline PTX differs between lanes.
    pub fn assembly(&self, value: Value) -> String {
        asm::culprit_text(self.func().def(value).and_then(|call| self.func().assembly(call)))
    }

    /// The source position of an instruction: the innermost in the user's own sources that it stands for, as with remarks.
    pub fn place(&self, inst: Inst) -> Option<Place> {
        let innermost = self.handles.inst(inst).debug_loc()?;
        let chain: Vec<DebugLoc<'m>> = std::iter::successors(Some(innermost), |at| at.inlined_at()).collect();
        let places: Vec<(String, u32)> = chain.iter().map(|at| (at.file(), at.line())).collect();
        let shown = shown(&places)?;
        let (file, line) = places.into_iter().nth(shown)?;
        Some(Place { file, line, column: chain[shown].column() })
    }

    /// The source position at which a value is computed.
    pub fn place_of(&self, value: Value) -> Option<Place> {
        self.func().def(value).and_then(|inst| self.place(inst))
    }

    /// The first source position in a block.
    pub fn place_of_block(&self, block: Block) -> Option<Place> {
        let insts = self.func().block_insts(block);
        insts.filter(|&inst| self.func().insts[inst].opcode != Opcode::Phi).find_map(|inst| self.place(inst))
    }

    /// `4*threadIdx.x + 12`, or `threadIdx.x + a part that the block agrees on`.
    pub fn form(&self, form: &Form) -> String {
        let mut text = String::new();
        for term in &form.terms {
            let part = self.term(term);
            match part.strip_prefix('-') {
                Some(rest) if !text.is_empty() => text += &format!(" - {rest}"),
                _ if !text.is_empty() => text += &format!(" + {part}"),
                _ => text += &part,
            }
        }
        match form.rest {
            Rest::Const(0) if !text.is_empty() => {}
            Rest::Const(number) if text.is_empty() => text = number.to_string(),
            Rest::Const(number) => text += &format!(" {} {}", sign(number), number.unsigned_abs()),
            Rest::Uniform { .. } if text.is_empty() => text = "uniform".to_owned(),
            Rest::Uniform { .. } => text += " + uniform",
        }
        text
    }

    fn term(&self, term: &Term) -> String {
        let mut factors: Vec<String> =
            term.monomial.symbols().map(|symbol| self.atom(Value::from_u32(symbol.value()), 2)).collect();
        let negative = term.coefficient < 0;
        if term.coefficient.unsigned_abs() != 1 {
            factors.insert(0, term.coefficient.unsigned_abs().to_string());
        }
        factors.push(base_word(term.monomial.bases.0).to_owned());
        factors.extend(term.monomial.bases.1.map(|base| base_word(base).to_owned()));
        format!("{}{}", if negative { "-" } else { "" }, factors.join("*"))
    }
}

/// How many elements an offset skips, if it is a multiple of the element size of the only index.
fn whole_steps(offset: i64, terms: &[GepTerm]) -> Option<i64> {
    match *terms {
        [GepTerm { stride, .. }] if stride > 0 && offset != 0 && offset % stride as i64 == 0 => {
            Some(offset / stride as i64)
        }
        _ => None,
    }
}

/// Whether a name is that of a counter that LLVM adds where it unrolls a loop.
fn is_unrolled(name: &str) -> bool {
    let counters = ["niter.n", "epil.iter", "prol.iter", "xtraiter", "unroll_iter"];
    name == "niter" || counters.iter().any(|counter| name.starts_with(counter))
}

fn sign(number: i64) -> char {
    if number < 0 { '-' } else { '+' }
}

/// The CUDA name of a base.
pub fn base_word(base: Base) -> &'static str {
    match base {
        Base::TidX => "threadIdx.x",
        Base::TidY => "threadIdx.y",
        Base::TidZ => "threadIdx.z",
        Base::LaneId => "lane id",
    }
}

/// The set of threads that agree, in words.
pub fn scope_words(scope: Scope) -> &'static str {
    match scope {
        Scope::Warp => "the same across the warp",
        Scope::Block => "the same across the block",
        Scope::Grid => "the same across the grid",
    }
}

/// The CUDA name of a special register.
fn register_word(intrinsic: &str) -> Option<String> {
    let register = intrinsic.strip_prefix("llvm.nvvm.read.ptx.sreg.")?;
    let (name, dimension) = register.split_once('.').unwrap_or((register, ""));
    let builtin = match name {
        "tid" => "threadIdx",
        "ntid" => "blockDim",
        "ctaid" => "blockIdx",
        "nctaid" => "gridDim",
        "laneid" => return Some("lane id".to_owned()),
        "warpsize" => return Some("warpSize".to_owned()),
        _ => return Some(format!("%{register}")),
    };
    Some(format!("{builtin}.{dimension}"))
}

/// A short name for an intrinsic, CUDA's if there is one.
fn intrinsic_word(name: &str) -> String {
    let Some(nvvm) = name.strip_prefix("llvm.nvvm.") else {
        let plain = name.strip_prefix("llvm.").unwrap_or(name);
        return match plain {
            "umin" | "smin" | "minnum" | "minimum" => "min".to_owned(),
            "umax" | "smax" | "maxnum" | "maximum" => "max".to_owned(),
            "fabs" => "abs".to_owned(),
            _ => plain.to_owned(),
        };
    };
    const CUDA: &[(&str, &str)] = &[
        ("shfl.sync.idx", "__shfl_sync"),
        ("shfl.sync.bfly", "__shfl_xor_sync"),
        ("shfl.sync.up", "__shfl_up_sync"),
        ("shfl.sync.down", "__shfl_down_sync"),
        ("vote.all.sync", "__all_sync"),
        ("vote.any.sync", "__any_sync"),
        ("vote.ballot.sync", "__ballot_sync"),
        ("match.any.sync", "__match_any_sync"),
        ("match.all.sync", "__match_all_sync"),
        ("redux.sync", "__reduce_sync"),
        ("activemask", "__activemask"),
    ];
    let known = CUDA.iter().find(|(prefix, _)| nvvm.starts_with(prefix));
    known.map_or_else(|| nvvm.to_owned(), |(_, word)| (*word).to_owned())
}

fn compare_word(predicate: Predicate) -> &'static str {
    match predicate {
        Predicate::Eq => "==",
        Predicate::Ne => "!=",
        Predicate::Ugt | Predicate::Sgt => ">",
        Predicate::Uge | Predicate::Sge => ">=",
        Predicate::Ult | Predicate::Slt => "<",
        Predicate::Ule | Predicate::Sle => "<=",
    }
}

/// The operator of a floating-point comparison. LLVM numbers ordered predicates 1 to 7, and their unordered
/// counterparts from 8.
fn float_compare_word(predicate: u8) -> &'static str {
    match predicate {
        1 | 9 => "==",
        2 | 10 => ">",
        3 | 11 => ">=",
        4 | 12 => "<",
        5 | 13 => "<=",
        6 | 14 => "!=",
        _ => "is ordered with",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_cuda_names() {
        assert_eq!(register_word("llvm.nvvm.read.ptx.sreg.tid.x").as_deref(), Some("threadIdx.x"));
        assert_eq!(register_word("llvm.nvvm.read.ptx.sreg.nctaid.y").as_deref(), Some("gridDim.y"));
        assert_eq!(register_word("llvm.nvvm.read.ptx.sreg.clock64").as_deref(), Some("%clock64"));
        assert_eq!(register_word("llvm.umin"), None);
    }

    #[test]
    fn counters_of_unrolled_loops_are_no_names() {
        assert!(["niter", "niter.next.3", "epil.iter", "epil.iter.next", "xtraiter"].into_iter().all(is_unrolled));
        assert!(!["n", "niter.0", "niters", "iter", "epilogue", "i.012"].into_iter().any(is_unrolled));
    }
}
