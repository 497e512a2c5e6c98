//! How many registers does a loop need? An estimate before any register allocator has run.
//!
//! 1. **Units**: the 32-bit registers that each value takes, and which values share a register: [`Registers`].
//! 2. **Liveness** of registers across block boundaries: [`Liveness`].
//! 3. **Pressure of a block**: the maximum number of units live at any instruction, walking backwards from its live-out
//!    set. `ptxas` reorders instructions inside a block to save registers, but cannot reorder what is live across it.
//!    So of the peak above the boundaries at most [`REORDERED_AWAY`] units are counted.
//! 4. **Pressure of a cycle**: the maximum over its blocks.
//!
//! A [`Held`] records which registers have been taken away, so that only the blocks in which such a live range begins
//! or ends are walked again.
//!
//! The estimate is meant for loops that keep many values live; there it is within a few registers of `ptxas`. Cost:
//! that of liveness, and linear in the blocks that are queried.

pub mod intervals;
pub mod liveness;
pub mod over_budget;
pub mod registers;
pub mod uses;

use crate::cfg::Cycle;
use crate::divergence::Outline;
use crate::gpu::prices::{LOADS_IN_FLIGHT, REORDERED_AWAY};
use crate::pressure::liveness::{Liveness, NONE, rows};
use crate::pressure::registers::Registers;
pub use crate::pressure::registers::type_units;
use crate::pressure::uses::reached_from;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;

/// Marks a peak that has not been computed.
const UNKNOWN: u32 = u32::MAX;

/// Number of units that blocks hold without the registers taken away; by position in the order of cycles.
#[derive(Clone)]
pub struct Held {
    /// Registers taken away, by number.
    pub gone: FixedBitSet,
    live_in: Vec<u32>,
    live_out: Vec<u32>,
    peak: Vec<u32>,
}

/// Marks of one walk on registers: twice the number of the walk, plus one if the register is live.
#[derive(Default)]
struct Marks {
    walk: u32,
    marks: Vec<u32>,
}

/// The register pressure of a function.
pub struct Pressure {
    registers: Registers,
    liveness: Liveness,
    /// Registers that are live across some block boundary; `number` is the position of each value's register in this
    /// list.
    pub crossing: Vec<Value>,
    number: Vec<u32>,
    /// Units of the phis of each block.
    phis: Vec<u32>,
    /// Nothing taken away; peaks are filled in as they are queried.
    all: RefCell<Held>,
    marks: RefCell<Marks>,
    members: OnceCell<(Vec<u32>, Vec<Value>)>,
    /// Number of loads of each cycle, at most [`LOADS_IN_FLIGHT`].
    loads: OnceCell<Vec<u8>>,
    /// By outermost cycle: its blocks and those reachable from it.
    behind: RefCell<FxHashMap<Cycle, Rc<FixedBitSet>>>,
    /// Registers live into the blocks queried so far.
    heads: RefCell<FxHashMap<Block, Rc<[u32]>>>,
}

impl Pressure {
    /// Computes registers and liveness.
    pub fn new(outline: &Outline) -> Pressure {
        let (func, cycles) = (&outline.func, &outline.cfg().cycles);
        let registers = Registers::new(outline);
        let (crossing, number) = number(func, &registers);
        let liveness = Liveness::new(func, cycles, &registers, &crossing, &number);
        let blocks = cycles.order().len();
        let phis = |&block: &Block| func.phis(block).map(|phi| registers.units(func.result(phi))).sum();
        let phis = cycles.order().iter().map(phis).collect();
        let (live_in, live_out) = (0..blocks).map(|at| liveness.units(at)).unzip();
        let gone = FixedBitSet::with_capacity(crossing.len());
        let all = Held { gone, live_in, live_out, peak: vec![UNKNOWN; blocks] };
        Pressure {
            registers,
            liveness,
            crossing,
            number,
            phis,
            all: RefCell::new(all),
            marks: RefCell::default(),
            members: OnceCell::new(),
            loads: OnceCell::new(),
            behind: RefCell::default(),
            heads: RefCell::default(),
        }
    }

