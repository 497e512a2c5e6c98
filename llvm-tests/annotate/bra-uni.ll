; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -pass-remarks=warpwise -S %s -o %t.ll 2>&1 | %FileCheck --check-prefix=REMARK %s
; RUN: %FileCheck %s < %t.ll
; RUN: %llc -warpwise-block=256 -mcpu=sm_90 %t.ll -o - | %FileCheck --check-prefix=PTX %s
; RUN: %llc -warpwise-block=256 -mcpu=sm_90 %t.ll -o %t.ptx
; RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
; RUN: %llc -mcpu=sm_90 %t.ll -o - | %FileCheck --check-prefix=STALE %s
; In a divergent side outside cycles lanes cannot vote, but the branch can be written bra.uni. The mark is checked when
; PTX is written: without the block's shape it is not true, and nothing is written.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}}branch is uniform: marked for bra.uni
; CHECK: br i1 %c, {{.*}}, !warpwise.bra.uni
; PTX: mov.pred [[P:%p[0-9]+]], %p{{[0-9]+}}; // warpwise.uni
; PTX-NEXT: // end inline asm
; PTX-NEXT: not.pred [[N:%p[0-9]+]], [[P]];
; PTX-NEXT: @[[N]] bra.uni
; STALE-NOT: warpwise.uni
; STALE-NOT: @{{.*}}bra.uni
define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = lshr i32 %t, 5
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %d = fcmp ogt float %v, 1.0
  br i1 %d, label %inside, label %join
inside:
  %c = icmp eq i32 %w, %n
  br i1 %c, label %side, label %join
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
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %v, %inside ], [ %f8, %side ]
  store float %r, ptr %address
  ret void
}
