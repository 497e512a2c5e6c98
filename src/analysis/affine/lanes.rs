//! What does the launch geometry say about the lanes of a form? The model of a warp behind bit tricks and exactness
//! proofs.
//!
//! Assumed in every launch: each thread index is below its bound, and `laneid` is below 32.
//!
//! Where *warps lie in rows* (the block is a single row of threads, or every row is a whole number of warps), `tid.x =
//! 32·q + laneid`, and `q`, `tid.y` and `tid.z` are the same for all lanes of a warp. Where warps lie in planes,
//! `tid.z` is.
//!
//! The *flat index* `tid.x + X·tid.y + X·Y·tid.z` in a block of the shape X×Y×Z equals `32·q + laneid`, and is below the
//! number of threads. X and Y may be known numbers, or values of the function that read `ntid.x` and `ntid.y`. Nothing
//! else is assumed.

use super::form::{Base, Form, Rest, Scope, Term, wrap};
use crate::mutants::{self, Mutant};
use smallvec::SmallVec;
use warpwise_ir::geometry::{BlockShape, Geometry, Rows, WARP_SIZE};

/// What is known about lanes under one launch geometry.
#[derive(Clone, Copy, Debug)]
pub struct LaneModel {
    /// Largest value of each base, in the order of [`Base::ALL`].
    max: [u64; 4],
    pub(super) rows: bool,
    planes: bool,
    one_warp: bool,
    exact: Option<BlockShape>,
    /// Largest number of threads in a block.
    threads: u64,
    /// The symbols that are `ntid.x` and `ntid.y`, by their numbers.
    extents: [Option<u32>; 2],
    /// `ntid.x` is a multiple of 32.
    whole_rows: bool,
}

/// A form split into `high · 2^bits + low` with `0 ≤ low < 2^bits`, where `high` is the same for all lanes of `scope`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LowPart {
    /// Width of the low part.
    pub bits: u32,
    pub scope: Scope,
    /// If the split is within a warp: the low part is this number times `laneid`.
    pub lane_step: Option<i64>,
}

/// Coefficients of the four bases in a form that is linear with known coefficients.
type Linear = [i64; 4];

impl LaneModel {
    /// The model of a geometry.
    pub fn new(geometry: &Geometry) -> LaneModel {
        let bound = |dim| u64::from(geometry.tid_bound(dim)) - 1;
        let lanes = u64::from(geometry.thread_bound().min(WARP_SIZE)) - 1;
        LaneModel {
            max: [bound(0), bound(1), bound(2), lanes],
            rows: geometry.warps_lie_in_rows() || mutants::on(Mutant::AlwaysRows),
            planes: geometry.warps_lie_in_planes(),
            one_warp: geometry.is_one_warp(),
            exact: geometry.exact,
            threads: geometry.thread_bound().into(),
            extents: [None; 2],
            whole_rows: geometry.rows == Some(Rows::WholeWarps),
        }
    }

    /// The same model, where the values with these numbers are `ntid.x` and `ntid.y`.
    pub fn with_extents(self, extents: [Option<u32>; 2]) -> LaneModel {
        LaneModel { extents, ..self }
    }

    /// Largest value of a base.
    pub fn max(&self, base: Base) -> u64 {
        self.max[base as usize]
    }

    /// Whether all lanes of a warp hold the same values of the bases of a term.
    pub(super) fn is_warp_uniform(&self, term: &Term) -> bool {
        let is_uniform = |base: Base| match base {
            Base::TidX | Base::LaneId => self.max(base) == 0,
            Base::TidY => self.rows || self.max(base) == 0,
            Base::TidZ => self.rows || self.planes || self.max(base) == 0,
        };
        let (first, second) = term.monomial.bases;
        is_uniform(first) && second.is_none_or(is_uniform)
    }

    /// The widest scope in which lanes agree on the value of a form; `None` if lanes of one warp may differ.
    pub fn scope_of(&self, form: &Form) -> Option<Scope> {
        if form.terms.is_empty() {
            return Some(form.rest.scope());
        }
        let within = if self.one_warp { Scope::Block } else { Scope::Warp };
        let uniform = form.terms.iter().all(|term| self.is_warp_uniform(term));
        if uniform || (self.rows && self.lanes_cancel(form)) || self.flat_lanes_cancel(form) {
            return Some(within.min(form.rest.scope()));
        }
        None
    }

