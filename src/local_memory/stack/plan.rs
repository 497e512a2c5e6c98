//! Which stack objects move to shared memory, and as how many copies?
//!
//! 1. [`stack_objects`](warpwise_analysis::objects::stack_objects) follows every address (legality).
//! 2. Legality of a placement. **One copy per thread** needs nothing more: each thread reads and writes its own bytes,
//!    so under no schedule can two threads interfere. **One copy per warp** requires that every write stores a value on
//!    which all lanes of the warp agree, at an offset on which they agree, in a warp-convergent block. Every lane still
//!    performs the write, so its reads follow its own write. A lane that runs ahead could overwrite what a slower one
//!    has yet to read; a write therefore waits for the warp (`bar.warp.sync`) unless every other access to its bytes
//!    follows it in every lane. Such a barrier is legal in blocks that the whole warp executes. Lanes that have exited
//!    do not count, and a lane that left through a return of its own performs its reads before it exits, and thus
//!    before the barrier opens.
//!    **A constant** must satisfy what [`contents`] checks, and needs neither a slot nor a launch bound.
//! 3. Profit: objects are taken in order of executed accesses per byte, as long as the shared-memory budget has room. A
//!    copy per warp is used if it needs no barrier in a loop, or if there is no room for a copy per thread. Shared
//!    memory is taken from the first-level cache, whatever it is used for. An object therefore stays if it is used only
//!    in [cold](Frequencies::is_cold) code, only outside loops and less often than loops load, if it gains less than
//!    [gathers](super::cache) lose, if it is used little compared with objects that stay anyway, or if `ptxas` keeps it
//!    in registers.
//!
//! Cost: linear in uses, but for objects that could have warp copies, whose accesses are compared with their writes.

use super::cache::Cache;
use super::gain::Foreseen;
use crate::analyses::FunctionAnalyses;
use crate::local_memory::reject::Reject;
use crate::shared_memory::budget::SharedBudget;
use crate::shared_memory::layout;
use crate::shared_memory::room::NoShared;
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_analysis::cost::frequency::{Frequencies, is_in_loop};
use warpwise_analysis::cost::issue::Costs;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::prices::{KEPT_PART, LESS_USED_PART, MAX_CONSTANT, STACK_MIN_GAIN};
use warpwise_analysis::objects::address::{are_apart, is_together, offset_is_uniform, pointer_of};
use warpwise_analysis::objects::constant::contents;
use warpwise_analysis::objects::selected::stays_in_registers;
use warpwise_analysis::objects::{AccessKind, Object, ObjectAccess, StackObject, Unfollowed, joined_object};
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::inst::Opcode;

/// Where an object is placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Placement {
    /// One copy per thread, interleaved in granules of this many bytes.
    Thread { granule: u64 },
    /// One copy per warp; these writes first wait for the warp.
    Warp { barriers: Vec<Inst> },
    /// A constant of the program; in constant memory if the lanes of a warp read the same address (`together`).
    Constant { contents: Vec<u8>, together: bool },
}

/// One object that moves.
pub struct Move {
    pub object: Object,
    pub placement: Placement,
    /// Bytes of shared memory for a block.
    pub bytes: u64,
    /// How many times as fast the kernel is expected to be, if that was computed.
    pub gain: Option<f64>,
    /// Of how many resident blocks one must stay.
    pub part: u32,
}

impl Move {
    /// Bytes of shared memory for this many threads.
    pub fn bytes_for(&self, threads: u32) -> u64 {
        match &self.placement {
            Placement::Thread { granule } => layout::thread_bytes(self.object.size, *granule, threads),
            Placement::Warp { .. } => layout::warp_bytes(self.object.size, threads),
            Placement::Constant { .. } => 0,
        }
    }
}

/// What is done with the stack objects of a function.
#[derive(Default)]
pub struct StackPlan {
    pub moves: Vec<Move>,
    /// Refusals, each with the address of the object.
    pub refusals: Vec<(Value, Reject)>,
}

