; A loop that counts bits keeps a product apart from a sum: without it, LLVM's back end would join them, and the last bit could
; change. It stays unless results may change, or the flags forbid joining.
; RUN: %opt -passes=idioms -S -pass-remarks-missed=warpwise %s 2>%t.remarks | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=remark:
; RUN: %opt -passes=idioms -warpwise-results=contract -S %s | %FileCheck %s --check-prefix=CONTRACT
; RUN: %opt -passes=warpwise -S -pass-remarks-missed=warpwise %s 2>%t.late | %FileCheck %s --check-prefix=LATE
; RUN: %FileCheck %s --check-prefix=KEPT --input-file=%t.late
; KEPT: remark: {{.*}} a copy of memory stays: with more instructions beside them, sums would not be moved to their products
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

; The back end executes the sum ahead of the branch, where it is joined with the product, unless there is too much beside it.
; LATE-LABEL: @speculated(
; LATE: call void @llvm.memcpy
; LATE: call void @llvm.memcpy
define ptx_kernel void @speculated(ptr noalias %to, ptr noalias readonly %from, float %a, float %b, ptr addrspace(1) %out) {
entry:
  %product = fmul contract float %a, %a
  %same = fcmp oeq float %product, %a
  br i1 %same, label %end, label %then
then:
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  %sum = fadd contract float %product, %b
  store float %sum, ptr addrspace(1) %out
  br label %minus
minus:
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  %less = fneg float %product
  %difference = fsub contract float %b, %less
  store float %difference, ptr addrspace(1) %out
  br label %end
end:
  ret void
}
; It also executes products ahead of the branch, and their sums only if nothing is in the way.
; LATE-LABEL: @ahead(
; LATE: call void @llvm.memcpy
define ptx_kernel void @ahead(ptr noalias %to, ptr noalias readonly %from, float %a, ptr addrspace(3) %b, ptr addrspace(1) %out, i1 %is) {
  br i1 %is, label %then, label %end
then:
  %product = fmul contract float %a, %a
  %loaded = load float, ptr addrspace(3) %b
  %sum = fadd contract float %product, %loaded
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  store float %sum, ptr addrspace(1) %out
  br label %end
end:
  ret void
}
; LATE-LABEL: @beside(
; LATE-NOT: memcpy
; LATE: ret void
define ptx_kernel void @beside(ptr noalias %to, ptr noalias readonly %from, float %a, float %b, ptr addrspace(1) %out) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  %product = fmul contract float %a, %a
  %sum = fadd contract float %product, %b
  store float %sum, ptr addrspace(1) %out
  ret void
}
; Nor does a copy go from a loop of ten iterations that adds to a product from in front of it: ptxas unrolls the loop if it is
; small enough, and joins the first sum with the product. The loop may run any number of times in @any.
; LATE-LABEL: @ten(
; LATE: call void @llvm.memcpy
define ptx_kernel void @ten(ptr noalias %to, ptr noalias readonly %from, float %a, float %b, ptr addrspace(1) %out) {
entry:
  %product = fmul contract float %a, %b
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %product, %entry ], [ %more, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  %read = load volatile float, ptr addrspace(1) %out
  %more = fadd contract float %sum, %read
  %next = add i32 %i, 1
  %again = icmp ne i32 %next, 10
  br i1 %again, label %loop, label %end
end:
  store float %more, ptr addrspace(1) %out
  ret void
}
; LATE-LABEL: @any(
; LATE-NOT: memcpy
; LATE: ret void
define ptx_kernel void @any(ptr noalias %to, ptr noalias readonly %from, float %a, float %b, ptr addrspace(1) %out, i32 %n) {
entry:
  %product = fmul contract float %a, %b
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %product, %entry ], [ %more, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  %read = load volatile float, ptr addrspace(1) %out
  %more = fadd contract float %sum, %read
  %next = add i32 %i, 1
  %again = icmp ne i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store float %more, ptr addrspace(1) %out
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
