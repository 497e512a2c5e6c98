; A floating subtraction is the addition of the negated operand, bit by bit.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, float %x, float %y, float %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK: %[[N:.*]] = fneg float %z
; CHECK-NEXT: %[[S:.*]] = select i1 %c, float %y, float %[[N]]
; CHECK-NEXT: %[[M:.*]] = fadd nnan float %x, %[[S]]
; CHECK-NOT: {{fadd|fsub}}
; CHECK: phi float [ %[[M]], %entry ]
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = fadd nnan nsz float %x, %y
  br label %join

no:
  %b = fsub nnan float %x, %z
  br label %join

join:
  %r = phi float [ %a, %yes ], [ %b, %no ]
  store float %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
