//! If a form is zero in several lanes of a warp, on what do these lanes agree?
//!
//! Equalities that let lanes pass are read this way: the difference of their sides is zero.

use super::form::{Base, Form, wrap};
use super::lanes::LaneModel;
use warpwise_ir::geometry::WARP_SIZE;

/// What lanes of a warp agree on at some place: one bit each for `tid.x`, `tid.y`, `tid.z`, and [`LONE`].
pub type Pinned = u8;

/// The bit that says that there is at most one lane of a warp.
pub const LONE: Pinned = 8;
/// Every bit.
pub const EVERYTHING_PINNED: Pinned = 15;

impl LaneModel {
    /// What lanes of a warp agree on if the form is zero in each of them: on the lane itself if no two lanes hold the
    /// same value modulo `2^bits`, or on the only index in the form.
    pub fn pinned_by_zero(&self, form: &Form, bits: u32) -> Pinned {
        // step·Δ is no multiple of 2^bits for 0 < Δ ≤ largest
        let separates = |step: i64, largest: u64| {
            let step = wrap(step, bits);
            step != 0 && largest > 0 && step.trailing_zeros() + largest.ilog2() < bits
        };
        if self.lane_step(form).is_some_and(|step| separates(step, u64::from(WARP_SIZE) - 1)) {
            return LONE;
        }
        match form.terms[..] {
            [term] => match term.monomial.as_base() {
                Some(base) if base != Base::LaneId && separates(term.coefficient, self.max(base)) => 1 << base as u8,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The difference between the values of neighbouring lanes of a warp, if it is the same for all neighbours.
    fn lane_step(&self, form: &Form) -> Option<i64> {
        if let Some([x, _, _, lane]) = self.flattened(form) {
            return x.checked_add(lane);
        }
        let mut step = 0i64;
        for term in &form.terms {
            step = match term.monomial.as_base() {
                Some(Base::TidX) if self.rows => step.checked_add(term.coefficient)?,
                Some(Base::LaneId) => step.checked_add(term.coefficient)?,
                _ if self.is_warp_uniform(term) => step,
                _ => return None,
            };
        }
        Some(step)
    }

    /// [`LONE`] added if what is pinned leaves one thread of the block.
    pub fn with_lone(&self, pinned: Pinned) -> Pinned {
        let is_known = |base: Base| self.max(base) == 0 || pinned & 1 << base as u8 != 0;
        let one_thread = [Base::TidX, Base::TidY, Base::TidZ].into_iter().all(is_known);
        if one_thread && pinned != 0 { pinned | LONE } else { pinned }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Scope;
    use crate::affine::arith::{NoWrap, add, scale};
    use warpwise_ir::geometry::Geometry;

    fn model(shape: &str) -> LaneModel {
        LaneModel::new(&Geometry { exact: shape.parse().ok(), ..Geometry::default() })
    }

    #[test]
    fn what_zero_pins() {
        let tid = |factor: i64| scale(&Form::base(Base::TidX), factor, 32, NoWrap::NONE).unwrap();
        let unknown = LaneModel::new(&Geometry::default());
        // 2^22·1024 is zero again, and 2^27·32
        let pinned = [1, -3, 1 << 22, 1 << 23].map(|factor| unknown.pinned_by_zero(&tid(factor), 32));
        assert_eq!(pinned, [1, 1, 1, 0]);
        let in_rows = [1, -3, 1 << 27, 1 << 28].map(|factor| model("64x4").pinned_by_zero(&tid(factor), 32));
        assert_eq!(in_rows, [LONE, LONE, LONE, 0]);
        assert_eq!(unknown.pinned_by_zero(&Form::base(Base::LaneId), 32), LONE);
        assert_eq!(unknown.pinned_by_zero(&Form::uniform(Scope::Grid), 32), 0);
        let both = add(&tid(1), &Form::base(Base::TidY), 32, NoWrap::NONE).unwrap();
        assert_eq!((unknown.pinned_by_zero(&both, 32), model("64x4").pinned_by_zero(&both, 32)), (0, LONE));
        assert_eq!(model("16x16").pinned_by_zero(&both, 32), 0);
        assert_eq!((unknown.with_lone(3), unknown.with_lone(7), unknown.with_lone(0)), (3, 15, 0));
        assert_eq!((model("16x16").with_lone(3), model("16x16").with_lone(1)), (11, 1));
    }
}
