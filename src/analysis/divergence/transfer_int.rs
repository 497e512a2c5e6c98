//! How does integer arithmetic combine forms?
//!
//! `affine::arith` combines them. This file finds out what may be claimed about one operation: from its flags, from
//! geometry, and from the ranges of its operands (queried only if the result has terms and the flags do not suffice).

use super::range::Range;
use super::view::View;
use crate::affine::arith::{self, NoWrap};
use crate::affine::form::{unsigned, wrap};
use crate::affine::interner::Element;
use crate::affine::lanes::{divide_exactly, fits};
use crate::affine::{Ext, Form, Rest, Scope, Symbol};
use crate::mutants::{self, Mutant};
use cranelift_entity::EntityRef;
use std::cmp::Ordering;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{Flags, InstData, Opcode, Predicate};

impl View<'_> {
    /// Integer instructions with two operands.
    pub(super) fn integer(&mut self, inst: Inst, data: &InstData) -> Element {
        let func = self.func;
        let &[left, right] = func.operands(inst) else { return Element::DIVERGENT };
        if left == right && matches!(data.opcode, Opcode::Sub | Opcode::Xor) {
            return self.interner.intern_constant(0);
        }
        let (a, b) = match self.read_pair(left, right, data.block) {
            Ok(pair) => pair,
            Err(element) => return element,
        };
        let bits = self.func.int_bits(self.func.result(inst)).filter(|&bits| bits <= 64);
        let Some(bits) = bits else { return self.generic(inst) };
        if a.is_divergent() || b.is_divergent() {
            return self.absorbed(inst, data, a, b, bits).unwrap_or(Element::DIVERGENT);
        }
        let (Some(x), Some(y)) = (self.interner.form(a), self.interner.form(b)) else {
            return Element::DIVERGENT;
        };
        if x.terms.is_empty() && y.terms.is_empty() {
            // these need no proof
            let rest = match data.opcode {
                Opcode::Add => Some(arith::sum_of_rests(x.rest, y.rest, bits)),
                Opcode::Sub => Some(arith::difference_of_rests(x.rest, y.rest, bits)),
                _ => None,
            };
            if let Some(rest) = rest {
                return self.interner.intern_rest(rest);
            }
        }
        match self.integer_forms(inst, data, x, y, bits) {
            Some(form) => self.finish(Some(form), bits),
            // lanes may still agree on a value that has no form
            None => self.absorbed(inst, data, a, b, bits).unwrap_or_else(|| self.generic(inst)),
        }
    }

    /// Two operands of a function of nothing else, or its result if that is plain: lanes agree on both, or one is not known yet.
    #[inline]
    pub(super) fn read_pair(&mut self, left: Value, right: Value, at: Block) -> Result<(Element, Element), Element> {
        let (a, b) = (self.read(left, at), self.read(right, at));
        match (a.plain_scope(), b.plain_scope()) {
            (Some(x), Some(y)) => Err(Element::uniform(x.min(y))),
            _ if a.is_bottom() || b.is_bottom() => Err(Element::BOTTOM),
            _ => Ok((a, b)),
        }
    }

    /// The result if it does not depend on what lanes differ in: constants that absorb the other operand, and masks that
    /// remove all bits in which lanes differ.
    fn absorbed(&mut self, inst: Inst, data: &InstData, a: Element, b: Element, bits: u32) -> Option<Element> {
        let (x, y) = (self.interner.constant(a), self.interner.constant(b));
        let value = match data.opcode {
            Opcode::Mul | Opcode::And if x == Some(0) || y == Some(0) => 0,
            Opcode::Or if x == Some(-1) || y == Some(-1) => -1,
            Opcode::URem | Opcode::SRem if y == Some(1) => 0,
            Opcode::And => {
                let form = self.mask_of_moved_bits(inst, data.block, y?, bits)?;
                return Some(self.interner.intern(&form));
            }
            _ => return None,
        };
        Some(self.interner.intern_constant(value))
    }

    /// The form of a mask that hides a shift without a form. `tid.x / 32 * 8` arrives here as `(tid.x >> 2) & ~7`: the
    /// shift has no form, but the mask keeps only bits on which a warp agrees. The operand is followed through shifts,
    /// casts and masks by constants to a value with a form, and the mask is moved along. Every step dominates the mask,
    /// so the form is read as the block of the mask sees it, after the loops in between. The solver visits such a mask
    /// again when that form changes ([`Opcode::moves_bits`]).
    fn mask_of_moved_bits(&mut self, inst: Inst, at: Block, mask: i64, bits: u32) -> Option<Form> {
        /// Maximum number of steps from the mask back to the value.
        const MAX_STEPS: usize = 4;
        let low = |width: u32| u64::MAX >> (64 - width);
        let mut kept = unsigned(mask, bits);
        let align = kept.trailing_zeros().min(63) as u8;
        let (mut value, mut width) = (self.func.operands(inst)[0], bits);
        for _ in 0..MAX_STEPS {
            let step = self.func.def(value)?;
            let data = &self.func.insts[step];
            if !data.opcode.moves_bits() {
                return None;
            }
            let operands = self.func.operands(step);
            let constant = || operands.get(1).and_then(|&value| self.interner.constant(self.elements[value.index()]));
            let amount = || constant().filter(|&by| (0..i64::from(width)).contains(&by)).map(|by| by as u32);
            let from = self.func.int_bits(operands[0]).filter(|from| (1..=64).contains(from))?;
            kept = match data.opcode {
                _ if mutants::on(Mutant::MaskStays) => kept,
                Opcode::Shl => kept >> amount()?,
                Opcode::LShr => {
                    let by = amount()?;
                    (kept & low(width - by)) << by
                }
                Opcode::AShr => {
                    let by = amount()?;
                    // above are copies of the sign bit
                    (kept & !low(width - by) == 0).then_some(kept << by)?
                }
                Opcode::And => kept & unsigned(constant()?, width),
                Opcode::Trunc => kept,
                Opcode::ZExt => kept & low(from),
                _ => (kept & !low(from) == 0).then_some(kept)?, // sext
            };
            (value, width) = (operands[0], from);
            let element = self.read(value, at);
            if let Some(form) = self.interner.form(element) {
                let masked = self.model.and_mask(form, wrap(kept as i64, width), width)?;
                let scope = masked.terms.is_empty().then(|| masked.rest.scope())?;
                return Some(Form::from_rest(Rest::Uniform { scope, align }));
            }
        }
        None
    }

    fn integer_forms(&self, inst: Inst, data: &InstData, x: &Form, y: &Form, bits: u32) -> Option<Form> {
        match data.opcode {
            Opcode::Add => {
                let no_wrap = self.no_wrap(inst, data, x, y, bits);
                arith::add(x, y, bits, no_wrap)
            }
            Opcode::Sub => {
                let no_wrap = self.no_wrap(inst, data, x, y, bits);
                arith::sub(x, y, bits, no_wrap)
            }
            Opcode::Mul => self.multiply(inst, data, x, y, bits),
            Opcode::Shl => {
                let shift = y.as_constant().filter(|&shift| (0..i64::from(bits)).contains(&shift))? as u32;
                let factor = wrap(1i64.wrapping_shl(shift), bits);
                let no_wrap = self.no_wrap(inst, data, x, &Form::constant(factor), bits);
                let top = shift == bits - 1; // in the signed reading the factor is negative
                arith::scale(x, factor, bits, NoWrap { signed: no_wrap.signed && !top, ..no_wrap })
            }
            Opcode::LShr | Opcode::AShr => {
                let shift = y.as_constant().filter(|&shift| (0..i64::from(bits)).contains(&shift))? as u32;
                self.shift_right(inst, data, x, shift, bits)
            }
            Opcode::UDiv | Opcode::SDiv => {
                let divisor = y.as_constant()?;
                self.divide(inst, data, x, divisor, bits)
            }
            Opcode::URem | Opcode::SRem => {
                let divisor = y.as_constant()?;
                self.remainder(inst, data, x, divisor, bits)
            }
            Opcode::And => match (x.as_constant(), y.as_constant()) {
                (Some(p), Some(q)) => Some(Form::constant(p & q)),
                (_, Some(mask)) => self.mask(x, mask, bits),
                (Some(mask), _) => self.mask(y, mask, bits),
                _ => None,
            },
            Opcode::Or => self.or(data, x, y, bits),
            Opcode::Xor => match (x.as_constant(), y.as_constant()) {
                (Some(p), Some(q)) => Some(Form::constant(wrap(p ^ q, bits))),
                (_, Some(-1)) => arith::not(x, bits),
                (Some(-1), _) => arith::not(y, bits),
                _ => self.disjoint_sum(x, y, bits),
            },
            _ => None,
        }
    }

    /// What is proven about one add, sub, mul or shl: by flags first, then by ranges if there is something to gain.
    fn no_wrap(&self, inst: Inst, data: &InstData, x: &Form, y: &Form, bits: u32) -> NoWrap {
        let mut proven = NoWrap { unsigned: data.flags.contains(Flags::NUW), signed: data.flags.contains(Flags::NSW) };
        let has_terms = !x.terms.is_empty() || !y.terms.is_empty();
        let could_gain = (x.unsigned_scope().is_some() && y.unsigned_scope().is_some() && !proven.unsigned)
            || (x.signed_scope().is_some() && y.signed_scope().is_some() && !proven.signed);
        if !has_terms || !could_gain || proven == NoWrap::BOTH {
            return proven;
        }
        let operands = self.func.operands(inst);
        // an operand with the full range proves nothing, whatever the other is (unless it is a constant 0 or 1)
        let is_constant = x.as_constant().is_some() || y.as_constant().is_some();
        let hopeless = |range: &Range| {
            let full = Range::full(bits);
            let unsigned = proven.unsigned || (range.umin == full.umin && range.umax == full.umax);
            !is_constant && unsigned && (proven.signed || (range.smin == full.smin && range.smax == full.smax))
        };
        let early = (y.terms.is_empty() && data.opcode != Opcode::Shl).then(|| self.range(operands[1], data.block));
        if early.as_ref().is_some_and(hopeless) {
            return proven;
        }
        let a = self.range(operands[0], data.block);
        if hopeless(&a) {
            return proven;
        }
        let b = match data.opcode {
            Opcode::Shl => Range::constant(y.as_constant().unwrap_or(0), bits),
            _ => early.unwrap_or_else(|| self.range(operands[1], data.block)),
        };
        let (unsigned, signed) = match data.opcode {
            Opcode::Add => a.add_wraps(&b),
            Opcode::Sub => a.sub_wraps(&b),
            _ => a.mul_wraps(&b),
        };
        proven.unsigned |= !unsigned;
        proven.signed |= !signed;
        proven
    }

    fn multiply(&self, inst: Inst, data: &InstData, x: &Form, y: &Form, bits: u32) -> Option<Form> {
        if x.is_uniform() && y.is_uniform() && x.as_constant().is_none() && y.as_constant().is_none() {
            let align = (u32::from(x.rest.align()) + u32::from(y.rest.align())).min(63).min(bits) as u8;
            return Some(Form::from_rest(Rest::Uniform { scope: x.rest.scope().min(y.rest.scope()), align }));
        }
        let [left, right] = [0, 1].map(|index| symbol(self.func.operands(inst)[index]));
        arith::multiply((x, left), (y, right), bits, self.no_wrap(inst, data, x, y, bits))
    }

    fn shift_right(&self, inst: Inst, data: &InstData, x: &Form, shift: u32, bits: u32) -> Option<Form> {
        let signed = data.opcode == Opcode::AShr;
        if let Some(value) = x.as_constant() {
            let shifted = if signed { value >> shift } else { (unsigned(value, bits) >> shift) as i64 };
            return Some(Form::constant(wrap(shifted, bits)));
        }
        if x.terms.is_empty() {
            let align = u32::from(x.rest.align()).saturating_sub(shift).min(63) as u8;
            return Some(Form::from_rest(Rest::Uniform { scope: x.rest.scope(), align }));
        }
        let exact = self.exact_at(x, self.func.operands(inst)[0], bits, signed, data.block);
        self.model.shift_right(&exact, shift, bits, signed).or_else(|| {
            let lossless = data.flags.contains(Flags::EXACT) && shift < 63;
            lossless.then(|| divide_exactly(&exact, 1 << shift, bits, signed, true)).flatten()
        })
    }

    fn divide(&self, inst: Inst, data: &InstData, x: &Form, divisor: i64, bits: u32) -> Option<Form> {
        let signed = data.opcode == Opcode::SDiv;
        if divisor <= 0 || x.terms.is_empty() {
            return None;
        }
        if divisor == 1 {
            return Some(x.clone());
        }
        if let Some((low, high)) = self.model.integer_range(x).filter(|&(low, _)| low >= 0) {
            let fits = high < 1i128 << (bits - u32::from(signed));
            if fits && low / i128::from(divisor) == high / i128::from(divisor) {
                return Some(Form::constant((low / i128::from(divisor)) as i64));
            }
        }
        let operand = self.func.operands(inst)[0];
        let exact = self.exact_at(x, operand, bits, signed, data.block);
        if divisor & (divisor - 1) == 0 && (!signed || self.is_non_negative(operand, &exact, bits, data.block)) {
            let shifted = self.model.shift_right(&exact, divisor.trailing_zeros(), bits, signed);
            if shifted.is_some() {
                return shifted;
            }
        }
        divide_exactly(&exact, divisor, bits, signed, data.flags.contains(Flags::EXACT))
    }

    fn remainder(&self, inst: Inst, data: &InstData, x: &Form, divisor: i64, bits: u32) -> Option<Form> {
        let signed = data.opcode == Opcode::SRem;
        if divisor <= 0 || x.terms.is_empty() {
            return None;
        }
        let below = i128::from(divisor).min(1i128 << (bits - u32::from(signed)));
        if self.model.integer_range(x).is_some_and(|(low, high)| low >= 0 && high < below) {
            return Some(x.clone());
        }
        let operand = self.func.operands(inst)[0];
        let power_of_two = divisor & (divisor - 1) == 0;
        if power_of_two && (!signed || self.is_non_negative(operand, x, bits, data.block)) {
            return self.model.and_mask(x, divisor - 1, bits);
        }
        None
    }

    fn is_non_negative(&self, value: Value, form: &Form, bits: u32, at: Block) -> bool {
        let by_form = self.model.integer_range(form).is_some_and(|range| fits(range, bits - 1, false));
        by_form || self.range(value, at).is_non_negative()
    }

    fn mask(&self, x: &Form, mask: i64, bits: u32) -> Option<Form> {
        if x.terms.is_empty() {
            let align = (mask.trailing_zeros() as u8).max(x.rest.align()).min(63);
            return Some(Form::from_rest(Rest::Uniform { scope: x.rest.scope(), align }));
        }
        // a mask that keeps every bit that the value can have
        let kept = unsigned(mask, bits);
        if kept.trailing_ones() < bits && kept & kept.wrapping_add(1) == 0 {
            let fits = self.model.integer_range(x).is_some_and(|(low, high)| low >= 0 && high <= i128::from(kept));
            if fits {
                return Some(x.clone());
            }
        }
        self.model.and_mask(x, mask, bits)
    }

    fn or(&self, data: &InstData, x: &Form, y: &Form, bits: u32) -> Option<Form> {
        if let (Some(p), Some(q)) = (x.as_constant(), y.as_constant()) {
            return Some(Form::constant(wrap(p | q, bits)));
        }
        if data.flags.contains(Flags::DISJOINT) {
            return arith::add(x, y, bits, NoWrap::BOTH);
        }
        if x.terms.is_empty() && y.terms.is_empty() {
            let align = x.rest.align().min(y.rest.align()).min(63);
            return Some(Form::from_rest(Rest::Uniform { scope: x.rest.scope().min(y.rest.scope()), align }));
        }
        self.disjoint_sum(x, y, bits)
    }

    /// Or, xor and add are the same operation if no bit can be set in both operands, which holds if one fits below the
    /// zero bits of the other.
    fn disjoint_sum(&self, x: &Form, y: &Form, bits: u32) -> Option<Form> {
        let fits_below = |small: &Form, large: &Form| {
            let align = if large.terms.is_empty() { large.rest.align() } else { 0 };
            let zeros = u32::from(align).min(bits);
            self.model.integer_range(small).is_some_and(|range| fits(range, zeros, false))
        };
        (fits_below(x, y) || fits_below(y, x) || mutants::on(Mutant::OrAdds))
            .then(|| arith::add(x, y, bits, NoWrap::BOTH))
            .flatten()
    }

    /// trunc, zext, sext, ptrtoint, inttoptr.
    pub(super) fn width(&mut self, inst: Inst, data: &InstData) -> Element {
        let element = self.operand(inst, 0);
        if element.plain_scope().is_some() || element.is_bottom() || element.is_divergent() {
            return element;
        }
        let operand = self.func.operands(inst)[0];
        let (from, to) = (self.func.int_bits(operand), self.func.int_bits(self.func.result(inst)));
        let (Some(from), Some(to), Some(form)) = (from, to, self.interner.form(element)) else {
            return self.generic(inst);
        };
        if from > 64 || to > 64 {
            return self.generic(inst);
        }
        let result = match data.opcode {
            Opcode::Trunc => {
                let no_wrap =
                    NoWrap { unsigned: data.flags.contains(Flags::NUW), signed: data.flags.contains(Flags::NSW) };
                arith::truncate(form, from, to, no_wrap)
            }
            Opcode::PtrToInt | Opcode::IntToPtr => match from.cmp(&to) {
                Ordering::Equal => Some(form.clone()),
                Ordering::Greater => arith::truncate(form, from, to, NoWrap::NONE),
                Ordering::Less => arith::extend(form, from, false, self.model.rest_is_exact(form, from, false)),
            },
            Opcode::SExt => self.extended(form, operand, from, true, data.block),
            _ => {
                let unsigned = self.extended(form, operand, from, false, data.block);
                let non_negative = data.flags.contains(Flags::NNEG);
                if unsigned.is_none() && non_negative {
                    self.extended_non_negative(form, operand, from, data.block)
                } else {
                    unsigned
                }
            }
        };
        match result {
            Some(form) => self.finish(Some(form), to),
            None => self.generic(inst),
        }
    }

    fn extended(&self, form: &Form, value: Value, from: u32, signed: bool, at: Block) -> Option<Form> {
        let mut scope = self.exact_scope(form, value, from, signed, at);
        if mutants::on(if signed { Mutant::SextWraps } else { Mutant::ZextWraps }) {
            scope = Some(form.rest.scope());
        }
        let rest_is_exact = self.model.rest_is_exact(form, from, signed);
        arith::extend_within(scope?, form, from, signed, rest_is_exact)
    }

    /// The extension of a value that is not negative wherever the result is defined. It extends the same way in both
    /// readings. If the lanes also lie closer together than half of all numbers, the form is exact, as in
    /// [`View::exact_scope`].
    fn extended_non_negative(&self, form: &Form, value: Value, from: u32, at: Block) -> Option<Form> {
        let is_close = self.model.spread(form).is_some_and(|spread| spread <= 1i128 << (from - 1));
        if is_close {
            let rest_is_exact = self.model.rest_is_exact(form, from, false);
            return arith::extend_within(form.rest.scope(), form, from, false, rest_is_exact);
        }
        self.extended(form, value, from, true, at)
    }

    /// The form with the exactness that ranges at a block prove in one reading.
    pub(super) fn exact_at(&self, form: &Form, value: Value, bits: u32, signed: bool, at: Block) -> Form {
        let mut exact = form.clone();
        if !form.terms.is_empty() {
            let scope = self.exact_scope(form, value, bits, signed, at);
            *(if signed { &mut exact.exact_signed } else { &mut exact.exact_unsigned }) = scope;
        }
        exact
    }

    /// The scope in which a form is exact in one reading, by itself or because of ranges at a block.
    ///
    /// Modulo `2^w`, the values of two lanes differ by `Σ c·Δ`. If all lanes lie in an interval whose length plus the
    /// largest `|Σ c·Δ|` is below `2^w`, no other difference is congruent to that one, so the form is exact.
    pub(super) fn exact_scope(&self, form: &Form, value: Value, bits: u32, signed: bool, at: Block) -> Option<Scope> {
        let known = if signed { form.signed_scope() } else { form.unsigned_scope() };
        if known == Some(Scope::Grid) || known == Some(form.rest.scope()) || form.terms.is_empty() {
            return known;
        }
        let Some(spread) = self.model.spread(form) else { return known };
        let range = self.range(value, at);
        let length = if signed {
            i128::from(range.smax) - i128::from(range.smin)
        } else {
            i128::from(range.umax) - i128::from(range.umin)
        };
        let is_exact = length + spread < 1i128 << bits;
        if is_exact { known.max(Some(form.rest.scope())) } else { known }
    }

    /// A select that computes a minimum or maximum of two forms with the same terms keeps the terms. Its condition may
    /// be divergent merely for lack of a rule: the comparison has the same result in all lanes.
    pub(super) fn select_of_extremes(&mut self, inst: Inst, yes: Element, no: Element) -> Element {
        let func = self.func;
        let operands = func.operands(inst);
        let Some(compare) = func.def(operands[0]).filter(|&def| func.insts[def].opcode == Opcode::ICmp) else {
            return Element::DIVERGENT;
        };
        let compared = func.operands(compare);
        let matches = (compared[0] == operands[1] && compared[1] == operands[2])
            || (compared[0] == operands[2] && compared[1] == operands[1]);
        let Some(predicate) = Predicate::from_sub(func.insts[compare].sub).filter(|p| matches && !p.is_equality())
        else {
            return Element::DIVERGENT;
        };
        self.extreme(yes, no, predicate.is_signed(), inst)
    }

    /// The minimum or maximum of two elements.
    pub(super) fn extreme(&mut self, a: Element, b: Element, signed: bool, inst: Inst) -> Element {
        let picked = match (self.interner.form(a), self.interner.form(b)) {
            (Some(x), Some(y)) if x.terms == y.terms => arith::pick_same_terms(x, y, signed),
            _ => None,
        };
        match (picked, self.func.int_bits(self.func.result(inst))) {
            (Some(form), Some(bits)) => self.finish(Some(form), bits),
            _ => Element::DIVERGENT,
        }
    }
}

fn symbol(value: Value) -> Symbol {
    Symbol::new(value.as_u32(), Ext::None)
}
