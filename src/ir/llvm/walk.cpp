// What does a function look like as arrays?

#include "walk_shapes.h"
#include "walk_tables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;
using warpwise::Extra;
using warpwise::Shape;

namespace {

// An address is as good as a number (see walk_tables.h): no two values share 16 bytes.
static_assert(sizeof(Value) >= 16, "values are told apart by their address over 16");

// The first constant's number while it is not known how many instructions there are.
constexpr uint32_t Constant = 1u << 31;
// Instructions that are counted before the first is read, so that most functions get arrays that fit.
constexpr uint32_t Counted = 4096;
constexpr uint32_t PerBlock = 16;
constexpr uint32_t FewConstants = 64;

class Walker {
public:
  Walker(Function &F, const WarpwiseRawSnapshot &Empty, WarpwiseTables &T, const WarpwiseFlagKinds &K)
      : P(Empty), T(T), K(K), DL(F.getDataLayout()), F(F), Params(F.arg_size()) {}

  WarpwiseRawSnapshot run() {
    make_room();
    for (Argument &A : F.args())
      param(A);
    for (BasicBlock &BB : F)
      block(BB);
    close();
    T.clear(FirstConstant + P.constants.size);
    return P;
  }

private:
  void make_room();
  void param(Argument &A);
  void block(BasicBlock &BB);
  void close();
  void write(Instruction &I, uint32_t Block);

  // Numbers of types, values and calls; new ones are listed.
  uint32_t type(Type *Ty) {
    uint32_t *Number = T.types.find(Ty);
    return LLVM_LIKELY(Number != nullptr) ? *Number : new_type(Ty);
  }
  LLVM_ATTRIBUTE_NOINLINE uint32_t new_type(Type *Ty) {
    T.types.set(Ty, P.types.size);
    P.types.push(wrap(Ty));
    return P.types.size - 1;
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE uint32_t value(Value *V, uint32_t Place) {
    uint32_t Number;
    return LLVM_LIKELY(T.values.find(V, Number)) ? Number : new_value(V, Place);
  }
  LLVM_ATTRIBUTE_NOINLINE uint32_t new_value(Value *V, uint32_t Place);
  uint32_t call_kind(CallInst &Call);

  // The operands of an instruction that always has `Count`.
  template <unsigned Count> LLVM_ATTRIBUTE_ALWAYS_INLINE void operands(Instruction &I) {
    P.operands.room(Count);
    uint32_t Place = P.operands.size;
    uint32_t *Numbers = P.operands.data + Place;
    const Use *Uses = FixedNumOperandTraits<Instruction, Count>::op_begin(&I);
    Numbers[0] = value(Uses[0].get(), Place);
    if constexpr (Count > 1)
      Numbers[1] = value(Uses[1].get(), Place + 1);
    if constexpr (Count > 2)
      Numbers[2] = value(Uses[2].get(), Place + 2);
    P.operands.size = Place + Count;
  }
  template <typename Range> void operands(const Range &Uses, uint32_t Count) {
    P.operands.room(Count);
    uint32_t Place = P.operands.size;
    uint32_t *Numbers = P.operands.data;
    for (const Use &U : Uses) {
      Numbers[Place] = value(U.get(), Place);
      ++Place;
    }
    P.operands.size = Place;
  }
  void operand(Value *V) {
    P.operands.room(1);
    P.operands.data[P.operands.size] = value(V, P.operands.size);
    ++P.operands.size;
  }
  uint16_t has(const Instruction &I, unsigned Kind, uint16_t Flag) const { return I.getMetadata(Kind) ? Flag : 0; }
  void load(const LoadInst &L, WarpwiseInst &R) const;
  bool stride(Type *Ty, uint64_t &Size);
  bool tight_stride(Type *Ty, uint64_t &Size) const {
    TypeSize Found = DL.getTypeStoreSize(Ty);
    Size = Found.getKnownMinValue();
    return !Found.isScalable();
  }
  void gep(GetElementPtrInst &GEP, WarpwiseInst &R);
  bool path(GetElementPtrInst &GEP, int64_t &Offset);
  void memory(const Instruction &I, WarpwiseInst &R) const;
  void phi(PHINode &Phi, WarpwiseInst &R);
  void call(CallInst &Call, WarpwiseInst &R);
  void terminator(Instruction &I, WarpwiseInst &R);

  WarpwiseRawSnapshot P;
  WarpwiseTables &T;
  const WarpwiseFlagKinds &K;
  const DataLayout &DL;
  Function &F;
  const uint32_t Params;
  uint32_t FirstConstant = Constant;
  Type *PointerType = nullptr;
  uint16_t IndexBits = 0;
};

uint16_t flag(bool Set, uint16_t Flag) { return Set ? Flag : 0; }

template <typename Access> bool is_atomic(const Access &A) { return A.getOrdering() != AtomicOrdering::NotAtomic; }

// Bytes from one element of a type to the next, remembered; false for scalable types.
bool Walker::stride(Type *Ty, uint64_t &Size) {
  if (uint64_t *Known = T.strides.find(Ty)) {
    Size = *Known;
    return true;
  }
  TypeSize Found = DL.getTypeAllocSize(Ty);
  if (Found.isScalable())
    return false;
  T.strides.set(Ty, Size = Found.getFixedValue());
  return true;
}

// Offset and terms of a list of indices; false for scalable types.
bool Walker::path(GetElementPtrInst &GEP, int64_t &Offset) {
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
      P.terms.push({Position, Stride});
    }
  }
  return true;
}

