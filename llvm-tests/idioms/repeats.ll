; A branch that chooses what an earlier one has chosen is gone, with only its phis; not where the condition, a way or the order
; of the ways is another, a way has an effect, or the earlier branch is not on every way there.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: sed 's/^define .*)/& "warpwise-no-idioms"/' %s | %opt -passes=warpwise -S - | %FileCheck %s --check-prefix=OFF
; OFF-COUNT-2: br i1 %c,
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
; REMARK-COUNT-5: remark: {{.*}} a branch that an earlier one repeats is gone: both choose the same values

; CHECK-LABEL: @twice(
; CHECK: br i1 %c,
; CHECK-NOT: br i1
; CHECK: %x = phi i32
; CHECK-NOT: phi
; CHECK: store i32 %x, ptr addrspace(1) %out
; CHECK: store i32 %x, ptr addrspace(1) %next
define ptx_kernel void @twice(i1 %c, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %no
yes:
  %p = udiv i32 %a, %b
  br label %join
no:
  %q = mul i32 %a, %b
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %q, %no ]
  store i32 %x, ptr addrspace(1) %out
  br i1 %c, label %yes.again, label %no.again
yes.again:
  %p.again = udiv i32 %a, %b
  br label %join.again
no.again:
  %q.again = mul i32 %a, %b
  br label %join.again
join.again:
  %y = phi i32 [ %q.again, %no.again ], [ %p.again, %yes.again ]
  %next = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %y, ptr addrspace(1) %next
  ret void
}

