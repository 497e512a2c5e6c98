//! How often does LLVM expect the blocks of a function to run, and its loops to turn? `frequency.cpp` asks
//! `BranchProbabilityInfo`, `BlockFrequencyInfo` and `ScalarEvolution` and leaves plain numbers.
//!
//! The build script writes the structs that cross as C++. Blocks are numbered in the function's order, as pictures of it number them.

use super::handle::Function;
use super::walk::Rows;
use crate::entity::Block;
use llvm_sys::prelude::LLVMValueRef;

/// A natural loop; counts are for one entry of it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loop {
    /// LLVM's frequency of the edges into it.
    pub entered: u64,
    /// Most times that its header runs; `u64::MAX` where that is not known.
    pub most: u64,
    /// Zero where it is not known, as the next.
    exact: u32,
    profiled: u32,
    pub header: Block,
    /// All ones for none.
    parent: u32,
}

impl Loop {
    /// Times that its header runs, where `ScalarEvolution` knows them.
    pub fn exact(&self) -> Option<u32> {
        (self.exact > 0).then_some(self.exact)
    }
    /// Times that its header ran on average, where a profile says so.
    pub fn profiled(&self) -> Option<u32> {
        (self.profiled > 0).then_some(self.profiled)
    }
    /// The loop around it, by its place in the list.
    pub fn parent(&self) -> Option<usize> {
        (self.parent != u32::MAX).then_some(self.parent as usize)
    }
}

/// A way out of a block that is taken once in so many times, whatever LLVM would guess.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unlikely {
    pub block: Block,
    /// Number among the successors.
    pub successor: u32,
    /// At least 2.
    pub times: u32,
}

/// What C++ fills.
#[repr(C)]
struct RawFrequencies {
    /// `BlockFrequencyInfo` of each block; the first is the entry.
    blocks: Rows<u64>,
    /// The innermost loop around each block, by its place in the list; all ones for none.
    innermost: Rows<u32>,
    loops: Rows<Loop>,
}

unsafe extern "C" {
    fn warpwise_frequencies(
        function: LLVMValueRef,
        unlikely: *const Unlikely,
        count: usize,
        found: *mut RawFrequencies,
    );
}

/// What LLVM expects of a function.
pub struct Expected {
    /// Frequency of each block, in a unit of LLVM's own; the first is the entry.
    pub blocks: Vec<u64>,
    innermost: Vec<u32>,
    /// Outer loops before inner ones.
    pub loops: Vec<Loop>,
}

impl Expected {
    /// Asks LLVM about a function with a body; `unlikely` names two-way branches of it and of each one way.
    pub fn of(function: Function<'_>, unlikely: &[Unlikely]) -> Expected {
        let mut raw = RawFrequencies { blocks: Rows::EMPTY, innermost: Rows::EMPTY, loops: Rows::EMPTY };
        // SAFETY: the function is alive, the record empty, `unlikely` has so many elements; the lists that are filled hold
        // numbers, for which every pattern of bits is one.
        unsafe {
            warpwise_frequencies(function.raw(), unlikely.as_ptr(), unlikely.len(), &mut raw);
            Expected { blocks: raw.blocks.into_vec(), innermost: raw.innermost.into_vec(), loops: raw.loops.into_vec() }
        }
    }

    /// The innermost loop around a block, by its place in the list.
    pub fn innermost(&self, block: Block) -> Option<usize> {
        let place = *self.innermost.get(block.as_u32() as usize)?;
        (place != u32::MAX).then_some(place as usize)
    }
}
