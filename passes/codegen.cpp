// How is the PTX from LLVM's back end rewritten? The back end writes to memory, and Rust rewrites the text.

#include "codegen.h"
#include "affine_divergence.h"
#include "options.h"
#include "text.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

bool warpwise::generate(Module &M, TargetMachine &TM, CodeGenFileType Type, raw_pwrite_stream &OS) {
  if (!is_nvptx(M) || Type != CodeGenFileType::AssemblyFile)
    return false;
  if (!warpwise_codegen_mark(wrap(&M), Session().get()))
    return false;
  // from here on the module contains our inline assembly, which the normal back end can still handle
  SmallString<0> Ptx;
  raw_svector_ostream Buffer(Ptx);
  legacy::PassManager Passes;
  Passes.add(createTargetTransformInfoWrapperPass(TM.getTargetIRAnalysis()));
  TargetLibraryInfoImpl Library(M.getTargetTriple());
  Passes.add(new TargetLibraryInfoWrapperPass(Library));
  if (TM.addPassesToEmitFile(Passes, Buffer, nullptr, Type))
    return false;
  Passes.run(M);
  warpwise_codegen_rewrite(text(Ptx), stream, &OS);
  return true;
}
