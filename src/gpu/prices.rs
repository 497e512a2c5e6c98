//! What was measured on chips, and what `ptxas` was seen to do. One number for all chips where one alone was measured.
//!
//! Sources: **\[H200\]** timed on one H200 (`benches/gpu`); **\[ptxas\]** read off what `ptxas` 13.0 makes for sm_90;
//! **\[latency\]** Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", and the
//! micro-benchmarks of later parts (WSCAD 2019, chapter 1).

// What instructions cost, in issue cycles of one warp on a partition unless they say otherwise.

/// Latencies in cycles: shared memory, constant memory, local memory that hits in the first-level cache. \[latency\]
pub const SHARED_LATENCY: u32 = 30;
pub const CONSTANT_LATENCY: u32 = 30;
pub const LOCAL_LATENCY: u32 = 40;
/// Of global memory: between a hit in the first-level cache and a miss to memory. \[latency\]
pub const GLOBAL_LATENCY: u32 = 160;
/// Warps of a partition among which the latency of a load is shared; half of the most there can be.
pub const LATENCY_HIDDEN_BY: u32 = 8;
/// Issue of a load: the load-store unit takes eight lanes a clock and partition. CUDA C++ Programming Guide.
pub const LOAD_ISSUE: u32 = 4;
/// Issue of a store, with what it takes to bring the value.
pub const STORE_ISSUE: u32 = 8;
/// Parting and meeting again: BSSY, BRA, the jump over the other side, BSYNC, and their fetch bubbles. \[ptxas\]
pub const DIVERGENT_BRANCH: u32 = 16;

// Slots in shared memory, in loads of one.

/// A `bar.warp.sync`. \[H200\]
pub const WARP_BARRIER: f64 = 4.0;
/// A reload of an affine value's uniform part: the load and an addition.
pub const AFFINE_RELOAD: f64 = 1.5;
/// A reload from a slot of a thread against one from a slot of a warp, which takes a 32nd of the memory.
pub const THREAD_RELOAD: f64 = 4.0;
/// A reload of a register that `ptxas` spilled, in instructions.
pub const SPILL_RELOAD: f64 = 3.0;

// The first-level cache, in gathers: loads whose lanes read many sectors. See `stack/cache.rs`.

/// Part of the unified memory whose loss doubles the time of gathers. \[H200\]: 24 KB taken 1.04 times as long, 56 KB 1.2,
/// 92 KB 1.5, 156 KB 1.75, 220 KB 2.2.
pub const GATHERS_DOUBLE_AT: f64 = 0.75;
/// An access of local memory at different places, for each whole cache that stack objects of resident threads fill. \[H200\]
pub const SCATTERED_LOCAL: f64 = 3.0;
/// From which part of the cache on that holds. \[H200\]
pub const CROWDED_FROM: f64 = 0.375;
/// The same access below that part. \[H200\]
pub const SCATTERED_LOCAL_CACHED: f64 = 0.2;
/// An access of local memory at the same place in all lanes. \[H200\]
pub const UNIFORM_LOCAL: f64 = 0.1;

// How `ptxas` hands out registers, in registers of 32 bits.

/// What is believed of a block's peak above its boundaries: `ptxas` reorders inside a block as it needs registers. \[ptxas\]
pub const REORDERED_AWAY: u32 = 6;
/// What `ptxas` wants beyond what is live for the loads of a loop, at most: it keeps some in flight, with their addresses. A
/// loop without loads was seen to fit its budget to the last register. \[ptxas\]
pub const LOADS_IN_FLIGHT: u32 = 4;
/// Registers that are best left free for loads in flight once values are moved: with fewer, each load is waited for. \[H200\]
pub const FREE_FOR_LOADS: u32 = 12;
/// The same where only slots of values that all lanes agree on are moved: a few more spills cost less than a few more slots.
/// \[H200\]
pub const FREE_FOR_LOADS_BESIDE_WARP_SLOTS: u32 = 8;
/// Longest array of words that `ptxas` keeps in registers as a rule although it is indexed: it selects among them. Arrays of
/// 2 to 40 elements with 0 to 16 loads and stores in a loop were tried; up to six words it nearly always does, seven lose
/// little in local memory where it does not. \[ptxas\]
pub const SELECTED_WORDS: u64 = 7;
/// So many words are kept even so if no more selections are made: a store at a place that varies is one, a load two. \[ptxas\]
pub const SELECTED_WORDS_IF_FEW: [(u64, usize); 2] = [(8, 9), (10, 8)];
