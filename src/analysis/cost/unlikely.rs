//! Which successors of branches are hardly ever taken, although LLVM assumes fifty to fifty?
//!
//! If a branch without weights tests the magnitude of `x`, values of [`LARGE_NUMBER`] and more are unlikely, as are
//! infinities. This is how the mathematical library branches to the long reduction of an angle, in every kernel that
//! calls `sinf`, although hardly any argument needs it. LLVM itself recognises what the program states
//! (`__builtin_expect`, a profile), tests for NaN, and successors that end in a trap.
//!
//! Ball and Larus 1993 predict branches from their comparisons in the same way. The magnitude of arguments is our
//! addition.

use crate::gpu::prices::{LARGE_NUMBER, UNLIKELY_TIMES};
use cranelift_entity::EntityRef;
use warpwise_ir::call::is_absolute;
use warpwise_ir::entity::Block;
use warpwise_ir::llvm::frequency::Unlikely;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, TypeKind, Value, metadata_kind};

/// The unlikely successors of a function's branches, at most one for each branch.
pub fn unlikely_ways(function: Function<'_>) -> Vec<Unlikely> {
    let profile = metadata_kind(function.module(), "prof");
    let ends = function.blocks().enumerate().filter_map(|(block, data)| Some((block, data.terminator()?)));
    let of = |(block, end): (usize, Inst<'_>)| {
        let is_weighed = end.has_metadata() && end.metadata(profile).is_some();
        let successor = if is_weighed { None } else { unlikely_way(end) }?;
        Some(Unlikely { block: Block::new(block), successor, times: UNLIKELY_TIMES })
    };
    ends.filter_map(of).collect()
}

fn unlikely_way(end: Inst<'_>) -> Option<u32> {
    let test = end.branch_condition()?.as_inst()?;
    if test.opcode() != RawOpcode::LLVMFCmp
        || !test.operand(0).as_inst().is_some_and(is_absolute)
        || number(test.operand(1)).is_none_or(|bound| bound < LARGE_NUMBER)
    {
        return None;
    }
    // LLVM numbers ordered predicates from 1 to 7 and their unordered counterparts from 8
    match test.real_predicate() as u32 {
        // equal, greater
        1..=3 | 9..=11 => Some(0),
        // less, not equal
        4..=6 | 12..=14 => Some(1),
        _ => None,
    }
}

/// A constant number; it may be infinite.
fn number(value: Value<'_>) -> Option<f64> {
    let bits = value.const_fp_bits()?;
    match value.ty().kind() {
        TypeKind::LLVMFloatTypeKind => Some(f32::from_bits(bits as u32).into()),
        TypeKind::LLVMDoubleTypeKind => Some(f64::from_bits(bits)),
        _ => None,
    }
}
