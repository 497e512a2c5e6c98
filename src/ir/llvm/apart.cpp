// How does a loop get a body of its own for few iterations? By a copy, between which and the loop itself the trip count
// decides: as LLVM's own unroller computes it, before the loop.

#include "api.h"
#include "loops.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

// A loop, and how often it turns around: one less than its trip count. Nothing if the loop has other exits than behind
// its latch, or that cannot be computed before it.
struct Counted {
  BasicBlock *End;
  warpwise::Loops Of;
  Loop *L;
  SCEVExpander Expander;
  const SCEV *Turns;

  explicit Counted(LLVMValueRef Latch)
      : End(cast<Instruction>(unwrap(Latch))->getParent()), Of(*End->getParent()), L(Of.LI.getLoopFor(End)),
        Expander(Of.SE, "few"), Turns(L ? turns() : nullptr) {}

private:
  const SCEV *turns() {
    BasicBlock *Before = L->getLoopPredecessor();
    if (!Before || L->getExitingBlock() != End || L->getLoopLatch() != End)
      return nullptr;
    const SCEV *Found = Of.SE.getBackedgeTakenCount(L);
    bool IsNumber = !isa<SCEVCouldNotCompute>(Found) && Found->getType()->isIntegerTy();
    return IsNumber && Expander.isSafeToExpandAt(Found, Before->getTerminator()) ? Found : nullptr;
  }
};

} // namespace

// Whether the loop that ends here has one exit, there, and its trip count can be computed before it.
extern "C" bool warpwise_counts_before(LLVMValueRef Latch) { return Counted(Latch).Turns; }

// Copies the loop that ends here, of which that is so, for fewer than `Many` iterations; returns where the copy ends.
extern "C" LLVMValueRef warpwise_set_few_apart(LLVMValueRef Latch, uint32_t Many) {
  Counted Known(Latch);
  auto &[End, Of, L, Expander, Turns] = Known;
  simplifyLoop(L, &Of.DT, &Of.LI, &Of.SE, &Of.AC, nullptr, /*PreserveLCSSA=*/false);
  formLCSSA(*L, Of.DT, &Of.LI, &Of.SE);
  BasicBlock *Before = L->getLoopPreheader(), *Exit = L->getExitBlock();
  Value *Count = Expander.expandCodeFor(Turns, Turns->getType(), Before->getTerminator()->getIterator());
  IRBuilder<> Build(Before->getTerminator());
  Value *AreFew = Build.CreateICmpULT(Build.CreateFreeze(Count), ConstantInt::get(Count->getType(), Many - 1));

  BasicBlock *Start = SplitBlock(Before, Before->getTerminator(), &Of.DT, &Of.LI);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *> Blocks;
  Loop *Few = cloneLoopWithPreheader(Start, Before, L, Map, ".few", &Of.LI, &Of.DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValueForBlock(End), *Now = Map.lookup(V);
    Phi.addIncoming(Now ? Now : V, cast<BasicBlock>(static_cast<Value *>(Map[End])));
  }
  Instruction *Old = Before->getTerminator();
  warpwise::new_branch(AreFew, Few->getLoopPreheader(), Start, Old->getIterator())->setDebugLoc(Old->getDebugLoc());
  Old->eraseFromParent();
  return wrap(cast<BasicBlock>(static_cast<Value *>(Map[End]))->getTerminator());
}
