//! Which values does a branch choose that an earlier branch has chosen already?
//!
//! nvcc makes one of two calls with the same arguments before it inlines them: the second `exp(x)` of a thread costs nothing.
//! LLVM inlines first. Its value numbering then finds what both have computed in one block, but takes a phi for a value of
//! its own unless both are in the same block, so that the branches of the second call stay, and all that follows from its
//! result; and it does not thread jumps where lanes may part. Here a phi of two ways is numbered by what it chooses: the
//! condition of the branch that the ways come from, and the number of what each brings (the gates of Ottenstein, Ballance and
//! MacCabe, *The Program Dependence Web*, PLDI 1990, for acyclic code, with the value numbering of Alpern, Wegman and Zadeck,
//! *Detecting Equality of Variables in Programs*, POPL 1988, in one pass). A phi is replaced by one with the same number that
//! dominates it; if that holds for all phis of a block, and the ways to it have no effects, its branch goes. What follows from
//! the phis, and is computed twice then, LLVM's back end finds by itself.

use crate::mutants::{self, Mutant};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpwise_analysis::contraction::Joins;
use warpwise_analysis::contraction::raw::Pins;
use warpwise_analysis::contraction::shortening::{Shortening, Shorter, runs};
use warpwise_analysis::divergence::Outline;
use warpwise_ir::call::Memory;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{ConstData, Flags, Opcode};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle;

/// What is said of a branch.
pub const MESSAGE: &str = "a branch that an earlier one repeats is gone: both choose the same values";
/// What is said of one that stays.
pub const KEPT: &str = "a branch stays that an earlier one repeats: without it, other products and sums could become \
                        multiply-adds";

/// Blocks of a region at most.
const MAX_BLOCKS: usize = 32;

/// A branch that chooses what an earlier one has chosen.
#[derive(Debug)]
pub struct Repeat<'m> {
    pub branch: handle::Inst<'m>,
    /// The blocks of its ways, and the block where these meet.
    ways: Vec<handle::Block<'m>>,
    join: handle::Block<'m>,
    /// The phis of that block, each with the earlier one.
    phis: Vec<[handle::Inst<'m>; 2]>,
}

/// The branches of a function that repeat earlier ones.
#[derive(Debug)]
pub struct Found<'m> {
    pub repeats: Vec<Repeat<'m>>,
    /// What is to be written out before any goes, so that products and sums are joined as they are, by rules; `None` if these do not
    /// say.
    pub pins: Option<Pins<'m>>,
}

/// Whether a function may have such branches: two that ask alike, as far as the instruction tells.
pub fn may_repeat(function: handle::Function<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut asks = function.blocks().filter_map(|block| block.terminator()?.branch_condition());
    asks.any(|condition| {
        let asked = condition.as_inst().map(|inst| (inst.opcode() as usize, inst.operand(0).ty().address()));
        !seen.insert(asked.unwrap_or((usize::MAX, condition.address())))
    })
}

