// What does the plugin add to LLVM's pass manager? Analyses, their utility passes, the transforms by name, and the
// places in clang's pipelines where they run. All logic is behind the C functions of abi.h.

#include "abi.h"
#include "affine_divergence.h"
#include "codegen.h"
#include "fusion_memory.h"
#include "remarks.h"
#include "text.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CBindingWrapping.h"
#include <memory>

using namespace llvm;
using namespace warpwise;

namespace {

constexpr const char *DefaultPipeline = "warpwise";
constexpr const char *MapPass = "divergence-map";
constexpr const char *InlineCalls = "inline-calls";
constexpr const char *FreeArrays = "free-arrays";

const void *session(Module &M, ModuleAnalysisManager &MAM) { return MAM.getResult<AffineModuleAnalysis>(M).Kept.get(); }

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
    ArmedSummaries Summaries(M, MAM, AnalysisName, Parameters);
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

// Remarks about divergent branches and lane strides, if any remarks are wanted.
struct RemarksPass : PassInfoMixin<RemarksPass> {
  std::string Parameters;
  explicit RemarksPass(std::string P) : Parameters(std::move(P)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!is_nvptx(M))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwiseHost Host = host(M, FAM);
    if (!wants_remarks(Host))
      return PreservedAnalyses::all();
    const void *Kept = session(M, MAM);
    ArmedSummaries Summaries(M, MAM, RemarksName, Parameters);
    for (Function &F : M) {
      if (F.isDeclaration())
        continue;
      // cached facts are those without parameters
      if (Parameters.empty())
        warpwise_facts_remarks(FAM.getResult<AffineDivergenceAnalysis>(F).get(), text(""), Kept, &Host);
      else
        warpwise_facts_remarks(fresh_facts(F, FAM, Parameters).get(), text(Parameters), Kept, &Host);
    }
    warpwise_remarks_finish(Kept, &Host);
    return PreservedAnalyses::all();
  }
};

// Emits one remark instead of all others, at the first kernel: a user who forgot -O learns why nothing happens.
struct UnoptimisedPass : PassInfoMixin<UnoptimisedPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!is_nvptx(M))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    auto Kernel = find_if(M, [](const Function &F) { return F.getCallingConv() == CallingConv::PTX_Kernel; });
    if (Kernel != M.end() && !Kernel->isDeclaration()) {
      WarpwiseHost Host = host(M, FAM);
      warpwise_remarks_unoptimised(wrap(&*Kernel), session(M, MAM), &Host);
    }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// A pass over device code that is implemented in Rust: `change` returns whether the module changed.
template <typename Pass> struct DevicePass : PassInfoMixin<Pass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!is_nvptx(M))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwiseHost Host = host(M, FAM);
    bool Changed = static_cast<const Pass *>(this)->change(wrap(&M), session(M, MAM), &Host);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// A transform by its number.
struct TransformPass : DevicePass<TransformPass> {
  int32_t Id;
  std::string Parameters;
  TransformPass(int32_t Id, std::string P) : Id(Id), Parameters(std::move(P)) {}
  bool change(LLVMModuleRef M, const void *Kept, const WarpwiseHost *Host) const {
    return warpwise_pass_run(Id, M, text(Parameters), Kept, Host);
  }
};

// Inlines calls that keep stack objects in memory.
struct InlinePass : DevicePass<InlinePass> {
  bool Early;
  explicit InlinePass(bool Early) : Early(Early) {}
  bool change(LLVMModuleRef M, const void *Kept, const WarpwiseHost *Host) const {
    return warpwise_inline_calls(M, Early, Kept, Host);
  }
};

// Unrolls loops that keep stack objects in memory.
struct FreeArraysPass : DevicePass<FreeArraysPass> {
  std::string Parameters;
  explicit FreeArraysPass(std::string P) : Parameters(std::move(P)) {}
  bool change(LLVMModuleRef M, const void *Kept, const WarpwiseHost *Host) const {
    return warpwise_free_arrays(M, text(Parameters), Kept, Host);
  }
};

