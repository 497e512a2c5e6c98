// Code generation: the normal back end, then `.uni` on branches that ptxas cannot prove uniform.
#pragma once

#include "llvm/Support/CodeGen.h"

namespace llvm {
class Module;
class TargetMachine;
class raw_pwrite_stream;
} // namespace llvm

namespace warpwise {
// PreCodeGenCallback of the plugin; returns true if it has written the PTX.
bool generate(llvm::Module &M, llvm::TargetMachine &TM, llvm::CodeGenFileType Type, llvm::raw_pwrite_stream &OS);
} // namespace warpwise
