; More is known in a copy of an iteration than in the loop. ptxas rounds an approximation of constants correctly, which the GPU may
; not; and LLVM makes a product of converted integers one of integers if both are small, so that no sum is joined with it. Where
; that may be, no loop is unrolled.
; RUN: %opt -passes=unroll-whole -S %s | %FileCheck %s
; RUN: %opt -passes=unroll-whole -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; the first root is that of a constant
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration
; CHECK-LABEL: @root_of_constant(
; CHECK-COUNT-1: @llvm.nvvm.sqrt.approx.f(
; CHECK-NOT: @llvm.nvvm.sqrt.approx.f(
define ptx_kernel void @root_of_constant(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %seed) {
entry:
  %turns = and i32 %seed, 7
  %none = icmp eq i32 %turns, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ 0x3F50624DE0000000, %entry ], [ %root, %loop ]
  %root = call float @llvm.nvvm.sqrt.approx.f(float %x)
  %at = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %root, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, %turns
  br i1 %last, label %done, label %loop
done:
  ret void
}

; the first root is that of what was loaded
; REMARK: remark: {{.*}} loop of at most 7 iterations unrolled completely
; CHECK-LABEL: @root_of_loaded(
; CHECK-COUNT-7: @llvm.nvvm.sqrt.approx.f(
define ptx_kernel void @root_of_loaded(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %seed) {
entry:
  %turns = and i32 %seed, 7
  %first = load float, ptr addrspace(1) %in
  %none = icmp eq i32 %turns, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ %first, %entry ], [ %root, %loop ]
  %root = call float @llvm.nvvm.sqrt.approx.f(float %x)
  %at = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %root, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, %turns
  br i1 %last, label %done, label %loop
done:
  ret void
}

; the first number may be large; each later one has 15 bits
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration
; CHECK-LABEL: @square_of_small(
; CHECK-COUNT-1: fmul
; CHECK-NOT: fmul
define ptx_kernel void @square_of_small(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %seed, float %y) {
entry:
  %turns = and i32 %seed, 7
  %none = icmp eq i32 %turns, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %n = phi i32 [ %seed, %entry ], [ %small, %loop ]
  %x = uitofp i32 %n to float
  %square = fmul contract float %x, %x
  %sum = fadd contract float %square, %y
  %bits = bitcast float %sum to i32
  %small = and i32 %bits, 32767
  %at = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %sum, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, %turns
  br i1 %last, label %done, label %loop
done:
  ret void
}

; of each as much is known as of the first
; REMARK: remark: {{.*}} loop of at most 7 iterations unrolled completely
; CHECK-LABEL: @square_of_any(
; CHECK-COUNT-7: llvm.fma.f32
define ptx_kernel void @square_of_any(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %seed, float %y) {
entry:
  %turns = and i32 %seed, 7
  %none = icmp eq i32 %turns, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %n = phi i32 [ %seed, %entry ], [ %bits, %loop ]
  %x = uitofp i32 %n to float
  %square = fmul contract float %x, %x
  %sum = fadd contract float %square, %y
  %bits = bitcast float %sum to i32
  %at = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %sum, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, %turns
  br i1 %last, label %done, label %loop
done:
  ret void
}

declare float @llvm.nvvm.sqrt.approx.f(float)
