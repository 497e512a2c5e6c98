//! How does one thread do the work of several neighbours? See `src/ir/llvm/coarsen.cpp`.

use super::super::handle::{Function, Inst, Value};
use super::Editor;
use std::marker::PhantomData;

/// Which of a kernel's threads become one, and when.
#[derive(Debug)]
pub struct Coarsening<'m> {
    pub kernel: Function<'m>,
    /// Threads that become one, and blocks of which one remains: a power of two.
    pub factor: u32,
    /// Threads that a grid must have at least, in so many dimensions.
    pub threads: u64,
    pub dimensions: u32,
    /// Threads that a block must have along x; zero if any number will do.
    pub block_size: u64,
    /// Where the number of the thread in its row of the grid is computed.
    pub roots: Vec<Inst<'m>>,
    pub accesses: Vec<Access<'m>>,
    /// What is so for all threads of a group of blocks if the tests succeed.
    pub guards: Vec<Guard<'m>>,
    pub tests: Vec<Test<'m>>,
    /// What must not wrap from the first to the last thread, as a signed or an unsigned number.
    pub rising: Vec<Rising<'m>>,
    /// What must be a multiple of so many bytes.
    pub pointers: Vec<Value<'m>>,
    pub widest: u32,
    /// What must be a multiple of the factor.
    pub numbers: Vec<Value<'m>>,
}

/// A load or a store that differs from thread to thread.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Access<'m> {
    pub inst: Inst<'m>,
    /// Bytes from that of one thread to that of the next.
    pub apart: i64,
    /// Alignment of the first, in bytes.
    pub align: u32,
}

/// A condition that is so.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Guard<'m> {
    pub inst: Inst<'m>,
    pub holds: bool,
}

/// A condition that must be so for the first or the last thread of a group of blocks.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Test<'m> {
    pub guard: Guard<'m>,
    pub at_last: bool,
}

/// A value that must be no less for the last thread of a group of blocks than for the first.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Rising<'m> {
    pub value: Value<'m>,
    pub signed: bool,
}

/// A list for C++.
#[repr(C)]
struct List<'a, T> {
    data: *const T,
    length: usize,
    list: PhantomData<&'a [T]>,
}

impl<'a, T> List<'a, T> {
    fn of(list: &'a [T]) -> Self {
        List { data: list.as_ptr(), length: list.len(), list: PhantomData }
    }
}

/// A [`Coarsening`] for C++.
#[repr(C)]
struct RawCoarsening<'a, 'm> {
    kernel: Function<'m>,
    factor: u32,
    widest: u32,
    dimensions: u32,
    threads: u64,
    block_size: u64,
    roots: List<'a, Inst<'m>>,
    accesses: List<'a, Access<'m>>,
    guards: List<'a, Guard<'m>>,
    tests: List<'a, Test<'m>>,
    rising: List<'a, Rising<'m>>,
    pointers: List<'a, Value<'m>>,
    numbers: List<'a, Value<'m>>,
}

unsafe extern "C" {
    fn warpwise_coarsen(coarsening: *const RawCoarsening<'_, '_>);
}

impl<'m> Editor<'m> {
    /// Lets one thread do the work of neighbours, in launches in which the tests succeed.
    pub fn coarsen(&mut self, coarsening: &Coarsening<'m>) {
        let &Coarsening { kernel, factor, widest, dimensions, threads, block_size, .. } = coarsening;
        let raw = RawCoarsening {
            kernel,
            factor,
            widest,
            dimensions,
            threads,
            block_size,
            roots: List::of(&coarsening.roots),
            accesses: List::of(&coarsening.accesses),
            guards: List::of(&coarsening.guards),
            tests: List::of(&coarsening.tests),
            rising: List::of(&coarsening.rising),
            pointers: List::of(&coarsening.pointers),
            numbers: List::of(&coarsening.numbers),
        };
        edit!(warpwise_coarsen(&raw));
    }
}
