//! What kind of place is a hidden branch, and would it pay to tell ptxas?
//!
//! ptxas guards a branch that may diverge with a BSSY/BSYNC pair where the sides meet again. So nothing is to be won where
//! they do not meet (an early return), where the sides are so short that ptxas predicates them instead, and little may
//! be touched where the branch closes or leaves a loop: on such a branch `bra.uni` and votes both stop ptxas from
//! unrolling, which costs more than the pair (52 instructions became 17, 109 became 69).
//!
//! **Cost**: one post-dominator tree a function with hidden branches, one walk over the sides of each.

use crate::cfg::Dominators;
use crate::divergence::Facts;
use crate::entity::Block;
use crate::ir::call::Callee;
use crate::ir::inst::Opcode;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;

/// Instructions of both sides up to which ptxas predicates them: no pair is left to remove. Measured with chains of
/// multiply-adds and loads on sm_90.
const PREDICATED_BELOW: u32 = 8;

/// Where a branch stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    /// The sides meet again, and what lies between is too much to predicate.
    Region,
    /// The sides meet again soon: ptxas predicates them.
    Short,
    /// Closes or leaves a cycle.
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

    /// Post-dominance.
    pub fn post_dominators(&self) -> &Dominators {
        &self.post
    }

    /// What stands at the end of a block.
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

    /// Depth of the innermost cycle around a block, zero outside cycles.
    pub fn depth(&self, block: Block) -> u32 {
        depth(self.facts, block)
    }

    /// Lanes that come to a bare return exit where they are.
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
            if count > PREDICATED_BELOW {
                return false;
            }
            work.extend_from_slice(func.graph.succs(block));
        }
        true
    }
}

/// Depth of the innermost cycle around a block, zero outside cycles.
pub fn depth(facts: &Facts, block: Block) -> u32 {
    let cycles = &facts.cfg().cycles;
    cycles.cycle_of(block).map_or(0, |cycle| cycles.depth(cycle))
}
