// Which tables that no thread writes leave constant memory, because there are more than it holds? clang puts every
// `const __device__` variable there, nvcc none: ptxas would refuse the module.

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

// Bytes of the bank that ptxas puts variables into.
static constexpr uint64_t ConstantBytes = 64 * 1024;
static constexpr unsigned GenericSpace = 0, GlobalSpace = 1, ConstantSpace = 4;

// Only through a generic address is a variable the same in every memory; what other modules name stays as they know it.
static bool can_leave(const GlobalVariable &Table) {
  return Table.hasLocalLinkage() && !Table.isExternallyInitialized() && all_of(Table.users(), [](const User *Use) {
           auto *Cast = dyn_cast<ConstantExpr>(Use);
           return Cast && Cast->getOpcode() == Instruction::AddrSpaceCast &&
                  Cast->getType()->getPointerAddressSpace() == GenericSpace;
         });
}

static void move_to_global(GlobalVariable &Table) {
  auto *Moved = new GlobalVariable(*Table.getParent(), Table.getValueType(), Table.isConstant(), Table.getLinkage(),
                                   Table.getInitializer(), "", &Table, Table.getThreadLocalMode(), GlobalSpace);
  Moved->copyAttributesFrom(&Table);
  Moved->copyMetadata(&Table, 0);
  Moved->takeName(&Table);
  while (!Table.use_empty()) {
    auto *Cast = cast<ConstantExpr>(Table.user_back());
    Cast->replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(Moved, Cast->getType()));
    Cast->destroyConstant();
  }
  Table.eraseFromParent();
}

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
