//! What do instructions and memory cost, by measurement, and how does `ptxas` behave? If only one chip was measured,
//! its number is used for all.
//!
//! Sources: **\[H200\]** timed on one H200 (`benches/gpu`); **\[ptxas\]** observed in the output of `ptxas` 13.0 for
//! sm_90; **\[latency\]** Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", and
//! the micro-benchmarks of later chips (WSCAD 2019, chapter 1).

// Costs of instructions, in issue cycles of one warp on one partition unless stated otherwise.

/// Latency of shared memory, in cycles. \[latency\]
pub const SHARED_LATENCY: u32 = 30;
/// Latency of constant memory, in cycles. \[latency\]
pub const CONSTANT_LATENCY: u32 = 30;
/// Latency of local memory that hits in the first-level cache, in cycles. \[latency\]
pub const LOCAL_LATENCY: u32 = 40;
/// Latency of global memory, in cycles: between a hit in the first-level cache and a miss to memory. \[latency\]
pub const GLOBAL_LATENCY: u32 = 160;
/// Number of warps of a partition that share the latency of a load; half of the maximum.
pub const LATENCY_HIDDEN_BY: u32 = 8;
/// Issue of a load: the load-store unit of a partition serves eight lanes per clock. CUDA C++ Programming Guide.
pub const LOAD_ISSUE: u32 = 4;
/// Issue of a store, including the transfer of the value.
pub const STORE_ISSUE: u32 = 8;
/// One sector of 32 bytes from global memory, if memory is busy: 4.8 TB/s shared by the 132 multiprocessors of four
/// partitions of an H200 at 1.755 GHz. NVIDIA H200 data sheet.
pub const GLOBAL_SECTOR: f64 = 6.0;
/// One sector of local memory from the first-level cache, which moves four of them per clock for four partitions.
pub const LOCAL_SECTOR: f64 = 1.0;
/// One phase of shared memory, which serves one per clock for four partitions.
pub const SHARED_PHASE: f64 = 4.0;
/// Divergence and reconvergence: BSSY, BRA, the jump over the other side, BSYNC, and their fetch bubbles. \[ptxas\]
pub const DIVERGENT_BRANCH: u32 = 16;

/// Longest side of a branch, in machine instructions, that is predicated instead of branched around: sides of one to
/// twenty additions, multiplications, stores and accesses of shared memory, with and without an `else`. Of two sides that
/// long one is branched around. \[ptxas\]
pub const PREDICATED: u32 = 8;
/// The same if it loads from global memory: 20 without an `else`, 17 with one. \[ptxas\]
pub const PREDICATED_WITH_LOAD: u32 = 17;
/// Fraction of the branches on data that were seen to split any warp: of 1,204 branches that the analysis calls divergent, met
/// in 44 public programs, 546. \[H200\] How often one of these splits is not known, so that this is an upper bound.
pub const DATA_SPLITS: f64 = 0.45;

// Costs of slots in shared memory, in loads from one.

/// A `bar.warp.sync`. \[H200\]
pub const WARP_BARRIER: f64 = 4.0;
/// A reload of the uniform part of an affine value: the load and an addition.
pub const AFFINE_RELOAD: f64 = 1.5;
/// A reload from a per-thread slot. A per-warp slot needs a 32nd of the memory.
pub const THREAD_RELOAD: f64 = 4.0;
/// A reload of a register that `ptxas` spilled, in instructions.
pub const SPILL_RELOAD: f64 = 3.0;

// The first-level cache, in gathers: loads whose lanes read from many sectors. See `stack/cache.rs`.

/// Fraction of the unified memory whose loss doubles the time of gathers. \[H200\]: with 24 KB taken they need 1.04
/// times as long, with 56 KB 1.2, 92 KB 1.5, 156 KB 1.75, 220 KB 2.2.
pub const GATHERS_DOUBLE_AT: f64 = 0.75;
/// An access to local memory at places that differ between lanes, multiplied by the size of all resident threads' stack
/// objects divided by that of the unified memory. \[H200\]
pub const SCATTERED_LOCAL: f64 = 3.0;
/// Smallest value of that quotient for which this holds. \[H200\]
pub const CROWDED_FROM: f64 = 0.375;
/// The same access below that quotient. \[H200\]
pub const SCATTERED_LOCAL_CACHED: f64 = 0.2;
/// An access to local memory at the same place in all lanes. \[H200\]
pub const UNIFORM_LOCAL: f64 = 0.1;

// Accesses to local memory, in issue cycles of a partition. See `stack/gain.rs`.

/// Each further line of 128 bytes that a warp accesses: the first-level cache looks up one line per clock, for four
/// partitions. CUDA C++ Best Practices Guide, "Local Memory"; \[latency\]
pub const LOCAL_LINE: f64 = 4.0;
/// A miss of the first-level cache: a share of the latency of the second. \[latency\]
pub const LOCAL_MISS: f64 = 20.0;
/// Each line of a miss: the second level delivers 64 bytes per clock to a multiprocessor. \[latency\]
pub const LOCAL_MISS_LINE: f64 = 8.0;

// Register allocation by `ptxas`, in 32-bit registers.

/// How much of a block's peak above the pressure at its boundaries is counted: `ptxas` reorders instructions inside a
/// block to save registers. \[ptxas\]
pub const REORDERED_AWAY: u32 = 6;
/// Maximum number of registers that `ptxas` uses beyond those that are live, for loads of a loop that are in flight and
/// their addresses. A loop without loads was observed to use its budget to the last register. \[ptxas\]
pub const LOADS_IN_FLIGHT: u32 = 4;
/// Number of registers that are best left free for loads in flight when values are moved: with fewer, each load is
/// waited for. \[H200\]
pub const FREE_FOR_LOADS: u32 = 12;
/// The same if only values on which all lanes agree are moved: a few more spills cost less than a few more slots.
/// \[H200\]
pub const FREE_FOR_LOADS_BESIDE_WARP_SLOTS: u32 = 8;
/// Length in words up to which `ptxas` usually keeps an indexed array of words in registers, by selecting among them.
/// Arrays of 2 to 40 elements with 0 to 16 loads and stores in a loop were tried. Up to six words it nearly always does
/// so; seven lose little in local memory if it does not. \[ptxas\]
pub const SELECTED_WORDS: u64 = 7;
/// Longer arrays that are still kept in registers, as (words, maximum number of selections). A store at a variable
/// index is one selection, a load two. \[ptxas\]
pub const SELECTED_WORDS_IF_FEW: [(u64, usize); 2] = [(8, 9), (10, 8)];
