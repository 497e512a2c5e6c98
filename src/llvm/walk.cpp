// What does an instruction look like as a flat record?

#include "walk.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

namespace {

// An address is as good as a number for instructions (see pointer_map.rs): no two share 64 bytes.
static_assert(sizeof(Instruction) >= 64, "instructions are told apart by their address over 64");

class Writer {
public:
  Writer(WarpwiseBatch &B, WarpwiseCursor &C, const WarpwiseKinds &K, const DataLayout &DL) : B(B), C(C), K(K), DL(DL) {}

  // Writes one record; false if it does not fit.
  bool write(Instruction &I);

private:
  bool room(uint32_t Operands, uint32_t Blocks, uint32_t Words) const {
    return B.operand_capacity - B.operand_count >= Operands && B.block_capacity - B.block_count >= Blocks &&
           B.word_capacity - B.word_count >= Words;
  }
  void operand(Value *V) {
    unsigned ID = V->getValueID();
    uintptr_t Word = reinterpret_cast<uintptr_t>(V);
    if (ID < Value::InstructionVal)
      Word = ID == Value::ArgumentVal ? uintptr_t(cast<Argument>(V)->getArgNo()) << 3 | WW_ARGUMENT : Word | WW_CONSTANT;
    B.operands[B.operand_count++] = Word;
  }
  void operands(Instruction &I) {
    for (const Use &U : I.operands())
      operand(U.get());
  }
  void block(BasicBlock *BB) { B.blocks[B.block_count++] = BB->getNumber(); }
  void word(uint64_t W) { B.words[B.word_count++] = W; }
  uint16_t has(const Instruction &I, unsigned Kind, uint16_t Flag) const { return I.getMetadata(Kind) ? Flag : 0; }
  bool stride(Type *Ty, uint64_t &Size);
  bool tight_stride(Type *Ty, uint64_t &Size) const {
    TypeSize Found = DL.getTypeStoreSize(Ty);
    Size = Found.getKnownMinValue();
    return !Found.isScalable();
  }
  bool gep(GetElementPtrInst &GEP);
  bool path(GetElementPtrInst &GEP, int64_t &Offset, uint64_t &Terms);
  uint8_t plain(Instruction &I, WarpwiseInst &R);
  void memory(Instruction &I, WarpwiseInst &R);
  void phi(PHINode &Phi, WarpwiseInst &R);
  void call(CallInst &Call, WarpwiseInst &R);
  void terminator(Instruction &I, unsigned Successors, WarpwiseInst &R);

