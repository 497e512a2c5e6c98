//! How are forms added, multiplied and converted between widths? Arithmetic modulo `2^w`, and what it proves over the
//! integers.
//!
//! Every function returns the form of the result, or `None` for divergent. [`NoWrap`] says what has been proven about
//! this one operation, by its flags or by ranges. Only then does exactness pass from the operands to the result, and
//! only while the integer coefficients themselves fit the width. Claims modulo `2^w` never need a proof.
//!
//! Source: Sampaio 2013, figures 3.6 and 3.8 (rules SUMA, MLVA, MLCA) over integers; the modular reading, exactness,
//! symbolic coefficients and alignment are ours.

use super::form::{Ext, Form, Monomial, Rest, Scope, Symbol, Term, Terms, wrap};
use crate::mutants::{self, Mutant};
use smallvec::SmallVec;

/// In which readings one operation is proven not to wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoWrap {
    pub unsigned: bool,
    pub signed: bool,
}

impl NoWrap {
    /// Nothing is proven.
    pub const NONE: NoWrap = NoWrap { unsigned: false, signed: false };
    /// The operation wraps in neither reading.
    pub const BOTH: NoWrap = NoWrap { unsigned: true, signed: true };
}

/// Accumulates the terms of a product, sorted by monomial and without zeros.
struct Sum {
    terms: SmallVec<[(Monomial, i128); 8]>,
}

impl Sum {
    fn new() -> Sum {
        Sum { terms: SmallVec::new() }
    }

    fn add(&mut self, monomial: Monomial, coefficient: i128) {
        match self.terms.binary_search_by(|(m, _)| m.cmp(&monomial)) {
            Ok(found) => self.terms[found].1 += coefficient,
            Err(place) => self.terms.insert(place, (monomial, coefficient)),
        }
    }

    fn finish(self, bits: u32) -> Option<Terms> {
        let mut terms = Terms::EMPTY;
        for (monomial, coefficient) in self.terms {
            terms.push_wrapped(monomial, coefficient as i64, bits)?;
        }
        Some(terms)
    }
}

/// Whether every coefficient is unchanged by wrapping to `bits`.
#[inline]
fn fits(terms: &Terms, bits: u32) -> bool {
    terms.iter().all(|term| wrap(term.coefficient, bits) == term.coefficient)
}

/// Alignment of a sum, in bits, capped at what a [`Rest`] can store.
fn align_of_sum(a: Rest, b: Rest) -> u8 {
    a.align().min(b.align()).min(63)
}

/// `a + b` of forms without terms.
pub fn sum_of_rests(a: Rest, b: Rest, bits: u32) -> Rest {
    match (a, b) {
        (Rest::Const(x), Rest::Const(y)) => Rest::Const(wrap(x.wrapping_add(y), bits)),
        _ if mutants::on(Mutant::WiderRest) => {
            Rest::Uniform { scope: a.scope().max(b.scope()), align: align_of_sum(a, b) }
        }
        _ => Rest::Uniform { scope: a.scope().min(b.scope()), align: align_of_sum(a, b) },
    }
}

fn negate_rest(rest: Rest, bits: u32) -> Rest {
    match rest {
        Rest::Const(c) => Rest::Const(wrap(c.wrapping_neg(), bits)),
        uniform => uniform,
    }
}

fn scale_rest(rest: Rest, factor: i64, bits: u32) -> Rest {
    match rest {
        Rest::Const(c) => Rest::Const(wrap(c.wrapping_mul(factor), bits)),
        Rest::Uniform { scope, align } => {
            let align = (u32::from(align) + factor.trailing_zeros()).min(63).min(bits) as u8;
            Rest::Uniform { scope, align }
        }
    }
}

fn narrower(a: Option<Scope>, b: Option<Scope>, proven: bool) -> Option<Scope> {
    if proven { a.min(b) } else { None }
}

