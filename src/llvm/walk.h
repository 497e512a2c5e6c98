// One function as flat records, for src/kernel/import.rs. Reads only; decides nothing.
//
// Rust could ask LLVM's C API for every field, at some fifteen calls an instruction; that alone costs more than LLVM's
// own analysis. Here the fields are read inline and written to buffers that Rust owns, a few hundred records at a time.
#pragma once

#include "llvm-c/Types.h"
#include <cstdint>

extern "C" {

// Mirrors kernel::inst::Opcode, in its order.
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

// Mirrors kernel::inst::Flags.
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

// One instruction. Its operands follow one another in the operand buffer.
struct WarpwiseInst {
  void *type;
  uint32_t operand_count;
  // Alignment of memory accesses; first index of extractvalue and insertvalue; number of successors of a terminator.
  uint32_t aux;
  uint16_t flags;
  uint8_t opcode;
  // Predicate, atomic operation, or whether an index path has exactly one element.
  uint8_t sub;
};

// Where a walk stands, and what it remembers of types; zero to begin with.
struct WarpwiseCursor {
  LLVMBasicBlockRef block;
  LLVMValueRef inst;
  // Allocation sizes of types that GEPs step over, and the index width of a pointer type.
  struct {
    void *type;
    uint64_t size;
  } strides[16];
  void *pointer_type;
  uint64_t index_bits;
};

// What an operand is, in the low bits of its address.
enum WarpwiseOperand : uintptr_t {
  WW_INSTRUCTION = 0, // the address of an instruction
  WW_CONSTANT = 1,    // the address of anything else that is no argument
  WW_ARGUMENT = 2,    // no address, but the argument's position times eight
};

// An instruction with so many operands and successors, or fewer, is small.
constexpr uint32_t WW_SMALL = 6;
// The words that it writes at most.
constexpr uint32_t WW_SMALL_WORDS = 3 + 2 * WW_SMALL;

// Buffers of one batch. Capacities in elements, enough for a batch of small instructions; counts are written back.
struct WarpwiseBatch {
  WarpwiseInst *insts;
  LLVMValueRef *addresses; // one for each record
  // Blocks whose last instruction is in the batch: the block, and the number LLVM has for it; room for one a record.
  LLVMBasicBlockRef *ended;
  uint32_t *ended_numbers;
  uint32_t inst_capacity;
  uint32_t inst_count;
  uintptr_t *operands; // see WarpwiseOperand; for calls the arguments
  uint32_t operand_capacity;
  uint32_t operand_count;
  uint32_t *blocks; // incoming blocks of phis and successors of terminators, by LLVM's numbers
  uint32_t block_capacity;
  uint32_t block_count;
  // GEPs: offset, width, number of terms, then (operand position, stride) for each. Calls: callee, attribute list.
  uint64_t *words;
  uint32_t word_capacity;
  uint32_t word_count;
  uint32_t ended_count;
};

// Metadata kinds of the module's context.
struct WarpwiseKinds {
  uint32_t invariant_load;
  uint32_t noundef;
  uint32_t uniform;
};

// One more than the largest block number LLVM uses in a function.
uint32_t warpwise_walk_numbers(LLVMValueRef function);
// Fills a batch from the cursor on; false when the function is done. A batch that stays empty is too small for the next
// instruction.
bool warpwise_walk(LLVMValueRef function, WarpwiseCursor *cursor, WarpwiseBatch *batch, const WarpwiseKinds *kinds);
}
