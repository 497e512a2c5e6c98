//! At which kind of place is a hidden branch, and would it pay to tell ptxas about it?
//!
//! ptxas guards a branch that may diverge with a BSSY/BSYNC pair around its sides. There is nothing to gain if the
//! sides never meet (an early return), or if they are so short that ptxas predicates them. A branch that closes or
//! leaves a loop had better be left alone: there votes stop ptxas from unrolling, which costs more
//! than the pair (52 instructions became 17, 109 became 69).
//!
//! **Cost**: one post-dominator tree for each function with hidden branches, and one walk over the sides of each
//! branch.

use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use warpwise_analysis::cfg::Dominators;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::prices::PREDICATED_TOGETHER;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::Block;
use warpwise_ir::inst::Opcode;

/// The kind of place at which a branch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    /// The sides meet again, and there is too much between to be predicated.
    Region,
    /// The sides meet again, and are so short that ptxas predicates them.
    Short,
    /// The branch closes or leaves a cycle.
    LoopEnd,
    /// One side never meets the other.
    NoJoin,
}

/// Classifies branches of one function.
pub struct Sites<'a> {
    facts: &'a Facts,
    post: Dominators,
}

impl<'a> Sites<'a> {
    /// Computes post-dominance.
    pub fn new(facts: &'a Facts) -> Self {
        Sites { facts, post: Dominators::backward(&facts.func.graph, &facts.cfg().cycles) }
    }

    /// The kind of the branch at the end of a block.
    pub fn of(&self, block: Block) -> Site {
        let graph = &self.facts.func.graph;
        let cycles = &self.facts.cfg().cycles;
        if let Some(cycle) = cycles.cycle_of(block) {
            let ends =
                graph.succs(block).iter().any(|&succ| !cycles.contains(cycle, succ) || succ == cycles.header(cycle));
            if ends {
                return Site::LoopEnd;
            }
        }
        let Some(join) = self.post.idom(block).filter(|&join| !self.is_bare_return(join)) else { return Site::NoJoin };
        if self.is_short(block, join) { Site::Short } else { Site::Region }
    }

    /// Whether a block is nothing but a return: lanes that reach it exit there, and do not meet.
    fn is_bare_return(&self, block: Block) -> bool {
        let func = &self.facts.func;
        let range = func.blocks[block];
        range.end - range.first == 1 && func.insts[func.terminator(block)].opcode == Opcode::Ret
    }

    fn is_short(&self, branch: Block, join: Block) -> bool {
        let func = &self.facts.func;
        let cycles = &self.facts.cfg().cycles;
        let mut seen = FixedBitSet::with_capacity(func.blocks.len());
        let mut work: Vec<Block> = func.graph.succs(branch).to_vec();
        let mut count = 0;
        while let Some(block) = work.pop() {
            if block == join || seen.put(block.index()) {
                continue;
            }
            // a loop on a side is never predicated
            if block == branch || cycles.cycle_of(block) != cycles.cycle_of(branch) {
                return false;
            }
            for inst in func.block_insts(block) {
                match func.insts[inst].opcode {
                    Opcode::Phi | Opcode::Br | Opcode::BitCast | Opcode::AddrSpaceCast => {}
                    Opcode::Call => match func.call(inst).callee {
                        // a barrier, vote or shuffle is never predicated; arithmetic may be several instructions
                        Callee::Intrinsic(_) if !func.call(inst).convergent => count += 2,
                        _ => return false,
                    },
                    Opcode::FDiv | Opcode::FRem | Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => {
                        return false;
                    }
                    _ => count += 1,
                }
            }
            if count > PREDICATED_TOGETHER {
                return false;
            }
            work.extend_from_slice(func.graph.succs(block));
        }
        true
    }
}
