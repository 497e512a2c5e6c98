//! What in front of a tree of branches would be computed on one of its ways only, if the tree stayed?
//!
//! Where the source computes first and asks afterwards (`pow(x, 0)` is 1, whatever the logarithm of `x` was), everything
//! stands in front of the branch when fusion runs. What one way alone uses InstCombine moves there later, and lanes on
//! other ways skip it. Once the tree is converted, all lanes execute it.
//!
//! **Equation.** An instruction of the entry that only computes sinks into way *w*, a block that is entered from the entry
//! alone, if all its uses are in *w*, in blocks that are entered from such blocks alone, on edges of phis that leave them,
//! or in instructions of the entry that sink into *w* themselves. One pass over the entry, last instruction first.

use super::convert::Tree;
use super::legality::floats;
use super::matching::computations;
use super::pairing::Context;
use rustc_hash::FxHashMap;
use warpwise_analysis::divergence::Outline;
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::inst::Opcode;

/// The instructions of a tree's entry that would sink into one of its ways.
pub fn sinking(outline: &Outline, context: &Context<'_, '_>, tree: &Tree) -> Vec<Inst> {
    let Context { func, handles, kinds, .. } = *context;
    // the first block of the way that a block belongs to, if there is one such way
    let mut ways: FxHashMap<Block, Block> = FxHashMap::default();
    for way in &tree.blocks {
        let mut preds = func.graph.preds(way.block).iter();
        let of = |from: &Block| if *from == tree.entry { Some(way.block) } else { ways.get(from).copied() };
        let first = preds.next().and_then(of);
        if let Some(first) = first.filter(|_| preds.all(|from| of(from) == first)) {
            ways.insert(way.block, first);
        }
    }
    let mut sinking: FxHashMap<Inst, Block> = FxHashMap::default();
    let mut found = Vec::new();
    let computed: Vec<Inst> = computations(func, tree.entry).collect();
    for &inst in computed.iter().rev().filter(|&&inst| floats(func, handles, kinds, inst)) {
        let value = func.result(inst);
        let way_of = |user: Inst| -> Option<Block> {
            let data = &func.insts[user];
            if data.opcode != Opcode::Phi {
                return if data.block == tree.entry {
                    sinking.get(&user).copied()
                } else {
                    ways.get(&data.block).copied()
                };
            }
            let mut edges =
                func.incoming(user).iter().zip(func.operands(user)).filter(|&(_, &operand)| operand == value);
            let first = edges.next().and_then(|(from, _)| ways.get(from).copied())?;
            edges.all(|(from, _)| ways.get(from) == Some(&first)).then_some(first)
        };
        let mut users = outline.users(value).iter();
        let Some(first) = users.next().and_then(|&user| way_of(user)) else { continue };
        if users.all(|&user| way_of(user) == Some(first)) {
            sinking.insert(inst, first);
            found.push(inst);
        }
    }
    found
}