    /// Number of 32-bit registers that a value takes.
    #[inline]
    pub fn units(&self, value: Value) -> u32 {
        self.registers.units(value)
    }
    /// The blocks of a cycle and those reachable from it.
    pub fn behind(&self, outline: &Outline, cycle: Cycle) -> Rc<FixedBitSet> {
        let outermost = outline.cfg().cycles.ancestors(cycle).last().unwrap_or(cycle);
        let mut behind = self.behind.borrow_mut();
        behind.entry(outermost).or_insert_with(|| Rc::new(reached_from(outline, outermost))).clone()
    }
    /// Whether another value that shares this value's register is live across a block boundary.
    pub fn is_shared(&self, outline: &Outline, value: Value) -> bool {
        let func = &outline.func;
        let register = self.registers.of(value);
        let mut work = vec![value];
        while let Some(shared) = work.pop() {
            for &user in outline.users(shared) {
                let result = func.result(user);
                let root = self.registers.of(result);
                if root != result && root == register {
                    if self.registers.leaves_block(result) {
                        return true;
                    }
                    work.push(result);
                }
            }
        }
        false
    }
    /// Number of a value's register among the crossing ones.
    pub fn position(&self, value: Value) -> Option<usize> {
        let number = self.number[value.index()];
        (number != NONE).then_some(number as usize)
    }
    /// The value whose register holds this value.
    #[inline]
    pub fn register_of(&self, value: Value) -> Value {
        self.registers.of(value)
    }
    /// Whether a crossing register, given by number, is live at the head of a block.
    pub fn is_live_into(&self, outline: &Outline, block: Block, number: usize) -> bool {
        self.liveness.is_in(outline.cfg().cycles.position(block), number)
    }
    /// Registers live at the head of a block, except its phis.
    pub fn live_into(&self, outline: &Outline, block: Block) -> Vec<Value> {
        let at = outline.cfg().cycles.position(block);
        if at == NONE {
            return Vec::new();
        }
        self.liveness.live_into(at).into_iter().map(|number| self.crossing[number as usize]).collect()
    }
    /// The same by number, for a reachable block.
    pub fn numbers_into(&self, outline: &Outline, block: Block) -> Rc<[u32]> {
        let at = outline.cfg().cycles.position(block);
        self.heads.borrow_mut().entry(block).or_insert_with(|| self.liveness.live_into(at).into()).clone()
    }
    /// The values that share a crossing register, in function order.
    pub fn members(&self, outline: &Outline, number: usize) -> &[Value] {
        let (starts, members) = self.members.get_or_init(|| {
            let result = |&inst: &Inst| outline.func.result(inst);
            let of = |value: &Value| self.number[value.index()];
            let sharing = self.registers.sharing.iter().map(result).filter(|value| of(value) != NONE);
            // most registers hold a single value
            let shared: FixedBitSet = sharing.clone().map(|value| of(&value) as usize).collect();
            let own = self.crossing.iter().copied().filter(|value| shared.contains(of(value) as usize));
            let items = own.chain(sharing).map(|value| (of(&value) as usize, value));
            let (starts, mut members) = rows(self.crossing.len(), items);
            starts.windows(2).for_each(|row| members[row[0] as usize..row[1] as usize].sort_unstable());
            (starts, members)
        });
        match &members[starts[number] as usize..starts[number + 1] as usize] {
            [] => std::slice::from_ref(&self.crossing[number]),
            several => several,
        }
    }

    /// Pressure of a block without the registers taken away, in units; zero if it is unreachable.
    pub fn of_block(&self, outline: &Outline, block: Block, held: &mut Held) -> u32 {
        let at = outline.cfg().cycles.position(block);
        if at == NONE { 0 } else { self.at(outline, at as usize, held) }
    }

