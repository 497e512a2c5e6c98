// Which tables that no thread writes may leave constant memory? clang puts every `const __device__` variable there,
// nvcc none. Some must, if there are more than it holds: ptxas would refuse the module.

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

// Bytes of the bank that ptxas puts variables into.
static constexpr uint64_t ConstantBytes = 64 * 1024;
static constexpr unsigned GenericSpace = 0, GlobalSpace = 1, ConstantSpace = 4;
// The number that DWARF has for global memory.
static constexpr uint64_t GlobalClass = 5;

// Only through a generic address is a variable the same in every memory; what other modules name stays as they know it.
static bool can_leave(const GlobalVariable &Table) {
  return Table.hasLocalLinkage() && !Table.isExternallyInitialized() && all_of(Table.users(), [](const User *Use) {
           auto *Cast = dyn_cast<ConstantExpr>(Use);
           return Cast && Cast->getOpcode() == Instruction::AddrSpaceCast &&
                  Cast->getType()->getPointerAddressSpace() == GenericSpace;
         });
}

// Where a debugger finds what has left constant memory.
static DIExpression *in_global_memory(const DIExpression &Found) {
  SmallVector<uint64_t> Steps(Found.getElements());
  if (Steps.size() >= 4 && Steps[0] == dwarf::DW_OP_constu && Steps[2] == dwarf::DW_OP_swap &&
      Steps[3] == dwarf::DW_OP_xderef)
    Steps[1] = GlobalClass;
  return DIExpression::get(Found.getContext(), Steps);
}

static void move_to_global(GlobalVariable &Table) {
  auto *Moved = new GlobalVariable(*Table.getParent(), Table.getValueType(), Table.isConstant(), Table.getLinkage(),
                                   Table.getInitializer(), "", &Table, Table.getThreadLocalMode(), GlobalSpace);
  Moved->copyAttributesFrom(&Table);
  Moved->copyMetadata(&Table, 0);
  SmallVector<DIGlobalVariableExpression *, 1> Variables;
  Table.getDebugInfo(Variables);
  Moved->eraseMetadata(LLVMContext::MD_dbg);
  for (auto *Variable : Variables)
    Moved->addDebugInfo(DIGlobalVariableExpression::get(Table.getContext(), Variable->getVariable(),
                                                        in_global_memory(*Variable->getExpression())));
  Moved->takeName(&Table);
  while (!Table.use_empty()) {
    auto *Cast = cast<ConstantExpr>(Table.user_back());
    Cast->replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(Moved, Cast->getType()));
    Cast->destroyConstant();
  }
  Table.eraseFromParent();
}

// The table in constant memory that an address leads to, if it may leave it; or nothing.
extern "C" LLVMValueRef warpwise_table_behind(LLVMValueRef Address) {
  auto *Table = dyn_cast<GlobalVariable>(getUnderlyingObject(unwrap(Address)));
  bool Leaves = Table && Table->getAddressSpace() == ConstantSpace && Table->hasInitializer() && can_leave(*Table);
  return wrap(Leaves ? Table : nullptr);
}

// Moves a table that may leave constant memory.
extern "C" void warpwise_move_table(LLVMValueRef Table) { move_to_global(*unwrap<GlobalVariable>(Table)); }

// Moves the largest until the others fit; returns whether there were such.
extern "C" bool warpwise_move_large_tables(LLVMModuleRef Raw) {
  Module &M = *unwrap(Raw);
  auto Size = [&](const GlobalVariable *Table) {
    return M.getDataLayout().getTypeAllocSize(Table->getValueType()).getFixedValue();
  };
  uint64_t Bytes = 0;
  SmallVector<GlobalVariable *> Tables;
  for (GlobalVariable &Table : M.globals())
    if (Table.getAddressSpace() == ConstantSpace && Table.hasInitializer()) {
      Bytes += Size(&Table);
      if (can_leave(Table))
        Tables.push_back(&Table);
    }
  stable_sort(Tables, [&](auto *A, auto *B) { return Size(A) > Size(B); });
  bool Changed = false;
  for (GlobalVariable *Table : Tables) {
    if (Bytes <= ConstantBytes)
      break;
    Bytes -= Size(Table);
    move_to_global(*Table);
    Changed = true;
  }
  return Changed;
}
