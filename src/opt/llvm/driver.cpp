// What do `warpwise-opt` and `warpwise-llc` make of their command lines? They take those of LLVM's `opt`, as far as
// people use it, with --ptx, and of `llc`.

#include "api.h"
#include "job.h"
#include "text.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Remarks/HotnessThresholdParser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/SystemUtils.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

namespace {

const char *Name; // of the program
bool IsLlc;       // no passes run, and what comes out is code

enum class Printing { None, Normal, Verbose, Quiet };

// Made when the command line is read, so that neither the library nor other commands have them.
struct Options {
  cl::opt<std::string> Input{cl::Positional, cl::desc("<module>"), cl::init("-")};
  cl::opt<std::string> Output{"o", cl::desc("Where the result goes"), cl::value_desc("filename"), cl::init("-")};
  cl::opt<std::string> Passes{"passes", cl::desc("The pipeline, with passes separated by commas")};
  cl::alias PassesToo{"p", cl::desc("Alias for -passes"), cl::aliasopt(Passes)};
  cl::list<char> Levels{"O", cl::desc("0 to 3, s or z: -passes='default<O…>'; for llc, how code is generated"),
                        cl::Prefix};
  cl::opt<bool> IsPtx{"ptx", cl::desc("Go on to PTX")};
  cl::opt<bool> IsText{"S", cl::desc("Write text")};
  cl::opt<bool> IsForced{"f", cl::desc("Write bitcode to terminals, too")};
  cl::opt<bool> IsSilent{"disable-output", cl::desc("Write nothing")};
  cl::opt<bool> VerifiesNot{"disable-verify", cl::desc("Do not verify the module before and after")};
  cl::opt<bool> VerifiesEach{"verify-each", cl::desc("Verify after each pass")};
  cl::opt<std::string> Triple{"mtriple", cl::desc("Override the target")};
  cl::opt<std::string> Layout{"data-layout", cl::desc("Override the layout of data")};
  cl::opt<bool> DropsDebug{"strip-debug", cl::desc("Remove debug information first")};
  cl::opt<bool> DropsNamed{"strip-named-metadata", cl::desc("Remove named metadata first")};
  cl::opt<bool> DropsNames{"discard-value-names", cl::desc("Forget the names of values")};
  cl::opt<Printing> Prints{"debug-pass-manager", cl::desc("Print what is run"), cl::ValueOptional,
                           cl::init(Printing::None),
                           cl::values(clEnumValN(Printing::Normal, "", ""), clEnumValN(Printing::Quiet, "quiet", ""),
                                      clEnumValN(Printing::Verbose, "verbose", ""))};
  cl::opt<std::string> Remarks{"pass-remarks-output", cl::desc("Where remarks go"), cl::value_desc("filename")};
  cl::opt<std::string> WantedRemarks{"pass-remarks-filter", cl::desc("Which passes' remarks go there")};
  cl::opt<std::string> RemarksFormat{"pass-remarks-format", cl::desc("yaml or bitstream"), cl::init("yaml")};
  cl::opt<bool> RemarksWithHotness{"pass-remarks-with-hotness", cl::desc("With profile counts")};
  cl::opt<std::optional<uint64_t>, false, remarks::HotnessThresholdParser> Hotness{
      "pass-remarks-hotness-threshold", cl::desc("The least profile count, or auto"), cl::init(0)};
  cl::list<std::string> Plugins{"load-pass-plugin", cl::desc("Ignored for warpwise's own plugin, which is built in")};
};

[[noreturn]] void fail(const Twine &Why) {
  errs() << Name << ": " << Why << '\n';
  exit(1);
}

template <typename T> T must(Expected<T> Result) {
  if (!Result)
    fail(toString(Result.takeError()));
  return std::move(*Result);
}

// Ends the program with one sentence if LLVM's parser does not know a word.
void parse(int Count, char **Words, const Options &Given) {
  cl::AddExtraVersionPrinter([](raw_ostream &OS) { OS << "  with the passes of warpwise " WARPWISE_VERSION "\n"; });
  std::string Text;
  raw_string_ostream Wrong(Text);
  const char *What = IsLlc ? "LLVM's code generator\n" : "LLVM's optimizer with the passes of warpwise\n";
  if (!cl::ParseCommandLineOptions(Count, Words, What, &Wrong)) {
    StringRef Sentence = StringRef(Text).split('\n').first.split("  Try: ").first;
    Sentence.consume_front((Twine(Name) + ": ").str());
    if (Sentence.empty())
      exit(1); // the option has said so
    fail(Sentence);
  }
  for (const std::string &Plugin : Given.Plugins)
    if (!sys::path::filename(Plugin).starts_with("libwarpwise"))
      fail("cannot load " + Plugin + ", because this program contains its LLVM and takes no plugins");
  if (Given.Levels.size() > 1)
    fail("there is more than one -O option");
  if (!Given.Levels.empty() && !Given.Passes.empty())
    fail("-O" + Twine(Given.Levels[0]) + " and -passes exclude each other: -passes='default<O" +
         Twine(Given.Levels[0]) + ">,…' says both");
  if (IsLlc && !Given.Passes.empty())
    fail("-passes is an option of opt's: this generates code and runs no passes");
  if (Given.IsPtx && Given.IsText)
    fail("-S asks for LLVM IR and --ptx for PTX: only one of them can be written");
}

std::unique_ptr<Module> read(LLVMContext &Context, const Options &Given) {
  SMDiagnostic Wrong;
  auto M = parseIRFile(Given.Input, Wrong, Context, warpwise::layout_of(Given.Triple, Given.Layout));
  if (!M) {
    Wrong.print(Name, errs());
    exit(1);
  }
  if (Given.DropsDebug)
    StripDebugInfo(*M);
  if (Given.DropsNamed)
    while (!M->named_metadata_empty())
      M->eraseNamedMetadata(&*M->named_metadata_begin());
  if (!Given.Triple.empty())
    M->setTargetTriple(Triple(Triple::normalize(Given.Triple)));
  if (!Given.VerifiesNot && verifyModule(*M, &errs()))
    fail(Given.Input + ": the module is broken");
  return M;
}

// Where llc writes to if nothing is said.
std::string beside(StringRef Input, CodeGenFileType Kind) {
  if (Input == "-" || Kind == CodeGenFileType::Null)
    return "-";
  bool IsIr = Input.ends_with(".bc") || Input.ends_with(".ll");
  return (Input.drop_back(IsIr ? 3 : 0) + (Kind == CodeGenFileType::ObjectFile ? ".o" : ".s")).str();
}

void write(Module &M, TargetMachine *Machine, const Options &Given, CodeGenFileType Kind, raw_pwrite_stream &Out) {
  if (Given.IsPtx || IsLlc) {
    if (Error Wrong = warpwise::generate(M, *Machine, Out, Kind))
      fail(toString(std::move(Wrong)));
  } else if (Given.IsText) {
    M.print(Out, nullptr);
  } else {
    WriteBitcodeToFile(M, Out, /*ShouldPreserveUseListOrder=*/true);
  }
}

} // namespace

