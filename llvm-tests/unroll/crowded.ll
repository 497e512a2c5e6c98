; A loop of few iterations within another is not copied where the launch bounds leave too few registers for the addresses of its
; copies, which LLVM computes in front of both: with them, fewer loads of the other are in flight.
; RUN: %opt -passes=unroll-whole -S %s | %FileCheck %s
; RUN: %opt -passes=unroll-whole -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}} loop is not unrolled: {{[0-9]+}} registers would become {{[0-9]+}}, with which it would spill
; CHECK-LABEL: @tight(
; CHECK-COUNT-1: load float
; CHECK-NOT: load float
; CHECK-LABEL: @wide(
define ptx_kernel void @tight(ptr addrspace(1) %a, ptr addrspace(1) %out, i32 %n, i32 %seed) "nvvm.maxnreg"="16" {
entry:
  %turns = and i32 %seed, 3
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %next, %inner ]
  %place = add i32 %i, %k
  %at = getelementptr float, ptr addrspace(1) %a, i32 %place
  %x = load float, ptr addrspace(1) %at
  %to = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %x, ptr addrspace(1) %to
  %next = add nuw nsw i32 %i, 1
  %more = icmp samesign ult i32 %i, %turns
  br i1 %more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i32 %k, 1
  %last = icmp eq i32 %k.next, %n
  br i1 %last, label %done, label %outer
done:
  ret void
}

; REMARK: remark: {{.*}} loop of at most 4 iterations unrolled completely
; CHECK-COUNT-4: load float
define ptx_kernel void @wide(ptr addrspace(1) %a, ptr addrspace(1) %out, i32 %n, i32 %seed) {
entry:
  %turns = and i32 %seed, 3
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %next, %inner ]
  %place = add i32 %i, %k
  %at = getelementptr float, ptr addrspace(1) %a, i32 %place
  %x = load float, ptr addrspace(1) %at
  %to = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %x, ptr addrspace(1) %to
  %next = add nuw nsw i32 %i, 1
  %more = icmp samesign ult i32 %i, %turns
  br i1 %more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i32 %k, 1
  %last = icmp eq i32 %k.next, %n
  br i1 %last, label %done, label %outer
done:
  ret void
}
