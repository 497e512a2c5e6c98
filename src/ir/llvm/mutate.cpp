// How does one valid module become another, near it but odder? Edits of its structure, for tests only: nothing of what
// it computes is kept. Whether the result is valid is for LLVM's verifier to say.

#include "api.h"
#include "llvm-c/Types.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

class Mutator {
public:
  Mutator(Module &M, uint64_t Seed) : M(M), State(Seed) {}
  bool edit();

private:
  uint64_t bits() { // SplitMix64, as in src/oracle/fuzz/rng.rs
    State += 0x9e3779b97f4a7c15;
    uint64_t Z = State;
    Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
    return Z ^ (Z >> 31);
  }
  size_t below(size_t N) { return N ? bits() % N : 0; }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  template <typename C> auto pick(const C &List) { return List[below(List.size())]; }

  Instruction *any_inst(function_ref<bool(Instruction &)> Wanted);
  BasicBlock *any_target();
  Constant *constant(Type *Ty);
  Value *value(Type *Ty);
  void repair();
  void repair_phis(BasicBlock &B);

  bool replace_operand();
  bool swap_operands();
  bool remove();
  bool duplicate();
  bool move();
  bool retarget();
  bool branch_more();
  bool branch_less();
  bool make_switch();
  bool end_block();
  bool change_compare();
  bool change_flags();
  bool change_opcode();
  bool change_memory();
  bool split();
  bool merge();
  bool duplicate_block();
  bool change_attributes();
  bool change_metadata();
  bool change_callee();

  Module &M;
  uint64_t State;
  Function *F = nullptr;
};

bool is_plain(Type *Ty) {
  return Ty->isFirstClassType() && !Ty->isTokenTy() && !Ty->isMetadataTy() && !Ty->isLabelTy();
}

Instruction *Mutator::any_inst(function_ref<bool(Instruction &)> Wanted) {
  Instruction *Found = nullptr;
  size_t Seen = 0;
  for (BasicBlock &B : *F)
    for (Instruction &I : B)
      if (Wanted(I) && below(++Seen) == 0)
        Found = &I;
  return Found;
}

// A block that may be jumped to.
BasicBlock *Mutator::any_target() {
  if (F->size() < 2)
    return nullptr;
  return &*std::next(F->begin(), 1 + below(F->size() - 1));
}

Constant *Mutator::constant(Type *Ty) {
  if (Ty->isIntOrIntVectorTy() && chance(70)) {
    unsigned Bits = Ty->getScalarSizeInBits();
    const uint64_t Odd[] = {1, 2, 31, 32, 255, 1ull << 31, ~0ull, ~0ull >> 1, bits()};
    APInt Number = chance(20) ? APInt::getSignedMinValue(Bits) : APInt(64, Odd[below(9)]).zextOrTrunc(Bits);
    return ConstantInt::get(Ty, Number);
  }
  if (Ty->isFPOrFPVectorTy() && chance(60))
    return chance(50) ? ConstantFP::get(Ty, double(below(100))) : ConstantFP::getNaN(Ty);
  auto *Extension = dyn_cast<TargetExtType>(Ty);
  if (chance(50) && (!Extension || Extension->hasProperty(TargetExtType::HasZeroInit)))
    return Constant::getNullValue(Ty);
  return chance(50) ? UndefValue::get(Ty) : static_cast<Constant *>(PoisonValue::get(Ty));
}

// Anything of a type; where it is not yet there, repair() puts something else.
Value *Mutator::value(Type *Ty) {
  if (!is_plain(Ty))
    return nullptr;
  if (chance(15))
    return constant(Ty);
  Value *Found = nullptr;
  size_t Seen = 0;
  for (Argument &A : F->args())
    if (A.getType() == Ty && below(++Seen) == 0)
      Found = &A;
  for (BasicBlock &B : *F)
    for (Instruction &I : B)
      if (I.getType() == Ty && below(++Seen) == 0)
        Found = &I;
  if (Ty->isPointerTy())
    for (GlobalVariable &G : M.globals())
      if (G.getType() == Ty && below(++Seen) == 0)
        Found = &G;
  return Found ? Found : constant(Ty);
}

