; RUN: %opt -passes=annotate-uniform -warpwise-block=250 -verify-each -S %s | %FileCheck %s
; RUN: %opt -passes=annotate-uniform -warpwise-block=250 -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll -k guarded --block 250 --arg f32[250]:iota --arg i32[8]:iota --arg i32:200
; RUN: %warpwise simt --compare %s %t.ll -k guarded --block 250 --arg f32[250]:iota --arg i32[8]:iota --arg i32:33
; Behind a guard lane 0 may be gone. The number of the warp is made of thread indices alone, so it is read from lane 0 at
; the entry, where all lanes are.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @guarded(
; CHECK: [[T:%[0-9]+]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: [[W:%[0-9]+]] = lshr i32 [[T]], 5
; CHECK: %uni.value = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 [[W]], i32 0, i32 31)
; CHECK-NEXT: br i1 %in, label %body, label %exit
; CHECK: body:
; CHECK: getelementptr i32, ptr %q, i32 %uni.value
define ptx_kernel void @guarded(ptr noalias %p, ptr noalias readonly %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %exit
exit:
  ret void
body:
  %w = lshr i32 %t, 5
  %bound.at = getelementptr i32, ptr %q, i32 %w
  %bound = load i32, ptr %bound.at
  %address = getelementptr float, ptr %p, i32 %t
  %start = load float, ptr %address
  %some = icmp sgt i32 %bound, 0
  br i1 %some, label %loop, label %out
loop:
  %k = phi i32 [ 0, %body ], [ %k.next, %loop ]
  %v = phi float [ %start, %body ], [ %f8, %loop ]
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %bound
  br i1 %more, label %loop, label %out
out:
  %r = phi float [ %start, %body ], [ %f8, %loop ]
  store float %r, ptr %address
  ret void
}
