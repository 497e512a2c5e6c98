; RUN: %opt -passes=annotate-uniform -warpwise-block=64x4 -verify-each -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t
; A recursive function saves and clears the barrier at which other lanes of its caller wait, and then counters that ptxas knows to
; be uniform are incremented by some lanes alone: a function that may reach such a one is left as it is.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK-COUNT-3: remark: {{.*}}left as it is: it may come to a recursive call

; CHECK-LABEL: @direct(
; CHECK-NOT: vote
; CHECK-LABEL: @indirect(
; CHECK-NOT: vote
; CHECK-LABEL: @through(
; CHECK-NOT: vote
; CHECK-LABEL: @plain(
; CHECK: call i1 @llvm.nvvm.vote.any.sync
define ptx_kernel void @direct(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %i = mul i32 %x, %n
  %address = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %address
  %c = icmp eq i32 %y, 2
  br i1 %c, label %yes, label %no
yes:
  br label %loop
loop:
  %k = phi i32 [ 0, %yes ], [ %k.next, %loop ]
  %s = phi float [ %v, %yes ], [ %s.next, %loop ]
  call void @again(i32 %k)
  %from = getelementptr float, ptr %q, i32 %k
  %f = load float, ptr %from
  %m = fmul float %s, %f
  %s.next = fadd float %m, 1.0
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %join
no:
  %w = fmul float %v, 3.0
  br label %join
join:
  %r = phi float [ %s.next, %loop ], [ %w, %no ]
  store float %r, ptr %address
  ret void
}
define ptx_kernel void @indirect(ptr %f.ptr, ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %i = mul i32 %x, %n
  %address = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %address
  %c = icmp eq i32 %y, 2
  br i1 %c, label %yes, label %no
yes:
  br label %loop
loop:
  %k = phi i32 [ 0, %yes ], [ %k.next, %loop ]
  %s = phi float [ %v, %yes ], [ %s.next, %loop ]
  call void %f.ptr(i32 %k)
  %from = getelementptr float, ptr %q, i32 %k
  %f = load float, ptr %from
  %m = fmul float %s, %f
  %s.next = fadd float %m, 1.0
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %join
no:
  %w = fmul float %v, 3.0
  br label %join
join:
  %r = phi float [ %s.next, %loop ], [ %w, %no ]
  store float %r, ptr %address
  ret void
}
define ptx_kernel void @through(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %i = mul i32 %x, %n
  %address = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %address
  %c = icmp eq i32 %y, 2
  br i1 %c, label %yes, label %no
yes:
  br label %loop
loop:
  %k = phi i32 [ 0, %yes ], [ %k.next, %loop ]
  %s = phi float [ %v, %yes ], [ %s.next, %loop ]
  call void @between(i32 %k)
  %from = getelementptr float, ptr %q, i32 %k
  %f = load float, ptr %from
  %m = fmul float %s, %f
  %s.next = fadd float %m, 1.0
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %join
no:
  %w = fmul float %v, 3.0
  br label %join
join:
  %r = phi float [ %s.next, %loop ], [ %w, %no ]
  store float %r, ptr %address
  ret void
}
define ptx_kernel void @plain(ptr noalias %p, ptr noalias %q, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %i = mul i32 %x, %n
  %address = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %address
  %c = icmp eq i32 %y, 2
  br i1 %c, label %yes, label %no
yes:
  br label %loop
loop:
  %k = phi i32 [ 0, %yes ], [ %k.next, %loop ]
  %s = phi float [ %v, %yes ], [ %s.next, %loop ]
  call void @leaf(i32 %k)
  %from = getelementptr float, ptr %q, i32 %k
  %f = load float, ptr %from
  %m = fmul float %s, %f
  %s.next = fadd float %m, 1.0
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %join
no:
  %w = fmul float %v, 3.0
  br label %join
join:
  %r = phi float [ %s.next, %loop ], [ %w, %no ]
  store float %r, ptr %address
  ret void
}

define internal void @again(i32 %d) noinline convergent {
entry:
  %none = icmp eq i32 %d, 0
  br i1 %none, label %out, label %more
more:
  %less = sub i32 %d, 1
  call void @again(i32 %less)
  br label %out
out:
  ret void
}
define internal void @between(i32 %d) noinline convergent {
  call void @again(i32 %d)
  ret void
}
define internal void @leaf(i32 %d) noinline {
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
