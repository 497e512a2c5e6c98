// How does a kernel get a version for some launches? As a kernel of its own, or as a second body: first as a function
// of its own, which is planned and edited like any other, then behind a test at the kernel's entry.

#include "llvm-c/Core.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Whether a function can be copied: no block's address is taken, and control leaves no block in ways that a copy cannot
// follow.
extern "C" bool warpwise_can_be_copied(LLVMValueRef Raw) {
  return none_of(*unwrap<Function>(Raw), [](BasicBlock &BB) {
    return BB.hasAddressTaken() || BB.isEHPad() || isa<IndirectBrInst, CallBrInst, InvokeInst>(BB.getTerminator());
  });
}

// Copies of a function's blocks at the end of the same or another one; `Map` has what its arguments are there.
namespace warpwise {
SmallVector<BasicBlock *> copyBlocks(Function &From, Function &To, const Twine &Suffix, ValueToValueMapTy &Map) {
  SmallVector<BasicBlock *> Blocks, Copies;
  for (BasicBlock &BB : From)
    Blocks.push_back(&BB);
  for (BasicBlock *BB : Blocks) {
    Copies.push_back(CloneBasicBlock(BB, Map, Suffix, &To));
    Map[BB] = Copies.back();
  }
  auto Flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
  DenseMap<DIAssignID *, DIAssignID *> Stores;
  for (BasicBlock *BB : Copies)
    for (Instruction &I : *BB) {
      at::remapAssignID(Stores, I);
      RemapDbgRecordRange(From.getParent(), I.getDbgRecordRange(), Map, Flags);
      RemapInstruction(&I, Map, Flags);
    }
  return Copies;
}
} // namespace warpwise

// A copy of a function that can be copied, attributes and calling convention included. Instructions keep their debug
// locations, so the copy has no subprogram of its own: it does not stay.
extern "C" LLVMValueRef warpwise_copy_function(LLVMValueRef Raw) {
  auto &F = *unwrap<Function>(Raw);
  auto *Copy = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(),
                                F.getName() + ".slots", F.getParent());
  Copy->copyAttributesFrom(&F);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setComdat(nullptr);
  ValueToValueMapTy Map;
  for (auto [From, To] : zip(F.args(), Copy->args()))
    Map[&From] = &To;
  warpwise::copyBlocks(F, *Copy, "", Map);
  return wrap(Copy);
}

// A copy of a kernel that can be copied, under a name that nothing in the module has. It stays, so that it has debug
// information of its own.
extern "C" LLVMValueRef warpwise_copy_kernel(LLVMValueRef Raw, const char *Name, size_t Length) {
  auto &F = *unwrap<Function>(Raw);
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  Copy->setName(StringRef(Name, Length));
  Copy->setComdat(F.getComdat());
  return wrap(Copy);
}

// A declaration holds in the whole function, but a variable of a kernel with two bodies may be in two places. So each
// body says where it is, from there on.
static void tell_from_here_on(DbgVariableRecord &Declaration) {
  DIExpression *Place = Declaration.getExpression();
  bool Reads = any_of(Place->expr_ops(), [](auto Op) { return Op.getOp() == dwarf::DW_OP_xderef; });
  DIExpression *Contents = Reads ? Place : DIExpression::append(Place, dwarf::DW_OP_deref);
  DbgVariableRecord::createDbgVariableRecord(Declaration.getVariableLocationOp(0), Declaration.getVariable(), Contents,
                                             Declaration.getDebugLoc().get(), Declaration);
  Declaration.eraseFromParent();
}

// Makes the copy's body the one that blocks of at least a warp and at most `Threads` threads run; the copy is gone
// after that. A few lanes alone access few lines of local memory.
static constexpr uint32_t Warp = 32;
extern "C" void warpwise_add_version(LLVMValueRef Raw, LLVMValueRef RawCopy, uint32_t Threads) {
  auto &F = *unwrap<Function>(Raw);
  auto *Copy = unwrap<Function>(RawCopy);
  BasicBlock *Plain = &F.getEntryBlock(), *Slots = &Copy->getEntryBlock();
  for (auto [From, To] : zip(Copy->args(), F.args()))
    From.replaceAllUsesWith(&To);
  auto *Entry = BasicBlock::Create(F.getContext(), "warpwise.entry", &F, Plain);
  F.splice(F.end(), Copy);
  IRBuilder<> B(Entry);
  // no line of the source asks how many threads there are
  if (DISubprogram *Program = F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, Program));
  Value *Count = nullptr;
  for (Intrinsic::ID Id : {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                           Intrinsic::nvvm_read_ptx_sreg_ntid_z}) {
    Value *Extent = B.CreateIntrinsic(Id, {});
    Count = Count ? B.CreateNUWMul(Count, Extent, "warpwise.threads") : Extent;
  }
  Value *Above = B.CreateSub(Count, B.getInt32(Warp));
  auto *End = B.CreateCondBr(B.CreateICmpULE(Above, B.getInt32(Threads - Warp), "warpwise.fits"), Slots, Plain);
  // stack objects of either body are still allocated once, at entry
  for (BasicBlock *BB : {Plain, Slots})
    for (Instruction &I : make_early_inc_range(*BB))
      if (auto *Object = dyn_cast<AllocaInst>(&I); Object && isa<ConstantInt>(Object->getArraySize()))
        Object->moveBefore(End->getIterator());
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &Record : make_early_inc_range(filterDbgVars(I.getDbgRecordRange())))
      if (Record.isDbgDeclare())
        tell_from_here_on(Record);
  Copy->eraseFromParent();
}
