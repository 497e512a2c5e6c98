// What does LLVM know of a function's loops, where no pass manager is at hand?
#pragma once

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace warpwise {

// Computed when it is made; whoever edits the function keeps it up to date.
struct Loops {
  llvm::TargetLibraryInfoImpl Library;
  llvm::TargetLibraryInfo TLI;
  llvm::DominatorTree DT;
  llvm::LoopInfo LI;
  llvm::AssumptionCache AC;
  llvm::ScalarEvolution SE;

  explicit Loops(llvm::Function &F)
      : Library(F.getParent()->getTargetTriple()), TLI(Library, &F), DT(F), LI(DT), AC(F), SE(F, TLI, AC, DT, LI) {}
};

} // namespace warpwise
