//! Which stack objects are in memory only because they are copied as a whole?
//!
//! A struct that is swapped, kept or chosen goes through an object by `memcpy`. LLVM makes registers of an object whose
//! accesses have types; if some are copies, only where a typed access covers the same bytes. Split into loads and stores,
//! every copy has types, and the object goes. nvcc has no such copies: it takes structs apart. An object that is chosen by a
//! `select` goes as well: LLVM loads from both and selects words.

use super::copies::{self, Copy};
use crate::settings::Results;
use crate::uses::Uses;
use warpwise_analysis::contraction::Pair;
use warpwise_analysis::contraction::raw::{Pins, may_pair};
use warpwise_analysis::gpu::prices::OBJECT_MAX_BYTES;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Type, TypeKind};

/// What is said of the objects that stay.
pub const KEPT: &str =
    "a stack object that is copied stays in memory: products and sums around it could become multiply-adds";

/// Objects that can be registers once their copies are split.
#[derive(Debug)]
pub struct Objects<'m> {
    pub objects: Vec<Inst<'m>>,
    pub bytes: u64,
    copies: Vec<Copy<'m>>,
    /// What is written out.
    pins: Option<Pins<'m>>,
}

/// The objects of a function, if there are any; an error if multiply-adds could change.
pub fn find<'m>(
    function: Function<'m>,
    context: &copies::Context,
    results: Results,
) -> Result<Option<Objects<'m>>, Inst<'m>> {
    let mut found = Objects { objects: Vec::new(), bytes: 0, copies: Vec::new(), pins: None };
    let allocas = function.blocks().take(1).flat_map(|block| block.insts());
    for alloca in allocas.filter(|inst| inst.opcode() == RawOpcode::LLVMAlloca) {
        let Some(bytes) = alloca.allocated_bytes().filter(|&bytes| bytes <= OBJECT_MAX_BYTES) else { continue };
        let uses = Uses::of(alloca.value());
        if uses.has_others || !uses.passed.is_empty() || uses.copies.is_empty() {
            continue;
        }
        let widest = if has_long_scalar(alloca.allocated_type()) { 8 } else { 4 };
        let split = |&call: &Inst<'m>| copies::in_pieces(call, context, widest);
        let Some(split) = uses.copies.iter().map(split).collect::<Option<Vec<_>>>() else { continue };
        found.objects.push(alloca);
        found.bytes += bytes;
        for copy in split {
            if found.copies.iter().all(|known| known.call != copy.call) {
                found.copies.push(copy);
            }
        }
    }
    let Some(&first) = found.objects.first() else { return Ok(None) };
    if results == Results::Same {
        let pins = if may_pair(&[function], Pair::Narrowings) { None } else { Pins::of(function) };
        found.pins = Some(pins.ok_or(first)?);
    }
    Ok(Some(found))
}

/// Writes loads and stores in the places of the copies.
pub fn apply<'m>(editor: &mut Editor<'m>, plan: &Objects<'m>) {
    plan.pins.iter().for_each(|pins| pins.apply(editor));
    for copy in &plan.copies {
        // numbers, as LLVM itself makes of a copy of a few bytes: accesses of neighbours become wide ones
        copies::apply_as(editor, copy, |editor, bytes| editor.int_type(8 * bytes as u32));
    }
}

/// Whether a type has a scalar of 8 bytes.
fn has_long_scalar(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => (0..ty.length() as u32).any(|index| has_long_scalar(ty.struct_element(index))),
        TypeKind::LLVMPointerTypeKind | TypeKind::LLVMDoubleTypeKind => true,
        _ => ty.element().map_or(ty.int_bits() == Some(64), has_long_scalar),
    }
}
