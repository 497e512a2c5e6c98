//! What is known where paths meet? The γ of gated SSA: a join is gated by the branches that choose the path.
//!
//! `gate` is the narrowest scope in which all lanes take the same path into the join; `None` when lanes of one warp may
//! come by different paths. Equal forms that are fully known survive any gate: every lane has the same formula. Equal
//! terms with another rest keep their terms and lose the rest to the narrowest scope. Exactness holds within the gate only:
//! `t + 100` and `t − 156` are one form of eight bits, each exact where it does not wrap. Different terms: divergent.

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
    // lanes that come by different paths may have wrapped a different number of times, whatever they agree on modulo 2^w
    let limit = gate.min(Some(rest.scope()));
    let (exact_unsigned, exact_signed) = (exact_unsigned.min(limit), exact_signed.min(limit));
    Some(Form { terms: *terms, rest, exact_unsigned, exact_signed })
}

/// What remains of a form when lanes may hold it from different iterations: the η of gated SSA. `gate` is the
/// narrowest scope in which all lanes leave the loop in the same iteration, `None` when lanes of a warp do not.
pub fn leave_loop(form: &Form, gate: Option<Scope>) -> Option<Form> {
    join(form, form, gate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::form::Base;

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
}
