// How does one thread do the work of several neighbours? By a copy of the kernel, in which what differs from thread to
// thread is there once for each.
//
// Of a group of as many neighbouring blocks as threads become one, the first runs the copy and the others return. Each
// block tests whether the group may do so: by the launch, the arguments, and the number of the group, so that all of
// its blocks find the same. If not, they run the kernel as it is.

#include "api.h"
#include "llvm-c/Core.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace warpwise {
SmallVector<BasicBlock *> copyBlocks(Function &From, Function &To, const Twine &Suffix, ValueToValueMapTy &Map);
} // namespace warpwise

namespace {

template <typename T> struct List {
  const T *Data;
  size_t Length;
  ArrayRef<T> all() const { return ArrayRef<T>(Data, Length); }
};

struct Access {
  LLVMValueRef Inst;
  int64_t Apart;
  uint32_t Align;
};

struct Guard {
  LLVMValueRef Inst;
  bool Holds;
};

struct Test {
  ::Guard Guard;
  bool AtLast;
};

struct Rising {
  LLVMValueRef Value;
  bool IsSigned;
};

struct Coarsening {
  LLVMValueRef Kernel;
  uint32_t Factor, Widest, Dimensions;
  uint64_t Threads, BlockSize;
  List<LLVMValueRef> Roots;
  List<Access> Accesses;
  List<Guard> Guards;
  List<Test> Tests;
  List<::Rising> Rising;
  List<LLVMValueRef> Pointers, Numbers;
};

// What values are at the start of the kernel, if the number of the thread is known.
class Start {
  IRBuilder<> &Build;
  DenseMap<Value *, Value *> Known;

public:
  Start(IRBuilder<> &Build) : Build(Build) {}
  void know(Value *V, Value *Now) { Known[V] = Now; }
  Value *of(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return V;
    if (Value *Now = Known.lookup(V))
      return Now;
    SmallVector<Value *> Operands;
    for (Value *Operand : I->operands())
      Operands.push_back(of(Operand));
    Instruction *Copy = I->clone();
    for (unsigned Index = 0; Index < Operands.size(); ++Index)
      Copy->setOperand(Index, Operands[Index]);
    // where the kernel computes it, it may be known not to wrap
    Copy->dropPoisonGeneratingAnnotations();
    Copy->dropUBImplyingAttrsAndMetadata();
    Build.Insert(Copy);
    return Known[V] = Copy;
  }
};

// The kernel's blocks again.
struct Copy {
  SmallVector<BasicBlock *> Blocks;
  ValueToValueMapTy Map;