/// Finds them.
pub fn find<'m>(outline: &Outline, handles: &Handles<'m>) -> Option<Found<'m>> {
    let func = &outline.func;
    let of = |join| Some((join, Region::of(outline, join)?));
    let regions: FxHashMap<Block, Region> = func.graph.blocks().filter_map(of).collect();
    if regions.len() < 2 {
        return None;
    }
    let mut numbers = Numbers::new(outline, handles);
    let found = numbers.repeated(&regions);
    if found.is_empty() {
        return None;
    }
    let shortening = |(join, phis): &(Block, Vec<[Inst; 2]>)| {
        let homes: FxHashSet<Block> = phis.iter().map(|[_, other]| func.insts[*other].block).collect();
        let others = homes.iter().flat_map(|home| &regions[home].blocks).copied().collect();
        Shortening { from: regions[join].from, join: *join, ways: regions[join].blocks.clone(), others }
    };
    let changes: Vec<Shortening> = found.iter().map(shortening).collect();
    let gone = changes.iter().flat_map(|change| change.ways.iter().copied()).collect();
    let loose = |regions| Numbers { is_loose: true, ..Numbers::new(outline, handles) }.of_all(regions);
    let (before, after) = (loose(None), loose(Some(&regions)));
    let merged = after.merged(&before, &gone);
    let runs = runs(&changes);
    let known_before = before.partly(&[], &FxHashSet::default());
    let moved = after.partly(&runs, &gone).difference(&known_before).map(|&(inst, _)| inst).collect();
    let cycle = |block| outline.cfg().cycles.cycle_of(block);
    let mut phis = found.iter().flat_map(|(_, phis)| phis).map(|both| both.map(|phi| cycle(func.insts[phi].block)));
    let stay_in_loops = phis.all(|[phi, earlier]| phi == earlier);
    let shorter = Shorter { joins: Joins::new(outline, handles), changes: &changes, merged: &merged, moved: &moved };
    let pins = if stay_in_loops { shorter.pins() } else { None };
    let repeat = |((_, phis), change): ((Block, Vec<[Inst; 2]>), &Shortening)| Repeat {
        branch: handles.inst(func.terminator(change.from)),
        ways: change.ways.iter().map(|&block| handles.block(block)).collect(),
        join: handles.block(change.join),
        phis: phis.into_iter().map(|both| both.map(|inst| handles.inst(inst))).collect(),
    };
    Some(Found { repeats: found.into_iter().zip(&changes).map(repeat).collect(), pins })
}

/// Replaces the phis, and leads to where they were at once. A variable that is assigned on a way is unknown then until the next
/// record, as what is assigned there is computed nowhere else.
pub fn apply<'m>(editor: &mut Editor<'m>, Repeat { branch, ways, join, phis, .. }: &Repeat<'m>) {
    for &[phi, earlier] in phis {
        editor.replace_all_uses(phi.value(), earlier.value());
        editor.erase(phi);
    }
    for inst in ways.iter().flat_map(|way| way.insts()) {
        for record in editor.detach_records(inst) {
            editor.kill_record(record, false);
            editor.open_with(record, *join);
        }
    }
    editor.before(*branch).branch(*join);
    editor.erase(*branch);
    editor.delete_blocks(ways);
}

/// Whether an instruction has no effects. `is_repeated` says of a call that may never return whether it has returned before.
fn is_free(outline: &Outline, inst: Inst, is_repeated: impl Fn(Inst) -> bool) -> bool {
    let data = &outline.func.insts[inst];
    match data.opcode {
        _ if mutants::on(Mutant::RepeatEffects) => true,
        Opcode::Phi | Opcode::Br | Opcode::CondBr => true,
        Opcode::Load => !data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC),
        Opcode::Call => is_pure(outline, inst) && (outline.func.call(inst).will_return || is_repeated(inst)),
        opcode => opcode.is_computation(),
    }
}

/// Whether the result of a call follows from its arguments alone, and nothing else does from the call.
fn is_pure(outline: &Outline, call: Inst) -> bool {
    let call = outline.func.call(call);
    call.memory == Memory::None && !call.convergent && !call.no_return && call.asm.is_none()
}

/// What is between a branch and the block where all of its ways meet: no loop, and no other way out.
struct Region {
    /// The block that the branch ends.
    from: Block,
    /// The blocks in between, each behind those that it leads to.
    blocks: Vec<Block>,
}

