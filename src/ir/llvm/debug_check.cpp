// What does the debug information of a module say, and is any of it malformed? The check behind `warpwise fuzz
// --debug-info` and the tests of the transforms; LLVM's own `check-debugify` counts less, and its output is meant for
// people.

#include "text.h"
#include "llvm-c/Types.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/Debugify.h"

using namespace llvm;

// Removes all debug information, and what LLVM's `debugify` leaves to find it again.
extern "C" void warpwise_strip_debug(LLVMModuleRef Module) {
  stripDebugifyMetadata(*unwrap(Module));
  StripDebugInfo(*unwrap(Module));
}

namespace {
struct Teller {
  WarpwiseSink Sink;
  void *Context;
  void line(const Twine &Text) { Sink(Context, warpwise::text(Text.str())); }
};
} // namespace

static std::string printed(const Value &V) {
  std::string Text;
  raw_string_ostream OS(Text);
  V.print(OS);
  return Text;
}

static void tellRecord(Teller &Tell, const DbgVariableRecord &DVR, const Instruction &At, const DominatorTree &DT) {
  StringRef Name = DVR.getVariable()->getName();
  StringRef Function = At.getFunction()->getName();
  bool IsKnown = !DVR.isKillLocation();
  Tell.line(Twine(IsKnown ? "known " : "unknown ") + Function + ":" + Name);
  if (isa<PHINode>(At))
    Tell.line(Twine("bad ") + Function + ": a record stands before the phi" + printed(At));
  if (!IsKnown || isa<MDNode>(DVR.getRawLocation()))
    return;
  for (const Value *V : DVR.location_ops()) {
    auto *Def = dyn_cast<Instruction>(V);
    if (Def && (!Def->getParent() || Def->getFunction() != At.getFunction()))
      Tell.line(Twine("bad ") + Function + ": a record of variable " + Name + " names what is no longer there");
    else if (Def && DT.isReachableFromEntry(At.getParent()) && Def != &At && !DT.dominates(Def, &At))
      Tell.line(Twine("bad ") + Function + ": variable " + Name +
                " is told before its value is there:" + printed(*Def));
    else if (Def == &At)
      Tell.line(Twine("bad ") + Function + ": variable " + Name + " is told right before its value:" + printed(*Def));
    else if (auto *A = dyn_cast<Argument>(V); A && A->getParent() != At.getFunction())
      Tell.line(Twine("bad ") + Function + ": variable " + Name + " is told an argument of another function");
  }
  if (DVR.getDebugLoc() && DVR.getDebugLoc().getInlinedAtScope() != At.getFunction()->getSubprogram())
    Tell.line(Twine("bad ") + Function + ": a record of variable " + Name + " belongs to another function");
}

// Tells line by line: `known F:VARIABLE` or `unknown F:VARIABLE` for each record, `bare F: INSTRUCTION` for each
// without a place in the source, `bad F: SENTENCE` for what is malformed.
extern "C" void warpwise_tell_debug(LLVMModuleRef Raw, WarpwiseSink Sink, void *Context) {
  Teller Tell{Sink, Context};
  for (Function &F : *unwrap(Raw)) {
    if (F.isDeclaration() || !F.getSubprogram())
      continue;
    DominatorTree DT(F);
    for (BasicBlock &BB : F) {
      if (BB.getTrailingDbgRecords())
        Tell.line(Twine("bad ") + F.getName() + ": records hang behind the end of a block");
      for (Instruction &I : BB) {
        for (const DbgVariableRecord &DVR : filterDbgVars(I.getDbgRecordRange()))
          tellRecord(Tell, DVR, I, DT);
        if (const DebugLoc &Location = I.getDebugLoc()) {
          if (Location.getInlinedAtScope() != F.getSubprogram())
            Tell.line(Twine("bad ") + F.getName() + ": the place of another function:" + printed(I));
        } else if (!isa<PHINode>(I)) {
          Tell.line(Twine("bare ") + F.getName() + ":" + printed(I));
        }
      }
    }
  }
}
