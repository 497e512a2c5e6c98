//! With which product is a sum joined as long as nothing changes? Read from what LLVM's passes and its back end make of the function
//! ([`Lowered`]), and of what `ptxas` does with that; the rules are [those of the module](super).
//!
//! Where several instructions were made of a sum, as of one in a loop that LLVM unrolls, all have to be joined alike. One that is
//! gone has become one with another that is computed alike. Nothing is known of a sum that a loop brings a product to, as `ptxas`
//! may unroll the loop.

use super::Pair;
use super::joins::Join;
use super::memory::Loads;
use super::raw::{Ends, Numbers, Pins, computed, meets};
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode};
use warpwise_ir::llvm::lowered::{Does, Lowered};

/// What becomes of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// It is joined with the product that was made of the instruction with this number.
    With(u32),
    /// It is joined with another than that.
    NotWith(u32),
    /// It is joined with the only product that it adds.
    WithOnly,
    /// It is joined with this operand.
    WithOperand(u32),
    /// It is rounded alone.
    Alone,
}

/// A function, and what was made of it.
pub struct Made<'m> {
    function: Function<'m>,
    insts: Vec<Lowered>,
    numbers: FxHashMap<Inst<'m>, u32>,
    /// By the number of an instruction, what was made of it.
    copies: FxHashMap<u32, Vec<usize>>,
    /// By a register, what defines it and what reads it.
    definitions: FxHashMap<u32, usize>,
    readers: FxHashMap<u32, Vec<usize>>,
}

impl<'m> Made<'m> {
    pub fn new(function: Function<'m>, insts: Vec<Lowered>) -> Self {
        let numbered = function.insts().zip(1..);
        let mut made = Made {
            function,
            numbers: numbered.collect(),
            copies: FxHashMap::default(),
            definitions: FxHashMap::default(),
            readers: FxHashMap::default(),
            insts,
        };
        for (at, inst) in made.insts.iter().enumerate() {
            made.copies.entry(inst.number).or_default().push(at);
            if inst.is_early() {
                continue;
            }
            made.definitions.insert(inst.result, at);
            for &register in &inst.operands {
                made.readers.entry(register).or_default().push(at);
            }
        }
        made.definitions.remove(&0);
        made.readers.remove(&0);
        made
    }

