// Which opcode has an instruction for us, and what is there to read of it? Tables of walk.cpp.
#pragma once

#include "api.h"
#include "walk.h"

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

struct Row {
  unsigned LLVM;
  Shape Ours;
};

using I = llvm::Instruction;

// All that are not listed are WW_OTHER_TERMINATOR or WW_OTHER.
constexpr Row KnownShapes[] = {
    {I::FNeg, {WW_FNEG, Extra::One}},
    {I::FAdd, {WW_FADD, Extra::Two}},
    {I::FSub, {WW_FSUB, Extra::Two}},
    {I::FMul, {WW_FMUL, Extra::Two}},
    {I::FDiv, {WW_FDIV, Extra::Two}},
    {I::FRem, {WW_FREM, Extra::Two}},
    {I::Add, {WW_ADD, Extra::Wraps}},
    {I::Sub, {WW_SUB, Extra::Wraps}},
    {I::Mul, {WW_MUL, Extra::Wraps}},
    {I::Shl, {WW_SHL, Extra::Wraps}},
    {I::Trunc, {WW_TRUNC, Extra::TruncWraps}},
    {I::UDiv, {WW_UDIV, Extra::Exact}},
    {I::SDiv, {WW_SDIV, Extra::Exact}},
    {I::LShr, {WW_LSHR, Extra::Exact}},
    {I::AShr, {WW_ASHR, Extra::Exact}},
    {I::URem, {WW_UREM, Extra::Two}},
    {I::SRem, {WW_SREM, Extra::Two}},
    {I::And, {WW_AND, Extra::Two}},
    {I::Or, {WW_OR, Extra::Disjoint}},
    {I::Xor, {WW_XOR, Extra::Two}},
    {I::ICmp, {WW_ICMP, Extra::Order}},
    {I::FCmp, {WW_FCMP, Extra::FloatOrder}},
    {I::Select, {WW_SELECT, Extra::Three}},
    {I::Freeze, {WW_FREEZE, Extra::One}},
    {I::ZExt, {WW_ZEXT, Extra::NonNeg}},
    {I::SExt, {WW_SEXT, Extra::One}},
    {I::UIToFP, {WW_FP_CAST, Extra::NonNeg}},
    {I::FPToUI, {WW_FP_CAST, Extra::One}},
    {I::FPToSI, {WW_FP_CAST, Extra::One}},
    {I::SIToFP, {WW_FP_CAST, Extra::One}},
    {I::FPTrunc, {WW_FP_CAST, Extra::One}},
    {I::FPExt, {WW_FP_CAST, Extra::One}},
    {I::PtrToInt, {WW_PTR_TO_INT, Extra::One}},
    {I::PtrToAddr, {WW_PTR_TO_INT, Extra::One}},
    {I::IntToPtr, {WW_INT_TO_PTR, Extra::One}},
    {I::BitCast, {WW_BIT_CAST, Extra::One}},
    {I::AddrSpaceCast, {WW_ADDR_SPACE_CAST, Extra::One}},
    {I::Alloca, {WW_ALLOCA, Extra::Memory}},
    {I::Load, {WW_LOAD, Extra::Load}},
    {I::Store, {WW_STORE, Extra::Store}},
    {I::AtomicRMW, {WW_ATOMIC_RMW, Extra::Memory}},
    {I::AtomicCmpXchg, {WW_CMP_XCHG, Extra::Memory}},
    {I::Fence, {WW_FENCE, Extra::None}},
    {I::GetElementPtr, {WW_GEP, Extra::Gep}},
    {I::ExtractElement, {WW_EXTRACT_ELEMENT, Extra::Two}},
    {I::InsertElement, {WW_INSERT_ELEMENT, Extra::Three}},
    {I::ShuffleVector, {WW_SHUFFLE_VECTOR, Extra::None}},
    {I::ExtractValue, {WW_EXTRACT_VALUE, Extra::Path}},
    {I::InsertValue, {WW_INSERT_VALUE, Extra::Path}},
    {I::PHI, {WW_PHI, Extra::Phi}},
    {I::Call, {WW_CALL, Extra::Call}},
    {I::Ret, {WW_RET, Extra::End}},
    {CondBranchOpcode, {WW_COND_BR, Extra::End}},
    {JumpOpcode, {WW_BR, Extra::End}},
    {I::Switch, {WW_SWITCH, Extra::End}},
    {I::Unreachable, {WW_UNREACHABLE, Extra::End}},
};

struct ShapeTable {
  Shape Of[I::OtherOpsEnd];
  ShapeTable() {
    for (unsigned Opcode = 0; Opcode != I::OtherOpsEnd; ++Opcode)
      if (I::isTerminator(Opcode))
        Of[Opcode] = {WW_OTHER_TERMINATOR, Extra::End};
    for (const Row &R : KnownShapes)
      Of[R.LLVM] = R.Ours;
  }
};

inline const ShapeTable Shapes;

} // namespace warpwise
