; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -verify-each -S %s | %FileCheck %s
; RUN: %opt -passes='annotate-uniform<block=256>' -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll -k bounds --block 256 --arg f32[256]:iota --arg i32[8]:iota
; RUN: %llc -mcpu=sm_90 %t.ll -o %t.ptx
; RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
; RUN: %nvdisasm -c %t.cubin | %FileCheck --check-prefix=SASS %s
; The number of the warp decides the bounds of a loop: read from lane 0 once, before the loop, and ptxas sees that all
; that follows is uniform. No barrier is left, and the loop is unrolled.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @bounds(
; CHECK: %w = lshr i32 %t, 5
; CHECK-NEXT: %uni.value = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %w, i32 0, i32 31)
; CHECK-NEXT: getelementptr i32, ptr %q, i32 %uni.value
; CHECK-NOT: vote
; SASS-NOT: BSSY
; SASS: SHFL.IDX
; SASS-NOT: BSSY
define ptx_kernel void @bounds(ptr noalias %p, ptr noalias readonly %q) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = lshr i32 %t, 5
  %bound.at = getelementptr i32, ptr %q, i32 %w
  %bound = load i32, ptr %bound.at
  %address = getelementptr float, ptr %p, i32 %t
  %start = load float, ptr %address
  %some = icmp sgt i32 %bound, 0
  br i1 %some, label %loop, label %out
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = phi float [ %start, %entry ], [ %f8, %loop ]
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
  %r = phi float [ %start, %entry ], [ %f8, %loop ]
  store float %r, ptr %address
  ret void
}
