//! Which kernels read and write an element a thread? Those that `coarsen-threads` is for: without loops, each thread at the
//! place of its number in the row, behind a bound or without one.
//!
//! Rows are longer or shorter than the grid, begin at places that are aligned or not, and what is bounded may wrap. Several
//! launches have more blocks than one group, and a last group that is not full.

use super::build::Gen;
use super::launch::{ArgSpec, Elem, Fill, Geometry};
use super::rng::Rng;
use super::value::{I8, I16, I32, I64, Scope, Ty, Val};
use std::fmt::Write as _;

/// Words of a buffer: all rows of the largest launch, two words apart, and what is between them.
const WORDS: usize = 1 << 14;
/// From one row to the next, in elements, if that is a constant.
const PITCH: &str = "1536";
/// Elements that a bound or an offset may be off.
const NEAR: usize = 40;

/// Three launches with so many blocks that groups of four are full, or not.
pub(super) fn geometries(rng: &mut Rng) -> Vec<Geometry> {
    let block = |rng: &mut Rng| rng.pick(&[[32, 1, 1], [16, 2, 1], [33, 1, 1], [8, 4, 1], [64, 1, 1], [5, 1, 1]]);
    let grid = |rng: &mut Rng| rng.pick(&[[4, 1, 1], [5, 1, 1], [8, 1, 1], [3, 1, 1], [4, 2, 1], [9, 1, 1]]);
    (0..3).map(|_| Geometry { grid: grid(rng), block: block(rng) }).collect()
}

/// The parameters, and what they are launched with.
pub(super) fn signature(rng: &mut Rng) -> (String, Vec<ArgSpec>) {
    let mut args = Vec::new();
    let mut text = String::new();
    for name in ["out0", "out1", "out2"] {
        let _ = write!(text, "ptr noundef %{name}, ");
        args.push(ArgSpec::Buffer { elem: Elem::I32, len: WORDS, fill: Fill::Zero });
    }
    for (name, elem) in [("in", Elem::I32), ("inf", Elem::F32)] {
        let _ = write!(text, "ptr noundef readonly %{name}, ");
        args.push(ArgSpec::Buffer { elem, len: WORDS, fill: Fill::Random(rng.bits()) });
    }
    text.push_str("i32 noundef %n, i32 noundef %h, i32 noundef %w, i32 noundef %off, i32 noundef %low");
    let n = rng.pick(&[0, 1, 31, 64, 127, 128, 129, 200, 256, 300, 1000]);
    let w = rng.pick(&[1536, 1200, 1160, 1201, 1202]);
    let off = rng.pick(&[0, 4, 16, 1, 2, 7]);
    let low = (rng.below(NEAR) as u32).wrapping_sub(rng.below(2 * NEAR) as u32);
    for bits in [n, rng.pick(&[1, 2, 3, 8]), w, off, low.into()] {
        args.push(ArgSpec::Scalar { elem: Elem::I32, bits });
    }
    (text, args)
}

/// Where a thread is.
#[derive(Clone, Copy)]
struct Place {
    /// Its number in its row of the grid, and the row.
    x: Val,
    y: Val,
}

