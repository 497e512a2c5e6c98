// How does a program that holds LLVM bitcode in memory run warpwise's passes on it? libwarpwise_opt.so contains all
// that is needed and shows nothing but these functions, so that it can be loaded beside any LLVM. They may be called
// from several threads at once, print nothing and change no state of the process.
//
//   warpwise_result *r = warpwise_optimize(bitcode, size, "-O3 -mcpu=sm_90 --ptx");
//   if (warpwise_error(r)) ...; else use(warpwise_output(r, &size));
//   warpwise_free(r);
#ifndef WARPWISE_OPT_H
#define WARPWISE_OPT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warpwise_result warpwise_result;

// Optimizes one module for NVPTX: LLVM IR as text of LLVM 17 to that of `warpwise-opt --version`, or bitcode, which may
// be older (a test has that of LLVM 9).
// `options` are words of opt's command line, or null:
//   -O0 to -O3, -passes=PIPELINE   what runs; without any of them -O3
//   -mtriple= -mcpu= -mattr=       the target, instead of the module's
//   -S, --ptx                      LLVM IR as text comes out, or PTX; without them bitcode
//   -warpwise-...                  options of the passes
// Never returns null.
warpwise_result *warpwise_optimize(const void *bitcode, size_t size, const char *options);

// What is wrong, as a sentence; null if nothing is. The texts live until warpwise_free.
const char *warpwise_error(const warpwise_result *result);

// The output, with a NUL behind it; empty after an error. `size`, unless null, becomes its size without the NUL.
const char *warpwise_output(const warpwise_result *result, size_t *size);

// What the passes did, refused and found: a JSON array of objects with `kind` ("passed", "missed" or "analysis"),
// `name`, `function`, `message` and, where the module has debug information, `file`, `line` and `column`.
const char *warpwise_remarks(const warpwise_result *result);

void warpwise_free(warpwise_result *result);

#ifdef __cplusplus
}
#endif

#endif