impl Region {
    fn of(outline: &Outline, join: Block) -> Option<Region> {
        let func = &outline.func;
        func.phis(join).next()?;
        let from = outline.cfg().dominators(&func.graph).idom(join).filter(|&from| func.graph.is_branch(from))?;
        let cycles = &outline.cfg().cycles;
        let mut blocks = Vec::new();
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            let is_branch = matches!(func.insts[func.terminator(block)].opcode, Opcode::Br | Opcode::CondBr);
            if !is_branch || cycles.cycle_of(block) != cycles.cycle_of(join) || blocks.len() > MAX_BLOCKS {
                return None;
            }
            for &to in func.graph.succs(block).iter().filter(|&&to| to != join) {
                if to == from {
                    return None;
                }
                if !blocks.contains(&to) {
                    blocks.push(to);
                    open.push(to);
                }
            }
        }
        // an order in which every edge goes up, as there are no loops
        blocks.sort_unstable_by_key(|&block| std::cmp::Reverse(cycles.position(block)));
        Some(Region { from, blocks })
    }
}

/// Numbers that results have in common only if they are the same.
struct Numbers<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    /// Whether results have one number that LLVM may find to be the same: whatever their flags, of operands in the other order, and
    /// loaded as if memory did not change.
    is_loose: bool,
    known: FxHashMap<Key, u32>,
    of: FxHashMap<Value, u32>,
}

/// What a result is computed from.
type Key = SmallVec<[usize; 8]>;

impl<'a, 'm> Numbers<'a, 'm> {
    fn new(outline: &'a Outline, handles: &'a Handles<'m>) -> Self {
        Numbers { outline, handles, is_loose: false, known: FxHashMap::default(), of: FxHashMap::default() }
    }

    /// Numbers the results of the function, with those of phis where the ways through a region meet.
    fn of_all(mut self, regions: Option<&FxHashMap<Block, Region>>) -> Self {
        let outline = self.outline;
        for &block in outline.cfg().order.rpo() {
            let region = regions.and_then(|regions| regions.get(&block));
            outline.func.block_insts(block).for_each(|inst| self.number(inst, region));
        }
        self
    }

    /// The results that are the same, and are not by other numbers, in classes, but for blocks that go.
    fn merged(&self, before: &Self, gone: &FxHashSet<Block>) -> Vec<Vec<Inst>> {
        let func = &self.outline.func;
        let mut alike: FxHashMap<u32, (FxHashSet<[usize; 2]>, Vec<Inst>)> = FxHashMap::default();
        for inst in func.insts.keys().filter(|&inst| !gone.contains(&func.insts[inst].block)) {
            let Some(number) = self.of_result(inst) else { continue };
            let (numbers, insts) = alike.entry(number).or_default();
            numbers.insert(before.operand(func.result(inst)));
            insts.push(inst);
        }
        alike.into_values().filter(|(numbers, _)| numbers.len() > 1).map(|(_, insts)| insts).collect()
    }

    /// The results that are known on a way to their block, if each phi there is what that way brings. Blocks that go have none, and
    /// runs are one block: what is computed elsewhere, too, may be known on a way there.
    fn partly(&self, runs: &[Vec<Block>], gone: &FxHashSet<Block>) -> FxHashSet<(Inst, Block)> {
        let func = &self.outline.func;
        let mut found = FxHashSet::default();
        let mut copies: FxHashMap<u32, Vec<Block>> = FxHashMap::default();
        for inst in func.insts.keys().filter(|&inst| !gone.contains(&func.insts[inst].block)) {
            let number = self.of_result(inst);
            number.into_iter().for_each(|number| copies.entry(number).or_default().push(func.insts[inst].block));
        }
        let dominators = self.outline.cfg().dominators(&func.graph);
        // what is computed on every way before is computed there only
        let has_copy = |inst: Inst| {
            let home = func.insts[inst].block;
            let copies = self.of_result(inst).and_then(|number| copies.get(&number));
            copies.is_some_and(|copies| copies.iter().any(|&copy| !dominators.dominates(copy, home)))
        };
        for &block in self.outline.cfg().order.rpo() {
            let run = runs.iter().find(|run| run.contains(&block));
            let is_later = run.is_some_and(|run| run[0] != block);
            if is_later || gone.contains(&block) || func.graph.preds(block).len() < 2 {
                continue;
            }
            let alone = [block];
            let blocks = run.map_or(&alone[..], |run| run);
            for &way in func.graph.preds(block) {
                let brought = |phi: Inst| {
                    let index = func.incoming(phi).iter().position(|&from| from == way)?;
                    Some((func.result(phi), self.operand(func.operands(phi)[index])))
                };
                let mut on_way: FxHashMap<Value, [usize; 2]> = func.phis(block).filter_map(brought).collect();
                let insts = blocks.iter().flat_map(|&block| func.block_insts(block));
                for inst in insts.filter(|&inst| func.insts[inst].opcode != Opcode::Phi) {
                    if !func.operands(inst).iter().any(|operand| on_way.contains_key(operand)) {
                        if func.insts[inst].block != block && has_copy(inst) {
                            found.insert((inst, way));
                        }
                        continue;
                    }
                    let operand = |value| on_way.get(&value).copied().unwrap_or_else(|| self.operand(value));
                    let known = self.computed(inst, operand).and_then(|key| self.known.get(&key).copied());
                    if known.is_some() {
                        found.insert((inst, way));
                    }
                    let unknown = [2, self.handles.inst(inst).value().address()];
                    on_way.insert(func.result(inst), known.map_or(unknown, |number| [0, number as usize]));
                }
            }
        }
        found
    }

