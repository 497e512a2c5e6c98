//! Which loops run over memory? Loops whose trip count only the launch knows, and whose loads can overlap: what
//! `unroll-loops` is for.
//!
//! The count comes from an argument, from memory or from the lane; the counter goes up, down, past its largest number, or
//! strides over the block. Each turn loads where no other does and adds to sums, whose order shows in float sums and in
//! the words that some turns change. The test comes first, last, or last behind a guard.

use super::build::{Gen, Join, Kernel, Label, Phase};
use super::cfg::TRIPS;
use super::knobs::Feature;
use super::memory::{Array, BUFFER, FLOAT_HI};
use super::value::{I8, I16, I32, I64, PTR, Scope, Ty, Val};

/// Bound of the argument that loops take their trip count from.
pub(super) const COUNT: u64 = 13;
/// Bound on the product of the trip counts around the body of such a loop: [`COUNT`] turns in any one loop around it.
const STREAM_TRIPS: u32 = 8 * COUNT as u32;
/// Exponent that bounds float sums: of [`STREAM_TRIPS`] values loaded.
const SUM_HI: u64 = FLOAT_HI + 10;

/// What a loop counts with.
#[derive(Clone, Copy)]
struct Stretch {
    first: Val,
    bound: Val,
    step: Val,
    /// Stays in the loop: `icmp PREDICATE counter, bound`.
    predicate: &'static str,
    flags: &'static str,
    /// Turns at most.
    limit: u64,
    /// Bound of the counter in the body.
    hi: u64,
    /// Whether the body may run once before the test.
    may_test_last: bool,
}

impl Stretch {
    /// Who agrees on the number of turns.
    fn scope(&self) -> Scope {
        self.first.scope.min(self.bound.scope).min(self.step.scope)
    }
}

/// Where a loop is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Test {
    First,
    Last,
    LastGuarded,
}

/// A sum: what it is before the loop, and in the current turn.
#[derive(Clone, Copy)]
struct Sum {
    initial: Val,
    phi: Val,
    now: Val,
}

/// A pointer that moves on in each turn: before the loop, in it, and in the next turn.
struct Walker {
    initial: Val,
    phi: Val,
    next: Val,
}

