//! What would a function look like with its loops in simplified form?
//!
//! Loops in two sides can be melded if each has a preheader and dedicated exits, as LLVM's `loop-simplify` creates
//! them. That changes the code, which is pointless if nothing is melded afterwards. So it is first done on the
//! snapshot; if that has a plan, LLVM does it to the function, and the plan is made again.
//!
//! For each natural loop, inner ones first, edges are redirected through a new block:
//!
//! | edges | unless |
//! |---|---|
//! | into the header from outside | there is one edge, from a block that leads nowhere else |
//! | from the loop to a block after it | all edges to that block come from the loop |
//! | back to the header | there is one |
//!
//! Phis are split as LLVM splits them: a new one is only created if the values of the edges differ. Two things that
//! `loop-simplify` does are omitted, because they are rare: separating nested loops with the same header, and folding
//! invariant exits. There the snapshot and the function may differ, which costs a plan or an unnecessary
//! `loop-simplify`, but nothing else.
//!
//! Requires: every block is reachable. Cost: linear in the snapshot, and for each cycle in its blocks.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_analysis::cfg::{Cycle, Cycles};
use warpwise_analysis::divergence::Outline;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::graph::Graph;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::BlockData;
use warpwise_ir::inst::{Flags, InstData, Opcode};

/// Incoming edges of a phi: the number of the value, and the block from which it comes.
type Edges = SmallVec<[(u32, Block); 4]>;

/// Added to the number of a constant until the number of instructions, which precede constants, is known.
const CONSTANT: u32 = 1 << 31;

/// Snapshot and handles of the function in simplified form; new blocks and phis have the handles of those from which
/// they were made. Unchanged, with `false`, if all loops are in simplified form already.
pub fn simplified<'m>(outline: Outline, handles: Handles<'m>) -> (Outline, Handles<'m>, bool) {
    if outline.cfg().cycles.is_empty() {
        return (outline, handles, false);
    }
    let mut shape = Shape::new(&outline);
    let has_odd_ends = outline.func.insts.values().any(|inst| inst.opcode == Opcode::OtherTerminator);
    if !has_odd_ends {
        let cycles = &outline.cfg().cycles;
        cycles.iter().rev().filter(|&cycle| cycles.is_reducible(cycle)).for_each(|cycle| shape.simplify(cycles, cycle));
    }
    let Changes { added, rows, succs } = shape.changes;
    if added.is_empty() {
        return (outline, handles, false);
    }
    let geometry = outline.geometry;
    let (func, handles) = Changes { added, rows, succs }.apply_to(outline.func, handles);
    (Outline::new(func, geometry), handles, true)
}

/// Incoming values of a phi, constants shifted by [`CONSTANT`].
type Row = (Inst, Edges);

/// A new block: its successor, its phis, and from what each was made.
struct Added {
    to: Block,
    phis: Vec<(Row, Inst)>,
}

/// Everything that is new.
struct Changes {
    added: Vec<Added>,
    /// Phis of old blocks from which edges were removed.
    rows: FxHashMap<Block, Vec<Row>>,
    succs: Vec<SmallVec<[Block; 2]>>,
}

/// Control flow while it is being simplified.
struct Shape<'a> {
    func: &'a Func,
    changes: Changes,
    preds: Vec<SmallVec<[Block; 2]>>,
    /// The innermost cycle around each block, new ones included.
    cycles: Vec<Option<Cycle>>,
    insts: u32,
}