    /// Numbers the results of the function; returns the blocks at the end of regions with what their phis are.
    fn repeated(&mut self, regions: &FxHashMap<Block, Region>) -> Vec<(Block, Vec<[Inst; 2]>)> {
        let outline = self.outline;
        let func = &outline.func;
        let dominators = outline.cfg().dominators(&func.graph);
        let mut earlier: FxHashMap<u32, SmallVec<[Inst; 2]>> = FxHashMap::default();
        let mut gone: FxHashSet<Block> = FxHashSet::default();
        let mut found = Vec::new();
        for &block in outline.cfg().order.rpo() {
            let region = regions.get(&block);
            func.block_insts(block).for_each(|inst| self.number(inst, region));
            let Some(region) = region else { continue };
            let same = |phi: Inst| {
                let is_before = |other: &&Inst| {
                    let home = func.insts[**other].block;
                    dominators.dominates(home, region.from) && !gone.contains(&home)
                };
                Some([phi, *earlier.get(&self.of_result(phi)?)?.iter().find(is_before)?])
            };
            let phis: Vec<[Inst; 2]> = func.phis(block).map_while(same).collect();
            let calls = |call: Inst| {
                let homes = phis.iter().filter_map(|[_, other]| regions.get(&func.insts[*other].block));
                let mut before = homes.flat_map(|region| &region.blocks).flat_map(|&block| func.block_insts(block));
                let number = self.of_result(call);
                number.is_some() && before.any(|other| self.of_result(other) == number)
            };
            let mut insts = region.blocks.iter().flat_map(|&block| func.block_insts(block));
            if phis.len() == func.phis(block).count() && insts.all(|inst| is_free(outline, inst, calls)) {
                gone.extend(region.blocks.iter().copied());
                // what was found within goes with it
                found.retain(|(join, _)| !region.blocks.contains(join));
                found.push((block, phis));
            } else {
                let numbered = func.phis(block).filter_map(|phi| Some((self.of_result(phi)?, phi)));
                numbered.for_each(|(number, phi)| earlier.entry(number).or_default().push(phi));
            }
        }
        found
    }

    /// The number of a result that has been numbered.
    fn of_result(&self, inst: Inst) -> Option<u32> {
        self.of.get(&self.outline.func.result(inst)).copied()
    }

    /// The number of an operand; what is not computed is itself.
    fn operand(&self, value: Value) -> [usize; 2] {
        match self.of.get(&value) {
            Some(&number) => [0, number as usize],
            None => [1, self.handles.value(value).address()],
        }
    }

