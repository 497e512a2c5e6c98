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

// How often a loop with one exit, behind its latch, turns around: one less than its trip count. Nothing if that cannot
// be computed before the loop.
const SCEV *turnsOf(Loop &L, ScalarEvolution &SE, SCEVExpander &Expander) {
  BasicBlock *Before = L.getLoopPredecessor(), *Exiting = L.getExitingBlock();
  if (!Before || !Exiting || Exiting != L.getLoopLatch())
    return nullptr;
  const SCEV *Turns = SE.getBackedgeTakenCount(&L);
  bool IsNumber = !isa<SCEVCouldNotCompute>(Turns) && Turns->getType()->isIntegerTy();
  return IsNumber && Expander.isSafeToExpandAt(Turns, Before->getTerminator()) ? Turns : nullptr;
}

} // namespace

// Whether the loop that ends here has one exit, there, and its trip count can be computed before it.
extern "C" bool warpwise_counts_before(LLVMValueRef Latch) {
  BasicBlock *End = cast<Instruction>(unwrap(Latch))->getParent();
  warpwise::Loops Loops(*End->getParent());
  SCEVExpander Expander(Loops.SE, "few");
  Loop *L = Loops.LI.getLoopFor(End);
  return L && turnsOf(*L, Loops.SE, Expander);
}

// Copies the loop that ends here, of which that is so, for fewer than `Many` iterations; returns where the copy ends.
extern "C" LLVMValueRef warpwise_set_few_apart(LLVMValueRef Latch, uint32_t Many) {
  BasicBlock *End = cast<Instruction>(unwrap(Latch))->getParent();
  warpwise::Loops Loops(*End->getParent());
  auto &[Library, TLI, DT, LI, AC, SE] = Loops;
  Loop *L = LI.getLoopFor(End);
  SCEVExpander Expander(SE, "few");
  const SCEV *Turns = turnsOf(*L, SE, Expander);
  simplifyLoop(L, &DT, &LI, &SE, &AC, nullptr, /*PreserveLCSSA=*/false);
  formLCSSA(*L, DT, &LI, &SE);
  BasicBlock *Before = L->getLoopPreheader(), *Exit = L->getExitBlock();
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
