//! Which registers are live at the beginnings and ends of blocks?
//!
//! 1. **Intervals.** In a block order in which cycles are contiguous, a register is live at most from the block of its
//!    definition to the last block that uses it, or to the end of the outermost cycle that uses but does not define it.
//!    A register that is used without its definition dominating counts from the entry.
//! 2. **Columns.** Registers whose intervals do not overlap share a column of the bit rows, as they would share a
//!    physical register under linear-scan allocation. So a row is as long as the number of registers live at once, not
//!    the number in the function. Registers with different numbers of units have separate columns, so that the units of
//!    a row can be counted in its bits.
//! 3. **Rows.** The usual backward equations, block by block from the last; a cycle is repeated until nothing changes.
//!    A phi's operand is live at the end of its edge's block, its result from the head of its own block.
//!
//! Result: the least solution, exact for any control flow. Cost: linear, plus blocks × columns / 64, times the nesting
//! depth.
//!
//! Intervals: Poletto and Sarkar 1999. Using them to pack the rows of an exact solution is ours.

use crate::cfg::Cycles;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use std::ops::Range;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Value};

use crate::pressure::registers::Registers;

/// No position, or no column.
pub const NONE: u32 = u32::MAX;

/// Live registers at block boundaries.
pub struct Liveness {
    /// Number of words in a row.
    words: usize,
    /// The rows, by position of the block in the order.
    live_in: Vec<u64>,
    live_out: Vec<u64>,
    /// By register: its column, and its interval in the order.
    columns: Vec<u32>,
    intervals: Vec<(u32, u32)>,
    /// Registers of each column, ordered by start: row starts and registers.
    column_starts: Vec<u32>,
    occupants: Vec<u32>,
    /// Units of a class of columns, and the word (exclusive) at which the class ends.
    classes: Vec<(u32, usize)>,
}

/// A use of a register: its number, and the block; for a phi operand, the end of the edge's block.
struct Want {
    register: u32,
    at: u32,
    at_end: bool,
}

impl Liveness {
    /// Solves the equations. `crossing` are the registers that may be live across a boundary; `number` gives the
    /// position of each value's register in it.
    pub fn new(func: &Func, cycles: &Cycles, registers: &Registers, crossing: &[Value], number: &[u32]) -> Liveness {
        let (wants, known) = wants(func, cycles, registers, crossing, number);
        let intervals = known.iter().map(|register| (register.start, register.end)).collect();
        let units: Vec<u8> = crossing.iter().map(|&value| registers.units(value) as u8).collect();
        let mut liveness = Liveness {
            words: 0,
            live_in: Vec::new(),
            live_out: Vec::new(),
            columns: vec![NONE; crossing.len()],
            intervals,
            column_starts: Vec::new(),
            occupants: Vec::new(),
            classes: Vec::new(),
        };
        let by_start = liveness.pack(cycles.order().len(), &units);
        let occupants = by_start.iter().map(|&register| (liveness.columns[register as usize] as usize, register));
        (liveness.column_starts, liveness.occupants) = rows(liveness.words * 64, occupants);
        let rows = cycles.order().len() * liveness.words;
        (liveness.live_in, liveness.live_out) = (vec![0; rows], vec![0; rows]);
        for Want { register, at, at_end } in wants {
            let row = if at_end { &mut liveness.live_out } else { &mut liveness.live_in };
            let column = liveness.columns[register as usize];
            row[at as usize * liveness.words + column as usize / 64] |= 1 << (column % 64);
        }
        liveness.solve(func, cycles, &known);
        liveness
    }

