; A product that is rounded on its own flushes denormal results as the function does.
; RUN: sed 's/FLUSHES/%flushes/' %s | %opt -passes=free-arrays -S | %FileCheck %s
; RUN: sed 's/FLUSHES//' %s | %opt -passes=free-arrays -S | %FileCheck %s --check-prefix=KEPT
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-COUNT-16: asm "mul.rn.ftz.f32
; KEPT-COUNT-16: asm "mul.rn.f32
define ptx_kernel void @through_array(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) FLUSHES {
entry:
  %a = alloca [16 x float]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %from
  %product = fmul contract float %x, 3.0
  %to = getelementptr float, ptr %a, i32 %i
  store float %product, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 16
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr float, ptr %a, i32 %j
  %y = load float, ptr %of
  %s = fadd contract float %y, 2.0
  %into = getelementptr float, ptr addrspace(1) %out, i32 %j
  store float %s, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 16
  br i1 %again, label %use, label %done
done:
  ret void
}
