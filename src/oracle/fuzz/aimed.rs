//! What do the passes find in kernels that rewrite code without asking about lanes? Arrays that loops of constant trip
//! count index, for `free-arrays`; functions that are called once with the address of an object, for `inline-calls`;
//! loops that count bits, small copies, divisions of counters and neighbouring accesses, for the idioms.

use super::build::{Gen, Param};
use super::knobs::Feature;
use super::memory::{Array, FLOAT_HI, size_of};
use super::value::{I8, I16, I32, I64, Name, PTR, Scope, Ty, Val};
use std::fmt::{Display, Write as _};

/// Bytes of the thread's own part of the second output buffer.
const OWN_BYTES: u64 = 32;

/// A function that takes the address of an object, and is called once.
#[derive(Clone, Debug)]
pub(super) struct Taker {
    name: String,
    /// Whether each pointer is by value.
    pointers: Vec<bool>,
    /// Words that each pointer leads to.
    words: u64,
}

impl Gen<'_> {
    // Arrays.

    /// One or two arrays that are filled, changed and read by loops of constant trip count.
    pub(super) fn counted_arrays(&mut self) {
        self.note(Feature::LocalArray);
        let (elem, len) = (self.rng.pick(&[I32, I32, I16, I8, I64, Ty::F32, Ty::F64]), self.rng.range(3, 20));
        let new = |g: &mut Self| Array {
            pointer: g.stack_object(format_args!("[{len} x {elem}]"), 16),
            elem,
            len,
            feature: Feature::LocalArray,
        };
        let arrays: Vec<Array> = (0..self.rng.range(1, 2)).map(|_| new(self)).collect();
        for array in arrays.chunks(1).take(if self.rng.chance(50) { 1 } else { 2 }) {
            self.fill_in_turn(array);
        }
        if arrays.len() > 1 {
            self.fill_in_turn(&arrays);
        }
        for _ in 0..self.rng.below(3) {
            let (to, from) = (self.rng.pick(&arrays), self.rng.pick(&arrays));
            self.change_array(to, from);
        }
        for &array in &arrays {
            let first = if elem.bits() > 0 { self.pick(elem) } else { Val::float(elem, 0.0) };
            let backwards = self.rng.chance(40);
            let sum = self.counted(len, Some(first), |g, i, sum| {
                let i = if backwards {
                    g.temp(i.ty, len, i.scope, format_args!("sub nuw nsw {} {}, {i}", i.ty, len - 1))
                } else {
                    i
                };
                let read = g.get(array, i);
                sum.map(|sum| g.mixed(sum, read))
            });
            if let Some(sum) = sum {
                self.observe(sum);
            }
        }
    }

    /// A loop that fills arrays of one length.
    fn fill_in_turn(&mut self, arrays: &[Array]) {
        self.counted(arrays[0].len, None, |g, i, _| {
            for &array in arrays {
                let value = g.filling(array.elem, i);
                g.put(array, i, value);
            }
            None
        });
    }

    /// Changes each element by one of its own or of another array: itself, its mirror image, the one before it, or all.
    fn change_array(&mut self, to: Array, from: Array) {
        let len = to.len;
        let which = self.rng.below(4);
        if which == 3 {
            self.counted(len, None, |g, i, _| {
                g.counted(3, None, |g, j, _| {
                    let j = if j.ty == i.ty {
                        j
                    } else if i.ty == I64 {
                        g.extend_positive(j)
                    } else {
                        g.truncate(j, i.ty)
                    };
                    let (old, other) = (g.get(to, i), g.get(from, j));
                    let new = g.mixed(old, other);
                    g.put(to, i, new);
                    None
                });
                None
            });
            return;
        }
        let turns = if which == 2 { len - 1 } else { len };
        self.counted(turns, None, |g, i, _| {
            let ty = i.ty;
            let (target, source) = match which {
                0 => (i, i),
                1 => (i, g.temp(ty, len, i.scope, format_args!("sub nuw nsw {ty} {}, {i}", len - 1))),
                _ => (g.temp(ty, len, i.scope, format_args!("add nuw nsw {ty} {i}, 1")), i),
            };
            let (old, other) = (g.get(to, target), g.get(from, source));
            let new = g.mixed(old, other);
            g.put(to, target, new);
            None
        });
    }

    /// A value for an element: of memory, or made of the index.
    fn filling(&mut self, elem: Ty, index: Val) -> Val {
        let index = match index.ty {
            I32 => index,
            _ => self.temp(I32, index.hi, index.scope, format_args!("trunc {} {index} to i32", index.ty)),
        };
        let by = self.pick(I32);
        let plus = self.pick_divergent(I32);
        self.affine_element(elem, index, by, plus)
    }

    /// `index * by + plus`, of words, as an element.
    pub(super) fn affine_element(&mut self, elem: Ty, index: Val, by: Val, plus: Val) -> Val {
        let scaled = self.temp_word(Scope::Lane, format_args!("mul i32 {index}, {by}"));
        let word = self.temp_word(Scope::Lane, format_args!("add i32 {scaled}, {plus}"));
        match elem {
            I32 => word,
            Ty::Int(bits) if bits > 32 => {
                self.temp(elem, elem.max(), Scope::Lane, format_args!("sext i32 {word} to {elem}"))
            }
            Ty::Int(_) => self.temp(elem, elem.max(), Scope::Lane, format_args!("trunc i32 {word} to {elem}")),
            _ => {
                let small = self.temp(I32, 0xffff, Scope::Lane, format_args!("and i32 {word}, 65535"));
                self.temp(elem, 16, Scope::Lane, format_args!("uitofp i32 {small} to {elem}"))
            }
        }
    }

    /// What was there, and another value, in one that depends on both and on their order.
    pub(super) fn mixed(&mut self, old: Val, other: Val) -> Val {
        let ty = old.ty;
        if ty.bits() == 0 {
            return self.temp(ty, FLOAT_HI, Scope::Lane, format_args!("fadd {ty} {old}, {other}"));
        }
        let scaled = self.temp(ty, ty.max(), Scope::Lane, format_args!("mul {ty} {old}, 31"));
        self.temp(ty, ty.max(), Scope::Lane, format_args!("add {ty} {scaled}, {other}"))
    }

    fn place_of(&mut self, array: Array, index: Val) -> Val {
        let Array { pointer, elem, len, .. } = array;
        let at = index.ty;
        if self.rng.chance(50) {
            return self
                .pointer(format_args!("getelementptr inbounds [{len} x {elem}], ptr {pointer}, {at} 0, {at} {index}"));
        }
        self.pointer(format_args!("getelementptr inbounds {elem}, ptr {pointer}, {at} {index}"))
    }

    fn get(&mut self, array: Array, index: Val) -> Val {
        let (at, elem) = (self.place_of(array, index), array.elem);
        let hi = if elem.bits() > 0 { elem.max() } else { FLOAT_HI };
        self.temp(elem, hi, Scope::Lane, format_args!("load {elem}, ptr {at}, align {}", size_of(elem)))
    }

    fn put(&mut self, array: Array, index: Val, value: Val) {
        let at = self.place_of(array, index);
        self.store(value, at);
    }

    /// A loop of that many turns, whose body gets the turn's number and a value of the turn before; returns the last one.
    fn counted(
        &mut self,
        turns: u64,
        first: Option<Val>,
        body: impl FnOnce(&mut Self, Val, Option<Val>) -> Option<Val>,
    ) -> Option<Val> {
        let ty = self.rng.pick(&[I32, I32, I64]);
        let (header, exit) = (self.label(), self.label());
        let mut head = self.enter_loop(header);
        let counter = self.reserve(ty, turns, Scope::Block);
        let carried = first.map(|first| self.reserve(first.ty, first.ty.max().max(FLOAT_HI), Scope::Lane));
        let (mark, trips) = (self.f.pool.len(), self.f.trips);
        self.f.trips *= turns as u32;
        let last = body(self, counter, carried);
        self.f.trips = trips;
        self.f.pool.truncate(mark);
        let next = self.temp(ty, turns, Scope::Block, format_args!("add nuw nsw {ty} {counter}, 1"));
        let done = self.rng.chance(60);
        let predicate = if done { "eq" } else { self.rng.pick(&["ult", "slt", "ne"]) };
        let test = self.temp_bit(Scope::Block, format_args!("icmp {predicate} {ty} {next}, {turns}"));
        let (yes, no) = if done { (exit, header) } else { (header, exit) };
        self.branch(test, yes, no);
        self.turn_phi(&mut head, counter, 0, next);
        if let (Some(first), Some(carried), Some(last)) = (first, carried, last) {
            self.turn_phi(&mut head, carried, first, last);
        }
        self.place(exit);
        last
    }

    // Calls.

    /// Functions that take addresses of objects; some of them pass on objects of their own.
    pub(super) fn takers(&mut self) {
        for n in 0..self.rng.range(1, 3) {
            let words = self.rng.range(2, 6);
            let pointers: Vec<bool> = (0..self.rng.range(1, 2)).map(|_| self.rng.chance(30)).collect();
            let outer = self.begin(&[Param::Value(I32, Scope::Lane); 2], I32);
            self.f.budget = self.f.budget.min(14);
            if n > 0 && self.rng.chance(30) {
                self.take();
            }
            for _ in 0..self.rng.range(2, 5) {
                let pointer = format!("%o{}", self.rng.below(pointers.len()));
                let at = self.rng.below(words as usize) as u64;
                self.word_of(&pointer, at);
                if self.rng.chance(60) {
                    let pointer = format!("%o{}", self.rng.below(pointers.len()));
                    let (value, at) = (self.pick_variable(I32), self.rng.below(words as usize) as u64);
                    self.set_word(&pointer, at, value);
                }
            }
            let spend = self.f.budget;
            self.region(spend);
            self.ret();
            let mut params = String::new();
            for (at, &by_value) in pointers.iter().enumerate() {
                let copy = if by_value { format!("byval([{words} x i32]) align 4 ") } else { String::new() };
                let _ = write!(params, "ptr {copy}%o{at}, ");
            }
            let linkage = self.rng.pick(&["", "", "internal ", "linkonce_odr "]);
            let attributes = self.rng.pick(&["nounwind ", "convergent nounwind ", ""]);
            let name = format!("g{n}");
            let head = format_args!("{linkage}i32 @{name}({params}i32 %p0, i32 %p1) {attributes}");
            self.define_function(outer, head);
            self.takers.push(Taker { name, pointers, words });
        }
    }

    /// Calls a function that nobody has called yet with the address of an object, and reads what is there afterwards.
    pub(super) fn take(&mut self) {
        let Some(Taker { name, pointers, words }) = self.takers.pop() else { return };
        self.note(Feature::Call);
        let shares = pointers.len() > 1 && self.rng.chance(50);
        let offset = if pointers.contains(&true) { 0 } else { self.rng.below(3) as u64 };
        let size = words + offset;
        let objects: Vec<String> = (0..if shares { 1 } else { pointers.len() })
            .map(|_| self.stack_words(size, 4, |g| g.pick(I32)).to_string())
            .collect();
        let mut args = String::new();
        for (at, &by_value) in pointers.iter().enumerate() {
            let object = &objects[at.min(objects.len() - 1)];
            let place = if offset > 0 && at == 0 {
                self.pointer(format_args!("getelementptr inbounds i8, ptr {object}, i64 {}", 4 * offset)).to_string()
            } else {
                object.clone()
            };
            let copy = if by_value { format!("byval([{words} x i32]) align 4 ") } else { String::new() };
            let _ = write!(args, "ptr {copy}{place}, ");
        }
        let (a, b) = (self.pick(I32), self.pick(I32));
        let result = self.word(Scope::Lane, format_args!("call i32 @{name}({args}i32 {a}, i32 {b})"));
        self.observe(result);
        for object in &objects {
            for at in 0..size {
                let word = self.word_of(object, at);
                self.observe(word);
            }
        }
    }

    /// A word of an object, by its number.
    fn word_of(&mut self, object: impl Display, at: u64) -> Val {
        let place = self.pointer(format_args!("getelementptr inbounds i32, ptr {object}, i64 {at}"));
        self.word(Scope::Lane, format_args!("load i32, ptr {place}, align 4"))
    }

    /// Stores a word of an object.
    pub(super) fn set_word(&mut self, object: impl Display, at: u64, value: Val) {
        let place = self.pointer(format_args!("getelementptr inbounds i32, ptr {object}, i64 {at}"));
        self.store(value, place);
    }

    // Idioms.

    /// A loop that counts bits, a small copy, a sum of divisions of a counter, neighbouring accesses, or a choice made twice.
    pub(super) fn idiom(&mut self) {
        match self.rng.below(5) {
            0 => self.count_bits(),
            1 => self.small_copy(),
            2 => self.neighbours(),
            3 => self.choose_twice(),
            _ => self.divided_counter(),
        }
    }

    /// `r = c ? a ^ b : a + 7;`, by a branch, and again, or something that differs a little.
    fn choose_twice(&mut self) {
        self.note(Feature::IfElse);
        let [a, b, limit] = [0; 3].map(|_| self.pick_divergent(I32));
        let [first, other] = [0; 2].map(|_| self.temp_bit(Scope::Lane, format_args!("icmp ult i32 {a}, {limit}")));
        let other = if self.rng.chance(70) { first } else { other };
        let twist = self.rng.below(6);
        for (again, condition) in [(false, first), (true, other)] {
            let (yes, no, join) = (self.label(), self.label(), self.label());
            self.branch(condition, yes, no);
            self.place(yes);
            let (p, q) = if again && twist == 0 { (b, b) } else { (a, b) };
            let [one, two] = [0; 2].map(|_| self.reserve(I32, I32.max(), Scope::Lane));
            self.define(one, format_args!("xor i32 {p}, {q}"));
            if again && twist == 1 {
                self.observe(one);
            }
            let end = self.f.block;
            self.jump(join);
            self.place(no);
            self.define(two, format_args!("add i32 {a}, {}", if again && twist == 2 { 9 } else { 7 }));
            let other_end = self.f.block;
            self.jump(join);
            self.place(join);
            let chosen = self.reserve(I32, I32.max(), Scope::Lane);
            let (one, two) = if again && twist == 3 { (a, b) } else { (one, two) };
            self.define(chosen, format_args!("phi i32 [ {one}, {end} ], [ {two}, {other_end} ]"));
            self.f.pool.push(chosen);
            self.observe(chosen);
        }
    }

    /// `do { v &= v - 1; n++; } while (v);`, of zero, too.
    fn count_bits(&mut self) {
        self.note(Feature::BitCount);
        let (ty, counts) = (self.rng.pick(&[I32, I32, I64]), self.rng.pick(&[I32, I32, I64]));
        let any = self.pick_divergent(ty);
        let number = if self.rng.chance(30) { self.masked(any, 4) } else { any };
        let first = if self.rng.chance(50) { self.pick(counts) } else { Val::int(counts, 0) };
        let before = self.f.block;
        let (body, exit) = (self.label(), self.label());
        self.jump(body);
        self.place(body);
        self.f.cost += 5 * ty.bits() * self.f.trips;
        let [left, less, rest] = [0; 3].map(|_| self.reserve(ty, ty.max(), Scope::Lane));
        let [count, next] = [0; 2].map(|_| self.reserve(counts, counts.max(), Scope::Lane));
        self.define(left, format_args!("phi {ty} [ {number}, {before} ], [ {rest}, {body} ]"));
        self.define(count, format_args!("phi {counts} [ {first}, {before} ], [ {next}, {body} ]"));
        self.define(next, format_args!("add {counts} {count}, 1"));
        self.define(less, format_args!("add {ty} {left}, -1"));
        let (a, b) = if self.rng.chance(50) { (left, less) } else { (less, left) };
        self.define(rest, format_args!("and {ty} {a}, {b}"));
        let is_done = self.rng.chance(50);
        let predicate = if is_done { "eq" } else { "ne" };
        let test = self.temp_bit(Scope::Lane, format_args!("icmp {predicate} {ty} {rest}, 0"));
        let (yes, no) = if is_done { (exit, body) } else { (body, exit) };
        self.branch(test, yes, no);
        self.place(exit);
        self.f.pool.push(next);
        self.observe(next);
    }

    /// A copy of constant length from a buffer to the thread's own part of the second output, perhaps through a stack object.
    fn small_copy(&mut self) {
        let Some(kernel) = self.f.kernel else { return };
        self.note(Feature::MutableLoad);
        let source = self.some_source(|source| source.pointer.ty == PTR && source.len >= 32);
        let Some(Array { pointer, elem, len, .. }) = source else { return self.int_expression() };
        let offset = 4 * self.rng.below(3) as u64;
        let bytes = self.rng.range(5, OWN_BYTES - offset);
        let words = self.rng.pick(&[1, 4]);
        let wanted = self.pick(I32);
        // eight words are there from each of the first places
        let index = self.masked(wanted, (len - 8).next_power_of_two() / 2 / words);
        let wide = self.extend_positive(index);
        let from = self.pointer(format_args!("getelementptr inbounds [{words} x {elem}], ptr {pointer}, i64 {wide}"));
        let own = self.pointer(format_args!("getelementptr inbounds [4 x i64], ptr %out64, i64 {}", kernel.gid));
        let to = self.pointer(format_args!("getelementptr inbounds i8, ptr {own}, i64 {offset}"));
        let align = if offset.is_multiple_of(8) { 8 } else { 4 };
        let copy = |g: &mut Self, to: Val, from: Val, align: u32| {
            let (to, from) = (format_args!("ptr align {align} {to}"), format_args!("ptr align 4 {from}"));
            g.line(format_args!("call void @llvm.memcpy.p0.p0.i64({to}, {from}, i64 {bytes}, i1 false)"));
        };
        if self.rng.chance(40) {
            let object = self.stack_object(format_args!("[{bytes} x i8]"), 4);
            copy(self, object, from, 4);
            copy(self, to, object, align);
        } else {
            copy(self, to, from, align);
        }
    }

    /// Two words side by side, the second at a sum that may wrap as an unsigned number.
    fn neighbours(&mut self) {
        let Some(at) = self.f.sources.iter().position(|source| source.elem == I32 && source.len >= 2) else { return };
        self.note(Feature::MutableLoad);
        let Array { pointer, len, .. } = self.f.sources[at];
        let wanted = self.pick(I32);
        let left = self.masked(wanted, len.next_power_of_two() / 2);
        let right = self.temp_word(left.scope, format_args!("add nuw nsw i32 {left}, 1"));
        let again = self.temp_word(left.scope, format_args!("add nsw i32 {right}, -1"));
        for index in [right, again] {
            let wide = self.temp(I64, len, index.scope, format_args!("zext nneg i32 {index} to i64"));
            let text = format!("getelementptr inbounds i32, {}, i64 {wide}", pointer.typed());
            let place = self.temp(pointer.ty, 0, Scope::Lane, format_args!("{text}"));
            let word = self.loaded(I32, place, Scope::Lane, "");
            self.observe(word);
        }
    }

    /// A sum of remainders or quotients of a loop's counter, widened.
    fn divided_counter(&mut self) {
        self.note(Feature::DivRem);
        let (turns, op) = (self.rng.range(2, 12), self.rng.pick(&["urem", "udiv"]));
        let by = self.rng.pick(&[3, 5, 6, 7, 10]);
        let plus = self.rng.chance(50).then(|| self.pick_scoped(I32, Scope::Block));
        let sum = self.counted(turns, Some(Val::int(I64, 0)), |g, i, sum| {
            let i = if i.ty == I32 { i } else { g.truncate(i, I32) };
            let i = plus.map_or(i, |plus| g.temp_word(Scope::Block, format_args!("add i32 {i}, {plus}")));
            let part = g.temp_word(Scope::Block, format_args!("{op} i32 {i}, {by}"));
            let wide = g.temp(I64, I32.max(), Scope::Block, format_args!("zext i32 {part} to i64"));
            sum.map(|sum| g.mixed(sum, wide))
        });
        if let Some(sum) = sum {
            debug_assert!(matches!(sum.name, Name::Reg(_)));
            self.observe(sum);
        }
    }
}
