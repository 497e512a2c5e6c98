//! How much would a kernel lose if shared memory took this many bytes of its multiprocessor's first-level cache?
//!
//! 1. **Gathers** are loads in loops, outside [cold](Frequencies::is_cold) code, for which a warp reads many sectors at
//!    once: either lanes are a sector or more apart ([`stride`]), or the address depends on what they loaded before
//!    ([`LaneDistance`]). They depend on what the cache kept from other lanes and earlier iterations. Neighbouring
//!    fields of an element count once.
//! 2. **Price.** A kernel that consists only of gathers takes `1 + taken / (3/4 of the memory)` times as long if shared
//!    memory takes `taken` bytes (H200: 24 KB 1.04, 56 KB 1.2, 92 KB 1.5, 156 KB 1.75, 220 KB 2.2). What is taken
//!    increases in the steps in which the hardware divides the memory.
//! 3. **Worth.** Once the stack objects of all resident threads fill a good part of the cache, a local-memory access
//!    whose address differs between lanes costs as much as one and a half gathers or more. Below that, and for accesses
//!    at the same address in all lanes, it costs little: an object that is only accessed in the latter way stays as
//!    long as the cache has room for all objects. An object moves if it is worth [`CACHE_MARGIN`] times the price.
//!
//! Cost: one look at every load. Source: our measurements; we know of no work that decides by this.

use crate::local_memory::reject::Reject;
use crate::shared_memory::budget::SharedBudget;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::rc::Rc;
use warpwise_analysis::access::lane_distance::LaneDistance;
use warpwise_analysis::access::{self, Cost, Pattern, SECTOR, Space};
use warpwise_analysis::cost::frequency::{Frequencies, is_in_loop};
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::prices::{
    CACHE_MARGIN, CACHE_MARGIN_OF_VERSIONS, CROWDED_FROM, GATHERS_DOUBLE_AT, MANY_SECTORS, SCATTERED_LOCAL,
    SCATTERED_LOCAL_CACHED, UNIFORM_LOCAL,
};
use warpwise_analysis::objects::address::is_together;
use warpwise_analysis::objects::selected::stays_in_registers;
use warpwise_analysis::objects::{Object, ObjectAccess};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;

/// How a kernel uses the first-level cache.
pub struct Cache<'m> {
    frequencies: Rc<Frequencies<'m>>,
    /// Loads in loops that go through the cache, and the sum of their expected executions.
    loads: Vec<Inst>,
    weight: f64,
    /// Expected executions of the loads that are gathers, and the gather that runs most often; computed when first
    /// requested.
    gathers: OnceCell<Option<(f64, Inst)>>,
    /// Size of a thread's stack objects, in bytes.
    objects: u64,
}

