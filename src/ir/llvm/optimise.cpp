// How do passes, those of a plugin among them, change a module in this process? As in `opt`, without opt.

#include "text.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

enum : int32_t { Failed = -1, Unchanged = 0, Changed = 1 };

// Runs a pipeline, as `opt -passes=` takes it, and verifies what it leaves. `Register`, if not null, adds the passes of
// a plugin. What is wrong with pipeline or result goes to the sink.
extern "C" int32_t warpwise_run_passes(LLVMModuleRef Module, LLVMTargetMachineRef Machine, WarpwiseText Passes,
                                       void (*Register)(PassBuilder &), WarpwiseSink Error, void *Context) {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(reinterpret_cast<TargetMachine *>(Machine));
  if (Register)
    Register(PB);
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  ModulePassManager MPM;
  if (auto E = PB.parsePassPipeline(MPM, warpwise::ref(Passes))) {
    Error(Context, warpwise::text(toString(std::move(E))));
    return Failed;
  }
  auto &M = *unwrap(Module);
  bool Same = MPM.run(M, MAM).areAllPreserved();
  std::string Broken;
  raw_string_ostream OS(Broken);
  if (verifyModule(M, &OS)) {
    Error(Context, warpwise::text(Broken));
    return Failed;
  }
  return Same ? Unchanged : Changed;
}
