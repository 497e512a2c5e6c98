; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t
; An early return joins nothing.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}}branch is uniform, but its sides never meet
; CHECK-NOT: @llvm.nvvm.vote
; CHECK-NOT: shfl.sync
define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = lshr i32 %t, 5
  %address = getelementptr float, ptr %p, i32 %t
  %c = icmp eq i32 %w, %n
  br i1 %c, label %side, label %out
side:
  %v = load float, ptr %address
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  store float %f8, ptr %address
  br label %out
out:
  ret void
}