impl<'m> Cache<'m> {
    /// For a function whose stack objects have this size in total, in bytes.
    pub fn of(outline: &Outline, frequencies: Rc<Frequencies<'m>>, objects: u64) -> Cache<'m> {
        let func = &outline.func;
        let is_cached = |inst: &Inst| {
            let data = &func.insts[*inst];
            data.opcode == Opcode::Load
                && is_in_loop(outline, data.block)
                && matches!(access::space_of(func, func.operands(*inst)[0]), Space::Global | Space::Generic)
                && !frequencies.is_cold(data.block)
        };
        let loads: Vec<Inst> = func.insts.keys().filter(is_cached).collect();
        let weight = loads.iter().map(|&load| frequencies.of(func.insts[load].block)).sum();
        Cache { frequencies, loads, weight, gathers: OnceCell::new(), objects }
    }

    fn gathers(&self, facts: &Facts) -> Option<(f64, Inst)> {
        *self.gathers.get_or_init(|| {
            let func = &facts.func;
            let mut elements: FxHashSet<(Block, Value)> = FxHashSet::default();
            let mut distance = LaneDistance::new(facts);
            let (mut all, mut heaviest) = (0.0, None::<(f64, Inst)>);
            for &load in &self.loads {
                let (block, pointer) = (func.insts[load].block, func.operands(load)[0]);
                let Some(access) = access::access(facts, load, None) else { continue };
                let is_gather = match (&access.pattern, access.cost) {
                    (Pattern::Same, _) => false,
                    (Pattern::Unknown, _) => distance.of(pointer, block).is_none_or(|apart| apart >= SECTOR as u64),
                    (_, Cost::Sectors { needed, .. }) => needed > MANY_SECTORS,
                    _ => true,
                };
                if is_gather && elements.insert((block, facts.func.without_offset(pointer).0)) {
                    let weight = self.frequencies.of(block);
                    all += weight;
                    if heaviest.is_none_or(|(most, _)| weight > most) {
                        heaviest = Some((weight, load));
                    }
                }
            }
            heaviest.map(|(_, load)| (all, load))
        })
    }

    /// Why an object is not worth any room taken from the cache.
    pub fn reason_to_stay(&self, outline: &Outline, object: &Object) -> Option<Reject> {
        if stays_in_registers(outline, object) {
            return Some(Reject::InRegisters { words: object.size.div_ceil(4) });
        }
        let at = object.accesses.first()?.inst;
        let mut used = self.used(outline, object).map(|(_, block)| block).peekable();
        if used.peek().is_none() {
            return Some(Reject::Cold { at });
        }
        let weights = used.map(|block| self.frequencies.of(block));
        let (most, all) = weights.fold((0.0f64, 0.0), |(most, all), weight| (most.max(weight), all + weight));
        (most <= 1.0 && all < self.weight).then_some(Reject::OutsideLoops { at })
    }

    /// The size of the stack objects of all resident threads, as a share of the memory.
    pub fn crowd(&self, budget: &SharedBudget) -> f64 {
        (self.objects * u64::from(budget.resident_threads())) as f64 / budget.chip.unified_bytes as f64
    }
    /// Whether the stack objects of all resident threads exceed the cache.
    pub fn is_full(&self, budget: &SharedBudget) -> bool {
        self.crowd(budget) >= 1.0
    }

    /// Why an object is not worth a copy per thread that takes `bytes` of shared memory for a block.
    pub fn price(&self, facts: &Facts, object: &Object, budget: &SharedBudget, bytes: u64) -> Result<(), Reject> {
        let unified = budget.chip.unified_bytes as f64;
        let crowd = self.crowd(budget);
        let at = object.accesses.first().map(|access| access.inst);
        if let Some(at) = at.filter(|_| crowd < CROWDED_FROM)
            && self.used(facts, object).all(|(access, _)| is_together(facts, object, access))
        {
            return Err(Reject::Cached { at });
        }
        let Some((gathers, at)) = self.gathers(facts) else { return Ok(()) };
        let taken = budget.takes_from_cache(bytes);
        let apart = if crowd < CROWDED_FROM { SCATTERED_LOCAL_CACHED } else { SCATTERED_LOCAL * crowd };
        let worth = |(access, block): (&ObjectAccess, Block)| {
            self.frequencies.of(block) * if is_together(facts, object, access) { UNIFORM_LOCAL } else { apart }
        };
        let worth: f64 = self.used(facts, object).map(worth).sum();
        let margin = if budget.any_block { CACHE_MARGIN_OF_VERSIONS } else { CACHE_MARGIN };
        let price = margin * gathers * taken as f64 / (GATHERS_DOUBLE_AT * unified);
        if worth < price { Err(Reject::Cache { taken, at }) } else { Ok(()) }
    }

    fn used<'a>(&'a self, outline: &'a Outline, object: &'a Object) -> impl Iterator<Item = (&'a ObjectAccess, Block)> {
        let block = |access: &'a ObjectAccess| (access, outline.func.insts[access.inst].block);
        object.accesses.iter().map(block).filter(|(_, block)| !self.frequencies.is_cold(*block))
    }
}
