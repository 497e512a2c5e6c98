//! Which statements does a random source have? Every loop is bounded, every variable has a value before it is read, and
//! threads write only to what is their own; what they do together is in [`crate::together`].

use crate::ast::{Body, Form, Loop, Stmt};
use crate::scope::{Around, Flow, Gen, Kind, LARGE};
use crate::types::{RECORDS, SCALARS, Scalar, Type};

/// Nesting of statements at most.
const DEPTH: usize = 4;

#[derive(Clone, Copy)]
enum Choice {
    Assign,
    Scalar,
    Array,
    Record,
    Copy,
    Line,
    Bits,
    If,
    Ladder,
    Loop,
    Sum,
    Switch,
    Jump,
    Return,
    Call,
    Exchange,
    Collective,
    Vote,
    VoteLoop,
    Atomic,
    Volatile,
    Tile,
    Twice,
    Sweep,
}

impl Gen {
    /// A list of statements in a scope of its own.
    pub fn body(&mut self, count: usize) -> Body {
        let (vars, flow) = (self.vars.len(), self.flow.clone());
        self.depth += 1;
        let mut out = Body::new();
        for _ in 0..count {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            self.statement(&mut out);
        }
        self.depth -= 1;
        self.vars.truncate(vars);
        self.flow = flow;
        out
    }

    pub fn inner(&mut self) -> Body {
        let count = self.rng.range(1, 4);
        self.body(count)
    }

    /// Adds one statement, whose declarations stay visible.
    pub fn statement(&mut self, out: &mut Body) {
        use Choice::*;
        let nests = usize::from(self.depth < DEPTH);
        let mask = self.mask().map_or(0, |_| 1);
        let choices = [
            (Assign, 26),
            (Scalar, 6),
            (Array, if self.depth < 2 { 5 } else { 0 }),
            (Record, if self.depth < 3 { 4 } else { 0 }),
            (Copy, 5),
            (Line, usize::from(self.is_kernel)),
            (Bits, 1),
            (If, 22 * nests),
            (Ladder, 4 * nests),
            (Loop, 11 * nests),
            (Sum, if self.is_kernel && self.depth < 2 { 6 } else { 0 }),
            (Switch, 3 * nests),
            (Jump, 8 * usize::from(self.can_jump())),
            (Return, 2 * usize::from(self.can_return())),
            (Call, 5),
            (Exchange, if self.is_whole_block() && self.shared.is_some() { 4 } else { 0 }),
            (Collective, 5 * mask),
            (Vote, 4 * mask * nests),
            (VoteLoop, 2 * mask * nests),
            (Atomic, 2),
            (Volatile, 1),
            (Twice, 4),
            (Sweep, 3),
            (Tile, if self.has_tiles && self.is_whole_block() { 6 } else { 0 }),
        ];
        let stmt = match self.rng.weighted(&choices) {
            Assign => self.assign(),
            Scalar => self.scalar(),
            Array => self.array(),
            Record => self.record(),
            Copy => self.copy(),
            Line => self.line(),
            Bits => self.bits(),
            If => self.branch(),
            Ladder => self.ladder(),
            Loop => self.repeat(),
            Sum => self.sum(),
            Switch => self.switch(),
            Jump => self.jump(),
            Return => self.leave(),
            Call => self.call(),
            Exchange => self.exchange(),
            Collective => self.collective(),
            Vote => self.vote(),
            VoteLoop => self.vote_loop(),
            Atomic => self.atomic(),
            Volatile => self.volatile(),
            Twice => self.twice(),
            Sweep => self.sweep(),
            Tile => self.tile(),
        };
        out.push(stmt);
    }

    pub fn assign(&mut self) -> Stmt {
        let Some((target, ty)) = self.target() else { return self.scalar() };
        let compound = match ty {
            Scalar::F16 | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => "",
            _ if ty.is_float() => self.rng.pick(&["", "", "+", "-", "*"]),
            _ => self.rng.pick(&["", "", "+", "-", "*", "^", "|", "&"]),
        };
        let depth = self.rng.range(1, 3);
        Stmt::Text(format!("{target} {compound}= {};", self.value(ty, depth)))
    }

