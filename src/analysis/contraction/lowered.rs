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
use warpwise_ir::llvm::lowered::{Does, From, Lowered};
use warpwise_ir::llvm::remark::PassManager;

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
    numbers: FxHashMap<Inst<'m>, u32>,
    /// As instruction selection has left it, and at the end.
    selected: Insts,
    end: Insts,
}

/// Machine instructions, of which each defines another register.
#[derive(Default)]
struct Insts {
    all: Vec<Lowered>,
    /// By the number of an instruction, what was made of it.
    copies: FxHashMap<u32, Vec<usize>>,
    /// By a register, what defines it and what reads it.
    definitions: FxHashMap<u32, usize>,
    readers: FxHashMap<u32, Vec<usize>>,
}

impl<'m> Made<'m> {
    /// Has LLVM compile a copy of a function; `None` if it cannot be asked.
    pub fn ask(function: Function<'m>, from: From, manager: &PassManager<'_>) -> Option<Self> {
        let insts = manager.lowered(function, from)?;
        let numbers = function.insts().zip(1..).collect();
        let (end, selected) = insts.into_iter().partition(|inst| inst.is_end);
        Some(Made { function, numbers, selected: Insts::new(selected), end: Insts::new(end) })
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
                if self.selected.made_of(self.number(sum)).any(|inst| inst.does == Does::Fused) {
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

    fn number(&self, inst: Inst<'m>) -> u32 {
        self.numbers.get(&inst).copied().unwrap_or(0)
    }

    /// What becomes of a sum; `None` if that is not sure.
    fn fate(&self, sum: Inst<'m>) -> Option<Fate> {
        let number = self.number(sum);
        agreed(self.selected.made_of(number).filter_map(|inst| match inst.does {
            Does::Fused | Does::Sum | Does::LooseSum if inst.is_vector => Some(None),
            Does::Fused => Some(Some(self.selected.fate_of_joined(inst))),
            Does::Sum => Some(Some(Fate::Alone)),
            Does::LooseSum => Some(self.end.fate_in_ptxas(inst)),
            _ => None,
        }))
    }

    /// What becomes of a sum that is gone, as of all that are computed alike.
    fn fate_of_twin(&self, sum: Inst<'m>, values: &mut Numbers<'m>) -> Option<Fate> {
        let is_gone = |inst| self.end.made_of(self.number(inst)).next().is_none();
        if !is_gone(sum) {
            return None;
        }
        let mut operands = |inst: Inst<'m>| [0, 1].map(|index| values.of(inst.operand(index)));
        let [a, b] = operands(sum);
        let mut first = None;
        for twin in self.function.insts().filter(|&inst| inst.opcode() == sum.opcode() && inst != sum) {
            let is_swapped = match operands(twin) {
                same if same == [a, b] => false,
                swapped if swapped == [b, a] && sum.opcode() == RawOpcode::LLVMFAdd => true,
                _ => continue,
            };
            let fate = match self.fate(twin) {
                None if is_gone(twin) => continue,
                None => return None,
                Some(Fate::Alone) => Fate::Alone,
                Some(joined) => Fate::WithOperand(self.join(twin, joined)?.operand ^ u32::from(is_swapped)),
            };
            if *first.get_or_insert(fate) != fate {
                return None;
            }
        }
        first
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
        let mut joins = Join::among(sum, |_| true).into_iter().flatten().filter(is);
        joins.next().filter(|_| joins.next().is_none())
    }
}

/// What all agree on; `None` if they do not, or nothing is known of one, or there is none.
fn agreed(mut fates: impl Iterator<Item = Option<Fate>>) -> Option<Fate> {
    let first = fates.next()??;
    fates.all(|fate| fate == Some(first)).then_some(first)
}

impl Insts {
    fn new(all: Vec<Lowered>) -> Insts {
        let mut insts = Insts::default();
        for (at, inst) in all.iter().enumerate() {
            insts.copies.entry(inst.number).or_default().push(at);
            insts.definitions.insert(inst.result, at);
            for &register in &inst.operands {
                insts.readers.entry(register).or_default().push(at);
            }
        }
        insts.definitions.remove(&0);
        insts.readers.remove(&0);
        Insts { all, ..insts }
    }

    /// What was made of an instruction with a number.
    fn made_of(&self, number: u32) -> impl Iterator<Item = &Lowered> {
        self.copies.get(&number).into_iter().flatten().map(|&at| &self.all[at])
    }

    /// What a multiply-add joins: not the other product that it adds, if there is one, if only as twice a number.
    fn fate_of_joined(&self, inst: &Lowered) -> Fate {
        let added = inst.operands.get(2).and_then(|&register| self.source(register));
        added.map_or(Fate::WithOnly, |other| Fate::NotWith(self.all[other].number))
    }

    /// What `ptxas` does with a sum that LLVM has left: it joins it with a product that only sums use, if a factor is a constant, and
    /// with one of its block that nothing else uses; with none that something else uses, too. Whether it does with one of another
    /// block depends on the branches in between, which it may turn into predicates.
    fn fate_in_ptxas(&self, selected: &Lowered) -> Option<Fate> {
        let loose = |&at: &usize| self.all[at].does == Does::LooseSum;
        let mut left: Vec<usize> =
            self.copies.get(&selected.number).into_iter().flatten().copied().filter(loose).collect();
        // one that LLVM has computed elsewhere, once for several, has no number
        if left.is_empty() {
            let readers = self.readers.get(selected.operands.iter().find(|&&register| register != 0)?)?;
            left.extend(readers.iter().copied().filter(|at| loose(at) && self.all[*at].operands == selected.operands));
        }
        agreed(left.into_iter().map(|at| self.fate_of_left(at)))
    }

    fn fate_of_left(&self, at: usize) -> Option<Fate> {
        let mut joined = None;
        for &register in &self.all[at].operands {
            let Some(product) = self.source(register).filter(|&found| self.all[found].does == Does::LooseProduct)
            else {
                if self.is_brought_round(register) {
                    return None;
                }
                continue;
            };
            let users = self.users(product);
            let Lowered { block, ref operands, number, .. } = self.all[product];
            let factors = &operands[..operands.len().min(2)];
            let joins = factors.contains(&0) || users[..] == [at] && block == self.all[at].block;
            if users.iter().any(|&user| self.all[user].does != Does::LooseSum) {
                continue;
            }
            if !joins || joined.is_some() {
                return None;
            }
            joined = Some(number);
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
        if self.passes_on(at) { self.source(*self.all[at].operands.first()?) } else { Some(at) }
    }

    /// Whether `ptxas` sees through an instruction: a change of sign, and the absolute value of the square of a float.
    fn passes_on(&self, at: usize) -> bool {
        let Lowered { does, operands, .. } = &self.all[at];
        let is_square = |register| {
            let inst = self.definitions.get(register).map(|&of| &self.all[of]);
            inst.is_some_and(|inst| inst.does == Does::LooseProduct && inst.operands.first() == inst.operands.get(1))
        };
        matches!(does, Does::Sign | Does::Copy) || *does == Does::Absolute && operands.first().is_some_and(is_square)
    }

    /// What reads a product, perhaps with another sign.
    fn users(&self, product: usize) -> Vec<usize> {
        let (mut open, mut found) = (vec![product], Vec::new());
        while let Some(at) = open.pop() {
            for &reader in self.readers.get(&self.all[at].result).into_iter().flatten() {
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
            let inst = &self.all[at];
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
}
