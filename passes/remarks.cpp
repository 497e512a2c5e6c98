// What can a pass written in Rust request from the pass manager? To emit a remark through the emitter of its function,
// to run LLVM passes on a function, and to know what was found in it before.

#include "remarks.h"
#include "fusion_memory.h"
#include "lowered.h"
#include "managers.h"
#include "text.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/Timer.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

constexpr const char *PassName = "warpwise";
constexpr uint32_t Always = 1u << WARPWISE_ERROR | 1u << WARPWISE_WARNING;
constexpr uint32_t Counts = 1u << WARPWISE_COUNTED;

// The location that many call sites above an inlined instruction.
DiagnosticLocation place_of(const Instruction &I, uint32_t Up) {
  const DILocation *L = I.getDebugLoc();
  for (; Up && L && L->getInlinedAt(); --Up)
    L = L->getInlinedAt();
  return DiagnosticLocation(DebugLoc(L));
}

template <typename Remark>
void emit_as(OptimizationRemarkEmitter &ORE, Function &F, Instruction *I, uint32_t Up, StringRef Name,
             StringRef Message) {
  ORE.emit([&] {
    if (I) {
      Remark R(PassName, Name, place_of(*I, Up), I->getParent());
      R << Message;
      return R;
    }
    Remark R(PassName, Name, DiagnosticLocation(F.getSubprogram()), &F.getEntryBlock());
    R << Message;
    return R;
  });
}

void emit(void *Context, LLVMValueRef Func, LLVMValueRef Inst, uint32_t Up, uint32_t Kind, WarpwiseText Name,
          WarpwiseText Message) {
  auto &FAM = *static_cast<FunctionAnalysisManager *>(Context);
  auto &F = *cast<Function>(unwrap(Func));
  auto *I = Inst ? cast<Instruction>(unwrap(Inst)) : nullptr;
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  StringRef N = warpwise::ref(Name), M = warpwise::ref(Message);
  switch (Kind) {
  case WARPWISE_PASSED:
    return emit_as<OptimizationRemark>(ORE, F, I, Up, N, M);
  case WARPWISE_MISSED:
    return emit_as<OptimizationRemarkMissed>(ORE, F, I, Up, N, M);
  case WARPWISE_ERROR:
  case WARPWISE_WARNING: {
    DebugLoc Where = I ? I->getDebugLoc() : DebugLoc();
    auto Severity = Kind == WARPWISE_ERROR ? DS_Error : DS_Warning;
    return F.getContext().diagnose(DiagnosticInfoGenericWithLoc(M, F, Where, Severity));
  }
  default:
    return emit_as<OptimizationRemarkAnalysis>(ORE, F, I, Up, N, M);
  }
}

// Unrolls the loops that are marked for it. Behind the copies, LLVM leaves phis of a value and poison; what ptxas makes
// of an undefined register is not what LLVM promises, so they get zeros.
void unroll(Function &F, FunctionAnalysisManager &FAM) {
  auto is_undefined = [](const Use &U) { return isa<UndefValue>(U.get()); };
  SmallPtrSet<const PHINode *, 16> Known;
  for (const BasicBlock &B : F)
    for (const PHINode &Phi : B.phis())
      if (any_of(Phi.incoming_values(), is_undefined))
        Known.insert(&Phi);
  FAM.invalidate(F, LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/3, /*OnlyWhenForced=*/true)).run(F, FAM));
  for (BasicBlock &B : F)
    for (PHINode &Phi : B.phis())
      if (!Known.contains(&Phi))
        for (Use &U : Phi.incoming_values())
          if (is_undefined(U))
            U.set(Constant::getNullValue(Phi.getType()));
}

// Takes conditions out of the loops that are marked for it.
struct Unswitch : PassInfoMixin<Unswitch> {
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &LAM, LoopStandardAnalysisResults &Results, LPMUpdater &Updater) {
    if (!getBooleanLoopAttribute(&L, "warpwise.unswitch"))
      return PreservedAnalyses::all();
    return SimpleLoopUnswitchPass(/*NonTrivial=*/true).run(L, LAM, Results, Updater);
  }
};

