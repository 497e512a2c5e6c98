// What does the plugin add to LLVM's pass manager? Analyses, their utility passes, the transforms by name, and one
// place in clang's pipelines. All logic is behind the C functions of abi.h.

#include "abi.h"
#include "affine_divergence.h"
#include "codegen.h"
#include "options.h"
#include "remarks.h"
#include "text.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;
using namespace warpwise;

namespace {

constexpr const char *AnalysisName = "affine-divergence";
constexpr const char *DefaultPipeline = "warpwise";
constexpr const char *MapPass = "divergence-map";

struct PrintFunctionPass : PassInfoMixin<PrintFunctionPass> {
  std::string Parameters;
  explicit PrintFunctionPass(std::string P) : Parameters(std::move(P)) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!F.isDeclaration())
      print_function(F, FAM, Parameters);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// At module level the summaries of the call graph are computed first and shared.
struct PrintModulePass : PassInfoMixin<PrintModulePass> {
  std::string Parameters;
  explicit PrintModulePass(std::string P) : Parameters(std::move(P)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    ArmedSummaries Summaries(M, MAM, Parameters);
    for (Function &F : M)
      if (!F.isDeclaration())
        print_function(F, FAM, Parameters);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct RequireModulePass : PassInfoMixin<RequireModulePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    ArmedSummaries Summaries(M, MAM);
    for (Function &F : M)
      if (!F.isDeclaration())
        FAM.getResult<AffineDivergenceAnalysis>(F);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct InvalidateModulePass : PassInfoMixin<InvalidateModulePass> {
  PreservedAnalyses run(Module &, ModuleAnalysisManager &) {
    auto PA = PreservedAnalyses::all();
    PA.abandon<AffineDivergenceAnalysis>();
    return PA;
  }
  static bool isRequired() { return true; }
};

// Remarks about divergent branches and lane strides, for whoever asked for remarks.
struct RemarksPass : PassInfoMixin<RemarksPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!is_nvptx(M))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwiseHost Host = host(M, FAM);
    if (!wants_remarks(Host))
      return PreservedAnalyses::all();
    ArmedSummaries Summaries(M, MAM);
    for (Function &F : M)
      if (!F.isDeclaration())
        warpwise_facts_remarks(FAM.getResult<AffineDivergenceAnalysis>(F).get(), &Host);
    return PreservedAnalyses::all();
  }
};

