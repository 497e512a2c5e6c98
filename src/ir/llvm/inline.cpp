// May a call be replaced by the body of the function that it calls, and how? LLVM's own rules and its own inliner.

#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

static bool same_attribute(const Function &A, const Function &B, StringRef Name) {
  return A.getFnAttribute(Name) == B.getFnAttribute(Name);
}

// Whether inlining is legal and nobody has forbidden it. What it costs is not asked.
extern "C" bool warpwise_may_inline(LLVMValueRef Inst) {
  auto *Call = dyn_cast<CallBase>(unwrap(Inst));
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || Callee->isDeclaration() || Callee->isInterposable() || Call->isNoInline() ||
      Callee->getFunctionType() != Call->getFunctionType() || Callee->getCallingConv() != Call->getCallingConv())
    return false;
  const Function &Caller = *Call->getFunction();
  return &Caller != Callee && !Callee->hasFnAttribute(Attribute::NoInline) && !Callee->hasOptNone() &&
         !Caller.hasOptNone() && Callee->hasGC() == Caller.hasGC() &&
         Callee->nullPointerIsDefined() == Caller.nullPointerIsDefined() &&
         same_attribute(Caller, *Callee, "target-cpu") && same_attribute(Caller, *Callee, "target-features") &&
         AttributeFuncs::areInlineCompatible(Caller, *Callee) && isInlineViable(*Callee).isSuccess();
}

// Replaces the call; it no longer exists then. Returns false, with nothing changed, if LLVM refuses all the same.
extern "C" bool warpwise_inline(LLVMValueRef Inst) {
  InlineFunctionInfo Info;
  return InlineFunction(*cast<CallBase>(unwrap(Inst)), Info, /*MergeAttributes=*/true).isSuccess();
}

// Bytes that a GEP with constant indices adds; false for any other.
extern "C" bool warpwise_gep_offset(LLVMValueRef Gep, int64_t *Bytes) {
  auto *Operator = cast<GEPOperator>(unwrap(Gep));
  const DataLayout &Layout = cast<Instruction>(unwrap(Gep))->getDataLayout();
  APInt Offset(Layout.getIndexTypeSizeInBits(Operator->getType()->getScalarType()), 0);
  if (Operator->getType()->isVectorTy() || !Operator->accumulateConstantOffset(Layout, Offset))
    return false;
  *Bytes = Offset.getSExtValue();
  return true;
}
