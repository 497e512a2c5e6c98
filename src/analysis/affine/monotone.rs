//! Does a form that claims less going into a rule ever claim more coming out? For every rule of affine arithmetic: a solver
//! that only weakens what it knows ends, and ends at facts that hold, if no rule does that.

use super::arith::{self, NoWrap};
use super::form::{Base, Form, Rest, Scope};
use super::join::{self, join};
use super::lanes::{self, LaneModel};
use proptest::prelude::*;
use warpwise_ir::geometry::{BlockShape, Geometry};

const BITS: u32 = 32;

pub fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![Just(Scope::Warp), Just(Scope::Block), Just(Scope::Grid)]
}

fn no_wrap() -> impl Strategy<Value = NoWrap> {
    (any::<bool>(), any::<bool>()).prop_map(|(unsigned, signed)| NoWrap { unsigned, signed })
}

/// Sums of thread indices and a rest.
fn form() -> impl Strategy<Value = Form> {
    let rest = prop_oneof![
        (-9i64..40).prop_map(Form::constant),
        (scope(), 0u8..7).prop_map(|(scope, align)| Form::from_rest(Rest::Uniform { scope, align })),
    ];
    let terms = proptest::collection::vec((0usize..3, -3i64..9), 0..3);
    let exact = (proptest::option::of(scope()), proptest::option::of(scope()));
    (rest, terms, exact).prop_map(|(rest, terms, exact)| {
        let mut form = rest;
        for (base, factor) in terms {
            let term = arith::scale(&Form::base(Base::ALL[base]), factor, BITS, NoWrap::NONE);
            form.terms =
                term.and_then(|term| arith::add(&form, &term, BITS, NoWrap::NONE)).map_or(form.terms, |sum| sum.terms);
        }
        if form.terms.iter().next().is_some() {
            (form.exact_unsigned, form.exact_signed) = exact;
        }
        form
    })
}

/// A form, and one that claims no more.
fn pair() -> impl Strategy<Value = (Form, Form)> {
    (form(), form(), proptest::option::of(scope()), 0u8..3).prop_map(|(strong, other, gate, how)| {
        let rest = Form { terms: strong.terms, ..other };
        let weak = match how {
            0 => Some(strong.clone().without_exactness()),
            1 => join(&strong, &rest, gate),
            _ => join::leave_loop(&strong, gate),
        };
        (strong.clone(), weak.unwrap_or(strong))
    })
}

/// Whether the stronger form claims everything that the weaker one claims; `None` claims nothing.
pub fn implies(stronger: Option<&Form>, weaker: Option<&Form>) -> bool {
    let Some(weak) = weaker else { return true };
    let Some(strong) = stronger else { return false };
    let rest = match (strong.rest, weak.rest) {
        (Rest::Const(a), Rest::Const(b)) => a == b,
        (Rest::Uniform { .. }, Rest::Const(_)) => false,
        (a, b) => a.scope() >= b.scope() && a.align().min(63) >= b.align(),
    };
    let exactness = strong.exact_unsigned >= weak.exact_unsigned && strong.exact_signed >= weak.exact_signed;
    strong.terms == weak.terms && rest && exactness
}

/// As [`implies`], or all that the weaker form claims is that lanes agree, and in this geometry they agree on the stronger
/// form too: the split of a form into high and low parts may find the one from more and the other from less.
fn implies_for_lanes(stronger: Option<&Form>, weaker: Option<&Form>) -> bool {
    let agrees = |strong: &Form, weak: &Form| {
        let zeros = strong.terms.iter().map(|term| term.coefficient.trailing_zeros() as u8).min().unwrap_or(63);
        matches!(weak.rest, Rest::Uniform { .. })
            && weak.terms.iter().next().is_none()
            && lanes().scope_of(strong) >= Some(weak.rest.scope())
            && zeros.min(strong.rest.align()) >= weak.rest.align()
    };
    implies(stronger, weaker) || stronger.zip(weaker).is_some_and(|(strong, weak)| agrees(strong, weak))
}

fn lanes() -> LaneModel {
    let exact = Some(BlockShape { x: 64, y: 2, z: 1 });
    LaneModel::new(&Geometry { exact, max_threads: None, min_blocks: None, max_registers: None, rows: None })
}

/// Checks a rule on a pair.
macro_rules! monotone {
    ($pair:expr, $rule:expr) => {
        monotone!($pair, $rule, implies);
    };
    ($pair:expr, $rule:expr, $implies:ident) => {
        let (strong, weak) = &$pair;
        let rule = $rule;
        let (from_strong, from_weak): (Option<Form>, Option<Form>) = (rule(strong), rule(weak));
        prop_assert!(
            $implies(from_strong.as_ref(), from_weak.as_ref()),
            "{strong:?} gives {from_strong:?}, {weak:?} gives {from_weak:?}"
        );
    };
}

proptest! {
    #[test]
    fn pairs_are_ordered(pair in pair()) {
        prop_assert!(implies(Some(&pair.0), Some(&pair.1)));
    }

    #[test]
    fn sums(pair in pair(), other in form(), flags in no_wrap()) {
        monotone!(pair, |form: &Form| arith::add(form, &other, BITS, flags));
        monotone!(pair, |form: &Form| arith::add(&other, form, BITS, flags));
    }

    #[test]
    fn differences(pair in pair(), other in form(), flags in no_wrap()) {
        monotone!(pair, |form: &Form| arith::sub(form, &other, BITS, flags));
        monotone!(pair, |form: &Form| arith::sub(&other, form, BITS, flags));
        monotone!(pair, |form: &Form| arith::not(form, BITS));
    }

    #[test]
    fn products(pair in pair(), other in form(), factor in -9i64..9, flags in no_wrap()) {
        monotone!(pair, |form: &Form| arith::scale(form, factor, BITS, flags));
        monotone!(pair, |form: &Form| arith::product(form, &other, BITS));
        monotone!(pair, |form: &Form| arith::product(&other, form, BITS));
    }

    #[test]
    fn widths(pair in pair(), to in 1u32..32, flags in no_wrap(), signed in any::<bool>(), is_exact in any::<bool>()) {
        monotone!(pair, |form: &Form| arith::truncate(form, BITS, to, flags));
        monotone!(pair, |form: &Form| arith::extend(form, BITS, signed, is_exact));
    }

    #[test]
    fn joins(pair in pair(), other in form(), gate in proptest::option::of(scope())) {
        monotone!(pair, |form: &Form| join(form, &other, gate));
        monotone!(pair, |form: &Form| join::leave_loop(form, gate));
    }

    #[test]
    fn masks_and_shifts(pair in pair(), mask in any::<i32>(), shift in 1u32..31, signed in any::<bool>()) {
        let lanes = lanes();
        monotone!(pair, |form: &Form| lanes.and_mask(form, i64::from(mask), BITS), implies_for_lanes);
        monotone!(pair, |form: &Form| lanes.shift_right(form, shift, BITS, signed), implies_for_lanes);
    }

    #[test]
    fn quotients(pair in pair(), divisor in 1i64..40, signed in any::<bool>(), is_exact in any::<bool>()) {
        monotone!(pair, |form: &Form| lanes::divide_exactly(form, divisor, BITS, signed, is_exact));
    }

    #[test]
    fn scopes(pair in pair()) {
        let lanes = lanes();
        prop_assert!(lanes.scope_of(&pair.0) >= lanes.scope_of(&pair.1), "{pair:?}");
    }
}
