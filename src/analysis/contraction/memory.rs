//! Which sums may meet a product that is stored, since LLVM finds that what they load is the product?
//!
//! LLVM's back end looks from a load back to what stored there (GVN of `addStraightLineScalarOptimizationPasses`), in each block
//! past [so many](LIMIT) instructions and no more.

use super::Pair;
use super::raw::{Numbers, all_sources, calls, leads};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use warpwise_ir::llvm::handle::{Block, Function, Inst, RawOpcode, Type, Value, ValueKind};
use warpwise_ir::llvm::space::SHARED;

/// The type of a number in memory, and the object or pointer that its address comes from; `None` is one of several.
pub(super) type Place<'m> = (Type<'m>, Option<Value<'m>>);

/// Where a number is.
pub(super) fn place<'m>(number: Value<'m>, pointer: Value<'m>) -> Place<'m> {
    (number.ty(), root(pointer, |_| ()))
}

/// The object or pointer that an address comes from, past what adds to it; `None` is one of several.
fn root<'m>(mut pointer: Value<'m>, mut past: impl FnMut(Value<'m>)) -> Option<Value<'m>> {
    use RawOpcode::{LLVMAddrSpaceCast, LLVMBitCast, LLVMGetElementPtr, LLVMLoad, LLVMPHI, LLVMSelect};
    while let Some(opcode) = pointer.as_inst().map(Inst::opcode).or_else(|| pointer.const_opcode()) {
        match opcode {
            LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast => {
                past(pointer);
                pointer = pointer.operand(0);
            }
            LLVMPHI | LLVMSelect | LLVMLoad => return None,
            _ => break,
        }
    }
    Some(pointer)
}

/// The numbers of what is added to the root of an address beside constants; `None` if it is one of several.
fn indices<'m>(pointer: Value<'m>, numbers: &mut Numbers<'m>) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    root(pointer, |passed| {
        let added = passed.as_inst().into_iter().flat_map(|inst| inst.operands().skip(1));
        let varied = added.filter(|index| index.kind() != ValueKind::ConstantInt);
        found.extend(varied.map(|index| numbers.of(index)));
    })?;
    found.sort_unstable();
    Some(found)
}

/// Where an instruction stores a number.
pub(super) fn stored(user: Inst<'_>) -> Option<Place<'_>> {
    (user.opcode() == RawOpcode::LLVMStore).then(|| place(user.operand(0), user.operand(1)))
}

/// The loads of a function from which sums get operands, by place.
pub(super) struct Loads<'m> {
    by_place: FxHashMap<Place<'m>, Vec<Inst<'m>>>,
}

