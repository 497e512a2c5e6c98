// Which -warpwise-… options are there? (clang: after -mllvm; opt, llc: as they are)

#include "options.h"
#include "text.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace {

cl::OptionCategory Category("warpwise", "what a warp agrees on");

// A block shape, checked when it is parsed so that a bad one is the driver's own error.
struct ShapeParser : cl::parser<std::string> {
  ShapeParser(cl::Option &O) : cl::parser<std::string>(O) {}
  bool parse(cl::Option &O, StringRef ArgName, StringRef Arg, std::string &Value) {
    std::string Message;
    if (!warpwise_check_block(warpwise::text(Arg), warpwise::collect, &Message))
      return O.error(Message, ArgName);
    Value = Arg.str();
    return false;
  }
};

cl::opt<std::string, false, ShapeParser> Block("warpwise-block", cl::cat(Category), cl::value_desc("X[xYxZ]"),
                                               cl::desc("Shape of the blocks that kernels are launched with, e.g. "
                                                        "256 or 16x16; a kernel's own attributes win"));

cl::opt<bool> RemarkAll("warpwise-remark-all", cl::cat(Category),
                        cl::desc("Analysis remarks also for memory accesses that are as good as they can be"));
cl::opt<unsigned> Registers("warpwise-regs", cl::cat(Category), cl::value_desc("N"),
                            cl::desc("Registers a thread may use (beats the kernels' own bounds)"));

cl::opt<unsigned> DynamicShared("warpwise-dynamic-shared", cl::cat(Category), cl::value_desc("bytes"),
                                cl::desc("Most dynamic shared memory that kernels are launched with"));

// Classes of victims, checked in the same way.
struct VictimsParser : cl::parser<std::string> {
  VictimsParser(cl::Option &O) : cl::parser<std::string>(O) {}
  bool parse(cl::Option &O, StringRef ArgName, StringRef Arg, std::string &Value) {
    std::string Message, Parameter = "victims=" + Arg.str();
    if (!warpwise_check_parameters(warpwise::text("steer-spills"), warpwise::text(Parameter), warpwise::collect,
                                   &Message))
      return O.error(Message, ArgName);
    Value = Arg.str();
    return false;
  }
};

cl::opt<std::string, false, VictimsParser>
    Victims("warpwise-victims", cl::cat(Category), cl::value_desc("class,..."),
            cl::desc("What steer-spills may move: all, none, constant, affine, uniform, "
                     "divergent, stack, rare"));

cl::opt<std::string> Ptxas("warpwise-ptxas", cl::cat(Category), cl::value_desc("path"),
                           cl::desc("Have steer-spills measure its work with this ptxas and keep what it confirms"));
cl::opt<bool> PtxasSmem("warpwise-ptxas-smem", cl::cat(Category),
                        cl::desc("Ask ptxas to spill to shared memory what steer-spills could not move (PTX 9.0)"));

cl::opt<bool> AssumeRestrict("warpwise-assume-restrict", cl::cat(Category),
                             cl::desc("Pointer arguments of a kernel never alias, as if all were __restrict__"));

cl::opt<bool> Off("warpwise-off", cl::cat(Category), cl::desc("Transform nothing: remarks of the analysis only"));

// One switch for each transform of the default pipeline.
cl::opt<bool> Annotate("warpwise-annotate", cl::cat(Category), cl::init(true), cl::desc("Run annotate-uniform"));
cl::opt<bool> Fuse("warpwise-fuse", cl::cat(Category), cl::init(true),
                   cl::desc("Run fuse-branches (with counters only if asked for)"));
cl::opt<bool> Steer("warpwise-steer", cl::cat(Category), cl::init(true), cl::desc("Run steer-spills"));

cl::opt<bool> Map("warpwise-divergence-map", cl::init(false), cl::cat(Category),
                  cl::desc("Count, at every branch, the warps that come and those that split"));
cl::opt<bool> MapAll("warpwise-map-all", cl::init(false), cl::cat(Category),
                     cl::desc("Count branches that are proven uniform too"));
cl::opt<std::string> MapName("warpwise-map-name", cl::cat(Category), cl::value_desc("SUFFIX"),
                             cl::desc("What the symbols of the divergence map end in"));
cl::opt<std::string> MapFile("warpwise-map", cl::cat(Category), cl::value_desc("FILE"),
                             cl::desc("Divergence map of an earlier run, for fuse-branches to go by"));

void publish(StringRef Name, const cl::opt<bool> &Option) {
  if (Option.getNumOccurrences())
    warpwise_set_option(warpwise::text(Name), warpwise::text(Option ? "1" : "0"));
}

} // namespace

void warpwise::publish_options() {
  publish("assume-restrict", AssumeRestrict);
  publish("ptxas-smem", PtxasSmem);
  publish("off", Off);
  publish("annotate", Annotate);
  publish("fuse", Fuse);
  publish("steer", Steer);
  publish("map", Map);
  publish("map-all", MapAll);
  if (MapName.getNumOccurrences())
    warpwise_set_option(text("map-name"), text(MapName));
  if (MapFile.getNumOccurrences())
    warpwise_set_option(text("map-file"), text(MapFile));
  if (Block.getNumOccurrences())
    warpwise_set_option(text("block"), text(Block));
  if (RemarkAll)
    warpwise_set_option(text("remark-all"), text(""));
  if (Registers.getNumOccurrences())
    warpwise_set_option(text("regs"), text(std::to_string(std::min(Registers.getValue(), 255u))));
  if (Ptxas.getNumOccurrences())
    warpwise_set_option(text("ptxas"), text(Ptxas));
  if (Victims.getNumOccurrences())
    warpwise_set_option(text("victims"), text(Victims));
  if (DynamicShared.getNumOccurrences())
    warpwise_set_option(text("dynamic-shared"), text(std::to_string(std::min(DynamicShared.getValue(), 232448u))));
}

bool warpwise::runs_by_default(StringRef Switch) {
  publish_options();
  return warpwise_runs_by_default(text(Switch));
}