// One entry a predecessor, in their order.
void Mutator::repair_phis(BasicBlock &B) {
  SmallVector<BasicBlock *, 8> Preds(predecessors(&B));
  SmallVector<PHINode *, 8> Phis;
  for (PHINode &Phi : B.phis())
    Phis.push_back(&Phi);
  for (PHINode *Phi : Phis) {
    SmallDenseMap<BasicBlock *, Value *> Known;
    for (unsigned I = 0; I != Phi->getNumIncomingValues(); ++I)
      Known.try_emplace(Phi->getIncomingBlock(I), Phi->getIncomingValue(I));
    if (Preds.empty()) {
      Phi->replaceAllUsesWith(PoisonValue::get(Phi->getType()));
      Phi->eraseFromParent();
      continue;
    }
    PHINode *New = PHINode::Create(Phi->getType(), Preds.size(), "", Phi->getIterator());
    New->takeName(Phi);
    for (BasicBlock *Pred : Preds) {
      Value *&In = Known[Pred];
      if (!In)
        In = constant(Phi->getType());
      New->addIncoming(In == Phi ? New : In, Pred);
    }
    Phi->replaceAllUsesWith(New);
    Phi->eraseFromParent();
  }
}

// Makes every phi fit its predecessors and every use come after its definition.
void Mutator::repair() {
  for (BasicBlock &B : *F)
    repair_phis(B);
  DominatorTree DT(*F);
  for (BasicBlock &B : *F)
    for (Instruction &I : B)
      for (Use &U : I.operands()) {
        auto *Def = dyn_cast<Instruction>(U.get());
        if (!Def || !is_plain(Def->getType()) || DT.dominates(Def, U))
          continue;
        SmallVector<Value *, 4> Arguments;
        for (Argument &A : F->args())
          if (A.getType() == Def->getType())
            Arguments.push_back(&A);
        U.set(!Arguments.empty() && chance(50) ? pick(Arguments) : constant(Def->getType()));
      }
  // entries of one predecessor agree
  for (BasicBlock &B : *F)
    repair_phis(B);
}

bool Mutator::replace_operand() {
  Instruction *I = any_inst([](Instruction &I) { return I.getNumOperands() && !isa<LandingPadInst>(I); });
  if (!I)
    return false;
  Use &U = I->getOperandUse(below(I->getNumOperands()));
  Value *New = value(U->getType());
  if (!New || isa<BasicBlock>(U) || isa<Function>(U))
    return false;
  U.set(New);
  return true;
}

bool Mutator::swap_operands() {
  Instruction *I = any_inst([](Instruction &I) { return I.getNumOperands() > 1; });
  if (!I)
    return false;
  Use &A = I->getOperandUse(below(I->getNumOperands())), &B = I->getOperandUse(below(I->getNumOperands()));
  if (&A == &B || A->getType() != B->getType())
    return false;
  A.swap(B);
  return true;
}

bool Mutator::remove() {
  Instruction *I = any_inst([](Instruction &I) { return !I.isTerminator() && !I.isEHPad(); });
  if (!I || I->getType()->isTokenTy())
    return false;
  if (!I->use_empty()) {
    Value *New = value(I->getType());
    I->replaceAllUsesWith(New && New != I ? New : PoisonValue::get(I->getType()));
  }
  I->eraseFromParent();
  return true;
}

bool Mutator::duplicate() {
  Instruction *I = any_inst([](Instruction &I) { return !I.isTerminator() && !I.isEHPad() && !isa<PHINode>(I); });
  if (!I)
    return false;
  for (unsigned Times = chance(5) ? 200 : 1; Times; --Times) {
    Instruction *New = I->clone();
    New->insertAfter(I->getIterator());
    if (chance(50))
      I->replaceUsesWithIf(New, [&](Use &U) { return U.getUser() != New && chance(50); });
  }
  return true;
}

bool Mutator::move() {
  auto Movable = [](Instruction &I) { return !I.isTerminator() && !I.isEHPad() && !isa<PHINode>(I); };
  Instruction *I = any_inst(Movable), *To = any_inst(Movable);
  if (!I || I == To)
    return false;
  I->moveBefore(To->getIterator());
  return true;
}

bool Mutator::retarget() {
  Instruction *I = any_inst([](Instruction &I) { return I.isTerminator() && I.getNumSuccessors(); });
  BasicBlock *To = any_target();
  if (!I || !To)
    return false;
  I->setSuccessor(below(I->getNumSuccessors()), To);
  return true;
}

bool Mutator::branch_more() {
  Instruction *I = any_inst([](Instruction &I) { return I.isTerminator() && I.getNumSuccessors() < 2; });
  BasicBlock *To = any_target(), *Other = any_target();
  if (!I || !To || isa<IndirectBrInst>(I))
    return false;
  if (I->getNumSuccessors())
    Other = I->getSuccessor(0);
  warpwise::new_branch(value(Type::getInt1Ty(M.getContext())), To, Other, I->getIterator());
  I->eraseFromParent();
  return true;
}

