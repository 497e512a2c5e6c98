// One function as arrays, for src/ir/import.rs. Reads only; decides nothing.
//
// Rust could ask LLVM's C API for every field, at some fifteen calls an instruction; that alone costs more than LLVM's
// own analysis. Here the fields are read inline and written to arrays in the layout that Rust has for them, in memory
// that Rust allocates and takes over.
#pragma once

#include "llvm-c/Types.h"
#include <cstddef>
#include <cstdint>

extern "C" {

// Mirrors inst::Opcode, in its order.
enum WarpwiseOpcode : uint8_t {
  WW_RET,
  WW_BR,
  WW_COND_BR,
  WW_SWITCH,
  WW_UNREACHABLE,
  WW_OTHER_TERMINATOR,
  WW_FNEG,
  WW_FADD,
  WW_FSUB,
  WW_FMUL,
  WW_FDIV,
  WW_FREM,
  WW_ADD,
  WW_SUB,
  WW_MUL,
  WW_UDIV,
  WW_SDIV,
  WW_UREM,
  WW_SREM,
  WW_SHL,
  WW_LSHR,
  WW_ASHR,
  WW_AND,
  WW_OR,
  WW_XOR,
  WW_ICMP,
  WW_FCMP,
  WW_SELECT,
  WW_PHI,
  WW_FREEZE,
  WW_TRUNC,
  WW_ZEXT,
  WW_SEXT,
  WW_FP_CAST,
  WW_PTR_TO_INT,
  WW_INT_TO_PTR,
  WW_BIT_CAST,
  WW_ADDR_SPACE_CAST,
  WW_ALLOCA,
  WW_LOAD,
  WW_STORE,
  WW_GEP,
  WW_FENCE,
  WW_CMP_XCHG,
  WW_ATOMIC_RMW,
  WW_CALL,
  WW_EXTRACT_ELEMENT,
  WW_INSERT_ELEMENT,
  WW_SHUFFLE_VECTOR,
  WW_EXTRACT_VALUE,
  WW_INSERT_VALUE,
  WW_OTHER,
};

// Mirrors inst::Flags.
enum WarpwiseFlag : uint16_t {
  WW_NUW = 1,
  WW_NSW = 2,
  WW_EXACT = 4,
  WW_DISJOINT = 8,
  WW_NNEG = 16,
  WW_INBOUNDS = 32,
  WW_NUSW = 64,
  WW_VOLATILE = 128,
  WW_ATOMIC = 256,
  WW_INVARIANT = 512,
  WW_SAMESIGN = 1024,
  WW_NOUNDEF = 2048,
  WW_ANNOTATED = 4096,
};

// One instruction; mirrors inst::InstData.
struct WarpwiseInst {
  uint8_t opcode;
  // Predicate, atomic operation, or whether an index path has exactly one element.
  uint8_t sub;
  uint16_t flags;
  uint32_t type;
  uint32_t block;
  uint32_t operands_start;
  uint32_t operand_count;
  // Alignment of memory accesses; first index of extractvalue and insertvalue; number of successors of a terminator;
  // where a phi's blocks begin; the number of a GEP or of a call.
  uint32_t aux;
};

// Mirrors inst::ParamData.
struct WarpwiseParam {
  uint32_t type;
  bool noalias;
  bool readonly;
  bool byval;
  bool noundef;
};

// Instructions of a block, as far as the last one exclusively; mirrors ir::BlockData.
struct WarpwiseBlock {
  uint32_t first;
  uint32_t end;
};

// Mirrors inst::GepData.
struct WarpwiseGep {
  int64_t offset;
  uint32_t terms_start;
  uint16_t term_count;
  uint16_t bits;
};

// Mirrors inst::GepTerm.
struct WarpwiseTerm {
  uint32_t operand;
  uint64_t stride;
};

struct WarpwiseConstant {
  LLVMValueRef value;
  // Zero-extended, of an integer of at most 64 bits.
  uint64_t bits;
  uint32_t type;
  uint32_t is_int;
};

// A call, and what its own attributes or those of its callee promise. Mirrors CallKind of walk.rs.
struct WarpwiseCall {
  LLVMValueRef call;
  bool convergent;
  bool no_divergence_source;
  bool no_return;
  bool will_return;
};

// Allocates, or enlarges what was allocated; from src/ir/llvm/walk.rs. Does not return without memory.
void *warpwise_grow(void *old, size_t old_bytes, size_t new_bytes, size_t align);
void warpwise_release(void *old, size_t bytes, size_t align);
}

namespace warpwise {
// A growing array in memory of Rust's allocator; all zero when empty.
template <typename T> struct Rows {
  T *data;
  uint32_t size;
  uint32_t capacity;

  T *begin() { return data; }
  T *end() { return data + size; }
  // Room for so many more.
  void room(uint32_t More) {
    if (capacity - size < More)
      grow(More);
  }
  void push(T X) {
    room(1);
    data[size++] = X;
  }
  // Gives the memory back.
  void release() {
    if (capacity)
      warpwise_release(data, capacity * sizeof(T), alignof(T));
    *this = {nullptr, 0, 0};
  }

private:
  [[gnu::noinline]] void grow(uint32_t More) {
    uint32_t Wanted = capacity ? 2 * capacity : 8;
    Wanted = Wanted < size + More ? size + More : Wanted;
    data = static_cast<T *>(warpwise_grow(data, capacity * sizeof(T), Wanted * sizeof(T), alignof(T)));
    capacity = Wanted;
  }
};
} // namespace warpwise

