//! What is a value of a thread in the next threads of its row?
//!
//! In a group of four threads whose numbers in the row are `4 n` to `4 n + 3`. Either the same, or a constant more from thread
//! to thread, modulo 2 to the number of its bits; or nothing is known. Control flow is the same for the group. What is said of
//! `nsw` and `nuw` holds only where a wrapped value would be undefined behaviour, as in the address of an access that all
//! threads of the group execute.

use super::plan::Root;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::BTreeMap;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::prices::COARSEN_FACTOR;
use warpwise_ir::Func;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::{Flags, Opcode};

/// How a value changes from thread to thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// By how much.
    pub by: i64,
    /// Whether it does as a signed and as an unsigned number, too: none wraps within the group.
    pub signed: bool,
    pub unsigned: bool,
}

impl Step {
    /// The same in all threads.
    pub const SAME: Step = Step { by: 0, signed: true, unsigned: true };

    fn exact(by: i64) -> Step {
        Step { by, signed: true, unsigned: true }
    }

    /// Modulo 2 to the number of bits.
    fn within(self, bits: Option<u32>) -> Step {
        let by = match bits {
            Some(bits @ 1..64) => self.by << (64 - bits) >> (64 - bits),
            _ => self.by,
        };
        match by {
            0 => Step::SAME,
            _ if by == self.by => self,
            _ => Step { by, signed: false, unsigned: false },
        }
    }
}

/// The steps of a function's values.
pub struct Steps<'a> {
    func: &'a Func,
    root: &'a Root,
    /// By instruction; `None` if nothing is known.
    steps: Vec<Option<Step>>,
}

impl<'a> Steps<'a> {
    /// Of a function without cycles. `fixed` are conditions that are the same in all threads.
    pub fn new(outline: &'a Outline, root: &'a Root, fixed: &BTreeMap<Inst, bool>) -> Steps<'a> {
        let func = &outline.func;
        let mut steps = Steps { func, root, steps: vec![None; func.insts.len()] };
        for &block in outline.cfg().order.rpo() {
            for inst in func.block_insts(block) {
                let step = match root.insts.contains(&inst) {
                    true => Some(Step::exact(1)),
                    false if fixed.contains_key(&inst) => Some(Step::SAME),
                    false => steps.of_inst(inst),
                };
                steps.steps[inst.as_u32() as usize] = step.map(|step| step.within(func.int_bits(func.result(inst))));
            }
        }
        steps
    }

    /// The step of a value.
    pub fn of(&self, value: Value) -> Option<Step> {
        self.func.def(value).map_or(Some(Step::SAME), |def| self.steps[def.as_u32() as usize])
    }

    /// Whether an instruction does the same in all threads.
    pub fn is_same(&self, inst: Inst) -> bool {
        self.steps[inst.as_u32() as usize] == Some(Step::SAME)
    }

    fn of_inst(&self, inst: Inst) -> Option<Step> {
        let func = self.func;
        let data = &func.insts[inst];
        let operands = func.operands(inst);
        let steps: SmallVec<[Option<Step>; 4]> = operands.iter().map(|&value| self.of(value)).collect();
        if steps.iter().all(|&step| step == Some(Step::SAME)) {
            return Some(Step::SAME);
        }
        let no_wrap = (data.flags.contains(Flags::NSW), data.flags.contains(Flags::NUW));
        let step = match (data.opcode, &steps[..]) {
            (Opcode::Add, &[Some(a), Some(b)]) => combined(a, b, a.by.checked_add(b.by)?, no_wrap),
            (Opcode::Or, &[Some(a), Some(b)]) if data.flags.contains(Flags::DISJOINT) => {
                combined(a, b, a.by.checked_add(b.by)?, (true, true))
            }
            (Opcode::Sub, &[Some(a), Some(b)]) => combined(a, b, a.by.checked_sub(b.by)?, no_wrap),
            (Opcode::Mul, &[Some(a), Some(b)]) => {
                let (step, factor) = if b == Step::SAME { (a, operands[1]) } else { (b, operands[0]) };
                let factor = i64::try_from(func.int_constant(factor)?).ok().filter(|&factor| factor <= MAX_FACTOR)?;
                combined(step, Step::SAME, step.by.checked_mul(factor)?, no_wrap)
            }
            (Opcode::Shl, &[Some(a), Some(Step::SAME)]) => {
                let shift = func.int_constant(operands[1]).filter(|&shift| shift < MAX_SHIFT)?;
                combined(a, Step::SAME, a.by.checked_mul(1 << shift)?, no_wrap)
            }
            (Opcode::SExt, &[Some(a)]) => Step { unsigned: false, ..Some(a).filter(|a| a.signed)? },
            (Opcode::ZExt, &[Some(a)]) => {
                let is_same = data.flags.contains(Flags::NNEG) && a.signed;
                Step::exact(Some(a).filter(|a| a.unsigned || is_same)?.by)
            }
            (Opcode::Trunc, &[Some(a)]) => Step { by: a.by, signed: false, unsigned: false },
            (Opcode::AddrSpaceCast | Opcode::BitCast, &[Some(a)]) => a,
            (Opcode::Gep, &[Some(base), ..]) => {
                let gep = func.gep(inst);
                let mut by = base.by;
                for term in gep.terms {
                    let index = operands[term.operand as usize];
                    let step = self.of(index)?;
                    if step.by != 0 && func.int_bits(index) != Some(gep.bits) {
                        return None;
                    }
                    by = by.checked_add(step.by.checked_mul(i64::try_from(term.stride).ok()?)?)?;
                }
                Step { by, signed: false, unsigned: false }
            }
            (Opcode::Phi, &[Some(first), ref rest @ ..]) => joined(first, rest)?,
            (Opcode::Select, &[Some(Step::SAME), Some(first), ref rest @ ..]) => joined(first, rest)?,
            _ => return None,
        };
        Some(self.without_carry(inst, step))
    }

    /// What ends with so many zeros that no step of the group carries past them does not wrap.
    fn without_carry(&self, inst: Inst, step: Step) -> Step {
        let Some(most) = step.by.checked_mul(i64::from(COARSEN_FACTOR) - 1).filter(|&most| most >= 0) else {
            return step;
        };
        let result = self.func.result(inst);
        let Some(bits) = self.func.int_bits(result) else { return step };
        let zeros = Zeros::new(self.func, self.root, 0, 0).of(result).min(bits - 1);
        if most < 1 << zeros.min(62) { Step::exact(step.by) } else { step }
    }
}

