// Remarks from Rust, through LLVM's OptimizationRemarkEmitter under the pass name "warpwise".
#pragma once

#include "abi.h"
#include "llvm/IR/PassManager.h"

namespace warpwise {

// What a pass that runs on `M` may ask of its pass manager; valid while `FAM` is.
WarpwisePassManager passManager(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

// Whether remarks of any kind are wanted.
bool wants_remarks(const WarpwisePassManager &Manager);

} // namespace warpwise