/// `a − b` of forms without terms.
pub fn difference_of_rests(a: Rest, b: Rest, bits: u32) -> Rest {
    sum_of_rests(a, negate_rest(b, bits), bits)
}

/// The terms of `a + b`, or of `a − b` if it `subtracts`, and whether no coefficient wrapped. Both lists are sorted.
fn merge(a: &Terms, b: &Terms, subtracts: bool, bits: u32) -> Option<(Terms, bool)> {
    let (mut left, mut right) = (&a[..], &b[..]);
    let (mut terms, mut faithful) = (Terms::EMPTY, true);
    loop {
        let monomial = match (left.first(), right.first()) {
            (Some(x), Some(y)) => x.monomial.min(y.monomial),
            (Some(term), None) | (None, Some(term)) => term.monomial,
            (None, None) => return Some((terms, faithful)),
        };
        let take = |side: &mut &[Term]| match side.split_first() {
            Some((term, rest)) if term.monomial == monomial => {
                *side = rest;
                term.coefficient
            }
            _ => 0,
        };
        let (x, y) = (take(&mut left), take(&mut right));
        let (coefficient, overflows) = if subtracts { x.overflowing_sub(y) } else { x.overflowing_add(y) };
        faithful &= terms.push_wrapped(monomial, coefficient, bits)? && !overflows;
    }
}

/// `a + b`.
pub fn add(a: &Form, b: &Form, bits: u32, no_wrap: NoWrap) -> Option<Form> {
    // most sums have terms on one side only
    let (with_terms, rest) = match (a.terms.is_empty(), b.terms.is_empty()) {
        (_, true) => (a, b.rest),
        (true, false) => (b, a.rest),
        (false, false) => return merged((a, b, false), sum_of_rests(a.rest, b.rest, bits), bits, no_wrap),
    };
    let mut sum = with_terms.clone();
    add_rest(&mut sum, rest, bits, no_wrap);
    Some(sum)
}

/// `a + b` in place of `a`, where `b` has the rest `rest` and no terms.
pub fn add_rest(a: &mut Form, rest: Rest, bits: u32, no_wrap: NoWrap) {
    let faithful = fits(&a.terms, bits);
    if !faithful {
        wrap_terms(&mut a.terms, bits);
    }
    let scope = Some(rest.scope());
    a.exact_unsigned = narrower(a.unsigned_scope(), scope, faithful && no_wrap.unsigned);
    a.exact_signed = narrower(a.signed_scope(), scope, faithful && no_wrap.signed);
    a.rest = sum_of_rests(a.rest, rest, bits);
}

/// Wraps every coefficient to `bits`.
fn wrap_terms(terms: &mut Terms, bits: u32) {
    let mut wrapped = Terms::EMPTY;
    for &Term { monomial, coefficient } in &*terms {
        // no more terms than before
        let _ = wrapped.push_wrapped(monomial, coefficient, bits);
    }
    *terms = wrapped;
}

/// `a − b`.
pub fn sub(a: &Form, b: &Form, bits: u32, no_wrap: NoWrap) -> Option<Form> {
    let subtracts = !mutants::on(Mutant::SubAdds);
    merged((a, b, subtracts), difference_of_rests(a.rest, b.rest, bits), bits, no_wrap)
}

/// The sum or the difference of two forms, whose rest is known.
fn merged((a, b, subtracts): (&Form, &Form, bool), rest: Rest, bits: u32, no_wrap: NoWrap) -> Option<Form> {
    let (terms, faithful) = merge(&a.terms, &b.terms, subtracts, bits)?;
    Some(Form {
        terms,
        rest,
        exact_unsigned: narrower(a.unsigned_scope(), b.unsigned_scope(), faithful && no_wrap.unsigned),
        exact_signed: narrower(a.signed_scope(), b.signed_scope(), faithful && no_wrap.signed),
    })
}

