// How do passes, those of a plugin among them, change a module in this process? As in `opt`, without opt.

#include "managers.h"
#include "text.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

enum : int32_t { Failed = -1, Unchanged = 0, Changed = 1 };

// Runs a pipeline, as `opt -passes=` takes it, and verifies what it leaves. `Register`, if not null, adds the passes of
// a plugin. What is wrong with pipeline or result goes to the sink.
extern "C" int32_t warpwise_run_passes(LLVMModuleRef Module, LLVMTargetMachineRef Machine, WarpwiseText Passes,
                                       void (*Register)(PassBuilder &), WarpwiseSink Error, void *Context) {
  warpwise::Managers All(Machine, Register);
  ModulePassManager MPM;
  if (auto E = All.PB.parsePassPipeline(MPM, warpwise::ref(Passes))) {
    Error(Context, warpwise::text(toString(std::move(E))));
    return Failed;
  }
  auto &M = *unwrap(Module);
  bool Same = MPM.run(M, All.MAM).areAllPreserved();
  std::string Broken;
  raw_string_ostream OS(Broken);
  if (verifyModule(M, &OS)) {
    Error(Context, warpwise::text(Broken));
    return Failed;
  }
  return Same ? Unchanged : Changed;
}
