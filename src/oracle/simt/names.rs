//! Which operations do the names of LLVM's, NVVM's and PTX's instructions denote?
//!
//! One table for each language, of operations that depend only on their operands; the decoders handle the rest. PTX
//! expresses signedness in types, so its table has a signed and an unsigned operation. A row names all that are alike.

use super::code::*;
use warpwise_ir::llvm::image::{BinOp, IntCmp, RmwOp};

/// How an intrinsic with one operation per element is decoded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// Computes nothing.
    Nothing,
    /// The result is the first operand.
    Copy,
    /// The result is zero.
    Zero,
    Int1(Int1),
    Int2(Int2),
    Int3(Int3),
    Float1(Float1),
    Float2(Float2),
    Fma,
    /// The wrapped result and the signed or unsigned overflow bit.
    Overflow(BinOp, bool),
    /// Folds a vector of integers.
    Reduce(Int2),
    /// Folds a vector of floats, from a start value if true.
    ReduceFloat(Float2, bool),
    Range(RangeOp),
    Special(Special),
    Fence,
}

use Rule as R;

/// LLVM's intrinsics without `llvm.`.
const LLVM: &[(&str, Rule)] = &[
    ("dbg.declare dbg.value dbg.label dbg.assign debugtrap donothing sideeffect var.annotation", R::Nothing),
    ("experimental.noalias.scope.decl invariant.end prefetch assume.align pseudoprobe", R::Nothing),
    ("codeview.annotation fake.use", R::Nothing),
    ("invariant.start is.constant", R::Zero),
    ("expect expect.with.probability launder.invariant.group strip.invariant.group ssa.copy annotation", R::Copy),
    ("ptr.annotation threadlocal.address arithmetic.fence preserve.array.access.index", R::Copy),
    ("preserve.struct.access.index", R::Copy),
    ("stacksave", R::Special(Special::StackPointer)),
    ("readcyclecounter readsteadycounter", R::Special(Special::Clock64)),
    ("memcpy memcpy.inline", R::Range(RangeOp::Copy)),
    ("memmove", R::Range(RangeOp::Move)),
    ("memset memset.inline", R::Range(RangeOp::Set)),
    ("fma fmuladd", R::Fma),
    ("ptrmask", R::Int2(Int2::Bin(BinOp::And))),
    ("ctpop", R::Int1(Int1::Popcount)),
    ("bswap", R::Int1(Int1::ByteSwap)),
    ("bitreverse", R::Int1(Int1::BitReverse)),
    ("abs", R::Int1(Int1::Abs)),
    ("ctlz", R::Int1(Int1::LeadingZeros)),
    ("cttz", R::Int1(Int1::TrailingZeros)),
    ("fshl", R::Int3(Int3::FunnelLeft)),
    ("fshr", R::Int3(Int3::FunnelRight)),
    ("smin", R::Int2(Int2::SMin)),
    ("smax", R::Int2(Int2::SMax)),
    ("umin", R::Int2(Int2::UMin)),
    ("umax", R::Int2(Int2::UMax)),
    ("sadd.sat", R::Int2(Int2::SAddSat)),
    ("uadd.sat", R::Int2(Int2::UAddSat)),
    ("ssub.sat", R::Int2(Int2::SSubSat)),
    ("usub.sat", R::Int2(Int2::USubSat)),
    ("sshl.sat", R::Int2(Int2::SShlSat)),
    ("ushl.sat", R::Int2(Int2::UShlSat)),
    ("sadd.with.overflow", R::Overflow(BinOp::Add, true)),
    ("uadd.with.overflow", R::Overflow(BinOp::Add, false)),
    ("ssub.with.overflow", R::Overflow(BinOp::Sub, true)),
    ("usub.with.overflow", R::Overflow(BinOp::Sub, false)),
    ("smul.with.overflow", R::Overflow(BinOp::Mul, true)),
    ("umul.with.overflow", R::Overflow(BinOp::Mul, false)),
    ("vector.reduce.add", R::Reduce(Int2::Bin(BinOp::Add))),
    ("vector.reduce.mul", R::Reduce(Int2::Bin(BinOp::Mul))),
    ("vector.reduce.and", R::Reduce(Int2::Bin(BinOp::And))),
    ("vector.reduce.or", R::Reduce(Int2::Bin(BinOp::Or))),
    ("vector.reduce.xor", R::Reduce(Int2::Bin(BinOp::Xor))),
    ("vector.reduce.smin", R::Reduce(Int2::SMin)),
    ("vector.reduce.smax", R::Reduce(Int2::SMax)),
    ("vector.reduce.umin", R::Reduce(Int2::UMin)),
    ("vector.reduce.umax", R::Reduce(Int2::UMax)),
    ("vector.reduce.fadd", R::ReduceFloat(Float2::Add, true)),
    ("vector.reduce.fmul", R::ReduceFloat(Float2::Mul, true)),
    ("vector.reduce.fmin", R::ReduceFloat(Float2::MinNum, false)),
    ("vector.reduce.fmax", R::ReduceFloat(Float2::MaxNum, false)),
    ("vector.reduce.fminimum", R::ReduceFloat(Float2::Minimum, false)),
    ("vector.reduce.fmaximum", R::ReduceFloat(Float2::Maximum, false)),
    ("copysign", R::Float2(Float2::CopySign)),
    ("minnum minimumnum", R::Float2(Float2::MinNum)),
    ("maxnum maximumnum", R::Float2(Float2::MaxNum)),
    ("minimum", R::Float2(Float2::Minimum)),
    ("maximum", R::Float2(Float2::Maximum)),
    ("pow", R::Float2(Float2::Of(libm::pow))),
    ("atan2", R::Float2(Float2::Of(libm::atan2))),
    ("powi", R::Float2(Float2::Powi)),
    ("ldexp", R::Float2(Float2::Ldexp)),
    ("sqrt", R::Float1(Float1::Sqrt)),
    ("fabs", R::Float1(Float1::Abs)),
    ("floor", R::Float1(Float1::Of(f64::floor))),
    ("ceil", R::Float1(Float1::Of(f64::ceil))),
    ("trunc", R::Float1(Float1::Of(f64::trunc))),
    ("rint nearbyint roundeven", R::Float1(Float1::Of(f64::round_ties_even))),
    ("round", R::Float1(Float1::Of(f64::round))),
    ("canonicalize", R::Float1(Float1::Of(|x| x))),
    ("sin", R::Float1(Float1::Of(libm::sin))),
    ("cos", R::Float1(Float1::Of(libm::cos))),
    ("tan", R::Float1(Float1::Of(libm::tan))),
    ("asin", R::Float1(Float1::Of(libm::asin))),
    ("acos", R::Float1(Float1::Of(libm::acos))),
    ("atan", R::Float1(Float1::Of(libm::atan))),
    ("sinh", R::Float1(Float1::Of(libm::sinh))),
    ("cosh", R::Float1(Float1::Of(libm::cosh))),
    ("tanh", R::Float1(Float1::Of(libm::tanh))),
    ("exp", R::Float1(Float1::Of(libm::exp))),
    ("exp2", R::Float1(Float1::Of(libm::exp2))),
    ("exp10", R::Float1(Float1::Of(libm::exp10))),
    ("log", R::Float1(Float1::Of(libm::log))),
    ("log2", R::Float1(Float1::Of(libm::log2))),
    ("log10", R::Float1(Float1::Of(libm::log10))),
];

