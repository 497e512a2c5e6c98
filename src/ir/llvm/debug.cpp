// What does the C API lack to carry debug records along with an edit? Taking them off, putting them elsewhere,
// comparing and killing them, and the edits of LLVM that take care of them.

#include "llvm-c/Core.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static DbgVariableRecord *variable(LLVMDbgRecordRef Record) { return dyn_cast<DbgVariableRecord>(unwrap(Record)); }

// The records that name a value.
static SmallVector<DbgVariableRecord *> records_of(Value *V) {
  SmallVector<DbgVariableRecord *> Records;
  findDbgUsers(V, Records);
  return Records;
}

// What a record speaks of; the size is zero for the whole variable.
struct WarpwiseVariable {
  const void *Variable;
  const void *InlinedAt;
  uint64_t Offset;
  uint64_t Size;
};

// Which variable, or part of one, a record tells the value of; false for what holds wherever it stands.
extern "C" bool warpwise_record_variable(LLVMDbgRecordRef Record, WarpwiseVariable *Out) {
  DbgVariableRecord *DVR = variable(Record);
  if (!DVR || DVR->isDbgDeclare())
    return false;
  auto Fragment = DVR->getFragment();
  *Out = {DVR->getVariable(), DVR->getDebugLoc().getInlinedAt(), Fragment ? Fragment->OffsetInBits : 0,
          Fragment ? Fragment->SizeInBits : 0};
  return true;
}

// The function, as its source calls it, that a location is in; its text lives as long as the module's context.
extern "C" const char *warpwise_location_function(LLVMMetadataRef Location, size_t *Length) {
  const DISubprogram *Program = unwrap<DILocation>(Location)->getScope()->getSubprogram();
  StringRef Name = Program ? Program->getName() : "";
  *Length = Name.size();
  return Name.data();
}

// The variable of the source that a value is, or that lies in a stack object, as far as debug records tell; its text
// lives as long as the module's context.
extern "C" const char *warpwise_variable_name(LLVMValueRef Value, size_t *Length) {
  StringRef Name;
  for (DbgVariableRecord *DVR : records_of(unwrap(Value))) {
    bool IsWhole = DVR->isDbgDeclare() || (!DVR->hasArgList() && DVR->getExpression()->getNumElements() == 0);
    if (IsWhole && DVR->getVariableLocationOp(0) == unwrap(Value)) {
      Name = DVR->getVariable()->getName();
      break;
    }
  }
  *Length = Name.size();
  return Name.data();
}

// Without typedefs and qualifiers.
static const DIType *bareType(const DIType *T) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(T)) {
    switch (Derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
      T = Derived->getBaseType();
      continue;
    default:
      return T;
    }
  }
  return T;
}

static bool isRecord(const DIType *T) {
  auto *Composite = dyn_cast_or_null<DICompositeType>(T);
  return Composite &&
         (Composite->getTag() == dwarf::DW_TAG_structure_type || Composite->getTag() == dwarf::DW_TAG_class_type);
}

// Appends the member at an offset in bits, down to one that is no record; false if there is none.
static bool appendMember(const DIType *T, uint64_t Offset, std::string &Path) {
  T = bareType(T);
  if (!isRecord(T))
    return T && Offset == 0 && !isa<DICompositeType>(T);
  for (const DINode *Node : cast<DICompositeType>(T)->getElements()) {
    auto *Member = dyn_cast<DIDerivedType>(Node);
    if (!Member || Member->isStaticMember())
      continue;
    bool IsBase = Member->getTag() == dwarf::DW_TAG_inheritance;
    if (!IsBase && Member->getTag() != dwarf::DW_TAG_member)
      continue;
    const DIType *Own = bareType(Member->getBaseType());
    uint64_t Size = Own ? Own->getSizeInBits() : 0, Start = Member->getOffsetInBits();
    if (Offset < Start || Offset - Start >= Size || Member->isBitField())
      continue;
    if (!IsBase) {
      if (Member->getName().empty())
        return false;
      Path += (Path.empty() ? "" : ".") + Member->getName().str();
    }
    return appendMember(Own, Offset - Start, Path);
  }
  return false;
}

