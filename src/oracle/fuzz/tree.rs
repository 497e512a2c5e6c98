//! Which trees of short branches are generated? Sides that only compute and all meet in one block, which
//! `fuse-branches` turns into selects.

use super::build::{Gen, Join};
use super::value::Scope;

/// Maximum number of branches on a way.
const LEVELS: u32 = 3;

impl Gen<'_> {
    /// A tree of branches, and the phis where its ways meet.
    pub(super) fn tree(&mut self) {
        let types = self.phi_types(3);
        let mut join = Join::new(self.label(), types);
        self.f.depth += 1;
        let scope = self.ways(LEVELS, &mut join);
        self.f.depth -= 1;
        self.join(&join, scope);
    }

    /// Ends the block with a branch and generates what is behind it, up to the join. Returns the scope on which the way
    /// depends.
    fn ways(&mut self, levels: u32, join: &mut Join) -> Scope {
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
                scope = scope.min(self.ways(levels - 1, join));
            } else {
                self.meet(join);
            }
            self.f.pool.truncate(mark);
        }
        self.f.conv = around;
        scope
    }
}