// Offset, width and terms; nothing for vectors of pointers and scalable types.
void Walker::gep(GetElementPtrInst &GEP, WarpwiseInst &R) {
  operands(GEP.operands(), GEP.getNumOperands());
  GEPNoWrapFlags Wraps = GEP.getNoWrapFlags();
  R.flags = flag(Wraps.isInBounds(), WW_INBOUNDS) | flag(Wraps.hasNoUnsignedSignedWrap(), WW_NUSW) |
            flag(Wraps.hasNoUnsignedWrap(), WW_NUW);
  Type *Ty = GEP.getType();
  uint32_t Start = P.terms.size;
  int64_t Offset = 0;
  if (!Ty->isPointerTy() || !path(GEP, Offset)) {
    P.terms.size = Start;
    R.opcode = WW_OTHER;
    return;
  }
  if (PointerType != Ty) {
    PointerType = Ty;
    IndexBits = DL.getIndexTypeSizeInBits(Ty);
  }
  R.aux = P.geps.size;
  P.geps.push({Offset, Start, uint16_t(P.terms.size - Start), IndexBits});
}

// One look for all kinds of metadata.
void Walker::load(const LoadInst &L, WarpwiseInst &R) const {
  R.aux = L.getAlign().value();
  R.flags = flag(L.isVolatile(), WW_VOLATILE) | flag(is_atomic(L), WW_ATOMIC);
  if (!L.hasMetadataOtherThanDebugLoc())
    return;
  SmallVector<std::pair<unsigned, MDNode *>, 8> All;
  L.getAllMetadataOtherThanDebugLoc(All);
  for (auto &[Kind, Node] : All)
    R.flags |= flag(Kind == K.invariant_load, WW_INVARIANT) | flag(Kind == K.noundef, WW_NOUNDEF) |
               flag(Kind == K.uniform, WW_ANNOTATED);
}

void Walker::memory(const Instruction &I, WarpwiseInst &R) const {
  if (auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    R.aux = A->getAlign().value();
    R.sub = A->getOperation();
    R.flags = flag(A->isVolatile(), WW_VOLATILE) | WW_ATOMIC;
  } else if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
    R.aux = X->getAlign().value();
    R.flags = flag(X->isVolatile(), WW_VOLATILE) | WW_ATOMIC;
  } else {
    R.aux = cast<AllocaInst>(I).getAlign().value();
  }
}

// A constant, or an instruction that comes later.
uint32_t Walker::new_value(Value *V, uint32_t Place) {
  if (isa<Instruction>(V)) {
    T.open.push_back({Place, wrap(V)});
    return 0;
  }
  uint32_t Number = FirstConstant + P.constants.size;
  T.values.set(V, Number);
  auto *Int = dyn_cast<ConstantInt>(V);
  bool IsInt = Int && Int->getBitWidth() <= 64;
  P.constants.push({wrap(V), IsInt ? Int->getZExtValue() : 0, type(V->getType()), IsInt});
  return Number;
}

void Walker::phi(PHINode &Phi, WarpwiseInst &R) {
  uint32_t Count = Phi.getNumIncomingValues();
  operands(Phi.operands(), Count);
  R.aux = P.phi_blocks.size;
  P.phi_blocks.room(Count);
  for (BasicBlock *From : Phi.blocks())
    P.phi_blocks.data[P.phi_blocks.size++] = From->getNumber();
}

