; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t
; Lanes come to the branch apart, and in a loop: no vote.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}}branch is uniform, but lanes of the warp may come to it apart
; CHECK-NOT: @llvm.nvvm.vote
; CHECK-NOT: shfl.sync
define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %w = lshr i64 %t64, 5
  %address = getelementptr float, ptr %p, i32 %t
  %start = load float, ptr %address
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  %v = phi float [ %start, %entry ], [ %r, %latch ]
  %d = fcmp ogt float %v, 1.0
  br i1 %d, label %inside, label %latch
inside:
  %c = icmp eq i64 %w, 3
  br i1 %c, label %side, label %latch
side:
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  br label %latch
latch:
  %r = phi float [ %v, %loop ], [ %v, %inside ], [ %f8, %side ]
  %k.next = add i32 %k, 32
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %out
out:
  store float %r, ptr %address
  ret void
}