impl<'m> Loads<'m> {
    pub fn of(function: Function<'m>) -> Loads<'m> {
        let insts = function.blocks().flat_map(|block| block.insts());
        let sums = insts.filter(|&inst| Pair::MultiplyAdd.ends_with(inst));
        let sources = sums.flat_map(|sum| [0, 1].into_iter().flat_map(move |index| all_sources(sum.operand(index))));
        let (mut by_place, mut seen) = (FxHashMap::<_, Vec<_>>::default(), FxHashSet::default());
        for load in sources.filter(|inst| inst.opcode() == RawOpcode::LLVMLoad && seen.insert(*inst)) {
            by_place.entry(place(load.value(), load.operand(0))).or_default().push(load);
        }
        Loads { by_place }
    }

    /// Whether LLVM may find that one of them gets what is stored.
    pub fn may_get(&self, store: Inst<'m>) -> bool {
        self.of_stored(store).next().is_some()
    }

    /// Those that may get what is stored. Behind a barrier, what is in shared memory may be another thread's.
    fn of_stored(&self, store: Inst<'m>) -> impl Iterator<Item = Inst<'m>> {
        let found = stored(store).map(|(ty, root)| {
            let is_there =
                move |&(other, from): &Place<'m>| other == ty && (root.is_none() || from.is_none() || from == root);
            let mut loads =
                self.by_place.iter().filter(move |(place, _)| is_there(place)).flat_map(|(_, loads)| loads).peekable();
            let seen = (root.is_some_and(is_shared) && loads.peek().is_some()).then(|| seen_from(store));
            loads.filter(move |load| seen.as_ref().is_none_or(|seen| seen.contains(load))).copied()
        });
        found.into_iter().flatten()
    }
}

/// The most instructions of a block past which LLVM looks for what was stored (`memdep-block-scan-limit`).
const LIMIT: usize = 100;

/// Numbers of instructions that may become more or fewer than the [limit](LIMIT): LLVM's back end splits and merges additions of
/// addresses before it looks.
const NEAR: Range<usize> = LIMIT / 2..LIMIT * 2;

/// Of which stores is it [close to the limit](NEAR) how far LLVM looks back to them?
pub(super) struct Limits<'m> {
    loads: Loads<'m>,
    numbers: Numbers<'m>,
    /// Blocks that are so long themselves.
    near: Vec<Block<'m>>,
    /// Whether ways lead from one block to another.
    ways: FxHashMap<(Block<'m>, Block<'m>), bool>,
    /// The indices of a load's address.
    indices: FxHashMap<Inst<'m>, Option<Vec<u64>>>,
}

impl<'m> Limits<'m> {
    pub fn of(function: Function<'m>) -> Limits<'m> {
        let near = function.blocks().filter(|block| NEAR.contains(&block.insts().count())).collect();
        let (ways, indices) = (FxHashMap::default(), FxHashMap::default());
        Limits { loads: Loads::of(function), numbers: Numbers::default(), near, ways, indices }
    }

    /// Whether it is so of a store, from a load whose address may be the same.
    pub fn is_near(&mut self, store: Inst<'m>) -> bool {
        let loads: Vec<Inst<'m>> = self.loads.of_stored(store).collect();
        if loads.is_empty() {
            return false;
        }
        let to = indices(store.operand(1), &mut self.numbers);
        loads.into_iter().any(|load| {
            let numbers = &mut self.numbers;
            let from = self.indices.entry(load).or_insert_with(|| indices(load.operand(0), numbers));
            (to.is_none() || from.is_none() || *from == to) && self.are_near(store, load)
        })
    }

    /// Whether so many instructions are between the two, in some block of the ways from one to the other.
    fn are_near(&mut self, store: Inst<'m>, load: Inst<'m>) -> bool {
        let (from, to) = (store.block(), load.block());
        let behind = || from.insts().skip_while(move |&inst| inst != store).skip(1);
        let between = behind().take_while(|&inst| inst != load).count();
        let is_straight = from == to && behind().any(|inst| inst == load);
        let before = || to.insts().take_while(|&inst| inst != load).count();
        let Limits { near, ways, .. } = self;
        let mut leads = |from, to| *ways.entry((from, to)).or_insert_with(|| leads(from, to, None));
        let mut is_passed = |block| block != from && block != to && leads(from, block) && leads(block, to);
        NEAR.contains(&between)
            || !is_straight && (NEAR.contains(&before()) || near.iter().any(|&block| is_passed(block)))
    }
}

/// Whether it is a variable in shared memory.
fn is_shared(root: Value<'_>) -> bool {
    root.kind() == ValueKind::GlobalVariable && root.ty().address_space() == Some(SHARED)
}

/// The instructions of a function to which a way leads from one of them without a barrier.
fn seen_from<'m>(first: Inst<'m>) -> FxHashSet<Inst<'m>> {
    let (mut open, mut begun, mut seen) = (Vec::new(), FxHashSet::default(), FxHashSet::default());
    let mut walk = |insts: &mut dyn Iterator<Item = Inst<'m>>, open: &mut Vec<Block<'m>>| {
        for inst in insts {
            if calls(inst, BARRIER) {
                return;
            }
            seen.insert(inst);
            open.extend(inst.successors());
        }
    };
    walk(&mut first.block().insts().skip_while(|&inst| inst != first), &mut open);
    while let Some(block) = open.pop() {
        if begun.insert(block) {
            walk(&mut block.insts(), &mut open);
        }
    }
    seen
}

/// The intrinsic functions with which the threads of a block wait for each other.
const BARRIER: &str = "llvm.nvvm.barrier.cta.sync.";
