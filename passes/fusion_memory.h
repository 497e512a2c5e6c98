// What is remembered of fuse-branches, which stands at several places of clang's pipelines.
#pragma once

#include "llvm/IR/PassManager.h"

namespace warpwise {

// That fuse-branches found nothing in a function: being cached is all that the result says. Other passes' word that
// they changed something only casts doubt on it, as pipelines drop all analyses now and then without a change; the next
// who asks compares what the function looks like.
class NothingToFuse : public llvm::AnalysisInfoMixin<NothingToFuse> {
public:
  class Result {
  public:
    explicit Result(uint64_t Seen) : Seen(Seen) {}
    bool invalidate(llvm::Function &F, const llvm::PreservedAnalyses &PA,
                    llvm::FunctionAnalysisManager::Invalidator &Inv);

  private:
    friend class NothingToFuse;
    uint64_t Seen;
    bool IsDoubtful = false;
    bool IsRefuted = false;
  };
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  // Whether it is known of a function as it is now; forgets what no longer holds.
  static bool holds(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static llvm::AnalysisKey Key;
};

} // namespace warpwise
