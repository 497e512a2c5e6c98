// What does the plugin add to LLVM's pass manager? Analyses, their utility passes, the transforms by name, and the
// places in clang's pipelines where they run. All logic is behind the C functions of abi.h.

#include "abi.h"
#include "api.h"
#include "facts.h"
#include "fusion_memory.h"
#include "lowered.h"
#include "options.h"
#include "remarks.h"
#include "text.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

using namespace llvm;
using namespace warpwise;

namespace {

using Phase = ThinOrFullLTOPhase;

// A pass by its number; what it does is Rust's business. LLVM asks types for their names, so there is one for each.
template <uint32_t Pass> struct RustPass : PassInfoMixin<RustPass<Pass>> {
  std::string Parameters;
  Phase When;
  RustPass(std::string P, Phase When) : Parameters(std::move(P)), When(When) {}
  static StringRef name() { return ref(warpwise_pass_name(Pass)); }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!(warpwise_pass_traits(Pass) & (is_nvptx(M) ? WARPWISE_DEVICE : WARPWISE_HOST)))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    WarpwisePassManager Manager = passManager(M, FAM);
    bool Changed = warpwise_pass_run(Pass, uint32_t(When), wrap(&M), text(Parameters), session(M, MAM), &Manager);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return warpwise_pass_traits(Pass) & WARPWISE_REQUIRED; }
};

// fuse-branches on one function.
struct FuseFunctionPass : PassInfoMixin<FuseFunctionPass> {
  static StringRef name() { return "fuse-branches-function"; }
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!is_nvptx(*F.getParent()) || F.size() < 3 || F.hasOptNone())
      return PreservedAnalyses::all();
    WarpwisePassManager Manager = passManager(*F.getParent(), FAM);
    SessionOf Known(F, FAM);
    bool Changed = warpwise_fuse_function(wrap(&F), Known.get(), &Manager);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

template <uint32_t... Numbers>
void add_one_of(std::integer_sequence<uint32_t, Numbers...>, ModulePassManager &MPM, uint32_t Pass,
                StringRef Parameters, Phase When) {
  ((Numbers == Pass ? MPM.addPass(RustPass<Numbers>(Parameters.str(), When)) : void()), ...);
}

void add(ModulePassManager &MPM, uint32_t Pass, StringRef Parameters, Phase When) {
  if (warpwise_pass_traits(Pass) & WARPWISE_FACTS)
    MPM.addPass(RemarksPass(Parameters.str()));
  else
    add_one_of(std::make_integer_sequence<uint32_t, WARPWISE_PASSES>(), MPM, Pass, Parameters, When);
}

// Adds what the schedule has at a point. Whether a module is for our target is known only when the passes run.
template <typename Manager> void add_steps(Manager &PM, uint32_t Point, OptimizationLevel Level, Phase When) {
  WarpwiseStep S;
  Session Options;
  for (uint32_t Number = 0; warpwise_schedule(Number, &S); ++Number) {
    if (S.point != Point || speed(Level) < S.least_level || speed(Level) > S.most_level ||
        !(S.phases >> uint32_t(When) & 1) || !warpwise_session_wants(Options.get(), S.pass))
      continue;
    if constexpr (std::is_same_v<Manager, FunctionPassManager>)
      PM.addPass(FuseFunctionPass());
    else
      add(PM, S.pass, "", When);
  }
}

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
  template <typename Print, typename Require, typename Invalidate, typename Manager>
  bool utility(StringRef Name, Manager &PM);
  std::string Said;
};

// Reports what is wrong with a pass's parameters; LLVM then rejects the pipeline. LLVM queries a name several times, so
// the same message is printed once.
bool Parser::accept(StringRef Pass, StringRef Parameters) {
  std::string Message;
  if (warpwise_check_parameters(text(Pass), text(Parameters), collect, &Message))
    return true;
  if (Said != Message)
    (Calling ? Calling->Complaints : errs()) << "error: " << Pass << ": " << Message << '\n';
  Said = Message;
  return false;
}

bool Parser::wrapped(StringRef Name, StringRef Verb, StringRef &Parameters) {
  return Name.consume_front(Verb) && Name.consume_front("<") && Name.consume_back(">") &&
         match(Name, AnalysisName, Parameters) && accept(AnalysisName, Parameters);
}

// Adds a pass that prints, requires or invalidates the analysis.
template <typename Print, typename Require, typename Invalidate, typename Manager>
bool Parser::utility(StringRef Name, Manager &PM) {
  StringRef P;
  if (wrapped(Name, "print", P))
    PM.addPass(Print(P.str()));
  else if (wrapped(Name, "require", P) && P.empty())
    PM.addPass(Require());
  else if (wrapped(Name, "invalidate", P) && P.empty())
    PM.addPass(Invalidate());
  else
    return false;
  return true;
}

bool Parser::module(StringRef Name, ModulePassManager &MPM) {
  if (utility<PrintModulePass, RequireModulePass, InvalidateModulePass>(Name, MPM))
    return true;
  StringRef P;
  StringRef Base = Name.take_until([](char C) { return C == '<'; });
  int32_t Pass = warpwise_pass_lookup(text(Base));
  if (Pass < 0 || !match(Name, Base, P) || !accept(Base, P))
    return false;
  add(MPM, Pass, P, Phase::None);
  return true;
}

bool Parser::function(StringRef Name, FunctionPassManager &FPM) {
  return utility<PrintFunctionPass, RequireAnalysisPass<AffineDivergenceAnalysis, Function>,
                 InvalidateAnalysisPass<AffineDivergenceAnalysis>>(Name, FPM);
}

// The machine of a PassBuilder is private, but an explicit instantiation may name it.
template <TargetMachine *PassBuilder::*Member> struct MachineOf {
  friend TargetMachine *machine_of(PassBuilder &PB) { return PB.*Member; }
};
template struct MachineOf<&PassBuilder::TM>;
TargetMachine *machine_of(PassBuilder &PB);

void register_passes(PassBuilder &PB) {
  Machine = machine_of(PB);
  warpwise_joins_all(Machine && Machine->Options.AllowFPOpFusion == FPOpFusion::Fast);
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
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level) { add_steps(MPM, WARPWISE_START, Level, Phase::None); });
  PB.registerPipelineEarlySimplificationEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, Phase When) {
    add_steps(MPM, WARPWISE_EARLY_SIMPLIFICATION, Level, When);
  });
  PB.registerFullLinkTimeOptimizationEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    add_steps(MPM, WARPWISE_FULL_LINK_TIME_EARLY, Level, Phase::FullLTOPostLink);
  });
  PB.registerPeepholeEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel Level) { add_steps(FPM, WARPWISE_PEEPHOLE, Level, Phase::None); });
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, Phase When) {
    warpwise::Level = Level;
    add_steps(MPM, WARPWISE_OPTIMIZER_EARLY, Level, When);
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, Phase When) {
    add_steps(MPM, WARPWISE_OPTIMIZER_LAST, Level, When);
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
  return {LLVM_PLUGIN_API_VERSION, "warpwise", WARPWISE_VERSION, register_passes, nullptr};
}
