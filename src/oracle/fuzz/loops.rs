//! Which loops occur? Counted, tested first or last, by a counter or by data, left in the middle by breaks.
//!
//! Every loop has a counter or a fuel counter, and the product of nested bounds is at most [`TRIPS`], so kernels terminate soon.

use super::build::{Gen, Join, Label, Loop};
use super::cfg::TRIPS;
use super::knobs::Feature;
use super::value::{I1, I16, I32, I64, Scope, Ty, Val};
use std::fmt::Display;

/// Where the phis of a loop go once the values of its next turn are known.
pub(super) struct Head {
    before: Label,
    phis_at: usize,
}

/// How often a loop turns.
struct Turns {
    /// Who agrees on it.
    wanted: Scope,
    /// Turns at most.
    limit: u64,
    /// What the counter goes to, or comes from.
    trip: Val,
    /// By a counter alone, not by data.
    counted: bool,
    down: bool,
    /// Of the counter.
    first: Val,
}

impl Gen<'_> {
    /// Goes to the header of a loop.
    pub(super) fn enter_loop(&mut self, header: Label) -> Head {
        let before = self.f.block;
        self.jump(header);
        self.place(header);
        Head { before, phis_at: self.f.body.len() }
    }

    /// A phi of what changes with each turn, of its first and its next value; the current block goes back to the header.
    pub(super) fn turn_phi(&mut self, head: &mut Head, phi: Val, first: impl Display, next: Val) {
        let (ty, before, back) = (phi.ty, head.before, self.f.block);
        let text = format!("  {phi} = phi {ty} [ {first}, {before} ], [ {next}, {back} ]\n");
        self.f.body.insert_str(head.phis_at, &text);
        head.phis_at += text.len();
    }

    /// A loop: counted, tested first by data, or tested last.
    pub(super) fn looping(&mut self, kind: Feature, spend: i64) {
        let most = TRIPS / self.f.trips;
        if most < 2 {
            return self.if_else(Feature::IfElse, spend);
        }
        self.note(kind);
        let turns = self.turns(kind, most);
        let Turns { limit, trip, down, first, .. } = turns;
        let conv = if turns.wanted == Scope::Lane { Scope::Lane } else { self.f.conv };
        let ty = first.ty;
        let carried = self.carried();
        let (header, body, latch, exit) = (self.label(), self.label(), self.label(), self.label());
        let mut head = self.enter_loop(header);
        let mark = self.f.pool.len();
        let counter = self.reserve(ty, first.hi.max(limit), Scope::Block.min(trip.scope));
        self.f.pool.push(counter);
        let phis = self.carried_phis(&carried);
        let walk = self.happens(Feature::Walk).then(|| self.walk());
        self.open_loop(latch, exit, conv, limit);
        if kind != Feature::DoWhile {
            for _ in 0..self.rng.below(3) {
                self.int_expression();
            }
            let go = self.loop_test(counter, &turns);
            self.f.loops_last().after = self.f.pool.len();
            self.leave_or_stay(go, body);
            self.place(body);
        }
        let header_end = self.f.pool.len();
        if self.happens(Feature::Tree) {
            self.tree();
        }
        self.region(spend);
        self.close_turn(header_end);
        let nexts: Vec<Val> = phis.iter().map(|&phi| self.carried_next(phi)).collect();
        let walk = walk.map(|(walk, first)| {
            let by = self.rng.range(1, 20);
            (walk, first, self.temp_word(Scope::Block, format_args!("add i32 {walk}, {by}")))
        });
        let step = if down { Val::int(ty, ty.max()) } else { Val::int(ty, 1) };
        let flags = if self.happens(Feature::Flags) { if down { " nsw" } else { " nuw nsw" } } else { "" };
        let next = self.temp(ty, counter.hi, counter.scope, format_args!("add{flags} {ty} {counter}, {step}"));
        if kind == Feature::DoWhile {
            // Tested after the step: once more while the next value is in range.
            let go = self.loop_test(next, &turns);
            let breaks = !self.f.loops_last().exit.edges.is_empty();
            if !breaks {
                self.f.loops_last().after = self.f.pool.len();
            }
            self.leave_or_stay(go, header);
        } else {
            self.jump(header);
        }
        self.turn_phi(&mut head, counter, first, next);
        for ((&phi, (init, _)), &next) in phis.iter().zip(&carried).zip(&nexts) {
            self.turn_phi(&mut head, phi, init, next);
        }
        if let Some((walk, first, next)) = walk {
            self.turn_phi(&mut head, walk, first, next);
        }
        self.close_loop(mark);
    }

    /// How often a loop turns, at most `most` times, and how that is counted.
    fn turns(&mut self, kind: Feature, most: u32) -> Turns {
        let divergent = self.happens(Feature::DivergentTrip);
        let wanted = if divergent { Scope::Lane } else { Scope::Block };
        let limit = u64::from(1u32 << (most.ilog2()).min(self.rng.range(1, 3) as u32));
        let ty = self.rng.weighted(&[(I32, 80), (I64, 12), (I16, 8)]);
        let trip = match (divergent, self.rng.below(3)) {
            (true, 0..2) => {
                let t = self.pick_divergent(ty);
                self.masked(t, limit)
            }
            (_, 0) => Val::int(ty, self.rng.range(1, limit)),
            _ => {
                let u = self.pick_scoped(ty, wanted);
                self.masked(u, limit)
            }
        };
        let counted = kind == Feature::CountedLoop || (kind == Feature::DoWhile && self.rng.chance(60));
        let down = !counted || self.rng.chance(25);
        // Fuel counts down from a constant; a counter from the trip count, or up to it.
        let first = match (down, counted) {
            (true, true) => trip,
            (true, false) => Val::int(ty, limit),
            _ => Val::int(ty, 0),
        };
        Turns { wanted, limit, trip, counted, down, first }
    }

    /// What the variables of a loop are before it, and who agrees on them in it.
    fn carried(&mut self) -> Vec<(Val, Scope)> {
        let types = self.phi_types(3);
        let mut scope_of = |ty: &Ty| match ty.bits() > 1 && self.happens(Feature::UniformCarried) {
            true => Scope::Block,
            false => Scope::Lane,
        };
        let scopes: Vec<Scope> = types.iter().map(&mut scope_of).collect();
        types.into_iter().zip(scopes).map(|(ty, scope)| (self.pick_scoped(ty, scope), scope)).collect()
    }

    /// Those variables in the loop.
    fn carried_phis(&mut self, carried: &[(Val, Scope)]) -> Vec<Val> {
        let mut phis = Vec::new();
        for &(Val { ty, hi, .. }, scope) in carried {
            // Floats do not grow in a loop: the latch picks within the bound of the initial value.
            phis.push(self.reserve(ty, if ty.bits() > 0 { ty.max() } else { hi.max(24) }, scope));
        }
        self.f.pool.extend(&phis);
        phis
    }

    /// From here on statements are inside a loop.
    pub(super) fn open_loop(&mut self, latch: Label, exit: Label, conv: Scope, limit: u64) {
        let after = self.f.pool.len();
        let exit = Join::new(exit, self.phi_types(2));
        let latch = Join::new(latch, self.phi_types(1));
        let around = (self.f.conv, self.f.trips, self.f.depth);
        self.f.loops.push(Loop { latch, exit, conv, around, exit_scope: Scope::Block, after });
        self.f.conv = conv;
        self.f.trips *= limit as u32;
        self.f.depth += 1;
        self.f.conv_loops += u32::from(conv > Scope::Lane);
    }

    /// The latch: a block of its own when somebody continues.
    fn close_turn(&mut self, header_end: usize) {
        let mut latch = std::mem::take(&mut self.f.loops_last().latch);
        if !latch.edges.is_empty() || self.rng.chance(40) {
            self.meet(&mut latch);
            if latch.edges.len() > 1 {
                self.f.pool.truncate(header_end);
            }
            self.join(&latch, Scope::Lane);
        }
    }

    /// Whether to stay in the loop: the counter in range, or fuel left and the data says so.
    fn loop_test(&mut self, counter: Val, turns: &Turns) -> Val {
        let Turns { wanted, trip, counted, down, .. } = *turns;
        let ty = counter.ty;
        if counted && !down {
            // Tested first or last, 0 ≤ counter ≤ trip or counter = 1 > trip = 0: `ne` would miss the latter.
            let predicate = self.rng.pick(&["ult", "slt"]);
            return self.bit(counter.scope.min(trip.scope), format_args!("icmp {predicate} {ty} {counter}, {trip}"));
        }
        let left = self.temp_bit(counter.scope, format_args!("icmp sgt {ty} {counter}, 0"));
        if counted {
            return left;
        }
        let data = self.condition(wanted);
        let scope = left.scope.min(data.scope);
        if self.rng.chance(50) {
            self.temp_bit(scope, format_args!("and i1 {left}, {data}"))
        } else {
            self.temp_bit(scope, format_args!("select i1 {left}, i1 {data}, i1 false"))
        }
    }

    /// The loop's own exit: to `stay` while `go`.
    fn leave_or_stay(&mut self, go: Val, stay: Label) {
        let types = self.f.loops_last().exit.types.clone();
        let vals = self.pick_all(&types);
        self.leave_with(go, stay, vals);
    }

    /// The same with these values for the phis of the exit.
    pub(super) fn leave_with(&mut self, go: Val, stay: Label, vals: Vec<Val>) {
        let (from, exit) = (self.f.block, self.f.loops_last().exit.label);
        let scope = self.f.conv.min(go.scope);
        if self.rng.chance(60) {
            self.branch(go, stay, exit);
        } else {
            let done = self.temp_bit(go.scope, format_args!("xor i1 {go}, true"));
            self.branch(done, exit, stay);
        }
        let current = self.f.loops_last();
        current.exit.edges.push((from, vals));
        current.exit_scope = current.exit_scope.min(scope);
    }

    /// What a carried variable becomes for the next iteration.
    fn carried_next(&mut self, phi: Val) -> Val {
        let ty = phi.ty;
        match ty {
            I1 => self.pick(I1),
            Ty::Int(_) => {
                // What agrees goes on to agree: those who are still in the loop have made the same iterations.
                let other = self.pick_scoped(ty, phi.scope);
                let op = self.rng.pick(&["add", "add", "mul", "xor", "sub"]);
                self.binary(op, phi, other)
            }
            _ => {
                let other = self.pool_value(|val| val.ty == ty && val.hi <= phi.hi && val.name != phi.name);
                other.unwrap_or_else(|| self.make_float(ty))
            }
        }
    }

    /// The exit block: its phis, and which of the loop's values live on.
    pub(super) fn close_loop(&mut self, mark: usize) {
        let Some(done) = self.f.loops.pop() else { return };
        self.f.conv_loops -= u32::from(done.conv > Scope::Lane);
        (self.f.conv, self.f.trips, self.f.depth) = done.around;
        let survivors: Vec<Val> = self.f.pool.get(mark..done.after).map_or_else(Vec::new, <[Val]>::to_vec);
        self.f.pool.truncate(mark);
        self.phis(&done.exit, done.exit_scope);
        let mut direct = Vec::new();
        for val in survivors.into_iter().filter(|val| !val.tainted) {
            if self.rng.chance(self.knobs.weight(Feature::TemporalLcssa)) {
                self.note(Feature::TemporalLcssa);
                let column: Vec<(Label, Val)> = done.exit.edges.iter().map(|(from, _)| (*from, val)).collect();
                self.phi(&column, done.exit_scope);
            } else if self.happens(Feature::TemporalDirect) {
                direct.push(Val { scope: val.scope.min(done.exit_scope), ..val });
            }
        }
        self.f.pool.extend(&direct);
        for val in direct.into_iter().take(2) {
            if self.rng.chance(50) {
                self.observe(val);
            }
        }
    }
}
