//! Which checks must run at each instruction? The facts of several analyses as one flat list of checks.
//!
//! A form with terms becomes up to four checks: modulo `2^w`, over the integers in each reading that is claimed to be
//! exact, and, if geometry makes the value uniform in a scope, that uniformity. Equal checks of several analyses are
//! merged; a check that is implied by another is dropped.

use super::CheckError;
use crate::simt::Shapes;
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use std::ops::Range;
use warpwise_analysis::affine::form::{Ext, Form, Rest, Scope, Symbol, unsigned};
use warpwise_analysis::divergence::facts::Facts;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::image::{FuncId, ModuleImage};
use warpwise_ir::types::TypeKind;

/// A set of analyses that make a claim, one bit each.
pub(super) type Analyses = u8;

/// The reading in which lanes differ by exactly the terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Modular,
    Unsigned,
    Signed,
}

/// What is claimed about `value − Σ terms`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    /// It is this number, in the width of the value.
    Number(u64),
    /// It is one number for the scope, with this many low zero bits.
    Same { scope: Scope, align: u8 },
}

/// A coefficient that is a value of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CheckSymbol {
    pub track: u32,
    pub value: u32,
    pub ext: Ext,
    pub bits: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CheckTerm {
    pub coefficient: i64,
    pub first: u8,
    pub second: Option<u8>,
    pub symbols: SmallVec<[CheckSymbol; 2]>,
}

/// Where the value to check is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// It is the result of the step, or the argument of the call.
    Here,
    /// It is in a shadow slot: a value that this step uses.
    Tracked(u32),
}

/// One comparison of a value with a claim.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Check {
    pub subject: Subject,
    /// Number of the value in the analysis.
    pub value: u32,
    /// Width in bits of an integer or pointer; 0 for everything else.
    pub bits: u32,
    pub reading: Reading,
    pub terms: SmallVec<[CheckTerm; 2]>,
    pub expected: Expected,
    pub analyses: Analyses,
}

impl Check {
    /// Whether `other` can only fail if this check fails too.
    fn implies(&self, other: &Check) -> bool {
        if self.subject != other.subject || self.value != other.value || self.terms != other.terms {
            return false;
        }
        if self.reading != other.reading && other.reading != Reading::Modular {
            return false;
        }
        match (self.expected, other.expected) {
            (a, b) if a == b => true,
            (Expected::Same { scope, align }, Expected::Same { scope: least, align: bits }) => {
                scope >= least && align >= bits
            }
            (Expected::Number(number), Expected::Same { align, .. }) => number.trailing_zeros() >= u32::from(align),
            _ => false,
        }
    }
}

/// All lanes of the scope take the same successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BranchCheck {
    pub scope: Scope,
    pub analyses: Analyses,
}

/// The checks at one instruction.
#[derive(Clone, Default, Debug)]
pub(super) struct InstClaims {
    /// Shadow slot of the result.
    pub track: Option<u32>,
    /// Checks of operands, and of the result.
    pub uses: Range<usize>,
    pub results: Range<usize>,
    pub branches: Range<usize>,
    pub starts_block: bool,
    pub returns: bool,
    pub idle: bool,
}

/// An argument: its slots and its shadow slot.
#[derive(Clone, Debug)]
pub(super) struct ParamClaims {
    pub slots: Range<usize>,
    pub track: Option<u32>,
    pub checks: Range<usize>,
}

/// Blocks that these analyses claim to be convergent.
#[derive(Clone, Debug)]
pub(super) struct Convergent {
    pub analyses: Analyses,
    pub blocks: Vec<bool>,
}

/// All claims about one function.
#[derive(Debug)]
pub(super) struct FunctionClaims {
    pub insts: Vec<InstClaims>,
    pub checks: Vec<Check>,
    pub branches: Vec<BranchCheck>,
    pub params: Vec<ParamClaims>,
    /// Number of shadow slots.
    pub tracked: usize,
    /// The distinct sets of convergent blocks.
    pub convergent: Vec<Convergent>,
    /// For each block, the analyses that claim it is never reached.
    pub unreached: Vec<Analyses>,
}

/// Builds the lists of one function.
struct Builder<'a> {
    facts: &'a [&'a Facts],
    /// The shadow slots of values that have one.
    tracks: Vec<Option<u32>>,
    tracked: u32,
    checks: Vec<Check>,
}

