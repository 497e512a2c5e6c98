//! What does it take to rematerialise a value at its uses?
//!
//! The values of one register are followed to their operands, up to a given number of instructions deep, through
//! arithmetic that a GPU executes in a cycle or two. A chain ends at values that need no register, at values that are
//! live through the cycle anyway (*kept*), and at *leaves*, which then live through the cycle instead of the value.

use super::hide::{can_hide, still};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use warpwise_analysis::cost::issue::instructions;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::pressure::Pressure;
use warpwise_analysis::pressure::uses::UseSite;
use warpwise_ir::call::{Callee, Intrinsics};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::types::TypeKind;

/// Maximum number of instructions in one value's chain.
pub const MAX_CHAIN: usize = 10;
/// Intrinsics that take one or two machine instructions.
static CHEAP_INTRINSICS: Intrinsics<12> = Intrinsics::new([
    "llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax", "llvm.abs", "llvm.fma", "llvm.fmuladd", "llvm.fabs",
    "llvm.minnum", "llvm.maxnum", "llvm.fshl", "llvm.fshr",
]);

/// One rematerialised value.
#[derive(Debug)]
pub struct RematValue {
    pub def: Inst,
    /// The instructions to rematerialise, operands first; the last one is the definition itself.
    pub chain: Vec<Inst>,
    pub uses: Vec<UseSite>,
}

/// Values of one register that are rematerialised, and the cost.
pub struct RematRegister {
    pub position: usize,
    pub values: Vec<RematValue>,
    pub leaves: Vec<Value>,
    pub kept: Vec<usize>,
}

/// What is computed once about instructions and cycles.
pub struct Memo {
    /// By cycle: whether leaves can be hidden at its header.
    pub hides: Vec<bool>,
    /// By instruction: whether it is cheap, and twice its cost in machine instructions.
    cheap: Vec<Cell<u8>>,
    /// Marks the first chain that ended at a value, or (after the values) at a register: one more than its position;
    /// zero between queries.
    pub owners: RefCell<Vec<u32>>,
}

/// States: not computed yet; not cheap; cheap, and free.
const UNSEEN: u8 = 0;
const DEAR: u8 = 1;
const FREE: u8 = 2;

impl Memo {
    /// Nothing computed except where leaves can be hidden.
    pub fn new(outline: &Outline, pressure: &Pressure) -> Memo {
        let func = &outline.func;
        Memo {
            hides: outline.cfg().cycles.iter().map(|cycle| can_hide(outline, cycle)).collect(),
            cheap: vec![Cell::new(UNSEEN); func.insts.len()],
            owners: RefCell::new(vec![0; func.value_count() + pressure.crossing.len()]),
        }
    }
    #[inline]
    fn look(&self, outline: &Outline, inst: Inst) -> u8 {
        match self.cheap[inst.index()].get() {
            UNSEEN => self.find_out(outline, inst),
            known => known,
        }
    }
    #[cold]
    fn find_out(&self, outline: &Outline, inst: Inst) -> u8 {
        let cost = || FREE + (2.0 * instructions(&outline.func, inst)) as u8;
        let found = if is_cheap(outline, inst) { cost() } else { DEAR };
        self.cheap[inst.index()].set(found);
        found
    }
    /// Whether an instruction can be part of a chain.
    #[inline]
    pub fn is_cheap(&self, outline: &Outline, inst: Inst) -> bool {
        self.look(outline, inst) != DEAR
    }
    /// Number of machine instructions of a cheap instruction.
    pub fn cost(&self, outline: &Outline, inst: Inst) -> f64 {
        f64::from(self.look(outline, inst) - FREE) / 2.0
    }
}

/// A value that shares a register: its uses in or after the cycle, and the blocks of those with their weights.
pub struct Member {
    pub def: Inst,
    pub uses: Vec<UseSite>,
    pub blocks: SmallVec<[(Block, f64); 2]>,
}

/// A register that might be rematerialised, followed to the last depth that changed anything.
pub struct RematCandidate {
    pub position: usize,
    pub members: Vec<Member>,
    /// The chains of its members, concatenated, and the end of each.
    chains: SmallVec<[Inst; 8]>,
    ends: SmallVec<[u32; 2]>,
    /// Values that would newly be live through the cycle.
    pub leaves: SmallVec<[Value; 4]>,
    /// Values that are live through the cycle anyway and must remain so.
    pub kept: SmallVec<[usize; 4]>,
    /// Whether all of its members could be followed.
    pub whole: bool,
    /// Whether it ends where it does because of the depth limit.
    pub cut: bool,
}

