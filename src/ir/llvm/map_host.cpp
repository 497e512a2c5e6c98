// How does the host side of a CUDA program learn where its counters are? As it learns of any device variable: the
// unit's index is registered with the CUDA runtime, and a constructor hands its shadow to warpwise's runtime library.
//
// clang 22 registers in three ways, all seen in its output: `__cuda_register_globals` (whole programs), the function
// that is given to `__cudaRegisterLinkedBinary…` (-fgpu-rdc, the old driver), and entries in the section
// llvm_offload_entries (-fgpu-rdc, the new driver), which the linker wrapper registers.

#include "llvm-c/Types.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace {

// llvm::offloading: version of an entry, and the kind of CUDA's.
constexpr unsigned CudaEntryVersion = 1, CudaEntryKind = 2;

// The function in which clang registers kernels and variables, which may be empty; null where it makes none.
Function *registration(Module &M) {
  if (Function *F = M.getFunction("__cuda_register_globals"))
    return F;
  Function *Constructor = M.getFunction("__cuda_module_ctor");
  if (!Constructor || Constructor->isDeclaration())
    return nullptr;
  for (Instruction &I : instructions(*Constructor)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && Callee->getName().starts_with("__cudaRegisterLinkedBinary") && Call->arg_size() > 0) {
      auto *F = dyn_cast<Function>(Call->getArgOperand(0)->stripPointerCasts());
      return F && !F->isDeclaration() && F->arg_size() == 1 ? F : nullptr;
    }
  }
  return nullptr;
}

GlobalVariable *string(Module &M, StringRef Text, StringRef Section) {
  Constant *Value = ConstantDataArray::getString(M.getContext(), Text);
  auto *Variable =
      new GlobalVariable(M, Value->getType(), true, GlobalValue::PrivateLinkage, Value, "__warpwise_map_name");
  Variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  if (!Section.empty()) {
    Variable->setLinkage(GlobalValue::InternalLinkage);
    Variable->setSection(Section);
  }
  return Variable;
}

void add_entry(Module &M, StringRef Name, GlobalVariable *Shadow, uint64_t Bytes) {
  LLVMContext &C = M.getContext();
  Type *I16 = Type::getInt16Ty(C), *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  auto *Pointer = PointerType::get(C, 0);
  auto *Entry = StructType::get(C, {I64, I16, I16, I32, Pointer, Pointer, I64, I64, Pointer});
  Constant *Fields[] = {ConstantInt::get(I64, 0),
                        ConstantInt::get(I16, CudaEntryVersion),
                        ConstantInt::get(I16, CudaEntryKind),
                        ConstantInt::get(I32, 0),
                        Shadow,
                        string(M, Name, ".llvm.rodata.offloading"),
                        ConstantInt::get(I64, Bytes),
                        ConstantInt::get(I64, 0),
                        ConstantPointerNull::get(Pointer)};
  auto *Variable = new GlobalVariable(M, Entry, true, GlobalValue::WeakAnyLinkage, ConstantStruct::get(Entry, Fields),
                                      ".offloading.entry." + Name);
  Variable->setSection("llvm_offload_entries");
  Variable->setAlignment(Align(8));
  appendToCompilerUsed(M, {Variable});
}

// The CUDA runtime takes itself down in a handler that it leaves at the program's end when it is first used, so a
// handler of ours that was left before would come too late: behind every launch one is left, the first time.
void watch_launches(Module &M) {
  SmallVector<CallBase *, 8> Launches;
  for (Function &F : M)
    if (F.getName().starts_with("cudaLaunch"))
      for (User *U : F.users())
        if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == &F)
          Launches.push_back(Call);
  if (Launches.empty())
    return;
  FunctionCallee Launched = M.getOrInsertFunction("__warpwise_map_launched", Type::getVoidTy(M.getContext()));
  for (CallBase *Call : Launches) {
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      IRBuilder<>(Invoke->getNormalDest(), Invoke->getNormalDest()->getFirstInsertionPt()).CreateCall(Launched);
    else if (!Call->isTerminator() && !Call->isMustTailCall())
      IRBuilder<>(Call->getNextNode()).CreateCall(Launched);
  }
}

} // namespace

// Registers the unit's index of `Bytes` bytes; false where the module has no device code to go with it.
extern "C" bool warpwise_register_unit(LLVMModuleRef Module_, const char *Text, size_t Length, uint64_t Bytes) {
  Module &M = *unwrap(Module_);
  StringRef Name(Text, Length);
  Function *Registration = registration(M);
  if ((!Registration && !M.getNamedGlobal("llvm.embedded.object")) || M.getFunction("__warpwise_map_unit"))
    return false;
  LLVMContext &C = M.getContext();
  Type *Void = Type::getVoidTy(C), *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  auto *Pointer = PointerType::get(C, 0);
  auto *Contents = ArrayType::get(Type::getInt8Ty(C), Bytes);
  auto *Shadow = new GlobalVariable(M, Contents, false, GlobalValue::InternalLinkage, Constant::getNullValue(Contents),
                                    "__warpwise_map_shadow");
  Shadow->setAlignment(Align(8));
  GlobalVariable *Symbol = string(M, Name, "");
  if (Registration) {
    FunctionCallee Register =
        M.getOrInsertFunction("__cudaRegisterVar", Void, Pointer, Pointer, Pointer, Pointer, I32, I64, I32, I32);
    for (BasicBlock &Block : *Registration) {
      auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
      if (!Return)
        continue;
      Constant *Zero = ConstantInt::get(I32, 0);
      IRBuilder<>(Return).CreateCall(
          Register, {Registration->getArg(0), Shadow, Symbol, Symbol, Zero, ConstantInt::get(I64, Bytes), Zero, Zero});
    }
  } else {
    add_entry(M, Name, Shadow, Bytes);
  }
  auto *Unit = Function::Create(FunctionType::get(Void, false), GlobalValue::InternalLinkage, "__warpwise_map_unit", M);
  IRBuilder<> Builder(BasicBlock::Create(C, "", Unit));
  FunctionCallee Address = M.getOrInsertFunction("cudaGetSymbolAddress", I32, Pointer, Pointer);
  FunctionCallee Enlist = M.getOrInsertFunction("__warpwise_map_register", Void, Pointer, Pointer, Pointer);
  Builder.CreateCall(Enlist, {Shadow, Symbol, Address.getCallee()});
  Builder.CreateRetVoid();
  // behind clang's own constructor, so that the handler left there runs before the module is taken down
  appendToGlobalCtors(M, Unit, 65535);
  watch_launches(M);
  if (Function *Reset = M.getFunction("cudaDeviceReset")) {
    FunctionCallee Keep = M.getOrInsertFunction("__warpwise_map_before_reset", Void);
    for (User *U : Reset->users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == Reset)
        IRBuilder<>(Call).CreateCall(Keep);
  }
  return true;
}
