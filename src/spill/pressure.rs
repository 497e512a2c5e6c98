//! How many registers does a loop need, before any allocator has run?
//!
//! 1. **Units.** A value takes 32-bit registers by its type; predicates are a file of their own; kernel arguments,
//!    constants and what `ptxas` computes in uniform registers from them (integer arithmetic over arguments, block
//!    indices and constants) take none. A value that is another one plus a constant, or its bits under another type, is
//!    that other one: `ptxas` folds the difference into the instruction that uses it.
//! 2. **Liveness** of values across block boundaries, the usual backward equations on bit sets; a phi's operand is live
//!    at the end of its edge's block, its result from the head of its own.
//! 3. **Pressure of a block**: the most units live at any instruction, walking backwards from its live-out set. `ptxas`
//!    reorders inside a block as it needs registers, but cannot reorder what is live across it: of the peak above the
//!    boundaries at most [`LOCAL_CAP`] units are believed.
//! 4. **Pressure of a cycle**: the most of its blocks.
//!
//! The estimate is meant for loops that keep many values alive, where it is within a few registers of `ptxas`. Cost:
//! blocks × crossing values / 64 words of bit sets, times the loop nesting.

use crate::cfg::Cycle;
use crate::divergence::{Class, Facts};
use crate::kernel::call::Callee;
use crate::kernel::entity::{Block, Inst, Value};
use crate::kernel::inst::Opcode;
use crate::kernel::types::TypeKind;
use crate::llvm::handle::intrinsic_name;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Units above the block's boundaries that are believed.
pub const LOCAL_CAP: u32 = 6;
/// Depth to which a value's operands are followed to see that it is computed from arguments alone.
const FREE_DEPTH: u32 = 12;

/// Intrinsics that are a compare and a select.
const BOUNDS: [&str; 4] = ["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"];

/// Live values at block boundaries.
pub struct Pressure<'a> {
    facts: &'a Facts,
    /// Units of every value.
    units: Vec<u8>,
    /// The value whose register a value shares.
    root: Vec<Value>,
    /// Values live across some boundary, and the position of each.
    pub crossing: Vec<Value>,
    position: Vec<u32>,
    pub live_in: Vec<FixedBitSet>,
    pub live_out: Vec<FixedBitSet>,
}

const LOCAL: u32 = u32::MAX;

