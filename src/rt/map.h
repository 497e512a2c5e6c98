// What can a program ask of the runtime of its divergence map?
//
// Programs built with `-mllvm -warpwise-profile-generate` and linked with `-lwarpwise_rt` write a map when they exit; this
// is for those that want one earlier.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Writes a map of what the branches of all GPUs counted so far, to the file that WARPWISE_MAP names or to the next free
/// `warpwise-PID.map`. Waits for the kernels in flight. Returns 0, or 1 after saying on standard error what went wrong.
int warpwise_map_write(void);

#ifdef __cplusplus
}
#endif
