//! Which inline PTX is generated? Short programs over declared registers: integer arithmetic, carries, predicates and
//! guards, special registers, widths that change, votes, shuffles and loads.
//!
//! A register is only read after it has been written without a guard, so every result is defined.

use super::build::Gen;
use super::knobs::Feature;
use super::value::{I1, I32, I64, Scope, Ty, Val};
use std::fmt::Write;

/// The registers of 32 bits that a program declares, besides its operands.
const TEMPS: [&str; 3] = ["t0", "t1", "t2"];

/// A program that is being written.
struct Text {
    body: String,
    /// Registers of 32 bits that hold something.
    full: Vec<String>,
    /// Whether the predicate, and the register of 64 bits, hold something.
    predicate: bool,
    wide: bool,
    /// Who agrees on everything so far.
    scope: Scope,
}

impl Text {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = write!(self.body, " {text};");
    }
    fn filled(&mut self, register: &str) {
        if !self.full.iter().any(|full| full == register) {
            self.full.push(register.to_owned());
        }
    }
}

impl Gen<'_> {
    /// Inline PTX that computes.
    pub(super) fn assembly(&mut self) {
        match self.rng.below(5) {
            0 => self.assembly_register(),
            1 => self.guarded_assembly(),
            2 => {
                let (a, b) = (self.pick(I32), self.pick_scoped(I32, Scope::Block));
                let op = self.rng.pick(&["add.u32", "sub.s32", "mul.lo.u32", "xor.b32", "and.b32", "min.u32"]);
                let scope = a.scope.min(b.scope);
                self.word(scope, format_args!("call i32 asm \"{op} $0, $1, $2;\", \"=r,r,r\"(i32 {a}, i32 {b})"));
            }
            _ => self.assembly_program(),
        }
    }

    fn assembly_register(&mut self) {
        let (name, scope) = self.special();
        self.word(scope, format_args!("call i32 asm \"mov.u32 $0, %{name};\", \"=r\"()"));
    }

    fn special(&mut self) -> (&'static str, Scope) {
        let names = ["tid.x", "tid.y", "laneid", "lanemask_lt", "ntid.x", "ctaid.x", "nctaid.x"];
        let name = self.rng.pick(&names);
        (name, if name.starts_with(['t', 'l']) { Scope::Lane } else { Scope::Block })
    }

    fn assembly_program(&mut self) {
        let two = self.rng.chance(30);
        let tied = self.rng.chance(25);
        let inputs = [self.pick(I32), self.pick_scoped(I32, Scope::Block), self.pick(I32)];
        let first = if two { 2 } else { 1 };
        let scope = inputs.iter().map(|val| val.scope).min().unwrap_or(Scope::Lane);
        // a tied input is read under the number of its output
        let full = (first..first + if tied { 2 } else { 3 }).map(|number| format!("${number}")).collect();
        let mut text = Text { body: String::new(), full, predicate: false, wide: false, scope };
        if tied {
            text.filled("$0");
        }
        for _ in 0..self.rng.range(2, 7) {
            self.assembly_statement(&mut text, two);
        }
        for output in ["$0", "$1"].iter().take(first) {
            if !text.full.iter().any(|full| full == output) || *output == "$1" {
                let source = self.rng.pick(&TEMPS);
                let source = if text.full.iter().any(|full| full == source) { source } else { "7" };
                text.line(format_args!("mov.b32 {output}, {source}"));
            }
        }
        let declarations = ".reg .pred p; .reg .b32 t<3>; .reg .b64 w;";
        let outputs = if two { "=&r,=&r" } else { "=&r" };
        let third = if tied { "0" } else { "r" };
        let side = self.rng.pick(&["", "sideeffect "]);
        let [a, b, c] = inputs;
        let call = format!(
            "asm {side}\"{{ {declarations}{} }}\", \"{outputs},r,r,{third}\"(i32 {a}, i32 {b}, i32 {c})",
            text.body
        );
        self.results(two, text.scope, &call);
    }

    fn results(&mut self, two: bool, scope: Scope, call: &str) {
        if !two {
            self.word(scope, format_args!("call i32 {call}"));
            return;
        }
        let pair = self.temp(I32, 0, scope, format_args!("call {{ i32, i32 }} {call}"));
        for member in 0..2 {
            self.word(scope, format_args!("extractvalue {{ i32, i32 }} {pair}, {member}"));
        }
    }

    /// One instruction; its target is a temporary or the first result.
    fn assembly_statement(&mut self, text: &mut Text, two: bool) {
        let target = self.rng.pick(&["t0", "t1", "t2", "$0"]);
        let (a, b) = (self.source(text), self.source(text));
        let small = self.rng.range(0, 33);
        let guard = if text.predicate && text.full.iter().any(|full| full == target) {
            self.rng.pick(&["", "", "@p ", "@!p "])
        } else {
            ""
        };
        match self.rng.below(13) {
            0 | 1 => {
                let op = self.rng.pick(&["add.u32", "sub.u32", "mul.lo.s32", "or.b32", "max.s32", "add.s32"]);
                text.line(format_args!("{guard}{op} {target}, {a}, {b}"));
            }
            2 => text.line(format_args!("{guard}mad.lo.u32 {target}, {a}, {small}, {b}")),
            3 => {
                let op = self.rng.pick(&["shl.b32", "shr.u32", "shr.s32"]);
                text.line(format_args!("{guard}{op} {target}, {a}, {small}"));
            }
            4 => {
                let op = self.rng.pick(&["not.b32", "neg.s32", "mov.b32", "brev.b32", "popc.b32"]);
                text.line(format_args!("{guard}{op} {target}, {a}"));
            }
            5 => text.line(format_args!("{guard}bfe.u32 {target}, {a}, {small}, 7")),
            6 | 7 => {
                let compare = self.rng.pick(&["lt.u32", "ge.s32", "ne.u32", "eq.s32"]);
                text.line(format_args!("setp.{compare} p, {a}, {b}"));
                text.predicate = true;
                return;
            }
            8 if text.predicate => text.line(format_args!("selp.b32 {target}, {a}, {b}, p")),
            9 => {
                let (name, scope) = self.special();
                text.scope = text.scope.min(scope);
                text.line(format_args!("{guard}mov.u32 {target}, %{name}"));
            }
            10 => {
                let kind = self.rng.pick(&["u64.u32", "s64.s32"]);
                text.line(format_args!("cvt.{kind} w, {a}"));
                text.wide = true;
                return;
            }
            11 if text.wide => {
                if self.rng.chance(50) {
                    text.line(format_args!("add.u64 w, w, {small}"));
                    text.line(format_args!("shl.b64 w, w, 2"));
                }
                text.line(format_args!("cvt.u32.u64 {target}, w"));
            }
            _ => {
                text.line(format_args!("add.cc.u32 {target}, {a}, {b}"));
                if two {
                    text.line(format_args!("addc.u32 $1, {target}, 0"));
                    text.filled("$1");
                }
            }
        }
        text.filled(target);
    }

    fn source(&mut self, text: &Text) -> String {
        if self.rng.chance(20) {
            return self.rng.pick(&["0", "1", "4", "-1", "0x20"]).to_owned();
        }
        text.full[self.rng.below(text.full.len())].clone()
    }

    /// A vote, a ballot or a shuffle as inline PTX, whose result `scope` agrees on.
    pub(super) fn collective_assembly(&mut self, feature: Feature, mask: &str, scope: Scope) {
        let c = self.condition(Scope::Lane);
        let c = self.temp(I32, 1, c.scope, format_args!("zext i1 {c} to i32"));
        let head = "{ .reg .pred p, q; setp.ne.u32 p, $1, 0;";
        let body = match feature {
            Feature::Vote => {
                let which = self.rng.pick(&["any", "all", "uni"]);
                format!("{head} vote.sync.{which}.pred q, p, $2; selp.u32 $0, 1, 0, q; }}")
            }
            _ => format!("{head} vote.sync.ballot.b32 $0, p, $2; }}"),
        };
        self.word(
            scope,
            format_args!("call i32 asm sideeffect \"{body}\", \"=&r,r,r\"(i32 {c}, i32 {mask}) convergent"),
        );
    }

    /// A shuffle from a source lane as inline PTX.
    pub(super) fn shuffle_assembly(&mut self, a: Val, from: Val, clamp: u64, scope: Scope) {
        let clamp_operand = self.rng.chance(50);
        let (text, constraints) = if clamp_operand {
            ("shfl.sync.idx.b32 $0, $1, $2, $3, -1;".to_owned(), "=r,r,r,r")
        } else {
            (format!("shfl.sync.idx.b32 $0, $1, $2, {clamp}, -1;"), "=r,r,r")
        };
        let last = if clamp_operand { format!(", i32 {clamp}") } else { String::new() };
        let operands = format!("i32 {a}, i32 {from}{last}");
        let call = format!("call i32 asm sideeffect \"{text}\", \"{constraints}\"({operands}) convergent");
        self.op(I32, a.hi, scope, format_args!("{call}"));
    }

    /// A load from global memory that nobody writes as inline PTX, if its type has such an instruction.
    pub(super) fn load_assembly(&mut self, elem: Ty, address: Val, scope: Scope) -> bool {
        let (width, letter) = match elem {
            I32 => (32, "r"),
            I64 => (64, "l"),
            _ => return false,
        };
        let (side, how) = self.rng.pick(&[("", ".nc"), ("sideeffect ", ".nc"), ("sideeffect ", "")]);
        let text = format!("ld.global{how}.u{width} $0, [$1];");
        let call = format!("call {elem} asm {side}\"{text}\", \"={letter},l\"({})", address.typed());
        self.op(elem, elem.max(), scope, format_args!("{call}"));
        true
    }

    /// A number on which lanes agree, replaced by another where a guard holds on which they need not.
    fn guarded_assembly(&mut self) {
        let [old, new] = [(); 2].map(|()| self.pick_scoped(I32, Scope::Block));
        let by = self.pick(I32);
        let sense = self.rng.pick(&["@p", "@!p"]);
        let body = format!("{{ .reg .pred p; setp.gt.s32 p, $3, 2; add.u32 $0, $1, 1; {sense} sub.u32 $0, $2, 7; }}");
        self.word(
            by.scope.min(Scope::Block),
            format_args!("call i32 asm \"{body}\", \"=&r,r,r,r\"(i32 {old}, i32 {new}, i32 {by})"),
        );
    }

    /// A predicate as an operand of inline PTX.
    pub(super) fn predicate_assembly(&mut self) {
        let (c, a, b) = (self.condition(Scope::Lane), self.pick(I32), self.pick(I32));
        let scope = c.scope.min(a.scope).min(b.scope);
        if c.ty == I1 {
            self.word(
                scope,
                format_args!("call i32 asm \"selp.b32 $0, $1, $2, $3;\", \"=r,r,r,b\"(i32 {a}, i32 {b}, i1 {c})"),
            );
        }
    }
}