/// `!a`, which is `−1 − a`: complementing reverses both orders and never wraps.
pub fn not(a: &Form, bits: u32) -> Option<Form> {
    let both = NoWrap::BOTH;
    // −1 is the largest unsigned and complement never borrows, so both readings stay exact
    sub(&Form::constant(-1), a, bits, both)
}

/// `a · factor` for a known factor (sign-extended).
pub fn scale(a: &Form, factor: i64, bits: u32, no_wrap: NoWrap) -> Option<Form> {
    if factor == 0 {
        return Some(Form::constant(0));
    }
    let (mut terms, mut faithful) = (Terms::EMPTY, true);
    for term in &a.terms {
        // the monomials and their order are unchanged
        let (coefficient, overflows) = term.coefficient.overflowing_mul(factor);
        faithful &= terms.push_wrapped(term.monomial, coefficient, bits)? && !overflows;
    }
    let no_wrap = if mutants::on(Mutant::ScaleExact) { NoWrap::BOTH } else { no_wrap };
    // a factor whose unsigned reading differs from its signed one multiplies differences by another integer
    let unsigned = faithful && no_wrap.unsigned && factor > 0;
    Some(Form {
        terms,
        rest: scale_rest(a.rest, factor, bits),
        exact_unsigned: if unsigned { a.unsigned_scope() } else { None },
        exact_signed: if faithful && no_wrap.signed { a.signed_scope() } else { None },
    })
}

/// `a · s`, where `s` is uniform, has the rest `factor`, and is represented by a symbol.
pub fn times_symbol(a: &Form, symbol: Symbol, factor: Rest, bits: u32, no_wrap: NoWrap) -> Option<Form> {
    let mut terms = Terms::EMPTY;
    for term in &a.terms {
        terms.push(Term { monomial: term.monomial.times_symbol(symbol)?, coefficient: term.coefficient })?;
    }
    terms.sort_by_key(|term| term.monomial);
    let rest = match a.rest {
        Rest::Const(0) => Rest::Const(0),
        rest => {
            let align = (u32::from(rest.align()) + u32::from(factor.align())).min(63).min(bits) as u8;
            Rest::Uniform { scope: rest.scope().min(factor.scope()), align }
        }
    };
    let scope = Some(factor.scope());
    let no_wrap = if mutants::on(Mutant::SymbolExact) { NoWrap::BOTH } else { no_wrap };
    Some(Form {
        terms,
        rest,
        exact_unsigned: narrower(a.unsigned_scope(), scope, no_wrap.unsigned),
        exact_signed: narrower(a.signed_scope(), scope, no_wrap.signed),
    })
}

/// `a · b` where one is a known number, or not both are uniform; a uniform factor is represented by its symbol.
pub fn multiply(
    (a, a_symbol): (&Form, Symbol),
    (b, b_symbol): (&Form, Symbol),
    bits: u32,
    no_wrap: NoWrap,
) -> Option<Form> {
    match (a.as_constant(), b.as_constant(), a.is_uniform(), b.is_uniform()) {
        (_, Some(factor), ..) => scale(a, factor, bits, no_wrap),
        (Some(factor), ..) => scale(b, factor, bits, no_wrap),
        (.., false, true) => times_symbol(a, b_symbol, b.rest, bits, no_wrap),
        (.., true, false) => times_symbol(b, a_symbol, a.rest, bits, no_wrap),
        (.., false, false) => product(a, b, bits),
        (.., true, true) => None,
    }
}

/// `a · b` where both depend on the thread. The product is a form only if both are fully known and of degree one.
pub fn product(a: &Form, b: &Form, bits: u32) -> Option<Form> {
    let (Rest::Const(x), Rest::Const(y)) = (a.rest, b.rest) else { return None };
    let mut sum = Sum::new();
    for left in &a.terms {
        for right in &b.terms {
            let coefficient = i128::from(left.coefficient) * i128::from(right.coefficient);
            sum.add(left.monomial.times(right.monomial)?, coefficient);
        }
        sum.add(left.monomial, i128::from(left.coefficient) * i128::from(y));
    }
    for right in &b.terms {
        sum.add(right.monomial, i128::from(right.coefficient) * i128::from(x));
    }
    let terms = sum.finish(bits)?;
    // exactness of products is re-proved from ranges, not carried
    Some(Form { terms, rest: Rest::Const(wrap(x.wrapping_mul(y), bits)), exact_unsigned: None, exact_signed: None })
}

