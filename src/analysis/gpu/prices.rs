//! What do instructions and memory cost, how does `ptxas` behave, and from where on does a transform pay? If only one
//! chip was measured, its number is used for all. A wrong number never makes a program wrong.
//!
//! In brackets stands what a number was measured on, and how many kernels or programs support it: **\[H200\]** timed on
//! one H200, kernels of `benches/gpu` or public programs (`benches/real`); **\[ptxas\]** observed in the output of
//! `ptxas` 13.0 for sm_90; **\[latency\]** Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via
//! Microbenchmarking", and the micro-benchmarks of later chips (WSCAD 2019, chapter 1); **\[documented\]** by NVIDIA;
//! **\[LLVM\]** what LLVM itself assumes; **\[not measured; 3, 1\]** a judgement: if it is halved, the code of 3 of 227
//! public device modules changes, and if it is doubled, that of 1 (judgements without numbers shape reports, maps or
//! versions only). Lengths of instruction sequences are in [`issue`](crate::cost::issue); limits that only bound the work
//! of the compiler are where they are used.

// Costs of instructions, in issue cycles of one warp on one partition unless stated otherwise.

/// Latency of shared memory, in cycles. \[latency\]
pub const SHARED_LATENCY: u32 = 30;
/// Latency of constant memory, in cycles. \[latency\]
pub const CONSTANT_LATENCY: u32 = 30;
/// Latency of local memory that hits in the first-level cache, in cycles. \[latency\]
pub const LOCAL_LATENCY: u32 = 40;
/// Latency of global memory, in cycles: between a hit in the first-level cache and a miss to memory. \[latency\]
pub const GLOBAL_LATENCY: u32 = 160;
/// Number of warps of a partition that share the latency of a load; half of the maximum. \[not measured; 3, 1\]
pub const LATENCY_HIDDEN_BY: u32 = 8;
/// Issue of a load: the load-store unit of a partition serves eight lanes per clock. CUDA C++ Programming Guide.
/// \[documented\]
pub const LOAD_ISSUE: u32 = 4;
/// Issue of a store, including the transfer of the value. \[not measured; 0, 4\]
pub const STORE_ISSUE: u32 = 8;
/// One sector of 32 bytes from global memory, if memory is busy: 4.8 TB/s shared by the 132 multiprocessors of four
/// partitions of an H200 at 1.755 GHz. NVIDIA H200 data sheet. \[documented\]
pub const GLOBAL_SECTOR: f64 = 6.0;
/// One sector of local memory from the first-level cache, which moves four of them per clock for four partitions.
/// \[documented\]
pub const LOCAL_SECTOR: f64 = 1.0;
/// One phase of shared memory, which serves one per clock for four partitions. \[documented\]
pub const SHARED_PHASE: f64 = 4.0;
/// Divergence and reconvergence: BSSY, BRA, the jump over the other side, BSYNC, and their fetch bubbles. \[ptxas: one
/// branch with sides of growing length\]
pub const DIVERGENT_BRANCH: u32 = 16;
/// Telling two sides of a switch apart. \[not measured; 0, 0\]
pub const TWO_OF_SWITCH: u32 = 6;
/// A guard that becomes a predicate: the conditions of a lane's way together. \[not measured; 0, 2\]
pub const TREE_GUARD: u32 = 2;
/// Least cost of an intrinsic that is called a call in advice, such as a square root or a sine. \[not measured; 0, 0\]
pub const CALL_CYCLES: u32 = 8;

/// Issue cycles up to which an intrinsic is one instruction; dearer ones are sequences. \[not measured; 0, 0\]
pub const ONE_INSTRUCTION: u32 = 10;
/// Longest side of a branch, in machine instructions, that is predicated instead of branched around: sides of one to
/// twenty additions, multiplications, stores and accesses of shared memory, with and without an `else`. Of two sides
/// that long one is branched around. \[ptxas: one branch\]
pub const PREDICATED: u32 = 8;
/// The same if it loads from global memory: 20 without an `else`, 17 with one. \[ptxas: one branch\]
pub const PREDICATED_WITH_LOAD: u32 = 17;
/// Fraction of the branches on data that were seen to split any warp: of 1,204 branches that the analysis calls
/// divergent, 546. How often one of these splits is not known, so that this is an upper bound. \[H200: 44 public
/// programs\]
pub const DATA_SPLITS: f64 = 0.45;

