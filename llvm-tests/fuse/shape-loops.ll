; A loop in each side: one loop, whose lanes run as long as their own side says.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1 %c
; CHECK: %[[BOUND:.*]] = select i1 %c, i32 %n, i32 %m
; CHECK: icmp slt i32 %{{.*}}, %[[BOUND]]
; CHECK-NEXT: br i1
; CHECK-NOT: br i1
; CHECK: ret void
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  br label %loop

loop:
  %i = phi i32 [ 0, %yes ], [ %i1, %loop ]
  %s = phi i32 [ %t, %yes ], [ %s1, %loop ]
  %p = getelementptr i32, ptr %in, i32 %i
  %v = load i32, ptr %p, align 4
  %s1 = mul i32 %s, %v
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %join

no:
  br label %loop2

loop2:
  %j = phi i32 [ 0, %no ], [ %j1, %loop2 ]
  %r = phi i32 [ %t, %no ], [ %r1, %loop2 ]
  %q = getelementptr i32, ptr %in, i32 %j
  %w = load i32, ptr %q, align 4
  %r1 = mul i32 %r, %w
  %j1 = add i32 %j, 1
  %less = icmp slt i32 %j1, %m
  br i1 %less, label %loop2, label %join

join:
  %x = phi i32 [ %s1, %loop ], [ %r1, %loop2 ]
  store i32 %x, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
