// Command-line options, handed over to Rust before a pass runs.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace warpwise {
// Tells Rust the options that were given on the command line.
void publish_options();
// Whether the default pipeline runs the transform of a switch: "fuse", "map".
bool runs_by_default(llvm::StringRef Switch);
} // namespace warpwise
