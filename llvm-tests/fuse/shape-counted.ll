; Loops of twelve iterations from 0 and from 27 downwards: one loop with a counter of its own, which can be unrolled.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s
; RUN: %opt -S -passes='fuse-branches,function(loop-simplify,loop(indvars,loop-unroll-full),simplifycfg)' -verify-each %s | %FileCheck %s --check-prefix=UNROLLED
; RUN: %opt -S -passes='fuse-branches' %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 48 --arg 'i32[64]:iota' --arg 'i32[64]:zero' | %FileCheck %s --check-prefix=SAME

; SAME: equal under the lockstep scheduler

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1 %c
; CHECK: %[[TURN:.*]] = phi i32 [ 0, %entry ], [ %[[NEXT:.*]], %[[LOOP:.*]] ]
; CHECK: %[[MORE:.*]] = icmp ne i32 %[[TURN]], 11
; CHECK: %[[NEXT]] = add i32 %[[TURN]], 1
; CHECK: br i1 %[[MORE]], label %[[LOOP]],
; UNROLLED-LABEL: define ptx_kernel void @k(
; UNROLLED-COUNT-12: load i32
; UNROLLED-NOT: br i1
; UNROLLED: ret void
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
  %d = udiv i32 %v, 7
  %s1 = add i32 %s, %d
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, 12
  br i1 %more, label %loop, label %join

no:
  br label %loop2

loop2:
  %i2 = phi i32 [ 27, %no ], [ %i3, %loop2 ]
  %s2 = phi i32 [ %t, %no ], [ %s3, %loop2 ]
  %p2 = getelementptr i32, ptr %in, i32 %i2
  %v2 = load i32, ptr %p2, align 4
  %d2 = udiv i32 %v2, 7
  %s3 = add i32 %s2, %d2
  %i3 = add i32 %i2, -2
  %more2 = icmp sgt i32 %i2, 5
  br i1 %more2, label %loop2, label %join

join:
  %r = phi i32 [ %s1, %loop ], [ %s3, %loop2 ]
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %o, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