// How often code runs, and in what blocks, if nothing is known.

/// Iterations of a loop about which nothing is known: `BranchProbabilityInfo` assumes that a loop's branch goes back
/// 124 times out of 128. (Wu and Larus 1994, on which it is based, counted 88 out of 100 in integer programs.) \[LLVM\]
pub const ASSUMED_TURNS: f64 = 32.0;
/// A block is cold if at most this share of the entries of its function, and of the iterations of its loops, lead to
/// it: six branches in a row about which nothing is known, or one that the program marks as unlikely. \[not measured;
/// 1, 1\]
pub const COLD_PART: f64 = 1.0 / 64.0;
/// Numbers of this magnitude are unlikely: the library uses the quick reduction of angles up to 105,615 (`sinf`) and
/// 2³¹ (`sin`). \[not measured; 0, 0\]
pub const LARGE_NUMBER: f64 = 65_536.0;
/// An unlikely successor is taken once in this many times, as for the unexpected value of `__builtin_expect`
/// (`-likely-branch-weight`). \[LLVM\]
pub const UNLIKELY_TIMES: u32 = 2_000;
/// Threads per block assumed for occupancy. \[not measured; 0, 2\]
pub const USUAL_THREADS: u32 = 256;
/// Registers that a thread is assumed to use at least: with fewer no more blocks fit, because their number is limited
/// anyway. At 32 a kernel with 256 threads in a block fills the multiprocessor. \[documented\]
pub const MIN_REGISTERS: u32 = 32;

// Occupancy and the first-level cache. Gathers are loads whose lanes read from many sectors; see `stack/cache.rs`.

/// At least one in this many of the resident blocks must remain if what is gained is worth occupancy. \[H200: a
/// gathered stack object with 19 of 32 blocks left gains a factor of 1.6, and others gain more than tenfold; of arrays
/// that become registers three public programs gain a third and more at half of the blocks, and one loses 2 % at two
/// fifths\]
pub const KEPT_PART: u32 = 2;
/// If the block size is not known, blocks with fewer threads than this may lose occupancy. They all use the slots, and
/// gain more by not using local memory than they lose. \[H200: number of kernels not recorded\]
pub const SMALL_BLOCK: u32 = 128;
/// Block sizes that are not multiples of this many threads are rare and not checked. \[not measured; 1, 0\]
pub const USUAL_STEP: usize = 64;
/// Fraction of the unified memory whose loss doubles the time of gathers: with 24 KB taken they need 1.04 times as
/// long, with 56 KB 1.2, 92 KB 1.5, 156 KB 1.75, 220 KB 2.2. \[H200: one kernel\]
pub const GATHERS_DOUBLE_AT: f64 = 0.75;
/// Number of sectors that a warp reads at once if each lane reads half a sector; more than this make a gather. \[not
/// measured; 0, 0\]
pub const MANY_SECTORS: u32 = 16;
/// An access to local memory at places that differ between lanes, in gathers, multiplied by the size of all resident
/// threads' stack objects divided by that of the unified memory. \[H200: the 43 kernels of section `spill`\]
pub const SCATTERED_LOCAL: f64 = 3.0;
/// Smallest value of that quotient for which this holds. \[H200: the same\]
pub const CROWDED_FROM: f64 = 0.375;
/// The same access below that quotient. \[H200: the same\]
pub const SCATTERED_LOCAL_CACHED: f64 = 0.2;
/// An access to local memory at the same place in all lanes. \[H200: the same\]
pub const UNIFORM_LOCAL: f64 = 0.1;
/// How many times its price in gathers a move must be worth. \[H200: the same\]
pub const CACHE_MARGIN: f64 = 3.5;
/// The same for versions: larger blocks pay too and gain nothing. \[H200: the same\]
pub const CACHE_MARGIN_OF_VERSIONS: f64 = 4.0;

// Accesses to local memory, in issue cycles of a partition, and what moves an object. See `stack/gain.rs`.