    /// Whether `tid.x` and `laneid` cancel: in rows `tid.x = 32·q + laneid`, so equal and opposite coefficients cancel
    /// within a warp.
    fn lanes_cancel(&self, form: &Form) -> bool {
        let varying = |base: Base| matches!(base, Base::TidX | Base::LaneId);
        form.terms.iter().all(|term| match term.monomial.bases {
            (base, None) if varying(base) => {
                let mut other = term.monomial;
                other.bases.0 = if base == Base::TidX { Base::LaneId } else { Base::TidX };
                let opposite = term.coefficient.wrapping_neg();
                form.terms.iter().any(|t| t.monomial == other && t.coefficient == opposite)
            }
            (first, second) => !varying(first) && !second.is_some_and(varying),
        })
    }

    /// Whether the flat index and `laneid` cancel in the same way.
    fn flat_lanes_cancel(&self, form: &Form) -> bool {
        self.flattened(form).is_some_and(|[x, _, _, lane]| x.checked_add(lane) == Some(0))
    }

    /// The form rewritten in terms of the flat index, if possible: the coefficient of `tid.x` becomes that of the flat
    /// index, `tid.y` vanishes, and `tid.z` may remain only where warps lie in planes.
    fn flat(&self, linear: &Linear) -> Option<Linear> {
        let shape = self.exact?;
        let &[x, y, z, lane] = linear;
        let factor = match (shape.x, shape.y) {
            (1, 1) => z,
            (1, _) => y,
            _ => x,
        };
        let row = factor.checked_mul(i64::from(shape.x))?;
        let plane = row.checked_mul(i64::from(shape.y))?;
        let beyond = if shape.z == 1 { 0 } else { z.checked_sub(plane)? };
        let fits = (shape.y == 1 || y == row) && (beyond == 0 || self.planes);
        fits.then_some([factor, 0, beyond, lane])
    }

    /// The form in terms of the flat index, whether the extents are numbers or symbols.
    pub(super) fn flattened(&self, form: &Form) -> Option<Linear> {
        match self.linear(form) {
            Some(linear) => self.flat(&linear),
            None => self.symbolic_flat(form),
        }
    }

    /// `c·tid.x + c·%ntid.x·tid.y + c·%ntid.x·%ntid.y·tid.z`, and perhaps `laneid`, in terms of the flat index. How the
    /// symbols were extended or truncated does not matter: modulo `2^w` they are the extents.
    fn symbolic_flat(&self, form: &Form) -> Option<Linear> {
        let [Some(row), Some(plane)] = self.extents else { return None };
        let [mut x, mut y, mut z, mut lane] = [0; 4];
        for term in &form.terms {
            let mut symbols: SmallVec<[u32; 2]> = term.monomial.symbols().map(|symbol| symbol.value()).collect();
            symbols.sort_unstable_by_key(|&symbol| symbol != row);
            let coefficient = match (term.monomial.bases, &symbols[..]) {
                ((Base::TidX, None), []) => &mut x,
                ((Base::TidY, None), [first]) if *first == row => &mut y,
                ((Base::TidZ, None), [first, second]) if *first == row && *second == plane => &mut z,
                ((Base::LaneId, None), []) => &mut lane,
                _ => return None,
            };
            *coefficient = term.coefficient;
        }
        let planes_vanish = self.max(Base::TidZ) == 0 || mutants::on(Mutant::FlatInPlane);
        (x == y && (x == z || planes_vanish)).then_some([x, 0, 0, lane])
    }

    fn linear(&self, form: &Form) -> Option<Linear> {
        let mut coefficients = [0; 4];
        for term in &form.terms {
            coefficients[term.monomial.as_base()? as usize] = term.coefficient;
        }
        Some(coefficients)
    }

    /// Smallest and largest integer value of a fully known linear form, without wrapping.
    pub fn integer_range(&self, form: &Form) -> Option<(i128, i128)> {
        let Rest::Const(rest) = form.rest else { return None };
        let (low, high) = self.range_of_terms(form, self.linear(form).as_ref())?;
        Some((i128::from(rest) + low, i128::from(rest) + high))
    }