  Copy(Function &F) { Blocks = warpwise::copyBlocks(F, F, ".coarse", Map); }
  Instruction *of(LLVMValueRef Plain) { return cast<Instruction>(static_cast<Value *>(Map[unwrap(Plain)])); }
};

// Says that a load or a store is aligned to so much, unless more is known.
void align(Instruction *I, Align To) {
  if (To <= getLoadStoreAlignment(I))
    return;
  if (auto *Load = dyn_cast<LoadInst>(I))
    Load->setAlignment(To);
  else
    cast<StoreInst>(I)->setAlignment(To);
}

Value *all(IRBuilder<> &Build, ArrayRef<Value *> Tests) {
  Value *All = Build.getTrue();
  for (Value *Test : Tests)
    All = Build.CreateAnd(All, Test);
  return Build.CreateFreeze(All);
}

// Gives what differs from thread to thread to each thread of a group. `Numbers` are those of the threads.
void give_each(Copy &Coarse, const Coarsening &C, ArrayRef<SmallVector<Value *>> Numbers) {
  SmallVector<DenseMap<Value *, Value *>> Of(C.Factor);
  DenseSet<Value *> Differs;
  for (auto [Root, Number] : zip(C.Roots.all(), Numbers)) {
    Instruction *I = Coarse.of(Root);
    Differs.insert(I);
    for (unsigned Thread = 1; Thread < C.Factor; ++Thread)
      Of[Thread][I] = Number[Thread];
  }
  DenseMap<Instruction *, const Access *> Accesses;
  for (const Access &A : C.Accesses.all())
    Accesses[Coarse.of(A.Inst)] = &A;
  DenseSet<Value *> Roots = Differs;
  SmallVector<Instruction *> Own;
  for (bool More = true; More;) {
    More = false;
    for (BasicBlock *BB : Coarse.Blocks)
      for (Instruction &I : *BB)
        if (!I.isTerminator() && !Differs.contains(&I) &&
            any_of(I.operands(), [&](Value *V) { return Differs.contains(V); })) {
          Differs.insert(&I);
          More = true;
        }
  }
  for (BasicBlock *BB : Coarse.Blocks)
    for (Instruction &I : *BB)
      if (Differs.contains(&I) && !Roots.contains(&I))
        Own.push_back(&I);
  for (Instruction *I : Own) {
    Instruction *Last = I;
    for (unsigned Thread = 1; Thread < C.Factor; ++Thread) {
      Instruction *Next = I->clone();
      if (I->hasName())
        Next->setName(I->getName());
      Next->insertAfter(Last->getIterator());
      Of[Thread][I] = Last = Next;
    }
  }
  for (Instruction *I : Own) {
    const Access *A = Accesses.lookup(I);
    for (unsigned Thread = 1; Thread < C.Factor; ++Thread) {
      auto *Mine = cast<Instruction>(Of[Thread][I]);
      for (Use &U : Mine->operands())
        if (Value *Now = Of[Thread].lookup(U))
          U = Now;
      if (A) {
        IRBuilder<> Build(Mine);
        Value *First = getLoadStorePointerOperand(I);
        Value *Address = Build.CreatePtrAdd(First, Build.getInt64(Thread * A->Apart));
        Mine->setOperand(isa<LoadInst>(I) ? 0 : 1, Address);
        align(Mine, commonAlignment(Align(A->Align), Thread * A->Apart));
      }
    }
    if (A)
      align(I, Align(A->Align));
  }
  for (auto [Root, Number] : zip(C.Roots.all(), Numbers))
    Coarse.of(Root)->replaceAllUsesWith(Number[0]);
}

// What is decided does not branch any more, and what nothing uses goes.
void clean(Copy &Coarse) {
  for (BasicBlock *BB : Coarse.Blocks)
    ConstantFoldTerminator(BB);
  SmallVector<BasicBlock *> Dead, Live;
  DenseSet<BasicBlock *> Reached;
  SmallVector<BasicBlock *> Open{Coarse.Blocks.front()};
  while (!Open.empty()) {
    BasicBlock *BB = Open.pop_back_val();
    if (Reached.insert(BB).second)
      append_range(Open, successors(BB));
  }
  for (BasicBlock *BB : Coarse.Blocks)
    (Reached.contains(BB) ? Live : Dead).push_back(BB);
  DeleteDeadBlocks(Dead);
  for (BasicBlock *BB : reverse(Live))
    for (Instruction &I : make_early_inc_range(reverse(*BB)))
      if (isInstructionTriviallyDead(&I))
        I.eraseFromParent();
  for (BasicBlock *BB : drop_begin(Live))
    MergeBlockIntoPredecessor(BB);
}

} // namespace

