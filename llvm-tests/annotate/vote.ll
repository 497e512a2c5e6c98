; RUN: %opt -passes=annotate-uniform -warpwise-block=64x4 -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t
; RUN: %opt -passes=annotate-uniform -warpwise-block=64x4 -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll -k row --block 64,4 -a 'f32[256]:random:1' -a 'f32[4]:random:2' -a i32:4
; RUN: %llc -mcpu=sm_90 %t.ll -o %t.ptx
; RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
; RUN: %nvdisasm -c %t.cubin | %FileCheck --check-prefix=SASS %s
; A branch on the row of warps: uniform, hidden from ptxas, in a convergent block. One vote, no barrier.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}}branch is uniform: voted on, so that ptxas knows

; CHECK-LABEL: @row(
; CHECK: %uni.any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %c)
; CHECK-NEXT: br i1 %uni.any, label %yes, label %no, !warpwise.uniform
; SASS-NOT: BSSY
; SASS: VOTE
; SASS-NOT: BSSY
define ptx_kernel void @row(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %before = shl i32 %y, 6
  %i = add i32 %before, %x
  %address = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %address
  %c = icmp eq i32 %y, 2
  br i1 %c, label %yes, label %no
yes:
  br label %loop
loop:
  %k = phi i32 [ 0, %yes ], [ %k.next, %loop ]
  %s = phi float [ %v, %yes ], [ %s.next, %loop ]
  %from = getelementptr float, ptr %q, i32 %k
  %f = load float, ptr %from
  %m = fmul float %s, %f
  %s.next = fadd float %m, 1.0
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %join
no:
  %w = fmul float %v, 3.0
  br label %join
join:
  %r = phi float [ %s.next, %loop ], [ %w, %no ]
  store float %r, ptr %address
  ret void
}
