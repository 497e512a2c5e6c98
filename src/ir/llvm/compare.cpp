// What does LLVM's own uniformity analysis say about a module? Used for comparisons only.

#include "llvm-c/TargetMachine.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

// For every block of every function with a body, in order: whether lanes may diverge at its end, according to LLVM.
extern "C" void warpwise_llvm_uniformity(LLVMModuleRef Module, LLVMTargetMachineRef Machine, bool *Divergent) {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(reinterpret_cast<TargetMachine *>(Machine));
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  for (Function &F : *unwrap(Module)) {
    if (F.isDeclaration())
      continue;
    UniformityInfo &Info = FAM.getResult<UniformityInfoAnalysis>(F);
    for (BasicBlock &Block : F)
      *Divergent++ = Info.hasDivergentTerminator(Block);
  }
}
