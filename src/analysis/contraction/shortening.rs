//! Are products and sums joined as they are once branches have gone that repeat earlier ones?
//!
//! Nothing is moved: a block loses its branch and becomes one with the block behind it, the ways between them go, and what
//! was computed twice LLVM's back end finds to be the same. So only that can change what is joined, and it is asked of each
//! product and sum that such a block, a way, or such a result touches. This holds at the end of LLVM's optimiser; before that,
//! passes that move code across blocks decide by what is around it.

use super::raw::{self, Pins};
use super::{Joins, Pair, joins, undecided};
use rustc_hash::FxHashSet;
use warpwise_ir::call::is_absolute;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle;
use warpwise_ir::llvm::uses::{Use, follow};

/// What goes with a branch that repeats an earlier one.
pub struct Shortening {
    /// The block that the branch ends, and the one where its ways meet: these two become one.
    pub from: Block,
    pub join: Block,
    /// The blocks of its ways, which go, and those of the earlier branch's.
    pub ways: Vec<Block>,
    pub others: Vec<Block>,
}

/// The blocks that become one, in the order in which they run.
pub fn runs(changes: &[Shortening]) -> Vec<Vec<Block>> {
    let next = |block: Block| changes.iter().find(|change| change.from == block).map(|change| change.join);
    let is_first = |change: &&Shortening| changes.iter().all(|other| other.join != change.from);
    let run = |first: &Shortening| std::iter::successors(Some(first.from), |&block| next(block)).collect();
    changes.iter().filter(is_first).map(run).collect()
}

/// What is asked about.
pub struct Shorter<'a, 'm> {
    pub joins: Joins<'a, 'm>,
    pub changes: &'a [Shortening],
    /// Results in blocks that stay, which are the same only without the branches: classes of two and more.
    pub merged: &'a [Vec<Inst>],
    /// Results that LLVM finds on some way to their block only without the branches, and may compute on the others then (partial
    /// redundancy elimination).
    pub moved: &'a FxHashSet<Inst>,
}

