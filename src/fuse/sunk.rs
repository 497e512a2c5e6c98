//! Where would clang, without us, part a product from its sum?
//!
//! SimplifyCFG moves instructions that both sides end with behind them, as long as that takes at most one phi for an
//! operand that differs. A sum that is moved without its product adds a phi then, with which nothing joins it. The order of
//! a side may still change before that pass runs, so what could be moved counts as moved, and a product moves along only
//! if it needs at most one phi itself. Likewise two products that become one behind the sides meet a sum there.

use super::pairing::Context;
use super::plan::{FusePlan, incoming};
use crate::contraction::Joins;
use crate::entity::{Block, Inst, Value};
use crate::ir::inst::Opcode;
use rustc_hash::FxHashMap;

/// Whether LLVM would move a sum behind the sides of a branch and leave a product there that it is joined with now, or move
/// a product to a sum that is behind them.
pub fn parts(joins: &Joins<'_, '_>, context: &Context<'_, '_>, plan: &FusePlan) -> bool {
    let func = context.func;
    plan.pairs.iter().any(|pair| {
        let Some(exit) = pair.exit() else { return false };
        let mut sinking = Sinking { joins, sides: pair.sides, known: FxHashMap::default() };
        let ends = func.phis(exit).filter_map(|phi| {
            let [t, f] = pair.sides.map(|side| func.def(incoming(context, phi, side)));
            Some([t?, f?])
        });
        let ends: Vec<[Inst; 2]> = ends.collect();
        let sunk: Vec<[Inst; 2]> = ends.into_iter().filter(|&pair| sinking.sinks(pair)).collect();
        let meets = |&inst: &Inst| joins.is_product(inst) && joins.may_meet_sum(inst);
        sunk.as_flattened().iter().any(meets) || sinking.parts()
    })
}

struct Sinking<'a, 'm> {
    joins: &'a Joins<'a, 'm>,
    sides: [Block; 2],
    /// Pairs that were looked at, and whether they sink.
    known: FxHashMap<[Inst; 2], bool>,
}

impl Sinking<'_, '_> {
    /// Whether two instructions, all users of which sink or are phis behind the sides, may sink.
    fn sinks(&mut self, pair: [Inst; 2]) -> bool {
        if let Some(&known) = self.known.get(&pair) {
            return known;
        }
        let func = &self.joins.outline.func;
        let data = pair.map(|inst| func.insts[inst]);
        let is_inside = (0..2).all(|side| data[side].block == self.sides[side]);
        let is_used_once = pair.iter().all(|&inst| self.joins.outline.users(func.result(inst)).len() == 1);
        let opcodes = pair.map(|inst| self.joins.handles.inst(inst).opcode());
        let fits = is_inside && is_used_once && opcodes[0] == opcodes[1] && data[0].opcode != Opcode::Phi;
        // two that need each other cannot sink
        self.known.insert(pair, false);
        let sinks = fits && self.phis(pair) <= 1;
        self.known.insert(pair, sinks);
        sinks
    }

    /// How many operands need a phi if two instructions sink.
    fn phis(&mut self, [a, b]: [Inst; 2]) -> usize {
        let func = &self.joins.outline.func;
        let pairs: Vec<[Value; 2]> =
            func.operands(a).iter().copied().zip(func.operands(b).iter().copied()).map(|(a, b)| [a, b]).collect();
        let needs = |sinking: &mut Self, [a, b]: [Value; 2]| match (func.def(a), func.def(b)) {
            _ if a == b => false,
            (Some(a), Some(b)) => !sinking.sinks([a, b]),
            _ => true,
        };
        pairs.into_iter().filter(|&pair| needs(self, pair)).count()
    }

    /// Whether a sum sinks and a product that it is joined with does not.
    fn parts(&self) -> bool {
        let sunk = |inst: Inst| self.known.iter().any(|(pair, &sinks)| sinks && pair.contains(&inst));
        let sums = self.known.iter().filter(|known| *known.1).flat_map(|known| known.0);
        let mut sums = sums.filter(|&&inst| self.joins.is_sum(inst));
        sums.any(|&sum| {
            let joined = self.joins.of_sum(sum);
            joined
                .into_iter()
                .flatten()
                .any(|product| self.sides.contains(&self.joins.outline.func.insts[product].block) && !sunk(product))
        })
    }
}
