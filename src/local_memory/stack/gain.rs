//! How much faster does a kernel become if a stack object moves from local to shared memory?
//!
//! 1. **Lines.** Local memory interleaves the words of the lanes, so that lanes that access an object at the same place
//!    access one line of 128 bytes. Lanes that access it at different places access one line for each word that any of
//!    them accesses, one after the other: of `w` words `w·(1 - (1 - 1/w)^32)` if the places are random. In shared memory
//!    all lanes are served at once. Lanes in a loop that walks through the object are at about the same place.
//! 2. **Misses.** If the stack objects of all resident threads fill a good part of the first-level cache, accesses also
//!    wait for the second level.
//! 3. **Gain.** The time of a kernel is the sum of [issue cycles](warpwise_analysis::cost::issue) times
//!    [executions](Frequencies) outside cold code, and for accesses to stack objects what 1 and 2 add. The gain is the
//!    quotient of that time and the time without what is added for the object.
//!
//! 4. **Bytes.** Shared memory is laid out in words of the lanes, too: where a variable index picks part of a word, each
//!    access divides it, which local memory does by itself.
//!
//! It is an estimate from above: it is assumed that nothing else limits the kernel, and nothing is charged for
//! occupancy, for the cache ([`cache`](super::cache)), for other arithmetic on addresses, or for the wide accesses into
//! which `ptxas` joins neighbouring words of local memory. So a move must promise a good gain.
//!
//! Cost: one look at every instruction.

use std::rc::Rc;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::cost::issue::Costs;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::prices::{CROWDED_FROM, DIVIDED_INDEX, LOCAL_LINE, LOCAL_MISS, LOCAL_MISS_LINE};
use warpwise_analysis::objects::address::{constant_offset, is_together, pointer_of};
use warpwise_analysis::objects::{Object, ObjectAccess, StackObject};
use warpwise_ir::entity::{Block, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::inst::Opcode;

/// What is foreseen for the stack objects of a kernel.
pub struct Foreseen<'m> {
    frequencies: Rc<Frequencies<'m>>,
    /// Issue cycles of the kernel without what local memory adds.
    cycles: f64,
}

impl<'m> Foreseen<'m> {
    /// For a kernel.
    pub fn of(outline: &Outline, costs: Costs, frequencies: Rc<Frequencies<'m>>) -> Foreseen<'m> {
        let func = &outline.func;
        let of = |(inst, data): (_, &warpwise_ir::inst::InstData)| {
            let is_run = !frequencies.is_cold(data.block);
            if is_run { frequencies.of(data.block) * f64::from(costs.inst(func, inst)) } else { 0.0 }
        };
        let cycles = func.insts.iter().map(of).sum();
        Foreseen { frequencies, cycles }
    }

    /// Issue cycles that local memory adds for an object. `crowd` is the size of all resident threads' stack objects,
    /// as a share of the cache.
    fn added(&self, facts: &Facts, object: &Object, crowd: f64) -> f64 {
        let words = object.size.div_ceil(4).max(1) as f64;
        let spread = words * (1.0 - (1.0 - 1.0 / words).powi(WARP_SIZE as i32));
        let misses = if crowd < CROWDED_FROM { 0.0 } else { crowd.min(1.0) };
        let accesses = object.accesses.iter().map(|access| {
            let block = facts.func.insts[access.inst].block;
            if self.frequencies.is_cold(block) {
                return 0.0;
            }
            let lines = if is_together(facts, object, access) || is_walked(facts, access) { 1.0 } else { spread };
            let added = LOCAL_LINE * (lines - 1.0) + misses * (LOCAL_MISS + LOCAL_MISS_LINE * lines);
            self.frequencies.of(block) * added
        });
        accesses.sum()
    }

    /// How many times as fast the kernel is without one of its objects in local memory.
    pub fn gain(&self, facts: &Facts, objects: &[StackObject], object: &Object, crowd: f64) -> f64 {
        let all = objects.iter().filter_map(|(_, object)| object.as_ref().ok());
        let added: f64 = all.map(|object| self.added(facts, object, crowd)).sum();
        let time = self.cycles + added;
        time / (time - self.added(facts, object, crowd) + self.divided(facts, object)).max(1.0)
    }

    /// Issue cycles that dividing the indices of an object adds in shared memory.
    fn divided(&self, facts: &Facts, object: &Object) -> f64 {
        let is_part = |access: &&ObjectAccess| {
            let is_variable = constant_offset(facts, object, pointer_of(facts, access)).is_none();
            is_variable && access.size < object.granule()
        };
        let blocks = object.accesses.iter().filter(is_part).map(|access| facts.func.insts[access.inst].block);
        blocks.filter(|&block| !self.frequencies.is_cold(block)).map(|block| self.frequencies.of(block)).sum::<f64>()
            * DIVIDED_INDEX
    }
}

/// Whether a loop around an access adds the same to its place in each iteration.
fn is_walked(facts: &Facts, access: &ObjectAccess) -> bool {
    let func = &facts.func;
    let cycles = &facts.cfg().cycles;
    let block = func.insts[access.inst].block;
    // what a constant was added to
    let origin = |mut value: Value| {
        while let Some(def) = func.def(value) {
            let is_moved = match func.insts[def].opcode {
                Opcode::SExt | Opcode::ZExt | Opcode::Trunc => true,
                Opcode::Add | Opcode::Or => func.constant(func.operands(def)[1]).is_some(),
                _ => false,
            };
            if !is_moved {
                break;
            }
            value = func.operands(def)[0];
        }
        value
    };
    let is_counter = |value: Value| {
        let value = origin(value);
        let Some(phi) = func.def(value).filter(|&def| func.insts[def].opcode == Opcode::Phi) else { return false };
        let header = func.insts[phi].block;
        let Some(cycle) = cycles.cycle_of(header).filter(|&cycle| cycles.header(cycle) == header) else { return false };
        let is_inside = |from: &Block| cycles.contains(cycle, *from);
        let mut next = func.operands(phi).iter().zip(func.incoming(phi)).filter(|(_, from)| is_inside(from));
        cycles.contains(cycle, block) && next.all(|(&next, _)| next != value && origin(next) == value)
    };
    let pointer = func.def(pointer_of(facts, access)).filter(|&def| func.insts[def].opcode == Opcode::Gep);
    pointer.is_some_and(|gep| {
        let terms = func.gep(gep).terms;
        !terms.is_empty() && terms.iter().all(|term| is_counter(func.operands(gep)[term.operand as usize]))
    })
}
