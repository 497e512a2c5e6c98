// What does a just-in-time compiler get that holds a module in memory? Every call has its own context, so that threads
// do not meet; nothing is printed, no signal handled, and a fatal error of LLVM's ends the call only.

#include "api.h"
#include "job.h"
#include "options.h"
#include "text.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/StringSaver.h"
#include <csetjmp>
#include <mutex>

using namespace llvm;

namespace {

// What the options of a call say: words of opt's command line.
struct Request {
  StringRef Passes, Triple, Chip, Features;
  char Level = 0, Form = 'b'; // 'b'itcode, 'S' for text, or 'p'tx
  std::vector<WarpwiseOption> Options;

  // Returns what is wrong.
  std::string parse(ArrayRef<const char *> Words);
};

std::string Request::parse(ArrayRef<const char *> Words) {
  for (size_t At = 0; At < Words.size(); ++At) {
    StringRef Word = Words[At], Plugin, Name = Word.ltrim('-'); // the plugin is built in
    auto [Key, Value] = Name.split('=');
    StringRef *Wanted = StringSwitch<StringRef *>(Word.starts_with("-") ? Key : "")
                            .Case("passes", &Passes)
                            .Case("mtriple", &Triple)
                            .Case("mcpu", &Chip)
                            .Case("mattr", &Features)
                            .Case("load-pass-plugin", &Plugin)
                            .Default(nullptr);
    bool HasValue = Name.contains('=');
    if (Wanted && !HasValue && ++At == Words.size())
      return (Word + " has no value").str();
    if (Wanted)
      *Wanted = HasValue ? Value : Words[At];
    else if (Word == "-S" || Word == "--ptx" || Word == "-ptx")
      Form = Name.front();
    else if (Word.size() == 3 && Word.consume_front("-O") && StringRef("0123sz").contains(Word))
      Level = Word.front();
    else if (Word.starts_with("-") && Key.consume_front("warpwise-")) {
      std::string Wrong;
      if (!warpwise_check_option(warpwise::text(Key), warpwise::text(Value), warpwise::collect, &Wrong))
        return (Word + ": " + Wrong).str();
      warpwise_former_option(warpwise::text(Key), warpwise::collect, &Wrong);
      if (!Wrong.empty())
        return Wrong;
      Options.push_back({warpwise::text(Key), warpwise::text(Value)});
    } else
      return ("the option " + Twine(Words[At]) + " is not known here").str();
  }
  return Level && !Passes.empty() ? "-O and -passes exclude each other: -passes='default<O3>,…' says both" : "";
}

class Listener : public DiagnosticHandler {
public:
  json::Array Remarks;
  std::string Errors;

  bool isAnalysisRemarkEnabled(StringRef Pass) const override { return Pass == "warpwise"; }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override { return Pass == "warpwise"; }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override { return Pass == "warpwise"; }
  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (auto *Remark = dyn_cast<DiagnosticInfoIROptimization>(&DI)) {
      if (Remark->isEnabled())
        note(*Remark);
      return true;
    }
    raw_string_ostream OS(Errors);
    DiagnosticPrinterRawOStream Printer(OS);
    if (DI.getSeverity() == DS_Error) {
      OS << (Errors.empty() ? "" : "\n");
      DI.print(Printer);
    }
    return true;
  }

private:
  void note(const DiagnosticInfoIROptimization &Remark) {
    StringRef Kind = Remark.getKind() == DK_OptimizationRemark         ? "passed"
                     : Remark.getKind() == DK_OptimizationRemarkMissed ? "missed"
                                                                       : "analysis";
    json::Object Row{{"kind", Kind},
                     {"name", Remark.getRemarkName().str()},
                     {"function", json::fixUTF8(Remark.getFunction().getName())},
                     {"message", json::fixUTF8(Remark.getMsg())}};
    if (Remark.isLocationAvailable()) {
      StringRef File;
      unsigned Line, Column;
      Remark.getLocation(File, Line, Column);
      Row["file"] = json::fixUTF8(File);
      Row["line"] = Line;
      Row["column"] = Column;
    }
    Remarks.push_back(std::move(Row));
  }
};

// Where a fatal error of LLVM on this thread goes on.
struct Escape {
  std::jmp_buf Back;
  std::string Why;
};
thread_local Escape *Way = nullptr;

void escape(void *, const char *Why, bool) {
  if (!Way)
    return; // LLVM ends the process
  Way->Why = Why;
  std::longjmp(Way->Back, 1);
}

