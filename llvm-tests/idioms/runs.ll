; What is computed stays the same on the lockstep machine: bits of any number, of none, of 64, and from a
; count on; copies of odd lengths; and quotients and remainders of a counter.
; RUN: %opt -passes='idioms,verify' -S %s -o %t.early.ll
; RUN: %opt -passes='idioms,warpwise,verify' -S %s -o %t.ll
; RUN: %FileCheck %s --input-file=%t.ll
; RUN: %warpwise simt --compare %s %t.early.ll -k bits --block 64 --arg i32[64]:random:2 --arg i32[128]:zero
; RUN: %warpwise simt --compare %s %t.ll -k bits --block 64 --arg i32[64]:random:2 --arg i32[128]:zero
; RUN: %warpwise simt --compare %s %t.ll -k bits --block 64 --arg i32[64]:zero --arg i32[128]:zero
; RUN: %warpwise simt --compare %s %t.ll -k copies --block 32 --arg i32[256]:random:3 --arg i32[256]:zero
; RUN: %warpwise simt --compare %s %t.ll -k divisions --block 32 --arg i32[32]:iota --arg i32[32]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: @bits(
; CHECK-COUNT-2: call {{.*}}@llvm.ctpop
define ptx_kernel void @bits(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %t
  %x = load i32, ptr %from
  %none = icmp eq i32 %x, 0
  br i1 %none, label %middle, label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %less = add i32 %v, -1
  %rest = and i32 %less, %v
  %n.next = add i32 %n, 1
  %done = icmp eq i32 %rest, 0
  br i1 %done, label %middle, label %loop
middle:
  %count = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %high = zext i32 %x to i64
  %shifted = shl i64 %high, 29
  br label %wide
wide:
  %w = phi i64 [ %shifted, %middle ], [ %w.rest, %wide ]
  %m = phi i32 [ %t, %middle ], [ %m.next, %wide ]
  %m.next = add i32 %m, 1
  %w.less = add i64 %w, -1
  %w.rest = and i64 %w, %w.less
  %more = icmp ne i64 %w.rest, 0
  br i1 %more, label %wide, label %exit
exit:
  %two = shl i32 %t, 1
  %p = getelementptr i32, ptr %out, i32 %two
  store i32 %count, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  store i32 %m.next, ptr %q
  ret void
}

; CHECK-LABEL: @copies(
; CHECK-NOT: memcpy
; CHECK: ret void
define ptx_kernel void @copies(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr [8 x i32], ptr %in, i32 %t
  %to = getelementptr [8 x i32], ptr %out, i32 %t
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 13, i1 false)
  %behind = getelementptr i8, ptr %to, i64 16
  %second = getelementptr i8, ptr %from, i64 12
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %behind, ptr align 4 %second, i64 12, i1 false)
  ret void
}

; CHECK-LABEL: @divisions(
; CHECK-COUNT-2: freeze
define ptx_kernel void @divisions(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %t
  %x = load i32, ptr %from
  br label %loop
loop:
  %i = phi i32 [ %x, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %rest = urem i32 %i, 3
  %plus = add i32 %i, 5
  %part = udiv i32 %plus, 7
  %rest.wide = zext nneg i32 %rest to i64
  %part.wide = zext i32 %part to i64
  %scaled = mul i64 %sum, 31
  %with = add i64 %scaled, %rest.wide
  %sum.next = add i64 %with, %part.wide
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 40
  br i1 %more, label %loop, label %exit
exit:
  %low = trunc i64 %sum.next to i32
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %low, ptr %p
  ret void
}
