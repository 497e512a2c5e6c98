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

// Where a walk stands; zero to begin with.
struct WarpwiseCursor {
  LLVMBasicBlockRef block;
  LLVMValueRef inst;
};

// Buffers of one batch. Capacities in elements; counts are written back.
struct WarpwiseBatch {
  WarpwiseInst *insts;
  uint32_t inst_capacity;
  uint32_t inst_count;
  void **operands; // values; for calls the arguments
  uint32_t operand_capacity;
  uint32_t operand_count;
  uint32_t *blocks; // incoming blocks of phis and successors of terminators, by index
  uint32_t block_capacity;
  uint32_t block_count;
  // GEPs: offset, width, number of terms, then (operand position, stride) for each. Calls: callee, attribute list.
  uint64_t *words;
  uint32_t word_capacity;
  uint32_t word_count;
};

// Metadata kinds of the module's context.
struct WarpwiseKinds {
  uint32_t invariant_load;
  uint32_t noundef;
  uint32_t uniform;
};

// Number of blocks, and one more than the largest block number LLVM uses.
void warpwise_walk_count(LLVMValueRef function, uint32_t *blocks, uint32_t *numbers);
// Lists instructions from the cursor on, `capacity` at most; returns how many. Fills in blocks, the end of each in
// instruction order (`listed` instructions came before this call), and the index of each block by LLVM's number. The
// cursor's block is null when the function is done.
uint32_t warpwise_walk_list(LLVMValueRef function, WarpwiseCursor *cursor, uint32_t *block, uint32_t listed,
                            LLVMValueRef *insts, uint32_t capacity, LLVMBasicBlockRef *blocks, uint32_t *ends,
                            uint32_t *index_of_number);
// Fills a batch from the cursor on; false when the function is done. A batch that stays empty is too small for the next
// instruction.
bool warpwise_walk(LLVMValueRef function, WarpwiseCursor *cursor, WarpwiseBatch *batch, const WarpwiseKinds *kinds,
                   const uint32_t *index_of_number);
}