// Runs code of LLVM's. After a fatal error, what it had in its hands is lost, and what that refers to must stay.
bool survives(function_ref<void()> Body, std::string &Why) {
  static std::once_flag Once;
  std::call_once(Once, [] { install_fatal_error_handler(escape); });
  Escape Own;
  Way = &Own;
  bool IsAlive = !setjmp(Own.Back);
  if (IsAlive)
    Body();
  else
    Why = Own.Why;
  Way = nullptr;
  return IsAlive;
}

// One module. Returns what is wrong.
std::string run(StringRef Input, const Request &R, LLVMContext &Context, Listener &Heard,
                SmallVectorImpl<char> &Result) {
  SMDiagnostic Wrong;
  auto Buffer = MemoryBuffer::getMemBufferCopy(Input, "module");
  auto M = parseIR(*Buffer, Wrong, Context, warpwise::layout_of(R.Triple));
  if (!M) {
    std::string Where = Wrong.getLineNo() > 0 ? " (line " + std::to_string(Wrong.getLineNo()) + ")" : "";
    return "this is not valid LLVM IR: " + Wrong.getMessage().str() + Where;
  }
  if (!R.Triple.empty())
    M->setTargetTriple(Triple(Triple::normalize(R.Triple)));
  if (!M->getTargetTriple().isNVPTX())
    return "the module is for '" + M->getTargetTriple().str() +
           "', not for nvptx64-nvidia-cuda: -mtriple overrides that";
  std::string Broken;
  raw_string_ostream Verifier(Broken);
  if (verifyModule(*M, &Verifier))
    return "the module is broken: " + Broken;
  auto Machine =
      warpwise::machine(*M, R.Chip, R.Features, CodeGenOpt::parseLevel(R.Level).value_or(CodeGenOptLevel::Default));
  if (!Machine)
    return toString(Machine.takeError());
  warpwise::set_chip(*M, R.Chip, R.Features);
  std::string Passes = R.Passes.empty() ? std::string("default<O") + (R.Level ? R.Level : '3') + ">" : R.Passes.str();
  if (Error E = warpwise::optimise(*M, Machine->get(), Passes, {}))
    return toString(std::move(E));
  raw_svector_ostream Out(Result);
  if (R.Form == 'S')
    M->print(Out, nullptr);
  else if (R.Form == 'b')
    WriteBitcodeToFile(*M, Out, /*ShouldPreserveUseListOrder=*/true);
  else if (Error E = warpwise::generate(*M, **Machine, Out))
    return toString(std::move(E));
  return Heard.Errors;
}

// What came of a module: `warpwise_result` of warpwise_opt.h.
struct Outcome {
  SmallString<0> Output;
  std::string Remarks = "[]", Error;
};

} // namespace

// What src/opt/lib.rs exports, as warpwise_opt.h describes it.
extern "C" {

Outcome *opt_optimize(const void *Bitcode, size_t Size, const char *Words) {
  warpwise::know_targets();
  auto *Made = new Outcome;
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  SmallVector<const char *> Options;
  cl::TokenizeGNUCommandLine(Words ? Words : "", Saver, Options);
  Request R;
  Made->Error = R.parse(Options);
  if (!Made->Error.empty())
    return Made;

  auto Context = std::make_unique<LLVMContext>();
  auto Handler = std::make_unique<Listener>();
  Listener &Heard = *Handler;
  Context->setDiagnosticHandler(std::move(Handler));
  std::string Complaints;
  raw_string_ostream Said(Complaints);
  warpwise::Caller Own{R.Options, Said};
  warpwise::Calling = &Own;
  StringRef Input(static_cast<const char *>(Bitcode), Size);
  if (!survives([&] { Made->Error = run(Input, R, *Context, Heard, Made->Output); }, Made->Error))
    Context.release();
  warpwise::Calling = nullptr;
  if (!Made->Error.empty()) {
    StringRef Better = Complaints; // than LLVM's word for a pass with wrong parameters
    Better.consume_front("error: ");
    Made->Error = StringRef(Better.empty() ? StringRef(Made->Error) : Better).trim().str();
    Made->Output.clear();
  }
  Made->Remarks = formatv("{0}", json::Value(std::move(Heard.Remarks))).str();
  return Made;
}

const char *opt_error(const Outcome *Made) { return Made->Error.empty() ? nullptr : Made->Error.c_str(); }

const char *opt_output(Outcome *Made, size_t *Size) {
  if (Size)
    *Size = Made->Output.size();
  return Made->Output.c_str();
}

const char *opt_remarks(const Outcome *Made) { return Made->Remarks.c_str(); }

void opt_free(Outcome *Made) { delete Made; }

} // extern "C"