impl Gen<'_> {
    /// The whole body.
    pub(super) fn elementwise(&mut self) {
        let place = self.own_place();
        let (body, out) = (self.label(), self.label());
        if self.rng.chance(80) {
            let inside = self.bound_of(place);
            self.branch(inside, body, out);
        } else {
            self.jump(body);
        }
        self.place(body);
        let mut values = vec![place.y];
        for number in 0..self.rng.range(1, 3) {
            for _ in 0..self.rng.range(1, 2) {
                let loaded = self.element_of(place);
                values.push(loaded);
            }
            if self.rng.chance(20) && number > 0 {
                let again = self.label();
                let inside = self.bound_of(place);
                self.branch(inside, again, out);
                self.place(again);
            }
            let (a, b) = (self.rng.pick(&values), self.rng.pick(&values));
            let mixed = self.mixed_of(a, b, place);
            values.push(mixed);
            self.store_of(place, number, mixed);
        }
        self.jump(out);
        self.place(out);
    }

    fn own_place(&mut self) -> Place {
        let (tid, ntid, ctaid) = (self.sreg("tid.x"), self.sreg("ntid.x"), self.sreg("ctaid.x"));
        let (row, rows, block) = (self.sreg("tid.y"), self.sreg("ntid.y"), self.sreg("ctaid.y"));
        let width = self.geometries.iter().map(|geometry| geometry.block[0]).max().unwrap_or(1);
        let size = if self.rng.chance(60) { ntid } else { Val::int(I32, width.into()) };
        let x = if self.rng.chance(70) {
            let first = self.temp_word(Scope::Block, format_args!("mul i32 {ctaid}, {size}"));
            let flags = self.rng.pick(&["", "nuw ", "nsw "]);
            self.temp_word(Scope::Lane, format_args!("add {flags}i32 {first}, {tid}"))
        } else {
            let [tid, size, ctaid] = [tid, size, ctaid].map(|value| self.extend(value, I64));
            let first = self.temp(I64, 1 << 20, Scope::Block, format_args!("mul nuw nsw i64 {ctaid}, {size}"));
            self.temp(I64, 1 << 20, Scope::Lane, format_args!("add nuw nsw i64 {first}, {tid}"))
        };
        let first = self.temp_word(Scope::Block, format_args!("mul i32 {block}, {rows}"));
        Place { x, y: self.temp_word(Scope::Lane, format_args!("add i32 {first}, {row}")) }
    }

    /// Whether the thread is within a bound.
    fn bound_of(&mut self, place: Place) -> Val {
        let narrow = self.narrowed(place.x);
        let moved = match self.rng.below(4) {
            0 => self.temp_word(Scope::Lane, format_args!("add i32 {narrow}, %low")),
            1 => {
                let by = self.rng.below(9);
                self.temp_word(Scope::Lane, format_args!("add nsw i32 {narrow}, {by}"))
            }
            2 => self.temp_word(Scope::Lane, format_args!("shl nsw i32 {narrow}, 1")),
            _ => narrow,
        };
        let predicate = self.rng.pick(&["slt", "ult", "sle", "ugt", "sgt"]);
        let limit = self.rng.pick(&["%n", "%n", "30", "200"]);
        let inside = match self.rng.chance(30) {
            true => {
                let wide = self.temp(I64, I64.max(), Scope::Lane, format_args!("sext i32 {moved} to i64"));
                self.temp_bit(Scope::Lane, format_args!("icmp {predicate} i64 {wide}, 100"))
            }
            false => self.temp_bit(Scope::Lane, format_args!("icmp {predicate} i32 {moved}, {limit}")),
        };
        if self.rng.chance(60) {
            return inside;
        }
        let row = self.temp_bit(Scope::Lane, format_args!("icmp ult i32 {}, %h", place.y));
        match self.rng.chance(50) {
            true => self.temp_bit(Scope::Lane, format_args!("and i1 {inside}, {row}")),
            false => self.temp_bit(Scope::Lane, format_args!("select i1 {row}, i1 {inside}, i1 false")),
        }
    }

    fn narrowed(&mut self, x: Val) -> Val {
        if x.ty == I32 { x } else { self.temp_word(Scope::Lane, format_args!("trunc i64 {x} to i32")) }
    }

    /// The address of an element of a buffer in the thread's row, `apart` elements from that of the next thread.
    fn address_of(&mut self, place: Place, buffer: &str, elem: Ty, apart: u64) -> Val {
        let narrow = self.narrowed(place.x);
        let scaled = match apart {
            1 => narrow,
            _ => self.temp_word(Scope::Lane, format_args!("mul nuw nsw i32 {narrow}, {apart}")),
        };
        let pitch = self.rng.pick(&["%w", PITCH, PITCH]);
        let row = self.temp_word(Scope::Lane, format_args!("mul nuw nsw i32 {}, {pitch}", place.y));
        let mut index = self.temp_word(Scope::Lane, format_args!("add nuw nsw i32 {scaled}, {row}"));
        if buffer.starts_with("in") && self.rng.chance(30) {
            let off = self.rng.pick(&["%off", "%off", "4", "1", "3"]);
            index = self.temp_word(Scope::Lane, format_args!("add nuw nsw i32 {index}, {off}"));
        }
        let widen = self.rng.pick(&["sext", "zext", "zext nneg"]);
        let index = self.temp(I64, index.hi, Scope::Lane, format_args!("{widen} i32 {index} to i64"));
        self.pointer(format_args!("getelementptr inbounds {elem}, ptr %{buffer}, i64 {index}"))
    }

    /// Loads an element as a word.
    fn element_of(&mut self, place: Place) -> Val {
        if self.rng.chance(10) {
            let index = self.rng.below(9);
            let at = self.pointer(format_args!("getelementptr inbounds i32, ptr %in, i64 {index}"));
            return self.temp_word(Scope::Block, format_args!("load i32, ptr {at}, align 4"));
        }
        let elem = self.rng.pick(&[I32, I32, I8, I16, Ty::F32]);
        let buffer = if elem == Ty::F32 { "inf" } else { "in" };
        let apart = if self.rng.chance(80) { 1 } else { 2 };
        let at = self.address_of(place, buffer, elem, apart);
        let align = elem.bits().max(if elem == Ty::F32 { 32 } else { 8 }) / 8;
        let loaded = self.temp(elem, elem.max(), Scope::Lane, format_args!("load {elem}, ptr {at}, align {align}"));
        match elem {
            Ty::F32 => self.temp_word(Scope::Lane, format_args!("bitcast float {loaded} to i32")),
            I32 => loaded,
            _ => {
                let widen = self.rng.pick(&["sext", "zext"]);
                self.temp_word(Scope::Lane, format_args!("{widen} {elem} {loaded} to i32"))
            }
        }
    }

    /// A word made of two others, and perhaps of the thread's number.
    fn mixed_of(&mut self, a: Val, b: Val, place: Place) -> Val {
        let op = self.rng.pick(&["add", "xor", "mul", "sub"]);
        let mixed = self.temp_word(Scope::Lane, format_args!("{op} i32 {a}, {b}"));
        let narrow = self.narrowed(place.x);
        match self.rng.below(4) {
            0 => self.temp_word(Scope::Lane, format_args!("add i32 {mixed}, {narrow}")),
            1 => {
                let odd = self.temp_word(Scope::Lane, format_args!("and i32 {narrow}, 1"));
                let is_odd = self.temp_bit(Scope::Lane, format_args!("icmp ne i32 {odd}, 0"));
                self.temp_word(Scope::Lane, format_args!("select i1 {is_odd}, i32 {mixed}, i32 {a}"))
            }
            _ => mixed,
        }
    }

    fn store_of(&mut self, place: Place, number: u64, word: Val) {
        let elem = self.rng.pick(&[I32, I32, I16, I8]);
        let apart = if self.rng.chance(85) { 1 } else { 2 };
        let at = self.address_of(place, &format!("out{number}"), elem, apart);
        let stored = match elem {
            I32 => word,
            _ => self.temp(elem, elem.max(), Scope::Lane, format_args!("trunc i32 {word} to {elem}")),
        };
        self.store(stored, at);
    }
}