// Registers the counters in the host code of a CUDA program.
struct MapHostPass : PassInfoMixin<MapHostPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (is_nvptx(M))
      return PreservedAnalyses::all();
    return warpwise_map_host(wrap(&M), session(M, MAM)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Lets launches in the host code of a CUDA program choose among versions of their kernels.
struct LaunchHostPass : PassInfoMixin<LaunchHostPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (is_nvptx(M))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwiseHost Host = host(M, FAM);
    bool Changed = warpwise_launch_host(wrap(&M), session(M, MAM), &Host);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Matches "name" or "name<parameters>" and extracts the parameters.
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

// Parses pipelines for one PassBuilder.
class Parser {
public:
  bool module(StringRef Name, ModulePassManager &MPM);
  bool function(StringRef Name, FunctionPassManager &FPM);

private:
  bool accept(StringRef Pass, StringRef Parameters);
  bool wrapped(StringRef Name, StringRef Verb, StringRef &Parameters);
  std::string Said;
};

// Reports what is wrong with a pass's parameters; LLVM then rejects the pipeline. LLVM queries a name several times, so
// the same message is printed once.
bool Parser::accept(StringRef Pass, StringRef Parameters) {
  std::string Message;
  if (warpwise_check_parameters(text(Pass), text(Parameters), collect, &Message))
    return true;
  if (Said != Message)
    errs() << "error: " << Pass << ": " << Message << '\n';
  Said = Message;
  return false;
}

bool Parser::wrapped(StringRef Name, StringRef Verb, StringRef &Parameters) {
  return Name.consume_front(Verb) && Name.consume_front("<") && Name.consume_back(">") &&
         match(Name, AnalysisName, Parameters) && accept(AnalysisName, Parameters);
}

bool Parser::module(StringRef Name, ModulePassManager &MPM) {
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
  if (Name == "versions-host") {
    MPM.addPass(LaunchHostPass());
    return true;
  }
  if (Name == InlineCalls) {
    MPM.addPass(InlinePass(/*Early=*/false));
    return true;
  }
  if (match(Name, FreeArrays, P) && accept(FreeArrays, P)) {
    MPM.addPass(FreeArraysPass(P.str()));
    return true;
  }
  if (match(Name, RemarksName, P) && accept(RemarksName, P)) {
    MPM.addPass(RemarksPass(P.str()));
    return true;
  }
  StringRef Base = Name.take_until([](char C) { return C == '<'; });
  int32_t Id = warpwise_pass_lookup(text(Base));
  if (Id < 0 || !match(Name, Base, P) || !accept(Base, P))
    return false;
  MPM.addPass(TransformPass(Id, P.str()));
  return true;
}

bool Parser::function(StringRef Name, FunctionPassManager &FPM) {
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

// Runs fuse-branches on one function.
struct FuseFunctionPass : PassInfoMixin<FuseFunctionPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!is_nvptx(*F.getParent()) || F.size() < 3 || F.hasOptNone())
      return PreservedAnalyses::all();
    WarpwiseHost Host = host(*F.getParent(), FAM);
    SessionOf Known(F, FAM);
    bool Changed = warpwise_fuse_function(wrap(&F), Known.get(), &Host);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// Runs fuse-branches on a module.
struct FuseModulePass : DevicePass<FuseModulePass> {
  bool BeforeLink;
  explicit FuseModulePass(bool BeforeLink) : BeforeLink(BeforeLink) {}
  bool change(LLVMModuleRef M, const void *Kept, const WarpwiseHost *Host) const {
    return warpwise_fuse_module(M, BeforeLink, Kept, Host);
  }
};

// Creates the session of the module before the first function pass, which may access but not create it.
struct BeginPass : PassInfoMixin<BeginPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    session(M, MAM);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

bool is_before_link(ThinOrFullLTOPhase Phase) {
  return Phase == ThinOrFullLTOPhase::ThinLTOPreLink || Phase == ThinOrFullLTOPhase::FullLTOPreLink;
}

// Fusion runs twice: on the freshly simplified function, before loops are unrolled and SimplifyCFG splits up the sides,
// so that all later passes see the melded code; and on the result of inlining and unrolling. Whether a module is for
// our target is known only when the passes run.
void add_fusion(PassBuilder &PB) {
  PB.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) { MPM.addPass(BeginPass()); });
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(BeginPass()); });
  PB.registerPeepholeEPCallback([](FunctionPassManager &FPM, OptimizationLevel) {
    if (Session().runs("fuse"))
      FPM.addPass(FuseFunctionPass());
  });
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Session().runs("fuse") && Level != OptimizationLevel::O0)
      MPM.addPass(FuseModulePass(is_before_link(Phase)));
  });
}