/// Each further line of 128 bytes that a warp accesses: the first-level cache looks up one line per clock, for four
/// partitions. CUDA C++ Best Practices Guide, "Local Memory"; \[latency\]
pub const LOCAL_LINE: f64 = 4.0;
/// A miss of the first-level cache: a share of the latency of the second. \[latency\]
pub const LOCAL_MISS: f64 = 20.0;
/// Each line of a miss: the second level delivers 64 bytes per clock to a multiprocessor. \[latency\]
pub const LOCAL_MISS_LINE: f64 = 8.0;
/// An index of a part of a word in shared memory that is interleaved by words: two masks and a product. \[ptxas: one object of
/// bytes, which took 1.13 times as long on an H100 in shared memory\]
pub const DIVIDED_INDEX: f64 = 6.0;
/// Least foreseen gain for which an object moves: those that gain are foreseen to gain 1.08 and more. \[H200: 6 kernels
/// of 4 public programs, and section `spill`\]
pub const STACK_MIN_GAIN: f64 = 1.05;
/// Objects stay if those that stay anyway are used this many times as often as they are. \[not measured; 1, 0\]
pub const LESS_USED_PART: f64 = 4.0;
/// Largest object in constant memory, in bytes, since that is small; larger ones are read like other memory. \[not
/// measured; 0, 0\]
pub const MAX_CONSTANT: u64 = 4096;

// Slots in shared memory, in loads from one.

/// A `bar.warp.sync`. \[H200: one loop of loads from shared memory\]
pub const WARP_BARRIER: f64 = 4.0;
/// A reload of the uniform part of an affine value: the load and an addition. \[not measured; 0, 0\]
pub const AFFINE_RELOAD: f64 = 1.5;
/// A reload from a per-thread slot. A per-warp slot needs a 32nd of the memory. \[not measured; 0, 0\]
pub const THREAD_RELOAD: f64 = 4.0;
/// Number of loads that gain by registers for all of their results. \[not measured; 0, 1\]
pub const MANY_LOADS: usize = 16;
/// Registers beyond the budget that `ptxas` is sure to spill. Slots per thread ease only those: their loads cost as
/// much as its own. \[not measured; 0, 0\]
pub const SURE_TO_SPILL: u32 = 2;
/// Number of instructions for which a loaded group of slots stays in registers. \[not measured; 0, 0\]
pub const SLOT_WINDOW: u32 = 16;
/// Threads for which the version of an unbounded kernel has slots. Smaller blocks of at least a warp use this version
/// too. Larger blocks only pay for the test, so a lower number would do more harm than good: with 128 kernels lost.
/// \[H200: number of kernels not recorded\]
pub const VERSION_THREADS: u32 = 256;

// Rematerialisation.

/// A reload of a register that `ptxas` spilled, in instructions. \[not measured; 1, 0\]
pub const SPILL_RELOAD: f64 = 3.0;
/// Maximum length of a chain from a candidate to its leaves, in instructions. \[not measured; 1, 0\]
pub const REMAT_MAX_DEPTH: u32 = 6;
/// Maximum number of leaves with a phi each: `ptxas` would store those that it spills in every iteration. \[not
/// measured; 0, 0\]
pub const REMAT_MAX_PHIS: usize = 8;
/// Number of registers gained that justifies the phi. \[not measured; 0, 0\]
pub const REMAT_MIN_GAIN: u32 = 4;
/// Maximum number of added instructions per register if the cycle does not fit even then. \[H200: one kernel, a matrix
/// product with 36 results per thread, which became 7 % slower with 28\]
pub const REMAT_MAX_ADDED: u32 = 6;

// Register allocation by `ptxas`, in 32-bit registers.