bool Mutator::branch_less() {
  Instruction *I = any_inst([](Instruction &I) { return I.isTerminator() && I.getNumSuccessors() > 1; });
  if (!I || isa<InvokeInst>(I) || isa<CallBrInst>(I))
    return false;
  warpwise::new_branch(I->getSuccessor(below(I->getNumSuccessors())), I->getIterator());
  I->eraseFromParent();
  return true;
}

bool Mutator::make_switch() {
  Instruction *I = any_inst([](Instruction &I) { return warpwise::is_branch(I); });
  const unsigned Widths[] = {1, 8, 32, 32, 32, 64, 128};
  auto *Ty = IntegerType::get(M.getContext(), Widths[below(7)]);
  BasicBlock *Default = any_target();
  if (!I || !Default)
    return false;
  auto *Switch = SwitchInst::Create(value(Ty), Default, 4, I->getIterator());
  SmallDenseSet<uint64_t> Taken;
  for (unsigned Count = chance(10) ? 300 : below(8); Count; --Count) {
    uint64_t Case = chance(50) ? Count : bits() >> 40;
    if (Ty->getBitWidth() < 64)
      Case &= (1ull << Ty->getBitWidth()) - 1;
    if (Taken.insert(Case).second)
      Switch->addCase(ConstantInt::get(Ty, Case), any_target());
  }
  I->eraseFromParent();
  return true;
}

// Cuts a block short: what follows is never reached, or is the function's end, or the block itself again.
bool Mutator::end_block() {
  Instruction *I = any_inst([](Instruction &I) { return !isa<PHINode>(I) && !I.isEHPad(); });
  if (!I || I->getParent()->hasAddressTaken())
    return false;
  BasicBlock *B = I->getParent();
  while (&B->back() != I) {
    if (!is_plain(B->back().getType()) && !B->back().use_empty())
      return false;
    if (!B->back().use_empty())
      B->back().replaceAllUsesWith(PoisonValue::get(B->back().getType()));
    B->back().eraseFromParent();
  }
  if (I->getType()->isTokenTy())
    return false;
  if (!I->use_empty())
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  I->eraseFromParent();
  Type *Result = F->getReturnType();
  unsigned How = below(3);
  if (How == 0 && !B->isEntryBlock())
    warpwise::new_branch(B, B);
  else if (How == 1 && (Result->isVoidTy() || is_plain(Result)))
    ReturnInst::Create(M.getContext(), Result->isVoidTy() ? nullptr : value(Result), B);
  else
    new UnreachableInst(M.getContext(), B);
  return true;
}

bool Mutator::change_compare() {
  auto *I = cast_or_null<CmpInst>(any_inst([](Instruction &I) { return isa<CmpInst>(I); }));
  if (!I)
    return false;
  auto First = isa<ICmpInst>(I) ? CmpInst::FIRST_ICMP_PREDICATE : CmpInst::FIRST_FCMP_PREDICATE;
  auto Last = isa<ICmpInst>(I) ? CmpInst::LAST_ICMP_PREDICATE : CmpInst::LAST_FCMP_PREDICATE;
  I->setPredicate(CmpInst::Predicate(First + below(Last - First + 1)));
  return true;
}

bool Mutator::change_flags() {
  Instruction *I = any_inst([](Instruction &I) { return isa<Operator>(I) || isa<LoadInst>(I) || isa<StoreInst>(I); });
  if (!I)
    return false;
  if (isa<OverflowingBinaryOperator>(I) || isa<TruncInst>(I)) {
    I->setHasNoSignedWrap(chance(50));
    I->setHasNoUnsignedWrap(chance(50));
  } else if (isa<PossiblyExactOperator>(I)) {
    I->setIsExact(chance(50));
  } else if (isa<PossiblyNonNegInst>(I)) {
    I->setNonNeg(chance(50));
  } else if (isa<FPMathOperator>(I)) {
    I->setFast(chance(50));
  } else if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
    GEP->setNoWrapFlags(chance(50) ? GEPNoWrapFlags::inBounds() : GEPNoWrapFlags::none());
  } else if (auto *Load = dyn_cast<LoadInst>(I)) {
    Load->setVolatile(chance(30));
  } else if (auto *Store = dyn_cast<StoreInst>(I)) {
    Store->setVolatile(chance(30));
  } else {
    return false;
  }
  return true;
}

