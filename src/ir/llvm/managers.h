// What do passes need that are run in this process, without opt?
#pragma once

#include "llvm-c/TargetMachine.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Target/TargetMachine.h"

namespace warpwise {

// LLVM's analyses for a machine, computed when asked for.
struct Managers {
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
  llvm::PassBuilder PB;

  // `Register`, if not null, adds what a plugin has.
  explicit Managers(LLVMTargetMachineRef Machine, void (*Register)(llvm::PassBuilder &) = nullptr,
                    llvm::PassInstrumentationCallbacks *Callbacks = nullptr, llvm::PipelineTuningOptions Tuning = {})
      : PB(reinterpret_cast<llvm::TargetMachine *>(Machine), Tuning, std::nullopt, Callbacks) {
    if (Register)
      Register(PB);
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};

} // namespace warpwise
