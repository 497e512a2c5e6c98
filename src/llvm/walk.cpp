// What does an instruction look like as a flat record?

#include "walk.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

namespace {

class Writer {
public:
  Writer(WarpwiseBatch &B, const WarpwiseKinds &K, const uint32_t *Index, const DataLayout &DL)
      : B(B), K(K), Index(Index), DL(DL) {}

  // Writes one record; false if it does not fit.
  bool write(Instruction &I);

private:
  bool room(uint32_t Operands, uint32_t Blocks, uint32_t Words) const {
    return B.inst_count < B.inst_capacity && B.operand_capacity - B.operand_count >= Operands &&
           B.block_capacity - B.block_count >= Blocks && B.word_capacity - B.word_count >= Words;
  }
  void operand(Value *V) { B.operands[B.operand_count++] = V; }
  void block(BasicBlock *BB) { B.blocks[B.block_count++] = Index[BB->getNumber()]; }
  void word(uint64_t W) { B.words[B.word_count++] = W; }
  uint16_t has(const Instruction &I, unsigned Kind, uint16_t Flag) const { return I.getMetadata(Kind) ? Flag : 0; }
  bool gep(GetElementPtrInst &GEP);
  uint8_t plain(Instruction &I, WarpwiseInst &R);
  void memory(Instruction &I, WarpwiseInst &R);

  WarpwiseBatch &B;
  const WarpwiseKinds &K;
  const uint32_t *Index;
  const DataLayout &DL;
};

uint16_t flag(bool Set, uint16_t Flag) { return Set ? Flag : 0; }

// Offset, width, terms; false for vectors of pointers and scalable types.
bool Writer::gep(GetElementPtrInst &GEP) {
  Type *PointerTy = GEP.getType();
  if (!PointerTy->isPointerTy())
    return false;
  uint32_t Start = B.word_count;
  B.word_count += 3;
  int64_t Offset = 0;
  uint64_t Terms = 0;
  uint32_t Position = 1;
  for (auto It = gep_type_begin(GEP), End = gep_type_end(GEP); It != End; ++It, ++Position) {
    Value *Idx = It.getOperand();
    if (StructType *ST = It.getStructTypeOrNull()) {
      auto *Field = dyn_cast<ConstantInt>(Idx);
      if (!Field || ST->isScalableTy()) {
        B.word_count = Start;
        return false;
      }
      Offset += DL.getStructLayout(ST)->getElementOffset(Field->getZExtValue());
      continue;
    }
    TypeSize Stride = It.getSequentialElementStride(DL);
    if (Stride.isScalable()) {
      B.word_count = Start;
      return false;
    }
    auto *C = dyn_cast<ConstantInt>(Idx);
    if (C && C->getBitWidth() <= 64) {
      Offset += uint64_t(C->getSExtValue()) * Stride.getFixedValue();
    } else if (Stride.getFixedValue()) {
      word(Position);
      word(Stride.getFixedValue());
      ++Terms;
    }
  }
  B.words[Start] = Offset;
  B.words[Start + 1] = DL.getIndexTypeSizeInBits(PointerTy);
  B.words[Start + 2] = Terms;
  return true;
}

void Writer::memory(Instruction &I, WarpwiseInst &R) {
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    R.aux = L->getAlign().value();
    R.flags = flag(L->isVolatile(), WW_VOLATILE) | flag(L->isAtomic(), WW_ATOMIC);
    if (L->hasMetadataOtherThanDebugLoc())
      R.flags |=
          has(I, K.invariant_load, WW_INVARIANT) | has(I, K.noundef, WW_NOUNDEF) | has(I, K.uniform, WW_ANNOTATED);
  } else if (auto *S = dyn_cast<StoreInst>(&I)) {
    R.aux = S->getAlign().value();
    R.flags = flag(S->isVolatile(), WW_VOLATILE) | flag(S->isAtomic(), WW_ATOMIC);
  } else if (auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    R.aux = A->getAlign().value();
    R.sub = A->getOperation();
    R.flags = flag(A->isVolatile(), WW_VOLATILE) | WW_ATOMIC;
  } else if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
    R.aux = X->getAlign().value();
    R.flags = flag(X->isVolatile(), WW_VOLATILE) | WW_ATOMIC;
  } else if (auto *Alloca = dyn_cast<AllocaInst>(&I)) {
    R.aux = Alloca->getAlign().value();
  }
}