bool Mutator::change_opcode() {
  Instruction *I = any_inst([](Instruction &I) { return isa<BinaryOperator>(I); });
  if (!I)
    return false;
  using B = Instruction;
  const B::BinaryOps Ints[] = {B::Add, B::Sub,  B::Mul,  B::UDiv, B::SDiv, B::URem, B::SRem,
                               B::Shl, B::LShr, B::AShr, B::And,  B::Or,   B::Xor};
  const B::BinaryOps Floats[] = {B::FAdd, B::FSub, B::FMul, B::FDiv, B::FRem};
  auto Opcode = I->getType()->isIntOrIntVectorTy() ? Ints[below(13)] : Floats[below(5)];
  auto *New = BinaryOperator::Create(Opcode, I->getOperand(0), I->getOperand(1), "", I->getIterator());
  New->takeName(I);
  I->replaceAllUsesWith(New);
  I->eraseFromParent();
  return true;
}

bool Mutator::change_memory() {
  Instruction *I = any_inst([](Instruction &I) { return isa<AllocaInst>(I) || isa<LoadInst>(I) || isa<StoreInst>(I); });
  if (!I)
    return false;
  Align New(1ull << below(8));
  if (auto *Load = dyn_cast<LoadInst>(I))
    return Load->setAlignment(New), true;
  if (auto *Store = dyn_cast<StoreInst>(I))
    return Store->setAlignment(New), true;
  auto *Alloca = cast<AllocaInst>(I);
  Type *Ty = Alloca->getAllocatedType();
  switch (below(4)) {
  case 0:
    Alloca->setAlignment(New);
    return true;
  case 1:
    Alloca->setAllocatedType(ArrayType::get(Ty, below(40)));
    return true;
  case 2:
    Alloca->setAllocatedType(StructType::get(M.getContext(), {Type::getInt8Ty(M.getContext()), Ty}, chance(50)));
    return true;
  default:
    Alloca->setOperand(0, value(Type::getInt32Ty(M.getContext())));
    return true;
  }
}

bool Mutator::split() {
  Instruction *I = any_inst([](Instruction &I) { return !isa<PHINode>(I) && !I.isEHPad(); });
  if (!I || isa<PHINode>(I))
    return false;
  I->getParent()->splitBasicBlock(I);
  return true;
}

bool Mutator::merge() {
  BasicBlock *B = any_target();
  return B && MergeBlockIntoPredecessor(B);
}