    /// The same by position of the block.
    fn at(&self, outline: &Outline, at: usize, held: &mut Held) -> u32 {
        let boundary = (held.live_in[at] + self.phis[at]).max(held.live_out[at]);
        if held.peak[at] == UNKNOWN {
            let block = outline.cfg().cycles.order()[at];
            let mut peak = held.live_out[at];
            self.walk(outline, at, outline.func.block_insts(block), held, |_, live| peak = peak.max(live));
            held.peak[at] = peak;
        }
        boundary + held.peak[at].saturating_sub(boundary).min(REORDERED_AWAY)
    }

    /// Tells of each instruction of a reachable block, from the last to the first, how many units are live before it.
    pub fn each(&self, outline: &Outline, block: Block, live: impl FnMut(Inst, u32)) {
        let at = outline.cfg().cycles.position(block);
        if at != NONE {
            self.walk(outline, at as usize, outline.func.block_insts(block), &self.all.borrow(), live);
        }
    }

    fn walk(
        &self,
        outline: &Outline,
        at: usize,
        insts: impl DoubleEndedIterator<Item = Inst>,
        held: &Held,
        mut live: impl FnMut(Inst, u32),
    ) {
        let func = &outline.func;
        let mut marks = self.marks.borrow_mut();
        marks.marks.resize(self.number.len(), 0);
        marks.walk += 1;
        let (dead, alive) = (marks.walk * 2, marks.walk * 2 + 1);
        let marks = &mut marks.marks[..];
        let is_gone = |register: Value| {
            let number = self.number[register.index()];
            number != NONE && held.gone.contains(number as usize)
        };
        let is_live = |marks: &[u32], register: Value| match marks[register.index()] {
            mark if mark >= dead => mark == alive,
            _ => {
                let number = self.number[register.index()];
                number != NONE
                    && self.liveness.is_out(at as u32, number as usize)
                    && !held.gone.contains(number as usize)
            }
        };
        let mut now = held.live_out[at];
        for inst in insts.rev() {
            let result = func.result(inst);
            let units = self.units(result);
            if units > 0 && self.registers.of(result) == result && is_live(marks, result) {
                now -= units;
                marks[result.index()] = dead;
            }
            if func.insts[inst].opcode == Opcode::Phi {
                continue;
            }
            for &operand in func.operands(inst) {
                let register = self.registers.of(operand);
                let units = self.units(register);
                if units > 0 && !is_live(marks, register) && !is_gone(register) {
                    now += units;
                    marks[register.index()] = alive;
                }
            }
            live(inst, now);
        }
    }

    /// Pressure of a cycle without the registers taken away, in units.
    pub fn of_cycle(&self, outline: &Outline, cycle: Cycle, held: &mut Held) -> u32 {
        let range = outline.cfg().cycles.range(cycle);
        range.map(|at| self.at(outline, at as usize, held)).max().unwrap_or(0)
    }