impl<'a> Shape<'a> {
    fn new(outline: &'a Outline) -> Shape<'a> {
        let func = &outline.func;
        let edges = |of: &dyn Fn(Block) -> &'a [Block]| func.graph.blocks().map(|block| of(block).into()).collect();
        Shape {
            func,
            changes: Changes {
                added: Vec::new(),
                rows: FxHashMap::default(),
                succs: edges(&|block| func.graph.succs(block)),
            },
            preds: edges(&|block| func.graph.preds(block)),
            cycles: func.graph.blocks().map(|block| outline.cfg().cycles.cycle_of(block)).collect(),
            insts: func.insts.len() as u32,
        }
    }

    fn simplify(&mut self, cycles: &Cycles, cycle: Cycle) {
        let header = cycles.header(cycle);
        let parent = cycles.parent(cycle);
        let (back, into) = self.parted(cycles, cycle, header);
        let has_preheader = matches!(into[..], [from] if self.changes.succs[from.index()].len() == 1);
        if !has_preheader && !into.is_empty() {
            self.lead_through(header, &into, parent);
        }
        let mut members: Vec<Block> = cycles.blocks(cycle).to_vec();
        let new = self.func.blocks.len()..self.cycles.len();
        members.extend(new.map(Block::new).filter(|&block| self.is_in(cycles, cycle, block)));
        let mut exits: Vec<Block> = Vec::new();
        for member in members {
            for &to in &self.changes.succs[member.index()] {
                // new blocks already have the edges of one loop only
                let is_old = to.index() < self.func.blocks.len();
                if is_old && !exits.contains(&to) && !self.is_in(cycles, cycle, to) {
                    exits.push(to);
                }
            }
        }
        for exit in exits {
            let (inside, outside) = self.parted(cycles, cycle, exit);
            if !outside.is_empty() {
                // before the exit, and not in a loop that begins there
                let around = self.cycles[exit.index()];
                let begins =
                    around.filter(|&around| cycles.header(around) == exit && !cycles.contains_cycle(around, cycle));
                self.lead_through(exit, &inside, begins.map_or(around, |begins| cycles.parent(begins)));
            }
        }
        if back.len() > 1 {
            self.lead_through(header, &back, Some(cycle));
        }
    }

    fn is_in(&self, cycles: &Cycles, cycle: Cycle, block: Block) -> bool {
        self.cycles[block.index()].is_some_and(|inner| cycles.contains_cycle(cycle, inner))
    }

    /// Predecessors in a cycle and the others, one for each edge.
    fn parted(&self, cycles: &Cycles, cycle: Cycle, block: Block) -> (Vec<Block>, Vec<Block>) {
        self.preds[block.index()].iter().copied().partition(|&from| self.is_in(cycles, cycle, from))
    }

    /// Leads all edges from some blocks to another through a new one.
    fn lead_through(&mut self, to: Block, from: &[Block], cycle: Option<Cycle>) {
        let new = Block::new(self.cycles.len());
        self.cycles.push(cycle);
        let func = self.func;
        let first_constant = func.param_count + func.insts.len() as u32;
        let number = |value: Value| {
            if value.as_u32() < first_constant { value.as_u32() } else { value.as_u32() + CONSTANT }
        };
        let old_rows = || {
            let row = |phi: Inst| {
                (phi, func.operands(phi).iter().zip(func.incoming(phi)).map(|(&v, &b)| (number(v), b)).collect())
            };
            func.phis(to).map(row).collect()
        };
        let mut phis = Vec::new();
        for (phi, row) in self.changes.rows.entry(to).or_insert_with(old_rows) {
            let (taken, rest): (Edges, Edges) = row.iter().copied().partition(|edge| from.contains(&edge.1));
            *row = rest;
            let first = taken.first().map_or(0, |edge| edge.0);
            if taken.iter().all(|edge| edge.0 == first) {
                row.push((first, new));
                continue;
            }
            let made = Inst::from_u32(self.insts);
            self.insts += 1;
            row.push((func.param_count + made.as_u32(), new));
            phis.push(((made, taken), *phi));
        }
        self.insts += 1;
        for &source in from {
            let succs = &mut self.changes.succs[source.index()];
            succs.iter_mut().filter(|succ| **succ == to).for_each(|succ| *succ = new);
        }
        self.preds[to.index()].retain(|block| !from.contains(block));
        self.preds[to.index()].push(new);
        self.preds.push(from.into());
        self.changes.succs.push([to].into_iter().collect());
        self.changes.added.push(Added { to, phis });
    }
}

impl Changes {
    fn apply_to<'m>(mut self, func: Func, handles: Handles<'m>) -> (Func, Handles<'m>) {
        let old = func.insts.len() as u32;
        let first_constant = func.param_count + old;
        let more: u32 = self.added.iter().map(|added| added.phis.len() as u32 + 1).sum();
        let number = |value: u32| Value::from_u32(if value >= CONSTANT { value - CONSTANT + more } else { value });
        let mut writer = Writer { insts: Vec::new(), pool: Vec::new(), phi_blocks: Vec::new() };
        let rows: FxHashMap<Inst, _> = self.rows.drain().flat_map(|(_, rows)| rows).collect();
        for (inst, &data) in func.insts.iter() {
            match rows.get(&inst) {
                Some(row) => writer.phi(data, row.iter().map(|&(value, from)| (number(value), from))),
                None if data.opcode == Opcode::Phi => {
                    let edges = func.operands(inst).iter().zip(func.incoming(inst));
                    writer.phi(data, edges.map(|(&value, &from)| (shifted(value, first_constant, more), from)));
                }
                None => {
                    let operands = func.operands(inst).iter();
                    writer.inst(data, operands.map(|&value| shifted(value, first_constant, more)));
                }
            }
        }
        let mut blocks = func.blocks.clone();
        let Handles { function, blocks: mut block_handles, values, param_count } = handles;
        let (named, constants) = values.split_at(first_constant as usize);
        let mut values = named.to_vec();
        for Added { to, phis } in &self.added {
            let first = writer.insts.len() as u32;
            let block = Block::new(blocks.len());
            for ((_, row), made_from) in phis {
                let data = InstData { block, ..func.insts[*made_from] };
                writer.phi(data, row.iter().map(|&(value, from)| (number(value), from)));
                values.push(values[(func.param_count + made_from.as_u32()) as usize]);
            }
            let end = func.terminator(*to);
            let jump = InstData { opcode: Opcode::Br, sub: 0, flags: Flags::empty(), block, aux: 0, ..func.insts[end] };
            writer.inst(jump, std::iter::empty());
            values.push(values[(func.param_count + end.as_u32()) as usize]);
            blocks.push(BlockData { first, end: writer.insts.len() as u32 });
            block_handles.push(block_handles[to.index()]);
        }
        values.extend_from_slice(constants);
        let mut ends = Vec::with_capacity(self.succs.len());
        let mut targets = Vec::with_capacity(self.succs.len() * 2);
        for succs in &self.succs {
            targets.extend_from_slice(succs);
            ends.push(targets.len() as u32);
        }
        let Writer { insts, pool, phi_blocks } = writer;
        let graph = Graph::from_rows(ends, targets);
        let func = Func { blocks, insts: insts.into(), pool, phi_blocks, graph, ..func };
        (func, Handles { function, blocks: block_handles, values, param_count })
    }
}

fn shifted(value: Value, first_constant: u32, by: u32) -> Value {
    if value.as_u32() < first_constant { value } else { Value::from_u32(value.as_u32() + by) }
}

/// Writes instructions one behind the other.
struct Writer {
    insts: Vec<InstData>,
    pool: Vec<Value>,
    phi_blocks: Vec<Block>,
}

impl Writer {
    fn inst(&mut self, data: InstData, operands: impl Iterator<Item = Value>) {
        let operands_start = self.pool.len() as u32;
        self.pool.extend(operands);
        let operand_count = self.pool.len() as u32 - operands_start;
        self.insts.push(InstData { operands_start, operand_count, ..data });
    }

    fn phi(&mut self, data: InstData, edges: impl Iterator<Item = (Value, Block)> + Clone) {
        let aux = self.phi_blocks.len() as u32;
        self.phi_blocks.extend(edges.clone().map(|edge| edge.1));
        self.inst(InstData { aux, ..data }, edges.map(|edge| edge.0));
    }
}
