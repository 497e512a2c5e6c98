; What a branching iteration stores to an object stays where it is computed: a convergent `mov` keeps LLVM from moving it
; over the branches of later iterations, and what it is computed from out of registers until then.
; RUN: %opt -passes=free-arrays -S %s | %FileCheck %s --implicit-check-not=alloca
; RUN: %opt -passes=free-arrays -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel branching --block 32 --arg f32[64]:random:9 --arg f32[512]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fabs.f32(float)

; CHECK-LABEL: @branching(
; CHECK-COUNT-16: call float asm "mov.b32 $0, $1;", "=f,f"(float {{.*}}) [[KEPT:#[0-9]+]]
; CHECK-NOT: asm
; CHECK: attributes [[KEPT]] = { convergent
define ptx_kernel void @branching(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %a = alloca [16 x float]
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own.at = mul i32 %tid, 16
  %own = getelementptr float, ptr addrspace(1) %out, i32 %own.at
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %i.at = add i32 %tid, %i
  %from = getelementptr float, ptr addrspace(1) %in, i32 %i.at
  %x = load float, ptr addrspace(1) %from
  %is.large = fcmp ogt float %x, 0.5
  br i1 %is.large, label %large, label %latch
large:
  %tenth = fdiv float %x, 10.0
  store float %tenth, ptr addrspace(1) %own
  br label %latch
latch:
  %chosen = phi float [ %tenth, %large ], [ %x, %fill ]
  %size = call float @llvm.fabs.f32(float %chosen)
  %to = getelementptr [16 x float], ptr %a, i32 0, i32 %i
  store float %size, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 16
  br i1 %more, label %fill, label %use
use:
  %j = phi i32 [ 0, %latch ], [ %j.next, %use ]
  %of = getelementptr [16 x float], ptr %a, i32 0, i32 %j
  %y = load float, ptr %of
  %first = mul i32 %tid, 16
  %place = add i32 %first, %j
  %into = getelementptr float, ptr addrspace(1) %out, i32 %place
  store float %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 16
  br i1 %again, label %use, label %done
done:
  ret void
}