void register_passes(PassBuilder &PB) {
  // if the command line names the plugin twice it is loaded once, and its passes are registered already
  ModulePassManager Known;
  if (!errorToBool(PB.parsePassPipeline(Known, RemarksName)))
    return;
  PB.registerAnalysisRegistrationCallback(
      [](ModuleAnalysisManager &MAM) { MAM.registerPass([] { return AffineModuleAnalysis(); }); });
  PB.registerAnalysisRegistrationCallback([](FunctionAnalysisManager &FAM) {
    FAM.registerPass([] { return AffineDivergenceAnalysis(); });
    FAM.registerPass([] { return NothingToFuse(); });
  });
  auto Reader = std::make_shared<Parser>();
  using Elements = ArrayRef<PassBuilder::PipelineElement>;
  PB.registerPipelineParsingCallback(
      [Reader](StringRef Name, ModulePassManager &MPM, Elements) { return Reader->module(Name, MPM); });
  PB.registerPipelineParsingCallback(
      [Reader](StringRef Name, FunctionPassManager &FPM, Elements) { return Reader->function(Name, FPM); });
  // before LLVM inlines; when it has inlined what it wants to, and before branches are fused in what is inlined here
  PB.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
        if (Session().runs("inline") && Level.getSpeedupLevel() > 1 && Phase == ThinOrFullLTOPhase::None)
          MPM.addPass(InlinePass(/*Early=*/true));
      });
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Session().runs("inline") && Level.getSpeedupLevel() > 1 && !is_before_link(Phase))
      MPM.addPass(InlinePass(/*Early=*/false));
    if (Session().runs("arrays") && Level.getSpeedupLevel() > 1 && !is_before_link(Phase))
      MPM.addPass(FreeArraysPass(""));
  });
  add_fusion(PB);
  // at the very start, because the functions in which clang registers kernels are inlined later
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    if (Session().runs("map"))
      MPM.addPass(MapHostPass());
    if (Session().runs("versions"))
      MPM.addPass(LaunchHostPass());
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Level == OptimizationLevel::O0)
      MPM.addPass(UnoptimisedPass());
    else
      MPM.addPass(RemarksPass(""));
    // before the link the module is not final: inlining and the bodies of callers are still to come
    if (Level != OptimizationLevel::O0 && !is_before_link(Phase))
      MPM.addPass(TransformPass(warpwise_pass_lookup(text(DefaultPipeline)), ""));
    else if (Session().runs("map"))
      MPM.addPass(TransformPass(warpwise_pass_lookup(text(MapPass)), ""));
  });
}

} // namespace

// src/abi/ asserts the same.
static_assert(LLVM_PLUGIN_API_VERSION == 2 && sizeof(PassPluginLibraryInfo) == 40);
static_assert(offsetof(PassPluginLibraryInfo, APIVersion) == 0 && offsetof(PassPluginLibraryInfo, PluginName) == 8);
static_assert(offsetof(PassPluginLibraryInfo, PluginVersion) == 16);
static_assert(offsetof(PassPluginLibraryInfo, RegisterPassBuilderCallbacks) == 24);
static_assert(offsetof(PassPluginLibraryInfo, PreCodeGenCallback) == 32);

// Rust exports llvmGetPassPluginInfo and returns this, because a cdylib hides C++ symbols.
extern "C" PassPluginLibraryInfo warpwise_plugin_info() {
  return {LLVM_PLUGIN_API_VERSION, "warpwise", WARPWISE_VERSION, register_passes, generate};
}
