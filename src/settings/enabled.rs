//! May a transform change a function?
//!
//! A transform is switched off for one function by the string attribute `"warpwise-no-fuse"` or by
//! `__attribute__((annotate("warpwise.no-fuse")))` (with the word of the transform). `"warpwise-off"`,
//! `annotate("warpwise.off")` and `optnone` switch off all transforms.

use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::annotate::is_optnone;
use warpwise_ir::llvm::handle::{Function, Module, Value};

/// The string attribute that switches all transforms off.
pub const OFF: &str = "warpwise-off";

/// Whether a transform may change a function, by the word of its switch. Every transform checks this first.
pub fn is_enabled(function: Function<'_>, word: &str) -> bool {
    !is_optnone(function) && !is_switched_off(function, word)
}

/// Whether a string attribute switches a transform off for a function.
pub fn is_switched_off(function: Function<'_>, word: &str) -> bool {
    off_attributes(word).iter().any(|attribute| function.string_attribute(attribute).is_some())
}

/// Whether an annotation switches a transform off for a function. In the middle of clang's pipeline annotations have
/// not been converted to attributes yet; [`read_annotations`] does so for whole modules.
pub fn is_annotated_off(function: Function<'_>, word: &str) -> bool {
    let off = off_attributes(word);
    annotations(function.module()).iter().any(|(named, attribute)| *named == function && off.contains(attribute))
}

/// Whether all transforms are switched off for a function.
pub fn is_all_off(function: Function<'_>) -> bool {
    is_optnone(function) || function.string_attribute(OFF).is_some()
}

/// String attributes that switch a transform off.
fn off_attributes(word: &str) -> [String; 2] {
    [OFF.to_owned(), format!("warpwise-no-{}", word)]
}

/// Functions with an `annotate("warpwise.WORD")`, and the equivalent string attribute `warpwise-WORD`.
fn annotations<'m>(module: Module<'m>) -> Vec<(Function<'m>, String)> {
    let list = module.global("llvm.global.annotations").and_then(|global| global.initializer());
    let annotation = |(list, index): (Value<'m>, u32)| {
        let entry = list.aggregate_element(index)?;
        let function = entry.aggregate_element(0)?.as_function()?;
        let text = entry.aggregate_element(1)?.initializer()?.const_text()?;
        Some((function, format!("warpwise-{}", text.strip_prefix("warpwise.")?)))
    };
    let entries = list.into_iter().flat_map(|list| (0..list.ty().length() as u32).map(move |index| (list, index)));
    entries.filter_map(annotation).collect()
}

/// Converts annotations of functions to string attributes, which survive linking and the removal of annotations.
/// Returns whether any was new.
pub fn read_annotations(module: Module<'_>) -> bool {
    let mut changed = false;
    let mut editor = Editor::new(module);
    for (function, attribute) in annotations(module) {
        if function.string_attribute(&attribute).is_none() {
            editor.set_string_attribute(function, &attribute, "");
            changed = true;
        }
    }
    changed
}
