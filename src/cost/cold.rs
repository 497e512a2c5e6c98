//! Which blocks are *cold*, that is, executed by hardly any lane? Nobody knows before the program runs, but some
//! branches give a hint.
//!
//! 1. **Weights** stated by the program (`__builtin_expect`, a profile): a side that is taken at most once in
//!    [`COLD_PART`] times is cold.
//! 2. **Magnitude.** If a branch without weights tests how large `|x|` is, values of at least [`LARGE`], infinities and
//!    NaNs are assumed to be cold. The mathematical library tests for the long reduction of an angle in this way, in
//!    every kernel that calls `sinf`.
//! 3. **Failure.** A block that ends in a trap is cold.
//!
//! A block is cold if all paths to it from the entry are. Cost: linear.
//!
//! Ball and Larus 1993 predict branches from their comparisons in the same way. The magnitude of arguments is our
//! addition.

use crate::divergence::Outline;
use crate::entity::{Block, Value};
use crate::ir::call::{Callee, Intrinsics};
use crate::ir::handles::Handles;
use crate::ir::inst::Opcode;
use crate::llvm::handle::{self, metadata_kind};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;

/// A side of a branch is cold if it is taken at most once in this many times.
const COLD_PART: u64 = 64;
/// Magnitude from which on numbers are cold.
const LARGE: f64 = 65_536.0;
static ABSOLUTE: Intrinsics<3> = Intrinsics::new(["llvm.fabs", "llvm.nvvm.fabs", "llvm.nvvm.fabs.ftz"]);

/// The cold blocks.
pub fn cold_blocks(outline: &Outline, handles: &Handles<'_>) -> FixedBitSet {
    let profile = metadata_kind(handles.function.module(), "prof");
    let func = &outline.func;
    let cycles = &outline.cfg().cycles;
    let sides: Vec<Option<usize>> =
        func.blocks.keys().map(|block| cold_side(outline, handles, profile, block)).collect();
    let mut cold = FixedBitSet::with_capacity(func.blocks.len());
    for (at, &block) in (0u32..).zip(cycles.order()) {
        let is_cold_way = |from: Block| {
            let succs = func.graph.succs(from);
            let side = sides[from.index()].and_then(|side| succs.get(side));
            cold.contains(from.index())
                || (side == Some(&block) && succs.iter().filter(|&&to| to == block).count() == 1)
        };
        // back edges come from blocks that have been reached already
        let mut ways = func.graph.preds(block).iter().filter(|&&from| cycles.position(from) < at).peekable();
        let fails = func.insts[func.terminator(block)].opcode == Opcode::Unreachable;
        if fails || (ways.peek().is_some() && ways.all(|&from| is_cold_way(from))) {
            cold.insert(block.index());
        }
    }
    cold
}

/// The successor of a block that is hardly ever taken; `profile` is LLVM's number for `!prof`.
fn cold_side(outline: &Outline, handles: &Handles<'_>, profile: u32, block: Block) -> Option<usize> {
    let func = &outline.func;
    let branch = func.terminator(block);
    if func.insts[branch].opcode != Opcode::CondBr {
        return None;
    }
    let handle = handles.inst(branch);
    if let Some(weights) = handle.metadata(profile).filter(|_| handle.has_metadata()) {
        // names precede the weights
        let weights: Vec<u64> = weights.md_operands().into_iter().flatten().filter_map(|w| w.const_u64()).collect();
        let total: u64 = weights.iter().sum();
        return weights.iter().position(|&weight| total > 0 && weight.saturating_mul(COLD_PART) <= total);
    }
    let compare = func.def(*func.operands(branch).first()?)?;
    let data = &func.insts[compare];
    if data.opcode != Opcode::FCmp {
        return None;
    }
    let operands = func.operands(compare);
    let is_large = || is_absolute(outline, operands[0]) && number(handles, operands[1]) >= Some(LARGE);
    // LLVM numbers ordered predicates 1 to 7 and their unordered twins from 8
    match data.sub {
        // unordered: is it NaN at all?
        8 => Some(0),
        7 => Some(1),
        // equal, greater
        1..=3 | 9..=11 if is_large() => Some(0),
        // less, different
        4..=6 | 12..=14 if is_large() => Some(1),
        _ => None,
    }
}

fn is_absolute(outline: &Outline, value: Value) -> bool {
    let func = &outline.func;
    let call = func.def(value).filter(|&def| func.insts[def].opcode == Opcode::Call);
    call.is_some_and(|call| matches!(func.call(call).callee, Callee::Intrinsic(id) if ABSOLUTE.contains(id)))
}

/// A constant number, or an infinity.
fn number(handles: &Handles<'_>, value: Value) -> Option<f64> {
    let handle = handles.value(value);
    let bits = handle.const_fp_bits()?;
    match handle.ty().kind() {
        handle::TypeKind::LLVMFloatTypeKind => Some(f32::from_bits(bits as u32).into()),
        handle::TypeKind::LLVMDoubleTypeKind => Some(f64::from_bits(bits)),
        _ => None,
    }
}