/// Factors of a step, and shifts, that are followed.
const MAX_FACTOR: i64 = 1 << 20;
const MAX_SHIFT: u64 = 20;

fn combined(a: Step, b: Step, by: i64, (nsw, nuw): (bool, bool)) -> Step {
    Step { by, signed: nsw && a.signed && b.signed, unsigned: nuw && a.unsigned && b.unsigned }
}

fn joined(first: Step, rest: &[Option<Step>]) -> Option<Step> {
    let join = |a: Step, b: &Option<Step>| {
        let b = b.filter(|b| a.by == b.by)?;
        Some(Step { by: a.by, signed: a.signed && b.signed, unsigned: a.unsigned && b.unsigned })
    };
    rest.iter().try_fold(first, join)
}

/// How many low bits of a value are zero in the first thread of a group?
pub struct Zeros<'a> {
    func: &'a Func,
    root: &'a Root,
    /// Zeros of what is passed as an argument: pointers, and other numbers.
    of_pointers: u32,
    of_numbers: u32,
    relied_on: RefCell<Vec<Value>>,
}

impl<'a> Zeros<'a> {
    /// If arguments have so many: pointers, and other numbers.
    pub fn new(func: &'a Func, root: &'a Root, of_pointers: u32, of_numbers: u32) -> Self {
        Zeros { func, root, of_pointers, of_numbers, relied_on: RefCell::default() }
    }

    /// Of a value, no matter how many bits it has.
    pub fn of(&self, value: Value) -> u32 {
        self.within(value, MAX_DEPTH)
    }

    /// The arguments on which the answers so far rely.
    pub fn relied_on(self) -> Vec<Value> {
        self.relied_on.into_inner()
    }

    fn within(&self, value: Value, depth: u32) -> u32 {
        let func = self.func;
        if let Some(constant) = func.int_constant(value) {
            return if constant == 0 { u64::BITS } else { constant.trailing_zeros() };
        }
        if func.is_passed(value) {
            let is_pointer = func.type_info(value).kind.space().is_some();
            let zeros = if is_pointer { self.of_pointers } else { self.of_numbers };
            if zeros > 0 {
                self.relied_on.borrow_mut().push(value);
            }
            return zeros;
        }
        let Some(def) = func.def(value).filter(|_| depth > 0) else { return 0 };
        if self.root.insts.contains(&def) {
            return COARSEN_FACTOR.trailing_zeros();
        }
        let operands = func.operands(def);
        let of = |index: usize| self.within(operands[index], depth - 1);
        match func.insts[def].opcode {
            Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::Xor => of(0).min(of(1)),
            Opcode::And => of(0).max(of(1)),
            Opcode::Mul => of(0).saturating_add(of(1)),
            Opcode::Shl => {
                let shift = func.int_constant(operands[1]).and_then(|shift| u32::try_from(shift).ok()).unwrap_or(0);
                of(0).saturating_add(shift)
            }
            Opcode::SExt | Opcode::ZExt | Opcode::Trunc | Opcode::AddrSpaceCast | Opcode::BitCast => of(0),
            Opcode::Select => of(1).min(of(2)),
            Opcode::Phi => (0..operands.len()).map(of).min().unwrap_or(0),
            Opcode::Gep => {
                let gep = func.gep(def);
                let constant = if gep.offset == 0 { u64::BITS } else { gep.offset.trailing_zeros() };
                let terms = gep.terms.iter().map(|term| {
                    self.within(operands[term.operand as usize], depth - 1).saturating_add(term.stride.trailing_zeros())
                });
                terms.chain([constant, of(0)]).min().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// Operands of operands that are followed.
const MAX_DEPTH: u32 = 10;
