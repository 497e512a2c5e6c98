//! Which expressions does a random source compute? Only those whose value C++ and PTX define: unsigned integers wrap,
//! signed ones are built top-down within a bound of bits so that they never overflow, divisors are not zero, shifts and
//! indices are masked, floating-point numbers become integers only within bounds.

use crate::scope::Gen;
use crate::types::Scalar::{self, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use crate::types::Type;

/// Length of the global arrays that kernels read, in elements: a power of two.
pub const INPUTS: usize = 4096;

impl Gen {
    /// A value of a scalar type, of at most that many operations in depth.
    pub fn value(&mut self, ty: Scalar, depth: usize) -> String {
        match ty {
            U32 => self.unsigned(depth),
            U64 => self.unsigned_wide(depth),
            U16 | U8 => format!("({}){}", ty.name(), self.unsigned(depth)),
            I8 | I16 => format!("({}){}", ty.name(), self.signed(depth, ty.magnitude().unwrap_or(7))),
            I32 => self.signed(depth, 20),
            I64 => self.signed_wide(depth),
            F16 => self.half(depth),
            F32 => self.float(depth),
            F64 => self.double(depth),
        }
    }

    fn constant(&mut self) -> u32 {
        const EDGES: [u32; 12] = [0, 1, 2, 3, 5, 7, 31, 32, 255, 65535, 0x7fff_ffff, u32::MAX];
        if self.rng.chance(70) { EDGES[self.rng.detail(EDGES.len())] } else { self.rng.detail(10_000) as u32 }
    }

    /// An index of an array of that length.
    pub fn index(&mut self, length: usize) -> String {
        let of = match self.rng.below(10) {
            0..3 => return format!("{}", self.rng.detail(length)),
            3..5 => self.counter().unwrap_or_else(|| "tx".to_owned()),
            5 => "tx".to_owned(),
            6 if self.is_kernel => "U((u32)n)".to_owned(),
            _ => self.unsigned(1),
        };
        if length.is_power_of_two() { format!("({of} & {})", length - 1) } else { format!("({of} % {length}u)") }
    }

    /// The counter of a loop around here.
    fn counter(&mut self) -> Option<String> {
        let counters: Vec<usize> = (0..self.vars.len()).filter(|&v| !self.vars[v].is_mutable).collect();
        (!counters.is_empty()).then(|| self.vars[counters[self.rng.detail(counters.len())]].name.clone())
    }

    /// Where a thread reads a global array.
    fn place(&mut self) -> String {
        let mask = INPUTS - 1;
        match self.rng.below(6) {
            0 => format!("[(gid + {}) & {mask}]", self.rng.detail(9)),
            1 => format!("[(gid * {} + {}) & {mask}]", self.rng.range(2, 33), self.rng.detail(5)),
            2 => format!("[U(blockIdx.x) + {}]", self.rng.detail(64)),
            3 => format!("[{}]", self.rng.detail(INPUTS)),
            4 => match self.counter() {
                Some(counter) => format!("[(tx + {counter} * {}) & {mask}]", self.rng.pick(&[1, 32, 64, 3])),
                None => format!("[tx & {mask}]"),
            },
            _ => format!("[{} & {mask}]", self.unsigned(1)),
        }
    }

    /// A scalar variable, a member of a record or an element of an array that holds that type.
    fn stored(&mut self, ty: Scalar) -> Option<String> {
        let mut found = Vec::new();
        for var in &self.vars {
            match var.ty {
                Type::Scalar(scalar) if scalar == ty => found.push((var.name.clone(), var.length)),
                Type::Record(record) => {
                    let members = record.members.iter().filter(|m| m.1 == ty);
                    found.extend(members.map(|m| (format!("{}@.{}", var.name, m.0), var.length)));
                }
                Type::Scalar(_) => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let (name, length) = found.swap_remove(self.rng.detail(found.len()));
        let (object, member) = name.split_once('@').unwrap_or((&name, ""));
        Some(if length > 0 { format!("{object}[{}]{member}", self.index(length)) } else { format!("{object}{member}") })
    }

    /// Any integer as u32.
    fn unsigned_leaf(&mut self) -> String {
        let mask = INPUTS - 1;
        match self.rng.below(16) {
            0..5 => self.stored(U32).unwrap_or_else(|| "tx".to_owned()),
            5 => {
                let ty = self.rng.pick(&[I32, U64, I64, U16, I16, U8, I8]);
                self.stored(ty).map_or_else(|| "gid".to_owned(), |name| format!("(u32){name}"))
            }
            6 => format!("{}u", self.constant()),
            7 => self.rng.pick(&["tx", "(tx & 31)", "(tx >> 5)", "threadIdx.x", "threadIdx.y", "gid"]).to_owned(),
            8 => self.rng.pick(&["U(blockIdx.x)", "U(bix())", "U(blockDim.x)", "U(gridDim.x)"]).to_owned(),
            9..12 => format!("I{}", self.place()),
            12 if self.is_kernel => format!("(u32)B[{} & {mask}]", self.unsigned(0)),
            13 if self.is_kernel => {
                self.rng.pick(&["U((u32)n)", "U((u32)m)", "U((u32)p.a[3])", "(u32)p.b[tx % 12]", "(u32)p.q"]).to_owned()
            }
            14 => format!("TABLE[{} & 31]", self.unsigned(0)),
            _ => self.counter().unwrap_or_else(|| "tx".to_owned()),
        }
    }

    pub fn unsigned(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.unsigned_leaf();
        }
        let d = depth - 1;
        let a = self.unsigned(d);
        let b = |this: &mut Gen| this.unsigned(d);
        match self.rng.detail(24) {
            0..4 => format!("({a} + {})", b(self)),
            4..6 => format!("({a} - {})", b(self)),
            6..8 => format!("({a} * {})", b(self)),
            8 => format!("({a} & {})", b(self)),
            9 => format!("({a} | {})", b(self)),
            10 => format!("({a} ^ {})", b(self)),
            11 => format!("({a} << ({} & 31))", b(self)),
            12 => format!("({a} >> ({} & 31))", b(self)),
            13 => format!("({a} / ({} | 1u))", b(self)),
            14 => format!("({a} % ({} | 1u))", b(self)),
            15 => format!("({} ? {a} : {})", self.condition(d), b(self)),
            16 => format!("{}({a}, {})", self.rng.pick(&["min", "max", "__umulhi", "asm_pick"]), b(self)),
            17 => format!("(u32){}({a})", self.rng.pick(&["__popc", "__clz", "__brev", "__ffs"])),
            18 => format!("__byte_perm({a}, {}, {})", b(self), self.rng.pick(&["0x5410", "0x0123", "0x7632"])),
            19 => format!("__funnelshift_l({a}, {}, {})", b(self), self.rng.range(0, 31)),
            20 => format!("{}({a}, {}, {})", self.rng.pick(&["asm_bits", "asm_mad"]), b(self), self.unsigned(0)),
            21 => format!("hs({})", self.float(d)),
            22 => format!("(u32)f2i({})", self.float(d)),
            _ => format!("(u32){}", self.signed(d, 30)),
        }
    }

    fn unsigned_wide(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            return match self.stored(U64) {
                Some(name) if self.rng.chance(60) => name,
                _ => format!("(u64){}", self.unsigned(depth.min(1))),
            };
        }
        let d = depth - 1;
        let (a, b) = (self.unsigned_wide(d), self.unsigned_wide(d));
        match self.rng.detail(9) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({a} * {b})"),
            4 => format!("({a} ^ {b})"),
            5 => format!("({a} << ({b} & 63))"),
            6 => format!("({a} >> ({b} & 63))"),
            7 => format!("({a} / ({b} | 1u))"),
            _ => format!("({} ? {a} : {b})", self.condition(d)),
        }
    }

    /// An int whose magnitude is less than 2^bits, at most 30, without overflow on the way.
    pub fn signed(&mut self, depth: usize, bits: u32) -> String {
        if depth == 0 || bits < 3 || self.rng.chance(15) {
            return self.signed_leaf(bits);
        }
        let d = depth - 1;
        match self.rng.detail(12) {
            0..3 => format!("({} + {})", self.signed(d, bits - 1), self.signed(d, bits - 1)),
            3..5 => format!("({} - {})", self.signed(d, bits - 1), self.signed(d, bits - 1)),
            5 | 6 => format!("({} * {})", self.signed(d, bits / 2), self.signed(d, bits / 2)),
            7 => {
                let shift = self.rng.range(1, 2) as u32;
                format!("({} * {})", self.signed(d, bits - shift), 1 << shift)
            }
            8 => format!("({} >> {})", self.signed(d, bits), self.rng.range(1, 9)),
            9 => {
                let by = self.rng.pick(&["/", "%"]);
                format!("({} {by} (({} & 63) + 1))", self.signed(d, bits), self.signed(d, 20))
            }
            10 => format!("({} ? {} : {})", self.condition(d), self.signed(d, bits), self.signed(d, bits)),
            _ => format!("{}({}, {})", self.rng.pick(&["min", "max"]), self.signed(d, bits), self.signed(d, bits)),
        }
    }

    fn signed_leaf(&mut self, bits: u32) -> String {
        let fits = |ty: Scalar| ty.magnitude().is_some_and(|m| m <= bits);
        let low = (1u32 << bits.min(20)) - 1;
        match self.rng.below(8) {
            0..4 => {
                let ty = self.rng.pick(&[I32, I32, I32, I16, I8]);
                match self.stored(ty) {
                    Some(name) if fits(ty) => name,
                    Some(name) => format!("({name} & {low})"),
                    None => format!("(int)(tx & {low})"),
                }
            }
            4 => {
                let most = self.constant() & low;
                if self.rng.chance(40) { format!("(-{most})") } else { format!("{most}") }
            }
            5 => format!("(int)(I{} & {low})", self.place()),
            6 if bits >= 11 => self.rng.pick(&["(int)threadIdx.x", "(int)threadIdx.y", "(int)(tx & 31)"]).to_owned(),
            7 if self.is_kernel => {
                format!("({} & {low})", self.rng.pick(&["U(n)", "U(m)", "U(p.a[1])", "p.a[tx & 7]"]))
            }
            _ => format!("(int)(tx & {low})"),
        }
    }

    fn signed_wide(&mut self, depth: usize) -> String {
        match (self.rng.below(4), self.stored(I64)) {
            (0, Some(name)) => name,
            (1, Some(name)) => format!("({name} / (({} & 63) + 1))", self.signed(depth, 20)),
            (2, Some(name)) => format!("(({name} >> 1) + {})", self.signed(depth, 30)),
            _ => format!("((i64){} * {})", self.signed(depth, 20), self.signed(depth.min(1), 18)),
        }
    }

    pub fn float(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(12) {
            return match self.rng.below(9) {
                0..4 => self.stored(F32).unwrap_or_else(|| "fa".to_owned()),
                4..6 => format!("F{}", self.place()),
                6 => self.rng.pick(&["0.5f", "1.f", "-2.f", "3.25f", "1e-3f", "0.f"]).to_owned(),
                7 if self.is_kernel => self.rng.pick(&["U(p.f[1])", "p.f[tx & 3]", "WEIGHTS[tx & 7]"]).to_owned(),
                _ => format!("(float){}", self.signed_leaf(16)),
            };
        }
        let d = depth - 1;
        let a = self.float(d);
        match self.rng.detail(22) {
            0..5 => format!("({a} + {})", self.float(d)),
            5..8 => format!("({a} - {})", self.float(d)),
            8..13 => format!("({a} * {})", self.float(d)),
            13 => format!("({a} / {})", self.float(d)),
            14 => call(self.rng.pick(&["sqrtf", "fabsf", "-", "floorf", "rsqrtf"]), &a),
            15 => format!("{}({a}, {})", self.rng.pick(&["fminf", "fmaxf", "__fadd_rn", "__fmul_rn"]), self.float(d)),
            16 => format!("fmaf({a}, {}, {})", self.float(d), self.float(0)),
            17 => format!("({} ? {a} : {})", self.condition(d), self.float(d)),
            18 => format!("(float){}", self.double(d)),
            19 => format!("(float){}", self.half(d)),
            20 => format!("(float){}", self.signed(d, 24)),
            _ => {
                let name = self.rng.pick(&["__expf", "sinf", "__frcp_rn", "exp2f", "truncf"]);
                if self.rng.chance(30) { call(name, &a) } else { format!("({a} * {})", self.float(0)) }
            }
        }
    }

    fn double(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            return match self.rng.below(4) {
                0 | 1 => self.stored(F64).unwrap_or_else(|| "1.5".to_owned()),
                2 if self.is_kernel => format!("D{}", self.place()),
                _ => format!("(double){}", self.float(0)),
            };
        }
        let d = depth - 1;
        let (a, b) = (self.double(d), self.double(d));
        match self.rng.detail(9) {
            0..2 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3..6 => format!("({a} * {b})"),
            6 => format!("({a} / {b})"),
            7 => format!("{}({a})", self.rng.pick(&["sqrt", "fabs", "floor"])),
            _ => format!("({} ? {a} : {b})", self.condition(d)),
        }
    }

    fn half(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            return self.stored(F16).unwrap_or_else(|| format!("(f16){}", self.float(0)));
        }
        let d = depth - 1;
        let (a, b) = (self.half(d), self.half(d));
        match self.rng.detail(6) {
            0 | 1 => format!("(f16)({a} + {b})"),
            2 => format!("(f16)({a} - {b})"),
            3 | 4 => format!("(f16)({a} * {b})"),
            _ => format!("({} ? {a} : {b})", self.condition(d)),
        }
    }

    /// A condition; `uniform` ones have the same value in all threads of a block.
    pub fn condition(&mut self, depth: usize) -> String {
        match self.rng.detail(16) {
            0 => "(tx & 1)".to_owned(),
            1 => format!("(tx {} {}u)", self.rng.pick(&["<", ">=", "=="]), self.rng.detail(64)),
            2 => format!("((tx & 31) < {}u)", self.rng.range(1, 31)),
            3 => format!("(I{} & {}u)", self.place(), self.rng.pick(&[1, 2, 4, 6])),
            4 => "((tx >> 5) & 1)".to_owned(),
            5 if self.is_kernel => self.uniform_condition(),
            6 | 7 => format!("({} {} {})", self.float(depth), self.rng.pick(&["<", ">", "<=", "=="]), self.float(0)),
            8..10 => {
                let by = self.rng.pick(&["<", ">", "!=", "=="]);
                format!("({} {by} {})", self.signed(depth, 24), self.signed(0, 16))
            }
            10 if depth > 0 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            11 if depth > 0 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            12 => format!("(threadIdx.{} & {})", self.rng.pick(&["x", "y"]), self.rng.pick(&[1, 2, 3])),
            _ => format!("({} {} {})", self.unsigned(depth), self.rng.pick(&["<", ">", "==", ">="]), self.unsigned(0)),
        }
    }

    pub fn uniform_condition(&mut self) -> String {
        match self.rng.below(5) {
            0 => format!("(U(n) > {})", self.rng.detail(12)),
            1 => "(U(bix()) & 1)".to_owned(),
            2 => format!("(U(p.a[{}]) & 1)", self.rng.detail(8)),
            3 => format!("(I[U(blockIdx.x) + {}] & 1)", self.rng.detail(32)),
            _ => format!("(TABLE[U(m) & 31] > {}u)", self.rng.detail(300)),
        }
    }
}

/// A call of a function of one number. Approximations of constants `ptxas` computes by itself, with results that are not the
/// hardware's, and which numbers it finds to be constant depends on what it unrolls.
fn call(name: &str, number: &str) -> String {
    let is_approximate = matches!(name, "rsqrtf" | "__expf" | "exp2f" | "sinf");
    if is_approximate { format!("{name}(opaque({number}))") } else { format!("{name}({number})") }
}
