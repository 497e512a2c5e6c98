; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t
; Sides that ptxas predicates have no barrier to remove.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}}branch is uniform, but so short that ptxas predicates it
; CHECK-NOT: @llvm.nvvm.vote
; CHECK-NOT: shfl.sync
define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = lshr i32 %t, 5
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %c = icmp eq i32 %w, %n
  br i1 %c, label %side, label %join
side:
  %f = fmul float %v, 3.0
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %f, %side ]
  store float %r, ptr %address
  ret void
}
