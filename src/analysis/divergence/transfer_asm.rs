//! How do the results of inline PTX relate across lanes? Its instructions are followed one by one, each with the rule
//! that the same operation has as an instruction or intrinsic of LLVM.
//!
//! The state is one element per register of the [`Program`]. A register is divergent until it is written: it holds
//! whatever was in it. A guarded instruction joins the old value of its result with the new one, with the guard as gate,
//! like a select. An instruction without a row in the table makes every register divergent that it names, and what is
//! not understood at all makes every result divergent.
//!
//! - **Forms** survive integer arithmetic on registers of exactly the width of the instruction's type. In any other
//!   case the result is merely uniform if the operands are.
//! - **Exchanges** between lanes count only in a call marked convergent: LLVM may move any other call to where lanes
//!   have parted.
//! - **Undefined operands** are divergent. Assembly turns them into numbers, as `freeze` does.
//! - **Loads** count as loads of LLVM do if the assembly is volatile, so that it stays where it is; if not, only those
//!   of memory that nobody writes.

use super::intrinsics::{LaneRule, register_rule};
use super::transfer_call::{CLAMP_FIELDS, FULL_WIDTH_CLAMP};
use super::view::View;
use crate::affine::arith::{self, NoWrap};
use crate::affine::form::wrap;
use crate::affine::interner::Element;
use crate::affine::{Form, Scope};
use crate::mutants::{self, Mutant};
use smallvec::SmallVec;
use warpwise_ir::asm::table::{Arithmetic, AsmKind};
use warpwise_ir::asm::{Input, Operand, Program, Register, Step};
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{ConstData, Flags, Opcode};

/// Maximum number of values that are followed from one operand of assembly to find out whether it is defined.
const MAX_ORIGINS: usize = 64;

/// The registers of one piece of assembly while it is followed.
struct Registers<'p> {
    program: &'p Program,
    elements: SmallVec<[Element; 16]>,
    /// LLVM keeps the call where it is with respect to other lanes.
    convergent: bool,
    /// LLVM keeps the call where it is with respect to other effects.
    in_place: bool,
}

impl Registers<'_> {
    fn width(&self, register: Register) -> u32 {
        self.program.widths[usize::from(register)]
    }
    fn element(&self, register: Register) -> Element {
        self.elements[usize::from(register)]
    }
}