    fn scalar(&mut self) -> Stmt {
        let ty = self.rng.weighted(SCALARS);
        let depth = self.rng.range(0, 2);
        let value = self.value(ty, depth);
        let name = self.name("v");
        self.declare(&name, Type::Scalar(ty), 0, true);
        Stmt::Text(format!("{} {name} = {value};", ty.name()))
    }

    /// Several words at once, from what is read to what the thread writes.
    fn line(&mut self) -> Stmt {
        let (ty, words) = self.rng.pick(&[("Words", 3), ("Line", 4), ("Lines", 8)]);
        let (index, at) = (self.unsigned(1), 8 / words);
        let (align, place) = if words == 3 { (1, self.rng.below(6)) } else { (4, 4 * self.rng.below(at)) };
        Stmt::Text(format!("*({ty}*)(out + {place}) = *(const {ty}*)(I + (({index} & 4087) & ~{}u));", align - 1))
    }

    /// A loop that counts the bits of a number.
    fn bits(&mut self) -> Stmt {
        let (value, b, c) = (self.unsigned(1), self.name("b"), self.name("c"));
        let read = self.absorb(&c);
        Stmt::Text(format!("{{ u32 {b} = {value}, {c} = 0; while ({b}) {{ {b} &= {b} - 1; ++{c}; }} {read} }}"))
    }

    fn a_type(&mut self) -> Type {
        if self.rng.chance(70) {
            Type::Scalar(self.rng.weighted(SCALARS))
        } else {
            Type::Record(&RECORDS[self.rng.below(RECORDS.len())])
        }
    }

    /// Statements that write all of a variable.
    fn fill(&mut self, object: &str, ty: Type) -> String {
        match ty {
            Type::Scalar(scalar) => format!("{object} = {};", self.value(scalar, 1)),
            Type::Record(record) => {
                let members = record.members.iter().map(|m| format!("{object}.{} = {};", m.0, self.value(m.1, 1)));
                members.collect::<Vec<_>>().join(" ")
            }
        }
    }

    fn array(&mut self) -> Stmt {
        let ty = self.a_type();
        let length = self.rng.pick(&[2, 3, 4, 5, 8, 8, 16, 16, 33]);
        let (name, i) = (self.name("a"), self.name("j"));
        let vars = self.vars.len();
        self.declare(&i, Type::Scalar(Scalar::U32), 0, false);
        let fill = self.fill(&format!("{name}[{i}]"), ty);
        self.vars.truncate(vars);
        self.declare(&name, ty, length, true);
        let type_name = ty.name();
        Stmt::Text(format!("{type_name} {name}[{length}];\nfor (u32 {i} = 0; {i} < {length}; ++{i}) {{ {fill} }}"))
    }

    fn record(&mut self) -> Stmt {
        let ty = Type::Record(&RECORDS[self.rng.below(RECORDS.len())]);
        let name = self.name("r");
        let fill = self.fill(&name, ty);
        self.declare(&name, ty, 0, true);
        Stmt::Text(format!("{} {name}; {fill}", ty.name()))
    }

    /// Copies or swaps what has one type.
    fn copy(&mut self) -> Stmt {
        let objects: Vec<Type> = self.vars.iter().filter(|v| v.is_mutable).map(|v| v.ty).collect();
        if objects.is_empty() {
            return self.scalar();
        }
        let ty = objects[self.rng.detail(objects.len())];
        let (Some(a), Some(b)) = (self.whole(ty), self.whole(ty)) else { return self.scalar() };
        if self.rng.chance(50) {
            return Stmt::Text(format!("{a} = {b};"));
        }
        let (t, i, j) = (self.name("t"), self.name("p"), self.name("q"));
        // the places are computed once: a swap must not change its own indices
        Stmt::Text(format!(
            "{{ {ty}& {i} = {a}; {ty}& {j} = {b}; {ty} {t} = {i}; {i} = {j}; {j} = {t}; }}",
            ty = ty.name()
        ))
    }

