// What does LLVM's C API not tell of a type?

#include "llvm-c/Types.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

// Whether its size in memory is one number: the C API's functions for sizes end the process for scalable types, however
// deep they lie in arrays and structs.
extern "C" bool warpwise_has_fixed_size(LLVMTypeRef Raw) {
  Type *Ty = unwrap(Raw);
  return Ty->isSized() && !Ty->isScalableTy();
}
