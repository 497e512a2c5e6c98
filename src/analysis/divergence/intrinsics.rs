//! How does the result of each intrinsic relate across lanes? One table for all of `llvm.nvvm.*`, one rule for the
//! rest.
//!
//! The rule with the longest matching prefix applies to a name (prefixes end at a dot). A test walks LLVM's own list
//! and fails on any `llvm.nvvm.*` name without a rule. A name that is not on the list (from a later LLVM) is divergent.
//!
//! Target-independent intrinsics are pure if LLVM says that they access no memory and are not convergent, except a few
//! that read the machine's state. The same is *not* true of ordinary functions: a function that wraps `threadIdx.x`
//! accesses no memory either.

use super::intrinsics::LaneRule::*;
use crate::affine::{Base, Scope};

/// How the result of an intrinsic relates across lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneRule {
    /// A thread index.
    Index(Base),
    /// The same number in the scope, between the bounds (inclusive).
    Register { scope: Scope, low: u64, high: u64 },
    /// `ntid` along a dimension.
    BlockSize(usize),
    /// A known number.
    Number(i64),
    /// A function of its operands alone.
    Pure,
    /// A function of its operands and of the block's position in its cluster.
    PureInBlock,
    /// Every participating lane gets the same answer if the lanes agree on the member mask (operand 0).
    Vote,
    /// The same with the member mask after the value (operand 1).
    Reduction,
    /// `shfl.sync.idx`: uniform if the source lane is uniform and the warp is one segment.
    ShuffleIndex,
    /// A block-wide reduction: all threads of the block get the same answer.
    BlockReduction,
    /// A reduction at a barrier for some of the block's warps.
    PartialReduction,
    /// A load through operand 0 from memory that the kernel does not write.
    ReadOnlyLoad,
    /// Nothing is known.
    Divergent,
}

impl LaneRule {
    /// Whether it says what a special register holds, which is never undef or poison.
    pub fn is_of_register(self) -> bool {
        matches!(self, Index(_) | BlockSize(_) | Register { .. } | Number(_))
    }
}

const fn register(scope: Scope, low: u64, high: u64) -> LaneRule {
    Register { scope, low, high }
}

/// Largest number of blocks of a grid along x, and along y or z.
const GRID_X: u64 = i32::MAX as u64;
const GRID_YZ: u64 = 65_535;
/// Largest value of a register without a narrower bound.
const ANY: u64 = u64::MAX;

