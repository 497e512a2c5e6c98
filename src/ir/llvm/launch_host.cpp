// How do the launches of a CUDA program's host code choose a version? In each launch stub that clang registers with the
// CUDA runtime, the call that launches the kernel becomes a call of our launch function (src/launch/launch.c) with the
// same arguments and a variable of the kernel's. Nothing else is changed.
//
// clang 22 registers kernels in two ways, both seen in its output: calls of `__cudaRegisterFunction` (whole programs,
// and -fgpu-rdc with the old driver), and entries in the section llvm_offload_entries (-fgpu-rdc with the new driver).

#include "llvm-c/Types.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CBindingWrapping.h"
#include <array>
#include <optional>

using namespace llvm;

namespace {

// llvm::offloading: the kind of CUDA's entries; those of kernels have no size.
constexpr uint64_t EntryCuda = 2;

// The runtime's launch function, and ours for it.
struct Names {
  StringLiteral Runtime, Ours;
};
constexpr std::array<Names, 2> LaunchFunctions = {
    {{"cudaLaunchKernel", "__warpwise_launch"}, {"cudaLaunchKernel_ptsz", "__warpwise_launch_ptsz"}}};

// What src/launch/mod.rs says about a stub that is left as it is; it has the same numbers.
enum Refusal : uint32_t { OtherTarget = 0, UnknownStub = 1 };

using Stubs = MapVector<Function *, Constant *>;

// A stub with a body, and the name of its kernel in the device code.
void add_stub(Stubs &Found, Value *Stub, Value *Name) {
  auto *F = dyn_cast<Function>(Stub->stripPointerCasts());
  auto *Text = dyn_cast<Constant>(Name);
  if (F && Text && !F->isDeclaration())
    Found.insert({F, Text});
}

bool is_integer(const Value *V, uint64_t Wanted) {
  auto *I = dyn_cast<ConstantInt>(V);
  return I && I->getValue() == Wanted;
}

Stubs registered_stubs(Module &M) {
  Stubs Found;
  if (Function *Register = M.getFunction("__cudaRegisterFunction"))
    for (User *U : Register->users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == Register && Call->arg_size() > 3)
        add_stub(Found, Call->getArgOperand(1), Call->getArgOperand(2));
  for (GlobalVariable &Entry : M.globals()) {
    if (Entry.getSection() != "llvm_offload_entries" || !Entry.hasInitializer())
      continue;
    // reserved, version, kind, flags, address, name, size, data, auxiliary address
    auto *Fields = dyn_cast<ConstantStruct>(Entry.getInitializer());
    if (Fields && Fields->getNumOperands() == 9 && is_integer(Fields->getOperand(2), EntryCuda) &&
        is_integer(Fields->getOperand(6), 0))
      add_stub(Found, Fields->getOperand(4), Fields->getOperand(5));
  }
  return Found;
}

// The call in a stub that launches its own kernel, if there is exactly one.
CallInst *launch_of(Function &Stub) {
  CallInst *Launch = nullptr;
  for (Instruction &I : instructions(Stub)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || none_of(LaunchFunctions, [&](const Names &N) { return Callee->getName() == N.Runtime; }))
      continue;
    if (Launch || Call->isMustTailCall() || !Call->arg_size() || Call->getArgOperand(0)->stripPointerCasts() != &Stub)
      return nullptr;
    Launch = Call;
  }
  return Launch;
}

const Function *ours_for(const Function &Runtime, const Module &Ours) {
  for (const Names &N : LaunchFunctions)
    if (Runtime.getName() == N.Runtime)
      return Ours.getFunction(N.Ours);
  return nullptr;
}

// Whether our launch function takes the arguments of the runtime's, as they are passed here, and a pointer.
bool takes_the_same(const Function &Ours, const FunctionType &Theirs) {
  const FunctionType &Type = *Ours.getFunctionType();
  unsigned Count = Theirs.getNumParams();
  return Type.getReturnType() == Theirs.getReturnType() && !Theirs.isVarArg() && Type.getNumParams() == Count + 1 &&
         std::equal(Theirs.param_begin(), Theirs.param_end(), Type.param_begin()) &&
         Type.getParamType(Count)->isPointerTy();
}

