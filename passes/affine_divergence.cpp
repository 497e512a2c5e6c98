// How does the pass manager obtain, cache and invalidate facts? Nothing is computed here.

#include "affine_divergence.h"
#include "text.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace warpwise {

AnalysisKey AffineModuleAnalysis::Key;
AnalysisKey AffineDivergenceAnalysis::Key;

bool is_nvptx(const Module &M) { return M.getTargetTriple().isNVPTX(); }

ArmedSummaries::ArmedSummaries(Module &M, ModuleAnalysisManager &MAM, StringRef Pass, StringRef Parameters)
    : Slot(MAM.getResult<AffineModuleAnalysis>(M)) {
  if (is_nvptx(M))
    Slot.Armed = warpwise_module_new(wrap(&M), text(Pass), text(Parameters), Slot.Kept.get());
}

ArmedSummaries::~ArmedSummaries() {
  if (Slot.Armed)
    warpwise_module_free(Slot.Armed);
  Slot.Armed = nullptr;
}

static AffineModuleAnalysis::Result *kept(Function &F, FunctionAnalysisManager &FAM) {
  auto &Proxy = FAM.getResult<ModuleAnalysisManagerFunctionProxy>(F);
  return Proxy.getCachedResult<AffineModuleAnalysis>(*F.getParent());
}

SessionOf::SessionOf(Function &F, FunctionAnalysisManager &FAM) {
  if (auto *Cached = kept(F, FAM))
    Kept = Cached->Kept.get();
  else
    Momentary.emplace();
}

AffineDivergenceAnalysis::Result fresh_facts(Function &F, FunctionAnalysisManager &FAM, StringRef Parameters) {
  Module &M = *F.getParent();
  if (!is_nvptx(M))
    return nullptr;
  auto *Cached = kept(F, FAM);
  if (Cached && Cached->Armed)
    return warpwise_facts_new(Cached->Armed, wrap(&F));
  void *Fresh = warpwise_module_new(wrap(&M), text(AnalysisName), text(Parameters), SessionOf(F, FAM).get());
  void *Facts = warpwise_facts_new(Fresh, wrap(&F));
  warpwise_module_free(Fresh);
  return Facts;
}

AffineDivergenceAnalysis::Result AffineDivergenceAnalysis::run(Function &F, FunctionAnalysisManager &FAM) {
  return fresh_facts(F, FAM, "");
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
  auto Facts = fresh_facts(F, FAM, Parameters);
  warpwise_facts_print(Facts.get(), stream, &OS);
}

} // namespace warpwise
