//! How is an object used through its address? The one walk over LLVM's use lists; what each use means is for those who
//! ask to say.

use super::handle::Value;
use rustc_hash::FxHashSet;
use std::hash::Hash;

/// What a use of an address means.
pub enum Use<T> {
    /// Its result is an address too, of which this is known; of one address several things may be.
    Derives(T),
    /// It leads no further.
    Ends,
    /// It is not followed, and nothing more is asked.
    Escapes,
}

/// Asks `meaning` about each user of an address, of which `known` is known, and of at most so many addresses derived from
/// it: the pointer, what is known of it, and the user. Returns whether all of them were followed.
pub fn follow<'m, T: Copy + Eq + Hash>(
    address: Value<'m>,
    known: T,
    most: usize,
    mut meaning: impl FnMut(Value<'m>, T, Value<'m>) -> Use<T>,
) -> bool {
    let mut open = vec![(address, known)];
    let mut derived = FxHashSet::from_iter([(address, known)]);
    let mut seen = FxHashSet::default();
    while let Some((pointer, known)) = open.pop() {
        // an instruction may use it twice
        seen.clear();
        for user in pointer.users().filter(|&user| seen.insert(user)) {
            match meaning(pointer, known, user) {
                Use::Derives(known) if derived.len() < most => {
                    if derived.insert((user, known)) {
                        open.push((user, known));
                    }
                }
                Use::Ends => {}
                Use::Derives(_) | Use::Escapes => return false,
            }
        }
    }
    true
}
