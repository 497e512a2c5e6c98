//! How does a pass ask LLVM to unroll a loop, or unroll it itself? See `unroll.cpp`, `apart.cpp` and `groups.cpp` in `src/ir/llvm`.

use super::super::handle::{Inst, metadata_kind};
use super::super::text::Text;
use super::Editor;
use llvm_sys::prelude::LLVMValueRef;

/// What may happen to a loop behind its unrolling.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// Nothing.
    Done,
    /// What compiles the copies may unroll them further.
    Open,
    /// The same, and what remains is unrolled, too.
    Remainder,
}

unsafe extern "C" {
    fn warpwise_ask_to_unroll(latch: LLVMValueRef, count: u32, then: Then);
    fn warpwise_say_of_loop(latch: LLVMValueRef, word: Text);
    fn warpwise_run_in_groups(latch: LLVMValueRef, count: u32);
    fn warpwise_set_few_apart(latch: LLVMValueRef, many: u32) -> LLVMValueRef;
}

impl<'m> Editor<'m> {
    /// Asks LLVM's unroller for so many copies of the loop whose latch ends with this branch.
    pub fn ask_to_unroll(&mut self, latch: Inst<'m>, count: u32, then: Then) {
        edit!(warpwise_ask_to_unroll(latch.raw(), count, then));
    }
    /// Gives the loop whose latch ends with this branch, and [counts before it](Inst::counts_before), a body of its own for
    /// fewer than `many` iterations, of which it asks LLVM's unroller for so many copies, and for those of what remains.
    pub fn unroll_few_apart(&mut self, latch: Inst<'m>, many: u32, count: u32) {
        let few = edit!(warpwise_set_few_apart(latch.raw(), many));
        edit!(warpwise_ask_to_unroll(few, count, Then::Remainder));
    }
    /// Asks LLVM's unroller for a copy for each iteration of the loop whose latch ends with this branch.
    pub fn ask_to_unroll_fully(&mut self, latch: Inst<'m>) {
        self.say_of_loop(latch, "llvm.loop.unroll.full");
    }
    /// Asks LLVM's unroller for as many copies as the trip count of the loop can be, which is at most eight.
    pub fn ask_to_unroll_to_bound(&mut self, latch: Inst<'m>) {
        self.say_of_loop(latch, "llvm.loop.unroll.enable");
    }
    /// Asks LLVM not to unroll the loop whose latch ends with this branch unless its trip count is known.
    pub fn ask_not_to_unroll(&mut self, latch: Inst<'m>) {
        self.say_of_loop(latch, "llvm.loop.unroll.runtime.disable");
    }
    /// Asks for conditions to be taken out of the loop whose latch ends with this branch.
    pub fn ask_to_unswitch(&mut self, latch: Inst<'m>) {
        self.say_of_loop(latch, "warpwise.unswitch");
    }
    /// Asks for the condition that this instruction tests to stay in its loop.
    pub fn keep_in_loop(&mut self, inst: Inst<'m>) {
        let kind = metadata_kind(self.module(), "warpwise.varies");
        let node = self.string_node(&[]);
        self.set_metadata(inst, kind, node);
    }
    /// Says a word of the loop whose latch ends with this branch; what else is said of it stays.
    fn say_of_loop(&mut self, latch: Inst<'m>, word: &str) {
        edit!(warpwise_say_of_loop(latch.raw(), Text::of(word)));
    }
    /// Puts a loop over groups of so many iterations before the loop whose latch ends with this branch; its shape allows
    /// that.
    pub fn run_in_groups(&mut self, latch: Inst<'m>, count: u32) {
        edit!(warpwise_run_in_groups(latch.raw(), count));
    }
}
