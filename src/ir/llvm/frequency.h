// How often LLVM expects the blocks of a function to run, for src/ir/llvm/frequency.rs. Reads only; decides nothing.
#pragma once

#include "walk.h"

extern "C" {

// Fills an empty record. What is said of ways out is put in place of what LLVM guesses.
void warpwise_frequencies(LLVMValueRef function, const WarpwiseUnlikely *unlikely, size_t count,
                          WarpwiseRawFrequencies *found);
}