extern "C" int warpwise_opt_main(int Count, char **Words) {
  InitLLVM Start(Count, Words);
  Name = Words[0];
  IsLlc = StringRef(Name).ends_with("llc");
  warpwise::know_targets();
  static Options Given;
  parse(Count, Words, Given);

  LLVMContext Context;
  Context.setDiscardValueNames(Given.DropsNames);
  Context.enableDebugTypeODRUniquing();
  auto RemarksFile = must(setupLLVMOptimizationRemarks(Context, Given.Remarks, Given.WantedRemarks, Given.RemarksFormat,
                                                       Given.RemarksWithHotness, Given.Hotness));
  std::unique_ptr<Module> M = read(Context, Given);
  char Level = Given.Levels.empty() ? '2' : Given.Levels[0];
  std::unique_ptr<TargetMachine> Machine;
  std::string CPU, Features;
  if (M->getTargetTriple().getArch()) {
    CPU = codegen::getCPUStr();
    Features = codegen::getFeaturesStr();
    auto Digit = CodeGenOpt::parseLevel(Level).value_or(CodeGenOptLevel::Default);
    if (auto Made = warpwise::machine(*M, CPU, Features, Digit))
      Machine = std::move(*Made);
    else if (IsLlc)
      fail(toString(Made.takeError()));
    else
      errs() << Name << ": warning: " << toString(Made.takeError()) << '\n';
  } else if (IsLlc) {
    fail(Given.Input + " does not say for which target it is: -mtriple says it");
  }
  if (Given.IsPtx && !M->getTargetTriple().isNVPTX())
    fail("--ptx needs a module for nvptx64-nvidia-cuda, and this one is for '" + M->getTargetTriple().str() +
         "': -mtriple overrides that");
  warpwise::set_chip(*M, CPU, Features);

  std::error_code Failure;
  CodeGenFileType Kind = IsLlc ? codegen::getFileType() : CodeGenFileType::AssemblyFile;
  bool IsText = IsLlc ? Kind != CodeGenFileType::ObjectFile : Given.IsText || Given.IsPtx;
  if (IsLlc && Given.Output.getNumOccurrences() == 0)
    Given.Output = beside(Given.Input, Kind);
  ToolOutputFile Out(Given.IsSilent ? "-" : StringRef(Given.Output), Failure,
                     IsText ? sys::fs::OF_TextWithCRLF : sys::fs::OF_None);
  if (Failure)
    fail("cannot write " + Given.Output + ": " + Failure.message());
  bool IsSilent = Given.IsSilent || (!Given.IsForced && !IsText && CheckBitcodeOutputToConsole(Out.os()));
  warpwise::Instruments How;
  How.Verifies = !Given.VerifiesNot;
  How.VerifiesEach = Given.VerifiesEach;
  How.PrintsPasses = Given.Prints != Printing::None;
  How.PrintsAnalyses = Given.Prints != Printing::Quiet;
  How.PrintsDetails = Given.Prints == Printing::Verbose;
  std::string Passes = Given.Passes;
  if (!Given.Levels.empty() && !IsLlc)
    Passes = ("default<O" + Twine(Level) + ">").str();
  if (!IsLlc)
    if (Error Wrong = warpwise::optimise(*M, Machine.get(), Passes, How))
      fail(toString(std::move(Wrong)));
  if (!IsSilent)
    write(*M, Machine.get(), Given, Kind, Out.os());
  reportAndResetTimings();
  if (Context.getDiagHandlerPtr()->HasErrors)
    return 1;
  Out.keep();
  if (RemarksFile)
    RemarksFile->keep();
  return 0;
}