    /// A condition, and the flow behind it.
    fn parting(&mut self) -> (String, Flow) {
        if self.rng.chance(20) && self.is_kernel {
            return (self.uniform_condition(), self.flow.clone());
        }
        let depth = self.rng.range(0, 2);
        (self.condition(depth), Flow::Divergent)
    }

    pub fn within(&mut self, flow: &Flow, make: impl FnOnce(&mut Gen) -> Body) -> Body {
        let before = std::mem::replace(&mut self.flow, flow.clone());
        let body = make(self);
        self.flow = before;
        body
    }

    fn branch(&mut self) -> Stmt {
        let (condition, flow) = self.parting();
        let mark = self.rng.clone();
        let (fuel, has_returned) = (self.fuel, self.has_returned);
        let then = self.within(&flow, Gen::inner);
        let other = match self.rng.below(10) {
            0..3 => Body::new(),
            3 => self.within(&flow, Gen::inner),
            _ => {
                // the other side resembles this one: what is melded
                let twist = self.rng.pick(&[0, 10, 25, 60]);
                let replay = self.rng.resembling(mark, twist);
                let after = std::mem::replace(&mut self.rng, replay);
                let (spent, returned) = (self.fuel, std::mem::replace(&mut self.has_returned, has_returned));
                self.fuel = fuel;
                let other = self.within(&flow, Gen::inner);
                self.fuel = self.fuel.min(spent);
                self.has_returned |= returned;
                self.rng = after;
                other
            }
        };
        Stmt::If { condition, then, other }
    }

    /// A chain of else-ifs with short sides that assign one variable.
    fn ladder(&mut self) -> Stmt {
        let Some((target, ty)) = self.target() else { return self.scalar() };
        let (of, steps) = (self.unsigned_name(), self.rng.range(2, 6));
        let mut chain = vec![Stmt::Text(format!("{target} = {};", self.value(ty, 1)))];
        for step in (0..steps).rev() {
            let depth = self.rng.range(0, 2);
            let then = vec![Stmt::Text(format!("{target} = {};", self.value(ty, depth)))];
            let condition = match self.rng.below(3) {
                0 => format!("{of} == {step}u"),
                1 => format!("(({of} >> {step}) & 1)"),
                _ => format!("({of} & 63) < {}u", (step + 1) * 8),
            };
            chain = vec![Stmt::If { condition, then, other: chain }];
        }
        chain.remove(0)
    }

    /// A call that branches, and after other statements the same one again: what nvcc computes once.
    fn twice(&mut self) -> Stmt {
        let (ty, name) = self.rng.pick(&[(Scalar::F32, "f32"), (Scalar::F32, "f32"), (Scalar::F64, "f64")]);
        let [x, y, r] = ["x", "y", "r"].map(|stem| self.name(stem));
        let function = self.rng.pick(&["bent", "bent", "folded", "folded", "atan2", "pow", "exp", "sin"]);
        let call = match function {
            "exp" | "sin" => format!("{function}({x})"),
            _ => format!("{function}({x}, {y})"),
        };
        let [x_is, y_is, one, other] = [0; 4].map(|_| self.value(ty, 1));
        let [first, second] = [one, other].map(|value| match self.rng.below(5) {
            0 => call.clone(),
            1 => format!("{call} * {value}"),
            2 => format!("{call} + {value}"),
            3 => format!("{call} * {value} + {x}"),
            _ => format!("{call} * {call} - {value}"),
        });
        let open = format!("{{ const {name} {x} = {x_is}, {y} = {y_is}; {name} {r} = {first};");
        let between = if self.depth < DEPTH && self.rng.chance(50) { self.inner() } else { Body::new() };
        let joined = self.rng.pick(&["+", "-", "*"]);
        let absorbed = self.absorb(&format!("hs({r})"));
        Stmt::Parts { parts: vec![(open, between)], close: format!("{r} = {r} {joined} ({second});\n{absorbed} }}") }
    }

