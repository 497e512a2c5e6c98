; A function with a vote has its multiply-adds written out; what is known about the product and the sum that were there is
; found out anew before anything is annotated.
;
; RUN: %opt -passes=annotate-uniform -warpwise-block=64x4 -verify-each -S %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @row(
; CHECK: call float @llvm.fma.f32(float %v, float %v, float 1.000000e+00)
; CHECK-NOT: fadd
; CHECK: %uni.any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %c)
; CHECK-NEXT: br i1 %uni.any, label %yes, label %no, !warpwise.uniform
define ptx_kernel void @row(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %before = shl i32 %y, 6
  %i = add i32 %before, %x
  %address = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %address
  %m = fmul contract float %v, %v
  %s = fadd contract float %m, 1.0
  %c = icmp eq i32 %y, 2
  br i1 %c, label %yes, label %no
yes:
  br label %loop
loop:
  %k = phi i32 [ 0, %yes ], [ %k.next, %loop ]
  %b = phi i32 [ %n, %yes ], [ %b.next, %loop ]
  %from = getelementptr i32, ptr %q, i32 %k
  %f = load i32, ptr %from
  %b.next = xor i32 %b, %f
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %after
after:
  %far = getelementptr i32, ptr %q, i32 %i
  store i32 %b.next, ptr %far
  br label %no
no:
  store float %s, ptr %address
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