// One way into a block goes to a copy of it.
bool Mutator::duplicate_block() {
  BasicBlock *B = any_target();
  if (!B || B->isEHPad() || B->hasAddressTaken() || pred_empty(B))
    return false;
  ValueToValueMapTy Map;
  BasicBlock *Copy = CloneBasicBlock(B, Map, ".copy", F);
  for (Instruction &I : *Copy)
    RemapInstruction(&I, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  SmallVector<BasicBlock *, 8> Preds(predecessors(B));
  Instruction *From = pick(Preds)->getTerminator();
  for (unsigned I = 0; I != From->getNumSuccessors(); ++I)
    if (From->getSuccessor(I) == B)
      From->setSuccessor(I, Copy);
  return true;
}

bool Mutator::change_attributes() {
  const Attribute::AttrKind Plain[] = {Attribute::Convergent,   Attribute::NoUnwind,     Attribute::NoReturn,
                                       Attribute::AlwaysInline, Attribute::MinSize,      Attribute::NoRecurse,
                                       Attribute::WillReturn,   Attribute::Cold,         Attribute::Hot,
                                       Attribute::NoDuplicate,  Attribute::MustProgress, Attribute::NoInline,
                                       Attribute::ReturnsTwice, Attribute::Naked};
  const std::pair<const char *, const char *> Strings[] = {
      {"nvvm.maxntid", "256"}, {"nvvm.reqntid", "65,2,1"},      {"nvvm.maxnreg", "24"},   {"nvvm.minctasm", "2"},
      {"nvvm.maxntid", "0"},   {"nvvm.reqntid", "99999999999"}, {"nvvm.maxntid", "many"}, {"nvvm.maxclusterrank", ""},
      {"warpwise-off", ""},    {"warpwise-no-steer", ""},       {"target-cpu", "sm_999"}, {"target-cpu", ""},
      {"frame-pointer", "all"}};
  unsigned How = below(6);
  if (How < 2) {
    auto Kind = Plain[below(14)];
    F->hasFnAttribute(Kind) ? F->removeFnAttr(Kind) : F->addFnAttr(Kind);
  } else if (How == 2) {
    auto &Text = Strings[below(13)];
    F->addFnAttr(Text.first, Text.second);
  } else if (How == 3) {
    F->setMemoryEffects(chance(50) ? MemoryEffects::none() : MemoryEffects::argMemOnly());
  } else if (How == 4) {
    const GlobalValue::LinkageTypes Linkages[] = {GlobalValue::ExternalLinkage, GlobalValue::InternalLinkage,
                                                  GlobalValue::WeakODRLinkage, GlobalValue::LinkOnceAnyLinkage};
    F->setLinkage(Linkages[below(4)]);
  } else if (F->arg_size()) {
    Argument *A = F->getArg(below(F->arg_size()));
    const Attribute::AttrKind Kinds[] = {Attribute::NoAlias, Attribute::ReadOnly, Attribute::NonNull,
                                         Attribute::NoUndef, Attribute::InReg,    Attribute::ZExt,
                                         Attribute::Returned};
    auto Kind = Kinds[below(7)];
    A->hasAttribute(Kind) ? A->removeAttr(Kind) : A->addAttr(Kind);
  }
  return true;
}

bool Mutator::change_metadata() {
  Instruction *I = any_inst([](Instruction &I) { return I.hasMetadata(); });
  if (!I)
    return false;
  SmallVector<std::pair<unsigned, MDNode *>, 4> All;
  I->getAllMetadata(All);
  auto [Kind, Node] = pick(All);
  Instruction *To = any_inst([](Instruction &) { return true; });
  if (chance(50))
    I->setMetadata(Kind, nullptr);
  else
    To->setMetadata(Kind, Node);
  return true;
}

bool Mutator::change_callee() {
  auto *Call = cast_or_null<CallBase>(
      any_inst([](Instruction &I) { return isa<CallBase>(I) && !cast<CallBase>(I).isInlineAsm(); }));
  if (!Call)
    return false;
  if (chance(20) && is_plain(Call->getCalledOperand()->getType()) && !isa<CallBrInst>(Call)) {
    Call->setCalledOperand(value(Call->getCalledOperand()->getType()));
    return true;
  }
  Function *New = nullptr;
  size_t Seen = 0;
  for (Function &Other : M)
    if (Other.getFunctionType() == Call->getFunctionType() && below(++Seen) == 0)
      New = &Other;
  if (!New)
    return false;
  Call->setCalledOperand(New);
  return true;
}

bool Mutator::edit() {
  SmallVector<Function *, 16> Bodies;
  for (Function &Each : M)
    if (!Each.isDeclaration())
      Bodies.push_back(&Each);
  if (Bodies.empty())
    return false;
  F = pick(Bodies);
  using Edit = bool (Mutator::*)();
  const std::pair<unsigned, Edit> Weights[] = {
      {3, &Mutator::replace_operand},
      {1, &Mutator::swap_operands},
      {2, &Mutator::remove},
      {1, &Mutator::duplicate},
      {2, &Mutator::move},
      {3, &Mutator::retarget},
      {2, &Mutator::branch_more},
      {1, &Mutator::branch_less},
      {1, &Mutator::make_switch},
      {1, &Mutator::end_block},
      {1, &Mutator::change_compare},
      {1, &Mutator::change_flags},
      {1, &Mutator::change_opcode},
      {1, &Mutator::change_memory},
      {1, &Mutator::split},
      {1, &Mutator::merge},
      {2, &Mutator::duplicate_block},
      {1, &Mutator::change_attributes},
      {1, &Mutator::change_metadata},
      {1, &Mutator::change_callee},
  };
  SmallVector<Edit, 32> Edits;
  for (auto &[Weight, Each] : Weights)
    Edits.append(Weight, Each);
  if (!(this->*pick(Edits))())
    return false;
  repair();
  return true;
}

// Takes remarks of every kind and says nothing.
struct Listener : DiagnosticHandler {
  bool handleDiagnostics(const DiagnosticInfo &) override { return true; }
  bool isAnalysisRemarkEnabled(StringRef) const override { return true; }
  bool isMissedOptRemarkEnabled(StringRef) const override { return true; }
  bool isPassedOptRemarkEnabled(StringRef) const override { return true; }
  bool isAnyRemarkEnabled() const override { return true; }
};

} // namespace

// Makes up to so many edits, the same for the same seed.
extern "C" void warpwise_mutate(LLVMModuleRef Module, uint64_t Seed, uint32_t Edits) {
  Mutator Mutator(*unwrap(Module), Seed);
  for (uint32_t Tries = 4 * Edits; Edits && Tries; --Tries)
    Edits -= Mutator.edit();
}

// Has all remarks of a module made, and lost.
extern "C" void warpwise_listen(LLVMModuleRef Module) {
  unwrap(Module)->getContext().setDiagnosticHandler(std::make_unique<Listener>());
}