/// The low `to` bits of a form of width `from`. `no_wrap` comes from the flags of the truncation itself.
pub fn truncate(a: &Form, from: u32, to: u32, no_wrap: NoWrap) -> Option<Form> {
    debug_assert!(to <= from);
    let mut terms = Terms::EMPTY;
    let mut faithful = true;
    for term in &a.terms {
        faithful &= wrap(term.coefficient, to) == term.coefficient;
        if wrap(term.coefficient, to) != 0 {
            terms.push_wrapped(rename_symbols(term.monomial, Ext::Trunc)?, term.coefficient, to)?;
        }
    }
    terms.sort_by_key(|term| term.monomial);
    if terms.windows(2).any(|pair| pair[0].monomial == pair[1].monomial) {
        return None; // cannot happen while renaming is injective; refuse rather than keep two terms of one monomial
    }
    faithful &= a.symbols().next().is_none();
    let no_wrap = if mutants::on(Mutant::TruncExact) { NoWrap::BOTH } else { no_wrap };
    let rest = match a.rest {
        Rest::Const(c) => Rest::Const(wrap(c, to)),
        Rest::Uniform { align, .. } if u32::from(align) >= to => Rest::Const(0),
        rest => rest,
    };
    Some(Form {
        terms,
        rest,
        exact_unsigned: if faithful && no_wrap.unsigned { a.unsigned_scope() } else { None },
        exact_signed: if faithful && no_wrap.signed { a.signed_scope() } else { None },
    })
}

/// A form of width `from`, extended with zeros or (`signed`) with its sign. Requires exactness in that reading.
/// `rest_is_exact`: a constant rest equals the integer that it represents
/// ([`rest_is_exact`](super::lanes::LaneModel::rest_is_exact)).
pub fn extend(a: &Form, from: u32, signed: bool, rest_is_exact: bool) -> Option<Form> {
    let scope = if signed { a.signed_scope()? } else { a.unsigned_scope()? };
    extend_within(scope, a, from, signed, rest_is_exact)
}

/// [`extend`] for a form that is known to be exact in that reading within `scope`, even if the form does not record it.
pub fn extend_within(scope: Scope, a: &Form, from: u32, signed: bool, rest_is_exact: bool) -> Option<Form> {
    let ext = if signed { Ext::Sext } else { Ext::Zext };
    let mut terms = Terms::EMPTY;
    for term in &a.terms {
        terms.push(Term { monomial: rename_symbols(term.monomial, ext)?, coefficient: term.coefficient })?;
    }
    terms.sort_by_key(|term| term.monomial);
    let rest = match a.rest {
        Rest::Const(c) if terms.is_empty() => {
            Rest::Const(if signed { wrap(c, from) } else { super::form::unsigned(c, from) as i64 })
        }
        Rest::Const(c) if rest_is_exact => Rest::Const(c),
        rest => Rest::Uniform { scope: rest.scope().min(scope), align: rest.align().min(63).min(from as u8) },
    };
    Some(Form { terms, rest, exact_unsigned: (!signed).then_some(scope), exact_signed: Some(scope) })
}

