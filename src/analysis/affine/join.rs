//! What is known about a value where paths meet? The γ of gated SSA: a join is gated by the branches that choose the
//! path.
//!
//! `gate` is the narrowest scope in which all lanes take the same path to the join, or `None` if lanes of one warp may
//! arrive by different paths.
//!
//! - Equal, fully known forms survive any gate: every lane evaluates the same formula.
//! - Forms with equal terms and different rests keep their terms; the new rest is uniform in the narrowest of the
//!   scopes involved.
//! - Forms with different terms: divergent.
//!
//! Exactness survives within the gate only. For example `t + 100` and `t − 156` are the same form in eight bits, and
//! each is exact for the lanes in which it does not wrap.

use super::form::{Form, Rest, Scope};

/// Joins two forms under a gate; `None` is divergent.
pub fn join(a: &Form, b: &Form, gate: Option<Scope>) -> Option<Form> {
    let Form { terms, rest, exact_unsigned, exact_signed } = a;
    if terms != &b.terms {
        return None;
    }
    let (exact_unsigned, exact_signed) = ((*exact_unsigned).min(b.exact_unsigned), (*exact_signed).min(b.exact_signed));
    let rest = match (*rest, b.rest) {
        (Rest::Const(x), Rest::Const(y)) if x == y => Rest::Const(x),
        (x, y) => {
            let scope = x.scope().min(y.scope()).min(gate?);
            Rest::Uniform { scope, align: x.align().min(y.align()).min(63) }
        }
    };
    // lanes that arrive by different paths may have wrapped a different number of times, even if they agree modulo 2^w
    let limit = gate.min(Some(rest.scope()));
    let (exact_unsigned, exact_signed) = (exact_unsigned.min(limit), exact_signed.min(limit));
    Some(Form { terms: *terms, rest, exact_unsigned, exact_signed })
}

/// What remains of a form if lanes may hold it from different iterations: the η of gated SSA. `gate` is the narrowest
/// scope in which all lanes leave the loop in the same iteration, or `None` if lanes of one warp do not.
pub fn leave_loop(form: &Form, gate: Option<Scope>) -> Option<Form> {
    join(form, form, gate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::arith::{self, NoWrap};
    use crate::affine::form::Base;
    use crate::affine::monotone::{implies, scope};
    use proptest::prelude::*;

    #[test]
    fn known_forms_survive_any_gate() {
        let tid = Form::base(Base::TidX);
        assert_eq!(join(&tid, &tid, None), Some(tid.clone().without_exactness()));
        assert_eq!(join(&tid, &tid, Some(Scope::Grid)), Some(tid.clone()));
        assert_eq!(join(&Form::constant(3), &Form::constant(3), None), Some(Form::constant(3)));
        assert_eq!(join(&Form::constant(3), &Form::constant(4), None), None);
        assert_eq!(
            join(&Form::constant(3), &Form::constant(4), Some(Scope::Block)).unwrap().rest.scope(),
            Scope::Block
        );
        assert_eq!(join(&tid, &Form::constant(0), Some(Scope::Grid)), None);
        let uniform = Form::uniform(Scope::Grid);
        assert_eq!(join(&uniform, &uniform, None), None);
        assert_eq!(leave_loop(&uniform, Some(Scope::Warp)).unwrap().rest.scope(), Scope::Warp);
    }

    /// Random forms over few terms and rests, so that equal ones are frequent.
    fn form() -> impl Strategy<Value = Form> {
        let rest = prop_oneof![
            (-2i64..3).prop_map(Form::constant),
            (scope(), 0u8..4).prop_map(|(scope, align)| Form::from_rest(Rest::Uniform { scope, align })),
        ];
        (rest, 0usize..3, proptest::option::of(scope()), proptest::option::of(scope())).prop_map(
            |(rest, bases, unsigned, signed)| {
                let mut form = rest;
                for base in &Base::ALL[..bases] {
                    form.terms = arith::add(&form, &Form::base(*base), 32, NoWrap::NONE).unwrap().terms;
                }
                if bases > 0 {
                    (form.exact_unsigned, form.exact_signed) = (unsigned, signed);
                }
                form
            },
        )
    }

    proptest! {
        #[test]
        fn a_join_claims_no_more_than_either(a in form(), b in form(), gate in proptest::option::of(scope())) {
            let joined = join(&a, &b, gate);
            prop_assert!(implies(Some(&a), joined.as_ref()) && implies(Some(&b), joined.as_ref()));
        }

        #[test]
        fn the_order_of_a_join_makes_no_difference(a in form(), b in form(), gate in proptest::option::of(scope())) {
            prop_assert_eq!(join(&a, &b, gate), join(&b, &a, gate));
        }

        #[test]
        fn three_join_in_any_order(a in form(), b in form(), c in form(), gate in proptest::option::of(scope())) {
            let left = join(&a, &b, gate).and_then(|ab| join(&ab, &c, gate));
            let right = join(&b, &c, gate).and_then(|bc| join(&a, &bc, gate));
            prop_assert_eq!(left, right);
        }

        #[test]
        fn a_second_gate_of_the_same_scope_takes_nothing(a in form(), gate in proptest::option::of(scope())) {
            let once = leave_loop(&a, gate);
            prop_assert_eq!(once.as_ref().and_then(|form| leave_loop(form, gate)), once);
        }

        #[test]
        fn a_narrower_gate_claims_less(a in form(), b in form(), gates in (proptest::option::of(scope()), proptest::option::of(scope()))) {
            let (wide, narrow) = (gates.0.max(gates.1), gates.0.min(gates.1));
            prop_assert!(implies(join(&a, &b, wide).as_ref(), join(&a, &b, narrow).as_ref()));
        }

        #[test]
        fn weaker_operands_join_to_weaker_forms(a in form(), b in form(), c in form(), gate in proptest::option::of(scope())) {
            // joining `a` with anything only weakens it
            if let Some(weaker) = join(&a, &b, Some(Scope::Grid)) {
                prop_assert!(implies(join(&a, &c, gate).as_ref(), join(&weaker, &c, gate).as_ref()));
            }
        }
    }
}