// A function. Values are numbered as entity::Value says: arguments, instructions, constants.
struct WarpwiseSnapshot {
  warpwise::Rows<WarpwiseInst> insts;
  warpwise::Rows<uint32_t> operands;   // for calls the arguments, for branches and switches the condition
  warpwise::Rows<LLVMValueRef> values; // arguments and instructions
  warpwise::Rows<LLVMBasicBlockRef> blocks;
  warpwise::Rows<WarpwiseBlock> bounds;
  warpwise::Rows<uint32_t> phi_blocks;
  warpwise::Rows<uint32_t> successors;
  warpwise::Rows<uint32_t> successor_ends;
  warpwise::Rows<WarpwiseGep> geps;
  warpwise::Rows<WarpwiseTerm> terms;
  warpwise::Rows<WarpwiseConstant> constants;
  warpwise::Rows<LLVMTypeRef> types;
  warpwise::Rows<WarpwiseParam> params;
  // One for each pair of a callee and an attribute list.
  warpwise::Rows<WarpwiseCall> calls;
};

// Metadata kinds of the module's context.
struct WarpwiseKinds {
  uint32_t invariant_load;
  uint32_t noundef;
  uint32_t uniform;
};

// src/ir/llvm/walk.rs asserts the same of its structs; build.rs compares opcodes and flags with src/ir/inst.rs.
static_assert(sizeof(WarpwiseInst) == 24 && alignof(WarpwiseInst) == 4);
static_assert(offsetof(WarpwiseInst, opcode) == 0 && offsetof(WarpwiseInst, sub) == 1);
static_assert(offsetof(WarpwiseInst, flags) == 2 && offsetof(WarpwiseInst, type) == 4);
static_assert(offsetof(WarpwiseInst, block) == 8 && offsetof(WarpwiseInst, operands_start) == 12);
static_assert(offsetof(WarpwiseInst, operand_count) == 16 && offsetof(WarpwiseInst, aux) == 20);
static_assert(sizeof(WarpwiseParam) == 8 && offsetof(WarpwiseParam, noalias) == 4);
static_assert(offsetof(WarpwiseParam, readonly) == 5 && offsetof(WarpwiseParam, byval) == 6);
static_assert(offsetof(WarpwiseParam, noundef) == 7 && sizeof(bool) == 1);
static_assert(sizeof(WarpwiseBlock) == 8 && offsetof(WarpwiseBlock, first) == 0 && offsetof(WarpwiseBlock, end) == 4);
static_assert(sizeof(WarpwiseGep) == 16 && offsetof(WarpwiseGep, offset) == 0);
static_assert(offsetof(WarpwiseGep, terms_start) == 8 && offsetof(WarpwiseGep, term_count) == 12);
static_assert(offsetof(WarpwiseGep, bits) == 14);
static_assert(sizeof(WarpwiseTerm) == 16 && offsetof(WarpwiseTerm, operand) == 0 &&
              offsetof(WarpwiseTerm, stride) == 8);
static_assert(sizeof(WarpwiseConstant) == 24 && offsetof(WarpwiseConstant, value) == 0);
static_assert(offsetof(WarpwiseConstant, bits) == 8 && offsetof(WarpwiseConstant, type) == 16);
static_assert(offsetof(WarpwiseConstant, is_int) == 20);
static_assert(sizeof(WarpwiseCall) == 16 && offsetof(WarpwiseCall, convergent) == 8);
static_assert(offsetof(WarpwiseCall, no_divergence_source) == 9 && offsetof(WarpwiseCall, no_return) == 10);
static_assert(offsetof(WarpwiseCall, will_return) == 11);
static_assert(sizeof(WarpwiseKinds) == 12 && offsetof(WarpwiseKinds, noundef) == 4);
static_assert(offsetof(WarpwiseKinds, uniform) == 8);
static_assert(sizeof(warpwise::Rows<uint32_t>) == 16 && offsetof(warpwise::Rows<uint32_t>, size) == 8);
static_assert(offsetof(warpwise::Rows<uint32_t>, capacity) == 12);
static_assert(sizeof(WarpwiseSnapshot) == 14 * 16 && offsetof(WarpwiseSnapshot, calls) == 13 * 16);
static_assert(offsetof(WarpwiseSnapshot, bounds) == 4 * 16 && offsetof(WarpwiseSnapshot, geps) == 8 * 16);

// Tables that outlive a walk, so that a small function need not make them.
struct WarpwiseTables;

extern "C" {
WarpwiseTables *warpwise_walk_tables();
void warpwise_walk_free(WarpwiseTables *tables);
// Fills an empty snapshot.
void warpwise_walk(LLVMValueRef function, WarpwiseTables *tables, const WarpwiseKinds *kinds,
                   WarpwiseSnapshot *snapshot);
// Whether a function has attributes that say something of its launches.
bool warpwise_has_launch_attributes(LLVMValueRef function);
}