/// NVPTX's intrinsics without `llvm.nvvm.`, by their whole name.
const NVVM: &[(&str, Rule)] = &[
    ("activemask", R::Special(Special::ActiveMask)),
    ("nanosleep pm.event.mask griddepcontrol.wait griddepcontrol.launch.dependents cp.async.commit.group", R::Nothing),
    ("cp.async.wait.all cp.async.wait.group fence.proxy.alias setmaxnreg.inc.sync.aligned.u32", R::Nothing),
    ("setmaxnreg.dec.sync.aligned.u32", R::Nothing),
    ("membar.cta membar.gl membar.sys", R::Fence),
    ("move.i16 move.i32 move.i64 move.float move.double move.ptr texsurf.handle.internal", R::Copy),
    ("internal.addrspace.wrap", R::Copy),
    ("mulhi.i mulhi.ll mulhi.s", R::Int2(Int2::MulHiS)),
    ("mulhi.ui mulhi.ull mulhi.us", R::Int2(Int2::MulHiU)),
    ("mul24.i", R::Int2(Int2::Mul24S)),
    ("mul24.ui", R::Int2(Int2::Mul24U)),
    ("bmsk.clamp", R::Int2(Int2::BitMask(true))),
    ("bmsk.wrap", R::Int2(Int2::BitMask(false))),
    ("sext.clamp", R::Int2(Int2::SignExtend(true))),
    ("sext.wrap", R::Int2(Int2::SignExtend(false))),
    ("zext.clamp", R::Int2(Int2::ZeroExtend(true))),
    ("zext.wrap", R::Int2(Int2::ZeroExtend(false))),
    ("brev32 brev64", R::Int1(Int1::BitReverse)),
    ("popc.i popc.ll", R::Int1(Int1::Popcount)),
    ("clz.i clz.ll", R::Int1(Int1::LeadingZeros)),
    ("abs.i abs.ll", R::Int1(Int1::Abs)),
    ("flo.s", R::Int1(Int1::FindLastS)),
    ("flo.u", R::Int1(Int1::FindLastU)),
    ("fshl.clamp", R::Int3(Int3::FunnelLeftClamp)),
    ("fshr.clamp", R::Int3(Int3::FunnelRightClamp)),
    ("prmt", R::Int3(Int3::Permute(Prmt::Index))),
    ("sad.i sad.ll sad.s", R::Int3(Int3::SadS)),
    ("sad.ui sad.ull sad.us", R::Int3(Int3::SadU)),
    ("fns", R::Int3(Int3::FindNth)),
    ("idp4a.s.s", R::Int3(Int3::Dot4(true, true))),
    ("idp4a.s.u", R::Int3(Int3::Dot4(true, false))),
    ("idp4a.u.s", R::Int3(Int3::Dot4(false, true))),
    ("idp4a.u.u", R::Int3(Int3::Dot4(false, false))),
];