/// Plans the stack objects that need no memory of their own, in kernels and in functions they call: those that become
/// constants of the program. If slots are available (there is a launch bound), objects that lanes read at different addresses
/// are left for them: a copy per warp is faster.
pub fn plan_constants(analyses: &mut FunctionAnalyses<'_>) -> StackPlan {
    let mut found = StackPlan::default();
    let objects = analyses.objects();
    let (outline, handles) = (analyses.outline(), &analyses.handles);
    let objects = objects.iter().filter_map(|(address, object)| match object {
        Ok(object) => Some(object.clone()),
        Err(Unfollowed::Mixed { .. }) => joined_object(outline, handles, *address),
        Err(_) => None,
    });
    let filled: Vec<(Object, Vec<u8>)> =
        objects.filter_map(|object| Some((object.clone(), contents(outline, handles, &object)?))).collect();
    if filled.is_empty() {
        return found;
    }
    let facts = analyses.facts();
    let (func, geometry) = (&facts.func, &facts.geometry);
    let bounded = func.is_kernel && (geometry.exact.is_some() || geometry.max_threads.is_some());
    for (object, contents) in filled {
        let mut reads = object.accesses.iter().filter(|access| access.reads());
        let is_uniform = |read: &ObjectAccess| {
            offset_is_uniform(facts, &object, pointer_of(facts, read), func.insts[read.inst].block)
        };
        let together = object.size <= MAX_CONSTANT && !object.is_joined && reads.all(is_uniform);
        if bounded && !together && !object.is_joined {
            continue;
        }
        let bytes = object.size;
        found.moves.push(Move {
            object,
            placement: Placement::Constant { contents, together },
            bytes,
            gain: None,
            part: 1,
        });
    }
    found
}

/// Decides for one kernel. `room` is the shared memory available, or why there is none; what is planned is taken from
/// it. With `anything`, cold objects move too.
pub fn plan(
    analyses: &mut FunctionAnalyses<'_>,
    room: &mut Result<SharedBudget, NoShared>,
    anything: bool,
) -> StackPlan {
    let mut found = StackPlan::default();
    let objects = analyses.objects();
    // most accesses per byte first; ties in function order
    let mut ranked: Vec<(f64, &Object)> = Vec::new();
    let profit = (!anything && objects.iter().any(|(_, object)| object.is_ok())).then(|| {
        let outline = analyses.outline();
        let local = objects.iter().filter_map(|(_, object)| object.as_ref().ok());
        let local = local.filter(|object| !stays_in_registers(outline, object));
        let costs = Costs::of(analyses.handles.function);
        Estimates {
            cache: Cache::of(outline, analyses.frequencies(), local.map(|object| object.size).sum()),
            foreseen: Foreseen::of(outline, costs, analyses.frequencies()),
        }
    });
    for (address, object) in objects.iter() {
        let object = match object {
            Ok(object) => object,
            Err(reject) => {
                found.refusals.push((*address, reject.clone().into()));
                continue;
            }
        };
        let reason = profit.as_ref().and_then(|profit| profit.cache.reason_to_stay(analyses.outline(), object));
        match reason {
            None => ranked.push((
                executions(analyses.outline(), &analyses.frequencies(), object) / object.size.max(1) as f64,
                object,
            )),
            Some(reason) => found.stays(analyses, object, reason),
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.address.cmp(&b.1.address)));
    for (_, object) in ranked {
        match room {
            Err(reject) => {
                let reason = match reject {
                    NoShared::NoBound { .. } => NoShared::no_bound(object.size),
                    other => other.clone(),
                };
                found.refusals.push((object.address, reason.into()));
            }
            Ok(budget) => match worthwhile(analyses.facts(), profit.as_ref(), &objects, object, budget) {
                Ok(planned) => {
                    budget.take(planned.bytes);
                    found.moves.push(planned);
                }
                Err(reason) => found.stays(analyses, object, reason),
            },
        }
    }
    if let (Some(_), Ok(budget)) = (&profit, room) {
        leave_less_used(analyses, &objects, budget, &mut found);
    }
    found.moves.sort_by_key(|planned| planned.object.address);
    found.refusals.sort_by_key(|refusal| refusal.0);
    found
}

impl StackPlan {
    /// Bytes of shared memory for this many threads.
    pub fn bytes(&self, threads: u32) -> u64 {
        self.moves.iter().map(|planned| planned.bytes_for(threads)).sum()
    }

    /// An object that is not worth shared memory may still become a constant.
    fn stays(&mut self, analyses: &FunctionAnalyses<'_>, object: &Object, reason: Reject) {
        match contents(analyses.outline(), &analyses.handles, object) {
            Some(contents) => {
                let placement = Placement::Constant { contents, together: false };
                self.moves.push(Move { object: object.clone(), placement, bytes: 0, gain: None, part: 1 });
            }
            None => self.refusals.push((object.address, reason)),
        }
    }
}

