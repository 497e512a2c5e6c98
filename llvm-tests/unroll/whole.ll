; A loop of constant trip count is unrolled completely if its counter is much of what it computes: here over the bits of a
; number. Not if the copies were too large, nor if products and sums could become other multiply-adds.
; RUN: %opt -passes=unroll-whole -S %s | %FileCheck %s
; RUN: %opt -passes=unroll-whole -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=unroll-whole -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel bits --block 32 --arg i32[31]:random:9 --arg i32[32]:zero --arg i32:1234567
; RUN: %warpwise simt --compare %s %t.ll --kernel bounded --block 32 --arg i32[64]:random:9 --arg i32[32]:zero --arg i32:7
; RUN: %warpwise simt --compare %s %t.ll --kernel behind.barrier --block 64 --arg f32[64]:random:9 --arg f32[1]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; REMARK: remark: {{.*}} loop of 31 iterations unrolled completely: 6 of 11 instructions do not follow from its counter alone
; CHECK-LABEL: @bits(
; CHECK-COUNT-31: load i32
; CHECK-NOT: load i32
define ptx_kernel void @bits(ptr addrspace(1) %table, ptr addrspace(1) %out, i32 %seed) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %number = mul i32 %tid, %seed
  br label %loop
loop:
  %bit = phi i32 [ 0, %entry ], [ %next, %latch ]
  %rest = phi i32 [ %number, %entry ], [ %rest.next, %latch ]
  %mix = phi i32 [ 0, %entry ], [ %mix.next, %latch ]
  %low = and i32 %rest, 1
  %is.set = icmp ne i32 %low, 0
  br i1 %is.set, label %set, label %latch
set:
  %wide = zext nneg i32 %bit to i64
  %at = getelementptr i32, ptr addrspace(1) %table, i64 %wide
  %x = load i32, ptr addrspace(1) %at
  %mixed = xor i32 %x, %mix
  br label %latch
latch:
  %mix.next = phi i32 [ %mixed, %set ], [ %mix, %loop ]
  %next = add nuw nsw i32 %bit, 1
  %rest.next = lshr i32 %rest, 1
  %last = icmp eq i32 %next, 31
  br i1 %last, label %done, label %loop
done:
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %mix.next, ptr addrspace(1) %to
  ret void
}

; too large
; CHECK-LABEL: @long(
; CHECK-COUNT-1: load i32
; CHECK-NOT: load i32
define ptx_kernel void @long(ptr addrspace(1) %table, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %table, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 200
  br i1 %last, label %done, label %loop
done:
  store i32 %more, ptr addrspace(1) %out
  ret void
}

; a sum of another iteration could take the product
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration
; CHECK-LABEL: @product(
; CHECK-COUNT-1: load float
; CHECK-NOT: load float
define ptx_kernel void @product(ptr addrspace(1) %table, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = phi float [ 0.0, %entry ], [ %product, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %table, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd contract float %sum, %old
  %product = fmul contract float %x, %x
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 20
  br i1 %last, label %done, label %loop
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

@partial = internal addrspace(3) global [64 x float] undef
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; behind the barrier LLVM does not take what is loaded to be the product
; REMARK: remark: {{.*}} loop of 64 iterations unrolled completely: 2 of 6 instructions do not follow from its counter alone
; CHECK-LABEL: @behind.barrier(
; CHECK-COUNT-64: load float, ptr addrspace(3)
; CHECK-NOT: load float, ptr addrspace(3)
define ptx_kernel void @behind.barrier(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(1) %a, i32 %tid
  %x = load float, ptr addrspace(1) %at
  %product = fmul contract float %x, %x
  %own = getelementptr float, ptr addrspace(3) @partial, i32 %tid
  store float %product, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %from = getelementptr float, ptr addrspace(3) @partial, i32 %i
  %y = load float, ptr addrspace(3) %from
  %more = fadd contract float %sum, %y
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 64
  br i1 %last, label %done, label %loop
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; without one it may; a constant address is of the same variable
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration
; CHECK-LABEL: @before.barrier(
; CHECK-COUNT-1: load float, ptr addrspace(3)
; CHECK-NOT: load float, ptr addrspace(3)
define ptx_kernel void @before.barrier(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(1) %a, i32 %tid
  %x = load float, ptr addrspace(1) %at
  %product = fmul contract float %x, %x
  store float %product, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @partial, i32 16)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %from = getelementptr float, ptr addrspace(3) @partial, i32 %i
  %y = load float, ptr addrspace(3) %from
  %more = fadd contract float %sum, %y
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 64
  br i1 %last, label %done, label %loop
done:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float %more, ptr addrspace(1) %out
  ret void
}

; nor with one if the memory is this thread's alone, as what a restricted pointer leads to may be
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration
; CHECK-LABEL: @restricted(
; CHECK-COUNT-2: load float
; CHECK-NOT: load float
define ptx_kernel void @restricted(ptr addrspace(1) %a, ptr addrspace(1) noalias %out) {
entry:
  %x = load float, ptr addrspace(1) %a
  %product = fmul contract float %x, %x
  store float %product, ptr addrspace(1) %out
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %from = getelementptr float, ptr addrspace(1) %out, i32 %i
  %y = load float, ptr addrspace(1) %from
  %more = fadd contract float %sum, %y
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 64
  br i1 %last, label %done, label %loop
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; a trip count of which only a small bound is known
; REMARK: remark: {{.*}} loop of at most 4 iterations unrolled completely
; CHECK-LABEL: @bounded(
; CHECK-COUNT-4: load i32
; CHECK-NOT: load i32
; CHECK: ret void
define ptx_kernel void @bounded(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %seed) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %turns = and i32 %tid, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %hash = phi i32 [ %seed, %entry ], [ %hash.next, %loop ]
  %place = add nuw nsw i32 %i, %tid
  %wide = zext nneg i32 %place to i64
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %wide
  %x = load i32, ptr addrspace(1) %at
  %mixed = mul i32 %hash, 33
  %hash.next = xor i32 %mixed, %x
  %next = add nuw nsw i32 %i, 1
  %more = icmp samesign ult i32 %i, %turns
  br i1 %more, label %loop, label %done
done:
  %own = zext nneg i32 %tid to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %own
  store i32 %hash.next, ptr addrspace(1) %to
  ret void
}
