//! Would unrolling change which products and sums the back end joins, and so the last bit of a result?
//!
//! A product that goes through an object or from one iteration to the next is rounded, and so is one that something other
//! than sums uses and that goes into or out of a loop ([`contraction`](warpwise_analysis::contraction)). If it may meet
//! a sum once the loops are unrolled, it is kept apart, unless it is joined with another sum now: then the loops stay. So
//! they do where a float that was rounded to `float` may meet its rounding to `half`, which the back end joins, too.

use super::reject::Reject;
use rustc_hash::FxHashSet;
use warpwise_analysis::contraction::{Joins, Pair};
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::{AccessKind, Object};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle;

/// The products that must be rounded by themselves if the loops with these blocks are unrolled and the objects are
/// registers.
pub fn to_round<'m>(
    outline: &Outline,
    handles: &Handles<'m>,
    copied: &FxHashSet<Block>,
    objects: &[&Object],
) -> Result<Vec<handle::Inst<'m>>, Reject> {
    let func = &outline.func;
    let of_kind = |wanted: AccessKind| {
        let accesses = objects.iter().flat_map(|object| &object.accesses);
        accesses.filter(move |access| access.kind == wanted).map(|access| access.inst)
    };
    let stores: FxHashSet<Inst> = of_kind(AccessKind::Store).collect();
    let loads: Vec<Value> = of_kind(AccessKind::Load).map(|load| func.result(load)).collect();
    let mut found = Vec::new();
    for product in func.insts.keys().filter(|&inst| outline.is_reachable(func.insts[inst].block)) {
        let inst = handles.inst(product);
        let Some(pair) = Pair::ALL.into_iter().find(|pair| pair.begins_with(inst)) else { continue };
        let met =
            Walk { joins: Joins::new(outline, handles), copied, stores: &stores, loads: &loads, product, pair }.run();
        let can_stay_apart = pair == Pair::MultiplyAdd && Editor::rounds_alone(inst.ty());
        match met {
            Met { apart: true, here: false } if can_stay_apart => found.push(inst),
            Met { apart: true, .. } => return Err(Reject::Contraction),
            Met { apart: false, .. } => {}
        }
    }
    Ok(found)
}

/// Which sums a product meets.
#[derive(Clone, Copy, Default)]
struct Met {
    /// One with which it is joined.
    here: bool,
    /// One with which it may be joined only once the loops are unrolled.
    apart: bool,
}

struct Walk<'a, 'm> {
    joins: Joins<'a, 'm>,
    copied: &'a FxHashSet<Block>,
    stores: &'a FxHashSet<Inst>,
    loads: &'a [Value],
    product: Inst,
    /// What the product, or the first narrowing, begins.
    pair: Pair,
}

impl Walk<'_, '_> {
    fn run(&self) -> Met {
        let joins = &self.joins;
        let func = &joins.outline.func;
        let home = func.insts[self.product].block;
        let cycles = &joins.outline.cfg().cycles;
        let is_header = |block: Block| cycles.cycle_of(block).is_some_and(|cycle| cycles.header(cycle) == block);
        let mut met = Met::default();
        let mut seen = FxHashSet::default();
        // a value, and whether it came through a phi or an object
        let mut open = vec![(func.result(self.product), false)];
        while let Some((value, is_carried)) = open.pop() {
            if !seen.insert((value, is_carried)) {
                continue;
            }
            for &user in joins.outline.users(value) {
                let data = &func.insts[user];
                match data.opcode {
                    _ if self.pair.ends_with(joins.handles.inst(user)) => {
                        let adds_it =
                            || func.operands(user).iter().any(|&value| joins.product(value) == Some(self.product));
                        if !is_carried && (data.block == home || (adds_it() && joins.is_joined(self.product, user))) {
                            met.here = true;
                        } else {
                            met.apart |= is_carried || self.copied.contains(&home) || self.copied.contains(&data.block);
                        }
                    }
                    Opcode::Store if self.stores.contains(&user) && func.operands(user)[0] == value => {
                        open.extend(self.loads.iter().map(|&load| (load, true)));
                    }
                    // LLVM may make one product of those that meet here, behind the phi
                    Opcode::Phi if !is_header(data.block) && joins.may_meet_sum(self.product) => {
                        return Met { here: true, apart: true };
                    }
                    Opcode::Phi => open.push((func.result(user), true)),
                    opcode if opcode.passes_on_product() => open.push((func.result(user), is_carried)),
                    _ => {}
                }
            }
        }
        met
    }
}
