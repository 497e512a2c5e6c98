//! Which loads gain from being in flight together, and which are held up by something else than their latency?

use super::body::Body;
use super::origin::Origin;
use super::reject::Reject;
use super::trips::Way;
use warpwise_analysis::access::{Pattern, SECTOR, Space, WarpAccess, access};
use warpwise_analysis::gpu::prices::WHOLE_LINE;
use warpwise_ir::entity::Inst;
use warpwise_ir::inst::Opcode;

/// The loads of a loop whose latency is worth hiding, or why more of them in flight would do harm.
pub fn check(body: &Body<'_>, way: Way) -> Result<Vec<Inst>, Reject> {
    let mut loads = Vec::new();
    for inst in body.insts.iter().copied().filter(|&inst| body.func.insts[inst].opcode == Opcode::Load) {
        let Some(found) = access(body.facts, inst, None) else { continue };
        if matches!(found.space, Space::Global | Space::Generic) && body.is_changing(inst) {
            if found.pattern != Pattern::Same {
                // other warps take the rest of each line, the later the more of them are in flight
                if found.bytes < WHOLE_LINE {
                    return Err(Reject::Narrow);
                }
                if is_scattered(body, &found, way) {
                    return Err(Reject::Scattered);
                }
            }
            loads.push(inst);
        }
    }
    Ok(loads)
}

/// Whether each lane is known to load from a sector of its own, or gathers from places that were loaded. Where threads step
/// over each other, few of them may run, and then the latency counts.
fn is_scattered(body: &Body<'_>, found: &WarpAccess, way: Way) -> bool {
    way == Way::Counted
        && match found.pattern {
            Pattern::Stride(bytes) => bytes.abs() >= SECTOR,
            Pattern::Symbolic { .. } | Pattern::Scattered => true,
            Pattern::Unknown => {
                !body.facts.class(found.pointer).is_uniform() && Origin::of(body, [found.pointer]).is_loaded
            }
            Pattern::Same => false,
        }
}