/// First words of float operations of NVVM and PTX; the other words specify rounding.
const FLOAT: &[(&str, Rule)] = &[
    ("add", R::Float2(Float2::Add)),
    ("sub", R::Float2(Float2::Sub)),
    ("mul", R::Float2(Float2::Mul)),
    ("div", R::Float2(Float2::Div)),
    ("copysign", R::Float2(Float2::CopySign)),
    ("fma mad", R::Fma),
    ("floor", R::Float1(Float1::Of(f64::floor))),
    ("ceil", R::Float1(Float1::Of(f64::ceil))),
    ("trunc", R::Float1(Float1::Of(f64::trunc))),
    ("round", R::Float1(Float1::Of(f64::round_ties_even))),
    ("abs fabs", R::Float1(Float1::Abs)),
    ("neg", R::Float1(Float1::Neg)),
    ("sqrt", R::Float1(Float1::Sqrt)),
    ("rcp", R::Float1(Float1::Recip)),
    ("rsqrt", R::Float1(Float1::Of(|x| 1.0 / x.sqrt()))),
    ("ex2", R::Float1(Float1::Of(libm::exp2))),
    ("lg2", R::Float1(Float1::Of(libm::log2))),
    ("sin", R::Float1(Float1::Of(libm::sin))),
    ("cos", R::Float1(Float1::Of(libm::cos))),
    ("tanh", R::Float1(Float1::Of(libm::tanh))),
    ("saturate", R::Float1(Float1::Saturate)),
];

/// PTX's integer operations: for signed operands, and for others.
const PTX_INT: &[(&str, [Rule; 2])] = &[
    ("and", [R::Int2(Int2::Bin(BinOp::And)); 2]),
    ("or", [R::Int2(Int2::Bin(BinOp::Or)); 2]),
    ("xor", [R::Int2(Int2::Bin(BinOp::Xor)); 2]),
    ("min", [R::Int2(Int2::SMin), R::Int2(Int2::UMin)]),
    ("max", [R::Int2(Int2::SMax), R::Int2(Int2::UMax)]),
    ("div", [R::Int2(Int2::Bin(BinOp::SDiv)), R::Int2(Int2::Bin(BinOp::UDiv))]),
    ("rem", [R::Int2(Int2::Bin(BinOp::SRem)), R::Int2(Int2::Bin(BinOp::URem))]),
    ("abs", [R::Int1(Int1::Abs); 2]),
    ("popc", [R::Int1(Int1::Popcount); 2]),
    ("clz", [R::Int1(Int1::LeadingZeros); 2]),
    ("brev", [R::Int1(Int1::BitReverse); 2]),
    ("bfind", [R::Int1(Int1::FindLastS), R::Int1(Int1::FindLastU)]),
    ("sad", [R::Int3(Int3::SadS), R::Int3(Int3::SadU)]),
    ("bfe", [R::Int3(Int3::FieldExtract(true)), R::Int3(Int3::FieldExtract(false))]),
];