; What follows from the first two is the same, and so are the third and fourth branch.
; CHECK-LABEL: @chain(
; CHECK-COUNT-2: br i1
; CHECK-NOT: br i1
; CHECK: ret void
define ptx_kernel void @chain(i1 %c, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %one, label %join1
one:
  %p = udiv i32 %a, %b
  br label %join1
join1:
  %x = phi i32 [ %p, %one ], [ %b, %0 ]
  br i1 %c, label %two, label %join2
two:
  %q = udiv i32 %a, %b
  br label %join2
join2:
  %y = phi i32 [ %q, %two ], [ %b, %join1 ]
  %big = icmp ugt i32 %x, 9
  br i1 %big, label %three, label %join3
three:
  %r = udiv i32 %x, %b
  br label %join3
join3:
  %z = phi i32 [ %r, %three ], [ 1, %join2 ]
  %big.again = icmp ugt i32 %y, 9
  br i1 %big.again, label %four, label %join4
four:
  %s = udiv i32 %y, %b
  br label %join4
join4:
  %w = phi i32 [ %s, %four ], [ 1, %join3 ]
  %sum = mul i32 %z, %w
  store i32 %sum, ptr addrspace(1) %out
  ret void
}

; Three ways by two branches.
; CHECK-LABEL: @nested(
; CHECK: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define ptx_kernel void @nested(i1 %c, i1 %d, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %join, label %no
no:
  %p = udiv i32 %a, %b
  br i1 %d, label %join, label %other
other:
  %q = mul i32 %a, %p
  br label %join
join:
  %x = phi i32 [ 0, %0 ], [ %p, %no ], [ %q, %other ]
  %u = phi i32 [ %a, %0 ], [ 1, %no ], [ 2, %other ]
  br i1 %c, label %join.again, label %no.again
no.again:
  %p.again = udiv i32 %a, %b
  br i1 %d, label %join.again, label %other.again
other.again:
  %q.again = mul i32 %a, %p.again
  br label %join.again
join.again:
  %y = phi i32 [ 0, %join ], [ %p.again, %no.again ], [ %q.again, %other.again ]
  %v = phi i32 [ %a, %join ], [ 1, %no.again ], [ 2, %other.again ]
  %s = mul i32 %x, %v
  %t = mul i32 %y, %u
  %r = xor i32 %s, %t
  %r2 = add i32 %r, %y
  store i32 %r2, ptr addrspace(1) %out
  ret void
}

; The ways are exchanged.
; CHECK-LABEL: @exchanged(
; CHECK-COUNT-2: br i1
define ptx_kernel void @exchanged(i1 %c, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = udiv i32 %a, %b
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %b, %0 ]
  br i1 %c, label %join.again, label %no.again
no.again:
  %q = udiv i32 %a, %b
  br label %join.again
join.again:
  %y = phi i32 [ %b, %join ], [ %q, %no.again ]
  %s = mul i32 %x, %y
  store i32 %s, ptr addrspace(1) %out
  ret void
}

; A flag that the earlier way lacks could make the result poison.
; CHECK-LABEL: @flags(
; CHECK-COUNT-2: br i1
define ptx_kernel void @flags(i1 %c, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = udiv exact i32 %a, %b
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %b, %0 ]
  br i1 %c, label %again, label %join.again
again:
  %q = udiv i32 %a, %b
  br label %join.again
join.again:
  %y = phi i32 [ %b, %join ], [ %q, %again ]
  %s = mul i32 %x, %y
  store i32 %s, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @effect(
; CHECK-COUNT-2: br i1
define ptx_kernel void @effect(i1 %c, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = udiv i32 %a, %b
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %b, %0 ]
  br i1 %c, label %again, label %join.again
again:
  %q = udiv i32 %a, %b
  store i32 7, ptr addrspace(1) %out
  br label %join.again
join.again:
  %y = phi i32 [ %b, %join ], [ %q, %again ]
  %s = mul i32 %x, %y
  %next = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %s, ptr addrspace(1) %next
  ret void
}

; What a way loads may have changed.
; CHECK-LABEL: @loads(
; CHECK-COUNT-2: br i1
define ptx_kernel void @loads(i1 %c, ptr addrspace(1) %in, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = load i32, ptr addrspace(1) %in
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %b, %0 ]
  store i32 %x, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = load i32, ptr addrspace(1) %in
  br label %join.again
join.again:
  %y = phi i32 [ %b, %join ], [ %q, %again ]
  %next = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %y, ptr addrspace(1) %next
  ret void
}

; One way leads out.
; CHECK-LABEL: @leaves(
; CHECK-COUNT-3: br i1
define ptx_kernel void @leaves(i1 %c, i1 %d, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %c, label %yes, label %join
yes:
  %p = udiv i32 %a, %b
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %b, %0 ]
  store i32 %x, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = udiv i32 %a, %b
  br i1 %d, label %join.again, label %exit
join.again:
  %y = phi i32 [ %b, %join ], [ %q, %again ]
  %next = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %y, ptr addrspace(1) %next
  ret void
exit:
  ret void
}

; The earlier branch is on one of two ways.
; CHECK-LABEL: @beside(
; CHECK-COUNT-3: br i1
define ptx_kernel void @beside(i1 %c, i1 %d, i32 %a, i32 %b, ptr addrspace(1) %out) {
  br i1 %d, label %first, label %second
first:
  br i1 %c, label %yes, label %join
yes:
  %p = udiv i32 %a, %b
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %b, %first ]
  store i32 %x, ptr addrspace(1) %out
  br label %second
second:
  br i1 %c, label %again, label %join.again
again:
  %q = udiv i32 %a, %b
  br label %join.again
join.again:
  %y = phi i32 [ %b, %second ], [ %q, %again ]
  %next = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %y, ptr addrspace(1) %next
  ret void
}

; In a loop, both choose anew in each iteration, and the counter of the loop is their condition.
; CHECK-LABEL: @loop(
; CHECK: br i1 %c,
; CHECK-NOT: br i1 %c,
; CHECK: ret void
define ptx_kernel void @loop(i32 %a, i32 %b, ptr addrspace(1) %out) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join.again ]
  %c = icmp ugt i32 %i, %a
  br i1 %c, label %yes, label %join
yes:
  %p = udiv i32 %i, %b
  br label %join
join:
  %x = phi i32 [ %p, %yes ], [ %b, %head ]
  store volatile i32 %x, ptr addrspace(1) %out
  br i1 %c, label %again, label %join.again
again:
  %q = udiv i32 %i, %b
  br label %join.again
join.again:
  %y = phi i32 [ %b, %join ], [ %q, %again ]
  store volatile i32 %y, ptr addrspace(1) %out
  %i.next = add i32 %i, 1
  %done = icmp eq i32 %i.next, 64
  br i1 %done, label %exit, label %head
exit:
  ret void
}
