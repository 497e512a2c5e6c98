//! Which floating-point, vector and aggregate expressions are generated? Those with one correct result, bit for bit.
//!
//! No value is ever infinite or NaN: each has a magnitude bound 2^hi, and operations that would exceed [`LIMIT`] are
//! not emitted. Negative zero occurs; operations for which its sign is not defined (minnum) are followed by an
//! addition.

use super::build::Gen;
use super::knobs::Feature;
use super::value::{I32, I64, Scope, Ty, Val};

/// Bound on the magnitude's exponent: far from overflow for float; halves are handled apart.
const LIMIT: u64 = 60;
const HALF_LIMIT: u64 = 14;
/// Conversions to i32 take magnitudes up to 2^30.
const TO_INT_LIMIT: u64 = 30;

impl Gen<'_> {
    fn limit(ty: Ty) -> u64 {
        if ty == Ty::F16 { HALF_LIMIT } else { LIMIT }
    }

    /// A float whose magnitude is at most 2^`hi`, where there is one.
    pub(super) fn float_within(&mut self, ty: Ty, hi: u64) -> Val {
        self.pool_value(|val| val.ty == ty && val.hi <= hi).unwrap_or_else(|| self.make_float(ty))
    }

    /// A defined float, double, half or vector made from values of other types.
    pub(super) fn make_float(&mut self, ty: Ty) -> Val {
        match ty {
            Ty::V2I32 => {
                let (a, b) = (self.pick(I32), self.pick(I32));
                let half = self.temp(ty, a.hi, a.scope, format_args!("insertelement {ty} poison, i32 {a}, i32 0"));
                self.inserted(half, "i32", b, Val::int(I32, 1))
            }
            Ty::V4F32 => {
                let (a, b) = (self.pick(Ty::F32), self.pick(Ty::F32));
                let one = self.temp(ty, 0, a.scope, format_args!("insertelement {ty} poison, float {a}, i64 0"));
                let all = format!("shufflevector {ty} {one}, {ty} poison, <4 x i32> zeroinitializer");
                let all = self.temp(ty, a.hi, a.scope, format_args!("{all}"));
                let at = Val::int(I64, self.rng.range(0, 3));
                self.inserted(all, "float", b, at)
            }
            _ => {
                let bits = if ty == Ty::F16 { 10 } else { 16 };
                let from = self.pick_variable(I32);
                let small = self.masked(from, 1 << bits);
                let op = self.rng.pick(&["sitofp", "uitofp", "uitofp nneg"]);
                let op = if op == "uitofp nneg" && !self.happens(Feature::Flags) { "uitofp" } else { op };
                self.op(ty, bits, small.scope, format_args!("{op} i32 {small} to {ty}"))
            }
        }
    }

    /// One expression on `half`, `float` or `double`.
    pub(super) fn float_expression(&mut self, ty: Ty) {
        self.note(match ty {
            Ty::F16 => Feature::Half,
            Ty::F64 => Feature::Double,
            _ => Feature::Float,
        });
        let limit = Self::limit(ty);
        let (a, b) = (self.pick_float(ty), self.second_float(ty));
        let scope = a.scope.min(b.scope);
        let suffix = ty.suffix();
        match self.rng.below(14) {
            0..=2 if a.hi.max(b.hi) < limit => {
                let op = self.rng.pick(&["fadd", "fsub"]);
                self.op(ty, a.hi.max(b.hi) + 1, scope, format_args!("{op} {ty} {a}, {b}"))
            }
            3..=5 if a.hi + b.hi <= limit => self.op(ty, a.hi + b.hi, scope, format_args!("fmul {ty} {a}, {b}")),
            6 if a.hi + b.hi < limit => self.intrinsic("fma", &[a, b, a], "", a.hi + b.hi + 1),
            7 => self.op(ty, a.hi, a.scope, format_args!("fneg {ty} {a}")),
            8 => {
                let which = self.rng.pick(&["fabs", "floor", "trunc"]);
                self.intrinsic(which, &[a], "", a.hi + 1)
            }
            9 => {
                let which = self.rng.pick(&["minnum", "maxnum"]);
                let text = format!("call {ty} @llvm.{which}.{suffix}({ty} {a}, {ty} {b})");
                let least = self.temp(ty, a.hi.max(b.hi), scope, format_args!("{text}"));
                // Either zero may have won; adding +0.0 makes them one.
                let zero = Val::float(ty, 0.0);
                self.op(ty, least.hi, scope, format_args!("fadd {ty} {least}, {zero}"))
            }
            10 => {
                let c = self.condition(Scope::Lane);
                self.op(ty, a.hi.max(b.hi), scope.min(c.scope), format_args!("select i1 {c}, {ty} {a}, {ty} {b}"))
            }
            11 if a.hi <= TO_INT_LIMIT => {
                let op = self.rng.pick(&["fptosi", "fptosi", "bitcast"]);
                if op == "bitcast" && ty == Ty::F32 {
                    self.word(a.scope, format_args!("bitcast float {a} to i32"))
                } else {
                    self.word(a.scope, format_args!("fptosi {ty} {a} to i32"))
                }
            }
            12 if ty != Ty::F16 => {
                let root = self.temp(ty, a.hi, a.scope, format_args!("call {ty} @llvm.fabs.{suffix}({ty} {a})"));
                self.intrinsic("sqrt", &[root], "", a.hi + 1)
            }
            _ => match ty {
                Ty::F64 if a.hi <= LIMIT => {
                    self.op(Ty::F32, a.hi + 1, a.scope, format_args!("fptrunc double {a} to float"))
                }
                Ty::F16 => self.op(Ty::F32, a.hi, a.scope, format_args!("fpext half {a} to float")),
                _ => self.op(Ty::F64, a.hi, a.scope, format_args!("fpext float {a} to double")),
            },
        };
    }

    /// A value or a constant.
    fn second_float(&mut self, ty: Ty) -> Val {
        if self.rng.chance(25) {
            let constant = self.rng.pick(&[0.5, 1.0, 2.0, -1.0, -0.25, 3.0, 0.0]);
            return Val::float(ty, constant);
        }
        self.pick_float(ty)
    }

    fn pick_float(&mut self, ty: Ty) -> Val {
        self.float_within(ty, Self::limit(ty))
    }

    /// A compare of floats; ordered and unordered agree, since none is NaN.
    pub(super) fn float_compare(&mut self) -> Val {
        self.note(Feature::Float);
        let (a, b) = (self.pick_float(Ty::F32), self.pick_float(Ty::F32));
        let predicate = self.rng.pick(&["olt", "ogt", "oeq", "une", "ule", "uge", "ord"]);
        self.bit(a.scope.min(b.scope), format_args!("fcmp {predicate} float {a}, {b}"))
    }

    /// One expression on vectors.
    pub(super) fn vector_expression(&mut self) {
        self.note(Feature::Vector);
        if self.rng.chance(60) {
            let ty = Ty::V2I32;
            let a = self.pick_vector(ty);
            match self.rng.below(4) {
                0 => {
                    let b = self.pick_vector(ty);
                    let op = self.rng.pick(&["add", "sub", "mul", "xor"]);
                    self.op(ty, I32.max(), a.scope.min(b.scope), format_args!("{op} {ty} {a}, {b}"))
                }
                1 => {
                    let b = self.pick_vector(ty);
                    let mask = self.rng.pick(&["<i32 1, i32 0>", "<i32 0, i32 2>", "<i32 3, i32 1>", "<i32 0, i32 0>"]);
                    let (hi, scope) = (a.hi.max(b.hi), a.scope.min(b.scope));
                    self.op(ty, hi, scope, format_args!("shufflevector {ty} {a}, {ty} {b}, <2 x i32> {mask}"))
                }
                2 => {
                    let element = self.pick(I32);
                    let at = self.vector_index(1);
                    self.inserted(a, "i32", element, at)
                }
                _ => self.extracted(a, I32, 1),
            };
            return;
        }
        let ty = Ty::V4F32;
        let a = self.pick_vector(ty);
        if a.hi < LIMIT && self.rng.chance(40) {
            let b = self.pick_vector(ty);
            if b.hi < LIMIT {
                self.op(ty, a.hi.max(b.hi) + 1, a.scope.min(b.scope), format_args!("fadd {ty} {a}, {b}"));
                return;
            }
        }
        self.extracted(a, Ty::F32, 3);
    }

    /// An element at an index at most `max`.
    fn extracted(&mut self, vector: Val, elem: Ty, max: u64) -> Val {
        let at = self.vector_index(max);
        let text = format!("extractelement {}, i32 {at}", vector.typed());
        self.op(elem, vector.hi, vector.scope.min(at.scope), format_args!("{text}"))
    }

    /// A vector with another element.
    fn inserted(&mut self, vector: Val, elem: &str, val: Val, at: Val) -> Val {
        let (ty, scope) = (vector.ty, vector.scope.min(val.scope).min(at.scope));
        let text = format!("insertelement {ty} {vector}, {elem} {val}, {} {at}", at.ty);
        self.op(ty, vector.hi.max(val.hi), scope, format_args!("{text}"))
    }

    fn pick_vector(&mut self, ty: Ty) -> Val {
        self.pool_value(|val| val.ty == ty).unwrap_or_else(|| self.make_float(ty))
    }

    /// An element index at most `max` (a power of two less one), constant mostly.
    fn vector_index(&mut self, max: u64) -> Val {
        if self.rng.chance(75) {
            return Val::int(I32, self.rng.range(0, max));
        }
        let at = self.pick(I32);
        self.masked(at, max + 1)
    }

    /// A structure or array built with insertvalue and taken apart again.
    pub(super) fn aggregate_expression(&mut self) {
        self.note(Feature::Aggregate);
        let (a, b) = (self.pick(I32), self.pick(I64));
        let (c, nested) = (self.pick(I32), self.rng.chance(30));
        let scope = a.scope.min(b.scope).min(c.scope);
        let ty = if nested { "{ i32, { i64, i32 } }" } else { "{ i32, i64, i32 }" };
        let (second, third) = if nested { ("1, 0", "1, 1") } else { ("1", "2") };
        let one = self.temp(I64, 0, scope, format_args!("insertvalue {ty} poison, i32 {a}, 0"));
        let two = self.temp(I64, 0, scope, format_args!("insertvalue {ty} {one}, i64 {b}, {second}"));
        let three = self.temp(I64, 0, scope, format_args!("insertvalue {ty} {two}, i32 {c}, {third}"));
        let whole = if self.rng.chance(40) {
            let cond = self.condition(Scope::Lane);
            let zero = format!("select i1 {cond}, {ty} {three}, {ty} zeroinitializer");
            self.temp(I64, 0, scope.min(cond.scope), format_args!("{zero}"))
        } else {
            three
        };
        self.op(I32, a.hi, whole.scope.min(scope), format_args!("extractvalue {ty} {whole}, 0"));
        self.op(I64, b.hi, whole.scope.min(scope), format_args!("extractvalue {ty} {whole}, {second}"));
    }
}
