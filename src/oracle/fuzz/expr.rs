//! Which integer expressions are generated? Wrapping arithmetic, arithmetic that provably does not wrap, bit tricks,
//! comparisons.
//!
//! Every operation computes a bound of its result. A flag is emitted only if the operands' bounds prove it (or, with
//! `allow_poison`, anywhere, and then the result is tainted).

use super::build::Gen;
use super::knobs::Feature;
use super::value::{I1, I8, I16, I32, I64, Scope, Ty, Val};

/// The special registers: a bound that every launch of ours obeys (grids are small), who agrees on it, the end of the
/// range that clang writes, and how often one is read.
const SREGS: [(&str, u64, Scope, u32, u32); 14] = [
    ("tid.x", 1023, Scope::Lane, 1025, 40),
    ("tid.y", 1023, Scope::Lane, 1025, 12),
    ("tid.z", 63, Scope::Lane, 65, 6),
    ("ntid.x", 1024, Scope::Block, 1025, 10),
    ("ntid.y", 1024, Scope::Block, 1025, 5),
    ("ntid.z", 64, Scope::Block, 65, 3),
    ("ctaid.x", 1023, Scope::Block, 0x7fff_ffff, 10),
    ("ctaid.y", 1023, Scope::Block, 0x1_0000, 4),
    ("ctaid.z", 1023, Scope::Block, 0x1_0000, 3),
    ("nctaid.x", 1024, Scope::Block, 0x1_0000, 4),
    ("nctaid.y", 1024, Scope::Block, 0x1_0000, 2),
    ("nctaid.z", 1024, Scope::Block, 0x1_0000, 2),
    ("laneid", 31, Scope::Lane, 32, 10),
    ("warpsize", 32, Scope::Block, 33, 3),
];

