//! How are integer operations executed on 32 lanes? By loops that can be vectorised for the common ones at widths up to
//! 64 bits; everything else one value at a time (`int`).
//!
//! All 32 lanes are computed, whatever the mask: operations here have no effect except their result, and inactive lanes
//! keep their old value when the result is written. Divisions are the exception, since only active lanes may fault.

use super::code::*;
use super::fault::{Exec, FaultKind, trap};
use super::int::{self, IntFault};
use super::warp::{Frame, among, lanes_of};
use warpwise_ir::llvm::image::{BinOp, IntCmp};

/// Sign-extends a word from a width.
#[inline(always)]
pub(super) fn sx(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}

#[inline(always)]
pub(super) fn low(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

#[inline(always)]
pub(super) fn map2(a: &Lanes, b: &Lanes, f: impl Fn(u64, u64) -> u64) -> Lanes {
    let mut out = [0; LANES];
    for i in 0..LANES {
        out[i] = f(a[i], b[i]);
    }
    out
}

#[inline(always)]
pub(super) fn map1(a: &Lanes, f: impl Fn(u64) -> u64) -> Lanes {
    let mut out = [0; LANES];
    for i in 0..LANES {
        out[i] = f(a[i]);
    }
    out
}

/// Lanes for which a test holds.
#[inline(always)]
fn test2(a: &Lanes, b: &Lanes, f: impl Fn(u64, u64) -> bool) -> u32 {
    let mut lanes = 0;
    for i in 0..LANES {
        lanes |= u32::from(f(a[i], b[i])) << i;
    }
    lanes
}

impl Frame<'_, '_> {
    #[inline]
    pub fn int(&mut self, args: IntArgs) -> Exec<()> {
        let IntArgs { op, bits, wrap, d, args: [a, b, _] } = args;
        let bits = u32::from(bits);
        let IntOp::Bin(bin) = op else { return self.int_slow(args) };
        if bits > 64 {
            return self.int_slow(args);
        }
        let m = low(bits);
        let (x, y) = (self.get(a), self.get(b));
        let out = match bin {
            BinOp::Add => map2(x, y, |x, y| x.wrapping_add(y) & m),
            BinOp::Sub => map2(x, y, |x, y| x.wrapping_sub(y) & m),
            BinOp::Mul if bits <= 32 => map2(x, y, |x, y| u64::from(x as u32).wrapping_mul(u64::from(y as u32)) & m),
            BinOp::Mul => map2(x, y, |x, y| x.wrapping_mul(y) & m),
            BinOp::And => map2(x, y, |x, y| x & y),
            BinOp::Or => map2(x, y, |x, y| x | y),
            BinOp::Xor => map2(x, y, |x, y| x ^ y),
            // amounts past the width are poison; masking the amount only keeps the host's shift defined
            BinOp::Shl => map2(x, y, |x, y| (x << (y & 63)) & m),
            BinOp::LShr => map2(x, y, |x, y| x >> (y & 63)),
            BinOp::AShr => map2(x, y, |x, y| (sx(x, bits) >> (y & 63)) as u64 & m),
            _ => return self.int_slow(args),
        };
        let poison = self.poison_lanes(bin, bits, wrap, a, b) & self.mask;
        let undef = self.undef(a) | self.undef(b);
        if undef == 0 {
            self.put(d, &out);
        } else {
            self.put_tracked(args, &out, undef);
        }
        if poison != 0 {
            self.taint(d, poison);
        }
        Ok(())
    }

    /// Lanes in which flags or a large shift make the result poison.
    #[inline(always)]
    fn poison_lanes(&self, op: BinOp, bits: u32, wrap: Wrap, a: Src, b: Src) -> u32 {
        let (x, y) = (self.get(a), self.get(b));
        let is_shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        let flagged = wrap.nuw || wrap.nsw || wrap.exact;
        if !is_shift && !flagged {
            return 0;
        }
        // a cheap test over all lanes first, because overflow is rare; flags become masks, so that the loops have no
        // branches
        let signed = if wrap.nsw { -1i64 } else { 0 };
        let unsigned = if wrap.nuw { -1i64 } else { 0 };
        let exact = if wrap.exact { -1i64 } else { 0 };
        let any = |f: &dyn Fn(u64, u64) -> i64| (0..LANES).fold(0, |acc, i| acc | f(x[i], y[i]));
        let suspicious = match op {
            BinOp::Add if bits < 64 => (0..LANES).fold(0, |acc, i| {
                let sum = sx(x[i], bits).wrapping_add(sx(y[i], bits));
                acc | ((sum ^ sx(sum as u64, bits)) & signed) | ((x[i].wrapping_add(y[i]) >> bits) as i64 & unsigned)
            }),
            BinOp::Sub if bits < 64 => (0..LANES).fold(0, |acc, i| {
                let sum = sx(x[i], bits).wrapping_sub(sx(y[i], bits));
                acc | ((sum ^ sx(sum as u64, bits)) & signed) | ((x[i].wrapping_sub(y[i]) >> 63) as i64 & unsigned)
            }),
            BinOp::Mul if bits <= 32 => (0..LANES).fold(0, |acc, i| {
                let product = sx(x[i], bits).wrapping_mul(sx(y[i], bits));
                let plain = (u64::from(x[i] as u32).wrapping_mul(u64::from(y[i] as u32)) >> bits) as i64;
                acc | ((product ^ sx(product as u64, bits)) & signed) | (plain & unsigned)
            }),
            // factors of 31 bits cannot overflow; larger ones are checked exactly
            BinOp::Mul => (0..LANES).fold(0, |acc, i| acc | ((x[i] | y[i]) >> 31) as i64),
            BinOp::Add => (0..LANES).fold(0, |acc, i| {
                let sum = x[i].wrapping_add(y[i]);
                acc | ((((x[i] ^ sum) & (y[i] ^ sum)) >> 63) as i64 & signed) | (i64::from(sum < x[i]) & unsigned)
            }),
            BinOp::Sub => (0..LANES).fold(0, |acc, i| {
                let difference = x[i].wrapping_sub(y[i]);
                let wraps = ((x[i] ^ y[i]) & (x[i] ^ difference)) >> 63;
                acc | (wraps as i64 & signed) | (i64::from(x[i] < y[i]) & unsigned)
            }),
            BinOp::Or => (0..LANES).fold(0, |acc, i| acc | (x[i] & y[i]) as i64),
            BinOp::Shl => any(&|x, y| {
                let out = (x << (y & 63)) & low(bits);
                let kept = (sx(out, bits) >> (y & 63)) ^ sx(x, bits);
                i64::from(y >= u64::from(bits)) | (kept & signed) | (((out >> (y & 63)) ^ x) as i64 & unsigned)
            }),
            BinOp::LShr | BinOp::AShr => any(&|x, y| {
                let lost = x & !(u64::MAX << (y & 63));
                i64::from(y >= u64::from(bits)) | (lost as i64 & exact)
            }),
            _ => 1,
        };
        if suspicious == 0 {
            return 0;
        }
        test2(x, y, |x, y| {
            let result = int::int(IntOp::Bin(op), bits, [x, y, y].map(u128::from), wrap);
            matches!(result, Ok((_, true)))
        })
    }

    /// Writes a result of which some lanes have undefined inputs, tracking bits if the operation allows it.
    #[cold]
    fn put_tracked(&mut self, args: IntArgs, out: &Lanes, undef: u32) {
        let IntArgs { op: IntOp::Bin(op), bits, d, args: [a, b, _], .. } = args else { return };
        let bits = u32::from(bits);
        let m = low(bits);
        let mut marks = [0u64; LANES];
        for lane in lanes_of(undef) {
            let (ua, ub) = (self.undef_bits(a, lane) & m, self.undef_bits(b, lane) & m);
            let (x, y) = (self.get(a)[lane], self.get(b)[lane]);
            marks[lane] = match op {
                // a defined zero decides an and, a defined one decides an or
                BinOp::And => (ua | ub) & (ua | x) & (ub | y),
                BinOp::Or => (ua | ub) & (ua | !x) & (ub | !y) & m,
                BinOp::Xor => ua | ub,
                BinOp::Shl if ub == 0 && y < u64::from(bits) => (ua << y) & m,
                BinOp::LShr if ub == 0 && y < u64::from(bits) => ua >> y,
                BinOp::AShr if ub == 0 && y < u64::from(bits) => (sx(ua, bits) >> y) as u64 & m,
                // carries only propagate upwards
                BinOp::Add | BinOp::Sub | BinOp::Mul => {
                    let any = ua | ub;
                    m & !(any & any.wrapping_neg()).wrapping_sub(1)
                }
                _ => m,
            };
        }
        self.put_marked(d, out, undef, &marks);
    }

    pub(super) fn wide(&self, src: Src, bits: u32, lane: usize) -> u128 {
        let value = u128::from(self.get(src)[lane]);
        if bits > 64 { value | u128::from(self.get(src + 1)[lane]) << 64 } else { value }
    }

    pub(super) fn wide_undef(&self, src: Src, bits: u32) -> u32 {
        self.undef(src) | if bits > 64 { self.undef(src + 1) } else { 0 }
    }

    pub(super) fn put_wide(&mut self, d: Dst, bits: u32, lane: usize, value: u128, undef: bool) {
        let marks = if undef { u64::MAX } else { 0 };
        self.put_lane(d, lane, value as u64, marks);
        if bits > 64 {
            self.put_lane(d + 1, lane, (value >> 64) as u64, marks);
        }
    }

    /// One lane at a time, any operation, any width.
    fn int_slow(&mut self, IntArgs { op, bits, wrap, d, args }: IntArgs) -> Exec<()> {
        let bits = u32::from(bits);
        let undef = args.map(|src| self.wide_undef(src, bits));
        let result_bits = if matches!(op, IntOp::Overflow(..)) { 1 } else { bits };
        let divides = matches!(op, IntOp::Bin(BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem));
        let moves_bits = matches!(op, IntOp::ByteSwap | IntOp::BitReverse) && bits <= 64;
        for lane in lanes_of(self.mask) {
            let tainted = (undef[0] | undef[1] | undef[2]) >> lane & 1 != 0;
            if divides && undef[1] >> lane & 1 != 0 {
                return trap(lane as u32, FaultKind::Undef { usage: "a divisor" });
            }
            match int::int(op, bits, args.map(|src| self.wide(src, bits, lane)), wrap) {
                Ok((value, _)) if tainted && moves_bits => {
                    let marks = [u128::from(self.undef_bits(args[0], lane) & low(bits)); 3];
                    let marks = int::int(op, bits, marks, wrap).map_or(u64::MAX, |(marks, _)| marks as u64);
                    self.put_lane(d, lane, value as u64, marks);
                }
                Ok((value, poison)) => self.put_wide(d, result_bits, lane, value, poison || tainted),
                Err(IntFault::DivisionByZero) => return trap(lane as u32, FaultKind::DivisionByZero),
                Err(IntFault::Overflow) => return trap(lane as u32, FaultKind::DivisionOverflow),
            }
        }
        Ok(())
    }

    #[inline]
    pub fn icmp(&mut self, pred: IntCmp, bits: u16, same_sign: bool, d: Dst, a: Src, b: Src) {
        let bits = u32::from(bits);
        if bits > 64 {
            let undef = self.wide_undef(a, bits) | self.wide_undef(b, bits);
            for lane in lanes_of(self.mask) {
                let (x, y) = (self.wide(a, bits, lane), self.wide(b, bits, lane));
                let (s, t) = (int::signed(x, bits), int::signed(y, bits));
                let value = int::compare(pred, (x, y), (s, t));
                let poison = same_sign && (s < 0) != (t < 0);
                self.put_wide(d, 1, lane, u128::from(value), poison || undef >> lane & 1 != 0);
            }
            return;
        }
        let (x, y) = (self.get(a), self.get(b));
        let out = match pred {
            IntCmp::Eq => map2(x, y, |x, y| u64::from(x == y)),
            IntCmp::Ne => map2(x, y, |x, y| u64::from(x != y)),
            IntCmp::Ugt => map2(x, y, |x, y| u64::from(x > y)),
            IntCmp::Uge => map2(x, y, |x, y| u64::from(x >= y)),
            IntCmp::Ult => map2(x, y, |x, y| u64::from(x < y)),
            IntCmp::Ule => map2(x, y, |x, y| u64::from(x <= y)),
            IntCmp::Sgt => map2(x, y, |x, y| u64::from(sx(x, bits) > sx(y, bits))),
            IntCmp::Sge => map2(x, y, |x, y| u64::from(sx(x, bits) >= sx(y, bits))),
            IntCmp::Slt => map2(x, y, |x, y| u64::from(sx(x, bits) < sx(y, bits))),
            IntCmp::Sle => map2(x, y, |x, y| u64::from(sx(x, bits) <= sx(y, bits))),
        };
        let mut bad = self.undef(a) | self.undef(b);
        if bad != 0 {
            bad = self.undecided(pred, bits, a, b, bad);
        }
        if same_sign {
            bad |= test2(self.get(a), self.get(b), |x, y| (x ^ y) >> (bits - 1) & 1 != 0) & self.mask;
        }
        self.put_tainted(d, &out, bad);
    }

    /// Among the lanes with undefined bits, those in which the defined bits do not decide the comparison.
    fn undecided(&self, pred: IntCmp, bits: u32, a: Src, b: Src, lanes: u32) -> u32 {
        if !matches!(pred, IntCmp::Eq | IntCmp::Ne) {
            // Against zero only the sign matters.
            let sign_only = |lane: usize| {
                let against_zero = self.get(b)[lane] == 0 && self.undef(b) >> lane & 1 == 0;
                let minus_one = self.get(b)[lane] == low(bits) && self.undef(b) >> lane & 1 == 0;
                let sign_defined = self.undef_bits(a, lane) >> (bits - 1) & 1 == 0;
                sign_defined
                    && ((against_zero && matches!(pred, IntCmp::Slt | IntCmp::Sge))
                        || (minus_one && matches!(pred, IntCmp::Sgt | IntCmp::Sle)))
            };
            return among(lanes, |lane| !sign_only(lane));
        }
        among(lanes, |lane| {
            let undefined = self.undef_bits(a, lane) | self.undef_bits(b, lane);
            (self.get(a)[lane] ^ self.get(b)[lane]) & !undefined & low(bits) == 0
        })
    }

    /// Integer to integer.
    #[inline]
    pub fn int_to_int(&mut self, (from, to): (u16, u16), extend_sign: bool, (nuw, nsw): (bool, bool), d: Dst, a: Src) {
        let (from, to) = (u32::from(from), u32::from(to));
        if from > 64 || to > 64 {
            let undef = self.wide_undef(a, from);
            for lane in lanes_of(self.mask) {
                let value = self.wide(a, from, lane);
                let out = int::extended(value, from, extend_sign) & int::mask(to);
                let poison = (nuw && to < from && out != value)
                    || (nsw && to < from && int::signed(out, to) != int::signed(value, from));
                self.put_wide(d, to, lane, out, poison || undef >> lane & 1 != 0);
            }
            return;
        }
        let m = low(to);
        let x = self.get(a);
        let out = if extend_sign { map1(x, |x| sx(x, from) as u64 & m) } else { map1(x, |x| x & m) };
        let mut bad = 0;
        if to < from && (nuw || nsw) {
            bad = test2(x, &out, |x, y| (nuw && x != y) || (nsw && sx(x, from) != sx(y, to)));
        } else if nuw && from < to {
            // `nneg` of a zext.
            bad = test2(x, x, |x, _| x >> (from - 1) & 1 != 0);
        }
        let undef = self.undef(a);
        self.put(d, &out);
        for lane in lanes_of(undef) {
            let bits = self.undef_bits(a, lane) & low(from);
            let marks = if extend_sign { sx(bits, from) as u64 } else { bits };
            self.taint_bits(d, lane, marks & m);
        }
        if bad & self.mask != 0 {
            self.taint(d, bad & self.mask);
        }
    }
}