/// Expected executions of the accesses to an object, for each entry of the function.
fn executions(outline: &Outline, frequencies: &Frequencies<'_>, object: &Object) -> f64 {
    let blocks = object.accesses.iter().map(|access| outline.func.insts[access.inst].block);
    blocks.map(|block| frequencies.of(block)).sum()
}

/// If objects for which there is no room exceed the whole cache, others that are used little in comparison stay too; and
/// all stay if what they leave of the cache has no room for what stays of a single warp. (A kernel of one warp for each
/// multiprocessor that kept 5 KB a thread took 2.2 times as long when 120 bytes had moved, on an H200.)
fn leave_less_used(
    analyses: &FunctionAnalyses<'_>,
    objects: &[StackObject],
    budget: &SharedBudget,
    found: &mut StackPlan,
) {
    let (outline, frequencies) = (analyses.outline(), analyses.frequencies());
    let executions = |object: &Object| executions(outline, &frequencies, object);
    let is_left = |address: Value| {
        found
            .refusals
            .iter()
            .any(|(refused, reason)| *refused == address && matches!(reason, Reject::NoShared(NoShared::NoRoom(_))))
    };
    let left = objects.iter().filter(|(address, _)| is_left(*address)).filter_map(|(_, object)| object.as_ref().ok());
    let (others, weight) =
        left.fold((0, 0.0), |(size, weight), object| (size + object.size, weight + executions(object)));
    let StackPlan { moves, refusals } = found;
    let left = budget.left_of_cache();
    let exceed = others * u64::from(budget.resident_threads()) >= budget.chip.unified_bytes;
    moves.retain(|planned| {
        let reason = if planned.bytes == 0 {
            None
        } else if others * u64::from(WARP_SIZE) > left {
            Some(Reject::Displaces { others, left })
        } else {
            let is_less_used = exceed && executions(&planned.object) * LESS_USED_PART < weight;
            is_less_used.then_some(Reject::LessUsed { others })
        };
        let stays = reason.is_none();
        refusals.extend(reason.map(|reason| (planned.object.address, reason)));
        stays
    });
}

/// The largest number of registers that moving objects can additionally keep alive between blocks: the bases of slots;
/// for an index whose address is needed in another block, the index and that address; what replaces a phi or a select.
/// Everything else is computed in the block that accesses the slot.
pub fn most_added(outline: &Outline, pressure: &Pressure, plan: &StackPlan) -> u32 {
    let func = &outline.func;
    let derived = || plan.moves.iter().flat_map(|planned| planned.object.derived.iter().copied());
    let indices = |inst: Inst| {
        let operands = func.operands(inst);
        let terms = func.gep(inst).terms.iter();
        terms.map(move |term| pressure.register_of(operands[term.operand as usize]))
    };
    // addresses computed from the same index share a register
    let mut homes: FxHashMap<Value, Block> = FxHashMap::default();
    let mut several: FxHashSet<Value> = FxHashSet::default();
    for inst in derived().filter(|&inst| func.insts[inst].opcode == Opcode::Gep) {
        let block = func.insts[inst].block;
        several.extend(indices(inst).filter(|&index| *homes.entry(index).or_insert(block) != block));
    }
    let stays = |inst: Inst| {
        let here = |user: &Inst| {
            let data = &func.insts[*user];
            data.block == func.insts[inst].block && data.opcode != Opcode::Phi
        };
        outline.users(func.result(inst)).iter().all(here) && indices(inst).all(|index| !several.contains(&index))
    };
    let added = |inst: Inst| match func.insts[inst].opcode {
        Opcode::Gep if stays(inst) => 0,
        Opcode::Gep => 4 * func.gep(inst).terms.len() as u32,
        Opcode::Phi | Opcode::Select => 2 + 2 * func.operands(inst).len() as u32,
        _ => 0,
    };
    2 * plan.moves.len() as u32 + derived().map(added).sum::<u32>()
}

/// What decides whether a move pays.
struct Estimates<'m> {
    cache: Cache<'m>,
    foreseen: Foreseen<'m>,
}

