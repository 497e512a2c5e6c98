; What is computed stays the same on the lockstep machine: two arrays filled by one loop, sums of what came before, the mirror
; image, an inner loop over another array, and elements of eight, 32 and 64 bits (ptxas keeps the small array of words in registers).
; RUN: %opt -passes=free-arrays,verify -S %s -o %t.ll
; RUN: %FileCheck %s --implicit-check-not='alloca [8 x i64]' --implicit-check-not='alloca [16 x i8]' --input-file=%t.ll
; RUN: %warpwise simt --compare %s %t.ll -k words --grid 2 --block 33 --arg i32[528]:random:4 --arg i32[528]:zero
; RUN: %warpwise simt --compare %s %t.ll -k bytes --block 64 --arg i32[64]:random:5 --arg i32[64]:zero
; RUN: %opt -passes='default<O2>' -S %s -o %t.all.ll
; RUN: %warpwise simt --compare %s %t.all.ll -k words --grid 2 --block 33 --arg i32[528]:random:4 --arg i32[528]:zero
; RUN: %warpwise simt --compare %s %t.all.ll -k bytes --block 64 --arg i32[64]:random:5 --arg i32[64]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-LABEL: @words(
define ptx_kernel void @words(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i64]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %block, %size
  %thread = add i32 %before, %t
  %first = mul i32 %thread, 8
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %at = add i32 %first, %i
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %at
  %x = load i32, ptr addrspace(1) %from
  %a.i = getelementptr [8 x i32], ptr %a, i32 0, i32 %i
  store i32 %x, ptr %a.i
  %wide = sext i32 %x to i64
  %square = mul i64 %wide, %wide
  %b.i = getelementptr [8 x i64], ptr %b, i32 0, i32 %i
  store i64 %square, ptr %b.i
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %prefix
prefix:
  %j = phi i32 [ 1, %fill ], [ %j.next, %prefix ]
  %back = sub nuw nsw i32 %j, 1
  %a.back = getelementptr [8 x i32], ptr %a, i32 0, i32 %back
  %a.j = getelementptr [8 x i32], ptr %a, i32 0, i32 %j
  %old = load i32, ptr %a.back
  %now = load i32, ptr %a.j
  %scaled = mul i32 %old, 31
  %sum = add i32 %scaled, %now
  store i32 %sum, ptr %a.j
  %j.next = add nuw nsw i32 %j, 1
  %last = icmp eq i32 %j.next, 8
  br i1 %last, label %rows, label %prefix
rows:
  %k = phi i32 [ 7, %prefix ], [ %k.next, %row ]
  br label %inner
inner:
  %m = phi i32 [ 0, %rows ], [ %m.next, %inner ]
  %all = phi i64 [ 0, %rows ], [ %all.next, %inner ]
  %b.m = getelementptr [8 x i64], ptr %b, i32 0, i32 %m
  %y = load i64, ptr %b.m
  %thrice = mul i64 %all, 3
  %all.next = add i64 %thrice, %y
  %m.next = add nuw nsw i32 %m, 1
  %inside = icmp ne i32 %m.next, 8
  br i1 %inside, label %inner, label %row
row:
  %low = trunc i64 %all.next to i32
  %mirror = sub nuw nsw i32 7, %k
  %a.mirror = getelementptr [8 x i32], ptr %a, i32 0, i32 %mirror
  %z = load i32, ptr %a.mirror
  %both = xor i32 %low, %z
  %b.k = getelementptr [8 x i64], ptr %b, i32 0, i32 %k
  %zero = sext i32 %z to i64
  store i64 %zero, ptr %b.k
  %place = add i32 %first, %k
  %into = getelementptr i32, ptr addrspace(1) %out, i32 %place
  store i32 %both, ptr addrspace(1) %into
  %k.next = add nsw i32 %k, -1
  %again = icmp sgt i32 %k.next, -1
  br i1 %again, label %rows, label %done
done:
  ret void
}

; CHECK-LABEL: @bytes(
define ptx_kernel void @bytes(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %a = alloca [16 x i8]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %x = load i32, ptr addrspace(1) %from
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %shifted = lshr i32 %x, %i
  %byte = trunc i32 %shifted to i8
  %a.i = getelementptr i8, ptr %a, i32 %i
  store i8 %byte, ptr %a.i
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %i.next, 16
  br i1 %more, label %fill, label %use
use:
  %p = phi ptr [ %a, %fill ], [ %p.next, %use ]
  %j = phi i32 [ 0, %fill ], [ %j.next, %use ]
  %sum = phi i32 [ 0, %fill ], [ %sum.next, %use ]
  %y = load i8, ptr %p
  %word = zext i8 %y to i32
  %scaled = mul i32 %sum, 31
  %sum.next = add i32 %scaled, %word
  %p.next = getelementptr i8, ptr %p, i32 1
  %j.next = add nuw nsw i32 %j, 1
  %last = icmp eq i32 %j.next, 16
  br i1 %last, label %done, label %use
done:
  %into = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum.next, ptr addrspace(1) %into
  ret void
}
