//! Does inline assembly compute the same result for all lanes that agree on its inputs, and does it leave the stack
//! pointer alone?
//!
//! The first holds only if every instruction is on a short list of arithmetic and conversion instructions that read
//! nothing but their operands. Anything else (special registers such as `%laneid`, memory, votes, an unknown word)
//! counts as unknown. The second holds if the text does not mention the stack.

/// Instructions of PTX, without their suffixes, whose result depends on nothing but their operands.
const PURE: &[&str] = &[
    "abs",
    "add",
    "and",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cvt",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "fns",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "max",
    "min",
    "mul",
    "mul24",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "szext",
    "tanh",
    "testp",
    "vabsdiff4",
    "xor",
];

/// Whether the assembly is a sequence of pure instructions over its operands and local registers.
pub fn is_pure(text: &str, constraints: &str) -> bool {
    if constraints.contains('*') || constraints.contains("~{memory}") || text.contains("%") {
        return false;
    }
    let mut seen = false;
    for statement in text.split([';', '\n', '{', '}']) {
        let statement = statement.trim();
        if statement.is_empty() || statement.starts_with("//") || statement.starts_with(".reg") {
            continue;
        }
        // a guarded instruction (`@p add…`) reads only what the assembly itself computed, so the guard does not matter
        let body = match statement.strip_prefix('@') {
            Some(guarded) => guarded.split_whitespace().nth(1).unwrap_or(""),
            None => statement.split_whitespace().next().unwrap_or(""),
        };
        let word = body.split('.').next().unwrap_or("");
        let is_move = word == "mov";
        if !is_move && !PURE.contains(&word) {
            return false;
        }
        seen = true;
    }
    seen
}

/// Whether the assembly may move the stack pointer.
pub fn moves_stack(text: &str) -> bool {
    text.contains("alloca") || text.contains("stackrestore")
}

#[cfg(test)]
mod tests {
    use super::is_pure;

    #[test]
    fn knows_arithmetic_from_everything_else() {
        assert!(is_pure("lop3.b32 $0, $1, $2, $3, 0x96;", "=r,r,r,r"));
        assert!(is_pure("{ .reg .u32 t; mul.lo.u32 t, $1, $2; add.u32 $0, t, 1; }", "=r,r,r"));
        assert!(!is_pure("mov.u32 $0, %laneid;", "=r"));
        assert!(!is_pure("ld.global.u32 $0, [$1];", "=r,l"));
        assert!(!is_pure("vote.sync.any.pred $0, $1, -1;", "=b,b"));
        assert!(!is_pure("", ""));
        assert!(!is_pure("add.u32 $0, $1, $2;", "=r,r,r,~{memory}"));
    }
}
