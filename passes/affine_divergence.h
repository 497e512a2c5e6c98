// The analysis `affine-divergence` as LLVM's pass manager sees it.
#pragma once

#include "abi.h"
#include "llvm/IR/PassManager.h"
#include <string>

namespace warpwise {

// Summaries of a module's functions, shared by the facts of each while a module pass of ours runs.
//
// Function analyses may only look at module analyses that are never invalidated. So this one holds nothing by itself:
// a module pass arms it with fresh summaries and disarms it before anything can change.
class AffineModuleAnalysis : public llvm::AnalysisInfoMixin<AffineModuleAnalysis> {
public:
  class Result {
  public:
    bool invalidate(llvm::Module &, const llvm::PreservedAnalyses &, llvm::ModuleAnalysisManager::Invalidator &) {
      return false;
    }
    void *Armed = nullptr;
  };
  Result run(llvm::Module &, llvm::ModuleAnalysisManager &) { return Result(); }
  static llvm::AnalysisKey Key;
};

// Arms the summaries of a module for the lifetime of the guard.
class ArmedSummaries {
public:
  ArmedSummaries(llvm::Module &M, llvm::ModuleAnalysisManager &MAM, llvm::StringRef Parameters = "");
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

// Whether a module is code for NVIDIA GPUs; everything else is left alone.
bool is_nvptx(const llvm::Module &M);

// Facts of a function: from the cached summaries of its module, or from the module as it is.
void print_function(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, llvm::StringRef Parameters);

} // namespace warpwise
