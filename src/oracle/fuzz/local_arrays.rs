//! Which arrays does a thread of a generated kernel have on its stack, and how are they filled, read and copied?

use super::build::Gen;
use super::knobs::Feature;
use super::memory::{Array, FLOAT_HI, PASSED, size_of};
use super::value::{I8, I16, I32, I64, Scope, Ty, Val};

impl Gen<'_> {
    /// Allocates and initialises a stack array; only in the entry block.
    pub(super) fn local_array(&mut self) {
        self.note(Feature::LocalArray);
        let elem = self.rng.pick(&[I32, I32, I32, I8, I16, I64, Ty::F32]);
        let least = if elem == I32 { PASSED } else { 4 };
        let len = least << self.rng.below(3);
        let len = len.max(16 / size_of(elem));
        let shape = match self.rng.below(3) {
            0 => format!("{{ [{} x {elem}], [{} x {elem}] }}", len / 2, len - len / 2),
            _ => format!("[{len} x {elem}]"),
        };
        let pointer = self.stack_object(shape, 16);
        let array = Array { pointer, elem, len, feature: Feature::LocalArray };
        match self.rng.below(3) {
            0 if elem != Ty::F32 => {
                let byte = self.pick(I8);
                let bytes = array.bytes();
                self.line(format_args!(
                    "call void @llvm.memset.p0.i64(ptr align 16 {pointer}, i8 {byte}, i64 {bytes}, i1 false)"
                ));
            }
            1 => self.fill_by_loop(array),
            _ => {
                for i in 0..len {
                    let val = self.local_value(elem);
                    let at = self.pointer(format_args!("getelementptr inbounds {elem}, ptr {pointer}, i64 {i}"));
                    self.store(val, at);
                }
            }
        }
        self.f.arrays.push(array);
    }

    /// So many words on the stack; `value` makes each.
    pub(super) fn stack_words(&mut self, len: u64, align: u32, value: impl Fn(&mut Self) -> Val) -> Val {
        let words = self.stack_object(format_args!("[{len} x i32]"), align);
        for at in 0..len {
            let val = value(self);
            self.set_word(words, at, val);
        }
        words
    }

    /// A stack array of constants that is only read afterwards; only in the entry block.
    pub(super) fn local_table(&mut self) {
        let table = self.stack_words(PASSED, 16, |g| g.constant(I32));
        self.f.sources.push(Array::words(table, PASSED, Feature::ConstantLoad));
        for _ in 0..self.rng.range(1, 3) {
            self.load_source(Feature::ConstantLoad);
        }
    }

    /// A copy of the by-value argument or of a part of it, as a function that took it by value leaves it when it is
    /// inlined; sometimes written afterwards. Only in the entry block of a kernel with such an argument.
    pub(super) fn argument_copy(&mut self) {
        self.note(Feature::LocalArray);
        let first = 4 * self.rng.below(3) as u64;
        let len = 16 - first;
        let copy = self.stack_object(format_args!("[{len} x i32]"), 16);
        let from = self.pointer(format_args!("getelementptr inbounds i32, ptr %packed, i64 {first}"));
        self.line(format_args!(
            "call void @llvm.memcpy.p0.p0.i64(ptr align 16 {copy}, ptr align 16 {from}, i64 {}, i1 false)",
            4 * len
        ));
        if self.rng.chance(25) {
            let (val, index) = (self.pick(I32), self.index(len, Scope::Lane));
            let at = self.element(copy, I32, index);
            self.store(val, at);
        }
        for _ in 0..self.rng.range(1, 3) {
            let index = self.index(len, Scope::Lane);
            self.observe_element(copy, index);
        }
    }

    /// A stack array whose contents all lanes agree on, written and read in turn; only in the entry block.
    pub(super) fn local_of_warp(&mut self) {
        let array = self.stack_words(PASSED, 16, |g| g.pick_scoped(I32, Scope::Block));
        let trips = self.rng.range(2, 4);
        self.repeat(trips, |g| {
            let (val, index) = (g.pick_scoped(I32, Scope::Block), g.index(PASSED, Scope::Block));
            let at = g.element(array, I32, index);
            g.store(val, at);
            let index = g.index(PASSED, Scope::Lane);
            g.observe_element(array, index);
        });
    }

    /// Reads a word and stores it where the host sees it.
    fn observe_element(&mut self, array: Val, index: Val) {
        let at = self.element(array, I32, index);
        let read = self.loaded(I32, at, Scope::Lane, "");
        self.observe(read);
    }

    /// A stack array accessed through a select and a phi of addresses, and written and read at one place in one block; only
    /// in the entry block.
    pub(super) fn local_pointers(&mut self) {
        let array = self.stack_words(PASSED, 16, |g| g.pick(I32));
        let element =
            |g: &mut Self, i: u64| g.pointer(format_args!("getelementptr inbounds i32, ptr {array}, i64 {i}"));
        let [i, j, k] = [0; 3].map(|_| self.rng.range(0, PASSED - 1));
        let (first, second, third) = (element(self, i), element(self, j), element(self, k));
        let cond = self.condition(Scope::Lane);
        let chosen = self.pointer(format_args!("select i1 {cond}, ptr {first}, ptr {second}"));
        let read = self.loaded(I32, chosen, Scope::Lane, "");
        self.observe(read);
        let cond = self.condition(Scope::Lane);
        let (yes, no, join) = (self.label(), self.label(), self.label());
        self.branch(cond, yes, no);
        for side in [yes, no] {
            self.place(side);
            self.jump(join);
        }
        self.place(join);
        let joined = self.pointer(format_args!("phi ptr [ {first}, {yes} ], [ {second}, {no} ]"));
        let val = self.pick(I32);
        self.store(val, third);
        for at in [joined, third] {
            let read = self.loaded(I32, at, Scope::Lane, "");
            self.observe(read);
        }
    }

    /// A value to store into an array of `elem`.
    fn local_value(&mut self, elem: Ty) -> Val {
        if elem == Ty::F32 { self.float_within(elem, FLOAT_HI) } else { self.pick(elem) }
    }

    /// `for (i = 0; i < len; i++) array[i] = i * a + b`.
    fn fill_by_loop(&mut self, array: Array) {
        let Array { pointer, elem, len, .. } = array;
        let (a, b) = (self.pick(I32), self.pick(I32));
        let entry = self.f.block;
        let (body, exit) = (self.label(), self.label());
        let next = self.reserve(I64, len, Scope::Block);
        self.jump(body);
        self.place(body);
        self.f.cost += 6 * len as u32;
        let i = self.temp(I64, len, Scope::Block, format_args!("phi i64 [ 0, {entry} ], [ {next}, {body} ]"));
        let narrow = self.temp(I32, len, Scope::Block, format_args!("trunc i64 {i} to i32"));
        let val = self.affine_element(elem, narrow, a, b);
        let at = self.pointer(format_args!("getelementptr inbounds {elem}, ptr {pointer}, i64 {i}"));
        self.store(val, at);
        self.define(next, format_args!("add nuw nsw i64 {i}, 1"));
        let done = self.temp_bit(Scope::Block, format_args!("icmp eq i64 {next}, {len}"));
        self.branch(done, exit, body);
        self.place(exit);
    }

    /// Reads or writes a stack array, at a dynamic index mostly, in its own or another element size.
    pub(super) fn local_access(&mut self) {
        if self.f.arrays.is_empty() {
            return self.int_expression();
        }
        self.note(Feature::LocalArray);
        let at = self.rng.below(self.f.arrays.len());
        let array = self.f.arrays[at];
        let Array { pointer, elem, .. } = array;
        let store = self.rng.chance(45);
        if elem != Ty::F32 && self.rng.chance(12) {
            return self.local_wide(array, store);
        }
        if self.rng.chance(6) {
            return self.local_copy(at);
        }
        let ty = if elem == Ty::F32 || self.rng.chance(75) { elem } else { self.rng.pick(&[I8, I16, I32, I64]) };
        let scope = if self.rng.chance(30) { Scope::Block } else { Scope::Lane };
        let index = self.index(array.bytes() / size_of(ty), scope);
        let pointer = if self.rng.chance(15) { self.cast_to(Ty::Ptr(5), pointer) } else { pointer };
        let address = self.element(pointer, ty, index);
        if store {
            let val = self.local_value(ty);
            self.store(val, address);
        } else {
            let hi = if ty == Ty::F32 { FLOAT_HI } else { ty.max() };
            let volatile = if self.rng.chance(4) { "volatile " } else { "" };
            let (from, align) = (address.typed(), size_of(ty));
            self.op(ty, hi, Scope::Lane, format_args!("load {volatile}{ty}, {from}, align {align}"));
        }
    }

    /// Sixteen bytes at once.
    fn local_wide(&mut self, array: Array, store: bool) {
        self.note(Feature::Vector);
        let index = self.index(array.bytes() / 16, Scope::Lane);
        let (wide, pointer) = (self.extend_positive(index), array.pointer);
        let address = self.pointer(format_args!("getelementptr inbounds <4 x i32>, ptr {pointer}, i64 {wide}"));
        let old = self.temp(I64, 0, Scope::Lane, format_args!("load <4 x i32>, ptr {address}, align 16"));
        if store {
            let (val, lane) = (self.pick(I32), self.rng.range(0, 3));
            let new =
                self.temp(I64, 0, Scope::Lane, format_args!("insertelement <4 x i32> {old}, i32 {val}, i32 {lane}"));
            self.line(format_args!("store <4 x i32> {new}, ptr {address}, align 16"));
        } else {
            for lane in [0, 3] {
                self.word(Scope::Lane, format_args!("extractelement <4 x i32> {old}, i32 {lane}"));
            }
        }
    }

    /// Copies one array into another of the same kind.
    fn local_copy(&mut self, from: usize) {
        let source = self.f.arrays[from];
        let to = self.rng.below(self.f.arrays.len());
        let target = self.f.arrays[to];
        let floats = (source.elem == Ty::F32) != (target.elem == Ty::F32);
        if from == to || floats {
            return self.int_expression();
        }
        let bytes = source.bytes().min(target.bytes());
        self.line(format_args!(
            "call void @llvm.memcpy.p0.p0.i64(ptr align 16 {}, ptr align 16 {}, i64 {bytes}, i1 false)",
            target.pointer, source.pointer
        ));
    }
}
