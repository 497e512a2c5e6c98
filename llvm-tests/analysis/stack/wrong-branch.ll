; A branch on where the callee's frame stands, which differs between lanes.
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK: %div.c0 = divergent{{$}}
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define internal i64 @f() noinline {
  %a = alloca [8 x i32]
  store volatile i32 1, ptr %a
  %i = ptrtoint ptr %a to i64
  ret i64 %i
}

define ptx_kernel void @k(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t1 = mul i32 %t, 16
  %t2 = add i32 %t1, 16
  %a = alloca i32, i32 %t2
  store i32 1, ptr %a
  %x = call i64 @f()
  %y = lshr i64 %x, 6
  %z = trunc i64 %y to i32
  %m = and i32 %z, 7
  %q = getelementptr i32, ptr %p, i32 %t
  %div.c0 = icmp ugt i32 %m, 3
  br i1 %div.c0, label %A, label %B
A:
  %i = phi i32 [ 0, %0 ], [ %i1, %A ]
  %s = phi i32 [ %t, %0 ], [ %s3, %A ]
  %s1 = mul i32 %s, 17
  %s2 = xor i32 %s1, %i
  %s3 = add i32 %s2, %m
  store volatile i32 %s3, ptr %q
  %i1 = add i32 %i, 1
  %c = icmp ule i32 %i1, %m
  br i1 %c, label %A, label %J
B:
  %b1 = mul i32 %t, 13
  %b2 = xor i32 %b1, %n
  store volatile i32 %b2, ptr %q
  %b3 = sdiv i32 %b2, %n
  br label %J
J:
  %r = phi i32 [ %s3, %A ], [ %b3, %B ]
  store i32 %r, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
