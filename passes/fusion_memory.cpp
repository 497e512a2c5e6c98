// Has a function changed since fuse-branches found nothing in it?

#include "fusion_memory.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace warpwise {

AnalysisKey NothingToFuse::Key;

namespace {

// Tells a function from what it was, within one run of the compiler: values by their addresses. Two that differ and
// look alike would cost a fusion, no more. Debug records are none of it.
class Look {
public:
  uint64_t of(const Function &F) {
    for (const BasicBlock &B : F) {
      add(&B);
      for (const Instruction &I : B)
        add_instruction(I);
    }
    return Sum;
  }

private:
  void add(const void *Pointer) { add(reinterpret_cast<uintptr_t>(Pointer)); }
  void add(uint64_t Word) {
    Sum = (Sum ^ Word) * 0x9ddfea08eb382d69;
    Sum ^= Sum >> 47;
  }

  void add_instruction(const Instruction &I) {
    add(&I);
    add(uint64_t(I.getOpcode()) << 8 | I.getRawSubclassOptionalData());
    add(I.getType());
    for (const Use &U : I.operands())
      add(U.get());
    if (auto *Phi = dyn_cast<PHINode>(&I))
      for (const BasicBlock *From : Phi->blocks())
        add(From);
    else if (auto *Compare = dyn_cast<CmpInst>(&I))
      add(uint64_t(Compare->getPredicate()));
    else if (auto *Gep = dyn_cast<GetElementPtrInst>(&I))
      add(Gep->getSourceElementType());
    else if (auto *Call = dyn_cast<CallBase>(&I))
      add_call(*Call);
    else if (auto *Load = dyn_cast<LoadInst>(&I))
      add(Load->isVolatile() | uint64_t(Load->getOrdering()) << 1);
    else if (auto *Store = dyn_cast<StoreInst>(&I))
      add(Store->isVolatile() | uint64_t(Store->getOrdering()) << 1);
    if (I.isTerminator())
      add(I.getMetadata(LLVMContext::MD_prof));
  }

  // What is inferred of a callee counts too.
  void add_call(const CallBase &Call) {
    add(Call.getAttributes().getRawPointer());
    if (const Function *Callee = Call.getCalledFunction())
      add(Callee->getAttributes().getRawPointer());
  }

  uint64_t Sum = 0;
};

} // namespace

NothingToFuse::Result NothingToFuse::run(Function &F, FunctionAnalysisManager &) { return Result(Look().of(F)); }

bool NothingToFuse::Result::invalidate(Function &, const PreservedAnalyses &PA,
                                       FunctionAnalysisManager::Invalidator &) {
  auto PAC = PA.getChecker<NothingToFuse>();
  IsDoubtful |= !PAC.preserved() && !PAC.preservedSet<AllAnalysesOn<Function>>();
  return IsRefuted;
}

bool NothingToFuse::holds(Function &F, FunctionAnalysisManager &FAM) {
  Result *Known = FAM.getCachedResult<NothingToFuse>(F);
  if (!Known)
    return false;
  if (Known->IsDoubtful && Look().of(F) != Known->Seen) {
    Known->IsRefuted = true;
    auto Others = PreservedAnalyses::all();
    Others.abandon<NothingToFuse>();
    FAM.invalidate(F, Others);
    return false;
  }
  Known->IsDoubtful = false;
  return true;
}

} // namespace warpwise
