// A compiler that holds LLVM: loads a plugin, reads options, optimises a module at -O2, and says which libraries of LLVM
// are in the process.
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>
#include <string>

using namespace llvm;

int main(int Count, char **Arguments) {
  auto Plugin = PassPlugin::Load(Arguments[1]);
  if (!Plugin) {
    errs() << toString(Plugin.takeError()) << '\n';
    return 1;
  }
  cl::ParseCommandLineOptions(Count - 2, Arguments + 2);
  LLVMContext Context;
  SMDiagnostic Error;
  auto M = parseIRFile(Arguments[2], Error, Context);
  if (!M)
    return 2;
  // what compilers do with libdevice
  auto Library = std::make_unique<Module>("library", Context);
  Library->setTargetTriple(M->getTargetTriple());
  Library->setDataLayout(M->getDataLayout());
  if (Linker::linkModules(*M, std::move(Library)))
    return 3;
  PassBuilder PB;
  Plugin->registerPassBuilderCallbacks(PB);
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  PB.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(*M, MAM);
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);)
    if (Line.find("libLLVM") != std::string::npos)
      outs() << Line << '\n';
  return 0;
}
