//! Which import tables does a thread keep between two functions?
//!
//! For a small function, allocating tables would take longer than filling them, so each thread keeps one emptied set.
//! It is taken out while in use, so that after a panic the next import starts with a new set.

use crate::llvm::walk::Tables;
use std::cell::Cell;

/// Number of instructions of the largest function after which the tables are kept; a larger function can afford to
/// allocate them.
const KEPT: usize = 4096;

thread_local! {
    static TABLES: Cell<Option<Tables>> = const { Cell::new(None) };
}

/// The thread's tables; new ones for the first import, and after one that panicked.
pub(super) fn take() -> Tables {
    TABLES.take().unwrap_or_else(Tables::new)
}

/// Keeps the tables for the next import, if the function had at most [`KEPT`] instructions.
pub(super) fn put_back(tables: Tables, instructions: usize) {
    if instructions <= KEPT {
        TABLES.set(Some(tables));
    }
}
