; A uniform branch around a division stays, although LLVM would divide ahead of it; one on which lanes may differ is LLVM's.
; RUN: %opt -passes='default<O3>' -S %s | %FileCheck %s
; RUN: %opt -passes='default<O3>' -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK
; RUN: %opt -passes='default<O3>' -warpwise-off -S %s | %FileCheck %s --check-prefix=OFF
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; REMARK-DAG: remark: {{.*}} a uniform branch around a division stays: LLVM would divide ahead of it
; CHECK-LABEL: @blend(
; CHECK: br i1 %{{.*}}, label %divide
; CHECK: divide:
; CHECK: fdiv
; CHECK-NOT: branch_weights
; OFF-LABEL: @blend(
; OFF-NOT: divide:
; OFF: fdiv
define ptx_kernel void @blend(ptr addrspace(1) %out, i32 %k) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = uitofp i32 %tid to float
  %is.more = icmp sgt i32 %k, 1
  br i1 %is.more, label %divide, label %join
divide:
  %y = sitofp i32 %k to float
  %quotient = fdiv float %x, %y
  br label %join
join:
  %result = phi float [ %quotient, %divide ], [ %x, %entry ]
  %wide = zext nneg i32 %tid to i64
  %at = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %result, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: @lanes(
; CHECK-NOT: br i1
; CHECK: fdiv
define ptx_kernel void @lanes(ptr addrspace(1) %out, float %y) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = uitofp i32 %tid to float
  %is.more = icmp sgt i32 %tid, 1
  br i1 %is.more, label %divide, label %join
divide:
  %quotient = fdiv float %x, %y
  br label %join
join:
  %result = phi float [ %quotient, %divide ], [ %x, %entry ]
  %wide = zext nneg i32 %tid to i64
  %at = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %result, ptr addrspace(1) %at
  ret void
}

; the callers pass what differs between lanes
; CHECK-LABEL: @calls(
; CHECK-NOT: br i1
; CHECK: fdiv
define internal float @scaled(float %x, i32 %k) {
entry:
  %is.more = icmp sgt i32 %k, 1
  br i1 %is.more, label %divide, label %join
divide:
  %y = sitofp i32 %k to float
  %quotient = fdiv float %x, %y
  br label %join
join:
  %result = phi float [ %quotient, %divide ], [ %x, %entry ]
  ret float %result
}
define ptx_kernel void @calls(ptr addrspace(1) %out, float %x) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %result = call float @scaled(float %x, i32 %tid)
  %wide = zext nneg i32 %tid to i64
  %at = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %result, ptr addrspace(1) %at
  ret void
}

; cheap divisions are LLVM's
; CHECK-LABEL: @fast(
; CHECK-NOT: br i1
; CHECK: fdiv
define ptx_kernel void @fast(ptr addrspace(1) %out, float %x, i32 %k) {
entry:
  %is.more = icmp sgt i32 %k, 1
  br i1 %is.more, label %divide, label %join
divide:
  %y = sitofp i32 %k to float
  %quotient = fdiv afn float %x, %y
  br label %join
join:
  %result = phi float [ %quotient, %divide ], [ %x, %entry ]
  store float %result, ptr addrspace(1) %out
  ret void
}

; several sums use a product, and how LLVM arranges their blocks decides which are joined with it: it peels the loop once the
; branch is gone
; REMARK-DAG: remark: {{.*}} a division is done ahead of a branch that may be uniform: with the branch, other products and sums could become multiply-adds
; CHECK-LABEL: @sweep(
; CHECK-NOT: label %divide
; CHECK: ret void
define ptx_kernel void @sweep(ptr addrspace(1) %out, double %x, double %h, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %r = phi double [ %x, %entry ], [ %sum, %join ]
  %is.later = icmp sgt i32 %i, 0
  br i1 %is.later, label %divide, label %join
divide:
  %y = sitofp i32 %i to double
  %quotient = fdiv contract double %h, %y
  br label %join
join:
  %s = phi double [ %quotient, %divide ], [ 0.000000e+00, %loop ]
  %a = fmul contract double %x, %s
  %b = fsub contract double 1.000000e+00, %a
  %c = fmul contract double %b, %r
  %d = fsub contract double %c, %a
  %sum = fadd contract double %d, %h
  %next = add nuw nsw i32 %i, 1
  %last = icmp sge i32 %next, %n
  br i1 %last, label %done, label %loop
done:
  store double %sum, ptr addrspace(1) %out
  ret void
}