    fn known(&mut self, key: Key) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(key).or_insert(next)
    }

    /// Numbers a result, if it follows from its operands, or is a phi where the ways through a region meet. Those of its
    /// operands are known, but for phis of loops.
    fn number(&mut self, inst: Inst, region: Option<&Region>) {
        let func = &self.outline.func;
        let number = match func.insts[inst].opcode {
            Opcode::Phi => region.and_then(|region| self.chosen(region, inst)),
            _ => self.computed(inst, |value| self.operand(value)).map(|key| self.known(key)),
        };
        if let Some(number) = number {
            self.of.insert(func.result(inst), number);
        }
    }

    /// The number of a phi, by the branches of its region and what comes of each.
    fn chosen(&mut self, region: &Region, phi: Inst) -> Option<u32> {
        let func = &self.outline.func;
        let mut comes: FxHashMap<Block, [usize; 2]> = FxHashMap::default();
        for block in region.blocks.iter().copied().chain([region.from]) {
            let ways: SmallVec<[[usize; 2]; 2]> = func
                .graph
                .succs(block)
                .iter()
                .map(|to| {
                    let brings = || func.incoming(phi).iter().position(|&from| from == block);
                    comes.get(to).copied().or_else(|| Some(self.operand(func.operands(phi)[brings()?])))
                })
                .collect::<Option<_>>()?;
            let number = match ways[..] {
                [only] => only,
                [yes, no] => {
                    let condition = func.condition(func.terminator(block))?;
                    let mut key: Key = SmallVec::from_slice(&[Opcode::Phi as usize]);
                    if !mutants::on(Mutant::RepeatAnywhere) {
                        key.extend(self.operand(condition));
                    }
                    key.extend(yes.into_iter().chain(no));
                    [0, self.known(key) as usize]
                }
                _ => return None,
            };
            comes.insert(block, number);
        }
        let &[kind, number] = comes.get(&region.from)?;
        let flags = if self.is_loose { 0 } else { self.handles.inst(phi).fast_math() as usize };
        Some(self.known(SmallVec::from_slice(&[Opcode::Phi as usize, flags, kind, number])))
    }

    /// What another result is, if it follows from its operands, of which the numbers are given.
    fn computed(&self, inst: Inst, operand: impl Fn(Value) -> [usize; 2]) -> Option<Key> {
        let func = &self.outline.func;
        let data = &func.insts[inst];
        let llvm = self.handles.inst(inst);
        let (opcode, raw, ty) = (data.opcode as usize, llvm.opcode() as usize, llvm.ty().address());
        let mut key: Key = SmallVec::from_slice(&[opcode, raw, ty]);
        if !self.is_loose {
            key.extend([data.sub.into(), data.flags.bits().into(), llvm.fast_math() as usize]);
        }
        match data.opcode {
            Opcode::Load if self.is_loose => {}
            Opcode::Call if is_pure(self.outline, inst) => key.push(llvm.called_function()?.value().address()),
            Opcode::Load => {
                let root = func.constant(func.pointer_root(func.operands(inst)[0]));
                let is_constant = matches!(root, Some(ConstData::Address(global)) if global.constant);
                if !is_constant || data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC) {
                    return None;
                }
            }
            Opcode::Gep => key.push(llvm.value().gep_source_type().address()),
            Opcode::ExtractValue | Opcode::InsertValue => {
                key.extend(llvm.indices().iter().map(|&index| index as usize))
            }
            Opcode::ShuffleVector => key.extend(llvm.shuffle_mask().iter().map(|&index| index as usize)),
            opcode if opcode.is_value_of_operands() => {}
            _ => return None,
        }
        let mut operands: SmallVec<[[usize; 2]; 4]> = func.operands(inst).iter().map(|&value| operand(value)).collect();
        if self.is_loose {
            operands.sort_unstable();
        }
        key.extend(operands.into_iter().flatten());
        Some(key)
    }
}
