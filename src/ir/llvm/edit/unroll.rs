//! How does a pass ask LLVM to unroll a loop, or unroll it itself? See `unroll.cpp` and `groups.cpp` in `src/ir/llvm`.

use super::super::handle::{Inst, metadata_kind};
use super::Editor;
use llvm_sys::prelude::LLVMValueRef;

unsafe extern "C" {
    fn warpwise_ask_to_unroll(latch: LLVMValueRef, count: u32);
    fn warpwise_ask_not_to_unroll(latch: LLVMValueRef);
    fn warpwise_ask_to_unswitch(latch: LLVMValueRef);
    fn warpwise_run_in_groups(latch: LLVMValueRef, count: u32);
}

impl<'m> Editor<'m> {
    /// Asks LLVM's unroller for so many copies of the loop whose latch ends with this branch.
    pub fn ask_to_unroll(&mut self, latch: Inst<'m>, count: u32) {
        edit!(warpwise_ask_to_unroll(latch.raw(), count));
    }
    /// Asks LLVM's unroller for a copy for each iteration of the loop whose latch ends with this branch.
    pub fn ask_to_unroll_fully(&mut self, latch: Inst<'m>) {
        edit!(warpwise_ask_to_unroll(latch.raw(), 0));
    }
    /// Asks LLVM's unroller for as many copies as the trip count of the loop can be, which is at most eight.
    pub fn ask_to_unroll_to_bound(&mut self, latch: Inst<'m>) {
        edit!(warpwise_ask_to_unroll(latch.raw(), u32::MAX));
    }
    /// Asks LLVM not to unroll the loop whose latch ends with this branch unless its trip count is known.
    pub fn ask_not_to_unroll(&mut self, latch: Inst<'m>) {
        edit!(warpwise_ask_not_to_unroll(latch.raw()));
    }
    /// Asks for conditions to be taken out of the loop whose latch ends with this branch.
    pub fn ask_to_unswitch(&mut self, latch: Inst<'m>) {
        edit!(warpwise_ask_to_unswitch(latch.raw()));
    }
    /// Asks for the condition that this instruction tests to stay in its loop.
    pub fn keep_in_loop(&mut self, inst: Inst<'m>) {
        let kind = metadata_kind(self.module(), "warpwise.varies");
        let node = self.string_node(&[]);
        self.set_metadata(inst, kind, node);
    }
    /// Puts a loop over groups of so many iterations before the loop whose latch ends with this branch; its shape allows
    /// that.
    pub fn run_in_groups(&mut self, latch: Inst<'m>, count: u32) {
        edit!(warpwise_run_in_groups(latch.raw(), count));
    }
}
