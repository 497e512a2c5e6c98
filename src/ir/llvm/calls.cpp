// What does a function call? All its instructions are looked at, which takes several calls each through LLVM's C API.

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

// Passes on the calls of a function that are neither of intrinsics nor of inline assembly.
extern "C" void warpwise_calls(LLVMValueRef Raw, void (*Sink)(void *context, LLVMValueRef call), void *Context) {
  for (Instruction &I : instructions(*cast<Function>(unwrap(Raw))))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm())
      Sink(Context, wrap(Call));
}
