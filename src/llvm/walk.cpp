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

// What there is to read of an instruction besides its operands.
enum class Extra : uint8_t {
  None,
  Wraps,
  Exact,
  Disjoint,
  Order,
  FloatOrder,
  NonNeg,
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
  case Instruction::FNeg:
    return {WW_FNEG, Extra::None};
  case Instruction::FAdd:
    return {WW_FADD, Extra::None};
  case Instruction::FSub:
    return {WW_FSUB, Extra::None};
  case Instruction::FMul:
    return {WW_FMUL, Extra::None};
  case Instruction::FDiv:
    return {WW_FDIV, Extra::None};
  case Instruction::FRem:
    return {WW_FREM, Extra::None};
  case Instruction::Add:
    return {WW_ADD, Extra::Wraps};
  case Instruction::Sub:
    return {WW_SUB, Extra::Wraps};
  case Instruction::Mul:
    return {WW_MUL, Extra::Wraps};
  case Instruction::Shl:
    return {WW_SHL, Extra::Wraps};
  case Instruction::Trunc:
    return {WW_TRUNC, Extra::Wraps};
  case Instruction::UDiv:
    return {WW_UDIV, Extra::Exact};
  case Instruction::SDiv:
    return {WW_SDIV, Extra::Exact};
  case Instruction::LShr:
    return {WW_LSHR, Extra::Exact};
  case Instruction::AShr:
    return {WW_ASHR, Extra::Exact};
  case Instruction::URem:
    return {WW_UREM, Extra::None};
  case Instruction::SRem:
    return {WW_SREM, Extra::None};
  case Instruction::And:
    return {WW_AND, Extra::None};
  case Instruction::Or:
    return {WW_OR, Extra::Disjoint};
  case Instruction::Xor:
    return {WW_XOR, Extra::None};
  case Instruction::ICmp:
    return {WW_ICMP, Extra::Order};
  case Instruction::FCmp:
    return {WW_FCMP, Extra::FloatOrder};
  case Instruction::Select:
    return {WW_SELECT, Extra::None};
  case Instruction::Freeze:
    return {WW_FREEZE, Extra::None};
  case Instruction::ZExt:
    return {WW_ZEXT, Extra::NonNeg};
  case Instruction::SExt:
    return {WW_SEXT, Extra::None};
  case Instruction::UIToFP:
    return {WW_FP_CAST, Extra::NonNeg};
  case Instruction::FPToUI:
  case Instruction::FPToSI:
  case Instruction::SIToFP:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return {WW_FP_CAST, Extra::None};
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
    return {WW_PTR_TO_INT, Extra::None};
  case Instruction::IntToPtr:
    return {WW_INT_TO_PTR, Extra::None};
  case Instruction::BitCast:
    return {WW_BIT_CAST, Extra::None};
  case Instruction::AddrSpaceCast:
    return {WW_ADDR_SPACE_CAST, Extra::None};
  case Instruction::Alloca:
    return {WW_ALLOCA, Extra::Memory};
  case Instruction::Load:
    return {WW_LOAD, Extra::Memory};
  case Instruction::Store:
    return {WW_STORE, Extra::Memory};
  case Instruction::AtomicRMW:
    return {WW_ATOMIC_RMW, Extra::Memory};
  case Instruction::AtomicCmpXchg:
    return {WW_CMP_XCHG, Extra::Memory};
  case Instruction::Fence:
    return {WW_FENCE, Extra::None};
  case Instruction::GetElementPtr:
    return {WW_GEP, Extra::Gep};
  case Instruction::ExtractElement:
    return {WW_EXTRACT_ELEMENT, Extra::None};
  case Instruction::InsertElement:
    return {WW_INSERT_ELEMENT, Extra::None};
  case Instruction::ShuffleVector:
    return {WW_SHUFFLE_VECTOR, Extra::None};
  case Instruction::ExtractValue:
    return {WW_EXTRACT_VALUE, Extra::Path};
  case Instruction::InsertValue:
    return {WW_INSERT_VALUE, Extra::Path};
  case Instruction::PHI:
    return {WW_PHI, Extra::Phi};
  case Instruction::Call:
    return {WW_CALL, Extra::Call};
  case Instruction::Ret:
    return {WW_RET, Extra::End};
  case Instruction::Br:
    return {WW_BR, Extra::End};
  case Instruction::Switch:
    return {WW_SWITCH, Extra::End};
  case Instruction::Unreachable:
    return {WW_UNREACHABLE, Extra::End};
  default:
    return {Instruction::isTerminator(Opcode) ? uint8_t(WW_OTHER_TERMINATOR) : uint8_t(WW_OTHER),
            Instruction::isTerminator(Opcode) ? Extra::End : Extra::None};
  }
}