/// The move of an object to shared memory, if it is worth what the cache and occupancy lose.
fn worthwhile(
    facts: &Facts,
    profit: Option<&Estimates<'_>>,
    objects: &[StackObject],
    object: &Object,
    budget: &SharedBudget,
) -> Result<Move, Reject> {
    let is_full = profit.is_some_and(|profit| profit.cache.is_full(budget));
    let (placement, bytes, part) = place(facts, object, budget, is_full)?;
    let mut gain = None;
    if let (Some(Estimates { cache, foreseen }), Placement::Thread { .. }) = (profit, &placement) {
        cache.price(facts, object, budget, bytes)?;
        let foreseen = foreseen.gain(facts, objects, object, cache.crowd(budget));
        if foreseen < STACK_MIN_GAIN {
            return Err(Reject::LittleGain { gain: foreseen, least: STACK_MIN_GAIN });
        }
        gain = Some(foreseen);
    }
    Ok(Move { object: object.clone(), placement, bytes, gain, part })
}

/// The place of an object in shared memory, its size there, and of how many resident blocks one must stay. `crowded`:
/// the objects do not fit the cache.
fn place(
    facts: &Facts,
    object: &Object,
    budget: &SharedBudget,
    crowded: bool,
) -> Result<(Placement, u64, u32), Reject> {
    let granule = object.granule();
    let thread_bytes = layout::thread_bytes(object.size, granule, budget.threads);
    let may_cost = !budget.keeps_all && may_cost_blocks(facts, object, crowded);
    let part = if may_cost { KEPT_PART } else { 1 };
    let thread_room = budget.check_keeping(thread_bytes, part);
    if let Some(barriers) = warp_barriers(facts, object) {
        let bytes = layout::warp_bytes(object.size, budget.threads);
        let free = barriers.iter().all(|&inst| !is_in_loop(facts, facts.func.insts[inst].block));
        if (free || thread_room.is_err()) && budget.check(bytes).is_ok() {
            return Ok((Placement::Warp { barriers }, bytes, 1));
        }
    }
    thread_room.map_err(NoShared::from)?;
    Ok((Placement::Thread { granule }, thread_bytes, part))
}

/// Whether a loop accesses the object; unless the cache has no room for it, also at addresses that differ between
/// lanes. In local memory such an access goes to as many sectors as there are addresses, in shared memory to one bank
/// for each lane.
fn may_cost_blocks(facts: &Facts, object: &Object, crowded: bool) -> bool {
    object.accesses.iter().any(|access| {
        let block = facts.func.insts[access.inst].block;
        is_in_loop(facts, block) && (crowded || !is_together(facts, object, access))
    })
}

/// The writes that must wait for the warp if it shares one copy; `None` if it cannot share one.
fn warp_barriers(facts: &Facts, object: &Object) -> Option<Vec<Inst>> {
    let func = &facts.func;
    let writes: Vec<&ObjectAccess> = object.accesses.iter().filter(|access| access.writes()).collect();
    for write in &writes {
        let block = func.insts[write.inst].block;
        let operands = func.operands(write.inst);
        let (value, address) = match write.kind {
            AccessKind::Store => (operands[0], operands[1]),
            AccessKind::Set => (operands[1], operands[0]),
            _ => return None,
        };
        let agreed = facts.is_convergent(block)
            && facts.scope_at_use(value, block).is_some()
            && offset_is_uniform(facts, object, address, block);
        if !agreed {
            return None;
        }
    }
    let waits = |write: &&&ObjectAccess| {
        object.accesses.iter().any(|other| {
            let other_store = other.writes() && !other.reads() && other.inst != write.inst;
            let harmless = other_store && are_apart(facts, object, other, write);
            !always_follows(facts, other.inst, write.inst) && !harmless
        })
    };
    Some(writes.iter().filter(waits).map(|write| write.inst).collect())
}

/// Whether every lane that reaches an access has executed this write before, exactly once, and does not execute it
/// again. The write counts as following itself if it is executed once.
fn always_follows(outline: &Outline, access: Inst, write: Inst) -> bool {
    let func = &outline.func;
    let (at, from) = (func.insts[access].block, func.insts[write].block);
    let after = if at == from { access >= write } else { outline.dominators().dominates(from, at) };
    // a way back makes a cycle of both
    let cycles = &outline.cfg().cycles;
    let comes_back = || cycles.outermost_of(at).is_some_and(|cycle| cycles.contains(cycle, from));
    after && !comes_back()
}