    /// What has to be written out so that everything is rounded as it is, whatever changes around it; `None` if it is not known
    /// how something is.
    pub fn pins(&self, ends: Ends<'_, 'm>) -> Option<Pins<'m>> {
        let mut pins = Pins::none(self.function);
        let (loaded, mut values) = (Loads::of(self.function), Numbers::default());
        let insts = || self.function.insts();
        let is_sum = |inst: Inst<'m>| Pair::MultiplyAdd.ends_with(inst);
        let is_product = |inst: Inst<'m>| Pair::MultiplyAdd.begins_with(inst);
        for sum in insts().filter(|&inst| is_sum(inst)) {
            let may_add = sum.operands().any(|value| computed(value).any(is_product));
            if !may_add {
                // one that it gets through memory cannot be written out
                if self.made_of(sum).any(|at| self.insts[at].does == Does::Fused) {
                    return None;
                }
                continue;
            }
            match self.fate(sum).or_else(|| self.fate_of_twin(sum, &mut values))? {
                Fate::Alone if Editor::rounds_alone(sum.ty()) => pins.sums.push(sum),
                Fate::Alone => return None,
                fate => pins.joins.push(self.join(sum, fate).filter(Join::can_be_written)?),
            }
        }
        for product in insts().filter(|&inst| is_product(inst)) {
            if meets(product.value(), |user| ends.has(user) || loaded.may_get(user)) {
                if !Editor::rounds_alone(product.ty()) {
                    return None;
                }
                pins.alone.push(product);
            }
        }
        Some(pins)
    }

    /// What was made of an instruction.
    fn made_of(&self, inst: Inst<'m>) -> impl Iterator<Item = usize> {
        self.numbers.get(&inst).and_then(|number| self.copies.get(number)).into_iter().flatten().copied()
    }

    /// What becomes of a sum; `None` if that is not sure.
    fn fate(&self, sum: Inst<'m>) -> Option<Fate> {
        let is_sum = |&at: &usize| matches!(self.insts[at].does, Does::Fused | Does::Sum | Does::LooseSum);
        let mut fates = self.made_of(sum).filter(is_sum).map(|at| self.fate_of(at));
        let first = fates.next()??;
        fates.all(|fate| fate == Some(first)).then_some(first)
    }

    /// What becomes of a sum that is gone, as of all that are computed alike.
    fn fate_of_twin(&self, sum: Inst<'m>, values: &mut Numbers<'m>) -> Option<Fate> {
        let is_gone = |inst| self.made_of(inst).next().is_none();
        let number = values.of(sum.value());
        let twins: Vec<Inst<'m>> = self.function.insts().filter(|&inst| inst.opcode() == sum.opcode()).collect();
        let mut twins = twins.into_iter().filter(|&inst| !is_gone(inst) && values.of(inst.value()) == number);
        let fate = |twin| match self.fate(twin)? {
            Fate::Alone => Some(Fate::Alone),
            joined => Some(Fate::WithOperand(self.join(twin, joined)?.operand)),
        };
        let first = fate(twins.next().filter(|_| is_gone(sum))?)?;
        twins.all(|twin| fate(twin) == Some(first)).then_some(first)
    }

    fn fate_of(&self, at: usize) -> Option<Fate> {
        let inst = &self.insts[at];
        match inst.does {
            _ if inst.is_vector => None,
            // the other product that it adds, if there are two, is left, if only as twice a number
            Does::Fused => {
                let added = inst.operands.get(2).and_then(|&register| self.source(register));
                Some(added.map_or(Fate::WithOnly, |other| Fate::NotWith(self.insts[other].number)))
            }
            Does::LooseSum => self.fate_in_ptxas(at),
            _ => Some(Fate::Alone),
        }
    }

    /// What `ptxas` does with a sum that LLVM has left: it joins it with a product of its block that nothing else uses, with none
    /// that something else uses, too, and of other blocks sometimes.
    fn fate_in_ptxas(&self, at: usize) -> Option<Fate> {
        let mut joined = None;
        for &register in &self.insts[at].operands {
            if let Some(product) = self.source(register).filter(|&found| self.insts[found].does == Does::LooseProduct) {
                let users = self.users(product);
                let are_sums = users.iter().all(|&user| self.insts[user].does == Does::LooseSum);
                let is_here = self.insts[product].block == self.insts[at].block;
                if users[..] == [at] && is_here && joined.is_none() {
                    joined = Some(self.insts[product].number);
                } else if are_sums {
                    return None;
                }
            } else if self.is_brought_round(register) {
                return None;
            }
        }
        match joined {
            Some(0) => None,
            Some(number) => Some(Fate::With(number)),
            None => Some(Fate::Alone),
        }
    }

    /// What a register holds, perhaps with another sign.
    fn source(&self, register: u32) -> Option<usize> {
        let &at = self.definitions.get(&register)?;
        if self.passes_on(at) { self.source(*self.insts[at].operands.first()?) } else { Some(at) }
    }

    /// Whether `ptxas` sees through an instruction: a change of sign, and the absolute value of the square of a float.
    fn passes_on(&self, at: usize) -> bool {
        let Lowered { does, operands, .. } = &self.insts[at];
        let is_square = |register| {
            let inst = self.definitions.get(register).map(|&of| &self.insts[of]);
            inst.is_some_and(|inst| inst.does == Does::LooseProduct && inst.operands.first() == inst.operands.get(1))
        };
        matches!(does, Does::Sign | Does::Copy) || *does == Does::Absolute && operands.first().is_some_and(is_square)
    }

    /// What reads a product, perhaps with another sign.
    fn users(&self, product: usize) -> Vec<usize> {
        let (mut open, mut found) = (vec![product], Vec::new());
        while let Some(at) = open.pop() {
            for &reader in self.readers.get(&self.insts[at].result).into_iter().flatten() {
                if self.passes_on(reader) { open.push(reader) } else { found.push(reader) }
            }
        }
        found
    }

    /// Whether a loop may bring a product to a register, or one from in front of it.
    fn is_brought_round(&self, register: u32) -> bool {
        let (mut open, mut seen) = (vec![(register, false)], FxHashSet::default());
        while let Some((register, is_round)) = open.pop() {
            let Some(&at) = self.definitions.get(&register) else { continue };
            let inst = &self.insts[at];
            let is_round = is_round || inst.does == Does::HeaderPhi;
            match inst.does {
                Does::LooseProduct if is_round => return true,
                Does::Phi | Does::HeaderPhi | Does::Sign | Does::Copy | Does::Absolute => {
                    let more = inst.operands.iter().map(|&operand| (operand, is_round));
                    open.extend(more.filter(|&next| seen.insert(next)));
                }
                _ => {}
            }
        }
        false
    }

    /// A sum, and which of the products that it adds it is joined with.
    fn join(&self, sum: Inst<'m>, fate: Fate) -> Option<Join<'m>> {
        let number = |join: &Join<'m>| self.numbers.get(&join.product).copied();
        let is = |join: &Join<'m>| match fate {
            Fate::With(with) => number(join) == Some(with),
            Fate::NotWith(other) => number(join) != Some(other),
            Fate::WithOnly => true,
            Fate::WithOperand(operand) => join.operand == operand,
            Fate::Alone => false,
        };
        let mut joins = [0, 1].into_iter().filter_map(|operand| Join::direct(sum, operand)).filter(is);
        joins.next().filter(|_| joins.next().is_none())
    }
}

impl<'m> Join<'m> {
    /// A product that is an operand of a sum, perhaps with another sign.
    fn direct(sum: Inst<'m>, operand: u32) -> Option<Join<'m>> {
        let (mut value, mut is_negated) = (sum.operand(operand), false);
        loop {
            let inst = value.as_inst()?;
            if Pair::MultiplyAdd.begins_with(inst) {
                return Some(Join { sum, product: inst, operand, is_negated });
            }
            if inst.opcode() != RawOpcode::LLVMFNeg {
                return None;
            }
            (value, is_negated) = (inst.operand(0), !is_negated);
        }
    }
}
