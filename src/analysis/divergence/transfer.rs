//! What is the element of one instruction's result, given those of its operands? Dispatch by opcode family, and the
//! families other than integer arithmetic and calls.
//!
//! Every rule is a function from operand elements to an element, and sees nothing but the [`View`]. It must be correct
//! for each dynamic instance by itself: if lanes agree on the operands as claimed, they agree on the result as claimed.
//!
//! - **Bottom** in, bottom out: an operand that is not known yet says nothing about the result, unless the rule knows
//!   the answer without it.
//! - **Default.** An opcode without a rule of its own is uniform in the narrowest scope of its operands, or divergent
//!   if one of them is. This is sound only for functions of the operands alone. An instruction that reads anything else
//!   (memory, the stack, other lanes, a register) needs a rule, or is divergent.
//! - **Conservative.** A rule that finds no form falls back to the default, never to a form without proof. Whether an
//!   operation wraps is decided by its flags if they suffice, then by geometry, then by ranges.

use super::provenance::Root;
use super::view::View;
use crate::affine::arith::{self, NoWrap};
use crate::affine::form::wrap;
use crate::affine::interner::Element;
use crate::affine::{Ext, Form, Rest, Scope};
use crate::mutants::{self, Mutant};
use smallvec::SmallVec;
use std::borrow::Cow;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{ConstData, Flags, Gep, GepTerm, InstData, Opcode};

