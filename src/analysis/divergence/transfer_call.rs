//! How does the result of a call relate across lanes?
//!
//! Intrinsics follow the table in [`super::intrinsics`], device functions what their bodies return
//! ([`super::contexts`]), inline
//! assembly its instructions ([`super::transfer_asm`]). Everything else is divergent. An ordinary
//! function that accesses no memory may still read `threadIdx.x`, so `memory(none)` alone says nothing;
//! `nodivergencesource` does.

use super::intrinsic_table::Arithmetic;
use super::intrinsics::LaneRule;
use super::view::View;
use crate::affine::arith::{self, NoWrap};
use crate::affine::interner::Element;
use crate::affine::lanes::fits;
use crate::affine::{Base, Form, Rest, Scope};
use crate::mutants::{self, Mutant};
use smallvec::SmallVec;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::geometry::{Rows, WARP_SIZE};

/// The clamp operand of `shfl.sync` if the whole warp is one segment: segment mask zero, clamp 31.
pub(super) const FULL_WIDTH_CLAMP: u64 = 0x1f;
/// The bits of the clamp operand that the hardware reads: clamp and segment mask.
pub(super) const CLAMP_FIELDS: u64 = 0x1f1f;

impl View<'_> {
    pub(super) fn call(&mut self, inst: Inst) -> Element {
        let call = *self.func.call(inst);
        let element = match call.callee {
            Callee::Intrinsic(id) => return self.intrinsic(inst, id),
            Callee::Function(index) => self.returned(inst, index),
            Callee::Asm { .. } => self.assembly(inst),
            Callee::Indirect => Element::DIVERGENT,
        };
        // `nodivergencesource`: uniform operands give a uniform result, but only within a warp, since memory may be read
        let has_no_source = element.is_divergent() && call.no_divergence_source;
        if has_no_source { self.generic(inst).capped(Scope::Warp) } else { element }
    }

    /// A call of a function of the module. Its arguments keep their terms, but not their symbols, which mean nothing there.
    fn returned(&mut self, inst: Inst, function: u32) -> Element {
        let mut arguments: SmallVec<[Option<Form>; 8]> = SmallVec::new();
        for index in 0..self.func.operands(inst).len() {
            let element = self.operand(inst, index);
            if element.is_bottom() {
                return Element::BOTTOM;
            }
            let known = self.interner.form(element).filter(|form| form.symbols().next().is_none()).cloned();
            let ignored = || Some(Form::uniform(Scope::Grid));
            arguments.push(if mutants::on(Mutant::IgnoreArguments) { ignored() } else { known });
        }
        self.env.calls.returned(function, &arguments).map_or(Element::DIVERGENT, |form| self.interner.intern(&form))
    }

    fn intrinsic(&mut self, inst: Inst, id: u32) -> Element {
        match self.env.intrinsics.class(id) {
            rule if rule.is_of_register() => self.special_register(rule),
            LaneRule::Pure => self.pure_intrinsic(inst, id),
            LaneRule::PureInBlock => self.generic(inst).capped(Scope::Block),
            LaneRule::Vote if mutants::on(Mutant::VoteMask) => Element::uniform(Scope::Warp),
            LaneRule::Vote if mutants::on(Mutant::VoteBlock) => Element::uniform(Scope::Block),
            LaneRule::Vote => self.in_warp_if_uniform(inst, &[0]),
            LaneRule::Reduction => self.in_warp_if_uniform(inst, &[1]),
            LaneRule::ShuffleIndex => {
                let clamp = self.operand(inst, 3);
                if clamp.is_bottom() {
                    return Element::BOTTOM;
                }
                let bits = self.interner.form(clamp).and_then(Form::as_constant);
                let is_whole = bits.is_some_and(|bits| bits as u64 & CLAMP_FIELDS == FULL_WIDTH_CLAMP);
                if is_whole || mutants::on(Mutant::ShuffleClamp) {
                    self.in_warp_if_uniform(inst, &[0, 2])
                } else {
                    Element::DIVERGENT
                }
            }
            LaneRule::BlockReduction => {
                let barrier = self.operand(inst, 0);
                self.scope_of(barrier).map_or(Element::DIVERGENT, |scope| Element::uniform(scope.min(Scope::Block)))
            }
            LaneRule::PartialReduction => self.in_warp_if_uniform(inst, &[0, 1]),
            LaneRule::ReadOnlyLoad => {
                let pointer = self.func.operands(inst)[0];
                let address = self.operand(inst, 0);
                let scope = self.scope_of(address).and_then(|scope| self.loaded_scope(pointer, scope, true));
                scope.map_or(Element::DIVERGENT, Element::uniform)
            }
            _ => Element::DIVERGENT,
        }
    }

    /// What a special register of 32 bits holds; divergent for rules that are not of registers.
    pub(super) fn special_register(&mut self, rule: LaneRule) -> Element {
        match rule {
            LaneRule::Index(base) if self.model.max(base) == 0 => self.interner.intern_constant(0),
            LaneRule::Index(Base::TidY) if mutants::on(Mutant::TidYUniform) => Element::uniform(Scope::Block),
            LaneRule::Index(base) => self.interner.intern(&Form::base(base)),
            LaneRule::Register { .. } if mutants::on(Mutant::CtaidGrid) => Element::uniform(Scope::Grid),
            LaneRule::Register { scope, .. } => Element::uniform(scope),
            LaneRule::BlockSize(dim) => match self.env.geometry.extent(dim) {
                Some(extent) => self.interner.intern_constant(extent.into()),
                None if dim == 0 && self.env.geometry.rows == Some(Rows::WholeWarps) => {
                    let align = WARP_SIZE.trailing_zeros() as u8;
                    self.interner.intern_rest(Rest::Uniform { scope: Scope::Grid, align })
                }
                None => Element::uniform(Scope::Grid),
            },
            LaneRule::Number(number) => self.interner.intern_constant(number),
            _ => Element::DIVERGENT,
        }
    }

    /// Uniform in the warp if lanes agree on the given operands.
    fn in_warp_if_uniform(&mut self, inst: Inst, operands: &[usize]) -> Element {
        self.narrowest(operands, |view, &index| view.operand(inst, index)).capped(Scope::Warp)
    }

    fn pure_intrinsic(&mut self, inst: Inst, id: u32) -> Element {
        let generic = self.generic(inst);
        let Some(arithmetic) = self.env.intrinsics.arithmetic(id) else { return generic };
        if arithmetic == Arithmetic::Identity {
            return self.operand(inst, 0);
        }
        if !generic.is_divergent() {
            return generic;
        }
        match arithmetic {
            Arithmetic::UMin | Arithmetic::UMax | Arithmetic::SMin | Arithmetic::SMax => {
                let (a, b) = (self.operand(inst, 0), self.operand(inst, 1));
                let signed = matches!(arithmetic, Arithmetic::SMin | Arithmetic::SMax);
                self.extreme(a, b, signed, inst)
            }
            Arithmetic::Abs => {
                let element = self.operand(inst, 0);
                let non_negative = self.interner.form(element).is_some_and(|form| {
                    let bits = self.func.int_bits(self.func.result(inst)).unwrap_or(0);
                    bits > 0 && self.model.integer_range(form).is_some_and(|range| fits(range, bits - 1, false))
                });
                if non_negative { element } else { Element::DIVERGENT }
            }
            _ => Element::DIVERGENT,
        }
    }

    /// A member of a checked add, sub or mul: member 0 is plain modular arithmetic, whatever member 1 is.
    pub(super) fn checked_arithmetic(&mut self, call: Inst, member: u32, at: Block) -> Option<Element> {
        let arithmetic = self.env.intrinsics.arithmetic(self.func.called_intrinsic(call)?)?;
        if member != 0 {
            return None;
        }
        let operands = self.func.operands(call);
        let bits = self.func.int_bits(operands[0]).filter(|&bits| bits <= 64)?;
        let (a, b) = (self.read(operands[0], at), self.read(operands[1], at));
        let (x, y) = (self.interner.form(a)?.clone(), self.interner.form(b)?.clone());
        let wrapped = match arithmetic {
            Arithmetic::CheckedAdd => arith::add(&x, &y, bits, NoWrap::NONE),
            Arithmetic::CheckedSub => arith::sub(&x, &y, bits, NoWrap::NONE),
            Arithmetic::CheckedMul => match (x.as_constant(), y.as_constant()) {
                (_, Some(factor)) => arith::scale(&x, factor, bits, NoWrap::NONE),
                (Some(factor), _) => arith::scale(&y, factor, bits, NoWrap::NONE),
                _ if x.terms.is_empty() && y.terms.is_empty() => {
                    Some(Form::from_rest(Rest::Uniform { scope: x.rest.scope().min(y.rest.scope()), align: 0 }))
                }
                _ => None,
            },
            _ => return None,
        };
        wrapped.map(|form| self.finish(Some(form), bits))
    }
}
