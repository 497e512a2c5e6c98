// What do LLVM's later passes and its back end make of a function as it is? They are run on a copy of it, in a context
// of its own, in which each instruction's line is its number: the machine instructions tell by their lines what they
// were made of. The copy sees the module's variables and the declarations of other functions, as after inlining.

#include "lowered.h"
#include "managers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Target/TargetLoweringObjectFile.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

thread_local TargetMachine *warpwise::Machine = nullptr;
thread_local OptimizationLevel warpwise::Level = OptimizationLevel::O3;

namespace {

// Says nothing: what is to be said of the function is said when it is compiled itself.
struct Quiet : DiagnosticHandler {
  bool handleDiagnostics(const DiagnosticInfo &) override { return true; }
};

uint32_t kind_of(const MachineInstr &I, const TargetInstrInfo &Info, bool IsHeader) {
  if (I.isPHI())
    return IsHeader ? WARPWISE_HEADER_PHI : WARPWISE_PHI;
  if (I.isCopy())
    return WARPWISE_COPY;
  StringRef Name = Info.getName(I.getOpcode());
  if (Name.starts_with("FMA_") || Name.starts_with("BFMA"))
    return WARPWISE_FUSED;
  // ptxas joins nothing that has a rounding mode
  bool IsLoose = !Name.contains("_rn");
  if (Name.starts_with("FMUL"))
    return IsLoose ? WARPWISE_LOOSE_PRODUCT : WARPWISE_OTHER;
  if (Name.starts_with("FADD") || Name.starts_with("FSUB"))
    return IsLoose ? WARPWISE_LOOSE_SUM : WARPWISE_SUM;
  if (Name.starts_with("FNEG"))
    return WARPWISE_SIGN;
  return Name.starts_with("ABS_F32") ? WARPWISE_ABSOLUTE : WARPWISE_OTHER;
}

// Gives instructions the line back that passes take from what they move.
class Lines {
public:
  void keep(Function &F) {
    for (Instruction &I : instructions(F)) {
      auto &[Handle, Known] = Of[&I];
      // another may lie where one was
      if (!Handle)
        Known = DebugLoc();
      Handle = &I;
      if (!Known)
        Known = I.getDebugLoc() && I.getDebugLoc().getLine() ? I.getDebugLoc() : DebugLoc();
      if (Known)
        I.setDebugLoc(Known);
    }
  }

private:
  DenseMap<Instruction *, std::pair<WeakVH, DebugLoc>> Of;
};

// Does so behind passes of the back end that move instructions to other blocks; each runs once.
struct KeepLines : FunctionPass {
  static char ID;
  Lines &Kept;
  explicit KeepLines(Lines &Kept) : FunctionPass(ID), Kept(Kept) {}
  bool runOnFunction(Function &F) override {
    Kept.keep(F);
    return false;
  }
};
char KeepLines::ID = 0;

// What is told, and by a register, the line of what defines it as instruction selection has left it.
struct Told {
  WarpwiseLoweredSink Sink;
  void *Context;
  DenseMap<Register, uint32_t> Lines;
};

// Tells of the instructions while each register has one definition: behind instruction selection, and at the end.
struct Tell : MachineFunctionPass {
  static char ID;
  Told &To;
  bool IsEnd;
  Tell(Told &To, bool IsEnd) : MachineFunctionPass(ID), To(To), IsEnd(IsEnd) {}

  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    MachineDominatorTree Tree(MF);
    MachineLoopInfo Loops(Tree);
    const TargetInstrInfo &Info = *MF.getSubtarget().getInstrInfo();
    for (const MachineBasicBlock &B : MF)
      for (const MachineInstr &I : B)
        if (!I.isDebugInstr())
          tell(I, kind_of(I, Info, Loops.isLoopHeader(&B)), Info.getName(I.getOpcode()).contains("x2"));
    return false;
  }

private:
  static uint32_t number(Register R) { return R.isVirtual() ? R.virtRegIndex() + 1 : 0; }

  void tell(const MachineInstr &I, uint32_t Kind, bool IsVector) {
    Register Result = I.getNumExplicitDefs() == 1 ? I.getOperand(0).getReg() : Register();
    const DILocation *At = I.getDebugLoc();
    uint32_t Line = At ? At->getLine() : 0;
    if (!IsEnd && Result)
      To.Lines[Result] = Line;
    if (uint32_t Known = To.Lines.lookup(Result))
      Line = Known;
    SmallVector<uint32_t, 8> Operands;
    for (const MachineOperand &O : I.explicit_uses())
      if (!O.isMBB())
        Operands.push_back(O.isReg() ? number(O.getReg()) : 0);
    To.Sink(To.Context, {Line, uint32_t(I.getParent()->getNumber()), Kind, number(Result), IsVector, IsEnd,
                         uint32_t(Operands.size()), Operands.data()});
  }
};
char Tell::ID = 0;

