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
    Int(IntOp),
    Float(FloatOp),
    /// The wrapped result and the signed or unsigned overflow bit.
    Overflow(BinOp, bool),
    /// Folds a vector of integers.
    Reduce(IntOp),
    /// Folds a vector of floats, from a start value if true.
    ReduceFloat(FloatOp, bool),
    /// Copies bytes, or sets them if true.
    Range(bool),
    Special(Special),
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
    ("readcyclecounter readsteadycounter", R::Special(Special::Clock)),
    ("memcpy memcpy.inline memmove", R::Range(false)),
    ("memset memset.inline", R::Range(true)),
    ("fma fmuladd", R::Float(FloatOp::Fma)),
    ("ptrmask", R::Int(IntOp::Bin(BinOp::And))),
    ("ctpop", R::Int(IntOp::Popcount)),
    ("bswap", R::Int(IntOp::ByteSwap)),
    ("bitreverse", R::Int(IntOp::BitReverse)),
    ("abs", R::Int(IntOp::Abs)),
    ("ctlz", R::Int(IntOp::LeadingZeros)),
    ("cttz", R::Int(IntOp::TrailingZeros)),
    ("fshl", R::Int(IntOp::Funnel { left: true, clamped: false })),
    ("fshr", R::Int(IntOp::Funnel { left: false, clamped: false })),
    ("smin", R::Int(IntOp::Min(true))),
    ("smax", R::Int(IntOp::Max(true))),
    ("umin", R::Int(IntOp::Min(false))),
    ("umax", R::Int(IntOp::Max(false))),
    ("sadd.sat", R::Int(IntOp::AddSat(true))),
    ("uadd.sat", R::Int(IntOp::AddSat(false))),
    ("ssub.sat", R::Int(IntOp::SubSat(true))),
    ("usub.sat", R::Int(IntOp::SubSat(false))),
    ("sshl.sat", R::Int(IntOp::ShlSat(true))),
    ("ushl.sat", R::Int(IntOp::ShlSat(false))),
    ("sadd.with.overflow", R::Overflow(BinOp::Add, true)),
    ("uadd.with.overflow", R::Overflow(BinOp::Add, false)),
    ("ssub.with.overflow", R::Overflow(BinOp::Sub, true)),
    ("usub.with.overflow", R::Overflow(BinOp::Sub, false)),
    ("smul.with.overflow", R::Overflow(BinOp::Mul, true)),
    ("umul.with.overflow", R::Overflow(BinOp::Mul, false)),
    ("vector.reduce.add", R::Reduce(IntOp::Bin(BinOp::Add))),
    ("vector.reduce.mul", R::Reduce(IntOp::Bin(BinOp::Mul))),
    ("vector.reduce.and", R::Reduce(IntOp::Bin(BinOp::And))),
    ("vector.reduce.or", R::Reduce(IntOp::Bin(BinOp::Or))),
    ("vector.reduce.xor", R::Reduce(IntOp::Bin(BinOp::Xor))),
    ("vector.reduce.smin", R::Reduce(IntOp::Min(true))),
    ("vector.reduce.smax", R::Reduce(IntOp::Max(true))),
    ("vector.reduce.umin", R::Reduce(IntOp::Min(false))),
    ("vector.reduce.umax", R::Reduce(IntOp::Max(false))),
    ("vector.reduce.fadd", R::ReduceFloat(FloatOp::Add, true)),
    ("vector.reduce.fmul", R::ReduceFloat(FloatOp::Mul, true)),
    ("vector.reduce.fmin", R::ReduceFloat(FloatOp::MIN_NUM, false)),
    ("vector.reduce.fmax", R::ReduceFloat(FloatOp::MAX_NUM, false)),
    ("vector.reduce.fminimum", R::ReduceFloat(FloatOp::MINIMUM, false)),
    ("vector.reduce.fmaximum", R::ReduceFloat(FloatOp::MAXIMUM, false)),
    ("copysign", R::Float(FloatOp::CopySign)),
    ("minnum minimumnum", R::Float(FloatOp::MIN_NUM)),
    ("maxnum maximumnum", R::Float(FloatOp::MAX_NUM)),
    ("minimum", R::Float(FloatOp::MINIMUM)),
    ("maximum", R::Float(FloatOp::MAXIMUM)),
    ("pow", R::Float(FloatOp::Of2(libm::pow))),
    ("atan2", R::Float(FloatOp::Of2(libm::atan2))),
    ("powi", R::Float(FloatOp::Powi)),
    ("ldexp", R::Float(FloatOp::Ldexp)),
    ("sqrt", R::Float(FloatOp::Sqrt)),
    ("fabs", R::Float(FloatOp::Abs)),
    ("floor", R::Float(FloatOp::Of(f64::floor))),
    ("ceil", R::Float(FloatOp::Of(f64::ceil))),
    ("trunc", R::Float(FloatOp::Of(f64::trunc))),
    ("rint nearbyint roundeven", R::Float(FloatOp::Of(f64::round_ties_even))),
    ("round", R::Float(FloatOp::Of(f64::round))),
    ("canonicalize", R::Float(FloatOp::Of(|x| x))),
    ("sin", R::Float(FloatOp::Of(libm::sin))),
    ("cos", R::Float(FloatOp::Of(libm::cos))),
    ("tan", R::Float(FloatOp::Of(libm::tan))),
    ("asin", R::Float(FloatOp::Of(libm::asin))),
    ("acos", R::Float(FloatOp::Of(libm::acos))),
    ("atan", R::Float(FloatOp::Of(libm::atan))),
    ("sinh", R::Float(FloatOp::Of(libm::sinh))),
    ("cosh", R::Float(FloatOp::Of(libm::cosh))),
    ("tanh", R::Float(FloatOp::Of(libm::tanh))),
    ("exp", R::Float(FloatOp::Of(libm::exp))),
    ("exp2", R::Float(FloatOp::Of(libm::exp2))),
    ("exp10", R::Float(FloatOp::Of(libm::exp10))),
    ("log", R::Float(FloatOp::Of(libm::log))),
    ("log2", R::Float(FloatOp::Of(libm::log2))),
    ("log10", R::Float(FloatOp::Of(libm::log10))),
];

