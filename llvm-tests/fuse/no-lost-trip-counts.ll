; Loops of twelve and of eleven iterations: each alone can be unrolled, one whose bounds are selected cannot.
; RUN: %opt -S -passes='fuse-branches' -verify-each -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out) {
; CHECK: divergent branch not fused: LLVM can unroll loops of 12 and 11 iterations (6 and 6 instructions each), but not the melded one
; CHECK: br i1 %c, label %yes, label %no
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
  %s1 = mul i32 %s, %d
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, 12
  br i1 %more, label %loop, label %join

no:
  br label %loop2

loop2:
  %i2 = phi i32 [ 4, %no ], [ %i3, %loop2 ]
  %s2 = phi i32 [ %t, %no ], [ %s3, %loop2 ]
  %p2 = getelementptr i32, ptr %in, i32 %i2
  %v2 = load i32, ptr %p2, align 4
  %d2 = udiv i32 %v2, 7
  %s3 = mul i32 %s2, %d2
  %i3 = add i32 %i2, 1
  %more2 = icmp ne i32 %i3, 15
  br i1 %more2, label %loop2, label %join

join:
  %r = phi i32 [ %s1, %loop ], [ %s3, %loop2 ]
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %o, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