/// PTX's integer comparisons: for signed operands, and for others.
const COMPARE: &[(&str, [IntCmp; 2])] = &[
    ("eq", [IntCmp::Eq; 2]),
    ("ne", [IntCmp::Ne; 2]),
    ("lt", [IntCmp::Slt, IntCmp::Ult]),
    ("le", [IntCmp::Sle, IntCmp::Ule]),
    ("gt", [IntCmp::Sgt, IntCmp::Ugt]),
    ("ge", [IntCmp::Sge, IntCmp::Uge]),
    ("lo", [IntCmp::Ult; 2]),
    ("ls", [IntCmp::Ule; 2]),
    ("hi", [IntCmp::Ugt; 2]),
    ("hs", [IntCmp::Uge; 2]),
];

/// PTX's float comparisons, as the bits equal, greater, less, unordered.
const FLOAT_COMPARE: &[(&str, u8)] = &[
    ("eq", 1),
    ("ne", 6),
    ("lt", 4),
    ("le", 5),
    ("gt", 2),
    ("ge", 3),
    ("equ", 9),
    ("neu", 14),
    ("ltu", 12),
    ("leu", 13),
    ("gtu", 10),
    ("geu", 11),
    ("num", 7),
    ("nan", 8),
];

/// Atomic operations of NVVM and PTX: for signed integers, for others, for floats.
const ATOMIC: &[(&str, [RmwOp; 3])] = &[
    ("add", [RmwOp::Add, RmwOp::Add, RmwOp::FAdd]),
    ("and", [RmwOp::And; 3]),
    ("or", [RmwOp::Or; 3]),
    ("xor", [RmwOp::Xor; 3]),
    ("exch", [RmwOp::Xchg; 3]),
    ("min", [RmwOp::Min, RmwOp::UMin, RmwOp::UMin]),
    ("max", [RmwOp::Max, RmwOp::UMax, RmwOp::UMax]),
    ("inc", [RmwOp::IncWrap; 3]),
    ("dec", [RmwOp::DecWrap; 3]),
];

/// Votes, shuffles and reductions of NVVM and PTX: the operation and its kind.
const COLLECTIVE: &[(&str, &str, Collective)] = &[
    ("vote", "all", Collective::VoteAll),
    ("vote", "any", Collective::VoteAny),
    ("vote", "uni", Collective::VoteUni),
    ("vote", "ballot", Collective::Ballot),
    ("shfl", "up", Collective::Shuffle(Shuffle::Up)),
    ("shfl", "down", Collective::Shuffle(Shuffle::Down)),
    ("shfl", "bfly", Collective::Shuffle(Shuffle::Butterfly)),
    ("shfl", "idx", Collective::Shuffle(Shuffle::Index)),
    ("redux", "add", Collective::Reduce(Reduce::Add)),
    ("redux", "and", Collective::Reduce(Reduce::And)),
    ("redux", "or", Collective::Reduce(Reduce::Or)),
    ("redux", "xor", Collective::Reduce(Reduce::Xor)),
];

/// Special registers, by the ends of LLVM's names and by PTX's; those with axes are elsewhere.
const REGISTERS: &[(&str, Special)] = &[
    ("laneid", Special::LaneId),
    ("warpid", Special::WarpId),
    ("nwarpid", Special::WarpCount),
    ("warpsize WARP_SZ", Special::Fixed(32)),
    ("lanemask.eq lanemask_eq", Special::LaneMaskEq),
    ("lanemask.lt lanemask_lt", Special::LaneMaskLt),
    ("lanemask.le lanemask_le", Special::LaneMaskLe),
    ("lanemask.gt lanemask_gt", Special::LaneMaskGt),
    ("lanemask.ge lanemask_ge", Special::LaneMaskGe),
    ("clock clock_lo", Special::Clock),
    ("clock64", Special::Clock64),
    ("clock_hi", Special::Fixed(0)),
    ("globaltimer", Special::GlobalTimer),
    ("globaltimer.lo globaltimer_lo", Special::GlobalTimerLow),
    ("dynamic_smem_size", Special::DynamicShared),
    ("total_smem_size aggr_smem_size", Special::TotalShared),
    ("smid", Special::SmId),
    ("nsmid", Special::SmCount),
    ("gridid", Special::GridId),
    ("pm0 pm1 pm2 pm3", Special::Fixed(0)),
    // a launch without clusters has clusters of 1×1×1 blocks
    ("cluster.ctarank", Special::Fixed(0)),
    ("cluster.nctarank", Special::Fixed(1)),
];

fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|row| row.0.split(' ').any(|known| known == name)).map(|row| row.1)
}

/// An intrinsic by its name without `llvm.` and without overload suffixes.
pub(super) fn llvm(name: &str) -> Option<Rule> {
    find(LLVM, name)
}

/// An intrinsic by its name without `llvm.nvvm.`, and how it rounds.
pub(super) fn nvvm(name: &str) -> Option<(Rule, Mode)> {
    if let Some(rule) = find(NVVM, name) {
        return Some((rule, Mode::default()));
    }
    let mut words = name.split('.');
    let family = words.next().unwrap_or("");
    let has = |word: &str| name.split('.').any(|other| other == word);
    let rule = match family {
        "fence" => R::Fence,
        "prefetch" | "prefetchu" | "applypriority" | "discard" => R::Nothing,
        "fmin" | "fmax" => R::Float2(match (family == "fmax", has("nan"), has("xorsign")) {
            (true, nan, true) => Float2::MaxXorSign(nan),
            (false, nan, true) => Float2::MinXorSign(nan),
            (is_max, nan, false) => min_max(is_max, nan),
        }),
        _ => find(FLOAT, family)?,
    };
    Some((rule, mode(words)))
}

/// A minimum or maximum in which a NaN wins or loses.
pub(super) fn min_max(is_max: bool, nan_wins: bool) -> Float2 {
    match (is_max, nan_wins) {
        (true, true) => Float2::Maximum,
        (true, false) => Float2::MaxNum,
        (false, true) => Float2::Minimum,
        (false, false) => Float2::MinNum,
    }
}

/// A float operation of PTX.
pub(super) fn ptx_float(op: &str, nan_wins: bool) -> Option<Rule> {
    match op {
        "min" | "max" => Some(R::Float2(min_max(op == "max", nan_wins))),
        _ => find(FLOAT, op),
    }
}

/// An integer operation of PTX.
pub(super) fn ptx_int(op: &str, signed: bool) -> Option<Rule> {
    find(PTX_INT, op).map(|rules| rules[usize::from(!signed)])
}

/// An integer comparison of PTX.
pub(super) fn compare(word: &str, signed: bool) -> Option<IntCmp> {
    find(COMPARE, word).map(|rules| rules[usize::from(!signed)])
}

/// A float comparison of PTX, in LLVM's encoding.
pub(super) fn float_compare(word: &str) -> Option<u8> {
    find(FLOAT_COMPARE, word)
}

/// An atomic operation, but compare and exchange.
pub(super) fn atomic(word: &str, signed: bool, is_float: bool) -> Option<RmwOp> {
    find(ATOMIC, word).map(|ops| ops[if is_float { 2 } else { usize::from(!signed) }])
}

/// A vote, shuffle or bitwise reduction.
pub(super) fn collective(family: &str, kind: &str) -> Option<Collective> {
    COLLECTIVE.iter().find(|row| (row.0, row.1) == (family, kind)).map(|row| row.2)
}

/// How an operation with these words differs from IEEE's default.
pub(super) fn mode<'w>(words: impl Iterator<Item = &'w str>) -> Mode {
    let mut mode = Mode::default();
    for word in words {
        match word {
            "rz" => mode.round = Round::Zero,
            "rm" => mode.round = Round::Down,
            "rp" => mode.round = Round::Up,
            "ftz" => mode.ftz = true,
            "sat" => mode.saturate = true,
            "relu" => mode.relu = true,
            _ => {}
        }
    }
    mode
}

/// A special register by its PTX name.
pub(super) fn special_register(name: &str) -> Option<Special> {
    if name.starts_with("envreg") {
        return Some(Special::Fixed(0));
    }
    let with_axis = || {
        let (family, axis) = name.rsplit_once('.')?;
        let axis = ["x", "y", "z", "w"].iter().position(|&known| known == axis)? as u8;
        Some(match family {
            "tid" => Special::Tid(axis),
            "ntid" => Special::Ntid(axis),
            "ctaid" | "clusterid" => Special::Ctaid(axis),
            "nctaid" | "nclusterid" => Special::Nctaid(axis),
            "cluster.ctaid" => Special::Fixed(0),
            "cluster.nctaid" => Special::Fixed(1),
            _ => return None,
        })
    };
    with_axis().or_else(|| find(REGISTERS, name))
}