// LLVM would refuse because lanes may part here. A target about which nothing is known does not say so. Conditions on
// which they may differ do not look the same in all iterations if they are frozen there.
void unswitch(Function &F) {
  unsigned Varies = F.getContext().getMDKindID("warpwise.varies");
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    MDNode *Node = I.getMetadata(Varies);
    if (!Node)
      continue;
    // of a branch and of a select, the first operand is the condition
    auto *Frozen = new FreezeInst(I.getOperand(0), "", I.getIterator());
    Frozen->setMetadata(Varies, Node);
    I.setMetadata(Varies, nullptr);
    I.setOperand(0, Frozen);
  }
  warpwise::Managers All(/*Machine=*/nullptr);
  createFunctionToLoopPassAdaptor(Unswitch()).run(F, All.FAM);
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isa<FreezeInst>(I) && I.getMetadata(Varies)) {
      I.replaceAllUsesWith(I.getOperand(0));
      I.eraseFromParent();
    }
}

void reshape(void *Context, LLVMValueRef Func, uint32_t How) {
  auto &FAM = *static_cast<FunctionAnalysisManager *>(Context);
  auto &F = *cast<Function>(unwrap(Func));
  // the pass may have edited the function since
  FAM.invalidate(F, PreservedAnalyses::none());
  if (How == WARPWISE_SIMPLIFY) {
    PassBuilder PB;
    PB.buildFunctionSimplificationPipeline(OptimizationLevel::O2, ThinOrFullLTOPhase::None).run(F, FAM);
  } else if (How == WARPWISE_ALIGN) {
    InferAlignmentPass().run(F, FAM);
  } else {
    if (How == WARPWISE_UNROLL || How == WARPWISE_FREE_ARRAYS)
      unroll(F, FAM);
    if (How == WARPWISE_FREE_ARRAYS) {
      FAM.invalidate(F, SROAPass(SROAOptions::ModifyCFG).run(F, FAM));
      FAM.invalidate(F, EarlyCSEPass().run(F, FAM));
    }
    if (How == WARPWISE_UNSWITCH)
      unswitch(F);
    FAM.invalidate(F, SimplifyCFGPass().run(F, FAM));
    InstCombinePass().run(F, FAM);
  }
  FAM.invalidate(F, PreservedAnalyses::none());
}

bool has_nothing(void *Context, LLVMValueRef Func) {
  return warpwise::NothingToFuse::holds(*cast<Function>(unwrap(Func)),
                                        *static_cast<FunctionAnalysisManager *>(Context));
}

void note_nothing(void *Context, LLVMValueRef Func) {
  static_cast<FunctionAnalysisManager *>(Context)->getResult<warpwise::NothingToFuse>(*cast<Function>(unwrap(Func)));
}

// The timers live as long as their thread, of which link-time optimisation has several; LLVM prints the group at the
// end.
void time_part(WarpwiseText Part, bool Starts) {
  if (!TimePassesIsEnabled)
    return;
  static TimerGroup Group("warpwise", "Parts of warpwise's passes");
  static thread_local StringMap<std::unique_ptr<Timer>> Timers;
  std::unique_ptr<Timer> &T = Timers[warpwise::ref(Part)];
  if (!T)
    T = std::make_unique<Timer>(warpwise::ref(Part), warpwise::ref(Part), Group);
  Starts ? T->startTimer() : T->stopTimer();
}

} // namespace

WarpwisePassManager warpwise::passManager(Module &M, FunctionAnalysisManager &FAM) {
  uint32_t Wanted = 0;
  LLVMContext &C = M.getContext();
  if (C.getLLVMRemarkStreamer()) {
    Wanted = 1u << WARPWISE_PASSED | 1u << WARPWISE_MISSED | 1u << WARPWISE_ANALYSIS;
  } else if (const DiagnosticHandler *H = C.getDiagHandlerPtr()) {
    Wanted |= H->isPassedOptRemarkEnabled(PassName) ? 1u << WARPWISE_PASSED : 0;
    Wanted |= H->isMissedOptRemarkEnabled(PassName) ? 1u << WARPWISE_MISSED : 0;
    Wanted |= H->isAnalysisRemarkEnabled(PassName) ? 1u << WARPWISE_ANALYSIS : 0;
  }
  Wanted |= AreStatisticsEnabled() ? Counts : 0;
  return {&FAM, Wanted | Always, emit, reshape, has_nothing, note_nothing, time_part, warpwise::lower};
}

bool warpwise::wants_remarks(const WarpwisePassManager &Manager) { return Manager.wanted & ~(Always | Counts); }
