//! Which copies of memory are small enough to be written as loads, and then stores?
//!
//! Source and destination of `llvm.memcpy` are the same or do not overlap, so all loads may come first. Pieces are vectors
//! of bytes, whose lanes are poison one by one, as the bytes of memory are.

use crate::analyses::FunctionAnalyses;
use crate::mutants::{self, Mutant};
use warpwise_analysis::access::{Space, space_of};
use warpwise_analysis::contraction::{Pair, raw};
use warpwise_analysis::gpu::chip::{Chip, WIDEST_ACCESS};
use warpwise_analysis::gpu::prices::{COPY_MAX_BYTES, COPY_MAX_PIECES, COPY_REGISTERS, UNSEEN_REGISTERS};
use warpwise_ir::Func;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::LLVMCall;
use warpwise_ir::llvm::handle::{AttrPlace, Inst, Type, Value, attribute_kind, intrinsic_id};

/// What is said of a copy.
pub const MESSAGE: &str = "a copy of memory is written as loads and then stores";

/// What is said of one that stays.
pub const KEPT: &str =
    "a copy of memory stays: with more instructions beside them, sums would not be moved to their products";

/// What is said of one between memories.
pub fn apart(registers: u32) -> String {
    format!(
        "a copy of memory stays: between shared and global memory loads need not wait for stores, and beside about \
         {registers} registers a few more could cost a resident block"
    )
}

/// What is looked up once.
#[derive(Debug)]
pub struct Context {
    memcpy: u32,
    align: u32,
}

impl Context {
    pub fn new() -> Context {
        Context { memcpy: intrinsic_id("llvm.memcpy"), align: attribute_kind("align") }
    }
}

/// A copy that is split.
#[derive(Debug)]
pub struct Copy<'m> {
    pub call: Inst<'m>,
    /// What is known of the addresses of the destination and of the source, in bytes.
    aligns: [u64; 2],
    pieces: Vec<Piece>,
}

/// Bytes that are copied by one load and one store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    offset: u64,
    bytes: u64,
}

/// The copy that an instruction is, if it is split.
pub fn find<'m>(call: Inst<'m>, context: &Context) -> Option<Copy<'m>> {
    let callee = Some(call).filter(|call| call.opcode() == LLVMCall)?.called_function()?;
    let is_stack = || [0, 1].iter().any(|&index| call.operand(index).is_on_stack());
    if callee.intrinsic_id() != context.memcpy || is_stack() {
        return None;
    }
    let mut copy = in_pieces(call, context, WIDEST_ACCESS)?;
    // LLVM reads more than there is to read where an address is known to be aligned better than its piece
    copy.aligns = [copy.aligns[0].min(copy.aligns[1]); 2];
    // one access of 8 bytes is what the back end makes of it, too
    let widest = copy.pieces.first()?.bytes;
    let gains = copy.pieces.len() > 1 || widest == WIDEST_ACCESS;
    // a vector of two bytes is two registers
    (gains && widest != 2 && copy.pieces.len() <= COPY_MAX_PIECES).then_some(copy)
}

/// A `memcpy` in pieces of so many bytes at most, if it is not volatile and has a small constant length.
pub fn in_pieces<'m>(call: Inst<'m>, context: &Context, widest: u64) -> Option<Copy<'m>> {
    let length = call.operand(2).const_u64().filter(|&length| length <= COPY_MAX_BYTES)?;
    if call.operand(3).const_u64() != Some(0) {
        return None;
    }
    let align = |index| call.int_call_attribute(AttrPlace::Param(index), context.align).unwrap_or(1).max(1);
    let aligns = [align(0), align(1)];
    Some(Copy { call, aligns, pieces: pieces(length, aligns[0].min(aligns[1]).min(widest)) })
}

/// Whether a copy is between shared and global memory. `ptxas` knows that they do not overlap: it loads first by itself, and
/// stores to shared memory in one access of 16 bytes.
pub fn is_between_memories<'m>(func: &Func, handles: &Handles<'m>, call: Inst<'m>) -> bool {
    let Some(inst) = func.insts.keys().find(|&inst| handles.inst(inst) == call) else { return false };
    let [to, from] = [0, 1].map(|index| space_of(func, func.operands(inst)[index]));
    matches!((to, from), (Space::Shared, Space::Global) | (Space::Global, Space::Shared))
}