    /// A loop that divides in all iterations but the first, or the last, with products that several sums use: LLVM peels it if
    /// it has made selects of its branches.
    fn sweep(&mut self) -> Stmt {
        let (ty, name) = self.rng.pick(&[(Scalar::F32, "f32"), (Scalar::F64, "f64")]);
        let [x, y, r, j] = ["x", "y", "r", "j"].map(|stem| self.name(stem));
        let [x_is, y_is] = [0; 2].map(|_| self.value(ty, 1));
        let known = if self.is_kernel { "(U((u32)n) & 7)" } else { "9" };
        let count = self.rng.pick(&[known, known, "(tx % 5)", "6"]);
        let ends = match self.rng.below(3) {
            0 => format!("{j} > 0"),
            1 => format!("{j} + 1 < {count}"),
            _ => format!("{j} != 2"),
        };
        let absorbed = self.absorb(&format!("hs({r})"));
        let open = format!("{{ const {name} {x} = {x_is}, {y} = {y_is}; {name} {r} = {x};");
        let close = format!(
            "for (u32 {j} = 0; {j} < {count}; ++{j}) {{ const {name} s = {ends} ? {y} / ({name})({j} + 3u) : ({name})0, a = -{x} * s;\n\
             {r} = (({name})1 - a) * {r} - a * {r} + a; }}\n{absorbed} }}"
        );
        Stmt::Parts { parts: vec![(open, Body::new())], close }
    }

    fn unsigned_name(&mut self) -> String {
        let found: Vec<String> = (self.vars.iter())
            .filter(|v| v.length == 0 && v.ty == Type::Scalar(Scalar::U32))
            .map(|v| v.name.clone())
            .collect();
        if found.is_empty() { "tx".to_owned() } else { found[self.rng.detail(found.len())].clone() }
    }

    fn repeat(&mut self) -> Stmt {
        let nested = self.around.len() > 1;
        let lengths: Vec<usize> = self.vars.iter().filter(|v| v.length > 0).map(|v| v.length).collect();
        let (count, is_uniform) = match self.rng.below(8) {
            0 | 1 if !lengths.is_empty() && !nested => (lengths[self.rng.below(lengths.len())].to_string(), true),
            // what LLVM does not unroll completely
            2 if !nested => (self.rng.pick(&["12", "16", "24", "40"]).to_owned(), true),
            0..3 => (self.rng.range(1, 6).to_string(), true),
            3 if self.is_kernel => ("(U((u32)n) & 7)".to_owned(), true),
            4 => ("(tx % 5)".to_owned(), false),
            _ => (format!("({} & {})", self.unsigned(1), if nested { 3 } else { 7 }), false),
        };
        let form = self.rng.pick(&[Form::For, Form::For, Form::For, Form::Rotated, Form::Down, Form::Shift]);
        let count = if form == Form::Shift { format!("({} & 0xff)", self.unsigned(1)) } else { count };
        let stays = is_uniform && form != Form::Shift && self.flow != Flow::Divergent && self.rng.chance(40);
        let pragma = self.rng.pick(&["", "", "", "#pragma unroll 1", "#pragma unroll 4", "#pragma unroll"]);
        let counter = self.name("j");
        let flow = if stays { self.flow.clone() } else { Flow::Divergent };
        self.around.push(if stays { Around::Fixed } else { Around::Loop { label: None } });
        let vars = self.vars.len();
        self.declare(&counter, Type::Scalar(Scalar::U32), 0, false);
        let body = self.within(&flow, Gen::inner);
        self.vars.truncate(vars);
        let label = match self.around.pop() {
            Some(Around::Loop { label }) => label,
            _ => None,
        };
        Stmt::Loop(Loop { form, counter, count, pragma, body, label })
    }