    /// Smallest and largest sum of the terms over the integers, if all coefficients are known or the terms are the flat
    /// index. `linear` is [`LaneModel::linear`] of the form.
    fn range_of_terms(&self, form: &Form, linear: Option<&Linear>) -> Option<(i128, i128)> {
        let (mut low, mut high) = (0, 0);
        let mut add = |coefficient: i64, max: u64| {
            if coefficient == 0 {
                return;
            }
            let extreme = i128::from(coefficient) * i128::from(max);
            low += extreme.min(0);
            high += extreme.max(0);
        };
        match linear {
            Some(coefficients) => {
                Base::ALL.into_iter().for_each(|base| add(coefficients[base as usize], self.max(base)));
            }
            None => {
                let [flat, _, _, lane] = self.symbolic_flat(form)?;
                add(flat, self.threads - 1);
                add(lane, self.max(Base::LaneId));
            }
        }
        Some((low, high))
    }

    /// The largest difference between the values of two threads, over the integers, if it is known.
    pub fn spread(&self, form: &Form) -> Option<i128> {
        self.range_of_terms(form, self.linear(form).as_ref()).map(|(low, high)| high - low)
    }

    /// Splits a form into a uniform high part and a lane-dependent low part that does not carry into it, once over the
    /// whole block and once within a warp. The first split has the wider scope, the second the smaller low part.
    pub fn low_parts(&self, form: &Form, bits: u32) -> impl Iterator<Item = LowPart> + use<> {
        let linear = self.linear(form);
        let range = self.range_of_terms(form, linear.as_ref());
        self.low_parts_of(form, linear, range, bits)
    }

    /// [`LaneModel::low_parts`] of a form whose [coefficients](LaneModel::linear) and [range](LaneModel::range_of_terms)
    /// are known.
    fn low_parts_of(
        &self,
        form: &Form,
        linear: Option<Linear>,
        range: Option<(i128, i128)>,
        bits: u32,
    ) -> impl Iterator<Item = LowPart> + use<> {
        let block = range.and_then(|range| self.low_part_of_block(form.rest, range, bits));
        let flat = match &linear {
            Some(linear) => self.flat(linear),
            None => self.symbolic_flat(form),
        };
        let warp = match (linear, flat) {
            (_, Some(flat)) => self.low_part_of_warp(&flat, true, form.rest, bits),
            (Some(linear), None) => self.low_part_of_warp(&linear, false, form.rest, bits),
            (None, None) => {
                self.in_row(form).and_then(|(linear, rest)| self.low_part_of_warp(&linear, false, rest, bits))
            }
        };
        block.into_iter().chain(warp)
    }

    /// A form with terms that are products, where warps lie in rows: the products on which a warp agrees become part of
    /// the rest. The length of a row is a multiple of 32.
    fn in_row(&self, form: &Form) -> Option<(Linear, Rest)> {
        let row = self.extents[0].filter(|_| self.rows && self.whole_rows)?;
        let mut coefficients = [0; 4];
        let mut align = u32::from(form.rest.align());
        for term in &form.terms {
            if let Some(base) = term.monomial.as_base() {
                coefficients[base as usize] = term.coefficient;
            } else if self.is_warp_uniform(term) {
                let rows = term.monomial.symbols().any(|symbol| symbol.value() == row);
                let zeros = if rows { WARP_SIZE.trailing_zeros() } else { 0 };
                align = align.min(term.coefficient.trailing_zeros() + zeros);
            } else {
                return None;
            }
        }
        let rest = Rest::Uniform { scope: form.rest.scope(), align: align.min(63) as u8 };
        Some((coefficients, rest))
    }

    /// The split over the block: all terms together stay below the alignment of the rest, so the high part is the rest
    /// itself.
    fn low_part_of_block(&self, rest: Rest, (low, span): (i128, i128), bits: u32) -> Option<LowPart> {
        if low < 0 {
            return None;
        }
        let low_bits = bits_for(span);
        let carries = u32::from(rest.align()) < low_bits && !mutants::on(Mutant::BlockCarries);
        (low_bits < bits && !carries).then(|| LowPart { bits: low_bits, scope: rest.scope(), lane_step: None })
    }