/// How much of a block's peak above the pressure at its boundaries is counted: `ptxas` reorders instructions inside a
/// block to save registers. \[ptxas: number of kernels not recorded\]
pub const REORDERED_AWAY: u32 = 6;
/// Maximum number of registers that `ptxas` uses beyond those that are live, for loads of a loop that are in flight and
/// their addresses. A loop without loads was observed to use its budget to the last register. \[ptxas: number of
/// kernels not recorded\]
pub const LOADS_IN_FLIGHT: u32 = 4;
/// Registers that `ptxas` takes in short kernels besides those that values need, on average. \[ptxas: 26 kernels\]
pub const UNSEEN_REGISTERS: u32 = 8;
/// Registers for what is loaded ahead of one division: two wide loads, or four of words. With any number three times as many
/// kernels lose warps. \[ptxas: 57 kernels; H200: of 17 timed programs two gain, none loses\]
pub const AHEAD_REGISTERS: u32 = 4;
/// Instructions that may move with a load, for its address. \[not measured\]
pub const AHEAD_CHAIN: usize = 8;
/// Least number of loads of an iteration for which more registers pay. \[H200\]
pub const MANY_IN_FLIGHT: usize = 4;
/// Most loops with so many that are one of the source: LLVM unrolls it, and then what remains of it. \[LLVM\]
pub const SUMS_OF_ONE: usize = 2;
/// Loads of a block up to which it is left to LLVM's back end where they start: those of other warps fill the time. \[H200: a
/// program with 14 and 29 gains 1.13, one with 34 nothing; with one to three, none of three gains\]
pub const SINKING_LOADS: usize = 4;
/// Most registers beside which a loop that only adds up what it loads is put in groups although, by our estimate, not all warps
/// stay resident. \[H200: four kernels of three programs gain up to a factor of 1.48, none loses; of seven kernels that store
/// in the loop, or have more registers, three lose 7 to 13 %\]
pub const SUM_MAX_REGISTERS: u32 = 24;
/// Number of registers that are best left free for loads in flight when values are moved: with fewer, each load is
/// waited for. \[H200: number of kernels not recorded\]
pub const FREE_FOR_LOADS: u32 = 12;
/// The same if only values on which all lanes agree are moved: a few more spills cost less than a few more slots.
/// \[H200: the same\]
pub const FREE_FOR_LOADS_BESIDE_WARP_SLOTS: u32 = 8;
/// Length in words up to which `ptxas` usually keeps an indexed array of words in registers, by selecting among them.
/// Up to six words it nearly always does so; seven lose little in local memory if it does not. \[ptxas: one loop over
/// arrays of 2 to 40 elements, with 0 to 16 loads and stores\]
pub const SELECTED_WORDS: u64 = 7;
/// Longer arrays that are still kept in registers, as (words, maximum number of selections). A store at a variable
/// index is one selection, a load two. \[ptxas: the same\]
pub const SELECTED_WORDS_IF_FEW: [(u64, usize); 2] = [(8, 9), (10, 8)];

// Melding the sides of a branch, in issue cycles and percent. See `fuse/plan.rs`.

/// Least gain. Below it the error of the estimate exceeds the gain. \[not measured; 1, 0\]
pub const MELD_MIN_GAIN: i64 = 8;
/// Largest share of the savings that selects and guards may use up. \[not measured; 0, 0\]
pub const MELD_MAX_ADDED: i64 = 80;
/// Largest cost for a warp that does not split, of what melded instructions save for a warp that does. \[not measured;
/// 2, 0\]
pub const MELD_MAX_RISK: i64 = 100;
/// The same limit if guards split the warp again: `ptxas` does not schedule across them, which no estimate includes.
/// \[not measured; 1, 1\]
pub const MELD_MAX_RISK_GUARDED: i64 = 60;
/// Largest cost for a warp that does not split, of all that is saved. What every lane executes needlessly keeps
/// registers and lengthens chains of dependences, which no estimate includes: a kernel with 71 % became 2 % slower, and
/// those that gain have at most 65 %. \[H200: 14 kernels of public programs, and section `fuse`\]
pub const MELD_MAX_WASTE: i64 = 66;
/// Most expensive instruction that is executed needlessly rather than guarded: eight integer operations. \[not
/// measured; 0, 0\]
pub const MELD_MAX_LIFT: u32 = 16;
/// Largest kernel that is copied, in basic blocks: no version is worth doubling the code of a very large kernel. \[not
/// measured; 0, 0\]
pub const MAX_COPIED_BLOCKS: u32 = 2000;

// Converting trees of short branches. See `fuse/convert.rs`.

