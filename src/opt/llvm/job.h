// What happens between a module and the output, whoever asks: the command line (driver.cpp) or the library
// (library.cpp)?
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {
struct ParserCallbacks;
}

namespace warpwise {

// How passes are run.
struct Instruments {
  bool Verifies = true;
  bool VerifiesEach = false;
  bool PrintsPasses = false;
  bool PrintsAnalyses = true; // where passes are printed
  bool PrintsDetails = false;
};

// Makes the targets known: NVPTX, and this machine for host code. Any thread may call it.
void know_targets();

// The layout of data for modules that say nothing of it.
llvm::ParserCallbacks layout_of(llvm::StringRef Triple = "", llvm::StringRef Layout = "");

// The target machine for a module, with the chip and the features given or else those that its functions name.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine(const llvm::Module &M, llvm::StringRef CPU,
                                                             llvm::StringRef Features, llvm::CodeGenOptLevel Level);

// Runs a pipeline as `opt` does with the plugin loaded. `Machine` may be null.
llvm::Error optimise(llvm::Module &M, llvm::TargetMachine *Machine, llvm::StringRef Passes, const Instruments &How);

// Writes the module as code; for NVPTX that is PTX.
llvm::Error generate(llvm::Module &M, llvm::TargetMachine &Machine, llvm::raw_pwrite_stream &Out,
                     llvm::CodeGenFileType Kind = llvm::CodeGenFileType::AssemblyFile);

} // namespace warpwise