    /// The split within a warp: in a row, or for the flat index (`is_flat`), only `laneid` varies, and everything else must be a
    /// multiple of the size of the low part.
    fn low_part_of_warp(&self, linear: &Linear, is_flat: bool, rest: Rest, bits: u32) -> Option<LowPart> {
        let &[x, y, z, lane] = linear;
        if !self.rows && !is_flat && (x != 0 || y != 0 || (z != 0 && !self.planes)) {
            return None;
        }
        let step = x.checked_add(lane).filter(|&step| step >= 0)?;
        let low_bits = bits_for(i128::from(step) * i128::from(WARP_SIZE - 1));
        let zeros = |coefficient: i64| if coefficient == 0 { 64 } else { coefficient.trailing_zeros() };
        let aligned = zeros(x) + WARP_SIZE.trailing_zeros() >= low_bits
            && zeros(y) >= low_bits
            && zeros(z) >= low_bits
            && u32::from(rest.align()) >= low_bits;
        let scope = if self.one_warp { Scope::Block } else { Scope::Warp };
        let aligned = aligned || mutants::on(Mutant::WarpCarries);
        (aligned && low_bits < bits).then(|| LowPart {
            bits: low_bits,
            scope: scope.min(rest.scope()),
            lane_step: Some(step),
        })
    }

    /// Number of low bits that are zero in every part of the form except its lane-dependent low part.
    pub fn high_align(&self, form: &Form, low: &LowPart) -> u32 {
        let rest = u32::from(form.rest.align());
        if low.lane_step.is_none() {
            return rest;
        }
        if let Some([factor, _, beyond, _]) = self.flattened(form) {
            return rest.min(factor.trailing_zeros() + WARP_SIZE.trailing_zeros()).min(beyond.trailing_zeros());
        }
        form.terms
            .iter()
            .map(|term| match term.monomial.as_base() {
                Some(Base::TidX) => term.coefficient.trailing_zeros() + WARP_SIZE.trailing_zeros(),
                Some(Base::LaneId) => 64,
                _ => term.coefficient.trailing_zeros(),
            })
            .fold(rest, u32::min)
    }

    /// Adds the exactness that geometry alone proves.
    pub fn prove_exact(&self, mut form: Form, bits: u32) -> Form {
        self.prove(&mut form, bits);
        form
    }

    /// [`LaneModel::prove_exact`] in place.
    pub fn prove(&self, form: &mut Form, bits: u32) {
        let known = form.exact_unsigned == Some(Scope::Grid) && form.exact_signed == Some(Scope::Grid);
        if form.terms.is_empty() || known || bits == 0 || bits > 64 {
            return;
        }
        let linear = self.linear(form);
        let range = self.range_of_terms(form, linear.as_ref());
        if let (Rest::Const(rest), Some((low, high))) = (form.rest, range) {
            let range = (i128::from(rest) + low, i128::from(rest) + high);
            form.exact_unsigned = form.exact_unsigned.max(fits(range, bits, false).then_some(Scope::Grid));
            form.exact_signed = form.exact_signed.max(fits(range, bits, true).then_some(Scope::Grid));
        }
        if form.exact_unsigned.is_none() || form.exact_signed.is_none() {
            let scope = self.low_parts_of(form, linear, range, bits).map(|low| low.scope).max();
            // low.bits < bits, so the sign bit belongs to the high part
            form.exact_unsigned = form.exact_unsigned.max(scope);
            form.exact_signed = form.exact_signed.max(scope);
        }
    }

    /// Whether a constant rest equals the integer that it represents in the given reading.
    pub fn rest_is_exact(&self, form: &Form, bits: u32, signed: bool) -> bool {
        self.integer_range(form).is_some_and(|range| fits(range, bits, signed))
    }

    /// `form & mask`, with the mask sign-extended.
    pub fn and_mask(&self, form: &Form, mask: i64, bits: u32) -> Option<Form> {
        let mask = super::form::unsigned(mask, bits);
        self.low_parts(form, bits).find_map(|low| self.mask_split(form, mask, low, bits))
    }

