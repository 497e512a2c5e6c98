//! Which warp-uniform values should be read from lane 0, so that ptxas sees that they are uniform?
//!
//! CUTLASS writes this by hand as `__shfl_sync(~0u, threadIdx.x / 32, 0)`. One shuffle at a leaf makes every branch,
//! loop and address that depends on it uniform for ptxas, and loops can still be unrolled, which a vote prevents.
//!
//! **Legal** for a leaf that is a 32-bit integer in a block that the whole warp executes with lane 0 still running.
//! Elsewhere, a leaf that is a shift or mask of `tid.x`, or is `tid.y` or `tid.z` itself, may be recomputed at the
//! entry if launch geometry alone makes it uniform: then it is uniform there, too, for all lanes. (In a block that one
//! lane of a warp executes, `tid.x & 3` is uniform as well, and at the entry it is not.)
//!
//! **Pays** if the shuffle is outside a loop that contains a branch depending on it, or if at least two branches depend
//! on it. For a single branch at the same depth a vote is cheaper.

use super::lane_zero::LaneZero;
use super::ptxas::Ptxas;
use super::sites::{Site, Sites, depth};
use cranelift_entity::EntityRef;
use warpwise_analysis::affine::form::wrap;
use warpwise_analysis::affine::{Base, Form};
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::divergence::intrinsics::LaneRule;
use warpwise_analysis::gpu::prices::MAX_SHUFFLES;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::{ConstData, Opcode};
use warpwise_ir::types::TypeKind;

/// One leaf to be read from lane 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shuffle {
    pub value: Value,
    /// Recompute the leaf at the end of the entry block and shuffle there, instead of after the leaf.
    pub at_entry: bool,
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
        let Some((at_entry, place)) = place_of(facts, lane_zero, leaf) else { continue };
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
            picked.push(Shuffle { value: leaf, at_entry, branches });
        }
    }
    picked
}

/// Where a leaf can be shuffled: whether at the entry, and in which block.
fn place_of(facts: &Facts, lane_zero: &LaneZero, leaf: Value) -> Option<(bool, Block)> {
    let func = &facts.func;
    let inst = func.def(leaf)?;
    if func.type_info(leaf).kind != TypeKind::Int(32) {
        return None;
    }
    let home = func.insts[inst].block;
    if lane_zero.is_there(facts, home) {
        return Some((false, home));
    }
    let entry = Block::new(0);
    (lane_zero.is_there(facts, entry) && is_uniform_by_launch(facts, inst)).then_some((true, entry))
}

/// Whether it is `tid.x >> k`, `tid.x & mask`, `tid.y` or `tid.z`, and all lanes of each warp agree on it wherever it is
/// computed.
fn is_uniform_by_launch(facts: &Facts, inst: Inst) -> bool {
    let (func, lanes) = (&facts.func, facts.lanes());
    let index = |inst| index_read(facts, inst).map(Form::base);
    let opcode = func.insts[inst].opcode;
    let form = match opcode {
        Opcode::LShr | Opcode::AShr | Opcode::And => {
            let &[value, by] = func.operands(inst) else { return false };
            let (Some(x), Some(ConstData::Int(by))) =
                (func.def(value).and_then(index).filter(|form| *form == Form::base(Base::TidX)), func.constant(by))
            else {
                return false;
            };
            match (opcode, u32::try_from(by)) {
                (Opcode::And, _) => lanes.and_mask(&x, wrap(by as i64, 32), 32),
                (_, Ok(by)) if by < 32 => lanes.shift_right(&x, by, 32, opcode == Opcode::AShr),
                _ => None,
            }
        }
        Opcode::Call => index(inst),
        _ => None,
    };
    form.is_some_and(|form| lanes.scope_of(&form).is_some())
}

fn index_read(facts: &Facts, inst: Inst) -> Option<Base> {
    match facts.lane_rule(inst) {
        Some(LaneRule::Index(base)) if base != Base::LaneId => Some(base),
        _ => None,
    }
}