// The member of a record that lies at an offset in bytes from an address, such as `size.x`: of a variable that lies
// there, or of what a variable points to, then in whichever of several records of a row. `Size` is that of a record,
// `IsPointer` whether the variable points to it. Writes at most `Capacity` characters and answers how many; none if
// debug information does not tell.
extern "C" size_t warpwise_member_name(LLVMValueRef Value, uint64_t Offset, char *Out, size_t Capacity, uint64_t *Size,
                                       bool *IsPointer) {
  SmallVector<DbgVariableRecord *> Records = records_of(unwrap(Value));
  // what lies there before what points there, such as a reference of a function that was inlined
  stable_sort(Records, [](auto *A, auto *B) { return A->isDbgDeclare() > B->isDbgDeclare(); });
  for (DbgVariableRecord *DVR : Records) {
    if (DVR->hasArgList() || DVR->getExpression()->getNumElements() != 0 ||
        DVR->getVariableLocationOp(0) != unwrap(Value))
      continue;
    const DIType *T = bareType(DVR->getVariable()->getType());
    *IsPointer = !DVR->isDbgDeclare();
    if (*IsPointer) {
      auto *Pointer = dyn_cast_or_null<DIDerivedType>(T);
      bool Points = Pointer && (Pointer->getTag() == dwarf::DW_TAG_pointer_type ||
                                Pointer->getTag() == dwarf::DW_TAG_reference_type);
      T = Points ? bareType(Pointer->getBaseType()) : nullptr;
    }
    if (!isRecord(T) || T->getSizeInBits() == 0)
      continue;
    *Size = T->getSizeInBits() / 8;
    std::string Path;
    if (!appendMember(T, Offset % *Size * 8, Path) || Path.empty() || Path.size() > Capacity)
      continue;
    std::copy(Path.begin(), Path.end(), Out);
    return Path.size();
  }
  return 0;
}

// Takes a record off its instruction; it is the caller's from then on.
extern "C" void warpwise_record_detach(LLVMDbgRecordRef Record) { unwrap(Record)->removeFromParent(); }

extern "C" LLVMDbgRecordRef warpwise_record_clone(LLVMDbgRecordRef Record) { return wrap(unwrap(Record)->clone()); }

// Forgets a record that stands nowhere.
extern "C" void warpwise_record_delete(LLVMDbgRecordRef Record) { unwrap(Record)->deleteRecord(); }

// Says that the variable's value is unknown from here on; what is known of its memory may stay.
extern "C" void warpwise_record_kill(LLVMDbgRecordRef Record, bool KeepMemory) {
  DbgVariableRecord *DVR = variable(Record);
  DVR->setKillLocation();
  if (DVR->isDbgAssign() && !KeepMemory)
    DVR->setKillAddress();
}

// Whether two records say the same.
extern "C" bool warpwise_records_alike(LLVMDbgRecordRef A, LLVMDbgRecordRef B) {
  return variable(A)->isIdenticalToWhenDefined(*variable(B));
}

// Whether two records say the same of the variable's memory, and belong to the same store.
extern "C" bool warpwise_records_of_one_store(LLVMDbgRecordRef A, LLVMDbgRecordRef B) {
  DbgVariableRecord *One = variable(A), *Other = variable(B);
  return One->isDbgAssign() && Other->isDbgAssign() && One->getRawAssignID() == Other->getRawAssignID() &&
         One->getRawAddress() == Other->getRawAddress() && One->getAddressExpression() == Other->getAddressExpression();
}

// How many values a record's location is made of; writes at most `Capacity` of them.
extern "C" size_t warpwise_record_values(LLVMDbgRecordRef Record, LLVMValueRef *Values, size_t Capacity) {
  size_t Count = 0;
  if (DbgVariableRecord *DVR = variable(Record); DVR && !isa<MDNode>(DVR->getRawLocation()))
    for (Value *V : DVR->location_ops()) {
      if (Count < Capacity)
        Values[Count] = wrap(V);
      ++Count;
    }
  return Count;
}

extern "C" void warpwise_record_replace(LLVMDbgRecordRef Record, LLVMValueRef Old, LLVMValueRef New) {
  variable(Record)->replaceVariableLocationOp(unwrap(Old), unwrap(New), true);
}

// Puts a record behind an instruction and what was put there before; without an instruction behind the phis.
extern "C" void warpwise_record_insert(LLVMDbgRecordRef Record, LLVMBasicBlockRef Block, LLVMValueRef After) {
  BasicBlock *BB = unwrap(Block);
  auto At = After ? std::next(cast<Instruction>(unwrap(After))->getIterator()) : BB->getFirstNonPHIIt();
  At.setHeadBit(false);
  BB->insertDbgRecordBefore(unwrap(Record), At);
}

