// How do the tests get `opt` and `llc` of an LLVM that comes as libraries only? One program, which is either of them by
// its name, with the options that the tests use.

#include "llvm-c/Target.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriterPass.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRPrinter/IRPrintingPasses.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Remarks/HotnessThresholdParser.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

codegen::RegisterCodeGenFlags CodeGenFlags;

cl::opt<std::string> Input(cl::Positional, cl::desc("<module>"), cl::init("-"));
cl::opt<std::string> Output("o", cl::desc("Where the result goes"), cl::init("-"));
cl::opt<std::string> TargetTriple("mtriple", cl::desc("Override the target"));
cl::opt<std::string> Passes("passes", cl::desc("What is run"));
cl::opt<char> Level("O", cl::desc("Level of optimisation"), cl::Prefix, cl::init(' '));
cl::opt<bool> IsText("S", cl::desc("Write text"));
cl::opt<bool> IsSilent("disable-output", cl::desc("Write nothing"));
cl::opt<bool> VerifiesEach("verify-each", cl::desc("Verify after each pass"));
cl::opt<bool> PrintsPasses("debug-pass-manager", cl::desc("Print what is run"));
cl::opt<std::string> Remarks("pass-remarks-output", cl::desc("Where remarks go"));
cl::opt<std::string> WantedRemarks("pass-remarks-filter", cl::desc("Which remarks go there"));

cl::opt<bool> Discards("discard-value-names", cl::desc("Forget the names of values"));
cl::opt<bool> StripsDebug("strip-debug", cl::desc("Forget debug information"));
cl::opt<bool> StripsNamed("strip-named-metadata", cl::desc("Forget metadata of the module"));

// A plugin is loaded when its option is read, so that its own options are known from then on.
std::vector<PassPlugin> Plugins;
cl::list<std::string> PluginFiles("load-pass-plugin", cl::desc("Load a plugin"));

[[noreturn]] void fail(const Twine &Why) {
  WithColor::error(errs(), "opt") << Why << '\n';
  exit(1);
}

template <typename T> T must(Expected<T> Result) {
  if (!Result)
    fail(toString(Result.takeError()));
  return std::move(*Result);
}

void optimise(Module &M, TargetMachine *Machine, raw_ostream *Out) {
  PassInstrumentationCallbacks Callbacks;
  PrintPassOptions Printing;
  StandardInstrumentations Standard(M.getContext(), PrintsPasses, VerifiesEach, Printing);
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  Standard.registerCallbacks(Callbacks, &MAM);
  PassBuilder Builder(Machine, PipelineTuningOptions(), std::nullopt, &Callbacks);
  for (PassPlugin &Plugin : Plugins)
    Plugin.registerPassBuilderCallbacks(Builder);
  FAM.registerPass([&] { return TargetLibraryAnalysis(TargetLibraryInfoImpl(M.getTargetTriple())); });
  Builder.registerModuleAnalyses(MAM);
  Builder.registerCGSCCAnalyses(CGAM);
  Builder.registerFunctionAnalyses(FAM);
  Builder.registerLoopAnalyses(LAM);
  Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);

  ModulePassManager Manager;
  Manager.addPass(VerifierPass());
  std::string Pipeline = Passes;
  if (Level != ' ')
    Pipeline = ("default<O" + Twine(char(Level)) + ">").str();
  if (!Pipeline.empty())
    if (Error Wrong = Builder.parsePassPipeline(Manager, Pipeline))
      fail(toString(std::move(Wrong)));
  Manager.addPass(VerifierPass());
  if (Out && IsText)
    Manager.addPass(PrintModulePass(*Out, "", false));
  else if (Out)
    Manager.addPass(BitcodeWriterPass(*Out, /*ShouldPreserveUseListOrder=*/true));
  Manager.run(M, MAM);
}

void generate(Module &M, TargetMachine &Machine, raw_pwrite_stream &Out) {
  for (PassPlugin &Plugin : Plugins)
    if (Plugin.invokePreCodeGenCallback(M, Machine, CodeGenFileType::AssemblyFile, Out))
      return;
  Machine.Options.MCOptions.AsmVerbose = true; // as llc has it
  legacy::PassManager Manager;
  Manager.add(new TargetLibraryInfoWrapperPass(TargetLibraryInfoImpl(M.getTargetTriple())));
  if (Machine.addPassesToEmitFile(Manager, Out, nullptr, CodeGenFileType::AssemblyFile))
    fail("no assembly for this target");
  Manager.run(M);
}

} // namespace

int main(int Count, char **Words) {
  InitLLVM Start(Count, Words);
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  PluginFiles.setCallback([](const std::string &File) { Plugins.push_back(must(PassPlugin::Load(File))); });
  cl::ParseCommandLineOptions(Count, Words, "opt and llc as far as tests need them\n");
  bool IsOpt = sys::path::filename(Words[0]).starts_with("opt");

  LLVMContext Context;
  Context.setDiscardValueNames(Discards);
  auto RemarksFile = must(setupLLVMOptimizationRemarks(Context, Remarks, WantedRemarks, "yaml", false));
  SMDiagnostic Wrong;
  // what a module without a layout of data leaves open is read by that of its target
  ParserCallbacks Layout([](StringRef Own, StringRef OwnLayout) -> std::optional<std::string> {
    std::string Name = TargetTriple.empty() ? Own.str() : Triple::normalize(TargetTriple);
    return Name.empty() || !OwnLayout.empty() ? std::nullopt : std::optional(Triple(Name).computeDataLayout());
  });
  std::unique_ptr<Module> M = parseIRFile(Input, Wrong, Context, Layout);
  if (!M) {
    Wrong.print(Words[0], errs());
    return 1;
  }
  if (StripsDebug)
    StripDebugInfo(*M);
  while (StripsNamed && !M->named_metadata_empty())
    M->eraseNamedMetadata(&*M->named_metadata_begin());
  if (!TargetTriple.empty())
    M->setTargetTriple(Triple(TargetTriple));
  std::unique_ptr<TargetMachine> Machine;
  std::string CPU, Features;
  if (M->getTargetTriple().getArch()) {
    CPU = codegen::getCPUStr();
    Features = codegen::getFeaturesStr();
    char Digit = Level == ' ' ? '2' : Level;
    auto Made = codegen::createTargetMachineForTriple(M->getTargetTriple(), *CodeGenOpt::parseLevel(Digit));
    if (Made)
      Machine = std::move(*Made);
    else
      consumeError(Made.takeError()); // another machine's host code, which can be optimised nevertheless
    if (Machine && !IsOpt)
      M->setDataLayout(Machine->createDataLayout());
  }
  codegen::setFunctionAttributes(*M, CPU, Features);

  std::error_code Failure;
  ToolOutputFile Out(Output, Failure, IsText || !IsOpt ? sys::fs::OF_TextWithCRLF : sys::fs::OF_None);
  if (Failure)
    fail(Failure.message());
  if (IsOpt)
    optimise(*M, Machine.get(), IsSilent ? nullptr : &Out.os());
  else if (Machine) {
    SmallString<0> Text;
    raw_svector_ostream Buffer(Text);
    generate(*M, *Machine, Buffer);
    Out.os() << Text;
  } else
    fail("no target for this module");
  reportAndResetTimings();
  if (Context.getDiagHandlerPtr()->HasErrors)
    return 1;
  Out.keep();
  if (RemarksFile)
    RemarksFile->keep();
  return 0;
}