/// NVPTX's intrinsics without `llvm.nvvm.`, by their whole name.
const NVVM: &[(&str, Rule)] = &[
    ("activemask", R::Special(Special::ActiveMask)),
    ("nanosleep pm.event.mask griddepcontrol.wait griddepcontrol.launch.dependents cp.async.commit.group", R::Nothing),
    ("cp.async.wait.all cp.async.wait.group fence.proxy.alias setmaxnreg.inc.sync.aligned.u32", R::Nothing),
    ("setmaxnreg.dec.sync.aligned.u32", R::Nothing),
    ("membar.cta membar.gl membar.sys", R::Nothing),
    ("move.i16 move.i32 move.i64 move.float move.double move.ptr texsurf.handle.internal", R::Copy),
    ("internal.addrspace.wrap", R::Copy),
    ("mulhi.i mulhi.ll mulhi.s", R::Int(IntOp::MulHi(true))),
    ("mulhi.ui mulhi.ull mulhi.us", R::Int(IntOp::MulHi(false))),
    ("mul24.i", R::Int(IntOp::Mul24(true))),
    ("mul24.ui", R::Int(IntOp::Mul24(false))),
    ("bmsk.clamp", R::Int(IntOp::BitMask { clamped: true })),
    ("bmsk.wrap", R::Int(IntOp::BitMask { clamped: false })),
    ("sext.clamp", R::Int(IntOp::Extend { signed: true, clamped: true })),
    ("sext.wrap", R::Int(IntOp::Extend { signed: true, clamped: false })),
    ("zext.clamp", R::Int(IntOp::Extend { signed: false, clamped: true })),
    ("zext.wrap", R::Int(IntOp::Extend { signed: false, clamped: false })),
    ("brev32 brev64", R::Int(IntOp::BitReverse)),
    ("popc.i popc.ll", R::Int(IntOp::Popcount)),
    ("clz.i clz.ll", R::Int(IntOp::LeadingZeros)),
    ("abs.i abs.ll", R::Int(IntOp::Abs)),
    ("flo.s", R::Int(IntOp::FindLast(true))),
    ("flo.u", R::Int(IntOp::FindLast(false))),
    ("fshl.clamp", R::Int(IntOp::Funnel { left: true, clamped: true })),
    ("fshr.clamp", R::Int(IntOp::Funnel { left: false, clamped: true })),
    ("prmt", R::Int(IntOp::Permute(Prmt::Index))),
    ("sad.i sad.ll sad.s", R::Int(IntOp::Sad(true))),
    ("sad.ui sad.ull sad.us", R::Int(IntOp::Sad(false))),
    ("fns", R::Int(IntOp::FindNth)),
    ("idp4a.s.s", R::Int(IntOp::Dot4(true, true))),
    ("idp4a.s.u", R::Int(IntOp::Dot4(true, false))),
    ("idp4a.u.s", R::Int(IntOp::Dot4(false, true))),
    ("idp4a.u.u", R::Int(IntOp::Dot4(false, false))),
];

