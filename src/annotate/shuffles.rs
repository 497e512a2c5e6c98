//! Which warp-uniform values should be read from lane 0, so that ptxas sees that they are uniform?
//!
//! CUTLASS writes this by hand as `__shfl_sync(~0u, threadIdx.x / 32, 0)`. One shuffle at a leaf makes every branch,
//! loop and address that depends on it uniform for ptxas, and loops can still be unrolled, which a vote prevents.
//!
//! **Legal** for a leaf that is a 32-bit integer in a block that the whole warp executes with lane 0 still running.
//!
//! **Pays** if the shuffle is outside a loop that contains a branch depending on it, or if at least two branches depend
//! on it. For a single branch at the same depth a vote is cheaper.

use super::lane_zero::LaneZero;
use super::ptxas::Ptxas;
use super::sites::{Site, Sites, depth};
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::prices::MAX_SHUFFLES;
use warpwise_ir::entity::{Block, Value};
use warpwise_ir::types::TypeKind;

/// One leaf to be read from lane 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shuffle {
    pub value: Value,
    /// Number of hidden branches that become uniform for ptxas.
    pub branches: u32,
}

/// Picks the leaves that pay.
pub fn shuffles(
    facts: &Facts,
    ptxas: &Ptxas<'_>,
    sites: &Sites<'_>,
    lane_zero: &LaneZero,
    leaves: &[Value],
) -> Vec<Shuffle> {
    let mut picked = Vec::new();
    for &leaf in leaves.iter().take(MAX_SHUFFLES) {
        let Some(place) = place_of(facts, lane_zero, leaf) else { continue };
        let hidden = ptxas.hidden_by(&[leaf]);
        let shuffle_depth = depth(facts, place);
        let (mut branches, mut deeper) = (0, false);
        for block in hidden.branches() {
            if matches!(sites.of(block), Site::Region | Site::LoopEnd) {
                branches += 1;
                deeper |= sites.depth(block) > shuffle_depth;
            }
        }
        if deeper || branches >= 2 {
            picked.push(Shuffle { value: leaf, branches });
        }
    }
    picked
}

/// The block in which a leaf can be shuffled.
fn place_of(facts: &Facts, lane_zero: &LaneZero, leaf: Value) -> Option<Block> {
    let func = &facts.func;
    let home = func.insts[func.def(leaf)?].block;
    (func.type_info(leaf).kind == TypeKind::Int(32) && lane_zero.is_there(facts, home)).then_some(home)
}
