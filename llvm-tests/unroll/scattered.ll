; A loop that steps over the threads runs in groups wherever its lanes load from: few blocks may run, and then latency counts.
; RUN: %opt -passes=unroll-loops,verify -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel channels --block 64 --arg f32[4096]:random:9 --arg f32[64]:zero --arg i32:997 --arg i32:4
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

; CHECK-LABEL: @channels(
; CHECK-COUNT-4: load float
; CHECK: icmp slt i32 {{.*}}, %limit
; CHECK: load float
; CHECK-NOT: load float
define ptx_kernel void @channels(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n, i32 %channels) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %any = icmp slt i32 %tid, %n
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = mul nsw i32 %i, %channels
  %wide = sext i32 %place to i64
  %at = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, %threads
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %all = phi float [ 0.0, %entry ], [ %more, %loop ]
  %own = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %all, ptr addrspace(1) %own
  ret void
}
