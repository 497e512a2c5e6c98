//! Who observes the machine? An observer is notified of every executed instruction and every branch.
//!
//! Values are reported with their **dynamic instance**: call path, instruction and iteration vector (for each cycle
//! around the instruction, how often its header was entered since control entered the cycle). Call path and iteration
//! are 64-bit hashes, the same in every warp, block and launch, so `(call_path, func, inst, iteration)` identifies the
//! same dynamic instance everywhere. The lanes of one step always share it, under both schedulers.

use super::code::{LANES, Lanes};
use warpwise_ir::llvm::image::{FuncId, ModuleImage};

/// The position of a step.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    pub image: &'a ModuleImage,
    pub func: FuncId,
    /// Ordinal of the instruction in function order.
    pub inst: u32,
    /// `ctaid`, and its linear number.
    pub block: [u32; 3],
    pub block_number: u32,
    pub warp: u32,
    /// Mask of the lanes that execute this step.
    pub active: u32,
    /// Mask of the lanes of the warp that have not exited.
    pub running: u32,
    /// `tid` of each lane.
    pub tid: &'a [[u32; 3]; LANES],
    pub call_path: u64,
    pub iteration: u64,
    /// Call depth: 0 in the kernel.
    pub depth: u32,
}

/// The result of a step: one entry per slot. Inactive lanes hold old values.
#[derive(Clone, Copy)]
pub struct LaneValues<'a> {
    /// Scalars in order, little end first; integers zero-extended; wider than 64 bits take two slots.
    pub slots: &'a [Lanes],
    /// For each slot the lanes whose value is poison or has undefined bits.
    pub undef: &'a [u32],
}

impl LaneValues<'_> {
    /// Lanes in which any part of the value is poison or undefined.
    pub fn undefined(&self) -> u32 {
        self.undef.iter().fold(0, |all, lanes| all | lanes)
    }
}

/// Is notified of every step. If `ACTIVE` is false, nothing is computed for it and the calls are optimised away.
pub trait Observer {
    /// Whether to notify it at all.
    const ACTIVE: bool = true;
    /// After every executed instruction except calls of defined functions. Calls are reported when the callee returns,
    /// and phis when their block starts, with all lanes that are in it.
    fn inst(&mut self, _at: &StepContext<'_>, _values: &LaneValues<'_>) {}
    /// Before lanes leave a block through a conditional branch or switch: the lanes of each successor, in successor order
    /// (a successor named twice appears twice).
    fn branch(&mut self, _at: &StepContext<'_>, _targets: &[(u32, u32)]) {}
    /// Before a launch: the kernel and its arguments, one entry per slot.
    fn start(&mut self, _kernel: FuncId, _args: &[u64]) {}
    /// When lanes enter a defined function by a call: the context is the callee's, and the values are its arguments,
    /// one entry per slot.
    fn enter(&mut self, _at: &StepContext<'_>, _args: &LaneValues<'_>) {}
}

/// Watches nothing.
#[derive(Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {
    const ACTIVE: bool = false;
}

/// Two observers at once.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
    fn inst(&mut self, at: &StepContext<'_>, values: &LaneValues<'_>) {
        self.0.inst(at, values);
        self.1.inst(at, values);
    }
    fn branch(&mut self, at: &StepContext<'_>, targets: &[(u32, u32)]) {
        self.0.branch(at, targets);
        self.1.branch(at, targets);
    }
    fn start(&mut self, kernel: FuncId, args: &[u64]) {
        self.0.start(kernel, args);
        self.1.start(kernel, args);
    }
    fn enter(&mut self, at: &StepContext<'_>, args: &LaneValues<'_>) {
        self.0.enter(at, args);
        self.1.enter(at, args);
    }
}

/// Combines numbers into a 64-bit hash (the finaliser of SplitMix64 over a running sum).
pub(crate) fn mix(seed: u64, value: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(value).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Hash of an iteration vector.
pub(super) fn iteration_name(counts: &[u32]) -> u64 {
    counts.iter().fold(counts.len() as u64, |name, &count| mix(name, u64::from(count)))
}