impl FunctionClaims {
    pub fn new(image: &ModuleImage, id: FuncId, facts: &[&Facts]) -> Result<FunctionClaims, CheckError> {
        let function = &image.functions[id.index()];
        let kernel = &facts[0].func;
        let same = kernel.insts.len() == function.insts.len()
            && kernel.blocks.len() == function.blocks.len()
            && kernel.params.len() == function.params.len();
        if !same {
            return Err(CheckError::Mismatch(function.name.clone()));
        }
        let mut builder = Builder { facts, tracks: vec![None; kernel.value_count()], tracked: 0, checks: Vec::new() };
        let mut insts = Vec::with_capacity(function.insts.len());
        let mut branches: Vec<BranchCheck> = Vec::new();
        let (mut params, mut shapes) = (Vec::new(), Shapes::new(image));
        let mut slot = 0;
        for (index, param) in function.params.iter().enumerate() {
            let from = builder.checks.len();
            if param.by_value.is_none() {
                // of a by-value argument only the caller's pointer is visible
                builder.definition(kernel.param(index as u32));
            }
            let count = shapes.of(param.ty).map_or(0, |shape| shape.slots) as usize;
            params.push(ParamClaims { slots: slot..slot + count, track: None, checks: from..builder.checks.len() });
            slot += count;
        }
        for (block, data) in kernel.blocks.iter() {
            let mut read: SmallVec<[Value; 8]> = SmallVec::new();
            for number in data.first..data.end {
                let inst = Inst::from_u32(number);
                let first = builder.checks.len();
                if kernel.insts[inst].opcode != Opcode::Phi {
                    for &operand in kernel.operands(inst) {
                        if !read.contains(&operand) && builder.use_of(operand, block) {
                            read.push(operand);
                        }
                    }
                }
                let of_result = builder.checks.len();
                if kernel.types[kernel.insts[inst].ty].kind != TypeKind::Void {
                    builder.definition(kernel.result(inst));
                }
                let of_branch = branches.len();
                if kernel.condition(inst).is_some() {
                    builder.branch(block, &mut branches);
                }
                insts.push(InstClaims {
                    uses: first..of_result,
                    results: of_result..builder.checks.len(),
                    branches: of_branch..branches.len(),
                    starts_block: number == data.first,
                    returns: kernel.insts[inst].opcode == Opcode::Ret,
                    ..InstClaims::default()
                });
            }
        }
        for (number, claims) in insts.iter_mut().enumerate() {
            let value = kernel.result(Inst::from_u32(number as u32));
            claims.track = builder.tracks[value.index()];
            let has_checks = claims.uses.start < claims.results.end;
            claims.idle = claims.track.is_none() && !has_checks && !claims.starts_block && !claims.returns;
        }
        for (index, param) in params.iter_mut().enumerate() {
            param.track = builder.tracks[index];
        }
        let (convergent, unreached) = of_blocks(facts);
        Ok(FunctionClaims {
            insts,
            checks: builder.checks,
            branches,
            params,
            tracked: builder.tracked as usize,
            convergent,
            unreached,
        })
    }
}

/// Which blocks are convergent, and by block the analyses that claim it unreachable.
fn of_blocks(facts: &[&Facts]) -> (Vec<Convergent>, Vec<Analyses>) {
    let kernel = &facts[0].func;
    let mut convergent: Vec<Convergent> = Vec::new();
    let mut unreached = vec![0; kernel.blocks.len()];
    for (bit, facts) in facts.iter().enumerate() {
        let blocks: Vec<bool> = kernel.blocks.keys().map(|block| facts.is_convergent(block)).collect();
        for block in kernel.blocks.keys().filter(|&block| !facts.is_reachable(block)) {
            unreached[block.index()] |= 1 << bit;
        }
        match convergent.iter_mut().find(|known| known.blocks == blocks) {
            Some(known) => known.analyses |= 1 << bit,
            None if blocks.contains(&true) => convergent.push(Convergent { analyses: 1 << bit, blocks }),
            None => {}
        }
    }
    (convergent, unreached)
}

