//! What does a use see of a value, and a phi of its operands? The gates of gated SSA: γ where paths meet, μ at loop
//! headers, η after loops.

use super::gates::{Gate, OPEN};
use super::view::View;
use crate::affine::interner::Element;
use crate::affine::{Form, Rest, Scope};
use crate::cfg::cycles::Cycle;
use crate::mutants::{self, Mutant};
use cranelift_entity::EntityRef;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{ConstData, Opcode};

/// Maximum number of steps that are applied to the phi of an induction variable at once.
const LOOK_AHEAD: u32 = 3;

impl View<'_> {
    /// The element of a value as a use in `at` sees it, after the exit gates of all cycles in between.
    #[inline]
    pub(super) fn read(&mut self, value: Value, at: Block) -> Element {
        let element = self.elements[value.index()];
        if element.is_bottom() || element.is_divergent() || !self.gates.any_exit_narrowed() {
            return element;
        }
        self.read_elsewhere(element, value, at)
    }

    /// As [`View::read`] for an element of the value's definition.
    pub(super) fn read_elsewhere(&mut self, element: Element, value: Value, at: Block) -> Element {
        let Some(def) = self.func.def(value) else { return element };
        let home = self.func.insts[def].block;
        if home == at {
            return element;
        }
        match self.cfg.cycles.cycle_of(home) {
            Some(cycle) if !self.cfg.cycles.contains(cycle, at) => self.read_out_of(element, value, cycle, at, at),
            _ => element,
        }
    }

    /// As [`View::read`], for a value that flows along the edge from `pred` to `block`.
    fn read_on_edge(&mut self, value: Value, pred: Block, block: Block) -> Element {
        let element = self.elements[value.index()];
        if element.is_bottom() || element.is_divergent() || !self.gates.any_exit_narrowed() {
            return element;
        }
        let Some(def) = self.func.def(value) else { return element };
        let Some(cycle) = self.cfg.cycles.cycle_of(self.func.insts[def].block) else { return element };
        self.read_out_of(element, value, cycle, pred, block)
    }

    fn read_out_of(&mut self, element: Element, value: Value, innermost: Cycle, pred: Block, block: Block) -> Element {
        let form = self.interner.form(element).filter(|_| !mutants::on(Mutant::NoEta));
        let edge = [pred, block];
        match form.and_then(|form| self.gates.leave((self.func, self.cfg), form, innermost, edge)) {
            None => element,
            Some(outside) => {
                let outside = self.interner.intern_or_divergent(outside.as_ref());
                self.prove_again(outside, value)
            }
        }
    }

    /// γ and μ: a phi joins its operands under the gate of its block.
    #[inline(never)] // the other opcodes need not save its registers
    pub(super) fn phi(&mut self, phi: Inst) -> Element {
        let func = self.func;
        let block = func.insts[phi].block;
        let gate = if mutants::on(Mutant::NoGamma) { OPEN } else { self.gates.of_join(block) };
        let operands = func.operands(phi);
        let incoming = func.incoming(phi);
        let mut joined: Option<Element> = None;
        let mut single: Option<Value> = None;
        let mut same = true;
        let (mut undefined, mut pending) = (false, false);
        for (&value, &pred) in operands.iter().zip(incoming) {
            if !self.cfg.order.is_reachable(pred) || value == func.result(phi) {
                continue;
            }
            // if whole warps arrive by one edge, an undefined operand may be taken to equal the others
            if matches!(func.constant(value), Some(ConstData::Undef | ConstData::Poison)) {
                undefined = true;
                continue;
            }
            let element = self.read_on_edge(value, pred, block);
            if element.is_bottom() {
                pending = true;
                continue;
            }
            same &= single.is_none_or(|first| first == value);
            single = Some(value);
            joined = Some(match joined {
                None => element,
                Some(so_far) if mutants::on(Mutant::FirstOperand) => so_far,
                Some(so_far) if so_far.is_divergent() || element.is_divergent() => Element::DIVERGENT,
                Some(so_far) => self.join(so_far, element, OPEN),
            });
        }
        let Some(mut element) = joined else {
            return if undefined && !pending { Element::uniform(Scope::Grid) } else { Element::BOTTOM };
        };
        if undefined && gate.is_none() {
            // some lanes hold the value, others whatever was in their register: code that lets one lane stand for all
            // (a slot written once per warp) would get the wrong one
            return Element::DIVERGENT;
        }
        if !same {
            // the gate applies once, however many edges there are
            element = self.join(element, element, gate);
        } else if gate < OPEN && operands.iter().any(|&v| v == func.result(phi)) {
            // keeping the old value on some edges mixes iterations
            element = self.join(element, element, gate);
        }
        if element.is_divergent() || element.plain_scope().is_some() {
            return element; // no terms
        }
        let element = self.drop_foreign_symbols(element, block);
        self.prove_again(element, func.result(phi))
    }

    /// What the phi of an induction variable will be after some steps, when the sweep comes to it with `element`. A step
    /// is an addition to the phi, mostly of something that is known before the loop, so it can be applied at once: all
    /// that is computed from the first value would have to be visited again. Only a known number is sure to change.
    pub(super) fn look_ahead(&mut self, phi: Inst, mut element: Element) -> Element {
        let func = self.func;
        let value = func.result(phi);
        for &next in func.operands(phi) {
            let is_known = self.interner.form(element).is_some_and(|form| matches!(form.rest, Rest::Const(_)));
            let Some(step) = func.def(next).filter(|_| is_known) else { continue };
            let data = &func.insts[step];
            let adds = matches!(data.opcode, Opcode::Add | Opcode::Sub | Opcode::Gep);
            if !adds || !func.operands(step).contains(&value) || !self.cfg.order.is_reachable(data.block) {
                continue;
            }
            for _ in 0..LOOK_AHEAD {
                self.elements[value.index()] = element;
                self.elements[next.index()] = self.transfer(step, data);
                let after = self.phi(phi);
                if after == element {
                    break;
                }
                element = after;
            }
        }
        element
    }

    /// What geometry alone proves about exactness survives every join.
    pub(super) fn prove_again(&mut self, element: Element, value: Value) -> Element {
        let Some(bits) = self.func.int_bits(value).filter(|_| element.plain_scope().is_none()) else {
            return element;
        };
        match self.interner.form(element) {
            Some(form) if !form.terms.is_empty() && (form.exact_unsigned.is_none() || form.exact_signed.is_none()) => {
                let proven = self.model.prove_exact(form.clone(), bits);
                self.interner.intern(&proven)
            }
            _ => element,
        }
    }

    /// A phi may only refer to symbols whose definition strictly dominates it: any other symbol may have been
    /// recomputed since the operand was.
    fn drop_foreign_symbols(&self, element: Element, block: Block) -> Element {
        let Some(form) = self.interner.form(element) else { return element };
        let foreign = form.symbols().any(|symbol| {
            let def = self.func.def(Value::from_u32(symbol.value()));
            let dominators = || self.cfg.dominators(&self.func.graph);
            def.is_some_and(|def| !dominators().strictly_dominates(self.func.insts[def].block, block))
        });
        if foreign { Element::DIVERGENT } else { element }
    }

    pub(super) fn join(&mut self, a: Element, b: Element, gate: Gate) -> Element {
        if a.is_divergent() || b.is_divergent() {
            return Element::DIVERGENT;
        }
        if let (Some(x), Some(y)) = (a.plain_scope(), b.plain_scope()) {
            return gate.map_or(Element::DIVERGENT, |gate| Element::uniform(x.min(y).min(gate)));
        }
        let (Some(x), Some(y)) = (self.interner.form(a), self.interner.form(b)) else {
            return if a.is_bottom() { b } else { a };
        };
        let joined = crate::affine::join::join(x, y, gate).or_else(|| {
            // forms with different terms may each still be uniform
            let scope = self.model.scope_of(x)?.min(self.model.scope_of(y)?).min(gate?);
            Some(Form::uniform(scope))
        });
        self.interner.intern_or_divergent(joined.as_ref())
    }
}
