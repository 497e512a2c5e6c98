// How is dynamic shared memory aligned? nvcc gives `extern __shared__ T name[]` 16 bytes whatever `T` is, and programs
// copy through it by as many; clang has only those of `T`, so that LLVM splits such copies into elements.

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

static constexpr unsigned SharedSpace = 3;
static constexpr Align DynamicAlign = Align::Constant<16>();

// Whether a variable stands for what a launch allocates.
static bool is_dynamic(const GlobalVariable &Variable) {
  return Variable.getAddressSpace() == SharedSpace && Variable.isDeclaration() &&
         Variable.getDataLayout().getTypeAllocSize(Variable.getValueType()).isZero();
}

// Aligns dynamic shared memory as nvcc does; returns whether any was aligned to less.
extern "C" bool warpwise_align_dynamic_shared(LLVMModuleRef Raw) {
  bool Changed = false;
  for (GlobalVariable &Variable : unwrap(Raw)->globals())
    if (is_dynamic(Variable) && Variable.getAlign().valueOrOne() < DynamicAlign) {
      Variable.setAlignment(DynamicAlign);
      Changed = true;
    }
  return Changed;
}