impl Gen<'_> {
    /// A loop over memory.
    pub(super) fn stream_loop(&mut self, spend: i64) {
        let most = STREAM_TRIPS / self.f.trips;
        if most < 4 {
            return self.int_expression();
        }
        self.note(Feature::StreamLoop);
        let mark = self.f.pool.len();
        let stretch = self.stretch(most.into());
        let test = match self.rng.below(5) {
            0 => Test::First,
            1 if stretch.may_test_last => Test::Last,
            _ => Test::LastGuarded,
        };
        let mut sums = self.sums();
        let scope = stretch.scope();
        let conv = self.f.conv.min(scope);
        let (header, body, latch, exit) = (self.label(), self.label(), self.label(), self.label());
        let initial: Vec<Val> = sums.iter().map(|sum| sum.initial).collect();
        let outside = self.f.pool.len();
        let guarded = (test == Test::LastGuarded).then(|| self.guard_loop(&stretch, exit));
        let mut walkers = Vec::new();
        if self.rng.chance(30) {
            walkers.extend(self.walker(stretch.limit));
        }
        let mut head = self.enter_loop(header);
        let counter = self.reserve(stretch.first.ty, stretch.hi, scope);
        self.f.pool.push(counter);
        self.f.pool.extend(sums.iter().map(|sum| sum.phi));
        self.open_loop(latch, exit, conv, stretch.limit);
        let types: Vec<Ty> = sums.iter().map(|sum| sum.phi.ty).collect();
        let open = self.f.loops_last();
        open.latch.types = types.iter().copied().filter(|ty| ty.bits() > 0).collect();
        open.exit.types = types;
        open.exit_scope = conv;
        open.after = outside;
        open.exit.edges.extend(guarded.map(|from| (from, initial)));
        if test == Test::First {
            let go = self.stays(&stretch, counter);
            self.leave_with(go, body, sums.iter().map(|sum| sum.phi).collect());
            self.place(body);
        }
        let header_end = self.f.pool.len();
        self.stream_body(counter, &mut sums, &walkers, spend);
        self.f.pool.truncate(header_end);
        self.turn_ends(&mut sums);
        let Stretch { step, flags, .. } = stretch;
        let next =
            self.temp(counter.ty, counter.ty.max(), scope, format_args!("add{flags} {} {counter}, {step}", counter.ty));
        if test == Test::First {
            self.jump(header);
        } else {
            let go = self.stays(&stretch, next);
            self.leave_with(go, header, sums.iter().map(|sum| sum.now).collect());
        }
        self.turn_phi(&mut head, counter, stretch.first, next);
        for &Sum { initial, phi, now } in &sums {
            self.turn_phi(&mut head, phi, initial, now);
        }
        for &Walker { initial, phi, next } in &walkers {
            self.turn_phi(&mut head, phi, initial, next);
        }
        self.close_loop(mark);
        for at in mark..(mark + sums.len()).min(self.f.pool.len()) {
            if self.rng.chance(70) {
                self.observe(self.f.pool[at]);
            }
        }
    }

    /// Goes past the loop unless it has a turn; returns the block from which.
    fn guard_loop(&mut self, stretch: &Stretch, exit: Label) -> Label {
        let (from, enter) = (self.f.block, self.label());
        let go = self.stays(stretch, stretch.first);
        self.branch(go, enter, exit);
        self.place(enter);
        from
    }

    fn stays(&mut self, stretch: &Stretch, counter: Val) -> Val {
        let Stretch { predicate, bound, .. } = *stretch;
        self.temp_bit(stretch.scope(), format_args!("icmp {predicate} {} {counter}, {bound}", bound.ty))
    }

    /// What to count with, for at most so many turns.
    fn stretch(&mut self, most: u64) -> Stretch {
        let ty = self.rng.weighted(&[(I32, 65), (I64, 25), (I16, 10)]);
        if let Some(kernel) = self.f.kernel.filter(|_| ty != I16 && most >= 8)
            && self.rng.chance(20)
        {
            return self.strided(kernel, ty, most);
        }
        let trip = self.trip(ty, most);
        let (zero, one) = (Val::int(ty, 0), Val::int(ty, 1));
        let limit = trip.hi.max(1);
        let flags = |g: &mut Self, text| if g.happens(Feature::Flags) { text } else { "" };
        // up to the count, as most loops
        let up = Stretch {
            first: zero,
            bound: trip,
            step: one,
            predicate: "ne",
            flags: "",
            limit,
            hi: limit,
            may_test_last: false,
        };
        match self.rng.below(8) {
            0 => {
                let (flags, step) = (flags(self, " nsw"), Val::int(ty, ty.max()));
                Stretch { first: trip, bound: zero, step, predicate: "sgt", flags, may_test_last: true, ..up }
            }
            // past the largest number, which only `ne` allows
            1 => {
                let first = self.pick_scoped(ty, Scope::Block);
                let bound =
                    self.temp(ty, ty.max(), first.scope.min(trip.scope), format_args!("add {ty} {first}, {trip}"));
                Stretch { first, bound, hi: ty.max(), ..up }
            }
            2 => Stretch { flags: flags(self, " nuw"), ..up },
            which => {
                let step = if which == 3 { Val::int(ty, self.rng.range(2, 3)) } else { one };
                let first = if self.rng.chance(25) { Val::int(ty, self.rng.range(0, 3)) } else { zero };
                let (predicate, flags) = (self.rng.pick(&["ult", "slt"]), flags(self, " nuw nsw"));
                Stretch { first, step, predicate, flags, hi: limit.max(first.hi), may_test_last: true, ..up }
            }
        }
    }

    /// Threads begin one after the other, and step over each other.
    fn strided(&mut self, kernel: Kernel, ty: Ty, most: u64) -> Stretch {
        let by = self.rng.pick(&[32, 64, 128]);
        let (bound, limit) = if most >= 32 && self.rng.chance(60) {
            (Val::named("n", I32, 1000, Scope::Block), 32)
        } else {
            let any = self.pick_scoped(I32, Scope::Block);
            (self.masked(any, BUFFER), 8)
        };
        let wide = if self.rng.chance(50) {
            Val::int(I32, by)
        } else {
            let size = kernel.block_size;
            self.temp(I32, 1024, Scope::Block, format_args!("call i32 @llvm.umax.i32(i32 {size}, i32 {by})"))
        };
        let [first, bound, step] = [kernel.ltid, bound, wide]
            .map(|val| if ty == I32 || val.is_constant() { Val { ty, ..val } } else { self.extend_positive(val) });
        let predicate = self.rng.pick(&["ult", "slt"]);
        Stretch {
            first,
            bound,
            step,
            predicate,
            flags: " nuw nsw",
            limit,
            hi: first.hi.max(bound.hi),
            may_test_last: true,
        }
    }

    /// A trip count that the compiler cannot know: of the launch, of memory, or of the lane.
    fn trip(&mut self, ty: Ty, most: u64) -> Val {
        let limit = most.min(16);
        let limit = 1 << limit.ilog2();
        if self.happens(Feature::DivergentTrip) && self.rng.chance(50) {
            let lanes = self.pick_divergent(ty);
            return self.masked(lanes, limit);
        }
        let is_launched = self.f.kernel.is_some() && most >= COUNT && self.rng.chance(65);
        let count = if is_launched {
            Val::named("m", I32, COUNT, Scope::Block)
        } else {
            let loaded = self.loaded_count();
            self.masked(loaded, limit)
        };
        match ty {
            _ if count.is_constant() => Val { ty, ..count },
            I64 => self.extend_positive(count),
            I16 => self.temp(I16, count.hi, count.scope, format_args!("trunc i32 {count} to i16")),
            _ => count,
        }
    }

    /// A word of memory on which the block agrees.
    fn loaded_count(&mut self) -> Val {
        let words = self.stream_source().filter(|source| source.elem == I32);
        let Some(Array { pointer, elem, len, .. }) = words else { return self.pick_scoped(I32, Scope::Block) };
        let index = self.index(len, Scope::Block);
        let address = self.element(pointer, elem, index);
        self.loaded(elem, address, index.scope, "")
    }

    /// What the loop adds up.
    fn sums(&mut self) -> Vec<Sum> {
        let types: Vec<Ty> = (0..self.rng.range(1, 3))
            .map(|_| self.rng.weighted(&[(I32, 50), (I64, 10), (Ty::F32, 30), (Ty::F64, 10)]))
            .collect();
        let sum = |ty: Ty| {
            let initial = match ty {
                Ty::F32 | Ty::F64 => self
                    .pool_value(|val| val.ty == ty && val.hi <= FLOAT_HI && !val.tainted)
                    .unwrap_or_else(|| Val::float(ty, 0.0)),
                _ if self.rng.chance(50) => Val::int(ty, 0),
                _ => self.pick(ty),
            };
            let phi = self.reserve(ty, if ty.bits() > 0 { ty.max() } else { SUM_HI }, Scope::Lane);
            Sum { initial, phi, now: phi }
        };
        types.into_iter().map(sum).collect()
    }

    /// A pointer into a buffer that moves on by a few elements in each turn, and stays inside.
    fn walker(&mut self, limit: u64) -> Option<Walker> {
        let step = self.rng.range(1, 3);
        let source = self.stream_source().filter(|source| source.len == BUFFER && limit * step <= BUFFER / 2)?;
        let index = self.index(BUFFER / 2, Scope::Lane);
        let initial = self.element(source.pointer, source.elem, index);
        let phi = self.reserve(initial.ty, step, Scope::Lane);
        let next = self.reserve(source.elem, 0, Scope::Lane);
        Some(Walker { initial, phi, next })
    }

    /// Memory to stream: mostly a buffer.
    fn stream_source(&mut self) -> Option<Array> {
        let is_buffer = self.rng.chance(88);
        self.some_source(|source| match source.feature {
            Feature::ReadOnlyLoad | Feature::MutableLoad => is_buffer,
            feature => !is_buffer && feature == Feature::ConstantLoad,
        })
    }

    /// One turn: loads and sums, and other statements between them.
    fn stream_body(&mut self, counter: Val, sums: &mut [Sum], walkers: &[Walker], spend: i64) {
        for &Walker { phi, next, .. } in walkers {
            let elem = next.ty;
            let loaded = self.loaded(elem, phi, Scope::Lane, "");
            self.define(next, format_args!("getelementptr inbounds {elem}, {}, i64 {}", phi.typed(), phi.hi));
            self.add_up(sums, loaded);
        }
        let loads = self.rng.range(u64::from(walkers.is_empty()), 3);
        for _ in 0..loads {
            if let Some(loaded) = self.stream_load(counter, sums) {
                self.add_up(sums, loaded);
                self.stream_store(loaded);
            }
            match self.rng.below(20) {
                0 => self.simple_statement(),
                1 if self.f.depth < self.knobs.max_depth => self.region((spend / 4).clamp(2, 8)),
                2 if self.f.depth < self.knobs.max_depth => self.if_else(Feature::If, 4),
                3..=6 => self.int_expression(),
                _ => {}
            }
        }
    }

    /// An element that changes from turn to turn, or seldom one at which the last turn points.
    fn stream_load(&mut self, counter: Val, sums: &[Sum]) -> Option<Val> {
        if let Some(kernel) = self.f.kernel.filter(|_| self.f.phase == Phase::Read)
            && self.rng.chance(50)
        {
            let thread = if counter.ty == I32 { counter } else { self.counter_word(counter) };
            return Some(self.shared_of(thread, kernel));
        }
        let Array { mut pointer, elem, len, feature } = self.stream_source()?;
        let chain = sums.iter().map(|sum| sum.now).find(|val| val.ty == I32).filter(|_| self.rng.chance(4));
        let index = match chain {
            Some(last) => self.masked(last, len),
            None => self.stream_index(counter, len),
        };
        if pointer.ty == PTR && feature != Feature::ConstantLoad && self.rng.chance(50) {
            pointer = self.cast_to(Ty::Ptr(1), pointer);
        }
        let scope = index.scope;
        if elem == I32 && self.rng.chance(10) {
            let address = self.element(pointer, I8, index);
            return Some(self.loaded(I8, address, scope, ""));
        }
        let address = self.element(pointer, elem, index);
        let is_invariant = feature == Feature::ReadOnlyLoad && self.rng.chance(25);
        let invariant = if is_invariant { ", !invariant.load !0" } else { "" };
        let loaded = self.loaded(elem, address, scope, invariant);
        if elem != I32 || !self.rng.chance(15) {
            return Some(loaded);
        }
        // what it points at
        let index = self.masked(loaded, len);
        let address = self.element(pointer, elem, index);
        Some(self.loaded(elem, address, scope, invariant))
    }

    fn counter_word(&mut self, counter: Val) -> Val {
        if counter.ty.bits() < 32 { self.extend(counter, I32) } else { self.truncate(counter, I32) }
    }

    fn stream_index(&mut self, counter: Val, len: u64) -> Val {
        let ty = counter.ty;
        let raw = match self.rng.below(6) {
            0 => {
                let base = self.pick_scoped(ty, Scope::Block);
                self.binary("add", counter, base)
            }
            1 => {
                let stride = Val::int(ty, self.rng.range(2, 5));
                self.binary("mul", counter, stride)
            }
            2 | 3 => {
                let base = self.pick_divergent(ty);
                self.binary("add", counter, base)
            }
            _ => counter,
        };
        self.masked(raw, len)
    }

    /// Adds what was loaded to one of the sums.
    fn add_up(&mut self, sums: &mut [Sum], loaded: Val) {
        if sums.is_empty() {
            return;
        }
        let at = self.rng.below(sums.len());
        let now = sums[at].now;
        let ty = now.ty;
        let sum = if ty.bits() > 0 {
            let word = self.stream_word(loaded, ty);
            let op = self.rng.pick(&["add", "add", "xor", "sub"]);
            let now = if self.rng.chance(30) {
                self.temp(ty, ty.max(), Scope::Lane, format_args!("mul {ty} {now}, 31"))
            } else {
                now
            };
            self.temp(ty, ty.max(), Scope::Lane, format_args!("{op} {ty} {now}, {word}"))
        } else {
            let part = self.stream_part(loaded, ty);
            if self.rng.chance(30) {
                let (by, suffix) = (Val::float(ty, 0.75), ty.suffix());
                let text = format!("call {ty} @llvm.fma.{suffix}({ty} {part}, {ty} {by}, {ty} {now})");
                self.temp(ty, SUM_HI, Scope::Lane, format_args!("{text}"))
            } else {
                let op = self.rng.pick(&["fadd", "fadd", "fsub"]);
                self.temp(ty, SUM_HI, Scope::Lane, format_args!("{op} {ty} {now}, {part}"))
            }
        };
        sums[at].now = sum;
    }

    /// What was loaded as an integer of the type.
    fn stream_word(&mut self, loaded: Val, ty: Ty) -> Val {
        let loaded = match loaded.ty {
            Ty::F32 => self.temp_word(loaded.scope, format_args!("bitcast float {loaded} to i32")),
            _ => loaded,
        };
        if loaded.ty == ty { loaded } else { self.extend(loaded, ty) }
    }

    /// What was loaded as a float of the type, at most 2^[`FLOAT_HI`].
    fn stream_part(&mut self, loaded: Val, ty: Ty) -> Val {
        if loaded.ty == Ty::F32 {
            return match ty {
                Ty::F64 => self.temp(ty, FLOAT_HI, loaded.scope, format_args!("fpext float {loaded} to double")),
                _ => loaded,
            };
        }
        let small = self.masked(loaded, 1 << 16);
        self.temp(ty, 16, small.scope, format_args!("sitofp {} {small} to {ty}", small.ty))
    }

    /// Now and then a word of the thread's own changes with each turn.
    fn stream_store(&mut self, loaded: Val) {
        match self.rng.below(10) {
            0 | 1 => self.shared_turn(loaded),
            2 => self.own_slot_update(self.slots),
            _ => {}
        }
    }

    /// The end of a turn. Those who continue early bring any integers for the sums, and leave float sums as they were.
    fn turn_ends(&mut self, sums: &mut [Sum]) {
        let Join { label: latch, edges, .. } = std::mem::take(&mut self.f.loops_last().latch);
        if edges.is_empty() && self.rng.chance(75) {
            return;
        }
        let from = self.f.block;
        self.jump(latch);
        self.place(latch);
        if edges.is_empty() {
            return;
        }
        let mut integers = 0..;
        for sum in sums {
            let which = if sum.phi.ty.bits() > 0 { integers.next() } else { None };
            let early = |(from, vals): &(Label, Vec<Val>)| (*from, which.map_or(sum.phi, |at| vals[at]));
            let mut column: Vec<(Label, Val)> = edges.iter().map(early).collect();
            column.push((from, sum.now));
            sum.now = self.phi(&column, Scope::Lane);
        }
    }
}

const _: () = assert!(TRIPS < STREAM_TRIPS);