impl<'m> Shorter<'_, 'm> {
    /// What has to be written out before so that everything is joined as it is; `None` if that cannot be.
    pub fn pins(&self) -> Option<Pins<'m>> {
        let function = self.joins.handles.function;
        if raw::is_loose_in(function) {
            return None;
        }
        if !raw::may_pair(&[function], Pair::MultiplyAdd) {
            return Pins::of_products(function, []);
        }
        let is_undecided = || undecided::is_undecided_by_loops(function) || self.may_copy();
        let stays = self.changes.iter().all(|change| self.keep_their_joins(change))
            && runs(self.changes).iter().all(|run| self.become_one(run))
            && self.fold_nothing()
            && self.move_nothing()
            && self.stand_alone()
            && !is_undecided();
        stays.then(|| self.of_merged()).flatten()
    }

    fn block(&self, inst: Inst) -> Block {
        self.joins.outline.func.insts[inst].block
    }

    fn operands(&self, inst: Inst) -> impl Iterator<Item = Value> {
        self.joins.outline.func.operands(inst).iter().copied()
    }

    fn insts(&self, blocks: &[Block]) -> impl Iterator<Item = Inst> {
        blocks.iter().flat_map(|&block| self.joins.outline.func.block_insts(block))
    }

    fn sums(&self, blocks: &[Block]) -> impl Iterator<Item = handle::Inst<'m>> {
        self.insts(blocks).filter(|&inst| self.joins.is_sum(inst)).map(|inst| self.joins.handles.inst(inst))
    }

    fn is_product(&self, value: Value) -> bool {
        raw::product(self.joins.handles.value(value)).is_some()
    }

    /// The product that a value is, if it matters how many uses it has.
    fn counted(&self, value: Value) -> Option<handle::Inst<'m>> {
        raw::product(self.joins.handles.value(value)).filter(|&product| !joins::is_steady(product))
    }

    fn merged(&self) -> impl Iterator<Item = Inst> {
        self.merged.iter().flatten().copied()
    }

    /// The blocks that have what is merged.
    fn homes(&self) -> FxHashSet<Block> {
        self.merged().map(|inst| self.block(inst)).collect()
    }

    /// Whether the earlier ways have for sure what the ways have, or the same instructions decide, and no product from outside loses
    /// a use that counts.
    fn keep_their_joins(&self, Shortening { ways, others, .. }: &Shortening) -> bool {
        let func = &self.joins.outline.func;
        let is_inside = |value: Value| func.def(value).is_some_and(|def| ways.contains(&self.block(def)));
        let loses_use = |value: Value| !is_inside(value) && self.counted(value).is_some();
        let opcodes = |block: Block| func.block_insts(block).map(|inst| func.insts[inst].opcode).collect::<Vec<_>>();
        let are_alike = |ways: &[Block], others: &[Block]| {
            let has_twin = |block: Block| others.iter().any(|&other| opcodes(other) == opcodes(block));
            let is_known = |sum| joins::is_sure(sum) || joins::is_local(sum);
            let mut blocks = ways.iter().map(|&block| (block, self.sums(&[block]).collect::<Vec<_>>()));
            blocks.all(|(block, sums)| {
                sums.iter().all(|&sum| joins::is_sure(sum)) || has_twin(block) && sums.into_iter().all(is_known)
            })
        };
        are_alike(ways, others)
            && are_alike(others, ways)
            && !self.insts(ways).flat_map(|inst| self.operands(inst)).any(loses_use)
    }

    /// Whether some blocks can become one: no product of one meets a sum of another, unless the two are joined wherever they
    /// are; no sum chooses between two products by uses in several; and LLVM will not compute some of what is in all of them in
    /// front of a branch to them.
    fn become_one(&self, run: &[Block]) -> bool {
        let Joins { outline, handles } = self.joins;
        let meets = |inst: Inst| {
            let is_met = |&user: &Inst| {
                self.joins.is_sum(user) && self.block(user) != self.block(inst) && run.contains(&self.block(user))
            };
            self.joins.is_product(inst)
                && !joins::is_lone(handles.inst(inst))
                && self.joins.users(inst).iter().any(is_met)
        };
        let graph = &outline.func.graph;
        let is_only = |blocks: &[Block]| blocks.len() == 1;
        let may_be_side = is_only(graph.preds(run[0])) && is_only(graph.succs(run[run.len() - 1]));
        let is_apart = |sum| joins::chooses_here(sum) && !(may_be_side && joins::is_speculated(sum));
        !self.insts(run).any(meets) && self.sums(run).all(is_apart)
    }

    /// Whether what is joined in the blocks that lose something does not depend on what else they have.
    fn stand_alone(&self) -> bool {
        let homes: Vec<Block> = self.homes().into_iter().collect();
        self.sums(&homes).all(joins::stands_alone)
    }

    /// Whether LLVM will find nothing more to fold: branches ask only one of merged conditions, and nothing that folds if its operands
    /// are the same uses two that are merged.
    fn fold_nothing(&self) -> bool {
        use Opcode::{FAdd, FDiv, FMul, FSub, Gep, Select, Store};
        let Joins { outline, handles } = self.joins;
        let func = &outline.func;
        let opcode = |inst: Inst| func.insts[inst].opcode;
        let is_bool = |inst: Inst| func.int_bits(func.result(inst)) == Some(1);
        let goes = |user: Inst| {
            let is_end = |change: &Shortening| change.from == self.block(user) && opcode(user).is_terminator();
            self.changes.iter().any(|change| is_end(change) || change.ways.contains(&self.block(user)))
        };
        let users = |inst: Inst| {
            outline.users(func.result(inst)).iter().copied().filter(|&user| !goes(user)).collect::<FxHashSet<_>>()
        };
        let may_fold = |user: Inst| match opcode(user) {
            FAdd | FSub | FMul | FDiv if handles.inst(user).assumes_no_nans() => true,
            FMul => asks_sign(handles.inst(user)),
            FAdd | FSub | FDiv | Gep | Store => false,
            _ => true,
        };
        self.merged.iter().all(|class| {
            let used: Vec<FxHashSet<Inst>> = class.iter().map(|&inst| users(inst)).collect();
            let mut all: FxHashSet<Inst> = FxHashSet::default();
            let decides = |&user: &Inst| opcode(user) != Select || is_bool(user);
            let is_asked = is_bool(class[0])
                && used.iter().filter(|users| !users.is_empty()).count() > 1
                && used.iter().flatten().any(decides);
            !is_asked && used.iter().flatten().all(|&user| all.insert(user) || !may_fold(user))
        })
    }

    /// Whether nothing that [may move](Self::moved) is a product or a sum of one, or uses a product.
    fn move_nothing(&self) -> bool {
        let is_joined = |inst: Inst| {
            self.joins.is_product(inst) && self.joins.may_meet_sum(inst)
                || self.operands(inst).any(|value| self.is_product(value))
        };
        !self.moved.iter().any(|&inst| is_joined(inst))
    }

    /// Whether LLVM may copy a block that changes, or one behind it.
    fn may_copy(&self) -> bool {
        let handles = self.joins.handles;
        let ends = self.changes.iter().flat_map(|change| change.ways.iter().chain([&change.from, &change.join]));
        let changed: FxHashSet<_> = ends.copied().chain(self.homes()).map(|block| handles.block(block)).collect();
        undecided::may_copy(handles.function, |block| changed.contains(&block))
    }

    /// What is to be written out so that it does not matter which products are merged, or have lost a use.
    fn of_merged(&self) -> Option<Pins<'m>> {
        let Joins { outline, handles } = self.joins;
        let is_product = |&inst: &Inst| Pair::MultiplyAdd.begins_with(handles.inst(inst));
        let own = self.merged().filter(is_product).map(|inst| handles.inst(inst));
        let users = self.merged().filter(|&inst| outline.func.insts[inst].opcode != Opcode::Store);
        let used = users.flat_map(|inst| self.operands(inst)).filter_map(|value| self.counted(value));
        Pins::of_products(handles.function, own.chain(used).collect::<FxHashSet<_>>())
    }
}

/// Whether some code goes if a product is a square, which is not negative: a sum with zero, behind which the next sum is joined with
/// the product, an absolute value, or a comparison. A square root follows what is known of its operand no further.
fn asks_sign(product: handle::Inst<'_>) -> bool {
    use handle::RawOpcode::{LLVMBitCast, LLVMCall, LLVMFAdd, LLVMFCmp, LLVMFSub};
    let meaning = |_, (), user: handle::Value<'_>| {
        let Some(inst) = user.as_inst() else { return Use::Escapes };
        let has = |is_it: fn(f64) -> bool| inst.operands().filter_map(handle::Value::float_constant).any(is_it);
        let is_asked = match inst.opcode() {
            LLVMFAdd | LLVMFSub => has(|number| number == 0.0),
            LLVMFCmp => !has(|number| number > 0.0),
            LLVMCall => is_absolute(inst) || has(|number| number <= 0.0),
            opcode => opcode == LLVMBitCast,
        };
        let is_root = || ["llvm.sqrt", "llvm.nvvm.sqrt"].iter().any(|name| raw::calls(inst, name));
        match user.ty().kind() {
            _ if is_asked => Use::Escapes,
            handle::TypeKind::LLVMIntegerTypeKind => Use::Ends,
            _ if is_root() => Use::Ends,
            _ => Use::Derives(()),
        }
    };
    !follow(product.value(), (), usize::MAX, meaning)
}