/// First words of float operations of NVVM and PTX; the other words specify rounding.
const FLOAT: &[(&str, FloatOp)] = &[
    ("add", FloatOp::Add),
    ("sub", FloatOp::Sub),
    ("mul", FloatOp::Mul),
    ("div", FloatOp::Div),
    ("copysign", FloatOp::CopySign),
    ("fma mad", FloatOp::Fma),
    ("floor", FloatOp::Of(f64::floor)),
    ("ceil", FloatOp::Of(f64::ceil)),
    ("trunc", FloatOp::Of(f64::trunc)),
    ("round", FloatOp::Of(f64::round_ties_even)),
    ("abs fabs", FloatOp::Abs),
    ("neg", FloatOp::Neg),
    ("sqrt", FloatOp::Sqrt),
    ("rcp", FloatOp::Recip),
    ("rsqrt", FloatOp::Of(|x| 1.0 / x.sqrt())),
    ("ex2", FloatOp::Of(libm::exp2)),
    ("lg2", FloatOp::Of(libm::log2)),
    ("sin", FloatOp::Of(libm::sin)),
    ("cos", FloatOp::Of(libm::cos)),
    ("tanh", FloatOp::Of(libm::tanh)),
    ("saturate", FloatOp::Saturate),
];

/// PTX's integer operations: for signed operands, and for others.
const PTX_INT: &[(&str, [IntOp; 2])] = &[
    ("and", [IntOp::Bin(BinOp::And); 2]),
    ("or", [IntOp::Bin(BinOp::Or); 2]),
    ("xor", [IntOp::Bin(BinOp::Xor); 2]),
    ("min", [IntOp::Min(true), IntOp::Min(false)]),
    ("max", [IntOp::Max(true), IntOp::Max(false)]),
    ("div", [IntOp::Bin(BinOp::SDiv), IntOp::Bin(BinOp::UDiv)]),
    ("rem", [IntOp::Bin(BinOp::SRem), IntOp::Bin(BinOp::URem)]),
    ("abs", [IntOp::Abs; 2]),
    ("popc", [IntOp::Popcount; 2]),
    ("clz", [IntOp::LeadingZeros; 2]),
    ("brev", [IntOp::BitReverse; 2]),
    ("bfind", [IntOp::FindLast(true), IntOp::FindLast(false)]),
    ("sad", [IntOp::Sad(true), IntOp::Sad(false)]),
    ("bfe", [IntOp::FieldExtract(true), IntOp::FieldExtract(false)]),
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

/// PTX's float comparisons by the bits equal, greater, less, unordered; the first, which never holds, it does not have.
const FLOAT_COMPARE: [&str; 15] =
    ["", "eq", "gt", "ge", "lt", "le", "ne", "num", "nan", "equ", "gtu", "geu", "ltu", "leu", "neu"];

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
    ("nwarpid", Special::Fixed(64)),
    ("warpsize WARP_SZ", Special::Fixed(32)),
    ("lanemask.eq lanemask_eq", Special::LaneMaskEq),
    ("lanemask.lt lanemask_lt", Special::LaneMaskLt),
    ("lanemask.le lanemask_le", Special::LaneMaskLe),
    ("lanemask.gt lanemask_gt", Special::LaneMaskGt),
    ("lanemask.ge lanemask_ge", Special::LaneMaskGe),
    ("clock clock_lo clock64 globaltimer globaltimer.lo globaltimer_lo", Special::Clock),
    ("dynamic_smem_size", Special::DynamicShared),
    ("total_smem_size aggr_smem_size", Special::TotalShared),
    ("smid gridid clock_hi pm0 pm1 pm2 pm3", Special::Fixed(0)),
    ("nsmid", Special::Fixed(1)),
    // the driver's, behind all shared memory of a block: to access it is a fault
    ("reserved_smem_offset_0 reserved_smem_offset_1", Special::Fixed(1 << 30)),
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
        "fence" | "prefetch" | "prefetchu" | "applypriority" | "discard" => R::Nothing,
        "fmin" | "fmax" => {
            let (max, nan_wins, xor_sign) = (family == "fmax", has("nan"), has("xorsign"));
            R::Float(FloatOp::Extreme { max, nan_wins, xor_sign })
        }
        _ => R::Float(find(FLOAT, family)?),
    };
    Some((rule, mode(words)))
}

/// A float operation of PTX.
pub(super) fn ptx_float(op: &str, nan_wins: bool) -> Option<FloatOp> {
    match op {
        "min" | "max" => Some(FloatOp::extreme(op == "max", nan_wins)),
        _ => find(FLOAT, op),
    }
}

/// An integer operation of PTX.
pub(super) fn ptx_int(op: &str, signed: bool) -> Option<IntOp> {
    find(PTX_INT, op).map(|ops| ops[usize::from(!signed)])
}

/// An integer comparison of PTX.
pub(super) fn compare(word: &str, signed: bool) -> Option<IntCmp> {
    find(COMPARE, word).map(|rules| rules[usize::from(!signed)])
}

/// A float comparison of PTX, in LLVM's encoding.
pub(super) fn float_compare(word: &str) -> Option<u8> {
    FLOAT_COMPARE.iter().position(|&known| known == word && !word.is_empty()).map(|bits| bits as u8)
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