/// Maximum cost of instructions and selects in percent of that of the branches. Of 25 kernels with trees up to here 16
/// gain more than 2 % and none loses as much; of nine with trees above it four lose. \[H200: 34 kernels of public
/// programs\]
pub const TREE_MAX_COST: u32 = 70;
/// Maximum number of branches of a tree: as many as the largest that was timed with a gain has. Keys that are compared
/// word by word lead to more, of which few are reached; sorting by them lost 4 %. \[H200: two kernels\]
pub const TREE_MAX_BRANCHES: u32 = 8;
/// Maximum number of ways that load. With one in each iteration a merge of lists gains a sixth; with two, from shared
/// and from global memory, a kernel whose warps rarely split loses 8 %. \[H200: two kernels\]
pub const TREE_MAX_GUARDS: u32 = 1;
/// Maximum cost of a tree outside of loops, in issue cycles: that of two branches. Five kernels with trees up to here
/// are 1.01 to 1.04 times as fast and none loses; one with 40 cycles loses 1 %. \[H200: 6 kernels of 5 public
/// programs\]
pub const TREE_MAX_COST_ONCE: u32 = 32;
/// Maximum cost of ways that nearly all warps execute anyway, in issue cycles: four branches. The only kernel that was
/// timed has 55, and is 1.06 times as fast. \[H200: one kernel\]
pub const TREE_MAX_COST_OF_BITS: u32 = 4 * DIVERGENT_BRANCH;

// Threads that are coarsened.

/// Threads that become one. With eight or sixteen, where 16 bytes have so many elements, nothing more is gained. \[H200: 57
/// kernels of 12 public programs\]
pub const COARSEN_FACTOR: u32 = 4;
/// Threads of a grid from which on they do: an H100 holds an eighth of that at once. In any grid launches of 5 to 10 µs lose up
/// to a tenth. \[H200: 12 kernels of 7 public programs, with this number only\]
pub const COARSEN_MIN_THREADS: u64 = 1 << 21;
/// Bytes of an access up to which so few are in flight that memory waits; with 8 nothing is gained, and six kernels of ten
/// lose. \[H200: 14 kernels of 8 public programs\]
pub const COARSEN_NARROW: u32 = 4;
/// Most bytes from the access of one thread to that of the next: what is farther apart is not accessed together. \[not
/// measured\]
pub const COARSEN_MAX_STRIDE: i64 = 8;
/// Words that a thread has in flight then, so that as many fit on a multiprocessor as without them. \[ptxas: 7 kernels\]
pub const COARSEN_MAX_WORDS: u64 = 16;
/// Instructions of the kernel, and of what is copied together. \[not measured\]
pub const COARSEN_MAX_INSTRUCTIONS: usize = 600;

// Loops, calls, and what nvcc rewrites.