impl<'a> Pressure<'a> {
    /// Solves liveness.
    pub fn new(facts: &'a Facts) -> Pressure<'a> {
        let kernel = &facts.kernel;
        let mut free = vec![None; kernel.value_count()];
        let units = (0..kernel.value_count()).map(|index| units_of(facts, Value::new(index), &mut free)).collect();
        let root = roots(facts);
        let mut pressure = Pressure {
            facts,
            units,
            root,
            crossing: Vec::new(),
            position: vec![LOCAL; kernel.value_count()],
            live_in: Vec::new(),
            live_out: Vec::new(),
        };
        pressure.part();
        pressure.number();
        pressure.solve();
        pressure
    }

    /// 32-bit registers a value takes.
    pub fn units(&self, value: Value) -> u32 {
        u32::from(self.units[value.index()])
    }
    /// Whether another value that shares the register of this one lives across a boundary.
    pub fn is_shared(&self, value: Value) -> bool {
        let kernel = &self.facts.kernel;
        let mut work = vec![value];
        while let Some(shared) = work.pop() {
            for &user in self.facts.users(shared) {
                let result = kernel.result(user);
                if self.root[result.index()] != result && self.root[result.index()] == self.root[value.index()] {
                    if self.leaves_block(result) {
                        return true;
                    }
                    work.push(result);
                }
            }
        }
        false
    }
    /// Position of a value among the crossing ones.
    pub fn position(&self, value: Value) -> Option<usize> {
        let position = self.position[value.index()];
        (position != LOCAL).then_some(position as usize)
    }
    /// Values live at the head of a block, its phis apart.
    pub fn live_into(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.live_in[block.index()].ones().map(|position| self.crossing[position])
    }

    /// A register that is shared at home, but crosses a boundary as one value only, is that value's.
    fn part(&mut self) {
        let kernel = &self.facts.kernel;
        let mut crossing: FxHashMap<Value, SmallVec<[Value; 2]>> = FxHashMap::default();
        for inst in kernel.insts.keys() {
            let value = kernel.result(inst);
            if self.units(value) > 0 && self.leaves_block(value) {
                crossing.entry(self.root[value.index()]).or_default().push(value);
            }
        }
        for values in crossing.into_values() {
            if let [only] = values[..] {
                self.root[only.index()] = only;
            }
        }
    }

    fn number(&mut self) {
        let kernel = &self.facts.kernel;
        for inst in kernel.insts.keys() {
            let value = kernel.result(inst);
            let root = self.root[value.index()];
            if self.units(root) == 0 || self.position[root.index()] != LOCAL {
                continue;
            }
            // a shared register crosses if its own value or one that shares it does, from wherever it is
            let home = kernel.def(root).map(|def| kernel.insts[def].block);
            if self.leaves_block(value) || (root != value && home != Some(kernel.insts[inst].block)) {
                self.position[root.index()] = self.crossing.len() as u32;
                self.crossing.push(root);
            }
        }
    }

    fn leaves_block(&self, value: Value) -> bool {
        let kernel = &self.facts.kernel;
        let home = kernel.def(value).map(|def| kernel.insts[def].block);
        let leaves = |&user: &Inst| kernel.insts[user].opcode == Opcode::Phi || Some(kernel.insts[user].block) != home;
        self.facts.users(value).iter().any(leaves)
    }

    /// The value that is live where an operand is.
    pub fn register_of(&self, value: Value) -> Value {
        self.root[value.index()]
    }

    fn solve(&mut self) {
        let kernel = &self.facts.kernel;
        let (blocks, values) = (kernel.blocks.len(), self.crossing.len());
        let empty = || vec![FixedBitSet::with_capacity(values); blocks];
        let (mut used, mut defined, mut at_edge) = (empty(), empty(), empty());
        for inst in kernel.insts.keys() {
            let data = &kernel.insts[inst];
            let here = data.block.index();
            if data.opcode == Opcode::Phi {
                for (&value, &from) in kernel.operands(inst).iter().zip(kernel.incoming(inst)) {
                    if let Some(position) = self.position(self.register_of(value)) {
                        at_edge[from.index()].insert(position);
                    }
                }
            } else {
                for &value in kernel.operands(inst) {
                    let register = self.register_of(value);
                    if let Some(position) =
                        self.position(register).filter(|&position| !defined[here].contains(position))
                    {
                        used[here].insert(position);
                    }
                }
            }
            if let Some(position) = self.position(kernel.result(inst)) {
                defined[here].insert(position);
            }
        }
        self.live_in = used;
        self.live_out = empty();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in self.facts.cfg().order.rpo().iter().rev() {
                let mut out = at_edge[block.index()].clone();
                for &next in kernel.graph.succs(block) {
                    out.union_with(&self.live_in[next.index()]);
                }
                if out != self.live_out[block.index()] {
                    changed = true;
                    let mut through = out.clone();
                    through.difference_with(&defined[block.index()]);
                    self.live_in[block.index()].union_with(&through);
                    self.live_out[block.index()] = out;
                }
            }
        }
    }

    fn sum(&self, set: &FixedBitSet, gone: &FixedBitSet) -> u32 {
        set.difference(gone).map(|position| self.units(self.crossing[position])).sum()
    }

    /// Pressure of a block without the crossing values in `gone`.
    pub fn of_block(&self, block: Block, gone: &FixedBitSet) -> u32 {
        let kernel = &self.facts.kernel;
        let phis: u32 = kernel.phis(block).map(|phi| self.units(kernel.result(phi))).sum();
        let boundary =
            (self.sum(&self.live_in[block.index()], gone) + phis).max(self.sum(&self.live_out[block.index()], gone));
        let insts: Vec<Inst> = kernel.block_insts(block).collect();
        let peak = self.peak_without(block, &insts, gone);
        boundary + peak.saturating_sub(boundary).min(LOCAL_CAP)
    }

