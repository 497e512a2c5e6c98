// The analysis `affine-divergence` as LLVM's pass manager sees it.
#pragma once

#include "abi.h"
#include "options.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace warpwise {

// The analysis in a pipeline, and its remarks.
constexpr const char *AnalysisName = "affine-divergence";
constexpr const char *RemarksName = "warpwise-remarks";

// What is kept of a module while it is compiled: the session, and summaries of its functions that the facts of each
// share while a module pass of ours runs.
//
// Functions' passes may only look at module analyses that are never invalidated. So the summaries are not held by this
// one itself: a module pass arms it with fresh ones and disarms it before anything can change.
class AffineModuleAnalysis : public llvm::AnalysisInfoMixin<AffineModuleAnalysis> {
public:
  class Result {
  public:
    bool invalidate(llvm::Module &, const llvm::PreservedAnalyses &, llvm::ModuleAnalysisManager::Invalidator &) {
      return false;
    }
    Session Kept;
    void *Armed = nullptr;
  };
  Result run(llvm::Module &, llvm::ModuleAnalysisManager &) { return Result(); }
  static llvm::AnalysisKey Key;
};

// Arms the summaries of a module for the lifetime of the guard.
class ArmedSummaries {
public:
  ArmedSummaries(llvm::Module &M, llvm::ModuleAnalysisManager &MAM, llvm::StringRef Pass = AnalysisName,
                 llvm::StringRef Parameters = "");
  ~ArmedSummaries();
  ArmedSummaries(const ArmedSummaries &) = delete;

private:
  AffineModuleAnalysis::Result &Slot;
};

// Facts of one function.
class AffineDivergenceAnalysis : public llvm::AnalysisInfoMixin<AffineDivergenceAnalysis> {
public:
  class Result {
  public:
    Result(void *Facts) : Facts(Facts) {}
    Result(Result &&Other) : Facts(Other.Facts) { Other.Facts = nullptr; }
    Result &operator=(Result &&) = delete;
    ~Result() {
      if (Facts)
        warpwise_facts_free(Facts);
    }
    bool invalidate(llvm::Function &F, const llvm::PreservedAnalyses &PA,
                    llvm::FunctionAnalysisManager::Invalidator &Inv);
    void *get() const { return Facts; }

  private:
    void *Facts;
  };
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static llvm::AnalysisKey Key;
};

// The session of a function's module: the one that is kept, or one for the moment if no module pass of ours has run.
class SessionOf {
public:
  SessionOf(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  const void *get() const { return Momentary ? Momentary->get() : Kept; }

private:
  const void *Kept = nullptr;
  std::optional<Session> Momentary;
};

// Facts of a function that nobody else gets: from the armed summaries, or of the module with these parameters.
AffineDivergenceAnalysis::Result fresh_facts(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                                             llvm::StringRef Parameters);

// Whether a module is code for NVIDIA GPUs; everything else is left alone.
bool is_nvptx(const llvm::Module &M);

// Facts of a function: from the cached summaries of its module, or from the module as it is.
void print_function(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, llvm::StringRef Parameters);

} // namespace warpwise
