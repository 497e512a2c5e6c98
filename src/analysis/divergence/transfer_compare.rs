//! When do lanes agree on the result of a comparison although they do not agree on its operands?
//!
//! 1. Both operands are uniform: the narrower of their scopes.
//! 2. The terms cancel, so the difference is one number for all lanes. Equality needs nothing more, because it is
//!    modular; an ordered comparison needs both operands exact in its reading.
//! 3. Ranges decide the comparison for every thread: a constant.
//! 4. One operand splits into a uniform high part and a low part that never reaches the other operand's zero low bits
//!    (`tid < 32·k`): the high parts decide.

use super::view::View;
use crate::affine::form::unsigned;
use crate::affine::interner::Element;
use crate::affine::lanes::fits;
use crate::affine::{Form, Rest, Scope};
use crate::mutants::{self, Mutant};
use warpwise_ir::entity::Inst;
use warpwise_ir::inst::{Flags, InstData, Predicate};

impl View<'_> {
    /// An integer or pointer comparison.
    pub(super) fn compare(&mut self, inst: Inst, data: &InstData) -> Element {
        let func = self.func;
        let &[left, right] = func.operands(inst) else { return Element::DIVERGENT };
        let (a, b) = match self.read_pair(left, right, data.block) {
            Ok(pair) => pair,
            Err(element) => return element,
        };
        let Some(predicate) = Predicate::from_sub(data.sub) else { return Element::DIVERGENT };
        if left == right {
            let reflexive =
                matches!(predicate, Predicate::Eq | Predicate::Uge | Predicate::Ule | Predicate::Sge | Predicate::Sle);
            return self.interner.intern_constant(if reflexive { -1 } else { 0 });
        }
        if a.is_divergent() || b.is_divergent() {
            return Element::DIVERGENT;
        }
        let bits = func.int_bits(left).filter(|&bits| bits <= 64);
        let forms = (self.interner.form(a), self.interner.form(b));
        let (Some(bits), (Some(x), Some(y))) = (bits, forms) else { return self.generic(inst) };
        if let Some(answer) = self.decided(predicate, x, y, bits) {
            return self.interner.intern_constant(if answer { -1 } else { 0 });
        }
        let scope = [
            self.scope_of(a).and_then(|scope| Some(scope.min(self.scope_of(b)?))),
            self.cancelled(inst, predicate, data, x, y, bits),
            self.split(predicate, x, y, bits),
            self.split(predicate.swapped(), y, x, bits),
        ];
        scope.into_iter().flatten().max().map_or(Element::DIVERGENT, Element::uniform)
    }

    /// Rule 2.
    fn cancelled(
        &self,
        inst: Inst,
        predicate: Predicate,
        data: &InstData,
        x: &Form,
        y: &Form,
        bits: u32,
    ) -> Option<Scope> {
        if x.terms != y.terms {
            return None;
        }
        let rests = x.rest.scope().min(y.rest.scope());
        if predicate.is_equality() || mutants::on(Mutant::CompareWraps) {
            return Some(rests);
        }
        let operands = self.func.operands(inst);
        let in_reading = |signed: bool| -> Option<Scope> {
            let x = self.exact_scope(x, operands[0], bits, signed, data.block)?;
            let y = self.exact_scope(y, operands[1], bits, signed, data.block)?;
            Some(x.min(y).min(rests))
        };
        // with `samesign` both readings give the same order
        let other = if data.flags.contains(Flags::SAMESIGN) { in_reading(!predicate.is_signed()) } else { None };
        in_reading(predicate.is_signed()).max(other)
    }

    /// Rule 3.
    fn decided(&self, predicate: Predicate, x: &Form, y: &Form, bits: u32) -> Option<bool> {
        let (low_x, high_x) = self.reading(x, bits, predicate)?;
        let (low_y, high_y) = self.reading(y, bits, predicate)?;
        match predicate {
            Predicate::Eq | Predicate::Ne => {
                let equal = if high_x < low_y || high_y < low_x {
                    false
                } else if low_x == high_x && low_y == high_y && low_x == low_y {
                    true
                } else {
                    return None;
                };
                Some(equal == (predicate == Predicate::Eq))
            }
            Predicate::Ult | Predicate::Slt => decide(high_x < low_y, low_x >= high_y),
            Predicate::Ule | Predicate::Sle => decide(high_x <= low_y, low_x > high_y),
            Predicate::Ugt | Predicate::Sgt => decide(low_x > high_y, high_x <= low_y),
            Predicate::Uge | Predicate::Sge => decide(low_x >= high_y, high_x < low_y),
        }
    }

    /// Bounds of a fully known form in the reading of a predicate, if the form does not wrap there.
    fn reading(&self, form: &Form, bits: u32, predicate: Predicate) -> Option<(i128, i128)> {
        if let Some(constant) = form.as_constant() {
            let number =
                if predicate.is_signed() { i128::from(constant) } else { i128::from(unsigned(constant, bits)) };
            return Some((number, number));
        }
        self.model.integer_range(form).filter(|&range| fits(range, bits, predicate.is_signed()))
    }

    /// Rule 4, for `x PREDICATE y` with uniform `y`. `x < y` and `x ≥ y` need zero low bits in `y`; `x > y` and `x ≤ y`
    /// are the same comparisons with `y + 1`, which must not wrap.
    fn split(&self, predicate: Predicate, x: &Form, y: &Form, bits: u32) -> Option<Scope> {
        if !y.terms.is_empty() || x.terms.is_empty() {
            return None;
        }
        let bound = match predicate {
            Predicate::Ult | Predicate::Uge | Predicate::Slt | Predicate::Sge => y.rest,
            Predicate::Ugt | Predicate::Ule | Predicate::Sgt | Predicate::Sle => {
                let Rest::Const(number) = y.rest else { return None };
                let signed_largest = i128::from(number) == (1i128 << (bits - 1)) - 1;
                if if predicate.is_signed() { signed_largest } else { number == -1 } {
                    return None;
                }
                Rest::Const(crate::affine::form::wrap(number.wrapping_add(1), bits))
            }
            // a single lane may have the number, so lanes do not agree
            Predicate::Eq | Predicate::Ne => return None,
        };
        self.model.compare_with_aligned(x, bound, bits)
    }
}

/// The answer that certainly holds, if there is one.
fn decide(surely: bool, surely_not: bool) -> Option<bool> {
    match (surely, surely_not) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}