    /// Assigns columns; returns the registers ordered by the start of their interval.
    fn pack(&mut self, blocks: usize, units: &[u8]) -> Vec<u32> {
        let mut is_kind = [false; 256];
        units.iter().for_each(|&units| is_kind[usize::from(units)] = true);
        let mut kinds: Vec<u32> = Vec::new();
        let mut numbers = [0u8; 256];
        for units in (0..=255u8).filter(|&units| is_kind[usize::from(units)]) {
            numbers[usize::from(units)] = kinds.len() as u8;
            kinds.push(units.into());
        }
        let kind_of = |register: u32| usize::from(numbers[usize::from(units[register as usize])]);
        let live = (0u32..).zip(&self.intervals).filter(|(_, (start, end))| start < end);
        let (starts, by_start) = rows(blocks, live.map(|(register, &(start, _))| (start as usize, register)));
        // by class: free columns, and the number of columns; registers that end at a position are linked
        let mut free: Vec<Vec<u32>> = vec![Vec::new(); kinds.len()];
        let mut counts = vec![0u32; kinds.len()];
        let (mut ending, mut next) = (vec![NONE; blocks + 1], vec![NONE; units.len()]);
        for at in 0..blocks {
            let mut ended = ending[at];
            while ended != NONE {
                free[kind_of(ended)].push(self.columns[ended as usize]);
                ended = next[ended as usize];
            }
            for &register in &by_start[starts[at] as usize..starts[at + 1] as usize] {
                let kind = kind_of(register);
                self.columns[register as usize] = free[kind].pop().unwrap_or_else(|| {
                    counts[kind] += 1;
                    counts[kind] - 1
                });
                let last = &mut ending[self.intervals[register as usize].1 as usize];
                next[register as usize] = std::mem::replace(last, register);
            }
        }
        let mut first = Vec::with_capacity(kinds.len());
        for (&units, &count) in kinds.iter().zip(&counts) {
            first.push(self.words as u32 * 64);
            self.words += count.div_ceil(64) as usize;
            self.classes.push((units, self.words));
        }
        for &register in &by_start {
            self.columns[register as usize] += first[kind_of(register)];
        }
        by_start
    }

    fn solve(&mut self, func: &Func, cycles: &Cycles, known: &[Register]) {
        let order = cycles.order();
        // columns that are defined in each block
        let defined =
            known.iter().zip(&self.columns).filter(|(register, column)| register.at != NONE && **column != NONE);
        let (starts, columns) = rows(order.len(), defined.map(|(register, &column)| (register.at as usize, column)));
        let defined = |at: usize| &columns[starts[at] as usize..starts[at + 1] as usize];
        let mut killed = vec![0; self.words];
        let mut at = order.len();
        while at > 0 {
            at -= 1;
            match cycles.outermost_of(order[at]) {
                None => {
                    self.update(func, cycles, at, defined(at), &mut killed);
                }
                Some(cycle) => {
                    let range = cycles.range(cycle);
                    let mut again = true;
                    while again {
                        again = false;
                        for at in range.clone().rev() {
                            let block = order[at as usize];
                            let at = at as usize;
                            let changed = self.update(func, cycles, at, defined(at), &mut killed);
                            // no block has been visited before one that it leads to
                            let heads = cycles.cycle_of(block).is_some_and(|cycle| cycles.header(cycle) == block);
                            again |= changed && heads;
                        }
                    }
                    at = range.start as usize;
                }
            }
        }
    }

    /// Applies the equations of one block; returns whether more became live into it.
    fn update(&mut self, func: &Func, cycles: &Cycles, at: usize, defined: &[u32], killed: &mut [u64]) -> bool {
        let words = self.words;
        let row = at * words..(at + 1) * words;
        let out = &mut self.live_out[row.clone()];
        for &next in func.graph.succs(cycles.order()[at]) {
            let from = cycles.position(next) as usize * words;
            for (mine, theirs) in out.iter_mut().zip(&self.live_in[from..from + words]) {
                *mine |= theirs;
            }
        }
        for &column in defined {
            killed[column as usize / 64] |= 1 << (column % 64);
        }
        let live_in = &mut self.live_in[row];
        let mut more = 0;
        for ((mine, live), killed) in live_in.iter_mut().zip(&*out).zip(&*killed) {
            let through = live & !killed;
            more |= through & !*mine;
            *mine |= through;
        }
        for &column in defined {
            killed[column as usize / 64] = 0;
        }
        more != 0
    }

