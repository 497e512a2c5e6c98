// How does a loop get a body of its own for few iterations? By a copy, between which and the loop itself the trip count
// decides: as LLVM's own unroller computes it, before the loop.

#include "api.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

// Copies the innermost loop that ends here, with one exit, for fewer than `Many` iterations; returns where the copy
// ends, or nothing if the trip count cannot be computed before the loop.
extern "C" LLVMValueRef warpwise_set_few_apart(LLVMValueRef Latch, uint32_t Many) {
  BasicBlock *End = cast<Instruction>(unwrap(Latch))->getParent();
  Function &F = *End->getParent();
  TargetLibraryInfoImpl Library(F.getParent()->getTargetTriple());
  TargetLibraryInfo TLI(Library, &F);
  DominatorTree DT(F);
  LoopInfo LI(DT);
  AssumptionCache AC(F);
  ScalarEvolution SE(F, TLI, AC, DT, LI);
  Loop *L = LI.getLoopFor(End);
  const SCEV *Turns = SE.getBackedgeTakenCount(L); // one less
  SCEVExpander Expander(SE, "few");
  if (L->getExitingBlock() != End || isa<SCEVCouldNotCompute>(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64 ||
      !Turns->getType()->isIntegerTy())
    return nullptr;
  simplifyLoop(L, &DT, &LI, &SE, &AC, nullptr, /*PreserveLCSSA=*/false);
  formLCSSA(*L, DT, &LI, &SE);
  BasicBlock *Before = L->getLoopPreheader(), *Exit = L->getExitBlock();
  if (!Before || !Exit || !Expander.isSafeToExpandAt(Turns, Before->getTerminator()))
    return nullptr;
  Value *Count = Expander.expandCodeFor(Turns, Turns->getType(), Before->getTerminator()->getIterator());
  IRBuilder<> Build(Before->getTerminator());
  Value *AreFew = Build.CreateICmpULT(Build.CreateFreeze(Count), ConstantInt::get(Count->getType(), Many - 1));

  BasicBlock *Start = SplitBlock(Before, Before->getTerminator(), &DT, &LI);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *> Blocks;
  Loop *Few = cloneLoopWithPreheader(Start, Before, L, Map, ".few", &LI, &DT, Blocks);
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