impl RematCandidate {
    /// Not followed yet.
    pub fn new(position: usize, members: Vec<Member>) -> RematCandidate {
        let (chains, ends) = (SmallVec::new(), SmallVec::new());
        let (leaves, kept) = (SmallVec::new(), SmallVec::new());
        RematCandidate { position, members, chains, ends, leaves, kept, whole: false, cut: true }
    }
    /// Finds the chains of all members, if all can be followed.
    pub fn follow(&mut self, available: &Available<'_>, depth: u32) {
        self.chains.clear();
        self.ends.clear();
        self.leaves.clear();
        self.kept.clear();
        (self.whole, self.cut) = (false, false);
        for member in 0..self.members.len() {
            let (def, first) = (self.members[member].def, self.chains.len());
            if (ChainWalk { available, start: self, first, entered: 0 }).follow(def, depth).is_none() {
                return;
            }
            self.ends.push(self.chains.len() as u32);
        }
        self.leaves.sort_unstable();
        self.leaves.dedup();
        let Available { outline, pressure, .. } = *available;
        let can_stay =
            |(member, chain): (&Member, &[Inst])| still(outline, pressure, chain, member.def, |_| false).is_some();
        let whole = self.chains().all(can_stay);
        self.whole = whole;
    }
    /// The members and their chains.
    pub fn chains(&self) -> impl Iterator<Item = (&Member, &[Inst])> {
        let mut first = 0;
        self.members.iter().zip(&self.ends).map(move |(member, &end)| {
            let start = std::mem::replace(&mut first, end as usize);
            (member, &self.chains[start..end as usize])
        })
    }

    /// A copy to keep.
    pub fn pick(&self) -> RematRegister {
        let remat = |(member, chain): (&Member, &[Inst])| RematValue {
            def: member.def,
            chain: chain.to_vec(),
            uses: member.uses.clone(),
        };
        RematRegister {
            position: self.position,
            values: self.chains().map(remat).collect(),
            leaves: self.leaves.to_vec(),
            kept: self.kept.to_vec(),
        }
    }
}

/// What chains may end at.
pub struct Available<'a> {
    pub outline: &'a Outline,
    pub pressure: &'a Pressure,
    pub known: &'a Memo,
    /// Registers that are live through the cycle and remain so.
    pub live: &'a FixedBitSet,
    /// Leaves chosen so far.
    pub leaves: &'a FxHashSet<Value>,
}

/// State while the values of one register are followed.
struct ChainWalk<'a> {
    available: &'a Available<'a>,
    start: &'a mut RematCandidate,
    /// The start of the chain.
    first: usize,
    /// Instructions that are in the chain or will be.
    entered: usize,
}

impl ChainWalk<'_> {
    fn follow(&mut self, inst: Inst, depth: u32) -> Option<()> {
        let Available { outline, pressure, known, .. } = *self.available;
        let func = &outline.func;
        if !known.is_cheap(outline, inst) {
            return None;
        }
        if self.start.chains[self.first..].contains(&inst) {
            return Some(());
        }
        self.entered += 1;
        if self.entered > MAX_CHAIN {
            // fewer levels may reach as far as a greater depth
            self.start.cut = true;
            return None;
        }
        for &operand in func.operands(inst) {
            // constants, arguments and values in uniform registers need no register
            let Some(def) = func.def(operand) else { continue };
            let is_predicate = pressure.units(operand) == 0;
            if is_predicate && func.int_bits(operand) != Some(1) {
                continue;
            }
            let position = pressure.position(pressure.register_of(operand));
            if position == Some(self.start.position) || is_predicate {
                self.follow(def, depth)?;
                continue;
            }
            match position.filter(|&position| self.available.live.contains(position)) {
                Some(position) => {
                    if !self.start.kept.contains(&position) {
                        self.start.kept.push(position);
                    }
                }
                _ if self.available.leaves.contains(&operand) => {}
                _ if depth > 1 && known.is_cheap(outline, def) => self.follow(def, depth - 1)?,
                _ => {
                    self.start.cut |= depth <= 1 && known.is_cheap(outline, def);
                    self.start.leaves.push(operand);
                }
            }
        }
        self.start.chains.push(inst);
        Some(())
    }
}

/// Whether a GPU computes it in a few cycles, from its operands alone, and without a trap.
fn is_cheap(outline: &Outline, inst: Inst) -> bool {
    use Opcode::*;
    let func = &outline.func;
    let plain = |value: Value| {
        matches!(func.type_info(value).kind, TypeKind::Int(1 | 8 | 16 | 32 | 64) | TypeKind::Float(16 | 32))
    };
    match func.insts[inst].opcode {
        Gep => {
            let base = func.operands(inst)[0];
            func.def(base).is_none() && func.gep(inst).terms.len() < 2
        }
        Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | ICmp | Select | Trunc | ZExt | SExt | BitCast | FNeg
        | FAdd | FSub | FMul => {
            let is_plain = plain(func.result(inst)) && func.operands(inst).iter().all(|&value| plain(value));
            is_plain && !outline.may_be_contracted(inst)
        }
        Call => match func.call(inst).callee {
            Callee::Intrinsic(id) => {
                CHEAP_INTRINSICS.contains(id)
                    && plain(func.result(inst))
                    && func.operands(inst).iter().all(|&value| plain(value))
            }
            _ => false,
        },
        _ => false,
    }
}