/// Iterations of the unrolled loop: what nvcc chooses for most loops of unknown trip count. \[H200: 23 kernels of 16
/// public programs, with this number only\]
pub const UNROLL_FACTOR: u32 = 4;
/// Instructions of a loop that is copied; four times as many fit the first-level instruction cache several times over.
/// \[not measured; 4, 1\]
pub const UNROLL_MAX_INSTRUCTIONS: usize = 128;
/// Instructions of a loop, without loads and what computes addresses, up to which `ptxas` unrolls it by four itself. \[ptxas:
/// sums of loads up to 14, of roots to 8, chains of multiply-adds to 18\]
pub const PTXAS_MAX_INSTRUCTIONS: usize = 16;
/// Least constant trip count of a loop that is unrolled: shorter ones are unrolled as it sees fit. \[LLVM\]
pub const UNROLL_MIN_TURNS: u64 = 16;
/// Instructions of a loop that is unrolled completely, without those that follow from its counter: LLVM's own threshold, which
/// counts these, too. With a larger threshold two programs with loops over bits are as fast as nvcc's. \[LLVM; H100: two
/// public programs\]
pub const WHOLE_MAX_INSTRUCTIONS: u64 = 300;
/// Instructions of the copies of a loop of constant trip count that is not unrolled completely: what LLVM allows for
/// complete unrolling. \[H100: 17 public programs, 8 of which gain\]
pub const PART_MAX_INSTRUCTIONS: u64 = WHOLE_MAX_INSTRUCTIONS;
/// The same, as LLVM has it: a quarter. \[LLVM\]
pub const PART_OF_LLVM: u64 = WHOLE_MAX_INSTRUCTIONS / 4;
/// Copies of such a loop; with 32 one program gains more and one loses. \[H200: 18 public programs\]
pub const PART_MAX_COPIES: u64 = 16;
/// Instructions of all iterations of such loops of a function, up to which `ptxas` may go on: half of the instruction cache.
/// \[H200: two public programs\]
pub const PART_LEFT_TO_PTXAS: u64 = 4096;
/// Largest bound of a trip count that is not known with which a loop is unrolled completely: LLVM's own, which it uses for
/// other targets. \[LLVM\]
pub const WHOLE_MAX_BOUND: u64 = 8;
/// Least share of the instructions of an iteration, in percent, that must follow from the counter. \[not measured; 2,
/// 5\]
pub const WHOLE_MIN_SHARE: u64 = 33;
/// Bytes of a lane whose load of neighbouring places fills a line of the cache. \[documented\]
pub const WHOLE_LINE: u32 = 4;
/// Instructions that the loops of a function that are unrolled completely may have in all. Sixteen bytes each, they fit
/// the instruction cache of a multiprocessor. \[not measured; 0, 0\]
pub const ARRAYS_MAX_INSTRUCTIONS: u64 = 4096;
/// Maximum number of instructions of a function that is inlined: compiling takes longer for larger callers. \[not
/// measured; 0, 0\]
pub const INLINE_MAX_INSTRUCTIONS: usize = 5000;
/// Number of instructions from which LLVM does not inline a visible function: its threshold at -O2, eleven times as
/// much for NVPTX, at five for an instruction. \[LLVM\]
pub const LARGE_FOR_LLVM: usize = 225 * 11 / 5;
/// The longest copy that is written as loads and stores, in bytes, and its pieces: as many registers, or four times as
/// many, are live between them. \[not measured; 0, 0\]
pub const COPY_MAX_BYTES: u64 = 128;
/// The pieces of such a copy. \[not measured; 1, 2\]
pub const COPY_MAX_PIECES: usize = 8;
/// Registers that `ptxas` may take or save if a copy between shared and global memory is vectors: the rest of the code is
/// ordered anew. \[ptxas: of 13 kernels those from an estimate of 27 differ, by -2 to 9; H100: one of them is at 0.66\]
pub const COPY_REGISTERS: u32 = 6;
/// The largest object that becomes registers once its copies are split, in bytes. \[not measured; 0, 0\]
pub const OBJECT_MAX_BYTES: u64 = 256;

// Annotations and advice.

/// The least share of the kernel's issue cycles that is worth an argument more. \[not measured\]
pub const ADVICE_MIN_SHARE: f64 = 0.05;
/// The least number of issue cycles of a warp: about one division. \[not measured\]
pub const ADVICE_MIN_CYCLES: f64 = 20.0;
/// The least number of issue cycles that each argument saves on average: a few cheap instructions that give as many
/// results are no advice. \[not measured\]
pub const ADVICE_MIN_FOR_ARGUMENT: f64 = 4.0;

// Counting for a divergence map.

/// Minimum (if any are held) and maximum number of registers that hold counts. \[not measured\]
pub const MAP_HELD: [u32; 2] = [16, 40];
/// Number of registers of a thread that leave room for a block of 1024 threads, and for many small ones. \[documented\]
pub const MAP_REGISTERS: u32 = 64;
/// Number of registers that the counting code itself needs, besides those of a record. \[not measured\]
pub const MAP_OWN_REGISTERS: u32 = 10;
/// Number of registers by which `ptxas` may exceed the estimate of a kernel that calls functions. \[not measured\]
pub const MAP_DOUBT: u32 = 8;
/// Minimum number of branches outside cycles that make flushing a register worthwhile. \[not measured\]
pub const MAP_MIN_BITS: usize = 2;
/// Maximum number of replicas, a power of two: about the number of multiprocessors of current GPUs. \[documented\]
pub const MAP_MAX_REPLICAS: u32 = 128;
