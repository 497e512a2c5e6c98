; Results keep their bits: a product that was rounded because it went through the array or out of a loop is rounded
; on its own afterwards. One that a sum of its own block uses is one with it.
; RUN: %opt -passes=free-arrays -S %s | %FileCheck %s --implicit-check-not=alloca
; RUN: %opt -passes=free-arrays %s -o - | %llc -mcpu=sm_90 -fp-contract=fast - -o - | %FileCheck %s --check-prefix=PTX
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @through_array(
; CHECK-COUNT-8: asm "mul.rn.f64
; CHECK-COUNT-8: fadd contract double
; PTX-LABEL: .entry through_array(
; PTX-NOT: fma
; PTX: .entry inside(
define ptx_kernel void @through_array(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %product = fmul contract double %x, 3.0
  %to = getelementptr double, ptr %a, i32 %i
  store double %product, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %s = fadd contract double %y, 2.0
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %s, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}

; CHECK-LABEL: @inside(
; CHECK-COUNT-8: call double @llvm.fma.f64
; PTX-COUNT-8: fma.rn.f64
define ptx_kernel void @inside(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %product = fmul contract double %x, 3.0
  %sum = fadd contract double %product, 1.0
  %to = getelementptr double, ptr %a, i32 %i
  store double %sum, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}
