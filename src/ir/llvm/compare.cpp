// What does LLVM's own uniformity analysis say about a module? Used for comparisons only.

#include "managers.h"
#include "llvm/Analysis/UniformityAnalysis.h"

using namespace llvm;

// For every block of every function with a body, in order: whether lanes may diverge at its end, according to LLVM.
extern "C" void warpwise_llvm_uniformity(LLVMModuleRef Module, LLVMTargetMachineRef Machine, bool *Divergent) {
  warpwise::Managers All(Machine);
  for (Function &F : *unwrap(Module)) {
    if (F.isDeclaration())
      continue;
    UniformityInfo &Info = All.FAM.getResult<UniformityInfoAnalysis>(F);
    for (BasicBlock &Block : F)
      *Divergent++ = Info.hasDivergentTerminator(Block);
  }
}
