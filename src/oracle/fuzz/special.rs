//! Which kernels are generated for one transform, and which idioms does chance rarely produce? Similar sides for branch
//! fusion, register pressure for spill placement; counters that wrap, indices bounded by a guard.

use super::build::{Gen, Join};
use super::knobs::{Feature, Mode};
use super::value::{I1, I32, I64, Scope, Ty, Val};

/// One instruction of an arm, before its operands are chosen: two arms of the same shapes align.
#[derive(Clone, Debug)]
enum Shape {
    Binary(&'static str),
    Float(&'static str),
    Load(Feature),
    StoreSlot,
    /// Reads and writes a slot that others of its kind read and write too, so that their order matters.
    Update,
    Choose,
    Call,
    Nested(Vec<Shape>, Vec<Shape>),
    Repeat(u64, Vec<Shape>),
}

impl Gen<'_> {
    /// Divergent if-then-elses with similar sides: the same instructions on other operands, some inserted, omitted or
    /// changed.
    pub(super) fn diamonds(&mut self) {
        for _ in 0..self.rng.range(1, 3) {
            let depth = self.rng.range(0, 2);
            let first = self.shapes(depth, 3, 9);
            let second = self.variation(&first);
            self.diamond(&first, &second);
            if self.f.budget > 0 {
                self.region(8);
            }
        }
    }

    fn shapes(&mut self, depth: u64, least: u64, most: u64) -> Vec<Shape> {
        (0..self.rng.range(least, most)).map(|_| self.shape(depth)).collect()
    }

    fn shape(&mut self, depth: u64) -> Shape {
        match self.rng.below(if depth > 0 { 14 } else { 12 }) {
            0..=4 => Shape::Binary(self.rng.pick(&["add", "mul", "sub", "xor", "and", "or"])),
            5 | 6 => Shape::Float(self.rng.pick(&["fadd", "fmul", "fsub"])),
            7 => Shape::Load(Feature::ReadOnlyLoad),
            8 => Shape::Load(Feature::ConstantLoad),
            9 if self.rng.chance(50) => Shape::Update,
            9 => Shape::StoreSlot,
            10 => Shape::Choose,
            11 => Shape::Call,
            12 => {
                let first = self.shapes(depth - 1, 1, 4);
                let second = self.variation(&first);
                Shape::Nested(first, second)
            }
            _ => {
                let trips = self.rng.range(2, 4);
                Shape::Repeat(trips, self.shapes(depth - 1, 1, 4))
            }
        }
    }

    /// The shapes with an edit here and there.
    fn variation(&mut self, shapes: &[Shape]) -> Vec<Shape> {
        let mut out = Vec::new();
        for shape in shapes {
            match self.rng.below(10) {
                0 => {}
                1 => {
                    out.push(self.shape(0));
                    out.push(shape.clone());
                }
                2 => out.push(self.shape(0)),
                _ => out.push(shape.clone()),
            }
        }
        if out.is_empty() {
            out.push(self.shape(0));
        }
        out
    }

    fn diamond(&mut self, first: &[Shape], second: &[Shape]) {
        self.note(Feature::IfElse);
        let cond = self.condition(Scope::Lane);
        let types = self.phi_types(3);
        let (yes, no, join) = (self.label(), self.label(), self.label());
        self.branch(cond, yes, no);
        let mut join = Join::new(join, types);
        self.sides(&[yes, no], cond.scope, &mut join, |g, side| g.emit_shapes([first, second][side]));
        self.join(&join, cond.scope);
    }

    fn emit_shapes(&mut self, shapes: &[Shape]) {
        for shape in shapes {
            match shape {
                Shape::Binary(op) => {
                    // Chains, as real arms have, rather than independent operations.
                    let a = match self.f.pool.last() {
                        Some(&last) if last.ty == I32 && !last.tainted && self.rng.chance(60) => last,
                        _ => self.pick(I32),
                    };
                    let b = self.pick(I32);
                    self.binary(op, a, b);
                }
                Shape::Float(op) => {
                    let (a, b) = (self.float_within(Ty::F32, 24), self.float_within(Ty::F32, 24));
                    let hi = if *op == "fmul" { a.hi + b.hi } else { a.hi.max(b.hi) + 1 };
                    self.op(Ty::F32, hi, a.scope.min(b.scope), format_args!("{op} float {a}, {b}"));
                }
                Shape::Load(feature) => self.load_source(*feature),
                Shape::StoreSlot => {
                    let val = self.pick(I32);
                    self.observe(val);
                }
                Shape::Update => self.own_slot_update(2),
                Shape::Choose => {
                    let cond = self.condition(Scope::Lane);
                    let (a, b) = (self.pick(I32), self.pick(I32));
                    let scope = cond.scope.min(a.scope).min(b.scope);
                    self.op(I32, a.hi.max(b.hi), scope, format_args!("select i1 {cond}, i32 {a}, i32 {b}"));
                }
                Shape::Call => self.call(),
                Shape::Nested(first, second) => self.diamond(first, second),
                Shape::Repeat(trips, shapes) => {
                    self.repeat(*trips, |g| g.emit_shapes(shapes));
                }
            }
        }
    }

    /// A counted loop around what `body` emits, with one accumulator.
    pub(super) fn repeat(&mut self, trips: u64, body: impl FnOnce(&mut Self)) {
        let (header, exit) = (self.label(), self.label());
        let init = self.pick(I32);
        // the loops of a diamond's sides may count from different numbers
        let first = if self.knobs.mode == Mode::Diamonds && self.rng.chance(50) { self.rng.range(1, 3) } else { 0 };
        let last = first + trips;
        let mut head = self.enter_loop(header);
        let mark = self.f.pool.len();
        let (i, sum) = (self.reserve(I32, last, Scope::Block), self.reserve(I32, I32.max(), Scope::Lane));
        self.f.pool.extend([i, sum]);
        let (around, conv_loops) = (self.f.trips, self.f.conv_loops);
        self.f.trips *= trips as u32;
        self.f.conv_loops += u32::from(self.f.conv > Scope::Lane);
        body(self);
        self.f.trips = around;
        self.f.conv_loops = conv_loops;
        let other = self.pick_variable(I32);
        let next_sum = self.binary("add", sum, other);
        let next = self.temp(I32, last, Scope::Block, format_args!("add nuw nsw i32 {i}, 1"));
        let done = self.temp_bit(Scope::Block, format_args!("icmp eq i32 {next}, {last}"));
        self.branch(done, exit, header);
        self.turn_phi(&mut head, i, first, next);
        self.turn_phi(&mut head, sum, init, next_sum);
        self.place(exit);
        self.f.pool.truncate(mark);
        self.f.pool.push(next_sum);
    }

    /// Many values live at once across loops: uniform, affine and loaded ones, all used at the end.
    pub(super) fn pressure(&mut self) {
        let count = self.rng.range(12, 40);
        let mut alive = Vec::new();
        for n in 0..count {
            match n % 4 {
                0 => self.load_source(Feature::ReadOnlyLoad),
                1 => {
                    let (a, b) = (self.pick_divergent(I32), self.pick_scoped(I32, Scope::Block));
                    let scaled = self.binary("mul", a, b);
                    let k = self.constant(I32);
                    self.binary("add", scaled, k);
                }
                2 => {
                    let (a, b) = (self.pick_scoped(I32, Scope::Block), self.pick_scoped(I32, Scope::Block));
                    let op = self.rng.pick(&["add", "mul", "xor"]);
                    self.binary(op, a, b);
                }
                _ => self.int_expression(),
            }
            alive.extend(self.f.pool.last().copied().filter(|val| val.ty == I32 && !val.tainted));
        }
        let trips = self.rng.range(2, 5);
        let inner = self.rng.range(1, 3);
        self.repeat(trips, |g| {
            g.use_some(&alive);
            if g.rng.chance(50) {
                g.repeat(inner, |g| g.use_some(&alive));
            }
            g.region(10);
        });
        // Everything is needed after the loops, in an order of its own.
        let mut sum = self.pick(I32);
        for (n, &val) in alive.iter().enumerate().rev() {
            let op = if n % 3 == 0 { "xor" } else { "add" };
            sum = self.binary(op, sum, val);
            if n % 8 == 0 {
                self.observe(sum);
            }
        }
        self.observe(sum);
    }

    fn use_some(&mut self, alive: &[Val]) {
        for _ in 0..4 {
            if alive.is_empty() {
                return self.int_expression();
            }
            let (a, b) = (self.rng.pick(alive), self.rng.pick(alive));
            let op = self.rng.pick(&["add", "mul", "xor", "sub"]);
            self.binary(op, a, b);
        }
    }

    /// A variable that starts short of the largest number, its first value, and how far it is ahead of the thread's index.
    pub(super) fn walk(&mut self) -> (Val, Val) {
        let walk = self.reserve(I32, I32.max(), Scope::Block);
        self.f.pool.push(walk);
        let index = match self.f.kernel {
            Some(kernel) => kernel.ltid,
            None => self.sreg("tid.x"),
        };
        let ahead = self.temp_word(Scope::Lane, format_args!("sub i32 {walk}, {index}"));
        self.op(I64, I32.max(), Scope::Lane, format_args!("zext i32 {ahead} to i64"));
        let short = self.rng.range(1, 40);
        (walk, Val::int(I32, I32.max() - short))
    }

    /// `if (a < k) … f(a) … else … f(a) …`, with `a` affine in the thread's index.
    pub(super) fn guarded(&mut self) {
        self.note(Feature::Guarded);
        let index = match self.f.kernel.filter(|_| self.rng.chance(50)) {
            Some(kernel) => kernel.ltid,
            None => self.sreg("tid.x"),
        };
        let (scale, rest) = (Val::int(I32, 1 << self.rng.below(30)), self.pick_scoped(I32, Scope::Block));
        let scaled = self.binary("mul", index, scale);
        let a = self.binary("add", scaled, rest);
        let limit = self.rng.pick(&[16, 100, 1000, 1 << 20]);
        let predicate = self.rng.pick(&["ult", "slt", "ugt", "uge"]);
        let mut cond = self.bit(a.scope, format_args!("icmp {predicate} i32 {a}, {limit}"));
        if self.rng.chance(40) {
            // one condition of two
            let other = self.compare(Scope::Lane);
            cond = match self.rng.below(4) {
                0 => self.binary("and", cond, other),
                1 => self.binary("or", cond, other),
                2 => self.bit(Scope::Lane, format_args!("select i1 {other}, i1 {cond}, i1 false")),
                _ => self.bit(Scope::Lane, format_args!("select i1 {cond}, i1 true, i1 {other}")),
            };
        }
        let (yes, no, join) = (self.label(), self.label(), self.label());
        self.branch(cond, yes, no);
        let mut join = Join::new(join, vec![I64]);
        let mark = self.f.pool.len();
        for label in [yes, no] {
            self.place(label);
            let by = self.rng.range(1, 12);
            let op = self.rng.pick(&["shl", "add", "mul", "sub"]);
            let more = self.temp_word(a.scope, format_args!("{op} i32 {a}, {by}"));
            let widen = self.rng.pick(&["zext", "sext"]);
            let wide = self.temp(I64, I64.max(), a.scope, format_args!("{widen} i32 {more} to i64"));
            join.edges.push((label, vec![wide]));
            self.jump(join.label);
            self.f.pool.truncate(mark);
        }
        self.join(&join, cond.scope);
    }

    /// A loop in whose turns lanes do something one after the other, and which they leave there, once or for good. Which
    /// lane it is may depend on something that only seems to be agreed on in the first turn.
    pub(super) fn in_turn(&mut self) {
        self.note(Feature::InTurn);
        let linear = self.f.kernel.filter(|_| self.rng.chance(40)).map(|kernel| kernel.ltid);
        let index = linear.unwrap_or_else(|| self.sreg("tid.x"));
        let [header, turn, latch, behind, exit] = [(); 5].map(|()| self.label());
        let (first, last) = (self.pick_scoped(I32, Scope::Block), self.rng.range(2, 6));
        let mut head = self.enter_loop(header);
        let (mark, conv) = (self.f.pool.len(), self.f.conv);
        self.f.conv = Scope::Lane;
        let counter = self.reserve(I32, last, Scope::Block);
        let carried = self.reserve(I32, I32.max(), Scope::Lane);
        let number = if self.rng.chance(50) { counter } else { carried };
        let mine = self.temp_bit(Scope::Lane, format_args!("icmp eq i32 {index}, {number}"));
        self.branch(mine, turn, latch);
        self.place(turn);
        self.binary("xor", index, Val::int(I32, 5));
        if self.rng.chance(50) {
            let leave = self.compare(Scope::Lane);
            self.branch(leave, behind, latch);
        } else {
            self.jump(behind);
        }
        self.f.pool.truncate(mark);
        self.place(behind);
        self.binary("xor", index, Val::int(I32, 9));
        self.int_expression();
        self.jump(exit);
        self.f.pool.truncate(mark);
        self.place(latch);
        let next = self.temp(I32, last, Scope::Block, format_args!("add nuw nsw i32 {counter}, 1"));
        let changed = self.binary("and", index, Val::int(I32, 7));
        let more = self.temp_bit(Scope::Block, format_args!("icmp ult i32 {next}, {last}"));
        self.branch(more, header, exit);
        self.turn_phi(&mut head, counter, 0, next);
        self.turn_phi(&mut head, carried, first, changed);
        self.f.pool.truncate(mark);
        self.f.conv = conv;
        self.place(exit);
    }

    /// Whether an index of the thread is a number on which lanes agree; in some launches one lane of a warp has it.
    pub(super) fn one_lane(&mut self) -> Val {
        let linear = self.f.kernel.filter(|_| self.rng.chance(35)).map(|kernel| kernel.ltid);
        let register = self.rng.pick(&["tid.x", "tid.x", "tid.x", "laneid", "tid.y"]);
        let mut index = linear.unwrap_or_else(|| self.sreg(register));
        match self.rng.below(8) {
            0 => index = self.binary("and", index, Val::int(I32, 31)),
            1 => {
                let other = self.sreg("tid.y");
                index = self.binary("or", index, other);
            }
            2 => {
                let by = self.rng.pick(&[2, 3, 1 << 26, 1 << 28]);
                index = self.binary("mul", index, Val::int(I32, by));
            }
            _ => {}
        }
        let number = match self.rng.below(4) {
            0 => Val::int(I32, 0),
            1 => Val::int(I32, self.rng.range(0, 40)),
            // a counter of a loop around, perhaps
            _ => {
                let agreed = self.pick_scoped(I32, Scope::Block);
                self.masked(agreed, 16)
            }
        };
        let predicate = self.rng.pick(&["eq", "eq", "ne", "ult"]);
        let first = self.bit(Scope::Lane, format_args!("icmp {predicate} i32 {index}, {number}"));
        match self.rng.below(8) {
            0 => self.binary("xor", first, Val::int(I1, 1)),
            1 => {
                let second = self.compare(Scope::Lane);
                self.binary("and", first, second)
            }
            which @ 2..4 => {
                let second = self.compare(Scope::Lane);
                self.short_circuit(which == 2, first, second)
            }
            _ => first,
        }
    }
}
