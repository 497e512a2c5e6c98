// How often LLVM expects the blocks of a function to run, for src/ir/llvm/frequency.rs. Reads only; decides nothing.
#pragma once

#include "walk.h"

extern "C" {

// One natural loop; all counts are for one entry of it.
struct WarpwiseLoop {
  // BlockFrequencyInfo of the edges into it.
  uint64_t entered;
  // Most times that its header runs; all ones where ScalarEvolution knows none.
  uint64_t most;
  // Times that its header runs, by ScalarEvolution; else by the profile; 0 where neither knows.
  uint32_t exact;
  uint32_t profiled;
  // Number of its header among the function's blocks.
  uint32_t header;
  // The loop around it, by its place in the list; all ones for none.
  uint32_t parent;
};

// A way out of a two-way branch that is taken once in so many times, by the numbers of block and successor.
struct WarpwiseUnlikely {
  uint32_t block;
  uint32_t successor;
  uint32_t times;
};

struct WarpwiseFrequencies {
  // BlockFrequencyInfo of each block; the first is the entry.
  warpwise::Rows<uint64_t> blocks;
  // The innermost loop around each block, by its place in the list; all ones for none.
  warpwise::Rows<uint32_t> innermost;
  // Outer loops before inner ones.
  warpwise::Rows<WarpwiseLoop> loops;
};

// src/ir/llvm/frequency.rs asserts the same.
static_assert(sizeof(WarpwiseLoop) == 32 && offsetof(WarpwiseLoop, entered) == 0 && offsetof(WarpwiseLoop, most) == 8);
static_assert(offsetof(WarpwiseLoop, exact) == 16 && offsetof(WarpwiseLoop, profiled) == 20);
static_assert(offsetof(WarpwiseLoop, header) == 24 && offsetof(WarpwiseLoop, parent) == 28);
static_assert(sizeof(WarpwiseUnlikely) == 12 && offsetof(WarpwiseUnlikely, successor) == 4 &&
              offsetof(WarpwiseUnlikely, times) == 8);
static_assert(sizeof(WarpwiseFrequencies) == 48 && offsetof(WarpwiseFrequencies, innermost) == 16 &&
              offsetof(WarpwiseFrequencies, loops) == 32);

// Fills an empty record. What is said of ways out is put in place of what LLVM guesses.
void warpwise_frequencies(LLVMValueRef function, const WarpwiseUnlikely *unlikely, size_t count,
                          WarpwiseFrequencies *found);
}
