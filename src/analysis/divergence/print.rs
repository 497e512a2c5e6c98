//! How are the facts of a function printed? The text of `print<affine-divergence>`, stable and easy to grep.
//!
//! ```text
//! affine divergence for 'k' (block unknown):
//! %entry: convergent
//!   %t = affine 1*tid.x
//!   %i = affine 1*tid.x + uniform grid
//!   %w = affine %n*tid.x + 3
//!   br %c: divergent
//!     uniform if gridDim.x * blockDim.x <= %n
//! ```
//!
//! One line per non-void instruction and per conditional branch or switch, in function order, and an extra line if a
//! value has another class when used outside its loop.

use super::condition::Conditions;
use super::facts::{Class, Facts};
use crate::affine::form::{Ext, Form, Rest, Symbol, Term};
use std::fmt::Write;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::names::Names;
use warpwise_ir::types::TypeKind;

/// Prints facts with the names in the function.
pub struct Printer<'a, 'm> {
    facts: &'a Facts,
    handles: &'a Handles<'m>,
    names: Names,
    conditions: Conditions,
}

impl<'a, 'm> Printer<'a, 'm> {
    /// Prepares names for unnamed values.
    pub fn new(facts: &'a Facts, handles: &'a Handles<'m>) -> Self {
        let names = Names::new(&facts.func, handles);
        Printer { facts, handles, names, conditions: Conditions::default() }
    }

    /// Also prints under which launches divergent branches would be uniform.
    pub fn with_conditions(self, conditions: Conditions) -> Self {
        Printer { conditions, ..self }
    }

    /// Name of a value as LLVM prints it.
    pub fn name(&self, value: Value) -> String {
        self.names.value(self.handles, value)
    }

    /// The whole function.
    pub fn function(&self) -> String {
        let mut out = String::new();
        let func = &self.facts.func;
        let shape = self.facts.geometry.exact.map_or_else(|| "unknown".to_owned(), |shape| shape.to_string());
        let _ = writeln!(out, "affine divergence for '{}' (block {shape}):", self.handles.function.name());
        for block in func.blocks.keys() {
            let state = match (self.facts.is_reachable(block), self.facts.is_convergent(block)) {
                (false, _) => "unreachable",
                (true, true) => "convergent",
                (true, false) => "divergent",
            };
            let _ = writeln!(out, "{}: {state}", self.names.block(self.handles, block));
            for inst in func.block_insts(block) {
                self.line(&mut out, inst);
            }
        }
        out
    }

    fn line(&self, out: &mut String, inst: Inst) {
        let func = &self.facts.func;
        let data = &func.insts[inst];
        if let Some(condition) = func.condition(inst) {
            let word = if data.opcode == Opcode::CondBr { "br" } else { "switch" };
            let state = if self.facts.is_divergent_branch(data.block) { "divergent" } else { "uniform" };
            let _ = writeln!(out, "  {word} {}: {state}", self.name(condition));
            if let Some(when) = self.conditions.text(data.block, |value| self.name(value)) {
                let _ = writeln!(out, "    {when}");
            }
        }
        if func.types[data.ty].kind == TypeKind::Void {
            return;
        }
        let value = func.result(inst);
        let name = self.name(value);
        let _ = writeln!(out, "  {name} = {}", self.class(&self.facts.class(value), value));
        if let Some((cycle, form)) = self.facts.after_cycle(value) {
            let outside = match &form {
                Some(form) => self.facts.class_of_form(form),
                None => Class::Divergent,
            };
            let header = self.names.block(self.handles, self.facts.cfg().cycles.header(cycle));
            let _ = writeln!(out, "  {name} = {} after the loop of {header}", self.class(&outside, value));
        }
    }

    /// A class in words; `value` gives the type of a constant.
    pub fn class(&self, class: &Class<'_>, value: Value) -> String {
        match class {
            Class::Unreached => "unreached".to_owned(),
            Class::Constant(number) => {
                let is_bool = self.facts.func.int_bits(value) == Some(1);
                format!("constant {}", if is_bool { i64::from(*number != 0) } else { *number })
            }
            Class::Uniform(scope) => format!("uniform {scope}"),
            Class::Affine(form) => format!("affine {}", self.form(form)),
            Class::Divergent => "divergent".to_owned(),
        }
    }

    /// `4*%n*tid.x + 1*tid.y + uniform block`.
    pub fn form(&self, form: &Form) -> String {
        let mut parts: Vec<String> = form.terms.iter().map(|term| self.term(term)).collect();
        match form.rest {
            Rest::Const(0) if !parts.is_empty() => {}
            Rest::Const(number) => parts.push(number.to_string()),
            Rest::Uniform { scope, .. } => parts.push(format!("uniform {scope}")),
        }
        parts.join(" + ")
    }

    fn term(&self, term: &Term) -> String {
        let mut factors: Vec<String> = term.monomial.symbols().map(|symbol| self.symbol(symbol)).collect();
        if factors.is_empty() || term.coefficient != 1 {
            factors.insert(0, term.coefficient.to_string());
        }
        factors.push(term.monomial.bases.0.to_string());
        factors.extend(term.monomial.bases.1.map(|base| base.to_string()));
        factors.join("*")
    }

    fn symbol(&self, symbol: Symbol) -> String {
        let name = self.name(Value::from_u32(symbol.value()));
        match symbol.ext() {
            Ext::None => name,
            Ext::Zext => format!("zext({name})"),
            Ext::Sext => format!("sext({name})"),
            Ext::Trunc => format!("trunc({name})"),
        }
    }
}
