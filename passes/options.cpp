// Which -warpwise-… options are there? Rust has the table (src/settings/table.rs); LLVM's command line gets one option
// per row, given after -mllvm in clang and directly in opt and llc.

#include "options.h"
#include "text.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <dlfcn.h>
#include <optional>
#include <vector>

using namespace llvm;

namespace {

// A value is checked when it is parsed, so that a bad one is reported as the driver's own error.
struct TableParser : cl::parser<std::string> {
  StringRef Name;
  bool TakesValue = false;
  TableParser(cl::Option &O) : cl::parser<std::string>(O) {}
  bool parse(cl::Option &O, StringRef ArgName, StringRef Arg, std::string &Value) {
    std::string Message;
    if (!warpwise_check_option(warpwise::text(Name), warpwise::text(Arg), warpwise::collect, &Message))
      return O.error(Message, ArgName);
    warpwise_former_option(warpwise::text(Name), warpwise::collect, &Message);
    if (!Message.empty())
      errs() << "warning: " << Message << '\n';
    Value = Arg.str();
    return false;
  }
  StringRef getValueName() const override { return TakesValue ? "value" : ""; }
};

using TableOption = cl::opt<std::string, false, TableParser>;

struct Row {
  WarpwiseText Name;
  std::string Argument;
  TableOption Option;
  Row(const WarpwiseOptionRow &R, cl::OptionCategory &Category)
      : Name(R.name), Argument("warpwise-" + warpwise::ref(R.name).str()),
        Option(StringRef(Argument), cl::cat(Category), cl::desc(warpwise::ref(R.help)),
               cl::value_desc(warpwise::ref(R.value)), R.wants_value ? cl::ValueRequired : cl::ValueOptional,
               R.is_former ? cl::Hidden : cl::NotHidden) {
    Option.getParser().Name = warpwise::ref(R.name);
    Option.getParser().TakesValue = R.wants_value;
  }
};

// The file of another loaded copy of the plugin, which LLVM cannot tell from this one; empty if there is none.
std::string other_copy() {
  auto &Known = cl::getRegisteredOptions();
  auto Found = Known.find("warpwise-block");
  if (Found == Known.end())
    return "";
  // the virtual function table of an option is in the file that created it
  const void *Table = *reinterpret_cast<void *const *>(Found->second);
  Dl_info Info;
  return dladdr(Table, &Info) && Info.dli_fname ? Info.dli_fname : "a file of another name";
}

// LLVM's options outlive a module. LLVM keeps their addresses, so rows must not move. It ends the process if an option
// is registered twice, so a second copy of the plugin registers none.
struct Table {
  std::string OtherCopy;
  std::optional<cl::OptionCategory> Category;
  std::deque<Row> Rows;
  Table() {
    if (!warpwise_llvm_fits())
      return;
    OtherCopy = other_copy();
    Category.emplace("warpwise", "what a warp agrees on");
    WarpwiseOptionRow R;
    for (uint32_t Number = 0; OtherCopy.empty() && warpwise_option_row(Number, &R); ++Number)
      Rows.emplace_back(R, *Category);
  }
};

// Constructed when the plugin is loaded, before drivers parse their command line.
Table All;

} // namespace

thread_local const warpwise::Caller *warpwise::Calling = nullptr;

void warpwise_other_copy(WarpwiseSink Sink, void *Context) { Sink(Context, warpwise::text(All.OtherCopy)); }

warpwise::Session::Session() {
  if (Calling) {
    Known = warpwise_session_new(Calling->Options.data(), Calling->Options.size());
    return;
  }
  std::vector<WarpwiseOption> Given;
  for (const Row &R : All.Rows)
    if (R.Option.getNumOccurrences())
      Given.push_back({R.Name, text(R.Option.getValue())});
  Known = warpwise_session_new(Given.data(), Given.size());
}

warpwise::Session::~Session() { warpwise_session_free(Known); }