// Our launch functions, for a module of the machine that this plugin was built for.
std::unique_ptr<Module> launch_functions(Module &M, StringRef Bitcode) {
  auto Read = parseBitcodeFile(MemoryBufferRef(Bitcode, "warpwise's launch function"), M.getContext());
  if (!Read) {
    consumeError(Read.takeError());
    return nullptr;
  }
  const Triple &Mine = (*Read)->getTargetTriple(), &Theirs = M.getTargetTriple();
  if (Mine.getArch() != Theirs.getArch() || Mine.getOS() != Theirs.getOS() ||
      Mine.getEnvironment() != Theirs.getEnvironment() || (*Read)->getDataLayout() != M.getDataLayout())
    return nullptr;
  (*Read)->setTargetTriple(Theirs);
  // the module's own flags decide how its code is generated
  for (const char *Name : {"llvm.module.flags", "llvm.ident", "llvm.errno.tbaa"})
    if (NamedMDNode *Node = (*Read)->getNamedMetadata(Name))
      (*Read)->eraseNamedMetadata(Node);
  return std::move(*Read);
}

// A variable with the layout of `Stub` in launch.c: the name, and zeros.
GlobalVariable *stub_variable(Module &M, Constant *Name) {
  auto *Pointer = PointerType::get(M.getContext(), 0);
  auto *I64 = Type::getInt64Ty(M.getContext());
  auto *Contents = StructType::get(M.getContext(), {Pointer, Pointer, I64});
  Constant *Fields[] = {Name, ConstantPointerNull::get(Pointer), ConstantInt::get(I64, 0)};
  auto *Variable = new GlobalVariable(M, Contents, false, GlobalValue::InternalLinkage,
                                      ConstantStruct::get(Contents, Fields), "__warpwise_launch_stub");
  Variable->setAlignment(Align(8));
  return Variable;
}

// Makes the stub's call one of our launch function, declared here and linked later.
void divert(Module &M, CallInst &Launch, const Function &Ours, Constant *Name) {
  FunctionCallee Declared = M.getOrInsertFunction(Ours.getName(), Ours.getFunctionType());
  SmallVector<Value *, 9> Arguments(Launch.args());
  Arguments.push_back(stub_variable(M, Name));
  SmallVector<OperandBundleDef, 1> Bundles;
  Launch.getOperandBundlesAsDefs(Bundles);
  CallInst *Call = CallInst::Create(Declared, Arguments, Bundles, "", Launch.getIterator());
  Call->setAttributes(Launch.getAttributes());
  Call->setCallingConv(Launch.getCallingConv());
  Call->copyMetadata(Launch);
  Call->takeName(&Launch);
  Launch.replaceAllUsesWith(Call);
  Launch.eraseFromParent();
}

} // namespace

// Diverts the launches of all kernels that the module registers; `refuse` hears of those that stay as they are. Returns
// whether the module changed.
extern "C" bool warpwise_divert_launches(LLVMModuleRef Raw, const char *Bitcode, size_t Length,
                                         void (*Refuse)(void *, LLVMValueRef, uint32_t), void *Context) {
  Module &M = *unwrap(Raw);
  Stubs Found = registered_stubs(M);
  if (Found.empty())
    return false;
  std::unique_ptr<Module> Ours = launch_functions(M, StringRef(Bitcode, Length));
  bool Changed = false;
  for (auto &[Stub, Name] : Found) {
    CallInst *Launch = Ours ? launch_of(*Stub) : nullptr;
    const Function *Function = Launch ? ours_for(*Launch->getCalledFunction(), *Ours) : nullptr;
    if (!Function || !takes_the_same(*Function, *Launch->getFunctionType())) {
      Refuse(Context, wrap(Stub), Ours ? UnknownStub : OtherTarget);
      continue;
    }
    divert(M, *Launch, *Function, Name);
    Changed = true;
  }
  if (!Changed)
    return false;
  if (Linker::linkModules(M, std::move(Ours), Linker::LinkOnlyNeeded))
    report_fatal_error("warpwise: the launch function of versions cannot be linked into this module", false);
  for (const Names &N : LaunchFunctions)
    if (Function *F = M.getFunction(N.Ours); F && !F->isDeclaration()) {
      F->setLinkage(GlobalValue::InternalLinkage);
      F->setDSOLocal(true);
    }
  return true;
}
