//! What kind of instruction is each mnemonic of PTX? One table, from which the analysis reads how results relate across
//! lanes. The lockstep machine executes inline PTX without it, so that it can disagree.
//!
//! The first row applies whose mnemonic is the instruction's and whose words are among its modifiers. An instruction
//! without a row may do anything.

use AsmKind::*;

/// What an instruction does with the registers that it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsmKind {
    /// A function of its operands.
    Pure,
    /// A function of its operands that modular arithmetic describes.
    Arithmetic(Arithmetic),
    /// A function of its operands and of the block's position in its cluster.
    PureInBlock,
    /// A vote: every participating lane gets the same answer if lanes agree on the member mask, the last operand.
    Vote,
    /// A shuffle from one source lane: value, source lane, clamp, member mask.
    ShuffleIndex,
    /// A reduction at a barrier: barrier, number of threads unless all take part, predicate.
    BarrierReduction,
    /// A load from memory that nobody writes while the kernel runs.
    ReadOnlyLoad,
    /// A load that other threads may only race with.
    WeakLoad,
    /// Writes no register.
    NoResult,
    /// The result differs between lanes, or may.
    Divergent,
}

/// Arithmetic on integers, modulo the width of the type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    Move,
    Add,
    Sub,
    Negate,
    Not,
    ShiftLeft,
    /// The low half of a product.
    Multiply,
    /// The low half of a product, plus a third operand.
    MultiplyAdd,
    Convert,
    /// The first or the second operand, as the third says.
    Choose,
}

/// Modifiers that make an operation other than modular: saturation, high halves, wide products, rounding.
const NOT_MODULAR: [&str; 12] = ["sat", "hi", "wide", "cc", "relu", "rn", "rz", "rm", "rp", "rni", "rzi", "satfinite"];

/// Memory accesses with an order, which may see what another thread writes meanwhile.
const ORDERED: [&str; 5] = ["volatile", "relaxed", "acquire", "mmio", "local"];

const TABLE: &[(&[&str], &[&str], AsmKind)] = &[
    (&["mov"], &[], Arithmetic(Arithmetic::Move)),
    (&["add"], &[], Arithmetic(Arithmetic::Add)),
    (&["sub"], &[], Arithmetic(Arithmetic::Sub)),
    (&["neg"], &[], Arithmetic(Arithmetic::Negate)),
    (&["not"], &[], Arithmetic(Arithmetic::Not)),
    (&["shl"], &[], Arithmetic(Arithmetic::ShiftLeft)),
    (&["mul"], &[], Arithmetic(Arithmetic::Multiply)),
    (&["mad"], &[], Arithmetic(Arithmetic::MultiplyAdd)),
    (&["cvt"], &[], Arithmetic(Arithmetic::Convert)),
    (&["selp"], &[], Arithmetic(Arithmetic::Choose)),
    // exchanges between lanes
    (&["vote", "redux"], &["sync"], Vote),
    (&["match"], &["all", "sync"], Vote),
    (&["shfl"], &["sync", "idx"], ShuffleIndex),
    (&["bar", "barrier"], &["red"], BarrierReduction),
    // memory
    (&["ld"], &["global", "nc"], ReadOnlyLoad),
    (&["ld"], &["const"], ReadOnlyLoad),
    (&["ldu"], &["global"], ReadOnlyLoad),
    (&["ld"], &["global"], WeakLoad),
    (&["ld"], &["shared"], WeakLoad),
    (&["ld"], &["shared::cta"], WeakLoad),
    (&["cp"], &["async"], NoResult),
    (&["mbarrier"], &["arrive"], Divergent),
    (&["mbarrier"], &["arrive_drop"], Divergent),
    (&["mbarrier"], &["init"], NoResult),
    (&["mbarrier"], &["inval"], NoResult),
    (&["mbarrier"], &["expect_tx"], NoResult),
    (&["mbarrier"], &["complete_tx"], NoResult),
    (&["mbarrier"], &["pending_count"], Pure),
    // addresses
    (&["cvta"], &["shared"], PureInBlock),
    (&["cvta"], &["shared::cta"], PureInBlock),
    (&["cvta"], &["shared::cluster"], PureInBlock),
    (&["mapa", "getctarank", "isspacep"], &[], PureInBlock),
    // whatever else they say
    // the lanes of one instance may execute activemask separately
    (&["vote", "match", "shfl", "activemask", "elect", "ld", "ldu", "atom", "mbarrier"], &[], Divergent),
    (
        &[
            "st", "red", "bar", "barrier", "membar", "fence", "prefetch", "prefetchu", "discard", "applypriority",
            "nanosleep", "brkpt", "griddepcontrol",
        ],
        &[],
        NoResult,
    ),
    // functions of their operands; addc, subc and madc also read the carry, which is a register here
    (
        &[
            "cvta", "createpolicy", "abs", "addc", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot",
            "copysign", "cos", "div", "dp2a", "dp4a", "ex2", "fma", "fns", "lg2", "lop3", "mad24", "madc", "max",
            "min", "mul24", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "sad", "set", "setp", "shf", "shr", "sin",
            "slct", "sqrt", "subc", "szext", "tanh", "testp", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2",
            "vadd4", "vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vset", "vset2",
            "vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4", "xor",
        ],
        &[],
        Pure,
    ),
];

/// The kind of an instruction; `None` if warpwise does not know it.
pub fn kind_of(mnemonic: &str, modifiers: &[&str]) -> Option<AsmKind> {
    let has = |word: &&str| modifiers.contains(word);
    let row = TABLE.iter().find(|(names, words, _)| names.contains(&mnemonic) && words.iter().all(&has))?;
    Some(match row.2 {
        Arithmetic(_) if NOT_MODULAR.iter().any(&has) => Pure,
        WeakLoad | ReadOnlyLoad if ORDERED.iter().any(has) => Divergent,
        kind => kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_choose_the_row() {
        assert_eq!(kind_of("shfl", &["sync", "idx", "b32"]), Some(ShuffleIndex));
        assert_eq!(kind_of("shfl", &["sync", "down", "b32"]), Some(Divergent));
        assert_eq!(kind_of("vote", &["ballot", "b32"]), Some(Divergent));
        assert_eq!(kind_of("add", &["u32"]), Some(Arithmetic(Arithmetic::Add)));
        assert_eq!(kind_of("add", &["sat", "s32"]), Some(Pure));
        assert_eq!(kind_of("mul", &["wide", "u32"]), Some(Pure));
        assert_eq!(kind_of("ld", &["volatile", "global", "u32"]), Some(Divergent));
        assert_eq!(kind_of("ld", &["global", "nc", "u32"]), Some(ReadOnlyLoad));
        assert_eq!(kind_of("ld", &["u32"]), Some(Divergent));
        assert_eq!(kind_of("frobnicate", &["u32"]), None);
    }
}
