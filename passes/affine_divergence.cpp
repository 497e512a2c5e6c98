// How does the pass manager get, cache and drop the facts? Nothing is computed here.

#include "affine_divergence.h"
#include "options.h"
#include "text.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace warpwise {

AnalysisKey AffineModuleAnalysis::Key;
AnalysisKey AffineDivergenceAnalysis::Key;

bool is_nvptx(const Module &M) { return M.getTargetTriple().isNVPTX(); }

ArmedSummaries::ArmedSummaries(Module &M, ModuleAnalysisManager &MAM, StringRef Parameters)
    : Slot(MAM.getResult<AffineModuleAnalysis>(M)) {
  publish_options();
  Slot.Armed = is_nvptx(M) ? warpwise_module_new(wrap(&M), text(Parameters)) : nullptr;
}

ArmedSummaries::~ArmedSummaries() {
  if (Slot.Armed)
    warpwise_module_free(Slot.Armed);
  Slot.Armed = nullptr;
}

static void *facts_of(Function &F, FunctionAnalysisManager &FAM, StringRef Parameters) {
  Module &M = *F.getParent();
  if (!is_nvptx(M))
    return nullptr;
  auto &Proxy = FAM.getResult<ModuleAnalysisManagerFunctionProxy>(F);
  auto *Cached = Proxy.getCachedResult<AffineModuleAnalysis>(M);
  if (Cached && Cached->Armed)
    return warpwise_facts_new(Cached->Armed, wrap(&F));
  publish_options();
  void *Fresh = warpwise_module_new(wrap(&M), text(Parameters));
  void *Facts = warpwise_facts_new(Fresh, wrap(&F));
  warpwise_module_free(Fresh);
  return Facts;
}

AffineDivergenceAnalysis::Result AffineDivergenceAnalysis::run(Function &F, FunctionAnalysisManager &FAM) {
  return Result(facts_of(F, FAM, ""));
}

bool AffineDivergenceAnalysis::Result::invalidate(Function &, const PreservedAnalyses &PA,
                                                  FunctionAnalysisManager::Invalidator &) {
  auto PAC = PA.getChecker<AffineDivergenceAnalysis>();
  return !PAC.preserved() && !PAC.preservedSet<AllAnalysesOn<Function>>();
}

void print_function(Function &F, FunctionAnalysisManager &FAM, StringRef Parameters) {
  raw_ostream &OS = errs();
  if (!is_nvptx(*F.getParent())) {
    OS << "affine divergence for '" << F.getName() << "': not analysed, the target is not NVPTX\n";
    return;
  }
  if (Parameters.empty()) {
    auto &Facts = FAM.getResult<AffineDivergenceAnalysis>(F);
    warpwise_facts_print(Facts.get(), stream, &OS);
    return;
  }
  AffineDivergenceAnalysis::Result Facts(facts_of(F, FAM, Parameters));
  warpwise_facts_print(Facts.get(), stream, &OS);
}

} // namespace warpwise