// A transform: a module pass whose work is done in Rust.
struct TransformPass : PassInfoMixin<TransformPass> {
  int32_t Id;
  std::string Parameters;
  TransformPass(int32_t Id, std::string P) : Id(Id), Parameters(std::move(P)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!is_nvptx(M))
      return PreservedAnalyses::all();
    publish_options();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwiseHost Host = host(M, FAM);
    bool Changed = warpwise_pass_run(Id, wrap(&M), text(Parameters), &Host);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// The host side of a counted CUDA program registers the counters.
struct MapHostPass : PassInfoMixin<MapHostPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (is_nvptx(M))
      return PreservedAnalyses::all();
    publish_options();
    return warpwise_map_host(wrap(&M)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// "name" or "name<parameters>": the parameters if the name matches.
bool match(StringRef Text, StringRef Name, StringRef &Parameters) {
  if (!Text.consume_front(Name))
    return false;
  Parameters = "";
  if (Text.empty())
    return true;
  if (!Text.consume_front("<") || !Text.consume_back(">"))
    return false;
  Parameters = Text;
  return true;
}

// Says once what is wrong with a pass's parameters; LLVM then refuses the pipeline.
bool accept(StringRef Pass, StringRef Parameters) {
  std::string Message;
  if (warpwise_check_parameters(text(Pass), text(Parameters), collect, &Message))
    return true;
  static std::string Said;
  if (Said != Message)
    errs() << "error: " << Pass << ": " << Message << '\n';
  Said = Message;
  return false;
}

bool wrapped(StringRef Name, StringRef Verb, StringRef &Parameters) {
  return Name.consume_front(Verb) && Name.consume_front("<") && Name.consume_back(">") &&
         match(Name, AnalysisName, Parameters) && accept(AnalysisName, Parameters);
}

bool parse_module(StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
  StringRef P;
  if (wrapped(Name, "print", P)) {
    MPM.addPass(PrintModulePass(P.str()));
    return true;
  }
  if (wrapped(Name, "require", P) && P.empty()) {
    MPM.addPass(RequireModulePass());
    return true;
  }
  if (wrapped(Name, "invalidate", P) && P.empty()) {
    MPM.addPass(InvalidateModulePass());
    return true;
  }
  if (Name == "divergence-map-host") {
    MPM.addPass(MapHostPass());
    return true;
  }
  if (Name == "warpwise-remarks") {
    MPM.addPass(RemarksPass());
    return true;
  }
  StringRef Base = Name.take_until([](char C) { return C == '<'; });
  int32_t Id = warpwise_pass_lookup(text(Base));
  if (Id < 0 || !match(Name, Base, P) || !accept(Base, P))
    return false;
  MPM.addPass(TransformPass(Id, P.str()));
  return true;
}

bool parse_function(StringRef Name, FunctionPassManager &FPM, ArrayRef<PassBuilder::PipelineElement>) {
  StringRef P;
  if (wrapped(Name, "print", P)) {
    FPM.addPass(PrintFunctionPass(P.str()));
    return true;
  }
  if (wrapped(Name, "require", P) && P.empty()) {
    FPM.addPass(RequireAnalysisPass<AffineDivergenceAnalysis, Function>());
    return true;
  }
  if (wrapped(Name, "invalidate", P) && P.empty()) {
    FPM.addPass(InvalidateAnalysisPass<AffineDivergenceAnalysis>());
    return true;
  }
  return false;
}

// fuse-branches on one function.
struct FuseFunctionPass : PassInfoMixin<FuseFunctionPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!is_nvptx(*F.getParent()) || F.size() < 3 || F.hasOptNone())
      return PreservedAnalyses::all();
    publish_options();
    WarpwiseHost Host = host(*F.getParent(), FAM);
    return warpwise_fuse_function(wrap(&F), &Host) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// fuse-branches on a module.
struct FuseModulePass : PassInfoMixin<FuseModulePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!is_nvptx(M))
      return PreservedAnalyses::all();
    publish_options();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwiseHost Host = host(M, FAM);
    return warpwise_fuse_module(wrap(&M), &Host) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// Twice: on the freshly simplified function, before loops are unrolled and sides are shared out by SimplifyCFG, so that
// all that follows sees the melded code; and on what inlining and unrolling made of the module. Which target the module
// is for is known only when they run.
void add_fusion(PassBuilder &PB) {
  PB.registerPeepholeEPCallback([](FunctionPassManager &FPM, OptimizationLevel) {
    if (runs_by_default("fuse"))
      FPM.addPass(FuseFunctionPass());
  });
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase) {
    if (runs_by_default("fuse") && Level != OptimizationLevel::O0)
      MPM.addPass(FuseModulePass());
  });
}

void register_passes(PassBuilder &PB) {
  PB.registerAnalysisRegistrationCallback(
      [](ModuleAnalysisManager &MAM) { MAM.registerPass([] { return AffineModuleAnalysis(); }); });
  PB.registerAnalysisRegistrationCallback(
      [](FunctionAnalysisManager &FAM) { FAM.registerPass([] { return AffineDivergenceAnalysis(); }); });
  PB.registerPipelineParsingCallback(parse_module);
  PB.registerPipelineParsingCallback(parse_function);
  add_fusion(PB);
  // first of all: later the functions in which clang registers kernels are inlined
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    if (runs_by_default("map"))
      MPM.addPass(MapHostPass());
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    MPM.addPass(RemarksPass());
    // before the link there is more to come: inlining, and the bodies of callers
    bool BeforeLink = Phase == ThinOrFullLTOPhase::ThinLTOPreLink || Phase == ThinOrFullLTOPhase::FullLTOPreLink;
    if (Level != OptimizationLevel::O0 && !BeforeLink)
      MPM.addPass(TransformPass(warpwise_pass_lookup(text(DefaultPipeline)), ""));
    else if (runs_by_default("map"))
      MPM.addPass(TransformPass(warpwise_pass_lookup(text(MapPass)), ""));
  });
}

} // namespace

// Rust exports llvmGetPassPluginInfo and returns this: a cdylib hides C++ symbols.
extern "C" PassPluginLibraryInfo warpwise_plugin_info() {
  return {LLVM_PLUGIN_API_VERSION, "warpwise", WARPWISE_VERSION, register_passes, generate};
}
