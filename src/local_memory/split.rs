//! Which stack objects are in memory only because they are copied as a whole?
//!
//! A struct that is swapped, kept or chosen goes through an object by `memcpy`. LLVM makes registers of an object whose
//! accesses have types; if some are copies, only where a typed access covers the same bytes. Split into loads and stores,
//! every copy has types, and the object goes. nvcc has no such copies: it takes structs apart. An object that is chosen by a
//! `select` goes as well: LLVM loads from both and selects words.

use super::copies::{self, Copy};
use super::inventory::{Uses, allocas};
use crate::analyses::Analyses;
use crate::driver::{self, Decision, FunctionPass};
use crate::settings::Results;
use crate::settings::transform::IDIOMS;
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_analysis::divergence;
use warpwise_analysis::gpu::prices::OBJECT_MAX_BYTES;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module, Type, TypeKind};
use warpwise_ir::llvm::remark::{PassManager, Reshape};
use warpwise_ir::phrase::counted;

/// Splits the copies in a module; returns whether it changed.
pub fn run(module: Module<'_>, results: Results, manager: &PassManager<'_>) -> bool {
    driver::run(&Splits { results, context: copies::Context::new() }, module, divergence::Options::default(), manager)
}

/// The pass.
struct Splits {
    results: Results,
    context: copies::Context,
}

impl<'m> FunctionPass<'m> for Splits {
    type Plan = Objects<'m>;
    const WORD: &'static str = IDIOMS;
    const THEN: Option<Reshape> = Some(Reshape::FreeArrays);

    fn plan(&self, function: Function<'m>, _: &mut Analyses<'m>) -> Vec<Decision<'m, Objects<'m>>> {
        let split = |plan: Objects<'m>| {
            let objects = counted(plan.objects.len(), "stack object");
            let message = format!("{objects} of {} bytes copied word by word, and so in registers", plan.bytes);
            Some(Decision::plan(*plan.objects.first()?, "ObjectsSplit", message, plan))
        };
        find(function, &self.context, self.results).ok().and_then(split).into_iter().collect()
    }

    fn apply(&self, plans: Vec<Objects<'m>>, editor: &mut Editor<'m>) {
        plans.iter().for_each(|plan| apply(editor, plan));
    }
}

/// Objects that can be registers once their copies are split.
#[derive(Debug, Default)]
pub struct Objects<'m> {
    objects: Vec<Inst<'m>>,
    bytes: u64,
    copies: Vec<Copy<'m>>,
    /// What is written out.
    pins: Vec<Pins<'m>>,
}

/// The objects of a function; those that stay, as multiply-adds could change, as an error.
pub fn find<'m>(
    function: Function<'m>,
    context: &copies::Context,
    results: Results,
) -> Result<Objects<'m>, Vec<Inst<'m>>> {
    let mut found = Objects::default();
    for alloca in allocas(function) {
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
    if !found.objects.is_empty() {
        let Some(pins) = results.pins(function, Ends::Objects(&found.objects)) else { return Err(found.objects) };
        found.pins = pins;
    }
    Ok(found)
}

/// Writes loads and stores in the places of the copies.
fn apply<'m>(editor: &mut Editor<'m>, plan: &Objects<'m>) {
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