    /// Whether a register is live into the block at a position.
    #[inline]
    pub fn is_in(&self, at: u32, register: usize) -> bool {
        self.has(&self.live_in, at, register)
    }
    /// Whether a register is live out of the block at a position.
    #[inline]
    pub fn is_out(&self, at: u32, register: usize) -> bool {
        self.has(&self.live_out, at, register)
    }
    #[inline]
    fn has(&self, rows: &[u64], at: u32, register: usize) -> bool {
        let (start, end) = self.intervals[register];
        let column = self.columns[register] as usize;
        start <= at && at < end && rows[at as usize * self.words + column / 64] >> (column % 64) & 1 != 0
    }

    /// The interval in which a register may be live.
    pub fn interval(&self, register: usize) -> Range<u32> {
        let (start, end) = self.intervals[register];
        start..end
    }

    /// Number of units live into and out of the block at a position.
    pub fn units(&self, at: usize) -> (u32, u32) {
        let row = at * self.words..(at + 1) * self.words;
        (self.count(&self.live_in[row.clone()]), self.count(&self.live_out[row]))
    }
    fn count(&self, row: &[u64]) -> u32 {
        let mut first = 0;
        let of_class = self.classes.iter().map(|&(units, end)| {
            let words = &row[std::mem::replace(&mut first, end)..end];
            units * words.iter().map(|word| word.count_ones()).sum::<u32>()
        });
        of_class.sum()
    }

    /// Registers live into the block at a position, ordered by number.
    pub fn live_into(&self, at: u32) -> Vec<u32> {
        let row = &self.live_in[at as usize * self.words..][..self.words];
        let mut found = FixedBitSet::with_capacity(self.columns.len());
        for (word, &bits) in row.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                let column = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let shared = self.column_starts[column] as usize..self.column_starts[column + 1] as usize;
                let shared = &self.occupants[shared];
                let behind = shared.partition_point(|&register| self.intervals[register as usize].0 <= at);
                found.insert(shared[behind - 1] as usize);
            }
        }
        found.ones().map(|number| number as u32).collect()
    }
}

/// Compressed rows of `(row, item)`: where each of `count` rows starts in the list of items, and that list. A row keeps the
/// order of its items.
pub(super) fn rows<T: Copy>(count: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0u32; count + 1];
    items.clone().for_each(|(row, _)| starts[row + 1] += 1);
    (0..count).for_each(|row| starts[row + 1] += starts[row]);
    let mut list: Vec<T> = items.clone().map(|(_, item)| item).collect();
    let mut fill = starts.clone();
    for (row, item) in items {
        list[fill[row] as usize] = item;
        fill[row] += 1;
    }
    (starts, list)
}

/// The block that defines a register.
fn home(func: &Func, register: Value) -> Block {
    func.def(register).map_or(func.graph.entry(), |def| func.insts[def].block)
}

/// State of a register while the intervals are computed.
struct Register {
    home: Block,
    /// Position of the block that defines it.
    at: u32,
    /// Position of the last block seen that uses it.
    seen: u32,
    /// Start of its interval.
    start: u32,
    end: u32,
    precedes_definition: bool,
}