/// Prefixes (after `llvm.nvvm.`) and their class. The longest match applies.
const NVVM: &[(&str, LaneRule)] = &[
    // special registers
    ("read.ptx.sreg", Divergent),
    ("read.ptx.sreg.tid.x", Index(Base::TidX)),
    ("read.ptx.sreg.tid.y", Index(Base::TidY)),
    ("read.ptx.sreg.tid.z", Index(Base::TidZ)),
    ("read.ptx.sreg.tid.w", Number(0)),
    ("read.ptx.sreg.laneid", Index(Base::LaneId)),
    ("read.ptx.sreg.ntid.x", BlockSize(0)),
    ("read.ptx.sreg.ntid.y", BlockSize(1)),
    ("read.ptx.sreg.ntid.z", BlockSize(2)),
    ("read.ptx.sreg.ntid.w", register(Scope::Grid, 0, ANY)),
    ("read.ptx.sreg.ctaid.x", register(Scope::Block, 0, GRID_X - 1)),
    ("read.ptx.sreg.ctaid.y read.ptx.sreg.ctaid.z", register(Scope::Block, 0, GRID_YZ - 1)),
    ("read.ptx.sreg.ctaid.w", register(Scope::Block, 0, ANY)),
    ("read.ptx.sreg.nctaid.x", register(Scope::Grid, 1, GRID_X)),
    ("read.ptx.sreg.nctaid.y read.ptx.sreg.nctaid.z", register(Scope::Grid, 1, GRID_YZ)),
    ("read.ptx.sreg.nctaid.w", register(Scope::Grid, 0, ANY)),
    ("read.ptx.sreg.cluster.ctaid read.ptx.sreg.cluster.ctarank", register(Scope::Block, 0, ANY)),
    ("read.ptx.sreg.cluster.nctaid read.ptx.sreg.cluster.nctarank", register(Scope::Grid, 0, ANY)),
    ("read.ptx.sreg.clusterid", register(Scope::Block, 0, ANY)),
    ("read.ptx.sreg.nclusterid", register(Scope::Grid, 0, ANY)),
    ("is_explicit_cluster", register(Scope::Grid, 0, 1)),
    ("read.ptx.sreg.gridid read.ptx.sreg.envreg0 read.ptx.sreg.dynamic_smem_size", register(Scope::Grid, 0, ANY)),
    ("read.ptx.sreg.total_smem_size read.ptx.sreg.aggr_smem_size", register(Scope::Grid, 0, ANY)),
    ("read.ptx.sreg.warpsize", Number(32)),
    // volatile according to the PTX ISA: the value may change between the reads of two lanes (preemption, scheduling)
    ("read.ptx.sreg.warpid read.ptx.sreg.nwarpid read.ptx.sreg.smid read.ptx.sreg.nsmid", Divergent),
    ("read.ptx.sreg.clock read.ptx.sreg.clock64 read.ptx.sreg.globaltimer read.ptx.sreg.lanemask", Divergent),
    // communication between lanes
    ("vote.all.sync vote.any.sync vote.uni.sync vote.ballot.sync match.all.sync", Vote),
    ("match.any.sync", Divergent),
    ("redux.sync", Reduction),
    ("shfl.sync.idx", ShuffleIndex),
    ("shfl.sync elect.sync", Divergent),
    ("activemask", Divergent), // the lanes of one instance may execute it separately
    ("vote", Divergent),       // no mask: depends on which lanes happen to be together
    ("shfl", Divergent),
    ("barrier.cta.red", PartialReduction),
    ("barrier.cta.red.and.aligned.all barrier.cta.red.and.all barrier.cta.red.or.aligned.all", BlockReduction),
    ("barrier.cta.red.or.all barrier.cta.red.popc.aligned.all barrier.cta.red.popc.all", BlockReduction),
    ("barrier bar", Divergent),
    // memory and asynchronous engines
    ("ldu", ReadOnlyLoad),
    ("atomic mbarrier", Divergent),
    ("mbarrier.pending.count", Pure),
    ("cp fence membar prefetch prefetchu applypriority discard st tensormap ldmatrix stmatrix mma wmma", Divergent),
    ("movmatrix wgmma tcgen05 tex tld4 suld sust clusterlaunchcontrol", Divergent),
    ("clusterlaunchcontrol.query_cancel", Pure),
    ("griddepcontrol setmaxnreg nanosleep exit pm compiler", Divergent),
    // functions of their operands
    ("txq suq istypep isspacep texsurf", Pure),
    ("mapa getctarank", PureInBlock),
    ("internal.addrspace.wrap reflect move abs add mul mul24 mulhi div sub fma fmin fmax fabs neg sqrt rsqrt", Pure),
    ("rcp sin cos tanh ex2 lg2 floor ceil round trunc saturate prmt sad idp2a idp4a fns flo bmsk sext zext", Pure),
    ("fshl fshr lohi", Pure),
    // conversions
    ("bf16x2 f16x2 f32x4 e2m1x2 e2m3x2 e3m2x2 e4m3x2 e5m2x2 ue8m0x2 bf2h d2f d2i d2ll d2ui d2ull f2bf16 f2f16", Pure),
    ("f2h f2i f2ll f2tf32 f2ui f2ull ff ff2bf16x2 ff2f16x2 h2f i2d i2f ll2d ll2f ui2d ui2f ull2d ull2f rotate", Pure),
    ("s2f6x2 swap.lo.hi ptr", Pure),
];

/// Target-independent intrinsics that access no memory and still are not functions of their operands.
const STATEFUL: &[&str] = &[
    "llvm.stacksave", "llvm.threadlocal.address", "llvm.returnaddress", "llvm.frameaddress",
    "llvm.addressofreturnaddress", "llvm.sponentry", "llvm.read_register", "llvm.read_volatile_register",
    "llvm.localaddress", "llvm.localescape", "llvm.localrecover", "llvm.get.dynamic.area.offset", "llvm.experimental",
    "llvm.coro", "llvm.eh", "llvm.allow.runtime.check", "llvm.allow.ubsan.check", "llvm.callbr.landingpad",
];

