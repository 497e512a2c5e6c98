// Command-line options, and what is kept while one module is compiled with them.
#pragma once

#include "abi.h"
#include "llvm/IR/PassManager.h"

namespace warpwise {

// What Rust keeps of one module: the options as they are now, what they led to, what was said.
class Session {
public:
  Session();
  Session(Session &&Other) : Known(Other.Known) { Other.Known = nullptr; }
  Session &operator=(Session &&) = delete;
  ~Session();
  const void *get() const { return Known; }
  // Whether the default pipeline runs the transform of a switch: "fuse", "map".
  bool runs(llvm::StringRef Switch) const;

private:
  void *Known;
};

} // namespace warpwise
