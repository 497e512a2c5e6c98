//! Which statements do threads execute together? Barriers and collectives, where all whom they wait for come: the masks
//! are made by votes of exactly these lanes. Shared memory is read between barriers, and atomics commute.

use crate::ast::Stmt;
use crate::scope::{Around, Flow, Gen};
use crate::types::{Scalar, Type};

impl Gen {
    /// Every thread reads what another wrote, between barriers.
    pub fn exchange(&mut self) -> Stmt {
        let Some((ty, length)) = self.shared else { return self.assign() };
        let by = self.rng.pick(&["1u", "32u", "33u", "(nt >> 1)", "U(bix())"]);
        let value = self.value(ty, 1);
        // nobody may write to what is read before all have read it
        let t = self.name("t");
        let read = self.absorb(&t);
        let other = format!("{{ const u32 {t} = hs(S[((tx + {by}) % nt) * {length}]);");
        Stmt::Text(format!(
            "__syncthreads();\nsh[0] = {value};\n__syncthreads();\n{other}\n__syncthreads();\n{read} }}"
        ))
    }

    pub fn collective(&mut self) -> Stmt {
        let Some(mask) = self.mask() else { return self.assign() };
        let (value, t) = (self.unsigned(1), self.name("t"));
        let step = self.rng.pick(&[1, 2, 4, 8, 16]);
        // a lane that is not in the mask has nothing to give
        let from = |source: String, call: &str| {
            format!("{{ const u32 {t} = __shfl{call}_sync({mask}, {value}, {step}); {}", source)
        };
        let guarded = |read: &str, source: String| format!("if (({mask} >> ({source} & 31)) & 1) {{ {read} }} }}");
        let lane = "(tx & 31)";
        let text = match self.rng.below(9) {
            0 => {
                let read = self.absorb(&t);
                from(guarded(&read, format!("({lane} ^ {step})")), "_xor")
            }
            1 => {
                let read = self.absorb(&t);
                from(guarded(&read, format!("min({lane} + {step}, 31u)")), "_down")
            }
            2 => {
                let read = self.absorb(&t);
                from(guarded(&read, format!("({lane} < {step} ? {lane} : {lane} - {step})")), "_up")
            }
            3 | 4 => {
                let source = self.rng.pick(&["__ffs(@) - 1", "31 - __clz(@)"]).replace('@', &mask);
                self.absorb(&format!("__shfl_sync({mask}, {value}, {source})"))
            }
            5 => {
                let condition = self.condition(1);
                self.absorb(&format!("__ballot_sync({mask}, {condition})"))
            }
            6 => {
                let (condition, which) = (self.condition(1), self.rng.pick(&["any", "all"]));
                self.absorb(&format!("(u32)(__{which}_sync({mask}, {condition}) != 0)"))
            }
            7 => {
                let which = self.rng.pick(&["add", "max", "or", "xor"]);
                self.absorb(&format!("__reduce_{which}_sync({mask}, {value})"))
            }
            _ => format!("__syncwarp({mask});"),
        };
        Stmt::Text(text)
    }

    /// The lanes part by a vote, and each side knows its lanes.
    pub fn vote(&mut self) -> Stmt {
        let Some(mask) = self.mask() else { return self.assign() };
        let (w, condition) = (self.name("w"), self.condition(1));
        let (yes, no) = (w.clone(), format!("({mask} & ~{w})"));
        let then = self.within(&Flow::Lanes(yes), Gen::inner);
        let open = format!("{{\nconst u32 {w} = __ballot_sync({mask}, {condition});\nif (({w} >> (tx & 31)) & 1) {{");
        let mut parts = vec![(open, then)];
        if self.rng.chance(60) {
            parts.push(("} else {".to_owned(), self.within(&Flow::Lanes(no), Gen::inner)));
        }
        Stmt::Parts { parts, close: "}\n}".to_owned() }
    }

    /// A loop in which lanes vote who goes on, or that goes on while one of them wants to.
    pub fn vote_loop(&mut self) -> Stmt {
        let Some(mask) = self.mask() else { return self.assign() };
        let (live, t, condition) = (self.name("w"), self.name("j"), self.condition(1));
        let count = self.rng.range(2, 6);
        let vars = self.vars.len();
        self.declare(&t, Type::Scalar(Scalar::U32), 0, false);
        self.around.push(Around::Fixed);
        let (open, flow, close) = if self.rng.chance(50) {
            let open = format!(
                "{{\nu32 {live} = {mask};\nfor (u32 {t} = 0; {t} < {count}; ++{t}) {{\n  {live} = __ballot_sync({live}, {condition});\n  if (!(({live} >> (tx & 31)) & 1)) break;"
            );
            (open, Flow::Lanes(live), "}\n}")
        } else {
            let open = format!("for (u32 {t} = 0; {t} < {count} && __any_sync({mask}, {condition}); ++{t}) {{");
            (open, Flow::Lanes(mask), "}")
        };
        let body = self.within(&flow, Gen::inner);
        self.around.pop();
        self.vars.truncate(vars);
        Stmt::Parts { parts: vec![(open, body)], close: close.to_owned() }
    }

    /// An atomic whose result nobody reads; each operation has words of its own, where order does not matter.
    pub fn atomic(&mut self) -> Stmt {
        if !self.is_kernel {
            return self.assign();
        }
        const OPERATIONS: [&str; 6] = ["atomicAdd", "atomicXor", "atomicMax", "atomicMin", "atomicOr", "atomicAnd"];
        let which = self.rng.below(OPERATIONS.len());
        let (place, value) = (self.unsigned(1), self.unsigned(1));
        Stmt::Text(format!("{}(&A[{} + ({place} & 63)], {value});", OPERATIONS[which], which * 64))
    }

    /// A tile of cooperative groups.
    pub fn tile(&mut self) -> Stmt {
        let (g, size) = (self.name("g"), self.rng.pick(&[4, 8, 16, 32]));
        let value = self.unsigned(1);
        let use_of = match self.rng.below(4) {
            0 => format!("{g}.shfl({value}, {})", self.rng.below(size)),
            1 => format!("{g}.shfl_xor({value}, 1)"),
            2 => format!("(u32){g}.any({})", self.condition(1)),
            _ => format!("{g}.ballot({}) + {g}.thread_rank()", self.condition(1)),
        };
        let read = self.absorb(&format!("({use_of})"));
        Stmt::Text(format!("{{ auto {g} = cg::tiled_partition<{size}>(cg::this_thread_block()); {read} }}"))
    }
}