/// Where registers are used, and the resulting intervals.
fn wants(
    func: &Func,
    cycles: &Cycles,
    registers: &Registers,
    crossing: &[Value],
    number: &[u32],
) -> (Vec<Want>, Vec<Register>) {
    let mut wants = Vec::with_capacity(crossing.len() * 2);
    let begin = |&register: &Value| {
        let (home, precedes_definition) = (home(func, register), registers.precedes_definition(register));
        let at = cycles.position(home);
        Register { home, at, seen: NONE, start: if precedes_definition { 0 } else { at }, end: 0, precedes_definition }
    };
    let mut known: Vec<Register> = crossing.iter().map(begin).collect();
    let mut want = |number: u32, block: Block, at: u32, around: &Range<u32>, at_end: bool| {
        let register = &mut known[number as usize];
        if (!at_end && (register.at == at || register.seen == at)) || at == NONE || register.at == NONE {
            return;
        }
        if !at_end {
            register.seen = at;
        }
        if register.end < around.end {
            let end = match register.precedes_definition || !around.contains(&register.at) {
                true => around.end,
                false => cycles.end_of_use(block, |cycle| cycles.contains(cycle, register.home)),
            };
            register.end = end.max(register.end);
        }
        wants.push(Want { register: number, at, at_end });
    };
    // the outermost cycle around a block, or the block itself
    let around = |block: Block| match cycles.outermost_of(block) {
        Some(cycle) => cycles.range(cycle),
        None => cycles.position(block)..cycles.position(block).saturating_add(1),
    };
    let is_crossing = |&number: &u32| number != NONE;
    for (at, &block) in (0u32..).zip(cycles.order()) {
        let (of_phis, others) = func.block_operands(block);
        if !of_phis.is_empty() {
            for phi in func.phis(block) {
                let operands = func.operands(phi).iter().map(|operand| number[operand.index()]);
                for (number, &from) in operands.zip(func.incoming(phi)).filter(|(number, _)| is_crossing(number)) {
                    want(number, from, cycles.position(from), &around(from), true);
                }
            }
        }
        let around = around(block);
        for number in others.iter().map(|operand| number[operand.index()]).filter(is_crossing) {
            want(number, block, at, &around, false);
        }
    }
    (wants, known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::divergence::{Facts, ModuleAnalysis, Options};
    use crate::pressure::Pressure;
    use warpwise_ir::inst::Opcode;
    use warpwise_ir::llvm::owned::OwnedModule;
    use warpwise_oracle::fuzz::{Knobs, Mode, generate};

    /// The registers live into each block, by number: the backward equations with one row bit for every register.
    fn plainly(facts: &Facts, pressure: &Pressure) -> Vec<FixedBitSet> {
        let func = &facts.func;
        let empty = || vec![FixedBitSet::with_capacity(pressure.crossing.len()); func.blocks.len()];
        let (mut used, mut defined, mut at_edge) = (empty(), empty(), empty());
        for (inst, data) in func.insts.iter() {
            let numbers = func.operands(inst).iter().map(|&value| pressure.position(pressure.register_of(value)));
            let block = data.block.index();
            if data.opcode == Opcode::Phi {
                for (number, from) in numbers.zip(func.incoming(inst)) {
                    at_edge[from.index()].extend(number);
                }
            } else {
                used[block].extend(numbers.flatten().filter(|&number| !defined[block].contains(number)));
            }
            let result = func.result(inst);
            defined[block].extend(pressure.position(result).filter(|_| pressure.register_of(result) == result));
        }
        let mut live = used;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in facts.cfg().order.rpo().iter().rev() {
                let mut out = at_edge[block.index()].clone();
                func.graph.succs(block).iter().for_each(|next| out.union_with(&live[next.index()]));
                out.difference_with(&defined[block.index()]);
                let before = live[block.index()].count_ones(..);
                live[block.index()].union_with(&out);
                changed |= live[block.index()].count_ones(..) > before;
            }
        }
        live
    }

    #[test]
    fn packed_rows_say_what_long_ones_do() {
        let modes = [Mode::Pressure, Mode::Control, Mode::General].map(Knobs::of_mode);
        let kernels = (0..60).map(|seed| generate(seed, &modes[seed as usize % modes.len()]).ir);
        let mut large = Knobs::of_mode(Mode::General);
        large.size = (3000, 3000);
        let texts = kernels.chain([generate(2, &large).ir]);
        let mut seen = 0;
        for text in texts {
            let module = OwnedModule::from_text(&text, "test").unwrap();
            let analysis = ModuleAnalysis::new(module.handle(), Options::default());
            for function in module.handle().functions().filter(|function| !function.is_declaration()) {
                let (facts, _) = analysis.facts(function);
                let pressure = Pressure::new(&facts);
                let plain = plainly(&facts, &pressure);
                for &block in facts.cfg().order.rpo() {
                    let packed: Vec<usize> =
                        pressure.numbers_into(&facts, block).iter().map(|&number| number as usize).collect();
                    let long: Vec<usize> = plain[block.index()].ones().collect();
                    assert_eq!(packed, long, "live into {block} of {}", function.name());
                    seen += long.len();
                }
            }
        }
        assert!(seen > 10_000);
    }
}
