// How does a loop run in groups of iterations with one test for each group? It steps over threads, and its count is
// known to nobody.
//
// The group needs no trip count, and so no division. Where `i < bound - (N - 1) * step`, the loop goes on after `i`,
// `i + step`, ..., so that N copies run without a test between them. The limit is computed before the loop so that
// nothing can wrap: where it would, it is the least number, below which no counter is. Lanes decide on their own, as
// they do in the loop itself, which stays as it is for what remains.

#include "api.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace warpwise {
void say_of_loop(Instruction *Latch, MDNode *Said);
} // namespace warpwise

namespace {

// A loop of one block that goes on while `next`, the sum of `counter` and `step`, is less than `bound`.
struct Strided {
  BasicBlock *Body, *Before, *Exit;
  PHINode *Counter;
  Value *Step, *Bound;
  ICmpInst *Test;
  bool IsSigned;
};

bool isInside(Value *V, BasicBlock *Body) {
  auto *I = dyn_cast<Instruction>(V);
  return I && I->getParent() == Body;
}

std::optional<Strided> stridedLoop(Instruction *Latch) {
  if (!warpwise::is_conditional(*Latch))
    return std::nullopt;
  auto *Branch = cast<warpwise::CondBranch>(Latch);
  BasicBlock *Body = Branch->getParent();
  bool Inverted = Branch->getSuccessor(1) == Body;
  auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
  BasicBlock *Before = nullptr, *Exit = Branch->getSuccessor(Inverted ? 0 : 1);
  if (Branch->getSuccessor(Inverted) != Body || Exit == Body || !Test || Test->getParent() != Body)
    return std::nullopt;
  for (BasicBlock *From : predecessors(Body)) {
    if (From == Body)
      continue;
    if (Before)
      return std::nullopt;
    Before = From;
  }
  if (!Before || !warpwise::is_branch(*Before->getTerminator()))
    return std::nullopt;
  CmpInst::Predicate Predicate = Inverted ? Test->getInversePredicate() : Test->getPredicate();
  Value *Next = Test->getOperand(0), *Bound = Test->getOperand(1);
  if (!isInside(Next, Body)) {
    std::swap(Next, Bound);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  auto *Add = dyn_cast<BinaryOperator>(Next);
  if ((Predicate != CmpInst::ICMP_SLT && Predicate != CmpInst::ICMP_ULT) || isInside(Bound, Body) || !Add ||
      Add->getOpcode() != Instruction::Add || Add->getParent() != Body || !Add->getType()->isIntegerTy())
    return std::nullopt;
  Value *Counter = Add->getOperand(0), *Step = Add->getOperand(1);
  if (isInside(Step, Body))
    std::swap(Counter, Step);
  auto *Phi = dyn_cast<PHINode>(Counter);
  unsigned Bits = Add->getType()->getIntegerBitWidth();
  if (!Phi || Phi->getParent() != Body || isInside(Step, Body) || Phi->getIncomingValueForBlock(Body) != Add ||
      (Bits != 32 && Bits != 64))
    return std::nullopt;
  return Strided{Body, Before, Exit, Phi, Step, Bound, Test, Predicate == CmpInst::ICMP_SLT};
}

// The number below which `Count` iterations follow without a test.
Value *limitOf(IRBuilder<> &Build, const Strided &Loop, unsigned Count) {
  Type *Ty = Loop.Step->getType();
  unsigned Bits = Ty->getIntegerBitWidth();
  // no step whose multiple could wrap; as unsigned numbers, negative steps are too large
  Value *Small = Build.CreateICmpULT(Loop.Step, ConstantInt::get(Ty, APInt::getSignedMaxValue(Bits).udiv(Count)));
  Value *Rest = Build.CreateMul(Loop.Step, ConstantInt::get(Ty, Count - 1));
  Value *Enough = Loop.IsSigned ? Build.CreateICmpSGT(Loop.Bound, Rest) : Build.CreateICmpUGT(Loop.Bound, Rest);
  APInt Least = Loop.IsSigned ? APInt::getSignedMinValue(Bits) : APInt::getZero(Bits);
  return Build.CreateSelect(Build.CreateAnd(Small, Enough), Build.CreateSub(Loop.Bound, Rest),
                            ConstantInt::get(Ty, Least), "limit");
}

// No pass need copy the loop that ends here again.
void leaveWhole(Instruction *Latch) {
  LLVMContext &Context = Latch->getContext();
  warpwise::say_of_loop(Latch, MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.disable")));
}

} // namespace

// Whether the loop that ends here can run in groups: by its shape, not by what it does.
extern "C" bool warpwise_runs_in_groups(LLVMValueRef Latch) {
  return stridedLoop(cast<Instruction>(unwrap(Latch))).has_value();
}

// Puts a loop over groups of so many iterations before the loop that ends here, which can run in groups.
extern "C" void warpwise_run_in_groups(LLVMValueRef LatchRef, uint32_t Count) {
  auto *Latch = cast<Instruction>(unwrap(LatchRef));
  const Strided Loop = *stridedLoop(Latch);
  BasicBlock *Body = Loop.Body;
  Function *F = Body->getParent();
  LLVMContext &Context = F->getContext();
  auto *Entry = BasicBlock::Create(Context, Body->getName() + ".limit", F, Body);
  auto *Groups = BasicBlock::Create(Context, Body->getName() + ".groups", F, Body);
  auto *Behind = BasicBlock::Create(Context, Body->getName() + ".behind", F, Body);

  IRBuilder<> Build(Entry);
  Build.SetCurrentDebugLocation(Latch->getDebugLoc());
  Value *Limit = limitOf(Build, Loop, Count);
  auto Goes = [&](Value *At) {
    return Build.CreateICmp(Loop.IsSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, At, Limit);
  };
  Build.CreateCondBr(Goes(Loop.Counter->getIncomingValueForBlock(Loop.Before)), Groups, Body);
  Loop.Before->getTerminator()->replaceSuccessorWith(Body, Entry);

  // what the values of the loop are in the current copy
  ValueToValueMapTy Map;
  SmallVector<std::pair<PHINode *, PHINode *>> Phis;
  for (PHINode &Phi : Body->phis()) {
    PHINode *Copy = PHINode::Create(Phi.getType(), 2, Phi.getName() + ".group", Groups);
    Copy->setDebugLoc(Phi.getDebugLoc());
    Copy->addIncoming(Phi.getIncomingValueForBlock(Loop.Before), Entry);
    Map[&Phi] = Copy;
    Phis.push_back({&Phi, Copy});
  }
  auto Now = [&](Value *V) {
    auto Found = Map.find(V);
    return Found == Map.end() ? V : static_cast<Value *>(Found->second);
  };
  for (unsigned Turn = 0; Turn < Count; ++Turn) {
    if (Turn) {
      SmallVector<Value *> Next;
      for (auto &[Phi, Copy] : Phis)
        Next.push_back(Now(Phi->getIncomingValueForBlock(Body)));
      for (unsigned I = 0; I < Phis.size(); ++I)
        Map[Phis[I].first] = Next[I];
    }
    for (auto It = Body->getFirstNonPHIIt(); &*It != Latch; ++It) {
      if (&*It == Loop.Test && Loop.Test->hasOneUse())
        continue;
      Instruction *Copy = It->clone();
      if (It->hasName())
        Copy->setName(It->getName() + ".group");
      Copy->insertInto(Groups, Groups->end());
      auto Records = Copy->cloneDebugInfoFrom(&*It);
      RemapDbgRecordRange(F->getParent(), Records, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      RemapInstruction(Copy, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      Map[&*It] = Copy;
    }
  }
  for (auto &[Phi, Copy] : Phis)
    Copy->addIncoming(Now(Phi->getIncomingValueForBlock(Body)), Groups);
  Value *Next = Now(Loop.Counter->getIncomingValueForBlock(Body));
  Build.SetInsertPoint(Groups);
  Instruction *Again = Build.CreateCondBr(Goes(Next), Groups, Behind);
  leaveWhole(Again);
  Build.SetInsertPoint(Behind);
  Value *More = Build.CreateICmp(Loop.IsSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, Next, Loop.Bound);
  Build.CreateCondBr(More, Body, Loop.Exit);

  for (auto &[Phi, Copy] : Phis) {
    Phi->replaceIncomingBlockWith(Loop.Before, Entry);
    Phi->addIncoming(Now(Phi->getIncomingValueForBlock(Body)), Behind);
  }
  for (PHINode &Phi : Loop.Exit->phis())
    Phi.addIncoming(Now(Phi.getIncomingValueForBlock(Body)), Behind);
  for (Instruction &I : *Body) {
    SmallVector<Use *> Outside;
    for (Use &U : I.uses()) {
      auto *User = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(User);
      BasicBlock *At = Phi ? Phi->getIncomingBlock(U) : User->getParent();
      if (At != Body && At != Groups && At != Behind && At != Entry)
        Outside.push_back(&U);
    }
    if (Outside.empty())
      continue;
    SSAUpdater Update;
    Update.Initialize(I.getType(), I.getName());
    Update.AddAvailableValue(Body, &I);
    Update.AddAvailableValue(Behind, Now(&I));
    for (Use *U : Outside)
      Update.RewriteUse(*U);
  }
  leaveWhole(Latch);
}