// Opcode and flags of instructions whose operands are all values.
uint8_t Writer::plain(Instruction &I, WarpwiseInst &R) {
  auto Wraps = [&] {
    auto &O = cast<OverflowingBinaryOperator>(I);
    R.flags = flag(O.hasNoUnsignedWrap(), WW_NUW) | flag(O.hasNoSignedWrap(), WW_NSW);
  };
  auto Exact = [&] { R.flags = flag(cast<PossiblyExactOperator>(I).isExact(), WW_EXACT); };
  switch (I.getOpcode()) {
  case Instruction::FNeg:
    return WW_FNEG;
  case Instruction::FAdd:
    return WW_FADD;
  case Instruction::FSub:
    return WW_FSUB;
  case Instruction::FMul:
    return WW_FMUL;
  case Instruction::FDiv:
    return WW_FDIV;
  case Instruction::FRem:
    return WW_FREM;
  case Instruction::Add:
    return Wraps(), WW_ADD;
  case Instruction::Sub:
    return Wraps(), WW_SUB;
  case Instruction::Mul:
    return Wraps(), WW_MUL;
  case Instruction::Shl:
    return Wraps(), WW_SHL;
  case Instruction::UDiv:
    return Exact(), WW_UDIV;
  case Instruction::SDiv:
    return Exact(), WW_SDIV;
  case Instruction::LShr:
    return Exact(), WW_LSHR;
  case Instruction::AShr:
    return Exact(), WW_ASHR;
  case Instruction::URem:
    return WW_UREM;
  case Instruction::SRem:
    return WW_SREM;
  case Instruction::And:
    return WW_AND;
  case Instruction::Or:
    R.flags = flag(cast<PossiblyDisjointInst>(I).isDisjoint(), WW_DISJOINT);
    return WW_OR;
  case Instruction::Xor:
    return WW_XOR;
  case Instruction::ICmp: {
    auto &C = cast<ICmpInst>(I);
    R.sub = C.getPredicate() - CmpInst::FIRST_ICMP_PREDICATE;
    R.flags = flag(C.hasSameSign(), WW_SAMESIGN);
    return WW_ICMP;
  }
  case Instruction::FCmp:
    R.sub = cast<FCmpInst>(I).getPredicate();
    return WW_FCMP;
  case Instruction::Select:
    return WW_SELECT;
  case Instruction::Freeze:
    return WW_FREEZE;
  case Instruction::Trunc: {
    auto &T = cast<TruncInst>(I);
    R.flags = flag(T.hasNoUnsignedWrap(), WW_NUW) | flag(T.hasNoSignedWrap(), WW_NSW);
    return WW_TRUNC;
  }
  case Instruction::ZExt:
    R.flags = flag(I.hasNonNeg(), WW_NNEG);
    return WW_ZEXT;
  case Instruction::SExt:
    return WW_SEXT;
  case Instruction::UIToFP:
    R.flags = flag(I.hasNonNeg(), WW_NNEG);
    return WW_FP_CAST;
  case Instruction::FPToUI:
  case Instruction::FPToSI:
  case Instruction::SIToFP:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return WW_FP_CAST;
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
    return WW_PTR_TO_INT;
  case Instruction::IntToPtr:
    return WW_INT_TO_PTR;
  case Instruction::BitCast:
    return WW_BIT_CAST;
  case Instruction::AddrSpaceCast:
    return WW_ADDR_SPACE_CAST;
  case Instruction::Alloca:
    return memory(I, R), WW_ALLOCA;
  case Instruction::Load:
    return memory(I, R), WW_LOAD;
  case Instruction::Store:
    return memory(I, R), WW_STORE;
  case Instruction::AtomicRMW:
    return memory(I, R), WW_ATOMIC_RMW;
  case Instruction::AtomicCmpXchg:
    return memory(I, R), WW_CMP_XCHG;
  case Instruction::Fence:
    return WW_FENCE;
  case Instruction::GetElementPtr: {
    auto &G = cast<GetElementPtrInst>(I);
    GEPNoWrapFlags F = G.getNoWrapFlags();
    R.flags = flag(F.isInBounds(), WW_INBOUNDS) | flag(F.hasNoUnsignedSignedWrap(), WW_NUSW) |
              flag(F.hasNoUnsignedWrap(), WW_NUW);
    return gep(G) ? WW_GEP : WW_OTHER;
  }
  case Instruction::ExtractElement:
    return WW_EXTRACT_ELEMENT;
  case Instruction::InsertElement:
    return WW_INSERT_ELEMENT;
  case Instruction::ShuffleVector:
    return WW_SHUFFLE_VECTOR;
  case Instruction::ExtractValue: {
    auto &E = cast<ExtractValueInst>(I);
    R.aux = E.getIndices().front();
    R.sub = E.getNumIndices() == 1;
    return WW_EXTRACT_VALUE;
  }
  case Instruction::InsertValue: {
    auto &E = cast<InsertValueInst>(I);
    R.aux = E.getIndices().front();
    R.sub = E.getNumIndices() == 1;
    return WW_INSERT_VALUE;
  }
  default:
    return WW_OTHER;
  }
}