    /// The most that is live at once if a block's instructions stand in a certain order.
    pub fn peak(&self, block: Block, order: &[Inst]) -> u32 {
        self.peak_without(block, order, &self.nothing())
    }

    fn peak_without(&self, block: Block, order: &[Inst], gone: &FixedBitSet) -> u32 {
        let kernel = &self.facts.kernel;
        let mut live: rustc_hash::FxHashSet<Value> = rustc_hash::FxHashSet::default();
        let is_gone = |value: Value| self.position(value).is_some_and(|position| gone.contains(position));
        let mut now = 0;
        for position in self.live_out[block.index()].difference(gone) {
            let value = self.crossing[position];
            live.insert(value);
            now += self.units(value);
        }
        let mut peak = now;
        for &inst in order.iter().rev() {
            let result = kernel.result(inst);
            if live.remove(&result) {
                now -= self.units(result);
            }
            if kernel.insts[inst].opcode == Opcode::Phi {
                continue;
            }
            for &operand in kernel.operands(inst) {
                let value = self.register_of(operand);
                if self.units(value) > 0 && !is_gone(value) && live.insert(value) {
                    now += self.units(value);
                }
            }
            peak = peak.max(now);
        }
        peak
    }

    /// Whether an instruction is the last that needs a value, in the block of the instruction.
    pub fn ends_at(&self, value: Value, inst: Inst) -> bool {
        let kernel = &self.facts.kernel;
        let block = kernel.insts[inst].block;
        let register = self.register_of(value);
        let out = self.position(register).is_some_and(|position| self.live_out[block.index()].contains(position));
        let later = |&user: &Inst| user > inst && kernel.insts[user].block == block;
        kernel.def(value).is_some() && !out && !self.facts.users(value).iter().any(later)
    }

    /// Pressure of a cycle without the values in `gone`.
    pub fn of_cycle(&self, cycle: Cycle, gone: &FixedBitSet) -> u32 {
        let blocks = self.facts.cfg().cycles.blocks(cycle);
        blocks.iter().map(|&block| self.of_block(block, gone)).max().unwrap_or(0)
    }

    /// The most that is live across any boundary: fewer registers no code for the function has.
    pub fn across_boundaries(&self) -> u32 {
        let all = self.live_in.iter().chain(&self.live_out);
        all.map(|set| set.ones().map(|position| self.units(self.crossing[position])).sum()).max().unwrap_or(0)
    }
    /// Every cycle with what it needs; blocks of nested cycles are looked at once.
    pub fn of_cycles(&self) -> Vec<(u32, Cycle)> {
        let nothing = self.nothing();
        let cycles = &self.facts.cfg().cycles;
        let mut known: FxHashMap<Block, u32> = FxHashMap::default();
        let mut of = |block: Block| *known.entry(block).or_insert_with(|| self.of_block(block, &nothing));
        cycles
            .iter()
            .map(|cycle| (cycles.blocks(cycle).iter().map(|&block| of(block)).max().unwrap_or(0), cycle))
            .collect()
    }
    /// The most that any cycle needs.
    pub fn largest(&self) -> u32 {
        self.of_cycles().into_iter().map(|found| found.0).max().unwrap_or(0)
    }
    /// No value gone.
    pub fn nothing(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.crossing.len())
    }
}

/// 32-bit registers of a type.
pub fn type_units(kind: TypeKind, store_size: u64) -> u32 {
    let words = |bits: u32| bits.div_ceil(32);
    match kind {
        TypeKind::Int(1) | TypeKind::Void | TypeKind::Other => 0,
        TypeKind::Int(bits) | TypeKind::Float(bits) => words(bits),
        TypeKind::Ptr { space: 3..=5, .. } => 1,
        TypeKind::Ptr { bits, .. } => words(bits),
        TypeKind::Vector { element_bits, length, .. } => words(element_bits * length),
        TypeKind::Aggregate => store_size.div_ceil(4).min(64) as u32,
    }
}

fn units_of(facts: &Facts, value: Value, free: &mut [Option<bool>]) -> u8 {
    let Some(_) = facts.kernel.def(value) else { return 0 };
    let info = facts.kernel.type_info(value);
    let units = type_units(info.kind, info.store_size);
    if units == 0 || is_free(facts, value, free, FREE_DEPTH) { 0 } else { units.min(255) as u8 }
}