    /// Maximum number of units live across boundaries of a cycle's blocks without the registers taken away, except
    /// phis.
    pub fn across(&self, outline: &Outline, cycle: Cycle, held: &Held) -> u32 {
        let range = outline.cfg().cycles.range(cycle);
        range.map(|at| held.live_in[at as usize].max(held.live_out[at as usize])).max().unwrap_or(0)
    }
    /// Maximum number of units live across any block boundary: a lower bound for any code of the function.
    pub fn across_boundaries(&self) -> u32 {
        let all = self.all.borrow();
        all.live_in.iter().chain(&all.live_out).copied().max().unwrap_or(0)
    }
    /// Upper bound of the pressure of every block: what is live at its boundaries, plus what is counted above them.
    pub fn at_most(&self) -> u32 {
        let all = self.all.borrow();
        let boundaries =
            all.live_in.iter().zip(&self.phis).map(|(live, phis)| live + phis).chain(all.live_out.iter().copied());
        boundaries.max().unwrap_or(0) + REORDERED_AWAY
    }
    /// Every cycle with its pressure in units; blocks of nested cycles are examined once.
    pub fn of_cycles(&self, outline: &Outline) -> Vec<(u32, Cycle)> {
        let cycles = &outline.cfg().cycles;
        let mut all = self.all.borrow_mut();
        let mut most = vec![0; cycles.len()];
        for (at, &block) in cycles.order().iter().enumerate() {
            if let Some(cycle) = cycles.cycle_of(block) {
                most[cycle.index()] = self.at(outline, at, &mut all).max(most[cycle.index()]);
            }
        }
        for cycle in cycles.iter().rev() {
            if let Some(parent) = cycles.parent(cycle) {
                most[parent.index()] = most[cycle.index()].max(most[parent.index()]);
            }
        }
        most.into_iter().zip(cycles.iter()).collect()
    }
    /// Maximum pressure of any cycle, in units.
    pub fn largest(&self, outline: &Outline) -> u32 {
        self.of_cycles(outline).into_iter().map(|found| found.0).max().unwrap_or(0)
    }
    /// Maximum pressure of any block, in units.
    pub fn largest_of_blocks(&self, outline: &Outline) -> u32 {
        let mut all = self.all.borrow_mut();
        (0..outline.cfg().cycles.order().len()).map(|at| self.at(outline, at, &mut all)).max().unwrap_or(0)
    }
    /// Number of registers that the loads of a cycle need besides those that are live.
    pub fn reserve(&self, outline: &Outline, cycle: Cycle) -> u32 {
        let loads = self.loads.get_or_init(|| {
            let (func, cycles) = (&outline.func, &outline.cfg().cycles);
            let mut loads = vec![0u8; cycles.len()];
            let mut add = |cycle: Cycle, more: u8| {
                let known = &mut loads[cycle.index()];
                *known = known.saturating_add(more).min(LOADS_IN_FLIGHT as u8);
                *known
            };
            for (_, data) in func.insts.iter().filter(|(_, data)| data.opcode == Opcode::Load) {
                if let Some(cycle) = cycles.cycle_of(data.block) {
                    add(cycle, 1);
                }
            }
            for cycle in cycles.iter().rev() {
                let own = add(cycle, 0);
                if let Some(parent) = cycles.parent(cycle) {
                    add(parent, own);
                }
            }
            loads
        });
        loads[cycle.index()].into()
    }

    /// Nothing taken away.
    pub fn everything(&self) -> Held {
        self.all.borrow().clone()
    }
    /// Takes a register away, given by number.
    pub fn take(&self, outline: &Outline, held: &mut Held, number: usize) {
        if held.gone.put(number) {
            return;
        }
        let register = self.crossing[number];
        let units = self.units(register);
        for at in self.liveness.interval(number) {
            let (before, behind) = (self.liveness.is_in(at, number), self.liveness.is_out(at, number));
            let at = at as usize;
            held.live_in[at] -= if before { units } else { 0 };
            held.live_out[at] -= if behind { units } else { 0 };
            // if it is live throughout the block, the peak decreases by as much
            if before && behind && held.peak[at] != UNKNOWN {
                held.peak[at] -= units;
            } else if before || behind {
                held.peak[at] = UNKNOWN;
            }
        }
        let home = outline.func.def(register).map(|def| outline.cfg().cycles.position(outline.func.insts[def].block));
        if let Some(peak) = home.and_then(|home| held.peak.get_mut(home as usize)) {
            *peak = UNKNOWN;
        }
    }
}

/// The registers that are live across block boundaries.
fn number(func: &Func, registers: &Registers) -> (Vec<Value>, Vec<u32>) {
    let mut crossing = Vec::new();
    let mut number = vec![NONE; func.value_count()];
    for (inst, data) in func.insts.iter() {
        let value = func.result(inst);
        let root = registers.of(value);
        if registers.units(root) == 0 || number[root.index()] != NONE {
            continue;
        }
        // a shared register crosses if one of its values leaves its block, or is defined elsewhere than its own value
        let home = || func.def(root).map(|def| func.insts[def].block);
        if registers.leaves_block(value) || (root != value && home() != Some(data.block)) {
            number[root.index()] = crossing.len() as u32;
            crossing.push(root);
        }
    }
    for &inst in &registers.sharing {
        let value = func.result(inst);
        number[value.index()] = number[registers.of(value).index()];
    }
    (crossing, number)
}