/// The class of an intrinsic by its name without overload suffixes. `touches_nothing`: LLVM says that it neither
/// accesses memory nor is convergent.
pub fn classify(name: &str, touches_nothing: bool) -> LaneRule {
    if let Some(nvvm) = name.strip_prefix("llvm.nvvm.") {
        return nvvm_rule(nvvm).unwrap_or(Divergent);
    }
    let stateful = STATEFUL.iter().any(|prefix| has_prefix(name, prefix));
    let foreign = ["llvm.amdgcn", "llvm.r600", "llvm.spv"].iter().any(|prefix| has_prefix(name, prefix));
    if touches_nothing && !stateful && !foreign { Pure } else { Divergent }
}

fn nvvm_rule(name: &str) -> Option<LaneRule> {
    // the numbered environment registers share one rule
    let name = if name.starts_with("read.ptx.sreg.envreg") { "read.ptx.sreg.envreg0" } else { name };
    let prefixes = NVVM.iter().flat_map(|&(prefixes, rule)| prefixes.split(' ').map(move |prefix| (prefix, rule)));
    prefixes.filter(|(prefix, _)| has_prefix(name, prefix)).max_by_key(|(prefix, _)| prefix.len()).map(|rule| rule.1)
}

/// The class of a special register by its name in PTX, without the `%`.
pub fn register_rule(name: &str) -> LaneRule {
    if name.starts_with("reserved_smem_offset_") {
        return register(Scope::Block, 0, ANY);
    }
    // %cluster_ctaid.x is read.ptx.sreg.cluster.ctaid.x
    let dotted = name.strip_prefix("cluster_").map(|rest| format!("cluster.{rest}"));
    let intrinsic = format!("read.ptx.sreg.{}", dotted.as_deref().unwrap_or(name));
    nvvm_rule(if name == "is_explicit_cluster" { name } else { &intrinsic }).unwrap_or(Divergent)
}

fn has_prefix(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_ir::llvm::handle::{intrinsic_id, intrinsic_name};

    /// All names of `llvm.nvvm.*`: LLVM numbers the intrinsics of a target consecutively, sorted by name.
    fn all_nvvm() -> Vec<String> {
        let middle = intrinsic_id("llvm.nvvm.read.ptx.sreg.tid.x");
        assert_ne!(middle, 0);
        let is_nvvm = |id: &u32| intrinsic_name(*id).starts_with("llvm.nvvm.");
        let mut names: Vec<String> = (1..middle).rev().take_while(is_nvvm).map(intrinsic_name).collect();
        names.extend((middle..).take_while(is_nvvm).map(intrinsic_name));
        names
    }

    #[test]
    fn every_nvvm_intrinsic_has_a_rule() {
        let names = all_nvvm();
        assert!(names.len() > 2000, "{}", names.len());
        let missing: Vec<_> =
            names.iter().filter(|name| nvvm_rule(name.strip_prefix("llvm.nvvm.").unwrap()).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn the_ones_that_matter() {
        let class = |name: &str| classify(name, false);
        assert_eq!(class("llvm.nvvm.read.ptx.sreg.tid.x"), Index(Base::TidX));
        assert!(matches!(class("llvm.nvvm.read.ptx.sreg.ctaid.y"), Register { scope: Scope::Block, .. }));
        assert_eq!(class("llvm.nvvm.read.ptx.sreg.clock64"), Divergent);
        assert_eq!(class("llvm.nvvm.shfl.sync.bfly.i32"), Divergent);
        assert_eq!(class("llvm.nvvm.shfl.sync.idx.f32p"), ShuffleIndex);
        assert_eq!(class("llvm.nvvm.barrier.cta.red.or.aligned.all"), BlockReduction);
        assert_eq!(class("llvm.nvvm.barrier.cta.red.or.aligned.count"), PartialReduction);
        assert_eq!(class("llvm.nvvm.something.new"), Divergent);
        assert_eq!(classify("llvm.umin", true), Pure);
        assert_eq!(classify("llvm.umin", false), Divergent);
        assert_eq!(classify("llvm.stacksave", true), Divergent);
    }
}
