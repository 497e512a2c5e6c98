//! What form would an address have if no index wrapped, and if warps lay along x? This is what programmers expect of
//! `a[i]` and of `threadIdx.x % 32`; it is never a claim of the analysis.

use super::Assumed;
use crate::affine::arith::{self, NoWrap};
use crate::affine::form::{Base, Ext, Form, Monomial, Rest, Scope, Symbol, wrap};
use crate::divergence::facts::Facts;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::inst::{GepTerm, Opcode};

/// The form of an address as a use in `at` sees it, and what it assumes.
pub(super) fn address_form(facts: &Facts, pointer: Value, at: Block) -> (Option<Form>, Assumed) {
    if let Some(form) = facts.form_at_use(pointer, at) {
        return (Some(form), Assumed::default());
    }
    let mut forms = Assume { facts, assumed: Assumed::default(), hypotheses: FxHashMap::default(), fuel: FUEL };
    let form = forms.form(pointer, at, DEPTH);
    (form, forms.assumed)
}

/// Whether a value would have a form if no index wrapped and warps lay along x.
pub fn has_form(facts: &Facts, value: Value, at: Block) -> bool {
    address_form(facts, value, at).0.is_some()
}

/// Maximum depth of operands looked through while the form is rebuilt.
const DEPTH: u32 = 12;
/// Maximum number of values visited for one address.
const FUEL: u32 = 200;
/// The narrowest index in bits that programmers do not mean to wrap.
const INDEX: u32 = 32;

/// Rebuilds forms under assumptions.
struct Assume<'a> {
    facts: &'a Facts,
    /// What was assumed; of indices, the narrowest.
    assumed: Assumed,
    /// Loop phis, assumed to have the terms of their entry value while their back edges are examined.
    hypotheses: FxHashMap<Value, Form>,
    fuel: u32,
}

