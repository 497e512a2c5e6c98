//! Which loops must be unrolled so that every access to an object goes to a constant place?
//!
//! A value is constant in each copy of the loops if it is computed from constants, the object's address and phis of loop
//! headers whose start and next value are so computed. Each such loop must have a constant trip count.

use crate::local_memory::reject::Reject;
use rustc_hash::FxHashSet;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::Object;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;

/// A loop to be unrolled completely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unrolled {
    pub cycle: Cycle,
    pub latch: Block,
    /// Executions of its header for each entry.
    pub turns: u64,
}

/// The loops that index an object; none if all its accesses go to constant places already, or it is also indexed by what
/// no loop counts.
pub fn loops_of(
    outline: &Outline,
    handles: &Handles<'_>,
    frequencies: &Frequencies<'_>,
    object: &Object,
) -> Result<Vec<Unrolled>, Reject> {
    let (loops, seen) = (Vec::new(), FxHashSet::from_iter([object.address]));
    let mut walk = Walk { outline, frequencies, loops, all_counted: true, seen };
    if !object.derived.iter().all(|&pointer| walk.follow(pointer).is_some()) {
        return Ok(Vec::new());
    }
    let is_decided = |one: &Unrolled| handles.inst(outline.func.terminator(one.latch)).unroll_is_decided();
    match walk.loops.iter().any(is_decided) {
        _ if !walk.all_counted => Err(Reject::Turns),
        true => Err(Reject::Decided),
        false => Ok(walk.loops),
    }
}

struct Walk<'a, 'm> {
    outline: &'a Outline,
    frequencies: &'a Frequencies<'m>,
    loops: Vec<Unrolled>,
    /// Whether all loops have a constant trip count.
    all_counted: bool,
    seen: FxHashSet<Value>,
}

impl Walk<'_, '_> {
    /// Notes the loops of which copies are needed so that a result is constant in each; `None` if it would not be.
    fn follow(&mut self, inst: Inst) -> Option<()> {
        let func = &self.outline.func;
        let mut open = vec![func.result(inst)];
        while let Some(value) = open.pop() {
            if func.constant(value).is_some() || !self.seen.insert(value) {
                continue;
            }
            let def = func.def(value)?;
            match func.insts[def].opcode {
                Opcode::Phi => self.phi(def)?,
                opcode if is_folded(opcode) => {}
                _ => return None,
            }
            open.extend_from_slice(func.operands(def));
        }
        Some(())
    }

    /// A phi is constant if it is that of a loop header, or joins one value only.
    fn phi(&mut self, phi: Inst) -> Option<()> {
        let func = &self.outline.func;
        if func.operands(phi).len() == 1 {
            return Some(());
        }
        let (cycles, block) = (&self.outline.cfg().cycles, func.insts[phi].block);
        let cycle = cycles.cycle_of(block).filter(|&cycle| cycles.header(cycle) == block)?;
        if self.loops.iter().any(|known| known.cycle == cycle) {
            return Some(());
        }
        let latch = cycles.only_latch(&func.graph, cycle).filter(|_| cycles.is_reducible(cycle));
        let turns = self.frequencies.turns(block).and_then(|turns| turns.exact);
        match latch.zip(turns) {
            Some((latch, turns)) => self.loops.push(Unrolled { cycle, latch, turns }),
            None => self.all_counted = false,
        }
        Some(())
    }
}

/// Whether LLVM computes its result if the operands are constant.
fn is_folded(opcode: Opcode) -> bool {
    use Opcode::{AddrSpaceCast, BitCast, Freeze, Gep, ICmp, SExt, Select, Trunc, ZExt};
    let is_other = matches!(opcode, AddrSpaceCast | BitCast | Freeze | Gep | ICmp | SExt | Select | Trunc | ZExt);
    opcode.is_integer_arithmetic() || is_other
}
