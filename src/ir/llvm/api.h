// In what does the C++ interface of one LLVM differ from that of another? All else is the same in LLVM 22 and 23.
#pragma once

#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/OptimizationLevel.h"

namespace warpwise {

// LLVM 23 has a class and an opcode for each kind of branch.
#if LLVM_VERSION_MAJOR < 23
using CondBranch = llvm::BranchInst; // either kind
using Jump = llvm::BranchInst;
constexpr unsigned CondBranchOpcode = llvm::Instruction::Br, JumpOpcode = llvm::Instruction::Br;

inline bool is_conditional(const llvm::Value &V) {
  auto *Branch = llvm::dyn_cast<llvm::BranchInst>(&V);
  return Branch && Branch->isConditional();
}

inline llvm::Instruction *new_branch(llvm::Value *If, llvm::BasicBlock *Then, llvm::BasicBlock *Else,
                                     llvm::InsertPosition At) {
  return llvm::BranchInst::Create(Then, Else, If, At);
}
#else
using CondBranch = llvm::CondBrInst;
using Jump = llvm::UncondBrInst;
constexpr unsigned CondBranchOpcode = llvm::Instruction::CondBr, JumpOpcode = llvm::Instruction::UncondBr;

inline bool is_conditional(const llvm::Value &V) { return llvm::isa<llvm::CondBrInst>(V); }

inline llvm::Instruction *new_branch(llvm::Value *If, llvm::BasicBlock *Then, llvm::BasicBlock *Else,
                                     llvm::InsertPosition At) {
  return llvm::CondBrInst::Create(If, Then, Else, At);
}
#endif

// Whether LLVM's mutator takes a block. That of 23 reads what comes before an `unreachable`, even where nothing does.
inline bool is_mutable(const llvm::BasicBlock &B) {
  return LLVM_VERSION_MAJOR < 23 || !llvm::isa<llvm::UnreachableInst>(B.front());
}

inline bool is_branch(const llvm::Value &V) { return llvm::isa<Jump, CondBranch>(V); }

inline llvm::Instruction *new_branch(llvm::BasicBlock *To, llvm::InsertPosition At) { return Jump::Create(To, At); }

// 0 to 3. LLVM 22 has levels for size besides, of speed 2.
inline unsigned speed(llvm::OptimizationLevel Level) {
#if LLVM_VERSION_MAJOR < 23
  return Level.getSpeedupLevel();
#else
  return unsigned(Level);
#endif
}

// Names the chip in the functions that name none.
inline void set_chip(llvm::Module &M, llvm::StringRef CPU, llvm::StringRef Features) {
#if LLVM_VERSION_MAJOR < 23
  llvm::codegen::setFunctionAttributes(CPU, Features, M);
#else
  llvm::codegen::setFunctionAttributes(M, CPU, Features);
#endif
}

} // namespace warpwise
