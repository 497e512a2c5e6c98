; Where nothing is melded, the code is what LLVM alone makes of it: the loops without a block before them are not made
; simple, nothing is cleaned up. The first kernel has no sides that are alike, the second parts no lanes.
; RUN: opt -S -passes='default<O3>' -o %t.plain < %s
; RUN: %opt -S -passes='default<O3>' -warpwise-annotate=0 -warpwise-steer=0 -o %t.ours < %s
; RUN: cmp %t.plain %t.ours
; RUN: opt -S -passes='default<O3>' < %s | llc -o %t.plain.ptx
; RUN: %opt -S -passes='default<O3>' -pass-remarks=warpwise < %s | %llc -o %t.ours.ptx
; RUN: cmp %t.plain.ptx %t.ours.ptx

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @unlike(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %loop, label %no

loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi i32 [ %t, %entry ], [ %s1, %body ]
  %p = getelementptr i32, ptr %in, i32 %i
  %v = load volatile i32, ptr %p, align 4
  %stop = icmp slt i32 %v, 0
  br i1 %stop, label %join, label %body

body:
  %s1 = mul i32 %s, %v
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %join

no:
  %f = sitofp i32 %t to float
  %g = call float @llvm.nvvm.sqrt.rn.f(float %f)
  %h = fptosi float %g to i32
  br label %join

join:
  %x = phi i32 [ %s, %loop ], [ %s1, %body ], [ %h, %no ]
  %q = getelementptr i32, ptr %out, i32 %t
  store i32 %x, ptr %q, align 4
  ret void
}

define ptx_kernel void @together(ptr %in, ptr %out, i32 %n, i32 %m, i1 %c) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br i1 %c, label %loop, label %loop2

loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ %t, %entry ], [ %s1, %loop ]
  %p = getelementptr i32, ptr %in, i32 %i
  %v = load volatile i32, ptr %p, align 4
  %s1 = mul i32 %s, %v
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %join

loop2:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop2 ]
  %r = phi i32 [ %t, %entry ], [ %r1, %loop2 ]
  %k = getelementptr i32, ptr %in, i32 %j
  %w = load volatile i32, ptr %k, align 4
  %r1 = mul i32 %r, %w
  %j1 = add i32 %j, 1
  %less = icmp slt i32 %j1, %m
  br i1 %less, label %loop2, label %join

join:
  %x = phi i32 [ %s1, %loop ], [ %r1, %loop2 ]
  %q = getelementptr i32, ptr %out, i32 %t
  store i32 %x, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.sqrt.rn.f(float)