impl Gen<'_> {
    /// An integer type, i32 mostly.
    pub(super) fn int_type(&mut self) -> Ty {
        let narrow = self.knobs.weight(Feature::Narrow);
        let ty =
            self.rng.weighted(&[(I32, 70), (I64, 15), (I8, narrow / 3), (I16, narrow / 3), (Ty::Int(24), narrow / 3)]);
        if ty.bits() < 32 {
            self.note(Feature::Narrow);
        }
        ty
    }

    /// Reads a special register.
    pub(super) fn sreg(&mut self, name: &str) -> Val {
        let (_, hi, scope, limit, _) = SREGS.into_iter().find(|s| s.0 == name).unwrap_or(SREGS[0]);
        let range = if name != "warpsize" && self.happens(Feature::RangeAttribute) {
            format!("noundef range(i32 0, {limit}) ")
        } else {
            String::new()
        };
        self.note(Feature::SpecialRegister);
        self.op(I32, hi, scope, format_args!("call {range}i32 @llvm.nvvm.read.ptx.sreg.{name}()"))
    }

    /// One integer expression of a random kind.
    pub(super) fn int_expression(&mut self) {
        use Feature::*;
        let kinds = [
            Arith, Cast, Shift, Mask, DivRem, AffineMul, Cancel, Quadratic, WarpIndex, Field, FarPointer, MinMax,
            Funnel, BitCount, Overflow, Saturating, Compare, Select, Freeze, SpecialRegister, Assembly,
        ]
        .map(|f| (f, self.knobs.weight(f)));
        let kind = self.rng.weighted(&kinds);
        self.note(kind);
        let ty = self.int_type();
        self.wild = self.knobs.allow_poison && matches!(kind, Arith | AffineMul | Quadratic);
        match kind {
            Arith => self.arithmetic(ty),
            Cast => self.cast(ty),
            Shift => self.shift(ty),
            Mask => self.mask(ty),
            DivRem => self.division(ty),
            AffineMul => self.affine_product(ty),
            Cancel => self.cancellation(ty),
            Quadratic => self.quadratic(ty),
            WarpIndex => self.warp_index(),
            Field => self.field(ty),
            FarPointer => self.far_pointer(),
            MinMax => self.min_max(ty),
            Funnel => self.funnel(ty),
            BitCount => self.bit_count(ty),
            Overflow => self.overflow(ty),
            Saturating => self.saturating(ty),
            Compare => _ = self.compare(Scope::Lane),
            Select => self.selection(ty),
            Freeze => self.frozen(ty),
            Assembly if self.rng.chance(10) => self.predicate_assembly(),
            Assembly => self.assembly(),
            _ => self.register_value(),
        }
        self.wild = false;
    }

    /// Two values of any kind.
    fn arithmetic(&mut self, ty: Ty) {
        let (a, b) = (self.any(ty), self.any(ty));
        let op = self.rng.pick(&["add", "add", "sub", "mul", "xor"]);
        self.binary(op, a, b);
    }

    /// `a * b + c`, of which only `a` differs between lanes.
    fn affine_product(&mut self, ty: Ty) {
        let (a, b) = (self.pick_divergent(ty), self.pick_scoped(ty, Scope::Block));
        let product = self.binary("mul", a, b);
        let c = self.pick_scoped(ty, Scope::Block);
        self.binary("add", product, c);
    }

    /// The square of a divergent value, in a polynomial or alone.
    fn quadratic(&mut self, ty: Ty) {
        let a = self.pick_divergent(ty);
        let square = self.binary("mul", a, a);
        if self.rng.chance(50) {
            let (b, c) = (self.constant(ty), self.pick(ty));
            let scaled = self.binary("mul", a, b);
            let sum = self.binary("add", square, scaled);
            self.binary("sub", sum, c);
        }
    }

    /// The smaller, the larger, or the magnitude.
    fn min_max(&mut self, ty: Ty) {
        let (a, b) = (self.any(ty), self.any(ty));
        let tainted = a.tainted || b.tainted;
        let which = self.rng.pick(&["smin", "smax", "umin", "umax", "abs"]);
        let val = if which == "abs" {
            self.intrinsic("abs", &[a], ", i1 false", ty.max())
        } else {
            let hi = if which == "umin" { a.hi.min(b.hi) } else { ty.max() };
            let hi = if a.hi <= ty.smax() && b.hi <= ty.smax() { hi.min(a.hi.max(b.hi)) } else { hi };
            self.intrinsic(which, &[a, b], "", hi)
        };
        self.taint(val, tainted);
    }

    /// A funnel shift, or a rotation.
    fn funnel(&mut self, ty: Ty) {
        let (a, b, c) = (self.pick(ty), self.pick(ty), self.pick(ty));
        let a = if self.rng.chance(50) { b } else { a };
        let which = self.rng.pick(&["fshl", "fshr"]);
        self.intrinsic(which, &[a, b, c], "", ty.max());
    }

    /// Bits counted, or in another order.
    fn bit_count(&mut self, ty: Ty) {
        let a = self.pick(ty);
        let which = self.rng.pick(&["ctpop", "ctlz", "cttz", "bitreverse", "bswap"]);
        let which = if which == "bswap" && !ty.bits().is_multiple_of(16) { "ctpop" } else { which };
        let hi = if which.starts_with('c') { u64::from(ty.bits()).min(ty.max()) } else { ty.max() };
        let zero = if which.ends_with('z') { ", i1 false" } else { "" };
        self.intrinsic(which, &[a], zero, hi);
    }

    /// An operation and whether it overflows.
    fn overflow(&mut self, ty: Ty) {
        let (a, b) = (self.pick(ty), self.pick(ty));
        let which = self.rng.pick(&["sadd", "uadd", "ssub", "usub", "smul", "umul"]);
        let scope = a.scope.min(b.scope);
        let suffix = ty.suffix();
        let text = format!("call {{ {ty}, i1 }} @llvm.{which}.with.overflow.{suffix}({ty} {a}, {ty} {b})");
        self.number_and_bit(ty, ty.max(), scope, format_args!("{text}"));
    }

    /// An operation that saturates.
    fn saturating(&mut self, ty: Ty) {
        let (a, b) = (self.pick(ty), self.pick(ty));
        let which = self.rng.pick(&["sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"]);
        let hi = if which == "usub.sat" { a.hi } else { ty.max() };
        self.intrinsic(which, &[a, b], "", hi);
    }

    /// One of two values.
    fn selection(&mut self, ty: Ty) {
        let scope = if self.rng.chance(30) { Scope::Block } else { Scope::Lane };
        let c = self.condition(scope);
        let (a, b) = (self.any(ty), self.any(ty));
        let scope = c.scope.min(a.scope).min(b.scope);
        let val = self.op(ty, a.hi.max(b.hi), scope, format_args!("select i1 {c}, {ty} {a}, {ty} {b}"));
        self.taint(val, a.tainted || b.tainted);
    }

    /// A value that is no longer undefined.
    fn frozen(&mut self, ty: Ty) {
        let a = self.any(ty);
        let (hi, scope) = if a.tainted { (ty.max(), Scope::Lane) } else { (a.hi, a.scope) };
        self.op(ty, hi, scope, format_args!("freeze {ty} {a}"));
    }

    /// A special register, as it is or in an expression.
    fn register_value(&mut self) {
        let name = self.rng.weighted(&SREGS.map(|(name, .., weight)| (name, weight)));
        let a = self.sreg(name);
        if self.rng.chance(50) {
            let b = self.pick(I32);
            let op = self.rng.pick(&["add", "mul", "sub"]);
            self.binary(op, a, b);
        }
    }

    /// Marks the last pushed value as possibly undefined.
    fn taint(&mut self, val: Val, tainted: bool) -> Val {
        if !tainted {
            return val;
        }
        if let Some(last) = self.f.pool.last_mut().filter(|last| last.name == val.name) {
            last.tainted = true;
            last.scope = Scope::Lane;
            last.hi = last.ty.max();
            return *last;
        }
        val
    }

    /// `op` of two values of one type, with the flags that hold.
    pub(super) fn binary(&mut self, op: &str, a: Val, b: Val) -> Val {
        let ty = a.ty;
        let (wide_a, wide_b) = (u128::from(a.hi), u128::from(b.hi));
        let small = a.hi <= ty.smax() && b.hi <= ty.smax();
        let (exact, nuw, nsw) = match op {
            "add" => {
                let sum = wide_a + wide_b;
                (sum, sum <= u128::from(ty.max()), small && sum <= u128::from(ty.smax()))
            }
            "mul" => {
                let product = wide_a * wide_b;
                (product, product <= u128::from(ty.max()), small && product <= u128::from(ty.smax()))
            }
            "sub" => {
                let no_borrow = a.is_constant() && !a.tainted && a.hi >= b.hi;
                (if no_borrow { wide_a } else { u128::MAX }, no_borrow, small)
            }
            "and" => (wide_a.min(wide_b), false, false),
            "or" | "xor" => (bits_of(a.hi.max(b.hi)).into(), false, false),
            _ => (u128::MAX, false, false),
        };
        let hi = if exact <= u128::from(ty.max()) { exact as u64 } else { ty.max() };
        let mut flags = String::new();
        let mut tainted = a.tainted || b.tainted;
        if matches!(op, "add" | "sub" | "mul") {
            for (flag, provable) in [(" nuw", nuw), (" nsw", nsw)] {
                let wild = self.wild && self.rng.chance(self.knobs.weight(Feature::Poison));
                if (provable && self.happens(Feature::Flags)) || wild {
                    flags.push_str(flag);
                    tainted |= !provable;
                }
            }
        }
        let val = self.op(ty, hi, a.scope.min(b.scope), format_args!("{op}{flags} {ty} {a}, {b}"));
        self.taint(val, tainted)
    }

    pub(super) fn extend(&mut self, from: Val, to: Ty) -> Val {
        let positive = from.hi <= from.ty.smax();
        if self.rng.chance(50) {
            let nneg = if positive && self.happens(Feature::Flags) { " nneg" } else { "" };
            return self.op(to, from.hi, from.scope, format_args!("zext{nneg} {} {from} to {to}", from.ty));
        }
        let hi = if positive { from.hi } else { to.max() };
        self.op(to, hi, from.scope, format_args!("sext {} {from} to {to}", from.ty))
    }

    pub(super) fn truncate(&mut self, from: Val, to: Ty) -> Val {
        let fits = from.hi <= to.max();
        let flags = self.wrap_flags(fits, from.hi <= to.smax());
        let hi = if fits { from.hi } else { to.max() };
        self.op(to, hi, from.scope, format_args!("trunc{flags} {} {from} to {to}", from.ty))
    }

    /// Which of the flags that hold are written.
    fn wrap_flags(&mut self, nuw: bool, nsw: bool) -> String {
        let written = |g: &mut Self, holds, flag| if holds && g.happens(Feature::Flags) { flag } else { "" };
        [written(self, nuw, " nuw"), written(self, nsw, " nsw")].concat()
    }

    /// Both conditions, or with `either` one of them, as short-circuit operators leave it.
    pub(super) fn short_circuit(&mut self, either: bool, first: Val, second: Val) -> Val {
        let rest = if either { format!("i1 true, i1 {second}") } else { format!("i1 {second}, i1 false") };
        self.bit(first.scope.min(second.scope), format_args!("select i1 {first}, {rest}"))
    }

    /// A chain of zext, sext and trunc.
    fn cast(&mut self, ty: Ty) {
        let mut val = self.pick_variable(ty);
        for _ in 0..self.rng.range(1, 3) {
            let to = self.rng.pick(&[I8, I16, Ty::Int(24), I32, I64]);
            val = match to.bits().cmp(&val.ty.bits()) {
                std::cmp::Ordering::Greater => self.extend(val, to),
                std::cmp::Ordering::Less => self.truncate(val, to),
                std::cmp::Ordering::Equal => val,
            };
        }
    }

    fn shift(&mut self, ty: Ty) {
        let a = self.pick(ty);
        let bits = u64::from(ty.bits());
        let constant = self.rng.chance(60);
        if !constant {
            let by = self.pick(ty);
            // Widths that are no power of two take a smaller mask.
            let by = self.masked(by, bits.next_power_of_two() / if bits.is_power_of_two() { 1 } else { 2 });
            let op = self.rng.pick(&["shl", "lshr", "ashr"]);
            let hi = if op == "lshr" { a.hi } else { ty.max() };
            self.op(ty, hi, a.scope.min(by.scope), format_args!("{op} {ty} {a}, {by}"));
            return;
        }
        let k = self.rng.range(0, bits - 1);
        let k = if bits == 32 && self.rng.chance(30) { 5 } else { k };
        match self.rng.below(4) {
            0 => self.op(ty, a.hi >> k, a.scope, format_args!("lshr {ty} {a}, {k}")),
            1 => {
                let hi = if a.hi <= ty.smax() { a.hi >> k } else { ty.max() };
                self.op(ty, hi, a.scope, format_args!("ashr {ty} {a}, {k}"))
            }
            2 => {
                let product = u128::from(a.hi) << k;
                let flags = self.wrap_flags(product <= u128::from(ty.max()), product <= u128::from(ty.smax()));
                let hi = product.min(u128::from(ty.max())) as u64;
                self.op(ty, hi, a.scope, format_args!("shl{flags} {ty} {a}, {k}"))
            }
            // The shifted-out bits are zero by construction, so the way back is exact.
            _ => {
                let up = self.op(ty, ty.max(), a.scope, format_args!("shl {ty} {a}, {k}"));
                let exact = if self.happens(Feature::Flags) { " exact" } else { "" };
                let op = self.rng.pick(&["lshr", "ashr"]);
                self.op(ty, ty.max(), a.scope, format_args!("{op}{exact} {ty} {up}, {k}"))
            }
        };
    }

    fn mask(&mut self, ty: Ty) {
        let a = self.pick_variable(ty);
        let masks = [31, !31, 32, 63, !63, 7, 1, 0xff, 0xffff, 0x8000_0000, !1, 0xf0f0_f0f0];
        let bits = self.rng.pick(&masks);
        let m = Val::int(ty, bits);
        match self.rng.below(6) {
            which @ 0..4 => _ = self.binary(["and", "and", "or", "xor"][which], a, m),
            4 => {
                let b = self.pick(ty);
                let op = self.rng.pick(&["and", "or", "xor"]);
                self.binary(op, a, b);
            }
            // The two halves of a word, of two values: disjoint by construction.
            _ => {
                let b = self.pick(ty);
                let low = self.binary("and", a, m);
                let high = self.binary("and", b, Val::int(ty, !bits));
                let disjoint = if self.happens(Feature::Flags) { " disjoint" } else { "" };
                self.op(ty, ty.max(), low.scope.min(high.scope), format_args!("or{disjoint} {ty} {low}, {high}"));
            }
        }
    }

    fn division(&mut self, ty: Ty) {
        let a = self.pick_variable(ty);
        let op = self.rng.pick(&["udiv", "urem", "sdiv", "srem"]);
        let by = if self.rng.chance(60) {
            let k = self.rng.pick(&[2, 3, 4, 5, 7, 8, 16, 31, 32, 32, 33, 64, 100]);
            let negative = op.starts_with('s') && self.rng.chance(20);
            Val::int(ty, if negative { 0u64.wrapping_sub(k) } else { k })
        } else {
            // Small, positive and not zero; so INT_MIN / -1 cannot happen.
            let b = self.pick(ty);
            let b = self.masked(b, 64);
            self.op(ty, 63, b.scope, format_args!("or {ty} {b}, 1"))
        };
        let scope = a.scope.min(by.scope);
        let positive = a.hi <= ty.smax() && by.hi <= ty.smax();
        let hi = match op {
            "urem" if by.is_constant() => by.hi - 1,
            "urem" => 63,
            "udiv" => a.hi,
            _ if positive => a.hi,
            _ => ty.max(),
        };
        if op == "udiv" && by.is_constant() && by.hi.is_power_of_two() && self.happens(Feature::Flags) {
            let whole = self.binary("and", a, Val::int(ty, !(by.hi - 1)));
            self.op(ty, whole.hi, scope, format_args!("udiv exact {ty} {whole}, {by}"));
            return;
        }
        self.op(ty, hi, scope, format_args!("{op} {ty} {a}, {by}"));
    }

    /// Two values with the same thread term, subtracted or compared.
    fn cancellation(&mut self, ty: Ty) {
        let t = self.pick_divergent(ty);
        let stride = self.pick_scoped(ty, Scope::Block);
        let (u, v) = (self.pick_scoped(ty, Scope::Block), self.pick_scoped(ty, Scope::Block));
        let first = self.binary("mul", t, stride);
        let first = self.binary("add", first, u);
        let second = self.binary("mul", t, stride);
        let second = if self.rng.chance(40) {
            // computed in another order: (t + v) * stride + …
            let moved = self.binary("add", t, v);
            self.binary("mul", moved, stride)
        } else {
            self.binary("add", second, v)
        };
        if self.rng.chance(30) {
            self.bit(Scope::Lane, format_args!("icmp eq {ty} {first}, {second}"));
        }
        self.binary("sub", first, second);
    }

    /// Which warp, which lane: from tid.x alone (right for some geometries only) or from the linear index.
    fn warp_index(&mut self) {
        let linear = self.f.kernel.filter(|_| self.rng.chance(50)).map(|k| k.ltid);
        let in_plane = self.f.kernel.filter(|_| linear.is_none() && self.rng.chance(30));
        let (of, warp_scope) = match linear {
            // the index in the plane, which is that in the block only if there is one
            None if let Some(kernel) = in_plane => {
                let (x, y) = (self.sreg("tid.x"), self.sreg("tid.y"));
                (self.mul_add(y, kernel.row_length, x, 1023), Scope::Lane)
            }
            Some(ltid) => (ltid, Scope::Warp),
            None => (self.sreg("tid.x"), Scope::Lane),
        };
        match self.rng.below(6) {
            0 => self.op(I32, of.hi >> 5, warp_scope, format_args!("lshr i32 {of}, 5")),
            1 => self.op(I32, of.hi >> 5, warp_scope, format_args!("udiv i32 {of}, 32")),
            2 => self.op(I32, 31, Scope::Lane, format_args!("and i32 {of}, 31")),
            3 => self.op(I32, 31, Scope::Lane, format_args!("urem i32 {of}, 32")),
            4 => self.op(I32, of.hi, warp_scope, format_args!("and i32 {of}, -32")),
            _ => {
                let k = self.rng.pick(&[1, 4, 6, 7]);
                self.op(I32, of.hi >> k, Scope::Lane, format_args!("lshr i32 {of}, {k}"))
            }
        };
    }

    /// Some bits of an index, as the optimiser likes to cut them out: up, down again, and the low ones cleared.
    fn field(&mut self, ty: Ty) {
        let index = self.f.kernel.filter(|_| self.rng.chance(60)).map(|k| k.ltid);
        let from = match index {
            Some(ltid) if ty == I64 => self.extend(ltid, ty),
            Some(ltid) if ty != I32 => self.truncate(ltid, ty),
            Some(ltid) => ltid,
            None => self.pick_divergent(ty),
        };
        let bits = u64::from(ty.bits());
        let up = self.rng.range(1, bits - 2);
        let down = self.rng.range(1, up);
        let high = self.op(ty, ty.max(), from.scope, format_args!("shl {ty} {from}, {up}"));
        let shift = self.rng.pick(&["lshr", "lshr", "ashr"]);
        let bound = if shift == "lshr" { ty.max() >> down } else { ty.max() };
        let back = self.op(ty, bound, high.scope, format_args!("{shift} {ty} {high}, {down}"));
        let low = self.rng.range(1, bits - 2);
        let cleared = (ty.max() >> low) << low;
        self.binary("and", back, Val::int(ty, cleared));
    }

    /// A compare of two values of at least `scope`.
    pub(super) fn compare(&mut self, scope: Scope) -> Val {
        if scope == Scope::Lane && self.knobs.weight(Feature::Float) > 0 && self.rng.chance(12) {
            return self.float_compare();
        }
        let ty = self.rng.weighted(&[(I32, 80), (I64, 10), (I8, 3), (I16, 3)]);
        let a = match self.pool_value(|val| val.ty == ty && val.scope >= scope && !val.tainted) {
            Some(val) => val,
            None if scope == Scope::Lane => self.pick_variable(ty),
            None => self.pick_scoped(ty, scope),
        };
        let b = match self.rng.below(10) {
            0..4 => self.constant(ty),
            // Near the other operand's bound, so that both outcomes occur.
            4..6 => {
                let near = self.rng.below(a.hi.min(1 << 30) as usize + 1) as u64;
                Val::int(ty, near)
            }
            _ => self.pick_scoped(ty, scope),
        };
        let predicate =
            self.rng.pick(&["eq", "ne", "slt", "sgt", "sle", "sge", "ult", "ugt", "ule", "uge", "slt", "ult"]);
        let both = a.hi <= ty.smax() && b.hi <= ty.smax();
        let samesign = if both && self.rng.chance(25) && self.happens(Feature::Flags) { "samesign " } else { "" };
        self.bit(a.scope.min(b.scope), format_args!("icmp {samesign}{predicate} {ty} {a}, {b}"))
    }

    /// A condition on which at least `scope` agrees; for the scope of a lane, one on which probably nobody agrees.
    pub(super) fn condition(&mut self, scope: Scope) -> Val {
        if self.rng.chance(20)
            && let Some(old) = self.pool_value(|val| val.ty == I1 && val.scope >= scope)
        {
            return self.clean(old);
        }
        if scope == Scope::Lane && self.happens(Feature::OneLane) {
            return self.one_lane();
        }
        if scope == Scope::Lane && self.rng.chance(45) {
            // Bits of the lane: both sides get lanes.
            let t = self.pick_divergent(I32);
            let k = self.rng.pick(&[1, 2, 3, 4, 8, 16, 31]);
            let bit = self.binary("and", t, Val::int(I32, k));
            let predicate = self.rng.pick(&["eq", "ne", "ugt"]);
            let against = self.rng.range(0, 1) * self.rng.range(0, k);
            return self.bit(bit.scope, format_args!("icmp {predicate} i32 {bit}, {against}"));
        }
        let first = self.compare(scope);
        match self.rng.below(8) {
            0 => {
                let second = self.compare(scope);
                self.binary("and", first, second)
            }
            1 => {
                let second = self.compare(scope);
                self.short_circuit(true, first, second)
            }
            2 => self.binary("xor", first, Val::int(I1, 1)),
            _ => first,
        }
    }
}

/// All bits up to the highest one set.
fn bits_of(value: u64) -> u64 {
    if value == 0 { 0 } else { u64::MAX >> value.leading_zeros() }
}
