// The C boundary between LLVM's pass manager (C++) and warpwise (Rust). Every function here is defined in src/abi.rs
// unless it is marked "C++"; strings are pointer and length, enums are integers, no C++ type crosses.
#pragma once

#include "llvm-c/Types.h"
#include <cstddef>
#include <cstdint>

extern "C" {

struct WarpwiseText {
  const char *data;
  size_t length;
};

// Receives text that Rust produces; `context` is the caller's.
using WarpwiseSink = void (*)(void *context, WarpwiseText text);

// Remark kinds.
enum : uint32_t {
  WARPWISE_PASSED = 0,   // something was done
  WARPWISE_MISSED = 1,   // something was refused, and why
  WARPWISE_ANALYSIS = 2, // something was found out
  WARPWISE_ERROR = 3,    // the compilation fails; always wanted
  WARPWISE_WARNING = 4,  // something is wrong with the input; always wanted
};

// What LLVM does to a function in the middle of a pass of ours.
enum : uint32_t {
  WARPWISE_SIMPLE_LOOPS = 0, // loop-simplify
  WARPWISE_CLEAN_UP = 1,     // simplifycfg, instcombine
};

// What a running pass may ask of C++: which remarks anybody wants, to emit one, to reshape a function. Valid during the
// pass call.
struct WarpwiseHost {
  void *context;
  // Bit k set: remarks of kind k are wanted.
  uint32_t wanted;
  // C++: emits a remark at an instruction (or at the function when it is null).
  void (*emit)(void *context, LLVMValueRef function, LLVMValueRef instruction, uint32_t kind, WarpwiseText name,
               WarpwiseText message);
  // C++: runs passes of LLVM on a function; nothing that was known of it holds afterwards.
  void (*reshape)(void *context, LLVMValueRef function, uint32_t how);
};

// Options of one analysis or pass: the text between the angle brackets, joined with the command line's.
// Returns null if the text makes sense, else hands the sentence to `error` and returns false.
bool warpwise_check_parameters(WarpwiseText pass, WarpwiseText parameters, WarpwiseSink error, void *context);
// The same for one value of -warpwise-block.
bool warpwise_check_block(WarpwiseText value, WarpwiseSink error, void *context);
// Tells Rust the value of a command-line option; unknown names are ignored.
void warpwise_set_option(WarpwiseText name, WarpwiseText value);
// Whether the default pipeline, as the command line has it, runs the transform of a switch.
bool warpwise_runs_by_default(WarpwiseText word);

// The analysis of a module, and the facts of one of its functions.
void *warpwise_module_new(LLVMModuleRef module, WarpwiseText parameters);
void warpwise_module_free(void *analysis);
void *warpwise_facts_new(void *analysis, LLVMValueRef function);
void warpwise_facts_free(void *facts);
void warpwise_facts_print(void *facts, WarpwiseSink sink, void *context);
void warpwise_facts_remarks(void *facts, const WarpwiseHost *host);

// Puts marked predicates before marked branches, before code is generated; returns whether there are any.
bool warpwise_codegen_mark(LLVMModuleRef module);
// Hands PTX with `.uni` on marked branches to the sink.
void warpwise_codegen_rewrite(WarpwiseText ptx, WarpwiseSink sink, void *context);

// Transforms: module passes by name. Lookup returns a negative number for a name that is none of ours.
int32_t warpwise_pass_lookup(WarpwiseText name);
// Runs a pass; returns whether the module changed.
bool warpwise_pass_run(int32_t pass, LLVMModuleRef module, WarpwiseText parameters, const WarpwiseHost *host);
// divergence-map on the host side of a CUDA compilation: registers the counters; returns whether the module changed.
bool warpwise_map_host(LLVMModuleRef module);
// fuse-branches in clang's pipelines: on one function, for the places where only a function may change, and on a
// module. A function in which nothing is melded stays as it is.
bool warpwise_fuse_function(LLVMValueRef function, const WarpwiseHost *host);
bool warpwise_fuse_module(LLVMModuleRef module, const WarpwiseHost *host);
}