// Lets one thread do the work of neighbours where the tests succeed.
extern "C" void warpwise_coarsen(const Coarsening *Raw) {
  const Coarsening &C = *Raw;
  Function &F = *unwrap<Function>(C.Kernel);
  LLVMContext &Context = F.getContext();
  BasicBlock *Plain = &F.getEntryBlock();
  Copy Coarse(F);
  auto *Entry = BasicBlock::Create(Context, "warpwise.entry", &F, Plain);
  auto *May = BasicBlock::Create(Context, "warpwise.group", &F, Coarse.Blocks.front());
  auto *Lead = BasicBlock::Create(Context, "warpwise.first", &F, Coarse.Blocks.front());
  auto *Done = BasicBlock::Create(Context, "warpwise.done", &F);
  IRBuilder<> Build(Entry);
  // no line of the source asks for that
  if (DISubprogram *Program = F.getSubprogram())
    Build.SetCurrentDebugLocation(DILocation::get(Context, 0, 0, Program));
  auto Read = [&](Intrinsic::ID Id) { return Build.CreateIntrinsic(Id, {}); };

  Value *Size = Read(Intrinsic::nvvm_read_ptx_sreg_ntid_x), *Blocks = Read(Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  // too large a product is smaller than it should be
  Value *Threads = Build.CreateMul(Blocks, Size);
  const Intrinsic::ID Others[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_y, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                  Intrinsic::nvvm_read_ptx_sreg_nctaid_z, Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  for (Intrinsic::ID Id : ArrayRef(Others).take_front(2 * (C.Dimensions - 1)))
    Threads = Build.CreateMul(Threads, Read(Id));
  Build.CreateCondBr(Build.CreateICmpUGE(Threads, Build.getInt32(C.Threads)), May, Plain);

  Build.SetInsertPoint(May);
  Value *Block = Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  Value *Group = Build.CreateAnd(Block, Build.getInt32(-C.Factor));
  SmallVector<Value *> Tests{Build.CreateICmpULT(Build.CreateOr(Group, Build.getInt32(C.Factor - 1)), Blocks)};
  if (C.BlockSize)
    Tests.push_back(Build.CreateICmpEQ(Size, Build.getInt32(C.BlockSize)));
  // the number of the first thread of the group, by type; it is a multiple of the factor
  DenseMap<Type *, Value *> Firsts;
  Start First(Build), Last(Build);
  for (LLVMValueRef Root : C.Roots.all()) {
    Type *Ty = unwrap(Root)->getType();
    Value *&Number = Firsts[Ty];
    Value *Threads = Build.CreateZExt(Size, Ty);
    if (!Number)
      Number = Build.CreateMul(Build.CreateZExt(Group, Ty), Threads);
    First.know(unwrap(Root), Number);
    Value *Span = Build.CreateMul(Threads, ConstantInt::get(Ty, C.Factor));
    Last.know(unwrap(Root), Build.CreateSub(Build.CreateAdd(Number, Span), ConstantInt::get(Ty, 1)));
  }
  for (const Rising &R : C.Rising.all()) {
    Value *From = First.of(unwrap(R.Value)), *To = Last.of(unwrap(R.Value));
    Tests.push_back(R.IsSigned ? Build.CreateICmpSLE(From, To) : Build.CreateICmpULE(From, To));
  }
  for (const Test &T : C.Tests.all()) {
    Value *Condition = (T.AtLast ? Last : First).of(unwrap(T.Guard.Inst));
    Tests.push_back(T.Guard.Holds ? Condition : Build.CreateNot(Condition));
  }
  auto IsMultiple = [&](Value *V, uint64_t Of) {
    Value *Low = V->getType()->isPointerTy() ? Build.CreatePtrToInt(V, Build.getInt64Ty()) : V;
    Low = Build.CreateAnd(Build.CreateZExtOrTrunc(Low, Build.getInt32Ty()), Build.getInt32(Of - 1));
    Tests.push_back(Build.CreateICmpEQ(Low, Build.getInt32(0)));
  };
  for (LLVMValueRef Pointer : C.Pointers.all())
    IsMultiple(First.of(unwrap(Pointer)), C.Widest);
  for (LLVMValueRef Number : C.Numbers.all())
    IsMultiple(First.of(unwrap(Number)), C.Factor);
  Build.CreateCondBr(all(Build, Tests), Lead, Plain);

  Build.SetInsertPoint(Lead);
  Value *Thread = Read(Intrinsic::nvvm_read_ptx_sreg_tid_x);
  SmallVector<SmallVector<Value *>> Numbers;
  for (LLVMValueRef Root : C.Roots.all()) {
    Type *Ty = unwrap(Root)->getType();
    Value *Offset = Build.CreateMul(Build.CreateZExt(Thread, Ty), ConstantInt::get(Ty, C.Factor));
    Numbers.push_back({Build.CreateAdd(Firsts[Ty], Offset, "warpwise.thread")});
    for (unsigned Next = 1; Next < C.Factor; ++Next)
      Numbers.back().push_back(Build.CreateAdd(Numbers.back()[0], ConstantInt::get(Ty, Next)));
  }
  Build.CreateCondBr(Build.CreateICmpEQ(Group, Block), Coarse.Blocks.front(), Done);
  Build.SetInsertPoint(Done);
  Build.CreateRetVoid();

  for (const Guard &G : C.Guards.all())
    Coarse.of(G.Inst)->replaceAllUsesWith(ConstantInt::getBool(Context, G.Holds));
  give_each(Coarse, C, Numbers);
  clean(Coarse);
}