struct ShapeTable {
  Shape Of[Instruction::OtherOpsEnd];
  ShapeTable() {
    for (unsigned Opcode = 0; Opcode != Instruction::OtherOpsEnd; ++Opcode)
      Of[Opcode] = shape_of(Opcode);
  }
};

const ShapeTable Shapes;

// An address is as good as a number for instructions (see pointer_map.rs): no two share 64 bytes.
static_assert(sizeof(Instruction) >= 64, "instructions are told apart by their address over 64");

class Writer {
public:
  Writer(WarpwiseBatch &B, WarpwiseCursor &C, const WarpwiseKinds &K, const DataLayout &DL)
      : B(B), C(C), K(K), DL(DL) {}

  // Writes one record; false if it does not fit.
  bool write(Instruction &I);

private:
  // Room for a large instruction and as many small ones as may still come.
  bool room(uint32_t Operands, uint32_t Blocks, uint32_t Words) const {
    uint32_t Small = B.inst_capacity - B.inst_count - 1;
    return B.operand_capacity - B.operand_count >= Operands + Small * WW_SMALL &&
           B.block_capacity - B.block_count >= Blocks + Small * WW_SMALL &&
           B.word_capacity - B.word_count >= Words + Small * WW_SMALL_WORDS;
  }
  static uintptr_t word_of(Value *V) {
    unsigned ID = V->getValueID();
    uintptr_t Word = reinterpret_cast<uintptr_t>(V);
    if (ID >= Value::InstructionVal)
      return Word | WW_INSTRUCTION;
    return ID == Value::ArgumentVal ? uintptr_t(cast<Argument>(V)->getArgNo()) << 3 | WW_ARGUMENT : Word | WW_CONSTANT;
  }
  void operand(Value *V) { B.operands[B.operand_count++] = word_of(V); }
  template <typename Range> void operands(const Range &Uses) {
    uintptr_t *Out = B.operands + B.operand_count;
    for (const Use &U : Uses)
      *Out++ = word_of(U.get());
    B.operand_count = Out - B.operands;
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
  void details(Instruction &I, Extra Reads, WarpwiseInst &R);
  void memory(Instruction &I, WarpwiseInst &R);
  void phi(PHINode &Phi);
  void call(CallInst &Call, WarpwiseInst &R);
  void terminator(Instruction &I, unsigned Successors, WarpwiseInst &R);

  WarpwiseBatch &B;
  WarpwiseCursor &C;
  const WarpwiseKinds &K;
  const DataLayout &DL;
};

uint16_t flag(bool Set, uint16_t Flag) { return Set ? Flag : 0; }

template <typename Access> bool is_atomic(const Access &A) { return A.getOrdering() != AtomicOrdering::NotAtomic; }

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
    uint64_t Stride = 0;
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
    R.flags = flag(L->isVolatile(), WW_VOLATILE) | flag(is_atomic(*L), WW_ATOMIC);
    if (L->hasMetadataOtherThanDebugLoc())
      R.flags |=
          has(I, K.invariant_load, WW_INVARIANT) | has(I, K.noundef, WW_NOUNDEF) | has(I, K.uniform, WW_ANNOTATED);
  } else if (auto *S = dyn_cast<StoreInst>(&I)) {
    R.aux = S->getAlign().value();
    R.flags = flag(S->isVolatile(), WW_VOLATILE) | flag(is_atomic(*S), WW_ATOMIC);
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

// Flags and details of instructions whose operands are all values.
void Writer::details(Instruction &I, Extra Reads, WarpwiseInst &R) {
  switch (Reads) {
  case Extra::Wraps:
    // a truncation keeps its flags in the same bits, but is an operator of its own
    if (auto *T = dyn_cast<TruncInst>(&I)) {
      R.flags = flag(T->hasNoUnsignedWrap(), WW_NUW) | flag(T->hasNoSignedWrap(), WW_NSW);
    } else {
      auto &O = cast<OverflowingBinaryOperator>(I);
      R.flags = flag(O.hasNoUnsignedWrap(), WW_NUW) | flag(O.hasNoSignedWrap(), WW_NSW);
    }
    break;
  case Extra::Exact:
    R.flags = flag(cast<PossiblyExactOperator>(I).isExact(), WW_EXACT);
    break;
  case Extra::Disjoint:
    R.flags = flag(cast<PossiblyDisjointInst>(I).isDisjoint(), WW_DISJOINT);
    break;
  case Extra::Order:
    R.sub = cast<ICmpInst>(I).getPredicate() - CmpInst::FIRST_ICMP_PREDICATE;
    R.flags = flag(cast<ICmpInst>(I).hasSameSign(), WW_SAMESIGN);
    break;
  case Extra::FloatOrder:
    R.sub = cast<FCmpInst>(I).getPredicate();
    break;
  case Extra::NonNeg:
    R.flags = flag(cast<PossiblyNonNegInst>(I).hasNonNeg(), WW_NNEG);
    break;
  case Extra::Memory:
    memory(I, R);
    break;
  case Extra::Gep: {
    auto &G = cast<GetElementPtrInst>(I);
    GEPNoWrapFlags F = G.getNoWrapFlags();
    R.flags = flag(F.isInBounds(), WW_INBOUNDS) | flag(F.hasNoUnsignedSignedWrap(), WW_NUSW) |
              flag(F.hasNoUnsignedWrap(), WW_NUW);
    if (!gep(G))
      R.opcode = WW_OTHER;
    break;
  }
  case Extra::Path: {
    ArrayRef<unsigned> Indices =
        isa<ExtractValueInst>(I) ? cast<ExtractValueInst>(I).getIndices() : cast<InsertValueInst>(I).getIndices();
    R.aux = Indices.front();
    R.sub = Indices.size() == 1;
    break;
  }
  default:
    break;
  }
}

void Writer::phi(PHINode &Phi) {
  operands(Phi.operands());
  for (BasicBlock *From : Phi.blocks())
    block(From);
}

void Writer::call(CallInst &Call, WarpwiseInst &R) {
  operands(Call.args());
  word(reinterpret_cast<uint64_t>(Call.getCalledOperand()));
  word(reinterpret_cast<uint64_t>(Call.getAttributes().getRawPointer()));
  if (Call.hasMetadataOtherThanDebugLoc())
    R.flags |= has(Call, K.uniform, WW_ANNOTATED);
}

void Writer::terminator(Instruction &I, unsigned Successors, WarpwiseInst &R) {
  R.aux = Successors;
  switch (R.opcode) {
  case WW_RET:
    operands(I.operands());
    break;
  case WW_BR:
    if (cast<BranchInst>(I).isConditional()) {
      R.opcode = WW_COND_BR;
      operand(cast<BranchInst>(I).getCondition());
    }
    break;
  case WW_SWITCH:
    operand(cast<SwitchInst>(I).getCondition());
    break;
  case WW_UNREACHABLE:
    break;
  default:
    for (Value *V : I.operands())
      if (!isa<BasicBlock>(V))
        operand(V);
  }
  if (I.hasMetadataOtherThanDebugLoc())
    R.flags |= has(I, K.uniform, WW_ANNOTATED);
  if (auto *Branch = dyn_cast<BranchInst>(&I)) {
    for (unsigned N = 0; N != Successors; ++N)
      block(Branch->getSuccessor(N));
  } else {
    for (unsigned N = 0; N != Successors; ++N)
      block(I.getSuccessor(N));
  }
  BasicBlock *BB = I.getParent();
  B.ended[B.ended_count] = wrap(BB);
  B.ended_numbers[B.ended_count++] = BB->getNumber();
}

inline bool Writer::write(Instruction &I) {
  unsigned Operands = I.getNumOperands();
  Shape Is = Shapes.Of[I.getOpcode()];
  unsigned Successors = 0;
  if (Is.Reads == Extra::End)
    Successors = Is.Opcode == WW_BR ? cast<BranchInst>(I).getNumSuccessors() : I.getNumSuccessors();
  // a phi has a block for each operand; a GEP writes three words and two for each index, a call two
  bool Small = Operands <= WW_SMALL && Successors <= WW_SMALL;
  if (!Small && !room(Operands, Is.Reads == Extra::Phi ? Operands : Successors, 3 + 2 * Operands))
    return false;
  WarpwiseInst &R = B.insts[B.inst_count];
  R = {I.getType(), 0, 0, 0, Is.Opcode, 0};
  uint32_t First = B.operand_count;
  switch (Is.Reads) {
  case Extra::Phi:
    phi(cast<PHINode>(I));
    break;
  case Extra::Call:
    call(cast<CallInst>(I), R);
    break;
  case Extra::End:
    terminator(I, Successors, R);
    break;
  case Extra::None:
    operands(I.operands());
    break;
  default:
    operands(I.operands());
    details(I, Is.Reads, R);
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
