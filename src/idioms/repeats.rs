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

/// Whether a function may have such branches: two that ask alike, as far as the instruction tells.
pub fn may_repeat(function: handle::Function<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut asks = function.blocks().filter_map(|block| block.terminator()?.branch_condition());
    asks.any(|condition| {
        let asked = condition.as_inst().map(|inst| (inst.opcode() as usize, inst.operand(0).ty().address()));
        !seen.insert(asked.unwrap_or((usize::MAX, condition.address())))
    })
}

/// Finds the branches of a function that repeat earlier ones.
pub fn find<'m>(outline: &Outline, handles: &Handles<'m>) -> Vec<Repeat<'m>> {
    let func = &outline.func;
    let of = |join| Some((join, Region::of(outline, join)?));
    let regions: FxHashMap<Block, Region> = func.graph.blocks().filter_map(of).collect();
    if regions.len() < 2 {
        return Vec::new();
    }
    let repeat = |(join, phis): (Block, Vec<[Inst; 2]>)| Repeat {
        branch: handles.inst(func.terminator(regions[&join].from)),
        ways: regions[&join].blocks.iter().map(|&block| handles.block(block)).collect(),
        join: handles.block(join),
        phis: phis.into_iter().map(|both| both.map(|inst| handles.inst(inst))).collect(),
    };
    Numbers::new(outline, handles).repeated(&regions).into_iter().map(repeat).collect()
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
    known: FxHashMap<Key, u32>,
    of: FxHashMap<Value, u32>,
}

/// What a result is computed from.
type Key = SmallVec<[usize; 8]>;

impl<'a, 'm> Numbers<'a, 'm> {
    fn new(outline: &'a Outline, handles: &'a Handles<'m>) -> Self {
        Numbers { outline, handles, known: FxHashMap::default(), of: FxHashMap::default() }
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
            _ => self.computed(inst).map(|key| self.known(key)),
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
        let flags = self.handles.inst(phi).fast_math() as usize;
        Some(self.known(SmallVec::from_slice(&[Opcode::Phi as usize, flags, kind, number])))
    }

    /// What another result is, if it follows from its operands.
    fn computed(&self, inst: Inst) -> Option<Key> {
        let func = &self.outline.func;
        let data = &func.insts[inst];
        let llvm = self.handles.inst(inst);
        let (opcode, raw, ty) = (data.opcode as usize, llvm.opcode() as usize, llvm.ty().address());
        let mut key: Key = SmallVec::from_slice(&[opcode, raw, ty]);
        key.extend([data.sub.into(), data.flags.bits().into(), llvm.fast_math() as usize]);
        match data.opcode {
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
        key.extend(func.operands(inst).iter().flat_map(|&value| self.operand(value)));
        Some(key)
    }
}
