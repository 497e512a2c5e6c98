; Loops in both sides that nothing has made simple yet: clang's pipelines meld them all the same, and the pass by its
; name leaves that to whoever runs it.
; RUN: %opt -S -passes='default<O1>' -pass-remarks=warpwise -verify-each %s -o /dev/null 2>&1 | %FileCheck %s
; RUN: %opt -S -passes='fuse-branches' -pass-remarks=warpwise %s -o /dev/null 2>&1 | %FileCheck %s --allow-empty --check-prefix=NAMED
; CHECK: divergent branch fused: {{.*}} in 3 blocks
; NAMED-NOT: fused

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %loop, label %loop2

loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ %t, %entry ], [ %s1, %loop ]
  %p = getelementptr i32, ptr %in, i32 %i
  %v = load i32, ptr %p, align 4
  %s1 = mul i32 %s, %v
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %join

loop2:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop2 ]
  %r = phi i32 [ %t, %entry ], [ %r1, %loop2 ]
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
