; A loop that counts bits keeps a product apart from a sum: without it, LLVM's back end would join them, and the last bit could
; change. It stays unless results may change, or the flags forbid joining.
; RUN: %opt -passes=free-arrays -S -pass-remarks-missed=warpwise %s 2>%t.remarks | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=remark:
; RUN: %opt -passes=free-arrays -warpwise-results=contract -S %s | %FileCheck %s --check-prefix=CONTRACT
; REMARK: remark: {{.*}} a loop that counts bits stays: products and sums around it could become multiply-adds
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @joined(
; CHECK-NOT: ctpop
; CONTRACT-LABEL: @joined(
; CONTRACT: ctpop
define ptx_kernel void @joined(i32 %x, float %a, float %b, ptr addrspace(1) %out) {
entry:
  %product = fmul contract float %a, %b
  br label %loop
loop:
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 1
  %less = add i32 %v, -1
  %rest = and i32 %v, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  %count = uitofp i32 %n.next to float
  %sum = fadd contract float %product, %count
  %both = fadd contract float %product, %sum
  store float %both, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @apart(
; CHECK: ctpop
define ptx_kernel void @apart(i32 %x, float %a, float %b, ptr addrspace(1) %out) {
entry:
  %product = fmul float %a, %b
  br label %loop
loop:
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 1
  %less = add i32 %v, -1
  %rest = and i32 %v, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  %count = uitofp i32 %n.next to float
  %sum = fadd float %product, %count
  store float %sum, ptr addrspace(1) %out
  ret void
}
