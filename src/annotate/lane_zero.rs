//! In which blocks is lane 0 of a warp certainly still running?
//!
//! A shuffle that reads lane 0 is undefined if lane 0 has exited. In a kernel lane 0 exists (a partial warp consists of
//! its low lanes), so it is present in every warp-convergent block that cannot be preceded by an exit.
//!
//! **Equation.** Lanes take different paths at a divergent branch. If they do not meet again before they return, because
//! the branch has no post-dominator or a return is its immediate one, one side may be a guard, behind which the other is
//! convergent without the lanes that left. Called functions and inline assembly may contain an `exit`. All blocks
//! reachable from such a branch or call are unsafe, including the block of the call.
//!
//! **Conservative**: blocks after a guard `if (i >= n) return` are unsafe even if lane 0 is the last lane to leave.
//! Device functions are unsafe throughout, since the caller may have passed a guard.
//!
//! **Cost**: linear.

use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_analysis::cfg::Dominators;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::asm::Program;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::Block;
use warpwise_ir::inst::Opcode;

/// The blocks in which lane 0 may have exited, or that not all lanes execute together.
pub struct LaneZero {
    unsafe_blocks: FixedBitSet,
    is_kernel: bool,
}

impl LaneZero {
    /// Of one function.
    pub fn new(facts: &Facts, post: &Dominators) -> LaneZero {
        let func = &facts.func;
        let mut unsafe_blocks = FixedBitSet::with_capacity(func.blocks.len());
        let mut work: Vec<Block> = Vec::new();
        for block in func.blocks.keys().filter(|&block| facts.is_reachable(block)) {
            if may_exit(facts, block) && !unsafe_blocks.put(block.index()) {
                work.push(block);
            }
            let meets_again = || post.idom(block).is_some_and(|meeting| !func.graph.succs(meeting).is_empty());
            if facts.is_divergent_branch(block) && !meets_again() {
                work.push(block);
            }
        }
        while let Some(block) = work.pop() {
            for &succ in func.graph.succs(block) {
                if !unsafe_blocks.put(succ.index()) {
                    work.push(succ);
                }
            }
        }
        LaneZero { unsafe_blocks, is_kernel: func.is_kernel }
    }

    /// Whether all lanes of the warp, including lane 0, execute each instance of the block.
    pub fn is_there(&self, facts: &Facts, block: Block) -> bool {
        self.is_kernel && facts.is_convergent(block) && !self.unsafe_blocks.contains(block.index())
    }
}

/// Whether a lane may exit in the middle of a block.
fn may_exit(facts: &Facts, block: Block) -> bool {
    let func = &facts.func;
    func.block_insts(block).any(|inst| {
        func.insts[inst].opcode == Opcode::Call
            && match func.call(inst).callee {
                Callee::Intrinsic(_) => func.call(inst).no_return,
                Callee::Asm { .. } => !func.assembly(inst).is_some_and(Program::is_computation),
                Callee::Function(_) | Callee::Indirect => true,
            }
    })
}
