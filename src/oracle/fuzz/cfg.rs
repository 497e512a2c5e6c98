//! Which structured control flow is generated? Ifs, switches with shared targets, loops, breaks,
//! continues, early returns, unreachable blocks.
//!
//! Convergence is guaranteed by construction. A construct with a divergent condition generates its contents (for a
//! loop, everything between its exits) without convergence; a loop that promises convergence has uniform exits only.
//! Every loop has a counter or a fuel counter, and the product of nested bounds is at most [`TRIPS`], so kernels
//! terminate soon. Values defined in a loop remain usable after it where they dominate its exit, which gives temporal
//! divergence.

use super::build::{Gen, Join, Label, Loop, Phase};
use super::knobs::Feature;
use super::value::{I32, I64, Scope, Ty, Val};
use std::fmt::Write as _;

/// Bound on the product of the trip counts of the loops around any block.
pub(super) const TRIPS: u32 = 24;
/// Number of instructions that must be left to make starting a construct worthwhile.
const WORTH: i64 = 8;

impl Gen<'_> {
    /// Statements for about `spend` instructions.
    pub(super) fn region(&mut self, spend: i64) {
        let until = self.f.budget - spend;
        loop {
            self.statement(self.f.budget - until);
            if self.f.budget <= until {
                return;
            }
        }
    }

    /// One statement, and often a store of what it computed.
    fn statement(&mut self, left: i64) {
        use Feature::*;
        let control = self.f.depth < self.knobs.max_depth && left > WORTH;
        let kinds = [
            If, IfElse, Guarded, InTurn, Switch, CountedLoop, WhileLoop, DoWhile, StreamLoop, Break, Continue,
            EarlyReturn, Dag, Irreducible, StackAddress,
        ];
        let total: u32 = kinds.iter().map(|&f| self.knobs.weight(f)).sum();
        // Straight-line statements weigh as much as all control flow and calls of the general mode together.
        if control && self.rng.below(140 + total as usize) < total as usize {
            let weighted = kinds.map(|f| (f, self.knobs.weight(f)));
            let kind = self.rng.weighted(&weighted);
            let spend = (left / 2).clamp(6, 60);
            match kind {
                If | IfElse => self.if_else(kind, spend),
                Guarded => self.guarded(),
                InTurn => self.in_turn(),
                Switch => self.switch(spend),
                CountedLoop | WhileLoop | DoWhile => self.looping(kind, spend),
                StreamLoop => self.stream_loop(spend),
                StackAddress => self.branch_on_address(),
                Dag | Irreducible => self.unstructured(kind == Irreducible),
                _ => self.guarded_jump(kind),
            }
        } else {
            self.simple_statement();
        }
        if self.rng.chance(28)
            && let Some(&last) = self.f.pool.last()
        {
            self.observe(last);
        }
    }

    /// A statement that stays in its block.
    pub(super) fn simple_statement(&mut self) {
        use Feature::*;
        let kinds = [
            Arith, Float, Double, Half, Vector, Aggregate, ReadOnlyLoad, MutableLoad, ConstantLoad, OwnSlot, Shared,
            SharedNeighbour, LocalArray, DynamicAlloca, StackAddress, Atomic, AtomicOwn, AtomicResult, PointerSelect,
            Assume, Call, Vote, Ballot, Shuffle, Redux, Match, ActiveMask, WarpBarrier,
        ]
        .map(|f| (f, self.knobs.weight(f)));
        let mut kinds = kinds.to_vec();
        kinds[0].1 = 60; // all integer expressions, which have weights of their own
        if self.f.depth < self.knobs.max_depth {
            kinds.push((BlockBarrier, self.knobs.weight(BlockBarrier)));
        }
        match self.rng.weighted(&kinds) {
            Float => self.float_expression(Ty::F32),
            Double => self.float_expression(Ty::F64),
            Half => self.float_expression(Ty::F16),
            Vector => self.vector_expression(),
            Aggregate => self.aggregate_expression(),
            kind @ (ReadOnlyLoad | MutableLoad | ConstantLoad) => self.load_source(kind),
            OwnSlot => self.own_slot_update(self.slots),
            Shared => self.shared_own(),
            SharedNeighbour => self.shared_neighbour(),
            LocalArray => self.local_access(),
            DynamicAlloca => self.dynamic_object(),
            StackAddress => self.look_below(),
            kind @ (Atomic | AtomicOwn | AtomicResult) => self.atomic(kind),
            PointerSelect => self.load_selected(),
            Assume => self.assume(),
            Call => self.call(),
            Arith => self.int_expression(),
            kind => self.collective(kind),
        }
    }

    /// The scope of the next condition, uniform often enough that convergent places exist.
    fn some_scope(&mut self) -> Scope {
        self.rng.weighted(&[(Scope::Block, 35), (Scope::Warp, 10), (Scope::Lane, 55)])
    }

    /// A value for each type, for the phis at the end of an edge.
    pub(super) fn pick_all(&mut self, types: &[Ty]) -> Vec<Val> {
        types.iter().map(|&ty| self.pick(ty)).collect()
    }

    /// The last edge of the current block, to a join.
    pub(super) fn meet(&mut self, join: &mut Join) {
        let vals = self.pick_all(&join.types);
        join.edges.push((self.f.block, vals));
        self.jump(join.label);
    }

    /// The last edge of the current block, to the exit or the latch of a loop.
    fn meet_of(&mut self, level: usize, which: fn(&mut Loop) -> &mut Join) {
        let mut join = std::mem::take(which(&mut self.f.loops[level]));
        self.meet(&mut join);
        *which(&mut self.f.loops[level]) = join;
    }

    /// Starts the block of a join with its phis.
    pub(super) fn phis(&mut self, join: &Join, scope: Scope) -> Vec<Val> {
        self.place(join.label);
        let column = |i: usize| join.edges.iter().map(|(from, vals)| (*from, vals[i])).collect::<Vec<_>>();
        (0..join.types.len()).map(|i| self.phi(&column(i), scope)).collect()
    }

    /// The same; one of the phis may be stored.
    pub(super) fn join(&mut self, join: &Join, scope: Scope) {
        let phis = self.phis(join, scope);
        if let Some(&first) = phis.first()
            && self.rng.chance(50)
        {
            self.observe(first);
        }
    }

    /// The sides of a branch on a condition of this scope, up to the join; `side` writes each by its number.
    pub(super) fn sides(
        &mut self,
        labels: &[Label],
        scope: Scope,
        join: &mut Join,
        mut side: impl FnMut(&mut Self, usize),
    ) {
        let (mark, around) = (self.f.pool.len(), self.f.conv);
        self.f.conv = around.min(scope);
        for (number, &label) in labels.iter().enumerate() {
            self.place(label);
            side(self, number);
            self.meet(join);
            self.f.pool.truncate(mark);
        }
        self.f.conv = around;
    }

    /// Occasionally adds an edge from an unreachable block. To be called where the last block has ended.
    fn dead_edge(&mut self, to: &mut Join) {
        if !self.happens(Feature::DeadBlock) {
            return;
        }
        let mark = self.f.pool.len();
        let label = self.label();
        self.place(label);
        self.int_expression();
        let vals = self.pick_all(&to.types);
        if self.rng.chance(70) {
            to.edges.push((self.f.block, vals));
            self.jump(to.label);
        } else if self.rng.chance(50) {
            self.jump(label);
        } else {
            self.line(format_args!("unreachable"));
        }
        self.f.pool.truncate(mark);
    }

    pub(super) fn if_else(&mut self, kind: Feature, spend: i64) {
        self.note(kind);
        let wanted = self.some_scope();
        let cond = self.condition(wanted);
        let types = self.phi_types(3);
        let (yes, no, join) = (self.label(), self.label(), self.label());
        let mut join = Join::new(join, types);
        let mut arms = vec![yes, no];
        if kind == Feature::If {
            arms.pop();
            // The edge past the arm carries values from before the branch.
            let vals = self.pick_all(&join.types);
            join.edges.push((self.f.block, vals));
            let (yes, no) = if self.rng.chance(50) { (yes, join.label) } else { (join.label, yes) };
            self.branch(cond, yes, no);
        } else {
            self.branch(cond, yes, no);
        }
        self.f.depth += 1;
        let share = spend / arms.len() as i64;
        self.sides(&arms, cond.scope, &mut join, |g, _| g.region(share));
        self.dead_edge(&mut join);
        self.f.depth -= 1;
        self.join(&join, cond.scope);
    }

    /// A switch: several values to one target, targets that fall through, cases straight to the join.
    fn switch(&mut self, spend: i64) {
        self.note(Feature::Switch);
        let wanted = self.some_scope();
        let ty = if self.rng.chance(80) { I32 } else { I64 };
        let raw = if wanted == Scope::Lane { self.pick_divergent(ty) } else { self.pick_scoped(ty, wanted) };
        let on = if self.rng.chance(80) { self.masked(raw, 8) } else { raw };
        let scope = on.scope;
        let types = self.phi_types(2);
        let direct = self.pick_all(&types);
        let head = self.f.block;
        let mut join = Join::new(self.label(), types);
        let targets: Vec<Label> = (0..self.rng.range(1, 3)).map(|_| self.label()).collect();
        // Where each case goes, the default first: an index of `targets`, or the join.
        let goes: Vec<usize> = (0..self.rng.range(2, 6)).map(|_| self.rng.below(targets.len() + 1)).collect();
        let (label, types) = (join.label, join.types.clone());
        let to = |at: usize| targets.get(at).copied().unwrap_or(label);
        let mut text = format!("switch {ty} {on}, label {} [", to(goes[0]));
        for (i, &at) in goes.iter().enumerate().skip(1) {
            let case = if i == 4 { "-1".to_owned() } else { i.to_string() };
            let _ = write!(text, " {ty} {case}, label {}", to(at));
        }
        self.line(format_args!("{text} ]"));
        let edges_to = |at: usize| vec![(head, direct.clone()); goes.iter().filter(|&&g| g == at).count()];
        join.edges = edges_to(targets.len());
        let (mark, around) = (self.f.pool.len(), self.f.conv);
        self.f.conv = around.min(scope);
        self.f.depth += 1;
        let mut falls: Option<(Label, Vec<Val>)> = None;
        let share = spend / targets.len() as i64;
        for (at, &target) in targets.iter().enumerate() {
            let mut edges = edges_to(at);
            // after a fall-through, lanes of two cases are together, so lanes of one case alone are not
            edges.extend(falls.take());
            let phis = if edges.is_empty() { Vec::new() } else { types.clone() };
            self.join(&Join { label: target, types: phis, edges }, scope);
            self.region(share);
            let vals = self.pick_all(&types);
            let edge = (self.f.block, vals);
            if at + 1 < targets.len() && self.rng.chance(35) {
                self.jump(targets[at + 1]);
                falls = Some(edge);
            } else {
                self.jump(join.label);
                join.edges.push(edge);
            }
            self.f.pool.truncate(mark);
        }
        self.dead_edge(&mut join);
        self.f.depth -= 1;
        self.f.conv = around;
        self.join(&join, scope);
    }

    /// `if (c) { …; return | break | continue; }`, where it is allowed.
    fn guarded_jump(&mut self, kind: Feature) {
        let conv = match kind {
            Feature::EarlyReturn => {
                if self.f.phase == Phase::Read || self.f.conv_loops > 0 {
                    return self.int_expression();
                }
                Scope::Lane
            }
            _ => match self.f.loops.last() {
                Some(around) if self.f.conv >= around.conv => around.conv,
                _ => return self.int_expression(),
            },
        };
        // A break may leave the outer loop too.
        let mut level = self.f.loops.len().saturating_sub(1);
        if kind == Feature::Break && level > 0 && self.rng.chance(25) && self.f.conv >= self.f.loops[level - 1].conv {
            level -= 1;
        }
        let conv = self.f.loops.get(level).map_or(conv, |l| if kind == Feature::EarlyReturn { conv } else { l.conv });
        // Leaving a read phase would skip the barrier that closes it.
        if self.f.phase == Phase::Read && conv == Scope::Block {
            return self.int_expression();
        }
        self.note(kind);
        let cond = self.condition(conv);
        let (jump, rest) = (self.label(), self.label());
        let mark = self.f.pool.len();
        if self.rng.chance(50) {
            self.branch(cond, jump, rest);
        } else {
            let not = self.temp_bit(cond.scope, format_args!("xor i1 {cond}, true"));
            self.branch(not, rest, jump);
        }
        let (around, depth) = (self.f.conv, self.f.depth);
        self.f.conv = around.min(cond.scope);
        self.f.depth = self.knobs.max_depth; // straight-line only: the arm does not come back
        self.place(jump);
        if self.rng.chance(50) {
            // lanes that are about to exit do not hold up a collective, unless a call is before them
            if kind == Feature::EarlyReturn {
                self.int_expression()
            } else {
                self.simple_statement()
            }
            if let Some(&last) = self.f.pool.last() {
                self.observe(last);
            }
        }
        self.jump_out(kind, level, around.min(cond.scope), mark);
        self.f.conv = around;
        self.f.depth = depth;
        self.f.pool.truncate(mark);
        self.place(rest);
    }

    /// Returns, or leaves or continues a loop, from a place to which `scope` comes together; what stands in the pool behind
    /// `mark` is of the way out.
    fn jump_out(&mut self, kind: Feature, level: usize, scope: Scope, mark: usize) {
        match kind {
            Feature::EarlyReturn => {
                self.ret();
                match self.f.kernel {
                    Some(_) => self.f.exited |= scope < Scope::Block,
                    None => self.f.returned |= scope < Scope::Block,
                }
            }
            Feature::Break => {
                self.meet_of(level, |around| &mut around.exit);
                for crossed in &mut self.f.loops[level..] {
                    crossed.exit_scope = crossed.exit_scope.min(scope);
                    crossed.after = crossed.after.min(mark);
                }
            }
            _ => self.meet_of(level, |around| &mut around.latch),
        }
    }
}
