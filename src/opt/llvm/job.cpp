// How is a module optimised and made into PTX in this process?

#include "job.h"
#include "api.h"
#include "managers.h"
#include "llvm-c/Target.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace llvm;

extern "C" PassPluginLibraryInfo warpwise_plugin_info();

// -mcpu, -mattr and the rest of what opt and llc take; the library reads them as they are by default.
static codegen::RegisterCodeGenFlags Flags;

void warpwise::know_targets() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmParser();
    InitializeNativeTargetAsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

ParserCallbacks warpwise::layout_of(StringRef Triple, StringRef Layout) {
  return ParserCallbacks([=](StringRef Own, StringRef OwnLayout) -> std::optional<std::string> {
    if (!Layout.empty())
      return Layout.str();
    if (!OwnLayout.empty() || (Own.empty() && Triple.empty()))
      return std::nullopt;
    return llvm::Triple(Triple.empty() ? Own.str() : llvm::Triple::normalize(Triple)).computeDataLayout();
  });
}

Expected<std::unique_ptr<TargetMachine>> warpwise::machine(const Module &M, StringRef CPU, StringRef Features,
                                                           CodeGenOptLevel Level) {
  Triple T = M.getTargetTriple();
  std::string Why;
  const Target *Found = TargetRegistry::lookupTarget(codegen::getMArch(), T, Why);
  if (!Found)
    return createStringError(Why);
  TargetOptions Options = codegen::InitTargetOptionsFromCodeGenFlags(T);
  Options.MCOptions.AsmVerbose = true; // as llc
  std::unique_ptr<TargetMachine> Made(Found->createTargetMachine(
      T, CPU, Features, Options, codegen::getExplicitRelocModel(), codegen::getExplicitCodeModel(), Level));
  if (!Made)
    return createStringError("there is no code generator for " + T.str());
  return Made;
}

Error warpwise::optimise(Module &M, TargetMachine *Machine, StringRef Passes, const Instruments &How) {
  PassInstrumentationCallbacks Callbacks;
  PrintPassOptions Printing;
  Printing.Verbose = How.PrintsDetails;
  Printing.SkipAnalyses = !How.PrintsAnalyses;
  StandardInstrumentations Standard(M.getContext(), How.PrintsPasses, How.VerifiesEach, Printing);
  Managers All(reinterpret_cast<LLVMTargetMachineRef>(Machine), warpwise_plugin_info().RegisterPassBuilderCallbacks,
               &Callbacks);
  Standard.registerCallbacks(Callbacks, &All.MAM);

  ModulePassManager MPM;
  if (How.Verifies)
    MPM.addPass(VerifierPass());
  if (Error Wrong = Passes.empty() ? Error::success() : All.PB.parsePassPipeline(MPM, Passes))
    return Wrong;
  if (How.Verifies)
    MPM.addPass(VerifierPass());
  MPM.run(M, All.MAM);
  return Error::success();
}

Error warpwise::generate(Module &M, TargetMachine &Machine, raw_pwrite_stream &Out, CodeGenFileType Kind) {
  M.setDataLayout(Machine.createDataLayout()); // older modules have an older one
  legacy::PassManager Code;
  Code.add(new TargetLibraryInfoWrapperPass(TargetLibraryInfoImpl(M.getTargetTriple())));
  if (Machine.addPassesToEmitFile(Code, Out, nullptr, Kind))
    return createStringError("no such code is generated for " + M.getTargetTriple().str());
  Code.run(M);
  return Error::success();
}