/// Whether `ptxas` finds the value again from arguments, block indices and constants without a vector register.
fn is_free(facts: &Facts, value: Value, known: &mut [Option<bool>], depth: u32) -> bool {
    let kernel = &facts.kernel;
    let Some(def) = kernel.def(value) else { return true };
    if let Some(answer) = known[value.index()] {
        return answer;
    }
    if depth == 0 {
        return false;
    }
    use Opcode::*;
    let data = &kernel.insts[def];
    let simple = match data.opcode {
        Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | Trunc | ZExt | SExt | Gep | AddrSpaceCast | ICmp
        | Select => true,
        Alloca => true,
        // by a constant it is a product and a shift
        UDiv | SDiv | URem | SRem => kernel.constant(kernel.operands(def)[1]).is_some(),
        Load => {
            let space = kernel.type_info(kernel.operands(def)[0]).kind.space();
            space == Some(4) || space == Some(101)
        }
        Call => {
            let is_register =
                matches!(kernel.call(def).callee, Callee::Intrinsic(_)) && kernel.operands(def).is_empty();
            let is_bound = matches!(kernel.call(def).callee, Callee::Intrinsic(id) if BOUNDS.contains(&intrinsic_name(id).as_str()));
            is_bound || (is_register && !matches!(facts.class(value), Class::Affine(_) | Class::Divergent))
        }
        _ => false,
    };
    let answer = simple
        && (data.opcode == Alloca || facts.class(value).is_uniform())
        && kernel.operands(def).iter().all(|&operand| is_free(facts, operand, known, depth - 1));
    known[value.index()] = Some(answer);
    answer
}

/// What makes two values the same but for a constant.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Extended(Value),
    /// Base (none for any global variable) and variable parts.
    Address(Option<Value>, SmallVec<[(Value, u64); 2]>),
}

/// Which value's register each value shares; itself for most.
fn roots(facts: &Facts) -> Vec<Value> {
    let kernel = &facts.kernel;
    let mut root: Vec<Value> = (0..kernel.value_count()).map(Value::new).collect();
    let mut shapes: FxHashMap<Shape, Value> = FxHashMap::default();
    for &block in facts.cfg().order.rpo() {
        for inst in kernel.block_insts(block) {
            let result = kernel.result(inst);
            let operands = kernel.operands(inst);
            let is_constant = |value: Value| kernel.constant(value).is_some();
            // predicates become numbers in a register of their own
            let bits = |value: Value| kernel.int_bits(value);
            if bits(result) == Some(1) || operands.first().is_some_and(|&value| bits(value) == Some(1)) {
                continue;
            }
            let shape = match kernel.insts[inst].opcode {
                Opcode::ZExt | Opcode::SExt if bits(result).is_some_and(|bits| bits > 32) => {
                    Some(Shape::Extended(root[operands[0].index()]))
                }
                Opcode::Gep if !kernel.gep(inst).terms.is_empty() => {
                    let base = Some(root[operands[0].index()]).filter(|&base| !is_constant(base));
                    let terms = kernel.gep(inst).terms.iter();
                    let terms = terms.map(|&(operand, stride)| (root[operands[operand as usize].index()], stride));
                    Some(Shape::Address(base, terms.collect()))
                }
                _ => None,
            };
            if let Some(shape) = shape {
                root[result.index()] = *shapes.entry(shape).or_insert(result);
                continue;
            }
            let same = match kernel.insts[inst].opcode {
                Opcode::Add | Opcode::Sub | Opcode::Or => is_constant(operands[1]),
                Opcode::Gep => !is_constant(operands[0]),
                Opcode::BitCast | Opcode::AddrSpaceCast | Opcode::PtrToInt | Opcode::IntToPtr | Opcode::Trunc => true,
                Opcode::ZExt | Opcode::SExt => true,
                Opcode::ExtractValue | Opcode::ExtractElement => true,
                _ => false,
            };
            if same {
                root[result.index()] = root[operands[0].index()];
            }
        }
    }
    root
}