// The passes of a back end while each register has one definition are for its own use.
struct BeforeRegisters : TargetPassConfig {
  using TargetPassConfig::addMachineSSAOptimization;
};

// A copy of the function, and of all variables, in another context; its instructions are numbered from 1.
std::unique_ptr<Module> taken_out(const Function &F, LLVMContext &Context) {
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Own =
      CloneModule(*F.getParent(), Map, [&](const GlobalValue *Value) { return !isa<Function>(Value) || Value == &F; });
  SmallVector<char, 0> Bits;
  raw_svector_ostream OS(Bits);
  // where it is internal nothing uses it any more
  auto &Ours = *cast<Function>(Map.lookup(&F));
  Ours.setLinkage(GlobalValue::ExternalLinkage);
  Ours.setComdat(nullptr);
  StripDebugInfo(*Own);
  WriteBitcodeToFile(*Own, OS);
  auto Read = parseBitcodeFile(MemoryBufferRef(StringRef(Bits.data(), Bits.size()), F.getName()), Context);
  if (!Read) {
    consumeError(Read.takeError());
    return nullptr;
  }
  return std::move(*Read);
}

void number(Function &F) {
  Module &M = *F.getParent();
  DIBuilder Builder(M);
  DIFile *File = Builder.createFile("function", "");
  DICompileUnit *Unit = Builder.createCompileUnit(dwarf::DW_LANG_C, File, "warpwise", /*isOptimized=*/true, "", 0, "",
                                                  DICompileUnit::LineTablesOnly);
  DISubprogram *Program = Builder.createFunction(Unit, F.getName(), "", File, 0,
                                                 Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), 0,
                                                 DINode::FlagZero, DISubprogram::SPFlagDefinition);
  F.setSubprogram(Program);
  Builder.finalize();
  M.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  uint32_t Line = 0;
  for (Instruction &I : instructions(F))
    I.setDebugLoc(DILocation::get(M.getContext(), ++Line, 0, Program));
}

} // namespace

bool warpwise::lower(LLVMValueRef Func, bool Optimises, WarpwiseLoweredSink Sink, void *Context) {
  auto &F = *cast<Function>(unwrap(Func));
  if (!Machine)
    return false;
  // that of `opt` is for none, unless it is told otherwise, but what it writes is compiled by one that optimises
  CodeGenOptLevel Given = Machine->getOptLevel();
  if (Given == CodeGenOptLevel::None)
    Machine->setOptLevel(CodeGenOptLevel::Default);
  scope_exit Reset([&] { Machine->setOptLevel(Given); });
  LLVMContext Own;
  Own.setDiagnosticHandler(std::make_unique<Quiet>());
  std::unique_ptr<Module> M = taken_out(F, Own);
  if (!M)
    return false;
  Function &Numbered = *M->getFunction(F.getName());
  number(Numbered);
  Lines Kept;
  Kept.keep(Numbered);
  if (Optimises) {
    PassInstrumentationCallbacks Callbacks;
    Callbacks.registerAfterPassCallback([&](StringRef, Any, const PreservedAnalyses &) { Kept.keep(Numbered); });
    PipelineTuningOptions Tuning;
    Tuning.SLPVectorization = Level.getSpeedupLevel() > 1;
    Managers All(reinterpret_cast<LLVMTargetMachineRef>(Machine), nullptr, &Callbacks, Tuning);
    All.PB.buildModuleOptimizationPipeline(Level, ThinOrFullLTOPhase::None).run(*M, All.MAM);
  }
  legacy::PassManager PM;
  PM.add(createTargetTransformInfoWrapperPass(Machine->getTargetIRAnalysis()));
  PM.add(new TargetLibraryInfoWrapperPass(TargetLibraryInfoImpl(M->getTargetTriple())));
  TargetPassConfig *Config = Machine->createPassConfig(PM);
  Config->setDisableVerify(true);
  PM.add(Config);
  auto *Info = new MachineModuleInfoWrapperPass(Machine);
  PM.add(Info);
  // as a printer of assembly does, of which there is none; that of the compilation comes later
  Machine->getObjFileLowering()->Initialize(Info->getMMI().getContext(), *Machine);
  Told To = {Sink, Context, DenseMap<Register, uint32_t>()};
  for (FunctionPass *Mover : {createSpeculativeExecutionPass(), createCodeGenPrepareLegacyPass()}) {
    Config->insertPass(Mover->getPassID(), new KeepLines(Kept));
    delete Mover;
  }
  Config->insertPass(&FinalizeISelID, new Tell(To, /*IsEnd=*/false));
  Config->insertPass(&PeepholeOptimizerLegacyID, new Tell(To, /*IsEnd=*/true));
  if (Config->addISelPasses())
    return false;
  // what comes behind joins nothing
  (Config->*&BeforeRegisters::addMachineSSAOptimization)();
  Config->setInitialized();
  PM.run(*M);
  return true;
}
