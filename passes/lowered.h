// What do LLVM's later passes and its back end make of a function as it is?
#pragma once

#include "abi.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Target/TargetMachine.h"

namespace warpwise {

// For what the passes that follow on this thread are run; null if nobody knows.
extern thread_local llvm::TargetMachine *Machine;
// How much LLVM's pipeline optimises that is being built.
extern thread_local llvm::OptimizationLevel Level;

// Compiles a copy of a function in a context of its own, without this plugin, and passes the machine instructions to
// the sink; false if that cannot be done. `Optimises` says whether the passes that come after inlining are run.
bool lower(LLVMValueRef Function, bool Optimises, WarpwiseLoweredSink Sink, void *Context);

} // namespace warpwise
