//! Which tables does an import need, and what becomes of them between two functions?
//!
//! A small function would spend more time on making tables than on filling them, so the thread keeps one set, emptied.
//! It is taken while it is in use: after a panic the next import starts with a new one.

use crate::llvm::walk::Tables;
use std::cell::Cell;

/// Instructions of the largest function whose tables the thread keeps: a larger one has time to make some.
const KEPT: usize = 4096;

thread_local! {
    static TABLES: Cell<Option<Tables>> = const { Cell::new(None) };
}

/// The thread's tables; new ones for the first import, and after one that panicked.
pub(super) fn take() -> Tables {
    TABLES.take().unwrap_or_else(Tables::new)
}

/// Keeps the tables for the next import, after a function of so many instructions.
pub(super) fn put_back(tables: Tables, instructions: usize) {
    if instructions <= KEPT {
        TABLES.set(Some(tables));
    }
}