/// The monomial with its symbols marked as extended or truncated. A symbol that is already extended one way cannot be
/// extended the other way.
fn rename_symbols(monomial: Monomial, ext: Ext) -> Option<Monomial> {
    let rename = |symbol: Symbol| -> Option<Symbol> {
        let ext = match (symbol.ext(), ext) {
            (Ext::None, ext) => ext,
            (Ext::Trunc, Ext::Trunc) => Ext::Trunc,
            (Ext::Zext, Ext::Zext | Ext::Sext) => Ext::Zext, // zero-extended values are not negative
            (Ext::Sext, Ext::Sext) => Ext::Sext,
            _ => return None,
        };
        Some(Symbol::new(symbol.value(), ext))
    };
    let mut renamed = Monomial { bases: monomial.bases, symbols: (None, None) };
    for symbol in monomial.symbols() {
        renamed = renamed.times_symbol(rename(symbol)?)?;
    }
    Some(renamed)
}

/// Minimum or maximum of two forms with the same terms whose difference has a known sign order: the same operand wins
/// in every lane of the scope, so the terms stay and the rest is one of the two.
pub fn pick_same_terms(a: &Form, b: &Form, signed: bool) -> Option<Form> {
    let scope =
        if signed { a.signed_scope()?.min(b.signed_scope()?) } else { a.unsigned_scope()?.min(b.unsigned_scope()?) };
    let scope = scope.min(a.rest.scope()).min(b.rest.scope());
    super::join::join(a, b, Some(scope))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::form::Base;

    fn tid() -> Form {
        Form::base(Base::TidX)
    }

    #[test]
    fn differences_cancel() {
        let shifted = add(&tid(), &Form::uniform(Scope::Grid), 32, NoWrap::NONE).unwrap();
        let difference = sub(&shifted, &tid(), 32, NoWrap::NONE).unwrap();
        assert!(difference.is_uniform());
        assert_eq!(sub(&tid(), &tid(), 32, NoWrap::NONE).unwrap().as_constant(), Some(0));
    }

    #[test]
    fn squares_cancel() {
        let plus_one = add(&tid(), &Form::constant(1), 32, NoWrap::BOTH).unwrap();
        let square = product(&plus_one, &plus_one, 32).unwrap();
        let plain = product(&tid(), &tid(), 32).unwrap();
        let difference = sub(&square, &plain, 32, NoWrap::NONE).unwrap();
        assert_eq!(difference.terms[..], [Term { monomial: Monomial::base(Base::TidX), coefficient: 2 }]);
        assert_eq!(difference.rest, Rest::Const(1));
    }

    #[test]
    fn coefficients_that_do_not_fit_lose_exactness() {
        let big = scale(&tid(), 1 << 30, 32, NoWrap::BOTH).unwrap();
        assert_eq!(big.exact_unsigned, Some(Scope::Grid));
        let bigger = scale(&big, 2, 32, NoWrap::BOTH).unwrap();
        assert_eq!(bigger.exact_unsigned, None);
        assert_eq!(wrap(bigger.terms[0].coefficient, 32), i64::from(i32::MIN));
    }

    #[test]
    fn widening_needs_exactness() {
        let modular = add(&tid(), &Form::uniform(Scope::Grid), 32, NoWrap::NONE).unwrap();
        assert_eq!(extend(&modular, 32, true, false), None);
        let exact = add(&tid(), &Form::uniform(Scope::Block), 32, NoWrap { unsigned: false, signed: true }).unwrap();
        let wide = extend(&exact, 32, true, false).unwrap();
        assert_eq!(wide.rest.scope(), Scope::Block);
        assert_eq!(extend(&exact, 32, false, false), None);
    }

    #[test]
    fn symbols_remember_their_extension() {
        let symbol = Symbol::new(7, Ext::None);
        let strided =
            times_symbol(&tid(), symbol, Rest::Uniform { scope: Scope::Grid, align: 0 }, 32, NoWrap::BOTH).unwrap();
        let wide = extend(&strided, 32, true, false).unwrap();
        assert_eq!(wide.symbols().next().unwrap().ext(), Ext::Sext);
        assert_eq!(truncate(&wide, 64, 32, NoWrap::NONE), None);
    }
}