/// The estimated registers of a function, if a few more would leave room for fewer blocks.
pub fn costs_blocks(known: &mut FunctionAnalyses<'_>) -> Option<u32> {
    let chip = Chip::of(&known.handles.function.target_cpu());
    let (outline, pressure) = known.pressure();
    let registers = pressure.largest(outline) + UNSEEN_REGISTERS;
    (!chip.keeps_blocks(&outline.geometry, [registers, registers + COPY_REGISTERS], 1)).then_some(registers)
}

/// Whether the block of a call has a sum of a product from elsewhere: LLVM's back end executes such a sum ahead of a branch, beside
/// the product, unless the block has more than a few instructions that cannot be. Behind a branch it so executes products,
/// too, and perhaps not their sums. Or the call [parts](raw::parts) the two.
pub fn keeps_apart(call: Inst<'_>) -> bool {
    let block = call.block();
    let is_sum = |&inst: &Inst<'_>| Pair::MultiplyAdd.ends_with(inst);
    let is_behind_branch = block.branches().any(|way| way.successors().count() > 1);
    let is_moved =
        |value: Value<'_>| raw::product(value).is_some_and(|product| is_behind_branch || product.block() != block);
    raw::parts(call) || block.insts().filter(is_sum).any(|sum| is_moved(sum.operand(0)) || is_moved(sum.operand(1)))
}

/// Splits so many bytes into the widest accesses of at most as many bytes as the alignment.
fn pieces(length: u64, align: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    while offset < length {
        let bytes = align.min(1 << (length - offset).ilog2());
        pieces.push(Piece { offset, bytes });
        offset += bytes;
    }
    pieces
}

/// Writes the loads and stores in the place of the call, of vectors of bytes.
pub fn apply<'m>(editor: &mut Editor<'m>, copy: &Copy<'m>) {
    apply_as(editor, copy, bytes);
}

/// Writes the loads and stores in the place of the call, with a type for so many bytes.
pub fn apply_as<'m>(editor: &mut Editor<'m>, copy: &Copy<'m>, ty: impl Fn(&Editor<'m>, u64) -> Type<'m>) {
    let Copy { call, aligns, ref pieces } = *copy;
    let (to, from) = (call.operand(0), call.operand(1));
    let align = |side: usize, piece: Piece| match piece.offset {
        0 => aligns[side].min(WIDEST_ACCESS) as u32,
        offset => aligns[side].min(1 << offset.trailing_zeros()).min(WIDEST_ACCESS) as u32,
    };
    editor.before(call);
    let loaded: Vec<Value<'m>> = pieces
        .iter()
        .map(|&piece| {
            let (ty, place) = (ty(editor, piece.bytes), place(editor, from, piece));
            editor.load(ty, place, align(1, piece), false, "")
        })
        .collect();
    let stored = pieces.len() - usize::from(mutants::on(Mutant::CopyShort));
    for (&piece, value) in pieces.iter().zip(loaded).take(stored) {
        let place = if mutants::on(Mutant::CopyOnePlace) { to } else { place(editor, to, piece) };
        editor.store(value, place, align(0, piece), false);
    }
    editor.erase(call);
}

/// A vector of bytes.
fn bytes<'m>(editor: &Editor<'m>, count: u64) -> Type<'m> {
    let byte = editor.int_type(8);
    if count == 1 { byte } else { editor.vector_type(byte, count as u32) }
}

fn place<'m>(editor: &mut Editor<'m>, base: Value<'m>, piece: Piece) -> Value<'m> {
    if piece.offset == 0 {
        return base;
    }
    let (byte, offset) = (editor.int_type(8), editor.int(64, piece.offset));
    editor.gep(byte, base, &[offset], true, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_copy_at_their_alignment() {
        for length in 1..70 {
            for align in [1, 2, 4, 8, 16] {
                let all = pieces(length, align);
                let mut end = 0;
                for piece in &all {
                    assert_eq!(piece.offset, end);
                    assert!(
                        piece.bytes <= WIDEST_ACCESS && piece.offset % piece.bytes == 0 && align % piece.bytes == 0
                    );
                    end += piece.bytes;
                }
                assert_eq!(end, length, "{align}");
            }
        }
        assert_eq!(pieces(12, 4).len(), 3);
        assert_eq!(pieces(32, 16), [Piece { offset: 0, bytes: 16 }, Piece { offset: 16, bytes: 16 }]);
        assert_eq!(pieces(13, 8).iter().map(|piece| piece.bytes).collect::<Vec<_>>(), [8, 4, 1]);
    }
}
