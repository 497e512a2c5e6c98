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

// What a running pass may ask of C++: which remarks anybody wants, to emit one, to reshape a function, what an earlier
// pass found. Valid during the pass call.
struct WarpwiseHost {
  void *context;
  // Bit k set: remarks of kind k are wanted.
  uint32_t wanted;
  // C++: emits a remark at an instruction, or so many call sites up from it if it was inlined (or at the function when
  // it is null).
  void (*emit)(void *context, LLVMValueRef function, LLVMValueRef instruction, uint32_t up, uint32_t kind,
               WarpwiseText name, WarpwiseText message);
  // C++: runs passes of LLVM on a function; nothing that was known of it holds afterwards.
  void (*reshape)(void *context, LLVMValueRef function, uint32_t how);
  // C++: whether fuse-branches has nothing to look for in a function, which is as it was when that was noted.
  bool (*has_nothing)(void *context, LLVMValueRef function);
  // C++: notes that it has not, until the function changes.
  void (*note_nothing)(void *context, LLVMValueRef function);
};

// One option of the command line, as Rust's table has it: what stands after "-warpwise-", how its value is written,
// what it means, and whether a value has to follow. The texts live as long as the program.
struct WarpwiseOptionRow {
  WarpwiseText name;
  WarpwiseText value;
  WarpwiseText help;
  uint32_t wants_value;
};

// An option that was given.
struct WarpwiseOption {
  WarpwiseText name;
  WarpwiseText value;
};

// src/abi.rs and src/llvm/ assert the same.
static_assert(WARPWISE_PASSED == 0 && WARPWISE_MISSED == 1 && WARPWISE_ANALYSIS == 2 && WARPWISE_ERROR == 3 &&
              WARPWISE_WARNING == 4);
static_assert(sizeof(WarpwiseText) == 16 && offsetof(WarpwiseText, data) == 0 && offsetof(WarpwiseText, length) == 8);
static_assert(WARPWISE_SIMPLE_LOOPS == 0 && WARPWISE_CLEAN_UP == 1);
static_assert(sizeof(WarpwiseHost) == 48 && offsetof(WarpwiseHost, context) == 0 &&
              offsetof(WarpwiseHost, wanted) == 8 && offsetof(WarpwiseHost, emit) == 16 &&
              offsetof(WarpwiseHost, reshape) == 24 && offsetof(WarpwiseHost, has_nothing) == 32 &&
              offsetof(WarpwiseHost, note_nothing) == 40);
static_assert(sizeof(WarpwiseOptionRow) == 56 && offsetof(WarpwiseOptionRow, name) == 0 &&
              offsetof(WarpwiseOptionRow, value) == 16 && offsetof(WarpwiseOptionRow, help) == 32 &&
              offsetof(WarpwiseOptionRow, wants_value) == 48);
static_assert(sizeof(WarpwiseOption) == 32 && offsetof(WarpwiseOption, name) == 0 &&
              offsetof(WarpwiseOption, value) == 16);

// The row of an option by its number, from 0; false behind the last.
bool warpwise_option_row(uint32_t number, WarpwiseOptionRow *row);
// Whether an option may have a value; if not, `error` gets the sentence.
bool warpwise_check_option(WarpwiseText name, WarpwiseText value, WarpwiseSink error, void *context);
// Whether the text between the angle brackets of a pass makes sense; if not, `error` gets the sentence.
bool warpwise_check_parameters(WarpwiseText pass, WarpwiseText parameters, WarpwiseSink error, void *context);
// C++: hands over the path of another copy of the plugin in this process, empty if there is none.
void warpwise_other_copy(WarpwiseSink sink, void *context);

// What is kept while one module is compiled with these options. The pointers are Rust's; null stands for no options.
void *warpwise_session_new(const WarpwiseOption *options, size_t count);
void warpwise_session_free(void *session);
// Whether the default pipeline, as the options have it, runs the transform of a switch.
bool warpwise_session_runs(const void *session, WarpwiseText word);

// The analysis of a module, and the facts of one of its functions.
void *warpwise_module_new(LLVMModuleRef module, WarpwiseText pass, WarpwiseText parameters, const void *session);
void warpwise_module_free(void *analysis);
void *warpwise_facts_new(void *analysis, LLVMValueRef function);
void warpwise_facts_free(void *facts);
void warpwise_facts_print(void *facts, WarpwiseSink sink, void *context);
void warpwise_facts_remarks(void *facts, WarpwiseText parameters, const void *session, const WarpwiseHost *host);
// Says the remarks that waited for others of the same place; before anything is edited.
void warpwise_remarks_finish(const void *session, const WarpwiseHost *host);
// Says that a module is not optimised, at one of its functions.
void warpwise_remarks_unoptimised(LLVMValueRef function, const void *session, const WarpwiseHost *host);

// Puts marked predicates before marked branches, before code is generated; returns whether there are any.
bool warpwise_codegen_mark(LLVMModuleRef module, const void *session);
// Hands PTX with `.uni` on marked branches to the sink.
void warpwise_codegen_rewrite(WarpwiseText ptx, WarpwiseSink sink, void *context);

// Transforms: module passes by name. Lookup returns a negative number for a name that is none of ours.
int32_t warpwise_pass_lookup(WarpwiseText name);
// Runs a pass; returns whether the module changed.
bool warpwise_pass_run(int32_t pass, LLVMModuleRef module, WarpwiseText parameters, const void *session,
                       const WarpwiseHost *host);
// divergence-map on the host side of a CUDA compilation: registers the counters; returns whether the module changed.
bool warpwise_map_host(LLVMModuleRef module, const void *session);
// fuse-branches in clang's pipelines: on one function, for the places where only a function may change, and on a
// module. A function in which nothing is melded stays as it is.
bool warpwise_fuse_function(LLVMValueRef function, const void *session, const WarpwiseHost *host);
bool warpwise_fuse_module(LLVMModuleRef module, const void *session, const WarpwiseHost *host);
}
