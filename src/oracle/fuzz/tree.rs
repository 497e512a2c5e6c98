//! Which trees of short branches are generated? Sides that only compute and all meet in one block, which
//! `fuse-branches` turns into selects.

use super::build::{Gen, Label};
use super::value::{Scope, Ty, Val};

/// Maximum number of branches on a way.
const LEVELS: u32 = 3;

impl Gen<'_> {
    /// A tree of branches, and the phis where its ways meet.
    pub(super) fn tree(&mut self) {
        let types = self.phi_types(3);
        let join = self.label();
        let mut edges = Vec::new();
        self.f.depth += 1;
        let scope = self.ways(LEVELS, join, &types, &mut edges);
        self.f.depth -= 1;
        self.join(join, &edges, &types, scope);
    }

    /// Ends the block with a branch and generates what is behind it, up to the join. Returns the scope on which the way
    /// depends.
    fn ways(&mut self, levels: u32, join: Label, types: &[Ty], edges: &mut Vec<(Label, Vec<Val>)>) -> Scope {
        let wanted = self.rng.weighted(&[(Scope::Block, 10), (Scope::Warp, 10), (Scope::Lane, 80)]);
        let cond = self.condition(wanted);
        let sides = [self.label(), self.label()];
        self.branch(cond, sides[0], sides[1]);
        let mut scope = cond.scope;
        let (mark, around) = (self.f.pool.len(), self.f.conv);
        self.f.conv = around.min(cond.scope);
        for side in sides {
            self.place(side);
            if self.rng.chance(60) {
                self.int_expression();
            }
            if levels > 1 && self.rng.chance(60) {
                scope = scope.min(self.ways(levels - 1, join, types, edges));
            } else {
                let vals = self.pick_all(types);
                edges.push((self.f.block, vals));
                self.jump(join);
            }
            self.f.pool.truncate(mark);
        }
        self.f.conv = around;
        scope
    }
}