// The number of a call's callee and attributes.
uint32_t Walker::call_kind(CallInst &Call) {
  auto [Known, IsNew] =
      T.calls.try_emplace({Call.getCalledOperand(), Call.getAttributes().getRawPointer()}, P.calls.size);
  if (IsNew) {
    auto *Callee = dyn_cast<Function>(Call.getCalledOperand());
    auto Has = [&](Attribute::AttrKind Kind) {
      return Call.getAttributes().hasFnAttr(Kind) || (Callee && Callee->hasFnAttribute(Kind));
    };
    P.calls.push({wrap(&Call), Has(Attribute::Convergent), Has(Attribute::NoDivergenceSource), Has(Attribute::NoReturn),
                  Has(Attribute::WillReturn)});
  }
  return Known->second;
}

void Walker::call(CallInst &Call, WarpwiseInst &R) {
  operands(Call.args(), Call.arg_size());
  R.aux = call_kind(Call);
  R.flags = flag(Call.getAttributes().hasRetAttr(Attribute::NoUndef), WW_NOUNDEF);
  if (Call.hasMetadataOtherThanDebugLoc())
    R.flags |= has(Call, K.uniform, WW_ANNOTATED);
}

void Walker::terminator(Instruction &I, WarpwiseInst &R) {
  switch (R.opcode) {
  case WW_RET:
    operands(I.operands(), I.getNumOperands());
    break;
  case WW_BR:
  case WW_COND_BR: // in LLVM 22 the opcode does not say which
    if (warpwise::is_conditional(I)) {
      R.opcode = WW_COND_BR;
      operand(cast<warpwise::CondBranch>(I).getCondition());
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
  auto *Branch = dyn_cast<warpwise::CondBranch>(&I);
  R.aux = Branch ? Branch->getNumSuccessors() : I.getNumSuccessors();
  P.successors.room(R.aux);
  for (unsigned N = 0; N != R.aux; ++N)
    P.successors.data[P.successors.size++] = (Branch ? Branch->getSuccessor(N) : I.getSuccessor(N))->getNumber();
}

inline void Walker::write(Instruction &I, uint32_t Block) {
  Shape Is = warpwise::Shapes.Of[I.getOpcode()];
  if (LLVM_UNLIKELY(P.insts.size == P.insts.capacity)) {
    P.insts.room(1);
    P.values.room(P.insts.capacity - P.insts.size);
  }
  P.values.data[P.values.size] = wrap(&I);
  T.values.set(&I, P.values.size++);
  WarpwiseInst &R = P.insts.data[P.insts.size++];
  R = {Is.Opcode, 0, 0, type(I.getType()), Block, P.operands.size, 0, 0};
  switch (Is.Reads) {
  case Extra::None:
    operands(I.operands(), I.getNumOperands());
    break;
  case Extra::One:
    operands<1>(I);
    break;
  case Extra::Two:
    operands<2>(I);
    break;
  case Extra::Three:
    operands<3>(I);
    break;
  case Extra::Wraps: {
    operands<2>(I);
    auto &O = cast<OverflowingBinaryOperator>(I);
    R.flags = flag(O.hasNoUnsignedWrap(), WW_NUW) | flag(O.hasNoSignedWrap(), WW_NSW);
    break;
  }
  case Extra::TruncWraps: {
    operands<1>(I);
    auto &O = cast<TruncInst>(I);
    R.flags = flag(O.hasNoUnsignedWrap(), WW_NUW) | flag(O.hasNoSignedWrap(), WW_NSW);
    break;
  }
  case Extra::Exact:
    operands<2>(I);
    R.flags = flag(cast<PossiblyExactOperator>(I).isExact(), WW_EXACT);
    break;
  case Extra::Disjoint:
    operands<2>(I);
    R.flags = flag(cast<PossiblyDisjointInst>(I).isDisjoint(), WW_DISJOINT);
    break;
  case Extra::Order:
    operands<2>(I);
    R.sub = cast<ICmpInst>(I).getPredicate() - CmpInst::FIRST_ICMP_PREDICATE;
    R.flags = flag(cast<ICmpInst>(I).hasSameSign(), WW_SAMESIGN);
    break;
  case Extra::FloatOrder:
    operands<2>(I);
    R.sub = cast<FCmpInst>(I).getPredicate();
    break;
  case Extra::NonNeg:
    operands<1>(I);
    R.flags = flag(cast<PossiblyNonNegInst>(I).hasNonNeg(), WW_NNEG);
    break;
  case Extra::Load:
    operands<1>(I);
    load(cast<LoadInst>(I), R);
    break;
  case Extra::Store: {
    operands<2>(I);
    auto &S = cast<StoreInst>(I);
    R.aux = S.getAlign().value();
    R.flags = flag(S.isVolatile(), WW_VOLATILE) | flag(is_atomic(S), WW_ATOMIC);
    break;
  }
  case Extra::Memory:
    operands(I.operands(), I.getNumOperands());
    memory(I, R);
    break;
  case Extra::Gep:
    gep(cast<GetElementPtrInst>(I), R);
    break;
  case Extra::Path: {
    operands(I.operands(), I.getNumOperands());
    ArrayRef<unsigned> Indices =
        isa<ExtractValueInst>(I) ? cast<ExtractValueInst>(I).getIndices() : cast<InsertValueInst>(I).getIndices();
    R.aux = Indices.front();
    R.sub = Indices.size() == 1;
    break;
  }
  case Extra::Phi:
    phi(cast<PHINode>(I), R);
    break;
  case Extra::Call:
    call(cast<CallInst>(I), R);
    break;
  case Extra::End:
    terminator(I, R);
    break;
  }
  R.operand_count = P.operands.size - R.operands_start;
}

void Walker::param(Argument &A) {
  T.values.set(&A, A.getArgNo());
  P.values.push(wrap(&A));
  AttributeSet Has = F.getAttributes().getParamAttrs(A.getArgNo());
  bool ReadOnly = Has.hasAttribute(Attribute::ReadOnly) || Has.hasAttribute(Attribute::ReadNone);
  P.params.push({type(A.getType()), Has.hasAttribute(Attribute::NoAlias), ReadOnly, Has.hasAttribute(Attribute::ByVal),
                 Has.hasAttribute(Attribute::NoUndef)});
}

inline void Walker::block(BasicBlock &BB) {
  uint32_t Number = P.blocks.size, First = P.insts.size;
  P.blocks.push(wrap(&BB));
  T.numbered[BB.getNumber()] = Number;
  for (Instruction &I : BB)
    write(I, Number);
  P.bounds.push({First, P.insts.size});
  P.successor_ends.push(P.successors.size);
}

// Counts the beginning of the function; guesses the rest of a larger one.
void Walker::make_room() {
  uint32_t Blocks = F.getMaxBlockNumber(), Insts = 0;
  for (BasicBlock &BB : F) {
    Insts += BB.size();
    if (Insts >= Counted)
      break;
  }
  if (Insts < Counted)
    FirstConstant = Params + Insts;
  else
    Insts = std::max(Insts, Blocks * PerBlock);
  P.insts.room(Insts);
  P.operands.room(2 * Insts);
  P.values.room(Params + Insts + FewConstants); // constants come behind them
  P.params.room(Params);
  P.blocks.room(Blocks);
  P.bounds.room(Blocks);
  P.successor_ends.room(Blocks + 1); // the graph wants one more
  P.successors.room(2 * Blocks);
  P.geps.room(Insts / 4);
  P.terms.room(Insts / 4);
  P.constants.room(FewConstants);
  T.numbered.assign(Blocks, 0);
}

// Fills in what could not be known on the way.
void Walker::close() {
  for (auto [Place, V] : T.open)
    T.values.find(unwrap(V), P.operands.data[Place]);
  if (FirstConstant == Constant) {
    uint32_t First = Params + P.insts.size;
    for (uint32_t &V : P.operands)
      V = V >= Constant ? V - Constant + First : V;
  }
  bool InOrder = true;
  for (uint32_t N = 0; N != T.numbered.size(); ++N)
    InOrder &= T.numbered[N] == N;
  if (InOrder)
    return;
  for (uint32_t &B : P.phi_blocks)
    B = T.numbered[B];
  for (uint32_t &B : P.successors)
    B = T.numbered[B];
}

} // namespace

extern "C" WarpwiseTables *warpwise_walk_tables() { return new WarpwiseTables(); }

extern "C" void warpwise_walk_free(WarpwiseTables *Tables) { delete Tables; }

extern "C" void warpwise_walk(LLVMValueRef Func, WarpwiseTables *Tables, const WarpwiseFlagKinds *Kinds,
                              WarpwiseRawSnapshot *Snapshot) {
  *Snapshot = Walker(*cast<Function>(unwrap(Func)), *Snapshot, *Tables, *Kinds).run();
}

extern "C" bool warpwise_has_launch_attributes(LLVMValueRef Func) {
  return any_of(cast<Function>(unwrap(Func))->getAttributes().getFnAttrs(), [](Attribute A) {
    StringRef Kind = A.isStringAttribute() ? A.getKindAsString() : StringRef();
    if (Kind.empty() || (Kind.front() != 'n' && Kind.front() != 'w'))
      return false; // most
    return Kind.starts_with("nvvm.") || Kind.starts_with("warpwise");
  });
}