    fn mask_split(&self, form: &Form, mask: u64, low: LowPart, bits: u32) -> Option<Form> {
        let low_mask = (1u64 << low.bits) - 1;
        if mask & low_mask == 0 {
            let align = mask.trailing_zeros().min(63).min(bits) as u8;
            return Some(Form::from_rest(Rest::Uniform { scope: low.scope, align }));
        }
        if mask & low_mask != low_mask {
            return None;
        }
        // the low part passes unchanged; what the mask keeps of the high part is uniform
        let mask_bits = 64 - mask.leading_zeros();
        let high_is_gone = self.high_align(form, &low) >= mask_bits;
        let mut kept = form.clone();
        match low.lane_step {
            Some(step) => {
                kept = super::arith::scale(&Form::base(Base::LaneId), step, bits, super::arith::NoWrap::BOTH)?;
                kept.rest = Rest::Uniform { scope: low.scope, align: low.bits as u8 };
            }
            None => {
                kept.rest = match form.rest {
                    Rest::Const(rest) => Rest::Const(wrap((mask & rest as u64) as i64, bits)),
                    Rest::Uniform { .. } => Rest::Uniform { scope: low.scope, align: low.bits as u8 },
                }
            }
        }
        if high_is_gone {
            kept.rest = Rest::Const(0);
        }
        Some(self.prove_exact(kept.without_exactness(), bits))
    }

    /// `form >> shift`, logical or arithmetic.
    pub fn shift_right(&self, form: &Form, shift: u32, bits: u32, signed: bool) -> Option<Form> {
        if shift >= bits {
            return None;
        }
        if let Some(low) = self.low_parts(form, bits).find(|low| shift >= low.bits) {
            let range = self.integer_range(form).filter(|&range| fits(range, bits - 1, false));
            if let Some((from, _)) = range.filter(|r| r.0 >> shift == r.1 >> shift) {
                return Some(Form::constant((from >> shift) as i64));
            }
            let align = self.high_align(form, &low).saturating_sub(shift).min(63) as u8;
            return Some(Form::from_rest(Rest::Uniform { scope: low.scope, align }));
        }
        divide_exactly(form, 1i64.checked_shl(shift).filter(|_| shift < 63)?, bits, signed, false)
    }

    /// The scope in which `form < bound` has the same answer for all lanes, found by splitting off the low part;
    /// requires the low bits of the bound to be zero. The same split answers signed and unsigned comparisons.
    pub fn compare_with_aligned(&self, form: &Form, bound: Rest, bits: u32) -> Option<Scope> {
        let fits = |low: &LowPart| u32::from(bound.align()) >= low.bits;
        self.low_parts(form, bits).find(fits).map(|low| low.scope.min(bound.scope()))
    }
}

/// `form / divisor` if all coefficients and the rest are multiples of the divisor and the form is exact. `exact_flag`:
/// the instruction itself promises that there is no remainder.
pub fn divide_exactly(form: &Form, divisor: i64, bits: u32, signed: bool, exact_flag: bool) -> Option<Form> {
    let scope = if signed { form.signed_scope()? } else { form.unsigned_scope()? };
    if divisor <= 0 || form.symbols().next().is_some() {
        return None;
    }
    let mut quotient = form.clone();
    for term in quotient.terms.iter_mut() {
        if term.coefficient % divisor != 0 {
            return None;
        }
        term.coefficient /= divisor;
    }
    let log = divisor.trailing_zeros();
    let power_of_two = divisor == 1 << log;
    let rest_divides = exact_flag || (power_of_two && u32::from(form.rest.align()) >= log);
    if !rest_divides {
        return None;
    }
    // over the integers the rest is the represented number plus a multiple of 2^bits, so its alignment is at most
    // `bits`
    let most = if mutants::on(Mutant::QuotientAlign) { 64 } else { bits };
    let align = u32::from(form.rest.align()).min(most);
    let align = if power_of_two { align.saturating_sub(log).min(63) as u8 } else { 0 };
    quotient.rest = Rest::Uniform { scope: form.rest.scope().min(scope), align: if exact_flag { 0 } else { align } };
    if divisor > 1 {
        // an unsigned quotient by two or more has a clear top bit, so both readings agree
        quotient.exact_signed = Some(scope).filter(|_| bits > 1);
        quotient.exact_unsigned = (!signed).then_some(scope);
    }
    Some(quotient)
}

