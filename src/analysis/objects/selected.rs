//! Which stack objects does `ptxas` keep in registers although they are indexed?

use super::address::{constant_offset, pointer_of};
use super::{AccessKind, Object, ObjectAccess};
use crate::divergence::Outline;
use crate::gpu::prices::{SELECTED_WORDS, SELECTED_WORDS_IF_FEW};

/// Whether `ptxas` keeps the object in registers although it is indexed: it selects among the words of a small array if
/// all accesses are of whole words.
pub fn stays_in_registers(outline: &Outline, object: &Object) -> bool {
    let words = object.size / 4;
    let is_word =
        |access: &ObjectAccess| access.size == 4 && matches!(access.kind, AccessKind::Load | AccessKind::Store);
    let selections = |access: &ObjectAccess| match constant_offset(outline, object, pointer_of(outline, access)) {
        Some(_) => 0,
        None if access.kind == AccessKind::Load => 2,
        None => 1,
    };
    let is_kept = || {
        let selections: usize = object.accesses.iter().map(selections).sum();
        words <= SELECTED_WORDS || SELECTED_WORDS_IF_FEW.iter().any(|&(most, few)| words <= most && selections <= few)
    };
    object.accesses.iter().all(is_word) && is_kept()
}
