// The utility passes of the analysis: print<…>, require<…>, invalidate<…>, and its remarks.
#pragma once

#include "affine_divergence.h"
#include "remarks.h"
#include "text.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"

namespace warpwise {

using namespace llvm;

inline const void *session(Module &M, ModuleAnalysisManager &MAM) {
  return MAM.getResult<AffineModuleAnalysis>(M).Kept.get();
}

struct PrintFunctionPass : PassInfoMixin<PrintFunctionPass> {
  std::string Parameters;
  explicit PrintFunctionPass(std::string P) : Parameters(std::move(P)) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!F.isDeclaration())
      print_function(F, FAM, Parameters);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// At module level the summaries of the call graph are computed first and shared.
struct PrintModulePass : PassInfoMixin<PrintModulePass> {
  std::string Parameters;
  explicit PrintModulePass(std::string P) : Parameters(std::move(P)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    ArmedSummaries Summaries(M, MAM, AnalysisName, Parameters);
    for (Function &F : M)
      if (!F.isDeclaration())
        print_function(F, FAM, Parameters);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct RequireModulePass : PassInfoMixin<RequireModulePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    ArmedSummaries Summaries(M, MAM);
    for (Function &F : M)
      if (!F.isDeclaration())
        FAM.getResult<AffineDivergenceAnalysis>(F);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct InvalidateModulePass : PassInfoMixin<InvalidateModulePass> {
  PreservedAnalyses run(Module &, ModuleAnalysisManager &) {
    auto PA = PreservedAnalyses::all();
    PA.abandon<AffineDivergenceAnalysis>();
    return PA;
  }
  static bool isRequired() { return true; }
};

// Remarks about divergent branches and lane strides, if any remarks are wanted.
struct RemarksPass : PassInfoMixin<RemarksPass> {
  std::string Parameters;
  explicit RemarksPass(std::string P) : Parameters(std::move(P)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!is_nvptx(M))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwisePassManager Manager = passManager(M, FAM);
    if (!wants_remarks(Manager))
      return PreservedAnalyses::all();
    const void *Kept = session(M, MAM);
    ArmedSummaries Summaries(M, MAM, RemarksName, Parameters);
    for (Function &F : M) {
      if (F.isDeclaration())
        continue;
      // cached facts are those without parameters
      if (Parameters.empty())
        warpwise_facts_remarks(FAM.getResult<AffineDivergenceAnalysis>(F).get(), text(""), Kept, &Manager);
      else
        warpwise_facts_remarks(fresh_facts(F, FAM, Parameters).get(), text(Parameters), Kept, &Manager);
    }
    warpwise_remarks_finish(Kept, &Manager);
    return PreservedAnalyses::all();
  }
};

} // namespace warpwise