  WarpwiseBatch &B;
  WarpwiseCursor &C;
  const WarpwiseKinds &K;
  const DataLayout &DL;
};

uint16_t flag(bool Set, uint16_t Flag) { return Set ? Flag : 0; }

// Bytes from one element of a type to the next, remembered; false for scalable types.
bool Writer::stride(Type *Ty, uint64_t &Size) {
  auto &Known = C.strides[(reinterpret_cast<uintptr_t>(Ty) >> 4) % std::size(C.strides)];
  if (Known.type != Ty) {
    TypeSize Found = DL.getTypeAllocSize(Ty);
    if (Found.isScalable())
      return false;
    Known = {Ty, Found.getFixedValue()};
  }
  Size = Known.size;
  return true;
}

// Offset and terms of a list of indices; false for scalable types.
bool Writer::path(GetElementPtrInst &GEP, int64_t &Offset, uint64_t &Terms) {
  Type *Ty = GEP.getSourceElementType();
  for (uint32_t Position = 1, End = GEP.getNumOperands(); Position != End; ++Position) {
    Value *Idx = GEP.getOperand(Position);
    bool Tight = false; // elements of vectors lie as close as they can
    if (Position > 1) {
      if (auto *ST = dyn_cast<StructType>(Ty)) {
        auto *Field = dyn_cast<ConstantInt>(Idx);
        if (!Field || ST->isScalableTy())
          return false;
        Offset += DL.getStructLayout(ST)->getElementOffset(Field->getZExtValue());
        Ty = ST->getElementType(Field->getZExtValue());
        continue;
      }
      Tight = isa<VectorType>(Ty);
      Ty = Tight ? cast<VectorType>(Ty)->getElementType() : cast<ArrayType>(Ty)->getElementType();
    }
    uint64_t Stride;
    if (Tight ? !tight_stride(Ty, Stride) : !stride(Ty, Stride))
      return false;
    auto *Number = dyn_cast<ConstantInt>(Idx);
    if (Number && Number->getBitWidth() <= 64) {
      Offset += uint64_t(Number->getSExtValue()) * Stride;
    } else if (Stride) {
      word(Position);
      word(Stride);
      ++Terms;
    }
  }
  return true;
}

// Offset, width, terms; false for vectors of pointers and scalable types.
bool Writer::gep(GetElementPtrInst &GEP) {
  Type *PointerTy = GEP.getType();
  if (!PointerTy->isPointerTy())
    return false;
  if (C.pointer_type != PointerTy) {
    C.pointer_type = PointerTy;
    C.index_bits = DL.getIndexTypeSizeInBits(PointerTy);
  }
  uint32_t Start = B.word_count;
  B.word_count += 3;
  int64_t Offset = 0;
  uint64_t Terms = 0;
  if (!path(GEP, Offset, Terms)) {
    B.word_count = Start;
    return false;
  }
  B.words[Start] = Offset;
  B.words[Start + 1] = C.index_bits;
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

void Writer::phi(PHINode &Phi, WarpwiseInst &R) {
  R.opcode = WW_PHI;
  operands(Phi);
  for (BasicBlock *From : Phi.blocks())
    block(From);
}

void Writer::call(CallInst &Call, WarpwiseInst &R) {
  R.opcode = WW_CALL;
  for (const Use &Argument : Call.args())
    operand(Argument.get());
  word(reinterpret_cast<uint64_t>(Call.getCalledOperand()));
  word(reinterpret_cast<uint64_t>(Call.getAttributes().getRawPointer()));
  if (Call.hasMetadataOtherThanDebugLoc())
    R.flags |= has(Call, K.uniform, WW_ANNOTATED);
}

void Writer::terminator(Instruction &I, unsigned Successors, WarpwiseInst &R) {
  R.aux = Successors;
  switch (I.getOpcode()) {
  case Instruction::Ret:
    R.opcode = WW_RET;
    operands(I);
    break;
  case Instruction::Br:
    R.opcode = WW_BR;
    if (cast<BranchInst>(I).isConditional()) {
      R.opcode = WW_COND_BR;
      operand(cast<BranchInst>(I).getCondition());
    }
    break;
  case Instruction::Switch:
    R.opcode = WW_SWITCH;
    operand(cast<SwitchInst>(I).getCondition());
    break;
  case Instruction::Unreachable:
    R.opcode = WW_UNREACHABLE;
    break;
  default:
    R.opcode = WW_OTHER_TERMINATOR;
    for (Value *V : I.operands())
      if (!isa<BasicBlock>(V))
        operand(V);
  }
  if (I.hasMetadataOtherThanDebugLoc())
    R.flags |= has(I, K.uniform, WW_ANNOTATED);
  for (unsigned N = 0; N != Successors; ++N)
    block(I.getSuccessor(N));
  BasicBlock *BB = I.getParent();
  B.ended[B.ended_count] = wrap(BB);
  B.ended_numbers[B.ended_count++] = BB->getNumber();
}

bool Writer::write(Instruction &I) {
  unsigned Operands = I.getNumOperands();
  unsigned Opcode = I.getOpcode();
  bool IsPhi = Opcode == Instruction::PHI;
  unsigned Successors = I.isTerminator() ? I.getNumSuccessors() : 0;
  // a GEP writes three words and two for each index, a call two
  if (!room(Operands, IsPhi ? Operands : Successors, 3 + 2 * Operands))
    return false;
  WarpwiseInst &R = B.insts[B.inst_count];
  R = {I.getType(), 0, 0, 0, WW_OTHER, 0};
  uint32_t First = B.operand_count;
  if (IsPhi) {
    phi(cast<PHINode>(I), R);
  } else if (Opcode == Instruction::Call) {
    call(cast<CallInst>(I), R);
  } else if (I.isTerminator()) {
    terminator(I, Successors, R);
  } else {
    operands(I);
    R.opcode = plain(I, R);
  }
  R.operand_count = B.operand_count - First;
  B.addresses[B.inst_count++] = wrap(&I);
  return true;
}

} // namespace

extern "C" uint32_t warpwise_walk_numbers(LLVMValueRef Func) {
  return cast<Function>(unwrap(Func))->getMaxBlockNumber();
}

extern "C" bool warpwise_walk(LLVMValueRef Func, WarpwiseCursor *Cursor, WarpwiseBatch *Batch,
                              const WarpwiseKinds *Kinds) {
  auto &F = *cast<Function>(unwrap(Func));
  Batch->inst_count = Batch->operand_count = Batch->block_count = Batch->word_count = Batch->ended_count = 0;
  Writer W(*Batch, *Cursor, *Kinds, F.getParent()->getDataLayout());
  auto BB = Cursor->block ? unwrap(Cursor->block)->getIterator() : F.begin();
  auto I = Cursor->inst ? cast<Instruction>(unwrap(Cursor->inst))->getIterator() : BB->begin();
  while (BB != F.end()) {
    for (; I != BB->end(); ++I) {
      if (Batch->inst_count == Batch->inst_capacity || !W.write(*I)) {
        Cursor->block = wrap(&*BB);
        Cursor->inst = wrap(&*I);
        return true;
      }
    }
    if (++BB != F.end())
      I = BB->begin();
  }
  return false;
}
