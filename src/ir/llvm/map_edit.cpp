// Which edits does divergence-map need that the C API lacks, or has only in many calls? Splitting a block around a
// guarded part, phis and inline assembly in one call each, entries of llvm.compiler.used.

#include "api.h"
#include "llvm-c/Types.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

// Splits the block before an instruction: the terminator of what stays before it.
extern "C" LLVMValueRef warpwise_split_before(LLVMValueRef Before, const char *Rest) {
  auto *At = cast<Instruction>(unwrap(Before));
  BasicBlock *Head = At->getParent();
  Head->splitBasicBlock(At->getIterator(), Rest);
  return wrap(Head->getTerminator());
}

// Splits the block before an instruction and puts `if (condition) { }` there: returns the terminator of the new, empty
// guarded block, which the editor then fills. `before` stays what it was, at the head of the rest of its block.
extern "C" LLVMValueRef warpwise_split_if(LLVMValueRef Condition, LLVMValueRef Before, bool IsRare, const char *Then,
                                          const char *Rest) {
  auto *At = cast<Instruction>(unwrap(Before));
  DebugLoc Location = At->getDebugLoc();
  BasicBlock *Head = At->getParent();
  BasicBlock *Tail = Head->splitBasicBlock(At->getIterator(), Rest);
  BasicBlock *Guarded = BasicBlock::Create(At->getContext(), Then, Head->getParent(), Tail);
  Instruction *Jump = Head->getTerminator();
  Instruction *Branch = warpwise::new_branch(unwrap(Condition), Guarded, Tail, Jump->getIterator());
  Branch->setDebugLoc(Location);
  if (IsRare)
    Branch->setMetadata(LLVMContext::MD_prof, MDBuilder(At->getContext()).createUnlikelyBranchWeights());
  Jump->eraseFromParent();
  Instruction *End = warpwise::new_branch(Tail, Guarded);
  End->setDebugLoc(Location);
  return wrap(End);
}

// An empty phi for so many edges before everything else in a block.
extern "C" LLVMValueRef warpwise_phi_at_head(LLVMBasicBlockRef Block, LLVMTypeRef Type, size_t Edges) {
  BasicBlock *Head = unwrap(Block);
  return wrap(PHINode::Create(unwrap(Type), Edges, "", Head->begin()));
}

// A call of inline assembly with its results apart; with the attributes of another call of it, or convergent.
extern "C" LLVMValueRef warpwise_call_assembly(LLVMBuilderRef Builder, LLVMTypeRef Type, LLVMValueRef Assembly,
                                               LLVMValueRef Like, LLVMValueRef *Arguments, size_t ArgumentCount,
                                               LLVMValueRef *Results, size_t ResultCount) {
  IRBuilder<> &B = *unwrap(Builder);
  ArrayRef<Value *> Values(unwrap(Arguments), ArgumentCount);
  CallInst *Call = B.CreateCall(cast<FunctionType>(unwrap(Type)), unwrap(Assembly), Values);
  if (Like)
    Call->setAttributes(cast<CallInst>(unwrap(Like))->getAttributes());
  else
    Call->setConvergent();
  if (ResultCount == 1)
    Results[0] = wrap(Call);
  for (size_t I = 0; ResultCount > 1 && I < ResultCount; ++I)
    Results[I] = wrap(B.CreateExtractValue(Call, I));
  return wrap(Call);
}

// Keeps globals although nobody seems to use them.
extern "C" void warpwise_keep(LLVMModuleRef M, LLVMValueRef *Globals, size_t Count) {
  SmallVector<GlobalValue *, 8> Values;
  for (Value *Global : ArrayRef<Value *>(unwrap(Globals), Count))
    Values.push_back(cast<GlobalValue>(Global));
  appendToCompilerUsed(*unwrap(M), Values);
}
