; On the other way of the branch in front, lanes may be in a call while these are here: ptxas has the melded sides read uniform
; registers that the call overwrites. Behind the place where both ways meet nothing is in the way.
; RUN: %opt -passes='fuse-branches<always>' -pass-remarks-missed=warpwise -S %s 2>&1 | %FileCheck %s
; RUN: sed 's/call void @callee/; call/' %s | %opt -passes='fuse-branches<always>' -S | %FileCheck %s --check-prefix=WITHOUT

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @callee(ptr %p) noinline {
  store i32 0, ptr %p
  ret void
}

; CHECK: divergent branch not fused: other lanes may be in a call meanwhile, and ptxas may then overwrite what this branch reads
; CHECK-LABEL: define ptx_kernel void @beside(
; CHECK: br i1 %bit, label %one, label %other
; CHECK-NOT: br i1 %third
; WITHOUT-LABEL: define ptx_kernel void @beside(
; WITHOUT-NOT: br i1 %bit
; WITHOUT-NOT: br i1 %third
define ptx_kernel void @beside(ptr %p, ptr %q) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %at = getelementptr i32, ptr %p, i32 %t
  %half = lshr i32 %t, 1
  %bit = trunc i32 %half to i1
  %quarter = lshr i32 %t, 2
  %third = trunc i32 %quarter to i1
  br i1 %odd, label %inner, label %calls
calls:
  call void @callee(ptr %q)
  br label %meet
inner:
  br i1 %bit, label %one, label %other
one:
  %x = load i32, ptr %at
  %x2 = mul i32 %x, 5
  store i32 %x2, ptr %at
  br label %meet
other:
  %y = load i32, ptr %at
  %y2 = mul i32 %y, 7
  store i32 %y2, ptr %at
  br label %meet
meet:
  br i1 %third, label %yes, label %no
yes:
  %v = load i32, ptr %at
  %v2 = mul i32 %v, 9
  store i32 %v2, ptr %at
  br label %end
no:
  %w = load i32, ptr %at
  %w2 = mul i32 %w, 11
  store i32 %w2, ptr %at
  br label %end
end:
  ret void
}
