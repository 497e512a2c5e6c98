// The C boundary between LLVM's pass manager (C++) and warpwise (Rust). Every function here is defined in src/abi/
// unless it is marked "C++". Strings are pointer and length (text.h), enums are integers, and no C++ type crosses.
#pragma once

#include "text.h"
#include "llvm-c/Types.h"
#include <cstddef>
#include <cstdint>

extern "C" {

// Remark kinds.
enum : uint32_t {
  WARPWISE_PASSED = 0,   // something was transformed
  WARPWISE_MISSED = 1,   // something was refused, and why
  WARPWISE_ANALYSIS = 2, // something was found
  WARPWISE_ERROR = 3,    // compilation fails; always wanted
  WARPWISE_WARNING = 4,  // the input is wrong somewhere; always wanted
  WARPWISE_COUNTED = 5,  // no remark: decisions are counted (-stats)
};

// Which LLVM passes run on a function in the middle of one of our passes.
enum : uint32_t {
  WARPWISE_CLEAN_UP = 0,    // simplifycfg, instcombine
  WARPWISE_UNROLL = 1,      // loop-unroll of loops that are marked for it, then the same
  WARPWISE_SIMPLIFY = 2,    // the pipeline of -O2 for one function
  WARPWISE_FREE_ARRAYS = 3, // loop-unroll as above, sroa, early-cse, then the same
  WARPWISE_UNSWITCH = 4,    // simple-loop-unswitch<nontrivial> of loops that are marked for it, then the same
  WARPWISE_ALIGN = 5,       // infer-alignment
};

// What a machine instruction does, as far as products and sums go.
enum : uint32_t {
  WARPWISE_OTHER = 0,
  WARPWISE_PHI = 1,
  WARPWISE_HEADER_PHI = 2, // of a block with which a loop begins
  WARPWISE_COPY = 3,
  WARPWISE_FUSED = 4,         // a multiply-add
  WARPWISE_LOOSE_PRODUCT = 5, // without a rounding mode: ptxas joins one that has it with nothing
  WARPWISE_SUM = 6,           // or a difference
  WARPWISE_LOOSE_SUM = 7,
  WARPWISE_SIGN = 8,
  WARPWISE_ABSOLUTE = 9, // of a float
};

// A machine instruction: the number of the instruction that it was made of, counted from 1, or 0; its block; what it
// does; registers, counted from 1, or 0; whether it is of several numbers at once. Each is told of twice, as
// instruction selection has left it and at the end.
struct WarpwiseLowered {
  uint32_t number;
  uint32_t block;
  uint32_t kind;
  uint32_t result;
  bool is_vector;
  bool is_end;
  uint32_t count;
  const uint32_t *operands;
};
using WarpwiseLoweredSink = void (*)(void *context, WarpwiseLowered instruction);

// What a running pass may request from C++: to know which remarks are wanted, to emit a remark, to run LLVM passes on a
// function, to know what an earlier pass found. Valid for the duration of the pass call.
struct WarpwisePassManager {
  void *context;
  // Bit k is set if remarks of kind k are wanted.
  uint32_t wanted;
  // C++: emits a remark at an instruction, or `up` call sites above it if it was inlined; at the function if the
  // instruction is null.
  void (*emit)(void *context, LLVMValueRef function, LLVMValueRef instruction, uint32_t up, uint32_t kind,
               WarpwiseText name, WarpwiseText message);
  // C++: runs LLVM passes on a function. Nothing known about the function holds afterwards.
  void (*reshape)(void *context, LLVMValueRef function, uint32_t how);
  // C++: whether an earlier run of fuse-branches found nothing in a function that has not changed since.
  bool (*has_nothing)(void *context, LLVMValueRef function);
  // C++: records that nothing was found, until the function changes.
  void (*note_nothing)(void *context, LLVMValueRef function);
  // C++: a part of a pass starts or ends, for -time-passes.
  void (*time)(WarpwiseText part, bool starts);
  // C++: what LLVM makes of a function: its back end, and before that, if `optimises`, the passes that come after
  // inlining; false if nobody knows.
  bool (*lower)(LLVMValueRef function, bool optimises, WarpwiseLoweredSink sink, void *context);
};

// A command-line option as in Rust's table: its name after "-warpwise-", a placeholder for its value, its meaning,
// whether a value is required, and whether it is not called that any more. The texts live as long as the program.
struct WarpwiseOptionRow {
  WarpwiseText name;
  WarpwiseText value;
  WarpwiseText help;
  uint32_t wants_value;
  uint32_t is_former;
};

// An option given on the command line.
struct WarpwiseOption {
  WarpwiseText name;
  WarpwiseText value;
};

// An extension point of LLVM's pipelines.
enum : uint32_t {
  WARPWISE_START = 0,
  WARPWISE_EARLY_SIMPLIFICATION = 1,
  WARPWISE_FULL_LINK_TIME_EARLY = 2,
  WARPWISE_PEEPHOLE = 3,
  WARPWISE_OPTIMIZER_EARLY = 4,
  WARPWISE_OPTIMIZER_LAST = 5,
};

// A row of the schedule: at this point, from one level of optimisation to another, in the phases of a link whose bits
// are set (LLVM's ThinOrFullLTOPhase), a pass by its number.
struct WarpwiseStep {
  uint32_t point;
  uint32_t least_level;
  uint32_t most_level;
  uint32_t phases;
  uint32_t pass;
};

// How many passes there may be: LLVM takes their names from types, of which there is one for each number.
constexpr uint32_t WARPWISE_PASSES = 32;

// What C++ must know of a pass.
enum : uint32_t {
  WARPWISE_DEVICE = 1,   // changes device code
  WARPWISE_HOST = 2,     // changes host code
  WARPWISE_REQUIRED = 4, // runs whatever -opt-bisect-limit says
  WARPWISE_FACTS = 8,    // emits remarks from facts that LLVM's pass manager keeps
};

// src/abi/ and src/ir/llvm/ assert the same.
static_assert(sizeof(WarpwiseStep) == 20);
static_assert(WARPWISE_PASSED == 0 && WARPWISE_MISSED == 1 && WARPWISE_ANALYSIS == 2 && WARPWISE_ERROR == 3 &&
              WARPWISE_WARNING == 4);
static_assert(WARPWISE_CLEAN_UP == 0 && WARPWISE_UNROLL == 1 && WARPWISE_SIMPLIFY == 2 && WARPWISE_FREE_ARRAYS == 3 &&
              WARPWISE_UNSWITCH == 4 && WARPWISE_ALIGN == 5);
static_assert(WARPWISE_OTHER == 0 && WARPWISE_PHI == 1 && WARPWISE_HEADER_PHI == 2 && WARPWISE_COPY == 3 &&
              WARPWISE_FUSED == 4 && WARPWISE_LOOSE_PRODUCT == 5 && WARPWISE_SUM == 6 && WARPWISE_LOOSE_SUM == 7 &&
              WARPWISE_SIGN == 8 && WARPWISE_ABSOLUTE == 9);
static_assert(sizeof(WarpwiseLowered) == 32 && offsetof(WarpwiseLowered, number) == 0 &&
              offsetof(WarpwiseLowered, block) == 4 && offsetof(WarpwiseLowered, kind) == 8 &&
              offsetof(WarpwiseLowered, result) == 12 && offsetof(WarpwiseLowered, is_vector) == 16 &&
              offsetof(WarpwiseLowered, is_end) == 17 && offsetof(WarpwiseLowered, count) == 20 &&
              offsetof(WarpwiseLowered, operands) == 24);
static_assert(sizeof(WarpwisePassManager) == 64 && offsetof(WarpwisePassManager, time) == 48 &&
              offsetof(WarpwisePassManager, lower) == 56 && offsetof(WarpwisePassManager, context) == 0 &&
              offsetof(WarpwisePassManager, wanted) == 8 && offsetof(WarpwisePassManager, emit) == 16 &&
              offsetof(WarpwisePassManager, reshape) == 24 && offsetof(WarpwisePassManager, has_nothing) == 32 &&
              offsetof(WarpwisePassManager, note_nothing) == 40);
static_assert(sizeof(WarpwiseOptionRow) == 56 && offsetof(WarpwiseOptionRow, name) == 0 &&
              offsetof(WarpwiseOptionRow, value) == 16 && offsetof(WarpwiseOptionRow, help) == 32 &&
              offsetof(WarpwiseOptionRow, wants_value) == 48 && offsetof(WarpwiseOptionRow, is_former) == 52);
static_assert(sizeof(WarpwiseOption) == 32 && offsetof(WarpwiseOption, name) == 0 &&
              offsetof(WarpwiseOption, value) == 16);

// Writes the row of an option by its number, counted from 0; returns false past the last one.
bool warpwise_option_row(uint32_t number, WarpwiseOptionRow *row);
// Whether an option may have this value; if not, the message is passed to `error`.
bool warpwise_check_option(WarpwiseText name, WarpwiseText value, WarpwiseSink error, void *context);
// Says of an option that is not called that any more what takes its place; nothing of others.
void warpwise_former_option(WarpwiseText name, WarpwiseSink sink, void *context);
// Whether these are valid parameters of a pass; if not, the message is passed to `error`.
bool warpwise_check_parameters(WarpwiseText pass, WarpwiseText parameters, WarpwiseSink error, void *context);
// Whether LLVM is there, and the one that the plugin was built for; nothing of it is touched otherwise.
bool warpwise_llvm_fits(void);
// C++: the name of a symbol of LLVM that the plugin needs and this program has not; null if there are all.
const char *warpwise_missing_symbol(void);
// C++: passes the path of another copy of the plugin in this process to the sink; empty if there is none.
void warpwise_other_copy(WarpwiseSink sink, void *context);

// State kept while one module is compiled with these options. The pointers are Rust's; null stands for no options.
void *warpwise_session_new(const WarpwiseOption *options, size_t count);
void warpwise_session_free(void *session);
// Whether clang's pipelines run a pass, given the options.
bool warpwise_session_wants(const void *session, uint32_t pass);

// The analysis of a module, and the facts about one of its functions. Null if the input is not valid or after a panic;
// the other functions accept null.
void *warpwise_module_new(LLVMModuleRef module, WarpwiseText pass, WarpwiseText parameters, const void *session);
void warpwise_module_free(void *analysis);
void *warpwise_facts_new(void *analysis, LLVMValueRef function);
void warpwise_facts_free(void *facts);
void warpwise_facts_print(void *facts, WarpwiseSink sink, void *context);
void warpwise_facts_remarks(void *facts, WarpwiseText parameters, const void *session,
                            const WarpwisePassManager *manager);
// Emits the remarks that waited for others at the same place. Must be called before anything is edited.
void warpwise_remarks_finish(const void *session, const WarpwisePassManager *manager);

// Says whether the back end joins products and sums whatever their flags say, in modules of this thread from now on.
void warpwise_joins_all(bool joins);

// Passes (src/registry.rs) have a number. The lookup by name returns a negative one for any other name.
int32_t warpwise_pass_lookup(WarpwiseText name);
// The name of a pass, which lives as long as the program.
WarpwiseText warpwise_pass_name(uint32_t pass);
// The traits of a pass.
uint32_t warpwise_pass_traits(uint32_t pass);
// Runs a pass over a module in a phase of a link (LLVM's ThinOrFullLTOPhase); returns whether the module changed.
bool warpwise_pass_run(uint32_t pass, uint32_t phase, LLVMModuleRef module, WarpwiseText parameters,
                       const void *session, const WarpwisePassManager *manager);
// Writes a row of the schedule (src/registry.rs) by its number, counted from 0; returns false past the last one.
bool warpwise_schedule(uint32_t number, WarpwiseStep *step);
// fuse-branches on one function, at extension points where only a function may change. A function in which nothing is
// melded is not changed. Returns whether anything changed.
bool warpwise_fuse_function(LLVMValueRef function, const void *session, const WarpwisePassManager *manager);
}
