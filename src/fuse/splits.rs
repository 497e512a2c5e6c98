//! How likely is a divergent branch to split a warp, if no divergence map counted it?
//!
//! | condition | warps split |
//! |---|---|
//! | compares a number that increases from lane to lane with one on which all lanes agree | one warp of a block |
//! | depends in another way on nothing but the lane's number and what all lanes agree on: `tid & 1`, `(tid ^ i) % 3` | every warp |
//! | depends on data | [`DATA_SPLITS`] of the warps |
//!
//! Conditions that depend on data are often the same in all lanes: bounds, flags of a phase, slow paths of library
//! functions.

use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::occupancy::expected_threads;
use warpwise_analysis::gpu::prices::DATA_SPLITS;
use warpwise_ir::entity::{Block, Value};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::inst::{Opcode, Predicate};

/// Maximum number of operations through which a condition is followed.
const DEPTH: u32 = 12;

/// The fraction of the warps reaching the branch at the end of a block that it splits.
pub fn chance(facts: &Facts, entry: Block) -> f64 {
    let func = &facts.func;
    let Some(&condition) = func.operands(func.terminator(entry)).first() else { return 1.0 };
    if !is_of_lane(facts, condition, entry, DEPTH) {
        return DATA_SPLITS;
    }
    let compare = func.def(condition).filter(|&def| func.insts[def].opcode == Opcode::ICmp);
    let is_threshold = compare.is_some_and(|compare| {
        let grows = |&value: &Value| facts.scope_at_use(value, entry).is_some() || facts.form(value).is_some();
        Predicate::from_sub(func.insts[compare].sub).is_some() && func.operands(compare).iter().all(grows)
    });
    let warps = expected_threads(&facts.geometry).div_ceil(WARP_SIZE).max(1);
    if is_threshold { 1.0 / f64::from(warps) } else { 1.0 }
}

/// Whether a value depends on nothing but the lane's number and what all lanes agree on.
fn is_of_lane(facts: &Facts, value: Value, block: Block, depth: u32) -> bool {
    use Opcode::{Freeze, ICmp, SExt, Select, Trunc, ZExt};
    let func = &facts.func;
    if facts.scope_at_use(value, block).is_some() || facts.form(value).is_some() {
        return true;
    }
    let Some(def) = func.def(value).filter(|_| depth > 0) else { return false };
    let (opcode, home) = (func.insts[def].opcode, func.insts[def].block);
    let is_arithmetic =
        opcode.is_integer_arithmetic() || matches!(opcode, ICmp | Select | ZExt | SExt | Trunc | Freeze);
    is_arithmetic && func.operands(def).iter().all(|&operand| is_of_lane(facts, operand, home, depth - 1))
}