impl View<'_> {
    /// The element of an instruction other than a phi.
    #[inline]
    pub(super) fn transfer(&mut self, inst: Inst, data: &InstData) -> Element {
        match data.opcode {
            opcode if opcode.is_integer_arithmetic() => self.integer(inst, data),
            Opcode::Trunc | Opcode::ZExt | Opcode::SExt | Opcode::PtrToInt | Opcode::IntToPtr => self.width(inst, data),
            Opcode::ICmp => self.compare(inst, data),
            Opcode::Select => self.select(inst),
            Opcode::Gep => self.gep(inst, data),
            Opcode::AddrSpaceCast => self.address_space_cast(inst),
            Opcode::BitCast => self.bit_cast(inst),
            Opcode::Alloca => self.alloca(inst),
            Opcode::Load => self.load(inst, data),
            Opcode::Call => self.call(inst),
            Opcode::Freeze => self.freeze(inst),
            Opcode::ExtractValue => self.extract_value(inst, data),
            Opcode::CmpXchg | Opcode::AtomicRmw if mutants::on(Mutant::AtomicUniform) => self.generic(inst),
            Opcode::CmpXchg | Opcode::AtomicRmw | Opcode::Other | Opcode::OtherTerminator => Element::DIVERGENT,
            _ => self.generic(inst),
        }
    }

    /// Element of operand `index` at its use.
    #[inline]
    pub(super) fn operand(&mut self, inst: Inst, index: usize) -> Element {
        let value = self.func.operands(inst)[index];
        self.read(value, self.func.insts[inst].block)
    }

    /// The default rule: a function of the operands and nothing else.
    pub(super) fn generic(&mut self, inst: Inst) -> Element {
        let func = self.func;
        let at = func.insts[inst].block;
        self.narrowest(func.operands(inst), |view, &operand| view.read(operand, at))
    }

    /// Uniform in the narrowest scope of some elements, or divergent if lanes do not agree on one.
    #[inline]
    pub(super) fn narrowest<T>(
        &mut self,
        all: impl IntoIterator<Item = T>,
        element_of: impl Fn(&mut Self, T) -> Element,
    ) -> Element {
        let mut narrowest = Scope::Grid;
        for one in all {
            let element = element_of(self, one);
            if element.is_bottom() {
                return Element::BOTTOM;
            }
            match self.scope_of(element) {
                Some(scope) => narrowest = narrowest.min(scope),
                None => return Element::DIVERGENT, // whatever the others turn out to be
            }
        }
        Element::uniform(narrowest)
    }

    /// Interns a form, after adding the exactness that geometry proves.
    #[inline]
    pub(super) fn finish(&mut self, form: Option<Form>, bits: u32) -> Element {
        let Some(mut form) = form else { return Element::DIVERGENT };
        if form.terms.is_empty() {
            return self.interner.intern_rest(form.rest);
        }
        self.model.prove(&mut form, bits);
        self.interner.intern(&form)
    }

    /// γ of a select, with the condition as gate. A constant condition chooses its arm. Where the arms do not join, a
    /// select that computes a minimum or maximum may still have a form.
    fn select(&mut self, inst: Inst) -> Element {
        let condition = self.operand(inst, 0);
        let (yes, no) = (self.operand(inst, 1), self.operand(inst, 2));
        if condition.is_bottom() {
            return Element::BOTTOM;
        }
        let operands = self.func.operands(inst);
        let undefined = |value: Value| matches!(self.func.constant(value), Some(ConstData::Undef | ConstData::Poison));
        if operands[1] == operands[2] {
            return yes;
        }
        if undefined(operands[1]) || undefined(operands[2]) {
            // as for phis: one arm may stand for both only if the lanes of a warp do not mix them
            return match self.scope_of(condition) {
                None => Element::DIVERGENT,
                Some(_) if undefined(operands[2]) => yes,
                Some(_) => no,
            };
        }
        match self.interner.constant(condition) {
            Some(0) => return no,
            Some(_) => return yes,
            None => {}
        }
        if yes.is_bottom() || no.is_bottom() {
            return Element::BOTTOM;
        }
        let gate = if mutants::on(Mutant::SelectGate) { Some(Scope::Grid) } else { self.scope_of(condition) };
        let joined = self.join(yes, no, gate);
        if joined.is_divergent() {
            return self.select_of_extremes(inst, yes, no);
        }
        self.prove_again(joined, self.func.result(inst))
    }

    /// The address `base + offset + Σ index·stride`. Uniform and divergent operands are decided without building forms.
    fn gep(&mut self, inst: Inst, data: &InstData) -> Element {
        let func = self.func;
        let gep = func.gep(inst);
        let operands = func.operands(inst);
        let base = self.read(operands[0], data.block);
        if base.is_bottom() {
            return Element::BOTTOM;
        }
        // fast paths: everything is uniform, or something is divergent
        let mut scope = base.plain_scope();
        let mut diverges = base.is_divergent();
        let mut indices: SmallVec<[Element; 4]> = SmallVec::new();
        for term in gep.terms {
            let index = self.read(operands[term.operand as usize], data.block);
            if index.is_bottom() {
                return Element::BOTTOM;
            }
            scope = scope.min(index.plain_scope());
            diverges |= index.is_divergent();
            indices.push(index);
        }
        if diverges {
            return Element::DIVERGENT;
        }
        if let Some(scope) = scope {
            return Element::uniform(scope);
        }
        let address = self.address(data, gep, operands, base, &indices);
        self.finish(address, gep.bits)
    }

    /// The form of a GEP none of whose operands is divergent. `None` if an index or the sum has no form.
    fn address(
        &self,
        data: &InstData,
        gep: Gep<'_>,
        operands: &[Value],
        base: Element,
        indices: &[Element],
    ) -> Option<Form> {
        let bits = gep.bits;
        let no_signed_wrap = data.flags.intersects(Flags::INBOUNDS | Flags::NUSW);
        let steps = NoWrap { unsigned: data.flags.contains(Flags::NUW), signed: no_signed_wrap };
        let fixed = Rest::Const(wrap(gep.offset, bits));
        let mut offset: Option<Form> = None;
        for (&GepTerm { operand, stride }, &index) in gep.terms.iter().zip(indices) {
            let value = operands[operand as usize];
            let from = self.func.int_bits(value).unwrap_or(0);
            let wide = self.as_index(self.interner.form(index)?, value, from, bits, data.block)?;
            let mut scaled = arith::scale(&wide, stride as i64, bits, steps)?;
            offset = Some(match offset {
                None => {
                    arith::add_rest(&mut scaled, fixed, bits, steps);
                    scaled
                }
                Some(offset) => arith::add(&offset, &scaled, bits, steps)?,
            });
        }
        let mut offset = offset.unwrap_or_else(|| Form::from_rest(fixed));
        let base = self.interner.form(base)?;
        // `nusw`: adding a signed offset to an unsigned address does not wrap, so the sum is exact as unsigned (unless
        // a coefficient would have to be read both ways)
        let one_reading = no_signed_wrap && offset.symbols().all(|symbol| symbol.ext() != Ext::None);
        let exact = one_reading.then(|| base.unsigned_scope().min(offset.signed_scope()));
        let mut sum = if base.terms.is_empty() {
            arith::add_rest(&mut offset, base.rest, bits, NoWrap::NONE);
            offset
        } else {
            arith::add(base, &offset, bits, NoWrap::NONE)?
        };
        if let Some(exact) = exact
            && !sum.terms.is_empty()
        {
            sum.exact_unsigned = exact;
        }
        Some(sum)
    }

    /// An index converted to the width of address arithmetic. GEP indices are signed, so widening requires exactness in
    /// the signed reading.
    fn as_index<'f>(&self, form: &'f Form, value: Value, from: u32, to: u32, at: Block) -> Option<Cow<'f, Form>> {
        match from {
            0 => None,
            _ if from == to => Some(Cow::Borrowed(form)),
            _ if from > to => arith::truncate(form, from, to, NoWrap::NONE).map(Cow::Owned),
            _ => {
                let signed = !mutants::on(Mutant::GepUnsigned);
                let scope = self.exact_scope(form, value, from, signed, at)?;
                let rest_is_exact = self.model.rest_is_exact(form, from, signed);
                arith::extend_within(scope, form, from, signed, rest_is_exact).map(Cow::Owned)
            }
        }
    }

    /// Between generic and specific address spaces an address moves by a window base that all threads of a block share.
    /// The number changes, so a known rest becomes unknown. Null may map to null instead, which only a uniform form can
    /// represent.
    fn address_space_cast(&mut self, inst: Inst) -> Element {
        let element = self.operand(inst, 0);
        let Some(form) = self.interner.form(element) else { return element };
        let operand = self.func.operands(inst)[0];
        // with clusters, the generic address of shared memory differs between blocks
        let from_shared = self.func.type_info(operand).kind.space() == Some(warpwise_ir::llvm::space::SHARED);
        let widest = form.rest.scope().min(if from_shared { Scope::Block } else { Scope::Grid });
        if form.terms.is_empty() {
            return Element::uniform(widest);
        }
        let (from, to) = (self.func.int_bits(operand), self.func.int_bits(self.func.result(inst)));
        if from != to {
            return self.generic(inst);
        }
        let mut moved = form.clone().without_exactness();
        moved.rest = Rest::Uniform { scope: widest, align: 0 };
        self.interner.intern(&moved)
    }

    fn bit_cast(&mut self, inst: Inst) -> Element {
        let operand = self.func.operands(inst)[0];
        let (from, to) = (self.func.int_bits(operand), self.func.int_bits(self.func.result(inst)));
        match (from, to) {
            (Some(a), Some(b)) if a == b => self.operand(inst, 0),
            _ => self.generic(inst),
        }
    }

    /// The address of a stack object (its contents are a separate question). An object in the fixed area is where the
    /// frame is. One that is allocated during execution begins where the previous ones end, so nothing is claimed about
    /// it.
    fn alloca(&mut self, inst: Inst) -> Element {
        let frame = self.env.frame.filter(|_| self.func.is_static_alloca(inst));
        frame.map_or(Element::DIVERGENT, Element::uniform)
    }

    fn load(&mut self, inst: Inst, data: &InstData) -> Element {
        if data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC) {
            return Element::DIVERGENT;
        }
        let address = self.operand(inst, 0);
        if address.is_bottom() {
            return Element::BOTTOM;
        }
        let Some(scope) = self.scope_of(address) else { return Element::DIVERGENT };
        let pointer = self.func.operands(inst)[0];
        let loaded = self.loaded_scope(pointer, scope, data.flags.contains(Flags::INVARIANT));
        loaded.map_or(Element::DIVERGENT, Element::uniform)
    }

    /// The scope in which loads from a uniform address yield the same value, by the memory behind the pointer.
    /// `invariant`: the load is marked `!invariant.load`.
    pub(super) fn loaded_scope(&self, pointer: Value, address: Scope, invariant: bool) -> Option<Scope> {
        match self.root_of(pointer) {
            Root::Local if mutants::on(Mutant::LocalLoads) => Some(address),
            Root::Shared | Root::Global if mutants::on(Mutant::WideLoads) => Some(address),
            Root::Local => None,
            Root::ReadOnly => Some(address),
            Root::Shared | Root::Global if !invariant => Some(address.min(Scope::Warp)),
            // the shared memory of another block is other memory
            Root::Shared => Some(address.min(Scope::Block)),
            Root::Global => Some(address),
            Root::Unknown if invariant => Some(address.min(Scope::Warp)),
            Root::Unknown => None,
        }
    }

    /// A frozen value is the value itself if that is certainly defined; otherwise each lane may freeze it to a
    /// different number.
    fn freeze(&mut self, inst: Inst) -> Element {
        let value = self.func.operands(inst)[0];
        let element = self.operand(inst, 0);
        if self.is_well_defined(value, 6) || mutants::on(Mutant::FreezeKeeps) { element } else { Element::DIVERGENT }
    }

    /// Whether a value is neither undef nor poison, looking through at most `depth` operands.
    fn is_well_defined(&self, value: Value, depth: u32) -> bool {
        let func = self.func;
        if let Some(constant) = func.constant(value) {
            return !constant.is_undefined();
        }
        if let Some(param) = func.as_param(value) {
            return func.params[param as usize].noundef;
        }
        let Some(inst) = func.def(value).filter(|_| depth > 0) else { return false };
        let data = &func.insts[inst];
        let operands_are = || func.operands(inst).iter().all(|&operand| self.is_well_defined(operand, depth - 1));
        let in_range_shift = || match func.constant(func.operands(inst)[1]) {
            Some(ConstData::Int(amount)) => func.int_bits(value).is_some_and(|bits| amount < u64::from(bits)),
            _ => false,
        };
        match data.opcode {
            Opcode::Freeze | Opcode::Alloca => true,
            Opcode::Load => data.flags.contains(Flags::NOUNDEF),
            Opcode::Call => {
                let is_register = |id: u32| self.env.intrinsics.class(id).is_of_register();
                data.flags.contains(Flags::NOUNDEF) || func.called_intrinsic(inst).is_some_and(is_register)
            }
            Opcode::Shl | Opcode::LShr | Opcode::AShr => data.flags.is_empty() && in_range_shift() && operands_are(),
            Opcode::ICmp | Opcode::Select | Opcode::Trunc | Opcode::ZExt | Opcode::SExt | Opcode::PtrToInt => {
                data.flags.is_empty() && operands_are()
            }
            opcode if opcode.is_integer_arithmetic() => data.flags.is_empty() && operands_are(),
            // fast-math flags are not in `flags`, so floating-point arithmetic is left out
            _ => false,
        }
    }

    /// The member of an aggregate, looking through `insertvalue` and checked arithmetic; otherwise as uniform as the
    /// aggregate.
    fn extract_value(&mut self, inst: Inst, data: &InstData) -> Element {
        let func = self.func;
        let mut aggregate = func.operands(inst)[0];
        for _ in 0..8 {
            let Some(def) = func.def(aggregate) else { break };
            let source = &func.insts[def];
            match source.opcode {
                Opcode::InsertValue if source.aux == data.aux && self.is_flat(def) && self.is_flat(inst) => {
                    return self.read(func.operands(def)[1], data.block);
                }
                Opcode::InsertValue if source.aux != data.aux => aggregate = func.operands(def)[0],
                Opcode::Call => {
                    let member = self.checked_arithmetic(def, data.aux, data.block);
                    let flat = data.sub == warpwise_ir::inst::FLAT_INDEX;
                    match member.or_else(|| self.assembly_member(def, data.aux, data.block).filter(|_| flat)) {
                        Some(element) => return element,
                        None => break,
                    }
                }
                _ => break,
            }
        }
        let element = self.read(aggregate, data.block);
        if element.is_bottom() {
            return Element::BOTTOM;
        }
        let whole = self.operand(inst, 0);
        let scope = self.scope_of(element).max(self.scope_of(whole));
        scope.map_or(Element::DIVERGENT, Element::uniform)
    }

    /// Whether an extractvalue or insertvalue addresses a direct member, not a member of a member.
    fn is_flat(&self, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        let member = match data.opcode {
            Opcode::InsertValue => self.func.type_of(self.func.operands(inst)[1]),
            _ => data.ty,
        };
        !matches!(self.func.types[member].kind, warpwise_ir::types::TypeKind::Aggregate)
            && data.sub == warpwise_ir::inst::FLAT_INDEX
    }
}
