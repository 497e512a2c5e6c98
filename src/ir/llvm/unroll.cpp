// Who decides about unrolling a loop, and how does a pass ask for it? By the metadata of the loop's latch.

#include "text.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

// Whether the source or an earlier pass has said anything about unrolling the loop that ends here.
extern "C" bool warpwise_unroll_is_decided(LLVMValueRef Latch) {
  MDNode *Known = cast<Instruction>(unwrap(Latch))->getMetadata(LLVMContext::MD_loop);
  return Known && any_of(Known->operands(), [](const MDOperand &Operand) {
           auto *Node = dyn_cast_or_null<MDNode>(Operand.get());
           auto *Word =
               Node && Node->getNumOperands() ? dyn_cast_or_null<MDString>(Node->getOperand(0).get()) : nullptr;
           return Word &&
                  (Word->getString().starts_with("llvm.loop.unroll.") || Word->getString() == "warpwise.unrolled" ||
                   Word->getString() == "llvm.loop.disable_nonforced");
         });
}

// Says something of the loop that ends here; what else is said of it stays.
namespace warpwise {
void say_of_loop(Instruction *Latch, MDNode *Said) {
  MDNode *Known = Latch->getMetadata(LLVMContext::MD_loop);
  Latch->setMetadata(LLVMContext::MD_loop, makePostTransformationMetadata(Latch->getContext(), Known, {}, {Said}));
}
} // namespace warpwise

// Says a word of the loop that ends here.
extern "C" void warpwise_say_of_loop(LLVMValueRef Latch, WarpwiseText Word) {
  auto *Branch = cast<Instruction>(unwrap(Latch));
  LLVMContext &Context = Branch->getContext();
  warpwise::say_of_loop(Branch, MDNode::get(Context, MDString::get(Context, warpwise::ref(Word))));
}

// Asks LLVM's unroller for so many copies of the loop that ends here, behind which LLVM says that the loop is done,
// unless what follows may go on unrolling it, or is to unroll what remains, too.
enum class Then : uint32_t { Done, Open, Remainder };
extern "C" void warpwise_ask_to_unroll(LLVMValueRef Latch, uint32_t Count, Then Follows) {
  auto *Branch = cast<Instruction>(unwrap(Latch));
  LLVMContext &Context = Branch->getContext();
  auto Say = [&](StringRef Word, Metadata *What) {
    warpwise::say_of_loop(Branch, MDNode::get(Context, {MDString::get(Context, Word), What}));
  };
  auto Only = [&](StringRef Word) { return MDNode::get(Context, MDString::get(Context, Word)); };
  Say("llvm.loop.unroll.count", ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), Count)));
  if (Follows != Then::Done)
    Say("llvm.loop.unroll.followup_unrolled", Only("warpwise.unrolled"));
  if (Follows == Then::Remainder)
    Say("llvm.loop.unroll.followup_remainder", Only("llvm.loop.unroll.enable"));
}