// Puts a record before everything in a block but the phis.
extern "C" void warpwise_record_insert_first(LLVMDbgRecordRef Record, LLVMBasicBlockRef Block) {
  BasicBlock *BB = unwrap(Block);
  BB->createMarker(BB->getFirstNonPHIIt())->insertDbgRecord(unwrap(Record), true);
}

// Whether who stops at a location may ask for a record's variable.
extern "C" bool warpwise_record_is_seen(LLVMDbgRecordRef Record, LLVMMetadataRef RawLocation) {
  DbgVariableRecord *DVR = variable(Record);
  const DILocation *InlinedAt = DVR->getDebugLoc().getInlinedAt();
  const DILocalScope *Wanted = DVR->getVariable()->getScope()->getNonLexicalBlockFileScope();
  for (const DILocation *L = unwrap<DILocation>(RawLocation); L; L = L->getInlinedAt()) {
    if (L->getInlinedAt() != InlinedAt)
      continue;
    for (const DIScope *S = L->getScope(); S && isa<DILocalScope>(S); S = S->getScope())
      if (cast<DILocalScope>(S)->getNonLexicalBlockFileScope() == Wanted)
        return true;
  }
  return false;
}

// A location that is right for what does the work of both, as LLVM merges them.
extern "C" LLVMMetadataRef warpwise_merged_location(LLVMMetadataRef A, LLVMMetadataRef B) {
  return wrap(DILocation::getMergedLocation(unwrap<DILocation>(A), unwrap<DILocation>(B)));
}

// Erases an instruction; records that name it say the same with its operands where that can be said.
extern "C" void warpwise_erase(LLVMValueRef Raw) {
  auto *I = cast<Instruction>(unwrap(Raw));
  if (I->isUsedByMetadata())
    salvageDebugInfo(*I);
  I->eraseFromParent();
}

// Lets the records of one store be those of another too, which becomes the same.
extern "C" void warpwise_meld_assignments(LLVMValueRef Kept, LLVMValueRef Other) {
  cast<Instruction>(unwrap(Kept))->mergeDIAssignID({cast<Instruction>(unwrap(Other))});
}

// Takes all fast-math flags from an instruction that can have some.
extern "C" void warpwise_clear_fast_math(LLVMValueRef Inst) {
  unwrap<Instruction>(Inst)->copyFastMathFlags(FastMathFlags());
}

// Deletes blocks that nobody but themselves names, with everything that hangs on them.
extern "C" void warpwise_delete_blocks(LLVMBasicBlockRef *Blocks, size_t Count) {
  ArrayRef<BasicBlock *> All(reinterpret_cast<BasicBlock **>(Blocks), Count);
  for (BasicBlock *BB : All) {
    for (Instruction &I : *BB)
      I.dropDbgRecords();
    BB->dropAllReferences();
  }
  for (BasicBlock *BB : All)
    BB->eraseFromParent();
}

// Lets records that name a value name another one, which is the same, where they stand behind it in its block.
extern "C" void warpwise_replace_in_records_behind(LLVMValueRef Old, LLVMValueRef New) {
  auto *I = dyn_cast<Instruction>(unwrap(New));
  if (!I || !unwrap(Old)->isUsedByMetadata())
    return;
  for (DbgVariableRecord *DVR : records_of(unwrap(Old))) {
    const Instruction *At = DVR->getMarker() ? DVR->getMarker()->MarkedInstr : nullptr;
    if (At && At->getParent() == I->getParent() && I->comesBefore(At))
      DVR->replaceVariableLocationOp(unwrap(Old), I, true);
  }
}

// Lets records outside a block name another value, or say that the variable is unknown where there is none.
extern "C" void warpwise_replace_in_records_outside(LLVMValueRef Old, LLVMValueRef New, LLVMBasicBlockRef Home) {
  if (!unwrap(Old)->isUsedByMetadata())
    return;
  for (DbgVariableRecord *DVR : records_of(unwrap(Old))) {
    if (!DVR->getMarker() || DVR->getParent() == unwrap(Home))
      continue;
    if (New)
      DVR->replaceVariableLocationOp(unwrap(Old), unwrap(New), true);
    else
      DVR->setKillLocation();
  }
}

// Most pieces that a variable is described in: a debugger's list of places grows with each.
static constexpr uint64_t MostPieces = 64;

