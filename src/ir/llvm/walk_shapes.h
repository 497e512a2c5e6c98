// Which opcode has an instruction for us, and what is there to read of it? Tables of walk.cpp.
#pragma once

#include "walk.h"
#include "llvm/IR/Instruction.h"

namespace warpwise {

// What there is to read of an instruction besides its operands.
enum class Extra : uint8_t {
  None,
  One, // operand
  Two, // operands
  Three,
  Wraps,
  TruncWraps,
  Exact,
  Disjoint,
  Order,
  FloatOrder,
  NonNeg,
  Load,
  Store,
  Memory,
  Gep,
  Path,
  Phi,
  Call,
  End
};

struct Shape {
  uint8_t Opcode = WW_OTHER;
  Extra Reads = Extra::None;
};

constexpr Shape shape_of(unsigned Opcode) {
  switch (Opcode) {
  case llvm::Instruction::FNeg:
    return {WW_FNEG, Extra::One};
  case llvm::Instruction::FAdd:
    return {WW_FADD, Extra::Two};
  case llvm::Instruction::FSub:
    return {WW_FSUB, Extra::Two};
  case llvm::Instruction::FMul:
    return {WW_FMUL, Extra::Two};
  case llvm::Instruction::FDiv:
    return {WW_FDIV, Extra::Two};
  case llvm::Instruction::FRem:
    return {WW_FREM, Extra::Two};
  case llvm::Instruction::Add:
    return {WW_ADD, Extra::Wraps};
  case llvm::Instruction::Sub:
    return {WW_SUB, Extra::Wraps};
  case llvm::Instruction::Mul:
    return {WW_MUL, Extra::Wraps};
  case llvm::Instruction::Shl:
    return {WW_SHL, Extra::Wraps};
  case llvm::Instruction::Trunc:
    return {WW_TRUNC, Extra::TruncWraps};
  case llvm::Instruction::UDiv:
    return {WW_UDIV, Extra::Exact};
  case llvm::Instruction::SDiv:
    return {WW_SDIV, Extra::Exact};
  case llvm::Instruction::LShr:
    return {WW_LSHR, Extra::Exact};
  case llvm::Instruction::AShr:
    return {WW_ASHR, Extra::Exact};
  case llvm::Instruction::URem:
    return {WW_UREM, Extra::Two};
  case llvm::Instruction::SRem:
    return {WW_SREM, Extra::Two};
  case llvm::Instruction::And:
    return {WW_AND, Extra::Two};
  case llvm::Instruction::Or:
    return {WW_OR, Extra::Disjoint};
  case llvm::Instruction::Xor:
    return {WW_XOR, Extra::Two};
  case llvm::Instruction::ICmp:
    return {WW_ICMP, Extra::Order};
  case llvm::Instruction::FCmp:
    return {WW_FCMP, Extra::FloatOrder};
  case llvm::Instruction::Select:
    return {WW_SELECT, Extra::Three};
  case llvm::Instruction::Freeze:
    return {WW_FREEZE, Extra::One};
  case llvm::Instruction::ZExt:
    return {WW_ZEXT, Extra::NonNeg};
  case llvm::Instruction::SExt:
    return {WW_SEXT, Extra::One};
  case llvm::Instruction::UIToFP:
    return {WW_FP_CAST, Extra::NonNeg};
  case llvm::Instruction::FPToUI:
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::SIToFP:
  case llvm::Instruction::FPTrunc:
  case llvm::Instruction::FPExt:
    return {WW_FP_CAST, Extra::One};
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::PtrToAddr:
    return {WW_PTR_TO_INT, Extra::One};
  case llvm::Instruction::IntToPtr:
    return {WW_INT_TO_PTR, Extra::One};
  case llvm::Instruction::BitCast:
    return {WW_BIT_CAST, Extra::One};
  case llvm::Instruction::AddrSpaceCast:
    return {WW_ADDR_SPACE_CAST, Extra::One};
  case llvm::Instruction::Alloca:
    return {WW_ALLOCA, Extra::Memory};
  case llvm::Instruction::Load:
    return {WW_LOAD, Extra::Load};
  case llvm::Instruction::Store:
    return {WW_STORE, Extra::Store};
  case llvm::Instruction::AtomicRMW:
    return {WW_ATOMIC_RMW, Extra::Memory};
  case llvm::Instruction::AtomicCmpXchg:
    return {WW_CMP_XCHG, Extra::Memory};
  case llvm::Instruction::Fence:
    return {WW_FENCE, Extra::None};
  case llvm::Instruction::GetElementPtr:
    return {WW_GEP, Extra::Gep};
  case llvm::Instruction::ExtractElement:
    return {WW_EXTRACT_ELEMENT, Extra::Two};
  case llvm::Instruction::InsertElement:
    return {WW_INSERT_ELEMENT, Extra::Three};
  case llvm::Instruction::ShuffleVector:
    return {WW_SHUFFLE_VECTOR, Extra::None};
  case llvm::Instruction::ExtractValue:
    return {WW_EXTRACT_VALUE, Extra::Path};
  case llvm::Instruction::InsertValue:
    return {WW_INSERT_VALUE, Extra::Path};
  case llvm::Instruction::PHI:
    return {WW_PHI, Extra::Phi};
  case llvm::Instruction::Call:
    return {WW_CALL, Extra::Call};
  case llvm::Instruction::Ret:
    return {WW_RET, Extra::End};
  case llvm::Instruction::Br:
    return {WW_BR, Extra::End};
  case llvm::Instruction::Switch:
    return {WW_SWITCH, Extra::End};
  case llvm::Instruction::Unreachable:
    return {WW_UNREACHABLE, Extra::End};
  default:
    return {llvm::Instruction::isTerminator(Opcode) ? uint8_t(WW_OTHER_TERMINATOR) : uint8_t(WW_OTHER),
            llvm::Instruction::isTerminator(Opcode) ? Extra::End : Extra::None};
  }
}

struct ShapeTable {
  Shape Of[llvm::Instruction::OtherOpsEnd];
  ShapeTable() {
    for (unsigned Opcode = 0; Opcode != llvm::Instruction::OtherOpsEnd; ++Opcode)
      Of[Opcode] = shape_of(Opcode);
  }
};

inline const ShapeTable Shapes;

} // namespace warpwise
