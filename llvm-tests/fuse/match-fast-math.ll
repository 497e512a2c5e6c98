; A melded instruction keeps the fast-math flags that both had and no others: a quotient that may be no number on one side is
; not poison there.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, float %x, float %y) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: nnan
; CHECK: fdiv nsz float
; CHECK-NOT: fdiv
; CHECK: ret void
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %t, 1
  %is.even = icmp eq i32 %bit, 0
  br i1 %is.even, label %even, label %odd

even:
  %u = fdiv nnan nsz float %x, %y
  store float %u, ptr %p
  br label %end

odd:
  %v = fdiv nsz float %y, %x
  store float %v, ptr %p
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