bool Writer::write(Instruction &I) {
  unsigned Operands = I.getNumOperands();
  unsigned Successors = I.isTerminator() ? I.getNumSuccessors() : 0;
  auto *Phi = dyn_cast<PHINode>(&I);
  // a GEP writes three words and two for each index, a call two
  if (!room(Operands, Phi ? Operands : Successors, 3 + 2 * Operands))
    return false;
  WarpwiseInst &R = B.insts[B.inst_count];
  R = {I.getType(), 0, 0, 0, WW_OTHER, 0};
  uint32_t First = B.operand_count;
  if (Phi) {
    R.opcode = WW_PHI;
    for (unsigned N = 0; N != Operands; ++N) {
      operand(Phi->getIncomingValue(N));
      block(Phi->getIncomingBlock(N));
    }
  } else if (auto *Call = dyn_cast<CallInst>(&I)) {
    R.opcode = WW_CALL;
    for (Value *Argument : Call->args())
      operand(Argument);
    word(reinterpret_cast<uint64_t>(Call->getCalledOperand()));
    word(reinterpret_cast<uint64_t>(Call->getAttributes().getRawPointer()));
    if (I.hasMetadataOtherThanDebugLoc())
      R.flags |= has(I, K.uniform, WW_ANNOTATED);
  } else if (I.isTerminator()) {
    R.aux = Successors;
    switch (I.getOpcode()) {
    case Instruction::Ret:
      R.opcode = WW_RET;
      break;
    case Instruction::Br:
      R.opcode = cast<BranchInst>(I).isConditional() ? WW_COND_BR : WW_BR;
      break;
    case Instruction::Switch:
      R.opcode = WW_SWITCH;
      break;
    case Instruction::Unreachable:
      R.opcode = WW_UNREACHABLE;
      break;
    default:
      R.opcode = WW_OTHER_TERMINATOR;
    }
    if (R.opcode == WW_COND_BR)
      operand(cast<BranchInst>(I).getCondition());
    else if (R.opcode == WW_SWITCH)
      operand(cast<SwitchInst>(I).getCondition());
    else
      for (Value *V : I.operands())
        if (!isa<BasicBlock>(V))
          operand(V);
    if (I.hasMetadataOtherThanDebugLoc())
      R.flags |= has(I, K.uniform, WW_ANNOTATED);
    for (unsigned N = 0; N != Successors; ++N)
      block(I.getSuccessor(N));
  } else {
    for (Value *V : I.operands())
      operand(V);
    R.opcode = plain(I, R);
  }
  R.operand_count = B.operand_count - First;
  ++B.inst_count;
  return true;
}

} // namespace

extern "C" void warpwise_walk_count(LLVMValueRef Func, uint32_t *Blocks, uint32_t *Numbers) {
  auto &F = *cast<Function>(unwrap(Func));
  *Blocks = F.size();
  *Numbers = F.getMaxBlockNumber();
}

extern "C" uint32_t warpwise_walk_list(LLVMValueRef Func, WarpwiseCursor *Cursor, uint32_t *Block, uint32_t Listed,
                                       LLVMValueRef *Insts, uint32_t Capacity, LLVMBasicBlockRef *Blocks,
                                       uint32_t *Ends, uint32_t *IndexOfNumber) {
  auto &F = *cast<Function>(unwrap(Func));
  uint32_t Count = 0;
  auto BB = Cursor->block ? unwrap(Cursor->block)->getIterator() : F.begin();
  auto I = Cursor->inst ? cast<Instruction>(unwrap(Cursor->inst))->getIterator() : BB->begin();
  while (BB != F.end()) {
    for (; I != BB->end(); ++I) {
      if (Count == Capacity) {
        *Cursor = {wrap(&*BB), wrap(&*I)};
        return Count;
      }
      Insts[Count++] = wrap(&*I);
    }
    IndexOfNumber[BB->getNumber()] = *Block;
    Blocks[*Block] = wrap(&*BB);
    Ends[(*Block)++] = Listed + Count;
    if (++BB != F.end())
      I = BB->begin();
  }
  *Cursor = {nullptr, nullptr};
  return Count;
}

extern "C" bool warpwise_walk(LLVMValueRef Func, WarpwiseCursor *Cursor, WarpwiseBatch *Batch,
                              const WarpwiseKinds *Kinds, const uint32_t *IndexOfNumber) {
  auto &F = *cast<Function>(unwrap(Func));
  Batch->inst_count = Batch->operand_count = Batch->block_count = Batch->word_count = 0;
  Writer W(*Batch, *Kinds, IndexOfNumber, F.getParent()->getDataLayout());
  auto BB = Cursor->block ? unwrap(Cursor->block)->getIterator() : F.begin();
  auto I = Cursor->inst ? cast<Instruction>(unwrap(Cursor->inst))->getIterator() : BB->begin();
  while (BB != F.end()) {
    for (; I != BB->end(); ++I) {
      if (!W.write(*I)) {
        *Cursor = {wrap(&*BB), wrap(&*I)};
        return true;
      }
    }
    if (++BB != F.end())
      I = BB->begin();
  }
  return false;
}