    /// A loop over what is read, from one end or over the threads, whose iterations are the launch's: what is unrolled.
    fn sum(&mut self) -> Stmt {
        let (s, j) = (self.name("s"), self.name("j"));
        let (ty, read) = self.rng.pick(&[
            (Scalar::U32, "s ^= I[(j * 64 + gid) & 4095] + j"),
            (Scalar::U32, "s = mix(s, I[(j + gid) & 4095])"),
            (Scalar::F32, "s += F[(j + gid) & 4095] * F[j & 4095]"),
            (Scalar::F32, "s += sqrtf(F[(j * 32 + tx) & 4095] * F[(j * 32 + tx) & 4095])"),
            (Scalar::F64, "s += D[(j + gid) & 4095] - s * D[j & 63]"),
            // a uniform branch around a division, and a condition that all iterations share
            (Scalar::F32, "s = s + F[(j + gid) & 4095]; if ((u32)n % 61u > j) s = s / (float)(j + 2u)"),
            (Scalar::U32, "s = ((u32)m & 1) ? mix(s, I[(j + gid) & 4095]) : s + j"),
        ]);
        let (start, bound, step) = self.rng.pick(&[
            ("0", "((u32)n & 63)", "1"),
            ("1", "((u32)m & 31)", "3"),
            ("tx", "(300 + ((u32)n & 1023))", "nt"),
            ("gid", "(2000 + ((u32)m & 1023))", "nt * gridDim.x * gridDim.y"),
            ("tx", "(100 + ((u32)n & 511))", "64"),
        ]);
        let value = self.value(ty, 1);
        let whole = match ty {
            Scalar::U32 => s.clone(),
            _ => format!("hs({s})"),
        };
        let read = read.replace("s ", &format!("{s} ")).replace("(s", &format!("({s}")).replace('j', &j);
        let taken = self.absorb(&whole);
        Stmt::Text(format!(
            "{{ {} {s} = {value};\nfor (u32 {j} = {start}; {j} < {bound}; {j} += {step}) {{ {read}; }}\n{taken} }}",
            ty.name()
        ))
    }

    /// Whether a lane may leave the innermost loop.
    fn can_jump(&self) -> bool {
        let inner = self.around.iter().rev().find(|a| **a != Around::Switch);
        matches!(inner, Some(Around::Loop { .. })) && self.depth > 1
    }

    fn can_return(&self) -> bool {
        !self.around.contains(&Around::Fixed)
    }

    fn jump(&mut self) -> Stmt {
        let condition = self.condition(1);
        // how many loops out, as far as lanes may go by themselves
        let open: Vec<usize> = (0..self.around.len())
            .rev()
            .take_while(|&at| self.around[at] != Around::Fixed)
            .filter(|&at| self.around[at] != Around::Switch)
            .collect();
        let in_switch = self.around.last() == Some(&Around::Switch);
        let how = match self.rng.below(6) {
            0..3 if !in_switch => "break".to_owned(),
            0..4 => "continue".to_owned(),
            _ => {
                let fresh = self.name("out");
                let at = open[self.rng.below(open.len())];
                match &mut self.around[at] {
                    Around::Loop { label } => format!("goto {}", label.get_or_insert(fresh)),
                    _ => "continue".to_owned(),
                }
            }
        };
        Stmt::Text(format!("if ({condition}) {how};"))
    }

    fn leave(&mut self) -> Stmt {
        let (condition, flow) = self.parting();
        // a whole block that returns leaves nobody waiting
        self.has_returned |= flow != Flow::Block;
        let value = self.unsigned(1);
        let done = match self.is_kernel {
            true => format!("out[0] = {value}; return;"),
            false => format!("return {value};"),
        };
        Stmt::Text(format!("if ({condition}) {{ {done} }}"))
    }

    fn switch(&mut self) -> Stmt {
        let cases = self.rng.range(2, 6);
        let mut open = format!("switch ({} % {}u) {{\ncase 0: {{", self.unsigned(1), cases + self.rng.below(2));
        let mut parts = Vec::new();
        self.around.push(Around::Switch);
        let mark = self.rng.clone();
        for case in 1..=cases {
            // ways that resemble the first
            let replay = if self.rng.chance(50) { Some(self.rng.resembling(mark.clone(), 40)) } else { None };
            let after = replay.map(|replay| std::mem::replace(&mut self.rng, replay));
            let body = self.within(&Flow::Divergent, |this| this.body(2));
            if let Some(after) = after {
                self.rng = after;
            }
            let end = if self.rng.chance(85) { "} break;" } else { "}" };
            let next = if case + 1 < cases { format!("case {case}") } else { "default".to_owned() };
            parts.push((std::mem::replace(&mut open, format!("{end}\n{next}: {{")), body));
        }
        self.around.pop();
        Stmt::Parts { parts, close: "}\n}".to_owned() }
    }

