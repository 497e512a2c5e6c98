; A tail that was copied into both sides is one again.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-COUNT-1: udiv
; CHECK-NOT: udiv
; CHECK-COUNT-1: store
; CHECK-NOT: store
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = mul i32 %t, %x
  %h = mul i32 %a, 40503
  %e = udiv i32 %h, %y
  %f = xor i32 %e, %a
  store i32 %f, ptr %out, align 4
  ret void

no:
  %b = lshr i32 %t, 3
  %h2 = mul i32 %b, 40503
  %e2 = udiv i32 %h2, %y
  %f2 = xor i32 %e2, %b
  store i32 %f2, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
