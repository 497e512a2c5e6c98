; Branches that repeat earlier ones go, and what is joined as long as they are there is written out: a product and a sum as one
; multiply-add, a sum that is rounded alone as PTX's with a rounding mode. They stay where nobody knows what is joined: where
; LLVM may compute in another order, or it is up to ptxas; with results=contract they go, and nothing is written out.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -disable-output -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=warpwise -warpwise-results=contract -S %s | %FileCheck %s --check-prefix=CONTRACT --implicit-check-not=asm
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
; REMARK-COUNT-4: remark: {{.*}} a branch stays that an earlier one repeats: without it, other products and sums could become multiply-adds

; A product and a sum of a way that goes are joined there, and so are those of the earlier way.
; CHECK-LABEL: @inside(
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
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
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
; CHECK: asm "add.rn.f32
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
; CHECK: br i1 %c,
; CHECK: call float @llvm.fma.f32(float %a, float %a, float %b)
; CHECK-NOT: br i1 %c,
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

; Two products become one, which would have the sums of both: these are written out.
; CHECK-LABEL: @follow(
; CHECK: call float @llvm.fma.f32(float %x, float %a, float 1.000000e+00)
; CHECK-NOT: br i1 %c,
; CHECK: call float @llvm.fma.f32(float %x, float %a, float 2.000000e+00)
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
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
; CHECK: asm "add.rn.f32
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

; Two products become one, and a sum gets one of them through a phi.
; CHECK-LABEL: @indirect(
; CHECK: br i1 %c,
; CHECK: call float @llvm.fma.f32(float %x, float %a, float 1.000000e+00)
; CHECK-NOT: br i1 %c,
; CHECK: asm "add.rn.f32
; CONTRACT-LABEL: @indirect(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @indirect(i1 %c, i1 %d, float %a, float %b, ptr addrspace(1) %out) {
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
  br i1 %d, label %more, label %end
more:
  %third = fdiv float %second, %b
  br label %end
end:
  %passed = phi float [ %second, %join.again ], [ %third, %more ]
  %two = fadd contract float %passed, 2.0
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %two, ptr addrspace(1) %next
  store float %passed, ptr addrspace(1) %out
  ret void
}

; Two values become one that use a product, which also a sum of another block uses.
; CHECK-LABEL: @loses(
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
; CHECK: asm "add.rn.f32
; CONTRACT-LABEL: @loses(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @loses(i1 %c, i1 %d, float %a, float %b, ptr addrspace(1) %out) {
  %product = fmul contract float %a, %a
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  %one = fdiv float %product, %x
  store float %one, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  %two = fdiv float %product, %y
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %two, ptr addrspace(1) %next
  %sum = fadd contract float %product, %b
  %last = getelementptr float, ptr addrspace(1) %out, i64 2
  store float %sum, ptr addrspace(1) %last
  ret void
}

; Only a sum behind the branch uses the product in front of it: they are joined wherever they are.
; CHECK-LABEL: @lone(
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
define ptx_kernel void @lone(i1 %c, i1 %d, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  %product = fmul contract float %x, %a
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  %sum = fadd contract float %product, %y
  store float %sum, ptr addrspace(1) %out
  ret void
}

; The product is in the first of three blocks that would become one, and the sum in the last.
; CHECK-LABEL: @run(
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
; CHECK: asm "add.rn.f32
; CONTRACT-LABEL: @run(
; CONTRACT-COUNT-1: br i1
; CONTRACT-NOT: br i1
; CONTRACT: ret void
define ptx_kernel void @run(i1 %c, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  %product = fmul contract float %x, %a
  store float %product, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  br i1 %c, label %third, label %join.third
third:
  %r = fdiv float %a, %b
  br label %join.third
join.third:
  %z = phi float [ %r, %third ], [ %b, %join.again ]
  %sum = fadd contract float %product, %y
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  store float %sum, ptr addrspace(1) %next
  store float %z, ptr addrspace(1) %out
  ret void
}

; With a constant for its phi, the second product is the first on one way.
; CHECK-LABEL: @partly(
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
; CHECK: call float @llvm.fma.f32(float %x, float %z, float %a)
; CHECK: call float @llvm.fma.f32(float %x, float 1.500000e+00, float %{{.*}})
; CONTRACT-LABEL: @partly(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @partly(i1 %c, i1 %d, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  %first = fmul contract float %x, 1.5
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  br i1 %d, label %load, label %end
load:
  %read = load float, ptr addrspace(1) %out
  br label %end
end:
  %z = phi float [ %read, %load ], [ 1.5, %join.again ]
  %second = fmul contract float %y, %z
  %sum = fadd contract float %second, %a
  %difference = fsub contract float %first, %sum
  store float %difference, ptr addrspace(1) %out
  ret void
}

; LLVM may compute in another order.
; CHECK-LABEL: @loose(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @loose(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @loose(i1 %c, i1 %d, float %a, float %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  %one = fadd reassoc float %x, %a
  store float %one, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  store float %y, ptr addrspace(1) %out
  ret void
}

; The product of both would be a square, which is not negative: LLVM's back end would leave out the sum with zero, and join the
; other sum with the product.
; CHECK-LABEL: @square(
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
; CHECK: call float @llvm.fma.f32(float %p, float %p, float 0.000000e+00)
; CHECK: fsub contract
; CONTRACT-LABEL: @square(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @square(i1 %c, float %a, float %b, ptr addrspace(1) %out) {
entry:
  br i1 %c, label %way, label %other
way:
  %u = call float @llvm.sqrt.f32(float %a)
  br label %join
other:
  %v = call float @llvm.sqrt.f32(float %b)
  br label %join
join:
  %p = phi float [ %u, %way ], [ %v, %other ]
  br i1 %c, label %again, label %rest
again:
  %x = call float @llvm.sqrt.f32(float %a)
  br label %last
rest:
  %y = call float @llvm.sqrt.f32(float %b)
  br label %last
last:
  %q = phi float [ %x, %again ], [ %y, %rest ]
  %product = fmul contract float %p, %q
  %same = fadd contract float %product, 0.0
  %sum = fsub contract float %same, %b
  store float %sum, ptr addrspace(1) %out
  ret void
}
declare float @llvm.sqrt.f32(float)

; As in @across, and two sums of other blocks share a product, which ptxas may join with either, both or none.
; CHECK-LABEL: @shared(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @shared(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @shared(i1 %c, i1 %d, ptr addrspace(1) %out) {
  %a = load float, ptr addrspace(1) %out
  %next = getelementptr float, ptr addrspace(1) %out, i64 1
  %b = load float, ptr addrspace(1) %next
  %product = fmul contract float %a, %b
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  store float %x, ptr addrspace(1) %out
  %square = fmul contract float %x, %x
  store float %square, ptr addrspace(1) %next
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  %across = fadd contract float %square, %y
  store float %across, ptr addrspace(1) %out
  br i1 %d, label %one, label %other
one:
  %sum = fadd contract float %product, %y
  store float %sum, ptr addrspace(1) %out
  br label %end
other:
  %difference = fsub contract float %product, %y
  store float %difference, ptr addrspace(1) %next
  br label %end
end:
  ret void
}

; A loop brings a product to the sum of the next iteration, which ptxas joins if it unrolls the loop.
; CHECK-LABEL: @carried(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @carried(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @carried(i1 %c, float %a, float %b, i32 %n, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  store float %x, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  br label %loop
loop:
  %i = phi i32 [ 0, %join.again ], [ %next, %loop ]
  %last = phi float [ %y, %join.again ], [ %product, %loop ]
  %sum = fadd contract float %last, 3.0
  %product = fmul contract float %sum, %a
  %place = getelementptr float, ptr addrspace(1) %out, i32 %i
  store volatile float %sum, ptr addrspace(1) %place
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; As in @across, and LLVM joins a product with the sum of its block. Only one behind the loop uses it then: it is up to ptxas, which
; may make one block of several.
; CHECK-LABEL: @beyond(
; CHECK-COUNT-2: br i1 %c,
; CONTRACT-LABEL: @beyond(
; CONTRACT-NOT: %q =
; CONTRACT: ret void
define ptx_kernel void @beyond(i1 %c, i32 %n, ptr addrspace(1) %out) {
  %a = load float, ptr addrspace(1) %out
  %place = getelementptr float, ptr addrspace(1) %out, i64 1
  %b = load float, ptr addrspace(1) %place
  %product = fmul contract float %a, %b
  %near = fadd contract float %product, -1.5
  br i1 %c, label %yes, label %join
yes:
  %p = fdiv float %a, %b
  br label %join
join:
  %x = phi float [ %p, %yes ], [ %b, %0 ]
  store float %x, ptr addrspace(1) %out
  %square = fmul contract float %x, %x
  store float %square, ptr addrspace(1) %place
  br i1 %c, label %again, label %join.again
again:
  %q = fdiv float %a, %b
  br label %join.again
join.again:
  %y = phi float [ %q, %again ], [ %b, %join ]
  %across = fadd contract float %square, %y
  store float %across, ptr addrspace(1) %out
  br label %loop
loop:
  %i = phi i32 [ 0, %join.again ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %out, i32 %i
  store volatile float %y, ptr addrspace(1) %at
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %read = load volatile float, ptr addrspace(1) %out
  %far = fsub contract float %product, %read
  %both = fdiv float %near, %far
  store float %both, ptr addrspace(1) %out
  ret void
}
