// Remarks from Rust, through LLVM's OptimizationRemarkEmitter under the pass name "warpwise".
#pragma once

#include "abi.h"
#include "llvm/IR/PassManager.h"

namespace warpwise {

// The host interface for a pass that runs on `M`; valid while `FAM` is.
WarpwiseHost host(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

// Whether remarks of any kind are wanted.
bool wants_remarks(const WarpwiseHost &Host);

} // namespace warpwise
