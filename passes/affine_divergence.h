// How does LLVM's pass manager see the analysis `affine-divergence`?
#pragma once

#include "abi.h"
#include "options.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace warpwise {

// Names of the analysis and of its remarks pass in a pipeline.
constexpr const char *AnalysisName = "affine-divergence";
constexpr const char *RemarksName = "warpwise-remarks";

// What is kept for a module while it is compiled: the session, and, while one of our module passes runs, summaries of
// its functions, which the facts of all functions share.
//
// Function passes may only access module analyses that are never invalidated. So this analysis does not own the
// summaries: a module pass arms it with fresh ones and disarms it before anything can change.
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

// The facts about one function.
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

// The session of a function's module: the one that is kept, or a temporary one if none of our module passes has run.
class SessionOf {
public:
  SessionOf(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  const void *get() const { return Momentary ? Momentary->get() : Kept; }

private:
  const void *Kept = nullptr;
  std::optional<Session> Momentary;
};

// Facts about a function that are not cached: from the armed summaries, or from the module with these parameters.
AffineDivergenceAnalysis::Result fresh_facts(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                                             llvm::StringRef Parameters);

// Whether a module is code for NVIDIA GPUs; all others are left alone.
bool is_nvptx(const llvm::Module &M);

// Prints the facts about a function, from the cached summaries of its module or from the module as it is.
void print_function(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, llvm::StringRef Parameters);

} // namespace warpwise
