//! Which tables does an import need, and what becomes of them between two functions?
//!
//! A small function would spend more time on making tables than on filling them, so the thread keeps one set, emptied.
//! It is taken while it is in use: after a panic the next import starts with a new one.

use super::entity::{Type, Value};
use super::pointer_map::PointerMap;
use crate::llvm::walk::Buffers;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Entries of the direct-mapped caches before the hash tables.
pub(super) const RECENT: usize = 64;
/// Instructions of the largest function whose tables the thread keeps: a larger one has time to make some.
const KEPT: usize = 4096;

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Tables of an import. Empty between imports: addresses mean something else in the next function.
pub(super) struct Scratch {
    pub buffers: Buffers,
    pub values: PointerMap,
    pub const_index: FxHashMap<usize, Value>,
    pub recent_consts: [(usize, Value); RECENT],
    pub type_index: FxHashMap<usize, Type>,
    pub recent_types: [(usize, Type); RECENT],
    /// Calls by callee and attribute list: most call sites of a callee are alike.
    pub call_index: FxHashMap<(u64, u64), u32>,
    pub recent_calls: [((u64, u64), u32); RECENT],
    /// Places in the operand pool whose instruction was not numbered yet, and its address.
    pub open: Vec<(u32, usize)>,
    /// Block by LLVM's number.
    pub numbered: Vec<u32>,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            buffers: Buffers::default(),
            values: PointerMap::new(),
            const_index: FxHashMap::default(),
            recent_consts: [(0, Value::from_u32(0)); RECENT],
            type_index: FxHashMap::default(),
            recent_types: [(0, Type::from_u32(0)); RECENT],
            call_index: FxHashMap::default(),
            recent_calls: [((0, 0), 0); RECENT],
            open: Vec::new(),
            numbered: Vec::new(),
        }
    }
}

impl Scratch {
    /// The thread's tables; new ones for the first import, and after one that panicked.
    pub fn take() -> Box<Scratch> {
        SCRATCH.take().unwrap_or_default()
    }

    /// Keeps the tables for the next import, after a function of so many instructions.
    pub fn put_back(mut self: Box<Self>, instructions: usize) {
        if instructions <= KEPT {
            self.reset();
            SCRATCH.set(Some(self));
        }
    }

    fn reset(&mut self) {
        // exhaustive, so that a new table is not forgotten; the walk overwrites its buffers
        let Scratch {
            buffers: _,
            values,
            const_index,
            recent_consts,
            type_index,
            recent_types,
            call_index,
            recent_calls,
            open,
            numbered,
        } = self;
        values.clear();
        const_index.clear();
        recent_consts.fill((0, Value::from_u32(0)));
        type_index.clear();
        recent_types.fill((0, Type::from_u32(0)));
        call_index.clear();
        recent_calls.fill(((0, 0), 0));
        open.clear();
        numbered.clear();
    }
}
