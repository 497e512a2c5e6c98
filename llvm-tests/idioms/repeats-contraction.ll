; Branches that repeat earlier ones stay where without them a product could meet a sum from which it was apart, or be joined with
; it or not together with another; with results=contract they go.
; RUN: %opt -passes=idioms -S %s | %FileCheck %s
; RUN: %opt -passes=idioms -disable-output -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=idioms -warpwise-results=contract -S %s | %FileCheck %s --check-prefix=CONTRACT
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
; REMARK-COUNT-5: remark: {{.*}} a branch stays that an earlier one repeats: without it, other products and sums could become multiply-adds

; The product of the way that would go is computed alike on the other, so that LLVM could compute it earlier, for both.
; CHECK-LABEL: @inside(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @inside(
; CONTRACT: br i1 %c,
; CONTRACT-NOT: br i1 %c,
define ptx_kernel void @inside(i1 %c, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %no
yes:
  %p = fmul contract float %a, %b
  %s = fadd contract float %p, 1.0
  %f = fdiv float %s, %b
  br label %join
no:
  %q = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %f, %yes ], [ %q, %no ]
  store float %x, ptr addrspace(1) %out
  br i1 %c, label %again, label %no.again
again:
  %p.again = fmul contract float %a, %b
  %s.again = fadd contract float %p.again, 1.0
  %f.again = fdiv float %s.again, %b
  br label %join.again
no.again:
  %q.again = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %f.again, %again ], [ %q.again, %no.again ]
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %y, ptr addrspace(1) %next
  ret void
}

; The product in front of the branch is stored, and would come into the block of the sum behind it.
; CHECK-LABEL: @across(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @across(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @across(i1 %c, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  %product = fmul contract float %a, %a
  store float %product, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  %sum = fadd contract float %product, %y
  %all = fdiv float %sum, %x
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %all, ptr addrspace(1) %next
  ret void
}

; A way that would go is one of two users of a product.
; CHECK-LABEL: @used(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @used(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @used(i1 %c, float %a, float %b, ptr addrspace(1) %out) {
  %product = fmul contract float %a, %a
  br i1 %c, label %yes, label %join
yes:
  %p = fadd contract float %product, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  store float %x, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = fadd contract float %product, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %y, ptr addrspace(1) %next
  ret void
}

; Two products become one, which would have the sums of both.
; CHECK-LABEL: @follow(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @follow(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @follow(i1 %c, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  %first = fmul contract float %x, %a
  %one = fadd contract float %first, 1.0
  store float %one, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  %second = fmul contract float %y, %a
  %two = fadd contract float %second, 2.0
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %two, ptr addrspace(1) %next
  ret void
}

; The sum behind a phi of a product is in a block so small that LLVM may copy it to its ways.
; CHECK-LABEL: @small(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @small(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @small(i1 %c, i1 %d, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  store float %x, ptr addrspace(1) %out
  br i1 %d, label %product, label %sum
product:
  %m = fmul contract float %a, %b
  br label %sum
sum:
  %n = phi float [ %m, %product ], [ %b, %join ]
  %s = fadd contract float %n, %x
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %sum ]
  %all = fdiv float %y, %s
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %all, ptr addrspace(1) %next
  ret void
}
