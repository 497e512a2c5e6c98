; Lanes that load from places far apart: loops over what fits the first-level cache are unrolled, of tables of at most 16 KB, and
; such that step over the threads, of which few may run. Larger tables are left.
; RUN: %opt -passes=unroll-loops,verify -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel channels --block 64 --arg f32[4096]:random:9 --arg f32[64]:zero --arg i32:997 --arg i32:4
; RUN: %warpwise simt --compare %s %t.ll --kernel table --block 64 --arg i32[64]:random:9 --arg i32[64]:zero --arg i32:61
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

@small = addrspace(1) global [4096 x i32] zeroinitializer
@large = addrspace(1) global [8192 x i32] zeroinitializer

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

; CHECK-LABEL: @table(
; CHECK-COUNT-5: load i32, ptr addrspace(1) %{{at|[0-9]+}}
; CHECK: ret void
define ptx_kernel void @table(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %first = load i32, ptr addrspace(1) %from
  %own = and i32 %first, 2047
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %index = add nuw nsw i32 %own, %i
  %place = and i32 %index, 4095
  %at = getelementptr i32, ptr addrspace(1) @small, i32 %place
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %more, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @largetable(
; CHECK: load i32, ptr addrspace(1) %at
; CHECK-NOT: load i32, ptr addrspace(1) %at
define ptx_kernel void @largetable(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %first = load i32, ptr addrspace(1) %from
  %own = and i32 %first, 2047
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %index = add nuw nsw i32 %own, %i
  %place = and i32 %index, 8191
  %at = getelementptr i32, ptr addrspace(1) @large, i32 %place
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %more, ptr addrspace(1) %to
  ret void
}
