//! Which loops must be unrolled so that every access to an object goes to a constant place?
//!
//! A value is constant in each copy of the loops if it is computed from constants, the object's address and phis of loop
//! headers whose start and next value are so computed. Each such loop must have a constant trip count.

use super::reject::Reject;
use rustc_hash::FxHashSet;
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::Object;
use warpwise_analysis::objects::address::pointer_of;
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

/// The loops that index an object; none if all its accesses go to constant places already.
pub fn loops_of(
    outline: &Outline,
    handles: &Handles<'_>,
    frequencies: &Frequencies<'_>,
    object: &Object,
) -> Result<Vec<Unrolled>, Reject> {
    let mut walk =
        Walk { outline, handles, frequencies, base: object.address, loops: Vec::new(), seen: FxHashSet::default() };
    let mut outcome = Ok(());
    for access in &object.accesses {
        let found = walk.follow(pointer_of(outline, access));
        // that a place is variable says more than that a loop is
        outcome = match (outcome, found) {
            (Err(Reject::Variable), _) | (_, Ok(())) => outcome,
            (_, Err(reject)) => Err(reject),
        };
    }
    // copies have a second end
    for &inst in &object.derived {
        if outcome.is_ok() {
            outcome = walk.follow(outline.func.result(inst));
        }
    }
    match outcome {
        Err(reject) if walk.loops.is_empty() && reject == Reject::Variable => Ok(Vec::new()),
        outcome => outcome.map(|()| walk.loops),
    }
}

struct Walk<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    frequencies: &'a Frequencies<'m>,
    base: Value,
    loops: Vec<Unrolled>,
    seen: FxHashSet<Value>,
}

impl Walk<'_, '_> {
    /// Checks that a value is constant in each copy, and notes the loops of which that needs copies.
    fn follow(&mut self, value: Value) -> Result<(), Reject> {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let func = &self.outline.func;
            if value == self.base || func.constant(value).is_some() || !self.seen.insert(value) {
                continue;
            }
            let Some(def) = func.def(value) else { return Err(Reject::Variable) };
            match func.insts[def].opcode {
                Opcode::Phi => self.phi(def)?,
                opcode if is_folded(opcode) => {}
                _ => return Err(Reject::Variable),
            }
            open.extend_from_slice(self.outline.func.operands(def));
        }
        Ok(())
    }

    /// A phi is constant if it is that of a loop header, or joins one value only.
    fn phi(&mut self, phi: Inst) -> Result<(), Reject> {
        let func = &self.outline.func;
        if func.operands(phi).len() == 1 {
            return Ok(());
        }
        let (cycles, block) = (&self.outline.cfg().cycles, func.insts[phi].block);
        let cycle = cycles.cycle_of(block).filter(|&cycle| cycles.header(cycle) == block).ok_or(Reject::Variable)?;
        if self.loops.iter().any(|known| known.cycle == cycle) {
            return Ok(());
        }
        let mut latches = cycles.latches(&func.graph, cycle);
        let (Some(latch), None) = (latches.next(), latches.next()) else { return Err(Reject::Turns) };
        let turns = self.frequencies.turns(block).and_then(|turns| turns.exact);
        let turns = turns.filter(|_| cycles.is_reducible(cycle)).ok_or(Reject::Turns)?;
        if self.handles.inst(func.terminator(latch)).unroll_is_decided() {
            return Err(Reject::Decided);
        }
        self.loops.push(Unrolled { cycle, latch, turns });
        Ok(())
    }
}

/// Whether LLVM computes its result if the operands are constant.
fn is_folded(opcode: Opcode) -> bool {
    use Opcode::{AddrSpaceCast, BitCast, Freeze, Gep, ICmp, SExt, Select, Trunc, ZExt};
    let is_other = matches!(opcode, AddrSpaceCast | BitCast | Freeze | Gep | ICmp | SExt | Select | Trunc | ZExt);
    opcode.is_integer_arithmetic() || is_other
}
