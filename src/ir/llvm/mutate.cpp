// How does one valid module become another, near it but odder? By LLVM's own mutator, which inserts, deletes and
// modifies instructions, phis and branches, and by edits that it lacks: edges to anywhere, other operands, callees,
// attributes and metadata. For tests only: nothing of what it computes is kept. Whether the result is valid is for
// LLVM's verifier to say.

#include "api.h"
#include "llvm-c/Types.h"
#include "llvm/FuzzMutate/IRMutator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
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
  bool retarget();
  bool end_block();
  bool change_memory();
  bool duplicate_block();
  bool change_attributes();
  bool change_metadata();
  bool change_callee();
  bool as_llvm_does();

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

bool Mutator::retarget() {
  Instruction *I = any_inst([](Instruction &I) { return I.isTerminator() && I.getNumSuccessors(); });
  BasicBlock *To = any_target();
  if (!I || !To)
    return false;
  I->setSuccessor(below(I->getNumSuccessors()), To);
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

// One of LLVM's edits; none shuffles a block, which loses instructions of an unreachable one that use each other.
bool Mutator::as_llvm_does() {
  if (!all_of(M, [](Function &Each) { return all_of(Each, warpwise::is_mutable); }))
    return false;
  std::vector<TypeGetter> Types = {Type::getInt1Ty,  Type::getInt8Ty,  Type::getInt32Ty,
                                   Type::getInt64Ty, Type::getFloatTy, Type::getDoubleTy};
  std::vector<std::unique_ptr<IRMutationStrategy>> Edits;
  Edits.push_back(std::make_unique<InjectorIRStrategy>());
  Edits.push_back(std::make_unique<InstDeleterIRStrategy>());
  Edits.push_back(std::make_unique<InstModificationIRStrategy>());
  Edits.push_back(std::make_unique<InsertCFGStrategy>());
  Edits.push_back(std::make_unique<InsertPHIStrategy>());
  Edits.push_back(std::make_unique<SinkInstructionStrategy>());
  auto Edit = std::move(Edits[below(Edits.size())]);
  Edits.clear();
  Edits.push_back(std::move(Edit)); // LLVM's weights would insert instructions, mostly
  IRMutator(std::move(Types), std::move(Edits)).mutateModule(M, int(bits()), 2 * IRMutator::getModuleSize(M));
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
      {12, &Mutator::as_llvm_does},     {3, &Mutator::replace_operand}, {4, &Mutator::retarget},
      {1, &Mutator::end_block},         {1, &Mutator::change_memory},   {2, &Mutator::duplicate_block},
      {1, &Mutator::change_attributes}, {1, &Mutator::change_metadata}, {1, &Mutator::change_callee},
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
