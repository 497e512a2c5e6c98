// Command-line options, and the state kept while one module is compiled with them.
#pragma once

#include "abi.h"
#include "llvm/IR/PassManager.h"

namespace warpwise {

// Who runs passes on this thread without a command line (src/opt): the options for its module, and where to say what is
// wrong with a pipeline.
struct Caller {
  llvm::ArrayRef<WarpwiseOption> Options;
  llvm::raw_ostream &Complaints;
};
extern thread_local const Caller *Calling; // null if there is a command line

// The state that Rust keeps for one module: the current options, what was derived from them, and the remarks already
// emitted.
class Session {
public:
  Session();
  Session(Session &&Other) : Known(Other.Known) { Other.Known = nullptr; }
  Session &operator=(Session &&) = delete;
  ~Session();
  const void *get() const { return Known; }

private:
  void *Known;
};

} // namespace warpwise