/// Whether all integers between two bounds, inclusive, are numbers of so many bits in a reading.
pub fn fits((low, high): (i128, i128), bits: u32, signed: bool) -> bool {
    let limit = 1i128 << (bits - u32::from(signed));
    low >= if signed { -limit } else { 0 } && high < limit
}

/// Number of bits that hold every number in `0..=value`.
fn bits_for(value: i128) -> u32 {
    128 - value.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::arith::{self, NoWrap, add, scale, sub};
    use crate::affine::{Ext, Symbol};

    fn model(shape: &str) -> LaneModel {
        LaneModel::new(&Geometry { exact: shape.parse().ok(), ..Geometry::default() })
    }

    #[test]
    fn warp_index_is_uniform_where_warps_lie_in_rows() {
        let tid = Form::base(Base::TidX);
        for (shape, uniform) in [("256", true), ("64x4", true), ("65x2", false), ("16x16", false), ("33", true)] {
            let shifted = model(shape).shift_right(&tid, 5, 32, false);
            assert_eq!(shifted.is_some(), uniform || shape == "16x16", "{shape}"); // 16 threads: tid.x >> 5 is zero
            assert_eq!(model(shape).and_mask(&tid, !31, 32).is_some(), uniform || shape == "16x16", "{shape}");
        }
        assert!(LaneModel::new(&Geometry::default()).shift_right(&tid, 5, 32, false).is_none());
        assert!(LaneModel::new(&Geometry::default()).shift_right(&tid, 10, 32, false).is_some());
    }

    #[test]
    fn global_index_splits_below_an_aligned_block_base() {
        let base = Form::from_rest(Rest::Uniform { scope: Scope::Block, align: 8 });
        let index = add(&Form::base(Base::TidX), &base, 32, NoWrap::NONE).unwrap();
        let m = model("256");
        let exact = m.prove_exact(index.clone(), 32);
        assert_eq!((exact.exact_unsigned, exact.exact_signed), (Some(Scope::Block), Some(Scope::Block)));
        assert_eq!(m.shift_right(&index, 5, 32, false).unwrap().rest.scope(), Scope::Warp);
        assert_eq!(m.shift_right(&index, 8, 32, false).unwrap().rest.scope(), Scope::Block);
        let lane = m.and_mask(&index, 31, 32).unwrap();
        assert_eq!(lane.terms[0].monomial.as_base(), Some(Base::LaneId));
        assert_eq!(lane.rest, Rest::Const(0));
    }

    #[test]
    fn flat_index_of_any_shape() {
        let bases = [Base::TidX, Base::TidY, Base::TidZ, Base::LaneId];
        for text in ["16x16", "8x8x4", "65x2", "4x4x4", "1x64", "1x1x64", "5x7x3", "33", "16x1x8", "2x3x64", "32x4"] {
            let shape: BlockShape = text.parse().unwrap();
            let m = model(text);
            let flat = [1, i64::from(shape.x), i64::from(shape.x * shape.y), 0];
            let odd = [1, i64::from(shape.x) + 1, i64::from(shape.x * shape.y), 0];
            let column = [1, i64::from(shape.x), 0, 0];
            let minus_lane = [1, i64::from(shape.x), i64::from(shape.x * shape.y), -1];
            let third = [3, 3 * i64::from(shape.x), 3 * i64::from(shape.x * shape.y), -3];
            for (coefficients, must) in
                [(flat, true), (odd, false), (column, false), (minus_lane, true), (third, false)]
            {
                let form = bases.iter().zip(coefficients).fold(Form::constant(0), |sum, (&base, factor)| {
                    let term = scale(&Form::base(base), factor, 32, NoWrap::NONE).unwrap();
                    add(&sum, &term, 32, NoWrap::NONE).unwrap()
                });
                let at = |thread: i64| {
                    let (x, y) = (i64::from(shape.x), i64::from(shape.y));
                    let values = [thread % x, thread / x % y, thread / x / y, thread % 32];
                    coefficients.iter().zip(values).map(|(factor, value)| factor * value).sum::<i64>() as u32
                };
                let agree = |f: &dyn Fn(u32) -> u32| {
                    let threads: Vec<i64> = (0..i64::from(shape.threads())).collect();
                    threads.chunks(32).all(|warp| warp.iter().all(|&t| f(at(t)) == f(at(warp[0]))))
                };
                assert!(m.scope_of(&form).is_none() || agree(&|value| value), "{text} {coefficients:?}");
                for shift in 1..8 {
                    let claims = m.shift_right(&form, shift, 32, false).is_some_and(|f| m.scope_of(&f).is_some());
                    assert!(!claims || agree(&|value| value >> shift), "{text} {coefficients:?} >> {shift}");
                    assert!(claims || !must || shift < 5, "{text} {coefficients:?} >> {shift}");
                    let mask = (1i64 << shift) - 1;
                    let Some(kept) = m.and_mask(&form, mask, 32) else { continue };
                    let lane_only = kept.terms.len() == 1 && kept.terms[0].monomial.as_base() == Some(Base::LaneId);
                    if lane_only && kept.rest == Rest::Const(0) {
                        let step = kept.terms[0].coefficient;
                        let right = (0..i64::from(shape.threads())).all(|t| i64::from(at(t)) & mask == step * (t % 32));
                        assert!(right, "{text} {coefficients:?} & {mask}");
                    }
                }
                let lane = m.and_mask(&form, 31, 32).filter(|_| coefficients == flat);
                assert!(coefficients != flat || lane.is_some_and(|lane| lane.rest == Rest::Const(0)), "{text}");
            }
        }
    }

    #[test]
    fn flat_index_with_symbols() {
        let symbol = |value| Symbol::new(value, Ext::None);
        let times = |form: &Form, value| {
            let factor = Rest::Uniform { scope: Scope::Grid, align: 0 };
            arith::times_symbol(form, symbol(value), factor, 32, NoWrap::NONE).unwrap()
        };
        let [x, y, z] = [Base::TidX, Base::TidY, Base::TidZ].map(Form::base);
        let in_plane = add(&x, &times(&y, 7), 32, NoWrap::NONE).unwrap();
        let flat = add(&in_plane, &times(&times(&z, 8), 7), 32, NoWrap::NONE).unwrap();
        let other = add(&in_plane, &times(&times(&z, 9), 7), 32, NoWrap::NONE).unwrap();
        let m = LaneModel::new(&Geometry::default()).with_extents([Some(7), Some(8)]);
        let warp = |form: &Form| m.shift_right(form, 5, 32, false).map(|form| form.rest.scope());
        assert_eq!([&flat, &in_plane, &other, &x].map(warp), [Some(Scope::Warp), None, None, None]);
        assert_eq!(m.integer_range(&flat), Some((0, 1023)));
        let minus_lane = sub(&flat, &Form::base(Base::LaneId), 32, NoWrap::NONE).unwrap();
        assert_eq!((m.scope_of(&minus_lane), m.scope_of(&flat)), (Some(Scope::Warp), None));
        assert!(LaneModel::new(&Geometry::default()).shift_right(&flat, 5, 32, false).is_none());
    }

    #[test]
    fn lanes_cancel_within_a_row() {
        let difference = sub(&Form::base(Base::TidX), &Form::base(Base::LaneId), 32, NoWrap::NONE).unwrap();
        assert_eq!(model("64").scope_of(&difference), Some(Scope::Warp));
        assert_eq!(model("65x2").scope_of(&difference), None);
        assert_eq!(model("32x4").scope_of(&Form::base(Base::TidY)), Some(Scope::Warp));
    }

    #[test]
    fn ranges_prove_exactness() {
        let m = LaneModel::new(&Geometry::default());
        let minus = sub(&Form::base(Base::TidX), &Form::constant(5), 32, NoWrap::NONE).unwrap();
        let minus = m.prove_exact(minus, 32);
        assert_eq!((minus.exact_unsigned, minus.exact_signed), (None, Some(Scope::Grid)));
        let narrow = scale(&Form::base(Base::TidX), 1, 8, NoWrap::NONE).unwrap();
        assert_eq!(m.prove_exact(narrow.without_exactness(), 8).exact_unsigned, None);
    }
}
