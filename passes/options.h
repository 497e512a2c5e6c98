// Command-line options, handed over to Rust before a pass runs.
#pragma once

namespace warpwise {
// Tells Rust the options that were given on the command line.
void publish_options();
// Whether fuse-branches takes its place in the optimisation pipelines.
bool wants_fusion();
// Whether branches are counted.
bool wants_map();
} // namespace warpwise
