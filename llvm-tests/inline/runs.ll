; What is computed stays the same on the lockstep machine: an object by its address and by one inside of it, by value (the function
; changes its own copy), two pointers into one object, and a result by its place; in functions that return early and from loops.
; RUN: %opt -passes=inline-calls,verify -S %s -o %t.ll
; RUN: %FileCheck %s --input-file=%t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 64 --arg i32[64]:random:7 --arg i32[512]:zero
; RUN: %opt -passes='default<O2>' -S %s -o %t.all.ll
; RUN: %warpwise simt --compare %s %t.all.ll --block 64 --arg i32[64]:random:7 --arg i32[512]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define i32 @middle(ptr %p, i32 %x) {
  %second = getelementptr i8, ptr %p, i64 4
  %a = load i32, ptr %p
  %c = and i32 %a, 1
  %odd = icmp ne i32 %c, 0
  br i1 %odd, label %early, label %late
early:
  store i32 %x, ptr %second
  ret i32 %a
late:
  %b = load i32, ptr %second
  %sum = add i32 %a, %b
  store i32 %sum, ptr %p
  ret i32 %x
}

define i32 @own(ptr byval([3 x i32]) align 4 %p) {
  %third = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %p
  %b = load i32, ptr %third
  store i32 7, ptr %p
  store i32 %a, ptr %third
  %again = load i32, ptr %p
  %product = mul i32 %b, %again
  ret i32 %product
}

define i32 @two(ptr %p, ptr %q) {
  %old = load i32, ptr %q
  %more = add i32 %old, 1
  store i32 %more, ptr %p
  %now = load i32, ptr %q
  %both = xor i32 %old, %now
  ret i32 %both
}

define linkonce_odr void @make(ptr sret([2 x i32]) %p, i32 %x) {
  %second = getelementptr i8, ptr %p, i64 4
  %turns = and i32 %x, 7
  store i32 %x, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i.next, %loop ]
  %sum = phi i32 [ %x, %0 ], [ %sum.next, %loop ]
  %scaled = mul i32 %sum, 31
  %sum.next = add i32 %scaled, %i
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %turns
  br i1 %more, label %loop, label %done
done:
  store i32 %sum.next, ptr %second
  ret void
}

; CHECK-LABEL: ptx_kernel void @kernel(
; CHECK-NOT: alloca
; CHECK-NOT: call {{.*}}@{{middle|own|two|make}}(
define ptx_kernel void @kernel(ptr %in, ptr %out) {
entry:
  %o = alloca [4 x i32]
  %v = alloca [3 x i32]
  %w = alloca [2 x i32]
  %r = alloca [2 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %t
  %x = load i32, ptr %from
  %o1 = getelementptr i8, ptr %o, i64 4
  %o2 = getelementptr i8, ptr %o, i64 8
  %o3 = getelementptr i8, ptr %o, i64 12
  store i32 %t, ptr %o
  store i32 %x, ptr %o1
  store i32 3, ptr %o2
  store i32 %x, ptr %o3
  %first = call i32 @middle(ptr %o1, i32 %t)
  %v1 = getelementptr i8, ptr %v, i64 4
  %v2 = getelementptr i8, ptr %v, i64 8
  store i32 %x, ptr %v
  store i32 5, ptr %v1
  store i32 %t, ptr %v2
  %second = call i32 @own(ptr byval([3 x i32]) align 4 %v)
  %w1 = getelementptr i8, ptr %w, i64 4
  store i32 %x, ptr %w
  store i32 %t, ptr %w1
  %third = call i32 @two(ptr %w, ptr %w)
  call void @make(ptr sret([2 x i32]) %r, i32 %x)
  %r1 = getelementptr i8, ptr %r, i64 4
  %to = mul i32 %t, 8
  %s0 = load i32, ptr %o1
  %s1 = load i32, ptr %o2
  %s2 = load i32, ptr %v
  %s3 = load i32, ptr %v2
  %s4 = load i32, ptr %w
  %s5 = load i32, ptr %r1
  %a = xor i32 %first, %s0
  %p0 = getelementptr i32, ptr %out, i32 %to
  store i32 %a, ptr %p0
  %p1 = getelementptr i8, ptr %p0, i64 4
  store i32 %second, ptr %p1
  %p2 = getelementptr i8, ptr %p0, i64 8
  store i32 %third, ptr %p2
  %p3 = getelementptr i8, ptr %p0, i64 12
  store i32 %s1, ptr %p3
  %p4 = getelementptr i8, ptr %p0, i64 16
  store i32 %s2, ptr %p4
  %p5 = getelementptr i8, ptr %p0, i64 20
  store i32 %s3, ptr %p5
  %p6 = getelementptr i8, ptr %p0, i64 24
  store i32 %s4, ptr %p6
  %p7 = getelementptr i8, ptr %p0, i64 28
  store i32 %s5, ptr %p7
  ret void
}
