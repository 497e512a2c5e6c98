//! Would unrolling change which products and sums the back end joins, and so the last bit of a result?
//!
//! A product that goes through an object or from one iteration to the next is rounded, and so is one that something other
//! than sums uses and that goes to another block ([`contraction`](warpwise_analysis::contraction)): once the objects are
//! registers and the loops gone, that block may be its own. If it may meet a sum then, it is kept apart, unless it is joined
//! with another sum now: then the loops stay. So they do where a float that was rounded to `float` may meet its rounding to
//! `half`, which the back end joins, too.

use rustc_hash::FxHashSet;
use warpwise_analysis::contraction::raw::Pins;
use warpwise_analysis::contraction::{Joins, Pair};
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::{AccessKind, Object};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle;

/// The products that must be rounded by themselves if loops are unrolled and the objects are registers, and the sums that must
/// stay joined although they [may leave](Joins::leaving) their product; `None` if that cannot be, or if the objects are used
/// where [other code](warpwise_analysis::contraction::raw::undecided) decides.
pub fn pins<'m>(outline: &Outline, handles: &Handles<'m>, objects: &[&Object]) -> Option<Pins<'m>> {
    let func = &outline.func;
    let of_kind = |is_wanted: fn(AccessKind) -> bool| {
        let accesses = objects.iter().flat_map(|object| &object.accesses);
        accesses.filter(move |access| is_wanted(access.kind)).map(|access| access.inst)
    };
    let stores: FxHashSet<Inst> = of_kind(|kind| kind == AccessKind::Store).collect();
    let loads: Vec<Value> = of_kind(|kind| kind == AccessKind::Load).map(|load| func.result(load)).collect();
    let filled: Vec<Inst> = of_kind(|kind| !matches!(kind, AccessKind::Load | AccessKind::Store)).collect();
    let joins = Joins::early(outline, handles);
    let homes = objects.iter().flat_map(|object| &object.accesses).map(|access| &func.insts[access.inst].block);
    if joins.are_undecided(homes) {
        return None;
    }
    let (mut alone, mut joined) = (Vec::new(), FxHashSet::default());
    for product in func.insts.keys().filter(|&inst| outline.is_reachable(func.insts[inst].block)) {
        let inst = handles.inst(product);
        let Some(pair) = Pair::ALL.into_iter().find(|pair| pair.begins_with(inst)) else { continue };
        let met = Walk { joins, stores: &stores, loads: &loads, filled: &filled, product, pair }.run();
        let can_stay_apart = pair == Pair::MultiplyAdd && Editor::rounds_alone(inst.ty());
        match met {
            Met { apart: true, here: false } if can_stay_apart => alone.push(inst),
            Met { apart: true, .. } => return None,
            Met { apart: false, here } if here && pair == Pair::MultiplyAdd => joined.extend(joins.leaving(product)),
            Met { apart: false, .. } => {}
        }
    }
    let mut joined: Vec<Inst> = joined.into_iter().collect();
    joined.sort_unstable();
    let joined: Vec<handle::Inst<'m>> = joined.into_iter().map(|sum| handles.inst(sum)).collect();
    Pins::some(handles.function, &joined, alone)
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
    stores: &'a FxHashSet<Inst>,
    loads: &'a [Value],
    /// What fills or copies the objects as a whole.
    filled: &'a [Inst],
    product: Inst,
    /// What the product, or the first narrowing, begins.
    pair: Pair,
}

impl Walk<'_, '_> {
    /// Whether the back end writes a loop between the product and a sum of its block, which ends with the objects.
    fn are_parted(&self, sum: Inst) -> bool {
        let home = |inst: &Inst| self.joins.outline.func.insts[*inst].block;
        let is_between = |inst: &Inst| (self.product..sum).contains(inst) && home(inst) == home(&sum);
        self.filled.iter().any(is_between)
    }

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
                        let is_near = data.block == home && !self.are_parted(user);
                        if !is_carried && (is_near || adds_it() && joins.users(self.product).len() == 1) {
                            met.here = true;
                        } else {
                            met.apart = true;
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
