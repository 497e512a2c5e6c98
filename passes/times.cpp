// How long do LLVM's own uniformity analysis and ours take in the same process?
//
// Everything cached for a function is dropped before each run, so that dominators and cycles are part of LLVM's time,
// and the import from LLVM is part of ours.

#include "affine_divergence.h"
#include "managers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include <ctime>

using namespace llvm;

template <typename Body> static uint64_t nanoseconds(Body B) {
  timespec Start, Stop;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Start);
  B();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Stop);
  return (Stop.tv_sec - Start.tv_sec) * 1000000000ull + Stop.tv_nsec - Start.tv_nsec;
}

// Fills `theirs` and `ours` with `runs` times each, measured alternately, for all functions with a body.
extern "C" void warpwise_bench_analysis(LLVMModuleRef Module, LLVMTargetMachineRef Machine, uint64_t *Theirs,
                                        uint64_t *Ours, uint32_t Runs) {
  warpwise::Managers All(Machine);
  auto &MAM = All.MAM;
  auto &FAM = All.FAM;
  MAM.registerPass([] { return warpwise::AffineModuleAnalysis(); });
  FAM.registerPass([] { return warpwise::AffineDivergenceAnalysis(); });
  auto &M = *unwrap(Module);
  auto Bodies = make_filter_range(M, [](Function &F) { return !F.isDeclaration(); });
  auto Forget = [&] {
    for (Function &F : Bodies)
      FAM.invalidate(F, PreservedAnalyses::none());
  };
  for (uint32_t Run = 0; Run < Runs; ++Run) {
    Forget();
    // TTI is no part of either
    for (Function &F : Bodies)
      FAM.getResult<TargetIRAnalysis>(F);
    Theirs[Run] = nanoseconds([&] {
      for (Function &F : Bodies)
        FAM.getResult<UniformityInfoAnalysis>(F);
    });
    Forget();
    Ours[Run] = nanoseconds([&] {
      warpwise::ArmedSummaries Summaries(M, MAM);
      for (Function &F : Bodies)
        FAM.getResult<warpwise::AffineDivergenceAnalysis>(F);
    });
  }
}