impl Assume<'_> {
    fn form(&mut self, value: Value, at: Block, depth: u32) -> Option<Form> {
        if let Some(form) = self.hypotheses.get(&value) {
            return Some(form.clone());
        }
        if let Some(form) = self.facts.form_at_use(value, at) {
            return Some(form);
        }
        self.fuel = self.fuel.checked_sub(1)?;
        let func = &self.facts.func;
        let inst = func.def(value)?;
        let data = func.insts[inst];
        if self.facts.form(value).is_some() || !self.comes_together(data.block, at) {
            return None; // lost at a loop exit, not for lack of a no-wrap proof
        }
        let depth = depth.checked_sub(1)?;
        let bits = func.int_bits(value)?;
        let operand = |index: usize| func.operands(inst)[index];
        match data.opcode {
            Opcode::Gep => self.gep(inst, depth),
            cast if cast.is_cast() || cast == Opcode::Freeze => {
                let from = func.int_bits(operand(0))?;
                let form = self.form(operand(0), data.block, depth)?;
                match cast {
                    Opcode::SExt | Opcode::ZExt => self.widen(form, from, cast == Opcode::SExt),
                    Opcode::Trunc => arith::truncate(&form, from, bits, NoWrap::BOTH).or_else(|| low_part(form, bits)),
                    _ => (from == bits).then(|| unknown_rest(form)),
                }
            }
            Opcode::Add | Opcode::Or | Opcode::Sub => {
                let x = self.form(operand(0), data.block, depth)?;
                let y = self.form(operand(1), data.block, depth)?;
                match data.opcode {
                    Opcode::Sub => arith::sub(&x, &y, bits, NoWrap::BOTH),
                    Opcode::Or if !data.flags.contains(warpwise_ir::inst::Flags::DISJOINT) => None,
                    _ => arith::add(&x, &y, bits, NoWrap::BOTH),
                }
            }
            Opcode::Mul => {
                let x = self.form(operand(0), data.block, depth)?;
                let y = self.form(operand(1), data.block, depth)?;
                product(&x, operand(0), &y, operand(1), bits)
            }
            Opcode::Shl => {
                let x = self.form(operand(0), data.block, depth)?;
                let shift = self.form(operand(1), data.block, depth)?.as_constant()?;
                let factor = 1i64.checked_shl(u32::try_from(shift).ok()?)?;
                arith::scale(&x, factor, bits, NoWrap::BOTH)
            }
            Opcode::And => {
                let mask = func.int_constant(operand(1))?;
                let kept = mask.trailing_ones();
                if kept >= INDEX && mask == low_bits(kept) {
                    return self.narrowed(operand(0), data.block, kept, depth);
                }
                let form = self.form(operand(0), data.block, depth)?;
                self.in_row(&form, kept).filter(|_| mask == low_bits(kept))
            }
            Opcode::LShr | Opcode::AShr => {
                let shift = u32::try_from(func.int_constant(operand(1))?).ok().filter(|&shift| shift < bits)?;
                if let Some(from) = self.shifted_left(operand(0), shift) {
                    return self.narrowed(from, data.block, bits - shift, depth);
                }
                let form = self.form(operand(0), data.block, depth)?;
                self.in_row(&form, shift).map(|_| Form::uniform(Scope::Warp))
            }
            Opcode::Phi => self.phi(inst, depth),
            _ => None,
        }
    }

    /// What is shifted left by so many bits, as in `x << 32 >> 32`: LLVM's way to write `(int)x` for a wider `x`.
    fn shifted_left(&self, value: Value, shift: u32) -> Option<Value> {
        let func = &self.facts.func;
        let inst = func.def(value).filter(|&inst| func.insts[inst].opcode == Opcode::Shl)?;
        let [from, by] = *func.operands(inst) else { return None };
        (func.int_constant(by)? == u64::from(shift)).then_some(from)
    }

    /// A value of which only the low `bits` are kept and extended again, assumed to lose nothing.
    fn narrowed(&mut self, value: Value, at: Block, bits: u32, depth: u32) -> Option<Form> {
        let form = self.form(value, at, depth)?;
        if bits < INDEX {
            return None;
        }
        self.assume_no_wrap(bits);
        Some(unknown_rest(form))
    }

    /// The low `bits` of an index along x: the lane, plus something uniform. Without them, lanes agree.
    fn in_row(&mut self, form: &Form, bits: u32) -> Option<Form> {
        let [term] = form.terms[..] else { return None };
        let is_index = term.monomial == Monomial::base(Base::TidX) && term.coefficient == 1;
        let row = WARP_SIZE.trailing_zeros();
        let begins_a_row = u32::from(form.rest.align()) >= row;
        if self.facts.geometry.exact.is_some() || !is_index || !begins_a_row || bits < row {
            return None;
        }
        self.assumed.rows = true;
        Some(unknown_rest(Form::base(Base::LaneId)))
    }

    fn assume_no_wrap(&mut self, bits: u32) {
        self.assumed.no_wrap = Some(self.assumed.no_wrap.map_or(bits, |narrowest| narrowest.min(bits)));
    }

    /// Whether lanes leave every loop between a definition and its use in the same iteration.
    fn comes_together(&self, from: Block, to: Block) -> bool {
        let cycles = &self.facts.cfg().cycles;
        let mut left = cycles.cycle_of(from).into_iter().flat_map(|cycle| cycles.left(cycle, to));
        left.all(|cycle| self.facts.exit_scope(cycle).is_some())
    }

    fn gep(&mut self, inst: Inst, depth: u32) -> Option<Form> {
        let func = &self.facts.func;
        let (data, at) = (func.gep(inst), func.insts[inst].block);
        let mut sum = unknown_rest(self.form(func.operands(inst)[0], at, depth)?);
        for &GepTerm { operand, stride } in data.terms {
            let index = func.operands(inst)[operand as usize];
            let from = func.int_bits(index)?;
            let form = self.form(index, at, depth)?;
            let wide = if from < data.bits { self.widen(form, from, true)? } else { form };
            let scaled = arith::scale(&wide, stride as i64, data.bits, NoWrap::BOTH)?;
            sum = arith::add(&sum, &scaled, data.bits, NoWrap::BOTH)?;
        }
        Some(sum)
    }

    /// An extension, assumed to be exact if that is not known.
    fn widen(&mut self, mut form: Form, from: u32, signed: bool) -> Option<Form> {
        let proven = if signed { form.signed_scope() } else { form.unsigned_scope() };
        if proven.is_none() {
            self.assume_no_wrap(from);
            form.exact_signed = Some(form.rest.scope());
            form.exact_unsigned = Some(form.rest.scope());
        }
        arith::extend(&form, from, signed, false)
    }

    /// A loop variable keeps the terms of its entry value if every iteration adds something uniform.
    fn phi(&mut self, phi: Inst, depth: u32) -> Option<Form> {
        let func = &self.facts.func;
        let value = func.result(phi);
        let block = func.insts[phi].block;
        self.facts.join_scope(block)?;
        let dominators = self.facts.dominators();
        let mut entry: Option<Form> = None;
        let mut back: SmallVec<[(Value, Block); 2]> = SmallVec::new();
        for (&operand, &pred) in func.operands(phi).iter().zip(func.incoming(phi)) {
            if !self.facts.is_reachable(pred) || operand == value {
                continue;
            }
            if dominators.dominates(block, pred) {
                back.push((operand, pred));
                continue;
            }
            let form = unknown_rest(self.form(operand, pred, depth)?);
            match &entry {
                None => entry = Some(form),
                Some(known) if known.terms == form.terms => {}
                Some(_) => return None,
            }
        }
        let entry = entry?;
        if back.is_empty() {
            return Some(entry);
        }
        self.hypotheses.insert(value, entry.clone());
        let steady = back
            .iter()
            .all(|&(operand, pred)| self.form(operand, pred, depth).is_some_and(|form| form.terms == entry.terms));
        self.hypotheses.remove(&value);
        steady.then_some(entry)
    }
}

fn product(x: &Form, x_value: Value, y: &Form, y_value: Value, bits: u32) -> Option<Form> {
    let symbol = |value: Value| Symbol::new(value.as_u32(), Ext::None);
    let product = arith::multiply((x, symbol(x_value)), (y, symbol(y_value)), bits, NoWrap::BOTH);
    let both_uniform = || (x.is_uniform() && y.is_uniform()).then(|| x.rest.scope().min(y.rest.scope()));
    product.or_else(|| both_uniform().map(Form::uniform))
}

/// The low bits of a form whose symbols were extended from as few bits or fewer, so that they stay as they are.
fn low_part(form: Form, bits: u32) -> Option<Form> {
    let fits = form.terms.iter().all(|term| wrap(term.coefficient, bits) == term.coefficient);
    fits.then(|| unknown_rest(form.without_exactness()))
}

/// A number whose `bits` low bits are set, and no others.
fn low_bits(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn unknown_rest(mut form: Form) -> Form {
    form.rest = Rest::Uniform { scope: form.rest.scope().min(Scope::Warp), align: 0 };
    form
}
