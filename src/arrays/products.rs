//! Would unrolling change which products and sums the back end joins, and so the last bit of a result?
//!
//! Where the flags allow it, the back end joins a product and the sum that uses it into one `fma`, which rounds once, if
//! both are in one block. A product that goes through an object, from one iteration to the next, or into or out of a
//! loop is rounded. If it may meet a sum in one block once the loops are unrolled, it loses the flag that allows joining,
//! unless a sum of its own block uses it, too: then the loops stay.

use super::reject::Reject;
use crate::divergence::Outline;
use crate::entity::{Block, Inst, Value};
use crate::ir::handles::Handles;
use crate::ir::inst::Opcode;
use crate::llvm::handle;
use crate::objects::{AccessKind, Object};
use rustc_hash::FxHashSet;

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
    for (product, data) in func.insts.iter().filter(|(_, data)| data.opcode == Opcode::FMul) {
        if !outline.is_reachable(data.block) || !handles.inst(product).allows_contraction() {
            continue;
        }
        let met = Walk { outline, handles, copied, stores: &stores, loads: &loads, product }.run();
        match met {
            Met { apart: true, here: true } => return Err(Reject::Contraction),
            Met { apart: true, here: false } => found.push(handles.inst(product)),
            Met { apart: false, .. } => {}
        }
    }
    Ok(found)
}

/// Which sums a product meets.
#[derive(Clone, Copy, Default)]
struct Met {
    /// One in its own block, with which it is joined.
    here: bool,
    /// One with which it may be joined only once the loops are unrolled.
    apart: bool,
}

struct Walk<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    copied: &'a FxHashSet<Block>,
    stores: &'a FxHashSet<Inst>,
    loads: &'a [Value],
    product: Inst,
}

impl Walk<'_, '_> {
    fn run(&self) -> Met {
        let func = &self.outline.func;
        let home = func.insts[self.product].block;
        let mut met = Met::default();
        let mut seen = FxHashSet::default();
        // a value, and whether it came through a phi or an object
        let mut open = vec![(func.result(self.product), false)];
        while let Some((value, is_carried)) = open.pop() {
            if !seen.insert((value, is_carried)) {
                continue;
            }
            for &user in self.outline.users(value) {
                let data = &func.insts[user];
                match data.opcode {
                    Opcode::FAdd | Opcode::FSub if self.handles.inst(user).allows_contraction() => {
                        if !is_carried && data.block == home {
                            met.here = true;
                        } else {
                            met.apart |= is_carried || self.copied.contains(&home) || self.copied.contains(&data.block);
                        }
                    }
                    Opcode::Store if self.stores.contains(&user) && func.operands(user)[0] == value => {
                        open.extend(self.loads.iter().map(|&load| (load, true)));
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
