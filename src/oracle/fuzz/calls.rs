//! Which functions do kernels call? Internal device functions of their own, some kept out of line, some recursive.

use super::build::{Callee, ENTRY, Func, Gen, Param, Phase};
use super::knobs::Feature;
use super::memory::{Array, PASSED};
use super::value::{I1, I32, I64, PTR, Scope, Ty, Val};
use std::fmt::{Arguments, Write as _};

/// Names of parameters.
const PARAMS: [&str; 5] = ["p0", "p1", "p2", "p3", "p4"];
/// Bound (an exponent) of the floats that are passed and returned.
const PASSED_FLOAT: u64 = 24;
/// Instructions that one call may execute, times the trips of the loops around it.
const COST: u32 = 1500;
/// How deep recursion goes.
const DEPTH: u64 = 3;

impl Gen<'_> {
    /// Some device functions; later ones may call earlier ones.
    pub(super) fn device_functions(&mut self) {
        self.lookouts();
        let weight = self.knobs.weight(Feature::Call);
        if weight == 0 {
            return;
        }
        for n in 0..self.rng.below(4) {
            if self.rng.chance(self.knobs.weight(Feature::Recursion) * 8) {
                self.recursive_function(n);
            } else {
                self.plain_function(n);
            }
        }
    }

    pub(super) fn begin(&mut self, params: &[Param], ret: Ty) -> Func {
        let budget = self.rng.range(6, 28) as i64;
        let outer = std::mem::replace(&mut self.f, Func::new(budget));
        self.f.ret = Some(ret);
        self.f.depth = 1;
        self.f.sources = self.constants.clone();
        for (&param, name) in params.iter().zip(PARAMS) {
            match param {
                Param::Value(ty, scope) => {
                    let hi = if ty.bits() > 0 { ty.max() } else { PASSED_FLOAT };
                    self.f.pool.push(Val::named(name, ty, hi, scope));
                }
                Param::Buffer => {
                    let buffer = Array::words(Val::named(name, PTR, 0, Scope::Lane), PASSED, Feature::MutableLoad);
                    self.f.sources.push(buffer);
                }
            }
        }
        outer
    }

    /// Emits the current function and resumes the outer one.
    fn end(&mut self, outer: Func, callee: Callee, attributes: &str) {
        let params = callee.params.iter().zip(PARAMS).map(|(param, name)| match param {
            Param::Value(ty, _) => format!("{ty} %{name}"),
            Param::Buffer => format!("ptr %{name}"),
        });
        let params = params.collect::<Vec<_>>().join(", ");
        let linkage = self.rng.pick(&["internal ", "internal ", "internal ", "", "linkonce_odr "]);
        let head = format_args!("{linkage}{} @{}({params}) {attributes}", callee.ret, callee.name);
        let cost = self.define_function(outer, head);
        self.callees.push(Callee { cost, ..callee });
    }

    /// Ends the current function and resumes the outer one; returns what a call costs.
    pub(super) fn define_function(&mut self, outer: Func, head: Arguments<'_>) -> u32 {
        let inner = std::mem::replace(&mut self.f, outer);
        let _ = write!(self.functions, "define {head}{{\nb{}:\n{}{}}}\n\n", ENTRY.0, inner.allocas, inner.body);
        inner.cost
    }

    fn attributes(&mut self) -> &'static str {
        self.rng.pick(&[
            "convergent noinline nounwind ",
            "convergent noinline nounwind ",
            "convergent nounwind ",
            "alwaysinline nounwind ",
            "nounwind ",
            "",
        ])
    }

    fn plain_function(&mut self, n: usize) {
        let sync = self.rng.chance(self.knobs.weight(Feature::SyncCall));
        let meets = match sync {
            false => Scope::Lane,
            true => self.rng.pick(&[Scope::Warp, Scope::Warp, Scope::Block]),
        };
        let wants_all = meets == Scope::Block || (sync && self.rng.chance(60));
        let params: Vec<Param> = (0..self.rng.range(1, 4))
            .map(|_| match self.rng.below(10) {
                0 => Param::Value(I64, Scope::Lane),
                1 => Param::Value(Ty::F32, Scope::Lane),
                2 => Param::Value(I1, Scope::Lane),
                3 | 4 => Param::Buffer,
                5 | 6 if sync => Param::Value(I32, Scope::Block),
                _ => Param::Value(I32, Scope::Lane),
            })
            .collect();
        let ret = self.rng.weighted(&[(I32, 70), (I64, 10), (Ty::F32, 12), (I1, 8)]);
        let outer = self.begin(&params, ret);
        (self.f.may_sync, self.f.conv, self.f.exited) = (sync, meets, sync && !wants_all);
        if meets == Scope::Block {
            self.f.phase = Phase::Read; // no phases of its own, and no return past a barrier
        }
        if self.rng.chance(20) && self.knobs.weight(Feature::LocalArray) > 0 {
            self.local_array();
        }
        let spend = self.f.budget;
        if sync {
            let kinds = [Feature::Vote, Feature::Ballot, Feature::Shuffle, Feature::Redux, Feature::WarpBarrier];
            let kind = if meets == Scope::Block { Feature::BlockBarrier } else { self.rng.pick(&kinds) };
            self.region(spend / 2);
            self.collective(kind);
            self.region(spend / 2);
        } else {
            self.region(spend);
        }
        if ret.bits() > 1 && self.rng.chance(20) {
            self.return_either(ret);
        } else {
            self.ret();
        }
        let attributes = if sync {
            self.rng.pick(&[
                "convergent noinline nounwind ",
                "convergent noinline nounwind ",
                "convergent nounwind ",
                "alwaysinline convergent nounwind ",
            ])
        } else {
            self.attributes()
        };
        let callee = Callee { name: format!("f{n}"), params, ret, cost: 0, depth: None, meets, wants_all };
        self.end(outer, callee, attributes);
    }

    /// `f(n, x) = n == 0 ? … : … f(n - 1, …) …`.
    fn recursive_function(&mut self, n: usize) {
        self.note(Feature::Recursion);
        let params = vec![Param::Value(I32, Scope::Lane); 2];
        let outer = self.begin(&params, I32);
        let (depth, x) = (Val::named("p0", I32, DEPTH, Scope::Lane), Val::named("p1", I32, I32.max(), Scope::Lane));
        let (base, step) = (self.label(), self.label());
        let done = self.temp_bit(Scope::Lane, format_args!("icmp eq i32 {depth}, 0"));
        self.branch(done, base, step);
        self.place(base);
        let mark = self.f.pool.len();
        self.ret();
        self.f.pool.truncate(mark);
        self.place(step);
        self.region(6);
        let less = self.temp(I32, DEPTH, Scope::Lane, format_args!("add nsw i32 {depth}, -1"));
        let other = self.pick(I32);
        let next = self.binary("add", x, other);
        let inner = self.word(Scope::Lane, format_args!("call i32 @f{n}(i32 {less}, i32 {next})"));
        let mixed = self.binary("xor", inner, x);
        self.line(format_args!("ret i32 {mixed}"));
        self.f.cost *= DEPTH as u32 + 1;
        let callee = Callee {
            name: format!("f{n}"),
            params,
            ret: I32,
            cost: 0,
            depth: Some(DEPTH),
            meets: Scope::Lane,
            wants_all: false,
        };
        self.end(outer, callee, "nounwind ");
    }

    /// Returns from the current function.
    pub(super) fn ret(&mut self) {
        match self.f.ret {
            None => self.line(format_args!("ret void")),
            Some(ty) => {
                let mut val = self.passed(ty);
                // Let the caller see more of what the body computed.
                for _ in 0..if ty.bits() > 1 { self.rng.below(4) } else { 0 } {
                    let other = self.pick_variable(ty);
                    val = self.binary("xor", val, other);
                }
                self.line(format_args!("ret {ty} {val}"));
            }
        }
    }

    /// Returns one of two uniform values, chosen by a condition on which lanes do not agree.
    fn return_either(&mut self, ty: Ty) {
        let cond = self.condition(Scope::Lane);
        let sides = [self.label(), self.label()];
        self.branch(cond, sides[0], sides[1]);
        for side in sides {
            self.place(side);
            let val = self.pick_scoped(ty, Scope::Block);
            self.line(format_args!("ret {ty} {val}"));
        }
    }

    /// A value to pass or return: floats within what the other side expects.
    fn passed(&mut self, ty: Ty) -> Val {
        if ty.bits() > 0 { self.pick(ty) } else { self.float_within(ty, PASSED_FLOAT) }
    }

    /// Calls one of the functions, with divergent or uniform arguments.
    pub(super) fn call(&mut self) {
        let trips = self.f.trips;
        let mut affordable: Vec<usize> = (0..self.callees.len())
            .filter(|&i| self.callees[i].cost.saturating_mul(trips) <= COST && self.may_call(&self.callees[i]))
            .collect();
        if affordable.is_empty() {
            return self.int_expression();
        }
        // places where lanes are together are rare, so use them
        if self.rng.chance(50) && affordable.iter().any(|&i| self.callees[i].meets > Scope::Lane) {
            affordable.retain(|&i| self.callees[i].meets > Scope::Lane);
        }
        let at = self.rng.pick(&affordable);
        let callee = self.callees[at].clone();
        self.note(if callee.meets > Scope::Lane { Feature::SyncCall } else { Feature::Call });
        let uniform = self.rng.chance(35);
        let mut args = Vec::new();
        for (i, &param) in callee.params.iter().enumerate() {
            args.push(match param {
                Param::Buffer => self.passed_buffer().typed(),
                Param::Value(ty, scope) => {
                    let is_agreed = scope == Scope::Block || uniform && ty.bits() > 0;
                    let val = if is_agreed { self.pick_scoped(ty, Scope::Block) } else { self.passed(ty) };
                    let val = match callee.depth {
                        Some(_) if i == 0 => self.masked(val, DEPTH + 1),
                        _ => val,
                    };
                    format!("{ty} {val}")
                }
            });
        }
        let args = args.join(", ");
        self.f.cost += callee.cost * trips;
        let hi = if callee.ret.bits() > 0 { callee.ret.max() } else { PASSED_FLOAT };
        self.op(callee.ret, hi, Scope::Lane, format_args!("call {} @{}({args})", callee.ret, callee.name));
    }

    /// Whether the lanes that a function needs together are together here.
    fn may_call(&self, callee: &Callee) -> bool {
        match callee.meets {
            Scope::Lane => true,
            Scope::Warp => self.may_vote() && !(callee.wants_all && self.f.exited),
            Scope::Block => self.may_barrier(),
        }
    }

    /// A generic pointer to at least [`PASSED`] readable i32.
    fn passed_buffer(&mut self) -> Val {
        let arrays: Vec<Val> =
            self.f.arrays.iter().filter(|a| a.elem == I32 && a.len >= PASSED).map(|a| a.pointer).collect();
        if !arrays.is_empty() && self.rng.chance(40) {
            return self.rng.pick(&arrays);
        }
        let source = self.some_source(|source| source.pointer.ty == PTR && source.elem == I32 && source.len >= PASSED);
        source.map_or_else(|| Val::global("plain_table", 0), |source| source.pointer)
    }
}
