//! How many branches of a function could be fused, and at how many would it pay?
//!
//! The count of Coutinho 2011, chapter 6, table of branches: of all branches, those whose sides have anything to meld
//! (*unifiable*); of these, the divergent ones; of these, the ones that the cost model finds *profitable*. Each branch
//! is examined in the unmodified function, so opportunities that melding one branch creates at another are not counted.

use super::legality::Kinds;
use super::pairing::Context;
use super::plan::{self, Scratch};
use crate::contraction::Results;
use crate::cost::frequency::Frequencies;
use crate::cost::issue::Costs;
use crate::divergence::{ModuleAnalysis, Options};
use crate::ir::inst::Opcode;
use crate::llvm::handle::Module;
use std::ops::AddAssign;

/// Numbers of branches of one function. Each field counts a subset of the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Census {
    pub branches: u32,
    pub unifiable: u32,
    pub divergent: u32,
    pub profitable: u32,
}

impl AddAssign for Census {
    fn add_assign(&mut self, other: Census) {
        self.branches += other.branches;
        self.unifiable += other.unifiable;
        self.divergent += other.divergent;
        self.profitable += other.profitable;
    }
}

/// Counts the branches of every function with a body, in the order of the module.
pub fn count(module: Module<'_>, options: Options) -> Vec<(String, Census)> {
    let analysis = ModuleAnalysis::new(module, options);
    let kinds = Kinds::new();
    let mut rows = Vec::new();
    for function in module.functions().filter(|function| !function.is_declaration()) {
        let (facts, handles) = analysis.facts(function);
        let costs = Costs::of(function);
        let func = &facts.func;
        let frequencies = &Frequencies::new(function);
        let context = Context {
            func,
            handles: &handles,
            kinds: &kinds,
            costs,
            frequencies,
            always: false,
            results: Results::Same,
            map: None,
        };
        let mut census = Census::default();
        let mut scratch = Scratch::default();
        for block in func.blocks.keys().filter(|&block| facts.is_reachable(block)) {
            if !matches!(func.insts[func.terminator(block)].opcode, Opcode::CondBr | Opcode::Switch) {
                continue;
            }
            census.branches += 1;
            let plan = plan::plan(&facts, &context, block, &mut scratch);
            let pays = match plan.and_then(|plan| plan::lanes_part(&facts, &context, plan)) {
                Ok(_) => true,
                Err(reject) if reject.has_something_alike() => false,
                Err(_) => continue,
            };
            census.unifiable += 1;
            if facts.is_divergent_branch(block) {
                census.divergent += 1;
                census.profitable += u32::from(pays);
            }
        }
        rows.push((function.name(), census));
    }
    rows
}