// At which byte of an object an assignment is; nothing if it is elsewhere.
static std::optional<uint64_t> place_in(const Instruction &Object, const DbgVariableRecord &R) {
  const Value *Address = R.isDbgAssign() ? R.getAddress() : nullptr;
  if (!Address || R.getAddressExpression()->getNumElements())
    return std::nullopt;
  const DataLayout &Layout = Object.getDataLayout();
  APInt Offset(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
  if (Address->stripAndAccumulateConstantOffsets(Layout, Offset, true) != &Object)
    return std::nullopt;
  return Offset.getZExtValue();
}

// Records of assignments (clang's assignment tracking) name the object beside each value, and lose it when it is
// erased. If a variable begins where the object does and all of its assignments still have their stores, it can be
// declared there instead. Any other is unknown from then on: stores at computed indices have no record, so the value
// that was recorded last may be an old one.
static void declare_assigned(AllocaInst &Object) {
  SmallSetVector<DebugVariableAggregate, 4> Variables;
  for (const DbgVariableRecord *R : records_of(&Object))
    if (R->isDbgAssign())
      Variables.insert(DebugVariableAggregate(R));
  if (Variables.empty())
    return;
  MapVector<DebugVariableAggregate, SmallVector<DbgVariableRecord *>> All;
  for (Instruction &I : instructions(Object.getFunction()))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      if (DebugVariableAggregate Of(&R); Variables.contains(Of))
        All[Of].push_back(&R);
  for (auto &[Variable, Records] : All) {
    bool IsStored = all_of(Records, [&](const DbgVariableRecord *R) {
      auto Fragment = R->getFragment();
      return place_in(Object, *R) == (Fragment ? Fragment->OffsetInBits / 8 : 0) && !at::getAssignmentInsts(R).empty();
    });
    if (!IsStored) {
      for (DbgVariableRecord *R : Records)
        if (place_in(Object, *R)) {
          R->setKillLocation();
          R->setKillAddress();
        }
      continue;
    }
    DbgVariableRecord &First = *Records.front();
    auto *Whole = DIExpression::get(First.getVariable()->getContext(), {});
    DbgVariableRecord::createDVRDeclare(&Object, First.getVariable(), Whole, First.getDebugLoc().get(), First);
    for (DbgVariableRecord *R : Records)
      R->eraseFromParent();
  }
}

// Declares the variables of a stack object where its bytes are now: `Piece` bytes each, `Stride` bytes apart, from
// `Base` on, in an address space that DWARF for CUDA knows by the number `Space`. The object's stores are still there.
extern "C" void warpwise_move_variables(LLVMValueRef Object, LLVMValueRef Base, uint64_t Size, uint64_t Piece,
                                        uint64_t Stride, uint64_t Space) {
  if (auto *Alloca = dyn_cast<AllocaInst>(unwrap(Object)))
    declare_assigned(*Alloca);
  uint64_t Pieces = (Size + Piece - 1) / Piece;
  for (DbgVariableRecord *DVR : records_of(unwrap(Object))) {
    DIExpression *Expression = DVR->getExpression();
    bool IsSplit = Pieces > 1 && Stride != Piece;
    if (!DVR->isDbgDeclare() || (IsSplit && (Pieces > MostPieces || Expression->getNumElements() != 0)))
      continue;
    auto Bits = DVR->getVariable()->getSizeInBits();
    if (!IsSplit) {
      DVR->setExpression(
          DIExpression::append(Expression, {dwarf::DW_OP_constu, Space, dwarf::DW_OP_swap, dwarf::DW_OP_xderef}));
      DVR->replaceVariableLocationOp(unwrap(Object), unwrap(Base));
      continue;
    }
    if (!Bits || *Bits != Size * 8)
      continue;
    for (uint64_t I = 0; I < Pieces; ++I) {
      uint64_t Bytes = std::min(Piece, Size - I * Piece);
      auto *There =
          DIExpression::get(DVR->getVariable()->getContext(),
                            {dwarf::DW_OP_plus_uconst, I * Stride, dwarf::DW_OP_constu, Space, dwarf::DW_OP_swap,
                             dwarf::DW_OP_xderef, dwarf::DW_OP_LLVM_fragment, I * Piece * 8, Bytes * 8});
      DbgVariableRecord::createDVRDeclare(unwrap(Base), DVR->getVariable(), There, DVR->getDebugLoc().get(), *DVR);
    }
    DVR->eraseFromParent();
  }
}
