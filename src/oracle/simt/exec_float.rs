//! How are float operations executed on 32 lanes? By loops over host floats for the basic operations in single and
//! double precision, rounded to nearest without flushing; everything else one value at a time (`float`).

use super::code::*;
use super::exec_int::{map1, map2, sx};
use super::fault::Exec;
use super::float::{self, bits_of_double, bits_of_single};
use super::warp::{Frame, lanes_of};
use warpwise_ir::llvm::image::FloatCmp;

#[inline(always)]
fn single2(a: &Lanes, b: &Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
    map2(a, b, |x, y| bits_of_single(f(f32::from_bits(x as u32), f32::from_bits(y as u32))))
}

#[inline(always)]
fn double2(a: &Lanes, b: &Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
    map2(a, b, |x, y| bits_of_double(f(f64::from_bits(x), f64::from_bits(y))))
}

impl Frame<'_, '_> {
    #[inline]
    pub fn float(&mut self, op: FloatOp, fmt: Fmt, mode: Mode, d: Dst, args: [Src; 3]) {
        let undef = args.iter().fold(0, |undef, &src| undef | self.undef(src));
        let [x, y, z] = args.map(|src| self.get(src));
        let out = match (mode == Mode::default(), fmt, op) {
            (true, Fmt::Single, FloatOp::Add) => single2(x, y, |x, y| x + y),
            (true, Fmt::Single, FloatOp::Sub) => single2(x, y, |x, y| x - y),
            (true, Fmt::Single, FloatOp::Mul) => single2(x, y, |x, y| x * y),
            (true, Fmt::Single, FloatOp::Div) => single2(x, y, |x, y| x / y),
            (true, Fmt::Double, FloatOp::Add) => double2(x, y, |x, y| x + y),
            (true, Fmt::Double, FloatOp::Sub) => double2(x, y, |x, y| x - y),
            (true, Fmt::Double, FloatOp::Mul) => double2(x, y, |x, y| x * y),
            (true, Fmt::Double, FloatOp::Div) => double2(x, y, |x, y| x / y),
            (true, Fmt::Single, FloatOp::Neg) => map1(x, |x| x ^ 0x8000_0000),
            (true, Fmt::Double, FloatOp::Neg) => map1(x, |x| x ^ 1 << 63),
            (true, Fmt::Single, FloatOp::Abs) => map1(x, |x| x & 0x7fff_ffff),
            (true, Fmt::Double, FloatOp::Abs) => map1(x, |x| x & !(1 << 63)),
            _ => self.lane_by_lane(|lane| float::float(op, fmt, mode, [x[lane], y[lane], z[lane]])),
        };
        self.put_tainted(d, &out, undef);
    }

    #[inline]
    pub fn fcmp(&mut self, pred: FloatCmp, fmt: Fmt, d: Dst, a: Src, b: Src) {
        let undef = self.undef(a) | self.undef(b);
        let (x, y) = (self.get(a), self.get(b));
        let mut out = [0; LANES];
        let test = u32::from(pred.0);
        for i in 0..LANES {
            let (x, y) = match fmt {
                Fmt::Single => (f64::from(f32::from_bits(x[i] as u32)), f64::from(f32::from_bits(y[i] as u32))),
                Fmt::Double => (f64::from_bits(x[i]), f64::from_bits(y[i])),
                _ => (float::widen(fmt, x[i]), float::widen(fmt, y[i])),
            };
            // bit 0 equal, 1 greater, 2 less, 3 unordered: exactly one of them is set
            let relation = u32::from(x > y) + 2 * u32::from(x < y) + 3 * u32::from(x.is_nan() || y.is_nan());
            out[i] = u64::from(test >> relation & 1);
        }
        self.put_tainted(d, &out, undef);
    }

    pub fn class(&mut self, fmt: Fmt, mask: u16, d: Dst, a: Src) {
        let undef = self.undef(a);
        let out = map1(self.get(a), |x| u64::from(float::class(fmt, mask, x)));
        self.put_tainted(d, &out, undef);
    }

    /// Conversions that touch floats or pointers, and integer ones.
    #[inline]
    pub fn convert(&mut self, conv: Conv, d: Dst, a: Src) -> Exec<()> {
        let undef = self.undef(a);
        match conv {
            Conv::Int { from, to, signed, nuw, nsw } => self.int_to_int((from, to), signed, (nuw, nsw), d, a),
            Conv::Float { from, to, mode } => {
                let x = self.get(a);
                let out = if (from, to, mode) == (Fmt::Single, Fmt::Double, Mode::default()) {
                    map1(x, |x| bits_of_double(f32::from_bits(x as u32).into()))
                } else {
                    self.lane_by_lane(|lane| float::convert(from, to, mode, x[lane]))
                };
                self.put_tainted(d, &out, undef);
            }
            Conv::FloatToInt { from, to, signed, saturating, mode } => {
                for lane in lanes_of(self.mask) {
                    let value = float::to_int(from, u32::from(to), signed, saturating, mode, self.get(a)[lane]);
                    let tainted = value.is_none() || undef >> lane & 1 != 0;
                    self.put_wide(d, u32::from(to), lane, value.unwrap_or(0), tainted);
                }
            }
            Conv::IntToFloat { from, to, signed, nneg, mode } => {
                if from <= 32 && matches!(to, Fmt::Single | Fmt::Double) && mode == Mode::default() && !nneg {
                    let x = self.get(a);
                    let value = |x: u64| if signed { sx(x, from.into()) } else { x as i64 };
                    let out = match to {
                        Fmt::Single => map1(x, |x| u64::from((value(x) as f32).to_bits())),
                        _ => map1(x, |x| (value(x) as f64).to_bits()),
                    };
                    self.put_tainted(d, &out, undef);
                    return Ok(());
                }
                let from = u32::from(from);
                let undef = self.wide_undef(a, from);
                for lane in lanes_of(self.mask) {
                    let value = self.wide(a, from, lane);
                    let tainted = undef >> lane & 1 != 0 || nneg && value >> (from - 1) & 1 != 0;
                    self.put_wide(d, 64, lane, float::from_int(from, signed, to, mode, value).into(), tainted);
                }
            }
            Conv::Space { from, to } => {
                use super::constants::{from_generic, to_generic};
                let out = map1(self.get(a), |x| from_generic(to_generic(x, from), to));
                self.put_tainted(d, &out, undef);
            }
        }
        Ok(())
    }
}