    /// Adds `value` to something unsigned.
    pub fn absorb(&mut self, value: &str) -> String {
        let Some((target, ty)) = self.target() else { return format!("atomicXor(&A[tx & 63], {value});") };
        match ty {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => format!("{target} ^= {value};"),
            _ if ty.is_float() => format!("{target} += ({})((int)({value} & 1023u));", ty.name()),
            Scalar::I8 => format!("{target} = (i8)({value} & 127u);"),
            _ => format!("{target} = ({})({value} & 0x7fffu);", ty.name()),
        }
    }

    fn call(&mut self) -> Stmt {
        if self.helpers.is_empty() {
            return self.assign();
        }
        let helper = self.helpers[self.rng.detail(self.helpers.len())].clone();
        let plain: Vec<String> =
            self.helpers.iter().filter(|h| h.kind == Kind::Plain).map(|h| h.name.clone()).collect();
        match helper.kind {
            Kind::Plain => {
                let mut call = helper.name;
                if plain.len() > 1 && self.rng.chance(30) {
                    call = format!("({} ? {} : {})", self.condition(0), plain[0], plain[1]);
                }
                let call = format!("{call}(I, F, {}, {}, {})", self.unsigned(1), self.signed(1, 20), self.float(1));
                Stmt::Text(self.absorb(&call))
            }
            Kind::Recursive => {
                let depth = self.unsigned(0);
                let call = format!("{}(I, F, {}, {depth} & 3)", helper.name, self.unsigned(1));
                Stmt::Text(self.absorb(&call))
            }
            Kind::Array => {
                let arrays: Vec<String> = (self.vars.iter())
                    .filter(|v| v.length >= 8 && v.ty == Type::Scalar(Scalar::U32) && v.is_mutable)
                    .map(|v| v.name.clone())
                    .collect();
                if arrays.is_empty() {
                    return self.assign();
                }
                let array = &arrays[self.rng.detail(arrays.len())];
                let call = format!("{}(I, F, {array}, {})", helper.name, self.unsigned(1));
                Stmt::Text(self.absorb(&call))
            }
            Kind::Large(ty) => {
                // each call would be a copy
                self.helpers.retain(|other| other.name != helper.name);
                let (w, at) = (self.name("w"), self.rng.below(LARGE));
                // a product with a known 1 is none
                let values: Vec<String> = (0..LARGE).map(|_| format!("opaque({})", self.value(ty, 1))).collect();
                let result = if ty.is_float() { format!("hs({w}[{at}])") } else { format!("{w}[{at}]") };
                let (argument, taken) = (self.unsigned(1), self.absorb(&result));
                let call = format!("{}(I, F, {w}, {argument});", helper.name);
                Stmt::Text(format!("{{ {} {w}[{LARGE}] = {{{}}};\n{call}\n{taken} }}", ty.name(), values.join(", ")))
            }
            Kind::Record(ty) => {
                let (Some(to), Some(from)) = (self.whole(ty), self.whole(ty)) else { return self.assign() };
                Stmt::Text(format!("{to} = {}(I, F, {from}, {});", helper.name, self.unsigned(1)))
            }
        }
    }

    fn volatile(&mut self) -> Stmt {
        let (name, a, b) = (self.name("z"), self.unsigned(1), self.unsigned(1));
        let read = self.absorb(&format!("({name} + {name})"));
        Stmt::Text(format!("{{ volatile u32 {name} = {a}; if ({b} & 1) {name} = {b}; {read} }}"))
    }
}