impl Builder<'_> {
    fn track(&mut self, value: Value) -> u32 {
        *self.tracks[value.index()].get_or_insert_with(|| {
            self.tracked += 1;
            self.tracked - 1
        })
    }

    /// Adds the claims about a value where it is defined.
    fn definition(&mut self, value: Value) {
        let from = self.checks.len();
        for (bit, facts) in self.facts.iter().enumerate() {
            let reached = facts.func.def(value).is_none_or(|def| facts.is_reachable(facts.func.insts[def].block));
            if let Some(form) = facts.form(value).filter(|_| reached).cloned() {
                self.form(Subject::Here, value, &form, facts, 1 << bit, from);
            }
        }
    }

    /// Adds the claims about a value as a block outside its cycle uses it; returns whether there are any.
    fn use_of(&mut self, value: Value, block: Block) -> bool {
        let from = self.checks.len();
        for (bit, facts) in self.facts.iter().enumerate() {
            let Some(def) = facts.func.def(value) else { return false };
            let home = facts.func.insts[def].block;
            if !facts.is_reachable(home) || !facts.is_reachable(block) {
                continue;
            }
            let cycles = &facts.cfg().cycles;
            if cycles.cycle_of(home).is_none_or(|cycle| cycles.contains(cycle, block)) {
                continue;
            }
            if let Some(form) = facts.form_at_use(value, block) {
                let track = self.track(value);
                self.form(Subject::Tracked(track), value, &form, facts, 1 << bit, from);
            }
        }
        self.checks.len() > from
    }

    fn branch(&mut self, block: Block, branches: &mut Vec<BranchCheck>) {
        let from = branches.len();
        for (bit, facts) in self.facts.iter().enumerate() {
            if let Some(scope) = facts.branch_scope(block).filter(|_| facts.is_reachable(block)) {
                match branches[from..].iter_mut().find(|known| known.scope == scope) {
                    Some(known) => known.analyses |= 1 << bit,
                    None => branches.push(BranchCheck { scope, analyses: 1 << bit }),
                }
            }
        }
    }

    fn form(&mut self, subject: Subject, value: Value, form: &Form, facts: &Facts, analyses: Analyses, from: usize) {
        let bits = facts.func.int_bits(value).filter(|&bits| bits <= 64).unwrap_or(0);
        let scope = form.rest.scope();
        let check = |reading, terms, expected| Check {
            subject,
            value: value.as_u32(),
            bits,
            reading,
            terms,
            expected,
            analyses,
        };
        let expected = match form.rest {
            Rest::Const(number) if bits > 0 => Expected::Number(unsigned(number, bits)),
            Rest::Const(_) => Expected::Same { scope, align: 0 },
            Rest::Uniform { align, .. } => Expected::Same { scope, align: align.min(bits as u8) },
        };
        if form.terms.is_empty() {
            self.add(check(Reading::Modular, SmallVec::new(), expected), from);
            return;
        }
        let terms: SmallVec<[CheckTerm; 2]> = form
            .terms
            .iter()
            .map(|term| CheckTerm {
                coefficient: term.coefficient,
                first: term.monomial.bases.0 as u8,
                second: term.monomial.bases.1.map(|base| base as u8),
                symbols: term.monomial.symbols().map(|symbol| self.symbol(symbol, facts)).collect(),
            })
            .collect();
        if let Some(scope) = form.exact_unsigned {
            self.add(check(Reading::Unsigned, terms.clone(), Expected::Same { scope, align: 0 }), from);
        }
        if let Some(scope) = form.exact_signed {
            self.add(check(Reading::Signed, terms.clone(), Expected::Same { scope, align: 0 }), from);
        }
        self.add(check(Reading::Modular, terms, expected), from);
        if let Some(scope) = facts.lanes().scope_of(form) {
            self.add(check(Reading::Modular, SmallVec::new(), Expected::Same { scope, align: 0 }), from);
        }
    }

    fn symbol(&mut self, symbol: Symbol, facts: &Facts) -> CheckSymbol {
        let value = Value::from_u32(symbol.value());
        let bits = facts.func.int_bits(value).unwrap_or(64).min(64);
        CheckSymbol { track: self.track(value), value: symbol.value(), ext: symbol.ext(), bits }
    }

    /// Adds a check to those from position `from` on, unless one of them implies it.
    fn add(&mut self, check: Check, from: usize) {
        if let Some(known) = self.checks[from..].iter_mut().find(|known| known.implies(&check)) {
            known.analyses |= check.analyses;
            return;
        }
        let mut kept = from;
        let mut check = check;
        for index in from..self.checks.len() {
            if check.implies(&self.checks[index]) {
                check.analyses |= self.checks[index].analyses;
            } else {
                self.checks.swap(kept, index);
                kept += 1;
            }
        }
        self.checks.truncate(kept);
        self.checks.push(check);
    }
}