impl View<'_> {
    /// The result of a call of inline assembly; of several results, what holds for all of them.
    pub(super) fn assembly(&mut self, inst: Inst) -> Element {
        let outputs = self.outputs(inst);
        match outputs.as_slice() {
            [] => Element::DIVERGENT,
            [single] => *single,
            all => self.narrowest(all, |_, &element| element),
        }
    }

    /// One of several results of inline assembly, as a use in `at` sees it.
    pub(super) fn assembly_member(&mut self, call: Inst, member: u32, at: Block) -> Option<Element> {
        self.func.assembly(call)?;
        let element = *self.outputs(call).get(member as usize)?;
        Some(self.read_elsewhere(element, self.func.result(call), at))
    }

    fn outputs(&mut self, inst: Inst) -> SmallVec<[Element; 2]> {
        let func = self.func;
        let Some(program) = func.assembly(inst) else { return SmallVec::new() };
        if program.obstacle.is_some() {
            return SmallVec::from_elem(Element::DIVERGENT, program.outputs.len());
        }
        let call = func.call(inst);
        let mut registers = Registers {
            program,
            elements: SmallVec::from_elem(Element::DIVERGENT, program.widths.len()),
            convergent: call.convergent,
            in_place: matches!(call.callee, Callee::Asm { side_effects: true }),
        };
        for (index, &input) in program.inputs.iter().enumerate() {
            let mut element = self.operand(inst, index);
            if element.is_bottom() {
                return SmallVec::from_elem(Element::BOTTOM, program.outputs.len());
            }
            if !element.is_divergent() && self.may_be_undefined(func.operands(inst)[index]) {
                element = Element::DIVERGENT;
            }
            let (register, element) = match input {
                Input::Register(register) => (register, element),
                Input::Partial(register) => (register, Element::DIVERGENT),
                Input::Immediate(register) => (register, self.immediate(element)),
            };
            registers.elements[usize::from(register)] = element;
        }
        for step in &program.steps {
            self.step(&mut registers, step);
        }
        let output = |register: &Option<Register>| register.map_or(Element::DIVERGENT, |r| registers.element(r));
        program.outputs.iter().map(output).collect()
    }

    /// Whether an operand may be undefined, by a constant of the function: each lane then passes what its register
    /// happens to hold, and unlike LLVM's instructions, assembly makes a defined value of it.
    fn may_be_undefined(&self, operand: Value) -> bool {
        let is_open = |value| {
            let param = self.func.as_param(value).filter(|_| !self.func.is_kernel);
            param.is_some_and(|param| !self.func.params[param as usize].noundef)
        };
        let all_noundef = self.func.is_kernel || self.func.params.iter().all(|param| param.noundef);
        let calls = || self.func.calls.iter().any(|call| matches!(call.callee, Callee::Function(_)));
        if all_noundef && !self.func.has_undefined && !calls() {
            return false;
        }
        let mut seen: SmallVec<[Value; MAX_ORIGINS]> = SmallVec::from_slice(&[operand]);
        let mut next = 0;
        while let Some(&value) = seen.get(next) {
            next += 1;
            if is_open(value) || self.func.constant(value).is_some_and(ConstData::is_undefined) {
                return true;
            }
            let Some(def) = self.func.def(value) else { continue };
            let data = &self.func.insts[def];
            let passes_on = match data.opcode {
                Opcode::Call => match self.func.call(def).callee {
                    Callee::Function(_) if !data.flags.contains(Flags::NOUNDEF) => return true,
                    callee => matches!(callee, Callee::Intrinsic(_)),
                },
                // what memory holds is the same for all lanes that load it
                opcode => opcode.is_value_of_operands(),
            };
            if !passes_on {
                continue;
            }
            for &origin in self.func.operands(def) {
                if !seen.contains(&origin) {
                    if seen.len() == MAX_ORIGINS {
                        return true;
                    }
                    seen.push(origin);
                }
            }
        }
        false
    }

    /// A number in the text. A negative one may be printed in either reading.
    fn immediate(&mut self, element: Element) -> Element {
        match self.interner.constant(element) {
            Some(number) if number >= 0 => element,
            _ => Element::uniform(Scope::Grid),
        }
    }

    fn step(&mut self, registers: &mut Registers<'_>, step: &Step) {
        let element = match step.kind {
            _ if step.guard.is_some_and(|guard| registers.width(guard) != 1) => Element::DIVERGENT,
            None => Element::DIVERGENT,
            Some(kind) => self.step_result(registers, step, kind),
        };
        let uniform = mutants::on(Mutant::AssemblyGuard).then_some(Scope::Grid);
        let gate = step.guard.map(|guard| uniform.max(self.scope_of(registers.element(guard))));
        let several = step.writes.len() > 1;
        for &register in &step.writes {
            let one = if several { self.without_form(element) } else { element };
            registers.elements[usize::from(register)] = match gate {
                None => one,
                Some(gate) => self.join(registers.element(register), one, gate),
            };
        }
    }

    /// Lanes agree on every result of an instruction that they agree on, but only one of them has the form.
    fn without_form(&self, element: Element) -> Element {
        self.scope_of(element).map_or(Element::DIVERGENT, Element::uniform)
    }

    fn step_result(&mut self, registers: &Registers<'_>, step: &Step, kind: AsmKind) -> Element {
        let Registers { convergent, in_place, .. } = *registers;
        match kind {
            AsmKind::Pure => self.agreed(registers, &step.reads),
            AsmKind::PureInBlock => self.agreed(registers, &step.reads).capped(Scope::Block),
            AsmKind::Arithmetic(operation) => match self.modular(registers, step, operation) {
                Some(element) if !element.is_divergent() => element,
                _ => self.agreed(registers, &step.reads),
            },
            AsmKind::Vote if convergent => {
                let mask = step.reads.last().map(std::slice::from_ref).unwrap_or_default();
                self.agreed(registers, mask).capped(Scope::Warp)
            }
            AsmKind::ShuffleIndex if convergent => match step.reads.as_slice() {
                [_, lane, clamp, mask] => {
                    let clamp = self.element_of(registers, clamp, 32);
                    match self.interner.constant(clamp) {
                        Some(bits) if bits as u64 & CLAMP_FIELDS == FULL_WIDTH_CLAMP => {
                            self.agreed(registers, &[lane.clone(), mask.clone()]).capped(Scope::Warp)
                        }
                        _ => Element::DIVERGENT,
                    }
                }
                _ => Element::DIVERGENT,
            },
            AsmKind::BarrierReduction if convergent => match step.reads.as_slice() {
                [barrier, _] => self.agreed(registers, std::slice::from_ref(barrier)).capped(Scope::Block),
                [barrier, threads, _] => {
                    self.agreed(registers, &[barrier.clone(), threads.clone()]).capped(Scope::Warp)
                }
                _ => Element::DIVERGENT,
            },
            AsmKind::ReadOnlyLoad => self.agreed(registers, &step.reads),
            AsmKind::WeakLoad if in_place => self.agreed(registers, &step.reads).capped(Scope::Warp),
            AsmKind::Vote | AsmKind::ShuffleIndex | AsmKind::BarrierReduction | AsmKind::WeakLoad => Element::DIVERGENT,
            AsmKind::NoResult | AsmKind::Divergent => Element::DIVERGENT,
        }
    }

    /// What an operand holds, read in a width.
    fn element_of(&mut self, registers: &Registers<'_>, operand: &Operand, bits: u32) -> Element {
        match operand {
            Operand::Register(register) => registers.element(*register),
            Operand::Number(number) => self.interner.intern_constant(wrap(*number, bits)),
            Operand::Constant => Element::uniform(Scope::Grid),
            Operand::Special(name) => match register_rule(name) {
                // the low bits of an index are another number
                LaneRule::Index(_) if bits != 32 => Element::DIVERGENT,
                LaneRule::Number(_) | LaneRule::BlockSize(_) if bits != 32 => Element::uniform(Scope::Grid),
                rule => self.special_register(rule),
            },
        }
    }

    /// Uniform in the narrowest scope of the operands: the default rule.
    fn agreed(&mut self, registers: &Registers<'_>, operands: &[Operand]) -> Element {
        self.narrowest(operands, |view, operand| view.element_of(registers, operand, 32))
    }

    /// Modular arithmetic on registers of the width of the instruction.
    fn modular(&mut self, registers: &Registers<'_>, step: &Step, operation: Arithmetic) -> Option<Element> {
        let (to, from) = step.types?;
        let &[target] = step.writes.as_slice() else { return None };
        let same = to == from || operation == Arithmetic::Convert;
        if registers.width(target) != to.bits || !same || to.bits > 64 {
            return None;
        }
        let mut elements = SmallVec::<[Element; 3]>::new();
        for (index, operand) in step.reads.iter().enumerate() {
            // the last operands of a shift and of a choice are of other types
            let other = match operation {
                Arithmetic::ShiftLeft => index == 1,
                Arithmetic::Choose => index == 2,
                _ => false,
            };
            if let Operand::Register(register) = operand
                && !other
                && !matches!(registers.width(*register), 0)
                && registers.width(*register) != from.bits
            {
                return None;
            }
            elements.push(self.element_of(registers, operand, if other { 32 } else { from.bits }));
        }
        let (bits, none) = (to.bits, NoWrap::NONE);
        if let (Arithmetic::Choose, &[a, b, c]) = (operation, elements.as_slice()) {
            let gate = self.scope_of(c);
            return Some(self.join(a, b, gate));
        }
        let forms: SmallVec<[Form; 3]> =
            elements.iter().map(|&element| self.interner.form(element).cloned()).collect::<Option<_>>()?;
        let scaled = |form: &Form, factor: &Form| match (form.as_constant(), factor.as_constant()) {
            (_, Some(factor)) => arith::scale(form, factor, bits, none),
            (Some(number), _) => arith::scale(factor, number, bits, none),
            _ => None,
        };
        let form = match (operation, forms.as_slice()) {
            (Arithmetic::Move, [a]) => a.clone(),
            (Arithmetic::Add, [a, b]) => arith::add(a, b, bits, none)?,
            (Arithmetic::Sub, [a, b]) => arith::sub(a, b, bits, none)?,
            (Arithmetic::Negate, [a]) => arith::sub(&Form::constant(0), a, bits, none)?,
            (Arithmetic::Not, [a]) => arith::not(a, bits)?,
            (Arithmetic::Multiply, [a, b]) => scaled(a, b)?,
            (Arithmetic::MultiplyAdd, [a, b, c]) => arith::add(&scaled(a, b)?, c, bits, none)?,
            (Arithmetic::ShiftLeft, [a, by]) => {
                let by = by.as_constant().filter(|by| (0..i64::from(bits)).contains(by))?;
                arith::scale(a, wrap(1i64.wrapping_shl(by as u32), bits), bits, none)?
            }
            (Arithmetic::Convert, [a]) if to.bits <= from.bits => arith::truncate(a, from.bits, to.bits, none)?,
            (Arithmetic::Convert, [a]) => {
                let rest_is_exact = self.model.rest_is_exact(a, from.bits, from.signed);
                arith::extend(a, from.bits, from.signed, rest_is_exact)?
            }
            _ => return None,
        };
        Some(self.finish(Some(form), bits))
    }
}
