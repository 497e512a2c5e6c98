// How often does LLVM expect the blocks of a function to run, and its loops to turn?

#include "frequency.h"
#include "loops.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Support/BranchProbability.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

constexpr uint32_t None = ~0u;

void set_unlikely(Function &F, BranchProbabilityInfo &BPI, ArrayRef<WarpwiseUnlikely> Unlikely) {
  SmallVector<BasicBlock *> Blocks;
  for (BasicBlock &BB : F)
    Blocks.push_back(&BB);
  for (auto [Block, Successor, Times] : Unlikely) {
    BranchProbability One(1, Times);
    BranchProbability Ways[] = {Successor ? One.getCompl() : One, Successor ? One : One.getCompl()};
    BPI.setEdgeProbability(Blocks[Block], SmallVector<BranchProbability>(std::begin(Ways), std::end(Ways)));
  }
}

// Counts of a loop, which need not be in simple form.
WarpwiseLoop loop(Loop &L, ScalarEvolution &SE, BranchProbabilityInfo &BPI, BlockFrequencyInfo &BFI) {
  BlockFrequency Entered;
  BasicBlock *Header = L.getHeader();
  SmallPtrSet<BasicBlock *, 4> Seen; // a switch may lead there twice; its probability is that of all
  for (BasicBlock *From : predecessors(Header))
    if (!L.contains(From) && Seen.insert(From).second)
      Entered += BFI.getBlockFreq(From) * BPI.getEdgeProbability(From, Header);
  uint64_t Most = ~uint64_t(0);
  if (auto *Back = dyn_cast<SCEVConstant>(SE.getConstantMaxBackedgeTakenCount(&L)))
    Most = Back->getAPInt().getLimitedValue(Most - 1) + 1;
  uint32_t Exact = SE.getSmallConstantTripCount(&L), Profiled = Exact ? 0 : getLoopEstimatedTripCount(&L).value_or(0);
  return {Entered.getFrequency(), Most, Exact, Profiled, 0, None};
}

} // namespace

extern "C" void warpwise_frequencies(LLVMValueRef Func, const WarpwiseUnlikely *Unlikely, size_t Count,
                                     WarpwiseRawFrequencies *Found) {
  Function &F = *cast<Function>(unwrap(Func));
  warpwise::Loops Loops(F);
  LoopInfo &LI = Loops.LI;
  BranchProbabilityInfo BPI(F, LI, &Loops.TLI, &Loops.DT);
  set_unlikely(F, BPI, ArrayRef(Unlikely, Count));
  BlockFrequencyInfo BFI(F, BPI, LI);

  DenseMap<const Loop *, uint32_t> Places;
  DenseMap<const BasicBlock *, uint32_t> Headers;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Places[L] = Found->loops.size;
    Headers[L->getHeader()] = Found->loops.size;
    WarpwiseLoop Known = loop(*L, Loops.SE, BPI, BFI);
    if (Loop *Around = L->getParentLoop())
      Known.parent = Places.lookup(Around);
    Found->loops.push(Known);
  }
  for (BasicBlock &BB : F) {
    if (auto Place = Headers.find(&BB); Place != Headers.end())
      Found->loops.data[Place->second].header = Found->blocks.size;
    Found->blocks.push(BFI.getBlockFreq(&BB).getFrequency());
    const Loop *L = LI.getLoopFor(&BB);
    Found->innermost.push(L ? Places.lookup(L) : None);
  }
}
